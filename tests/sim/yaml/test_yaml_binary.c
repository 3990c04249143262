/* test_yaml_binary.c - base64 as Go's encoding/base64 and encoding/json take it. */
#include "sim/yaml/yaml_binary.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

/* NULL: no base64. */
static const struct {
	const char *base64, *text;
} rows[] = {
	{"", ""},
	{"YQ==", "a"},
	{"YWI=", "ab"},
	{"YWJj", "abc"},
	{"bnZpZGlhLmNvbS9ncHU=", "nvidia.com/gpu"},
	{"YW\nJj\r\nZA=\n=\n", "abcd"},
	{"YR==", "a"}, /* bits left over are not looked at */
	{"+/+/", "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"},
	{"w6TigqzwnZCA", "\xC3\xA4\xE2\x82\xAC\xF0\x9D\x90\x80"},
	{"YcMoYg==", "a\xEF\xBF\xBD(b"},		  /* a character cut off */
	{"wIA=", "\xEF\xBF\xBD\xEF\xBF\xBD"},		  /* longer than it need be */
	{"7aCA", "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"}, /* half of a surrogate pair */
	{"9JCAgA==", "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"}, /* beyond U+10FFFF */
	{"/////w==", "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"},
	{"YQ", NULL},
	{"YQ=", NULL},
	{"Y===", NULL},
	{"YQ===", NULL},
	{"YQ==YQ==", NULL},
	{"YQ=a", NULL},
	{"YW Jj", NULL},
	{"YW-_", NULL},
	{"=", NULL},
};

START_TEST(decodes)
{
	size_t len = strlen(rows[_i].base64), got = 0;
	char *out = malloc(yaml_binary_room(len));
	bool good = yaml_binary(rows[_i].base64, len, out, &got);

	ck_assert_msg(good == (rows[_i].text != NULL), "%s", rows[_i].base64);
	if (good) {
		ck_assert_str_eq(out, rows[_i].text);
		ck_assert_uint_eq(got, strlen(rows[_i].text));
	}
	free(out);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("sim/yaml/yaml_binary");
	TCase *t = tcase_create("all");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_add_loop_test(t, decodes, 0, (int)(sizeof(rows) / sizeof(rows[0])));
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
