#include "core/distribution.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_randist.h>
#include <gsl/gsl_roots.h>
#include <math.h>
#include <stddef.h>

#include "core/mem.h"

#define ROOT_STEPS 200
#define MEAN_PARTS 20000
#define FIRST	   0x1p-54
#define LAST	   (1 - 0x1p-53) /* the largest uniform number that is drawn */

#define BIT DISTRIBUTION_BIT

struct row {
	const char *name;
	uint32_t needs, freedom;
	bool points;
	double (*quantile)(const struct distribution *d, double u);
	double (*cdf)(const struct distribution *d, double x);
	double (*density)(const struct distribution *d, double x);
};

static double parameter(const struct distribution *d, enum distribution_parameter p)
{
	return d->parameter[p];
}

/* ---- simple families ---- */

static double constant_quantile(const struct distribution *d, double u)
{
	(void)u;
	return parameter(d, DISTRIBUTION_VALUE);
}

static double constant_cdf(const struct distribution *d, double x)
{
	return x >= parameter(d, DISTRIBUTION_VALUE);
}

static double uniform_quantile(const struct distribution *d, double u)
{
	return gsl_cdf_flat_Pinv(u, parameter(d, DISTRIBUTION_MIN), parameter(d, DISTRIBUTION_MAX));
}

static double uniform_cdf(const struct distribution *d, double x)
{
	return gsl_cdf_flat_P(x, parameter(d, DISTRIBUTION_MIN), parameter(d, DISTRIBUTION_MAX));
}

static double uniform_density(const struct distribution *d, double x)
{
	return log(gsl_ran_flat_pdf(x, parameter(d, DISTRIBUTION_MIN),
				    parameter(d, DISTRIBUTION_MAX)));
}

static double exponential_quantile(const struct distribution *d, double u)
{
	return gsl_cdf_exponential_Pinv(u, parameter(d, DISTRIBUTION_MEAN));
}

static double exponential_cdf(const struct distribution *d, double x)
{
	return gsl_cdf_exponential_P(x, parameter(d, DISTRIBUTION_MEAN));
}

static double exponential_density(const struct distribution *d, double x)
{
	double mean = parameter(d, DISTRIBUTION_MEAN);

	return x < 0 ? -HUGE_VAL : -log(mean) - x / mean;
}

static double lognormal_quantile(const struct distribution *d, double u)
{
	return parameter(d, DISTRIBUTION_MEDIAN) *
	       exp(gsl_cdf_gaussian_Pinv(u, parameter(d, DISTRIBUTION_SIGMA)));
}

static double lognormal_cdf(const struct distribution *d, double x)
{
	return gsl_cdf_lognormal_P(x, log(parameter(d, DISTRIBUTION_MEDIAN)),
				   parameter(d, DISTRIBUTION_SIGMA));
}

static double lognormal_density(const struct distribution *d, double x)
{
	double sigma = parameter(d, DISTRIBUTION_SIGMA);
	double z = (log(x) - log(parameter(d, DISTRIBUTION_MEDIAN))) / sigma;

	return x <= 0 ? -HUGE_VAL : -log(x * sigma) - 0.5 * log(2 * M_PI) - z * z / 2;
}

static double weibull_quantile(const struct distribution *d, double u)
{
	return gsl_cdf_weibull_Pinv(u, parameter(d, DISTRIBUTION_SCALE),
				    parameter(d, DISTRIBUTION_SHAPE));
}

static double weibull_cdf(const struct distribution *d, double x)
{
	return gsl_cdf_weibull_P(x, parameter(d, DISTRIBUTION_SCALE),
				 parameter(d, DISTRIBUTION_SHAPE));
}

static double weibull_density(const struct distribution *d, double x)
{
	double shape = parameter(d, DISTRIBUTION_SHAPE), scale = parameter(d, DISTRIBUTION_SCALE);

	return x <= 0 ? -HUGE_VAL
		      : log(shape / scale) + (shape - 1) * log(x / scale) - pow(x / scale, shape);
}

/* ---- bounded Pareto: F(x) = (1 - (min/x)^shape) / (1 - (min/max)^shape) ---- */

static double pareto_mass(const struct distribution *d)
{
	return -expm1(parameter(d, DISTRIBUTION_SHAPE) *
		      log(parameter(d, DISTRIBUTION_MIN) / parameter(d, DISTRIBUTION_MAX)));
}

