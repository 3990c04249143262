/* test_columns.c - policies times settings: the columns of a comparison, and how much their
 * journals keep. What they are called is tested with compare. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "sim/study/columns.h"
#include "tests/support/command.h"

/* Reads the columns of a comparison of the four jobs of command_reclaim and runs them. */
static struct study *read_columns(uint32_t log_jobs, struct columns *columns)
{
	static const struct cmd_context context = {.out = NULL};
	struct study *study = study_new();
	char objects[512], jobs[512];
	const char *argv[2];
	struct cmd_args args;
	struct err err;

	command_file("objects.yaml", command_objects);
	command_file("reclaim.csv", command_reclaim);
	snprintf(objects, sizeof(objects), "%s/objects.yaml", command_folder());
	snprintf(jobs, sizeof(jobs), "%s/reclaim.csv", command_folder());
	argv[0] = objects;
	argv[1] = jobs;
	ck_assert_int_eq(cmd_parse(&cmd_compare_row, 2, argv, &args, &err), ERR_OK);
	ck_assert_int_eq(columns_read(columns, &args, study, log_jobs, &err), ERR_OK);
	ck_assert_int_eq(study_run(study, &context, 1, true, &err), ERR_OK);
	cmd_args_free(&args);
	return study;
}

static const struct {
	uint32_t log_jobs;
	enum journal_detail plain;
} details[] = {
	{0, JOURNAL_FACTS}, {3, JOURNAL_FACTS}, {4, JOURNAL_FULL}, {UINT32_MAX, JOURNAL_FULL}};

START_TEST(few_jobs_are_logged_in_full)
{
	struct columns columns = {.policy_count = 0};
	struct study *study = read_columns(details[_i].log_jobs, &columns);
	size_t count;
	const struct report_column *column = study_columns(study, &count);

	ck_assert_uint_eq(count, 2);
	ck_assert_str_eq(column[0].title, "plain Kubernetes");
	ck_assert_int_eq(column[0].journal->detail, details[_i].plain);
	ck_assert_int_eq(column[1].journal->detail, JOURNAL_FULL); /* Kueue says why anyway */
	ck_assert_str_eq(columns.trace.format, "csv");
	study_free(study);
	columns_free(&columns);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("sim/study/columns");
	TCase *t = tcase_create("all");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_add_loop_test(t, few_jobs_are_logged_in_full, 0, 4);
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
