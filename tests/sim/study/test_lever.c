/* test_lever.c - Which levers an input has, why it lacks the others, and quotas of nodes. */
#include "sim/study/lever.h"

#include "tests/sim/objects_case.h"

#define FLAVOR(name, labels)                                                                       \
	"---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: ResourceFlavor\nmetadata: {name: " name    \
	"}\nspec: {nodeLabels: {" labels "}}\n"
#define QUEUE(name, more, cells)                                                                   \
	"---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: ClusterQueue\nmetadata: {name: " name      \
	"}\nspec: {namespaceSelector: {}, " more                                                   \
	"resourceGroups: [{coveredResources: [nvidia.com/gpu, cpu], flavors: [" cells "]}]}\n"
#define CELL(flavor, gpus, limits, cpu)                                                            \
	"{name: " flavor ", resources: [{name: nvidia.com/gpu, nominalQuota: " gpus limits         \
	"}, {name: cpu, nominalQuota: " cpu "}]}"
#define LOCAL                                                                                      \
	"---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: LocalQueue\n"                              \
	"metadata: {name: a, namespace: m}\nspec: {clusterQueue: a}\n"
#define POOLS                                                                                      \
	"apiVersion: gqsim/v1\nkind: Simulation\nnodePools:\n"                                     \
	"- {name: h100, count: 3, gpus: 8, labels: {kind: h}}\n"                                   \
	"- {name: l40s, count: 4, gpus: 4, labels: {kind: l}}\njobs:\n"
#define ALIKE "- {name: x, count: 2, namespace: m, queue: a, duration: 1h, gpus: 1}\n"

static struct levers list_with(const char *yaml, const char *policy, const char *target)
{
	struct scenario *s = objects_case_load(yaml);
	struct goals goals = {.count = 0};
	struct run_options options;
	struct levers levers;
	struct err err;

	options_default(&options);
	ck_assert_int_eq(goal_add(&goals, target, &err), ERR_OK);
	lever_list(&levers, &(struct lever_question){.scenario = s,
						     .policy = policy_find(policy),
						     .options = &options,
						     .goals = &goals,
						     .notebooks = "*notebook*,dev/*",
						     .idle_timeout = "20m"});
	scenario_free(s); /* texts are the levers' own */
	return levers;
}

/* A line a lever: "name|choice|set;set", or "name!reason". */
static char *print(const struct levers *levers)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	for (size_t i = 0; i < levers->count; i++) {
		const struct lever *l = &levers->items[i];

		if (l->absent != NULL) {
			fprintf(out, "%s!%s\n", l->name, l->absent);
			continue;
		}
		fprintf(out, "%s|%s|", l->name, l->choice);
		for (uint32_t k = 0; k < l->set_count; k++)
			fprintf(out, "%s%s", k > 0 ? ";" : "", l->sets[k]);
		putc('\n', out);
	}
	fclose(out);
	return text;
}

static void check(const char *yaml, const char *policy, const char *target, const char *const *want)
{
	struct levers levers = list_with(yaml, policy, target);
	char *text = print(&levers);

	for (; *want != NULL; want++)
		ck_assert_msg(strstr(text, *want) != NULL, "no \"%s\" in:\n%s", *want, text);
	free(text);
	lever_free(&levers);
}

/* Two queues that stand alone. */
START_TEST(queues_alone)
{
	static const char *const want[] = {
		"one cohort|all queues in cohort all|clusterqueue/a:.cohortName=all;"
		"clusterqueue/b:.cohortName=all\n",
		"borrowing limits!no queue of a cohort has such a limit\n",
		"reclaim!no two queues share a cohort\n",
		"priorities!all jobs have the same priority",
		"queueing order|queueingStrategy=BestEffortFIFO|"
		"clusterqueue/*:.queueingStrategy=BestEffortFIFO\n",
		"fair sharing!no two queues share a cohort\n",
		"fungibility!no queue has a choice of flavors\n",
		"bin packing|strategy "
		"MostAllocated|run/options:.strategy=MostAllocated:nvidia.com/gpu=1\n",
		"topology|topology of hosts for all flavors|"
		"flavor/*:.topologyName=kubernetes.io/hostname\n",
		NULL};

	check(POOLS ALIKE FLAVOR("f", "kind: h")
		      QUEUE("a", "queueingStrategy: StrictFIFO, ", CELL("f", "8", "", "64"))
			      QUEUE("b", "", CELL("f", "16", "", "64")),
	      "kueue", "p95-wait=1m", want);
}
END_TEST

