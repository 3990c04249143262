/* trace_stats.h - what a trace is like: its figures, before any scheduler.
 *
 * Conventions: intervals are half-open, so that at one instant ends come before
 * starts; percentiles are given both by linear interpolation and as nearest
 * rank. A pool is strict FIFO by (submit, input order) of whole jobs on one heap
 * of GPUs: a job waits for those before it, nodes do not matter.
 */
#ifndef SIM_TRACE_STATS_H
#define SIM_TRACE_STATS_H

#include "sim/load/builder.h"

#define TRACE_STATS_PERCENTILES 4 /* 50, 90, 95, 99 */
#define TRACE_STATS_MONTH	8 /* "2017-09" */
#define TRACE_STATS_ALL		UINT32_MAX

extern const unsigned trace_stats_percentiles[TRACE_STATS_PERCENTILES];

struct trace_spread { /* of n times */
	size_t n, zero;
	double mean; /* seconds */
	simtime min, max, sum;
	double linear[TRACE_STATS_PERCENTILES]; /* seconds */
	simtime nearest[TRACE_STATS_PERCENTILES];
};

struct trace_pool {
	uint32_t gpus;
	size_t rejected; /* jobs larger than the pool */
	size_t started, waited;
	struct trace_spread wait;
	simtime makespan; /* first submit to last end */
	int64_t gpu_time; /* GPU-microseconds of started jobs */
	double utilisation;
};

struct trace_demand {  /* jobs of one size */
	int64_t milli; /* thousandths of a GPU */
	size_t jobs;
};

struct trace_team {
	uint32_t queue; /* string; NAME_NONE: jobs without a queue */
	size_t jobs;
	int64_t gpu_time;
	int64_t max_milli; /* largest demand, thousandths of a GPU */
	double median;	   /* of durations, seconds */
};

struct trace_month {
	char name[TRACE_STATS_MONTH];
	size_t jobs;
};

/* The jobs of a trace, in input order and by submit. */
struct trace_stats_jobs {
	const struct builder *builder; /* borrowed */
	struct job *items;
	int64_t *milli; /* [items] thousandths of a GPU of all its pods together */
	uint32_t *by_submit;
	uint32_t count;
	const struct name_table *strings; /* of the builder */
};

/* Thousandths of a GPU of one of the items. */
int64_t trace_stats_milli(const struct trace_stats_jobs *jobs, const struct job *job);
/* Recorded wait of a job by its index; CLOCK_NEVER: none. */
simtime trace_stats_wait(const struct trace_stats_jobs *jobs, uint32_t job);
/* Sorts n times and sums them up. */
void trace_stats_spread(simtime *times, size_t n, struct trace_spread *out);
/* Copies the jobs of a builder, which is borrowed. */
void trace_stats_jobs_init(struct trace_stats_jobs *jobs, struct builder *builder);
void trace_stats_jobs_free(struct trace_stats_jobs *jobs); /* what it holds */

/* The figures of the jobs that were taken. */
struct trace_stats {
	size_t jobs, gpu_jobs, endless;
	simtime first_submit, last_submit, last_end; /* of ideal runs without waits */
	int64_t gpu_time;			     /* GPU-microseconds */
	int64_t demand_milli;			     /* of all jobs together */
	struct trace_spread duration;
	struct trace_spread wait;      /* recorded, of the jobs that have one; n 0: none */
	int64_t peak_milli, peak_jobs; /* wanted at once if nobody waited */
	simtime peak_milli_at;
	int64_t peak_integral;	     /* GPU-microseconds under the curve */
	size_t out_of_file_order;    /* submits earlier than the row before */
	size_t tied;		     /* jobs whose submit another job has too */
	size_t duplicates;	     /* nameless jobs equal to an earlier one */
	struct trace_demand *demand; /* by gpus */
	size_t demand_count;
	struct trace_team *teams; /* most jobs first, then first appearance */
	size_t team_count;
	struct trace_month *months; /* in order; none without a clock */
	size_t month_count;
};

/* Jobs with from <= submit < to. Endless jobs have no duration, no end and no
 * GPU time; they are counted, and in demand. clock: time 0 of the trace on its
 * own clock, CLOCK_NEVER if it has none. Free with trace_stats_free. */
void trace_stats_collect(const struct trace_stats_jobs *jobs, simtime from, simtime to,
			 simtime clock, struct trace_stats *out);
void trace_stats_free(struct trace_stats *stats); /* what it holds */

/* Runs the jobs with from <= submit < to of one queue (TRACE_STATS_ALL: of all)
 * through a pool. Endless jobs keep their GPUs. */
void trace_stats_pool(const struct trace_stats_jobs *jobs, simtime from, simtime to, uint32_t queue,
		      uint32_t gpus, struct trace_pool *out);

#endif
