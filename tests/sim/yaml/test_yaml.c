/* test_yaml.c - documents as trees: places, aliases, merges, limits. */
#include <stdio.h>

#include "sim/yaml/yaml.h"
#include "tests/sim/objects_case.h"
#include "tests/sim/window_case.h"

struct reading {
	struct source source;
	struct yaml_reader *reader;
	struct err err;
};

static void begin(struct reading *r, const char *text)
{
	*r = (struct reading){.source = {.name = "t", .data = text, .size = strlen(text)}};
	ck_assert_int_eq(yaml_open(&r->source, &r->reader, &r->err), ERR_OK);
}

static const struct yaml_node *next(struct reading *r)
{
	const struct yaml_node *root = NULL;

	ck_assert_msg(yaml_next(r->reader, &root, &r->err) == ERR_OK, "%s", r->err.msg);
	return root;
}

START_TEST(places)
{
	struct reading r;
	const struct yaml_node *root, *b, *d;

	begin(&r, "# comment\na: 1\nb:\n  - x\n  - {c: 'two words', d: \"q\"}\n");
	root = next(&r);
	ck_assert_int_eq(root->kind, YAML_MAP);
	ck_assert_uint_eq(root->count, 2);
	ck_assert_uint_eq(root->line, 2);
	ck_assert_uint_eq(root->column, 1);
	b = yaml_find(root, "b");
	ck_assert_int_eq(b->kind, YAML_LIST);
	ck_assert_uint_eq(b->count, 2);
	ck_assert(b->items[0]->plain);
	d = yaml_find(b->items[1], "d");
	ck_assert(!d->plain);
	ck_assert_uint_eq(d->line, 5);
	ck_assert_uint_eq(d->column, 25);
	ck_assert(yaml_text_is(yaml_find(b->items[1], "c"), "two words"));
	ck_assert_ptr_null(yaml_find(root, "c"));
	ck_assert_ptr_null(yaml_find(b, "a")); /* no map */
	ck_assert_ptr_null(next(&r));
	ck_assert_ptr_null(next(&r)); /* stays at the end */
	yaml_close(r.reader);
}
END_TEST

START_TEST(documents)
{
	struct reading r;

	begin(&r, "---\n# nothing\n---\n\n---\na: 1\n...\n---\nb: |\n  ---\n  not a "
		  "document\n---\n~\n");
	ck_assert(yaml_text_is(yaml_find(next(&r), "a"), "1"));
	ck_assert(yaml_text_is(yaml_find(next(&r), "b"), "---\nnot a document\n"));
	ck_assert_ptr_null(next(&r));
	yaml_close(r.reader);
}
END_TEST

/* One behind the other, as jq prints them and kubectl reads them; in YAML they must be parted. */
START_TEST(json_documents)
{
	const char *text = "{\"a\": 1}{\"b\": \"\xC3\xA4\"}{\"c\": 3}\n {\"d\":\n4} [5]";
	static const uint32_t starts[][2] = {{1, 1}, {1, 9}, {1, 19}, {2, 2}, {3, 4}};
	const struct yaml_node *root;
	struct reading r;

	begin(&r, text);
	for (int i = 0; i < ROWS(starts); i++) {
		root = next(&r);
		ck_assert_ptr_nonnull(root);
		ck_assert_uint_eq(root->line, starts[i][0]);
		ck_assert_uint_eq(root->column, starts[i][1]);
	}
	ck_assert_uint_eq(root->items[0]->column, 5);
	ck_assert_ptr_null(next(&r));
	yaml_close(r.reader);
	begin(&r, "a: 1\n...\n{b: 2}");
	ck_assert_ptr_nonnull(next(&r));
	ck_assert_int_eq(yaml_next(r.reader, &root, &r.err), ERR_SYNTAX);
	yaml_close(r.reader);
}
END_TEST

