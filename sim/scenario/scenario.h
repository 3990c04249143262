/* scenario.h - everything a run reads, as plain records.
 *
 * Loaders (objects.c, trace_*.c) fill a builder; scenario_finish() resolves
 * names, applies defaults and gives the immutable scenario that any number of
 * engines on any number of threads may share. Index = input order everywhere.
 * Strings are indices of .strings. Arrays live in the scenario's arena.
 */
#ifndef SIM_SCENARIO_H
#define SIM_SCENARIO_H

#include <stdbool.h>
#include <stdint.h>

#include "core/clock.h"
#include "core/cluster.h"
#include "core/err.h"
#include "core/job.h"
#include "core/label.h"
#include "core/mem.h"
#include "core/name.h"
#include "core/res.h"

#define SCENARIO_NONE UINT32_MAX
#define QUOTA_ABSENT  (-1) /* a limit that is not given (limits are >= 0) */

struct ns_record { /* Namespace; one not given exists without labels */
	uint32_t name;
	struct label_set labels;
};

/* absent, in what follows: there is no such object (yet, or any more). One that only
 * an update makes stands among the live ones all the same, absent at first, as that
 * update will make it. */
struct flavor {
	uint32_t name;
	bool absent;
	struct label_set node_labels;
	struct taint_set taints;
	struct toleration_set tolerations;
	uint32_t topology;	/* index of topologies; SCENARIO_NONE: not a TAS flavor */
	uint32_t topology_name; /* string; NAME_NONE */
};

struct topology {
	uint32_t name;
	bool absent;
	const uint32_t *levels; /* strings: node label keys, highest first */
	uint32_t level_count;
};

struct quota_cell { /* base units; limits QUOTA_ABSENT when not given */
	int64_t nominal;
	int64_t borrowing_limit;
	int64_t lending_limit;
};

struct resource_group {
	const uint32_t *resources; /* coveredResources */
	uint32_t resource_count;
	const uint32_t *flavors; /* indices of scenario.flavors; SCENARIO_NONE: no such object */
	const uint32_t *flavor_names; /* strings */
	uint32_t flavor_count;
	const struct quota_cell *cells; /* [flavor * resource_count + resource] */
};

enum queueing_strategy { QUEUE_BEST_EFFORT_FIFO, QUEUE_STRICT_FIFO };
enum fungibility { FUNGIBILITY_MAY_STOP_SEARCH, FUNGIBILITY_TRY_NEXT_FLAVOR };
enum fungibility_preference {
	PREFER_UNSET,
	PREFER_BORROWING_OVER_PREEMPTION,
	PREFER_PREEMPTION_OVER_BORROWING,
};
enum preemption_policy {
	PREEMPT_NEVER,
	PREEMPT_LOWER_PRIORITY,
	PREEMPT_LOWER_OR_NEWER_EQUAL_PRIORITY,
	PREEMPT_ANY,
};
enum stop_policy { STOP_NONE, STOP_HOLD, STOP_HOLD_AND_DRAIN };

struct check_ref {		 /* admissionChecksStrategy entry */
	uint32_t name;		 /* string */
	uint32_t check;		 /* index of scenario.checks; SCENARIO_NONE: missing */
	const uint32_t *flavors; /* strings; none = all flavors */
	uint32_t flavor_count;
};

/* Labels and annotations of an object, where metrics may show them. */
struct marks {
	struct label_set labels, annotations;
};

struct cluster_queue {
	uint32_t name;
	bool absent;
	uint32_t
		cohort; /* index of scenario.cohorts (implicit ones are there too); SCENARIO_NONE */
	const struct resource_group *groups;
	uint32_t group_count;
	enum queueing_strategy strategy;
	struct label_selector namespace_selector;
	enum fungibility when_can_borrow;
	enum fungibility when_can_preempt;
	enum fungibility_preference preference;
	enum preemption_policy reclaim_within_cohort;
	enum preemption_policy within_cluster_queue;
	enum preemption_policy borrow_within_cohort; /* NEVER or LOWER_PRIORITY */
	bool has_max_priority_threshold;
	int32_t max_priority_threshold;
	enum stop_policy stop;
	int64_t fair_weight; /* in 1e-9 (nano) units; default 1000000000 */
	const struct check_ref *checks;
	uint32_t check_count;
	bool usage_based_fair_sharing; /* admissionScope UsageBasedAdmissionFairSharing */
	/* concurrentAdmissionPolicy (KEP 8691), of no effect without the gate */
	bool concurrent;
	bool retains_first; /* migration mode RetainFirstAdmission, else TryPreferredFlavors */
	uint32_t last_acceptable; /* string, counted from 1: lastAcceptableFlavorName; 0: any */
	struct marks marks;
};

