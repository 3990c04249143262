/* test_fit.c - What is drawn from a family is fitted by it, with its parameters and with
 * statistics of a good fit; and chosen before the others. */
#include <check.h>
#include <math.h>
#include <stdlib.h>

#include "core/fit.h"
#include "core/rng.h"

#define COUNT(rows) ((int)(sizeof(rows) / sizeof((rows)[0])))
#define BIT	    DISTRIBUTION_BIT
#define N	    5000

static const struct distribution_point phases[] = {{10, 0.7}, {300, 0.3}};

static const struct distribution families[] = {
	{DISTRIBUTION_EXPONENTIAL, {[DISTRIBUTION_MEAN] = 30}, BIT(DISTRIBUTION_MEAN)},
	{DISTRIBUTION_LOGNORMAL,
	 {[DISTRIBUTION_MEDIAN] = 600, [DISTRIBUTION_SIGMA] = 1.8},
	 BIT(DISTRIBUTION_MEDIAN) | BIT(DISTRIBUTION_SIGMA)},
	{DISTRIBUTION_WEIBULL,
	 {[DISTRIBUTION_SHAPE] = 0.6, [DISTRIBUTION_SCALE] = 1000},
	 BIT(DISTRIBUTION_SHAPE) | BIT(DISTRIBUTION_SCALE)},
	{DISTRIBUTION_BOUNDED_PARETO,
	 {[DISTRIBUTION_SHAPE] = 0.8, [DISTRIBUTION_MIN] = 60, [DISTRIBUTION_MAX] = 1e4},
	 BIT(DISTRIBUTION_SHAPE) | BIT(DISTRIBUTION_MIN) | BIT(DISTRIBUTION_MAX)},
	{.kind = DISTRIBUTION_HYPEREXPONENTIAL, .points = phases, .point_count = 2},
};

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void draw(const struct distribution *d, double *x)
{
	struct rng *rng = rng_new(3, distribution_name(d->kind));

	for (int i = 0; i < N; i++)
		x[i] = distribution_quantile(d, rng_uniform(rng));
	rng_free(rng);
	qsort(x, N, sizeof(x[0]), compare);
}

START_TEST(parameters_come_back)
{
	const struct distribution *d = &families[_i];
	static double x[N];
	static struct fit fit;

	draw(d, x);
	ck_assert(fit_family(d->kind, x, N, &fit));
	for (int p = 0; p < DISTRIBUTION_PARAMETERS; p++)
		if ((d->given >> p & 1) != 0)
			ck_assert_double_eq_tol(fit.distribution.parameter[p] / d->parameter[p], 1,
						0.08);
	for (uint32_t i = 0; i < d->point_count; i++) {
		ck_assert_double_eq_tol(fit.points[i].value / d->points[i].value, 1, 0.08);
		ck_assert_double_eq_tol(fit.points[i].weight, d->points[i].weight, 0.03);
	}
	/* With parameters from the data both are below the 5 % points of known ones. */
	ck_assert_msg(fit.ks < 1.358 / sqrt(N), "%g", fit.ks);
	ck_assert_msg(fit.ad < 2.492, "%g", fit.ad);
}
END_TEST

START_TEST(the_family_is_chosen)
{
	static double x[N];
	static struct fit fit;

	draw(&families[_i], x);
	fit_best(x, N, &fit);
	ck_assert_str_eq(distribution_name(fit.distribution.kind),
			 distribution_name(families[_i].kind));
	ck_assert(isfinite(fit.aic));
}
END_TEST

/* Tables of D'Agostino and Stephens work out A squared of these by hand: of 1 - e^-x at the
 * values whose probabilities are 0.1, 0.3, 0.5, 0.7, 0.9. */
START_TEST(statistics_by_hand)
{
	double x[5], want = 0;
	static struct fit fit;

	for (int i = 0; i < 5; i++)
		x[i] = i + 1;
	ck_assert(fit_family(DISTRIBUTION_EXPONENTIAL, x, 5, &fit));
	ck_assert_double_eq_tol(fit.distribution.parameter[DISTRIBUTION_MEAN], 3, 1e-12);
	for (int i = 0; i < 5; i++)
		want += (2 * i + 1) * (log(-expm1(-x[i] / 3)) + -x[4 - i] / 3);
	ck_assert_double_eq_tol(fit.ad, -5 - want / 5, 1e-9);
	/* The largest distance is before the second value. */
	ck_assert_double_eq_tol(fit.ks, -expm1(-2.0 / 3) - 0.2, 1e-9);
	ck_assert_double_eq_tol(fit.log_likelihood, -5 * log(3) - 5, 1e-9);
	ck_assert_double_eq_tol(fit.aic, 2 + 10 * log(3) + 10, 1e-9);
}
END_TEST

