/* test_objects_kueue.c - Kueue's kinds: fields, defaults, versions. What is refused
 * stands in tests/badinput/cases.txt. */
#include "sim/objects/objects_kueue.h"

#include "tests/sim/objects_case.h"

#define V2 "apiVersion: kueue.x-k8s.io/v1beta2\nkind: "
#define V1 "apiVersion: kueue.x-k8s.io/v1beta1\nkind: "

START_TEST(defaults_of_a_cluster_queue)
{
	struct scenario *s = objects_case_load(V2 "ClusterQueue\nmetadata: {name: q}\n");
	const struct cluster_queue *q = &s->cluster_queues[0];

	ck_assert_str_eq(objects_case_text(s, q->name), "q");
	ck_assert_uint_eq(q->cohort, SCENARIO_NONE);
	ck_assert_uint_eq(q->group_count, 0);
	ck_assert_int_eq(q->strategy, QUEUE_BEST_EFFORT_FIFO);
	ck_assert(!q->namespace_selector.present);
	ck_assert_int_eq(q->when_can_borrow, FUNGIBILITY_MAY_STOP_SEARCH);
	ck_assert_int_eq(q->when_can_preempt, FUNGIBILITY_TRY_NEXT_FLAVOR);
	ck_assert_int_eq(q->preference, PREFER_UNSET);
	ck_assert_int_eq(q->reclaim_within_cohort, PREEMPT_NEVER);
	ck_assert_int_eq(q->within_cluster_queue, PREEMPT_NEVER);
	ck_assert_int_eq(q->borrow_within_cohort, PREEMPT_NEVER);
	ck_assert(!q->has_max_priority_threshold);
	ck_assert_int_eq(q->stop, STOP_NONE);
	ck_assert_int_eq(q->fair_weight, NANO);
	ck_assert_uint_eq(q->check_count, 0);
	ck_assert(!q->usage_based_fair_sharing);
	scenario_free(s);
}
END_TEST

START_TEST(everything_of_a_cluster_queue)
{
	struct scenario *s = objects_case_load(
		V2
		"ClusterQueue\nmetadata: {name: q}\nspec:\n  cohortName: c\n"
		"  queueingStrategy: StrictFIFO\n  namespaceSelector: {matchLabels: {a: b}}\n"
		"  flavorFungibility: {whenCanBorrow: TryNextFlavor, whenCanPreempt: TryNextFlavor,"
		" preference: PreemptionOverBorrowing}\n"
		"  preemption: {reclaimWithinCohort: LowerPriority, withinClusterQueue: "
		"LowerOrNewerEqualPriority, borrowWithinCohort: {policy: LowerPriority, "
		"maxPriorityThreshold: -5}}\n"
		"  admissionChecksStrategy: {admissionChecks: [{name: k, onFlavors: [f]}, "
		"{name: m}]}\n  stopPolicy: HoldAndDrain\n  fairSharing: {weight: 1500m}\n"
		"  admissionScope: {admissionMode: UsageBasedAdmissionFairSharing}\n"
		"  resourceGroups:\n  - coveredResources: [cpu, memory]\n    flavors:\n"
		"    - name: f\n      resources:\n"
		"      - {name: cpu, nominalQuota: 3, borrowingLimit: 500m, lendingLimit: 0}\n"
		"      - {name: memory, nominalQuota: 1Gi}\n"
		"  - coveredResources: [nvidia.com/gpu]\n"
		"    flavors: [{name: g, resources: [{name: nvidia.com/gpu, nominalQuota: 8}]}]\n"
		"---\n" V2 "ResourceFlavor\nmetadata: {name: g}\n---\n" V2
		"AdmissionCheck\nmetadata: {name: m}\nspec: {controllerName: x/y}\n");
	const struct cluster_queue *q = &s->cluster_queues[0];

	ck_assert_int_eq(q->strategy, QUEUE_STRICT_FIFO);
	ck_assert(q->namespace_selector.present);
	ck_assert_uint_eq(q->namespace_selector.match_labels.count, 1);
	ck_assert_int_eq(q->when_can_borrow, FUNGIBILITY_TRY_NEXT_FLAVOR);
	ck_assert_int_eq(q->preference, PREFER_PREEMPTION_OVER_BORROWING);
	ck_assert_int_eq(q->reclaim_within_cohort, PREEMPT_LOWER_PRIORITY);
	ck_assert_int_eq(q->within_cluster_queue, PREEMPT_LOWER_OR_NEWER_EQUAL_PRIORITY);
	ck_assert_int_eq(q->borrow_within_cohort, PREEMPT_LOWER_PRIORITY);
	ck_assert(q->has_max_priority_threshold);
	ck_assert_int_eq(q->max_priority_threshold, -5);
	ck_assert_uint_eq(q->check_count, 2);
	ck_assert_uint_eq(q->checks[0].flavor_count, 1);
	ck_assert_uint_eq(q->checks[0].check, SCENARIO_NONE);
	ck_assert_uint_eq(q->checks[1].check, 0);
	ck_assert_int_eq(q->stop, STOP_HOLD_AND_DRAIN);
	ck_assert_int_eq(q->fair_weight, NANO / 2 * 3);
	ck_assert(q->usage_based_fair_sharing);
	ck_assert_uint_eq(q->group_count, 2);
	ck_assert_uint_eq(q->groups[0].resource_count, 2);
	ck_assert_uint_eq(q->groups[0].resources[1], RES_MEMORY);
	ck_assert_int_eq(q->groups[0].cells[0].nominal, 3000);
	ck_assert_int_eq(q->groups[0].cells[0].borrowing_limit, 500);
	ck_assert_int_eq(q->groups[0].cells[0].lending_limit, 0);
	ck_assert_int_eq(q->groups[0].cells[1].borrowing_limit, QUOTA_ABSENT);
	ck_assert_uint_eq(q->groups[0].flavors[0], SCENARIO_NONE);
	ck_assert_uint_eq(q->groups[1].flavors[0], 0);
	scenario_free(s);
}
END_TEST

