#include "sim/scenario/kueue_gates.h"

#include <stdio.h>
#include <string.h>

#include "sim/tool/nearest.h"

struct gate {
	const char *name;
	bool on; /* by default */
	enum kueue_gate_kind kind;
	size_t offset; /* GATE_FOLLOWED: of a bool in kueue_gates */
	bool taken;    /* GATE_NOT_FOLLOWED: decisions are as with this value */
	bool locked;   /* Kueue refuses any other value */
};

#define FOLLOWED(name, on, field)                                                                  \
	{                                                                                          \
		name, on, GATE_FOLLOWED, offsetof(struct kueue_gates, field), false, false         \
	}
#define OUTSIDE(name, on)                                                                          \
	{                                                                                          \
		name, on, GATE_OUTSIDE, 0, false, false                                            \
	}
#define NOT_FOLLOWED(name, on, taken)                                                              \
	{                                                                                          \
		name, on, GATE_NOT_FOLLOWED, 0, taken, false                                       \
	}

#define LOCKED(name, on)                                                                           \
	{                                                                                          \
		name, on, GATE_OUTSIDE, 0, false, true                                             \
	}

/* All that Kueue knows at the modelled version. */
static const struct gate gates[] = {
	FOLLOWED("AdmissionFairSharing", true, admission_fair_sharing),
	FOLLOWED("AdmissionGatedBy", true, gates_admission),
	FOLLOWED("DisableWaitForPodsReady", false, no_pods_ready),
	FOLLOWED("ElasticJobsViaWorkloadSlices", true, slices),
	FOLLOWED("FairSharingPreemptWithinNominal", true, free_within_nominal),
	FOLLOWED("FairSharingPrioritizeNonBorrowing", true, non_borrowing_first),
	FOLLOWED("FlavorFungibility", true, fungibility),
	FOLLOWED("FlavorFungibilityPreserveScanProgress", true, keeps_progress),
	FOLLOWED("PartialAdmission", true, partial_admission),
	FOLLOWED("PrioritizePreemptorWorkloads", false, preemptors_first),
	FOLLOWED("PriorityBoost", false, boosts_priority),
	FOLLOWED("PrioritySortingWithinCohort", true, sorts_by_priority),
	FOLLOWED("QuotaCheckStrategy", true, quota_check),
	FOLLOWED("RecomputeAssignmentUponPreemptionTargetsOverlap", true, recomputes_overlaps),
	FOLLOWED("ReclaimablePods", true, reclaims_pods),
	FOLLOWED("SchedulingEquivalenceHashing", true, equivalence),
	FOLLOWED("SkipReassignmentForPodOwnedWorkloads", true, keeps_single_pods),
	FOLLOWED("TASBalancedPlacement", false, balances),
	FOLLOWED("TASFailedNodeReplacement", true, replaces_nodes),
	FOLLOWED("TASFailedNodeReplacementFailFast", true, evicts_unplaced),
	FOLLOWED("TASHandleOverlappingFlavors", true, shares_nodes),
	FOLLOWED("TASProfileMixed", true, mixed_profile),
	FOLLOWED("TASRecomputeAssignmentWithinSchedulingCycle", true, recomputes_places),
	FOLLOWED("TASReplaceNodeOnNodeTaints", true, heeds_taints),
	FOLLOWED("TASReplaceNodeOnPodTermination", true, awaits_pods),
	FOLLOWED("TASRespectNodeAffinityPreferred", false, prefers_affinity),
	FOLLOWED("TopologyAwareScheduling", true, topology),
	FOLLOWED("UnadmittedWorkloadsExplicitStatus", false, explicit_status),
	FOLLOWED("UnadmittedWorkloadsObservability", true, granular_reasons),
	FOLLOWED("WorkloadPriorityClassDefaulting", true, default_workload_class),

	NOT_FOLLOWED("AllAlpha", false, false),
	NOT_FOLLOWED("AllBeta", false, false),
	NOT_FOLLOWED("CleanupProvisioningRequestsOnEviction", true, true),
	NOT_FOLLOWED("ConcurrentAdmission", false, false),
	NOT_FOLLOWED("ElasticJobsViaWorkloadSlicesWithTAS", false, false),
	NOT_FOLLOWED("FailureRecoveryPolicy", false, false),
	NOT_FOLLOWED("FastQuotaReleaseInPodIntegration", false, false),
	NOT_FOLLOWED("KueueDRAIntegration", true, false),
	NOT_FOLLOWED("KueueDRAIntegrationConsumableCapacity", false, false),
	NOT_FOLLOWED("KueueDRAIntegrationExtendedResource", true, false),
	NOT_FOLLOWED("KueueDRAIntegrationPartitionableDevices", true, false),
	NOT_FOLLOWED("KueueDRARejectWorkloadsWhenDRADisabled", true, false),
	NOT_FOLLOWED("MultiKueue", true, false),
	NOT_FOLLOWED("MultiKueueOrchestratedPreemption", false, false),
	NOT_FOLLOWED("SchedulerLibraryIntegration", false, false),
	NOT_FOLLOWED("TASMultiLayerTopology", true, true),
	NOT_FOLLOWED("TASReplaceNodeDueToNotReadyOverFixedTime", false, false),
	NOT_FOLLOWED("VectorizedResourceRequests", true, true),

	LOCKED("ManagedJobsNamespaceSelectorAlwaysRespected", true),
	LOCKED("TLSOptions", true),

	OUTSIDE("AssignQueueLabelsForPods", true),
	OUTSIDE("CustomMetricLabels", false),
	OUTSIDE("DeferRayServiceFinalizationForRedisCleanup", true),
	OUTSIDE("FinishOrphanedWorkloads", true),
	OUTSIDE("LWSImmutableGroupSize", true),
	OUTSIDE("LocalQueueMetrics", true),
	OUTSIDE("MetricForWorkloadCreationLatency", true),
	OUTSIDE("MetricsForCohorts", true),
	OUTSIDE("MultiKueueAdaptersForCustomJobs", true),
	OUTSIDE("MultiKueueClusterProfile", false),
	OUTSIDE("MultiKueueIncrementalDispatcherConfig", true),
	OUTSIDE("MultiKueueIncrementalDispatcherRespectConfigOrder", true),
	OUTSIDE("MultiKueueKubeConfigPathValidation", true),
	OUTSIDE("MultiKueueManagerQuotaAutomation", false),
	OUTSIDE("MultiKueueRemoteSpecSync", true),
	OUTSIDE("PodIntegrationValidateGroupOwner", true),
	OUTSIDE("RejectUpdatesToCQWithInvalidOnFlavors", false),
	OUTSIDE("RemoveFinalizersWithStrictPatch", true),
	OUTSIDE("ShortWorkloadNames", false),
	OUTSIDE("SkipAncestorCheckForDeletedWorkloads", true),
	OUTSIDE("SparkApplicationIntegration", false),
	OUTSIDE("TASAssignmentsEncodingByHostnamePrefix", true),
	OUTSIDE("TASCacheNodeMatchResults", true),
	OUTSIDE("TASCacheTopologyTree", true),
	OUTSIDE("TASCachingRemainingResources", true),
	OUTSIDE("TASValidateWorkloadSliceSize", true),
	OUTSIDE("ValidateRayAndSparkJobUpdates", true),
	OUTSIDE("VisibilityOnDemand", true),
	OUTSIDE("WorkloadIdentifierAnnotations", true),
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

static void set(struct kueue_gates *out, const struct gate *gate, bool on)
{
	if (gate->kind == GATE_FOLLOWED)
		memcpy((char *)out + gate->offset, &on, sizeof(on));
}

struct kueue_gates kueue_gates_read(const struct kueue_config *config,
				    const struct name_table *strings)
{
	struct kueue_gates out = {0};

	for (size_t i = 0; i < GATE_COUNT; i++)
		set(&out, &gates[i], gates[i].on);
	for (uint32_t i = 0; i < config->gate_count; i++) {
		const struct gate *gate = find(name_text(strings, config->gates[i]));

		if (gate != NULL)
			set(&out, gate, config->gate_values[i]);
	}
	return out;
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
	if (gate->locked)
		return "locked";
	if (gate->kind == GATE_FOLLOWED)
		return "modelled, on and off";
	if (gate->kind == GATE_OUTSIDE)
		return "changes nothing here";
	return gate->taken ? "modelled as on only" : "modelled as off only";
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

bool kueue_gates_finding(const char *name, bool value, enum finding_kind *kind, char *text,
			 size_t size)
{
	const struct gate *gate = find(name);
	const char *near = gate == NULL ? nearest_gate(name) : NULL;

	if (gate == NULL) {
		*kind = FINDING_WARNING;
		snprintf(text, size,
			 "is no feature gate of Kueue, which would not start with it; it is "
			 "ignored%s%s%s",
			 near != NULL ? "; did you mean " : "", near != NULL ? near : "",
			 near != NULL ? "?" : "");
		return true;
	}
	if (gate->locked && value != gate->on) {
		*kind = FINDING_WARNING;
		snprintf(text, size,
			 "is locked to %s in Kueue, which would not start with it; it is ignored",
			 gate->on ? "true" : "false");
		return true;
	}
	if (gate->kind != GATE_NOT_FOLLOWED || value == gate->on || value == gate->taken)
		return false;
	*kind = FINDING_NOT_MODELLED;
	snprintf(text, size, "%s is not modelled: decisions are made as if it were %s",
		 value ? "on" : "off", value ? "off" : "on");
	return true;
}
