/* fit.h - distributions fitted to values by maximum likelihood (closed forms, GSL's root
 * finder, expectation maximisation), and how well they fit.
 *
 * Values are positive and ascending. Statistics as in D'Agostino and Stephens,
 * Goodness-of-Fit Techniques, chapter 4. They are for comparing families: with parameters
 * from the same values, tables of significance do not apply, and of 100,000 values no family
 * of two parameters is ever "true".
 */
#ifndef CORE_FIT_H
#define CORE_FIT_H

#include <stddef.h>

#include "core/distribution.h"

#define FIT_POINTS 128 /* of what was seen, at most */

struct fit {
	struct distribution distribution;
	struct distribution_point points[FIT_POINTS]; /* what distribution.points points at, if
							 it has any: do not copy the struct */
	double log_likelihood, aic;
	double ks; /* Kolmogorov and Smirnov: largest distance of the distribution functions */
	double ad; /* Anderson and Darling's A squared, the same weighed for the tails */
};

/* Fits one family. False: these values do not allow it (too few, all equal). Quantiles and
 * empirical values always do, from one value on; they have no likelihood, aic is not a number. */
bool fit_family(enum distribution_kind kind, const double *sorted, size_t count, struct fit *out);
/* The family with densities that has the least AIC; where none fits, or even that one misses
 * the values' distribution by more than a twentieth and by more than chance explains (KS beyond
 * 1.63 / sqrt(n)), the values' quantiles. */
void fit_best(const double *sorted, size_t count, struct fit *out);

/* Rank correlation (Spearman) of pairs, equal values with their mean rank; 0 if either side
 * never changes. */
double fit_rank_correlation(const double *a, const double *b, size_t count);
/* Standard normal scores by rank, equal values with their mean rank. */
void fit_normal_scores(const double *values, size_t count, double *scores);

#endif
