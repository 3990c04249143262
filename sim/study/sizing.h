/* sizing.h - buy, or tune? The record of a plan: the best setting on the hardware that is
 * there, the fewest nodes of each kind that meet the goals, and the verdict. sizing_run.h
 * fills it.
 */
#ifndef SIM_SIZING_H
#define SIM_SIZING_H

#include "sim/study/demand.h"
#include "sim/study/lever.h"
#include "sim/study/trial.h"

struct sizing_request {
	struct trial_setup setup;
	money budget;	     /* USD a month more than today; -1: no limit */
	double low;	     /* utilisation below it is low, 0 ... 1 */
	uint32_t most_nodes; /* of a kind; 0: as the demand's peak needs */
	/* Runs with random ties of a setting that is told, 0: none; and up to the most while they
	 * leave open whether it meets the goals. Looks at 3, replications, twice as many ...: the
	 * 95 % interval of the mean lies on one side of the limit. */
	uint32_t replications, most_replications;
	const char *notebooks, *idle_timeout; /* struct lever_question */
	const char *spot_every; /* a spot node is lost so often; NULL: none are tried */
	unsigned threads;
	bool quiet;
};

enum sizing_verdict {
	SIZING_UNKNOWN, /* the user stopped it before that was known */
	SIZING_MET,	/* the goals are met today: neither */
	SIZING_TUNE,
	SIZING_BUY,
	SIZING_IDLE,   /* buying would help, but the GPUs are idle too much: neither, yet */
	SIZING_BUDGET, /* buying would help, but costs more than the budget */
	SIZING_NEVER,  /* nothing that was tried meets the goals */
};

/* A lever tried alone, or on top of others. */
struct sizing_try {
	uint32_t round;		   /* from 1 */
	const struct lever *lever; /* of the round's levers */
	struct trial *trial;	   /* NULL: the lever is absent */
	bool kept;
};

struct sizing_point { /* of the curve */
	uint32_t nodes;
	struct trial *trial;
};

/* The search of one kind under one setting. */
struct sizing_curve {
	struct sizing_point *points; /* ascending */
	size_t count, capacity;
	bool found;
	uint32_t needed;
};

/* A kind of node. */
struct sizing_pool {
	const char *name;
	uint32_t today;					/* nodes */
	int64_t gpus;					/* of each */
	money on_demand, reserved, spot_low, spot_high; /* USD an hour of a node; 0: not known */
	uint32_t least, most, guess;			/* what bounded the search */
	struct sizing_curve tuned, untuned;
	struct sizing_curve spot;	 /* tuned, all beyond today's being spot nodes */
	bool as_spot;			 /* spot is what is being searched */
	struct trial *at_need, *at_spot; /* tuned, spot; NULL: not found */
};

/* Nodes of several kinds at once, of each the fewest that the others leave necessary. */
struct sizing_mix {
	uint32_t *nodes; /* [pool] */
	struct trial *trial;
	bool found;
};

struct sizing {
	const struct goals *goals;
	struct sizing_request request;
	struct mem_arena *arena;
	struct scenario *scenario; /* as it is today */
	struct scenario *tuned;	   /* with the levers that are kept; NULL: none are */
	struct trace_summary trace;
	struct demand demand;
	double too_long; /* share of the GPU-hours that spot nodes would lose again and again */
	struct trial **trials;
	size_t trial_count, trial_capacity;
	struct trial *today, *best; /* best: with the levers that are kept; maybe today */
	struct levers *rounds;	    /* of each round */
	size_t round_capacity;
	uint32_t round_count;
	struct sizing_try *tries;
	size_t try_count, try_capacity;
	bool pairs; /* all pairs of levers were tried */
	struct sizing_pool *pools;
	uint32_t pool_count;
	struct sizing_mix mix;
	uint32_t choice; /* of pools: what to buy; pool_count: nothing, or the mix */
	bool mixed;
	enum sizing_verdict verdict;
	bool partial;
};

void sizing_free(struct sizing *sizing);

/* Settings and options of the recommended setting, the nodes of the choice included. */
const struct trial *sizing_answer(const struct sizing *sizing);
/* USD a month that so many nodes more cost, on demand; 0: not known, or fewer. */
money sizing_extra(const struct sizing_pool *pool, uint32_t nodes);
/* Are the prices of all that is to be bought known? */
bool sizing_priced(const struct sizing *sizing);
/* The same of all that is to be bought. */
money sizing_bill(const struct sizing *sizing);
/* Nodes of the pool in what is recommended. */
uint32_t sizing_nodes(const struct sizing *sizing, uint32_t pool);

#endif