struct cohort {
	uint32_t name;
	uint32_t parent; /* index of cohorts; SCENARIO_NONE */
	bool implicit;	 /* named by a queue or cohort, but no object */
	bool in_cycle;	 /* on or below a cycle of parents: its queues are inactive */
	const struct resource_group *groups;
	uint32_t group_count;
	int64_t fair_weight;
	struct marks marks;
};

struct local_queue {
	uint32_t name;
	uint32_t ns;
	bool absent;
	uint32_t cluster_queue; /* index; SCENARIO_NONE: no such ClusterQueue, ever */
	uint32_t cluster_queue_name;
	enum stop_policy stop;
	int64_t fair_weight;
	struct marks marks;
};

struct priority_class {
	uint32_t name;
	bool absent;
	bool workload; /* WorkloadPriorityClass, else PriorityClass */
	int32_t value;
	bool never_preempts;
	bool global_default;
};

struct admission_check {
	uint32_t name;
	bool absent;
	uint32_t controller;  /* string */
	uint32_t config_name; /* string: ProvisioningRequestConfig; NAME_NONE */
	uint32_t config;      /* index of provisioning_configs; SCENARIO_NONE: no such object */
	bool provisions;      /* its controller asks for nodes (ProvisioningRequest) */
	bool multikueue;      /* its controller is MultiKueue's */
	bool active;	      /* else a queue that has it admits nothing */
};

/* ProvisioningRequestConfig (spec KUEUE.md 1.7). */
struct provisioning_config {
	uint32_t name;
	uint32_t class_name;	     /* string: provisioningClassName */
	uint64_t managed;	     /* bit r: pod sets with resource r need nodes; 0: all do */
	struct label_set parameters; /* keys and values */
	simtime backoff_base, backoff_max;
	uint32_t backoff_limit;
};

/* A pool of equal nodes that an autoscaler sizes; its nodes stand together. */
struct node_pool {
	uint32_t name;
	uint32_t min_size, max_size; /* nodes */
	simtime boot_delay;	     /* from asking for a node until it joins */
	simtime max_run;	     /* of a node, then its capacity is revoked; 0: no limit */
};

/* The modelled cluster-autoscaler (sim/engine/autoscaler.h); names as its flags. */
struct autoscaler_config {
	simtime scan_interval;
	simtime unneeded_time, delay_after_add; /* scale-down */
	simtime reservation, expiration;	/* of ProvisioningRequests */
};

/* What a kind of node costs, from a Prices document (prices.h). */
struct price {
	uint32_t instance_type, model; /* strings; NAME_NONE */
	uint32_t gpus;		       /* of such a node */
	int64_t micro_usd_per_hour;    /* of the whole node, on demand */
	/* discounts, per mille: a range; 0: none */
	uint16_t spot_least, spot_most, reserved_least, reserved_most;
};

enum quota_scope_name {
	SCOPE_TERMINATING, /* the pods have an activeDeadlineSeconds of their own */
	SCOPE_NOT_TERMINATING,
	SCOPE_BEST_EFFORT, /* they name neither cpu nor memory */
	SCOPE_NOT_BEST_EFFORT,
	SCOPE_PRIORITY_CLASS,
	SCOPE_CROSS_NAMESPACE, /* CrossNamespacePodAffinity */
};

struct quota_scope {
	enum quota_scope_name name;
	enum match_op op;	/* of SCOPE_PRIORITY_CLASS; others exist or not */
	const uint32_t *values; /* strings */
	uint32_t value_count;
};

struct resource_quota { /* ResourceQuota: hard limits of a namespace */
	uint32_t name;
	uint32_t ns;
	const int64_t *hard;	    /* per resource (requests.X and X alike); -1: not limited */
	uint64_t plain;		    /* bit r: it is written as X, not as requests.X */
	const int64_t *hard_limits; /* limits.X; NULL: none */
	int64_t hard_pods;	    /* -1: not limited */
	const struct quota_scope *scopes; /* of the pods that it counts; all must hold */
	uint32_t scope_count;
};