static double pareto_quantile(const struct distribution *d, double u)
{
	return parameter(d, DISTRIBUTION_MIN) *
	       exp(-log1p(-u * pareto_mass(d)) / parameter(d, DISTRIBUTION_SHAPE));
}

static double pareto_cdf(const struct distribution *d, double x)
{
	double min = parameter(d, DISTRIBUTION_MIN);

	if (x <= min)
		return 0;
	if (x >= parameter(d, DISTRIBUTION_MAX))
		return 1;
	return -expm1(parameter(d, DISTRIBUTION_SHAPE) * log(min / x)) / pareto_mass(d);
}

static double pareto_density(const struct distribution *d, double x)
{
	double shape = parameter(d, DISTRIBUTION_SHAPE), min = parameter(d, DISTRIBUTION_MIN);

	if (x < min || x > parameter(d, DISTRIBUTION_MAX))
		return -HUGE_VAL;
	return log(shape / min) - (shape + 1) * log(x / min) - log(pareto_mass(d));
}

/* ---- phases and points ---- */

static double total_weight(const struct distribution *d)
{
	double total = 0;

	for (uint32_t i = 0; i < d->point_count; i++)
		total += d->points[i].weight;
	return total;
}

static double hyper_cdf(const struct distribution *d, double x)
{
	double sum = 0;

	for (uint32_t i = 0; i < d->point_count; i++)
		sum += d->points[i].weight * gsl_cdf_exponential_P(x, d->points[i].value);
	return sum / total_weight(d);
}

static double hyper_density(const struct distribution *d, double x)
{
	double sum = 0;

	for (uint32_t i = 0; i < d->point_count; i++)
		sum += d->points[i].weight * gsl_ran_exponential_pdf(x, d->points[i].value);
	return log(sum / total_weight(d));
}

struct equation {
	const struct distribution *d;
	double u;
};

/* In the logarithm of the survivors, which has no flat end. */
static double hyper_excess(double x, void *context)
{
	const struct equation *e = context;
	double sum = 0;

	for (uint32_t i = 0; i < e->d->point_count; i++)
		sum += e->d->points[i].weight * exp(-x / e->d->points[i].value);
	return log(sum / total_weight(e->d)) - log1p(-e->u);
}

static double hyper_quantile(const struct distribution *d, double u)
{
	struct equation equation = {d, u};
	gsl_function function = {hyper_excess, &equation};
	gsl_root_fsolver *solver;
	double low = 0, high = 0, root;

	for (uint32_t i = 0; i < d->point_count; i++)
		high = fmax(high, d->points[i].value);
	if (u <= 0)
		return 0;
	high *= -log1p(-u); /* what the slowest phase alone would have */
	solver = gsl_root_fsolver_alloc(gsl_root_fsolver_brent);
	if (solver == NULL)
		mem_exhausted(1, sizeof(*solver));
	root = high;
	if (hyper_excess(high, &equation) < 0 &&
	    gsl_root_fsolver_set(solver, &function, low, high) == GSL_SUCCESS) {
		for (int i = 0; i < ROOT_STEPS; i++) {
			if (gsl_root_fsolver_iterate(solver) != GSL_SUCCESS)
				break;
			root = gsl_root_fsolver_root(solver);
			if (gsl_root_test_interval(gsl_root_fsolver_x_lower(solver),
						   gsl_root_fsolver_x_upper(solver), 0,
						   1e-12) == GSL_SUCCESS)
				break;
		}
	}
	gsl_root_fsolver_free(solver);
	return root;
}

static double empirical_quantile(const struct distribution *d, double u)
{
	double rest = u * total_weight(d);
	uint32_t i = 0;

	while (i + 1 < d->point_count && rest >= d->points[i].weight)
		rest -= d->points[i++].weight;
	return d->points[i].value;
}

static double empirical_cdf(const struct distribution *d, double x)
{
	double sum = 0;

	for (uint32_t i = 0; i < d->point_count && d->points[i].value <= x; i++)
		sum += d->points[i].weight;
	return sum / total_weight(d);
}

/* Between two points: how far x is from a to b, and back. */
static double part_of(double a, double b, double x)
{
	if (b <= a)
		return 0;
	return a > 0 ? log(x / a) / log(b / a) : (x - a) / (b - a);
}

static double at_part(double a, double b, double part)
{
	return a > 0 ? a * exp(part * log(b / a)) : a + part * (b - a);
}

