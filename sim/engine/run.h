/* run.h - what the parts of the engine share while one run is going on.
 *
 * engine.c owns the loop over instants, apply.c turns decisions into changes,
 * jobctl.c is the Job controller (pods created, jobs started, stopped,
 * finished). All of them act through one struct run, owned by engine_run.
 */
#ifndef SIM_RUN_H
#define SIM_RUN_H

#include "core/evq.h"
#include "sim/engine/deadlock.h"
#include "sim/world/policy.h"
#include "sim/world/resourcequota.h"

enum run_event {
	EV_FINISH,	      /* subject job, attempt */
	EV_RELEASE,	      /* job: its eviction is over */
	EV_POD_GONE,	      /* pod: its grace period is over */
	EV_PLACEMENT_TIMEOUT, /* job */
	EV_RECREATE,	      /* job: pods again after a placement timeout */
	EV_HUMAN,	      /* deadlock set: someone looks at it */
	EV_CREATE,	      /* job, attempt: pods that a ResourceQuota refused */
	EV_REPLACE,	      /* job: its lost pods return */
	EV_UPDATE,	      /* index of scenario.updates */
	EV_TIMER,	      /* cookie = subject + attempt * 2^32, of the admission policy */
	EV_TIMER_PLACEMENT,
	EV_CANCEL,	/* job */
	EV_READY,	/* job, attempt of podlife.h: its pods are ready */
	EV_FAIL,	/* job, attempt: a pod of it fails */
	EV_RECOVER,	/* job, attempt: it is back */
	EV_SCAN,	/* the autoscaler looks at the cluster (autoscaler.h) */
	EV_NODE_JOIN,	/* node: it has booted */
	EV_NODE_REVOKE, /* node, its boot: its time is over */
	EV_EVICT,	/* pod: its node puts up with it no longer (nodelife.h) */
	EV_POD_END,	/* pod, incarnation: done, or failed; of a gang: exit code of the pod */
	EV_DEADLINE,	/* job: activeDeadlineSeconds are over */
	EV_CHANGE,	/* job, index of its changes (jobscale.h) */
	EV_POD_RESTART, /* pod: its container starts again */
	EV_STAGE,	/* job: more of its pods may be made (podstage.h) */
	EV_STAGE_END,	/* pod, incarnation: done, before its job's work begins */
	EV_SUBMIT,	/* job: the one that it waited for has ended (jobafter.h) */
	EV_CRON,	/* job, which ended: the next run of its CronJob may come (jobcron.h) */
};

enum run_role { ROLE_ADMISSION, ROLE_PLACEMENT };

#define LONG_STANDSTILL (30 * CLOCK_DAY) /* without a start: the run is over */