/* Spec KUEUE.md 1.10. */
START_TEST(the_older_version)
{
	struct scenario *s = objects_case_load(
		V1
		"ClusterQueue\nmetadata: {name: q}\nspec:\n  cohort: c\n  namespaceSelector: {}\n"
		"  flavorFungibility: {whenCanBorrow: Borrow, whenCanPreempt: Preempt}\n"
		"  admissionChecks: [k, m]\n"
		"  admissionChecksStrategy: {admissionChecks: [{name: z}]}\n---\n" V1
		"ClusterQueue\nmetadata: {name: r}\nspec:\n  namespaceSelector: {}\n"
		"  flavorFungibility: {whenCanBorrow: TryNextFlavor, whenCanPreempt: "
		"MayStopSearch}\n---\n" V1
		"Cohort\nmetadata: {name: c}\nspec: {parentName: top}\n");
	const struct cluster_queue *q = &s->cluster_queues[0];

	ck_assert_str_eq(objects_case_text(s, s->cohorts[q->cohort].name), "c");
	ck_assert_int_eq(q->when_can_borrow, FUNGIBILITY_MAY_STOP_SEARCH);
	ck_assert_int_eq(q->when_can_preempt, FUNGIBILITY_MAY_STOP_SEARCH);
	ck_assert_uint_eq(q->check_count, 2); /* the list wins */
	ck_assert_str_eq(objects_case_text(s, q->checks[1].name), "m");
	ck_assert_int_eq(s->cluster_queues[1].when_can_borrow, FUNGIBILITY_TRY_NEXT_FLAVOR);
	ck_assert_uint_eq(s->cohorts[0].parent, 1);
	scenario_free(s);
}
END_TEST

START_TEST(an_empty_cohort_name_is_none)
{
	struct scenario *s = objects_case_load(
		V2 "ClusterQueue\nmetadata: {name: q}\nspec: {cohortName: \"\"}\n---\n" V2
		   "Cohort\nmetadata: {name: c}\nspec: {parentName: \"\"}\n");

	ck_assert_uint_eq(s->cluster_queues[0].cohort, SCENARIO_NONE);
	ck_assert_uint_eq(s->cohorts[0].parent, SCENARIO_NONE);
	ck_assert_uint_eq(s->cohort_count, 1);
	scenario_free(s);
}
END_TEST

/* A cohort may lend more than its own quota: its children's, too. */
START_TEST(cohort)
{
	struct scenario *s = objects_case_load(
		V2
		"Cohort\nmetadata: {name: c}\nspec:\n  parentName: p\n  fairSharing: {weight: 2}\n"
		"  resourceGroups:\n  - coveredResources: [cpu]\n    flavors: [{name: f, "
		"resources: "
		"[{name: cpu, nominalQuota: 1, lendingLimit: 5}]}]\n");

	ck_assert_int_eq(s->cohorts[0].groups[0].cells[0].lending_limit, 5000);
	ck_assert_int_eq(s->cohorts[0].fair_weight, 2 * NANO);
	ck_assert(!s->cohorts[0].implicit);
	scenario_free(s);
}
END_TEST

START_TEST(flavor)
{
	struct scenario *s = objects_case_load(
		V2 "ResourceFlavor\nmetadata: {name: f}\nspec:\n  nodeLabels: {a: b, c: d}\n"
		   "  nodeTaints: [{key: t, value: v, effect: NoExecute}]\n"
		   "  tolerations: [{key: t, operator: Exists}]\n  topologyName: top\n---\n" V2
		   "Topology\nmetadata: {name: top}\nspec: {levels: [{nodeLabel: block}, "
		   "{nodeLabel: rack}, {nodeLabel: kubernetes.io/hostname}]}\n");
	const struct flavor *f = &s->flavors[0];

	ck_assert_uint_eq(f->node_labels.count, 2);
	ck_assert_int_eq(f->taints.items[0].effect, TAINT_NO_EXECUTE);
	ck_assert_int_eq(f->tolerations.items[0].op, TOLERATION_EXISTS);
	ck_assert_uint_eq(f->topology, 0);
	ck_assert_uint_eq(s->topologies[0].level_count, 3);
	ck_assert_str_eq(objects_case_text(s, s->topologies[0].levels[1]), "rack");
	scenario_free(s);
}
END_TEST

