/* distribution.h - families of distributions that sizes, durations and times between things
 * have (GSL), for made-up workloads. Values are drawn by inverting the distribution function
 * with one uniform number each, so that two settings that share a stream of random numbers
 * see the same jobs. Units are the caller's.
 */
#ifndef CORE_DISTRIBUTION_H
#define CORE_DISTRIBUTION_H

#include <stdbool.h>
#include <stdint.h>

enum distribution_kind {
	DISTRIBUTION_CONSTANT,
	DISTRIBUTION_UNIFORM,	       /* min to max */
	DISTRIBUTION_EXPONENTIAL,      /* mean */
	DISTRIBUTION_LOGNORMAL,	       /* median; sigma: of the logarithm */
	DISTRIBUTION_WEIBULL,	       /* shape, scale */
	DISTRIBUTION_BOUNDED_PARETO,   /* shape, min, max */
	DISTRIBUTION_HYPEREXPONENTIAL, /* points: mean of a phase, its weight */
	DISTRIBUTION_EMPIRICAL,	       /* points: value, weight */
	DISTRIBUTION_QUANTILES,	       /* points: value, the share that lies below, from 0 to 1;
					* between them straight, or straight in the logarithm
					* where both are above 0 */
	DISTRIBUTION_KINDS,
};

enum distribution_parameter {
	DISTRIBUTION_VALUE,
	DISTRIBUTION_MEAN,
	DISTRIBUTION_MEDIAN,
	DISTRIBUTION_SIGMA,
	DISTRIBUTION_SHAPE,
	DISTRIBUTION_SCALE,
	DISTRIBUTION_MIN, /* what is drawn below it becomes it, unless the kind has its own */
	DISTRIBUTION_MAX, /* likewise above */
	DISTRIBUTION_PARAMETERS,
};

#define DISTRIBUTION_BIT(parameter) (1U << (parameter))

struct distribution_point {
	double value, weight;
};

struct distribution {
	enum distribution_kind kind;
	double parameter[DISTRIBUTION_PARAMETERS];
	uint32_t given;				 /* bits: parameters that are set */
	const struct distribution_point *points; /* borrowed */
	uint32_t point_count;
};

/* Names as documents write them; NULL past the end. */
const char *distribution_name(enum distribution_kind kind);
const char *distribution_parameter_name(enum distribution_parameter parameter);
/* Parameters that a kind needs, bits; and whether it needs points. */
uint32_t distribution_needs(enum distribution_kind kind);
bool distribution_needs_points(enum distribution_kind kind);
/* Is it a pure number, whatever the values are in? */
bool distribution_is_pure(enum distribution_parameter parameter);
/* Degrees of freedom that a fit spends. */
uint32_t distribution_freedom(const struct distribution *d);

struct distribution distribution_constant(double value);

/* What is wrong with it; NULL: nothing. A static text, for people. */
const char *distribution_fault(const struct distribution *d);

/* All of a faultless distribution. u in 0 .. 1; finite for u < 1. */
double distribution_quantile(const struct distribution *d, double u);
double distribution_cdf(const struct distribution *d, double x); /* without min and max */
/* Of one with a density; -infinity where that is 0. */
double distribution_log_density(const struct distribution *d, double x);
/* Mean of at_least(what is drawn, floor), rounded to whole numbers if whole: by the quantiles
 * in the middle of many equal parts, so that bounds count and the last tail hardly does. */
double distribution_mean(const struct distribution *d, double floor, bool whole);

/* The standard normal number below which a share u lies, finite for 0 and 1 too; and back. */
double distribution_score(double u);
double distribution_share(double score);

#endif
