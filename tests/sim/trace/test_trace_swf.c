/* test_trace_swf.c - the Standard Workload Format. */
#include "tests/sim/trace_case.h"

#define S CLOCK_SECOND

/* wait, run, procs, procs asked, status; queue and user vary in their own tests */
#define LINE(submit, wait, run, procs, asked, status)                                              \
	"  7 " submit " " wait " " run " " procs " -1 -1 " asked " 99 -1 " status                  \
	" 5 6 -1 2 -1 -1 -1\n"

START_TEST(a_line)
{
	struct trace_case c;
	const struct job *j;

	trace_case_read(&c, "swf", LINE("100", "25", "61", "16", "8", "1"), NULL);
	j = trace_case_job(&c, 0);
	ck_assert_int_eq(j->submit, 100 * S); /* the trace's own zero stays */
	ck_assert_int_eq(j->duration, 61 * S);
	ck_assert_int_eq(builder_job_started(c.builder, 0), 125 * S);
	ck_assert_uint_eq(builder_job_gpus(c.builder, j), 16);
	ck_assert_str_eq(trace_case_text(&c, j->name), "7");
	ck_assert_str_eq(trace_case_text(&c, j->common->queue), "queue-2");
	ck_assert_str_eq(c.summary.states[0].name, "completed");
	ck_assert(!c.summary.has_clock);
	trace_case_free(&c);
}
END_TEST

START_TEST(headers)
{
	struct trace_case c;

	trace_case_read(
		&c, "swf",
		";  Version: 2\r\n; UnixStartTime: 1000000000\r\n;Queue: 2 big one \r\n;\r\n"
		"; Queue: x\n" LINE("100", "-1", "5.5", "-1", "8", "0"),
		NULL);
	ck_assert_int_eq(trace_case_job(&c, 0)->submit, 0);
	ck_assert_int_eq(c.summary.first_submit, 1000000100 * S);
	ck_assert(c.summary.has_clock);
	ck_assert_int_eq(trace_case_job(&c, 0)->duration, 5500000);
	ck_assert_int_eq(builder_job_started(c.builder, 0), CLOCK_NEVER); /* wait -1 */
	ck_assert_uint_eq(builder_job_gpus(c.builder, trace_case_job(&c, 0)), 8);
	ck_assert_str_eq(trace_case_text(&c, trace_case_job(&c, 0)->common->queue), "big one");
	trace_case_free(&c);
}
END_TEST

static const struct {
	const char *numbers, *team;
} team_rows[] = {
	{"5 6 -1 2", "queue-2"},  {"5 6 -1 0", "queue-0"},    {"5 6 -1 -1", "group-6"},
	{"5 -1 -1 -1", "user-5"}, {"-1 -1 -1 -1", "default"},
};

START_TEST(teams)
{
	struct trace_case c;
	char text[200];

	snprintf(text, sizeof(text), "1 0 0 9 1 -1 -1 1 -1 -1 1 %s -1 -1 -1",
		 team_rows[_i].numbers);
	trace_case_read(&c, "swf", text, NULL);
	ck_assert_str_eq(trace_case_text(&c, trace_case_job(&c, 0)->common->queue),
			 team_rows[_i].team);
	trace_case_free(&c);
}
END_TEST

static const struct {
	const char *text, *reason;
} skip_rows[] = {
	{LINE("1", "0", "0", "1", "1", "1"), "zero_run"},
	{LINE("1", "0", "-1", "1", "1", "1"), "zero_run"},
	{LINE("1", "0", "9", "-1", "-1", "1"), "no_procs"},
	{LINE("1", "0", "9", "0", "0", "1"), "no_procs"},
	{LINE("1", "0", "9", "1000001", "1", "1"), "too_many_gpus"},
	{LINE("1", "0", "9", "1", "1", "2"), "partial_record"},
	{LINE("1", "0", "9", "1", "1", "4"), "partial_record"},
	{LINE("-1", "0", "9", "1", "1", "1"), "no_submit_time"},
	{LINE("x", "0", "9", "1", "1", "1"), "bad_number"},
	{LINE("1e300", "0", "9", "1", "1", "1"), "bad_number"},
	{LINE("nan", "0", "9", "1", "1", "1"), "bad_number"},
	{"1 2 3\n", "bad_field_count"},
	{"1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19\n", "bad_field_count"},
};

