/* test_fields.c - typed fields: what is taken, and what is said of the rest. */
#include "sim/load/fields.h"

#include <stdio.h>

#include "tests/sim/objects_case.h"

struct reading {
	struct builder *builder;
	struct tally *tally;
	struct source source;
	struct yaml_reader *reader;
	const struct yaml_node *root;
	struct err err;
	struct fields f;
};

static void begin(struct reading *r, const char *text)
{
	*r = (struct reading){.builder = builder_new(),
			      .tally = tally_new(),
			      .source = {.name = "t", .data = text, .size = strlen(text)}};
	ck_assert_int_eq(yaml_open(&r->source, &r->reader, &r->err), ERR_OK);
	ck_assert_int_eq(yaml_next(r->reader, &r->root, &r->err), ERR_OK);
	r->f = (struct fields){.builder = r->builder,
			       .arena = builder_arena(r->builder),
			       .tally = r->tally,
			       .file = "t",
			       .kind = "Kind",
			       .name = "x",
			       .version = FIELDS_NEW,
			       .err = &r->err};
}

static void end(struct reading *r)
{
	yaml_close(r->reader);
	tally_free(r->tally);
	builder_free(r->builder);
}

/* Values as the API server computes them (corpus/EXPECTED.md). */
static const struct {
	const char *text;
	uint32_t resource;
	int64_t value; /* -1: refused */
} amounts[] = {
	{"500m", RES_CPU, 500},
	{"0.5", RES_CPU, 500},
	{"\".5\"", RES_CPU, 500},
	{"2500m", RES_CPU, 2500},
	{"100n", RES_CPU, 1},
	{"100u", RES_CPU, 1},
	{"1800Gi", RES_MEMORY, INT64_C(1932735283200)},
	{"1.5Ti", RES_MEMORY, INT64_C(1649267441664)},
	{"2.87Gi", RES_MEMORY, INT64_C(3081639035)},
	{"256m", RES_MEMORY, 1},
	{"1e3", RES_MEMORY, 1000},
	{"1E3", RES_MEMORY, 1000},
	{"1E", RES_MEMORY, INT64_C(1000000000000000000)},
	{"10k", RES_MEMORY, 10000},
	{"1Ki", RES_MEMORY, 1024},
	{"1Ei", RES_MEMORY, INT64_C(1) << 60},
	{"16Ei", RES_MEMORY, INT64_MAX}, /* capped */
	{"9223372036854775807", RES_GPU, INT64_MAX},
	{"9223372036854775807", RES_CPU, INT64_MAX},
	{"+5", RES_GPU, 5},
	{"\"+5\"", RES_GPU, 5},
	{"\"5.\"", RES_GPU, 5},
	{"010", RES_GPU, 8},
	{"\"010\"", RES_GPU, 10},
	{"0x10", RES_GPU, 16},
	{"1_000", RES_GPU, 1000},
	{"1e", RES_GPU, -1},
	{"1K", RES_GPU, -1},
	{"\"0x10\"", RES_GPU, -1},
	{"\"1_000\"", RES_GPU, -1},
	{"50E", RES_MEMORY, -1},
	{"9223372036854775808", RES_GPU, -1},
	{"16GiB", RES_MEMORY, -1},
	{"16 Gi", RES_MEMORY, -1},
	{"16gi", RES_MEMORY, -1},
	{"\"1,000\"", RES_GPU, -1},
	{"ten", RES_GPU, -1},
	{"\"\"", RES_GPU, -1},
	{"1e3Gi", RES_MEMORY, -1},
	{"-4", RES_GPU, -1},
	{"true", RES_GPU, -1},
	{"[1]", RES_GPU, -1},
	{".inf", RES_GPU, -1},
};

