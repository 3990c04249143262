/* test_cost.c - What became of the money: worked out by hand, and conserved on runs. */
#include "sim/report/metrics.h"
#include "tests/sim/run_case.h"
#include "tests/support/records.h"

#define HOUR 3600
#define USD  MONEY_USD
#define PRICES                                                                                     \
	"apiVersion: gqsim/v1\nkind: Prices\ndate: 2026-11-29\nnodes:\n"                           \
	"- {instanceType: p5.48xlarge, gpus: 8, usdPerHour: 55.04}\n"                              \
	"- {instanceType: p4d.24xlarge, gpus: 8, usdPerHour: 21.96}\n---\n"
#define POOLS(pools) "apiVersion: gqsim/v1\nkind: Simulation\nnodePools:\n" pools

static struct metrics *window(const struct journal *j, int64_t hours)
{
	return metrics_new(j, false, hours * CLOCK_HOUR);
}

static const struct {
	const char *pool;
	money want;
} idle[] = {
	{"- {name: p5.48xlarge, count: 1, gpus: 8}\n", 27520 * USD},
	{"- {name: p5.48xlarge, count: 3, gpus: 8}\n", 82560 * USD},
	{"- {name: p4d.24xlarge, count: 1, gpus: 8}\n", 10980 * USD},
};

/* 500 hours in which nobody asks for anything. */
START_TEST(idle_nodes_cost_what_they_cost)
{
	char text[1000];
	struct scenario *s;
	struct journal *j;
	struct metrics *m;

	snprintf(text, sizeof(text), PRICES POOLS("%s"), idle[_i].pool);
	s = objects_case_load(text);
	j = journal_new(s, "kubernetes", JOURNAL_FULL);
	m = window(j, 500);
	ck_assert_int_eq(m->cost->gpus, idle[_i].want);
	ck_assert_int_eq(m->cost->free, idle[_i].want);
	ck_assert_int_eq(m->cost->stranded, 0);
	ck_assert_int_eq(m->cost->idle, 0);
	ck_assert_int_eq(m->cost->per_useful_hour, 0);
	ck_assert_int_eq(cost_month(m->cost, m->cost->gpus), money_part(idle[_i].want, 728, 500));
	metrics_free(m);
	journal_free(j);
	scenario_free(s);
}
END_TEST

/* One node at 8 USD a GPU-hour, one at 1: gang takes 4 GPUs of each from hour 1, works
 * from hour 2, is stopped at hour 4, works from hour 5 to 9; late asks for 8 from hour 2. */
