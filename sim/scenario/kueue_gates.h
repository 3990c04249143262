/* kueue_gates.h - Kueue's feature gates: Configuration.featureGates.
 *
 * Which gates there are, what they are by default at the modelled version, and which
 * of them gqsim follows: spec KUEUE.md section 9.
 */
#ifndef SIM_KUEUE_GATES_H
#define SIM_KUEUE_GATES_H

#include <stdbool.h>
#include <stddef.h>

#include "core/name.h"
#include "sim/scenario/scenario.h"

/* The gates that are followed, as they are in a run. */
struct kueue_gates {
	bool partial_admission;	     /* PartialAdmission */
	bool fungibility;	     /* FlavorFungibility */
	bool keeps_progress;	     /* FlavorFungibilityPreserveScanProgress */
	bool sorts_by_priority;	     /* PrioritySortingWithinCohort */
	bool free_within_nominal;    /* FairSharingPreemptWithinNominal */
	bool non_borrowing_first;    /* FairSharingPrioritizeNonBorrowing */
	bool recomputes_overlaps;    /* RecomputeAssignmentUponPreemptionTargetsOverlap */
	bool preemptors_first;	     /* PrioritizePreemptorWorkloads */
	bool boosts_priority;	     /* PriorityBoost */
	bool equivalence;	     /* SchedulingEquivalenceHashing */
	bool quota_check;	     /* QuotaCheckStrategy */
	bool reclaims_pods;	     /* ReclaimablePods */
	bool slices;		     /* ElasticJobsViaWorkloadSlices */
	bool keeps_slices;	     /* ElasticJobsViaWorkloadSlicesWithTAS */
	bool admission_fair_sharing; /* AdmissionFairSharing */
	bool gates_admission;	     /* AdmissionGatedBy */
	bool no_pods_ready;	     /* DisableWaitForPodsReady */
	bool granular_reasons;	     /* UnadmittedWorkloadsObservability */
	bool explicit_status;	     /* UnadmittedWorkloadsExplicitStatus */
	bool topology;		     /* TopologyAwareScheduling */
	bool shares_nodes;	     /* TASHandleOverlappingFlavors */
	bool mixed_profile;	     /* TASProfileMixed */
	bool layers;		     /* TASMultiLayerTopology */
	bool recomputes_places;	     /* TASRecomputeAssignmentWithinSchedulingCycle */
	bool prefers_affinity;	     /* TASRespectNodeAffinityPreferred */
	bool keeps_matches;	     /* TASCacheNodeMatchResults */
	bool balances;		     /* TASBalancedPlacement */
	bool replaces_nodes;	     /* TASFailedNodeReplacement */
	bool evicts_unplaced;	     /* TASFailedNodeReplacementFailFast */
	bool fails_over_time;	     /* TASReplaceNodeDueToNotReadyOverFixedTime */
	bool awaits_pods;	     /* TASReplaceNodeOnPodTermination */
	bool heeds_taints;	     /* TASReplaceNodeOnNodeTaints */
	bool asks_scheduler;	     /* SchedulerLibraryIntegration */
	bool keeps_single_pods;	     /* SkipReassignmentForPodOwnedWorkloads */
	bool default_workload_class; /* WorkloadPriorityClassDefaulting */
	bool reads_annotations;	     /* WorkloadIdentifierAnnotations: of a pod group's name */
	bool frees_groups_at_once;   /* FastQuotaReleaseInPodIntegration */
	bool recovers;		     /* FailureRecoveryPolicy */
	bool custom_labels;	     /* CustomMetricLabels */
	bool local_metrics;	     /* LocalQueueMetrics */
	bool cohort_metrics;	     /* MetricsForCohorts */
	bool concurrent;	     /* ConcurrentAdmission */
	bool drops_requests;	     /* CleanupProvisioningRequestsOnEviction */
	bool rejects_on_flavors;     /* RejectUpdatesToCQWithInvalidOnFlavors */
};

/* The defaults, and what the configuration sets. */
struct kueue_gates kueue_gates_read(const struct kueue_config *config,
				    const struct name_table *strings);

enum kueue_gate_kind {
	GATE_UNKNOWN,
	GATE_FOLLOWED,
	GATE_OUTSIDE, /* of what gqsim shows: metrics, encodings, other clusters, devices (DRA),
			    * of which the input that uses them is told */
	GATE_GROUP,   /* AllAlpha, AllBeta: sets others */
};

/* What becomes of the i-th gate: its name, its default and help; NULL: there are no more. */
const char *kueue_gates_listed(size_t i, bool *on, const char **help);
/* on: its default, for all but unknown ones. */
enum kueue_gate_kind kueue_gates_kind(const char *name, bool *on);
/* What is wrong with setting it so, as the rest of a sentence that begins with the
 * gate; false: nothing. */
bool kueue_gates_finding(const char *name, bool value, char *text, size_t size);
/* Which gates are on though they need one that is off, with which Kueue does not start,
 * as a list; false: none. */
bool kueue_gates_conflict(const struct kueue_config *config, const struct name_table *strings,
			  char *text, size_t size);
/* Is the quota of an evicted workload free before its pods have ended? By its job.flags:
 * Kueue's pod integration takes no single pod for active, nor, by a feature gate, those of
 * a group that end (pod_controller.go, IsActive). */
bool kueue_gates_frees_at_once(const struct kueue_gates *gates, uint16_t flags);
/* Switches off what the configuration asks for and a gate forbids. */
void kueue_gates_limit(const struct kueue_gates *gates, struct kueue_config *config);

#endif
