/* options.h - how a run is to be done. One row an option gives its name, its
 * parser, its line of --help and of the man page, and what a Simulation
 * document may set; the command line wins.
 */
#ifndef SIM_OPTIONS_H
#define SIM_OPTIONS_H

#include <signal.h>

#include "core/clock.h"
#include "core/err.h"
#include "core/job.h"
#include "core/res.h"

enum placement_mode { PLACEMENT_SCHEDULER, PLACEMENT_NONE };
enum tie_mode { TIE_FIRST, TIE_RANDOM };
enum create_order { CREATE_SEQUENTIAL, CREATE_INTERLEAVED };
enum drain_mode { DRAIN_INSTANT, DRAIN_EACH };
enum checkpoint_mode { CHECKPOINT_RESTART, CHECKPOINT_RESUME };
enum dependency_mode { DEPENDENCIES_WAIT, DEPENDENCIES_IGNORE };

struct strategy_weight {
	char resource[64]; /* name */
	int64_t weight;
};

/* Of RequestedToCapacityRatio: the score at a utilization; straight lines between. */
struct strategy_point {
	int64_t utilization; /* percent, ascending */
	int64_t score;	     /* 0..10 */
};

#define OPTIONS_SHAPE_MAX  16
#define OPTIONS_WEIGHT_MAX 8

enum strategy_type { STRATEGY_LEAST, STRATEGY_MOST, STRATEGY_RATIO };

/* scoringStrategy of NodeResourcesFit. */
struct node_strategy {
	enum strategy_type type; /* --strategy MostAllocated:r=w,... */
	bool given;		 /* weights below replace cpu=1,memory=1 */
	struct strategy_weight weights[OPTIONS_WEIGHT_MAX];
	uint32_t weight_count;
	struct strategy_point shape[OPTIONS_SHAPE_MAX]; /* --strategy-shape, of STRATEGY_RATIO */
	uint32_t shape_count;
};

struct run_options {
	simtime requeue_batch;	   /* --requeue-batch, default 1 s */
	simtime eviction_delay;	   /* --eviction-delay, default 5 s */
	enum drain_mode drain;	   /* --drain instant|each */
	enum create_order create;  /* --create sequential|interleaved */
	simtime grace;		   /* --grace, default 0 */
	simtime placement_timeout; /* --placement-timeout, 0 off */
	simtime human_after;	   /* --human-after: someone deletes a job of a deadlock; 0 never */
	struct node_strategy strategy;	    /* of the default profile */
	uint32_t percentage_of_nodes;	    /* --percentage-of-nodes-to-score, 0: by their number */
	simtime initial_backoff;	    /* --pod-initial-backoff, default 1 s */
	simtime max_backoff;		    /* --pod-max-backoff, default 10 s */
	enum placement_mode placement;	    /* --placement scheduler|none */
	enum tie_mode tie;		    /* --tie first|random */
	uint64_t seed;			    /* --seed, default 1 */
	enum checkpoint_mode checkpointing; /* --checkpointing restart|resume */
	enum dependency_mode dependencies;  /* --dependencies wait|ignore */
	simtime horizon;		    /* --horizon, default 3600 s */
	simtime max_time;		    /* --max-time, CLOCK_NEVER */
	uint32_t kubernetes_minor;	    /* --kubernetes-version 1.34|1.35 */
	uint32_t eviction_limit;	    /* evictions at one instant, beyond 16 a job, that are
				    called a livelock */
	/* Not options of a user: set by commands. */
	uint32_t heard; /* a job: at JOURNAL_FACTS the journal has each failed attempt of its
			 * pods all the same; JOB_NONE */
	const volatile sig_atomic_t *stop; /* non-zero ends the run early; may be NULL */
	void (*progress)(void *context, simtime now, uint32_t finished); /* may be NULL */
	void *progress_context;
};

#define OPTIONS_EVICTION_LIMIT 1000

void options_default(struct run_options *options);

struct option_row {
	const char *name;  /* without dashes */
	const char *value; /* metavariable for --help */
	const char *help;
	enum err_code (*set)(struct run_options *options, const char *text, struct err *err);
};
/* The rows, ended by a NULL name. */
const struct option_row *options_rows(void);
/* Sets one by name; ERR_UNKNOWN if there is none, ERR_VALUE with the right forms. */
enum err_code options_set(struct run_options *options, const char *name, const char *value,
			  struct err *err);

#endif
