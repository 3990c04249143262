/* test_exact.c - The figures under their names, as the CSV of compare has them. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/report/exact.h"
#include "sim/study/study.h"
#include "tests/support/command.h"

static void put_line(void *context, const char *key, const char *unit, const char *text)
{
	fprintf(context, "%s,%s,%s\n", key, unit, text);
}

START_TEST(each_figure_of_the_csv_in_its_order)
{
	struct study *study = study_new();
	struct run_options options;
	struct cmd_context context = {.err = stderr};
	const struct policy_row *policy = NULL;
	char *text = NULL;
	size_t size = 0, count;
	FILE *memory = open_memstream(&text, &size);
	struct scenario *s;
	struct command c;
	struct err err;

	command_file("objects.yaml", command_objects);
	command_file("reclaim.csv", command_reclaim);
	s = command_load("objects.yaml reclaim.csv");
	study_own(study, s);
	options_default(&options);
	ck_assert_int_eq(study_policy("kueue", 5, &policy, &err), ERR_OK);
	study_add(study, "Kueue", policy, s, &options, JOURNAL_FACTS);
	ck_assert_int_eq(study_run(study, &context, 1, true, &err), ERR_OK);
	fputs("metric,unit,Kueue\n", memory);
	exact_each(study_columns(study, &count)[0].metrics, put_line, memory);
	fclose(memory);
	c = command_run("compare -p kueue %/objects.yaml %/reclaim.csv -o csv");
	ck_assert_str_eq(text, c.out);
	ck_assert_ptr_nonnull(strstr(text, "\npreemptions,jobs,1\n"));
	ck_assert_ptr_nonnull(strstr(text, "\nmakespan,seconds,never\n")); /* big cannot run */
	command_free(&c);
	free(text);
	study_free(study);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("sim/report/exact");
	TCase *t = tcase_create("all");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_set_timeout(t, 120);
	tcase_add_test(t, each_figure_of_the_csv_in_its_order);
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
