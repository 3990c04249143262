/* test_goal.c - Targets and budgets as people write them. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/report/goal.h"

static const struct {
	const char *text, *team;
	enum goal_figure figure;
	simtime limit;
} right[] = {
	{"p95-wait=15m", "", GOAL_P95, 15 * CLOCK_MINUTE},
	{"p50-wait=0", "", GOAL_P50, 0},
	{"research:p99-wait=1h30m", "research", GOAL_P99, 90 * CLOCK_MINUTE},
	{"a:b:mean-wait=90", "a:b", GOAL_MEAN, 90 * CLOCK_SECOND},
	{"a=b:p95-wait=2d", "a=b", GOAL_P95, 2 * CLOCK_DAY},
};

START_TEST(reads)
{
	struct goals goals = {.count = 0};
	struct err err;

	ck_assert_int_eq(goal_add(&goals, right[_i].text, &err), ERR_OK);
	ck_assert_uint_eq(goals.count, 1);
	ck_assert_str_eq(goals.items[0].team, right[_i].team);
	ck_assert_int_eq(goals.items[0].figure, right[_i].figure);
	ck_assert_int_eq(goals.items[0].limit, right[_i].limit);
}
END_TEST

static const char *const wrong[] = {"",
				    "p95-wait",
				    "p95=15m",
				    "p95-wait=",
				    "p95-wait=soon",
				    ":p95-wait=15m",
				    "research:=15m",
				    "p94-wait=15m",
				    "p95-wait=-1",
				    "p95-wait=15m,x",
				    "=15m"};

START_TEST(refuses)
{
	struct goals goals = {.count = 0};
	struct err err;

	ck_assert_int_eq(goal_add(&goals, wrong[_i], &err), ERR_USAGE);
	ck_assert_ptr_nonnull(strstr(err.msg, "p95-wait=15m or research:p95-wait=10m"));
	ck_assert_uint_eq(goals.count, 0);
}
END_TEST

START_TEST(not_too_many)
{
	struct goals goals = {.count = 0};
	struct err err;

	for (int i = 0; i < GOAL_MAX; i++)
		ck_assert_int_eq(goal_add(&goals, "p95-wait=1", &err), ERR_OK);
	ck_assert_int_eq(goal_add(&goals, "p95-wait=1", &err), ERR_LIMIT);
}
END_TEST

START_TEST(values_and_ratios)
{
	struct metrics_team teams[] = {
		{.name = "alpha", .superseded = true},
		{.name = "alpha", .wait = {.jobs = 2, .p50 = 1, .p95 = 60, .p99 = 90, .mean = 5}},
		{.name = "b", .wait = {.jobs = 2, .never = 1, .p95 = HUGE_VAL, .mean = 5}}};
	struct metrics m = {.wait = {.p95 = 30}, .teams = teams, .team_count = 3};
	struct goals goals = {.count = 0};
	struct err err;

	goal_add(&goals, "p95-wait=1m", &err);
	goal_add(&goals, "alpha:p95-wait=1m", &err);
	goal_add(&goals, "alpha:p99-wait=1m", &err);
	goal_add(&goals, "alpha:mean-wait=0", &err);
	goal_add(&goals, "b:mean-wait=1h", &err);
	ck_assert_int_eq(goal_check(&goals, &m, &err), ERR_OK);
	ck_assert_double_eq(goal_value(&goals.items[0], &m), 30);
	ck_assert_double_eq(goal_ratio(&goals.items[0], 30), 0.5);
	ck_assert_double_eq(goal_value(&goals.items[1], &m), 60);
	ck_assert_double_eq(goal_ratio(&goals.items[1], 60), 1);
	ck_assert_double_eq(goal_ratio(&goals.items[2], 90), 1.5);
	ck_assert_double_gt(goal_ratio(&goals.items[3], 5), 1);
	ck_assert_double_eq(goal_ratio(&goals.items[3], 0), 0);
	ck_assert(isinf(goal_value(&goals.items[4], &m))); /* one never started */
	ck_assert(isinf(goal_ratio(&goals.items[4], HUGE_VAL)));
	goal_add(&goals, "alpah:p50-wait=1", &err);
	ck_assert_int_eq(goal_check(&goals, &m, &err), ERR_UNKNOWN);
	ck_assert_ptr_nonnull(
		strstr(err.msg, "there is no team \"alpah\"; did you mean \"alpha\"?"));
}
END_TEST

static const struct {
	const char *text;
	money want; /* -1: refused */
} budgets[] = {
	{"20000", 20000 * MONEY_USD},
	{"20000 USD/month", 20000 * MONEY_USD},
	{"20,000 USD per month", 20000 * MONEY_USD},
	{"USD 20000.50/month", 20000500000},
	{"$1e4 a month", 10000 * MONEY_USD},
	{"0", 0},
	{"-1", -1},
	{"", -1},
	{"USD/month", -1},
	{"20 30", -1},
	{"20000 EUR/month", -1},
	{"inf", -1},
	{"1e300", -1},
	{"9000000000000000000000", -1},
};

START_TEST(reads_budgets)
{
	struct err err;
	money got = -1;

	if (goal_read_budget(budgets[_i].text, &got, &err) != ERR_OK)
		ck_assert_ptr_nonnull(strstr(err.msg, "'20000 USD/month'"));
	ck_assert_int_eq(got, budgets[_i].want);
}
END_TEST

#define ROWS(table) ((int)(sizeof(table) / sizeof((table)[0])))

int main(void)
{
	Suite *s = suite_create("sim/report/goal");
	TCase *t = tcase_create("all");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_add_loop_test(t, reads, 0, ROWS(right));
	tcase_add_loop_test(t, refuses, 0, ROWS(wrong));
	tcase_add_test(t, not_too_many);
	tcase_add_test(t, values_and_ratios);
	tcase_add_loop_test(t, reads_budgets, 0, ROWS(budgets));
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
