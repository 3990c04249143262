/* test_kueue_setup.c - columns and orders of names as a run begins. */
#include "sim/kueue/kueue_setup.h"

#include <check.h>

#include "tests/support/kueue_story.h"

/* A column is a flavor's resource that some queue or cohort lists, in the order they come. */
START_TEST(columns)
{
	struct kueue_story *s =
		kueue_story_new("b{f2[4]} in=c; a{f1[4] f2[4]} in=c; %c{f3[1]}; a?p:3", false);
	const struct kueue *k = s->k;

	ck_assert_uint_eq(k->flavor_count, 3);
	ck_assert_uint_eq(k->column_count, 3);
	for (uint32_t c = 0; c < k->column_count; c++) {
		ck_assert_uint_eq(k->column_resource[c], RES_CPU);
		ck_assert_uint_eq(kueue_column(k, k->column_flavor[c], RES_CPU), c);
		ck_assert_uint_eq(kueue_column(k, k->column_flavor[c], RES_MEMORY), KUEUE_NONE);
	}
	kueue_story_free(s);
}
END_TEST

START_TEST(queues_by_name)
{
	struct kueue_story *s = kueue_story_new("c[1]; a[1]; b[1]; a?p:1", false);
	const uint32_t want[] = {1, 2, 0};

	for (uint32_t i = 0; i < 3; i++) {
		ck_assert_uint_eq(s->k->queue_by_name[i], want[i]);
		ck_assert_uint_eq(s->k->name_rank[want[i]], i);
	}
	kueue_story_free(s);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("sim/kueue/kueue_setup");
	TCase *t = tcase_create("all");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_add_test(t, columns);
	tcase_add_test(t, queues_by_name);
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
