/* test_yaml_json.c - escapes of JSON, cut anywhere. */
#include "sim/yaml/yaml_json.h"

#include <check.h>
#include <string.h>

#include "tests/sim/objects_case.h"

static const char text[] =
	"a\\ud83d\\ude00b\\\\ud83d\\ud83dx\\n\xEF\xBB\xBF\xC2\x80\x7F\xE2\x80\xA8z";
static const char passed[] =
	"a\\U0001F600\\0b\\\\ud83d\\uFFFDx\\n\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBDz";

/* What is at hand first ends anywhere; nothing of it is lost or taken apart. */
START_TEST(cut_anywhere)
{
	for (size_t cut = 0; cut < sizeof(text); cut++) {
		char out[2 * sizeof(passed)];
		const char *stop;
		size_t size = yaml_json_pass(text, text + cut, true, out, sizeof(out), &stop);

		ck_assert(stop <= text + cut && text + cut - stop < YAML_JSON_ESCAPE);
		size += yaml_json_pass(stop, text + sizeof(text) - 1, false, out + size,
				       sizeof(out) - size, &stop);
		ck_assert_ptr_eq(stop, text + sizeof(text) - 1);
		ck_assert_uint_eq(size, sizeof(passed) - 1);
		ck_assert_mem_eq(out, passed, size);
	}
}
END_TEST

START_TEST(little_room)
{
	char out[2 * sizeof(passed)];
	const char *at = text;
	size_t size = 0;

	while (at < text + sizeof(text) - 1) {
		size_t room = YAML_JSON_ESCAPE, more;

		more = yaml_json_pass(at, text + sizeof(text) - 1, false, out + size, room, &at);
		ck_assert(more > 0 && more <= room);
		size += more;
	}
	ck_assert_uint_eq(size, sizeof(passed) - 1);
	ck_assert_mem_eq(out, passed, size);
}
END_TEST

/* A file that ends in the middle of an escape: the parser is to complain. */
START_TEST(ends_in_an_escape)
{
	static const char end[] = "\\ud83d\\ude0";
	const char *stop;
	char out[32];

	ck_assert_uint_eq(yaml_json_pass(end, end + strlen(end), false, out, sizeof(out), &stop),
			  strlen(end));
	ck_assert_mem_eq(out, "\\uFFFD\\ude0", strlen(end));
}
END_TEST

START_TEST(mends)
{
	char some[] = "\\ud83d\\ude00\\ude00\\\\ud83d\\n\\ud83d\\u0041";
	char end[] = "\\ud83d\\ude0", zero[] = "\\u0000\\ude00", cut[] = "\\";

	yaml_json_mend(some, strlen(some));
	ck_assert_str_eq(some, "\\ud83d\\ude00\\uFFFD\\\\ud83d\\n\\uFFFD\\u0041");
	yaml_json_mend(end, strlen(end));
	ck_assert_str_eq(end, "\\uFFFD\\ude0");
	yaml_json_mend(cut, strlen(cut));
	ck_assert_str_eq(cut, "\\");
	yaml_json_mend(zero, strlen(zero));
	ck_assert_str_eq(zero, "\\u0000\\uFFFD");
}
END_TEST

START_TEST(finds_zeros)
{
	const char zero[] = "a\\\\u0000\\ud83d\\ude00\\u0000", none[] = "a\\\\u0000\\u00001";

	ck_assert_ptr_eq(yaml_json_zero(zero, strlen(zero)), zero + 20);
	ck_assert_ptr_null(yaml_json_zero(none, 13));
	ck_assert_ptr_eq(yaml_json_zero(none, 14), none + 8);
	ck_assert_ptr_null(yaml_json_zero(none, 0));
}
END_TEST

START_TEST(restores)
{
	char zero[] = "\xF0\x9F\x98\x80\0b\0c";

	ck_assert_uint_eq(yaml_json_restore(zero, sizeof(zero) - 1), 7);
	ck_assert_mem_eq(zero,
			 "\xF0\x9F\x98\x80"
			 "b\0c",
			 7);
}
END_TEST

int main(void)
{
	TCase *t = tcase_create("all");

	tcase_add_test(t, cut_anywhere);
	tcase_add_test(t, mends);
	tcase_add_test(t, finds_zeros);
	tcase_add_test(t, little_room);
	tcase_add_test(t, ends_in_an_escape);
	tcase_add_test(t, restores);
	return objects_case_run("sim/yaml/yaml_json", t);
}
