/* replicated.h - figures of a comparison over many workloads of one kind: means with intervals, and
 * paired differences, as all columns of a replication see the same jobs. What
 * sim/study/replications.h works out and reports show.
 */
#ifndef SIM_REPLICATED_H
#define SIM_REPLICATED_H

#include <stdint.h>

#include "core/clock.h"
#include "core/interval.h"

enum replicated_figure {
	REPLICATED_JOBS,
	REPLICATED_NEVER,
	REPLICATED_DEADLOCKS,
	REPLICATED_IDLE,    /* share of the GPU-time */
	REPLICATED_RUNNING, /* likewise: pods of jobs that work, whatever their utilisation level */
	REPLICATED_MEAN,    /* waits, seconds */
	REPLICATED_P50,
	REPLICATED_P95,
	REPLICATED_P99,
	REPLICATED_PREEMPTIONS,
	REPLICATED_LOST, /* GPU-seconds of work */
	REPLICATED_FIGURES,
};

enum replicated_unit { REPLICATED_COUNT, REPLICATED_SHARE, REPLICATED_WAIT, REPLICATED_GPU };

const char *replicated_label(enum replicated_figure figure); /* in tables */
const char *replicated_key(enum replicated_figure figure);   /* in exports */
enum replicated_unit replicated_unit(enum replicated_figure figure);

struct replicated_options {
	struct interval_goal goal; /* of the p95 wait of each column; half_width 0: most are run */
	bool warmup_auto;	   /* found by MSER-5 on waits averaged over the replications */
	simtime warmup;		   /* else this long */
	uint64_t first_seed;
	unsigned threads;
	bool made_up; /* each replication has a workload of its own, not only other ties */
};

struct replicated {
	struct replicated_options options;
	size_t columns, runs;
	const char **titles;	 /* [column]; the texts are the study's */
	double *values;		 /* [figure][column][run] */
	bool stopped;		 /* by the user: fewer runs than wanted */
	bool reached;		 /* the goal, where there is one */
	bool warm;		 /* a warm-up was left out, or asked for */
	bool settled;		 /* by MSER-5 in every column */
	simtime warmup;		 /* that was left out */
	bool batches;		 /* of one run: the interval of the mean wait is by batch means */
	struct interval *single; /* [column], then */
};

void replicated_free(struct replicated *replications); /* what it holds */

/* Of the mean; and of the mean difference from the first column. */
struct interval replicated_interval(const struct replicated *replications,
				    enum replicated_figure figure, size_t column);
struct interval replicated_difference(const struct replicated *replications,
				      enum replicated_figure figure, size_t column);

#endif
