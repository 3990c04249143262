/* job.h - a job, its pod sets and the pod template they share.
 *
 * Input records only: what a run does with a job is in sim/world/world.h. Jobs with
 * equal templates share one pod_shape, so a million jobs of a trace have a
 * handful of shapes, and shapes are the classes by which schedulers may
 * remember that something did not fit.
 */
#ifndef CORE_JOB_H
#define CORE_JOB_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/clock.h"
#include "core/constraint.h"
#include "core/label.h"
#include "core/res.h"

#define JOB_ENDLESS CLOCK_NEVER /* duration of what runs until someone stops it */
#define JOB_NONE    UINT32_MAX

enum topology_mode {
	TOPOLOGY_NONE,
	TOPOLOGY_REQUIRED,
	TOPOLOGY_PREFERRED,
	TOPOLOGY_UNCONSTRAINED,
};

/* Slices of pods that go to one topology domain each. */
#define JOB_INNER_SLICES 2 /* layers inside the outermost (API limit) */
struct slice_layer {
	uint32_t level; /* string: node label key */
	uint32_t size;	/* pods */
};

/* Amounts that a namespace refuses: each text goes on where "spec...template.spec"
 * of the pod set ends. */
struct pod_faults {
	const char *const *limits; /* requests above the container's limits */
	const char *const *ranges; /* outside of a LimitRange */
	uint32_t limit_count, range_count;
	const char *forbidden; /* what the API server's LimitRanger says; NULL: it lets them be */
};

/* A pod template as the schedulers see it. */
struct pod_shape {
	const int64_t *request; /* effective request of one pod, per resource */
	const int64_t *limit;	/* effective limit per resource; NULL if none is given */
	uint64_t requested;	/* bit r: resource r is named in the requests */
	const int64_t *counted; /* what Kueue takes one pod for; NULL: for its request */
	uint64_t counts;	/* bit r: resource r is named there; 0 where counted is NULL */
	int64_t nonzero_cpu;	/* with kube-scheduler's defaults for absent requests */
	int64_t nonzero_memory; /* (100m, 200Mi a container), for scoring only */
	int64_t gpus;		/* devices of all GPU resources */
	struct label_set node_selector;
	const struct node_term *affinity; /* required terms, ORed */
	uint32_t affinity_count;
	struct toleration_set tolerations;
	const struct pod_constraints *constraints; /* NULL: none */
	enum topology_mode topology_mode;
	uint32_t topology_level; /* string: node label key; NAME_NONE */
	uint32_t slice_level;	 /* string; NAME_NONE */
	uint32_t slice_size;
	struct slice_layer inner_slices[JOB_INNER_SLICES]; /* each inside the one before */
	uint32_t inner_slice_count;
	uint32_t topology_group;  /* string: pod-set group name; NAME_NONE */
	uint32_t container_count; /* at least 1 */
	bool deadline;		  /* spec.activeDeadlineSeconds of the pod */
	uint32_t scheduler;	  /* schedulerName: string, counted from 1; 0: the default one */
	uint32_t profile;	  /* of kube-scheduler, with that name; 0: the default one */
	const struct pod_faults *faults; /* NULL: none */
};

/* What Kueue counts of one pod, per resource, and which resources. */
static inline const int64_t *pod_shape_counted(const struct pod_shape *shape)
{
	return shape->counted != NULL ? shape->counted : shape->request;
}

static inline uint64_t pod_shape_counts(const struct pod_shape *shape)
{
	return shape->counted != NULL ? shape->counts : shape->requested;
}

struct pod_set {
	uint32_t name;	    /* string; "main" unless given */
	uint32_t shape;	    /* index of scenario.shapes */
	uint32_t count;	    /* pods */
	uint32_t min_count; /* partial admission; == count when not allowed */
	bool has_min;	    /* a least number was given, were it all of them: workloads with and
			     * without are not alike to Kueue (workload.go, scheduling hash) */
};

