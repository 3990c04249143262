/* kueue_story.h - small worlds for the tests of the Kueue policy, written in the
 * notation of spec KUEUE.md appendix A, without an engine.
 *
 * A story is items separated by ";":
 *   a[4,BL,LL] OPTION...    ClusterQueue a; limits may be empty ("a[4,,2]")
 *   a{f1[4] f2[2,1]} ...    the same with several flavors
 *   a(cpu[2] memory[8]) ... one flavor, several resources
 *   %k[4] in=c              cohort k
 *   a<h1:4@5#30*300         a holds h1: 4 units, priority 5, created 30, since 300
 *   a?p1:4@10#20            p1 waits in a
 * Units are whole units of cpu. Options: in=COHORT ("in=" alone: none; default
 * c), w=N|L|E, r=N|L|A (within queue, reclaim), b=L or b=L:THRESHOLD, strict,
 * borrow=next, preempt=next, prefer=B|P, weight=X. A pending item may end in
 * "x4/2" (4 pods of that size, at least 2) or "+mem=8".
 */
#ifndef TESTS_SIM_KUEUE_STORY_H
#define TESTS_SIM_KUEUE_STORY_H

#include "sim/kueue_cycle.h"

struct story {
	struct scenario scenario;
	struct run_options options;
	struct world world;
	struct plan plan;
	struct kueue *k;
	char text[4096]; /* result of story_run */
};

struct story *story_new(const char *items, bool fair);
void story_free(struct story *story);
/* Runs that many cycles. The result: "admit p1 f1; preempt h1 p2 InClusterQueue"
 * in order, then where every pending workload is ("p1 heap", "p2 parked"). */
const char *story_run(struct story *story, unsigned cycles);
/* Last reason and message of a workload: "WaitingForQuota: couldn't ..." */
const char *story_status(struct story *story, const char *workload, char *buf, size_t size);

#endif