START_TEST(local_queue)
{
	struct scenario *s = objects_case_load(
		V2 "LocalQueue\nmetadata: {name: l}\n"
		   "spec: {clusterQueue: q, stopPolicy: Hold, fairSharing: {weight: "
		   "\"0.5\"}}\n---\n" V2
		   "ClusterQueue\nmetadata: {name: q}\nspec: {namespaceSelector: {}}\n");
	const struct local_queue *l = &s->local_queues[0];

	ck_assert_str_eq(objects_case_text(s, l->ns), "default");
	ck_assert_uint_eq(l->cluster_queue, 0);
	ck_assert_int_eq(l->stop, STOP_HOLD);
	ck_assert_int_eq(l->fair_weight, NANO / 2);
	scenario_free(s);
}
END_TEST

START_TEST(the_small_ones)
{
	struct scenario *s = objects_case_load(
		V1
		"WorkloadPriorityClass\nmetadata: {name: w}\nvalue: -3\ndescription: low\n---\n" V1
		"AdmissionCheck\nmetadata: {name: c}\n"
		"spec: {controllerName: a/b, retryDelayMinutes: 5, parameters: {kind: X}}\n");

	ck_assert(s->priority_classes[0].workload);
	ck_assert_int_eq(s->priority_classes[0].value, -3);
	ck_assert_str_eq(objects_case_text(s, s->checks[0].controller), "a/b");
	for (uint32_t i = 0; i < s->finding_count; i++) /* v1beta1 and a field are deprecated */
		ck_assert_int_eq(s->findings[i].kind, FINDING_ADVICE);
	ck_assert_uint_eq(s->finding_count, 3);
	scenario_free(s);
}
END_TEST

