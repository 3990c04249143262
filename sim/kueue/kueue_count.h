/* kueue_count.h - how many pods fit each domain of a topology (spec KUEUE.md 7.4, what
 * Kueue calls phase 1 of a placement).
 *
 * Kueue counts every leaf anew for every placement. Here the counts of a request are
 * kept, and the next time only leaves that changed since are counted again, with the
 * domains above them: the tree lists its changes (kueue_topology.h). What is kept
 * cannot differ from a count from nothing, as a leaf's count depends on nothing but its
 * node, which a build of the tree fixes, its amounts, whose changes are listed, and the
 * request, by which the counts are kept; test_kueue_count.c compares the two.
 */
#ifndef SIM_KUEUE_COUNT_H
#define SIM_KUEUE_COUNT_H

#include "sim/kueue/kueue_room.h"
#include "sim/kueue/kueue_topology.h"
#include "sim/scenario/kueue_gates.h"

struct kueue_count_request {
	uint32_t tree;			 /* exists */
	const struct pod_shape *workers; /* outlive the counter */
	const struct pod_shape *leader;	 /* one pod of it beside them; NULL: none */
	bool empty;			 /* as if no reservation were there */
	bool indifferent;		 /* what the pods prefer does not count */
	uint32_t within;		 /* domain that all have to be in; TOPOLOGY_NOWHERE */
	/* slices of so many pods on a level, and inner slices of the levels below (0:
	 * none); whole: these are the workers' own */
	uint32_t slice_level;
	int64_t size;
	int64_t inner[TOPOLOGY_LEVELS_MAX];
	bool whole;
};

struct kueue_excluded_taint {
	struct taint taint;
	uint32_t leaves;
};

/* Leaves on which no pod fits, by what is in the way. */
struct kueue_exclusions {
	uint32_t selector, affinity;
	uint32_t domain;    /* not within */
	uint32_t scheduler; /* by kube-scheduler's filters, if these are asked */
	uint32_t resources[RES_MAX];
	const struct kueue_excluded_taint *taints;
	size_t taint_count;
};

struct kueue_counter; /* owned by the caller */

/* Of the feature gates TASRespectNodeAffinityPreferred and SchedulerLibraryIntegration count.
 * With the latter kube-scheduler's filters say which nodes suit pods (Kueue's
 * pkg/cache/scheduler/was): nodes that are cordoned or not ready are there, tainted, tolerations
 * of flavors do not help, and of what excludes a leaf nothing is told. The topology outlives
 * it. */
struct kueue_counter *kueue_count_new(struct kueue_topology *topology,
				      const struct kueue_gates *gates);
void kueue_count_free(struct kueue_counter *counter);
/* Counts everything from nothing, always: the direct form, for tests. */
void kueue_count_keep_nothing(struct kueue_counter *counter);

/* [domain] of the tree, valid until the next count. Whoever changes a room calls
 * kueue_count_change before. */
struct kueue_room *kueue_count(struct kueue_counter *counter,
			       const struct kueue_count_request *request);
void kueue_count_change(struct kueue_counter *counter, uint32_t domain);
/* Of the last count, before anything is changed: of the leaves that at least so many pods
 * fit the one that fewest fit, of equal ones the first; TOPOLOGY_NOWHERE. *most: pods that
 * fit the largest, if there is none. False: has to be looked for (many pods fit a leaf). */
bool kueue_count_smallest(const struct kueue_counter *counter, int64_t pods, uint32_t *leaf,
			  int64_t *most);
/* Of the last count, as long as nothing has changed; valid until the next. */
struct kueue_exclusions kueue_count_excluded(struct kueue_counter *counter);

/* Slices in a domain by the pods that fit. */
void kueue_count_slices(struct kueue_room *room, int64_t size);

#endif
