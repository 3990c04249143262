/* test_trace_jsonl.c - the job list as JSON lines. */
#include "tests/sim/trace_case.h"

#define S CLOCK_SECOND

START_TEST(a_line)
{
	const struct pod_shape *shape;
	struct trace_case c;
	const struct job *j;

	trace_case_read(
		&c, "jsonl",
		"\xEF\xBB\xBF{\"name\": \"a\", \"submit_s\": 0.5, \"duration_s\": 60, "
		"\"queue\": \"q\", \"namespace\": \"n\", \"start_s\": 7, \"fail_s\": [1, 2.5], "
		"\"requests\": {\"nvidia.com/gpu\": 2, \"cpu\": \"500m\"}, \"x\": {}}\r\n\r\n"
		"{\"submit_s\": 1, \"duration_s\": \"endless\", \"gpus\": 16, \"name\": null}",
		NULL);
	j = trace_case_job(&c, 0);
	shape = builder_shape_at(c.builder, builder_sets_of(c.builder, j)->shape);
	ck_assert_int_eq(j->submit, S / 2);
	ck_assert_int_eq(j->duration, 60 * S);
	ck_assert_str_eq(trace_case_text(&c, j->name), "a");
	ck_assert_str_eq(trace_case_text(&c, j->common->queue), "q");
	ck_assert_str_eq(trace_case_text(&c, j->common->ns), "n");
	ck_assert_int_eq(builder_job_started(c.builder, 0), 7 * S);
	ck_assert_int_eq(shape->gpus, 2);
	ck_assert_int_eq(shape->request[RES_CPU], 500);
	ck_assert_uint_eq(builder_extra_at(c.builder, j->extra)->fail_count, 2);
	j = trace_case_job(&c, 1);
	ck_assert_int_eq(j->duration, JOB_ENDLESS);
	ck_assert_uint_eq(j->name, NAME_NONE);
	ck_assert_uint_eq(j->common->flags & JOB_CUT, JOB_CUT);
	ck_assert_uint_eq(builder_job_gpus(c.builder, j), 16);
	trace_case_free(&c);
}
END_TEST

static const struct {
	const char *text, *message;
	long line;
} error_rows[] = {
	{"{\"submit_s\": 0", "malformed JSON", 1},
	{"[1]\n", "malformed JSON", 1},
	{"{\"submit_s\": 0, \"duration_s\": 1, \"gpus\": 1}\n\n{\"submit_s\": 0}\n",
	 "the duration is empty", 3},
	{"{\"submit_s\": -1, \"duration_s\": 1, \"gpus\": 1}\n", "is negative", 1},
	{"{\"submit_s\": 0, \"duration_s\": 1, \"gpus\": 1.5}\n", "is not a number of GPUs", 1},
	{"{\"submit_s\": 0, \"submit_s\": 0, \"duration_s\": 1, \"gpus\": 1}\n",
	 "a second \"submit_s\"", 1},
	{"{\"submit_s\": true, \"duration_s\": 1, \"gpus\": 1}\n", "must be a text, a number", 1},
	{"{\"submit_s\": 0, \"duration_s\": 1, \"requests\": {\"a\": {}}}\n",
	 "must be a text, a number", 1},
	{"{\"submit_s\": 0, \"duration_s\": 1, \"gpus\": 1, \"name\": \"a\\u0000b\"}\n",
	 "must not hold a zero byte", 1},
};

/* Half of a pair is U+FFFD, as for Go and so for kubectl. */
START_TEST(escapes)
{
	struct trace_case c;

	trace_case_read(&c, "jsonl",
			"{\"submit_s\": 0, \"duration_s\": 1, \"gpus\": 1, \"name\": "
			"\"a\\ud83d\\ude00\\ud83db\\\\ud83d\"}\n",
			NULL);
	ck_assert_str_eq(trace_case_text(&c, trace_case_job(&c, 0)->name),
			 "a\xF0\x9F\x98\x80\xEF\xBF\xBD"
			 "b\\ud83d");
	trace_case_free(&c);
}
END_TEST

START_TEST(errors)
{
	struct trace_case c;

	trace_case_read(&c, "jsonl", error_rows[_i].text, NULL);
	ck_assert_int_ne(c.code, ERR_OK);
	ck_assert_msg(strstr(c.message, error_rows[_i].message) != NULL, "%s", c.message);
	ck_assert_int_eq(c.err.line, error_rows[_i].line);
	trace_case_free(&c);
}
END_TEST

int main(void)
{
	TCase *t = tcase_create("all");

	tcase_add_test(t, a_line);
	tcase_add_test(t, escapes);
	tcase_add_loop_test(t, errors, 0, ROWS(error_rows));
	return trace_case_run("sim/trace/trace_jsonl", t);
}
