/* test_stats.c - Quantiles: numpy's default, nearest rank and weighted, with "never" among
 * the values. */
#include <check.h>
#include <math.h>
#include <stdlib.h>

#include "core/stats.h"

#define COUNT(rows) ((int)(sizeof(rows) / sizeof((rows)[0])))

/* interpolated as numpy.quantile; nearest: the ceil(p n)-th smallest */
static const struct {
	double values[8];
	size_t count;
	double p;
	double interpolated, nearest;
} rows[] = {
	{{0}, 0, 0.95, 0, 0},
	{{7}, 1, 0.95, 7, 7},
	{{7}, 1, 0, 7, 7},
	{{1, 2}, 2, 0.5, 1.5, 1},
	{{1, 2}, 2, 0.51, 1.51, 2},
	{{1, 2, 3, 4}, 4, 0.5, 2.5, 2},
	{{1, 2, 3, 4}, 4, 0, 1, 1},
	{{1, 2, 3, 4}, 4, 1, 4, 4},
	{{1, 2, 3, 4}, 4, 0.25, 1.75, 1},
	{{10, 20, 30, 40, 50}, 5, 0.95, 48, 50},
	{{10, 20, 30, 40, 50}, 5, 0.2, 18, 10},
	{{10, 20, 30, 40, 50}, 5, 0.6, 34, 30}, /* 0.6 * 5 is 3, not a little more */
	{{1, 2, 3, HUGE_VAL}, 4, 0.5, 2.5, 2},
	{{1, 2, 3, HUGE_VAL}, 4, 0.9, HUGE_VAL, HUGE_VAL},
	{{1, 2, HUGE_VAL}, 3, 0.5, 2, 2}, /* 0 times infinity is not a number; the 2 is meant */
	{{1, HUGE_VAL, HUGE_VAL}, 3, 0.5, HUGE_VAL, HUGE_VAL},
};

START_TEST(quantiles)
{
	double a = stats_quantile_sorted(rows[_i].values, rows[_i].count, rows[_i].p);
	double b = stats_quantile_nearest(rows[_i].values, rows[_i].count, rows[_i].p);

	if (isinf(rows[_i].interpolated))
		ck_assert(isinf(a));
	else
		ck_assert_double_eq_tol(a, rows[_i].interpolated, 1e-12);
	ck_assert(b == rows[_i].nearest);
}
END_TEST

START_TEST(nearest_is_exact_for_whole_ranks)
{
	double values[1000];

	for (int i = 0; i < 1000; i++)
		values[i] = i + 1;
	for (int n = 1; n <= 1000; n++)
		for (int k = 1; k <= 100; k++)
			ck_assert(stats_quantile_nearest(values, (size_t)n, k / 100.0) ==
				  (n * k + 99) / 100);
}
END_TEST

START_TEST(mean)
{
	static const double values[] = {1, 2, 6}, never[] = {1, HUGE_VAL, 2, HUGE_VAL, 3};
	static const double both[] = {1, HUGE_VAL, -HUGE_VAL};

	ck_assert(stats_mean(values, 0) == 0);
	ck_assert(stats_mean(values, 1) == 1);
	ck_assert_double_eq_tol(stats_mean(values, 3), 3, 1e-12);
	ck_assert(isinf(stats_mean(never, 5)) && stats_mean(never, 5) > 0);
	ck_assert(isnan(stats_mean(both, 3)));
}
END_TEST

static const struct {
	double values[4], weights[4];
	size_t count;
	double p, want;
} weighted_rows[] = {
	{{0}, {0}, 0, 0.5, 0},
	{{5}, {3}, 1, 0.5, 5},
	{{1, 2, 3, 4}, {1, 1, 1, 1}, 4, 0.5, 2},
	{{1, 2, 3, 4}, {1, 1, 1, 7}, 4, 0.5, 4},
	{{1, 2, 3, 4}, {8, 1, 1, 0}, 4, 0.5, 1},
	{{1, 2, 3, 4}, {8, 1, 1, 0}, 4, 0.8, 1},
	{{1, 2, 3, 4}, {8, 1, 1, 0}, 4, 0.81, 2},
	{{1, 2, 3, 4}, {8, 1, 1, 0}, 4, 1, 3}, /* the 4 weighs nothing */
	{{1, 2, 3, 4}, {0, 1, 1, 1}, 4, 0, 2},
	{{1, 2}, {0.1, 0.2}, 2, 1, 2},
	{{1, 2}, {0, 0}, 2, 0.5, 2},
};

START_TEST(weighted)
{
	ck_assert(stats_quantile_weighted(weighted_rows[_i].values, weighted_rows[_i].weights,
					  weighted_rows[_i].count,
					  weighted_rows[_i].p) == weighted_rows[_i].want);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("core/stats");
	TCase *t = tcase_create("all");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_add_loop_test(t, quantiles, 0, COUNT(rows));
	tcase_add_test(t, nearest_is_exact_for_whole_ranks);
	tcase_add_test(t, mean);
	tcase_add_loop_test(t, weighted, 0, COUNT(weighted_rows));
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
