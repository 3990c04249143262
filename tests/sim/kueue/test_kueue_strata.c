#include "sim/kueue/kueue_strata.h"

#include <check.h>

#include "core/res.h"

#define COLUMNS 2

static const struct quota_amount two[] = {{0, 2}}, both[] = {{0, 3}, {1, 7}},
				 most[] = {{0, INT64_MAX - 1}};

START_TEST(sums_are_of_lower_priorities)
{
	struct kueue_strata s = {0};

	ck_assert_int_eq(kueue_strata_sum(&s, COLUMNS, 0, 9, true), 0);
	kueue_strata_add(&s, COLUMNS, 5, two, 1);
	kueue_strata_add(&s, COLUMNS, -1, both, 2);
	kueue_strata_add(&s, COLUMNS, 5, both, 2);
	kueue_strata_add(&s, COLUMNS, 3, two, 1);
	ck_assert_int_eq(kueue_strata_sum(&s, COLUMNS, 0, -1, false), 0);
	ck_assert_int_eq(kueue_strata_sum(&s, COLUMNS, 0, -1, true), 3);
	ck_assert_int_eq(kueue_strata_sum(&s, COLUMNS, 0, 5, false), 5);
	ck_assert_int_eq(kueue_strata_sum(&s, COLUMNS, 0, 5, true), 10);
	ck_assert_int_eq(kueue_strata_sum(&s, COLUMNS, 1, 5, true), 14);
	kueue_strata_remove(&s, COLUMNS, 5, both, 2);
	ck_assert_int_eq(kueue_strata_sum(&s, COLUMNS, 0, 5, true), 7);
	ck_assert_int_eq(kueue_strata_sum(&s, COLUMNS, 1, 5, true), 7);
	kueue_strata_free(&s);
}
END_TEST

START_TEST(what_is_too_much_to_count_is_not_known)
{
	struct kueue_strata s = {0};

	kueue_strata_add(&s, COLUMNS, 1, most, 1);
	ck_assert_int_eq(kueue_strata_sum(&s, COLUMNS, 0, 1, true), INT64_MAX - 1);
	kueue_strata_add(&s, COLUMNS, 1, two, 1);
	ck_assert_int_eq(kueue_strata_sum(&s, COLUMNS, 0, 1, true), RES_UNLIMITED);
	kueue_strata_remove(&s, COLUMNS, 1, most, 1);
	ck_assert_int_eq(kueue_strata_sum(&s, COLUMNS, 0, 1, true), RES_UNLIMITED);
	kueue_strata_free(&s);
}
END_TEST

START_TEST(sums_of_several_add_up)
{
	struct kueue_strata s = {0}, other = {0};

	kueue_strata_add(&s, COLUMNS, 5, two, 1);
	kueue_strata_add(&other, COLUMNS, 5, both, 2);
	kueue_strata_add(&other, COLUMNS, 1, both, 2);
	kueue_strata_add_all(&s, COLUMNS, &other);
	ck_assert_int_eq(kueue_strata_sum(&s, COLUMNS, 0, 1, true), 3);
	ck_assert_int_eq(kueue_strata_sum(&s, COLUMNS, 0, 5, true), 8);
	ck_assert_int_eq(kueue_strata_sum(&s, COLUMNS, 1, 5, true), 14);
	kueue_strata_add(&other, COLUMNS, 1, most, 1);
	kueue_strata_add_all(&s, COLUMNS, &other);
	ck_assert_int_eq(kueue_strata_sum(&s, COLUMNS, 0, 5, true), RES_UNLIMITED);
	kueue_strata_free(&s);
	kueue_strata_free(&other);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("sim/kueue/kueue_strata");
	TCase *t = tcase_create("all");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_add_test(t, sums_are_of_lower_priorities);
	tcase_add_test(t, sums_of_several_add_up);
	tcase_add_test(t, what_is_too_much_to_count_is_not_known);
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
