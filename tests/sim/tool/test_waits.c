/* test_waits.c - Quantiles as numpy has them; who never starts waits for ever. */
#include <check.h>
#include <math.h>
#include <stdlib.h>

#include "sim/tool/waits.h"

#define S    CLOCK_SECOND
#define NEAR 1e-9

static const struct wait ten[] = {
	{0, 1, 0, false},      {10 * S, 1, 0, false}, {20 * S, 1, 0, false}, {30 * S, 1, 0, false},
	{40 * S, 1, 0, false}, {50 * S, 1, 0, false}, {60 * S, 1, 0, false}, {70 * S, 1, 0, false},
	{80 * S, 1, 0, false}, {90 * S, 1, 0, false}};

/* numpy.percentile([0, 10, ... 90], q) */
static const struct {
	size_t count, never;
	uint32_t per_mille;
	double seconds; /* -1: never */
} quantiles[] = {
	{10, 0, 500, 45},  {10, 0, 950, 85.5}, {10, 0, 990, 89.1}, {1, 0, 950, 0},
	{0, 0, 950, 0},	   {10, 1, 500, 50}, /* of 11, the last of which is infinite */
	{10, 1, 950, -1},		     /* 1 of 11 is more than 5 % */
	{10, 10, 500, -1},		     /* half of them */
	{10, 9, 500, 90},		     /* 9 of 19 are not: the tenth is finite */
	{0, 3, 500, -1},
};

START_TEST(interpolates)
{
	double q = waits_quantile(ten, quantiles[_i].count, quantiles[_i].never,
				  quantiles[_i].per_mille);

	if (quantiles[_i].seconds < 0)
		ck_assert(isinf(q));
	else
		ck_assert_double_eq_tol(q, quantiles[_i].seconds, NEAR);
}
END_TEST

/* 5 % that never start are enough for p95, one less is not. */
START_TEST(five_per_cent_make_p95_never)
{
	struct wait waits[96] = {{0, 1, 0, false}};

	ck_assert(isinf(waits_quantile(waits, 95, 5, 950)));
	ck_assert(isfinite(waits_quantile(waits, 96, 4, 950)));
	ck_assert(isinf(waits_quantile(waits, 19, 1, 950)));
	ck_assert(isfinite(waits_quantile(waits, 20, 1, 950)));
}
END_TEST

/* Kaplan and Meier, worked by hand: at 1, 2 and 4 of those at risk 1/4, 1/3 and 1/1 start; who
 * left after 3 counts until then. */
START_TEST(cancelled_waits_are_censored)
{
	static const struct wait some[] = {{1 * S, 1, 0, false},
					   {2 * S, 1, 0, false},
					   {3 * S, 1, 0, true},
					   {4 * S, 1, 0, false}};
	struct wait_figures f = waits_figures(some, 4, 0);

	ck_assert_uint_eq(f.jobs, 4);
	ck_assert_double_eq_tol(f.p50, 2, NEAR); /* 1 - 3/4 x 2/3 = 1/2 */
	ck_assert_double_eq_tol(f.p95, 4, NEAR);
	ck_assert_double_eq_tol(f.mean, 7.0 / 3, NEAR); /* of those that started */
	ck_assert_uint_eq(waits_cancelled(some, 4), 1);
	ck_assert_double_eq_tol(waits_quantile_nearest(some, 4, 1000), 4, NEAR);
	ck_assert_double_eq_tol(waits_quantile_weighted(some, 4, 0, 500), 2, NEAR);
	ck_assert_double_eq_tol(waits_quantile_weighted(some, 4, 0, 501), 4, NEAR);
	f = waits_figures(some + 2, 1, 0); /* nobody started: at least so long */
	ck_assert_double_eq_tol(f.p50, 3, NEAR);
	f = waits_figures(some, 4, 4);
	ck_assert(isinf(f.p95));
}
END_TEST

/* The same by GPUs: of 10 at risk 2 start at 1, 6 leave at 2, of 2 left 1 starts at 3. */
START_TEST(cancelled_gpus_are_censored)
{
	static const struct wait some[] = {{1 * S, 2, 0, false},
					   {2 * S, 6, 0, true},
					   {3 * S, 1, 0, false},
					   {4 * S, 1, 0, true}};

	ck_assert_double_eq_tol(waits_quantile_weighted(some, 4, 0, 200), 1, NEAR);
	ck_assert_double_eq_tol(waits_quantile_weighted(some, 4, 0, 201), 3, NEAR);
	ck_assert_double_eq_tol(waits_quantile_weighted(some, 4, 0, 600), 3, NEAR); /* 4/10 left */
	ck_assert_double_eq_tol(waits_quantile_weighted(some, 4, 0, 601), 4, NEAR); /* at least */
	ck_assert(isinf(waits_quantile_weighted(some, 4, 10, 950)));
	ck_assert_double_eq_tol(waits_quantile_weighted(some + 1, 1, 0, 500), 2, NEAR);
}
END_TEST

