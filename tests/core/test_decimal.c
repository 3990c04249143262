/* test_decimal.c - Decimals cut off after nine places, as Kueue multiplies amounts. */
#include <check.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/decimal.h"
#include "core/rng.h"

static const struct {
	int64_t amount, per_unit;
	double factor;
	double want; /* in billionths */
} rows[] = {
	{3, 1, 0.5, 1.5e9},
	{1, 1, 0.1, 1e8},	      /* not 0.1000000000000000055 */
	{3, 1, 1.0 / 3.0, 999999999}, /* 0.3333333333333333 */
	{1500, 1000, 1.0, 1.5e9},
	{7, 1000, 1e-7, 0}, /* less than a billionth */
	{1, 1, 0, 0},
	{INT64_C(70368744177664), 1, 6.875e-5, 4837851162214400000.0},
	{1, 1, 1e-40, 0},
};

START_TEST(products)
{
	decimal amount = decimal_of(rows[_i].amount, rows[_i].per_unit);
	decimal got = decimal_scale(amount, decimal_factor_of(rows[_i].factor));

	ck_assert_double_eq((double)got, rows[_i].want);
	ck_assert_double_eq(decimal_value(got), rows[_i].want * 1e-9);
}
END_TEST

/* Digits before the exponent of the shortest decimal, from the shortest up. */
static uint64_t shortest_digits(double fraction)
{
	char text[40], digits[40];
	int length = 0;

	for (int n = 0; n < 17; n++) {
		snprintf(text, sizeof(text), "%.*e", n, fraction);
		if (strtod(text, NULL) == fraction)
			break;
	}
	for (const char *p = text; *p != 'e'; p++) {
		if (*p != '.')
			digits[length++] = *p;
	}
	digits[length] = '\0';
	return strtoull(digits, NULL, 10);
}

static void check_factor(double fraction)
{
	struct decimal_factor f = decimal_factor_of(fraction);

	ck_assert_msg(f.digits == shortest_digits(fraction), "%.17g: %" PRIu64 ", want %" PRIu64,
		      fraction, f.digits, shortest_digits(fraction));
}

/* Fractions as decays make them, short ones, powers of two. */
START_TEST(factors_are_the_shortest)
{
	struct rng *rng = rng_new(1, "fractions");

	for (int i = 1; i < 20000; i++) {
		double short_one = (double)rng_below(rng, 100000) / 100000.0;
		double decay = pow(0.5, (double)rng_below(rng, 1000000) / 3600.0e3);

		check_factor(decay);
		check_factor(1.0 - decay);
		if (short_one >= 0.01)
			check_factor(short_one);
	}
	for (int e = 0; e < 30; e++)
		check_factor(ldexp(1.0, -e));
	rng_free(rng);
}
END_TEST

/* What is scaled again and again ends at nothing, and never grows. */
START_TEST(decays_to_nothing)
{
	struct decimal_factor f = decimal_factor_of(0.9999);
	decimal amount = decimal_of(INT64_MAX, 1), before = amount + 1;
	int steps = 0;

	for (; amount > 0; steps++) {
		ck_assert(amount < before);
		before = amount;
		amount = decimal_scale(amount, f);
	}
	ck_assert_int_gt(steps, 1000);
}
END_TEST

START_TEST(too_much_counts_as_the_most)
{
	decimal most = decimal_of(INT64_MAX, 1) * 1000000;
	struct decimal_factor f = decimal_factor_of(1.0);

	ck_assert(decimal_scale(most, f) == decimal_scale(most * 1000, f));
}
END_TEST

/* Digit by digit, as on paper: amount * digits / 10^places. */
static decimal long_product(decimal amount, struct decimal_factor f)
{
	decimal unit = 1, whole, rest;

	for (uint32_t i = 0; i < f.places; i++)
		unit *= 10;
	whole = amount / 1000000000 * (decimal)f.digits;
	rest = whole % unit * 1000000000 + amount % 1000000000 * (decimal)f.digits;
	return whole / unit * 1000000000 + rest / unit;
}

START_TEST(small_and_large_are_scaled_alike)
{
	struct rng *rng = rng_new(2, "amounts");

	for (int i = 0; i < 5000; i++) {
		double decay = pow(0.5, (double)rng_below(rng, 1000000) / 3600.0e3);
		struct decimal_factor f = decimal_factor_of(i % 2 == 0 ? decay : 1.0 - decay);
		decimal amount = (decimal)(rng_u64(rng) >> (1 + rng_below(rng, 63))) *
				 (i % 5 == 0 ? 1000000000 : 1);

		ck_assert(decimal_scale(amount, f) == long_product(amount, f));
		ck_assert(decimal_scale(INT64_MAX, f) == long_product(INT64_MAX, f));
	}
	rng_free(rng);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("core/decimal");
	TCase *t = tcase_create("all");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_add_loop_test(t, products, 0, (int)(sizeof(rows) / sizeof(rows[0])));
	tcase_add_test(t, factors_are_the_shortest);
	tcase_add_test(t, decays_to_nothing);
	tcase_add_test(t, too_much_counts_as_the_most);
	tcase_add_test(t, small_and_large_are_scaled_alike);
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
