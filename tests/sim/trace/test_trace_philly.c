/* test_trace_philly.c - Philly's cluster_job_log, rule by rule, and hostile input. */
#include "sim/trace/trace_philly.h"
#include "tests/sim/trace_case.h"
#include "tests/sim/window_case.h"

#define T(hms) "\"2017-10-08 " hms "\""
#define GPU(n) "{\"ip\": \"m1\", \"gpus\": [" n "]}"
#define TRY(start, end, detail)                                                                    \
	"{\"start_time\": " start ", \"end_time\": " end ", \"detail\": [" detail "]}"
#define JOB(submit, attempts)                                                                      \
	"[{\"status\": \"Pass\", \"vc\": \"v\", \"jobid\": \"j\", \"user\": \"u\", "               \
	"\"attempts\": [" attempts "], \"submitted_time\": " submit "}]"
#define GOOD TRY(T("01:00:00"), T("02:00:00"), GPU("\"gpu0\""))

struct seen {
	struct trace_philly_job job;
	int count;
};

static void remember(void *context, const struct trace_philly_job *job)
{
	struct seen *seen = context;

	seen->job = *job;
	seen->count++;
}

static enum err_code read_text(const char *text, struct seen *seen, struct err *err)
{
	struct source source = {.name = "t", .data = text, .size = strlen(text)};

	*seen = (struct seen){0};
	*err = (struct err){0};
	return trace_philly_read(&source, remember, seen, err);
}

static const struct {
	const char *name, *in, *skipped;
} skip_rows[] = {
	{"usable", JOB(T("00:00:00"), GOOD), NULL},
	{"no such month", "[{\"jobid\": \"k\", \"submitted_time\": \"2017-13-01 00:00:00\"}]",
	 "bad_time"},
	{"a number", "[{\"submitted_time\": 1507532515}]", "bad_time"},
	{"an attempt without a time",
	 JOB(T("00:00:00"), GOOD "," TRY("\"soon\"", T("03:00:00"), GPU("1"))), "bad_time"},
	{"no attempts", JOB(T("00:00:00"), ""), "no_attempts"},
	{"attempts absent", "[{\"submitted_time\": " T("00:00:00") "}]", "no_attempts"},
	{"attempts null", "[{\"attempts\": null}]", "no_attempts"},
	{"submit null", JOB("null", GOOD), "no_submit_time"},
	{"submit empty", JOB("\"\"", GOOD), "no_submit_time"},
	{"submit None", JOB("\"None\"", GOOD), "no_submit_time"},
	{"running", JOB(T("00:00:00"), TRY(T("01:00:00"), "null", GPU("1"))),
	 "still_running_at_snapshot"},
	{"running after a failed attempt",
	 JOB(T("00:00:00"), TRY("null", "null", GPU("1")) "," TRY(T("01:00:00"), "\"\"", GPU("1"))),
	 "still_running_at_snapshot"},
	{"running after a usable attempt",
	 JOB(T("00:00:00"), GOOD "," TRY(T("03:00:00"), "null", GPU("1"))), NULL},
	{"no times", JOB(T("00:00:00"), TRY("\"None\"", "\"None\"", GPU("1"))),
	 "no_usable_attempt"},
	{"no start", JOB(T("00:00:00"), TRY("null", T("01:00:00"), GPU("1"))), "no_usable_attempt"},
	{"ends before it starts", JOB(T("00:00:00"), TRY(T("02:00:00"), T("01:00:00"), GPU("1"))),
	 "no_usable_attempt"},
	{"ends as it starts", JOB(T("00:00:00"), TRY(T("02:00:00"), T("02:00:00"), GPU("1"))),
	 "no_usable_attempt"},
	{"no GPU", JOB(T("00:00:00"), TRY(T("01:00:00"), T("02:00:00"), GPU(""))), "zero_gpus"},
	{"no server", JOB(T("00:00:00"), TRY(T("01:00:00"), T("02:00:00"), "")), "zero_gpus"},
	{"detail absent",
	 JOB(T("00:00:00"), "{\"start_time\": " T("01:00:00") ", \"end_time\": " T("02:00:00") "}"),
	 "zero_gpus"},
};