/* One cohort with limits, a choice of flavors, priorities. */
START_TEST(queues_of_a_cohort)
{
	static const char *const want[] = {
		"one cohort!all queues are in one already\n",
		"borrowing limits|no borrowing limits|"
		"clusterqueue/a:nvidia.com/gpu@f.borrowingLimit=none\n",
		"lending limits|no lending limits|"
		"clusterqueue/b:nvidia.com/gpu@f.lendingLimit=none\n",
		"lending limits|teams with a target lend nothing|"
		"clusterqueue/a:nvidia.com/gpu@f.lendingLimit=0;"
		"clusterqueue/a:cpu@f.lendingLimit=0;"
		"clusterqueue/a:nvidia.com/gpu@g.lendingLimit=0;"
		"clusterqueue/a:cpu@g.lendingLimit=0\n",
		"reclaim|reclaimWithinCohort=Any|clusterqueue/*:.preemption.reclaimWithinCohort="
		"Any\nreclaim|reclaimWithinCohort=LowerPriority|",
		"reclaim|reclaimWithinCohort=Never|clusterqueue/*:.preemption.borrowWithinCohort."
		"policy=Never;clusterqueue/*:.preemption.reclaimWithinCohort=Never\n",
		"priorities|teams with a target go first|jobs/m:.priority=1000\n",
		"priorities|withinClusterQueue=LowerPriority|"
		"clusterqueue/*:.preemption.withinClusterQueue=LowerPriority\n",
		"fair sharing|fairSharing.enable=true|configuration/kueue:.fairSharing.enable="
		"true\n",
		"fungibility|whenCanBorrow=TryNextFlavor|"
		"clusterqueue/a:.flavorFungibility.whenCanBorrow=TryNextFlavor\n",
		NULL};

	check(POOLS ALIKE
	      "- {name: r, namespace: m, queue: a, duration: 1h, gpus: 1, priorityClass: p}\n"
	      "---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: WorkloadPriorityClass\n"
	      "metadata: {name: p}\nvalue: 9\n" LOCAL FLAVOR("f", "kind: h") FLAVOR(
		      "g", "kind: l") QUEUE("a",
					    "cohortName: c, preemption: {reclaimWithinCohort: Any, "
					    "borrowWithinCohort: {policy: LowerPriority}}, ",
					    CELL("f", "8", ", borrowingLimit: 4",
						 "64") ", " CELL("g", "8", "", "64"))
		      QUEUE("b", "cohortName: c, ", CELL("f", "16", ", lendingLimit: 2", "64")),
	      "kueue", "a:p95-wait=1m", want);
}
END_TEST

/* Each kept choice must load, and not be offered again. */
START_TEST(what_is_in_force_is_not_offered)
{
	struct levers levers = list_with(
		POOLS ALIKE FLAVOR("f", "kind: h") QUEUE(
			"a", "cohortName: c, preemption: {reclaimWithinCohort: Any}, ",
			CELL("f", "8", "", "64"))
			QUEUE("b", "cohortName: c, preemption: {reclaimWithinCohort: Any}, ",
			      CELL("f", "16", "", "64")) "---\napiVersion: "
							 "config.kueue.x-k8s.io/v1beta2\n"
							 "kind: Configuration\n"
							 "fairSharing: {}\n",
		"kueue", "p95-wait=1m");
	char *text = print(&levers);

	ck_assert_ptr_null(strstr(text, "reclaimWithinCohort=Any"));
	/* all jobs are of one priority: Never is no other choice */
	ck_assert_ptr_nonnull(strstr(text, "reclaimWithinCohort=LowerPriority"));
	ck_assert_ptr_null(strstr(text, "reclaimWithinCohort=Never"));
	ck_assert_ptr_nonnull(strstr(text, "fair sharing!it is on already\n"));
	free(text);
	lever_free(&levers);
}
END_TEST

