/* test_human.c - Figures as they stand in tables. */
#include <check.h>
#include <math.h>
#include <stdlib.h>

#include "sim/tool/human.h"

START_TEST(counts_have_commas)
{
	static const struct {
		int64_t n;
		const char *text;
	} rows[] = {{0, "0"},
		    {999, "999"},
		    {1000, "1,000"},
		    {-1234567, "-1,234,567"},
		    {12345678, "12,345,678"}};
	char buf[HUMAN_TEXT];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		ck_assert_str_eq(human_count(rows[i].n, buf), rows[i].text);
	ck_assert_str_eq(human_count(INT64_MIN, buf), "-9,223,372,036,854,775,808");
}
END_TEST

START_TEST(shares_never_hide_something)
{
	char buf[HUMAN_TEXT];

	ck_assert_str_eq(human_share(0, buf), "0.0 %");
	ck_assert_str_eq(human_share(0.0001, buf), "<0.1 %");
	ck_assert_str_eq(human_share(0.4119, buf), "41.2 %");
	ck_assert_str_eq(human_share(1, buf), "100.0 %");
}
END_TEST

START_TEST(waits_can_be_never)
{
	char buf[HUMAN_TEXT];

	ck_assert_str_eq(human_wait((double)INFINITY, buf), "never");
	ck_assert_str_eq(human_wait(0, buf), "0s");
	ck_assert_str_eq(human_wait(4.754, buf), "4.75s");
	ck_assert_str_eq(human_wait(59.7, buf), "1m");
	ck_assert_str_eq(human_wait(3725.4, buf), "1h 2m");
}
END_TEST

START_TEST(times_from_a_minute_on_are_whole_seconds)
{
	char buf[HUMAN_TEXT];

	ck_assert_str_eq(human_time(61400000, buf), "1m 1s");
	ck_assert_str_eq(human_time(1500000, buf), "1.5s");
	ck_assert_str_eq(human_time(CLOCK_NEVER, buf), "never");
}
END_TEST

START_TEST(gpu_time_has_one_unit_a_row)
{
	char buf[HUMAN_TEXT];

	ck_assert_int_eq(human_gpu_unit(10 * CLOCK_HOUR - 1), HUMAN_GPU_SECONDS);
	ck_assert_int_eq(human_gpu_unit(10 * CLOCK_HOUR), HUMAN_GPU_HOURS);
	ck_assert_str_eq(human_gpu_time(28800 * CLOCK_SECOND, HUMAN_GPU_SECONDS, buf), "28,800");
	ck_assert_str_eq(human_gpu_time(28800 * CLOCK_SECOND, HUMAN_GPU_HOURS, buf), "8");
	ck_assert_str_eq(human_gpu_time(30600 * CLOCK_SECOND, HUMAN_GPU_HOURS, buf), "8.5");
	ck_assert_str_eq(human_gpu_time(CLOCK_HOUR / 1000, HUMAN_GPU_HOURS, buf), "<0.1");
	ck_assert_str_eq(human_gpu_time(0, HUMAN_GPU_HOURS, buf), "0");
	ck_assert_str_eq(human_gpu_time(1999 * CLOCK_HOUR / 10, HUMAN_GPU_HOURS, buf), "200");
}
END_TEST

int main(void)
{
	Suite *s = suite_create("sim/tool/human");
	TCase *t = tcase_create("all");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_add_test(t, counts_have_commas);
	tcase_add_test(t, shares_never_hide_something);
	tcase_add_test(t, waits_can_be_never);
	tcase_add_test(t, times_from_a_minute_on_are_whole_seconds);
	tcase_add_test(t, gpu_time_has_one_unit_a_row);
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
