#include "core/label.h"

#include <check.h>
#include <string.h>

#define COUNT(rows) ((int)(sizeof(rows) / sizeof((rows)[0])))

/* "a=1,b=2": labels; the array is the caller's. */
static struct label_set labels(struct name_table *t, const char *text, struct label items[8])
{
	struct label_set set = {.items = items};

	while (*text != '\0') {
		size_t key = strcspn(text, "="), value = strcspn(text + key + 1, ",");

		items[set.count++] = (struct label){name_add_n(t, text, key),
						    name_add_n(t, text + key + 1, value)};
		text += key + 1 + value;
		text += *text == ',';
	}
	return set;
}

/* Spec: Kubernetes' NodeSelectorRequirement. */
static const struct {
	const char *labels;
	const char *key;
	enum match_op op;
	const char *values[2];
	bool holds;
} expressions[] = {
	{"a=1", "a", MATCH_IN, {"1", "2"}, true},
	{"a=3", "a", MATCH_IN, {"1", "2"}, false},
	{"", "a", MATCH_IN, {"1"}, false},
	{"a=", "a", MATCH_IN, {""}, true},
	{"a=1", "a", MATCH_NOT_IN, {"1", "2"}, false},
	{"a=3", "a", MATCH_NOT_IN, {"1", "2"}, true},
	{"", "a", MATCH_NOT_IN, {"1"}, true},
	{"a=1", "a", MATCH_EXISTS, {0}, true},
	{"b=1", "a", MATCH_EXISTS, {0}, false},
	{"b=1", "a", MATCH_DOES_NOT_EXIST, {0}, true},
	{"a=1", "a", MATCH_DOES_NOT_EXIST, {0}, false},
	{"a=10", "a", MATCH_GT, {"9"}, true},
	{"a=9", "a", MATCH_GT, {"9"}, false},
	{"a=8", "a", MATCH_LT, {"9"}, true},
	{"a=9", "a", MATCH_LT, {"9"}, false},
	{"a=x", "a", MATCH_GT, {"9"}, false},
	{"", "a", MATCH_LT, {"9"}, false},
};

START_TEST(expression)
{
	struct name_table *t = name_new();
	struct label items[8];
	struct label_set set = labels(t, expressions[_i].labels, items);
	uint32_t values[2];
	struct match_expression e = {.key = name_add(t, expressions[_i].key),
				     .op = expressions[_i].op,
				     .values = values};

	while (e.value_count < 2 && expressions[_i].values[e.value_count] != NULL) {
		values[e.value_count] = name_add(t, expressions[_i].values[e.value_count]);
		e.value_count++;
	}
	ck_assert(label_expression_matches(t, &set, &e) == expressions[_i].holds);
	name_free(t);
}
END_TEST

START_TEST(values_and_subsets)
{
	struct name_table *t = name_new();
	struct label a[8], b[8], c[8];
	struct label_set have = labels(t, "x=1,y=2", a), wants = labels(t, "y=2", b),
			 other = labels(t, "y=3", c), none = {0};

	ck_assert_uint_eq(label_value(&have, name_find(t, "y")), name_find(t, "2"));
	ck_assert_uint_eq(label_value(&have, name_add(t, "z")), NAME_NONE);
	ck_assert(label_has(&have, name_find(t, "x")));
	ck_assert(!label_has(&have, name_find(t, "z")));
	ck_assert(label_contains(&have, &wants));
	ck_assert(!label_contains(&have, &other));
	ck_assert(label_contains(&have, &none));
	ck_assert(!label_contains(&none, &wants));
	name_free(t);
}
END_TEST

START_TEST(selector_nil_matches_nothing_empty_everything)
{
	struct name_table *t = name_new();
	struct label a[8];
	struct label_set have = labels(t, "x=1", a);
	uint32_t one = name_find(t, "1");
	struct match_expression in = {name_find(t, "x"), MATCH_IN, &one, 1};
	struct match_expression absent = {name_find(t, "x"), MATCH_DOES_NOT_EXIST, NULL, 0};
	struct label_selector nil = {0}, all = {.present = true},
			      some = {.present = true,
				      .match_labels = have,
				      .expressions = &in,
				      .expression_count = 1},
			      no = {.present = true,
				    .match_labels = have,
				    .expressions = &absent,
				    .expression_count = 1};

	ck_assert(!label_selector_matches(t, &have, &nil));
	ck_assert(label_selector_matches(t, &have, &all));
	ck_assert(label_selector_matches(t, &have, &some));
	ck_assert(!label_selector_matches(t, &have, &no));
	name_free(t);
}
END_TEST

