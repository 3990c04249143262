/* kueue_state.h - what the parts of the Kueue policy share.
 *
 * Indices are dense: queues are scenario.cluster_queues, nodes of the quota
 * tree are queues and after them cohorts, flavors are the names that any
 * resource group lists, columns are (flavor, resource) pairs. Workloads are job
 * indices, and after these variants (kueue_variant.h); Kueue's uid order is their order.
 *
 * Rules: spec KUEUE.md; golden/kueue/README.md where they differ.
 */
#ifndef SIM_KUEUE_STATE_H
#define SIM_KUEUE_STATE_H

#include "core/quota.h"
#include "sim/kueue/kueue_strata.h"
#include "sim/kueue/kueue_topology.h"
#include "sim/scenario/kueue_gates.h"
#include "sim/world/policy.h"

#define KUEUE_NONE	 UINT32_MAX
#define KUEUE_GROUPS_MAX 16 /* resource groups of a ClusterQueue (API limit) */
/* What is called at each event needs no stack frame, as long as what is seldom needed is called and
 * not built into it. */
#define KUEUE_SELDOM __attribute__((noinline))

/* What a flavor can do for one request, worst first (spec 4.4). */
enum kueue_fit {
	FIT_NONE,
	FIT_NO_CANDIDATES,
	FIT_PREEMPT,
	FIT_RECLAIM,
	FIT_NOW,
};

/* What an assignment comes to, worst first. */
enum kueue_mode { MODE_NO_FIT, MODE_PREEMPT, MODE_DEFERRED_FIT, MODE_FIT };

/* Reasons of QuotaReserved=False (spec 6.1). The first five are in order of
 * severity. */
enum kueue_why {
	WHY_NONE,
	WHY_TOPOLOGY,
	WHY_WAITING_FOR_QUOTA,
	WHY_EXCEEDS_MAX,
	WHY_NO_FLAVOR,
	WHY_PREEMPTED_WORKLOADS,
	WHY_PODS_READY,
	WHY_PENDING_EVALUATION,
	WHY_SUSPENDED,
	WHY_MISCONFIGURED,
	WHY_REFUSED, /* the same, found by a scheduling cycle */
	WHY_DEACTIVATED,
	WHY_GATED, /* admission-gated-by, or by a preemption gate */
};

/* Why a popped workload goes back to its queue (spec 3.4). */
enum kueue_requeue {
	REQUEUE_GENERIC,
	REQUEUE_NAMESPACE_MISMATCH,
	REQUEUE_NO_FIT,
	REQUEUE_NO_CANDIDATES,
	REQUEUE_FAILED_AFTER_NOMINATION,
	REQUEUE_PENDING_PREEMPTION, /* or migration */
	REQUEUE_PREEMPTION_GATED,
};

/* The requests of one run of pod sets. Slots of set s are
 * slots[first[s]] ... slots[first[s + 1] - 1], in Kueue's resource order. */
struct kueue_slot {
	uint32_t resource;
	bool implied; /* "pods", counted only where the queue covers it */
	int64_t per_pod;
};
struct kueue_form {
	uint32_t first_pod_set, set_count;
	const uint32_t *counts; /* pods of each set; fewer than the set's once some are done */
	uint32_t slot_count;
	const uint32_t *first;
	const struct kueue_slot *slots;
};

/* Workloads alike in requests, priority and LocalQueue: Kueue's equivalence
 * classes cut by LocalQueue. Members wait in two heaps ordered by queue time. */
struct kueue_class {
	uint32_t form;
	uint32_t local_queue;
	int32_t priority;
	uint32_t flavor;	 /* of variants: the one that they may have; KUEUE_NONE: any */
	uint32_t kin;		 /* same form and priority in the same queue */
	uint32_t next_kin;	 /* class; KUEUE_NONE */
	uint32_t active, parked; /* first of each heap; JOB_NONE */
	uint32_t usage, rung;	 /* of the last reservation of a member; KUEUE_NONE */
	uint32_t heap_at;	 /* place in the queue's heap; KUEUE_NONE */
	uint32_t parked_at;	 /* place in the queue's list of classes with parked members */
	bool moves;		 /* scratch of who parks a kin: members of it do */
	bool entered;		 /* scratch of kueue_heap.c */
};

/* One equivalence class of a queue. */
struct kueue_kin {
	uint32_t queue, form, flavor;
	int32_t priority;
	uint32_t first_class;
	bool bulk;	  /* newcomers park at once until a flush (spec 3.4) */
	uint8_t bulk_why; /* enum kueue_why that its members are told then */
};

