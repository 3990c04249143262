/* test_lint.c - what cannot work is told; what can is not. */
#include "sim/lint/lint.h"

#include <stdio.h>

#include "tests/sim/objects_case.h"

#define KUEUE "apiVersion: kueue.x-k8s.io/v1beta2\nkind: "

/* Two flavors, two queues in a cohort, one node of each flavor. */
static const char cluster[] = KUEUE
	"ResourceFlavor\nmetadata: {name: h100}\nspec: {nodeLabels: {gpu: h100},"
	" nodeTaints: [{key: spot, effect: NoSchedule}]}\n---\n" KUEUE
	"ResourceFlavor\nmetadata: {name: a100}\nspec: {nodeLabels: {gpu: a100}}\n---\n" KUEUE
	"ClusterQueue\nmetadata: {name: q}\nspec:\n  cohortName: all\n"
	"  namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: k}}\n"
	"  resourceGroups:\n  - coveredResources: [nvidia.com/gpu]\n    flavors:\n"
	"    - {name: h100, resources: [{name: nvidia.com/gpu, nominalQuota: 8,"
	" borrowingLimit: 2}]}\n"
	"    - {name: a100, resources: [{name: nvidia.com/gpu, nominalQuota: 4}]}\n---\n" KUEUE
	"ClusterQueue\nmetadata: {name: lender}\nspec:\n  cohortName: all\n"
	"  namespaceSelector: {}\n  resourceGroups:\n"
	"  - coveredResources: [nvidia.com/gpu]\n    flavors:\n"
	"    - {name: h100, resources: [{name: nvidia.com/gpu, nominalQuota: 8}]}\n"
	"    - {name: a100, resources: [{name: nvidia.com/gpu, nominalQuota: 4}]}\n---\n" KUEUE
	"LocalQueue\nmetadata: {name: l, namespace: k}\nspec: {clusterQueue: q}\n---\n" KUEUE
	"LocalQueue\nmetadata: {name: l, namespace: m}\nspec: {clusterQueue: q}\n---\n"
	"apiVersion: gqsim/v1\nkind: Simulation\nnodePools:\n"
	"- {name: h, count: 2, gpus: 8, cpu: 32, labels: {gpu: h100},"
	" taints: [{key: spot, effect: NoSchedule}]}\n"
	"- {name: a, count: 1, gpus: 8, cpu: 64, labels: {gpu: a100}}\n"
	"jobs: [{name: j, duration: 5, namespace: k, queue: l, ";

#define SPOT "tolerations: [{key: spot, operator: Exists}], "

/* What is said of the one job; NULL: nothing. */
static const struct {
	const char *job, *words;
} rows[] = {
	{"gpus: 1", NULL},
	{"gpus: 4", NULL},
	{SPOT "gpus: 8", NULL},
	{"gpus: 9", "job \"j\" never fits: each pod asks for 9 of nvidia.com/gpu, the largest node "
		    "has 8"},
	{"requests: {cpu: 65}", "each pod asks for 65 of cpu, the largest node has 64"},
	{"gpus: 8, pods: 2", "never fits: of its 2 pods the empty cluster holds 1"},
	{"gpus: 8, pods: 2, gang: false", "is never admitted: it asks for 16"},
	{SPOT "gpus: 5, pods: 2", NULL},	       /* 10 of h100: 8 + 2 borrowed */
	{SPOT "gpus: 1, pods: 11, minPods: 10", NULL}, /* partial admission */
	{SPOT "gpus: 1, pods: 11", "it asks for 11 of nvidia.com/gpu, ClusterQueue \"q\" can have "
				   "at most 8 in flavor \"a100\""},
	{"gpus: 1, nodeSelector: {gpu: v100}", "never fits: no node has the label gpu=v100"},
	{"gpus: 8, nodeSelector: {gpu: h100}", "has a taint, such as spot, which its pods do not"},
	{SPOT "gpus: 1, nodeSelector: {gpu: h100}", NULL},
	{"gpus: 1, requests: {cpu: 1}", "ClusterQueue \"q\" has no quota for cpu, which its pods "
					"request"},
	{"gpus: 0, requests: {cpu: 0}", NULL}, /* of which it asks nothing */
};