enum budget_rule { BUDGET_NONE, BUDGET_MIN_AVAILABLE, BUDGET_MAX_UNAVAILABLE };

struct disruption_budget { /* PodDisruptionBudget */
	uint32_t name;
	uint32_t ns;
	struct label_selector selector; /* {} selects every pod, but no victim */
	enum budget_rule rule;
	bool percent;	/* amount is, of the replicas of the pods' controllers */
	int64_t amount; /* else pods */
};

struct limit_range_item {
	bool pod; /* type Pod, else Container */
	const int64_t *max, *min, *default_request,
		*default_limit;	  /* per resource; -1 absent; NULL none */
	const int64_t *max_ratio; /* of limit to request, in thousandths; the same */
};

struct limit_range {
	uint32_t name;
	uint32_t ns;
	const struct limit_range_item *items;
	uint32_t item_count;
};

/* An entry of metrics.customLabels: a label of metrics, and what it is read from. */
enum metric_source {
	METRIC_CLUSTER_QUEUE,
	METRIC_LOCAL_QUEUE,
	METRIC_COHORT,
	METRIC_SOURCES,
};
#define METRIC_LABELS_MAX 6 /* of one source */
struct metric_label {
	uint32_t name; /* string: custom_... */
	enum metric_source source;
	uint32_t key; /* of a label, or of an annotation */
	bool annotation;
	const uint32_t *tracked; /* values that are shown as they are; none: all */
	uint32_t tracked_count;
};

struct transformation {
	uint32_t input;
	bool replace;
	uint32_t multiply_by;	      /* resource; SCENARIO_NONE */
	const uint32_t *outputs;      /* resources */
	const int64_t *factors;	      /* nano units of output per unit of input, as written */
	const int64_t *whole_factors; /* the same in whole units, where factors[i] is INT64_MAX
					 (10Gi a slice and the like) */
	uint32_t output_count;
};

enum { FAIR_FINAL_SHARE = 1, FAIR_INITIAL_SHARE = 2 };

/* Configuration (config.kueue.x-k8s.io); defaults as at the modelled version. */
struct kueue_config {
	bool given;
	bool manage_jobs_without_queue_name;
	struct label_selector managed_namespaces; /* managedJobsNamespaceSelector; not present:
						     all but kube-system and kueue_namespace */
	uint32_t kueue_namespace; /* string: where Kueue itself runs; NAME_NONE: kueue-system */
	bool fair_sharing;
	uint8_t fair_strategies[2]; /* FAIR_*; 0 ends the list */
	bool admission_fair_sharing;
	simtime usage_half_life, usage_sampling;
	const int64_t *usage_weights; /* nano units per resource; NULL: all 1 */
	bool wait_for_pods_ready;
	simtime pods_ready_timeout, recovery_timeout;
	bool block_admission;
	bool requeue_by_creation; /* requeuingStrategy.timestamp Creation */
	simtime requeue_base, requeue_max;
	int64_t requeue_limit;		   /* backoffLimitCount; -1: none */
	const uint32_t *excluded_prefixes; /* strings */
	uint32_t excluded_prefix_count;
	const struct transformation *transformations;
	uint32_t transformation_count;
	bool ignore_undeclared; /* quotaCheckStrategy IgnoreUndeclared */
	bool resource_metrics;	/* metrics.enableClusterQueueResources; shown unless it is false
				    (Kueue hides them unless it is true) */
	bool local_metrics;	/* metrics.localQueueMetrics.enable ... */
	struct label_selector local_metrics_of; /* ... its localQueueSelector; not present: all */
	const struct metric_label *metric_labels;
	uint32_t metric_label_count;
	bool searches_anew;	 /* tests: nothing is spared (kueue_recall.h, kueue_spot.h) */
	const uint32_t *gates;	 /* strings; featureGates that were set ... */
	const bool *gate_values; /* ... and their values */
	uint32_t gate_count;
};

/* An object annotated gqsim/at comes, or replaces what it names, at that time, and one
 * annotated gqsim/delete-at goes then: version is an index into the array of its kind
 * (versions follow the objects there). */