START_TEST(nearest_rank_is_of_those_that_started)
{
	ck_assert_double_eq_tol(waits_quantile_nearest(ten, 10, 500), 40, NEAR);
	ck_assert_double_eq_tol(waits_quantile_nearest(ten, 10, 950), 90, NEAR);
	ck_assert_double_eq_tol(waits_quantile_nearest(ten, 1, 500), 0, NEAR);
	ck_assert(isnan(waits_quantile_nearest(ten, 0, 500)));
}
END_TEST

/* Three jobs of 1, 1 and 8 GPUs: the big one decides. */
START_TEST(gpus_weigh)
{
	const struct wait waits[] = {
		{0, 1, 0, false}, {10 * S, 1, 0, false}, {500 * S, 8, 0, false}};

	ck_assert_double_eq_tol(waits_quantile_weighted(waits, 3, 0, 200), 10, NEAR);
	ck_assert_double_eq_tol(waits_quantile_weighted(waits, 3, 0, 500), 500, NEAR);
	ck_assert(isinf(waits_quantile_weighted(waits, 3, 20, 500)));
	ck_assert_double_eq_tol(waits_quantile_weighted(waits, 0, 0, 500), 0, NEAR);
}
END_TEST

START_TEST(sorts_stably)
{
	enum { N = 3000 };
	struct wait *waits = calloc(N, sizeof(*waits));
	uint64_t x = 88172645463325252u;

	for (uint32_t i = 0; i < N; i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		/* few different values, and some that need many digits */
		waits[i].time = (simtime)(x % 7) * (i % 3 == 0 ? INT64_C(1) << 50 : 1000);
		waits[i].gpus = i;
	}
	waits_sort(waits, N);
	for (uint32_t i = 1; i < N; i++) {
		ck_assert_int_le(waits[i - 1].time, waits[i].time);
		if (waits[i - 1].time == waits[i].time)
			ck_assert_uint_lt(waits[i - 1].gpus, waits[i].gpus);
	}
	waits_sort(waits, 0);
	free(waits);
}
END_TEST

START_TEST(groups_keep_the_order)
{
	const struct wait waits[] = {
		{1, 0, 2, false}, {2, 0, 0, false}, {3, 0, 2, false}, {4, 0, 0, false}};
	struct wait out[4];
	size_t first[4];

	waits_by_group(waits, 4, 3, out, first);
	ck_assert_uint_eq(first[0], 0);
	ck_assert_uint_eq(first[1], 2);
	ck_assert_uint_eq(first[2], 2);
	ck_assert_uint_eq(first[3], 4);
	ck_assert_int_eq(out[0].time, 2);
	ck_assert_int_eq(out[1].time, 4);
	ck_assert_int_eq(out[2].time, 1);
	ck_assert_int_eq(out[3].time, 3);
}
END_TEST

START_TEST(figures_have_mean_and_maximum)
{
	struct wait_figures f = waits_figures(ten, 10, 0);

	ck_assert_uint_eq(f.jobs, 10);
	ck_assert_double_eq_tol(f.mean, 45, NEAR);
	ck_assert_double_eq_tol(f.max, 90, NEAR);
	f = waits_figures(NULL, 0, 2);
	ck_assert_uint_eq(f.never, 2);
	ck_assert(isinf(f.p50));
	ck_assert_double_eq(f.max, 0);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("sim/tool/waits");
	TCase *t = tcase_create("all");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_add_loop_test(t, interpolates, 0, (int)(sizeof(quantiles) / sizeof(quantiles[0])));
	tcase_add_test(t, five_per_cent_make_p95_never);
	tcase_add_test(t, cancelled_waits_are_censored);
	tcase_add_test(t, cancelled_gpus_are_censored);
	tcase_add_test(t, nearest_rank_is_of_those_that_started);
	tcase_add_test(t, gpus_weigh);
	tcase_add_test(t, sorts_stably);
	tcase_add_test(t, groups_keep_the_order);
	tcase_add_test(t, figures_have_mean_and_maximum);
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