START_TEST(one_job)
{
	char text[6000];
	struct scenario *s;

	snprintf(text, sizeof(text), "%s%s}]\n", cluster, rows[_i].job);
	s = objects_case_load(text);
	if (rows[_i].words == NULL)
		ck_assert_msg(objects_case_findings(s) == 0, "%s: %s", rows[_i].job,
			      scenario_string(s, s->findings[0].text));
	else
		ck_assert_msg(objects_case_finding(s, rows[_i].words) != NULL, "%s: %s",
			      rows[_i].job,
			      s->finding_count != 0 ? scenario_string(s, s->findings[0].text)
						    : "nothing");
	scenario_free(s);
}
END_TEST

/* Two nodes of four GPUs with a taint and one of eight: what a flavor adds to its pods, and
 * where they must go. */
static const char small_flavor[] = KUEUE
	"ResourceFlavor\nmetadata: {name: small}\nspec: {nodeLabels: {gpu: a},"
	" tolerations: [{key: gpu, operator: Exists}]}\n---\n" KUEUE
	"ClusterQueue\nmetadata: {name: q}\nspec:\n  queueingStrategy: StrictFIFO\n"
	"  namespaceSelector: {}\n  resourceGroups:\n"
	"  - coveredResources: [nvidia.com/gpu]\n    flavors:\n"
	"    - {name: small, resources: [{name: nvidia.com/gpu, nominalQuota: 8}]}\n---\n" KUEUE
	"LocalQueue\nmetadata: {name: l, namespace: k}\nspec: {clusterQueue: q}\n---\n"
	"apiVersion: gqsim/v1\nkind: Simulation\nnodePools:\n"
	"- {name: a, count: 2, gpus: 4, labels: {gpu: a}, taints: [{key: gpu, effect: "
	"NoSchedule}]}\n"
	"- {name: b, count: 1, gpus: 8, cpu: 8}\n"
	"jobs: [{name: j, duration: 5, namespace: k, queue: l, ";

static const struct {
	const char *job;
	const char *words[3];
} flavor_rows[] = {
	{"gpus: 4, pods: 2", {NULL}},
	{"gpus: 8",
	 {"job \"j\" never runs: it can be admitted to flavor \"small\", but of its 1 pods the "
	  "nodes "
	  "of that flavor hold 0"}},
	{"gpus: 9",
	 {"each pod asks for 9 of nvidia.com/gpu, the largest node has 8",
	  "is never admitted: it asks for 9", "once job \"j\", which is never admitted"}},
	{"gpus: 2, pods: 5", {"is never admitted: it asks for 10", "is StrictFIFO: once job"}},
	{"gpus: 1, requests: {a/b: 1}",
	 {"asks for 1 of a/b, the largest node has 0", "has no quota for a/b"}},
};

START_TEST(nodes_of_the_flavor)
{
	char text[3000];
	struct scenario *s;
	size_t count = 0;

	snprintf(text, sizeof(text), "%s%s}]\n", small_flavor, flavor_rows[_i].job);
	s = objects_case_load(text);
	while (count < 3 && flavor_rows[_i].words[count] != NULL) {
		ck_assert_msg(objects_case_finding(s, flavor_rows[_i].words[count]) != NULL,
			      "%s: %s", flavor_rows[_i].job, flavor_rows[_i].words[count]);
		count++;
	}
	ck_assert_uint_ge(objects_case_findings(s), count);
	scenario_free(s);
}
END_TEST

START_TEST(the_wrong_namespace)
{
	char text[6000], *ns;
	struct scenario *s;

	snprintf(text, sizeof(text), "%sgpus: 1}]\n", cluster);
	ns = strstr(text, "namespace: k, queue");
	ns[11] = 'm';
	s = objects_case_load(text);
	ck_assert_ptr_nonnull(objects_case_finding(
		s, "is never admitted: ClusterQueue \"q\" does not select namespace \"m\""));
	scenario_free(s);
}
END_TEST

/* What the Configuration takes out of the account is not missed. */
static const char *const configurations[] = {
	"resources: {quotaCheckStrategy: IgnoreUndeclared}",
	"resources: {excludeResourcePrefixes: [cp]}",
	"resources: {transformations: [{input: cpu, strategy: Replace, outputs: {x.io/y: 1}}]}",
};

