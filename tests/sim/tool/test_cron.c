/* test_cron.c - schedules; times are seconds since 1970. */
#include "sim/tool/cron.h"

#include "tests/sim/objects_case.h"

#define T2024 INT64_C(1704067200) /* Monday, 1 January 2024, 0:00 UTC */
#define H     INT64_C(3600)
#define D     (24 * H)

static const struct {
	const char *schedule;
	int64_t after, due;
} rows[] = {
	{"* * * * *", T2024, T2024 + 60},
	{"* * * * *", T2024 + 59, T2024 + 60},
	{"0 * * * *", T2024, T2024 + H},
	{"*/15 * * * *", T2024 + 16 * 60, T2024 + 30 * 60},
	{"5/20 * * * *", T2024, T2024 + 5 * 60},
	{"30 2 * * *", T2024 + 3 * H, T2024 + D + 2 * H + 1800},
	{"0 0 * * 0", T2024, T2024 + 6 * D},
	{"0 9 * * MON-FRI", T2024 + 4 * D + 10 * H, T2024 + 7 * D + 9 * H},
	{"0 0 1 * *", T2024, T2024 + 31 * D},
	{"0 0 29 2 *", T2024, T2024 + 59 * D},
	{"0 0 29 feb *", T2024 + 59 * D, T2024 + (366 + 365 + 365 + 365 + 59) * D},
	{"0 0 13 * 5", T2024, T2024 + 4 * D},  /* neither is *: the first Friday */
	{"0 0 */2 * 1", T2024, T2024 + 2 * D}, /* nor is a star with a step */
	{"0 12 1,15 jan,Jul ?", T2024, T2024 + 12 * H},
	{"@hourly", T2024, T2024 + H},
	{"@weekly", T2024, T2024 + 6 * D},
	{"@yearly", T2024, T2024 + 366 * D},
	{"@every 90m", T2024 + 7, T2024 + 7 + 5400},
	{"0 0 31 2 *", T2024, INT64_MAX},
};

START_TEST(the_next_time)
{
	struct cron cron;
	char why[CRON_WHY] = "";

	ck_assert_msg(cron_read(rows[_i].schedule, strlen(rows[_i].schedule), &cron, why), "%s",
		      why);
	ck_assert_int_eq(cron_next(&cron, rows[_i].after), rows[_i].due);
}
END_TEST

static const struct {
	const char *schedule, *why;
} bad[] = {
	{"", "it has 0 fields, not 5"},
	{"* * * *", "it has 4 fields, not 5"},
	{"* * * * * *", "it has more than 5 fields"},
	{"60 * * * *", "\"60\" is no minute (0 to 59)"},
	{"* 5-3 * * *", "\"5-3\" is no hour (0 to 23)"},
	{"* * 0 * *", "\"0\" is no day of month (1 to 31)"},
	{"* * * foo *", "\"foo\" is no month (1 to 12)"},
	{"* * * * 7", "\"7\" is no day of week (0 to 6)"},
	{"*/0 * * * *", "\"*/0\" is no minute (0 to 59)"},
	{"1,,2 * * * *", "\"1,,2\" is no minute (0 to 59)"},
	{"@often", "\"@often\" is no word of it"},
	{"@every 0s", "@every wants a duration of 1s or more, such as 90m"},
};

START_TEST(what_is_none)
{
	struct cron cron;
	char why[CRON_WHY] = "";

	ck_assert(!cron_read(bad[_i].schedule, strlen(bad[_i].schedule), &cron, why));
	ck_assert_str_eq(why, bad[_i].why);
}
END_TEST

START_TEST(zones_without_rules)
{
	struct cron cron;
	char why[CRON_WHY];
	int64_t offset = 1;

	ck_assert(cron_read_zone("Etc/UTC", 7, &offset));
	ck_assert_int_eq(offset, 0);
	ck_assert(cron_read_zone("Etc/GMT+5", 9, &offset));
	ck_assert_int_eq(offset, -5 * H);
	ck_assert(!cron_read_zone("Europe/Paris", 12, &offset));
	ck_assert(!cron_read_zone("Etc/GMT+15", 10, &offset));
	ck_assert(cron_read("0 22 * * *", 10, &cron, why));
	cron.offset = -5 * H;
	ck_assert_int_eq(cron_next(&cron, T2024), T2024 + 3 * H);
}
END_TEST

int main(void)
{
	TCase *tests = tcase_create("all");

	tcase_add_loop_test(tests, the_next_time, 0, ROWS(rows));
	tcase_add_loop_test(tests, what_is_none, 0, ROWS(bad));
	tcase_add_test(tests, zones_without_rules);
	return objects_case_run("cron", tests);
}
