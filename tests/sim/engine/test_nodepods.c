/* test_nodepods.c - the chains against a look at every pod. */
#include "sim/engine/nodepods.h"

#include <check.h>
#include <stdlib.h>

#include "core/mem.h"
#include "core/rng.h"

enum { PODS = 200, NODES = 7, MOVES = 5000 };

static void check_node(struct run *run, uint32_t node)
{
	size_t count, at = 0;
	uint32_t *list = nodepods_list(run, node, &count);

	for (uint32_t pod = 0; pod < PODS; pod++) {
		if (run->world.pods[pod].phase == POD_ABSENT || run->world.pods[pod].node != node)
			continue;
		ck_assert_uint_lt(at, count);
		ck_assert_uint_eq(list[at++], pod);
	}
	ck_assert_uint_eq(at, count);
	mem_free(list);
}

/* To a node, away from it, or to another. */
static void move(struct run *run, struct rng *rng)
{
	uint32_t at = (uint32_t)rng_below(rng, PODS), node = (uint32_t)rng_below(rng, NODES + 1);
	struct pod *pod = &run->world.pods[at];

	if (run->nodepods != NULL && pod->node != NODE_NONE)
		nodepods_leave(run, at);
	pod->node = NODE_NONE;
	pod->phase = POD_PENDING;
	if (node == NODES)
		return;
	pod->node = node;
	pod->phase = POD_BOUND;
	if (run->nodepods != NULL)
		nodepods_join(run, at);
}

/* Asked for from the start (0), or once many pods have their nodes. */
START_TEST(lists_are_what_is_there)
{
	struct pod pods[PODS] = {{0}};
	uint32_t first[] = {0, PODS};
	struct scenario scenario = {.job_count = 1};
	struct journal journal = {.first_pod = first};
	struct run run = {.scenario = &scenario,
			  .journal = &journal,
			  .world = {.pods = pods, .node_count = NODES}};
	struct rng *rng = rng_new((uint64_t)_i + 1, "nodepods");

	for (int i = 0; i < PODS; i++)
		pods[i].node = NODE_NONE;
	for (uint32_t i = 0; i < MOVES; i++) {
		if (i >= (uint32_t)_i * 1000)
			check_node(&run, i % NODES);
		move(&run, rng);
	}
	rng_free(rng);
	nodepods_free(run.nodepods);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("nodepods");
	TCase *tests = tcase_create("all");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_loop_test(tests, lists_are_what_is_there, 0, 3);
	suite_add_tcase(suite, tests);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
