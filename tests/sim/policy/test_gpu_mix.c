/* test_gpu_mix.c - Which pods are typical, and points for less fragmentation. */
#include "sim/policy/gpu_mix.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>

#include "sim/policy/gpu_place.h"
#include "tests/support/cluster_case.h"

#define COUNT(rows) ((int)(sizeof(rows) / sizeof((rows)[0])))

struct opened {
	struct cluster_case c;
	struct gpu_place place;
	struct gpu_mix *mix;
};

static void open_mix(struct opened *o, const struct case_node *nodes, uint32_t node_count,
		     const struct case_job *jobs, uint32_t job_count)
{
	cluster_case_open(&o->c, nodes, node_count, jobs, job_count);
	gpu_place_init(&o->place, &o->c.world);
	o->mix = gpu_mix_new(&o->c.world, o->place.demands);
}

static void close_mix(struct opened *o)
{
	gpu_mix_free(o->mix);
	gpu_place_free(&o->place);
	cluster_case_close(&o->c);
}

/* 100 pods of four kinds: the three most frequent are 96; two differ in memory only. */
START_TEST(typical_pods)
{
	struct case_node node = {.gpus = 8};
	struct case_job jobs[] = {
		{.pods = 4, .gpus = 8, .cpu = 9000},
		{.pods = 30, .milli = 250, .cpu = 2000, .memory = 1 << 20},
		{.pods = 21, .milli = 250, .cpu = 2000, .memory = 1 << 21},
		{.pods = 30, .gpus = 1, .milli = 1000, .cpu = 4000},
		{.pods = 15, .cpu = 1000},
	};
	struct opened o;
	const struct fragment_kind *kinds;
	uint32_t count;

	open_mix(&o, &node, 1, jobs, COUNT(jobs));
	kinds = gpu_mix_kinds(o.mix, &count);
	ck_assert_uint_eq(count, 3);
	ck_assert_uint_eq(kinds[0].weight, 51);
	ck_assert_uint_eq(kinds[0].gpus.part, 250);
	ck_assert_int_eq(kinds[0].cpu, 2000);
	ck_assert_uint_eq(kinds[1].weight, 30);
	ck_assert_int_eq(kinds[1].gpus.whole, 1);
	ck_assert_uint_eq(kinds[2].weight, 15);
	ck_assert_int_eq(kinds[2].gpus.whole, 0);
	close_mix(&o);
}
END_TEST

/* Two kinds that differ in an operator, which no hash tells apart, and in memory, which does
 * not count: they come in turn, and become one each all the same. */
START_TEST(kinds_with_one_hash)
{
	static const uint32_t value = 1;
	static const struct match_expression in = {.op = MATCH_IN,
						   .values = &value,
						   .value_count = 1},
					     not_in = {.op = MATCH_NOT_IN,
						       .values = &value,
						       .value_count = 1};
	static const struct node_term terms[] = {{.expressions = &in, .expression_count = 1},
						 {.expressions = &not_in, .expression_count = 1}};
	struct case_node node = {.gpus = 8};
	struct case_job jobs[4];
	struct opened o;
	uint32_t count;

	for (int i = 0; i < 4; i++)
		jobs[i] = (struct case_job){.pods = 1, .gpus = 1, .memory = (i + 1) << 20};
	cluster_case_open(&o.c, &node, 1, jobs, 4);
	for (uint32_t i = 0; i < 4; i++) {
		struct pod_shape *shape = (struct pod_shape *)&o.c.scenario->shapes[i];

		shape->affinity = &terms[i % 2];
		shape->affinity_count = 1;
	}
	gpu_place_init(&o.place, &o.c.world);
	o.mix = gpu_mix_new(&o.c.world, o.place.demands);
	ck_assert_uint_eq(gpu_mix_kinds(o.mix, &count)[0].weight, 2);
	ck_assert_uint_eq(count, 2);
	close_mix(&o);
}
END_TEST

/* A kind that may go to spot nodes only finds all of the other one fragmented. */
START_TEST(nodes_that_a_kind_may_not_go_to)
{
	struct case_node nodes[] = {{.gpus = 2}, {.gpus = 2, .pool = "spot"}};
	struct case_job jobs[] = {{.pods = 3, .gpus = 1, .milli = 1000},
				  {.pods = 2, .milli = 500, .pool = "spot"}};
	struct opened o;

	open_mix(&o, nodes, COUNT(nodes), jobs, COUNT(jobs));
	ck_assert_int_eq(fragment_of(gpu_mix_of(o.mix, 0), 1, &o.place.nodes[0]), 2 * 2000);
	ck_assert_int_eq(fragment_of(gpu_mix_of(o.mix, 1), 1, &o.place.nodes[1]), 0);
	close_mix(&o);
}
END_TEST

/* The bounds say what the formula says. */
START_TEST(points)
{
	struct case_node node = {.gpus = 1};
	struct case_job job = {.pods = 7, .milli = 500};
	struct opened o;

	open_mix(&o, &node, 1, &job, 1);
	ck_assert_int_eq(gpu_mix_points(o.mix, 0), 50);
	ck_assert_int_eq(gpu_mix_points(o.mix, -1), 49);
	ck_assert_int_eq(gpu_mix_points(o.mix, INT64_MIN), 0);
	ck_assert_int_eq(gpu_mix_points(o.mix, INT64_MAX), 99);
	for (int64_t gain = -40000; gain <= 40000; gain += 7) {
		double exact = 100 / (1 + exp(-(double)gain / 7000));

		if (fabs(exact - round(exact)) > 1e-9)
			ck_assert_int_eq(gpu_mix_points(o.mix, gain), (int64_t)floor(exact));
	}
	close_mix(&o);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("sim/policy/gpu_mix");
	TCase *t = tcase_create("all");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_add_test(t, typical_pods);
	tcase_add_test(t, kinds_with_one_hash);
	tcase_add_test(t, nodes_that_a_kind_may_not_go_to);
	tcase_add_test(t, points);
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
