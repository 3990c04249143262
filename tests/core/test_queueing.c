/* test_queueing.c - Formulas against published tables and against each other. */
#include <check.h>
#include <math.h>
#include <stdlib.h>

#include "core/queueing.h"

/* Erlang's tables: blocking to four figures. */
static const struct {
	uint32_t servers;
	double load, b;
} losses[] = {
	{1, 1, 0.5},	   {2, 1, 0.2},	       {5, 2, 0.03670}, {10, 5, 0.01838},
	{10, 4.461, 0.01}, {100, 84.06, 0.01}, {0, 3, 1},	{3, 0, 0},
};

START_TEST(erlang_b)
{
	ck_assert_double_eq_tol(queueing_erlang_b(losses[_i].servers, losses[_i].load),
				losses[_i].b, 1e-5);
}
END_TEST

START_TEST(erlang_c)
{
	ck_assert_double_eq_tol(queueing_erlang_c(1, 0.7), 0.7, 1e-12);
	ck_assert_double_eq_tol(queueing_erlang_c(2, 1), 1.0 / 3, 1e-12);
	ck_assert_double_eq_tol(queueing_erlang_c(10, 8), 0.40918, 1e-5);
	ck_assert(queueing_erlang_c(4, 4) == 1 && queueing_erlang_c(4, 9) == 1);
	/* Halfin and Whitt: 1 / (1 + b F(b) / f(b)) with b = 100 / 5000^0.5 */
	ck_assert_double_eq_tol(queueing_erlang_c(5000, 4900), 0.1012, 2e-3);
}
END_TEST

START_TEST(waits)
{
	/* M/M/1: rho / (mu (1 - rho)) */
	ck_assert_double_eq_tol(queueing_mmc_wait(1, 0.8, 1), 4, 1e-12);
	ck_assert_double_eq_tol(queueing_mg1_wait(0.8, 1, 1), 4, 1e-12);
	ck_assert_double_eq_tol(queueing_mg1_wait(0.8, 1, 0), 2, 1e-12); /* M/D/1: half */
	ck_assert(isinf(queueing_mmc_wait(2, 2, 1)) && isinf(queueing_mg1_wait(1, 1, 1)));
	ck_assert(isinf(queueing_mmc_quantile(2, 3, 1, 0.5)));
	/* P(W > t) = rho exp(-(1 - rho) t) */
	ck_assert_double_eq_tol(queueing_mmc_quantile(1, 0.8, 1, 0.95), log(16) / 0.2, 1e-9);
	ck_assert(queueing_mmc_quantile(1, 0.1, 1, 0.5) == 0);
	ck_assert_double_eq_tol(queueing_ggc_wait(3, 2, 1, 1, 1), queueing_mmc_wait(3, 2, 1),
				1e-12);
	ck_assert_double_eq_tol(queueing_ggc_wait(1, 0.8, 1, 1, 0), 2, 1e-12);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("core/queueing");
	TCase *t = tcase_create("all");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_add_loop_test(t, erlang_b, 0, (int)(sizeof(losses) / sizeof(losses[0])));
	tcase_add_test(t, erlang_c);
	tcase_add_test(t, waits);
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
