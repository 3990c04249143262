/* test_modulation.c - Two levels are found where there are two, and not where there is one. */
#include <check.h>
#include <math.h>
#include <stdlib.h>

#include "core/modulation.h"
#include "core/rng.h"

#define STEPS 4000

static uint32_t poisson(struct rng *rng, double mean)
{
	double left = exp(-mean), product = rng_uniform(rng);
	uint32_t n = 0;

	while (product > left) {
		product *= rng_uniform(rng);
		n++;
	}
	return n;
}

static void make(double low, double high, double stay_low, double stay_high, uint32_t *counts,
		 double *exposure)
{
	struct rng *rng = rng_new(5, "modulation");
	bool up = false;

	for (int i = 0; i < STEPS; i++) {
		exposure[i] = i % 24 < 12 ? 0.5 : 1.5;
		counts[i] = poisson(rng, (up ? high : low) * exposure[i]);
		if (rng_uniform(rng) < 1 / (up ? stay_high : stay_low))
			up = !up;
	}
	rng_free(rng);
}

START_TEST(two_levels)
{
	static uint32_t counts[STEPS];
	static double exposure[STEPS];
	struct modulation m;

	make(2, 10, 40, 15, counts, exposure);
	m = modulation_fit(counts, exposure, STEPS);
	ck_assert(m.worth && m.log_likelihood > m.plain);
	ck_assert_double_eq_tol(m.rate[0], 2, 0.15);
	ck_assert_double_eq_tol(m.rate[1], 10, 0.4);
	ck_assert_double_eq_tol(m.stay[0] / 40, 1, 0.3);
	ck_assert_double_eq_tol(m.stay[1] / 15, 1, 0.3);
}
END_TEST

/* The rhythm is no second level: exposure explains it. */
START_TEST(one_level)
{
	static uint32_t counts[STEPS];
	static double exposure[STEPS];

	make(5, 5, 40, 15, counts, exposure);
	ck_assert(!modulation_fit(counts, exposure, STEPS).worth);
	for (int i = 0; i < STEPS; i++)
		exposure[i] = 1;
	ck_assert(modulation_fit(counts, exposure, STEPS).worth);
}
END_TEST

START_TEST(too_little)
{
	uint32_t counts[30] = {0};
	double exposure[30];

	for (int i = 0; i < 30; i++)
		exposure[i] = 1;
	ck_assert(!modulation_fit(counts, exposure, 30).worth);
	counts[3] = 1;
	ck_assert(!modulation_fit(counts, exposure, 19).worth);
	ck_assert(!modulation_fit(counts, exposure, 30).worth);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("core/modulation");
	TCase *t = tcase_create("all");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_set_timeout(t, 30);
	tcase_add_test(t, two_levels);
	tcase_add_test(t, one_level);
	tcase_add_test(t, too_little);
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
