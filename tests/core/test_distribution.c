/* test_distribution.c - Each family: the quantile inverts the distribution function, the
 * density is its slope, the mean is the textbook's; what is wrong is told. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/distribution.h"

#define COUNT(rows) ((int)(sizeof(rows) / sizeof((rows)[0])))
#define BIT	    DISTRIBUTION_BIT

static const struct distribution_point phases[] = {{10, 0.7}, {200, 0.3}};
static const struct distribution_point dice[] = {{1, 1}, {2, 1}, {4, 2}};
static const struct distribution_point steps[] = {{1, 0}, {10, 0.5}, {1000, 1}};

static const struct {
	struct distribution d;
	double mean;
	double tolerance; /* of the mean, relative */
	bool density;
} rows[] = {
	{{DISTRIBUTION_UNIFORM,
	  {[DISTRIBUTION_MIN] = 2, [DISTRIBUTION_MAX] = 6},
	  BIT(DISTRIBUTION_MIN) | BIT(DISTRIBUTION_MAX)},
	 4,
	 1e-6,
	 true},
	{{DISTRIBUTION_EXPONENTIAL, {[DISTRIBUTION_MEAN] = 30}, BIT(DISTRIBUTION_MEAN)},
	 30,
	 1e-3,
	 true},
	{{DISTRIBUTION_LOGNORMAL,
	  {[DISTRIBUTION_MEDIAN] = 100, [DISTRIBUTION_SIGMA] = 0.5},
	  BIT(DISTRIBUTION_MEDIAN) | BIT(DISTRIBUTION_SIGMA)},
	 113.3148,
	 1e-3,
	 true},
	{{DISTRIBUTION_WEIBULL,
	  {[DISTRIBUTION_SHAPE] = 2, [DISTRIBUTION_SCALE] = 10},
	  BIT(DISTRIBUTION_SHAPE) | BIT(DISTRIBUTION_SCALE)},
	 8.862269,
	 1e-4,
	 true},
	{{DISTRIBUTION_BOUNDED_PARETO,
	  {[DISTRIBUTION_SHAPE] = 1.5, [DISTRIBUTION_MIN] = 1, [DISTRIBUTION_MAX] = 100},
	  BIT(DISTRIBUTION_SHAPE) | BIT(DISTRIBUTION_MIN) | BIT(DISTRIBUTION_MAX)},
	 2.702703,
	 1e-3,
	 true},
	{{.kind = DISTRIBUTION_HYPEREXPONENTIAL, .points = phases, .point_count = 2},
	 67,
	 1e-3,
	 true},
	{{.kind = DISTRIBUTION_EMPIRICAL, .points = dice, .point_count = 3}, 2.75, 1e-6, false},
	{{.kind = DISTRIBUTION_QUANTILES, .points = steps, .point_count = 3},
	 109.4421,
	 1e-4,
	 false},
};

START_TEST(quantiles_invert)
{
	const struct distribution *d = &rows[_i].d;

	ck_assert_ptr_null(distribution_fault(d));
	for (int i = 1; i < 200; i++) {
		double u = i / 200.0, x = distribution_quantile(d, u);

		if (d->kind == DISTRIBUTION_EMPIRICAL)
			ck_assert(distribution_cdf(d, x) >= u - 1e-12);
		else
			ck_assert_double_eq_tol(distribution_cdf(d, x), u, 1e-9);
		ck_assert(x <= distribution_quantile(d, u + 0.004));
	}
	ck_assert(isfinite(distribution_quantile(d, 1)) && distribution_quantile(d, 0) >= 0);
	ck_assert(distribution_cdf(d, 0) <= 0 && distribution_cdf(d, 1e12) >= 1 - 1e-12);
}
END_TEST

START_TEST(densities_are_slopes)
{
	const struct distribution *d = &rows[_i].d;

	if (!rows[_i].density) {
		ck_assert(isinf(distribution_log_density(d, 1)));
		return;
	}
	for (int i = 1; i < 20; i++) {
		double x = distribution_quantile(d, i / 20.0), h = x * 1e-5;
		double slope = (distribution_cdf(d, x + h) - distribution_cdf(d, x - h)) / (2 * h);

		ck_assert_double_eq_tol(exp(distribution_log_density(d, x)) / slope, 1, 1e-4);
	}
}
END_TEST

START_TEST(means)
{
	ck_assert_double_eq_tol(distribution_mean(&rows[_i].d, 0, false) / rows[_i].mean, 1,
				rows[_i].tolerance);
}
END_TEST

