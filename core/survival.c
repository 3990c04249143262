#include "core/survival.h"

#include <assert.h>
#include <gsl/gsl_cdf.h>
#include <math.h>

#include "core/sort.h"

#define SLACK 1e-12 /* the last bits of a product of shares */

/* The curve behind one instant at which something ended. */
struct step {
	double time, survivors, variance; /* variance: Greenwood's sum */
};

static int compare(const void *a, const void *b, void *context)
{
	const struct survival_time *x = a, *y = b;

	(void)context;
	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return (int)x->censored - (int)y->censored;
}

void survival_sort(struct survival_time *times, size_t count)
{
	sort_stable(times, count, sizeof(*times), compare, NULL);
}

/* From *at on, the next instant at which any ended; false: none. */
static bool next_step(const struct survival_time *sorted, size_t count, size_t *at,
		      struct step *step)
{
	while (*at < count && sorted[*at].censored)
		(*at)++;
	if (*at == count)
		return false;
	step->time = sorted[*at].time;
	for (double ended = 0; *at < count; (*at)++) {
		double at_risk = (double)(count - *at) + ended;
		bool last = *at + 1 == count || sorted[*at + 1].time != step->time ||
			    sorted[*at + 1].censored;

		ended++;
		if (!last)
			continue;
		step->survivors *= 1 - ended / at_risk;
		if (at_risk > ended)
			step->variance += ended / (at_risk * (at_risk - ended));
		(*at)++;
		break;
	}
	return true;
}

/* (log(-log S) - log(-log q)) / its standard error: how far the curve is from q. */
static double distance(const struct step *step, double q)
{
	double log_s = log(step->survivors), error;

	if (step->survivors >= 1)
		return -HUGE_VAL;
	if (step->survivors <= 0)
		return HUGE_VAL;
	error = sqrt(step->variance) / fabs(log_s);
	return (log(-log_s) - log(-log(q))) / error;
}

struct survival_quantile survival_quantile(const struct survival_time *sorted, size_t count,
					   double p, double confidence)
{
	struct survival_quantile out = {
		.value = (double)NAN, .at_least = false, .high = HUGE_VAL, .count = count};
	struct step step = {.survivors = 1};
	double z = gsl_cdf_ugaussian_Pinv((1 + confidence) / 2), q = 1 - p;
	bool found = false, low = false, high = false;
	size_t at = 0;

	assert(p >= 0 && p <= 1 && confidence > 0 && confidence < 1);
	for (size_t i = 0; i < count; i++)
		out.censored += sorted[i].censored;
	while (next_step(sorted, count, &at, &step)) {
		double d = q <= 0 || q >= 1 ? 0 : distance(&step, q);

		if (!low && d >= -z)
			out.low = step.time;
		low = low || d >= -z;
		if (!high && d > z)
			out.high = step.time;
		high = high || d > z;
		if (!found && step.survivors <= q + SLACK)
			out.value = step.time;
		found = found || step.survivors <= q + SLACK;
	}
	if (found || count == 0)
		return out;
	out.at_least = true;
	out.value = sorted[count - 1].time;
	if (!low)
		out.low = step.time;
	return out;
}

double survival_mean(const struct survival_time *sorted, size_t count, double limit)
{
	struct step step = {.survivors = 1};
	double area = 0, since = 0, height = 1;
	size_t at = 0;

	while (next_step(sorted, count, &at, &step) && step.time < limit) {
		area += height * (step.time - since);
		since = step.time;
		height = step.survivors;
	}
	return area + height * (limit - since);
}
