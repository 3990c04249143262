/* test_lint_queues.c - each rule about queues, flavors and nodes: an input that breaks it,
 * and the same input mended, which it is silent about. */
#include <stdio.h>
#include <string.h>

#include "tests/sim/objects_case.h"

#define KUEUE "apiVersion: kueue.x-k8s.io/v1beta2\nkind: "
#define NODES "---\napiVersion: gqsim/v1\nkind: Simulation\nnodePools:\n"
#define QUOTA(flavor, cell)                                                                        \
	"  resourceGroups:\n  - coveredResources: [nvidia.com/gpu]\n    flavors:\n"                \
	"    - {name: " flavor ", resources: [{name: nvidia.com/gpu, " cell "}]}\n"
#define FLAVOR "ResourceFlavor\nmetadata: {name: f}\n---\n" KUEUE
#define LENDER                                                                                     \
	"---\n" KUEUE "ClusterQueue\nmetadata: {name: other}\nspec:\n  cohortName: c\n"            \
	"  namespaceSelector: {}\n" QUOTA("f", "nominalQuota: 2, lendingLimit: 1")
#define OTHER                                                                                      \
	"---\n" KUEUE "ClusterQueue\nmetadata: {name: other}\nspec:\n  cohortName: c\n"            \
	"  namespaceSelector: {}\n  preemption: {reclaimWithinCohort: Any}\n" QUOTA(               \
		"f", "nominalQuota: 2, lendingLimit: 0")
#define QUEUE(spec, cell) "ClusterQueue\nmetadata: {name: q}\nspec:\n" spec QUOTA("f", cell)
#define LOCAL(ns)                                                                                  \
	"---\n" KUEUE "LocalQueue\nmetadata: {name: l, namespace: " ns "}\n"                       \
	"spec: {clusterQueue: q}\n"
#define JOBS(jobs)                                                                                 \
	"---\napiVersion: gqsim/v1\nkind: Simulation\njobs:\n- {name: j, "                         \
	"namespace: k, queue: l, " jobs "}\n"
#define ALL	  "  namespaceSelector: {}\n"
#define STRICT	  "  namespaceSelector: {}\n  queueingStrategy: StrictFIFO\n"
#define SELECTS_M "  namespaceSelector: {matchLabels: {team: m}}\n"
#define NAMESPACE(team)                                                                            \
	"---\napiVersion: v1\nkind: Namespace\nmetadata: {name: k, labels: {team: " team "}}\n"
#define WALL                                                                                       \
	"apiVersion: v1\nkind: ResourceQuota\nmetadata: {name: w, namespace: k}\nspec: {hard: "    \
	"{requests.nvidia.com/gpu: 2}}\n---\n"
#define TOPOLOGY                                                                                   \
	KUEUE "Topology\nmetadata: {name: t}\nspec: {levels: [{nodeLabel: rack}]}\n---\n" KUEUE    \
	      "ResourceFlavor\nmetadata: {name: f}\nspec: {nodeLabels: {a: b}, topologyName: t}\n"
#define COHORT "Cohort\nmetadata: {name: c}\nspec:\n"

