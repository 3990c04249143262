/* test_clock.c - Seconds and durations: exact to the microsecond in, shortest form out. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "core/clock.h"

#define COUNT(rows) ((int)(sizeof(rows) / sizeof((rows)[0])))
#define S	    CLOCK_SECOND

START_TEST(add_saturates)
{
	ck_assert_int_eq(clock_add(1, 2), 3);
	ck_assert_int_eq(clock_add(-5, 2), -3);
	ck_assert_int_eq(clock_add(CLOCK_NEVER, 0), CLOCK_NEVER);
	ck_assert_int_eq(clock_add(CLOCK_NEVER, 1), CLOCK_NEVER);
	ck_assert_int_eq(clock_add(1, CLOCK_NEVER), CLOCK_NEVER);
	ck_assert_int_eq(clock_add(CLOCK_NEVER, CLOCK_NEVER), CLOCK_NEVER);
	ck_assert_int_eq(clock_add(CLOCK_NEVER - 5, 4), CLOCK_NEVER - 1);
	ck_assert_int_eq(clock_add(CLOCK_NEVER - 5, 5), CLOCK_NEVER);
	ck_assert_int_eq(clock_add(-1, CLOCK_NEVER), CLOCK_NEVER - 1);
}
END_TEST

static const struct {
	simtime in, want;
} floor_rows[] = {
	{0, 0},
	{1, 0},
	{999999, 0},
	{S, S},
	{S + 1, S},
	{-1, -S},
	{-S, -S},
	{-S - 1, -2 * S},
	{CLOCK_NEVER, CLOCK_NEVER},
	{CLOCK_NEVER - 1, CLOCK_NEVER / S *S},
};

START_TEST(floor_second)
{
	ck_assert_int_eq(clock_floor_second(floor_rows[_i].in), floor_rows[_i].want);
}
END_TEST

static const struct {
	const char *text;
	bool ok;
	simtime want;
} second_rows[] = {
	{"0", true, 0},
	{"90", true, 90 * S},
	{"99.5", true, 99500000},
	{"4550879.0", true, 4550879 * S},
	{"0.000001", true, 1},
	{"0.1234560000000000", true, 123456},
	{"007", true, 7 * S},
	{"9223372036854.775806", true, INT64_MAX - 1},
	{"9223372036854.775807", false, 0}, /* that is "never" */
	{"9223372036855", false, 0},
	{"99999999999999999999", false, 0},
	{"0.0000001", false, 0},
	{"0.0000010000001", false, 0},
	{"", false, 0},
	{".", false, 0},
	{".5", false, 0},
	{"5.", false, 0},
	{"-1", false, 0},
	{"+1", false, 0},
	{"1e3", false, 0},
	{"1s", false, 0},
	{" 1", false, 0},
	{"1 ", false, 0},
	{"1,5", false, 0},
	{"1.2.3", false, 0},
	{"nan", false, 0},
};

START_TEST(read_seconds)
{
	const char *text = second_rows[_i].text;
	simtime t = 0;

	ck_assert_msg(clock_read_seconds(text, strlen(text), &t) == second_rows[_i].ok, "%s", text);
	if (second_rows[_i].ok)
		ck_assert_msg(t == second_rows[_i].want, "%s: %lld", text, (long long)t);
}
END_TEST

static const struct {
	const char *text;
	bool ok;
	simtime want;
} duration_rows[] = {
	{"90", true, 90 * S},
	{"99.5", true, 99500000},
	{"90s", true, 90 * S},
	{"15m", true, 900 * S},
	{"8h", true, 8 * CLOCK_HOUR},
	{"1h30m", true, 90 * CLOCK_MINUTE},
	{"1h30m15s", true, 90 * CLOCK_MINUTE + 15 * S},
	{"5m0s", true, 300 * S},
	{"2d", true, 2 * CLOCK_DAY},
	{"1w", true, 7 * CLOCK_DAY},
	{"2d3h", true, 51 * CLOCK_HOUR},
	{"500ms", true, 500000},
	{"1m500ms", true, 60500000},
	{"7us", true, 7},
	{"1.5h", true, 90 * CLOCK_MINUTE},
	{"0.25s", true, 250000},
	{"0.000001s", true, 1},
	{"0s", true, 0},
	{"0.0000001s", false, 0},
	{"0.5us", false, 0},
	{"106751991d", true, INT64_C(106751991) * CLOCK_DAY},
	{"106751992d", false, 0},
	{"9223372036854775807us", false, 0},
	{"106751991d9000000s", false, 0},
	{"", false, 0},
	{"m", false, 0},
	{"1h30", false, 0},
	{"30m1h", false, 0},
	{"1h1h", false, 0},
	{"1H", false, 0},
	{"1 h", false, 0},
	{"-1h", false, 0},
	{"1y", false, 0},
	{"1min", false, 0},
	{"1mm", false, 0},
	{"1.h", false, 0},
	{".5h", false, 0},
	{"1hh", false, 0},
	{"never", false, 0},
};

