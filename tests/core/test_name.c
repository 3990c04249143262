/* test_name.c - Indices in order of first addition, texts that never move. */
#include <check.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/name.h"

START_TEST(indices_are_input_order)
{
	struct name_table *t = name_new();

	ck_assert_uint_eq(name_count(t), 0);
	ck_assert_uint_eq(name_find(t, "a"), NAME_NONE);
	ck_assert_uint_eq(name_add(t, "zeta"), 0);
	ck_assert_uint_eq(name_add(t, "alpha"), 1);
	ck_assert_uint_eq(name_add(t, "zeta"), 0);
	ck_assert_uint_eq(name_add(t, ""), 2);
	ck_assert_uint_eq(name_count(t), 3);
	ck_assert_uint_eq(name_find(t, "alpha"), 1);
	ck_assert_uint_eq(name_find(t, ""), 2);
	ck_assert_uint_eq(name_find(t, "alph"), NAME_NONE);
	ck_assert_uint_eq(name_find(t, "alphabet"), NAME_NONE);
	ck_assert_str_eq(name_text(t, 0), "zeta");
	ck_assert_str_eq(name_text(t, 2), "");
	ck_assert_str_eq(name_text(t, NAME_NONE), "");
	name_free(t);
	name_free(NULL);
}
END_TEST

START_TEST(parts_of_texts)
{
	struct name_table *t = name_new();
	const char *line = "team-a,team-b,team";

	ck_assert_uint_eq(name_add_n(t, line, 6), 0);
	ck_assert_uint_eq(name_add_n(t, line + 7, 6), 1);
	ck_assert_uint_eq(name_add_n(t, line, 4), 2);
	ck_assert_uint_eq(name_find_n(t, line + 14, 4), 2);
	ck_assert_uint_eq(name_find(t, "team-b"), 1);
	ck_assert_uint_eq(name_find_n(t, line, 5), NAME_NONE);
	ck_assert_str_eq(name_text(t, 2), "team");
	/* A zero byte is part of a name: "a" and "a\0b" are two. */
	ck_assert_uint_eq(name_add_n(t, "a\0b", 3), 3);
	ck_assert_uint_eq(name_add(t, "a"), 4);
	name_free(t);
}
END_TEST

START_TEST(many)
{
	enum { N = 200000 };
	struct name_table *t = name_new();
	const char *early;
	char text[64];

	ck_assert_uint_eq(name_add(t, "first"), 0);
	early = name_text(t, 0);
	for (uint32_t i = 1; i < N; i++) {
		snprintf(text, sizeof(text), "namespace/job-%u", i);
		ck_assert_uint_eq(name_add(t, text), i);
	}
	ck_assert_ptr_eq(name_text(t, 0), early);
	ck_assert_uint_eq(name_count(t), N);
	for (uint32_t i = 1; i < N; i++) {
		snprintf(text, sizeof(text), "namespace/job-%u", i);
		ck_assert_uint_eq(name_find(t, text), i);
		ck_assert_str_eq(name_text(t, i), text);
	}
	ck_assert_uint_eq(name_find(t, "namespace/job-0"), NAME_NONE);
	name_free(t);
}
END_TEST

START_TEST(long_texts)
{
	struct name_table *t = name_new();
	char *text = malloc(100001);

	ck_assert_ptr_nonnull(text);
	memset(text, 'x', 100000);
	text[100000] = '\0';
	for (uint32_t i = 0; i < 20; i++)
		ck_assert_uint_eq(name_add_n(t, text, 100000 - i), i);
	for (uint32_t i = 0; i < 20; i++)
		ck_assert_uint_eq(strlen(name_text(t, i)), 100000 - i);
	free(text);
	name_free(t);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("core/name");
	TCase *t = tcase_create("all");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_add_test(t, indices_are_input_order);
	tcase_add_test(t, parts_of_texts);
	tcase_add_test(t, many);
	tcase_add_test(t, long_texts);
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
