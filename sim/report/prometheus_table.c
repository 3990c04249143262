#include "sim/report/prometheus_table.h"

#include <stddef.h>

/* What several families say of a label. */
#define REASONS                                                                                    \
	"The label 'reason' can have the following values:\n"                                      \
	"- \"Preempted\" means that the workload was evicted in order to free "                    \
	"resources for a workload with a higher priority or reclamation of nominal "               \
	"quota.\n"                                                                                 \
	"- \"PodsReadyTimeout\" means that the eviction took place due to a "                      \
	"PodsReady timeout.\n"                                                                     \
	"- \"AdmissionCheck\" means that the workload was evicted because at least "               \
	"one admission check transitioned to False.\n"                                             \
	"- \"ClusterQueueStopped\" means that the workload was evicted because the "               \
	"ClusterQueue is stopped.\n"                                                               \
	"- \"LocalQueueStopped\" means that the workload was evicted because the "                 \
	"LocalQueue is stopped.\n"                                                                 \
	"- \"NodeFailures\" means that the workload was evicted due to node "                      \
	"failures when using TopologyAwareScheduling.\n"                                           \
	"- \"Deactivated\" means that the workload was evicted because spec.active "               \
	"is set to false."
#define CAUSES_ARE                                                                                 \
	"The label 'underlying_cause' can have the following values:\n"                            \
	"- \"\" means that the value in 'reason' label is the root cause for "                     \
	"eviction."
#define CAUSES                                                                                     \
	"- \"AdmissionCheck\" means that the workload was evicted by Kueue due to "                \
	"a rejected admission check.\n"                                                            \
	"- \"MaximumExecutionTimeExceeded\" means that the workload was evicted by "               \
	"Kueue due to maximum execution time exceeded.\n"                                          \
	"- \"RequeuingLimitExceeded\" means that the workload was evicted by Kueue "               \
	"due to requeuing limit exceeded."
#define STATUSES                                                                                   \
	"'status' can have the following values:\n"                                                \
	"- \"active\" means that the workloads are in the admission queue.\n"                      \
	"- \"inadmissible\" means there was a failed admission attempt for these "                 \
	"workloads and they won't be retried until cluster conditions, which could "               \
	"make this workload admissible, change"

