#include "sim/scenario/kueue_gates.h"

#include <stdio.h>
#include <string.h>

#include "sim/tool/nearest.h"

enum stage {
	STAGE_USUAL, /* alpha where it is off, beta where it is on */
	STAGE_BETA,
	STAGE_DEPRECATED,
	STAGE_LOCKED, /* Kueue refuses any other value */
};

struct gate {
	const char *name;
	bool on; /* by default */
	enum kueue_gate_kind kind;
	size_t offset; /* GATE_FOLLOWED: of a bool in kueue_gates */
	enum stage stage;
};

#define FOLLOWED_AT(name, on, field, stage)                                                        \
	{                                                                                          \
		name, on, GATE_FOLLOWED, offsetof(struct kueue_gates, field), stage                \
	}
#define FOLLOWED(name, on, field) FOLLOWED_AT(name, on, field, STAGE_USUAL)
#define OUTSIDE(name, on)                                                                          \
	{                                                                                          \
		name, on, GATE_OUTSIDE, 0, STAGE_USUAL                                             \
	}
#define LOCKED(name, on)                                                                           \
	{                                                                                          \
		name, on, GATE_OUTSIDE, 0, STAGE_LOCKED                                            \
	}
#define ALL_ALPHA "AllAlpha"
#define ALL_BETA  "AllBeta"

/* All that Kueue knows at the modelled version. */
static const struct gate gates[] = {
	FOLLOWED("AdmissionFairSharing", true, admission_fair_sharing),
	FOLLOWED("AdmissionGatedBy", true, gates_admission),
	FOLLOWED("CleanupProvisioningRequestsOnEviction", true, drops_requests),
	FOLLOWED("ConcurrentAdmission", false, concurrent),
	FOLLOWED("CustomMetricLabels", false, custom_labels),
	FOLLOWED("DisableWaitForPodsReady", false, no_pods_ready),
	FOLLOWED("ElasticJobsViaWorkloadSlices", true, slices),
	FOLLOWED("ElasticJobsViaWorkloadSlicesWithTAS", false, keeps_slices),
	FOLLOWED("FailureRecoveryPolicy", false, recovers),
	FOLLOWED("FairSharingPreemptWithinNominal", true, free_within_nominal),
	FOLLOWED("FairSharingPrioritizeNonBorrowing", true, non_borrowing_first),
	FOLLOWED("FastQuotaReleaseInPodIntegration", false, frees_groups_at_once),
	FOLLOWED("FlavorFungibility", true, fungibility),
	FOLLOWED("FlavorFungibilityPreserveScanProgress", true, keeps_progress),
	FOLLOWED("LocalQueueMetrics", true, local_metrics),
	FOLLOWED("MetricsForCohorts", true, cohort_metrics),
	FOLLOWED("PartialAdmission", true, partial_admission),
	FOLLOWED("PrioritizePreemptorWorkloads", false, preemptors_first),
	FOLLOWED("PriorityBoost", false, boosts_priority),
	FOLLOWED("PrioritySortingWithinCohort", true, sorts_by_priority),
	FOLLOWED("QuotaCheckStrategy", true, quota_check),
	FOLLOWED("RecomputeAssignmentUponPreemptionTargetsOverlap", true, recomputes_overlaps),
	FOLLOWED("ReclaimablePods", true, reclaims_pods),
	FOLLOWED("RejectUpdatesToCQWithInvalidOnFlavors", false, rejects_on_flavors),
	FOLLOWED("SchedulerLibraryIntegration", false, asks_scheduler),
	FOLLOWED("SchedulingEquivalenceHashing", true, equivalence),
	FOLLOWED("SkipReassignmentForPodOwnedWorkloads", true, keeps_single_pods),
	FOLLOWED("TASBalancedPlacement", false, balances),
	FOLLOWED("TASCacheNodeMatchResults", true, keeps_matches),
	FOLLOWED("TASFailedNodeReplacement", true, replaces_nodes),
	FOLLOWED("TASFailedNodeReplacementFailFast", true, evicts_unplaced),
	FOLLOWED("TASHandleOverlappingFlavors", true, shares_nodes),
	FOLLOWED("TASMultiLayerTopology", true, layers),
	FOLLOWED("TASProfileMixed", true, mixed_profile),
	FOLLOWED("TASRecomputeAssignmentWithinSchedulingCycle", true, recomputes_places),
	FOLLOWED_AT("TASReplaceNodeDueToNotReadyOverFixedTime", false, fails_over_time,
		    STAGE_DEPRECATED),
	FOLLOWED("TASReplaceNodeOnNodeTaints", true, heeds_taints),
	FOLLOWED("TASReplaceNodeOnPodTermination", true, awaits_pods),
	FOLLOWED("TASRespectNodeAffinityPreferred", false, prefers_affinity),
	FOLLOWED("TopologyAwareScheduling", true, topology),
	FOLLOWED_AT("UnadmittedWorkloadsExplicitStatus", false, explicit_status, STAGE_BETA),
	FOLLOWED("UnadmittedWorkloadsObservability", true, granular_reasons),
	FOLLOWED("WorkloadIdentifierAnnotations", true, reads_annotations),
	FOLLOWED("WorkloadPriorityClassDefaulting", true, default_workload_class),

	LOCKED("ManagedJobsNamespaceSelectorAlwaysRespected", true),
	LOCKED("TLSOptions", true),

	{ALL_ALPHA, false, GATE_GROUP, 0, STAGE_USUAL},
	{ALL_BETA, false, GATE_GROUP, 0, STAGE_USUAL},

	OUTSIDE("AssignQueueLabelsForPods", true),
	OUTSIDE("DeferRayServiceFinalizationForRedisCleanup", true),
	OUTSIDE("FinishOrphanedWorkloads", true),
	OUTSIDE("KueueDRAIntegration", true),
	OUTSIDE("KueueDRAIntegrationConsumableCapacity", false),
	OUTSIDE("KueueDRAIntegrationExtendedResource", true),
	OUTSIDE("KueueDRAIntegrationPartitionableDevices", true),
	OUTSIDE("KueueDRARejectWorkloadsWhenDRADisabled", true),
	OUTSIDE("LWSImmutableGroupSize", true),
	OUTSIDE("MetricForWorkloadCreationLatency", true),
	OUTSIDE("MultiKueue", true),
	OUTSIDE("MultiKueueAdaptersForCustomJobs", true),
	OUTSIDE("MultiKueueClusterProfile", false),
	OUTSIDE("MultiKueueIncrementalDispatcherConfig", true),
	OUTSIDE("MultiKueueIncrementalDispatcherRespectConfigOrder", true),
	OUTSIDE("MultiKueueKubeConfigPathValidation", true),
	OUTSIDE("MultiKueueManagerQuotaAutomation", false),
	OUTSIDE("MultiKueueOrchestratedPreemption", false),
	OUTSIDE("MultiKueueRemoteSpecSync", true),
	OUTSIDE("PodIntegrationValidateGroupOwner", true),
	OUTSIDE("RemoveFinalizersWithStrictPatch", true),
	OUTSIDE("ShortWorkloadNames", false),
	OUTSIDE("SkipAncestorCheckForDeletedWorkloads", true),
	OUTSIDE("SparkApplicationIntegration", false),
	OUTSIDE("TASAssignmentsEncodingByHostnamePrefix", true),
	OUTSIDE("TASCacheTopologyTree", true),
	OUTSIDE("TASCachingRemainingResources", true),
	OUTSIDE("TASValidateWorkloadSliceSize", true),
	OUTSIDE("ValidateRayAndSparkJobUpdates", true),
	OUTSIDE("VectorizedResourceRequests", true),
	OUTSIDE("VisibilityOnDemand", true),
	OUTSIDE("WorkloadRequestUseMergePatch", false),
	OUTSIDE("WorkloadValidateResourcesAreNonNegative", true),
	OUTSIDE("WorkloadValidationForPodSetMetadata", true),
};