enum kueue_place {
	PLACE_NOWHERE, /* not submitted, reserved, gone, or LocalQueue stopped */
	PLACE_ACTIVE,
	PLACE_PARKED,
	PLACE_INFLIGHT, /* popped for the running cycle */
	PLACE_BACKOFF,	/* parked, and no flush moves it: its back-off is not over */
};

enum { /* kueue_job.memory; larger values are records + MEMORY_FIRST (spec 3.8) */
       MEMORY_NONE,
       MEMORY_EMPTY,	 /* nominated, no flavor index kept */
       MEMORY_EXHAUSTED, /* every index is -1: all flavors were tried */
       MEMORY_FIRST
};

/* Why a workload was evicted last; decides how it comes back (spec 8.5). */
enum kueue_cause {
	CAUSE_NONE,
	CAUSE_PREEMPTED,
	CAUSE_QUEUE_STOPPED,
	CAUSE_LOCAL_QUEUE_STOPPED,
	CAUSE_PODS_READY,
	CAUSE_CHECK,
	CAUSE_DEACTIVATED,
	CAUSE_NODE_FAILURES,
	CAUSE_SET_ASIDE, /* a variant that Kueue never requeues: its job migrated, or a check
			  * rejected it */
};

struct kueue_job {
	simtime order;	      /* queue-order timestamp, whole seconds */
	uint32_t class;	      /* KUEUE_NONE: no LocalQueue */
	uint32_t child, next; /* pairing heap of the class */
	uint32_t prev;	      /* parent if first child, else left sibling */
	uint32_t hold;	      /* its reservation; KUEUE_NONE */
	uint32_t life;	      /* of the pool; KUEUE_NONE: nothing happened to it yet */
	uint32_t memory;
	uint8_t place;	    /* enum kueue_place */
	uint8_t cause;	    /* enum kueue_cause */
	bool inactive : 1;  /* deactivated: not queued unless somebody reactivates it */
	bool excused : 1;   /* what it is told on its release is known (kueue_status.h) */
	bool unfiled : 1;   /* no workload yet: its WorkloadPriorityClass is missing */
	bool withdrawn : 1; /* on its way out it lost its reservation; its release follows */
	bool claimed : 1;   /* scratch of a cycle: victim of an entry processed earlier */
	bool met : 1;	    /* scratch of kueue_heap.c */
	bool left : 1;	    /* the same */
};

/* What happens to a workload besides queueing: from a pool, so that those that are there
 * at one time lie together. */
struct kueue_life {
	simtime created;    /* its workload, whole seconds */
	simtime older;	    /* order of the slice with quota, if another was asked for since; -1 */
	simtime admitted;   /* Admitted since, whole seconds; -1 */
	simtime lost;	    /* a pod failed, after all had been ready; -1 */
	simtime requeue_at; /* -1 */
	simtime past;	    /* execution time of earlier admissions */
	simtime check_due;  /* answer of its checks; -1 */
	uint32_t requeues;  /* pods-ready timeouts so far */
	uint32_t reclaimed; /* pods that are not needed any more; of the first set, where there
				is no start-up order */
	uint32_t asked;	    /* reservations with checks so far */
	bool asking;	    /* the reservation that it has is one of those */
	bool ready;	    /* all its pods are */
	bool retrying;	    /* a check said Retry with a back-off, which runs */
	bool rejected;	    /* another said Rejected meanwhile */
	bool charged, in_use; /* admission fair sharing */
	simtime second_due;   /* of its second pass; -1 */
	uint32_t passes;      /* second passes that failed, for the reason that it waits now */
	uint32_t unhealthy;   /* place of a node that failed under its pods; KUEUE_NONE */
	uint32_t replaces;    /* the one that its second pass is for; KUEUE_NONE */
	uint32_t next_free;
};

/* A check that its queue got while the workload had quota. */
struct kueue_late_check {
	uint32_t job;
	uint32_t name; /* of the check */
	simtime due;   /* when it is answered; CLOCK_NEVER */
};

/* A workload with quota whose checks are those of an earlier version of its queue. */
struct kueue_stale_checks {
	uint32_t job;
	const struct cluster_queue *queue; /* that version */
};

/* A workload that pursues one flavor for its parent's job (KEP 8691). */
struct kueue_variant {
	uint32_t job; /* whose it is */
	uint32_t family;
	uint32_t flavor;
	uint32_t admission; /* of the journal, while it holds quota; JOB_NONE */
	simtime opened;	    /* its preemption gate; -1: closed */
	bool made;	    /* there is such a workload: its queue has the flavor */
	bool evaluated;	    /* a cycle looked at it */
	bool blocked;	    /* it would have preempted, but for its gate */
	bool early;	    /* it had its quota before its job has it */
	bool ending;	    /* evicted, and its parent still has to stop */
};

