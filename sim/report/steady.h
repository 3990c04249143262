/* steady.h - figures of one run without its beginning, in which the cluster was empty: of the
 * jobs submitted after the warm-up, and of the time from then until the last submit (behind
 * which the cluster only empties).
 */
#ifndef SIM_STEADY_H
#define SIM_STEADY_H

#include "sim/report/metrics.h"

/* How long jobs waited, in the order of their submits. */
struct steady_waits {
	double *seconds;  /* infinite: it never started; owned */
	simtime *submits; /* owned */
	size_t count;
	struct steady_wait *cancelled; /* before they started: at least so long; owned */
	size_t cancelled_count;
};

struct steady_wait {
	simtime submit, wait;
};

void steady_waits_init(struct steady_waits *waits, const struct metrics *metrics);
void steady_waits_free(struct steady_waits *waits);

struct steady {
	simtime from, to;
	size_t first; /* of the waits, submitted at from or later */
	uint32_t jobs, never;
	/* Of the waits, seconds; infinite: never. Those that were cancelled count as censored in
	 * the quantiles (sim/tool/waits.h), and not in the mean. */
	double mean, p50, p95, p99;
	double running, idle; /* shares of the GPU-time between from and to */
	double busy;	      /* GPUs bound, on average in that time */
};

/* journal and admission as for metrics_new. */
void steady_measure(const struct journal *journal, bool admission, const struct steady_waits *waits,
		    simtime from, struct steady *out);

#endif
