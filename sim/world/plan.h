/* plan.h - what a policy wants done: a queue of decisions that the engine applies
 * in order. */
#ifndef SIM_PLAN_H
#define SIM_PLAN_H

#include "core/clock.h"
#include "core/mem.h"
#include "sim/world/journal.h"

/* Order of event classes at one instant (DESIGN.md section 3). */
enum event_class {
	CLASS_FINISH,
	CLASS_RELEASE, /* end of an eviction or grace period */
	CLASS_TIMEOUT, /* deletions, readiness, failures, checks, timeouts, sampling */
	CLASS_NEWS,    /* of nodes, gathered for a while */
	CLASS_NODE,
	CLASS_UPDATE,
	CLASS_SUBMIT,
	CLASS_RETRY, /* retried creations, due requeues */
	CLASS_FLUSH,
	CLASS_SCHEDULE,
	CLASS_SAMPLE,
	CLASS_HORIZON,
};

enum decision_kind {
	DECIDE_RESERVE,		   /* job gets quota: admission (by pointer, valid until applied) */
	DECIDE_ADMIT,		   /* job: checks are done; RESERVE with no checks implies it.
			    * admission: what it has now, if it changed; else NULL */
	DECIDE_PREEMPT,		   /* job (victim) stops for by_job; reason */
	DECIDE_EVICT,		   /* job stops; reason = detail of the Evicted row */
	DECIDE_DEACTIVATE,	   /* like EVICT, quota free at once, does not come back */
	DECIDE_FREE,		   /* job, which was told to stop before, has no quota any more */
	DECIDE_UNRESERVE,	   /* job, not admitted yet, loses its reservation at once and waits
			    * again; reason = detail of the Unreserved row */
	DECIDE_RECLAIM,		   /* job, admitted, gives back a part: admission = what it keeps */
	DECIDE_RESIZE,		   /* job, reserved or admitted, has quota for other pod counts:
				    * admission. slice: as a new workload slice, in place of the
				    * old one */
	DECIDE_GONE,		   /* node = index of scenario.updates: the ClusterQueue that it
			    * deletes holds nothing any more */
	DECIDE_STATUS,		   /* job waits: reason, message (strings of the journal) */
	DECIDE_BIND,		   /* pod to node */
	DECIDE_POD_FAILED,	   /* pod: attempt failed; message: to be journalled */
	DECIDE_DELETE_POD,	   /* pod (victim) for by_pod; grace period applies */
	DECIDE_TIMER,		   /* wake me at: time, event class, cookie; placement: true from
			  * a placement policy */
	DECIDE_RESUMED,		   /* a cycle that had stopped in its middle goes on */
	DECIDE_CHECK,		   /* job: check answered (row); reason string */
	DECIDE_CHECK_UPDATED,	   /* job: reason = what the event says */
	DECIDE_CHECK_WAITS,	   /* job: reason = its check, and what that was told */
	DECIDE_VARIANT,		   /* job: reason = event or condition of a variant; message */
	DECIDE_PROVISION,	   /* job asks for nodes by check; reason = detail of the row */
	DECIDE_WITHDRAW,	   /* job asks for no nodes by check any more */
	DECIDE_SECOND_PASS_FAILED, /* job: no domains yet; message */
	DECIDE_MOVE,		   /* job: its pods get other domains: admission, the same but for
				    * these; reason: the node that failed */
	DECIDE_UNHEALTHY,	   /* job: a node that it is on failed (row); reason: its name;
				    * message: NAME_NONE: the node is well again */
};

struct decision {
	enum decision_kind kind;
	uint32_t job, by_job;
	uint32_t pod, by_pod;
	uint32_t node;
	uint32_t check;	  /* PROVISION, WITHDRAW: index of scenario.checks */
	uint32_t reason;  /* string of the journal; NAME_NONE */
	uint32_t message; /* string of the journal; NAME_NONE */
	bool has_checks;  /* RESERVE, RESIZE of a slice: ADMIT comes later */
	bool slice;	  /* RESIZE */
	bool held;	  /* PREEMPT: in a cycle that then stopped; see J_RESUMED. RESERVE: the
			   * quota was taken before (concurrent admission) */
	bool placement;	  /* TIMER: of the placement policy */
	const struct admission *admission;
	simtime at;
	enum event_class class;
	uint64_t cookie;
};

/* Decisions in the order in which they are to be applied. The array is reused;
 * arena memory in it is reset after each application. */
struct plan {
	struct decision *items;
	size_t count, capacity;
	struct mem_arena *arena; /* for admissions of this plan */
	uint64_t failed;	 /* attempts of pods of which no more is to be told */
};

void plan_init(struct plan *plan);
void plan_clear(struct plan *plan);
void plan_free(struct plan *plan);				       /* not the struct */
struct decision *plan_add(struct plan *plan, enum decision_kind kind); /* zeroed, ids NONE */

#endif
