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
	ck_assert_ptr_null(strstr(text, "\nnamespace:")); /* no job says how busy it is */
	command_free(&c);
	free(text);
	study_free(study);
}
END_TEST

/* Two GPUs 40 % busy for 60 s, and with them two 80 % busy for 40 s; another has none. */
START_TEST(namespaces_where_jobs_say_how_busy_they_are)
{
	struct command c;

	command_file("two.yaml",
		     "apiVersion: gqsim/v1\nkind: Simulation\n"
		     "nodePools: [{name: p, count: 1, gpus: 4}]\njobs:\n"
		     "- {name: a, namespace: x, duration: 60s, gpus: 2, gpuUtilisation: 40}\n"
		     "- {name: b, namespace: x, duration: 40s, gpus: 2, gpuUtilisation: 80}\n"
		     "- {name: c, namespace: z, duration: 40s, gpus: 8}\n");
	c = command_run("compare -p kubernetes,fifo %/two.yaml -o csv");
	ck_assert_ptr_nonnull(strstr(c.out, "\nnamespace:x:held,GPU-seconds,200,200\n"
					    "namespace:x:utilisation,share,0.56,0.56\n"
					    "namespace:x:utilisation_p95,share,0.6,0.6\n"
					    "namespace:z:held,GPU-seconds,0,0\n"
					    "namespace:z:utilisation,share,0,0\n"
					    "namespace:z:utilisation_p95,share,0,0\n"));
	command_free(&c);
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
	tcase_add_test(t, namespaces_where_jobs_say_how_busy_they_are);
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
