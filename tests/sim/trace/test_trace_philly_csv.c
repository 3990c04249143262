/* test_trace_philly_csv.c - Philly as CSV. */
#include "tests/sim/trace_case.h"

#define HEADER "timestamp,duration,num_gpus,gpu_time,cluster\n"

START_TEST(rows)
{
	struct trace_case c;
	const struct job *j;

	trace_case_read(&c, "philly-csv",
			HEADER "2017-10-09 07:01:55,66.0,1,66.0,11cb48\n"
			       "2017-10-09 06:13:03,2951.0,12,35412.0,6214e9\n"
			       "2017-10-09 06:13:03,2951.0,12,35412.0,6214e9\n\n",
			NULL);
	j = trace_case_job(&c, 0);
	ck_assert_int_eq(j->submit, 2932 * CLOCK_SECOND);
	ck_assert_int_eq(j->duration, 66 * CLOCK_SECOND);
	ck_assert_uint_eq(j->name, NAME_NONE);
	ck_assert_uint_eq(j->row, 0);
	ck_assert_str_eq(trace_case_text(&c, j->common->queue), "11cb48");
	ck_assert_str_eq(trace_case_text(&c, j->common->ns), "11cb48");
	ck_assert_int_eq(trace_case_job(&c, 1)->submit, 0);
	ck_assert_uint_eq(builder_job_gpus(c.builder, trace_case_job(&c, 1)), 12);
	ck_assert_uint_eq(builder_job_count(c.builder), 3); /* equal rows are two jobs */
	ck_assert_int_eq(c.summary.first_submit, INT64_C(1507529583) * CLOCK_SECOND);
	ck_assert(c.summary.has_gpu_time);
	ck_assert_uint_eq(c.summary.gpu_time_mismatches, 0);
	trace_case_adds_up(&c);
	trace_case_free(&c);
}
END_TEST

START_TEST(columns_by_name)
{
	struct trace_case c;

	trace_case_read(&c, "philly-csv",
			"x,num_gpus,timestamp,duration\r\n?,2,2017-10-09 00:00:00,5\r\n", NULL);
	ck_assert_uint_eq(builder_job_gpus(c.builder, trace_case_job(&c, 0)), 2);
	ck_assert_str_eq(trace_case_text(&c, trace_case_job(&c, 0)->common->queue), "default");
	ck_assert(!c.summary.has_gpu_time);
	trace_case_free(&c);
}
END_TEST

static const struct {
	const char *row, *reason;
} skip_rows[] = {
	{",5,1,5,a", "no_submit_time"},
	{"2017-10-09 00:00:00,,1,5,a", "no_duration"},
	{"2017-10-09 00:00:00,5,0,0,a", "zero_gpus"},
	{"2017-10-09 00:00:00,5,,5,a", "zero_gpus"},
	{"2017-10-09 00:00:00,0.0,1,0,a", "zero_duration"},
};

START_TEST(skipped)
{
	char text[256];
	struct trace_case c;

	snprintf(text, sizeof(text), HEADER "%s\n2017-10-08 00:00:00,1,1,1,a\n", skip_rows[_i].row);
	trace_case_read(&c, "philly-csv", text, NULL);
	ck_assert_uint_eq(trace_case_skipped(&c, skip_rows[_i].reason), 1);
	ck_assert_uint_eq(trace_case_job(&c, 0)->row, 1); /* rows are those of the file */
	trace_case_adds_up(&c);
	trace_case_free(&c);
}
END_TEST

START_TEST(gpu_time_is_checked)
{
	struct trace_case c;

	trace_case_read(&c, "philly-csv",
			HEADER "2017-10-09 00:00:00,5.0,2,10.0,a\n2017-10-09 00:00:00,5.0,2,5.0,a\n"
			       "2017-10-09 00:00:00,5.0,2,x,a\n",
			NULL);
	ck_assert_uint_eq(c.summary.gpu_time_mismatches, 2);
	trace_case_free(&c);
}
END_TEST

static const struct {
	const char *row, *reason;
} bad_rows[] = {
	{"2017-10-32 00:00:00,5,1,5,a", "bad_submit_time"},
	{"2017-10-09 00:00:00,-5,1,5,a", "bad_duration"},
	{"2017-10-09 00:00:00,1e5,1,5,a", "bad_duration"},
	{"2017-10-09 00:00:00,99999999999999999999,1,5,a", "bad_duration"},
	{"2017-10-09 00:00:00,5,1.5,5,a", "bad_gpus"},
	{"2017-10-09 00:00:00,5,4294967296,5,a", "bad_gpus"},
	{"2017-10-09 00:00:00,5,1000001,5,a", "too_many_gpus"},
	{"2017-10-09 00:00:00,5,1,5", "bad_field_count"},
	{"2017-10-09 00:00:00,5,1,5,a,b", "bad_field_count"},
};

START_TEST(cells_that_cannot_be_read)
{
	char text[256];
	struct trace_case c;

	snprintf(text, sizeof(text), HEADER "2017-10-08 00:00:00,1,1,1,a\n%s\n", bad_rows[_i].row);
	trace_case_read(&c, "philly-csv", text, NULL);
	ck_assert_uint_eq(trace_case_skipped(&c, bad_rows[_i].reason), 1);
	ck_assert_int_eq(c.summary.skipped[0].line, 3);
	trace_case_adds_up(&c);
	trace_case_free(&c);
}
END_TEST

int main(void)
{
	TCase *t = tcase_create("all");

	tcase_add_test(t, rows);
	tcase_add_test(t, columns_by_name);
	tcase_add_loop_test(t, skipped, 0, ROWS(skip_rows));
	tcase_add_test(t, gpu_time_is_checked);
	tcase_add_loop_test(t, cells_that_cannot_be_read, 0, ROWS(bad_rows));
	return trace_case_run("sim/trace/trace_philly_csv", t);
}
