/* test_yaml_edit.c - trees made of other trees. */
#include "sim/yaml/yaml_edit.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROWS(table) ((int)(sizeof(table) / sizeof((table)[0])))

static struct mem_arena *arena;

/* One document, which the arena then owns. */
static const struct yaml_node *read(const char *text)
{
	const struct source source = {.name = "t", .data = text, .size = strlen(text)};
	const struct yaml_node *root = NULL, *copy;
	struct yaml_reader *reader = NULL;
	struct err err;

	ck_assert_int_eq(yaml_open(&source, &reader, &err), ERR_OK);
	ck_assert_msg(yaml_next(reader, &root, &err) == ERR_OK, "%s", err.msg);
	copy = yaml_edit_copy(arena, root);
	yaml_close(reader);
	return copy;
}

static void put(char **out, const char *text)
{
	*out += sprintf(*out, "%s", text);
}

static void print(const struct yaml_node *node, char **out)
{
	if (node->kind == YAML_SCALAR) {
		put(out, node->text);
		return;
	}
	put(out, node->kind == YAML_LIST ? "[" : "{");
	for (uint32_t i = 0; i < node->count; i++) {
		put(out, i > 0 ? ", " : "");
		if (node->kind == YAML_MAP) {
			put(out, node->pairs[i].key->text);
			put(out, ": ");
		}
		print(node->kind == YAML_LIST ? node->items[i] : node->pairs[i].value, out);
	}
	put(out, node->kind == YAML_LIST ? "]" : "}");
}

static const char *text_of(const struct yaml_node *node)
{
	static char text[1000];
	char *out = text;

	print(node, &out);
	return text;
}

static void open_arena(void)
{
	arena = mem_arena_new();
}

static void close_arena(void)
{
	mem_arena_free(arena);
}

START_TEST(copies)
{
	const struct yaml_node *node = read("a: [1, {b: \"x\"}, []]\nc: {}\n");
	const struct yaml_node *x = yaml_find(yaml_find(node, "a")->items[1], "b");

	ck_assert_str_eq(text_of(node), "{a: [1, {b: x}, []], c: {}}");
	ck_assert(!x->plain);
	ck_assert(yaml_find(node, "a")->items[0]->plain);
	ck_assert_uint_eq(x->line, 1);
	ck_assert_uint_eq(x->column, 12);
}
END_TEST

START_TEST(sets)
{
	const struct yaml_node *map = read("{a: 1, b: 2}"), *value = read("[x]"), *made;

	made = yaml_edit_set(arena, map, map, "b", value);
	ck_assert_str_eq(text_of(made), "{a: 1, b: [x]}");
	ck_assert_str_eq(text_of(yaml_edit_set(arena, made, map, "c", value)),
			 "{a: 1, b: [x], c: [x]}");
	ck_assert_str_eq(text_of(yaml_edit_set(arena, NULL, map, "c", value)), "{c: [x]}");
	ck_assert_str_eq(text_of(yaml_edit_set(arena, value, map, "c", map)), "{c: {a: 1, b: 2}}");
	ck_assert_str_eq(text_of(map), "{a: 1, b: 2}"); /* as it was */
}
END_TEST

START_TEST(lists)
{
	const struct yaml_node *list = read("[a, b]"), *item = read("{c: d}");

	ck_assert_str_eq(text_of(yaml_edit_append(arena, list, item)), "[a, b, {c: d}]");
	ck_assert_str_eq(text_of(yaml_edit_replace(arena, list, 0, item)), "[{c: d}, b]");
	ck_assert_str_eq(text_of(yaml_edit_append(arena, yaml_edit_list(arena, item), item)),
			 "[{c: d}]");
	ck_assert_str_eq(text_of(list), "[a, b]");
}
END_TEST

static const struct {
	const char *base, *patch, *merged;
} merges[] = {
	{"{a: 1}", "{b: 2}", "{a: 1, b: 2}"},
	{"{a: 1}", "{a: 2}", "{a: 2}"},
	{"{a: {b: 1, c: 2}}", "{a: {c: 3, d: 4}}", "{a: {b: 1, c: 3, d: 4}}"},
	{"{a: {b: 1}}", "{a: 2}", "{a: 2}"},
	/* things with a name, by their name */
	{"[{name: x, v: 1}, {name: y, v: 2}]", "[{name: y, v: 3}, {name: z}]",
	 "[{name: x, v: 1}, {name: y, v: 3}, {name: z}]"},
	{"[]", "[{name: y}]", "[{name: y}]"},
	/* others take the place of what was there */
	{"[{key: x}]", "[{key: y}]", "[{key: y}]"},
	{"[a, b]", "[c]", "[c]"},
	{"[a]", "[]", "[a]"},
};

START_TEST(merging)
{
	ck_assert_str_eq(
		text_of(yaml_edit_merge(arena, read(merges[_i].base), read(merges[_i].patch))),
		merges[_i].merged);
}
END_TEST

START_TEST(merging_nothing)
{
	const struct yaml_node *node = read("{a: 1}");

	ck_assert_ptr_eq(yaml_edit_merge(arena, node, NULL), node);
	ck_assert_ptr_eq(yaml_edit_merge(arena, NULL, node), node);
	ck_assert_ptr_null(yaml_edit_merge(arena, NULL, NULL));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("yaml_edit");
	TCase *tests = tcase_create("yaml_edit");
	SRunner *runner;
	int failed;

	tcase_add_checked_fixture(tests, open_arena, close_arena);
	tcase_add_test(tests, copies);
	tcase_add_test(tests, sets);
	tcase_add_test(tests, lists);
	tcase_add_loop_test(tests, merging, 0, ROWS(merges));
	tcase_add_test(tests, merging_nothing);
	suite_add_tcase(suite, tests);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
