/* dwell.h - how long a level (GPUs in use, per cent busy) stood at each of its values, and
 * the quantiles over time that follow from it.
 */
#ifndef CORE_DWELL_H
#define CORE_DWELL_H

#include <stddef.h>
#include <stdint.h>

#include "core/clock.h"

/* Starts as zeros; dwell_free frees the array, not the struct. */
struct dwell {
	simtime *time; /* [level] */
	size_t count, capacity;
	simtime total;
};

/* The level was this for so long (>= 0). */
void dwell_add(struct dwell *dwell, uint32_t level, simtime time);
/* The smallest level that was not passed for at least per_mille of the time; 0 of none. */
uint32_t dwell_quantile(const struct dwell *dwell, uint32_t per_mille);
void dwell_free(struct dwell *dwell);

#endif
