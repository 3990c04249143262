/* interval.h - estimates with confidence intervals (GSL), for reports and for the choice of
 * what to run next; nothing here may feed a scheduling decision.
 *
 * Infinite values are "never" (a job that never starts) and are never dropped: they make an
 * infinite mean, and quantiles that fall on them infinite. Methods as in A. M. Law,
 * Simulation Modeling and Analysis, chapters 9 and 10, but where said otherwise. All
 * confidences are between 0 and 1, for example 0.95.
 */
#ifndef CORE_INTERVAL_H
#define CORE_INTERVAL_H

#include <stdbool.h>
#include <stddef.h>

struct interval {
	double estimate;  /* infinite: never; not a number: of nothing */
	double low, high; /* infinite where the data bound that side by nothing */
	size_t count;	  /* values, or batches */
	size_t never;	  /* of them, infinite */
};

/* Student's interval of the mean of independent values, such as one figure of several
 * replications. Of one value: from -infinity to infinity. If any value is infinite the mean
 * is; low then is that of the median, which is no more than the mean. */
struct interval interval_mean(const double *values, size_t count, double confidence);

/* That of a[i] - b[i]: runs i of two systems that saw the same random numbers. Where both
 * are never the difference is 0; where one is, infinite. With infinities of both signs the
 * estimate is not a number. */
struct interval interval_paired(const double *a, const double *b, size_t count, double confidence);

/* Of the mean of one long, correlated sequence (waits of one run): Student's over the means
 * of batches of equal size, 2 or more; what does not fill a batch is left out at the front,
 * where the warm-up is. Good if batches are longer than the correlation lasts. */
struct interval interval_batch_means(const double *values, size_t count, size_t batches,
				     double confidence);

/* Of the p-quantile (nearest rank) of independent values in ascending order: from one order
 * statistic to another, by the binomial distribution, whatever that of the values
 * (W. J. Conover, Practical Nonparametric Statistics, 3.2). Covers at least as often as asked. */
struct interval interval_quantile(const double *sorted, size_t count, double p, double confidence);

/* Half of high - low; infinite if either is. */
double interval_half_width(const struct interval *interval);
/* Does it lie on one side of zero? */
bool interval_decides(const struct interval *interval);

/* When to stop adding replications. */
struct interval_goal {
	double confidence;
	double half_width; /* 0: none, all of most are run */
	bool relative;	   /* half_width is a share of the estimate */
	size_t least, most;
};

/* Is it as narrow as asked? A relative width w asks for w / (1 + w) of the estimate, so that
 * the true relative error is within w (Law, 9.4.1). A mean of 0 with a width of 0 is narrow,
 * one that is never is not. */
bool interval_narrow(const struct interval *interval, const struct interval_goal *goal);
/* How many values the interval is likely to need in all, if its width falls with their root:
 * between what there are plus one and goal->most; what there are if it is narrow already. */
size_t interval_needed(const struct interval *interval, const struct interval_goal *goal);

#endif
