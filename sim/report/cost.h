/* cost.h - what the GPUs of a run cost, by what became of them (DESIGN.md section 5).
 *
 * Nodes with GPUs and a price count; a GPU costs its part of the node, cut off to a
 * micro-USD an hour. metrics.c plays the journal and hands every step over.
 */
#ifndef SIM_COST_H
#define SIM_COST_H

#include "sim/world/replay.h"

struct cost_team {
	money used;	/* the GPUs that its jobs held */
	money borrowed; /* of that, what its borrowed quota costs of all that it used */
};

/* Over the window. free = gpus - bound, idle = bound - running. */
struct cost {
	money gpus, bound, running, idle, free, stranded, lost;
	money month;		  /* what gpus come to in a month */
	money per_useful_hour;	  /* of a GPU; 0: there was no useful work */
	simtime window;		  /* that all of it is about */
	uint32_t unpriced;	  /* nodes with GPUs and no price, as the run begins */
	struct cost_team *teams;  /* [team] */
	uint32_t team_count;	  /* in what follows as in metrics */
	struct cost_state *state; /* private, while the journal is played */
};

/* [flavor]: micro-USD an hour of a GPU of its nodes, the mean of them (without any: of all
 * nodes). Owned by the caller. */
int64_t *cost_of_flavors(const struct scenario *scenario);

/* NULL: no node has a price. team_of: [job], borrowed. */
struct cost *cost_new(const struct scenario *scenario, const uint32_t *team_of,
		      uint32_t team_count);
void cost_free(struct cost *cost); /* NULL is fine, here and below */

/* These levels held for so long. */
void cost_pass(struct cost *cost, const struct replay_levels *levels, simtime time);
/* The replay has made a step, at or before the end of the window. */
void cost_step(struct cost *cost, const struct replay *replay);
/* The window is over; the jobs are as at its end. useful: GPU-microseconds. */
void cost_close(struct cost *cost, const struct replay *replay, simtime end, int64_t useful);
/* used, borrowed: the team's quota over the window, at what a GPU of each flavor costs. */
void cost_borrowed(struct cost *cost, uint32_t team, money used, money borrowed);

/* An amount of the window, as it would be in a month. */
money cost_month(const struct cost *cost, money amount);

#endif
