/* test_survival.c - Kaplan and Meier: a published curve, censored waits, coverage. */
#include <check.h>
#include <math.h>
#include <stdlib.h>

#include "core/rng.h"
#include "core/survival.h"

/* E. J. Freireich et al., 1963: weeks of remission under 6-MP; the others were censored.
 * Published: S(6) = 0.857, S(10) = 0.753, S(16) = 0.627, S(23) = 0.448; median 23. */
static struct survival_time weeks[] = {
	{6, false},  {6, false},  {6, false},  {6, true},   {7, false}, {9, true},  {10, false},
	{10, true},  {11, true},  {13, false}, {16, false}, {17, true}, {19, true}, {20, true},
	{22, false}, {23, false}, {25, true},  {32, true},  {32, true}, {34, true}, {35, true},
};

static const struct {
	double p, value;
	bool at_least;
} rows[] = {
	{0.1, 6, false},   {0.14, 6, false}, {0.2, 10, false}, {0.3, 13, false},
	{0.37, 16, false}, {0.5, 23, false}, {0.6, 35, true},
};

START_TEST(remission)
{
	struct survival_quantile q;

	survival_sort(weeks, 21);
	q = survival_quantile(weeks, 21, rows[_i].p, 0.95);
	ck_assert(q.value == rows[_i].value && q.at_least == rows[_i].at_least);
	ck_assert(q.count == 21 && q.censored == 12);
	ck_assert(q.low <= q.value && q.value <= q.high);
}
END_TEST

/* R's survfit with conf.type = "log-log" gives 13 to no bound for the median. */
START_TEST(remission_interval)
{
	struct survival_quantile q;

	survival_sort(weeks, 21);
	q = survival_quantile(weeks, 21, 0.5, 0.95);
	ck_assert(q.low == 13);
	ck_assert(isinf(q.high));
}
END_TEST

START_TEST(nothing_ended)
{
	struct survival_time x[] = {{3, true}, {5, true}};
	struct survival_quantile q = survival_quantile(x, 2, 0.5, 0.95);

	ck_assert(q.at_least && q.value == 5 && q.low == 0 && isinf(q.high));
	q = survival_quantile(x, 0, 0.5, 0.95);
	ck_assert(isnan(q.value) && !q.at_least);
}
END_TEST

START_TEST(never_is_known)
{
	struct survival_time x[] = {{1, false}, {HUGE_VAL, false}, {2, false}, {HUGE_VAL, false}};
	struct survival_quantile q;

	survival_sort(x, 4);
	q = survival_quantile(x, 4, 0.5, 0.95);
	ck_assert(!q.at_least && q.value == 2);
	q = survival_quantile(x, 4, 0.75, 0.95);
	ck_assert(!q.at_least && isinf(q.value));
}
END_TEST

/* Without censoring: nearest rank. */
START_TEST(nothing_censored)
{
	struct survival_time x[10];

	for (int i = 0; i < 10; i++)
		x[i] = (struct survival_time){10 - i, false};
	survival_sort(x, 10);
	for (int k = 1; k <= 10; k++)
		ck_assert_double_eq(survival_quantile(x, 10, k / 10.0, 0.9).value, k);
	ck_assert_double_eq_tol(survival_mean(x, 10, 100), 5.5, 1e-12);
	ck_assert_double_eq_tol(survival_mean(x, 10, 1), 1, 1e-12);
}
END_TEST

START_TEST(the_mean_counts_those_that_wait)
{
	struct survival_time x[] = {{2, true}, {4, false}};

	/* Both are above 2, the one that is known ended at 4. */
	ck_assert_double_eq_tol(survival_mean(x, 2, 10), 4, 1e-12);
	x[1].censored = true;
	ck_assert_double_eq_tol(survival_mean(x, 2, 10), 10, 1e-12);
}
END_TEST

/* Exponential waits, a third of them cut off: dropping those would make the median 0.42. */
START_TEST(intervals_cover)
{
	struct rng *rng = rng_new(7, "survival");
	struct survival_time x[200];
	int covered = 0;

	for (int r = 0; r < 400; r++) {
		struct survival_quantile q;

		for (int i = 0; i < 200; i++) {
			double wait = -log1p(-rng_uniform(rng));
			double window = -2 * log1p(-rng_uniform(rng));

			x[i] = (struct survival_time){fmin(wait, window), window < wait};
		}
		survival_sort(x, 200);
		q = survival_quantile(x, 200, 0.5, 0.95);
		covered += q.low <= log(2) && log(2) <= q.high;
	}
	rng_free(rng);
	ck_assert_msg(covered >= 360 && covered <= 396, "%d of 400", covered);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("core/survival");
	TCase *t = tcase_create("all");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_add_loop_test(t, remission, 0, (int)(sizeof(rows) / sizeof(rows[0])));
	tcase_add_test(t, remission_interval);
	tcase_add_test(t, nothing_ended);
	tcase_add_test(t, never_is_known);
	tcase_add_test(t, nothing_censored);
	tcase_add_test(t, the_mean_counts_those_that_wait);
	tcase_add_test(t, intervals_cover);
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
