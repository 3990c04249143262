/* test_alike.c - jobs with the same place and pods are one class, others are not. */
#include <check.h>
#include <stdlib.h>

#include "sim/scenario/alike.h"

START_TEST(classes_come_in_the_order_of_their_first_jobs)
{
	static const struct job_common here = {.local_queue = 3, .ns = 1},
				       there = {.local_queue = 3, .ns = 2},
				       nowhere = {.local_queue = JOB_NONE, .ns = 1};
	static const struct {
		struct job job;
		uint32_t class;
		bool held;
	} rows[] = {
		{{.common = &here, .first_pod_set = 5, .submit = 1}, 0},
		{{.common = &there, .first_pod_set = 5}, 1},
		{{.common = &here, .first_pod_set = 6}, 2},
		{{.common = &here, .first_pod_set = 5, .duration = JOB_ENDLESS}, 0},
		{{.common = &nowhere, .first_pod_set = 5}, 3},
		{{.common = &here, .first_pod_set = 5, .flags = JOB_NOT_GANG}, 4},
		{{.common = &here, .first_pod_set = 5, .flags = JOB_UNMANAGED}, 5},
		{{.common = &here, .first_pod_set = 5, .flags = JOB_CUT}, 0},
		{{.common = &here, .first_pod_set = 6, .flags = JOB_SOLO}, 2},
		{{.common = &here, .first_pod_set = 5, .flags = JOB_UNMANAGED}, 6, true},
	};
	static const uint32_t counts[] = {3, 1, 2, 1, 1, 1, 1}, firsts[] = {0, 1, 2, 4, 5, 6, 9};
	struct alike alike;

	alike_begin(&alike);
	for (uint32_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint32_t class = alike_of(&alike, &rows[i].job, rows[i].held, i);

		ck_assert_msg(class == rows[i].class, "row %u: class %u", i, class);
		alike_count(&alike, class, &rows[i].job);
	}
	ck_assert_uint_eq(alike.count, 7);
	for (uint32_t c = 0; c < alike.count; c++) {
		ck_assert_uint_eq(alike.classes[c].count, counts[c]);
		ck_assert_uint_eq(alike.classes[c].first, firsts[c]);
		ck_assert_int_eq(alike.classes[c].endless, c == 0);
		ck_assert_int_eq(alike.classes[c].held, c == 6);
	}
	alike_end(&alike);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("sim/scenario/alike");
	TCase *t = tcase_create("all");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_add_test(t, classes_come_in_the_order_of_their_first_jobs);
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