START_TEST(by_what_became_of_the_gpus)
{
	struct scenario *s = objects_case_load(
		POOLS("- {name: dear, count: 1, gpus: 8, usdPerHour: 64}\n"
		      "- {name: cheap, count: 1, gpus: 8, usdPerHour: 8}\n"
		      "jobs:\n"
		      "- {name: gang, duration: 4h, pods: 2, gpus: 4, namespace: a}\n"
		      "- {name: late, duration: 4h, gpus: 8, namespace: b}\n"));
	struct journal *j = journal_new(s, "kubernetes", JOURNAL_FULL);
	struct metrics *m;

	records_job(j, 0, J_SUBMIT, 0, 0, 0);
	records_pod(j, HOUR, J_POD_SCHEDULED, 0, 0, 0, 0);
	records_job(j, 2 * HOUR, J_SUBMIT, 1, 0, 0);
	records_pod(j, 2 * HOUR, J_POD_SCHEDULED, 0, 1, 1, 0);
	records_job(j, 2 * HOUR, J_STARTED, 0, 1, 0);
	records_pod(j, 4 * HOUR, J_POD_PREEMPTED, 0, 0, 0, j->first_pod[1]);
	records_pod(j, 4 * HOUR, J_POD_PREEMPTED, 0, 1, 1, j->first_pod[1]);
	records_job(j, 4 * HOUR, J_INTERRUPTED, 0, 1, 0);
	records_lost(j, 4 * HOUR, 0, 2 * HOUR);
	records_pod(j, 5 * HOUR, J_POD_SCHEDULED, 0, 0, 0, 0);
	records_pod(j, 5 * HOUR, J_POD_SCHEDULED, 0, 1, 1, 0);
	records_job(j, 5 * HOUR, J_STARTED, 0, 2, 0);
	records_job(j, 9 * HOUR, J_FINISHED, 0, 0, 0);
	m = window(j, 10);
	ck_assert_int_eq(m->cost->gpus, 720 * USD);
	ck_assert_int_eq(m->cost->bound, (32 + 2 * 36 + 4 * 36) * USD);
	ck_assert_int_eq(m->cost->running, (2 + 4) * 36 * USD);
	ck_assert_int_eq(m->cost->idle, 32 * USD);
	ck_assert_int_eq(m->cost->free, (720 - 248) * USD);
	/* hour by hour, at the mean price of the free ones: 8 of 16, 4 of 12, 8 of 8 twice,
	 * 16 of 16, 8 of 8 four times, 8 of 16 */
	ck_assert_int_eq(m->cost->stranded,
			 (36 + 2 * 36 + 72 + 4 * 36 + 36) * USD + money_part(40 * USD, 4, 12));
	ck_assert_int_eq(m->cost->lost, 2 * 36 * USD);
	ck_assert_int_eq(m->cost->per_useful_hour, 720 * USD / 32);
	ck_assert_int_eq(m->cost->teams[0].used, 248 * USD);
	ck_assert_int_eq(m->cost->teams[1].used, 0);
	metrics_free(m);
	journal_free(j);
	scenario_free(s);
}
END_TEST

static const char lab[] = POOLS("- {name: a, count: 1, gpus: 8, usdPerHour: 33.33}\n"
				"- {name: b, count: 1, gpus: 8, usdPerHour: 8}\n"
				"jobs:\n"
				"- {name: t, count: 9, every: 10m, queue: q, duration: 1h, pods: "
				"2, gpus: 3}\n") "---"
						 "\n" RUN_CASE_QUEUE("16");

static const char *const policies[] = {"kubernetes", "kueue"};

/* Parts add up; so do the teams; and nothing is known without prices. */
START_TEST(nothing_is_lost_on_the_way)
{
	struct run_case c = run_case(lab, policies[_i]);
	struct metrics *m = metrics_new(c.journal, _i == 1, c.journal->account_end);
	const struct cost *cost = m->cost;
	money teams = 0;

	for (uint32_t t = 0; t < m->team_count; t++)
		teams += cost->teams[t].used;
	ck_assert_int_gt(cost->bound, 0);
	ck_assert_int_eq(cost->idle, cost->bound - cost->running);
	ck_assert_int_ge(cost->idle, 0);
	ck_assert_int_ge(cost->free, cost->stranded);
	ck_assert_int_eq(cost->gpus, cost->bound + cost->free);
	ck_assert_int_le(cost->bound - teams, m->team_count);
	ck_assert_int_eq(cost->gpus, money_of(33330000 + 8000000, m->end));
	metrics_free(m);
	run_case_free(&c);
}
END_TEST

START_TEST(no_prices_no_cost)
{
	struct run_case c =
		run_case(RUN_CASE_NODE("8") RUN_CASE_JOB("j", "", "parallelism: 1"), "kubernetes");
	struct metrics *m = metrics_new(c.journal, false, c.journal->account_end);

	ck_assert_ptr_null(m->cost);
	metrics_free(m);
	run_case_free(&c);
}
END_TEST