START_TEST(terms_are_ored_an_empty_one_matches_nothing)
{
	struct name_table *t = name_new();
	struct label a[8];
	struct label_set have = labels(t, "x=1", a);
	uint32_t one = name_find(t, "1"), node = name_add(t, "n0"), other = name_add(t, "n1");
	struct match_expression in = {name_find(t, "x"), MATCH_IN, &one, 1};
	struct match_expression by_name = {name_add(t, "metadata.name"), MATCH_IN, &node, 1};
	struct match_expression by_uid = {name_add(t, "metadata.uid"), MATCH_IN, &node, 1};
	struct node_term empty = {0}, label = {&in, 1, NULL, 0}, field = {NULL, 0, &by_name, 1},
			 unknown = {NULL, 0, &by_uid, 1};
	struct node_term both[] = {empty, label};

	ck_assert(label_terms_match(t, &have, node, NULL, 0));
	ck_assert(!label_terms_match(t, &have, node, &empty, 1));
	ck_assert(label_terms_match(t, &have, node, both, 2));
	ck_assert(label_terms_match(t, &have, node, &field, 1));
	ck_assert(!label_terms_match(t, &have, other, &field, 1));
	ck_assert(!label_terms_match(t, &have, node, &unknown, 1));
	name_free(t);
}
END_TEST

/* v1.Toleration against the taint gpu=yes:NoSchedule or level=5:NoExecute. */
static const struct {
	const char *key, *value;
	enum toleration_op op;
	enum taint_effect effect;
	bool gpu, level;
} tolerations[] = {
	{NULL, NULL, TOLERATION_EXISTS, TAINT_ANY, true, true},
	{NULL, NULL, TOLERATION_EXISTS, TAINT_NO_EXECUTE, false, true},
	{"gpu", NULL, TOLERATION_EXISTS, TAINT_ANY, true, false},
	{"gpu", "yes", TOLERATION_EQUAL, TAINT_ANY, true, false},
	{"gpu", "no", TOLERATION_EQUAL, TAINT_ANY, false, false},
	{"gpu", NULL, TOLERATION_EQUAL, TAINT_ANY, false, false},
	{"gpu", "yes", TOLERATION_EQUAL, TAINT_PREFER_NO_SCHEDULE, false, false},
	{"level", "6", TOLERATION_LT, TAINT_ANY, false, true},
	{"level", "5", TOLERATION_LT, TAINT_ANY, false, false},
	{"level", "4", TOLERATION_GT, TAINT_NO_EXECUTE, false, true},
	{"gpu", "4", TOLERATION_GT, TAINT_ANY, false, false},
};

START_TEST(toleration)
{
	struct name_table *t = name_new();
	struct taint gpu = {name_add(t, "gpu"), name_add(t, "yes"), TAINT_NO_SCHEDULE};
	struct taint level = {name_add(t, "level"), name_add(t, "5"), TAINT_NO_EXECUTE};
	const char *key = tolerations[_i].key, *value = tolerations[_i].value;
	struct toleration item = {.key = key == NULL ? NAME_NONE : name_add(t, key),
				  .value = value == NULL ? NAME_NONE : name_add(t, value),
				  .op = tolerations[_i].op,
				  .effect = tolerations[_i].effect};
	struct toleration_set set = {&item, 1}, none = {0};

	ck_assert(label_tolerates(t, &set, &gpu) == tolerations[_i].gpu);
	ck_assert(label_tolerates(t, &set, &level) == tolerations[_i].level);
	ck_assert(!label_tolerates(t, &none, &gpu));
	name_free(t);
}
END_TEST

START_TEST(no_value_and_the_empty_one_are_equal)
{
	struct name_table *t = name_new();
	struct taint taint = {name_add(t, "gpu"), NAME_NONE, TAINT_NO_SCHEDULE};
	struct toleration item = {.key = name_find(t, "gpu"),
				  .value = name_add(t, ""),
				  .op = TOLERATION_EQUAL,
				  .effect = TAINT_ANY};
	struct toleration_set set = {&item, 1};

	ck_assert(label_tolerates(t, &set, &taint));
	name_free(t);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("core/label");
	TCase *t = tcase_create("all");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_add_loop_test(t, expression, 0, COUNT(expressions));
	tcase_add_test(t, values_and_subsets);
	tcase_add_test(t, selector_nil_matches_nothing_empty_everything);
	tcase_add_test(t, terms_are_ored_an_empty_one_matches_nothing);
	tcase_add_loop_test(t, toleration, 0, COUNT(tolerations));
	tcase_add_test(t, no_value_and_the_empty_one_are_equal);
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
