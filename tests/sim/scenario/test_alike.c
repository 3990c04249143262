/* test_alike.c - jobs with the same place and pods are one class, others are not. */
#include <check.h>
#include <stdlib.h>

#include "sim/scenario/alike.h"

START_TEST(classes_come_in_the_order_of_their_first_jobs)
{
	enum { HERE, THERE, NOWHERE };
	static const struct {
		uint32_t local_queue, ns;
	} places[] = {{3, 1}, {3, 2}, {JOB_NONE, 1}};
	static const struct {
		uint32_t place, first_pod_set, flags, class;
		simtime duration;
		bool held;
	} rows[] = {
		{HERE, 5, 0, 0, 1, false},
		{THERE, 5, 0, 1, 1, false},
		{HERE, 6, 0, 2, 1, false},
		{HERE, 5, 0, 0, JOB_ENDLESS, false},
		{NOWHERE, 5, 0, 3, 1, false},
		{HERE, 5, JOB_NOT_GANG, 4, 1, false},
		{HERE, 5, JOB_UNMANAGED, 5, 1, false},
		{HERE, 5, JOB_CUT, 0, 1, false},
		{HERE, 6, JOB_SOLO, 2, 1, false},
		{HERE, 5, JOB_UNMANAGED, 6, 1, true},
	};
	static const uint32_t counts[] = {3, 1, 2, 1, 1, 1, 1}, firsts[] = {0, 1, 2, 4, 5, 6, 9};
	struct alike alike;

	alike_begin(&alike);
	for (uint32_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct job_common common = {.local_queue = places[rows[i].place].local_queue,
						  .ns = places[rows[i].place].ns,
						  .first_pod_set = rows[i].first_pod_set,
						  .flags = (uint16_t)rows[i].flags};
		const struct job job = {.common = &common, .duration = rows[i].duration};
		uint32_t class = alike_of(&alike, &job, rows[i].held, i);

		ck_assert_msg(class == rows[i].class, "row %u: class %u", i, class);
		alike_count(&alike, class, &job);
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