START_TEST(json)
{
	struct reading r;
	const struct yaml_node *root;

	begin(&r, "{\n\t\"a\":\t\"b\\/c \\u00e9 "
		  "\\\"\\\\\\n\",\n\t\"n\":-1.5e3,\"l\":[1,\n\t2],\"o\":{}}");
	root = next(&r);
	ck_assert(yaml_text_is(yaml_find(root, "a"), "b/c \xc3\xa9 \"\\\n"));
	ck_assert(yaml_text_is(yaml_find(root, "n"), "-1.5e3"));
	ck_assert_uint_eq(yaml_find(root, "l")->count, 2);
	ck_assert_uint_eq(yaml_find(root, "o")->count, 0);
	yaml_close(r.reader);
}
END_TEST

/* As encoding/json reads it: pairs of escapes, halves of pairs, and what YAML wants escaped. */
static const struct {
	const char *json, *text;
} escapes[] = {
	{"a\\ud83d\\ude00b", "a\xF0\x9F\x98\x80"
			     "b"},
	{"\\uD83D\\uDE00\\uD83D\\uDE01", "\xF0\x9F\x98\x80\xF0\x9F\x98\x81"},
	{"\\udbff\\udfff", "\xF4\x8F\xBF\xBF"},
	{"\\\\ud83d\\\\ude00", "\\ud83d\\ude00"}, /* an escaped backslash */
	{"\\\\\\ud83d\\ude00", "\\\xF0\x9F\x98\x80"},
	{"\\ud83d", "\xEF\xBF\xBD"},
	{"\\ude00x", "\xEF\xBF\xBDx"},
	{"\\ud83d\\u0041", "\xEF\xBF\xBD"
			   "A"},
	{"\\ud83d\\ud83d\\ude00", "\xEF\xBF\xBD\xF0\x9F\x98\x80"},
	{"\\ud83d\\n", "\xEF\xBF\xBD\n"},
	{"\xF0\x9F\x98\x80", "\xF0\x9F\x98\x80"},
	{"\x7F\xC2\x9B\xEF\xBB\xBFz\xEF\xBF\xBE", "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBDz"
						  "\xEF\xBF\xBD"},
	{"a \xE2\x80\xA8 \xC2\x85", "a \xEF\xBF\xBD \xEF\xBF\xBD"},
	{"\xC2\xA0\xEF\xBF\xBC", "\xC2\xA0\xEF\xBF\xBC"},
};

START_TEST(json_escapes)
{
	const struct yaml_node *root, *value;
	char text[160];
	struct reading r;

	snprintf(text, sizeof(text), "{\"%s\": [\"%s\", 7]} {\"next\": 1}", escapes[_i].json,
		 escapes[_i].json);
	for (size_t bom = 0; bom < 2; bom++) {
		char with_bom[180];

		snprintf(with_bom, sizeof(with_bom), "%s%s", bom == 0 ? "" : "\xEF\xBB\xBF", text);
		begin(&r, with_bom);
		root = next(&r);
		value = yaml_find(root, escapes[_i].text);
		ck_assert_ptr_nonnull(value);
		ck_assert_str_eq(value->items[0]->text, escapes[_i].text);
		ck_assert_uint_eq(value->items[0]->count, strlen(escapes[_i].text));
		ck_assert_ptr_nonnull(yaml_find(next(&r), "next"));
		ck_assert_ptr_null(next(&r));
		yaml_close(r.reader);
	}
}
END_TEST

/* A place behind escapes is that of the file. */
START_TEST(place_behind_escapes)
{
	struct reading r;

	begin(&r, "{\"a\": \"\\ud83d\\ude00\", \"b\": 1}");
	ck_assert_uint_eq(yaml_find(next(&r), "b")->column, 28);
	yaml_close(r.reader);
}
END_TEST

START_TEST(nulls)
{
	struct reading r;
	const struct yaml_node *root;

	begin(&r, "a:\nb: ~\nc: null\nd: ''\ne: NULL\nf: nil\n");
	root = next(&r);
	ck_assert_ptr_null(yaml_find(root, "a"));
	ck_assert_ptr_null(yaml_find(root, "b"));
	ck_assert_ptr_null(yaml_find(root, "c"));
	ck_assert_ptr_nonnull(yaml_find(root, "d"));
	ck_assert_ptr_null(yaml_find(root, "e"));
	ck_assert_ptr_nonnull(yaml_find(root, "f"));
	yaml_close(r.reader);
}
END_TEST