/* The variants of one job, in the order of the queue's flavors as they first came. */
struct kueue_family {
	uint32_t job;
	uint32_t first, count; /* workloads */
	uint32_t seat;	       /* whose admission the job has; KUEUE_NONE */
	bool evicted;	       /* the job is told to stop, and has not yet */
	bool touched;	       /* is on the list of those to look after */
};

struct kueue_memory {
	uint32_t generation, cycle;
	uint32_t next_free;
};
#define MEMORY_UNSET (-2) /* no index for this slot */

/* Pods of a workload in a domain of a topology. */
struct kueue_spot {
	uint32_t set;  /* pod set */
	uint32_t tree; /* kueue flavor */
	uint32_t place, pods;
	const struct pod_shape *shape;
};

/* A quota reservation (admitted or not yet). */
struct kueue_hold {
	uint32_t job, queue;
	uint32_t usage;		  /* index of usages; what it takes from the queue */
	uint32_t rung;		  /* KUEUE_NONE: nobody looks for victims */
	uint32_t next, prev;	  /* in the rung, or free list */
	simtime since;		  /* QuotaReserved transition, whole seconds */
	struct kueue_spot *spots; /* owned; NULL mostly */
	uint32_t spot_count;
	uint32_t *kept; /* owned; if its pods have domains, or are to get them, or it is
			   elastic: the flavor of each slot, then the pods of each set;
			   else NULL */
	uint32_t cycle; /* that made it; searches of that cycle do not see it */
	bool awaits;	/* domains that a second pass is to give (spec 3.7) */
	bool evicted;	/* told to stop; still holds its quota */
	bool gone;	/* given back while a cycle waits; dropped at its end */
};

/* Reservations of one queue that are alike to a search for victims, in candidate
 * order: newest first, then by job. So a search looks at rungs, not at every
 * reservation, and takes as many of each as it needs. */
struct kueue_rung {
	uint32_t queue, usage;
	uint32_t local_queue; /* where LocalQueues are told apart; else KUEUE_NONE */
	int32_t priority;
	bool evicted;
	uint32_t first, count; /* hold */
	uint32_t at;	       /* in the queue's list, while it holds any */
	uint32_t hint;	       /* hold put in last; KUEUE_NONE */
	uint64_t columns;      /* that its usage lists: bits, of each number modulo 64 */
};

struct kueue_usage {
	uint32_t first, count; /* of usage_amounts */
};

struct kueue_flavor {
	uint32_t name;		  /* string */
	uint32_t index;		  /* of scenario.flavors; SCENARIO_NONE while there is no object */
	const struct flavor *now; /* the object in force; NULL */
};

struct kueue_group {
	uint32_t flavor_count;
	const uint32_t *flavors; /* kueue flavors, in the queue's order */
	uint64_t resources;	 /* set of covered resources */
};

struct kueue_queue {
	const struct cluster_queue *spec; /* in force */
	/* The same as the controllers have it: while a cycle waits for pods, which sees the queue
	 * as it was, another may have come. */
	const struct cluster_queue *latest;
	const struct cluster_queue *was; /* scratch of an update: its version before */
	bool gone;			 /* there is no such object, or not yet */
	bool ending;			 /* deleted; it goes with its last reservation */
	uint32_t ended_by;		 /* the update that deleted it */
	struct kueue_group groups[KUEUE_GROUPS_MAX];
	uint8_t group_of[RES_MAX]; /* resource -> group; KUEUE_GROUPS_MAX: none */
	bool active;
	bool topology_only; /* every flavor has a topology */
	uint32_t *heap;	    /* classes with active members, best head first */
	size_t heap_count, heap_capacity;
	bool by_usage;	 /* as the object was created: Kueue keeps the order of its heap */
	uint32_t *plain; /* jobs, instead of the heap: admission fair sharing */
	size_t plain_count, plain_capacity;
	bool deferred;		  /* the heap of classes stands for the plain one: kueue_heap.h */
	struct kueue_step *steps; /* since then */
	size_t step_count, step_capacity;
	uint32_t stuck;	  /* who came first at their beginning; JOB_NONE */
	uint32_t *parked; /* classes with parked members */
	size_t parked_count, parked_capacity;
	uint32_t *bulk; /* kins that are parked in bulk */
	size_t bulk_count, bulk_capacity;
	bool in_root_list;	/* of queues that a flush has something to do for */
	uint32_t preemptor;	/* job; JOB_NONE */
	bool preemptor_changed; /* its priority is another since it preempted */
	bool sticky;		/* it stays first: the queue was BestEffortFIFO when it preempted */
	uint64_t popped;	/* stamp of the last pop */
	uint32_t generation;
	uint32_t *rungs;
	size_t rung_count, rung_capacity;
	struct kueue_strata strata; /* of all rungs */
	uint32_t hold_count;	    /* reservations in it */
	uint64_t changed;	    /* grows with each change of who holds what in it */
	uint32_t *pursued;	    /* flavors that jobs have variants for, in any version */
	uint32_t pursued_count;	    /* 0: no concurrent admission */
	/* for journal.account */
	uint32_t skips, new_targets, deferred_fits, skipped;
};

