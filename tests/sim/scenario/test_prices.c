/* test_prices.c - Discounts and prices by model; matching is in test_objects_prices.c. */
#include <check.h>
#include <stdlib.h>

#include "sim/scenario/prices.h"

static const struct price p5 = {.gpus = 8,
				.micro_usd_per_hour = 55040000,
				.spot_least = 500,
				.spot_most = 650,
				.reserved_least = 350};

static const struct {
	int64_t gpus;
	bool spot;
	int64_t want, reserved;
} rows[] = {
	{8, false, 55040000, 35776000},
	{8, true, 27520000, 35776000},
	{4, false, 27520000, 17888000},
	{1, true, 3440000, 4472000},
	{0, false, 0, 0},
};

START_TEST(amounts)
{
	struct node node = {.gpus = rows[_i].gpus};

	ck_assert_int_eq(prices_of(&p5, &node, rows[_i].spot), rows[_i].want);
	ck_assert_int_eq(prices_reserved(&p5, &node), rows[_i].reserved);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("sim/scenario/prices");
	TCase *t = tcase_create("all");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_add_loop_test(t, amounts, 0, (int)(sizeof(rows) / sizeof(rows[0])));
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