START_TEST(configured_away)
{
	char text[7000];
	struct scenario *s;

	snprintf(text, sizeof(text),
		 "%sgpus: 1, requests: {cpu: 1}}]\n---\n"
		 "apiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\n%s\n",
		 cluster, configurations[_i]);
	s = objects_case_load(text);
	ck_assert_uint_eq(objects_case_findings(s), 0);
	scenario_free(s);
}
END_TEST

START_TEST(alike_jobs_share_a_warning)
{
	struct scenario *s =
		objects_case_load("apiVersion: gqsim/v1\nkind: Simulation\nnodePools: [{name: p, "
				  "count: 1, gpus: 8}]\n"
				  "jobs:\n- {name: a, count: 5, duration: 1, gpus: 9}\n"
				  "- {name: b, duration: 1, gpus: 10}\n");

	ck_assert_uint_eq(objects_case_findings(s), 2);
	ck_assert_ptr_nonnull(objects_case_finding(s, "job \"a-0\" never fits"));
	ck_assert_ptr_nonnull(objects_case_finding(s, "has 8 (and 4 more like it)"));
	scenario_free(s);
}
END_TEST

START_TEST(many_sorts_are_cut)
{
	char text[6000];
	size_t used = (size_t)snprintf(text, sizeof(text),
				       "apiVersion: gqsim/v1\nkind: Simulation\nnodePools: [{name: "
				       "p, count: 1, gpus: 8}]\n"
				       "jobs:\n");
	struct scenario *s;

	for (int i = 0; i < 50; i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used,
					 "- {name: a%d, duration: 1, gpus: %d}\n", i, 9 + i);
	s = objects_case_load(text);
	ck_assert_uint_eq(objects_case_findings(s), 21);
	ck_assert_ptr_nonnull(objects_case_finding(s, "30 more jobs of other shapes"));
	scenario_free(s);
}
END_TEST

/* What changes during the run may make the impossible possible. */
START_TEST(updates_silence_it)
{
	char text[7000];
	struct scenario *s;

	snprintf(text, sizeof(text),
		 "%sgpus: 9}]\n---\napiVersion: v1\nkind: Node\n"
		 "metadata: {name: big, annotations: {gqsim/at: \"60\"}}\n"
		 "status: {capacity: {nvidia.com/gpu: 16}}\n",
		 cluster);
	s = objects_case_load(text);
	ck_assert_uint_eq(objects_case_findings(s), 0);
	scenario_free(s);
}
END_TEST

START_TEST(hardware)
{
	struct scenario *s = objects_case_load(
		KUEUE "ResourceFlavor\nmetadata: {name: none}\nspec: {nodeLabels: {a: b, c: d}}\n"
		      "---\n" KUEUE "ResourceFlavor\nmetadata: {name: all}\n---\n" KUEUE
		      "Cohort\nmetadata: {name: c}\nspec:\n  resourceGroups:\n"
		      "  - coveredResources: [nvidia.com/gpu, cpu]\n    flavors:\n"
		      "    - {name: all, resources: [{name: nvidia.com/gpu, nominalQuota: 5},"
		      " {name: cpu, nominalQuota: 1000}]}\n---\n" KUEUE
		      "ClusterQueue\nmetadata: {name: q}\nspec:\n  namespaceSelector: {}\n"
		      "  resourceGroups:\n  - coveredResources: [nvidia.com/gpu]\n    flavors:\n"
		      "    - {name: all, resources: [{name: nvidia.com/gpu, nominalQuota: 4}]}\n"
		      "---\napiVersion: gqsim/v1\nkind: Simulation\n"
		      "nodePools: [{name: p, count: 1, gpus: 8}]\n");

	ck_assert_uint_eq(objects_case_findings(s), 2);
	ck_assert_ptr_nonnull(objects_case_finding(
		s, "t:3:18: ResourceFlavor \"none\": no node carries its nodeLabels (a=b,c=d)"));
	ck_assert_ptr_nonnull(objects_case_finding(
		s,
		"ResourceFlavor \"all\": quotas of nvidia.com/gpu add up to 9, its nodes have 8"));
	scenario_free(s);
}
END_TEST