START_TEST(left_out)
{
	struct trace_case c;
	char text[400];

	snprintf(text, sizeof(text), "; comment\n%s", skip_rows[_i].text);
	trace_case_read(&c, "swf", text, NULL);
	ck_assert_uint_eq(trace_case_skipped(&c, skip_rows[_i].reason), 1);
	ck_assert_int_eq(c.summary.skipped[0].line, 2);
	trace_case_adds_up(&c);
	trace_case_free(&c);
}
END_TEST

#define AFTER(id, submit, after, think)                                                            \
	id " " submit " 1 10 2 -1 -1 2 -1 -1 1 1 1 1 1 -1 " after " " think "\n"

/* Fields 17 and 18 (Standard Workload Format 2). */
START_TEST(preceding_jobs)
{
	const struct job_after *after;
	struct trace_case c;

	trace_case_read(&c, "swf",
			AFTER("1", "0", "-1", "-1") AFTER("2", "5", "1", "60")
				AFTER("1", "6", "-1", "-1") AFTER("3", "7", "1", "-1"),
			NULL);

	ck_assert_uint_eq(builder_job_count(c.builder), 4);
	ck_assert_uint_eq(c.summary.dependent, 2);
	ck_assert_ptr_null(builder_job_waits(c.builder, 0));
	after = builder_job_waits(c.builder, 1);
	ck_assert_uint_eq(after->after, 0);
	ck_assert_int_eq(after->think, 60 * CLOCK_SECOND);
	after = builder_job_waits(c.builder, 3);
	ck_assert_uint_eq(after->after, 2); /* the last one before of that number */
	ck_assert_int_eq(after->think, -1);
	trace_case_free(&c);
}
END_TEST

/* Left out, to come, unknown, itself, no number: they come when the list says. */
START_TEST(preceding_jobs_that_are_not_there)
{
	struct trace_case c;

	trace_case_read(&c, "swf",
			"1 0 0 0 2 -1 -1 2 -1 -1 1 1 1 1 1 -1 -1 -1\n" AFTER("2", "5", "1", "0")
				AFTER("3", "5", "4", "0") AFTER("4", "5", "99", "0")
					AFTER("5", "5", "5", "0") AFTER("6", "5", "0", "0"),
			NULL);

	ck_assert_uint_eq(builder_job_count(c.builder), 5);
	ck_assert_uint_eq(c.summary.dependent, 0);
	ck_assert_uint_eq(c.summary.orphans, 4);
	for (uint32_t i = 0; i < 5; i++)
		ck_assert_ptr_null(builder_job_waits(c.builder, i));
	trace_case_free(&c);
}
END_TEST

START_TEST(not_a_text)
{
	struct trace_case c;

	trace_case_load_bytes(&c, trace_swf_load, "1 2\0 3", 6, 0);
	ck_assert_int_eq(c.code, ERR_SYNTAX);
	trace_case_free(&c);
}
END_TEST

int main(void)
{
	TCase *t = tcase_create("all");

	tcase_add_test(t, a_line);
	tcase_add_test(t, headers);
	tcase_add_loop_test(t, teams, 0, ROWS(team_rows));
	tcase_add_loop_test(t, left_out, 0, ROWS(skip_rows));
	tcase_add_test(t, preceding_jobs);
	tcase_add_test(t, preceding_jobs_that_are_not_there);
	tcase_add_test(t, not_a_text);
	return trace_case_run("sim/trace/trace_swf", t);
}
