/* kueue_strata.h - what the reservations of a queue, or of a tree, use, summed up by priority.
 *
 * A search for victims asks this first: no more than the sum of those that may be evicted
 * can be freed (kueue_bound.h). Columns are those of the quota tree; amounts base units.
 */
#ifndef SIM_KUEUE_STRATA_H
#define SIM_KUEUE_STRATA_H

#include "core/quota.h"

/* All zero: empty. */
struct kueue_strata {
	uint32_t count;	     /* priorities that there ever were, lowest first */
	int32_t *priorities; /* owned */
	int64_t *sums;	     /* owned; [stratum * columns + column] */
	size_t priority_capacity, sum_capacity;
	bool vast; /* a sum was beyond what an integer holds: nothing is known any more */
};

void kueue_strata_free(struct kueue_strata *s); /* the arrays, not the struct */
/* One reservation more, or one less that was there. */
void kueue_strata_add(struct kueue_strata *s, uint32_t columns, int32_t priority,
		      const struct quota_amount *amounts, uint32_t count);
void kueue_strata_remove(struct kueue_strata *s, uint32_t columns, int32_t priority,
			 const struct quota_amount *amounts, uint32_t count);
/* All that the other has, too. */
void kueue_strata_add_all(struct kueue_strata *s, uint32_t columns,
			  const struct kueue_strata *other);
/* Of all of a lower priority, or of the same one too; RES_UNLIMITED: not known. */
int64_t kueue_strata_sum(const struct kueue_strata *s, uint32_t columns, uint32_t column,
			 int32_t priority, bool same);

#endif
