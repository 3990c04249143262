#include "core/fit.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_roots.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>

#include "core/mem.h"
#include "core/sort.h"
#include "core/stats.h"

#define ROOT_STEPS    200
#define EM_STEPS      500
#define EM_TOLERANCE  1e-9
#define SHAPE_LEAST   1e-3
#define SHAPE_MOST    1e3
#define POOR	      0.05 /* of KS */
#define CRITICAL      1.63 /* of KS sqrt(n), one in a hundred */
#define TINY_SHARE    1e-15
#define STEP	      0.025
#define LAST_STEPS    0.899 /* from the next on the tail shrinks by a factor */
#define FINER	      0.75
#define LEAST_TAIL    1e-5
#define EMPIRICAL_MAX 100 /* different values that are kept as they are */

static void set(struct distribution *d, enum distribution_parameter p, double value)
{
	d->parameter[p] = value;
	d->given |= DISTRIBUTION_BIT(p);
}

struct sample {
	const double *x;
	size_t n;
	double mean_log, largest;
};

static bool find_root(double (*f)(double, void *), void *context, double low, double high,
		      double *root)
{
	gsl_function function = {f, context};
	gsl_root_fsolver *solver;

	if (!(f(low, context) * f(high, context) < 0))
		return false;
	solver = gsl_root_fsolver_alloc(gsl_root_fsolver_brent);
	if (solver == NULL)
		mem_exhausted(1, sizeof(*solver));
	gsl_root_fsolver_set(solver, &function, low, high);
	for (int i = 0; i < ROOT_STEPS && gsl_root_fsolver_iterate(solver) == GSL_SUCCESS; i++)
		if (gsl_root_test_interval(gsl_root_fsolver_x_lower(solver),
					   gsl_root_fsolver_x_upper(solver), 0,
					   1e-10) == GSL_SUCCESS)
			break;
	*root = gsl_root_fsolver_root(solver);
	gsl_root_fsolver_free(solver);
	return true;
}

/* ---- families ---- */

static bool fit_exponential(const struct sample *s, struct distribution *d)
{
	set(d, DISTRIBUTION_MEAN, stats_mean(s->x, s->n));
	return true;
}

static bool fit_lognormal(const struct sample *s, struct distribution *d)
{
	double sum = 0;

	for (size_t i = 0; i < s->n; i++) {
		double deviation = log(s->x[i]) - s->mean_log;

		sum += deviation * deviation;
	}
	set(d, DISTRIBUTION_MEDIAN, exp(s->mean_log));
	set(d, DISTRIBUTION_SIGMA, sqrt(sum / (double)s->n));
	return true;
}

/* The likelihood's slope in the shape k: sum x^k log x / sum x^k - 1/k - mean log x, with x
 * as a share of the largest, which cannot overflow. */
static double weibull_slope(double k, void *context)
{
	const struct sample *s = context;
	double powers = 0, logs = 0;

	for (size_t i = 0; i < s->n; i++) {
		double log_x = log(s->x[i] / s->largest), power = exp(k * log_x);

		powers += power;
		logs += power * log_x;
	}
	return logs / powers - 1 / k - (s->mean_log - log(s->largest));
}

static bool fit_weibull(const struct sample *s, struct distribution *d)
{
	struct sample copy = *s;
	double shape, powers = 0;

	if (!find_root(weibull_slope, &copy, SHAPE_LEAST, SHAPE_MOST, &shape))
		return false;
	for (size_t i = 0; i < s->n; i++)
		powers += exp(shape * log(s->x[i] / s->largest));
	set(d, DISTRIBUTION_SHAPE, shape);
	set(d, DISTRIBUTION_SCALE, s->largest * pow(powers / (double)s->n, 1 / shape));
	return true;
}

/* The same for a Pareto between the least and the largest value (I. B. Aban,
 * M. M. Meerschaert, A. K. Panorska, 2006). */
static double pareto_slope(double k, void *context)
{
	const struct sample *s = context;
	double log_r = log(s->x[0] / s->largest), r = exp(k * log_r);

	return 1 / k + r * log_r / (1 - r) - (s->mean_log - log(s->x[0]));
}

static bool fit_pareto(const struct sample *s, struct distribution *d)
{
	struct sample copy = *s;
	double shape;

	if (!find_root(pareto_slope, &copy, SHAPE_LEAST, SHAPE_MOST, &shape))
		return false;
	set(d, DISTRIBUTION_SHAPE, shape);
	set(d, DISTRIBUTION_MIN, s->x[0]);
	set(d, DISTRIBUTION_MAX, s->largest);
	return true;
}

