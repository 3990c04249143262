/* lint_capacity.h - the most that a ClusterQueue can have of one resource in one flavor when
 * nothing else runs: its own quota and what its cohorts lend it, with the limits on both
 * (spec KUEUE.md 2.3, potential capacity). */
#ifndef SIM_LINT_CAPACITY_H
#define SIM_LINT_CAPACITY_H

#include "sim/scenario/scenario.h"

struct lint_capacity; /* owned by whoever made it; borrows the scenario */

struct lint_capacity *lint_capacity_new(const struct scenario *scenario);
void lint_capacity_free(struct lint_capacity *capacity);

/* In base units. flavor_name: a string. Questions about one cell after the other are cheap. */
int64_t lint_capacity_of(struct lint_capacity *capacity, uint32_t queue, uint32_t flavor_name,
			 uint32_t resource);

#endif
