/* test_interval.c - Intervals against tables, how often they cover what they are of (fixed
 * seeds), and what becomes of those that never happen. */
#include <check.h>
#include <math.h>
#include <stdlib.h>

#include "core/interval.h"
#include "core/rng.h"

#define COUNT(rows) ((int)(sizeof(rows) / sizeof((rows)[0])))
#define REPETITIONS 400

START_TEST(mean_of_a_textbook)
{
	/* Law, example 4.26: ten observations, 90 %: 1.34 +- 0.24. */
	static const double x[] = {1.20, 1.50, 1.68, 1.89, 0.95, 1.49, 1.58, 1.55, 0.50, 1.09};
	struct interval i = interval_mean(x, 10, 0.90);

	ck_assert_double_eq_tol(i.estimate, 1.343, 1e-9);
	ck_assert_double_eq_tol(interval_half_width(&i), 0.24, 5e-3);
	ck_assert_uint_eq(i.count, 10);
	ck_assert(interval_decides(&i));
}
END_TEST

START_TEST(mean_of_little)
{
	static const double x[] = {5, 5};
	struct interval none = interval_mean(x, 0, 0.95), one = interval_mean(x, 1, 0.95);
	struct interval two = interval_mean(x, 2, 0.95);

	ck_assert(isnan(none.estimate));
	ck_assert(one.estimate == 5 && isinf(one.low) && isinf(one.high));
	ck_assert(isinf(interval_half_width(&one)) && !interval_decides(&one));
	ck_assert(two.low == 5 && two.high == 5);
}
END_TEST

START_TEST(never_is_not_dropped)
{
	double x[20], y[20];
	struct interval mean, pair;

	for (int i = 0; i < 20; i++) {
		x[i] = i < 18 ? 10 + i : HUGE_VAL;
		y[i] = i < 18 ? 9 + i : HUGE_VAL;
	}
	mean = interval_mean(x, 20, 0.95);
	ck_assert(isinf(mean.estimate) && isinf(mean.high) && mean.never == 2);
	ck_assert(mean.low == 15); /* the 6th of 20 */
	pair = interval_paired(x, y, 20, 0.95);
	ck_assert(pair.never == 0 && pair.estimate < 1 && pair.estimate > 0.8);
	y[19] = 1;
	pair = interval_paired(x, y, 20, 0.95);
	ck_assert(pair.never == 1 && pair.estimate > 0 && isinf(pair.estimate) && pair.low == 1);
	pair = interval_paired(y, x, 20, 0.95);
	ck_assert(pair.estimate < 0 && isinf(pair.estimate) && pair.high == -1);
	x[0] = 0;
	y[0] = HUGE_VAL;
	pair = interval_paired(x, y, 20, 0.95);
	ck_assert(isnan(pair.estimate) && isinf(pair.low) && isinf(pair.high));
}
END_TEST

/* Conover's table A3 and R's qbinom: ranks of the ends; 0 and n + 1: none. */
static const struct {
	size_t count;
	double p, confidence;
	size_t low, high;
} ranks[] = {
	{20, 0.5, 0.95, 6, 15},	  {10, 0.5, 0.95, 2, 9},      {5, 0.5, 0.95, 0, 6},
	{6, 0.5, 0.95, 1, 6},	  {100, 0.95, 0.95, 90, 100}, {50, 0.95, 0.95, 44, 51},
	{20, 0.95, 0.95, 17, 21},
};

START_TEST(quantiles_by_rank)
{
	double x[100];
	struct interval i;

	for (int k = 0; k < 100; k++)
		x[k] = k + 1;
	i = interval_quantile(x, ranks[_i].count, ranks[_i].p, ranks[_i].confidence);
	if (ranks[_i].low == 0)
		ck_assert(isinf(i.low) && i.low < 0);
	else
		ck_assert_double_eq(i.low, (double)ranks[_i].low);
	if (ranks[_i].high > ranks[_i].count)
		ck_assert(isinf(i.high) && i.high > 0);
	else
		ck_assert_double_eq(i.high, (double)ranks[_i].high);
}
END_TEST

/* ---- coverage ---- */

static double exponential(struct rng *rng)
{
	return -log1p(-rng_uniform(rng));
}