START_TEST(bounds_hold)
{
	struct distribution d = rows[1].d;

	d.parameter[DISTRIBUTION_MIN] = 5;
	d.parameter[DISTRIBUTION_MAX] = 60;
	d.given |= BIT(DISTRIBUTION_MIN) | BIT(DISTRIBUTION_MAX);
	ck_assert(distribution_quantile(&d, 0) == 5 && distribution_quantile(&d, 1) == 60);
	d = distribution_constant(0.2);
	ck_assert(distribution_mean(&d, 1, true) == 1);
	ck_assert(distribution_quantile(&d, 0.9) == 0.2);
}
END_TEST

START_TEST(dice_fall_as_weighed)
{
	const struct distribution *d = &rows[6].d;

	ck_assert(distribution_quantile(d, 0) == 1 && distribution_quantile(d, 0.249) == 1);
	ck_assert(distribution_quantile(d, 0.25) == 2 && distribution_quantile(d, 0.5) == 4);
}
END_TEST

static const struct distribution_point bad_phase[] = {{0, 1}};
static const struct distribution_point unordered[] = {{2, 1}, {1, 1}};
static const struct distribution_point weightless[] = {{2, 0}};
static const struct distribution_point negative[] = {{2, -1}};
static const struct distribution_point infinite[] = {{HUGE_VAL, 1}};

static const struct {
	struct distribution d;
	const char *fault;
} faults[] = {
	{{DISTRIBUTION_EXPONENTIAL, {[DISTRIBUTION_MEAN] = 0}, BIT(DISTRIBUTION_MEAN)}, "above 0"},
	{{DISTRIBUTION_CONSTANT, {-1}, BIT(DISTRIBUTION_VALUE)}, "0 or more"},
	{{DISTRIBUTION_CONSTANT, {HUGE_VAL}, BIT(DISTRIBUTION_VALUE)}, "at most"},
	{{DISTRIBUTION_UNIFORM,
	  {[DISTRIBUTION_MIN] = 2, [DISTRIBUTION_MAX] = 1},
	  BIT(DISTRIBUTION_MIN) | BIT(DISTRIBUTION_MAX)},
	 "above max"},
	{{DISTRIBUTION_UNIFORM,
	  {[DISTRIBUTION_MIN] = 2, [DISTRIBUTION_MAX] = 2},
	  BIT(DISTRIBUTION_MIN) | BIT(DISTRIBUTION_MAX)},
	 "min < max"},
	{{DISTRIBUTION_BOUNDED_PARETO,
	  {[DISTRIBUTION_SHAPE] = 1, [DISTRIBUTION_MIN] = 0, [DISTRIBUTION_MAX] = 1},
	  BIT(DISTRIBUTION_SHAPE) | BIT(DISTRIBUTION_MIN) | BIT(DISTRIBUTION_MAX)},
	 "0 < min"},
	{{.kind = DISTRIBUTION_HYPEREXPONENTIAL, .points = bad_phase, .point_count = 1}, "phases"},
	{{.kind = DISTRIBUTION_EMPIRICAL, .points = unordered, .point_count = 2}, "ascending"},
	{{.kind = DISTRIBUTION_EMPIRICAL, .points = weightless, .point_count = 1}, "some weight"},
	{{.kind = DISTRIBUTION_EMPIRICAL, .points = negative, .point_count = 1}, "weights"},
	{{.kind = DISTRIBUTION_EMPIRICAL, .points = infinite, .point_count = 1}, "values"},
	{{.kind = DISTRIBUTION_EMPIRICAL}, "a value"},
	{{.kind = DISTRIBUTION_QUANTILES, .points = steps, .point_count = 1}, "two quantiles"},
	{{.kind = DISTRIBUTION_QUANTILES, .points = dice, .point_count = 3}, "shares"},
	{{.kind = DISTRIBUTION_QUANTILES, .points = steps, .point_count = 2}, "the last 1"},
};

START_TEST(faults_are_told)
{
	const char *fault = distribution_fault(&faults[_i].d);

	ck_assert_ptr_nonnull(fault);
	ck_assert_msg(strstr(fault, faults[_i].fault) != NULL, "%s", fault);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("core/distribution");
	TCase *t = tcase_create("all");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_add_loop_test(t, quantiles_invert, 0, COUNT(rows));
	tcase_add_loop_test(t, densities_are_slopes, 0, COUNT(rows));
	tcase_add_loop_test(t, means, 0, COUNT(rows));
	tcase_add_test(t, bounds_hold);
	tcase_add_test(t, dice_fall_as_weighed);
	tcase_add_loop_test(t, faults_are_told, 0, COUNT(faults));
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
