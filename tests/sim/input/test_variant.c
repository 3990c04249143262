/* test_variant.c - Lists multiply, columns stand for themselves, mixing them is refused. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "sim/input/variant.h"

#define WORDS 12

static const struct {
	const char *argv[WORDS];
	const char *expect; /* "title[set;set] ..."; NULL: an error */
} rows[] = {
	{{NULL}, "[] "},
	{{"--set", "q/a:g.n=8"}, "[q/a:g.n=8] "},
	{{"--set", "q/a:g.n=8", "--set", "q/a:g.n=16"}, "[q/a:g.n=8;q/a:g.n=16] "},
	{{"--set", "q/a:g.n=8,16"}, "n=8[q/a:g.n=8] n=16[q/a:g.n=16] "},
	{{"--set", "q/a:g.n=8,16", "--set", "q/b:g.m=1"},
	 "n=8[q/a:g.n=8;q/b:g.m=1] n=16[q/a:g.n=16;q/b:g.m=1] "},
	{{"--set", "q/a:g.n=8,16", "--set", "q/b:g.m=1,2"},
	 "n=8 m=1[q/a:g.n=8;q/b:g.m=1] n=8 m=2[q/a:g.n=8;q/b:g.m=2] "
	 "n=16 m=1[q/a:g.n=16;q/b:g.m=1] n=16 m=2[q/a:g.n=16;q/b:g.m=2] "},
	{{"--set", "all=1", "--column", "now", "--column", "more", "--set", "q/a:g.n=8"},
	 "now[all=1] more[all=1;q/a:g.n=8] "},
	{{"--column", "x", "--set", "q/a:g.n=8,16"}, "x[q/a:g.n=8,16] "},
	{{"--set", "q/a:g.n=8,16", "--column", "x"}, NULL},
	{{"--set", "a.b=1,2,3,4,5,6,7,8,9,10,11,12,13"}, NULL},
};

static enum err_code read(size_t i, struct variants *v)
{
	struct cmd_args args;
	struct err err;
	enum err_code code;
	int argc = 0;

	while (argc < WORDS && rows[i].argv[argc] != NULL)
		argc++;
	ck_assert_int_eq(cmd_parse(&cmd_compare_row, argc, rows[i].argv, &args, &err), ERR_OK);
	code = variant_read(&args, v, &err);
	cmd_args_free(&args);
	return code;
}

static void print(const struct variants *v, char *text, size_t size)
{
	size_t len = 0;

	for (size_t i = 0; i < v->count; i++) {
		len += (size_t)snprintf(text + len, size - len, "%s[", v->items[i].title);
		for (uint32_t k = 0; k < v->items[i].set_count; k++)
			len += (size_t)snprintf(text + len, size - len, "%s%s", k == 0 ? "" : ";",
						v->items[i].sets[k]);
		len += (size_t)snprintf(text + len, size - len, "] ");
	}
}

START_TEST(reads)
{
	struct variants v;
	char text[1024] = "";
	enum err_code code = read((size_t)_i, &v);

	if (rows[_i].expect == NULL) {
		ck_assert_int_ne(code, ERR_OK);
	} else {
		ck_assert_int_eq(code, ERR_OK);
		print(&v, text, sizeof(text));
		ck_assert_str_eq(text, rows[_i].expect);
	}
	variant_free(&v);
}
END_TEST

START_TEST(the_original_stands_first)
{
	struct variants v;
	char text[1024] = "";

	ck_assert_int_eq(read(1, &v), ERR_OK);
	variant_add_original(&v);
	print(&v, text, sizeof(text));
	ck_assert_str_eq(text, "as given[] n=8[q/a:g.n=8] ");
	variant_free(&v);
	ck_assert_int_eq(read(2, &v), ERR_OK);
	variant_add_original(&v); /* the last value holds */
	ck_assert_str_eq(v.items[1].title, "n=16");
	variant_free(&v);
	ck_assert_int_eq(read(0, &v), ERR_OK);
	variant_add_original(&v); /* nothing is changed: nothing to compare */
	ck_assert_uint_eq(v.count, 1);
	variant_free(&v);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("sim/input/variant");
	TCase *t = tcase_create("all");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_add_loop_test(t, reads, 0, (int)(sizeof(rows) / sizeof(rows[0])));
	tcase_add_test(t, the_original_stands_first);
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