/* Per root of the quota tree. */
struct kueue_root {
	simtime due;	  /* of the requested flush; CLOCK_NEVER */
	bool armed;	  /* its timer is set */
	bool spared;	  /* is on the list of those whose timers were spared */
	uint64_t flushed; /* stamp of the last flush */
	uint64_t changed; /* grows with each change of the tree or of who holds what in it */
	uint32_t *queues; /* with parked classes or bulk kins */
	size_t queue_count, queue_capacity;
	struct kueue_strata strata; /* of all its queues */
};

struct kueue_step;   /* kueue_heap.h */
struct kueue_choice; /* kueue_flavor.h */
struct kueue_assignment;
struct kueue_node; /* kueue_nodes.c */
struct kueue_tas;  /* kueue_tas.h */
struct kueue_tas_set;
struct kueue_afs;	/* kueue_afs.c */
struct kueue_contender; /* kueue_fair.h */
struct kueue_entry;	/* kueue_cycle.h */
struct kueue_request;	/* kueue_provision.c */
struct kueue_recall;	/* kueue_recall.c */
struct kueue_bound;	/* kueue_bound.c */
struct kueue_refute;	/* kueue_refute.c */
struct kueue_route;	/* kueue_express.c */
struct kueue_look;	/* kueue_ready.c */
struct kueue_need;	/* kueue_refuse.c */
struct kueue_despair;
struct kueue_roll; /* kueue_roll.c */
struct kueue_seat;
struct kueue_repeat; /* kueue_repeat.c */

struct kueue_target {
	uint32_t job;
	uint8_t reason; /* enum kueue_preemption */
};

enum kueue_preemption {
	PREEMPTION_IN_QUEUE,
	PREEMPTION_RECLAIM,
	PREEMPTION_FAIR,
	PREEMPTION_RECLAIM_BORROWING,
};

struct kueue_fair_node {    /* scratch of a fair-sharing search */
	uint32_t stamp;	    /* of the search it belongs to */
	uint32_t next, end; /* its candidates, for a queue */
	bool asked;	    /* for them, but they were not listed yet */
	bool pruned;
	bool kept; /* one of its candidates is, for the second strategy */
};
struct kueue_fair_share { /* of a tournament: below a cohort, with an entry added */
	struct quota_share share;
	bool touches; /* it borrows in a column that the entry asks for */
};

struct kueue_candidate { /* scratch of a search */
	uint32_t hold, job, queue;
	uint32_t lca;	      /* node */
	uint32_t local_queue; /* as of its rung */
	uint8_t variant;
	bool newer; /* only newer ones of its rung may be evicted */
	bool alone; /* the others of its rung are no candidates, or stand for themselves */
	bool evicted, same;
	int32_t priority;
	simtime since;
};

/* A place in the logs of trial changes. */
struct kueue_mark {
	size_t quota, topology;
};

struct kueue_index { /* finds a dense array's members (kueue_class.c) */
	uint32_t *slots;
	size_t size, used;
};

struct kueue {
	struct kueue *me; /* for who has it const and must try something on it */
	const struct world *world;
	const struct scenario *scenario;
	const struct kueue_config *config;
	struct kueue_gates gates;
	struct plan *plan; /* of the call that is running */
	struct mem_arena *arena;
	bool full;	      /* reasons and messages are worked out as texts */
	bool simple;	      /* most workloads only queue, take quota and end: kueue_is_simple */
	bool *takes;	      /* [LocalQueue] workloads, all through a simple run, ... */
	bool *lets_in;	      /* ... and its ClusterQueue its namespace */
	simtime second_began; /* the whole second that ... */
	simtime second_of;    /* ... this time lies in */
	uint32_t queue_count, resource_count;
	uint32_t job_count; /* workloads: jobs, then variants */

