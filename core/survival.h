/* survival.h - quantiles of waits some of which were still going on when the window ended:
 * E. L. Kaplan and P. Meier, "Nonparametric estimation from incomplete observations", 1958.
 *
 * A job that waits at the end has waited at least so long; it is neither dropped nor taken
 * for started. What is known to wait for ever is a time of infinity that is not censored.
 */
#ifndef CORE_SURVIVAL_H
#define CORE_SURVIVAL_H

#include <stdbool.h>
#include <stddef.h>

struct survival_time {
	double time;   /* 0 or more */
	bool censored; /* it was at least this long */
};

struct survival_quantile {
	double value;  /* if at_least: the longest that is known of; infinite: never */
	bool at_least; /* it falls on those whose end is not known */
	/* By the log-log transform of Greenwood's variance (R. Brookmeyer and J. Crowley,
	 * 1982); high infinite: not bounded by what was seen. */
	double low, high;
	size_t count, censored;
};

/* Ascending; of equals the ended before the censored, which were at risk then. */
void survival_sort(struct survival_time *times, size_t count);
/* The smallest time by which a share p of all ended, p in 0 .. 1, of sorted times. Not a
 * number of nothing. */
struct survival_quantile survival_quantile(const struct survival_time *sorted, size_t count,
					   double p, double confidence);
/* The mean up to the limit: the area below the curve, those still waiting counted with what
 * they are likely to wait. */
double survival_mean(const struct survival_time *sorted, size_t count, double limit);

#endif
