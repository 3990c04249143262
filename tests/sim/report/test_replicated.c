/* test_replicated.c - Intervals of columns and of their differences from the first. */
#include <check.h>
#include <math.h>
#include <stdlib.h>

#include "core/mem.h"
#include "sim/report/replicated.h"

static struct replicated three_runs(void)
{
	struct replicated r = {.options.goal.confidence = 0.95, .columns = 2, .runs = 3};
	double *waits;

	r.values = mem_calloc(REPLICATED_FIGURES * 2 * 3, sizeof(double));
	waits = r.values + REPLICATED_MEAN * 2 * 3;
	waits[0] = 10, waits[1] = 20, waits[2] = 30;
	waits[3] = 5, waits[4] = 14, waits[5] = 26;
	return r;
}

START_TEST(of_columns)
{
	struct replicated r = three_runs();
	struct interval i = replicated_interval(&r, REPLICATED_MEAN, 0);

	ck_assert_double_eq_tol(i.estimate, 20, 1e-12);
	ck_assert_double_eq_tol(interval_half_width(&i), 4.302653 * 10 / sqrt(3), 1e-4);
	i = replicated_interval(&r, REPLICATED_P95, 1);
	ck_assert(i.estimate == 0 && i.count == 3);
	replicated_free(&r);
}
END_TEST

/* -5, -6 and -4: far closer than the columns themselves. */
START_TEST(of_differences)
{
	struct replicated r = three_runs();
	struct interval i = replicated_difference(&r, REPLICATED_MEAN, 1);

	ck_assert_double_eq_tol(i.estimate, -5, 1e-12);
	ck_assert_double_eq_tol(interval_half_width(&i), 4.302653 / sqrt(3), 1e-4);
	ck_assert(interval_decides(&i));
	i = replicated_difference(&r, REPLICATED_MEAN, 0);
	ck_assert(i.estimate == 0 && interval_half_width(&i) == 0);
	replicated_free(&r);
}
END_TEST

START_TEST(of_one_run)
{
	struct interval batches = {.estimate = 20, .low = 18, .high = 22, .count = 20}, i;
	struct replicated r = {.options.goal.confidence = 0.95,
			       .columns = 1,
			       .runs = 1,
			       .batches = true,
			       .single = mem_dup(&batches, sizeof(batches))};

	r.values = mem_calloc(REPLICATED_FIGURES, sizeof(double));
	i = replicated_interval(&r, REPLICATED_MEAN, 0);
	ck_assert(i.low == 18 && i.high == 22);
	i = replicated_interval(&r, REPLICATED_P95, 0);
	ck_assert(i.estimate == 0 && isinf(interval_half_width(&i)));
	replicated_free(&r);
}
END_TEST

START_TEST(figures_have_names)
{
	for (int f = 0; f < REPLICATED_FIGURES; f++) {
		ck_assert_ptr_nonnull(replicated_label((enum replicated_figure)f));
		ck_assert_ptr_nonnull(replicated_key((enum replicated_figure)f));
	}
}
END_TEST

int main(void)
{
	Suite *s = suite_create("sim/report/replicated");
	TCase *t = tcase_create("all");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_add_test(t, of_columns);
	tcase_add_test(t, of_differences);
	tcase_add_test(t, of_one_run);
	tcase_add_test(t, figures_have_names);
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
