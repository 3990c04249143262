#include "core/stats.h"

#include <assert.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>

/* Forgives the last bits of p * n, so that 0.07 * 100 is the 7th and not the 8th. */
#define SLACK 1e-9

double stats_quantile_sorted(const double *values, size_t count, double p)
{
	double result;

	assert(p >= 0 && p <= 1);
	if (count == 0)
		return 0;
	result = gsl_stats_quantile_from_sorted_data(values, 1, count, p);
	/* 0 times an infinite neighbour; the interpolation ends on the value itself. */
	if (isnan(result))
		return values[(size_t)(p * (double)(count - 1))];
	return result;
}

double stats_quantile_nearest(const double *values, size_t count, double p)
{
	double rank = ceil(p * (double)count - SLACK);

	assert(p >= 0 && p <= 1);
	if (count == 0)
		return 0;
	if (rank < 1)
		return values[0];
	return values[(size_t)rank - 1];
}

double stats_mean(const double *values, size_t count)
{
	double mean = count == 0 ? 0 : gsl_stats_mean(values, 1, count);

	if (!isnan(mean))
		return mean;
	/* GSL's recurrence takes infinity from infinity; the sum is what is meant. */
	mean = 0;
	for (size_t i = 0; i < count; i++)
		mean += values[i];
	return mean / (double)count;
}

double stats_quantile_weighted(const double *values, const double *weights, size_t count, double p)
{
	double total = 0, sum = 0;

	for (size_t i = 0; i < count; i++)
		total += weights[i];
	for (size_t i = 0; i < count; i++) {
		sum += weights[i];
		if (weights[i] > 0 && sum >= p * total - SLACK * total)
			return values[i];
	}
	return count == 0 ? 0 : values[count - 1];
}
