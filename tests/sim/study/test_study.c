/* test_study.c - Runs beside each other over one window; what is said of how they went. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "sim/study/study.h"
#include "tests/support/command.h"

static void add(struct study *study, const struct scenario *s, const char *policy,
		const struct run_options *options)
{
	const struct policy_row *row = NULL;
	struct err err;

	ck_assert_int_eq(study_policy(policy, strlen(policy), &row, &err), ERR_OK);
	study_add(study, study_policy_title(row), row, s, options, study_detail(s, row, false));
}

static struct study *gangs(struct run_options *options)
{
	struct study *study = study_new();
	struct scenario *s;

	command_file("objects.yaml", command_objects);
	command_file("gangs.csv", command_gangs);
	s = command_load("objects.yaml gangs.csv");
	study_own(study, s);
	options_default(options);
	options->create = CREATE_INTERLEAVED;
	add(study, s, "kubernetes", options);
	add(study, s, "kueue", options);
	return study;
}

static struct cmd_context quiet_context(char **text, size_t *size)
{
	return (struct cmd_context){.out = stdout, .err = open_memstream(text, size)};
}

START_TEST(one_window_for_all_the_longest)
{
	struct run_options options;
	struct study *study = gangs(&options);
	const struct report_column *columns;
	char *text = NULL;
	size_t size = 0, count;
	struct cmd_context context = quiet_context(&text, &size);
	struct err err;

	ck_assert_int_eq(study_run(study, &context, 2, true, &err), ERR_OK);
	columns = study_columns(study, &count);
	ck_assert_uint_eq(count, 2);
	ck_assert_str_eq(columns[0].title, "plain Kubernetes");
	ck_assert_str_eq(columns[1].title, "Kueue");
	/* the deadlock accounts to the horizon; Kueue is through after 20 minutes */
	ck_assert_int_eq(columns[0].metrics->end, 3600 * CLOCK_SECOND);
	ck_assert_int_eq(columns[1].metrics->end, 3600 * CLOCK_SECOND);
	ck_assert_int_lt(columns[1].journal->account_end, 3600 * CLOCK_SECOND);
	ck_assert_int_eq(columns[1].metrics->capacity, columns[0].metrics->capacity);
	ck_assert_int_eq(study_verdict(study, &context), CMD_OK);
	fclose(context.err);
	ck_assert_str_eq(text, "");
	free(text);
	study_free(study);
}
END_TEST

START_TEST(an_interrupted_run_says_130)
{
	static const volatile sig_atomic_t stop = 1;
	struct run_options options;
	struct study *study = gangs(&options);
	char *text = NULL;
	size_t size = 0;
	struct cmd_context context = quiet_context(&text, &size);
	struct err err;

	context.stop = &stop;
	ck_assert_int_eq(study_run(study, &context, 1, true, &err), ERR_OK);
	ck_assert_int_eq(study_verdict(study, &context), CMD_INTERRUPTED);
	fclose(context.err);
	free(text);
	study_free(study);
}
END_TEST

START_TEST(policies_are_found_or_guessed)
{
	const struct policy_row *row = NULL;
	struct err err = {0};

	ck_assert_int_eq(study_policy("kueue,kubernetes", 5, &row, &err), ERR_OK);
	ck_assert_str_eq(row->name, "kueue");
	ck_assert_int_eq(study_policy("keue", 4, &row, &err), ERR_UNKNOWN);
	ck_assert_ptr_nonnull(strstr(err.msg, "did you mean \"kueue\"?"));
	ck_assert_int_eq(study_policy("slurmctld", 9, &row, &err), ERR_UNKNOWN);
	ck_assert_ptr_nonnull(strstr(err.msg, "gqsim list policies"));
}
END_TEST

START_TEST(detail_follows_size_and_need)
{
	const struct policy_row *kueue = policy_find("kueue"), *plain = policy_find("kubernetes");
	struct scenario s = {.job_count = 20000};

	ck_assert_int_eq(study_detail(&s, kueue, false), JOURNAL_FULL);
	ck_assert_int_eq(study_detail(&s, plain, false), JOURNAL_FACTS);
	ck_assert_int_eq(study_detail(&s, plain, true), JOURNAL_FULL);
	s.job_count++;
	ck_assert_int_eq(study_detail(&s, kueue, false), JOURNAL_FACTS);
	ck_assert_int_eq(study_detail(&s, kueue, true), JOURNAL_FULL);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("sim/study/study");
	TCase *t = tcase_create("all");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_add_test(t, one_window_for_all_the_longest);
	tcase_add_test(t, an_interrupted_run_says_130);
	tcase_add_test(t, policies_are_found_or_guessed);
	tcase_add_test(t, detail_follows_size_and_need);
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