enum {				  /* job.flags */
       JOB_NEVER_PREEMPTS = 1,	  /* its PriorityClass has preemptionPolicy Never */
       JOB_NOT_GANG = 2,	  /* pods work each for itself (gqsim/gang: "false") */
       JOB_UNMANAGED = 4,	  /* no queue-name label: Kueue leaves it alone */
       JOB_INACTIVE = 8,	  /* not in this run, kept for the report */
       JOB_MANIFEST = 16,	  /* from a Kubernetes object, not from a list of jobs */
       JOB_SINGLE_POD = 32,	  /* a Pod of its own: it cannot move to another node */
       JOB_CUT = 64,		  /* a list told its GPUs only: nodes' size made its pods */
       JOB_SOLO = 128,		  /* not a gang and more than one pod can be: each pod has its
				* own work, start and end (builder_finish sets it) */
       JOB_PRIORITY_GIVEN = 256,  /* priority is a number of its own, no class's */
       JOB_ASKED = 512,		  /* what if it were submitted now? */
       JOB_CRASHED = 1024,	  /* its trace says that it failed when its work ended */
       JOB_KILLED = 2048,	  /* likewise: that its owner cancelled it then */
       JOB_POD_GROUP = 4096,	  /* its pods are a group of Kueue's pod integration (of bare
				  * pods, StatefulSet, LeaderWorkerSet) */
       JOB_FORCED = 8192,	  /* its pods may be deleted by force when their node is not heard
				  * of (kueue.x-k8s.io/safe-to-forcefully-delete) */
       JOB_CLASS_OF_PODS = 16384, /* its priority_class is a PriorityClass that its pods name */
};

/* What many jobs have in common: a million jobs share a handful of these. */
struct job_common {
	simtime checkpoint;	 /* work is saved every so long; 0: never */
	simtime restart_cost;	 /* work added to each restart from a checkpoint */
	uint32_t ns;		 /* namespace: string */
	uint32_t queue;		 /* LocalQueue name: string; NAME_NONE */
	uint32_t local_queue;	 /* index of scenario.local_queues; JOB_NONE: no such queue */
	uint32_t priority_class; /* string; NAME_NONE */
	int32_t priority;	 /* workload priority (WorkloadPriorityClass first) */
	int32_t pod_priority;	 /* of its pods (PriorityClass) */
	uint32_t pods;		 /* in all pod sets; as gpus filled by builder_finish */
	uint32_t gpus;		 /* of all its pods together, in whole devices */
	uint32_t first_pod_set;	 /* into scenario.pod_sets */
	uint16_t pod_set_count;
	uint16_t flags;
};

/* One a job, in input order: loading them costs the memory that they touch, so what few jobs
 * have is elsewhere (extra), and what many share is there once. */
struct job {
	simtime submit;
	simtime duration;		 /* of work, once all pods run; JOB_ENDLESS */
	const struct job_common *common; /* the scenario's; equal ones are one (draft_common) */
	uint32_t name;			 /* string; NAME_NONE: the row number is the name */
	uint32_t row;			 /* zero-based input row; Kueue's uid in the goldens */
	uint32_t extra;			 /* index of scenario.extras; JOB_NONE (most jobs) */
	uint16_t utilisation; /* GPU utilisation level while running, per mille; 1000 default */
};
static_assert(sizeof(struct job) <= 40, "memory a job");

/* Who makes the pods of a job, and makes them again. */
enum job_controller {
	CONTROLLER_JOB,		 /* lost pods return after a back-off */
	CONTROLLER_REPLICA_SET,	 /* Deployment, ReplicaSet: at once, any number */
	CONTROLLER_STATEFUL_SET, /* at once, in the order of their ordinals */
	CONTROLLER_NONE,	 /* a Pod of its own: gone for good when it is lost */
	CONTROLLER_POD_GROUP,	 /* likewise, but for its queue: who made it replaces its pods
				  * (Kueue: WaitingForReplacementPods) */
};

/* That a pod of the job fails: the n-th entry without an index tells of the n-th pod
 * that starts, or starts again (of a gang: of its n-th attempt), one with an index of
 * every pod of that completion index. */
struct pod_fate {
	uint32_t index; /* JOB_NONE: by order */
	simtime after;	/* of work; -1: it succeeds */
	int32_t code;	/* exit code of its container, 1 to 255 */
};

enum failure_action { FAILURE_COUNT, FAILURE_IGNORE, FAILURE_FAIL_INDEX, FAILURE_FAIL_JOB };

/* A rule of spec.podFailurePolicy; the first that matches holds. */
struct failure_rule {
	enum failure_action action;
	bool disruption; /* onPodConditions DisruptionTarget, else onExitCodes */
	bool not_in;	 /* operator NotIn */
	const int32_t *codes;
	uint32_t code_count;
};

/* A rule of spec.successPolicy: enough of these indexes have succeeded. */
struct success_rule {
	const uint32_t *bounds; /* first and last of each interval; NULL: every index */
	uint32_t interval_count;
	uint32_t count; /* JOB_NONE: all of them */
};

/* The controller is told something new at this time. */
struct job_change {
	simtime at;
	uint32_t replicas; /* JOB_NONE: as before */
	int8_t suspend;	   /* 1, 0; -1: as before */
};