static double normal(struct rng *rng)
{
	return sqrt(2 * exponential(rng)) * cos(6.283185307179586 * rng_uniform(rng));
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static bool covers(const struct interval *i, double truth)
{
	return i->low <= truth && truth <= i->high;
}

static bool mean_once(struct rng *rng)
{
	double x[40];
	struct interval i;

	for (int k = 0; k < 40; k++)
		x[k] = exponential(rng);
	i = interval_mean(x, 40, 0.95);
	return covers(&i, 1);
}

static bool quantile_once(struct rng *rng)
{
	double x[200];
	struct interval i;

	for (int k = 0; k < 200; k++)
		x[k] = exponential(rng);
	qsort(x, 200, sizeof(x[0]), compare);
	i = interval_quantile(x, 200, 0.9, 0.95);
	return covers(&i, log(10));
}

/* An autoregressive sequence of mean 3, whose correlation lasts some ten values. */
static bool batches_once(struct rng *rng)
{
	static double x[6000];
	double state = normal(rng) / sqrt(1 - 0.81);
	struct interval i;

	for (int k = 0; k < 6000; k++) {
		state = 0.9 * state + normal(rng);
		x[k] = 3 + state;
	}
	i = interval_batch_means(x, 6000, 20, 0.95);
	return covers(&i, 3);
}

static bool paired_once(struct rng *rng)
{
	double a[20], b[20];
	struct interval i;

	for (int k = 0; k < 20; k++) {
		double common = 100 * normal(rng);

		a[k] = common + normal(rng);
		b[k] = common + normal(rng) - 0.5;
	}
	i = interval_paired(a, b, 20, 0.95);
	return covers(&i, 0.5);
}

static const struct {
	const char *name;
	bool (*once)(struct rng *rng);
} coverages[] = {{"mean", mean_once},
		 {"quantile", quantile_once},
		 {"batches", batches_once},
		 {"paired", paired_once}};

START_TEST(intervals_cover)
{
	struct rng *rng = rng_new(4, coverages[_i].name);
	int covered = 0;

	for (int k = 0; k < REPETITIONS; k++)
		covered += coverages[_i].once(rng);
	rng_free(rng);
	ck_assert_msg(covered >= REPETITIONS * 0.90 && covered <= REPETITIONS * 0.99,
		      "%s: %d of %d", coverages[_i].name, covered, REPETITIONS);
}
END_TEST

/* What batches are for: values taken for independent cover far too seldom. */
START_TEST(correlation_matters)
{
	struct rng *rng = rng_new(4, "naive");
	static double x[6000];
	int covered = 0;

	for (int r = 0; r < 100; r++) {
		double state = 0;
		struct interval i;

		for (int k = 0; k < 6000; k++) {
			state = 0.9 * state + normal(rng);
			x[k] = state;
		}
		i = interval_mean(x, 6000, 0.95);
		covered += covers(&i, 0);
	}
	rng_free(rng);
	ck_assert_int_lt(covered, 60);
}
END_TEST

START_TEST(batches_leave_out_the_front)
{
	static const double x[] = {99, 1, 1, 3, 3};
	static const double never[] = {1, 2, 3, HUGE_VAL, HUGE_VAL, 1};
	struct interval i = interval_batch_means(x, 5, 2, 0.95);

	ck_assert(i.estimate == 2 && i.count == 2);
	i = interval_batch_means(x, 1, 2, 0.95);
	ck_assert(isnan(i.estimate) && i.count == 0);
	i = interval_batch_means(never, 6, 2, 0.95);
	ck_assert(isinf(i.estimate) && i.never == 1);
}
END_TEST

/* ---- when to stop ---- */

START_TEST(narrow_enough)
{
	struct interval i = {.estimate = 10, .low = 9.5, .high = 10.5, .count = 16};
	struct interval_goal goal = {.confidence = 0.95, .half_width = 0.5, .most = 1000};

	ck_assert(interval_narrow(&i, &goal));
	ck_assert_uint_eq(interval_needed(&i, &goal), 16);
	goal.half_width = 0.25;
	ck_assert(!interval_narrow(&i, &goal));
	ck_assert_uint_eq(interval_needed(&i, &goal), 64);
	goal.most = 40;
	ck_assert_uint_eq(interval_needed(&i, &goal), 40);
	goal.relative = true;
	goal.half_width = 0.05; /* asks for 0.476 */
	ck_assert(!interval_narrow(&i, &goal));
	ck_assert_uint_eq(interval_needed(&i, &goal), 18);
	goal.half_width = 0.06;
	ck_assert(interval_narrow(&i, &goal));
	i.high = HUGE_VAL;
	ck_assert(!interval_narrow(&i, &goal));
	ck_assert_uint_eq(interval_needed(&i, &goal), 17);
	i = (struct interval){.estimate = 0, .low = 0, .high = 0, .count = 5};
	ck_assert(interval_narrow(&i, &goal));
	i = (struct interval){.estimate = HUGE_VAL, .low = 1, .high = HUGE_VAL, .count = 5};
	ck_assert(!interval_narrow(&i, &goal));
}
END_TEST

/* Runs are added until the mean is known within 5 %: then it nearly always is. */
START_TEST(stopping_holds_its_promise)
{
	struct interval_goal goal = {.confidence = 0.95,
				     .half_width = 0.05,
				     .relative = true,
				     .least = 10,
				     .most = 5000};
	struct rng *rng = rng_new(4, "sequential");
	static double x[5000];
	int within = 0;

	for (int r = 0; r < REPETITIONS; r++) {
		size_t n = 0, want = goal.least;
		struct interval i;

		do {
			while (n < want)
				x[n++] = 2 + exponential(rng);
			i = interval_mean(x, n, goal.confidence);
			want = interval_needed(&i, &goal);
		} while (n < want);
		within += fabs(i.estimate - 3) <= 0.05 * 3;
	}
	rng_free(rng);
	ck_assert_msg(within >= REPETITIONS * 0.90 && within < REPETITIONS, "%d", within);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("core/interval");
	TCase *t = tcase_create("all");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_set_timeout(t, 30);
	tcase_add_test(t, mean_of_a_textbook);
	tcase_add_test(t, mean_of_little);
	tcase_add_test(t, never_is_not_dropped);
	tcase_add_loop_test(t, quantiles_by_rank, 0, COUNT(ranks));
	tcase_add_loop_test(t, intervals_cover, 0, COUNT(coverages));
	tcase_add_test(t, correlation_matters);
	tcase_add_test(t, batches_leave_out_the_front);
	tcase_add_test(t, narrow_enough);
	tcase_add_test(t, stopping_holds_its_promise);
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