START_TEST(aliases)
{
	struct reading r;
	const struct yaml_node *root;

	begin(&r, "a: &x [1, 2]\nb: *x\nc: &x 3\nd: *x\n");
	root = next(&r);
	ck_assert_ptr_eq(yaml_find(root, "a"), yaml_find(root, "b"));
	ck_assert(yaml_text_is(yaml_find(root, "d"), "3"));	/* the last anchor of the name */
	ck_assert_uint_eq(root->weight, 1 + 3 + 3 + 1 + 1 + 4); /* with the keys */
	yaml_close(r.reader);
}
END_TEST

/* As sigs.k8s.io/yaml 1.6 merges: what comes later wins, of a list the earlier maps. */
START_TEST(merges)
{
	struct reading r;
	const struct yaml_node *root, *m;

	begin(&r, "a: &a {x: 1, w: 2}\nb: &b {w: 3, z: 4}\n"
		  "m: {<<: *a, x: 9}\nk: {<<: [*b, *a]}\nq: {'<<': 1}\n"
		  "o: {x: 9, <<: *a}\nt: {<<: *a, x: 9, <<: [], <<: *b}\n");
	root = next(&r);
	m = yaml_find(root, "m");
	ck_assert_uint_eq(m->count, 2);
	ck_assert(yaml_text_is(yaml_find(m, "x"), "9"));
	ck_assert(yaml_text_is(yaml_find(m, "w"), "2"));
	m = yaml_find(root, "k");
	ck_assert_uint_eq(m->count, 3);
	ck_assert(yaml_text_is(yaml_find(m, "w"), "3"));
	ck_assert_ptr_nonnull(yaml_find(yaml_find(root, "q"), "<<")); /* in quotes: a key */
	ck_assert(yaml_text_is(yaml_find(yaml_find(root, "o"), "x"), "1"));
	m = yaml_find(root, "t");
	ck_assert_uint_eq(m->count, 3);
	ck_assert(yaml_text_is(yaml_find(m, "x"), "9"));
	ck_assert(yaml_text_is(yaml_find(m, "w"), "3"));
	yaml_close(r.reader);
}
END_TEST

static const struct {
	const char *text, *message;
} errors[] = {
	{"a: 1\nb: 2\na: 3\n", "t:3:1: key \"a\" already set in map, in line 1"},
	{"a: *b\n",
	 "t:1:4: alias *b: the document has no anchor &b before it (anchors do not reach beyond "
	 "their document)"},
	{"a: &x 1\n---\nb: *x\n",
	 "t:3:4: alias *x: the document has no anchor &x before it (anchors do not reach beyond "
	 "their document)"},
	{"a: &x {b: *x}\n", "t:1:11: an alias inside its own anchor"},
	{"a: &x {b: 1}\nc: {b: 2, <<: *x, b: 3}\n",
	 "t:2:19: key \"b\" already set in map, in line 2"},
	{"<<: 1\n", "t:1:1: \"<<\" needs a map or a list of maps"},
	{"? [a]\n: b\n", "t:1:3: a key must be a text, not a list or a map"},
	{"a: 1\n\tb: 2\n",
	 "t:2:1: malformed YAML: found a tab character that violates indentation while scanning a "
	 "plain scalar that begins in line 1"},
	{"a:\n\tb: 2\n", "t:2:1: malformed YAML: found character that cannot start any token; the "
			 "line is indented with a tab: YAML wants spaces"},
	{"a: [1\n", "t:2:1: malformed YAML: did not find expected ',' or ']' while parsing a flow "
		    "sequence that begins in line 1"},
	{"{\"a\": [1}", "t:1:9: malformed JSON: did not find expected ',' or ']'"},
	{"a: {{ x }}-y\n", "t:1:5: a key must be a text; this looks like an unrendered Helm "
			   "template: render it first "
			   "(helm template)"},
	{"ab\ncd\x01\n", "t:2:3: not YAML or JSON: control characters are not allowed; is this a "
			 "text file in UTF-8?"},
};