static const struct {
	const char *rule, *broken, *mended;
} rows[] = {
	{"queue-without-cohort", KUEUE FLAVOR QUEUE(ALL, "nominalQuota: 2") OTHER,
	 KUEUE FLAVOR QUEUE("  cohortName: c\n" ALL, "nominalQuota: 2") OTHER},
	{"lends-without-reclaim",
	 KUEUE FLAVOR QUEUE("  cohortName: c\n" ALL, "nominalQuota: 2") OTHER,
	 KUEUE FLAVOR QUEUE("  cohortName: c\n  preemption: {reclaimWithinCohort: Any}\n" ALL,
			    "nominalQuota: 2") OTHER},
	{"lends-without-reclaim",
	 KUEUE FLAVOR QUEUE("  cohortName: c\n" ALL, "nominalQuota: 2, lendingLimit: 1") OTHER,
	 KUEUE FLAVOR QUEUE("  cohortName: c\n" ALL, "nominalQuota: 2, lendingLimit: 0") OTHER},
	{"inference-lends-all",
	 KUEUE FLAVOR QUEUE("  cohortName: c\n" ALL, "nominalQuota: 2") OTHER LOCAL("k")
		 JOBS("duration: endless, gpus: 1"),
	 KUEUE FLAVOR QUEUE("  cohortName: c\n" ALL, "nominalQuota: 2, lendingLimit: 1")
		 OTHER LOCAL("k") JOBS("duration: endless, gpus: 1")},
	{"inference-lends-all",
	 KUEUE FLAVOR QUEUE("  cohortName: c\n" ALL, "nominalQuota: 2") OTHER LOCAL("k")
		 JOBS("duration: endless, gpus: 1"),
	 KUEUE FLAVOR QUEUE("  cohortName: c\n" ALL, "nominalQuota: 2") OTHER LOCAL("k")
		 JOBS("duration: 5, gpus: 1")},
	{"cohort-quota-counted-twice",
	 KUEUE FLAVOR QUEUE("  cohortName: c\n" ALL,
			    "nominalQuota: 2") "---\n" KUEUE COHORT QUOTA("f", "nominalQuota: 2"),
	 KUEUE FLAVOR QUEUE("  cohortName: c\n" ALL,
			    "nominalQuota: 2") "---\n" KUEUE COHORT QUOTA("f", "nominalQuota: 3")},
	{"namespace-selector-admits-nobody", KUEUE FLAVOR QUEUE("", "nominalQuota: 2"),
	 KUEUE FLAVOR QUEUE(ALL, "nominalQuota: 2")},
	{"namespace-selector-admits-nobody",
	 KUEUE FLAVOR QUEUE(SELECTS_M, "nominalQuota: 2") LOCAL("k") NAMESPACE("k"),
	 KUEUE FLAVOR QUEUE(SELECTS_M, "nominalQuota: 2") LOCAL("k") NAMESPACE("m")},
	{"namespace-selector-admits-nobody",
	 KUEUE FLAVOR QUEUE(SELECTS_M, "nominalQuota: 2") LOCAL("k") NAMESPACE("k"),
	 KUEUE FLAVOR QUEUE(SELECTS_M, "nominalQuota: 2") LOCAL("k")}, /* labels unknown */
	{"no-local-queue", KUEUE FLAVOR QUEUE(ALL, "nominalQuota: 2") OTHER LOCAL("k"),
	 KUEUE FLAVOR QUEUE(ALL, "nominalQuota: 2") LOCAL("k")},
	{"strict-fifo-head-borrows",
	 KUEUE FLAVOR QUEUE("  cohortName: c\n" STRICT, "nominalQuota: 2") LENDER LOCAL("k")
		 JOBS("duration: 5, gpus: 3"),
	 KUEUE FLAVOR QUEUE("  cohortName: c\n" ALL, "nominalQuota: 2") LENDER LOCAL("k")
		 JOBS("duration: 5, gpus: 3")},
	{"strict-fifo-blocked", /* nobody lends it the third */
	 KUEUE FLAVOR QUEUE("  cohortName: c\n" STRICT, "nominalQuota: 2") OTHER LOCAL("k")
		 JOBS("duration: 5, gpus: 3"),
	 KUEUE FLAVOR QUEUE("  cohortName: c\n" STRICT, "nominalQuota: 2") LENDER LOCAL("k")
		 JOBS("duration: 5, gpus: 3")},
	{"strict-fifo-blocked",
	 KUEUE FLAVOR QUEUE(STRICT, "nominalQuota: 2") LOCAL("k") JOBS("duration: 5, gpus: 3"),
	 KUEUE FLAVOR QUEUE(STRICT, "nominalQuota: 3") LOCAL("k") JOBS("duration: 5, gpus: 3")},
	{"resource-quota-below-queue", WALL KUEUE FLAVOR QUEUE(ALL, "nominalQuota: 3") LOCAL("k"),
	 WALL KUEUE FLAVOR QUEUE(ALL, "nominalQuota: 2") LOCAL("k")},
	{"local-queue-missing",
	 KUEUE FLAVOR QUEUE(ALL, "nominalQuota: 2") LOCAL("m") JOBS("duration: 5, gpus: 1"),
	 KUEUE FLAVOR QUEUE(ALL, "nominalQuota: 2") LOCAL("k") JOBS("duration: 5, gpus: 1")},
	{"flavor-without-nodes",
	 KUEUE "ResourceFlavor\nmetadata: {name: f}\nspec: {nodeLabels: {a: b}}\n" NODES
	       "- {name: p, count: 1, gpus: 8}\n",
	 KUEUE "ResourceFlavor\nmetadata: {name: f}\nspec: {nodeLabels: {a: b}}\n" NODES
	       "- {name: p, count: 1, gpus: 8, labels: {a: b}}\n"},
	{"topology-level-missing",
	 TOPOLOGY NODES "- {name: p, count: 2, gpus: 8, labels: {a: b}}\n",
	 TOPOLOGY NODES "- {name: p, count: 2, gpus: 8, labels: {a: b, rack: r1}}\n"},
	{"topology-level-missing", /* of some nodes */
	 TOPOLOGY NODES "- {name: p, count: 2, gpus: 8, labels: {a: b}}\n"
			"- {name: o, count: 2, gpus: 8, labels: {a: b, rack: r1}}\n",
	 TOPOLOGY NODES "- {name: p, count: 2, gpus: 8, labels: {a: b, rack: r2}}\n"
			"- {name: o, count: 2, gpus: 8, labels: {a: b, rack: r1}}\n"},
	{"quota-above-nodes",
	 KUEUE FLAVOR QUEUE(ALL, "nominalQuota: 9") NODES "- {name: p, count: 1, gpus: 8}\n",
	 KUEUE FLAVOR QUEUE(ALL, "nominalQuota: 8") NODES "- {name: p, count: 1, gpus: 8}\n"},
	{"quota-below-nodes",
	 KUEUE FLAVOR QUEUE(ALL, "nominalQuota: 7") NODES "- {name: p, count: 1, gpus: 8}\n",
	 KUEUE FLAVOR QUEUE(ALL, "nominalQuota: 8") NODES "- {name: p, count: 1, gpus: 8}\n"},
	{"flavor-taint-keeps-all-out",
	 KUEUE "ResourceFlavor\nmetadata: {name: f}\nspec: {nodeTaints: [{key: t, effect: "
	       "NoSchedule}]}\n" NODES "- {name: p, count: 1, gpus: 8}\njobs:\n"
	       "- {name: j, duration: 5, gpus: 1}\n",
	 KUEUE "ResourceFlavor\nmetadata: {name: f}\nspec: {nodeTaints: [{key: t, effect: "
	       "NoSchedule}]}\n" NODES "- {name: p, count: 1, gpus: 8}\njobs:\n"
	       "- {name: j, duration: 5, gpus: 1, tolerations: [{key: t, operator: Exists}]}\n"},
	{"node-taint-not-in-flavor",
	 KUEUE "ResourceFlavor\nmetadata: {name: f}\n" NODES
	       "- {name: p, count: 2, gpus: 8, taints: [{key: t, effect: NoSchedule}]}\n",
	 KUEUE "ResourceFlavor\nmetadata: {name: f}\nspec: {nodeTaints: [{key: t, effect: "
	       "NoSchedule}]}\n" NODES
	       "- {name: p, count: 2, gpus: 8, taints: [{key: t, effect: NoSchedule}]}\n"},
	{"gpu-nodes-without-taint",
	 KUEUE "ResourceFlavor\nmetadata: {name: f}\n" NODES
	       "- {name: p, count: 2, gpus: 8}\n- {name: c, count: 1, gpus: 0, cpu: 8}\n",
	 KUEUE "ResourceFlavor\nmetadata: {name: f}\n" NODES
	       "- {name: p, count: 2, gpus: 8, taints: [{key: t, effect: NoSchedule}]}\n"
	       "- {name: c, count: 1, gpus: 0, cpu: 8}\n"},
};

