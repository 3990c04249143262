/* test_jobafter.c - jobs that come when another has ended (Standard Workload Format 2,
 * fields 17 and 18). That the rule holds of random systems: tests/prop/runs.c.
 */
#include "sim/engine/jobafter.h"

#include "tests/sim/run_case.h"

#define AT(name, submit, seconds)                                                                  \
	RUN_CASE_JOB(name, "gqsim/submit-at: " submit ", gqsim/duration: " seconds,                \
		     "parallelism: 1")
#define IN_LINE(name, submit, seconds)                                                             \
	RUN_CASE_QUEUED(name, "gqsim/submit-at: " submit ", gqsim/duration: " seconds,             \
			"parallelism: 1")

static struct run_case run(const char *yaml, const struct job_after *afters, uint32_t count,
			   const char *policy, enum dependency_mode mode)
{
	struct scenario *s = objects_case_load(yaml);
	struct run_options options;

	options_default(&options);
	options.dependencies = mode;
	s->afters = mem_arena_copy(s->arena, afters, count, sizeof(*afters));
	s->after_count = count;
	return run_case_of(s, policy, &options);
}

/* b of 10 s comes at its own time 50, a of 100 s at 0; one GPU and more. */
static const struct {
	simtime think; /* seconds; -1: not given */
	const char *own, *line;
} rows[] = {
	{60, "50s", "\n160 submit b\n"},  /* later than recorded */
	{60, "500s", "\n160 submit b\n"}, /* earlier: the time between is what counts */
	{0, "50s", "\n100 submit b\n"},
	{-1, "50s", "\n100 submit b\n"},	     /* no think time: not before the end */
	{-1, "500s", "\n500 submit b\n"},	     /* nor before its own time */
	{40 * 86400, "50s", "\n3456100 submit b\n"}, /* the run waits for it, however long */
};

START_TEST(comes_after_the_end)
{
	const struct job_after after = {1, 0,
					rows[_i].think < 0 ? -1 : rows[_i].think * CLOCK_SECOND};
	char yaml[1500];
	struct run_case c;

	snprintf(yaml, sizeof(yaml), "%s%s%s%s%s", RUN_CASE_NODE("4"), AT("a", "0s", "100s"),
		 "---\napiVersion: batch/v1\nkind: Job\nmetadata: {name: b, annotations: "
		 "{gqsim/duration: 10s, gqsim/submit-at: ",
		 rows[_i].own, "}}\nspec: {" RUN_CASE_TEMPLATE "}\n");
	c = run(yaml, &after, 1, "kubernetes", DEPENDENCIES_WAIT);

	run_case_has(&c, rows[_i].line);
	ck_assert_int_eq(c.journal->end, RUN_COMPLETE);
	run_case_free(&c);
}
END_TEST

START_TEST(the_input_stays_as_it_is)
{
	const struct job_after after = {1, 0, 60 * CLOCK_SECOND};
	struct run_case c = run(RUN_CASE_NODE("4") AT("a", "0s", "100s") AT("b", "50s", "10s"),
				&after, 1, "kubernetes", DEPENDENCIES_WAIT);

	ck_assert_ptr_eq(c.journal->input, c.s);
	ck_assert_int_eq(c.s->jobs[1].submit, 50 * CLOCK_SECOND);
	ck_assert_int_eq(c.journal->scenario->jobs[1].submit, 160 * CLOCK_SECOND);
	run_case_free(&c);
}
END_TEST

START_TEST(unless_told_not_to_wait)
{
	const struct job_after after = {1, 0, 60 * CLOCK_SECOND};
	struct run_case c = run(RUN_CASE_NODE("4") AT("a", "0s", "100s") AT("b", "50s", "10s"),
				&after, 1, "kubernetes", DEPENDENCIES_IGNORE);

	run_case_has(&c, "\n50 submit b\n");
	ck_assert_ptr_eq(c.journal->scenario, c.s);
	run_case_free(&c);
}
END_TEST

/* What never ends nobody comes after, and his time is behind the end. */
START_TEST(never_if_the_other_never_ends)
{
	const struct job_after after = {1, 0, 0};
	struct run_case c = run(RUN_CASE_NODE("0") AT("a", "0s", "100s") AT("b", "0s", "10s"),
				&after, 1, "kubernetes", DEPENDENCIES_WAIT);

	ck_assert_ptr_null(strstr(c.text, "submit b"));
	ck_assert_int_gt(c.journal->scenario->jobs[1].submit, c.journal->account_end);
	ck_assert_int_eq(scenario_by_submit(c.journal->scenario, 1), 1);
	run_case_free(&c);
}
END_TEST

/* A job that was cancelled has ended, too. */
START_TEST(an_end_is_an_end)
{
	const struct job_after after = {1, 0, 5 * CLOCK_SECOND};
	struct run_case c = run(
		RUN_CASE_NODE("4") RUN_CASE_JOB("a", "gqsim/duration: 100s, gqsim/cancel-at: 30s",
						"parallelism: 1") AT("b", "0s", "10s"),
		&after, 1, "kubernetes", DEPENDENCIES_WAIT);

	run_case_has(&c, "\n35 submit b\n");
	run_case_free(&c);
}
END_TEST

/* In its queue it stands where its workload's creation puts it: behind who came before. */
START_TEST(stands_in_line_by_when_it_came)
{
	const struct job_after after = {1, 0, 20 * CLOCK_SECOND};
	struct run_case c = run(RUN_CASE_NODE("1") RUN_CASE_QUEUE("1") IN_LINE("a", "0s", "100s")
					IN_LINE("b", "1s", "10s") IN_LINE("c", "10s", "100s")
						IN_LINE("d", "110s", "10s"),
				&after, 1, "kueue", DEPENDENCIES_WAIT);

	run_case_has(&c, "\n120 submit b\n");
	ck_assert(strstr(c.text, "start d") < strstr(c.text, "start b"));
	run_case_free(&c);
}
END_TEST

START_TEST(one_after_the_other)
{
	const struct job_after afters[] = {
		{1, 0, CLOCK_SECOND}, {2, 0, 2 * CLOCK_SECOND}, {3, 2, 0}};
	struct run_case c = run(RUN_CASE_NODE("4") AT("a", "0s", "100s") AT("b", "0s", "10s")
					AT("c", "0s", "10s") AT("d", "0s", "10s"),
				afters, 3, "fifo", DEPENDENCIES_WAIT);

	run_case_has(&c, "\n101 submit b\n");
	run_case_has(&c, "\n102 submit c\n");
	run_case_has(&c, "\n112 submit d\n");
	run_case_free(&c);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("sim/engine/jobafter");
	TCase *t = tcase_create("all");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_add_loop_test(t, comes_after_the_end, 0, sizeof(rows) / sizeof(rows[0]));
	tcase_add_test(t, the_input_stays_as_it_is);
	tcase_add_test(t, unless_told_not_to_wait);
	tcase_add_test(t, never_if_the_other_never_ends);
	tcase_add_test(t, an_end_is_an_end);
	tcase_add_test(t, stands_in_line_by_when_it_came);
	tcase_add_test(t, one_after_the_other);
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
