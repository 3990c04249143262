/* usage.h - what of its quota every ClusterQueue uses, borrows and lends.
 *
 * A cell is one (ClusterQueue, flavor, resource); amounts are base units. Per
 * cell: used is the sum of what jobs with a quota reservation were given;
 * borrowed = max(0, used - nominal). Lent is defined over a pool, the cells of
 * one (flavor, resource) in one cohort tree: what the members borrow, less what
 * the tree's cohorts own themselves, is drawn from the members' unused lendable
 * quota, min(lendingLimit, nominal - used) where that is positive, in proportion
 * to it (largest remainder; equal remainders: the earlier queue).
 */
#ifndef SIM_USAGE_H
#define SIM_USAGE_H

#include "sim/world/journal.h"

struct usage_cell {
	uint32_t queue; /* of scenario.cluster_queues */
	uint32_t flavor, resource;
	int64_t nominal;
	int64_t borrowing_limit, lending_limit; /* QUOTA_ABSENT */
	int64_t used, borrowed, lent;
	uint32_t pool; /* private */
};

struct usage {
	const struct scenario *scenario;
	struct usage_cell *cells; /* by queue, then as its groups list them */
	uint32_t cell_count;
	uint32_t queue_count; /* queues, those that only an update brings included */
	uint32_t *first_cell; /* [queue_count + 1] */
	/* cells whose figures changed with the last usage_settle */
	uint32_t *changed;
	uint32_t changed_count;
	struct usage_state *state; /* private */
};

struct usage *usage_new(const struct scenario *scenario);
void usage_free(struct usage *usage);

/* The cell; SCENARIO_NONE: the queue has no such quota. */
uint32_t usage_find(const struct usage *usage, uint32_t queue, uint32_t flavor, uint32_t resource);

/* A reservation is given (sign 1) or given back (-1). */
void usage_reserve(struct usage *usage, uint32_t job, const struct admission *admission, int sign);
/* Update i of the scenario is in force. */
void usage_update(struct usage *usage, uint32_t update);
/* The ClusterQueue that update i deletes is gone. */
void usage_delete(struct usage *usage, uint32_t update);
/* Brings borrowed, lent and the list of changed cells up to date. */
void usage_settle(struct usage *usage);

/* The most the queue could ever use in that cell, whatever others use
 * ("potential", spec KUEUE.md 2.2); RES_UNLIMITED possible. */
int64_t usage_potential(const struct usage *usage, uint32_t cell);

/* What the queue could still use of that cell now ("available", the same): what
 * is left may be negative. limited_too = false: as if the queue had no borrowingLimit. */
int64_t usage_available(const struct usage *usage, uint32_t cell, bool limited_too);
/* The objects in force; NULL: not there. */
const struct cluster_queue *usage_queue(const struct usage *usage, uint32_t queue);
/* Are two queues in one cohort tree? Also true for a queue and itself. */
bool usage_same_tree(const struct usage *usage, uint32_t a, uint32_t b);

#endif