static const struct finding *found(const struct scenario *s, const char *rule)
{
	for (uint32_t i = 0; i < s->finding_count; i++) {
		if (s->findings[i].rule != NAME_NONE &&
		    strcmp(scenario_string(s, s->findings[i].rule), rule) == 0)
			return &s->findings[i];
	}
	return NULL;
}

#define CHECK(controller)                                                                          \
	KUEUE "AdmissionCheck\nmetadata: {name: capacity}\nspec: {controllerName: "                \
	      "kueue.x-k8s.io/" controller ", parameters: {apiGroup: kueue.x-k8s.io, kind: "       \
	      "ProvisioningRequestConfig, name: c}}\n---\n" KUEUE                                  \
	      "ProvisioningRequestConfig\nmetadata: {name: c}\nspec: {provisioningClassName: "     \
	      "check-capacity.autoscaling.x-k8s.io}\n---\n"
#define ASKS "  admissionChecksStrategy: {admissionChecks: [{name: capacity}]}\n"

/* An autoscaler whose node pools are not given: it is there all the same. */
START_TEST(quota_that_waits_for_nodes)
{
	struct scenario *s = objects_case_load(CHECK("provisioning-request") KUEUE FLAVOR QUEUE(
		ALL ASKS, "nominalQuota: 9") NODES "- {name: p, count: 1, gpus: 8}\n");
	const struct finding *f = found(s, "quota-above-nodes");

	ck_assert_ptr_nonnull(f);
	ck_assert_int_eq(f->kind, FINDING_WARNING);
	ck_assert_ptr_nonnull(strstr(scenario_string(s, f->text),
				     "for the rest jobs hold their quota and wait for the "
				     "nodes of AdmissionCheck \"capacity\""));
	scenario_free(s);
	s = objects_case_load(CHECK("multikueue") KUEUE FLAVOR QUEUE(ALL ASKS, "nominalQuota: 9")
				      NODES "- {name: p, count: 1, gpus: 8}\n");
	f = found(s, "quota-above-nodes");
	ck_assert_ptr_nonnull(f);
	ck_assert_ptr_nonnull(strstr(scenario_string(s, f->text),
				     "Kueue may admit jobs whose pods then find no node"));
	scenario_free(s);
}
END_TEST

