/* jobtask.h - the completions of a Job: which are done, which failed, which is next.
 *
 * The part of the Job controller (Kubernetes 1.34, pkg/controller/job) that only
 * counts: it knows no clock but what it is told, no pods and no run. A completion
 * is an index of an Indexed Job; of a NonIndexed one it just numbers the work.
 */
#ifndef SIM_JOBTASK_H
#define SIM_JOBTASK_H

#include "core/job.h"

struct jobtask; /* owned by the caller: jobtask_new/jobtask_free */

/* completions: that end the job; JOB_NONE: it ends when one has succeeded and no pod is
 * left. parallel: pods at once at most. control: NULL if no object says more. */
struct jobtask *jobtask_new(uint32_t completions, uint32_t parallel,
			    const struct job_control *control);
void jobtask_free(struct jobtask *tasks);

/* Of the first completions that no pod works on, as many as there is room for pods, the
 * lowest that may be tried at this time; JOB_NONE: none (one that waits for its back-off
 * keeps its place: firstPendingIndexes). It is taken until one of the three below gives
 * it back. */
uint32_t jobtask_take(struct jobtask *tasks, simtime now, uint32_t room);
/* Its pod is gone for no fault of its own. */
void jobtask_put_back(struct jobtask *tasks, uint32_t completion);
void jobtask_succeed(struct jobtask *tasks, uint32_t completion);

struct jobtask_failure {
	simtime now;
	uint32_t completion; /* JOB_NONE: of the whole gang */
	bool disruption;     /* preempted or evicted: condition DisruptionTarget */
	int32_t code;	     /* else: of its container */
};
/* Its pod failed; gives it back. The reason for which the whole job fails now, as the
 * condition Failed has it; NULL: it goes on. */
const char *jobtask_fail(struct jobtask *tasks, const struct jobtask_failure *failure);

/* When the first completion that waits for its own back-off may be tried
 * (backoffLimitPerIndex), of those for which there is room; CLOCK_NEVER: none waits. */
simtime jobtask_due(const struct jobtask *tasks, uint32_t room);
/* Does each index have a back-off of its own? Else the job has one. */
bool jobtask_by_index(const struct jobtask *tasks);

uint32_t jobtask_succeeded(const struct jobtask *tasks);
uint32_t jobtask_given_up(const struct jobtask *tasks); /* failed indexes */
/* Pods wanted now that so many may run at once and so many do. */
uint32_t jobtask_wanted(const struct jobtask *tasks, uint32_t parallel, uint32_t active);
/* Enough has succeeded, with so many pods left; or a rule of the success policy is met,
 * whatever pods are left. */
bool jobtask_complete(const struct jobtask *tasks, uint32_t active);
/* Reason for which the job fails now that no index is left to try: FailedIndexes; NULL. */
const char *jobtask_failed_in_the_end(const struct jobtask *tasks);

/* What becomes of the pod that starts as the n-th (from 1) with this completion, JOB_NONE for
 * a gang; NULL: it succeeds. */
const struct pod_fate *jobtask_fate(const struct job_control *control, uint32_t n,
				    uint32_t completion);

#define JOBTASK_BACKOFF_BASE (10 * CLOCK_SECOND)
#define JOBTASK_BACKOFF_MAX  (600 * CLOCK_SECOND)
/* base * 2^(n-1), n >= 1, at most max */
simtime jobtask_doubling(simtime base, uint32_t n, simtime max);

#endif
