/* policy.h - what a scheduling policy is, and how it talks with the engine.
 *
 * The engine tells a policy what happened (observe) and asks it, once all that
 * happened at an instant is told, what to do (cycle), until it has nothing more
 * to do. A policy never changes the world: it writes decisions into a plan; the
 * engine applies them, journals them and tells the policies about what follows.
 * A policy's own queues and caches are its private state, which it changes in
 * observe and cycle only. So a policy can be tested with a hand-made world and
 * no engine (SimGrid/Batsim's boundary), and two can be asked about one instant.
 *
 * Two roles: an admission policy decides when a whole job may create its pods
 * (Kueue); a placement policy decides which node a pod gets (kube-scheduler).
 * A row of the policy table names one of each; either may be absent.
 *
 * Add a policy: write sim/policy_NAME.c and one row in sim/engine/policy_table.c.
 */
#ifndef SIM_POLICY_H
#define SIM_POLICY_H

#include "sim/world/plan.h"
#include "sim/world/world.h"

enum happening_kind {
	HAP_SUBMITTED,	   /* job; admission role only */
	HAP_FINISHED,	   /* job: completed; its quota is free */
	HAP_RELEASED,	   /* job: its eviction is over; it is pending again */
	HAP_DELETED,	   /* job: cancelled or given up */
	HAP_PODS_READY,	   /* job: all its pods run */
	HAP_PODS_LOST,	   /* job: it was running and stopped (pod lost) */
	HAP_POD_SUCCEEDED, /* job: more of its completions are done or given up; what it no
			      * longer needs is world_reclaimable's. Admission role only */
	HAP_RESIZED,	 /* job: its Job wants other parallelism (world_job(&world, )->parallelism);
			      * pods that are too many are gone. Admission role only */
	HAP_POD_CREATED, /* pod; placement role only */
	HAP_POD_BOUND,	 /* pod: as decided by the placement policy */
	HAP_POD_DELETED, /* pod: gone; node = where it was or NODE_NONE */
	HAP_POD_TERMINATING, /* pod: grace period began */
	HAP_NODE,	     /* node: changed; see world->node_usable */
	HAP_UPDATE,	     /* object: index of scenario.updates, now in force */
	HAP_TIMER,	     /* cookie of a timer the policy asked for */
	HAP_PROVISIONING, /* job, node = admission check: what its request for nodes was answered */
};

struct happening {
	enum happening_kind kind;
	uint32_t job;
	uint32_t pod;
	uint32_t node; /* or index of updates */
	uint64_t cookie;
	uint32_t message; /* PROVISIONING: string of the journal */
	uint8_t answer;	  /* PROVISIONING: enum provisioning_answer */
	bool same;	  /* of a node: the update left it as it was */
};

struct policy {
	const char *name;      /* e.g. "kueue" */
	const char *models;    /* e.g. "Kueue v0.19 (ff69552e)" for --version and reports */
	bool leaves_to_chance; /* placement: --tie, --create and --drain change what it does */
	bool recovers_pods;    /* admission: it has pods that their node can't end forgotten, where
			     * its feature gate says so (FailureRecoveryPolicy) */
	bool frees_at_once;    /* admission: quota of a workload that is switched off or put on
				* hold is free before its pods have ended */
	/* NULL and err on options it cannot honour. The world outlives it. */
	void *(*open)(const struct world *world, struct plan *plan, struct err *err);
	void (*close)(void *self);
	void (*observe)(void *self, const struct happening *happening, struct plan *plan);
	/* Admission: is it to be told of pods that are bound, end or are gone? Asked once, after
	 * open. NULL: yes. */
	bool (*heeds_pods)(const void *self);
	/* One step (a scheduling cycle, one pod). False: nothing moved and nothing
	 * would; the plan then is empty or holds only statuses and timers. */
	bool (*cycle)(void *self, struct plan *plan);
	/* The instant is over, and nothing but what this policy asks for now will happen
	 * before until (now, if that is not known). May be NULL. */
	void (*settled)(void *self, simtime until, struct plan *plan);
	/* The cycles of this instant are over. last: nothing will come any more and nothing
	 * that runs will end, so that the run may be over after any instant: timers that were
	 * spared, since nothing would come of them, are to be set. May be NULL. */
	void (*scheduled)(void *self, bool last, struct plan *plan);
	/* Why the job is not running now, as its user would be told: reason and
	 * message into buf; also works at JOURNAL_FACTS. May be NULL. */
	void (*why)(const void *self, uint32_t job, char *buf, size_t size);
	/* As the run ends: leaves journal.account. May be NULL. */
	void (*account)(const void *self, struct journal *journal);
};

struct policy_row {
	const char *name;		/* -p NAME */
	const char *help;		/* one line */
	const struct policy *admission; /* NULL: every job may create pods on submit */
	const struct policy *placement; /* NULL: admitted jobs start at once */
	bool derive_quotas;		/* a ResourceQuota a namespace, from its ClusterQueue */
};

extern const struct policy policy_kueue;
extern const struct policy policy_kubernetes;
extern const struct policy policy_fifo;
extern const struct policy policy_sjf;
extern const struct policy policy_srtf;
extern const struct policy policy_random;
extern const struct policy policy_bestfit;
extern const struct policy policy_dotprod;
extern const struct policy policy_fgd;

const struct policy_row *policy_find(const char *name); /* NULL: unknown */
const struct policy_row *policy_rows(void);		/* ended by a NULL name */

#endif
