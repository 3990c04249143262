#include "core/warmup.h"

#include <math.h>

#include "core/mem.h"
#include "core/stats.h"

#define BATCH 5
#define LEAST 10 /* means, or nothing can be told */

/* The mean squared error of the mean of the values from cut on, for each cut of the
 * first half, by sums from behind; the smallest, the earliest of equals. */
static size_t best_cut(const double *means, size_t count, double shift)
{
	double sum = 0, squares = 0, least = HUGE_VAL;
	size_t best = 0;

	for (size_t i = count; i-- > 0;) {
		double x = means[i] - shift, n = (double)(count - i), error;

		sum += x;
		squares += x * x;
		if (i > count / 2)
			continue;
		error = (squares - sum * sum / n) / (n * n);
		if (error <= least) {
			least = error;
			best = i;
		}
	}
	return best;
}

struct warmup warmup_mser5(const double *values, size_t count)
{
	size_t batches = count / BATCH, best;
	double *means;

	if (batches < LEAST)
		return (struct warmup){0, false};
	means = mem_calloc(batches, sizeof(*means));
	for (size_t b = 0; b < batches; b++)
		means[b] = stats_mean(values + b * BATCH, BATCH);
	best = best_cut(means, batches, stats_mean(means, batches));
	mem_free(means);
	return (struct warmup){best * BATCH, best < batches / 2};
}

size_t warmup_average(const double *const *runs, const size_t *lengths, size_t count, double *mean)
{
	size_t shortest = count == 0 ? 0 : lengths[0];

	for (size_t r = 1; r < count; r++)
		shortest = lengths[r] < shortest ? lengths[r] : shortest;
	for (size_t i = 0; i < shortest; i++) {
		double sum = 0;

		for (size_t r = 0; r < count; r++)
			sum += runs[r][i];
		mean[i] = sum / (double)count;
	}
	return shortest;
}