	uint32_t first_variant;		/* workload; job_count: there are none */
	struct kueue_variant *variants; /* [workload - first_variant] */
	struct kueue_family *families;
	uint32_t family_count;
	uint32_t *family_of; /* [job] KUEUE_NONE; NULL: no job has variants */
	uint32_t *touched;   /* families */
	size_t touched_count, touched_capacity;

	struct kueue_flavor *flavors;
	uint32_t flavor_count;
	uint32_t *columns; /* [flavor * resource_count + resource]; KUEUE_NONE */
	uint32_t *column_flavor, *column_resource;
	uint32_t column_count;
	uint32_t *resource_rank, *resource_by_rank; /* by name, and the inverse */
	uint8_t *suits; /* cache: [flavor * shape_count + shape]; see kueue_flavor.c */

	struct quota_tree tree;
	struct kueue_queue *queues;
	uint32_t *queue_by_name, *name_rank; /* order and its inverse */
	uint64_t *ready;		     /* bits in name order: active queues with a head */
	uint32_t ready_count;		     /* of them */
	struct kueue_root *roots;	     /* [node] */
	bool spares_timers;		     /* of flushes and looks that would find nothing */
	uint32_t *spared_roots;
	size_t spared_root_count, spared_root_capacity;
	struct kueue_look *spared_looks; /* ring, by time; kueue_ready.c */
	size_t spared_look_first, spared_look_count, spared_look_capacity;
	simtime scheduled;   /* the last instant at which cycles were asked for */
	uint32_t *flush_now; /* roots whose flush waits for the next cycle (batch 0) */
	size_t flush_now_count, flush_now_capacity;
	uint32_t ending_count;	      /* queues that are ending */
	const struct update **doomed; /* deletions that finalizers keep waiting */
	size_t doomed_count, doomed_capacity;
	bool *class_absent; /* per priority class */
	const struct cohort **cohorts;
	bool *cyclic; /* per cohort: on or below a cycle of parents */
	const struct admission_check **checks;
	const struct topology **topologies;
	const struct local_queue **local_queues;
	struct kueue_roll *rolls;	     /* [LocalQueue] kueue_roll.c; NULL: nobody yet */
	const struct ns_record **namespaces; /* per LocalQueue: of its namespace; NULL */

	struct kueue_topology *topology; /* NULL: no flavor has one */
	struct kueue_tas *tas;
	struct kueue_node *nodes;	/* [node]; NULL: none is replaced */
	struct kueue_wake *wake;	/* NULL: no flavor has a topology */
	struct kueue_tas_set *tas_sets; /* [sets_max] of the last placement */
	uint32_t tas_count;
	uint32_t *bound;     /* pods that are on nodes, in no order, and where each */
	uint32_t *bound_at;  /* stands there + 1; NULL: none was yet */
	bool *bound_counted; /* are they counted by their reservation? */
	size_t bound_count, bound_capacity;
	bool spots_stale;	       /* trees are out of date, but a cycle is open */
	struct mem_arena *cycle_arena; /* texts of the running cycle */
	double *lq_usage;	       /* per LocalQueue, for admission fair sharing; else 0 */
	double *lq_seen;	       /* the same, as of the running cycle's begin */
	uint64_t lq_changes;	       /* grows when one of these changes */
	struct kueue_afs *afs;	       /* NULL: off */

	struct kueue_form *forms;
	size_t form_count, form_capacity;
	uint32_t slots_max, sets_max; /* largest form */
	struct kueue_class *classes;
	size_t class_count, class_capacity;
	struct kueue_kin *kins;
	size_t kin_count, kin_capacity;
	struct kueue_index class_index, kin_index;
	struct kueue_job *jobs;
	struct kueue_life **lives; /* pool, in blocks that stay where they are */
	size_t life_count, life_capacity;
	uint32_t free_life;

	struct kueue_memory *memories;
	int16_t *tried; /* [memory * slots_max + slot] */
	size_t memory_count, memory_capacity, tried_capacity;
	uint32_t free_memory;

	struct kueue_hold *holds;
	size_t hold_count, hold_capacity;
	uint32_t free_hold;
	bool ranks_holds; /* some queue may find victims, or might: holds stand in rungs */
	struct kueue_rung *rungs;
	size_t rung_count, rung_capacity;
	uint32_t *rung_table;
	size_t rung_table_size;
	struct kueue_usage *usages; /* interned: equal amounts, equal index */
	size_t usage_count, usage_capacity;
	struct quota_amount *usage_amounts;
	size_t usage_amount_count, usage_amount_capacity;
	uint32_t *usage_table;
	size_t usage_table_size;