/* One step of expectation maximisation of two exponential phases; the log likelihood. */
static double hyper_step(const struct sample *s, double share[2], double mean[2])
{
	double weight[2] = {0, 0}, sum[2] = {0, 0}, likelihood = 0;

	for (size_t i = 0; i < s->n; i++) {
		double a = share[0] / mean[0] * exp(-s->x[i] / mean[0]);
		double b = share[1] / mean[1] * exp(-s->x[i] / mean[1]);
		double first = a + b > 0 ? a / (a + b) : 0;

		weight[0] += first;
		weight[1] += 1 - first;
		sum[0] += first * s->x[i];
		sum[1] += (1 - first) * s->x[i];
		likelihood += log(a + b);
	}
	for (int p = 0; p < 2; p++) {
		share[p] = weight[p] / (double)s->n;
		if (weight[p] > 0)
			mean[p] = sum[p] / weight[p];
	}
	return likelihood;
}

static bool fit_hyper(const struct sample *s, struct fit *out)
{
	double all = stats_mean(s->x, s->n), last = -HUGE_VAL;
	double share[2] = {0.5, 0.5}, mean[2] = {all / 5, 2 * all};

	for (int i = 0; i < EM_STEPS; i++) {
		double now = hyper_step(s, share, mean);

		if (!isfinite(now) || now - last < EM_TOLERANCE * fabs(now))
			break;
		last = now;
	}
	if (!(share[0] > TINY_SHARE && share[1] > TINY_SHARE && mean[0] > 0 && mean[1] > 0))
		return false;
	for (int p = 0; p < 2; p++)
		out->points[p] = (struct distribution_point){.value = mean[p], .weight = share[p]};
	out->distribution.point_count = 2;
	return true;
}

/* ---- what was seen ---- */

static size_t different(const double *x, size_t n)
{
	size_t count = n > 0;

	for (size_t i = 1; i < n; i++)
		count += x[i] != x[i - 1];
	return count;
}

/* Every 2.5 %, and finer towards the end, where the work is. */
static bool fit_quantiles(const struct sample *s, struct fit *out)
{
	uint32_t used = 0;
	double p = 0;

	while (p < 1) {
		out->points[used++] =
			(struct distribution_point){stats_quantile_sorted(s->x, s->n, p), p};
		p = p < LAST_STEPS ? (used * STEP) : 1 - (1 - p) * FINER;
		if (1 - p < 1 / (double)s->n || 1 - p < LEAST_TAIL)
			p = 1;
	}
	out->points[used++] = (struct distribution_point){s->x[s->n - 1], 1};
	out->distribution.point_count = used;
	return true;
}

/* Each value and how often it came; too many different ones: at equal steps. */
static bool fit_empirical(const struct sample *s, struct fit *out)
{
	bool all = different(s->x, s->n) <= EMPIRICAL_MAX;
	size_t steps = all ? s->n : EMPIRICAL_MAX;
	uint32_t used = 0;

	for (size_t i = 0; i < steps; i++) {
		double x =
			all ? s->x[i]
			    : stats_quantile_nearest(s->x, s->n, ((double)i + 0.5) / EMPIRICAL_MAX);

		if (used == 0 || x != out->points[used - 1].value)
			out->points[used++] = (struct distribution_point){x, 0};
		out->points[used - 1].weight++;
	}
	out->distribution.point_count = used;
	return true;
}

/* ---- how well ---- */

static void judge(const struct sample *s, struct fit *fit)
{
	const struct distribution *d = &fit->distribution;
	double n = (double)s->n, sum = 0;

	fit->log_likelihood = fit->ks = 0;
	for (size_t i = 0; i < s->n; i++) {
		double f = distribution_cdf(d, s->x[i]),
		       g = distribution_cdf(d, s->x[s->n - 1 - i]);
		/* Equal values: the empirical function jumps once. */
		bool first = i == 0 || s->x[i] != s->x[i - 1];
		bool last = i + 1 == s->n || s->x[i] != s->x[i + 1];

		if (last)
			fit->ks = fmax(fit->ks, (double)(i + 1) / n - f);
		if (first && d->kind != DISTRIBUTION_EMPIRICAL)
			fit->ks = fmax(fit->ks, f - (double)i / n);
		f = fmin(fmax(f, TINY_SHARE), 1 - TINY_SHARE);
		g = fmin(fmax(g, TINY_SHARE), 1 - TINY_SHARE);
		sum += (2 * (double)i + 1) * (log(f) + log1p(-g));
		fit->log_likelihood += distribution_log_density(d, s->x[i]);
	}
	fit->ad = -n - sum / n;
	fit->aic = 2.0 * distribution_freedom(d) - 2 * fit->log_likelihood;
	if (d->kind == DISTRIBUTION_EMPIRICAL || d->kind == DISTRIBUTION_QUANTILES)
		fit->log_likelihood = fit->aic = (double)NAN;
}

