/* test_arrivals.c - Counts of a Poisson process, its rhythm, growth and states, and that each
 * purpose has its own numbers. */
#include <check.h>
#include <math.h>
#include <stdlib.h>

#include "core/arrivals.h"

#define HOUR 3600.0
#define DAY  86400.0

static double counts(const struct arrivals_process *p, uint64_t seed, double length, double *into,
		     int bins)
{
	struct arrivals a;
	double t, n = 0, last = 0;

	arrivals_begin(&a, p, seed, "test");
	while (arrivals_next(&a, length, &t)) {
		ck_assert(t >= last && t < length);
		last = t;
		n++;
		if (into != NULL)
			into[(int)(t / length * bins)]++;
	}
	arrivals_end(&a);
	return n;
}

/* Mean and variance of the counts of 1000 hours are the rate. */
START_TEST(poisson)
{
	struct arrivals_process p = {.mean_rate = 20 / HOUR};
	static double bins[1000];
	double n = counts(&p, 1, 1000 * HOUR, bins, 1000), squares = 0;

	ck_assert_double_eq_tol(n, 20000, 3 * sqrt(20000));
	for (int i = 0; i < 1000; i++)
		squares += (bins[i] - 20) * (bins[i] - 20);
	ck_assert_double_eq_tol(squares / 1000, 20, 3 * 20 * sqrt(2 / 1000.0));
}
END_TEST

START_TEST(regular)
{
	struct arrivals_process p = {.mean_rate = 1 / HOUR, .regular = true};
	struct arrivals a;
	double t;

	arrivals_begin(&a, &p, 1, "test");
	for (int i = 1; i < 100; i++) {
		ck_assert(arrivals_next(&a, 100 * HOUR, &t));
		ck_assert_double_eq_tol(t, i * HOUR, 1e-6);
	}
	ck_assert(!arrivals_next(&a, 100 * HOUR, &t));
	arrivals_end(&a);
}
END_TEST

/* Nothing at night, and the mean is kept; Monday 0:00 is 30 hours before time 0. */
START_TEST(rhythm)
{
	struct arrivals_process p = {.mean_rate = 50 / HOUR, .first_hour = 30};
	static double bins[24 * 70];
	double n;

	for (int h = 0; h < ARRIVALS_HOURS; h++)
		p.rhythm[h] = h % 24 >= 8 && h % 24 < 20 ? 3 : 0;
	n = counts(&p, 1, 70 * DAY, bins, 24 * 70);
	ck_assert_double_eq_tol(n / (50 * 24 * 70), 1, 0.02);
	for (int i = 0; i < 24 * 70; i++)
		if ((i + 30) % 24 < 8 || (i + 30) % 24 >= 20)
			ck_assert(bins[i] == 0);
		else
			ck_assert(bins[i] > 40);
	ck_assert(arrivals_intensity(&p, 0) == 0 && arrivals_intensity(&p, 3 * HOUR) == 2);
}
END_TEST

START_TEST(growth)
{
	const struct arrivals_step step = {15 * DAY, 3};
	struct arrivals_process p = {
		.mean_rate = 100 / HOUR, .growth = 2, .growth_every = 10 * DAY};
	double bins[3] = {0};

	counts(&p, 1, 30 * DAY, bins, 3);
	ck_assert_double_eq_tol(bins[1] / bins[0], 2, 0.05);
	ck_assert_double_eq_tol(bins[2] / bins[0], 4, 0.1);
	p = (struct arrivals_process){.mean_rate = 100 / HOUR, .steps = &step, .step_count = 1};
	bins[0] = bins[1] = 0;
	counts(&p, 1, 30 * DAY, bins, 2);
	ck_assert_double_eq_tol(bins[1] / bins[0], 3, 0.1);
}
END_TEST

/* The mean is kept, counts vary more than Poisson's, by as much as theory has it. */
START_TEST(states)
{
	struct arrivals_process p = {.mean_rate = 20 / HOUR,
				     .states = {{1, 30 * HOUR}, {4, 10 * HOUR}},
				     .state_count = 2};
	static double bins[40000];
	double n = counts(&p, 1, 40000 * HOUR, bins, 40000), squares = 0, mean;

	mean = n / 40000;
	ck_assert_double_eq_tol(mean / 20, 1, 0.04);
	for (int i = 0; i < 40000; i++)
		squares += (bins[i] - mean) * (bins[i] - mean);
	/* Rates 80/7 and 320/7 with chances 3/4 and 1/4 vary by 220.4; of an hour, with a
	 * correlation that lasts 7.5 hours, 95.6 % of that is left; and Poisson's 20. */
	ck_assert_double_eq_tol(squares / 40000 / 230.8, 1, 0.06);
}
END_TEST

/* A busier process has each arrival earlier, and the states of both switch at one time. */
START_TEST(common_random_numbers)
{
	struct arrivals_process slow = {.mean_rate = 10 / HOUR}, fast = {.mean_rate = 20 / HOUR};
	struct arrivals a, b;
	double s, f;

	arrivals_begin(&a, &slow, 9, "x");
	arrivals_begin(&b, &fast, 9, "x");
	for (int i = 0; i < 1000; i++) {
		ck_assert(arrivals_next(&a, 1e9, &s) && arrivals_next(&b, 1e9, &f));
		ck_assert_double_eq_tol(f, s / 2, 1e-3);
	}
	arrivals_end(&a);
	arrivals_end(&b);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("core/arrivals");
	TCase *t = tcase_create("all");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_set_timeout(t, 30);
	tcase_add_test(t, poisson);
	tcase_add_test(t, regular);
	tcase_add_test(t, rhythm);
	tcase_add_test(t, growth);
	tcase_add_test(t, states);
	tcase_add_test(t, common_random_numbers);
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
