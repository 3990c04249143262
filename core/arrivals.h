/* arrivals.h - when things come: a Poisson process whose rate changes with the hour of the
 * week, follows a profile of levels, grows, and switches between states at random
 * (Markov-modulated).
 *
 * Times are seconds. The intensity is mean_rate x rhythm x level x growth x state, each of
 * which has mean 1 but for the growth; it is constant within an hour and a stay. Each arrival takes one
 * number of the stream of arrivals, each stay one of the stream of states.
 */
#ifndef CORE_ARRIVALS_H
#define CORE_ARRIVALS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/rng.h"

#define ARRIVALS_HOURS	168 /* of a week, from Monday 0:00 */
#define ARRIVALS_STATES 8

struct arrivals_state {
	double rate; /* relative to those of the others */
	double stay; /* mean, seconds */
};

struct arrivals_step { /* from then on the rate is multiplied by it */
	double at;     /* seconds */
	double factor;
};

struct arrivals_process {
	double mean_rate;	       /* a second */
	bool regular;		       /* evenly spaced in place of random */
	double rhythm[ARRIVALS_HOURS]; /* weights; all 0: none */
	uint32_t first_hour;	       /* of the week, at time 0 */
	const double *levels;	       /* relative; each for level_every seconds, then anew */
	uint32_t level_count;
	double level_every;
	double growth, growth_every; /* factor every so many seconds, gradually; 0: none */
	const struct arrivals_step *steps;
	uint32_t step_count;
	struct arrivals_state states[ARRIVALS_STATES]; /* left for the next in turn */
	uint32_t state_count;			       /* 0: one of rate 1 */
};

struct arrivals {
	const struct arrivals_process *process; /* borrowed */
	struct rng *times, *stays;		/* owned */
	double now;
	uint32_t state;
	double state_until;
	double rhythm_mean, level_mean, state_mean;
};

/* name: of the streams, "NAME/arrivals" and "NAME/states". The first state is drawn by how
 * long each stays. */
void arrivals_begin(struct arrivals *a, const struct arrivals_process *process, uint64_t seed,
		    const char *name);
void arrivals_end(struct arrivals *a);
/* The next time, before until; false: there is none. */
bool arrivals_next(struct arrivals *a, double until, double *out);

/* Relative intensity of rhythm, profile and growth at a time, without the states. */
double arrivals_intensity(const struct arrivals_process *process, double time);

#endif