static bool fill(const struct sample *s, struct fit *out)
{
	struct distribution *d = &out->distribution;

	switch (d->kind) {
	case DISTRIBUTION_EXPONENTIAL:
		return fit_exponential(s, d);
	case DISTRIBUTION_LOGNORMAL:
		return fit_lognormal(s, d);
	case DISTRIBUTION_WEIBULL:
		return fit_weibull(s, d);
	case DISTRIBUTION_BOUNDED_PARETO:
		return fit_pareto(s, d);
	case DISTRIBUTION_HYPEREXPONENTIAL:
		return fit_hyper(s, out);
	case DISTRIBUTION_EMPIRICAL:
		return fit_empirical(s, out);
	case DISTRIBUTION_QUANTILES:
		return fit_quantiles(s, out);
	case DISTRIBUTION_CONSTANT:
	case DISTRIBUTION_UNIFORM:
	case DISTRIBUTION_KINDS:
		break;
	}
	return false;
}

bool fit_family(enum distribution_kind kind, const double *sorted, size_t count, struct fit *out)
{
	struct sample sample = {.x = sorted, .n = count};
	bool seen = kind == DISTRIBUTION_EMPIRICAL || kind == DISTRIBUTION_QUANTILES;

	out->distribution = (struct distribution){.kind = kind};
	if (count == 0 ||
	    (!seen && (count < 2 || sorted[0] <= 0 || sorted[0] == sorted[count - 1])))
		return false;
	sample.largest = sorted[count - 1];
	for (size_t i = 0; i < count && !seen; i++)
		sample.mean_log += log(sorted[i]) / (double)count;
	if (!fill(&sample, out))
		return false;
	out->distribution.points = out->distribution.point_count > 0 ? out->points : NULL;
	judge(&sample, out);
	return distribution_fault(&out->distribution) == NULL;
}

void fit_best(const double *sorted, size_t count, struct fit *out)
{
	static const enum distribution_kind families[] = {
		DISTRIBUTION_EXPONENTIAL, DISTRIBUTION_LOGNORMAL, DISTRIBUTION_WEIBULL,
		DISTRIBUTION_BOUNDED_PARETO, DISTRIBUTION_HYPEREXPONENTIAL};
	enum distribution_kind best = DISTRIBUTION_QUANTILES;
	double least = HUGE_VAL, miss = 0;

	for (size_t i = 0; i < sizeof(families) / sizeof(families[0]); i++) {
		if (!fit_family(families[i], sorted, count, out) || !(out->aic < least))
			continue;
		least = out->aic;
		miss = out->ks;
		best = families[i];
	}
	if (miss > fmax(POOR, CRITICAL / sqrt((double)count)))
		best = DISTRIBUTION_QUANTILES;
	fit_family(best, sorted, count, out);
}

/* ---- ranks ---- */

struct ranked {
	double value;
	size_t index;
};

static int compare_ranked(const void *a, const void *b, void *context)
{
	const struct ranked *x = a, *y = b;

	(void)context;
	return (x->value > y->value) - (x->value < y->value);
}

static double *ranks_of(const double *values, size_t count)
{
	struct ranked *order = mem_calloc(count, sizeof(*order));
	double *ranks = mem_calloc(count, sizeof(*ranks));

	for (size_t i = 0; i < count; i++)
		order[i] = (struct ranked){values[i], i};
	sort_stable(order, count, sizeof(*order), compare_ranked, NULL);
	for (size_t i = 0; i < count;) {
		size_t end = i + 1;

		while (end < count && order[end].value == order[i].value)
			end++;
		for (size_t k = i; k < end; k++)
			ranks[order[k].index] = ((double)i + (double)end + 1) / 2;
		i = end;
	}
	mem_free(order);
	return ranks;
}

double fit_rank_correlation(const double *a, const double *b, size_t count)
{
	double *x = ranks_of(a, count), *y = ranks_of(b, count), r = (double)NAN;

	if (count >= 2)
		r = gsl_stats_correlation(x, 1, y, 1, count);
	mem_free(x);
	mem_free(y);
	return isfinite(r) ? r : 0;
}

void fit_normal_scores(const double *values, size_t count, double *scores)
{
	double *ranks = ranks_of(values, count);

	for (size_t i = 0; i < count; i++)
		scores[i] = gsl_cdf_ugaussian_Pinv((ranks[i] - 0.5) / (double)count);
	mem_free(ranks);
}