enum update_kind {
	UPDATE_CLUSTER_QUEUE,
	UPDATE_LOCAL_QUEUE,
	UPDATE_COHORT,
	UPDATE_FLAVOR,
	UPDATE_NODE,
	UPDATE_WORKLOAD_PRIORITY_CLASS,
	UPDATE_NAMESPACE,
	UPDATE_TOPOLOGY,
	UPDATE_ADMISSION_CHECK,
};

struct update {
	simtime at;
	enum update_kind kind;
	uint32_t object;  /* index it replaces; SCENARIO_NONE: a Node or Namespace that is new
			     at that time, and later versions of it name this one */
	uint32_t version; /* index of the record that holds from then on */
};

/* What a cluster's Workload says became of a job (a dump). Times since time 0;
 * CLOCK_NEVER: it has not happened. After evictions they are those of the last try. */
struct recorded {
	uint32_t job;
	simtime reserved, admitted, finished;
	uint32_t evictions;
	bool running;	     /* of a snapshot: it had its quota */
	simtime early, late; /* guesses in place of job.duration, which is their median; 0: known */
};

/* A finding about the input that does not stop the run (the real system would
 * accept it too), or something the input has and gqsim does not model. */
enum finding_kind {
	FINDING_WARNING,
	FINDING_ERROR, /* a warning of what stops a whole part of the cluster: to check an error */
	FINDING_NOT_MODELLED,
	FINDING_NOTE,
	FINDING_ADVICE, /* it works, but seldom as meant: only `check` tells */
};

struct finding {
	enum finding_kind kind;
	uint32_t text;	       /* string: "file:line:column: sentence" */
	uint32_t sentence;     /* where in it the sentence begins */
	uint32_t rule;	       /* string, such as "flavor-without-nodes"; NAME_NONE: a loader's */
	uint32_t fix;	       /* string: what to do about it; NAME_NONE */
	uint32_t file;	       /* string; NAME_NONE: nowhere in particular */
	uint32_t line, column; /* 1-based; 0 unknown */
};

/* Is it to be shown among those of this kind? A run goes on after an error: it warns. */
static inline bool finding_shown(const struct finding *finding, enum finding_kind kind)
{
	return finding->kind == kind || (kind == FINDING_WARNING && finding->kind == FINDING_ERROR);
}

struct scheduler_profile; /* profile.h */

struct scenario {
	struct mem_arena *arena;
	struct name_table *strings;
	struct name_table *resources; /* res.h indices */
	uint32_t resource_count;
	bool resource_is_gpu[RES_MAX];

	struct ns_record *namespaces;
	struct flavor *flavors;
	struct topology *topologies;
	struct cluster_queue *cluster_queues;
	struct cohort *cohorts;
	struct local_queue *local_queues;
	struct priority_class *priority_classes;
	struct admission_check *checks;
	struct provisioning_config *provisioning_configs;
	struct resource_quota *resource_quotas;
	struct limit_range *limit_ranges;
	struct disruption_budget *budgets;
	const struct scheduler_profile *profiles; /* of kube-scheduler, the default one first */
	struct node *nodes;
	/* Counts of live objects; records past them are versions for updates[]. */
	uint32_t namespace_count, flavor_count, topology_count, cluster_queue_count, cohort_count,
		local_queue_count, priority_class_count, check_count, provisioning_config_count,
		resource_quota_count, limit_range_count, budget_count, profile_count, node_count;
	struct node_pool *pools; /* those that an autoscaler sizes */
	uint32_t pool_count;
	struct price *prices; /* in the order read */
	uint32_t price_count;
	uint32_t price_date; /* string; NAME_NONE: no Prices document was read */
	struct autoscaler_config autoscaler;
	struct update *updates; /* sorted by (at, input order) */
	uint32_t update_count;
	struct kueue_config config;

	struct pod_shape *shapes;
	uint32_t shape_count;
	struct pod_set *pod_sets;
	uint32_t pod_set_count;
	struct job *jobs; /* in input order */
	uint32_t job_count;
	struct label_set *pod_labels;
	uint32_t pod_label_count;
	uint32_t *pod_classes;	  /* per job: string of its pods' PriorityClass, or NAME_NONE. NULL:
				     nothing asks for them */
	uint32_t *job_labels;	  /* per job: of its pods, in pod_labels, counted from 1; 0: none.
				 NULL: no job has any */
	simtime *recorded_starts; /* per job: when its trace saw it start; CLOCK_NEVER: not
				     recorded. NULL: of none */
	uint32_t *by_submit;	  /* job indices sorted stably by submit; NULL: as they stand
				     (scenario_by_submit) */
	struct job_after *afters; /* by (after, job) */
	uint32_t after_count;
	struct job_extra *extras;
	uint32_t extra_count;

