/* test_warmup.c - MSER-5: a transient is cut, a settled sequence is left alone, one that
 * never settles is told. */
#include <check.h>
#include <math.h>
#include <stdlib.h>

#include "core/rng.h"
#include "core/warmup.h"

static double noise(struct rng *rng)
{
	return rng_uniform(rng) + rng_uniform(rng) + rng_uniform(rng) - 1.5;
}

START_TEST(a_transient_goes)
{
	double x[1000];
	struct rng *rng = rng_new(1, "warmup");
	struct warmup w;

	for (int i = 0; i < 1000; i++)
		x[i] = 10 - 10 * exp(-i / 40.0) + noise(rng);
	rng_free(rng);
	w = warmup_mser5(x, 1000);
	ck_assert(w.settled && w.cut % 5 == 0);
	ck_assert_msg(w.cut >= 80 && w.cut <= 250, "%zu", w.cut);
}
END_TEST

START_TEST(a_step_goes_exactly)
{
	double x[200];
	struct warmup w;

	for (int i = 0; i < 200; i++)
		x[i] = i < 60 ? 0 : 5;
	w = warmup_mser5(x, 200);
	ck_assert(w.settled && w.cut == 60);
}
END_TEST

START_TEST(the_settled_stays)
{
	double x[1000];
	size_t cut = 0;

	for (uint64_t seed = 0; seed < 50; seed++) {
		struct rng *rng = rng_new(seed, "warmup");

		for (int i = 0; i < 1000; i++)
			x[i] = 10 + noise(rng);
		rng_free(rng);
		cut += warmup_mser5(x, 1000).cut;
	}
	ck_assert_msg(cut < 50 * 150, "%zu", cut / 50);
}
END_TEST

START_TEST(the_unsettled_is_told)
{
	double x[1000];
	struct warmup w;

	for (int i = 0; i < 1000; i++)
		x[i] = i;
	w = warmup_mser5(x, 1000);
	ck_assert(!w.settled && w.cut == 500);
	w = warmup_mser5(x, 49);
	ck_assert(!w.settled && w.cut == 0);
	for (int i = 0; i < 1000; i++)
		x[i] = 7;
	w = warmup_mser5(x, 1000);
	ck_assert(w.settled && w.cut == 0);
}
END_TEST

START_TEST(average_over_runs)
{
	static const double a[] = {1, 2, 3}, b[] = {3, 4};
	const double *runs[] = {a, b};
	const size_t lengths[] = {3, 2};
	double mean[2];

	ck_assert_uint_eq(warmup_average(runs, lengths, 2, mean), 2);
	ck_assert(mean[0] == 2 && mean[1] == 3);
	ck_assert_uint_eq(warmup_average(runs, lengths, 0, mean), 0);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("core/warmup");
	TCase *t = tcase_create("all");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_add_test(t, a_transient_goes);
	tcase_add_test(t, a_step_goes_exactly);
	tcase_add_test(t, the_settled_stays);
	tcase_add_test(t, the_unsettled_is_told);
	tcase_add_test(t, average_over_runs);
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
