/* test_err.c - Every code has a text; the place is kept; long messages are cut, not overrun. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "core/err.h"

START_TEST(every_code_has_a_text)
{
#define X(code, text) ck_assert_str_eq(err_text(code), text);
	ERR_MAP(X)
#undef X
}
END_TEST

START_TEST(keeps_the_place)
{
	struct err err;

	ck_assert_int_eq(err_set(&err, ERR_VALUE, "a.yaml", 3, 7, "%s: -1", "nominalQuota"),
			 ERR_VALUE);
	ck_assert_int_eq(err.code, ERR_VALUE);
	ck_assert_str_eq(err.file, "a.yaml");
	ck_assert_int_eq(err.line, 3);
	ck_assert_int_eq(err.column, 7);
	ck_assert_str_eq(err.msg, "nominalQuota: -1");
	err_set(&err, ERR_IO, NULL, 0, 0, "%0999d", 1);
	ck_assert_uint_eq(strlen(err.msg), sizeof(err.msg) - 1);
}
END_TEST

static const struct {
	const char *file;
	long line, column;
	const char *want;
} format_rows[] = {
	{"a.yaml", 12, 5, "a.yaml:12:5: too large"},
	{"a.yaml", 12, 0, "a.yaml:12: too large"},
	{"a.yaml", 0, 0, "a.yaml: too large"},
	{"a.yaml", 0, 5, "a.yaml: too large"}, /* a column without a line says nothing */
	{NULL, 12, 5, "too large"},
	{NULL, 0, 0, "too large"},
};

START_TEST(format)
{
	struct err err;
	char buf[64], small[8];

	err_set(&err, ERR_VALUE, format_rows[_i].file, format_rows[_i].line, format_rows[_i].column,
		"too %s", "large");
	err_format(&err, buf, sizeof(buf));
	ck_assert_str_eq(buf, format_rows[_i].want);
	memset(small, '#', sizeof(small));
	err_format(&err, small, sizeof(small) - 1);
	ck_assert_uint_eq(strlen(small), 6);
	ck_assert_int_eq(strncmp(small, format_rows[_i].want, 6), 0);
	ck_assert_int_eq(small[7], '#');
}
END_TEST

int main(void)
{
	Suite *s = suite_create("core/err");
	TCase *t = tcase_create("all");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_add_test(t, every_code_has_a_text);
	tcase_add_test(t, keeps_the_place);
	tcase_add_loop_test(t, format, 0, (int)(sizeof(format_rows) / sizeof(format_rows[0])));
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
