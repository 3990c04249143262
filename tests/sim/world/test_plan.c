#include "sim/world/plan.h"

#include <check.h>
#include <stdlib.h>

START_TEST(fields_that_name_nothing_are_none)
{
	struct plan plan;

	plan_init(&plan);
	for (int i = 0; i < 100; i++) { /* beyond the first allocation */
		struct decision *d = plan_add(&plan, DECIDE_BIND);

		ck_assert_uint_eq(d->job, JOB_NONE);
		ck_assert_uint_eq(d->by_job, JOB_NONE);
		ck_assert_uint_eq(d->pod, NAME_NONE);
		ck_assert_uint_eq(d->by_pod, NAME_NONE);
		ck_assert_uint_eq(d->node, NODE_NONE);
		ck_assert_uint_eq(d->message, NAME_NONE);
		d->pod = (uint32_t)i;
	}
	ck_assert_uint_eq(plan.count, 100);
	for (uint32_t i = 0; i < 100; i++)
		ck_assert_uint_eq(plan.items[i].pod, i);
	plan_free(&plan);
}
END_TEST

START_TEST(cleared_plan_is_empty_and_its_arena_zeroed)
{
	struct plan plan;
	unsigned char *p;

	plan_init(&plan);
	plan_add(&plan, DECIDE_ADMIT);
	p = mem_arena_alloc(plan.arena, 64);
	for (int i = 0; i < 64; i++)
		p[i] = 7;
	plan_clear(&plan);
	ck_assert_uint_eq(plan.count, 0);
	p = mem_arena_alloc(plan.arena, 64);
	for (int i = 0; i < 64; i++)
		ck_assert_int_eq(p[i], 0);
	plan_free(&plan);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("plan");
	TCase *tc = tcase_create("plan");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_test(tc, fields_that_name_nothing_are_none);
	tcase_add_test(tc, cleared_plan_is_empty_and_its_arena_zeroed);
	suite_add_tcase(suite, tc);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
