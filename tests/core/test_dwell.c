/* test_dwell.c - Quantiles over time of a level, against the definition. */
#include <check.h>
#include <stdlib.h>

#include "core/dwell.h"
#include "core/rng.h"

#define LEVELS 20

START_TEST(the_level_of_most_of_the_time)
{
	struct dwell d = {0};

	ck_assert_int_eq(dwell_quantile(&d, 950), 0);
	dwell_add(&d, 3, 0); /* no time at all */
	ck_assert_int_eq(dwell_quantile(&d, 950), 0);
	dwell_add(&d, 0, 90);
	dwell_add(&d, 7, 6);
	dwell_add(&d, 2, 4);
	ck_assert_int_eq(d.total, 100);
	ck_assert_int_eq(dwell_quantile(&d, 0), 0);
	ck_assert_int_eq(dwell_quantile(&d, 900), 0);
	ck_assert_int_eq(dwell_quantile(&d, 901), 2);
	ck_assert_int_eq(dwell_quantile(&d, 940), 2);
	ck_assert_int_eq(dwell_quantile(&d, 950), 7);
	ck_assert_int_eq(dwell_quantile(&d, 1000), 7);
	dwell_free(&d);
	ck_assert_int_eq(d.total, 0);
}
END_TEST

/* Is it the smallest level below or at which so much of the time was spent? */
START_TEST(random_levels)
{
	struct rng *rng = rng_new((uint64_t)_i, "dwell");
	struct dwell d = {0};
	simtime time[LEVELS] = {0};

	for (int i = 0; i < 50; i++) {
		uint32_t level = (uint32_t)rng_below(rng, LEVELS);
		simtime dt = (simtime)rng_below(rng, 4) * 1000;

		time[level] += dt;
		dwell_add(&d, level, dt);
	}
	for (uint32_t q = 0; q <= 1000; q += 50) {
		uint32_t got = dwell_quantile(&d, q);
		simtime below = 0;

		for (uint32_t level = 0; level < got; level++)
			below += time[level];
		ck_assert(below == 0 || below * 1000 < d.total * (simtime)q);
		ck_assert((below + time[got]) * 1000 >= d.total * (simtime)q);
	}
	dwell_free(&d);
	rng_free(rng);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("core/dwell");
	TCase *t = tcase_create("all");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_add_test(t, the_level_of_most_of_the_time);
	tcase_add_loop_test(t, random_levels, 0, 20);
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