/* spec.concurrencyPolicy of a CronJob: what becomes of a run while others go on. */
enum cron_policy { CRON_ALLOW, CRON_FORBID, CRON_REPLACE };

struct cron_rule {
	enum cron_policy policy;
	simtime deadline;      /* startingDeadlineSeconds; -1: none */
	uint32_t first, count; /* its jobs, in the order of their times */
};

/* The replicas of a service that are a job each, one after the other. */
struct job_family {
	uint32_t first, count;
};

/* Pods of a set are made only when those of another are there, or done. */
struct startup {
	uint16_t set, after; /* of the job's pod sets; there is no circle */
	bool complete;	     /* done, else ready */
};

/* When an operator calls its job running, by which Kueue takes it for ready (PodsReady of
 * pkg/controller/jobs); it does not take that back when a pod is lost. */
struct ready_rule {
	uint16_t first, count; /* of the job's pod sets: these must run */
	bool any;	       /* one pod of theirs is enough */
};

/* spec of the controller (Kubernetes 1.34, pkg/controller/job). */
struct job_control {
	enum job_controller controller;
	bool indexed;
	bool suspended;		     /* at creation, and no queue would lift it */
	bool restarts;		     /* containers that fail start again in their pod */
	bool ordered;		     /* StatefulSet: podManagementPolicy OrderedReady */
	bool elastic;		     /* kueue.x-k8s.io/elastic-job: its parallelism changes */
	uint32_t completions;	     /* JOB_NONE: until a pod has succeeded */
	uint32_t replicas;	     /* of a service, or parallelism of an elastic Job, at first */
	uint32_t backoff_limit;	     /* failed pods; JOB_NONE: any number */
	uint32_t index_limit;	     /* backoffLimitPerIndex; JOB_NONE: none */
	uint32_t max_failed_indexes; /* JOB_NONE: none */
	simtime deadline;	     /* activeDeadlineSeconds; 0: none */
	const simtime *durations;    /* of the completions in turn, the last repeats; none: all
				      * as the job's */
	uint32_t duration_count;
	const struct pod_fate *fates;
	uint32_t fate_count;
	const struct failure_rule *failure_rules;
	uint32_t failure_rule_count;
	const struct success_rule *success_rules;
	uint32_t success_rule_count;
	const struct job_change *changes; /* ascending */
	uint32_t change_count;
	const struct startup *startups; /* in what order pods of a gang are made */
	uint32_t startup_count;
	/* With startups, per pod set: work after which its pods are done, before that of the job
	 * begins; -1: they work with the job. */
	const simtime *set_works;
	const struct ready_rule *ready;	 /* NULL: while all pods run */
	const struct job_family *family; /* whose number the changes tell; NULL: none */
	const struct cron_rule *cron;	 /* NULL: no CronJob made it */
};

/* A job that its user submits when another has ended. */
struct job_after {
	uint32_t job, after; /* after: submitted earlier, so that there is no circle */
	simtime think;	     /* from its end to the submit; -1: not before its end, and not before
			      * the time of job.submit */
};

/* What few jobs have: lifecycle given per attempt, the last value repeats
 * (golden/kueue/README.md, f15-f22). Lists may be empty. */
struct job_extra {
	const simtime *ready; /* from Admitted to pods ready; CLOCK_NEVER */
	uint32_t ready_count;
	const simtime *fail; /* after ready; -1: this attempt does not fail */
	uint32_t fail_count;
	const simtime *recover;
	uint32_t recover_count;
	const simtime *check; /* from reservation to the checks' answer */
	uint32_t check_count;
	const uint8_t *check_result; /* 0 Ready, 1 Retry, 2 Rejected */
	uint32_t check_result_count;
	const simtime *check_retry;
	uint32_t check_retry_count;
	simtime max_execution;		   /* 0: no limit */
	simtime cancel_at;		   /* absolute; CLOCK_NEVER */
	simtime deactivate_at;		   /* its workload's spec.active becomes false; 0: never */
	simtime reactivate_at;		   /* and true again; 0: never */
	uint32_t gated_by;		   /* string, counted from 1: who holds its workload back
					    * (kueue.x-k8s.io/admission-gated-by); 0: nobody */
	simtime ungated_at;		   /* until then; 0: for ever */
	int32_t priority_boost;		   /* what Kueue adds to its workload's priority (KEP
					    * 7990: gate PriorityBoost) */
	bool no_retry;			   /* parameter of its ProvisioningRequests */
	const struct job_control *control; /* NULL: pods are made again without limit */
};

#endif
