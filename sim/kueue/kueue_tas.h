/* kueue_tas.h - topology-aware scheduling: which domains the pods of a workload
 * get, so that as few as possible are used.
 *
 * Spec KUEUE.md 7.3-7.9: BestFit for required and preferred levels, LeastFreeCapacity
 * for unconstrained requests, unless the scenario's feature gates say otherwise. Pod
 * sets of one group are placed together: one pod of the leader beside the workers.
 */
#ifndef SIM_KUEUE_TAS_H
#define SIM_KUEUE_TAS_H

#include "sim/kueue/kueue_topology.h"

#define KUEUE_TAS_LAYERS (1 + JOB_INNER_SLICES) /* of slices */

/* What a pod set asks for, and what it gets. */
struct kueue_tas_set {
	uint32_t tree;	/* of the topology: its flavor's */
	uint32_t count; /* pods; at least 1 */
	const struct pod_shape *shape;
	uint32_t group;		 /* string: sets of equal group go together; NAME_NONE */
	enum topology_mode mode; /* NONE: by slices only, or the queue implies it */
	uint32_t level;		 /* string; for required and preferred */
	struct slice_layer layers[KUEUE_TAS_LAYERS]; /* outermost first */
	uint32_t layer_count;
	/* the pods that are there already: of kueue_tas.old (kueue_tas_have) */
	uint32_t first_old, old_count;
	uint32_t replaces; /* place of a node that failed under them; TOPOLOGY_NOWHERE */
	bool stays;	   /* they cannot move: all keep their place, failed or not */
	bool grows;	   /* an elastic set: they stay, more come or the last go (8.8) */
	uint64_t who;	   /* the caller's number of the pod set: kueue_tas_begin */
	/* the answer: of kueue_tas.spots, in the order of their level values */
	uint32_t first_spot, spot_count;
};

struct kueue_tas_spot {
	uint32_t place, pods;
};

struct kueue_tas_work; /* private */

struct kueue_tas {
	struct kueue_topology *topology;
	struct kueue_tas_spot *spots;
	size_t spot_count, spot_capacity;
	struct kueue_tas_spot *old; /* the caller sets old_count to 0 before new sets */
	size_t old_count, old_capacity;
	uint32_t failed; /* after a failure: index of the set that cannot be placed */
	struct kueue_tas_work *work;
};

/* The topology outlives it. */
struct kueue_tas *kueue_tas_new(struct kueue_topology *topology);
void kueue_tas_free(struct kueue_tas *tas);

/* A cycle begins. Which nodes suit a pod set, Kueue finds out once a cycle, and with it what
 * the pods prefer, which it forgets after the first placement: with both feature gates on
 * (TASRespectNodeAffinityPreferred, TASCacheNodeMatchResults) the next ones of the same cycle
 * heed no preference (tas_flavor_snapshot.go, getMatchingLeaves and fillInCounts). */
void kueue_tas_begin(struct kueue_tas *tas);

/* Everything that the shape asks for; the caller adds tree, count and who. */
struct kueue_tas_set kueue_tas_request(const struct pod_shape *shape);

/* Are none of its pods there yet? */
static inline bool kueue_tas_is_new(const struct kueue_tas_set *set)
{
	return set->old_count == 0 && set->replaces == TOPOLOGY_NOWHERE;
}

/* Pods of the set are there already. With set.grows they stay, beside what the caller
 * counts of them already (as Kueue's scheduler does), and only more are placed. With set.replaces those on that node get other
 * places, near the others where the request says so, and the answer is all of them
 * (spec 7.10). Call set by set. */
void kueue_tas_have(struct kueue_tas *tas, struct kueue_tas_set *set, uint32_t place,
		    uint32_t pods);

/* Flavor by flavor in the order of their names, group by group, each beside what
 * those before it got. empty: as if no reservation were there. False: some set
 * cannot be placed. Changes nothing in the topology. */
bool kueue_tas_place(struct kueue_tas *tas, struct kueue_tas_set *sets, uint32_t count, bool empty);

/* Is it known from earlier placements that they cannot be placed as things are? Nothing is told of
 * why; kueue_tas_place has to be asked for that. */
bool kueue_tas_is_refused(struct kueue_tas *tas, const struct kueue_tas_set *sets, uint32_t count);

/* Is it kept if a placement of this set alone fails for want of room? */
bool kueue_tas_keeps_refusal(const struct kueue_tas *tas, const struct kueue_tas_set *set);

/* Could they be placed, no matter where? Why not is told of an empty cluster only. */
bool kueue_tas_fits(struct kueue_tas *tas, struct kueue_tas_set *sets, uint32_t count, bool empty);

/* Why the last placement failed, in Kueue's words; valid until the next. */
const char *kueue_tas_why(struct kueue_tas *tas);

/* Every placement from nothing, as Kueue does it: for tests of what is kept. */
void kueue_tas_keep_nothing(struct kueue_tas *tas);

/* Does the flavor's tree have the levels that the set asks for (spec 7.2)? */
bool kueue_tas_has_levels(const struct kueue_tas *tas, const struct kueue_tas_set *set);

#endif
