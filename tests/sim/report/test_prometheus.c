/* test_prometheus.c - the text format: labels, order, buckets, and the table of Kueue's
 * families. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/report/prometheus_table.h"

enum { COUNT, LEVEL, TIMES, UNUSED, ROWS };
static const struct prometheus_family table[ROWS] = {
	[COUNT] = {"c_total", "Two lines,\na \\.", {"a", "b"}, PROMETHEUS_COUNTER, 0},
	[LEVEL] = {"level", "Without labels.", {NULL}, PROMETHEUS_GAUGE, 0},
	[TIMES] = {"t_seconds", "Times.", {"a"}, PROMETHEUS_HISTOGRAM, 3},
	[UNUSED] = {"unused", "Nothing.", {"a"}, PROMETHEUS_GAUGE, 0},
};

static void expect(const struct prometheus *p, const char *wanted)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	prometheus_write(out, p);
	fclose(out);
	ck_assert_str_eq(text, wanted);
	free(text);
}

START_TEST(series_stand_by_their_labels)
{
	struct prometheus *p = prometheus_new(table, ROWS);

	prometheus_add(p, COUNT, (const char *[]){"z", ""}, 1);
	prometheus_add(p, COUNT, (const char *[]){"x\"\\\n", "y"}, 2);
	prometheus_add(p, COUNT, (const char *[]){"z", ""}, 0.5);
	prometheus_set(p, LEVEL, NULL, 3);
	prometheus_set(p, LEVEL, NULL, HUGE_VAL);
	expect(p, "# HELP c_total Two lines,\\na \\\\.\n# TYPE c_total counter\n"
		  "c_total{a=\"x\\\"\\\\\\n\",b=\"y\"} 2\nc_total{a=\"z\",b=\"\"} 1.5\n"
		  "# HELP level Without labels.\n# TYPE level gauge\nlevel +Inf\n");
	prometheus_set(p, LEVEL, NULL, (double)NAN);
	prometheus_free(p);
}
END_TEST

/* A value at a bound is below it; bounds are 1, 2.5, 5 seconds. */
START_TEST(buckets_are_cumulated)
{
	struct prometheus *p = prometheus_new(table, ROWS);
	static const simtime times[] = {0, 1000000, 1000001, 5000000, 5000001};

	for (size_t i = 0; i < 5; i++)
		prometheus_observe(p, TIMES, (const char *[]){"x"}, times[i]);
	expect(p, "# HELP t_seconds Times.\n# TYPE t_seconds histogram\n"
		  "t_seconds_bucket{a=\"x\",le=\"1\"} 2\nt_seconds_bucket{a=\"x\",le=\"2.5\"} 3\n"
		  "t_seconds_bucket{a=\"x\",le=\"5\"} 4\nt_seconds_bucket{a=\"x\",le=\"+Inf\"} 5\n"
		  "t_seconds_sum{a=\"x\"} 12.000002\nt_seconds_count{a=\"x\"} 5\n");
	ck_assert_int_eq(prometheus_bound(13), 10240 * CLOCK_SECOND);
	ck_assert_int_eq(prometheus_bound(15), 40960 * CLOCK_SECOND);
	prometheus_free(p);
}
END_TEST

/* As the client library has them: distinct names, labels in order, counters and only
 * they end in _total. */
START_TEST(the_families_are_in_order)
{
	for (uint32_t f = 0; f < KUEUE_FAMILIES; f++) {
		const struct prometheus_family *row = &prometheus_families[f];
		size_t length = strlen(row->name);
		bool total = length > 6 && strcmp(row->name + length - 6, "_total") == 0;

		ck_assert_int_eq(strncmp(row->name, "kueue_", 6), 0);
		ck_assert_int_eq(total, row->type == PROMETHEUS_COUNTER);
		ck_assert_int_eq(row->buckets != 0, row->type == PROMETHEUS_HISTOGRAM);
		for (uint32_t i = 1; i < PROMETHEUS_LABELS && row->labels[i] != NULL; i++)
			ck_assert_int_lt(strcmp(row->labels[i - 1], row->labels[i]), 0);
		for (uint32_t g = 0; g < f; g++)
			ck_assert_str_ne(row->name, prometheus_families[g].name);
	}
}
END_TEST

int main(void)
{
	Suite *s = suite_create("sim/report/prometheus");
	TCase *t = tcase_create("all");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_add_test(t, series_stand_by_their_labels);
	tcase_add_test(t, buckets_are_cumulated);
	tcase_add_test(t, the_families_are_in_order);
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