START_TEST(what_was_seen)
{
	static const double x[] = {1, 1, 1, 2, 8, 8};
	static struct fit fit;

	ck_assert(fit_family(DISTRIBUTION_EMPIRICAL, x, 6, &fit));
	ck_assert_uint_eq(fit.distribution.point_count, 3);
	ck_assert(fit.points[0].value == 1 && fit.points[0].weight == 3);
	ck_assert(fit.points[2].value == 8 && fit.points[2].weight == 2);
	ck_assert(isnan(fit.aic) && fit.ks < 1e-12);
	ck_assert(fit_family(DISTRIBUTION_QUANTILES, x, 6, &fit));
	ck_assert(distribution_quantile(&fit.distribution, 0) == 1);
	ck_assert_double_eq_tol(distribution_quantile(&fit.distribution, 0.5), 1.5, 0.01);
	ck_assert(distribution_quantile(&fit.distribution, 1) == 8);
	ck_assert(fit_family(DISTRIBUTION_QUANTILES, x, 1, &fit));
	ck_assert(distribution_quantile(&fit.distribution, 0.5) == 1);
	ck_assert(!fit_family(DISTRIBUTION_QUANTILES, x, 0, &fit));
}
END_TEST

START_TEST(nothing_to_fit)
{
	static const double same[] = {5, 5, 5}, zero[] = {0, 1, 2};
	static struct fit fit;

	for (int k = DISTRIBUTION_EXPONENTIAL; k <= DISTRIBUTION_HYPEREXPONENTIAL; k++) {
		ck_assert(!fit_family((enum distribution_kind)k, same, 3, &fit));
		ck_assert(!fit_family((enum distribution_kind)k, zero, 3, &fit));
	}
	ck_assert(!fit_family(DISTRIBUTION_CONSTANT, same, 3, &fit));
	fit_best(same, 3, &fit);
	ck_assert_int_eq(fit.distribution.kind, DISTRIBUTION_QUANTILES);
	ck_assert(distribution_quantile(&fit.distribution, 0.3) == 5);
}
END_TEST

START_TEST(ranks)
{
	static const double a[] = {1, 2, 3, 4}, b[] = {10, 20, 30, 40}, c[] = {4, 3, 2, 1};
	static const double tied[] = {1, 1, 2, 2}, flat[] = {7, 7, 7, 7};
	double scores[4];

	ck_assert_double_eq_tol(fit_rank_correlation(a, b, 4), 1, 1e-12);
	ck_assert_double_eq_tol(fit_rank_correlation(a, c, 4), -1, 1e-12);
	ck_assert_double_eq_tol(fit_rank_correlation(a, tied, 4), 0.894427191, 1e-9);
	ck_assert(fit_rank_correlation(a, flat, 4) == 0 && fit_rank_correlation(a, b, 0) == 0);
	fit_normal_scores(tied, 4, scores);
	ck_assert(scores[0] == scores[1] && scores[0] == -scores[2]);
	ck_assert_double_eq_tol(scores[0], -0.6744897502, 1e-9);
}
END_TEST

/* Two heaps far apart are of no family: the values themselves are kept. */
START_TEST(what_no_family_meets)
{
	double x[400];
	struct fit fit;

	for (int i = 0; i < 400; i++)
		x[i] = i < 200 ? 1 + i * 0.001 : 1000 + i;
	fit_best(x, 400, &fit);
	ck_assert_int_eq(fit.distribution.kind, DISTRIBUTION_QUANTILES);
	ck_assert_double_lt(fit.ks, 0.05);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("core/fit");
	TCase *t = tcase_create("all");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_set_timeout(t, 30);
	tcase_add_loop_test(t, parameters_come_back, 0, COUNT(families));
	tcase_add_test(t, what_no_family_meets);
	tcase_add_loop_test(t, the_family_is_chosen, 0, COUNT(families));
	tcase_add_test(t, statistics_by_hand);
	tcase_add_test(t, what_was_seen);
	tcase_add_test(t, nothing_to_fit);
	tcase_add_test(t, ranks);
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
