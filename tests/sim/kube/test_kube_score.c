#include "sim/kube/kube_score.h"

#include <check.h>
#include <string.h>

#include "tests/support/cluster_case.h"

#define COUNT(rows) ((int)(sizeof(rows) / sizeof((rows)[0])))

/* Expectations worked out by hand from spec KUBE_SCHEDULER.md 4.4. */
static const struct {
	const char *name;
	struct case_node node;
	struct case_job there, pod; /* there: bound already if it has pods */
	const char *strategy;	    /* resource of weight 1; NULL: the default */
	bool most;
	int score;
	bool fixed; /* whatever runs there */
} rows[] = {
	/* cpu (4000-1000)*100/4000 = 75, memory (1000-500)*100/1000 = 50: 62; |.25-.5|/2: 87 */
	{"requests as given",
	 {.cpu = 4000, .memory = 1000, .gpus = 4},
	 {0},
	 {.pods = 1, .cpu = 1000, .memory = 500},
	 NULL,
	 false,
	 62 + 87},
	/* cpu 100m assumed: (4000-100)/40 = 97; memory 200Mi of 1000: 0; no balance */
	{"defaults for what is absent",
	 {.cpu = 4000, .memory = 1000, .gpus = 4},
	 {0},
	 {.pods = 1, .gpus = 1},
	 NULL,
	 false,
	 48},
	/* only cpu has a capacity: (4000-2000)/40 = 50; one resource: 100 */
	{"no limit, no score",
	 {.cpu = 4000, .gpus = 4},
	 {0},
	 {.pods = 1, .cpu = 2000, .memory = 5},
	 NULL,
	 false,
	 50 + 100},
	{"a node without limits", {.gpus = 4}, {0}, {.pods = 1, .gpus = 1}, NULL, false, 0, true},
	/* cpu (4000-3000)/40 = 25, memory (1000-1000) = 0: 12; |.75-1|/2: 87 */
	{"what is there counts",
	 {.cpu = 4000, .memory = 1000, .gpus = 4},
	 {.pods = 1, .cpu = 2000, .memory = 500},
	 {.pods = 1, .cpu = 1000, .memory = 500},
	 NULL,
	 false,
	 12 + 87},
	/* MostAllocated on GPUs: (2+1)*100/4 */
	{"the GPU can be made to count",
	 {.gpus = 4},
	 {.pods = 1, .gpus = 2},
	 {.pods = 1, .gpus = 1},
	 "nvidia.com/gpu",
	 true,
	 75},
	{"not for pods without GPUs",
	 {.gpus = 4},
	 {.pods = 1, .gpus = 2},
	 {.pods = 1},
	 "nvidia.com/gpu",
	 true,
	 0,
	 true},
	{"least allocated on GPUs",
	 {.gpus = 4},
	 {.pods = 1, .gpus = 2},
	 {.pods = 1, .gpus = 1},
	 "nvidia.com/gpu",
	 false,
	 25},
	{"a resource nobody has",
	 {.gpus = 4},
	 {0},
	 {.pods = 1, .gpus = 1},
	 "example.com/x",
	 true,
	 0,
	 true},
};

START_TEST(score_of_a_node)
{
	struct case_job jobs[2] = {rows[_i].pod, rows[_i].there};
	struct cluster_case c;
	struct kube_score weights;
	uint32_t count = rows[_i].there.pods != 0 ? 2 : 1;

	cluster_case_open(&c, &rows[_i].node, 1, jobs, count);
	c.options.strategy.type = rows[_i].most ? STRATEGY_MOST : STRATEGY_LEAST;
	if (rows[_i].strategy != NULL) {
		c.options.strategy.given = true;
		c.options.strategy.weight_count = 1;
		c.options.strategy.weights[0].weight = 1;
		strcpy(c.options.strategy.weights[0].resource, rows[_i].strategy);
	}
	if (count == 2)
		cluster_case_bind(&c, 1, 0);
	kube_score_init(&weights, &c.world, 0);
	ck_assert_msg(kube_score_node(&weights, &c.world.usage, 0,
				      &c.scenario->shapes[c.world.pods[0].shape]) == rows[_i].score,
		      "%s: %d", rows[_i].name,
		      kube_score_node(&weights, &c.world.usage, 0,
				      &c.scenario->shapes[c.world.pods[0].shape]));
	ck_assert_msg(kube_score_fixed(&weights, &c.world.nodes[0],
				       &c.scenario->shapes[c.world.pods[0].shape]) ==
			      rows[_i].fixed,
		      "%s: fixed", rows[_i].name);
	cluster_case_close(&c);
}
END_TEST

/* One GPU more on a node of 4 GPUs and cpu 4000 of which so much is there; worked out by
 * hand from buildBrokenLinearFunction and requestedToCapacityRatioScorer. */
static const struct {
	const char *strategy, *shape;
	int64_t gpus, cpu;
	int score;
} ratios[] = {
	{"RequestedToCapacityRatio:nvidia.com/gpu=1", "0=0,100=10", 1, 0, 50},
	{"RequestedToCapacityRatio:nvidia.com/gpu=1", "0=10,100=0", 0, 0, 75},
	{"RequestedToCapacityRatio:nvidia.com/gpu=1", "30=4,50=8,70=1", 0, 0, 40},
	{"RequestedToCapacityRatio:nvidia.com/gpu=1", "30=4,40=5,70=10", 1, 0, 66},
	{"RequestedToCapacityRatio:nvidia.com/gpu=1", "30=4,40=5,70=7", 3, 0, 70},
	/* GPUs 50 twice, cpu (2000 + 100) of 4000: 52; (2 * 50 + 52) / 3 = 50.67 */
	{"RequestedToCapacityRatio:nvidia.com/gpu=2,cpu=1", "0=0,100=10", 1, 2000, 51},
	/* what scores nothing does not count */
	{"RequestedToCapacityRatio:nvidia.com/gpu=1,cpu=1", "10=0,100=10", 1, 0, 44},
};

START_TEST(requested_to_capacity_ratio)
{
	struct case_node node = {.cpu = 4000, .gpus = 4};
	struct case_job jobs[2] = {{.pods = 1, .gpus = 1},
				   {.pods = 1, .gpus = ratios[_i].gpus, .cpu = ratios[_i].cpu}};
	bool full = ratios[_i].gpus + ratios[_i].cpu > 0;
	struct cluster_case c;
	struct kube_score score;
	struct err err;

	cluster_case_open(&c, &node, 1, jobs, full ? 2 : 1);
	ck_assert_int_eq(options_set(&c.options, "strategy", ratios[_i].strategy, &err), ERR_OK);
	ck_assert_int_eq(options_set(&c.options, "strategy-shape", ratios[_i].shape, &err), ERR_OK);
	if (full)
		cluster_case_bind(&c, 1, 0);
	kube_score_init(&score, &c.world, 0);
	ck_assert_int_eq(kube_score_node(&score, &c.world.usage, 0,
					 &c.scenario->shapes[c.world.pods[0].shape]),
			 ratios[_i].score);
	cluster_case_close(&c);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("sim/kube/kube_score");
	TCase *t = tcase_create("all");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_add_loop_test(t, score_of_a_node, 0, COUNT(rows));
	tcase_add_loop_test(t, requested_to_capacity_ratio, 0, COUNT(ratios));
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