/* Every field of the kinds at the modelled commit (apis/kueue/v1beta2, v1beta1). */
static const struct objects_case_field fields[] = {
	{"resourceGroups", MODELLED, V2 "ClusterQueue\nmetadata: {name: q}\nspec: {%: []}\n"},
	{"cohortName", MODELLED, V2 "ClusterQueue\nmetadata: {name: q}\nspec: {%: c}\n"},
	{"queueingStrategy", MODELLED,
	 V2 "ClusterQueue\nmetadata: {name: q}\nspec: {%: StrictFIFO}\n"},
	{"namespaceSelector", MODELLED, V2 "ClusterQueue\nmetadata: {name: q}\nspec: {%: {}}\n"},
	{"matchLabels", MODELLED,
	 V2 "ClusterQueue\nmetadata: {name: q}\nspec: {namespaceSelector: {%: {a: b}}}\n"},
	{"matchExpressions", MODELLED,
	 V2 "ClusterQueue\nmetadata: {name: q}\nspec: {namespaceSelector: {%: [{key: a, operator: "
	    "Exists}]}}\n"},
	{"key", MODELLED,
	 V2 "ClusterQueue\nmetadata: {name: q}\nspec: {namespaceSelector: {matchExpressions: [{%: "
	    "a, operator: Exists}]}}\n"},
	{"operator", MODELLED,
	 V2 "ClusterQueue\nmetadata: {name: q}\nspec: {namespaceSelector: {matchExpressions: "
	    "[{key: a, %: Exists}]}}\n"},
	{"values", MODELLED,
	 V2 "ClusterQueue\nmetadata: {name: q}\nspec: {namespaceSelector: {matchExpressions: "
	    "[{key: a, operator: In, %: [b]}]}}\n"},
	{"flavorFungibility", MODELLED, V2 "ClusterQueue\nmetadata: {name: q}\nspec: {%: {}}\n"},
	{"whenCanBorrow", MODELLED,
	 V2 "ClusterQueue\nmetadata: {name: q}\nspec: {flavorFungibility: {%: TryNextFlavor}}\n"},
	{"whenCanPreempt", MODELLED,
	 V2 "ClusterQueue\nmetadata: {name: q}\nspec: {flavorFungibility: {%: TryNextFlavor}}\n"},
	{"preference", MODELLED,
	 V2 "ClusterQueue\nmetadata: {name: q}\nspec: {flavorFungibility: {whenCanBorrow: "
	    "TryNextFlavor, whenCanPreempt: TryNextFlavor, %: BorrowingOverPreemption}}\n"},
	{"preemption", MODELLED, V2 "ClusterQueue\nmetadata: {name: q}\nspec: {%: {}}\n"},
	{"reclaimWithinCohort", MODELLED,
	 V2 "ClusterQueue\nmetadata: {name: q}\nspec: {preemption: {%: Any}}\n"},
	{"withinClusterQueue", MODELLED,
	 V2 "ClusterQueue\nmetadata: {name: q}\nspec: {preemption: {%: LowerPriority}}\n"},
	{"borrowWithinCohort", MODELLED,
	 V2 "ClusterQueue\nmetadata: {name: q}\nspec: {preemption: {reclaimWithinCohort: Any, %: "
	    "{policy: LowerPriority}}}\n"},
	{"policy", MODELLED,
	 V2 "ClusterQueue\nmetadata: {name: q}\nspec: {preemption: {reclaimWithinCohort: Any, "
	    "borrowWithinCohort: {%: LowerPriority}}}\n"},
	{"maxPriorityThreshold", MODELLED,
	 V2 "ClusterQueue\nmetadata: {name: q}\nspec: {preemption: {reclaimWithinCohort: Any, "
	    "borrowWithinCohort: {policy: LowerPriority, %: 3}}}\n"},
	{"admissionChecksStrategy", MODELLED,
	 V2 "ClusterQueue\nmetadata: {name: q}\nspec: {%: {admissionChecks: [{name: c}]}}\n"},
	{"admissionChecks", MODELLED,
	 V2
	 "ClusterQueue\nmetadata: {name: q}\nspec: {admissionChecksStrategy: {%: [{name: c}]}}\n"},
	{"name", MODELLED,
	 V2 "ClusterQueue\nmetadata: {name: q}\nspec: {admissionChecksStrategy: {admissionChecks: "
	    "[{%: c}]}}\n"},
	{"onFlavors", MODELLED,
	 V2 "ClusterQueue\nmetadata: {name: q}\nspec: {admissionChecksStrategy: {admissionChecks: "
	    "[{name: c, %: [f]}]}}\n"},
	{"stopPolicy", MODELLED, V2 "ClusterQueue\nmetadata: {name: q}\nspec: {%: Hold}\n"},
	{"fairSharing", MODELLED, V2 "ClusterQueue\nmetadata: {name: q}\nspec: {%: {weight: 2}}\n"},
	{"weight", MODELLED, V2 "ClusterQueue\nmetadata: {name: q}\nspec: {fairSharing: {%: 2}}\n"},
	{"admissionScope", MODELLED,
	 V2
	 "ClusterQueue\nmetadata: {name: q}\nspec: {%: {admissionMode: NoAdmissionFairSharing}}\n"},
	{"admissionMode", MODELLED,
	 V2 "ClusterQueue\nmetadata: {name: q}\nspec: {admissionScope: {%: "
	    "NoAdmissionFairSharing}}\n"},
	{"concurrentAdmissionPolicy", MODELLED,
	 V2 "ClusterQueue\nmetadata: {name: q}\nspec: {%: {migration: {mode: "
	    "TryPreferredFlavors}}}\n"},
	{"migration", MODELLED,
	 V2 "ClusterQueue\nmetadata: {name: q}\nspec: {concurrentAdmissionPolicy: {%: {mode: "
	    "TryPreferredFlavors}}}\n"},
	{"mode", MODELLED,
	 V2 "ClusterQueue\nmetadata: {name: q}\nspec: {concurrentAdmissionPolicy: {migration: {%: "
	    "TryPreferredFlavors}}}\n"},
	{"constraints", MODELLED,
	 V2 "ClusterQueue\nmetadata: {name: q}\nspec: {concurrentAdmissionPolicy: {migration: {%: "
	    "{lastAcceptableFlavorName: f}}}}\n"},
	{"lastAcceptableFlavorName", MODELLED,
	 V2 "ClusterQueue\nmetadata: {name: q}\nspec: {concurrentAdmissionPolicy: {migration: "
	    "{constraints: {%: f}}}}\n"},
	{"coveredResources", MODELLED,
	 V2 "ClusterQueue\nmetadata: {name: q}\nspec: {cohortName: c, resourceGroups: [{%: [cpu], "
	    "flavors: [{name: f, resources: [{name: cpu, nominalQuota: 1}]}]}]}\n"},
	{"flavors", MODELLED,
	 V2 "ClusterQueue\nmetadata: {name: q}\nspec: {cohortName: c, resourceGroups: "
	    "[{coveredResources: [cpu], %: [{name: f, resources: [{name: cpu, nominalQuota: "
	    "1}]}]}]}\n"},
	{"name", MODELLED,
	 V2 "ClusterQueue\nmetadata: {name: q}\nspec: {cohortName: c, resourceGroups: "
	    "[{coveredResources: [cpu], flavors: [{%: f, resources: [{name: cpu, nominalQuota: "
	    "1}]}]}]}\n"},
	{"resources", MODELLED,
	 V2
	 "ClusterQueue\nmetadata: {name: q}\nspec: {cohortName: c, resourceGroups: "
	 "[{coveredResources: [cpu], flavors: [{name: f, %: [{name: cpu, nominalQuota: 1}]}]}]}\n"},
	{"name", MODELLED,
	 V2 "ClusterQueue\nmetadata: {name: q}\nspec: {cohortName: c, resourceGroups: "
	    "[{coveredResources: [cpu], flavors: [{name: f, resources: [{%: cpu, nominalQuota: "
	    "1}]}]}]}\n"},
	{"nominalQuota", MODELLED,
	 V2 "ClusterQueue\nmetadata: {name: q}\nspec: {cohortName: c, resourceGroups: "
	    "[{coveredResources: [cpu], flavors: [{name: f, resources: [{name: cpu, %: 1}]}]}]}\n"},
	{"borrowingLimit", MODELLED,
	 V2 "ClusterQueue\nmetadata: {name: q}\nspec: {cohortName: c, resourceGroups: "
	    "[{coveredResources: [cpu], flavors: [{name: f, resources: [{name: cpu, nominalQuota: "
	    "1, %: 1}]}]}]}\n"},
	{"lendingLimit", MODELLED,
	 V2 "ClusterQueue\nmetadata: {name: q}\nspec: {cohortName: c, resourceGroups: "
	    "[{coveredResources: [cpu], flavors: [{name: f, resources: [{name: cpu, nominalQuota: "
	    "1, %: 1}]}]}]}\n"},
	{"spec", MODELLED, V2 "ClusterQueue\nmetadata: {name: q}\n%: {}\n"},
	{"status", HARMLESS, V2 "ClusterQueue\nmetadata: {name: q}\n%: {}\n"},
	{"parentName", MODELLED, V2 "Cohort\nmetadata: {name: c}\nspec: {%: p}\n"},
	{"resourceGroups", MODELLED, V2 "Cohort\nmetadata: {name: c}\nspec: {%: []}\n"},
	{"fairSharing", MODELLED, V2 "Cohort\nmetadata: {name: c}\nspec: {%: {weight: 2}}\n"},
	{"weight", MODELLED, V2 "Cohort\nmetadata: {name: c}\nspec: {fairSharing: {%: 2}}\n"},
	{"nodeLabels", MODELLED, V2 "ResourceFlavor\nmetadata: {name: f}\nspec: {%: {a: b}}\n"},
	{"nodeTaints", MODELLED,
	 V2 "ResourceFlavor\nmetadata: {name: f}\nspec: {%: [{key: a, effect: NoSchedule}]}\n"},
	{"key", MODELLED,
	 V2
	 "ResourceFlavor\nmetadata: {name: f}\nspec: {nodeTaints: [{%: a, effect: NoSchedule}]}\n"},
	{"value", MODELLED,
	 V2 "ResourceFlavor\nmetadata: {name: f}\nspec: {nodeTaints: [{key: a, effect: NoSchedule, "
	    "%: b}]}\n"},
	{"effect", MODELLED,
	 V2 "ResourceFlavor\nmetadata: {name: f}\nspec: {nodeTaints: [{key: a, %: NoSchedule}]}\n"},
	{"timeAdded", HARMLESS,
	 V2 "ResourceFlavor\nmetadata: {name: f}\nspec: {nodeTaints: [{key: a, effect: NoSchedule, "
	    "%: x}]}\n"},
	{"tolerations", MODELLED,
	 V2 "ResourceFlavor\nmetadata: {name: f}\nspec: {%: [{key: a, operator: Exists}]}\n"},
	{"key", MODELLED,
	 V2
	 "ResourceFlavor\nmetadata: {name: f}\nspec: {tolerations: [{%: a, operator: Exists}]}\n"},
	{"operator", MODELLED,
	 V2 "ResourceFlavor\nmetadata: {name: f}\nspec: {tolerations: [{key: a, %: Exists}]}\n"},
	{"value", MODELLED,
	 V2 "ResourceFlavor\nmetadata: {name: f}\nspec: {tolerations: [{key: a, %: b}]}\n"},
	{"effect", MODELLED,
	 V2 "ResourceFlavor\nmetadata: {name: f}\nspec: {tolerations: [{key: a, %: NoSchedule, "
	    "operator: Exists}]}\n"},
	{"tolerationSeconds", MODELLED,
	 V2 "ResourceFlavor\nmetadata: {name: f}\nspec: {tolerations: [{key: a, operator: Exists, "
	    "effect: NoExecute, %: 5}]}\n"},
	{"topologyName", MODELLED,
	 V2 "ResourceFlavor\nmetadata: {name: f}\nspec: {nodeLabels: {a: b}, %: t}\n"},
	{"clusterQueue", MODELLED, V2 "LocalQueue\nmetadata: {name: l}\nspec: {%: q}\n"},
	{"stopPolicy", MODELLED,
	 V2 "LocalQueue\nmetadata: {name: l}\nspec: {clusterQueue: q, %: Hold}\n"},
	{"fairSharing", MODELLED,
	 V2 "LocalQueue\nmetadata: {name: l}\nspec: {clusterQueue: q, %: {weight: 2}}\n"},
	{"weight", MODELLED,
	 V2 "LocalQueue\nmetadata: {name: l}\nspec: {clusterQueue: q, fairSharing: {%: 2}}\n"},
	{"controllerName", MODELLED, V2 "AdmissionCheck\nmetadata: {name: c}\nspec: {%: x}\n"},
	{"parameters", MODELLED,
	 V2 "AdmissionCheck\nmetadata: {name: c}\nspec: {controllerName: x, %: {apiGroup: "
	    "kueue.x-k8s.io, kind: ProvisioningRequestConfig, name: p}}\n"},
	{"levels", MODELLED, V2 "Topology\nmetadata: {name: t}\nspec: {%: [{nodeLabel: a}]}\n"},
	{"nodeLabel", MODELLED, V2 "Topology\nmetadata: {name: t}\nspec: {levels: [{%: a}]}\n"},
	{"value", MODELLED, V2 "WorkloadPriorityClass\nmetadata: {name: w}\n%: 3\n"},
	{"description", HARMLESS,
	 V2 "WorkloadPriorityClass\nmetadata: {name: w}\nvalue: 3\n%: x\n"},
	{"resourceGroups", MODELLED, V1 "ClusterQueue\nmetadata: {name: q}\nspec: {%: []}\n"},
	{"cohort", MODELLED, V1 "ClusterQueue\nmetadata: {name: q}\nspec: {%: c}\n"},
	{"queueingStrategy", MODELLED,
	 V1 "ClusterQueue\nmetadata: {name: q}\nspec: {%: StrictFIFO}\n"},
	{"namespaceSelector", MODELLED, V1 "ClusterQueue\nmetadata: {name: q}\nspec: {%: {}}\n"},
	{"matchLabels", MODELLED,
	 V1 "ClusterQueue\nmetadata: {name: q}\nspec: {namespaceSelector: {%: {a: b}}}\n"},
	{"matchExpressions", MODELLED,
	 V1 "ClusterQueue\nmetadata: {name: q}\nspec: {namespaceSelector: {%: [{key: a, operator: "
	    "Exists}]}}\n"},
	{"key", MODELLED,
	 V1 "ClusterQueue\nmetadata: {name: q}\nspec: {namespaceSelector: {matchExpressions: [{%: "
	    "a, operator: Exists}]}}\n"},
	{"operator", MODELLED,
	 V1 "ClusterQueue\nmetadata: {name: q}\nspec: {namespaceSelector: {matchExpressions: "
	    "[{key: a, %: Exists}]}}\n"},
	{"values", MODELLED,
	 V1 "ClusterQueue\nmetadata: {name: q}\nspec: {namespaceSelector: {matchExpressions: "
	    "[{key: a, operator: In, %: [b]}]}}\n"},
	{"flavorFungibility", MODELLED, V1 "ClusterQueue\nmetadata: {name: q}\nspec: {%: {}}\n"},
	{"whenCanBorrow", MODELLED,
	 V1 "ClusterQueue\nmetadata: {name: q}\nspec: {flavorFungibility: {%: TryNextFlavor}}\n"},
	{"whenCanPreempt", MODELLED,
	 V1 "ClusterQueue\nmetadata: {name: q}\nspec: {flavorFungibility: {%: TryNextFlavor}}\n"},
	{"preference", MODELLED,
	 V1 "ClusterQueue\nmetadata: {name: q}\nspec: {flavorFungibility: {whenCanBorrow: "
	    "TryNextFlavor, whenCanPreempt: TryNextFlavor, %: BorrowingOverPreemption}}\n"},
	{"preemption", MODELLED, V1 "ClusterQueue\nmetadata: {name: q}\nspec: {%: {}}\n"},
	{"reclaimWithinCohort", MODELLED,
	 V1 "ClusterQueue\nmetadata: {name: q}\nspec: {preemption: {%: Any}}\n"},
	{"withinClusterQueue", MODELLED,
	 V1 "ClusterQueue\nmetadata: {name: q}\nspec: {preemption: {%: LowerPriority}}\n"},
	{"borrowWithinCohort", MODELLED,
	 V1 "ClusterQueue\nmetadata: {name: q}\nspec: {preemption: {reclaimWithinCohort: Any, %: "
	    "{policy: LowerPriority}}}\n"},
	{"policy", MODELLED,
	 V1 "ClusterQueue\nmetadata: {name: q}\nspec: {preemption: {reclaimWithinCohort: Any, "
	    "borrowWithinCohort: {%: LowerPriority}}}\n"},
	{"maxPriorityThreshold", MODELLED,
	 V1 "ClusterQueue\nmetadata: {name: q}\nspec: {preemption: {reclaimWithinCohort: Any, "
	    "borrowWithinCohort: {policy: LowerPriority, %: 3}}}\n"},
	{"admissionChecksStrategy", MODELLED,
	 V1 "ClusterQueue\nmetadata: {name: q}\nspec: {%: {admissionChecks: [{name: c}]}}\n"},
	{"admissionChecks", MODELLED,
	 V1
	 "ClusterQueue\nmetadata: {name: q}\nspec: {admissionChecksStrategy: {%: [{name: c}]}}\n"},
	{"name", MODELLED,
	 V1 "ClusterQueue\nmetadata: {name: q}\nspec: {admissionChecksStrategy: {admissionChecks: "
	    "[{%: c}]}}\n"},
	{"onFlavors", MODELLED,
	 V1 "ClusterQueue\nmetadata: {name: q}\nspec: {admissionChecksStrategy: {admissionChecks: "
	    "[{name: c, %: [f]}]}}\n"},
	{"admissionChecks", MODELLED, V1 "ClusterQueue\nmetadata: {name: q}\nspec: {%: [c]}\n"},
	{"stopPolicy", MODELLED, V1 "ClusterQueue\nmetadata: {name: q}\nspec: {%: Hold}\n"},
	{"fairSharing", MODELLED, V1 "ClusterQueue\nmetadata: {name: q}\nspec: {%: {weight: 2}}\n"},
	{"weight", MODELLED, V1 "ClusterQueue\nmetadata: {name: q}\nspec: {fairSharing: {%: 2}}\n"},
	{"admissionScope", MODELLED,
	 V1
	 "ClusterQueue\nmetadata: {name: q}\nspec: {%: {admissionMode: NoAdmissionFairSharing}}\n"},
	{"admissionMode", MODELLED,
	 V1 "ClusterQueue\nmetadata: {name: q}\nspec: {admissionScope: {%: "
	    "NoAdmissionFairSharing}}\n"},
	{"coveredResources", MODELLED,
	 V1 "ClusterQueue\nmetadata: {name: q}\nspec: {cohort: c, resourceGroups: [{%: [cpu], "
	    "flavors: [{name: f, resources: [{name: cpu, nominalQuota: 1}]}]}]}\n"},
	{"flavors", MODELLED,
	 V1
	 "ClusterQueue\nmetadata: {name: q}\nspec: {cohort: c, resourceGroups: [{coveredResources: "
	 "[cpu], %: [{name: f, resources: [{name: cpu, nominalQuota: 1}]}]}]}\n"},
	{"name", MODELLED,
	 V1
	 "ClusterQueue\nmetadata: {name: q}\nspec: {cohort: c, resourceGroups: [{coveredResources: "
	 "[cpu], flavors: [{%: f, resources: [{name: cpu, nominalQuota: 1}]}]}]}\n"},
	{"resources", MODELLED,
	 V1
	 "ClusterQueue\nmetadata: {name: q}\nspec: {cohort: c, resourceGroups: [{coveredResources: "
	 "[cpu], flavors: [{name: f, %: [{name: cpu, nominalQuota: 1}]}]}]}\n"},
	{"name", MODELLED,
	 V1
	 "ClusterQueue\nmetadata: {name: q}\nspec: {cohort: c, resourceGroups: [{coveredResources: "
	 "[cpu], flavors: [{name: f, resources: [{%: cpu, nominalQuota: 1}]}]}]}\n"},
	{"nominalQuota", MODELLED,
	 V1 "ClusterQueue\nmetadata: {name: q}\nspec: {cohort: c, resourceGroups: "
	    "[{coveredResources: [cpu], flavors: [{name: f, resources: [{name: cpu, %: 1}]}]}]}\n"},
	{"borrowingLimit", MODELLED,
	 V1
	 "ClusterQueue\nmetadata: {name: q}\nspec: {cohort: c, resourceGroups: [{coveredResources: "
	 "[cpu], flavors: [{name: f, resources: [{name: cpu, nominalQuota: 1, %: 1}]}]}]}\n"},
	{"lendingLimit", MODELLED,
	 V1
	 "ClusterQueue\nmetadata: {name: q}\nspec: {cohort: c, resourceGroups: [{coveredResources: "
	 "[cpu], flavors: [{name: f, resources: [{name: cpu, nominalQuota: 1, %: 1}]}]}]}\n"},
	{"spec", MODELLED, V1 "ClusterQueue\nmetadata: {name: q}\n%: {}\n"},
	{"status", HARMLESS, V1 "ClusterQueue\nmetadata: {name: q}\n%: {}\n"},
	{"parentName", MODELLED, V1 "Cohort\nmetadata: {name: c}\nspec: {%: p}\n"},
	{"resourceGroups", MODELLED, V1 "Cohort\nmetadata: {name: c}\nspec: {%: []}\n"},
	{"fairSharing", MODELLED, V1 "Cohort\nmetadata: {name: c}\nspec: {%: {weight: 2}}\n"},
	{"weight", MODELLED, V1 "Cohort\nmetadata: {name: c}\nspec: {fairSharing: {%: 2}}\n"},
	{"nodeLabels", MODELLED, V1 "ResourceFlavor\nmetadata: {name: f}\nspec: {%: {a: b}}\n"},
	{"nodeTaints", MODELLED,
	 V1 "ResourceFlavor\nmetadata: {name: f}\nspec: {%: [{key: a, effect: NoSchedule}]}\n"},
	{"key", MODELLED,
	 V1
	 "ResourceFlavor\nmetadata: {name: f}\nspec: {nodeTaints: [{%: a, effect: NoSchedule}]}\n"},
	{"value", MODELLED,
	 V1 "ResourceFlavor\nmetadata: {name: f}\nspec: {nodeTaints: [{key: a, effect: NoSchedule, "
	    "%: b}]}\n"},
	{"effect", MODELLED,
	 V1 "ResourceFlavor\nmetadata: {name: f}\nspec: {nodeTaints: [{key: a, %: NoSchedule}]}\n"},
	{"timeAdded", HARMLESS,
	 V1 "ResourceFlavor\nmetadata: {name: f}\nspec: {nodeTaints: [{key: a, effect: NoSchedule, "
	    "%: x}]}\n"},
	{"tolerations", MODELLED,
	 V1 "ResourceFlavor\nmetadata: {name: f}\nspec: {%: [{key: a, operator: Exists}]}\n"},
	{"key", MODELLED,
	 V1
	 "ResourceFlavor\nmetadata: {name: f}\nspec: {tolerations: [{%: a, operator: Exists}]}\n"},
	{"operator", MODELLED,
	 V1 "ResourceFlavor\nmetadata: {name: f}\nspec: {tolerations: [{key: a, %: Exists}]}\n"},
	{"value", MODELLED,
	 V1 "ResourceFlavor\nmetadata: {name: f}\nspec: {tolerations: [{key: a, %: b}]}\n"},
	{"effect", MODELLED,
	 V1 "ResourceFlavor\nmetadata: {name: f}\nspec: {tolerations: [{key: a, %: NoSchedule, "
	    "operator: Exists}]}\n"},
	{"tolerationSeconds", MODELLED,
	 V1 "ResourceFlavor\nmetadata: {name: f}\nspec: {tolerations: [{key: a, operator: Exists, "
	    "effect: NoExecute, %: 5}]}\n"},
	{"topologyName", MODELLED,
	 V1 "ResourceFlavor\nmetadata: {name: f}\nspec: {nodeLabels: {a: b}, %: t}\n"},
	{"clusterQueue", MODELLED, V1 "LocalQueue\nmetadata: {name: l}\nspec: {%: q}\n"},
	{"stopPolicy", MODELLED,
	 V1 "LocalQueue\nmetadata: {name: l}\nspec: {clusterQueue: q, %: Hold}\n"},
	{"fairSharing", MODELLED,
	 V1 "LocalQueue\nmetadata: {name: l}\nspec: {clusterQueue: q, %: {weight: 2}}\n"},
	{"weight", MODELLED,
	 V1 "LocalQueue\nmetadata: {name: l}\nspec: {clusterQueue: q, fairSharing: {%: 2}}\n"},
	{"controllerName", MODELLED, V1 "AdmissionCheck\nmetadata: {name: c}\nspec: {%: x}\n"},
	{"parameters", MODELLED,
	 V1 "AdmissionCheck\nmetadata: {name: c}\nspec: {controllerName: x, %: {apiGroup: "
	    "kueue.x-k8s.io, kind: ProvisioningRequestConfig, name: p}}\n"},
	{"retryDelayMinutes", HARMLESS,
	 V1 "AdmissionCheck\nmetadata: {name: c}\nspec: {controllerName: x, %: 5}\n"},
	{"levels", MODELLED, V1 "Topology\nmetadata: {name: t}\nspec: {%: [{nodeLabel: a}]}\n"},
	{"nodeLabel", MODELLED, V1 "Topology\nmetadata: {name: t}\nspec: {levels: [{%: a}]}\n"},
	{"value", MODELLED, V1 "WorkloadPriorityClass\nmetadata: {name: w}\n%: 3\n"},
	{"description", HARMLESS,
	 V1 "WorkloadPriorityClass\nmetadata: {name: w}\nvalue: 3\n%: x\n"},
};

START_TEST(every_field)
{
	objects_case_field(&fields[_i]);
}
END_TEST

int main(void)
{
	TCase *t = tcase_create("all");

	tcase_add_test(t, defaults_of_a_cluster_queue);
	tcase_add_test(t, everything_of_a_cluster_queue);
	tcase_add_test(t, the_older_version);
	tcase_add_test(t, an_empty_cohort_name_is_none);
	tcase_add_test(t, cohort);
	tcase_add_test(t, flavor);
	tcase_add_test(t, local_queue);
	tcase_add_test(t, the_small_ones);
	tcase_add_loop_test(t, every_field, 0, ROWS(fields));
	return objects_case_run("sim/objects/objects_kueue", t);
}
