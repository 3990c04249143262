/* test_replications.c - compare over many workloads: intervals, pairs, when to stop, the
 * warm-up; and the same bytes on any number of threads. */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/command.h"

static const char busy[] = "apiVersion: gqsim/v1\nkind: Generator\nlength: 20d\nteams:\n"
			   "- name: a\n  jobsPerDay: 40\n  gpus: {weights: {1: 3, 4: 1}}\n"
			   "  duration: {distribution: exponential, mean: 2h}\n"
			   "- name: b\n  jobsPerDay: 10\n  gpus: 2\n  duration: 4h\n";

#define INPUT "compare %/g.yaml --nodes h100=3x4 "

static struct command run(const char *line, int code)
{
	struct command c;

	command_file("g.yaml", busy);
	c = command_run(line);
	ck_assert_msg(c.code == code, "%s: %d %s", line, c.code, c.err);
	return c;
}

/* A figure of the CSV: the first column's and the second's. */
static void figure(const struct command *c, const char *key, double out[2])
{
	const char *line = strstr(c->out, key);

	ck_assert_msg(line != NULL, "no %s", key);
	line = strchr(strchr(line, ',') + 1, ',');
	ck_assert_int_eq(sscanf(line, ",%lf,%lf", &out[0], &out[1]), 2);
}

/* The mean of single runs with the seeds that were told. */
START_TEST(means_of_single_runs)
{
	struct command all = run(INPUT "--replications 3 -o csv", 0);
	double mean[2], sum[2] = {0, 0}, paired[2];

	for (int seed = 1; seed <= 3; seed++) {
		char line[200];
		struct command one;
		double x[2];

		snprintf(line, sizeof(line), "%s--seed %d -o csv", INPUT, seed);
		one = run(line, 0);
		figure(&one, "\nstart_wait_p95,", x);
		sum[0] += x[0] / 3;
		sum[1] += x[1] / 3;
		command_free(&one);
	}
	figure(&all, "\nmean:start_wait_p95,", mean);
	ck_assert_double_eq_tol(mean[0], sum[0], 1e-3);
	ck_assert_double_eq_tol(mean[1], sum[1], 1e-3);
	figure(&all, "\ndifference:mean:start_wait_p95,", paired);
	ck_assert(paired[0] == 0);
	ck_assert_double_eq_tol(paired[1], sum[1] - sum[0], 1e-3);
	command_free(&all);
}
END_TEST

START_TEST(threads_change_nothing)
{
	struct command one = run(INPUT "--half-width 20m --replications 24 --warmup auto -j 1", 0);
	struct command many = run(INPUT "--half-width 20m --replications 24 --warmup auto -j 7", 0);

	ck_assert_str_eq(one.out, many.out);
	ck_assert_ptr_nonnull(strstr(one.out, "95 % intervals"));
	ck_assert_ptr_nonnull(strstr(one.out, "Differences from plain Kubernetes, on the same"));
	ck_assert_ptr_nonnull(strstr(one.out, "(MSER-5)"));
	command_free(&one);
	command_free(&many);
}
END_TEST

/* More are run until the p95 wait is known as closely as was asked, and no more. */
START_TEST(stops_when_narrow)
{
	struct command c = run(INPUT "-p kubernetes --half-width 45m -o csv", 0);
	const char *line = strstr(c.out, "\nlow:start_wait_p95,seconds,");
	double low, high;

	ck_assert_ptr_nonnull(line);
	ck_assert_int_eq(sscanf(line, "\nlow:start_wait_p95,seconds,%lf", &low), 1);
	line = strstr(c.out, "\nhigh:start_wait_p95,seconds,");
	ck_assert_int_eq(sscanf(line, "\nhigh:start_wait_p95,seconds,%lf", &high), 1);
	ck_assert((high - low) / 2 <= 2700);
	command_free(&c);
	c = run(INPUT "-p kubernetes --half-width 45m", 0);
	ck_assert_ptr_null(strstr(c.out, "not known as closely"));
	command_free(&c);
	c = run(INPUT "-p kubernetes --half-width 1m --replications 12", 0);
	ck_assert_ptr_nonnull(strstr(c.out, "Means over 12 workloads"));
	ck_assert_ptr_nonnull(strstr(c.out, "not known as closely"));
	command_free(&c);
}
END_TEST

START_TEST(never_is_told)
{
	struct command c;

	command_file("huge.csv", "submit_s,duration_s,gpus,queue\n10,10,4000,a\n");
	c = run("compare -p kubernetes %/g.yaml %/huge.csv --nodes h100=3x4 --replications 4", 0);
	ck_assert_ptr_nonnull(strstr(c.out, "never in 4 of 4"));
	command_free(&c);
}
END_TEST

/* A long list that is no document: one run, batch means. */
START_TEST(one_run)
{
	struct command c = run("gen %/g.yaml -q -w %/list.csv", 0);

	command_free(&c);
	c = run("compare %/list.csv --nodes h100=3x4 --warmup 5d", 0);
	ck_assert_ptr_nonnull(strstr(c.out, "Means over 1 run "));
	ck_assert_ptr_nonnull(strstr(c.out, "by batch means"));
	ck_assert_ptr_nonnull(strstr(c.out, "after a warm-up of 5d,"));
	command_free(&c);
	c = run("compare %/list.csv --nodes h100=3x4 --replications 2", 0);
	ck_assert_ptr_null(strstr(c.out, "intervals"));
	ck_assert_ptr_nonnull(strstr(c.out, "random choices among"));
	command_free(&c);
}
END_TEST

START_TEST(as_json)
{
	struct command c = run(INPUT "--replications 2 --confidence 0.9 -o json", 0);

	ck_assert_ptr_nonnull(strstr(c.out, "\"replications\""));
	ck_assert_ptr_nonnull(strstr(c.out, "\"confidence\": 0.9"));
	ck_assert_ptr_nonnull(strstr(c.out, "\"difference\""));
	command_free(&c);
	c = run(INPUT "-o json", 0);
	ck_assert_ptr_null(strstr(c.out, "\"replications\""));
	command_free(&c);
}
END_TEST

static const char *const wrong[] = {
	INPUT "--half-width 0",	     INPUT "--half-width x", INPUT "--confidence 1",
	INPUT "--confidence 0.4",    INPUT "--confidence x", INPUT "--warmup soon",
	INPUT "--replications 1001",
};

START_TEST(errors)
{
	struct command c = run(wrong[_i], 2);

	ck_assert_ptr_nonnull(strstr(c.err, "gqsim: --"));
	command_free(&c);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("sim/study/replications");
	TCase *t = tcase_create("all");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_set_timeout(t, 120);
	tcase_add_test(t, means_of_single_runs);
	tcase_add_test(t, threads_change_nothing);
	tcase_add_test(t, stops_when_narrow);
	tcase_add_test(t, never_is_told);
	tcase_add_test(t, one_run);
	tcase_add_test(t, as_json);
	tcase_add_loop_test(t, errors, 0, (int)(sizeof(wrong) / sizeof(wrong[0])));
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
