/* waits.h - quantiles of how long jobs waited, where some waited for ever. */
#ifndef SIM_WAITS_H
#define SIM_WAITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/clock.h"

#define WAIT_GROUPS 0x7fffffffU /* the last there may be */

struct wait {
	simtime time;
	uint32_t gpus;		/* its weight */
	uint32_t group : 31;	/* e.g. team */
	uint32_t cancelled : 1; /* before it started: it would have waited at least so long */
};

/* Seconds; infinite ("never") where enough jobs never started. */
struct wait_figures {
	uint32_t jobs;	/* that were asked about */
	uint32_t never; /* of them, never started */
	/* Those that were cancelled while they waited count as censored, by Kaplan and Meier
	 * (core/survival.h): neither as a wait that ended nor not at all. */
	double p50, p95, p99;
	double mean, max; /* of those that started; 0 without any */
};

/* By time; equal times keep their order. */
void waits_sort(struct wait *waits, size_t count);

/* Stable partition by group: out[first[g]] ... out[first[g + 1] - 1] are group g's.
 * first has groups + 1 elements, out has count. */
void waits_by_group(const struct wait *waits, size_t count, uint32_t groups, struct wait *out,
		    size_t *first);

/* Linear interpolation between the two nearest, as numpy's default; the never are
 * infinite. The p-quantile reads never as soon as a share 1 - p of all are never.
 * Sorted input. 0 for nothing at all. */
double waits_quantile(const struct wait *waits, size_t count, size_t never, uint32_t per_mille);
/* Smallest wait at which jobs of at least that share of all GPUs have started;
 * never_gpus: of those that did not. Cancelled ones are censored, as above. */
double waits_quantile_weighted(const struct wait *waits, size_t count, int64_t never_gpus,
			       uint32_t per_mille);
/* ceil(p n)-th smallest of those that started; not a number without any. */
double waits_quantile_nearest(const struct wait *waits, size_t count, uint32_t per_mille);

size_t waits_cancelled(const struct wait *waits, size_t count);

struct wait_figures waits_figures(const struct wait *waits, size_t count, size_t never);

#endif
