/* generator_fit.h - a generator whose jobs are like those of a trace.
 *
 * Of each team of enough jobs, and of the rest together: how many GPUs its jobs have (as they
 * came), how long they work by size (maximum likelihood), how many come at once (submits of
 * a team that follow each other within moments are a sweep), how alike those are, how often
 * sweeps come by the hour of the day and the day of the week, how much like the sweep before
 * each is, and whether a team's rate switches between two levels (hidden Markov model of its hourly counts). What a trace does
 * not tell is not made up: failures, cancellations and utilisation levels.
 */
#ifndef SIM_GENERATOR_FIT_H
#define SIM_GENERATOR_FIT_H

#include "core/fit.h"
#include "sim/gen/generator.h"
#include "sim/trace/trace_stats.h"

#define GENERATOR_FIT_ALL_OTHERS "others"

struct generator_fit_options {
	enum distribution_kind family; /* of durations; DISTRIBUTION_KINDS: the least AIC */
	bool copula;	 /* one distribution of durations and a correlation with the size, in place
		      * of one a size class */
	double follow;	 /* seconds: each team's rate, and how large and long its sweeps and jobs
			  are, follow those of the trace by periods of so long; 0: they are the
			  same all the time but for rhythm and states */
	double resample; /* seconds: nothing is fitted, blocks of so long are drawn again; 0: no */
	size_t least;	 /* jobs of a team, fewer go to the others; 0: 200, 1 with resample */
};

/* One distribution that was fitted, for reports: durations of a size class, or times between
 * sweeps (by the rhythm's clock) against an exponential distribution. */
struct generator_fit_row {
	const char *team, *what; /* "durations", "arrivals" */
	double up_to_gpus;
	struct fit fit;
	double *values; /* ascending; owned */
	size_t count;
	double rank_correlation; /* of the team's sizes and durations */
};

struct generator_fit {
	struct generator *generator; /* owned */
	struct generator_fit_row *rows;
	size_t row_count;
	size_t jobs, left_out; /* endless, or without a whole GPU */
	size_t behind;	       /* of the jobs, those behind the last whole block */
};

/* clock: of time 0, CLOCK_NEVER: none. ERR_VALUE: too few jobs, all at one time, or
 * less than two blocks. */
enum err_code generator_fit(const struct trace_stats_jobs *jobs, simtime clock,
			    const struct generator_fit_options *options, struct generator_fit *out,
			    struct err *err);
void generator_fit_free(struct generator_fit *fit); /* what it holds */

#endif
