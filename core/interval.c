#include "core/interval.h"

#include <assert.h>
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>

#include "core/mem.h"
#include "core/sort.h"
#include "core/stats.h"

static size_t infinite(const double *values, size_t count)
{
	size_t n = 0;

	for (size_t i = 0; i < count; i++)
		n += isinf(values[i]) != 0;
	return n;
}

static int compare_doubles(const void *a, const void *b, void *context)
{
	double x = *(const double *)a, y = *(const double *)b;

	(void)context;
	return (x > y) - (x < y);
}

/* Some are infinite: all of one sign make a mean of that sign, bounded by the median. */
static struct interval unbounded(const double *values, size_t count, double confidence)
{
	double *sorted = mem_calloc(count, sizeof(*sorted));
	struct interval median;
	bool up = false, down = false;

	for (size_t i = 0; i < count; i++) {
		sorted[i] = values[i];
		up = up || (isinf(values[i]) && values[i] > 0);
		down = down || (isinf(values[i]) && values[i] < 0);
	}
	sort_stable(sorted, count, sizeof(*sorted), compare_doubles, NULL);
	median = interval_quantile(sorted, count, 0.5, confidence);
	mem_free(sorted);
	if (up && down)
		return (struct interval){.estimate = (double)NAN,
					 .low = -HUGE_VAL,
					 .high = HUGE_VAL,
					 .count = count,
					 .never = median.never};
	return (struct interval){.estimate = up ? HUGE_VAL : -HUGE_VAL,
				 .low = up ? median.low : -HUGE_VAL,
				 .high = up ? HUGE_VAL : median.high,
				 .count = count,
				 .never = median.never};
}

struct interval interval_mean(const double *values, size_t count, double confidence)
{
	struct interval out = {.estimate = (double)NAN,
			       .low = -HUGE_VAL,
			       .high = HUGE_VAL,
			       .count = count,
			       .never = infinite(values, count)};
	double half;

	assert(confidence > 0 && confidence < 1);
	if (out.never > 0)
		return unbounded(values, count, confidence);
	if (count == 0)
		return out;
	out.estimate = gsl_stats_mean(values, 1, count);
	if (count == 1)
		return out;
	half = gsl_cdf_tdist_Pinv((1 + confidence) / 2, (double)(count - 1)) *
	       gsl_stats_sd_m(values, 1, count, out.estimate) / sqrt((double)count);
	out.low = out.estimate - half;
	out.high = out.estimate + half;
	return out;
}

static double difference(double a, double b)
{
	return isinf(a) && isinf(b) && (a > 0) == (b > 0) ? 0 : a - b;
}

struct interval interval_paired(const double *a, const double *b, size_t count, double confidence)
{
	double *differences = mem_calloc(count, sizeof(*differences));
	struct interval out;

	for (size_t i = 0; i < count; i++)
		differences[i] = difference(a[i], b[i]);
	out = interval_mean(differences, count, confidence);
	mem_free(differences);
	return out;
}

struct interval interval_batch_means(const double *values, size_t count, size_t batches,
				     double confidence)
{
	size_t size = batches == 0 ? 0 : count / batches, first = count - size * batches;
	double *means;
	struct interval out;

	assert(batches >= 2);
	if (size == 0)
		return interval_mean(values, 0, confidence);
	means = mem_calloc(batches, sizeof(*means));
	for (size_t b = 0; b < batches; b++)
		means[b] = stats_mean(values + first + b * size, size);
	out = interval_mean(means, batches, confidence);
	mem_free(means);
	return out;
}

/* The k-th smallest for the largest k with P(B < k) <= tail, k >= 1; 0: there is none. */
static size_t rank_below(size_t count, double p, double tail)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = low + (high - low + 1) / 2;

		if (gsl_cdf_binomial_P((unsigned)(middle - 1), p, (unsigned)count) <= tail)
			low = middle;
		else
			high = middle - 1;
	}
	return low;
}

/* The smallest k with P(B < k) >= 1 - tail; count + 1: there is none. */
static size_t rank_above(size_t count, double p, double tail)
{
	size_t low = 1, high = count + 1;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (gsl_cdf_binomial_Q((unsigned)(middle - 1), p, (unsigned)count) <= tail)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

struct interval interval_quantile(const double *sorted, size_t count, double p, double confidence)
{
	double tail = (1 - confidence) / 2;
	struct interval out = {.estimate = (double)NAN,
			       .low = -HUGE_VAL,
			       .high = HUGE_VAL,
			       .count = count,
			       .never = infinite(sorted, count)};
	size_t below, above;

	assert(confidence > 0 && confidence < 1 && p >= 0 && p <= 1);
	if (count == 0)
		return out;
	out.estimate = stats_quantile_nearest(sorted, count, p);
	below = rank_below(count, p, tail);
	above = rank_above(count, p, tail);
	if (below >= 1)
		out.low = sorted[below - 1];
	if (above <= count)
		out.high = sorted[above - 1];
	return out;
}

double interval_half_width(const struct interval *interval)
{
	if (isinf(interval->low) || isinf(interval->high))
		return HUGE_VAL;
	return (interval->high - interval->low) / 2;
}

bool interval_decides(const struct interval *interval)
{
	return interval->low > 0 || interval->high < 0;
}

static double allowed(const struct interval *interval, const struct interval_goal *goal)
{
	if (!goal->relative)
		return goal->half_width;
	return goal->half_width / (1 + goal->half_width) * fabs(interval->estimate);
}

bool interval_narrow(const struct interval *interval, const struct interval_goal *goal)
{
	double half = interval_half_width(interval);

	return isfinite(interval->estimate) && isfinite(half) && half <= allowed(interval, goal);
}

size_t interval_needed(const struct interval *interval, const struct interval_goal *goal)
{
	double half = interval_half_width(interval), want = allowed(interval, goal), n;
	size_t next = interval->count + 1;

	if (interval_narrow(interval, goal))
		return interval->count;
	n = want > 0 && isfinite(half)
		    ? ceil((double)interval->count * (half / want) * (half / want))
		    : (double)next;
	if (!(n < (double)goal->most))
		return goal->most;
	return n < (double)next ? next : (size_t)n;
}
