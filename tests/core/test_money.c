/* test_money.c - Micro-dollars: the arithmetic that purchase requests quote, to the cent. */
#include <check.h>
#include <stdlib.h>

#include "core/money.h"

#define P5  INT64_C(55040000) /* p5.48xlarge, micro-USD an hour */
#define P4D INT64_C(21960000)
#define USD MONEY_USD

static const struct {
	int64_t price;
	int64_t hours, nodes;
	money want;
} costs[] = {
	{P5, 500, 1, 27520 * USD},
	{P5, 500, 3, 82560 * USD},
	{P4D, 500, 1, 10980 * USD},
	{P5, 1, 1, P5},
	{0, 500, 3, 0},
	{1, 1, 1, 1},
};

START_TEST(idle_nodes)
{
	struct money_sum sum = {0, 0};

	ck_assert_int_eq(money_of(costs[_i].price, costs[_i].hours * costs[_i].nodes * CLOCK_HOUR),
			 costs[_i].want);
	/* second by second it is the same */
	for (int64_t s = 0; s < costs[_i].hours * 3600; s++)
		money_add(&sum, costs[_i].price * costs[_i].nodes, CLOCK_SECOND);
	ck_assert_int_eq(sum.whole, costs[_i].want);
	ck_assert_int_eq(sum.rest, 0);
}
END_TEST

/* 118 of the 168 hours of a week are 511 hours a month, rounded. */
START_TEST(idle_hours_of_a_month)
{
	int64_t week = 7 * 24 * CLOCK_HOUR;
	int64_t month = money_part(118 * CLOCK_HOUR, MONEY_MONTH, week);

	ck_assert_int_eq(MONEY_MONTH, 728 * CLOCK_HOUR);
	ck_assert_int_eq(money_part(month, 1, CLOCK_HOUR), 511);
}
END_TEST

START_TEST(what_is_left_over_is_kept)
{
	struct money_sum sum = {0, 0};

	/* a micro-dollar an hour, a third of an hour at a time */
	for (int i = 0; i < 3; i++)
		money_add(&sum, 1, CLOCK_HOUR / 3);
	ck_assert_int_eq(sum.whole, 1);
	ck_assert_int_eq(sum.rest, 0);
}
END_TEST

/* 10 USD an hour are 7,280 a month, however short the time that was looked at. */
START_TEST(a_month_of_a_short_time_is_exact)
{
	static const simtime times[] = {1, 999983, CLOCK_SECOND + 1, 7 * CLOCK_HOUR + 12345677};

	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
		struct money_sum sum = {0, 0};

		money_add(&sum, 10 * USD, times[i]);
		ck_assert_int_eq(money_sum_part(&sum, MONEY_MONTH, times[i]), 7280 * USD);
	}
	ck_assert_int_eq(money_sum_part(&(struct money_sum){INT64_MAX, 0}, MONEY_MONTH, 1),
			 INT64_MAX);
}
END_TEST

START_TEST(nothing_wraps)
{
	struct money_sum sum = {INT64_MAX - 1, 0};

	money_add(&sum, INT64_MAX, INT64_MAX);
	ck_assert_int_eq(sum.whole, INT64_MAX);
	ck_assert_int_eq(money_of(INT64_MAX, INT64_MAX), INT64_MAX);
	ck_assert_int_eq(money_part(INT64_MAX, INT64_MAX, 1), INT64_MAX);
	ck_assert_int_eq(money_part(INT64_MAX, 3, 3), INT64_MAX);
	ck_assert_int_eq(money_part(5, 1, 0), 0);
	ck_assert_int_eq(money_part(5, 1, 2), 3); /* to the nearest, away from 0 */
	ck_assert_int_eq(money_part(-5, 1, 2), -3);
	ck_assert_int_eq(money_part(4, 1, 3), 1);
}
END_TEST

static const struct {
	money amount;
	const char *text, *exact;
} texts[] = {
	{27520 * USD, "27,520.00", "27520.000000"},
	{0, "0.00", "0.000000"},
	{4739864, "4.74", "4.739864"},
	{-1500000, "-1.50", "-1.500000"},
	{999995000, "1,000.00", "999.995000"},
	{-1, "0.00", "-0.000001"},
	{INT64_MAX, "9,223,372,036,854.78", "9223372036854.775807"},
	{INT64_MIN, "-9,223,372,036,854.78", "-9223372036854.775808"},
};

START_TEST(as_people_write_it)
{
	char buf[MONEY_TEXT];

	ck_assert_str_eq(money_format(texts[_i].amount, buf), texts[_i].text);
	ck_assert_str_eq(money_format_exact(texts[_i].amount, buf), texts[_i].exact);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("core/money");
	TCase *t = tcase_create("all");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_add_loop_test(t, idle_nodes, 0, (int)(sizeof(costs) / sizeof(costs[0])));
	tcase_add_test(t, idle_hours_of_a_month);
	tcase_add_test(t, what_is_left_over_is_kept);
	tcase_add_test(t, a_month_of_a_short_time_is_exact);
	tcase_add_test(t, nothing_wraps);
	tcase_add_loop_test(t, as_people_write_it, 0, (int)(sizeof(texts) / sizeof(texts[0])));
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
