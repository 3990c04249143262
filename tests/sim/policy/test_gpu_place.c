/* test_gpu_place.c - Room on nodes whose GPUs are shared, GPU by GPU. */
#include "sim/policy/gpu_place.h"

#include <check.h>
#include <stdlib.h>

#include "tests/support/cluster_case.h"

#define COUNT(rows) ((int)(sizeof(rows) / sizeof((rows)[0])))

static const struct {
	const char *name;
	struct case_node node;
	struct case_job here[2]; /* each with a GPU of its own if it has a part */
	struct case_job next;
	bool fits;
} rows[] = {
	{"two parts leave room for a third",
	 {.gpus = 2},
	 {{.pods = 1, .milli = 600}, {.pods = 1, .milli = 600}},
	 {.pods = 1, .milli = 400},
	 true},
	{"but not for one larger than what either GPU has left",
	 {.gpus = 2},
	 {{.pods = 1, .milli = 600}, {.pods = 1, .milli = 600}},
	 {.pods = 1, .milli = 500},
	 false},
	{"nor for a whole GPU",
	 {.gpus = 2},
	 {{.pods = 1, .milli = 100}, {.pods = 1, .milli = 100}},
	 {.pods = 1, .gpus = 1, .milli = 1000},
	 false},
	{"one GPU in part use leaves the other whole",
	 {.gpus = 2},
	 {{.pods = 1, .milli = 100}, {.pods = 1}},
	 {.pods = 1, .gpus = 1, .milli = 1000},
	 true},
	{"no CPU is no room",
	 {.gpus = 2, .cpu = 4000},
	 {{.pods = 1, .milli = 100, .cpu = 3000}, {.pods = 1}},
	 {.pods = 1, .milli = 100, .cpu = 2000},
	 false},
	{"a pod without GPUs needs none",
	 {.gpus = 1},
	 {{.pods = 1, .gpus = 1, .milli = 1000}, {.pods = 1}},
	 {.pods = 1, .cpu = 1000},
	 true},
};

START_TEST(room)
{
	struct case_job jobs[] = {rows[_i].here[0], rows[_i].here[1], rows[_i].next};
	struct gpu_place place;
	struct cluster_case c;
	int64_t before;

	cluster_case_open(&c, &rows[_i].node, 1, jobs, COUNT(jobs));
	gpu_place_init(&place, &c.world);
	before = gpu_share_room(&place.nodes[0]);
	for (uint32_t pod = 0; pod < 2; pod++) {
		ck_assert(gpu_place_fits(&place, c.world.pods[pod].shape, 0));
		gpu_place_take(&place, pod, 0, GPU_SHARE_FRESH);
		cluster_case_bind(&c, pod, 0);
	}
	ck_assert_msg(gpu_place_fits(&place, c.world.pods[2].shape, 0) == rows[_i].fits, "%s",
		      rows[_i].name);
	for (uint32_t pod = 0; pod < 2; pod++) {
		gpu_place_give(&place, pod, 0);
		cluster_case_remove(&c, pod);
	}
	ck_assert_int_eq(gpu_share_room(&place.nodes[0]), before);
	ck_assert(gpu_place_fits(&place, c.world.pods[2].shape, 0));
	gpu_place_free(&place);
	cluster_case_close(&c);
}
END_TEST

START_TEST(largest_node_and_what_is_left)
{
	struct case_node nodes[] = {
		{.gpus = 2, .cpu = 8000}, {.gpus = 8, .cpu = 4000}, {.gpus = 1}};
	struct case_job job = {.pods = 1, .cpu = 3000, .milli = 10};
	struct gpu_place place;
	struct cluster_case c;

	cluster_case_open(&c, nodes, COUNT(nodes), &job, 1);
	gpu_place_init(&place, &c.world);
	ck_assert_double_eq(place.cpu_max, 8000);
	ck_assert_double_eq(place.milli_max, 8000);
	cluster_case_bind(&c, 0, 1);
	ck_assert_int_eq(gpu_place_cpu(&place, 1), 1000);
	ck_assert_int_eq(gpu_place_cpu(&place, 2), RES_UNLIMITED);
	ck_assert_int_eq(gpu_place_cpu_asked(&place, c.world.pods[0].shape), 3000);
	gpu_place_free(&place);
	cluster_case_close(&c);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("sim/policy/gpu_place");
	TCase *t = tcase_create("all");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_add_loop_test(t, room, 0, COUNT(rows));
	tcase_add_test(t, largest_node_and_what_is_left);
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