START_TEST(skips)
{
	struct seen seen;
	struct err err;

	ck_assert_msg(read_text(skip_rows[_i].in, &seen, &err) == ERR_OK, "%s: %s",
		      skip_rows[_i].name, err.msg);
	ck_assert_int_eq(seen.count, 1);
	if (skip_rows[_i].skipped == NULL)
		ck_assert_msg(seen.job.skipped == NULL, "%s: %s", skip_rows[_i].name,
			      seen.job.skipped);
	else
		ck_assert_msg(seen.job.skipped != NULL &&
				      strcmp(seen.job.skipped, skip_rows[_i].skipped) == 0,
			      "%s", skip_rows[_i].name);
}
END_TEST

START_TEST(attempts_add_up)
{
	struct seen seen;
	struct err err;

	ck_assert_int_eq(
		read_text(JOB(T("00:30:00"), TRY("null", "null", GPU("1,2,3")) "," /* dropped */
			      TRY(T("02:00:00"), T("02:30:00"), GPU("1,2") "," GPU("3,4")) "," TRY(
				      T("01:00:00"), T("01:10:00"), GPU("1,2,3,4,5,6"))),
			  &seen, &err),
		ERR_OK);
	ck_assert_ptr_null(seen.job.skipped);
	ck_assert_uint_eq(seen.job.attempts, 3);
	ck_assert_uint_eq(seen.job.used, 2);
	ck_assert_uint_eq(seen.job.gpus, 6);	/* the most of any */
	ck_assert_uint_eq(seen.job.servers, 2); /* of the first that counts */
	ck_assert_int_eq(seen.job.service, 40 * CLOCK_MINUTE);
	ck_assert_int_eq(seen.job.first_start - seen.job.submit, 30 * CLOCK_MINUTE);
	ck_assert_int_eq(seen.job.last_end - seen.job.first_start, 90 * CLOCK_MINUTE);
}
END_TEST

START_TEST(jobs_of_a_file)
{
	struct trace_case c;
	const struct job *j;

	trace_case_load(
		&c, trace_philly_load,
		"\xEF\xBB\xBF\n[{\"jobid\": \"a\", \"vc\": \"v\", \"attempts\": [" GOOD
		"], \"submitted_time\": " T(
			"01:00:05") "},\n\n"
				    "{\"attempts\": []},\r\n"
				    "{\"jobid\": \"b\\u00e9\\ud83d\", \"vc\": \"w\", \"attempts\": "
				    "[" GOOD
				    "," TRY("null", "null", GPU("1")) "], \"submitted_time\": " T(
					    "00:59:05") "}]\n");
	j = trace_case_job(&c, 0);
	ck_assert_int_eq(j->submit, CLOCK_MINUTE);
	ck_assert_int_eq(j->duration, CLOCK_HOUR);
	ck_assert_str_eq(trace_case_text(&c, j->name), "a");
	ck_assert_str_eq(trace_case_text(&c, j->common->queue), "v");
	ck_assert_str_eq(trace_case_text(&c, j->common->ns), "v");
	j = trace_case_job(&c, 1);
	ck_assert_int_eq(j->submit, 0);
	ck_assert_uint_eq(j->row, 2);
	ck_assert_str_eq(trace_case_text(&c, j->name), "b\xC3\xA9\xEF\xBF\xBD");
	ck_assert_uint_eq(c.summary.rows, 3);
	ck_assert_uint_eq(c.summary.clamped_waits, 1);
	ck_assert_uint_eq(c.summary.dropped_attempts, 1);
	trace_case_adds_up(&c);
	trace_case_free(&c);
}
END_TEST

