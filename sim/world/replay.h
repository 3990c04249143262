/* replay.h - a journal played back, instant by instant.
 *
 * Metrics, the timeline and explain walk a run with it: after each step they see
 * what held from that instant on. GPUs weigh the same whatever their model.
 *
 * Without nodes (or with --placement none) no pod is ever bound; then the GPUs of
 * an admitted job count as bound to it, and the capacity is the nodes' if there
 * are any, else the quota of all ClusterQueues and cohorts.
 */
#ifndef SIM_REPLAY_H
#define SIM_REPLAY_H

#include "core/money.h"
#include "sim/world/usage.h"

struct replay_levels {
	int64_t gpus;	    /* of ready nodes */
	int64_t bound;	    /* to pods on ready nodes */
	int64_t running;    /* of jobs making progress */
	int64_t asked;	    /* by waiting jobs: what they want and do not hold */
	int64_t deadlocked; /* bound to jobs of a standing deadlock */
	/* micro-USD an hour of the GPUs in gpus, bound and running; 0 without prices */
	int64_t price, bound_price, running_price;
	uint32_t pending_jobs; /* submitted, not done, not running */
};

enum { /* replay_job.flags */
       REPLAY_SUBMITTED = 1,
       REPLAY_RUNNING = 2,
       REPLAY_DONE = 4, /* finished, failed or deleted */
       REPLAY_FINISHED = 8,
       REPLAY_HOLDS = 16, /* its pods may exist: admitted */
       REPLAY_DEADLOCKED = 32,
       REPLAY_STOPPING = 64,   /* evicted; quota and pods still held */
       REPLAY_SUSPENDED = 128, /* by its user: asks for nothing */
};

struct replay_job {
	uint32_t bound;	 /* GPUs */
	uint32_t wanted; /* GPUs */
	uint32_t bound_pods;
	uint32_t wanted_pods;
	uint8_t flags;
	bool solo;	       /* JOB_SOLO: its pods work each for itself */
	bool staged;	       /* some of its pods work, and are done, before it starts */
	bool requeued;	       /* Requeued is True */
	bool awaits_restart;   /* it is False until the queue that was stopped is not */
	bool freed;	       /* its quota, before its pods; wanted is of that reservation */
	bool more;	       /* struct replay_more has something of it */
	uint32_t admission;    /* of the journal, while it has quota; JOB_NONE */
	uint32_t evicted_by;   /* string: detail of an eviction; NAME_NONE: a preemption */
	simtime running_since; /* while REPLAY_RUNNING */
	simtime ran;	       /* earlier runs together */
	int64_t work;	       /* the same in GPU-microseconds */
	simtime first_start;   /* CLOCK_NEVER: not yet */
	simtime end;	       /* finished, failed or deleted; CLOCK_NEVER */
};

/* What befalls few jobs; all 0 until it does. */
struct replay_more {
	uint32_t working; /* GPUs of pods at work, of a solo or a staged one */
	uint32_t done;	  /* GPUs and pods of a staged one that are done */
	uint32_t done_pods;
	int64_t price;	    /* micro-USD an hour of its bound GPUs */
	int64_t gpu_price;  /* of one of its GPUs, as it was when they were bound last */
	int64_t lost;	    /* of its work, thrown away */
	money lost_money;   /* likewise */
	simtime work_since; /* of pods that work each for itself: work has it until then */
	simtime late;	    /* it came so long after its submit, as a CronJob held it back */
	simtime queued;	    /* later than it came: see replay_queued */
	simtime order;	    /* likewise: see replay_order */
};

struct replay {
	const struct journal *journal;
	bool places_pods;	   /* as the journal's */
	simtime now;		   /* of the last step */
	size_t first, last;	   /* records of the last step: [first, last) */
	struct journal_reader *in; /* to read them with */
	struct replay_levels levels;
	struct replay_job *jobs;    /* [job_count] */
	struct replay_more *more;   /* [job_count]; NULL: of no job there is any */
	struct usage *usage;	    /* settled after every step */
	struct replay_state *state; /* private */
};

/* The journal must outlive it. */
struct replay *replay_new(const struct journal *journal);
void replay_free(struct replay *replay);

/* Plays all records of the next instant that is not later than until. False when
 * there is none. */
bool replay_step(struct replay *replay, simtime until);

/* Of one of these jobs. Never NULL; of most jobs the array is not looked at. */
const struct replay_more *replay_more(const struct replay_job *jobs, const struct replay_more *more,
				      uint32_t job);

/* Admission waits from here: the submit, or the last change of Kueue's condition Requeued. A
 * preempted workload keeps it True, so that further preemptions do not change it; after other
 * evictions it is False until the workload may come back. */
simtime replay_queued(const struct replay *replay, uint32_t job);
/* Its place in the queue: when it came, or an eviction that moves it back. */
simtime replay_order(const struct replay *replay, uint32_t job);

/* GPU-microseconds that the job has worked until now, at or after the last step. */
int64_t replay_work(const struct replay *replay, uint32_t job, simtime now);

/* GPUs of the quota of all ClusterQueues and cohorts, as the run begins. */
int64_t replay_quota(const struct replay *replay);

/* GPUs of one pod in this slot. */
int64_t replay_pod_gpus(const struct scenario *scenario, uint32_t job, uint32_t pod_index);

/* Has any node of the scenario a price? */
bool replay_priced(const struct scenario *scenario);

/* The node of an index in the journal: updates may have added some. */
const struct node *replay_node(const struct scenario *scenario, uint32_t node);

#endif