/* Nobody places pods: a GPU costs the mean. Quota of 4 is borrowed by a. */
START_TEST(borrowed_quota_is_in_proportion)
{
	struct run_options options;
	struct run_case c;
	struct metrics *m;

	options_default(&options);
	options.placement = PLACEMENT_NONE;
	c = run_case_with(POOLS("- {name: p, count: 1, gpus: 8, usdPerHour: 80}\n"
				"jobs:\n- {name: j, queue: a, duration: 1h, pods: 2, gpus: "
				"4}\n") "---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: "
					"ResourceFlavor\n"
					"metadata: {name: f}\n"
					"---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: "
					"ClusterQueue\n"
					"metadata: {name: a}\nspec: {cohortName: all, "
					"namespaceSelector: {}, "
					"resourceGroups: [{coveredResources: [nvidia.com/gpu], "
					"flavors: [{name: f, "
					"resources: [{name: nvidia.com/gpu, nominalQuota: "
					"4}]}]}]}\n"
					"---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: "
					"ClusterQueue\n"
					"metadata: {name: b}\nspec: {cohortName: all, "
					"namespaceSelector: {}, "
					"resourceGroups: [{coveredResources: [nvidia.com/gpu], "
					"flavors: [{name: f, "
					"resources: [{name: nvidia.com/gpu, nominalQuota: "
					"4}]}]}]}\n"
					"---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: "
					"LocalQueue\n"
					"metadata: {name: a, namespace: default}\nspec: "
					"{clusterQueue: a}\n",
			  "kueue", &options);
	m = metrics_new(c.journal, true, CLOCK_HOUR);
	ck_assert_int_eq(m->cost->teams[0].used, 80 * USD);
	ck_assert_int_eq(m->cost->teams[0].borrowed, 40 * USD);
	ck_assert_int_eq(m->cost->per_useful_hour, 10 * USD);
	metrics_free(m);
	run_case_free(&c);
}
END_TEST

#define FLAVOR(name)                                                                               \
	"---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: ResourceFlavor\nmetadata: {name: " name    \
	"}\nspec: {nodeLabels: {pool: " name "}}\n"
#define TWO_FLAVORS(name)                                                                          \
	"---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: ClusterQueue\nmetadata: {name: " name      \
	"}\nspec: {cohortName: all, namespaceSelector: {}, resourceGroups: [{coveredResources: "   \
	"[nvidia.com/gpu], flavors: [{name: dear, resources: [{name: nvidia.com/gpu, "             \
	"nominalQuota: 4}]}, {name: cheap, resources: [{name: nvidia.com/gpu, nominalQuota: "      \
	"4}]}]}]}\n"

/* An hour on 8 dear GPUs, of which the quota of 4 is borrowed, and on 4 cheap ones. */
START_TEST(borrowed_quota_costs_what_its_flavor_does)
{
	struct run_case c = run_case(
		POOLS("- {name: d, count: 1, gpus: 8, usdPerHour: 80, labels: {pool: dear}}\n"
		      "- {name: c, count: 1, gpus: 8, usdPerHour: 8, labels: {pool: cheap}}\n"
		      "jobs:\n- {name: j, queue: a, duration: 1h, gpus: 8}\n"
		      "- {name: k, queue: a, submitAt: 1s, duration: 1h, gpus: 4}\n") FLAVOR("dear")
			FLAVOR("cheap") TWO_FLAVORS("a") TWO_FLAVORS(
				"b") "---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: LocalQueue\n"
				     "metadata: {name: a, namespace: default}\nspec: "
				     "{clusterQueue: a}\n",
		"kueue");
	struct metrics *m = metrics_new(c.journal, true, c.journal->account_end);

	ck_assert_int_eq(m->cost->teams[0].used, 84 * USD);
	ck_assert_int_eq(m->cost->teams[0].borrowed, 40 * USD); /* a third of the GPU-hours */
	metrics_free(m);
	run_case_free(&c);
}
END_TEST

int main(void)
{
	TCase *t = tcase_create("all");

	tcase_add_loop_test(t, idle_nodes_cost_what_they_cost, 0, ROWS(idle));
	tcase_add_test(t, by_what_became_of_the_gpus);
	tcase_add_loop_test(t, nothing_is_lost_on_the_way, 0, ROWS(policies));
	tcase_add_test(t, no_prices_no_cost);
	tcase_add_test(t, borrowed_quota_is_in_proportion);
	tcase_add_test(t, borrowed_quota_costs_what_its_flavor_does);
	return objects_case_run("sim/report/cost", t);
}
