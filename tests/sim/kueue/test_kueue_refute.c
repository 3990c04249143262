/* test_kueue_refute.c - Searches concluded from others: the same runs as with each one made. */
#include "sim/kueue/kueue_refute.h"

#include "tests/sim/shortcut_case.h"

#define RUNS  60
#define JOBS  70
#define below shortcut_case_below

/* Six nodes in three racks, with as many GPUs as the three queues of the cohort have quota. */
static void write_cluster(FILE *out, unsigned *seed)
{
	static const char *const reclaims[] = {"Any", "Any", "LowerPriority", "Never"};

	fprintf(out,
		"apiVersion: kueue.x-k8s.io/v1beta2\nkind: Topology\nmetadata: {name: racks}\n"
		"spec: {levels: [{nodeLabel: rack}, {nodeLabel: kubernetes.io/hostname}]}\n---\n"
		"apiVersion: kueue.x-k8s.io/v1beta2\nkind: ResourceFlavor\n"
		"metadata: {name: f}\nspec: {topologyName: racks, nodeLabels: {pool: g}}\n");
	for (unsigned n = 0; n < 6; n++)
		fprintf(out,
			"---\napiVersion: v1\nkind: Node\nmetadata:\n  name: n%u\n"
			"  labels: {kubernetes.io/hostname: n%u, pool: g, rack: r%u}\n"
			"status: {allocatable: {nvidia.com/gpu: \"4\", pods: \"20\"}}\n",
			n, n, n / 2);
	for (unsigned p = 1; p < 4; p++)
		fprintf(out,
			"---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: WorkloadPriorityClass\n"
			"metadata: {name: p%u}\nvalue: %u\n",
			p, p);
	for (unsigned q = 0; q < 3; q++)
		fprintf(out,
			"---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: ClusterQueue\n"
			"metadata: {name: q%u}\nspec:\n  namespaceSelector: {}\n  cohortName: all\n"
			"  preemption: {withinClusterQueue: %s, reclaimWithinCohort: %s}\n"
			"  resourceGroups:\n  - coveredResources: [nvidia.com/gpu]\n    flavors:\n"
			"    - {name: f, resources: [{name: nvidia.com/gpu, nominalQuota: 8}]}\n"
			"---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: LocalQueue\n"
			"metadata: {name: q%u, namespace: default}\nspec: {clusterQueue: q%u}\n",
			q, below(seed, 4) == 0 ? "Never" : "LowerPriority",
			reclaims[below(seed, 4)], q, q);
}

static void write_jobs(FILE *out, unsigned *seed)
{
	fprintf(out, "---\napiVersion: gqsim/v1\nkind: Simulation\njobs:\n");
	for (unsigned j = 0; j < JOBS; j++) {
		static const char *const wishes[] = {"required: rack",
						     "required: kubernetes.io/hostname",
						     "preferred: kubernetes.io/hostname",
						     "preferred: rack", "unconstrained: true"};

		fprintf(out,
			"- {name: j%u, queue: q%u, submitAt: %us, duration: %us, pods: %u, gpus: "
			"%u, "
			"priorityClass: p%u, topology: {%s}}\n",
			j, below(seed, 3), j * 3 + below(seed, 3), 10 + below(seed, 60),
			1 + below(seed, 3), 1 + below(seed, 4), 1 + below(seed, 3),
			wishes[below(seed, 5)]);
	}
}

static void write_system(FILE *out, unsigned *seed)
{
	write_cluster(out, seed);
	write_jobs(out, seed);
}

START_TEST(the_same_as_with_each_search_made)
{
	shortcut_case_check(write_system, (unsigned)_i, J_QUOTA_RESERVED);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("sim/kueue/kueue_refute");
	TCase *t = tcase_create("all");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_set_timeout(t, 120);
	tcase_add_loop_test(t, the_same_as_with_each_search_made, 0, RUNS);
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