START_TEST(malformed)
{
	const struct yaml_node *root = NULL;
	char text[1000];
	struct reading r;
	enum err_code code = ERR_OK;

	begin(&r, errors[_i].text);
	do
		code = yaml_next(r.reader, &root, &r.err);
	while (code == ERR_OK && root != NULL);
	ck_assert_int_ne(code, ERR_OK);
	err_format(&r.err, text, sizeof(text));
	ck_assert_str_eq(text, errors[_i].message);
	yaml_close(r.reader);
}
END_TEST

/* More keys than are compared each with each. */
START_TEST(many_keys)
{
	char text[4000];
	size_t used = 0;
	const struct yaml_node *root = NULL;
	struct reading r;

	for (int i = 0; i < 200; i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used, "k%d: %d\n", i, i);
	begin(&r, text);
	ck_assert_uint_eq(next(&r)->count, 200);
	yaml_close(r.reader);
	snprintf(text + used, sizeof(text) - used, "k7: x\n");
	begin(&r, text);
	ck_assert_int_eq(yaml_next(r.reader, &root, &r.err), ERR_DUPLICATE);
	ck_assert_int_eq(r.err.line, 201);
	yaml_close(r.reader);
}
END_TEST

START_TEST(depth)
{
	char text[400];
	const struct yaml_node *root = NULL;
	struct reading r;

	memset(text, 0, sizeof(text));
	memset(text, '[', 100);
	memset(text + 100, ']', 100);
	begin(&r, text);
	ck_assert_ptr_nonnull(next(&r));
	yaml_close(r.reader);
	memset(text, '[', 101);
	memset(text + 101, ']', 101);
	begin(&r, text);
	ck_assert_int_eq(yaml_next(r.reader, &root, &r.err), ERR_LIMIT);
	ck_assert_str_eq(r.err.msg, "nested more than 100 levels deep");
	ck_assert_int_eq(r.err.column, 101);
	yaml_close(r.reader);
}
END_TEST

/* A laugh of ten levels is a thousand million nodes. */
START_TEST(alias_bomb)
{
	char text[2000];
	size_t used = (size_t)snprintf(text, sizeof(text), "a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n");
	const struct yaml_node *root = NULL;
	struct reading r;

	for (int i = 1; i < 10; i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used,
					 "a%d: &a%d [*a%d,*a%d,*a%d,*a%d,*a%d,*a%d,*a%d,*a%d,*a%d,"
					 "*a%d]\n",
					 i, i, i - 1, i - 1, i - 1, i - 1, i - 1, i - 1, i - 1,
					 i - 1, i - 1, i - 1);
	begin(&r, text);
	ck_assert_int_eq(yaml_next(r.reader, &root, &r.err), ERR_LIMIT);
	ck_assert_str_eq(r.err.msg, "aliases repeat more than 10 million nodes");
	yaml_close(r.reader);
}
END_TEST

START_TEST(inside_another_document)
{
	const struct source source = {.name = "t", .data = "a: 1\nb: [\n", .size = 10};
	struct yaml_reader *reader = NULL;
	const struct yaml_node *root = NULL;
	struct err err;

	ck_assert_int_eq(yaml_open_at(&source, 40, &reader, &err), ERR_OK);
	ck_assert_int_eq(yaml_next(reader, &root, &err), ERR_SYNTAX);
	ck_assert_int_eq(err.line, 43);
	yaml_close(reader);
}
END_TEST

/* ---- items of a List, one by one ---- */

struct taken {
	char names[64]; /* of the items that were taken, joined */
	uint32_t refused;
};

static bool take(void *context, const struct yaml_node *item, enum err_code *code)
{
	struct taken *taken = context;
	const struct yaml_node *name = yaml_find(item, "w");

	if (name == NULL) {
		taken->refused++;
		return false;
	}
	if (yaml_text_is(name, "bad"))
		*code = ERR_VALUE;
	strcat(taken->names, name->text);
	return true;
}

