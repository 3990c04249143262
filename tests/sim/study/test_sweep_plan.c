/* test_sweep_plan.c - Points of grids, lists and hypercubes; ranges. */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "sim/study/sweep_plan.h"

static const struct {
	const char *text, *values; /* NULL: an error */
} ranges[] = {
	{"7", "7"},
	{"none", "none"},
	{"a..b", "a..b"}, /* no number begins it */
	{"4..7", "4 5 6 7"},
	{"0..10..4", "0 4 8"},
	{"1..64..x4", "1 4 16 64"},
	{"1..2..x1.5", "1 1.5"},
	{"0.5..1.1..0.25", "0.5 0.75 1"},
	{"64Gi..192Gi..64Gi", "64Gi 128Gi 192Gi"},
	{"0..2Gi", "0Gi 1Gi 2Gi"},
	{"5..5", "5"},
	{"5..4", NULL},
	{"1..", NULL},
	{"1..3..", NULL},
	{"1..3..0", NULL},
	{"1..3..x1", NULL},
	{"0..3..x2", NULL},
	{"1Gi..3Mi", NULL},
	{"1..3..1Gi", NULL},
	{"1.2345..3", NULL},
	{"1..999999", NULL},
	{"0.001..1..x1.001", NULL}, /* leads nowhere in thousandths */
	{"1..99999999999999999999", NULL},
};

START_TEST(ranges_written_out)
{
	struct mem_arena *arena = mem_arena_new();
	struct sweep_texts texts = {NULL, 0, 0};
	char all[256] = "";
	struct err err;
	enum err_code code = sweep_range_read(arena, ranges[_i].text, &texts, &err);

	if (ranges[_i].values == NULL) {
		ck_assert_msg(code != ERR_OK, "%s", ranges[_i].text);
	} else {
		ck_assert_msg(code == ERR_OK, "%s", err.msg);
		for (size_t i = 0; i < texts.count; i++)
			snprintf(all + strlen(all), sizeof(all) - strlen(all), "%s%s",
				 i == 0 ? "" : " ", texts.items[i]);
		ck_assert_str_eq(all, ranges[_i].values);
	}
	sweep_texts_free(&texts);
	mem_arena_free(arena);
}
END_TEST

static void add(struct sweep_plan *plan, const char *set, const char *range)
{
	struct sweep_dimension *d;
	struct err err;

	ck_assert_int_eq(sweep_plan_dimension(plan, set, set, &d, &err), ERR_OK);
	ck_assert_int_eq(sweep_range_read(plan->arena, range, &d->values, &err), ERR_OK);
}

static struct sweep_plan *three(enum sweep_method method, const char *a, const char *b)
{
	struct sweep_plan *plan = sweep_plan_new();

	plan->method = method;
	add(plan, "nodepool/a:.count", a);
	add(plan, "seed", "1..2");
	add(plan, "nodepool/b:.count", b);
	return plan;
}

START_TEST(a_grid_has_all_combinations_the_last_fastest)
{
	struct sweep_plan *plan = three(SWEEP_GRID, "1..3", "1..4");
	uint32_t index[SWEEP_DIMENSIONS];
	struct err err;

	ck_assert_int_eq(sweep_plan_check(plan, &err), ERR_OK);
	ck_assert_uint_eq(plan->points, 24);
	for (uint32_t p = 0; p < 24; p++) {
		sweep_plan_point(plan, p, index);
		ck_assert_uint_eq((index[0] * 2 + index[1]) * 4 + index[2], p);
	}
	sweep_plan_free(plan);
}
END_TEST

START_TEST(a_list_goes_in_step_and_crosses_seeds)
{
	struct sweep_plan *plan = three(SWEEP_LIST, "1..3", "1..3");
	uint32_t index[SWEEP_DIMENSIONS];
	struct err err;

	ck_assert_int_eq(sweep_plan_check(plan, &err), ERR_OK);
	ck_assert_uint_eq(plan->points, 6);
	for (uint32_t p = 0; p < 6; p++) {
		sweep_plan_point(plan, p, index);
		ck_assert_uint_eq(index[0], p / 2);
		ck_assert_uint_eq(index[1], p % 2);
		ck_assert_uint_eq(index[2], p / 2);
	}
	sweep_plan_free(plan);
	plan = three(SWEEP_LIST, "1..3", "1..4");
	ck_assert_int_eq(sweep_plan_check(plan, &err), ERR_VALUE);
	sweep_plan_free(plan);
}
END_TEST

/* Of 12 samples each of 4 values comes 3 times, each of 12 once; another seed, another order. */
START_TEST(a_hypercube_takes_each_stratum_equally_often)
{
	uint32_t a[4] = {0}, b[12] = {0}, index[SWEEP_DIMENSIONS], first[12];
	bool differs = false;
	struct err err;

	for (uint64_t seed = 1; seed <= 2; seed++) {
		struct sweep_plan *plan = three(SWEEP_LATIN, "1..4", "1..12");

		plan->samples = 12;
		plan->seed = seed;
		ck_assert_int_eq(sweep_plan_check(plan, &err), ERR_OK);
		ck_assert_uint_eq(plan->points, 24);
		for (uint32_t p = 0; p < 24; p += 2) {
			sweep_plan_point(plan, p, index);
			a[index[0]]++;
			b[index[2]]++;
			differs = differs || (seed == 2 && first[p / 2] != index[2]);
			first[p / 2] = index[2];
		}
		sweep_plan_free(plan);
	}
	for (int i = 0; i < 4; i++)
		ck_assert_uint_eq(a[i], 6);
	for (int i = 0; i < 12; i++)
		ck_assert_uint_eq(b[i], 2);
	ck_assert(differs);
}
END_TEST

START_TEST(too_many_points_are_refused)
{
	struct sweep_plan *plan = three(SWEEP_GRID, "1..99999", "1..99999");
	struct err err;

	ck_assert_int_eq(sweep_plan_check(plan, &err), ERR_LIMIT);
	sweep_plan_free(plan);
}
END_TEST

START_TEST(the_fingerprint_is_that_of_the_points)
{
	struct sweep_plan *a = three(SWEEP_GRID, "1..3", "1..3");
	struct sweep_plan *b = three(SWEEP_GRID, "1..3", "1..3");
	struct sweep_plan *c = three(SWEEP_GRID, "1..3", "1..4");

	sweep_texts_add(&b->files, "elsewhere.yaml");
	ck_assert_str_eq(sweep_plan_fingerprint(a), sweep_plan_fingerprint(b));
	ck_assert_str_ne(sweep_plan_fingerprint(a), sweep_plan_fingerprint(c));
	sweep_plan_free(a);
	sweep_plan_free(b);
	sweep_plan_free(c);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("sim/study/sweep_plan");
	TCase *t = tcase_create("all");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_set_timeout(t, 120);
	tcase_add_loop_test(t, ranges_written_out, 0, (int)(sizeof(ranges) / sizeof(ranges[0])));
	tcase_add_test(t, a_grid_has_all_combinations_the_last_fastest);
	tcase_add_test(t, a_list_goes_in_step_and_crosses_seeds);
	tcase_add_test(t, a_hypercube_takes_each_stratum_equally_often);
	tcase_add_test(t, too_many_points_are_refused);
	tcase_add_test(t, the_fingerprint_is_that_of_the_points);
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