START_TEST(quantities)
{
	struct reading r;
	int64_t value = 0;
	enum err_code code;

	begin(&r, amounts[_i].text);
	code = fields_amount(&r.f, r.root, amounts[_i].resource, &value);
	if (amounts[_i].value < 0)
		ck_assert_msg(code != ERR_OK, "%s", amounts[_i].text);
	else
		ck_assert_msg(code == ERR_OK && value == amounts[_i].value, "%s: %lld %s",
			      amounts[_i].text, (long long)value, r.err.msg);
	end(&r);
}
END_TEST

static const struct {
	const char *text;
	int64_t nano; /* -1: refused */
} weights[] = {
	{"1", NANO},
	{"\"2\"", 2 * NANO},
	{"750m", NANO / 4 * 3},
	{"0.5", NANO / 2},
	{"0.000000002", 2},
	{"2n", 2},
	{"3u", 3000},
	{"0", 0},
	{"1k", 1000 * NANO},
	{"1n", -1},
	{"-1", -1},
	{"heavy", -1},
	{"0.0000000021", 3},
	{"1_0", 10 * NANO},
};

START_TEST(weight)
{
	struct reading r;
	int64_t value = 0;
	enum err_code code;

	begin(&r, weights[_i].text);
	code = fields_weight(&r.f, NULL, r.root, &value);
	if (weights[_i].nano < 0)
		ck_assert_msg(code != ERR_OK, "%s", weights[_i].text);
	else
		ck_assert_msg(code == ERR_OK && value == weights[_i].nano, "%s: %lld",
			      weights[_i].text, (long long)value);
	end(&r);
}
END_TEST

struct record {
	uint32_t text;
	bool flag;
	int32_t number;
	int word;
	simtime time;
};

static const struct fields_word words[] = {{"One", 1}, {"Two", 2}, {NULL, 0}};

static const struct field inner_rows[] = {
	{.key = "number", .read = fields_int32, .offset = offsetof(struct record, number)},
	{.key = NULL},
};

static const struct field rows[] = {
	{.key = "text",
	 .read = fields_string,
	 .offset = offsetof(struct record, text),
	 .required = true},
	{.key = "flag", .read = fields_bool, .offset = offsetof(struct record, flag)},
	{.key = "word", .read = fields_enum, .offset = offsetof(struct record, word), .arg = words},
	{.key = "time", .read = fields_go_duration, .offset = offsetof(struct record, time)},
	{.key = "seconds", .read = fields_seconds, .offset = offsetof(struct record, time)},
	{.key = "inner", .read = fields_nested, .arg = inner_rows},
	{.key = "ignored"},
	{.key = "newName", .only = FIELDS_NEW, .instead = "oldName"},
	{.key = "oldName", .only = FIELDS_OLD, .instead = "newName"},
	{.key = NULL},
};

START_TEST(a_map)
{
	struct reading r;
	struct record record = {.number = 5};

	begin(&r, "text: abc\nflag: yes\nword: Two\ntime: 1h30m\ninner: {number: -7}\n"
		  "ignored: {any: [thing]}\nnewName: 1\n");
	ck_assert_msg(fields_map(&r.f, r.root, rows, &record) == ERR_OK, "%s", r.err.msg);
	ck_assert_str_eq(name_text(builder_strings(r.builder), record.text), "abc");
	ck_assert(record.flag);
	ck_assert_int_eq(record.word, 2);
	ck_assert_int_eq(record.time, 90 * CLOCK_MINUTE);
	ck_assert_int_eq(record.number, -7);
	ck_assert_str_eq(r.f.path, "");
	end(&r);
}
END_TEST

