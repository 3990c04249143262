#include "core/constraint.h"

#include <check.h>

/* Indices stand for strings; nothing here looks at their texts. */
static const uint32_t values[] = {7, 8};
static const struct match_expression expressions[] = {
	{.key = 6, .op = MATCH_IN, .values = values, .value_count = 2}};
static const struct label labels[] = {{1, 2}};

static struct pod_constraints full(struct pod_term *term, struct spread_constraint *spread,
				   struct node_term *node, int32_t *weight)
{
	*term = (struct pod_term){.selector = {.present = true, .match_labels = {labels, 1}},
				  .namespaces = values,
				  .namespace_count = 2,
				  .topology_key = 3,
				  .weight = 10};
	*spread = (struct spread_constraint){
		.selector = {.present = true, .expressions = expressions, .expression_count = 1},
		.topology_key = 3,
		.max_skew = 1,
		.min_domains = 1,
		.hard = true};
	*node = (struct node_term){.expressions = expressions, .expression_count = 1};
	*weight = 5;
	return (struct pod_constraints){.preferred = node,
					.weights = weight,
					.preferred_count = 1,
					.terms = term,
					.term_count = 1,
					.spreads = spread,
					.spread_count = 1};
}

struct parts {
	struct pod_term term;
	struct spread_constraint spread;
	struct node_term node;
	int32_t weight;
	struct pod_constraints all;
};

static void make(struct parts *p)
{
	p->all = full(&p->term, &p->spread, &p->node, &p->weight);
}

static void other_selector(struct parts *p)
{
	p->term.selector.match_labels.count = 0;
}

static void other_weight(struct parts *p)
{
	p->term.weight = 11;
}

static void other_direction(struct parts *p)
{
	p->term.anti = true;
}

static void other_namespaces(struct parts *p)
{
	p->term.namespace_count = 1;
}

static void any_namespace(struct parts *p)
{
	p->term.namespace_selector.present = true;
}

static void other_skew(struct parts *p)
{
	p->spread.max_skew = 2;
}

static void softer(struct parts *p)
{
	p->spread.hard = false;
}

static void heeds_taints(struct parts *p)
{
	p->spread.honors_taints = true;
}

static void other_preference(struct parts *p)
{
	p->weight = 6;
}

static void other_node(struct parts *p)
{
	p->node.expression_count = 0;
}

static void fewer(struct parts *p)
{
	p->all.spread_count = 0;
}

static void (*const changes[])(struct parts *) = {
	other_selector, other_weight, other_direction,	other_namespaces, any_namespace, other_skew,
	softer,		heeds_taints, other_preference, other_node,	  fewer};

START_TEST(each_difference_counts)
{
	struct parts a, b;

	make(&a);
	make(&b);
	ck_assert(constraint_equal(&a.all, &b.all));
	ck_assert_uint_eq(constraint_hash(&a.all), constraint_hash(&b.all));
	changes[_i](&b);
	ck_assert(!constraint_equal(&a.all, &b.all));
	ck_assert(!constraint_equal(&b.all, &a.all));
}
END_TEST

START_TEST(a_copy_is_equal_and_its_own)
{
	struct mem_arena *arena = mem_arena_new();
	const struct pod_constraints *copy;
	struct parts a, b;

	make(&a);
	make(&b);
	copy = constraint_copy(arena, &a.all);
	ck_assert(constraint_equal(copy, &b.all));
	ck_assert_ptr_ne(copy->terms[0].namespaces, values);
	a.term.weight = 99;
	a.spread.max_skew = 99;
	ck_assert(constraint_equal(copy, &b.all));
	mem_arena_free(arena);
}
END_TEST

START_TEST(none_is_equal_to_none_only)
{
	struct parts a;

	make(&a);
	ck_assert(constraint_equal(NULL, NULL));
	ck_assert(!constraint_equal(NULL, &a.all));
	ck_assert(!constraint_equal(&a.all, NULL));
	ck_assert_uint_ne(constraint_hash(NULL), constraint_hash(&a.all));
	ck_assert_ptr_null(constraint_copy(NULL, NULL));
}
END_TEST

int main(void)
{
	Suite *s = suite_create("constraint");
	TCase *t = tcase_create("all");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_add_loop_test(t, each_difference_counts, 0, sizeof(changes) / sizeof(changes[0]));
	tcase_add_test(t, a_copy_is_equal_and_its_own);
	tcase_add_test(t, none_is_equal_to_none_only);
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
