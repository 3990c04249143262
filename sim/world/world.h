/* world.h - the state of one run: where every job and pod is now.
 *
 * Only the engine changes it. Policies read it, answer with a plan and keep
 * their own caches and queues, as the real schedulers do.
 */
#ifndef SIM_WORLD_H
#define SIM_WORLD_H

#include "core/cluster.h"
#include "core/evq.h"
#include "sim/scenario/options.h"
#include "sim/scenario/scenario.h"
#include "sim/world/journal.h"

enum job_phase {
	JOB_FUTURE,   /* not submitted yet */
	JOB_PENDING,  /* submitted, no quota (Kueue) */
	JOB_RESERVED, /* quota reserved, checks outstanding */
	JOB_ADMITTED, /* may create pods (plain Kubernetes: from submit on) */
	JOB_EVICTED,  /* being stopped; still holds its quota */
	JOB_DONE,     /* finished, failed or deleted */
};

struct job_run {
	simtime saved;		    /* work kept in checkpoints */
	simtime overhead;	    /* restart cost that this attempt pays first */
	simtime running_since;	    /* CLOCK_NEVER: not running */
	struct evq_handle next;	    /* end of its work, or return of its lost pods */
	struct evq_handle timeout;  /* pending placement timeout */
	struct evq_handle creation; /* pods refused, or deleted by a timeout, come again */
	uint32_t admission;	    /* of the journal; JOB_NONE */
	uint32_t attempt;	    /* starts at 1 with the first start */
	uint32_t pods_wanted;	    /* pods of this attempt (partial admission); of a job whose
				     * pods work each for itself: that its controller wants */
	uint32_t pods_bound;
	uint32_t failures;     /* lost pods since one succeeded: the Job controller's back-off */
	uint32_t succeeded;    /* completions, of a job whose pods work each for itself */
	uint32_t given_up;     /* completions that will not be tried again (failed indexes) */
	uint32_t parallelism;  /* of an elastic Job, as its user wants it now; else JOB_NONE */
	uint8_t phase;	       /* enum job_phase */
	uint8_t started;       /* ever */
	uint8_t finished;      /* completed its work */
	uint8_t timeouts;      /* placement timeouts so far (saturating) */
	uint8_t refusals;      /* of pod creations in a row (saturating) */
	uint8_t awaits_pods;   /* admitted, pods are created at the end of the instant */
	uint8_t moved;	       /* its reservation got other topology domains meanwhile */
	uint8_t all_ready;     /* the policy was told so: of pods that work each for itself, or
				* before all of a gang run (podready.h) */
	uint8_t awaits_checks; /* admitted, but its new workload slice is not: no pod is made */
	uint32_t ended_early;  /* evictions that are over, but whose EV_RELEASE is to come */
};

enum pod_phase {
	POD_ABSENT, /* not created, or gone */
	POD_PENDING,
	POD_BOUND,
	POD_TERMINATING, /* bound, told to stop (grace period) */
	POD_DEAD,	 /* bound to a node that failed: does no work, holds its place */
	POD_DONE,	 /* gone, and never made again: what it was there for is done */
};

struct pod {
	uint32_t job;
	uint32_t node;	      /* NODE_NONE unless bound */
	uint32_t shape;	      /* of its pod set */
	uint16_t incarnation; /* 0; +1 each replacement */
	uint8_t phase;	      /* enum pod_phase */
	uint8_t created;      /* ever */
};

struct world {
	const struct scenario *scenario;
	const struct run_options *options;
	struct journal *journal;
	simtime now;
	uint32_t *run_of;     /* [job_count] its record: world_job */
	struct job_run *runs; /* what those that are not there yet share, then those that are
			       * gone; then one a live job, or a free one */
	size_t run_capacity;
	uint32_t run_count, free_run; /* 0: none is free */
	struct pod *pods;	      /* slots: journal->first_pod[job] + index; all zero before
				       * world_begin */
	uint32_t node_count;	      /* scenario's and those that updates add */
	struct cluster_usage usage;
	struct node *nodes; /* as they are now (scenario's, with updates applied) */
	bool *node_usable;  /* ready and not cordoned, now */
};

void world_init(struct world *world, const struct scenario *scenario,
		const struct run_options *options, struct journal *journal);
void world_free(struct world *world); /* not the struct */
/* A job has a record of its own from now on, and its pods say whose they are: it comes.
 * Pointers to records of others may move. */
void world_begin(struct world *world, uint32_t job);
/* It is over, and nobody holds a pointer to its record: mostly only its phase is kept. */
void world_end(struct world *world, uint32_t job);
/* What became of the job so far. To be written only between world_begin and world_end. */
static inline struct job_run *world_job(const struct world *world, uint32_t job)
{
	return &world->runs[world->run_of[job]];
}

/* The reservation a job holds; NULL without one. */
const struct admission *world_admission(const struct world *world, uint32_t job);
/* The topology domain that the pod's reservation gives it, and by which levels; pods
 * go to the domains of their set in order, or, once the domains changed under pods that
 * run, to what these leave of them (Kueue's topology ungater). String of the journal: values joined by
 * "/" (of the lowest level alone if that is the host name); NAME_NONE: it may go
 * anywhere. */
uint32_t world_pod_domain(const struct world *world, uint32_t pod,
			  const struct topology **topology);
/* Is the node in that domain? */
bool world_in_domain(const struct world *world, const struct topology *topology, uint32_t domain,
		     uint32_t node);

/* Index within the job, and pod set within the job, of a pod slot. */
uint32_t world_pod_index(const struct world *world, uint32_t pod);
uint32_t world_pod_set(const struct world *world, uint32_t pod);
/* First pod slot of the k-th pod set. */
uint32_t world_set_slot(const struct world *world, uint32_t job, uint32_t pod_set);
/* Pods of the k-th pod set that will never be needed again (Kueue's reclaimable pods): since
 * fewer completions of a batch Job are left than may run at once, or since they are done. */
uint32_t world_reclaimable(const struct world *world, uint32_t job, uint32_t pod_set);
/* Pods of the k-th pod set in the present attempt (fewer with partial admission). */
uint32_t world_pod_set_count(const struct world *world, uint32_t job, uint32_t pod_set);

#endif
