/* lever.h - what can be changed before anything is bought, cheapest first: each as the
 * --set that does it, or the reason why this input cannot express it.
 */
#ifndef SIM_LEVER_H
#define SIM_LEVER_H

#include "sim/report/goal.h"
#include "sim/world/policy.h"

struct lever {
	const char *name;   /* "reclaim": choices that exclude each other share it */
	const char *choice; /* "reclaimWithinCohort=Never", what tables say */
	const char *absent; /* why it is not tried; NULL: it can be */
	const char **sets;
	uint32_t set_count;
};

struct levers {
	struct lever *items; /* in the order of their cost */
	size_t count, capacity;
	struct mem_arena *arena; /* of all texts */
};

struct lever_question {
	const struct scenario *scenario;
	const struct policy_row *policy;
	const struct run_options *options;
	const struct goals *goals;
	const char *notebooks; /* patterns of NAMESPACE/NAME, by commas: what people leave idle */
	const char *idle_timeout; /* after which they could be stopped: "30m" */
};

/* The scenario need not outlive it. lever_free frees what is inside. */
void lever_list(struct levers *levers, const struct lever_question *question);
void lever_free(struct levers *levers);

/* The settings that bring pools to so many nodes, and every quota of their flavors up or
 * down with them, in proportion; their sum is exact. Texts in the arena. */
struct lever_count {
	const char *pool;
	uint32_t nodes;
	uint32_t spot;	   /* of them, may be taken away */
	const char *every; /* so often each, on average: "24h"; where spot is not 0 */
};
struct lever_nodes {
	const char **sets;
	uint32_t count;
};
struct lever_nodes lever_nodes(struct mem_arena *arena, const struct scenario *scenario,
			       const struct lever_count *counts, uint32_t count);

#endif