/* The last point whose share (or value) is not above x, but for the last of all. */
static uint32_t point_below(const struct distribution *d, double x, bool by_value)
{
	uint32_t low = 0, high = d->point_count - 1;

	while (high - low > 1) {
		uint32_t middle = (low + high) / 2;
		const struct distribution_point *p = &d->points[middle];

		if ((by_value ? p->value : p->weight) <= x)
			low = middle;
		else
			high = middle;
	}
	return low;
}

static double quantiles_quantile(const struct distribution *d, double u)
{
	const struct distribution_point *p = &d->points[point_below(d, u, false)];

	return at_part(p[0].value, p[1].value, (u - p[0].weight) / (p[1].weight - p[0].weight));
}

static double quantiles_cdf(const struct distribution *d, double x)
{
	const struct distribution_point *p = &d->points[point_below(d, x, true)];

	if (x < d->points[0].value)
		return 0;
	if (x >= d->points[d->point_count - 1].value)
		return 1;
	return p[0].weight + (p[1].weight - p[0].weight) * part_of(p[0].value, p[1].value, x);
}

/* ---- the table ---- */

static const struct row rows[DISTRIBUTION_KINDS] = {
	[DISTRIBUTION_CONSTANT] = {"constant", BIT(DISTRIBUTION_VALUE), 1, false, constant_quantile,
				   constant_cdf, NULL},
	[DISTRIBUTION_UNIFORM] = {"uniform", BIT(DISTRIBUTION_MIN) | BIT(DISTRIBUTION_MAX), 2,
				  false, uniform_quantile, uniform_cdf, uniform_density},
	[DISTRIBUTION_EXPONENTIAL] = {"exponential", BIT(DISTRIBUTION_MEAN), 1, false,
				      exponential_quantile, exponential_cdf, exponential_density},
	[DISTRIBUTION_LOGNORMAL] = {"lognormal", BIT(DISTRIBUTION_MEDIAN) | BIT(DISTRIBUTION_SIGMA),
				    2, false, lognormal_quantile, lognormal_cdf, lognormal_density},
	[DISTRIBUTION_WEIBULL] = {"weibull", BIT(DISTRIBUTION_SHAPE) | BIT(DISTRIBUTION_SCALE), 2,
				  false, weibull_quantile, weibull_cdf, weibull_density},
	[DISTRIBUTION_BOUNDED_PARETO] = {"boundedPareto",
					 BIT(DISTRIBUTION_SHAPE) | BIT(DISTRIBUTION_MIN) |
						 BIT(DISTRIBUTION_MAX),
					 3, false, pareto_quantile, pareto_cdf, pareto_density},
	[DISTRIBUTION_HYPEREXPONENTIAL] = {"hyperexponential", 0, 0, true, hyper_quantile,
					   hyper_cdf, hyper_density},
	[DISTRIBUTION_EMPIRICAL] = {"empirical", 0, 0, true, empirical_quantile, empirical_cdf,
				    NULL},
	[DISTRIBUTION_QUANTILES] = {"quantiles", 0, 0, true, quantiles_quantile, quantiles_cdf,
				    NULL},
};

const char *distribution_name(enum distribution_kind kind)
{
	return kind < DISTRIBUTION_KINDS ? rows[kind].name : NULL;
}

const char *distribution_parameter_name(enum distribution_parameter parameter)
{
	static const char *const names[DISTRIBUTION_PARAMETERS] = {
		"value", "mean", "median", "sigma", "shape", "scale", "min", "max"};

	return parameter < DISTRIBUTION_PARAMETERS ? names[parameter] : NULL;
}

uint32_t distribution_needs(enum distribution_kind kind)
{
	return rows[kind].needs;
}

bool distribution_needs_points(enum distribution_kind kind)
{
	return rows[kind].points;
}

bool distribution_is_pure(enum distribution_parameter parameter)
{
	return parameter == DISTRIBUTION_SIGMA || parameter == DISTRIBUTION_SHAPE;
}

uint32_t distribution_freedom(const struct distribution *d)
{
	if (d->kind == DISTRIBUTION_HYPEREXPONENTIAL)
		return 2 * d->point_count - 1;
	return rows[d->kind].points ? d->point_count : rows[d->kind].freedom;
}

struct distribution distribution_constant(double value)
{
	return (struct distribution){.kind = DISTRIBUTION_CONSTANT,
				     .parameter = {[DISTRIBUTION_VALUE] = value},
				     .given = BIT(DISTRIBUTION_VALUE)};
}

