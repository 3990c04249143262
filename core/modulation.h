/* modulation.h - a rate that switches between two levels, found in counts: a hidden Markov
 * model of Poisson counts by expectation maximisation (L. R. Rabiner, 1989; W. Zucchini and
 * I. L. MacDonald, Hidden Markov Models for Time Series).
 */
#ifndef CORE_MODULATION_H
#define CORE_MODULATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct modulation {
	double rate[2];		      /* a step of exposure 1, the lower first */
	double stay[2];		      /* mean, steps */
	double log_likelihood, plain; /* and that of one rate for all */
	bool worth; /* by Bayes' information criterion two levels say more than one */
};

/* counts[i] events in step i, in which exposure[i] > 0 times as many were expected as in a
 * step of exposure 1. Fewer than 20 steps, or no events: not worth it. */
struct modulation modulation_fit(const uint32_t *counts, const double *exposure, size_t steps);

#endif
