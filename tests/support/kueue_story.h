/* kueue_story.h - small worlds for the tests of the Kueue policy, in the notation
 * of spec KUEUE.md appendix A, without an engine.
 *
 * Items are separated by ";":
 *   a[4,BL,LL] OPTION...     ClusterQueue a, cpu in flavor f1; limits may be empty
 *   a{f1[4] f2[2,1]} ...     the same with several flavors
 *   %k[4] in=c               cohort k
 *   a<h:4@5#30*300!f2        a holds h: 4 units, priority 5, created at 30, since 300,
 *                            in flavor f2 (f1 unless said)
 *   a?p:4@10#20/2            p waits in a: 4 units, priority 10, created 20; with
 *                            "/2" it is 4 pods of 1 unit, at least 2
 * Options: in=COHORT ("in=-": none; default c), w=N|L|E within the queue, r=N|L|A
 * within the cohort, b=L or b=L:THRESHOLD, strict, borrow=next, preempt=next,
 * prefer=B|P, weight=X.
 */
#ifndef TESTS_SUPPORT_KUEUE_STORY_H
#define TESTS_SUPPORT_KUEUE_STORY_H

#include "sim/kueue_cycle.h"

struct story {
	struct scenario *scenario;
	struct run_options options;
	struct journal *journal;
	struct world world;
	struct plan plan;
	struct kueue *k;
	char text[8192];
};

/* Everybody who waits was submitted, everybody who holds has a reservation. */
struct story *story_new(const char *items, bool fair);
void story_free(struct story *story);
uint32_t story_job(const struct story *story, const char *name);
uint32_t story_queue(const struct story *story, const char *name);
/* Runs so many cycles: "admit p f1; preempt h p InClusterQueue", in order, then
 * where each that waits is: "p heap", "p parked". */
const char *story_run(struct story *story, unsigned cycles);
/* "WaitingForQuota: couldn't ..." */
const char *story_status(struct story *story, const char *job);

#endif