static const struct {
	const char *text, *message;
} errors[] = {
	{"[1]", "Kind \"x\": must be a map, not a list"},
	{"flag: true", "Kind \"x\": text is missing"},
	{"text: ~", "Kind \"x\": text is missing"},
	{"text: 5", "Kind \"x\": text: must be a text, but 5 without quotes is a number; write "
		    "\"5\""},
	{"{text: a, flag: 1}", "Kind \"x\": flag: must be true or false, not a number"},
	{"{text: a, flag: 'true'}",
	 "Kind \"x\": flag: must be true or false without quotes, not a text"},
	{"{text: a, word: Three}", "Kind \"x\": word: \"Three\" is not one of One, Two"},
	{"{text: a, word: [One]}", "Kind \"x\": word: must be a text, not a list"},
	{"{text: a, time: '5'}", "Kind \"x\": time: \"5\" is not a duration such as \"90s\", "
				 "\"10m\" or \"1h30m\""},
	{"{text: a, seconds: -1}", "Kind \"x\": seconds: -1 is not between 0 and 2147483647"},
	{"{text: a, inner: {number: 1.5}}",
	 "Kind \"x\": inner.number: must be a whole number, not a number"},
	{"{text: a, inner: {number: 4000000000}}",
	 "Kind \"x\": inner.number: 4000000000 is not between -2147483648 and 2147483647"},
};

START_TEST(wrong_values)
{
	struct reading r;
	struct record record = {.number = 5};

	begin(&r, errors[_i].text);
	ck_assert_int_ne(fields_map(&r.f, r.root, rows, &record), ERR_OK);
	ck_assert_str_eq(r.err.msg, errors[_i].message);
	ck_assert_str_eq(r.err.file, "t");
	ck_assert_int_ge(r.err.line, 1);
	end(&r);
}
END_TEST

static const struct {
	const char *text;
	enum fields_version version;
	const char *message;
} unknown[] = {
	{"{text: a, flug: true}", FIELDS_NEW, "unknown field \"flug\"; did you mean \"flag\"?"},
	{"{text: a, inner: {numbre: 1}}", FIELDS_NEW,
	 "unknown field \"inner.numbre\"; did you mean \"number\"?"},
	{"{text: a, zebra: 1}", FIELDS_NEW, "unknown field \"zebra\""},
	{"{text: a, oldName: 1}", FIELDS_NEW,
	 "unknown field \"oldName\"; this version has newName"},
	{"{text: a, newName: 1}", FIELDS_OLD,
	 "unknown field \"newName\"; this version has oldName"},
};

START_TEST(unknown_fields)
{
	struct reading r;
	struct record record = {.number = 5};
	struct scenario *s = NULL;
	char text[300];

	begin(&r, unknown[_i].text);
	r.f.version = unknown[_i].version;
	r.f.unknown = FIELDS_REFUSE;
	ck_assert_int_eq(fields_map(&r.f, r.root, rows, &record), ERR_UNKNOWN);
	snprintf(text, sizeof(text), "Kind \"x\": %s", unknown[_i].message);
	ck_assert_str_eq(r.err.msg, text);
	fields_leave(&r.f, 0);
	r.f.unknown = FIELDS_WARN;
	ck_assert_int_eq(fields_map(&r.f, r.root, rows, &record), ERR_OK);
	ck_assert_int_eq(builder_finish(r.builder, &s, &r.err), ERR_OK);
	ck_assert_uint_eq(s->finding_count, 1);
	ck_assert_ptr_nonnull(objects_case_finding(s, " is ignored, as the API server would"));
	scenario_free(s);
	r.builder = NULL;
	end(&r);
}
END_TEST

START_TEST(lists_have_limits)
{
	struct reading r;
	const uint32_t *strings;
	uint32_t count;

	begin(&r, "[a, b, c]");
	ck_assert_int_eq(fields_strings(&r.f, r.root, 3, &strings, &count), ERR_OK);
	ck_assert_uint_eq(count, 3);
	ck_assert_str_eq(name_text(builder_strings(r.builder), strings[2]), "c");
	ck_assert_int_eq(fields_strings(&r.f, r.root, 2, &strings, &count), ERR_LIMIT);
	ck_assert_str_eq(r.err.msg, "Kind \"x\": 3 items; at most 2 are allowed");
	end(&r);
	begin(&r, "[a, ~]");
	ck_assert_int_eq(fields_strings(&r.f, r.root, 3, &strings, &count), ERR_VALUE);
	ck_assert_str_eq(r.err.msg, "Kind \"x\": [1]: must not be empty");
	end(&r);
}
END_TEST

