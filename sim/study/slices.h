/* slices.h - which jobs could do with a slice of a GPU (MIG), and how many GPUs to cut for
 * them: for plan, which simulates it (sim/scenario/mig.h).
 *
 * A job of one pod and one GPU that says that no more than a seventh of it is busy. Its part
 * of the GPU's memory is not known: it is taken to be enough.
 */
#ifndef SIM_SLICES_H
#define SIM_SLICES_H

#include "sim/scenario/mig.h"
#include "sim/world/policy.h"

struct slices_queue {
	uint32_t queue;	 /* ClusterQueue; SCENARIO_NONE: none are asked */
	uint32_t jobs;	 /* that could do with a slice */
	double mean;	 /* of them at once, if nothing waited, while they come */
	int64_t peak;	 /* at most */
	int64_t nominal; /* its quota of GPUs in the flavor */
};

struct slices {
	const char *absent;  /* why GPUs are not to be cut; NULL: they can be */
	const char *profile; /* "1g.10gb" */
	uint32_t pool;	     /* string */
	uint32_t flavor;     /* whose quota is changed; SCENARIO_NONE: there are no queues */
	int64_t most;	     /* GPUs of the pool that can be cut: one of each node stays whole */
	uint32_t jobs;
	struct slices_queue *queues; /* that have such jobs; in the arena */
	uint32_t queue_count;
};

/* Texts and lists in the arena. queues: do ClusterQueues decide? */
void slices_find(struct mem_arena *arena, const struct scenario *scenario, bool queues,
		 struct slices *out);
/* GPUs to cut for the queue: enough for the peak, or for a third more than the mean. */
int64_t slices_gpus(const struct slices_queue *queue, bool peak);

#endif