START_TEST(no_queue_name)
{
	char text[6000], *queue;
	struct scenario *s;

	snprintf(text, sizeof(text), "%sgpus: 1}]\n", cluster);
	queue = strstr(text, "queue: l, ");
	memcpy(queue, "          ", 10);
	s = objects_case_load(text);
	ck_assert_ptr_nonnull(objects_case_finding(s, "job \"j\" has no label "
						      "kueue.x-k8s.io/queue-name"));
	scenario_free(s);
}
END_TEST

/* %s: feature gates; %s: at least so many pods; %s: more annotations of the template. */
static const char sliced_text[] =
	"apiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\n"
	"featureGates: {%s}\n---\n" KUEUE
	"Topology\nmetadata: {name: t}\nspec: {levels: [{nodeLabel: rack}, "
	"{nodeLabel: kubernetes.io/hostname}]}\n---\n" KUEUE
	"ResourceFlavor\nmetadata: {name: f}\nspec: {nodeLabels: {p: a}, topologyName: "
	"t}\n---\n" KUEUE
	"ClusterQueue\nmetadata: {name: q}\nspec:\n  namespaceSelector: {}\n  resourceGroups:\n"
	"  - coveredResources: [cpu]\n    flavors:\n"
	"    - {name: f, resources: [{name: cpu, nominalQuota: 9}]}\n---\n" KUEUE
	"LocalQueue\nmetadata: {name: l, namespace: k}\nspec: {clusterQueue: q}\n---\n"
	"apiVersion: batch/v1\nkind: Job\nmetadata: {name: j, namespace: k, "
	"labels: {kueue.x-k8s.io/queue-name: l}, "
	"annotations: {kueue.x-k8s.io/job-min-parallelism: '%s'}}\n"
	"spec: {parallelism: 8, completions: 8, template: {metadata: {annotations: {"
	"kueue.x-k8s.io/podset-slice-required-topology: rack, "
	"kueue.x-k8s.io/podset-slice-size: '4', %s}}, "
	"spec: {restartPolicy: Never, containers: [{name: c, resources: {requests: {cpu: "
	"1}}}]}}}\n";

static const struct {
	const char *gates, *least, *wish;
	bool told;
} sliced[] = {
	{"TASBalancedPlacement: true", "3", "kueue.x-k8s.io/podset-preferred-topology: rack", true},
	{"TASBalancedPlacement: true", "4", "kueue.x-k8s.io/podset-preferred-topology: rack",
	 false},
	{"TASBalancedPlacement: true", "3", "kueue.x-k8s.io/podset-required-topology: rack", false},
	{"TASBalancedPlacement: false", "3", "kueue.x-k8s.io/podset-preferred-topology: rack",
	 false},
	{"TASBalancedPlacement: true, PartialAdmission: false", "3",
	 "kueue.x-k8s.io/podset-preferred-topology: rack", false},
};

START_TEST(fewer_pods_than_a_slice)
{
	char text[4000];
	struct scenario *s;

	snprintf(text, sizeof(text), sliced_text, sliced[_i].gates, sliced[_i].least,
		 sliced[_i].wish);
	s = objects_case_load(text);
	ck_assert((objects_case_finding(
			   s, "job \"j\" can bring Kueue down: with fewer pods than a slice has "
			      "(at least 3 of 4) TASBalancedPlacement divides by zero") != NULL) ==
		  sliced[_i].told);
	scenario_free(s);
}
END_TEST

int main(void)
{
	TCase *t = tcase_create("all");

	tcase_add_loop_test(t, nodes_of_the_flavor, 0, ROWS(flavor_rows));
	tcase_add_loop_test(t, one_job, 0, ROWS(rows));
	tcase_add_test(t, the_wrong_namespace);
	tcase_add_loop_test(t, configured_away, 0, ROWS(configurations));
	tcase_add_loop_test(t, fewer_pods_than_a_slice, 0, ROWS(sliced));
	tcase_add_test(t, alike_jobs_share_a_warning);
	tcase_add_test(t, many_sorts_are_cut);
	tcase_add_test(t, updates_silence_it);
	tcase_add_test(t, hardware);
	tcase_add_test(t, no_queue_name);
	return objects_case_run("sim/lint/lint", t);
}