	struct recorded *recorded; /* ascending jobs */
	uint32_t recorded_count;
	simtime recorded_until; /* when the dump was taken, as far as it says */

	struct finding *findings;
	uint32_t finding_count;
	uint32_t title;	       /* string: what the tables call this input; NAME_NONE */
	uint32_t *input_names; /* strings, with the hashes of source.h */
	uint64_t *input_hashes;
	uint32_t input_count;
	/* Options of the Simulation document: "name=value" strings for options.c;
	 * the command line wins. */
	uint32_t *options;
	uint32_t option_count;
	simtime origin; /* trace: wall-clock second of time 0 since 1970 (naive), x 1e6; 0 none */
	bool has_origin;
	bool derived_queues; /* ClusterQueues made from the trace's virtual clusters */
};

/* The job that comes as the rank-th, from 0. */
static inline uint32_t scenario_by_submit(const struct scenario *scenario, uint32_t rank)
{
	return scenario->by_submit != NULL ? scenario->by_submit[rank] : rank;
}

void scenario_free(struct scenario *scenario);

/* Does Kueue manage jobs of this namespace at all (managedJobsNamespaceSelector)? */
bool scenario_manages(const struct kueue_config *config, const struct name_table *strings,
		      const struct ns_record *ns);

/* Job's name for people and logs: its name, or "job-<row>". Valid until the
 * next call with the same buffer. */
#define SCENARIO_NAME_TEXT 32
const char *scenario_job_name(const struct scenario *scenario, uint32_t job,
			      char buf[SCENARIO_NAME_TEXT]);
/* ClusterQueue index of a job through its LocalQueue; SCENARIO_NONE. */
uint32_t scenario_job_cluster_queue(const struct scenario *scenario, uint32_t job);
/* Is the check for the flavor of this name? Not of one that is for all. */
bool scenario_names_flavor(const struct check_ref *check, uint32_t name);
/* Has the queue quota in the flavor of this name? */
bool scenario_has_flavor(const struct cluster_queue *queue, uint32_t name);
/* What its controller was told; NULL: nothing. (Most inputs say nothing of the kind, and then
 * the job itself is not looked at, which may be far away.) */
const struct job_control *scenario_job_control(const struct scenario *scenario, uint32_t job);
/* What can be said of all jobs at once: a look at each of a million is dear. */
struct scenario_survey {
	bool eventful;	   /* some of them have a controller or an extra, or are JOB_SOLO */
	bool solo;	   /* some are JOB_SOLO */
	bool one_priority; /* their pods have the same */
};
/* Also counts their pods: first_pod[job_count + 1] gets the sum over the jobs before. */
struct scenario_survey scenario_survey(const struct scenario *scenario, uint32_t *first_pod);
/* May its parallelism change (Kueue's workload slices)? */
bool scenario_job_elastic(const struct scenario *scenario, uint32_t job);
/* Are some of its pods done before others are made (struct startup)? */
bool scenario_job_staged(const struct scenario *scenario, uint32_t job);
/* Completions that end the job; JOB_NONE: it needs no certain number. */
uint32_t scenario_job_completions(const struct scenario *scenario, uint32_t job);
/* Work of the n-th completion. */
simtime scenario_job_work(const struct scenario *scenario, uint32_t job, uint32_t completion);
/* Team a job is reported under: its ClusterQueue; without queues its namespace. */
const char *scenario_string(const struct scenario *scenario, uint32_t string);
int64_t scenario_gpus(const struct scenario *scenario); /* of all nodes */
/* Nodes that are there at the start or may be brought by an autoscaler. node_count also counts
 * one for each pool of 0 nodes, so that it is 0 only where no nodes are modelled at all: then
 * no pod is placed, and quota alone decides. */
uint32_t scenario_nodes(const struct scenario *scenario);
/* Nodes that only an update brings, and the index of the node that an update changes
 * or brings: in a run they stand behind the others, in the order of the updates. */
uint32_t scenario_added_nodes(const struct scenario *scenario);
uint32_t scenario_updated_node(const struct scenario *scenario, uint32_t update);

#endif