/* The second of the same id is known by its row. */
START_TEST(same_id_twice)
{
	struct scenario *scenario = NULL;
	struct err err = {0};
	struct trace_case c;

	trace_case_load(&c, trace_philly_load,
			"[{\"jobid\": \"a\", \"attempts\": [" GOOD "], \"submitted_time\": " T(
				"00:00:00") "},"
					    "\n\n{\"jobid\": \"a\", \"attempts\": [" GOOD
					    "], \"submitted_time\": " T("00:00:00") "}]");
	ck_assert_uint_eq(c.summary.repeated_names, 1);
	ck_assert_uint_eq(trace_case_job(&c, 1)->name, NAME_NONE);
	ck_assert_int_eq(builder_finish(c.builder, &scenario, &err), ERR_OK);
	scenario_free(scenario);
}
END_TEST

static const struct {
	const char *in, *message;
	long line;
} error_rows[] = {
	{"", "a JSON array of jobs was expected", 1},
	{"{}", "a JSON array of jobs was expected", 1},
	{"[", "malformed JSON", 1},
	{"[{\"vc\": \"v\",\n\"vc2\" 3}]", "malformed JSON", 2},
	{"[{\"vc\": \"\\ud83d\",\n\"vc2\" 3}]", "malformed JSON", 2},
	{"[{},\n{\"vc\": \"\\ud83d\", \"jobid\": \"a\\u0000b\"}]", "must not hold a zero byte", 2},
	{"[{}", "the file ends inside the array", 1},
	{"[{}\n{}]", "a comma or the end of the array", 2},
	{"[{},]", "malformed JSON", 1},
	{"[{}] x", "text behind the array", 1},
	{"[3]", "an object was expected", 1},
	{"[\n\n[]]", "an object was expected", 3},
	{"[{\"attempts\": {}}]", "must be an array: attempts", 1},
	{"[{\"attempts\": [1]}]", "an object was expected, with start_time", 1},
	{"[{\"attempts\": [{\"detail\": 1}]}]", "must be an array: detail", 1},
	{"[{\"attempts\": [{\"detail\": [1]}]}]", "an object was expected, with gpus", 1},
	{"[{\"attempts\": [{\"detail\": [{\"gpus\": \"x\"}]}]}]", "must be an array: gpus", 1},
	{"[{\"vc\": \"a\", \"vc\": \"b\"}]", "there twice: vc", 1},
	{"[{\"attempts\": [], \"attempts\": []}]", "there twice: attempts", 1},
};

START_TEST(errors)
{
	struct seen seen;
	struct err err;

	ck_assert_int_eq(read_text(error_rows[_i].in, &seen, &err), ERR_SYNTAX);
	ck_assert_msg(strstr(err.msg, error_rows[_i].message) != NULL, "%s: %s", error_rows[_i].in,
		      err.msg);
	ck_assert_msg(err.line == error_rows[_i].line, "%s: line %ld", error_rows[_i].in, err.line);
}
END_TEST

/* Every beginning of a good file is an error, and nothing worse. */
START_TEST(truncated_anywhere)
{
	const char *text =
		JOB(T("00:00:00"), GOOD "," TRY("null", "\"None\"", GPU("\"g\\u0041\"")));
	char cut[1024];
	struct seen seen;
	struct err err;

	for (size_t n = 0; n < strlen(text); n++) {
		memcpy(cut, text, n);
		cut[n] = '\0';
		ck_assert_int_eq(read_text(cut, &seen, &err), ERR_SYNTAX);
	}
	ck_assert_int_eq(read_text(text, &seen, &err), ERR_OK);
}
END_TEST

START_TEST(nul_byte)
{
	static const char text[] = "[{\"jobid\": \"a\0b\"}]";
	struct source source = {.name = "t", .data = text, .size = sizeof(text) - 1};
	struct seen seen = {0};
	struct err err = {0};

	ck_assert_int_eq(trace_philly_read(&source, remember, &seen, &err), ERR_SYNTAX);
	ck_assert_ptr_nonnull(strstr(err.msg, "NUL byte"));
	ck_assert_int_eq(err.column, 14);
}
END_TEST