/* Label sets; "replica_role" is part of all. */
const struct prometheus_family prometheus_families[KUEUE_FAMILIES] = {
	[KUEUE_ADMISSION_ATTEMPTS_TOTAL] =
		{"kueue_admission_attempts_total",
		 "The total number of attempts to admit workloads.\n"
		 "Each admission attempt might try to admit more than one workload.\n"
		 "The label 'result' can have the following values:\n"
		 "- 'success' means that at least one workload was admitted.,\n"
		 "- 'inadmissible' means that no workload was admitted.",
		 {"replica_role", "result"},
		 PROMETHEUS_COUNTER,
		 0},
	[KUEUE_ADMISSION_CYCLE_PREEMPTION_SKIPS] =
		{"kueue_admission_cycle_preemption_skips",
		 "The number of Workloads in the ClusterQueue that got preemption "
		 "candidates but had to be skipped because other ClusterQueues needed the "
		 "same resources in the same cycle",
		 {"cluster_queue", "replica_role"},
		 PROMETHEUS_GAUGE,
		 0},
	[KUEUE_PREEMPTION_TARGET_RECOMPUTATIONS_TOTAL] =
		{"kueue_preemption_target_recomputations_total",
		 "The total number of preemption target recomputations triggered when a "
		 "workload's preemption\n"
		 "targets overlap with targets selected by another workload in the same "
		 "scheduling cycle.\n"
		 "The label 'result' can have the following values:\n"
		 "- 'new_targets' means the recomputation resolved the overlap by selecting "
		 "non-overlapping targets.\n"
		 "- 'deferred_fit' means the workload will fit only after earlier "
		 "preemptions in the cycle complete.\n"
		 "- 'skipped' means recomputation produced neither a deferred fit nor a fit "
		 "with non-overlapping targets, including cases where overlap is removed "
		 "but the workload still fails the fit check.\n"
		 "Globally configured custom ClusterQueue labels are also appended to the "
		 "base labels.",
		 {"cluster_queue", "replica_role", "result"},
		 PROMETHEUS_COUNTER,
		 0},
	[KUEUE_PENDING_WORKLOADS] =
		{"kueue_pending_workloads",
		 "The number of pending workloads, per 'cluster_queue' and 'status'.\n" STATUSES,
		 {"cluster_queue", "replica_role", "status"},
		 PROMETHEUS_GAUGE,
		 0},
	[KUEUE_PENDING_SCHEDULING_HASHES] =
		{"kueue_pending_scheduling_hashes",
		 "The number of unique pending scheduling equivalence hashes, per "
		 "'cluster_queue' and 'status'. Reported only when "
		 "SchedulingEquivalenceHashing is enabled.\n" STATUSES,
		 {"cluster_queue", "replica_role", "status"},
		 PROMETHEUS_GAUGE,
		 0},
	[KUEUE_FINISHED_WORKLOADS] = {"kueue_finished_workloads",
				      "The number of finished workloads per 'cluster_queue'.",
				      {"cluster_queue", "replica_role"},
				      PROMETHEUS_GAUGE,
				      0},
	[KUEUE_FINISHED_WORKLOADS_TOTAL] =
		{"kueue_finished_workloads_total",
		 "The total number of finished workloads per 'cluster_queue'",
		 {"cluster_queue", "priority_class", "replica_role"},
		 PROMETHEUS_COUNTER,
		 0},
	[KUEUE_QUOTA_RESERVED_WORKLOADS_TOTAL] =
		{"kueue_quota_reserved_workloads_total",
		 "The total number of quota reserved workloads per 'cluster_queue'",
		 {"cluster_queue", "priority_class", "replica_role"},
		 PROMETHEUS_COUNTER,
		 0},
	[KUEUE_QUOTA_RESERVED_WAIT_TIME_SECONDS] =
		{"kueue_quota_reserved_wait_time_seconds",
		 "The time between a workload was created or requeued until it got quota "
		 "reservation, per 'cluster_queue'",
		 {"cluster_queue", "priority_class", "replica_role"},
		 PROMETHEUS_HISTOGRAM,
		 14},
	[KUEUE_ADMITTED_WORKLOADS_TOTAL] =
		{"kueue_admitted_workloads_total",
		 "The total number of admitted workloads per 'cluster_queue'",
		 {"cluster_queue", "priority_class", "replica_role"},
		 PROMETHEUS_COUNTER,
		 0},
	[KUEUE_ADMISSION_WAIT_TIME_SECONDS] =
		{"kueue_admission_wait_time_seconds",
		 "The time between a workload was created or requeued until admission, per "
		 "'cluster_queue'",
		 {"cluster_queue", "priority_class", "replica_role"},
		 PROMETHEUS_HISTOGRAM,
		 16},
	[KUEUE_ADMISSION_CHECKS_WAIT_TIME_SECONDS] =
		{"kueue_admission_checks_wait_time_seconds",
		 "The time from when a workload got the quota reservation until admission, "
		 "per 'cluster_queue'",
		 {"cluster_queue", "priority_class", "replica_role"},
		 PROMETHEUS_HISTOGRAM,
		 14},
	[KUEUE_READY_WAIT_TIME_SECONDS] =
		{"kueue_ready_wait_time_seconds",
		 "The time between a workload was created or requeued until ready, per "
		 "'cluster_queue'",
		 {"cluster_queue", "priority_class", "replica_role"},
		 PROMETHEUS_HISTOGRAM,
		 14},
	[KUEUE_ADMITTED_UNTIL_READY_WAIT_TIME_SECONDS] =
		{"kueue_admitted_until_ready_wait_time_seconds",
		 "The time between a workload was admitted until ready, per 'cluster_queue'",
		 {"cluster_queue", "priority_class", "replica_role"},
		 PROMETHEUS_HISTOGRAM,
		 14},
	[KUEUE_EXECUTION_TIME_SECONDS] =
		{"kueue_execution_time_seconds",
		 "The total execution time of a finished admitted workload (from first "
		 "admission to completion, including time across evict/readmit cycles), per "
		 "'cluster_queue'",
		 {"cluster_queue", "priority_class", "replica_role"},
		 PROMETHEUS_HISTOGRAM,
		 16},
	[KUEUE_PODS_READY_TO_EVICTED_TIME_SECONDS] =
		{"kueue_pods_ready_to_evicted_time_seconds",
		 "The number of seconds between a workload's pods being ready and eviction "
		 "workloads per 'cluster_queue',\n" REASONS "\n" CAUSES_ARE "\n" CAUSES,
		 {"cluster_queue", "reason", "replica_role", "underlying_cause"},
		 PROMETHEUS_HISTOGRAM,
		 14},
	[KUEUE_EVICTED_WORKLOADS_TOTAL] =
		{"kueue_evicted_workloads_total",
		 "The number of evicted workloads per 'cluster_queue',\n" REASONS "\n" CAUSES_ARE
		 "\n" CAUSES,
		 {"cluster_queue", "priority_class", "reason", "replica_role", "underlying_cause"},
		 PROMETHEUS_COUNTER,
		 0},
	[KUEUE_EVICTED_WORKLOADS_ONCE_TOTAL] =
		{"kueue_evicted_workloads_once_total",
		 "The number of unique workload evictions per 'cluster_queue',\n" REASONS
		 "\n" CAUSES_ARE "\n"
		 "- \"WaitForStart\" means that the pods have not been ready since "
		 "admission, or the workload is not admitted.\n"
		 "- \"WaitForRecovery\" means that the Pods were ready since the workload "
		 "admission, but some pod has failed.\n" CAUSES,
		 {"cluster_queue", "priority_class", "reason", "replica_role", "underlying_cause"},
		 PROMETHEUS_COUNTER,
		 0},
	[KUEUE_WORKLOAD_EVICTION_LATENCY_SECONDS] =
		{"kueue_workload_eviction_latency_seconds",
		 "The time from workload eviction (WorkloadEvicted condition becomes True) "
		 "until the workload returns to Pending (quota released).\n"
		 "Observed on status transition from admitted or quota-reserved to pending "
		 "while WorkloadEvicted remains True.\n"
		 "Each matching update observes one latency sample (seconds) into this "
		 "histogram; Prometheus aggregates samples across workloads.\n"
		 "Uses the eviction condition LastTransitionTime on the updated object as "
		 "the start time; cluster_queue is taken from "
		 "status.admission.cluster_queue on the pre-update object when set and "
		 "non-empty (otherwise no sample is recorded for that update).\n" REASONS,
		 {"cluster_queue", "reason", "replica_role"},
		 PROMETHEUS_HISTOGRAM,
		 14},
	[KUEUE_PREEMPTED_WORKLOADS_TOTAL] =
		{"kueue_preempted_workloads_total",
		 "The number of preempted workloads per 'preempting_cluster_queue',\n"
		 "The label 'reason' can have the following values:\n"
		 "- \"InClusterQueue\" means that the workload was preempted by a workload "
		 "in the same ClusterQueue.\n"
		 "- \"InCohortReclamation\" means that the workload was preempted by a "
		 "workload in the same cohort due to reclamation of nominal quota.\n"
		 "- \"InCohortFairSharing\" means that the workload was preempted by a "
		 "workload in the same cohort Fair Sharing.\n"
		 "- \"InCohortReclaimWhileBorrowing\" means that the workload was preempted "
		 "by a workload in the same cohort due to reclamation of nominal quota "
		 "while borrowing.",
		 {"preempting_cluster_queue", "reason", "replica_role"},
		 PROMETHEUS_COUNTER,
		 0},
	[KUEUE_REPLACED_WORKLOAD_SLICES_TOTAL] =
		{"kueue_replaced_workload_slices_total",
		 "The number of replaced workload slices per 'cluster_queue'",
		 {"cluster_queue", "replica_role"},
		 PROMETHEUS_COUNTER,
		 0},
	[KUEUE_RESERVING_ACTIVE_WORKLOADS] =
		{"kueue_reserving_active_workloads",
		 "The number of Workloads that are reserving quota, per 'cluster_queue'",
		 {"cluster_queue", "replica_role"},
		 PROMETHEUS_GAUGE,
		 0},
	[KUEUE_ADMITTED_ACTIVE_WORKLOADS] =
		{"kueue_admitted_active_workloads",
		 "The number of admitted Workloads that are active, per 'cluster_queue'",
		 {"cluster_queue", "replica_role"},
		 PROMETHEUS_GAUGE,
		 0},
	[KUEUE_UNADMITTED_WORKLOADS] =
		{"kueue_unadmitted_workloads",
		 "The number of unadmitted workloads, per 'cluster_queue', 'reason', and "
		 "'underlying_cause'. This metric is only emitted when "
		 "UnadmittedWorkloadsObservability feature gate is enabled.",
		 {"cluster_queue", "reason", "replica_role", "underlying_cause"},
		 PROMETHEUS_GAUGE,
		 0},
	[KUEUE_CLUSTER_QUEUE_STATUS] =
		{"kueue_cluster_queue_status",
		 "Reports 'cluster_queue' with its 'status' (with possible values "
		 "'pending', 'active' or 'terminated').\n"
		 "For a ClusterQueue, the metric only reports a value of 1 for one of the "
		 "statuses.",
		 {"cluster_queue", "replica_role", "status"},
		 PROMETHEUS_GAUGE,
		 0},
	[KUEUE_CLUSTER_QUEUE_INFO] =
		{"kueue_cluster_queue_info",
		 "Reports ClusterQueue hierarchy information. The metric has value 1 and "
		 "can be joined using labels.",
		 {"cluster_queue", "parent_cohort", "replica_role", "root_cohort"},
		 PROMETHEUS_GAUGE,
		 0},
	[KUEUE_CLUSTER_QUEUE_RESOURCE_RESERVATION] =
		{"kueue_cluster_queue_resource_reservation",
		 "Reports the cluster_queue's total resource reservation within all the "
		 "flavors",
		 {"cluster_queue", "cohort", "flavor", "replica_role", "resource"},
		 PROMETHEUS_GAUGE,
		 0},
	[KUEUE_CLUSTER_QUEUE_RESOURCE_USAGE] =
		{"kueue_cluster_queue_resource_usage",
		 "Reports the cluster_queue's total resource usage within all the flavors",
		 {"cluster_queue", "cohort", "flavor", "replica_role", "resource"},
		 PROMETHEUS_GAUGE,
		 0},
	[KUEUE_CLUSTER_QUEUE_RESOURCE_PENDING] =
		{"kueue_cluster_queue_resource_pending",
		 "Reports the cluster_queue's total pending resource requests. Unlike "
		 "resource_reservation, pending workloads have not yet been assigned to "
		 "flavors.",
		 {"cluster_queue", "replica_role", "resource"},
		 PROMETHEUS_GAUGE,
		 0},
	[KUEUE_CLUSTER_QUEUE_NOMINAL_QUOTA] =
		{"kueue_cluster_queue_nominal_quota",
		 "Reports the cluster_queue's resource nominal quota within all the flavors",
		 {"cluster_queue", "cohort", "flavor", "replica_role", "resource"},
		 PROMETHEUS_GAUGE,
		 0},
	[KUEUE_CLUSTER_QUEUE_BORROWING_LIMIT] =
		{"kueue_cluster_queue_borrowing_limit",
		 "Reports the cluster_queue's resource borrowing limit within all the "
		 "flavors. If borrowingLimit is unset, this metric reports +Inf.",
		 {"cluster_queue", "cohort", "flavor", "replica_role", "resource"},
		 PROMETHEUS_GAUGE,
		 0},
	[KUEUE_CLUSTER_QUEUE_LENDING_LIMIT] =
		{"kueue_cluster_queue_lending_limit",
		 "Reports the cluster_queue's resource lending limit within all the "
		 "flavors. If lendingLimit is unset, this metric reports +Inf.",
		 {"cluster_queue", "cohort", "flavor", "replica_role", "resource"},
		 PROMETHEUS_GAUGE,
		 0},
	[KUEUE_CLUSTER_QUEUE_WEIGHTED_SHARE] =
		{"kueue_cluster_queue_weighted_share",
		 "Reports a value that representing the maximum of the ratios of usage "
		 "above nominal\n"
		 "quota to the lendable resources in the cohort, among all the resources "
		 "provided by\n"
		 "the ClusterQueue, and divided by the weight.\n"
		 "If zero, it means that the usage of the ClusterQueue is below the nominal "
		 "quota.\n"
		 "If the ClusterQueue has a weight of zero and is borrowing, this will "
		 "return NaN.",
		 {"cluster_queue", "cohort", "replica_role"},
		 PROMETHEUS_GAUGE,
		 0},
	[KUEUE_COHORT_WEIGHTED_SHARE] =
		{"kueue_cohort_weighted_share",
		 "Reports a value that representing the maximum of the ratios of usage "
		 "above nominal\n"
		 "quota to the lendable resources in the Cohort, among all the resources "
		 "provided by\n"
		 "the Cohort, and divided by the weight.\n"
		 "If zero, it means that the usage of the Cohort is below the nominal quota.\n"
		 "If the Cohort has a weight of zero and is borrowing, this will return NaN.",
		 {"cohort", "replica_role"},
		 PROMETHEUS_GAUGE,
		 0},
	[KUEUE_COHORT_INFO] =
		{"kueue_cohort_info",
		 "Reports Cohort hierarchy information. The metric has value 1 and can be "
		 "joined using labels.",
		 {"cohort", "parent_cohort", "replica_role", "root_cohort"},
		 PROMETHEUS_GAUGE,
		 0},
	[KUEUE_COHORT_SUBTREE_QUOTA] =
		{"kueue_cohort_subtree_quota",
		 "Reports the cohort's nominal quota aggregated within the cohort's "
		 "subtree. The values are reported per resource and flavor",
		 {"cohort", "flavor", "replica_role", "resource"},
		 PROMETHEUS_GAUGE,
		 0},
	[KUEUE_COHORT_SUBTREE_RESOURCE_RESERVATIONS] =
		{"kueue_cohort_subtree_resource_reservations",
		 "Reports the cohort's resource reservations aggregated within the cohort's "
		 "subtree. The values are reported per resource and flavor",
		 {"cohort", "flavor", "replica_role", "resource"},
		 PROMETHEUS_GAUGE,
		 0},
	[KUEUE_COHORT_SUBTREE_ADMITTED_WORKLOADS_TOTAL] =
		{"kueue_cohort_subtree_admitted_workloads_total",
		 "The total number of admitted workloads per cohort's subtree",
		 {"cohort", "priority_class", "replica_role"},
		 PROMETHEUS_COUNTER,
		 0},
	[KUEUE_COHORT_SUBTREE_ADMITTED_ACTIVE_WORKLOADS] =
		{"kueue_cohort_subtree_admitted_active_workloads",
		 "The number of admitted Workloads that are active, per cohort's subtree",
		 {"cohort", "replica_role"},
		 PROMETHEUS_GAUGE,
		 0},
	[KUEUE_LOCAL_QUEUE_PENDING_WORKLOADS] =
		{"kueue_local_queue_pending_workloads",
		 "The number of pending workloads, per 'local_queue' and 'status'.\n" STATUSES,
		 {"name", "namespace", "replica_role", "status"},
		 PROMETHEUS_GAUGE,
		 0},
	[KUEUE_LOCAL_QUEUE_FINISHED_WORKLOADS] =
		{"kueue_local_queue_finished_workloads",
		 "The number of finished workloads, per 'local_queue'.",
		 {"name", "namespace", "replica_role"},
		 PROMETHEUS_GAUGE,
		 0},
	[KUEUE_LOCAL_QUEUE_FINISHED_WORKLOADS_TOTAL] =
		{"kueue_local_queue_finished_workloads_total",
		 "The total number of finished workloads per 'local_queue'",
		 {"name", "namespace", "priority_class", "replica_role"},
		 PROMETHEUS_COUNTER,
		 0},
	[KUEUE_LOCAL_QUEUE_QUOTA_RESERVED_WORKLOADS_TOTAL] =
		{"kueue_local_queue_quota_reserved_workloads_total",
		 "The total number of quota reserved workloads per 'local_queue'",
		 {"name", "namespace", "priority_class", "replica_role"},
		 PROMETHEUS_COUNTER,
		 0},
	[KUEUE_LOCAL_QUEUE_QUOTA_RESERVED_WAIT_TIME_SECONDS] =
		{"kueue_local_queue_quota_reserved_wait_time_seconds",
		 "The time between a workload was created or requeued until it got quota "
		 "reservation, per 'local_queue'",
		 {"name", "namespace", "priority_class", "replica_role"},
		 PROMETHEUS_HISTOGRAM,
		 14},
	[KUEUE_LOCAL_QUEUE_ADMITTED_WORKLOADS_TOTAL] =
		{"kueue_local_queue_admitted_workloads_total",
		 "The total number of admitted workloads per 'local_queue'",
		 {"name", "namespace", "priority_class", "replica_role"},
		 PROMETHEUS_COUNTER,
		 0},
	[KUEUE_LOCAL_QUEUE_ADMISSION_WAIT_TIME_SECONDS] =
		{"kueue_local_queue_admission_wait_time_seconds",
		 "The time between a workload was created or requeued until admission, per "
		 "'local_queue'",
		 {"name", "namespace", "priority_class", "replica_role"},
		 PROMETHEUS_HISTOGRAM,
		 14},
	[KUEUE_LOCAL_QUEUE_ADMISSION_CHECKS_WAIT_TIME_SECONDS] =
		{"kueue_local_queue_admission_checks_wait_time_seconds",
		 "The time from when a workload got the quota reservation until admission, "
		 "per 'local_queue'",
		 {"name", "namespace", "priority_class", "replica_role"},
		 PROMETHEUS_HISTOGRAM,
		 14},
	[KUEUE_LOCAL_QUEUE_READY_WAIT_TIME_SECONDS] =
		{"kueue_local_queue_ready_wait_time_seconds",
		 "The time between a workload was created or requeued until ready, per "
		 "'local_queue'",
		 {"name", "namespace", "priority_class", "replica_role"},
		 PROMETHEUS_HISTOGRAM,
		 14},
	[KUEUE_LOCAL_QUEUE_ADMITTED_UNTIL_READY_WAIT_TIME_SECONDS] =
		{"kueue_local_queue_admitted_until_ready_wait_time_seconds",
		 "The time between a workload was admitted until ready, per 'local_queue'",
		 {"name", "namespace", "priority_class", "replica_role"},
		 PROMETHEUS_HISTOGRAM,
		 14},
	[KUEUE_LOCAL_QUEUE_EXECUTION_TIME_SECONDS] =
		{"kueue_local_queue_execution_time_seconds",
		 "The total execution time of a finished admitted workload (from first "
		 "admission to completion, including time across evict/readmit cycles), per "
		 "'local_queue'",
		 {"name", "namespace", "priority_class", "replica_role"},
		 PROMETHEUS_HISTOGRAM,
		 16},
	[KUEUE_LOCAL_QUEUE_EVICTED_WORKLOADS_TOTAL] =
		{"kueue_local_queue_evicted_workloads_total",
		 "The number of evicted workloads per 'local_queue',\n" REASONS "\n" CAUSES_ARE
		 "\n" CAUSES,
		 {"name", "namespace", "priority_class", "reason", "replica_role",
		  "underlying_cause"},
		 PROMETHEUS_COUNTER,
		 0},
	[KUEUE_LOCAL_QUEUE_RESERVING_ACTIVE_WORKLOADS] =
		{"kueue_local_queue_reserving_active_workloads",
		 "The number of Workloads that are reserving quota, per 'localQueue'",
		 {"name", "namespace", "replica_role"},
		 PROMETHEUS_GAUGE,
		 0},
	[KUEUE_LOCAL_QUEUE_ADMITTED_ACTIVE_WORKLOADS] =
		{"kueue_local_queue_admitted_active_workloads",
		 "The number of admitted Workloads that are active, per 'localQueue'",
		 {"name", "namespace", "replica_role"},
		 PROMETHEUS_GAUGE,
		 0},
	[KUEUE_LOCAL_QUEUE_STATUS] =
		{"kueue_local_queue_status",
		 "Reports 'localQueue' with its 'active' status (with possible values "
		 "'True', 'False', or 'Unknown').\n"
		 "For a LocalQueue, the metric only reports a value of 1 for one of the "
		 "statuses.",
		 {"active", "name", "namespace", "replica_role"},
		 PROMETHEUS_GAUGE,
		 0},
	[KUEUE_LOCAL_QUEUE_UNADMITTED_WORKLOADS] =
		{"kueue_local_queue_unadmitted_workloads",
		 "The number of unadmitted workloads, per 'name', 'namespace', "
		 "'cluster_queue', 'reason', and 'underlying_cause'. This metric is only "
		 "emitted when UnadmittedWorkloadsObservability feature gate is enabled.",
		 {"cluster_queue", "name", "namespace", "reason", "replica_role",
		  "underlying_cause"},
		 PROMETHEUS_GAUGE,
		 0},
	[KUEUE_LOCAL_QUEUE_RESOURCE_RESERVATION] =
		{"kueue_local_queue_resource_reservation",
		 "Reports the localQueue's total resource reservation within all the flavors",
		 {"flavor", "name", "namespace", "replica_role", "resource"},
		 PROMETHEUS_GAUGE,
		 0},
	[KUEUE_LOCAL_QUEUE_RESOURCE_USAGE] =
		{"kueue_local_queue_resource_usage",
		 "Reports the localQueue's total resource usage within all the flavors",
		 {"flavor", "name", "namespace", "replica_role", "resource"},
		 PROMETHEUS_GAUGE,
		 0},
	[KUEUE_LOCAL_QUEUE_ADMISSION_FAIR_SHARING_USAGE] =
		{"kueue_local_queue_admission_fair_sharing_usage",
		 "Reports a value representing the LocalQueue's Admission Fair Sharing "
		 "usage,\n"
		 "calculated from the resource-weighted sum of consumed resources and "
		 "pending\n"
		 "admission penalties, divided by the LocalQueue's fair sharing weight",
		 {"cluster_queue", "name", "namespace", "replica_role"},
		 PROMETHEUS_GAUGE,
		 0},
};
