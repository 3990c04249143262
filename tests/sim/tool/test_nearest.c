/* test_nearest.c - Distances are edits; the nearest word is offered, a far one is not. */
#include <check.h>
#include <stdlib.h>

#include "sim/tool/nearest.h"

static const struct {
	const char *a, *b;
	size_t distance;
} distances[] = {
	{"", "", 0},	       {"", "abc", 3},
	{"kueue", "kueue", 0}, {"Kueue", "kueue", 0},
	{"keuue", "kueue", 1}, /* neighbours swapped */
	{"kueu", "kueue", 1},  {"kueues", "kueue", 1},
	{"queue", "kueue", 1}, {"kitten", "sitting", 3},
	{"ca", "abc", 3}, /* a swap may not be edited again */
};

START_TEST(distance_is_the_number_of_edits)
{
	ck_assert_uint_eq(nearest_distance(distances[_i].a, distances[_i].b),
			  distances[_i].distance);
	ck_assert_uint_eq(nearest_distance(distances[_i].b, distances[_i].a),
			  distances[_i].distance);
}
END_TEST

START_TEST(the_nearest_is_offered)
{
	struct nearest n;

	nearest_begin(&n, "comparre");
	nearest_offer(&n, "completion");
	nearest_offer(&n, "compare");
	nearest_offer(&n, "compete");
	ck_assert_str_eq(n.best, "compare");
}
END_TEST

START_TEST(equal_distance_keeps_the_first)
{
	struct nearest n;

	nearest_begin(&n, "job-1");
	nearest_offer(&n, "job-2");
	nearest_offer(&n, "job-3");
	ck_assert_str_eq(n.best, "job-2");
}
END_TEST

START_TEST(nothing_far_is_offered)
{
	struct nearest n;

	nearest_begin(&n, "xyz");
	nearest_offer(&n, "compare");
	nearest_offer(&n, "run"); /* every letter would change */
	ck_assert_ptr_null(n.best);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("sim/tool/nearest");
	TCase *t = tcase_create("all");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_add_loop_test(t, distance_is_the_number_of_edits, 0,
			    (int)(sizeof(distances) / sizeof(distances[0])));
	tcase_add_test(t, the_nearest_is_offered);
	tcase_add_test(t, equal_distance_keeps_the_first);
	tcase_add_test(t, nothing_far_is_offered);
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