/* 100,000 brackets: the parser must give up, not the stack. */
START_TEST(deep_nesting)
{
	size_t depth = 100000;
	char *text = mem_calloc(depth + 20, 1);
	struct seen seen;
	struct err err;

	memcpy(text, "[{\"x\":", 6);
	memset(text + 6, '[', depth);
	ck_assert_int_eq(read_text(text, &seen, &err), ERR_SYNTAX);
	mem_free(text);
}
END_TEST

/* One job of 10 MB on one line, and 300 jobs on one. */
START_TEST(long_lines)
{
	size_t padding = 10u << 20, n = 0;
	char *text = mem_calloc(padding + 1024, 1);
	struct seen seen;
	struct err err;

	n += (size_t)sprintf(text, "[{\"x\": \"");
	memset(text + n, 'x', padding);
	strcpy(text + n + padding, "\"}]");
	ck_assert_int_eq(read_text(text, &seen, &err), ERR_OK);
	ck_assert_int_eq(seen.count, 1);
	n = (size_t)sprintf(text, "[{}");
	for (int i = 1; i < 300; i++)
		n += (size_t)sprintf(text + n, ",{}");
	strcpy(text + n, "]");
	ck_assert_int_eq(read_text(text, &seen, &err), ERR_OK);
	ck_assert_int_eq(seen.count, 300);
	mem_free(text);
}
END_TEST

START_TEST(empty_array)
{
	struct trace_case c;

	trace_case_load(&c, trace_philly_load, " [ ] \n");
	ck_assert_int_eq(c.code, ERR_OK);
	ck_assert_uint_eq(c.summary.rows, 0);
	trace_case_free(&c);
}
END_TEST

/* The same jobs, or the same complaint, through windows of a few bytes. */
static void through_windows(const char *text)
{
	struct seen want, seen;
	struct err err, other = {0};
	enum err_code code = read_text(text, &want, &err);

	for (size_t window = 8; window <= 512; window *= 4) {
		struct source file;

		seen = (struct seen){0};
		window_case_open(&file, text, strlen(text), window);
		ck_assert_int_eq(trace_philly_read(&file, remember, &seen, &other), code);
		ck_assert_int_eq(seen.count, want.count);
		if (code != ERR_OK)
			ck_assert_msg(other.line == err.line && strcmp(other.msg, err.msg) == 0,
				      "%s: %ld %s", text, other.line, other.msg);
		else if (seen.count != 0)
			ck_assert(seen.job.service == want.job.service &&
				  seen.job.line == want.job.line);
		source_close(&file);
	}
}

START_TEST(windows)
{
	through_windows("\n [\n]  \n");
	through_windows(JOB(T("00:00:00"), GOOD));
	through_windows("  [\n\n {\"attempts\": null}  ,\n   {\"attempts\":[]} , {}\n ]\n");
	through_windows("[{\"attempts\": null},\n  {\"attempts\":\n\n[}, {}\n ]\n");
	through_windows("[{\"attempts\": null},\n  {\"attempts\":\n\n");
	through_windows("[{\"attempts\": null}] [");
	/* half of a pair of characters */
	through_windows("[{\"vc\": \"\\ud83d\\ud83d\\ude00\"},\n {\"vc\": \"\\ude00\"}, {}]");
	through_windows("[{\"vc\": \"\\ud83d\"},\n {\"vc\": \"\\ude00\"\n \"status\": \"\"}]");
}
END_TEST

int main(void)
{
	TCase *t = tcase_create("all");

	tcase_add_loop_test(t, skips, 0, ROWS(skip_rows));
	tcase_add_test(t, attempts_add_up);
	tcase_add_test(t, jobs_of_a_file);
	tcase_add_test(t, same_id_twice);
	tcase_add_loop_test(t, errors, 0, ROWS(error_rows));
	tcase_add_test(t, truncated_anywhere);
	tcase_add_test(t, nul_byte);
	tcase_add_test(t, deep_nesting);
	tcase_add_test(t, long_lines);
	tcase_add_test(t, empty_array);
	tcase_add_test(t, windows);
	return trace_case_run("sim/trace/trace_philly", t);
}