#define GATE_COUNT (sizeof(gates) / sizeof(gates[0]))

static const struct gate *find(const char *name)
{
	for (size_t i = 0; i < GATE_COUNT; i++) {
		if (strcmp(gates[i].name, name) == 0)
			return &gates[i];
	}
	return NULL;
}

/* Gates that Kueue does not start without, where the first is on; alike needs in a row. */
static const struct {
	const char *name, *needs;
} dependencies[] = {
	{"TASFailedNodeReplacementFailFast", "TASFailedNodeReplacement"},
	{"TASReplaceNodeDueToNotReadyOverFixedTime", "TASFailedNodeReplacement"},
	{"TASReplaceNodeOnPodTermination", "TASFailedNodeReplacement"},
	{"ElasticJobsViaWorkloadSlicesWithTAS", "TopologyAwareScheduling"},
	{"TASBalancedPlacement", "TopologyAwareScheduling"},
	{"TASFailedNodeReplacement", "TopologyAwareScheduling"},
	{"TASFailedNodeReplacementFailFast", "TopologyAwareScheduling"},
	{"TASHandleOverlappingFlavors", "TopologyAwareScheduling"},
	{"TASMultiLayerTopology", "TopologyAwareScheduling"},
	{"TASProfileMixed", "TopologyAwareScheduling"},
	{"TASRecomputeAssignmentWithinSchedulingCycle", "TopologyAwareScheduling"},
	{"TASReplaceNodeDueToNotReadyOverFixedTime", "TopologyAwareScheduling"},
	{"TASReplaceNodeOnNodeTaints", "TopologyAwareScheduling"},
	{"TASReplaceNodeOnPodTermination", "TopologyAwareScheduling"},
	{"TASRespectNodeAffinityPreferred", "TopologyAwareScheduling"},
	{"ElasticJobsViaWorkloadSlicesWithTAS", "ElasticJobsViaWorkloadSlices"},
	{"FlavorFungibilityPreserveScanProgress", "FlavorFungibility"},
	{"KueueDRAIntegrationConsumableCapacity", "KueueDRAIntegration"},
	{"KueueDRAIntegrationExtendedResource", "KueueDRAIntegration"},
	{"KueueDRAIntegrationPartitionableDevices", "KueueDRAIntegration"},
	{"UnadmittedWorkloadsExplicitStatus", "UnadmittedWorkloadsObservability"},
};