START_TEST(selectors)
{
	struct reading r;
	struct label_selector selector = {.present = false};
	struct label labels[2];
	const struct label_set set = {labels, 2};

	begin(&r, "matchLabels: {team: a}\nmatchExpressions:\n"
		  "- {key: tier, operator: NotIn, values: [dev, test]}\n"
		  "- {key: team, operator: Exists}\n");
	ck_assert_int_eq(fields_selector(&r.f, NULL, r.root, &selector), ERR_OK);
	ck_assert(selector.present);
	labels[0] = (struct label){builder_string(r.builder, "team", 4),
				   builder_string(r.builder, "a", 1)};
	labels[1] = (struct label){builder_string(r.builder, "tier", 4),
				   builder_string(r.builder, "prod", 4)};
	ck_assert(label_selector_matches(builder_strings(r.builder), &set, &selector));
	labels[1].value = builder_string(r.builder, "dev", 3);
	ck_assert(!label_selector_matches(builder_strings(r.builder), &set, &selector));
	end(&r);
}
END_TEST

START_TEST(tolerations_and_taints)
{
	struct reading r;
	struct toleration toleration;
	struct taint taint;

	begin(&r, "{key: a, value: b, effect: NoExecute, tolerationSeconds: 5}");
	ck_assert_int_eq(fields_toleration(&r.f, NULL, r.root, &toleration), ERR_OK);
	ck_assert_int_eq(toleration.op, TOLERATION_EQUAL);
	ck_assert_int_eq(toleration.effect, TAINT_NO_EXECUTE);
	end(&r);
	begin(&r, "{operator: Exists}");
	ck_assert_int_eq(fields_toleration(&r.f, NULL, r.root, &toleration), ERR_OK);
	ck_assert_uint_eq(toleration.key, NAME_NONE);
	ck_assert_int_eq(toleration.effect, TAINT_ANY);
	end(&r);
	begin(&r, "{key: a, value: '', effect: PreferNoSchedule}");
	ck_assert_int_eq(fields_taint(&r.f, NULL, r.root, &taint), ERR_OK);
	ck_assert_uint_eq(taint.value, NAME_NONE);
	ck_assert_int_eq(taint.effect, TAINT_PREFER_NO_SCHEDULE);
	end(&r);
}
END_TEST

/* A path that is too long is cut, not overrun. */
START_TEST(long_paths)
{
	struct reading r;
	char key[200];
	size_t mark;

	begin(&r, "a: 1");
	memset(key, 'k', sizeof(key) - 1);
	key[sizeof(key) - 1] = '\0';
	mark = fields_enter(&r.f, key);
	ck_assert_uint_eq(mark, 0);
	fields_enter(&r.f, key);
	fields_enter_index(&r.f, 7);
	ck_assert_uint_lt(strlen(r.f.path), FIELDS_PATH);
	fields_leave(&r.f, mark);
	ck_assert_str_eq(r.f.path, "");
	end(&r);
}
END_TEST

int main(void)
{
	TCase *t = tcase_create("all");

	tcase_add_loop_test(t, quantities, 0, ROWS(amounts));
	tcase_add_loop_test(t, weight, 0, ROWS(weights));
	tcase_add_test(t, a_map);
	tcase_add_loop_test(t, wrong_values, 0, ROWS(errors));
	tcase_add_loop_test(t, unknown_fields, 0, ROWS(unknown));
	tcase_add_test(t, lists_have_limits);
	tcase_add_test(t, selectors);
	tcase_add_test(t, tolerations_and_taints);
	tcase_add_test(t, long_paths);
	return objects_case_run("sim/load/fields", t);
}