START_TEST(read_duration)
{
	const char *text = duration_rows[_i].text;
	simtime t = 0;

	ck_assert_msg(clock_read_duration(text, strlen(text), &t) == duration_rows[_i].ok, "%s",
		      text);
	if (duration_rows[_i].ok)
		ck_assert_msg(t == duration_rows[_i].want, "%s: %lld", text, (long long)t);
}
END_TEST

static const struct {
	const char *text, *fault;
} fault_rows[] = {
	{"-1h", "is negative"},
	{"-99999999999999999999s", "is negative"},
	{"-", "is no time"},
	{"--1", "is no time"},
	{"106751992d", "is too long"},
	{"99999999999999999999", "is too long"},
	{"106751991d9000000s", "is too long"},
	{"0.0000001s", "is finer than a microsecond"},
	{"forever", "is no time"},
	{"", "is no time"},
	{"1e3", "is no time"},
	{"1h1h1h1h1h1h1h1h1h1h1h1h1h1h1h1h1h1h1h1h1h1h1h1h1h1h1h1h1h1h1h1h1h", "is no time"},
};

START_TEST(duration_fault)
{
	const char *text = fault_rows[_i].text;
	simtime ignored;

	ck_assert(!clock_read_duration(text, strlen(text), &ignored));
	ck_assert_ptr_eq(strstr(clock_duration_fault(text, strlen(text)), fault_rows[_i].fault),
			 clock_duration_fault(text, strlen(text)));
}
END_TEST

static const struct {
	double seconds;
	simtime want;
} double_rows[] = {
	{0, 0},
	{1.5, 1500000},
	{0.0000004, 0},
	{0.0000006, 1},
	{-0.0000006, -1},
	{-2, -2 * S},
	{0.1, 100000},
	{86400.000001, 86400 * S + 1},
	{1e30, CLOCK_NEVER},
	{-1e30, -CLOCK_NEVER},
};

START_TEST(from_double)
{
	ck_assert_int_eq(clock_from_double(double_rows[_i].seconds), double_rows[_i].want);
}
END_TEST

static const struct {
	simtime t;
	const char *seconds, *human;
} format_rows[] = {
	{0, "0", "0s"},
	{1, "0.000001", "0s"},
	{-1, "-0.000001", "0s"},
	{1500000, "1.5", "1.5s"},
	{99500000, "99.5", "1m 40s"},
	{250000, "0.25", "0.25s"},
	{1234567, "1.234567", "1.235s"},
	{-3 * S, "-3", "-3s"},
	{59 * S, "59", "59s"},
	{59400000, "59.4", "59.4s"},
	{59600000, "59.6", "59.6s"},
	{59999600, "59.9996", "1m"},
	{60 * S, "60", "1m"},
	{600 * S, "600", "10m"},
	{920 * S, "920", "15m 20s"},
	{3599 * S, "3599", "59m 59s"},
	{3599700000, "3599.7", "1h"},
	{5400 * S, "5400", "1h 30m"},
	{5401 * S, "5401", "1h 30m"},
	{86399 * S, "86399", "1d"},
	{51 * CLOCK_HOUR, "183600", "2d 3h"},
	{-51 * CLOCK_HOUR, "-183600", "-2d 3h"},
	{400 * CLOCK_DAY, "34560000", "400d"},
	{CLOCK_NEVER - 1, "9223372036854.775806", "106751991d 4h"},
	{INT64_MIN, "-9223372036854.775808", "-106751991d 4h"},
	{CLOCK_NEVER, "never", "never"},
};

START_TEST(format)
{
	char buf[CLOCK_TEXT];

	ck_assert_str_eq(clock_format_seconds(format_rows[_i].t, buf), format_rows[_i].seconds);
	ck_assert_str_eq(clock_format_human(format_rows[_i].t, buf), format_rows[_i].human);
}
END_TEST

/* Property: what is printed in seconds reads back. */
START_TEST(round_trip)
{
	uint64_t x = (uint64_t)_i + 1;
	char buf[CLOCK_TEXT];

	for (int i = 0; i < 500; i++) {
		simtime t, back;

		x ^= x << 13, x ^= x >> 7, x ^= x << 17;
		t = (simtime)(x >> (1 + i % 60));
		clock_format_seconds(t, buf);
		ck_assert_msg(clock_read_seconds(buf, strlen(buf), &back), "%s", buf);
		ck_assert_int_eq(back, t);
	}
}
END_TEST

int main(void)
{
	Suite *s = suite_create("core/clock");
	TCase *t = tcase_create("all");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_add_test(t, add_saturates);
	tcase_add_loop_test(t, floor_second, 0, COUNT(floor_rows));
	tcase_add_loop_test(t, read_seconds, 0, COUNT(second_rows));
	tcase_add_loop_test(t, read_duration, 0, COUNT(duration_rows));
	tcase_add_loop_test(t, duration_fault, 0, COUNT(fault_rows));
	tcase_add_loop_test(t, from_double, 0, COUNT(double_rows));
	tcase_add_loop_test(t, format, 0, COUNT(format_rows));
	tcase_add_loop_test(t, round_trip, 0, 10);
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