static const struct {
	const char *text;
	const char *taken;
	uint32_t refused, left; /* items of the first document that stay in it */
} lists[] = {
	{"items: [{w: a}, {w: b, deep: {items: [{w: no}]}}]\nkind: List\n", "ab", 0, 0},
	{"kind: List\nitems:\n- w: a\n- w: b\n", "ab", 0, 0},
	{"items: [{w: a}, {x: 1}, {w: b}]\n", "a", 1, 2}, /* order is kept */
	{"items: [{w: a}, 5, {w: b}]\n", "ab", 0, 1},	  /* no map: stays */
	{"items: [&x {w: a}, *x]\n", "", 0, 2},		  /* may be referred to */
	{"items: [{w: &x a}, {w: *x}]\n", "", 0, 2},
	{"spec: {items: [{w: a}]}\nitems: {w: a}\n", "", 0, 1}, /* a pair: no list */
	{"- items: [{w: a}]\n", "", 0, 0},
	{"items: [{w: a}]\n---\nitems: [{w: b}]\n", "ab", 0, 0},
	{"items: [{x: 1}]\n---\nitems: [{w: b}]\n", "b", 1, 1},
};

START_TEST(items_one_by_one)
{
	struct taken taken = {.refused = 0};
	const struct yaml_node *root, *items;
	struct reading r;

	begin(&r, lists[_i].text);
	yaml_stream_items(r.reader, take, &taken);
	root = next(&r);
	items = yaml_find(root, "items");
	ck_assert_uint_eq(items != NULL ? items->count : 0, lists[_i].left);
	while (next(&r) != NULL)
		;
	ck_assert_str_eq(taken.names, lists[_i].taken);
	ck_assert_uint_eq(taken.refused, lists[_i].refused);
	yaml_close(r.reader);
}
END_TEST

START_TEST(an_error_in_an_item_ends_the_reading)
{
	struct taken taken = {.refused = 0};
	const struct yaml_node *root;
	struct reading r;

	begin(&r, "items: [{w: a}, {w: bad}, {w: c}]\n");
	yaml_stream_items(r.reader, take, &taken);
	ck_assert_int_eq(yaml_next(r.reader, &root, &r.err), ERR_VALUE);
	ck_assert_str_eq(taken.names, "abad");
	yaml_close(r.reader);
}
END_TEST

/* ---- through a window ---- */

static void flatten(const struct yaml_node *node, char *out, size_t size)
{
	size_t used = strlen(out);

	if (node->kind == YAML_SCALAR)
		snprintf(out + used, size - used, "%u:%u:%s ", node->line, node->column,
			 node->text);
	for (uint32_t i = 0; node->kind != YAML_SCALAR && i < node->count; i++) {
		if (node->kind == YAML_MAP)
			flatten(node->pairs[i].key, out, size);
		flatten(node->kind == YAML_MAP ? node->pairs[i].value : node->items[i], out, size);
	}
}

/* Everything that the text says, or what is wrong with it. */
static void read_all(const struct source *source, char *out, size_t size)
{
	struct yaml_reader *reader = NULL;
	const struct yaml_node *root = NULL;
	struct err err;
	enum err_code code = yaml_open(source, &reader, &err);

	ck_assert_int_eq(code, ERR_OK);
	out[0] = '\0';
	while ((code = yaml_next(reader, &root, &err)) == ERR_OK && root != NULL)
		flatten(root, out, size);
	if (code != ERR_OK)
		err_format(&err, out + strlen(out), size - strlen(out));
	yaml_close(reader);
}