struct run {
	const struct scenario *scenario;
	const struct run_options *options;
	const struct policy_row *row;
	const struct policy *admission; /* NULL: none */
	const struct policy *placement; /* NULL: none, or --placement none */
	void *admission_self, *placement_self;
	bool ignores_pods; /* the admission policy, if any (policy.h, heeds_pods) */
	bool plain;	   /* jobplain.h */
	struct world world;
	struct journal *journal;
	struct evq *events;
	struct plan plan; /* decisions not applied yet start at plan_at */
	size_t plan_at;
	bool busy; /* applying decisions, or inside the placement policy's loop */
	void (*after_pod)(struct run *); /* --drain each: a pod came or went; NULL */
	struct resourcequota *quotas;	 /* NULL: no ResourceQuota */
	uint32_t refused;		 /* creations that wait for another try */
	uint64_t
		*refused_at; /* per job: refunds so far when it last was refused; NULL: no quotas */
	struct deadlock *deadlock; /* NULL without placement */
	bool deadlocked;
	uint32_t deadlock_set;
	uint32_t next_arrival;	/* into scenario.by_submit */
	uint32_t arrivals;	/* how many of these come by the clock: all, but for jobafter.h */
	uint32_t awaited;	/* jobs of EV_SUBMIT that are queued */
	struct jobafter *after; /* NULL: no job waits for another's end */
	simtime arrives_at;	/* when; CLOCK_NEVER: nobody comes any more */
	uint32_t submitted;
	uint32_t updates_done; /* of scenario.updates */
	uint32_t *to_create;   /* admitted at this instant, pods not created yet */
	size_t to_create_count, to_create_capacity;
	uint32_t *to_release; /* evicted with no delay: released after the plan */
	size_t to_release_count, to_release_capacity;
	uint32_t *killers;	   /* per pod slot: who preempts it; NULL while nobody was */
	uint32_t *evictions;	   /* per pod slot: why its node evicts it (string of the journal
				+ 1); NULL while none was */
	struct nodelife *nodelife; /* NULL until a pod is to leave its node later */
	struct nodepods *nodepods; /* NULL until a node's pods are asked for */
	bool *strained;	   /* [node] was not at ease since its pods were (nodelife.c); NULL: none */
	uint32_t removing; /* job + 1 whose pods are being removed; 0: none */
	uint32_t *late;	   /* of them: came to a node since (jobctl.c) */
	uint32_t *lost;	   /* pods that await their replacement, in order of loss */
	size_t lost_count, lost_capacity;
	struct autoscaler *autoscaler; /* NULL: none, and nobody watches */
	/* Told of every pod that came or went, and (NAME_NONE) of jobs. */
	void (*watch)(struct run *run, enum happening_kind kind, uint32_t pod);
	struct recurrence *recurrence; /* of evictions; NULL while there were none */
	struct podlife *podlife;       /* NULL: nothing of it in the input */
	size_t podlife_capacity;
	struct jobpods *jobpods;  /* the same */
	struct podcrash *crashes; /* the same */
	struct evq_event *due;	  /* timeouts of one instant, being sorted */
	size_t due_capacity;
	uint32_t *left; /* jobs that ended in the last instant */
	size_t left_count, left_capacity;
	uint32_t *dead_on_arrival; /* cancelled by the time they came: go after this
				      instant's scheduling */
	size_t dead_count, dead_capacity;
	uint32_t finished, ended; /* ended: finished or failed */
	uint32_t running;	  /* jobs that work now and will end */
	uint32_t work_events;	  /* queued events that are not flushes */
	uint32_t idle_flushes;	  /* flush instants in a row at which nothing moved */
	uint64_t moves;		  /* bindings and preemptions, ever */
	uint64_t evictions_now;	  /* at this instant */
	simtime last_move;	  /* last binding or end of a job */
	simtime left_until;	  /* last end of work that was called off: until then flushes
				  are not all that is left (golden c03) */
	simtime last_start;	  /* last start or end of a job's work */
	simtime last_finish;	  /* or failure */
};

/* Adds a record at the present time; arg, arg2 as journal.h says. */
void run_note(struct run *run, enum journal_kind kind, uint32_t job, uint32_t arg, uint32_t arg2);
void run_note_pod(struct run *run, enum journal_kind kind, uint32_t pod, uint32_t arg,
		  uint32_t arg2);

struct evq_handle run_schedule(struct run *run, simtime at, enum event_class class,
			       enum run_event kind, uint32_t subject, uint32_t attempt);
bool run_cancel_queued(struct run *run, struct evq_handle handle, enum event_class class);
/* False: it was not queued, as most that may be. */
static inline bool run_cancel(struct run *run, struct evq_handle handle, enum event_class class)
{
	return handle.gen != 0 && run_cancel_queued(run, handle, class);
}

/* Tells a policy what happened (nothing if the role is not filled). What it
 * decides on that is queued in run->plan. */
void run_tell(struct run *run, enum run_role role, const struct happening *happening);
void run_tell_job(struct run *run, enum happening_kind kind, uint32_t job);
void run_tell_pod(struct run *run, enum happening_kind kind, uint32_t pod, uint32_t node);

/* A pod was created or is gone: under --drain each the scheduler runs now, unless
 * it is running anyway. */
void run_settle(struct run *run);

/* Pods of the job came, stopped or went: deadlock detection looks at it again. */
void run_touch(struct run *run, uint32_t job);

/* Does the admission policy look after this job? */
bool run_manages(const struct run *run, uint32_t job);

#endif
