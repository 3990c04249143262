/* test_trace.c - Clock times, counts, skip reasons, and recognising formats. */
#include "tests/sim/trace_case.h"

static const struct {
	const char *text;
	int64_t seconds; /* -1: no time */
} clock_rows[] = {
	{"1970-01-01 00:00:00", 0},
	{"1970-01-01 00:00:01", 1},
	{"2000-02-29 12:00:00", 951825600},
	{"2000-03-01 00:00:00", 951868800},
	{"2017-10-09 07:01:55", 1507532515},
	{"2017-11-05 01:30:00", 1509845400}, /* the hour that the clock repeats */
	{"2017-12-31 23:59:59", 1514764799},
	{"2100-03-01 00:00:00", 4107542400}, /* 2100 is no leap year */
	{"9999-12-31 23:59:59", 253402300799},
	{"1969-12-31 23:59:59", -1},
	{"2017-02-29 00:00:00", -1},
	{"2100-02-29 00:00:00", -1},
	{"2017-04-31 00:00:00", -1},
	{"2017-13-01 00:00:00", -1},
	{"2017-00-01 00:00:00", -1},
	{"2017-01-00 00:00:00", -1},
	{"2017-01-01 24:00:00", -1},
	{"2017-01-01 00:60:00", -1},
	{"2017-01-01 00:00:60", -1},
	{"2017-01-01T00:00:00", -1},
	{"2017-01-01 00:00:00 ", -1},
	{"2017-01-01 00:00", -1},
	{"2017-1-01 00:00:000", -1},
	{"+017-01-01 00:00:00", -1},
	{"", -1},
	{"None", -1},
};

START_TEST(clock_times)
{
	char text[TRACE_CLOCK];
	simtime t;
	bool read = trace_read_clock(clock_rows[_i].text, strlen(clock_rows[_i].text), &t);

	ck_assert_msg(read == (clock_rows[_i].seconds >= 0), "%s", clock_rows[_i].text);
	if (!read)
		return;
	ck_assert_int_eq(t, clock_rows[_i].seconds * CLOCK_SECOND);
	ck_assert_str_eq(trace_format_clock(t, text), clock_rows[_i].text);
}
END_TEST

/* Every day of 400 years comes after the day before, and reads back. */
START_TEST(days_follow_each_other)
{
	char text[TRACE_CLOCK];

	for (int64_t day = 0; day < 146097; day++) {
		simtime t = day * CLOCK_DAY, back;

		trace_format_clock(t, text);
		ck_assert_msg(trace_read_clock(text, strlen(text), &back) && back == t, "%s", text);
	}
}
END_TEST

static const struct {
	const char *text;
	int64_t count; /* -1: none */
} count_rows[] = {
	{"8", 8},   {"8.0", 8},	   {"8.000", 8}, {"0", 0},    {"4294967295", 4294967295},
	{"", -1},   {"8.", -1},	   {".0", -1},	 {"8.5", -1}, {"4294967296", -1},
	{"-1", -1}, {"8.0.0", -1}, {"0x8", -1},	 {" 8", -1},
};

START_TEST(counts)
{
	uint32_t out = 0;
	bool read = trace_read_count(count_rows[_i].text, strlen(count_rows[_i].text), &out);

	ck_assert_msg(read == (count_rows[_i].count >= 0), "%s", count_rows[_i].text);
	if (read)
		ck_assert_int_eq(out, count_rows[_i].count);
}
END_TEST

START_TEST(reasons_are_counted_apart)
{
	struct trace_summary summary = {0};

	trace_skip(&summary, "a");
	trace_skip(&summary, "b");
	trace_skip(&summary, "a");
	ck_assert_uint_eq(summary.reason_count, 2);
	ck_assert_str_eq(summary.skipped[0].reason, "a");
	ck_assert_uint_eq(summary.skipped[0].count, 2);
	ck_assert_uint_eq(summary.skipped[1].count, 1);
}
END_TEST

static const struct {
	const char *text, *format; /* NULL: none of them */
} detect_rows[] = {
	{"submit_s,duration_s,gpus\n", "csv"},
	{"name,namespace,queue,submit_s,duration_s,priority_class,pods,min_pods,requests\n", "csv"},
	{"job_id,submit_s,gpus,duration_s\n0,1,1,2\n", "csv"},
	{"arrival_s,duration,podsets", "csv"},
	{"submit_s,duration_s\n", NULL}, /* asks for nothing */
	{"timestamp,duration,num_gpus,gpu_time,cluster\n", "philly-csv"},
	{"num_gpus,duration,timestamp\r\n", "philly-csv"},
	{"\xEF\xBB\xBF timestamp\n", NULL},
	{"[{\"status\": \"Pass\", \"attempts\": []}]", "philly"},
	{"\n [ {\"submitted_time\": null", "philly"},
	{"[{\"kind\": \"Node\"}]", NULL},
	{"{\"attempts\": []}", NULL},
	{"apiVersion: v1\nkind: Node\n", NULL},
	{"", NULL},
	{"\"", NULL},
};

START_TEST(detection)
{
	struct source source = {
		.name = "t", .data = detect_rows[_i].text, .size = strlen(detect_rows[_i].text)};
	const struct trace_format *format = trace_detect(&source);

	if (detect_rows[_i].format == NULL)
		ck_assert_msg(format == NULL, "row %d", _i);
	else
		ck_assert_msg(format != NULL && strcmp(format->name, detect_rows[_i].format) == 0,
			      "row %d", _i);
}
END_TEST

START_TEST(formats_have_names)
{
	int count = 0;

	for (const struct trace_format *f = trace_rows(); f->name != NULL; f++) {
		ck_assert_ptr_eq(trace_find(f->name), f);
		ck_assert_ptr_nonnull(f->help);
		count++;
	}
	ck_assert_int_eq(count, 3);
	ck_assert_ptr_null(trace_find("nonsense"));
}
END_TEST

int main(void)
{
	TCase *t = tcase_create("all");

	tcase_add_loop_test(t, clock_times, 0, ROWS(clock_rows));
	tcase_add_test(t, days_follow_each_other);
	tcase_add_loop_test(t, counts, 0, ROWS(count_rows));
	tcase_add_test(t, reasons_are_counted_apart);
	tcase_add_loop_test(t, detection, 0, ROWS(detect_rows));
	tcase_add_test(t, formats_have_names);
	return trace_case_run("sim/trace", t);
}