static const char *const window_texts[] = {
	"a: 1\nb: [x, v]\n---\nc: |\n  some lines\n  of text\n",
	"{\"apiVersion\": \"v1\", \"items\": [{\"a\": 1}, {\"b\": [1, 2, 3]}]}",
	"aaaaaaaaaaaa: 1\nbbbbbbbbbbbb: 2\n\tcccccccc: 3\n",
	"aaaaaaaaaaaa: 1\nbbbbbbbbbbbb: 2\nc: {{ .Values.x }}\n",
	"aaaaaaaaaaaa: 1\nbbbbbbbbbbbb: 2\nc: \xff\n",
	"{\"a\": 1}{\"b\": \"\xC3\xA4\"}{\"c\": 3}\n {\"d\": \"four\"} [5]\n{\n\"e\": 6}\n7",
	"aaaaaaaaaaaa: 1\nbbbbbbbbbbbb: [2, {\n",
	"{\"a\": \"\\ud83d\\ude00\\ud83d\\ude00\\\\ud83d\\ud83d\\ude00\\ud83d\"}{\"b\": \"\\\"\"}",
	"{\"a\": \"\xEF\xBB\xBF\xC2\x80\xC2\x80\xEF\xBB\xBF\x7F\xEF\xBB\xBF\", \"b\": 7}\n7",
};

START_TEST(windows)
{
	const char *text = window_texts[_i];
	const struct source source = {.name = "t", .data = text, .size = strlen(text)};
	char want[512], got[512];

	read_all(&source, want, sizeof(want));
	for (size_t window = 8; window <= 64; window *= 2) {
		struct source file;

		window_case_open(&file, text, strlen(text), window);
		read_all(&file, got, sizeof(got));
		ck_assert_str_eq(got, want);
		source_close(&file);
	}
}
END_TEST

/* What is wrong is placed by what has gone through the window before. */
START_TEST(error_behind_a_window)
{
	size_t size = (size_t)1 << 20, used = 0;
	char *text = mem_calloc(size, 1);
	struct yaml_reader *reader;
	const struct yaml_node *root = NULL;
	struct source file;
	struct err err;
	long lines = 0;

	for (; used < size - 100; lines++)
		used += (size_t)snprintf(text + used, size - used, "- a line of text\n");
	used += (size_t)snprintf(text + used, size - used, "- b\xff\n");
	window_case_open(&file, text, used, 4096);
	ck_assert_int_eq(yaml_open(&file, &reader, &err), ERR_OK);
	ck_assert_int_eq(yaml_next(reader, &root, &err), ERR_SYNTAX);
	ck_assert_int_eq(err.line, lines + 1);
	ck_assert_int_eq(err.column, 4);
	yaml_close(reader);
	source_close(&file);
	mem_free(text);
}
END_TEST

START_TEST(gigantic_text)
{
	size_t size = SOURCE_RECORD_MAX + (1 << 20);
	char *text = mem_calloc(size + 1, 1);
	const struct source source = {.name = "t", .data = text, .size = size};
	struct yaml_reader *reader;
	const struct yaml_node *root = NULL;
	struct err err;

	memset(text, 'a', size);
	memcpy(text, "x: ", 3);
	ck_assert_int_eq(yaml_open(&source, &reader, &err), ERR_OK);
	ck_assert_int_eq(yaml_next(reader, &root, &err), ERR_LIMIT);
	ck_assert_msg(strstr(err.msg, "longer than 64 MiB") != NULL, "%s", err.msg);
	yaml_close(reader);
	mem_free(text);
}
END_TEST

int main(void)
{
	TCase *t = tcase_create("all");

	tcase_add_test(t, places);
	tcase_add_test(t, documents);
	tcase_add_test(t, json);
	tcase_add_test(t, json_documents);
	tcase_add_loop_test(t, json_escapes, 0, ROWS(escapes));
	tcase_add_test(t, place_behind_escapes);
	tcase_add_test(t, nulls);
	tcase_add_test(t, aliases);
	tcase_add_test(t, merges);
	tcase_add_loop_test(t, malformed, 0, ROWS(errors));
	tcase_add_test(t, many_keys);
	tcase_add_test(t, depth);
	tcase_add_test(t, alias_bomb);
	tcase_add_test(t, inside_another_document);
	tcase_add_loop_test(t, items_one_by_one, 0, ROWS(lists));
	tcase_add_test(t, an_error_in_an_item_ends_the_reading);
	tcase_add_loop_test(t, windows, 0, ROWS(window_texts));
	tcase_add_test(t, error_behind_a_window);
	tcase_add_test(t, gigantic_text);
	return objects_case_run("sim/yaml/yaml", t);
}