START_TEST(broken_is_told_with_place_and_fix)
{
	struct scenario *s = objects_case_load(rows[_i].broken);
	const struct finding *f = found(s, rows[_i].rule);

	ck_assert_msg(f != NULL, "%s is silent", rows[_i].rule);
	ck_assert_msg(f->fix != NAME_NONE && f->file != NAME_NONE && f->line != 0, "%s",
		      rows[_i].rule);
	scenario_free(s);
}
END_TEST

START_TEST(mended_is_not_told)
{
	struct scenario *s = objects_case_load(rows[_i].mended);

	ck_assert_msg(found(s, rows[_i].rule) == NULL, "%s", rows[_i].rule);
	scenario_free(s);
}
END_TEST

START_TEST(a_queue_of_another_namespace_is_named)
{
	struct scenario *s = objects_case_load(KUEUE FLAVOR QUEUE(ALL, "nominalQuota: 2") LOCAL("m")
						       JOBS("duration: 5, gpus: 1"));

	ck_assert_str_eq(scenario_string(s, found(s, "local-queue-missing")->fix),
			 "there is one in namespace \"m\": submit the job there, or create a "
			 "LocalQueue in \"k\"");
	scenario_free(s);
}
END_TEST

int main(void)
{
	TCase *t = tcase_create("all");

	tcase_add_test(t, quota_that_waits_for_nodes);
	tcase_add_loop_test(t, broken_is_told_with_place_and_fix, 0, ROWS(rows));
	tcase_add_loop_test(t, mended_is_not_told, 0, ROWS(rows));
	tcase_add_test(t, a_queue_of_another_namespace_is_named);
	return objects_case_run("sim/lint/lint_queues", t);
}
