/* kueue_balance.h - TASBalancedPlacement: the pods of a preferred level spread evenly
 * over as few domains as can be.
 *
 * Spec KUEUE.md 7.7, last paragraph. Every group of sibling domains of the level has a
 * threshold: so many slices at least that each domain of the level below (of the level
 * itself, where slices are of that level) could get. The group with the largest one wins.
 */
#ifndef SIM_KUEUE_BALANCE_H
#define SIM_KUEUE_BALANCE_H

#include "sim/kueue/kueue_room.h"
#include "sim/kueue/kueue_topology.h"

struct kueue_balance {
	const struct topology_tree *tree;
	uint32_t level, slice_level;
	int64_t size; /* pods of a slice */
	int64_t need; /* slices */
	bool leader;  /* and one pod of it */
	/* [domain]: what fits; after a success what the chosen ones get, and what fits the
	 * domains below them that are still to be used. Left alone by a failure. */
	struct kueue_room *rooms;
	/* the answer, in an array of the caller's that holds every domain of the tree */
	uint32_t *chosen;
	uint32_t chosen_count, chosen_level;
};

/* False: it cannot be balanced. */
bool kueue_balance_choose(struct kueue_balance *balance);

#endif
