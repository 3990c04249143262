/* test_trace_lifecycle.c - Lifecycle cells of a job list (golden/kueue f15-f22). */
#include "tests/sim/trace_case.h"

#define HEADER                                                                                     \
	"submit_s,duration_s,gpus,ready_s,fail_s,recover_s,max_exec_s,check_s,check_result,"       \
	"check_retry_s,cancel_s\n"
#define S CLOCK_SECOND

static struct scenario *finish(const char *cells)
{
	struct scenario *scenario = NULL;
	struct err err = {0};
	char text[512];
	struct trace_case c;

	snprintf(text, sizeof(text), HEADER "0,1,1,%s\n", cells);
	trace_case_load(&c, trace_jobs_load, text);
	ck_assert_msg(c.code == ERR_OK, "%s", c.message);
	ck_assert_msg(builder_finish(c.builder, &scenario, &err) == ERR_OK, "%s", err.msg);
	return scenario;
}

static const struct job_extra *extra_of(const struct scenario *s)
{
	ck_assert_uint_lt(s->jobs[0].extra, s->extra_count);
	return &s->extras[s->jobs[0].extra];
}

START_TEST(most_jobs_have_none)
{
	struct scenario *s = finish(",,,,,,,");

	ck_assert_uint_eq(s->jobs[0].extra, JOB_NONE);
	ck_assert_uint_eq(s->extra_count, 0);
	scenario_free(s);
}
END_TEST

/* It is taken, and told. */
START_TEST(cancelled_before_it_comes)
{
	struct scenario *s = finish(",,,,,,,0"), *early = NULL;
	struct err err = {0};
	struct trace_case c;

	ck_assert_uint_eq(s->finding_count, 0); /* as it comes: meant so */
	scenario_free(s);
	trace_case_load(&c, trace_jobs_load, "submit_s,duration_s,gpus,cancel_s\n9,1,1,8\n");
	ck_assert_int_eq(builder_finish(c.builder, &early, &err), ERR_OK);
	ck_assert_uint_eq(early->finding_count, 1);
	ck_assert_int_eq(early->findings[0].kind, FINDING_WARNING);
	ck_assert_uint_eq(early->findings[0].line, 2);
	scenario_free(early);
}
END_TEST

static void check_times(const simtime *times, uint32_t count, const simtime *want, uint32_t wanted)
{
	ck_assert_uint_eq(count, wanted);
	for (uint32_t i = 0; i < count; i++)
		ck_assert_int_eq(times[i], want[i]);
}

START_TEST(everything)
{
	struct scenario *s =
		finish("40;;never,10;;never,3;;never,70,5;;never,Retry;;Rejected,7;,30.5");
	const struct job_extra *e = extra_of(s);

	check_times(e->ready, e->ready_count, (simtime[]){40 * S, 0, CLOCK_NEVER}, 3);
	check_times(e->fail, e->fail_count, (simtime[]){10 * S, -1, -1}, 3);
	check_times(e->recover, e->recover_count, (simtime[]){3 * S, CLOCK_NEVER, CLOCK_NEVER}, 3);
	check_times(e->check, e->check_count, (simtime[]){5 * S, 0, CLOCK_NEVER}, 3);
	check_times(e->check_retry, e->check_retry_count, (simtime[]){7 * S, 0}, 2);
	ck_assert_int_eq(e->max_execution, 70 * S);
	ck_assert_int_eq(e->cancel_at, 30 * S + S / 2);
	ck_assert_uint_eq(e->check_result_count, 3);
	ck_assert_uint_eq(e->check_result[0], 1);
	ck_assert_uint_eq(e->check_result[1], 0);
	ck_assert_uint_eq(e->check_result[2], 2);
	scenario_free(s);
}
END_TEST

START_TEST(one_cell_leaves_the_others_default)
{
	struct scenario *s = finish(",,,,,,,9");
	const struct job_extra *e = extra_of(s);

	ck_assert_int_eq(e->cancel_at, 9 * S);
	ck_assert_int_eq(e->max_execution, 0);
	ck_assert_uint_eq(e->ready_count + e->fail_count + e->recover_count + e->check_count +
				  e->check_result_count + e->check_retry_count,
			  0);
	scenario_free(s);
	s = finish("1,,,,,,,");
	ck_assert_int_eq(extra_of(s)->cancel_at, CLOCK_NEVER);
	scenario_free(s);
}
END_TEST

/* Those with a controller of their own do not. */
START_TEST(equal_cells_share_a_record)
{
	static const char text[] = "submit_s,duration_s,gpus,ready_s,fail_s,crash_s\n"
				   "0,9,1,5,7,\n1,9,1,5;,7,\n2,9,1,5,7,\n3,9,1,,57,\n4,9,1,5,7,2\n"
				   "5,9,1,5,7,2\n6,9,1,,,\n7,9,1,5,7,\n";
	static const uint32_t want[] = {0, 1, 0, 2, 3, 4, JOB_NONE, 0};
	struct scenario *s = NULL;
	struct err err = {0};
	struct trace_case c;

	trace_case_load(&c, trace_jobs_load, text);
	ck_assert_int_eq(builder_finish(c.builder, &s, &err), ERR_OK);
	ck_assert_uint_eq(s->job_count, ROWS(want));
	for (uint32_t i = 0; i < s->job_count; i++)
		ck_assert_uint_eq(s->jobs[i].extra, want[i]);
	scenario_free(s);
}
END_TEST

static const struct {
	const char *cells, *message;
	long column;
} error_rows[] = {
	{"soon,,,,,,,", "\"soon\" is not a number of seconds", 7},
	{"1 ; 1e9,,,,,,,", "\" 1e9\" has an exponent", 10},
	{"1;x,,,,,,,", "\"x\" is not a number of seconds", 9},
	{"-1,,,,,,,", "\"-1\" is not a number of seconds", 7},
	{",,,,,Maybe,,", "no check result \"Maybe\"", 12},
	{",,,,,Ready;ready,,", "no check result \"ready\"", 18},
	{",,,,,,,1;2", "\"1;2\" is not a number of seconds", 14},
};

START_TEST(errors)
{
	char text[512];
	struct trace_case c;

	snprintf(text, sizeof(text), HEADER "0,1,1,%s\n", error_rows[_i].cells);
	trace_case_load(&c, trace_jobs_load, text);
	ck_assert_int_ne(c.code, ERR_OK);
	ck_assert_msg(strstr(c.message, error_rows[_i].message) != NULL, "%s", c.message);
	ck_assert_msg(c.err.line == 2 && c.err.column == error_rows[_i].column, "%s", c.message);
	trace_case_free(&c);
}
END_TEST

int main(void)
{
	TCase *t = tcase_create("all");

	tcase_add_test(t, most_jobs_have_none);
	tcase_add_test(t, everything);
	tcase_add_test(t, cancelled_before_it_comes);
	tcase_add_test(t, one_cell_leaves_the_others_default);
	tcase_add_test(t, equal_cells_share_a_record);
	tcase_add_loop_test(t, errors, 0, ROWS(error_rows));
	return trace_case_run("sim/trace/trace_lifecycle", t);
}