	uint32_t *first_request; /* [job] its checks that ask for nodes; NULL: nobody has any */
	struct kueue_request *requests; /* kueue_provision.c */
	size_t request_count, request_capacity;
	uint32_t free_request;
	struct kueue_late_check *late_checks; /* not answered yet */
	size_t late_check_count, late_check_capacity;
	struct kueue_stale_checks *stale_checks;
	size_t stale_check_count, stale_check_capacity;
	uint32_t unready; /* reservations whose pods are not all ready */
	/* admitted, of whom it is to be seen whether their pods are ready: those who were not at
	 * the last cycle, at this instant, then those admitted since */
	uint32_t *fresh;
	size_t fresh_count, fresh_watched, fresh_capacity;
	uint32_t *spent; /* admitted since the last cycle, with no execution time left */
	size_t spent_count, spent_capacity;
	/* the running cycle */
	bool open;	  /* a cycle has begun; what it supposes is in the tree's log */
	bool blocked;	  /* it waits for pods to be ready (blockAdmission) ... */
	uint32_t waiting; /* ... before it admits the head of this queue */
	uint32_t next_head;
	size_t next_second;
	struct kueue_mark mark;
	uint64_t heads_seen;
	uint32_t *second; /* jobs whose second pass is due, and their entries in a cycle */
	size_t second_count, second_capacity;
	struct kueue_entry *second_entries;
	size_t second_entry_count, second_entry_capacity;
	uint32_t *real; /* holds made by this cycle */
	size_t real_count, real_capacity;
	uint32_t *late; /* jobs whose holds were given back while it waited */
	size_t late_count, late_capacity;
	struct kueue_assignment *spare;	    /* second buffers of a partial admission search */
	struct kueue_contender *contenders; /* [queue_count] fair sharing */
	struct kueue_choice *nominated;
	uint32_t *counts;		     /* [sets_max] */
	uint32_t *search_columns;	     /* [slots_max] */
	struct quota_amount *search_request; /* [slots_max] */
	int16_t *new_tried;		     /* [slots_max] */
	uint32_t *evicting; /* victims of this cycle that were not evicted before */
	size_t evicting_count, evicting_capacity;
	bool evicted_any;    /* in this cycle */
	uint32_t *postponed; /* updates that came while it waited */
	size_t postponed_count, postponed_capacity;
	bool catching_up;  /* with these */
	uint32_t *resized; /* elastic jobs whose parallelism changed meanwhile */
	size_t resized_count, resized_capacity;
	uint32_t *grown; /* those whose new slice this cycle admitted */
	size_t grown_count, grown_capacity;
	uint32_t *done_pods; /* jobs some of whose pods were done meanwhile */
	size_t done_pod_count, done_pod_capacity;
	bool hide_claimed; /* searches see claimed victims as gone */
	/* What preemption could do for an amount of one column: kueue_preempt_possible,
	 * or what a test says. */
	enum kueue_fit (*possible)(struct kueue *k, uint32_t job, uint32_t queue, uint32_t column,
				   int64_t amount, uint32_t *level);
	void *possible_context;
	struct quota_amount *rest;	  /* [slots_max] scratch of a search */
	struct kueue_choice *try_choices; /* [slots_max] scratch of one flavor */
	struct kueue_entry *entries;	  /* [queue_count] */
	uint32_t *heads;		  /* entries popped, in processing order */
	uint32_t head_count;
	uint32_t cycle;		    /* scheduling cycles so far */
	uint32_t admitting_cycles;  /* of them: ended, and something was admitted */
	uint64_t stamp;		    /* grows with pops and flushes */
	uint64_t changes;	    /* the last number given to a root */
	uint64_t objects;	    /* grows when another version of an object comes into force */
	struct kueue_route *routes; /* [class] kueue_express.c */
	size_t route_capacity;
	struct kueue_need *needs; /* [class] kueue_refuse.c */
	size_t need_capacity;
	uint8_t *foreseen;		/* [queue] */
	struct kueue_seat *seats;	/* [node] */
	struct kueue_despair *despairs; /* [queue] */
	uint32_t refused_count;		/* heads of the cycle that were refused beforehand */
	struct kueue_repeat *repeat;	/* the last cycle; NULL: each is run */
	bool awake;			/* something happened that lets cycles run */
	simtime instant;		/* of the list below */
	uint64_t *seen;			/* heads without progress at this instant */
	size_t seen_count, seen_capacity;
	struct kueue_target *targets; /* result of the last search */
	size_t target_count, target_capacity;
	struct kueue_recall *recall; /* of earlier searches; NULL: each is made anew */
	struct kueue_bound *bounds;  /* NULL: no search is spared */
	struct kueue_refute *refute; /* NULL: nothing is concluded from others */
	struct kueue_candidate *candidates;
	size_t candidate_count, candidate_capacity;
	struct kueue_candidate *streams; /* heap of the rungs of an attempt */
	size_t stream_count, stream_capacity;
	uint32_t *claimed; /* victims of this cycle */
	size_t claimed_count, claimed_capacity;
	struct kueue_candidate *retry; /* of a fair-sharing search */
	size_t retry_count, retry_capacity;
	struct kueue_fair_node *fair; /* [node] */
	uint32_t fair_stamp;
	struct kueue_fair_share *fair_shares; /* [queue * fair_depth + depth of the cohort] */
	uint32_t fair_depth;
	size_t fair_share_capacity;

