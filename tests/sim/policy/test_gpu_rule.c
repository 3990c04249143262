/* test_gpu_rule.c - Scores and GPUs of each rule, worked out by hand. */
#include "sim/policy/gpu_rule.h"

#include <check.h>
#include <stdlib.h>

#include "tests/support/cluster_case.h"

#define COUNT(rows) ((int)(sizeof(rows) / sizeof((rows)[0])))

struct opened {
	struct cluster_case c;
	struct gpu_place place;
	struct gpu_cluster cluster;
	struct gpu_mix *mix;
};

static void open_cluster(struct opened *o, const struct case_node *nodes, uint32_t node_count,
			 const struct case_job *jobs, uint32_t job_count)
{
	cluster_case_open(&o->c, nodes, node_count, jobs, job_count);
	gpu_place_init(&o->place, &o->c.world);
	o->mix = gpu_mix_new(&o->c.world, o->place.demands);
	o->cluster = (struct gpu_cluster){
		.place = &o->place, .mix = o->mix, .rng = rng_new(1, "gpu-rule")};
}

static void close_cluster(struct opened *o)
{
	rng_free(o->cluster.rng);
	gpu_mix_free(o->mix);
	gpu_place_free(&o->place);
	cluster_case_close(&o->c);
}

static int64_t score(const struct opened *o, const char *rule, uint32_t pod, uint32_t node)
{
	return gpu_rule_find(rule)->score(&o->cluster, o->c.world.pods[pod].shape, node);
}

static uint32_t device(const struct opened *o, const char *rule, uint32_t pod, uint32_t node)
{
	return gpu_rule_find(rule)->device(&o->cluster, o->c.world.pods[pod].shape, node);
}

/* Left over are 2000 of 8000 thousandths of CPU and 1500 of 4000 of GPU, a half weight
 * each: 100 - 12.5 - 18.75; on the larger node 6000 and 3500: 100 - 37.5 - 43.75. */
START_TEST(best_fit)
{
	struct case_node nodes[] = {
		{.gpus = 2, .cpu = 4000}, {.gpus = 4, .cpu = 8000}, {.gpus = 2}};
	struct case_job job = {.pods = 1, .cpu = 2000, .milli = 500};
	struct opened o;

	open_cluster(&o, nodes, COUNT(nodes), &job, 1);
	ck_assert_int_eq(score(&o, "bestfit", 0, 0), 68);
	ck_assert_int_eq(score(&o, "bestfit", 0, 1), 18);
	ck_assert_int_eq(score(&o, "bestfit", 0, 2), 81); /* CPU without limit does not count */
	close_cluster(&o);
}
END_TEST

/* 4/8 x 2/8 of CPU and 2/4 x 0.5/4 of GPU: 100 (1 - (0.125 + 0.0625) / 2); and
 * 8/8 x 2/8 and 4/4 x 0.5/4. */
START_TEST(dot_product)
{
	struct case_node nodes[] = {{.gpus = 2, .cpu = 4000}, {.gpus = 4, .cpu = 8000}};
	struct case_job job = {.pods = 1, .cpu = 2000, .milli = 500};
	struct opened o;

	open_cluster(&o, nodes, COUNT(nodes), &job, 1);
	ck_assert_int_eq(score(&o, "dotprod", 0, 0), 90);
	ck_assert_int_eq(score(&o, "dotprod", 0, 1), 81);
	close_cluster(&o);
}
END_TEST

/* Nine pods of ten want a whole GPU, one wants 400 of one. On two GPUs of which one has
 * 700 left, 400 taken there loses nothing to the nine, who could not use it: fragmented
 * were 9 x 700, then 9 x 300 and 1 x 300 of 10: 0.33 GPUs gained. Of the fresh one it
 * would be 9 x 1300 (and the one can use both): half a GPU lost. */
START_TEST(gradient)
{
	struct case_node nodes[] = {{.gpus = 2}, {.gpus = 2}};
	struct case_job jobs[] = {{.pods = 9, .gpus = 1, .milli = 1000}, {.pods = 1, .milli = 400}};
	struct gpu_demand part = {.part = 300};
	struct opened o;
	uint32_t slot;

	open_cluster(&o, nodes, COUNT(nodes), jobs, COUNT(jobs));
	slot = gpu_share_take(&o.place.nodes[0], &part, GPU_SHARE_FRESH);
	ck_assert_uint_eq(device(&o, "fgd", 9, 0), slot);
	ck_assert_int_eq(score(&o, "fgd", 9, 0), 58); /* 100 / (1 + e^-0.33) */
	ck_assert_uint_eq(device(&o, "fgd", 9, 1), GPU_SHARE_FRESH);
	ck_assert_int_eq(score(&o, "fgd", 9, 1), 36); /* 9 x 600 lost: 100 / (1 + e^0.54) */
	/* A whole GPU takes nothing from those who would use it: no kind finds less. */
	ck_assert_int_eq(score(&o, "fgd", 0, 1), 50);
	close_cluster(&o);
}
END_TEST

START_TEST(devices)
{
	struct case_node node = {.gpus = 3};
	struct case_job job = {.pods = 1, .milli = 400};
	struct gpu_demand parts[] = {{.part = 300}, {.part = 500}, {.part = 700}};
	uint32_t slot[3], hits[4] = {0};
	struct opened o;

	open_cluster(&o, &node, 1, &job, 1);
	for (int i = 0; i < 2; i++)
		slot[i] = gpu_share_take(&o.place.nodes[0], &parts[i], GPU_SHARE_FRESH);
	ck_assert_uint_eq(device(&o, "bestfit", 0, 0), slot[1]);
	ck_assert_uint_eq(device(&o, "dotprod", 0, 0), slot[1]);
	for (int i = 0; i < 3000; i++) {
		uint32_t d = device(&o, "random", 0, 0);

		hits[d == GPU_SHARE_FRESH ? 3 : d]++;
	}
	for (int i = 0; i < 2; i++)
		ck_assert_msg(hits[slot[i]] > 900 && hits[slot[i]] < 1100, "%u", hits[slot[i]]);
	ck_assert_msg(hits[3] > 900 && hits[3] < 1100, "%u", hits[3]);
	slot[2] = gpu_share_take(&o.place.nodes[0], &parts[2], GPU_SHARE_FRESH);
	for (int i = 0; i < 100; i++) /* 300 left: too little */
		ck_assert_uint_ne(device(&o, "random", 0, 0), slot[2]);
	close_cluster(&o);
}
END_TEST

START_TEST(names)
{
	ck_assert_ptr_null(gpu_rule_find("worst"));
	ck_assert(gpu_rule_find("random")->score == NULL);
	ck_assert(gpu_rule_find("fgd")->wants_mix);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("sim/policy/gpu_rule");
	TCase *t = tcase_create("all");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_add_test(t, best_fit);
	tcase_add_test(t, dot_product);
	tcase_add_test(t, gradient);
	tcase_add_test(t, devices);
	tcase_add_test(t, names);
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