/* ---- what is wrong ---- */

static const char *points_fault(const struct distribution *d)
{
	bool phases = d->kind == DISTRIBUTION_HYPEREXPONENTIAL;
	uint32_t least = d->kind == DISTRIBUTION_QUANTILES ? 2 : 1;
	double total = 0;

	if (d->point_count < least)
		return least == 2 ? "needs two quantiles or more" : "needs a value or more";
	for (uint32_t i = 0; i < d->point_count; i++) {
		const struct distribution_point *p = &d->points[i];

		if (!isfinite(p->value) || p->value < 0 || (phases && p->value <= 0))
			return phases ? "means of phases are above 0" : "values are 0 or more";
		if (!isfinite(p->weight) || p->weight < 0)
			return "weights are 0 or more";
		if (!phases && i > 0 && p->value < p[-1].value)
			return "values are in ascending order";
		if (d->kind == DISTRIBUTION_QUANTILES && i > 0 && !(p->weight > p[-1].weight))
			return "shares are in ascending order";
		total += p->weight;
	}
	if (d->kind == DISTRIBUTION_QUANTILES &&
	    !(d->points[0].weight == 0 && d->points[d->point_count - 1].weight == 1))
		return "the first share is 0, the last 1";
	if (!(total > 0) || !isfinite(total))
		return "some weight is above 0";
	return NULL;
}

const char *distribution_fault(const struct distribution *d)
{
	const double *p = d->parameter;
	uint32_t both = BIT(DISTRIBUTION_MIN) | BIT(DISTRIBUTION_MAX);

	for (int i = 0; i < DISTRIBUTION_PARAMETERS; i++) {
		if ((d->given >> i & 1) == 0)
			continue;
		if (!isfinite(p[i]) || p[i] < 0 || p[i] > 1e15)
			return "numbers are 0 or more, and at most 1e15";
		if (p[i] <= 0 && i != DISTRIBUTION_VALUE && i != DISTRIBUTION_MIN &&
		    i != DISTRIBUTION_MAX)
			return "mean, median, sigma, shape and scale are above 0";
	}
	if ((d->given & both) == both && p[DISTRIBUTION_MIN] > p[DISTRIBUTION_MAX])
		return "min is above max";
	if (d->kind == DISTRIBUTION_BOUNDED_PARETO &&
	    !(p[DISTRIBUTION_MIN] > 0 && p[DISTRIBUTION_MIN] < p[DISTRIBUTION_MAX]))
		return "a bounded Pareto has 0 < min < max";
	if (d->kind == DISTRIBUTION_UNIFORM && p[DISTRIBUTION_MIN] == p[DISTRIBUTION_MAX])
		return "a uniform distribution has min < max";
	return rows[d->kind].points ? points_fault(d) : NULL;
}

/* ---- for callers ---- */

static double bounded(const struct distribution *d, double x)
{
	if ((d->given & BIT(DISTRIBUTION_MIN)) != 0 && x < d->parameter[DISTRIBUTION_MIN])
		x = d->parameter[DISTRIBUTION_MIN];
	if ((d->given & BIT(DISTRIBUTION_MAX)) != 0 && x > d->parameter[DISTRIBUTION_MAX])
		x = d->parameter[DISTRIBUTION_MAX];
	return x;
}

double distribution_quantile(const struct distribution *d, double u)
{
	return bounded(d, rows[d->kind].quantile(d, fmin(fmax(u, 0), LAST)));
}

double distribution_cdf(const struct distribution *d, double x)
{
	return rows[d->kind].cdf(d, x);
}

double distribution_log_density(const struct distribution *d, double x)
{
	return rows[d->kind].density == NULL ? -HUGE_VAL : rows[d->kind].density(d, x);
}

double distribution_mean(const struct distribution *d, double floor_value, bool whole)
{
	double sum = 0;

	for (int i = 0; i < MEAN_PARTS; i++) {
		double x = distribution_quantile(d, (i + 0.5) / MEAN_PARTS);

		x = whole ? round(x) : x;
		sum += x < floor_value ? floor_value : x;
	}
	return sum / MEAN_PARTS;
}

double distribution_score(double u)
{
	return gsl_cdf_ugaussian_Pinv(fmin(fmax(u, FIRST), LAST));
}

double distribution_share(double score)
{
	return gsl_cdf_ugaussian_P(score);
}