	char *text; /* message being made */
	size_t text_length, text_capacity;
	uint64_t *told; /* [job] marks of statuses; NULL: none are kept (kueue_status.c) */
	/* FULL only; strings of the journal */
	uint8_t *status_why;					     /* [job] enum kueue_why */
	uint32_t *status_reason, *status_message, *eviction_message; /* [job] */
};

/* Of a workload that is one. */
static inline struct kueue_variant *kueue_variant(const struct kueue *k, uint32_t workload)
{
	return &k->variants[workload - k->first_variant];
}
/* NULL: it is none. */
static inline struct kueue_variant *kueue_variant_of(const struct kueue *k, uint32_t workload)
{
	return workload < k->first_variant ? NULL : kueue_variant(k, workload);
}
/* Whose workload is it? */
static inline uint32_t kueue_job_of(const struct kueue *k, uint32_t workload)
{
	return workload < k->first_variant ? workload
					   : k->variants[workload - k->first_variant].job;
}
static inline const struct job *kueue_job(const struct kueue *k, uint32_t workload)
{
	return &k->scenario->jobs[kueue_job_of(k, workload)];
}

/* Is this WorkloadPriorityClass (string: its name) the one that the job asks for? */
static inline bool kueue_names_class(const struct kueue *k, uint32_t workload, uint32_t class)
{
	const struct job *job = kueue_job(k, workload);

	return job->common->priority_class == class &&
	       (job->common->flags & JOB_CLASS_OF_PODS) == 0;
}

static inline const struct job_run *kueue_run(const struct kueue *k, uint32_t workload)
{
	return world_job(k->world, kueue_job_of(k, workload));
}
/* Has the job variants, so that its own workload is not scheduled? */
static inline bool kueue_is_parent(const struct kueue *k, uint32_t workload)
{
	return k->family_of != NULL && workload < k->first_variant &&
	       k->family_of[workload] != KUEUE_NONE;
}
/* What it has reserved, as the journal keeps it; NULL. */
const struct admission *kueue_admission_of(const struct kueue *k, uint32_t workload);

static inline const struct kueue_class *kueue_class_of(const struct kueue *k, uint32_t job)
{
	return &k->classes[k->jobs[job].class];
}
static inline const struct kueue_form *kueue_form_of(const struct kueue *k, uint32_t job)
{
	return &k->forms[kueue_class_of(k, job)->form];
}
/* In a simple run no object changes, no usage of LocalQueues is kept, there are no variants and no
 * messages. If nobody set a clock for this workload or made it elastic (scenario.extras) either,
 * nothing can befall it outside of cycles but its coming, its pods, an eviction and its end. */
static inline bool kueue_is_simple(const struct kueue *k, uint32_t job)
{
	return k->simple && k->scenario->jobs[job].extra == JOB_NONE;
}
/* Now, in whole seconds. */
static inline simtime kueue_second(struct kueue *k)
{
	if (k->second_of != k->world->now) {
		k->second_of = k->world->now;
		k->second_began = clock_floor_second(k->second_of);
	}
	return k->second_began;
}
/* The queue a waiting job belongs to. */
static inline uint32_t kueue_queue_of(const struct kueue *k, uint32_t job)
{
	return k->kins[kueue_class_of(k, job)->kin].queue;
}
/* Did the queue's last preemptions make room for it, and is its spec still what it was then
 * (IsPreemptor, which is strict about the generation)? */
static inline bool kueue_is_preemptor(const struct kueue *k, uint32_t queue, uint32_t job)
{
	return k->queues[queue].preemptor == job && !k->queues[queue].preemptor_changed;
}

static inline uint32_t kueue_column(const struct kueue *k, uint32_t flavor, uint32_t resource)
{
	return k->columns[(size_t)flavor * k->resource_count + resource];
}

/* Is anything kept of what workloads are told (kueue_status.h), so that they have to be? */
static inline bool kueue_tells(const struct kueue *k)
{
	return k->full || k->told != NULL;
}

