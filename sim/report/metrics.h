/* metrics.h - the figures of one run (DESIGN.md section 5), from its journal.
 *
 * GPU-time is in GPU-microseconds, integers; ratios and quantiles are doubles.
 * Over the window [begin, end]: from time zero, which is the first submit of a
 * trace, to the end asked for.
 */
#ifndef SIM_METRICS_H
#define SIM_METRICS_H

#include "sim/engine/audit.h"
#include "sim/report/busy.h"
#include "sim/report/cost.h"
#include "sim/scenario/starved.h"
#include "sim/tool/waits.h"
#include "sim/world/replay.h"

/* One deadlock: from the announcement to its end, or the end of the window. */
struct metrics_deadlock {
	simtime since, until;
	bool standing;	     /* at the end of the window */
	uint32_t set;	     /* of the journal */
	uint32_t never_fits; /* of its jobs, those that could never fit the empty cluster */
	uint32_t pods_placed, pods_wanted; /* when it began */
	int64_t gpus;			   /* held when it began */
	int64_t held;			   /* GPU-microseconds */
};

/* A ClusterQueue, through LocalQueues; where there are no queues, a namespace. */
struct metrics_team {
	const char *name;
	uint32_t queue;	 /* of scenario.cluster_queues; SCENARIO_NONE: not a queue */
	bool superseded; /* a version of another queue's object, not a team: leave it out */
	uint32_t jobs, finished;
	int64_t nominal; /* GPUs, of all flavors, at the end; -1: no quota */
	/* GPUs that its jobs were given: quota reserved under an admission policy,
	 * else bound to their pods. Peaks are of states between instants. */
	int64_t peak_used, peak_borrowed, peak_lent;
	int64_t used, borrowed, lent; /* GPU-microseconds */
	struct wait_figures wait;
	uint32_t preempted;	    /* jobs (admission) or pods, stopped for others */
	uint32_t preempted_by_self; /* of those: for its own */
	uint32_t caused;	    /* preemptions of others or its own, for its jobs */
};

struct metrics_reason {
	const char *reason; /* text of the journal */
	uint32_t count;
};

struct metrics {
	const struct journal *journal;
	simtime begin, end;
	bool admission, places_pods;
	int64_t gpus_peak;  /* largest capacity */
	int64_t gpus_quota; /* of all ClusterQueues and cohorts, as the run begins */
	/* GPU-microseconds; free = capacity - bound, idle = bound - running */
	int64_t capacity, bound, running, idle, free, stranded;
	int64_t useful, lost, unfinished;
	double allocation, utilisation; /* of capacity; 0 without capacity */
	simtime makespan; /* begin to last finish or failure; CLOCK_NEVER: some have not ended */
	uint32_t jobs;	  /* submitted, also those that came after the window's end */
	uint32_t finished, never_started, never_fit;
	uint32_t failed;		       /* their controller gave up */
	uint32_t cancelled, cancelled_waiting; /* by who submitted them; before they started */
	uint32_t running_at_end, waiting_at_end;
	uint32_t awaiting_node;	    /* at the end: admitted, and not all of its pods bound */
	uint32_t awaited_node_ever; /* were admitted at some instant without room for all pods */
	uint64_t pods, pods_placed; /* placed: bound at the end, or their job has finished */
	struct wait_figures wait;   /* start wait: submit to first all-pods-running */
	double wait_weighted[3];    /* p50, p95, p99 by GPUs */
	double wait_nearest[2];	    /* p50, p95 of those that started, nearest rank */
	/* Kueue's, from creation or requeue, each time; never: had not ended. The other is of those
	 * that ended with an admission: what kueue_admission_wait_time_seconds counts, but for the
	 * bigger slices of elastic jobs, which are workloads of their own there. */
	struct wait_figures admission_wait, admitted_wait;
	double queueing_mean; /* seconds not running from submit to finish, finished jobs */
	double queueing_total;
	uint32_t preemptions; /* jobs stopped for others */
	uint32_t preempted_pods;
	uint32_t evicted_pods; /* by nodes drained, tainted or lost */
	uint32_t evictions;    /* other stops by the admission policy */
	struct metrics_reason *reasons;
	uint32_t reason_count;
	struct metrics_deadlock *deadlocks;
	size_t deadlock_count, deadlock_capacity;
	int64_t deadlock_held; /* GPU-microseconds, all */
	struct starved starved;
	struct metrics_team *teams; /* in input order */
	uint32_t team_count;
	uint32_t *team_of;	   /* [job] */
	struct busy *busy;	   /* by namespace; NULL: every job keeps its GPUs busy */
	uint32_t *namespaces;	   /* strings of the scenario: groups of busy */
	struct cost *cost;	   /* NULL: no node has a price */
	uint32_t longest;	   /* waited longest, of equals the first one; JOB_NONE */
	struct replay_job *states; /* [job] at the end of the window */
	struct replay_more *more;  /* likewise; NULL: see replay.h */
};

/* The window a run accounts for by itself. */
simtime metrics_window(const struct journal *journal);
/* end: of the window, at least metrics_window's where runs are compared. The
 * journal must outlive the figures. admission: the policy has that role. */
struct metrics *metrics_new(const struct journal *journal, bool admission, simtime end);
/* The same, and the audit of the journal, which is read once for both. */
struct metrics *metrics_audited(const struct journal *journal, bool admission, simtime end,
				struct audit *audit);
void metrics_free(struct metrics *metrics);

/* How long a job waited: until its first start, its end, or the end of the window; -1: it
 * was not submitted, or nobody waits for it. */
simtime metrics_waited(const struct metrics *metrics, uint32_t job);

/* GPU-time in GPU-seconds. */
double metrics_gpu_seconds(int64_t gpu_microseconds);

#endif
