/* stats.h - quantiles and means (GSL). Doubles are for reports only; nothing
 * here may feed a scheduling decision. */
#ifndef CORE_STATS_H
#define CORE_STATS_H

#include <stddef.h>
#include <stdint.h>

/* Linear interpolation, as numpy's default; values must be sorted ascending.
 * 0 for an empty list. p in 0..1. */
double stats_quantile_sorted(const double *values, size_t count, double p);

/* Nearest rank (ceil(p * n)-th smallest). */
double stats_quantile_nearest(const double *values, size_t count, double p);

/* Infinite if any is (of one sign). 0 for an empty list. */
double stats_mean(const double *values, size_t count);

/* The p-quantile where each value weighs weight[i] (e.g. GPUs): the smallest
 * value at which the cumulated weight reaches p of the total. Sorted input. */
double stats_quantile_weighted(const double *values, const double *weights, size_t count, double p);

#endif