/* Notebooks by name, and what they leave; small jobs that a slice would do for. */
START_TEST(what_jobs_hold_and_do_not_use)
{
	static const char *const want[] = {
		"auto-stop|idle notebooks stop after 20m|"
		"jobs/*notebook*:.idleTimeout=20m;jobs/dev/*:.idleTimeout=20m\n",
		"MIG|1 GPU of h100 in slices of 1g.10gb|nodepool/h100:.mig=1@1g.10gb;"
		"jobs/all:.mig=1g.10gb\n",
		NULL};
	static const char *const none[] = {
		"auto-stop!no job called *notebook*,dev/* ends and says that it is idle",
		"MIG!no job of one GPU says that a seventh of it is enough (gpuUtilisation)\n",
		NULL};

	check(POOLS "- {name: my-notebook, duration: 8h, gpus: 1, gpuUtilisation: 4.2}\n"
		    "- {name: x, namespace: dev, duration: 8h, gpus: 1, gpuUtilisation: 14}\n"
		    "- {name: r, duration: 8h, gpus: 2, gpuUtilisation: 1}\n",
	      "kubernetes", "p95-wait=1m", want);
	check(POOLS "- {name: my-notebook, duration: 8h, gpus: 1}\n", "kubernetes", "p95-wait=1m",
	      none);
}
END_TEST

/* Each queue's small jobs get GPUs of its own quota, for their peak or for their mean: eight
 * at once in a, one after the other in b; only what a queue has can be cut. */
START_TEST(slices_come_out_of_quotas)
{
	static const char jobs[] = POOLS
		"- {name: s, count: 8, every: 1m, namespace: m, queue: a, duration: 10h, gpus: "
		"1, gpuUtilisation: 10}\n"
		"- {name: t, submitAt: 200h, namespace: m, queue: a, duration: 1h, gpus: 1, "
		"gpuUtilisation: 10}\n"
		"- {name: u, count: 3, every: 2h, namespace: m, queue: b, duration: 1h, gpus: "
		"1, gpuUtilisation: 10}\n---\napiVersion: kueue.x-k8s.io/v1beta2\n"
		"kind: LocalQueue\nmetadata: {name: b, namespace: m}\nspec: {clusterQueue: "
		"b}\n" LOCAL FLAVOR("f", "kind: h");
	static const char *const want[] = {
		"MIG|2 GPUs of h100 in slices of 1g.10gb|nodepool/h100:.mig=2@1g.10gb;"
		"jobs/all:.mig=1g.10gb;"
		"clusterqueue/a:nvidia.com/mig-1g.10gb@f.nominalQuota=7;"
		"clusterqueue/a:nvidia.com/gpu@f.nominalQuota=7;"
		"clusterqueue/b:nvidia.com/mig-1g.10gb@f.nominalQuota=7;"
		"clusterqueue/b:nvidia.com/gpu@f.nominalQuota=15\n",
		"MIG|3 GPUs of h100 in slices of 1g.10gb|nodepool/h100:.mig=3@1g.10gb;"
		"jobs/all:.mig=1g.10gb;"
		"clusterqueue/a:nvidia.com/mig-1g.10gb@f.nominalQuota=14;"
		"clusterqueue/a:nvidia.com/gpu@f.nominalQuota=6;",
		NULL};
	static const char *const none[] = {
		"MIG!a queue of jobs that could do with a slice has no two GPUs of quota", NULL};
	char text[6000];

	snprintf(text, sizeof(text), "%s%s%s", jobs, QUEUE("a", "", CELL("f", "8", "", "64")),
		 QUEUE("b", "", CELL("f", "16", "", "64")));
	check(text, "kueue", "p95-wait=1m", want);
	snprintf(text, sizeof(text), "%s%s%s", jobs, QUEUE("a", "", CELL("f", "8", "", "64")),
		 QUEUE("b", "", CELL("f", "1", "", "64")));
	check(text, "kueue", "p95-wait=1m", none);
}
END_TEST

