/* test_trace_gavel.c - Gavel's traces in both layouts, with throughputs and without. */
#include "tests/sim/trace_case.h"

#define S     CLOCK_SECOND
#define SEVEN "A (batch size 1)\tcd %s && run \"x\"\t-n\t1\t1000\t201694.000000\t8\n"
#define TEN   "B\tcmd\tdir\t-n\t1\t500\t2\t1\t-1.000000\t46317\n"
#define TABLE                                                                                      \
	"{\"k80\": {\"('A (batch size 1)', 8)\": {\"null\": 1}}, \"v100\": "                       \
	"{\"('A (batch size 1)', 8)\": {\"null\": 2.5, \"('B', 1)\": [1, 1]}, "                    \
	"\"('C', 1)\": {\"null\": 0}, \"half a pair \\ud83d\": {\"null\": 1}}}"

START_TEST(layouts)
{
	struct trace_case c;

	trace_case_read(&c, "gavel", SEVEN TEN, NULL);
	ck_assert_int_eq(trace_case_job(&c, 0)->submit, 201694 * S);
	ck_assert_uint_eq(builder_job_gpus(c.builder, trace_case_job(&c, 0)), 8);
	ck_assert_int_eq(trace_case_job(&c, 1)->submit, 46317 * S);
	ck_assert_uint_eq(builder_job_gpus(c.builder, trace_case_job(&c, 1)), 2);
	ck_assert_int_eq(trace_case_job(&c, 1)->duration, CLOCK_HOUR);
	ck_assert_uint_eq(c.summary.assumed_durations, 2);
	ck_assert_ptr_nonnull(c.summary.note);
	trace_case_free(&c);
}
END_TEST

START_TEST(throughputs)
{
	struct trace_case c;

	trace_case_read(&c, "gavel", SEVEN TEN, TABLE);
	ck_assert_int_eq(trace_case_job(&c, 0)->duration, 400 * S); /* of the V100 */
	ck_assert_uint_eq(trace_case_skipped(&c, "no_throughput"), 1);
	ck_assert_uint_eq(c.summary.assumed_durations, 0);
	ck_assert_ptr_null(c.summary.note);
	trace_case_free(&c);
}
END_TEST

static const struct {
	const char *row, *reason;
} skip_rows[] = {
	{"A\tb\tc\n", "bad_field_count"},
	{"A\tc\t-n\t1\tmany\t0\t8\n", "bad_number"},
	{"A\tc\t-n\t1\t5\t-1\t8\n", "bad_number"},
	{"A\tc\t-n\t1\t5\t0\t0\n", "zero_gpus"},
	{"A\tc\t-n\t1\t5\t0\t1000001\n", "too_many_gpus"},
};

START_TEST(left_out)
{
	struct trace_case c;
	char text[300];

	snprintf(text, sizeof(text), "%s%s", SEVEN, skip_rows[_i].row);
	trace_case_read(&c, "gavel", text, NULL);
	ck_assert_uint_eq(trace_case_skipped(&c, skip_rows[_i].reason), 1);
	ck_assert_int_eq(c.summary.skipped[0].line, 2);
	trace_case_adds_up(&c);
	trace_case_free(&c);
}
END_TEST

static const struct {
	const char *table, *message;
	long line, column;
} table_rows[] = {
	{"{\"v100\": {\"('A', 1)\":\n{\"null\": ", "malformed JSON", 2, 9},
	{"{\"v100\":\n {\"('A', 1)\": {\"a\\u0000b\": 1}}}", "must not hold a zero byte", 2, 18},
};

START_TEST(broken_throughputs)
{
	struct trace_case c;

	trace_case_read(&c, "gavel", SEVEN, table_rows[_i].table);
	ck_assert_int_eq(c.code, ERR_SYNTAX);
	ck_assert_str_eq(c.err.file, "c");
	ck_assert_msg(strstr(c.err.msg, table_rows[_i].message) != NULL, "%s", c.err.msg);
	ck_assert_int_eq(c.err.line, table_rows[_i].line);
	ck_assert_int_eq(c.err.column, table_rows[_i].column);
	trace_case_free(&c);
}
END_TEST

int main(void)
{
	TCase *t = tcase_create("all");

	tcase_add_test(t, layouts);
	tcase_add_test(t, throughputs);
	tcase_add_loop_test(t, left_out, 0, ROWS(skip_rows));
	tcase_add_loop_test(t, broken_throughputs, 0, ROWS(table_rows));
	return trace_case_run("sim/trace/trace_gavel", t);
}
