/* kueue_fair.h - fair sharing: whose victims, and whose turn (spec KUEUE.md 4.6,
 * 4.7). Shares are compared as unrounded doubles, as Kueue does.
 */
#ifndef SIM_KUEUE_FAIR_H
#define SIM_KUEUE_FAIR_H

#include "sim/kueue/kueue_victim.h"

/* Fills k->targets; false: nobody's eviction would help. */
bool kueue_fair_search(struct kueue *k, const struct kueue_search *search);

/* What an entry of the cycle brings into the tournament. */
struct kueue_contender {
	uint32_t queue, job;
	const struct quota_amount *amounts; /* it would use */
	uint32_t amount_count;
	size_t weighed; /* length of the log when its shares were worked out, + 1; 0: never */
	bool waits;	/* still in the tournament */
};

/* The contender whose turn it is, by index; all trees together. contenders are
 * indexed by queue; NULL amounts and waits = false where a queue has none. Usage changes
 * between two calls only on top of the tree's log. */
uint32_t kueue_fair_next(struct kueue *k, struct kueue_contender *contenders);

#endif