START_TEST(plain_kubernetes_has_few)
{
	static const char *const want[] = {"reclaim!this policy has no queues (-p kueue has)\n",
					   "bin packing|strategy MostAllocated|", NULL};
	static const char *const none[] = {"reclaim!the input has no ClusterQueues\n",
					   "bin packing!no pod is placed: the input has no nodes\n",
					   NULL};

	check(POOLS ALIKE, "kubernetes", "p95-wait=1m", want);
	check("apiVersion: gqsim/v1\nkind: Simulation\njobs:\n" ALIKE, "kueue", "p95-wait=1m",
	      none);
}
END_TEST

static const struct {
	struct lever_count counts[2];
	const char *want;
} counts[] = {
	{{{"h100", 3, 0, NULL}}, "nodepool/h100:.count=3;"},
	{{{"h100", 6, 0, NULL}},
	 "nodepool/h100:.count=6;clusterqueue/a:cpu@f.nominalQuota=128000m;"
	 "clusterqueue/b:cpu@f.nominalQuota=126000m;"
	 "clusterqueue/a:nvidia.com/gpu@f.nominalQuota=16;"
	 "clusterqueue/b:nvidia.com/gpu@f.nominalQuota=32;"},
	/* the parts add up to 16; what b lends falls with its quota */
	{{{"h100", 2, 0, NULL}},
	 "nodepool/h100:.count=2;clusterqueue/a:cpu@f.nominalQuota=42667m;"
	 "clusterqueue/b:cpu@f.nominalQuota=42000m;"
	 "clusterqueue/a:nvidia.com/gpu@f.nominalQuota=5;"
	 "clusterqueue/b:nvidia.com/gpu@f.lendingLimit=11;"
	 "clusterqueue/b:nvidia.com/gpu@f.nominalQuota=11;"},
	{{{"l40s", 8, 0, NULL}},
	 "nodepool/l40s:.count=8;clusterqueue/a:cpu@g.nominalQuota=128000m;"
	 "clusterqueue/a:nvidia.com/gpu@g.nominalQuota=16;"},
	{{{"h100", 3, 0, NULL}, {"l40s", 6, 2, "12h"}},
	 "nodepool/h100:.count=3;nodepool/l40s:.count=6;nodepool/l40s:.spot=2@12h;"
	 "clusterqueue/a:cpu@g.nominalQuota=96000m;"
	 "clusterqueue/a:nvidia.com/gpu@g.nominalQuota=12;"},
};

START_TEST(nodes_bring_their_quota)
{
	struct scenario *s = objects_case_load(
		POOLS ALIKE FLAVOR("f", "kind: h") FLAVOR("g", "kind: l") QUEUE(
			"a", "cohortName: c, ",
			CELL("f", "8", "", "64") ", " CELL("g", "8", "", "64"))
			QUEUE("b", "cohortName: c, ", CELL("f", "16", ", lendingLimit: 12", "63")));
	struct mem_arena *arena = mem_arena_new();
	struct lever_nodes nodes =
		lever_nodes(arena, s, counts[_i].counts, counts[_i].counts[1].pool == NULL ? 1 : 2);
	char text[1000];
	size_t used = 0;

	for (uint32_t i = 0; i < nodes.count; i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s;", nodes.sets[i]);
	ck_assert_str_eq(text, counts[_i].want);
	mem_arena_free(arena);
	scenario_free(s);
}
END_TEST

int main(void)
{
	TCase *t = tcase_create("all");

	tcase_add_test(t, queues_alone);
	tcase_add_test(t, queues_of_a_cohort);
	tcase_add_test(t, what_is_in_force_is_not_offered);
	tcase_add_test(t, plain_kubernetes_has_few);
	tcase_add_test(t, what_jobs_hold_and_do_not_use);
	tcase_add_test(t, slices_come_out_of_quotas);
	tcase_add_loop_test(t, nodes_bring_their_quota, 0, ROWS(counts));
	return objects_case_run("sim/study/lever", t);
}