/* One number more in a hash. */
static inline uint64_t kueue_mix(uint64_t hash, uint64_t value)
{
	hash ^= value + UINT64_C(0x9e3779b97f4a7c15) + (hash << 6) + (hash >> 2);
	hash *= UINT64_C(0xff51afd7ed558ccd);
	return hash ^ (hash >> 33);
}

/* Has the queue a head, and may it go into a cycle? */
static inline void kueue_ready_note(struct kueue *k, uint32_t queue, bool ready)
{
	uint32_t rank = k->name_rank[queue];
	uint64_t *word = &k->ready[rank / 64], bit = UINT64_C(1) << rank % 64;
	bool was = (*word & bit) != 0;

	if (was == ready)
		return;
	*word ^= bit;
	k->ready_count = ready ? k->ready_count + 1 : k->ready_count - 1;
}

enum kueue_timer {
	TIMER_FLUSH,
	TIMER_CHECK,
	TIMER_RECONCILE,
	TIMER_SECOND_PASS,
	TIMER_NODE,
	TIMER_WAKE_FLAVOR,
	TIMER_WAKE_FREED,
	TIMER_FILE,
	TIMER_DEACTIVATE,
	TIMER_REACTIVATE,
	TIMER_UNGATE,
	TIMER_RESIZE,
	TIMER_VARIANT,
};
#define TIMER_BITS 8
/* Wakes the policy; subject is a root for flushes, a node, a flavor, else a workload. The
 * engine, which orders timers by their jobs, is told the job of a variant. */
void kueue_timer(struct kueue *k, simtime at, enum kueue_timer timer, uint32_t subject);
enum kueue_timer kueue_timer_of(const struct kueue *k, uint64_t cookie, uint32_t *subject);

/* The kueue flavor of that name; KUEUE_NONE: no queue lists it. */
uint32_t kueue_flavor_named(const struct kueue *k, uint32_t name);
/* The flavor of that name, if there is such an object now. */
const struct flavor *kueue_state_flavor(const struct kueue *k, uint32_t name);
/* Does the LocalQueue take workloads: is it there, and not stopped? */
bool kueue_lq_serves(const struct local_queue *lq);
/* The topology of a flavor, as it is now; NULL. */
const struct topology *kueue_topology_of(const struct kueue *k, const struct flavor *flavor);
/* Does the queue take jobs of this LocalQueue's namespace? */
bool kueue_namespace_matches(const struct kueue *k, uint32_t queue, uint32_t local_queue);

#define KUEUE_LIVES 256 /* in a block */

/* What happened to the job so far, to read or to write. created is not to be read of one
 * that was never reserved. */
const struct kueue_life *kueue_life_blank(void);
struct kueue_life *kueue_life_new(struct kueue *k, uint32_t job);
static inline const struct kueue_life *kueue_life_of(const struct kueue *k, uint32_t job)
{
	uint32_t at = k->jobs[job].life;

	return at == KUEUE_NONE ? kueue_life_blank()
				: &k->lives[at / KUEUE_LIVES][at % KUEUE_LIVES];
}
static inline struct kueue_life *kueue_life_own(struct kueue *k, uint32_t job)
{
	uint32_t at = k->jobs[job].life;

	return at == KUEUE_NONE ? kueue_life_new(k, job)
				: &k->lives[at / KUEUE_LIVES][at % KUEUE_LIVES];
}
/* It will not come back. */
void kueue_life_end(struct kueue *k, uint32_t job);

/* Has it a reservation that it has not given back? */
static inline bool kueue_holds(const struct kueue *k, uint32_t job)
{
	return k->jobs[job].hold != KUEUE_NONE && !k->holds[k->jobs[job].hold].gone;
}
/* Does it hold quota and ask for other pod counts, as a new slice (kueue_slice.h)? */
static inline bool kueue_replaces(const struct kueue *k, uint32_t job)
{
	return kueue_holds(k, job) && k->jobs[job].place != PLACE_NOWHERE;
}
/* Pods of a set that the old slice still holds quota for; 0 if there is none. */
static inline uint32_t kueue_replaced_pods(const struct kueue *k, uint32_t job, uint32_t set)
{
	uint32_t slots = kueue_form_of(k, job)->slot_count;

	return kueue_replaces(k, job) ? k->holds[k->jobs[job].hold].kept[slots + set] : 0;
}
static inline const struct quota_amount *kueue_usage_of(const struct kueue *k, uint32_t hold,
							uint32_t *count)
{
	const struct kueue_usage *u = &k->usages[k->holds[hold].usage];

	*count = u->count;
	return &k->usage_amounts[u->first];
}

#endif