/* Does the group (AllAlpha, AllBeta) set this gate? */
static bool is_of(const char *group, const struct gate *gate)
{
	bool beta = gate->stage == STAGE_BETA || (gate->stage == STAGE_USUAL && gate->on);

	if (gate->kind == GATE_GROUP || gate->stage == STAGE_LOCKED ||
	    gate->stage == STAGE_DEPRECATED)
		return false;
	return strcmp(group, ALL_BETA) == 0 ? beta : strcmp(group, ALL_ALPHA) == 0 && !beta;
}

/* A group sets what is not set by name. */
static bool value_of(const struct gate *gate, const struct kueue_config *config,
		     const struct name_table *strings)
{
	bool value = gate->on, named = false;

	for (uint32_t i = 0; i < config->gate_count; i++) {
		const char *name = name_text(strings, config->gates[i]);
		bool same = strcmp(name, gate->name) == 0 && gate->stage != STAGE_LOCKED;

		if (same || (!named && is_of(name, gate)))
			value = config->gate_values[i];
		named = named || same;
	}
	return value;
}

struct kueue_gates kueue_gates_read(const struct kueue_config *config,
				    const struct name_table *strings)
{
	struct kueue_gates out = {0};

	for (size_t i = 0; i < GATE_COUNT; i++) {
		bool on = value_of(&gates[i], config, strings);

		if (gates[i].kind == GATE_FOLLOWED)
			memcpy((char *)&out + gates[i].offset, &on, sizeof(on));
	}
	return out;
}

bool kueue_gates_conflict(const struct kueue_config *config, const struct name_table *strings,
			  char *text, size_t size)
{
	const char *last = NULL;
	size_t used = 0;

	for (size_t i = 0; i < sizeof(dependencies) / sizeof(dependencies[0]); i++) {
		const char *name = dependencies[i].name, *needs = dependencies[i].needs;
		bool more = last != NULL && strcmp(last, needs) == 0;

		if (!value_of(find(name), config, strings) ||
		    value_of(find(needs), config, strings) || used >= size)
			continue;
		if (more)
			used += (size_t)snprintf(text + used, size - used, ", %s", name);
		else
			used += (size_t)snprintf(text + used, size - used,
						 "%s%s, which is off, is needed by %s",
						 used > 0 ? "; " : "", needs, name);
		last = needs;
	}
	return used > 0;
}

bool kueue_gates_frees_at_once(const struct kueue_gates *on, uint16_t flags)
{
	return (flags & JOB_SINGLE_POD) != 0 ||
	       ((flags & JOB_POD_GROUP) != 0 && on->frees_groups_at_once);
}

void kueue_gates_limit(const struct kueue_gates *on, struct kueue_config *config)
{
	config->admission_fair_sharing =
		config->admission_fair_sharing && on->admission_fair_sharing;
	config->wait_for_pods_ready = config->wait_for_pods_ready && !on->no_pods_ready;
	config->ignore_undeclared = config->ignore_undeclared && on->quota_check;
}

enum kueue_gate_kind kueue_gates_kind(const char *name, bool *on)
{
	const struct gate *gate = find(name);

	if (gate == NULL)
		return GATE_UNKNOWN;
	*on = gate->on;
	return gate->kind;
}

static const char *help_of(const struct gate *gate)
{
	if (gate->stage == STAGE_LOCKED)
		return "locked";
	return gate->kind == GATE_OUTSIDE ? "changes nothing here" : "modelled, on and off";
}

const char *kueue_gates_listed(size_t i, bool *on, const char **help)
{
	if (i >= GATE_COUNT)
		return NULL;
	*on = gates[i].on;
	*help = help_of(&gates[i]);
	return gates[i].name;
}

static const char *nearest_gate(const char *name)
{
	struct nearest nearest;

	nearest_begin(&nearest, name);
	for (size_t i = 0; i < GATE_COUNT; i++)
		nearest_offer(&nearest, gates[i].name);
	return nearest.best;
}

static void say_unknown(const char *name, char *text, size_t size)
{
	const char *near = nearest_gate(name);

	snprintf(text, size,
		 "is no feature gate of Kueue, which would not start with it; it is "
		 "ignored%s%s%s",
		 near != NULL ? "; did you mean " : "", near != NULL ? near : "",
		 near != NULL ? "?" : "");
}

bool kueue_gates_finding(const char *name, bool value, char *text, size_t size)
{
	const struct gate *gate = find(name);

	if (gate == NULL) {
		say_unknown(name, text, size);
		return true;
	}
	if (gate->stage != STAGE_LOCKED || value == gate->on)
		return false;
	snprintf(text, size,
		 "is locked to %s in Kueue, which would not start with it; it is ignored",
		 gate->on ? "true" : "false");
	return true;
}
