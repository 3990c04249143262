/* test_output.c - A file is there whole or not at all; fields are quoted where they must. */
#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/tool/output.h"
#include "tests/support/command.h"

static const char *path(const char *name)
{
	static char text[256];

	snprintf(text, sizeof(text), "%s/%s", command_folder(), name);
	return text;
}

START_TEST(appears_when_it_is_closed)
{
	struct output output;
	struct err err;
	char *text;

	ck_assert_int_eq(output_open(&output, path("whole"), stdout, &err), ERR_OK);
	fputs("x", output.file);
	fflush(output.file);
	ck_assert_int_ne(access(path("whole"), F_OK), 0);
	if (output.nameless) /* whoever kills it leaves nothing behind */
		ck_assert_int_ne(access(output.temporary, F_OK), 0);
	output.path = path("whole");
	ck_assert_int_eq(output_close(&output, &err), ERR_OK);
	text = command_read("whole");
	ck_assert_str_eq(text, "x");
	free(text);
}
END_TEST

START_TEST(minus_is_standard_output)
{
	char *text = NULL;
	size_t size = 0;
	FILE *memory = open_memstream(&text, &size);
	struct output output;
	struct err err;

	ck_assert_int_eq(output_open(&output, "-", memory, &err), ERR_OK);
	fputs("hello", output.file);
	ck_assert_int_eq(output_close(&output, &err), ERR_OK);
	ck_assert_str_eq(text, "hello"); /* and it is open still */
	fclose(memory);
	free(text);
}
END_TEST

START_TEST(a_missing_folder_is_an_error)
{
	struct output output;
	struct err err = {0};

	ck_assert_int_eq(output_open(&output, path("no/such/folder"), stdout, &err), ERR_IO);
	ck_assert_ptr_nonnull(strstr(err.msg, "no/such/folder: No such file"));
}
END_TEST

START_TEST(a_full_disk_is_an_error)
{
	static const int sizes[] = {1, 1000000}; /* it fails at the close; long before it */
	struct output output;
	struct err err = {0};

	if (access("/dev/full", W_OK) != 0)
		return;
	ck_assert_int_eq(output_open(&output, "/dev/full", stdout, &err), ERR_OK);
	for (int i = 0; i < sizes[_i]; i++)
		putc('x', output.file);
	ck_assert_int_eq(output_close(&output, &err), ERR_IO);
	ck_assert_ptr_nonnull(strstr(err.msg, "/dev/full: No space left"));
}
END_TEST

static const struct {
	const char *text, *field;
} fields[] = {
	{"", ""},
	{"plain text", "plain text"},
	{"a,b", "\"a,b\""},
	{"say \"hi\"", "\"say \"\"hi\"\"\""},
	{"two\nlines", "\"two\nlines\""},
	{"cr\r", "\"cr\r\""},
};

START_TEST(quotes_as_rfc_4180)
{
	struct output_text text;

	output_text_open(&text);
	output_csv(text.file, fields[_i].text);
	output_text_close(&text);
	ck_assert_str_eq(text.data, fields[_i].field);
	ck_assert_uint_eq(text.size, strlen(fields[_i].field));
	output_text_free(&text);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("sim/tool/output");
	TCase *t = tcase_create("all");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_add_test(t, appears_when_it_is_closed);
	tcase_add_test(t, minus_is_standard_output);
	tcase_add_test(t, a_missing_folder_is_an_error);
	tcase_add_loop_test(t, a_full_disk_is_an_error, 0, 2);
	tcase_add_loop_test(t, quotes_as_rfc_4180, 0, (int)(sizeof(fields) / sizeof(fields[0])));
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
