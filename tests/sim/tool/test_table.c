/* test_table.c - Columns line up, also in other scripts; no blanks at line ends. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "sim/tool/table.h"

static char *print(const struct table *table, bool colour, const int *min)
{
	char *text = NULL;
	size_t size = 0;
	FILE *memory = open_memstream(&text, &size);

	table_print(table, memory, colour, min);
	fclose(memory);
	return text;
}

static struct table *sample(void)
{
	struct table *table = table_new(3, 2); /* the middle one to the right */

	table_row(table);
	table_cell(table, 0, "name");
	table_cell(table, 1, "n");
	table_cell(table, 2, "why");
	table_mark(table, TABLE_HEAD);
	table_row(table);
	table_cell(table, 0, "\u00fcber"); /* four letters, five bytes */
	table_cell(table, 1, "%d", 1234);
	table_row(table);
	table_cell(table, 0, "x");
	table_cell(table, 2, "because");
	return table;
}

START_TEST(columns_line_up)
{
	struct table *table = sample();
	char *text = print(table, false, NULL);

	ck_assert_str_eq(text, "name     n  why\n"
			       "\u00fcber  1234\n"
			       "x           because\n");
	free(text);
	table_free(table);
}
END_TEST

START_TEST(least_widths_hold)
{
	const int min[] = {6, 0, 0};
	struct table *table = table_new(3, 2);
	char *text;

	table_row(table);
	table_cell(table, 0, "a");
	table_cell(table, 1, "b");
	text = print(table, false, min);
	ck_assert_str_eq(text, "a       b\n");
	free(text);
	table_free(table);
}
END_TEST

START_TEST(colour_only_where_it_is_asked_for)
{
	struct table *table = sample();
	char *text = print(table, true, NULL);

	ck_assert_ptr_nonnull(strstr(text, "\033[1mname"));
	ck_assert_ptr_nonnull(strstr(text, "\033[0m\n"));
	free(text);
	table_free(table);
}
END_TEST

START_TEST(paragraphs_break_at_blanks)
{
	char *text = NULL;
	size_t size = 0;
	FILE *memory = open_memstream(&text, &size);
	char *line;

	fputs("- ", memory);
	table_paragraph(memory, 2,
			"one two three four five six seven eight nine ten eleven twelve "
			"thirteen fourteen fifteen sixteen seventeen");
	fclose(memory);
	line = strchr(text, '\n');
	ck_assert_int_le(line - text, TABLE_WIDTH);
	ck_assert_int_gt(line - text, TABLE_WIDTH - 10);
	ck_assert_int_ne(line[-1], ' ');
	ck_assert_int_eq(strncmp(line, "\n  ", 3), 0);
	ck_assert_int_eq(text[strlen(text) - 1], '\n');
	free(text);
}
END_TEST

/* A word longer than a line is not lost and does not hang. */
START_TEST(long_words_stay_whole)
{
	char word[200], *text = NULL;
	size_t size = 0;
	FILE *memory = open_memstream(&text, &size);

	memset(word, 'w', sizeof(word) - 1);
	word[sizeof(word) - 1] = '\0';
	table_paragraph(memory, 0, word);
	fclose(memory);
	ck_assert_uint_eq(strlen(text), sizeof(word));
	free(text);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("sim/tool/table");
	TCase *t = tcase_create("all");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_add_test(t, columns_line_up);
	tcase_add_test(t, least_widths_hold);
	tcase_add_test(t, colour_only_where_it_is_asked_for);
	tcase_add_test(t, paragraphs_break_at_blanks);
	tcase_add_test(t, long_words_stay_whole);
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
