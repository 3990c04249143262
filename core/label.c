#include "core/label.h"

#include <string.h>

#include "core/num.h"

uint32_t label_value(const struct label_set *labels, uint32_t key)
{
	for (uint32_t i = 0; i < labels->count; i++) {
		if (labels->items[i].key == key)
			return labels->items[i].value;
	}
	return NAME_NONE;
}

bool label_has(const struct label_set *labels, uint32_t key)
{
	for (uint32_t i = 0; i < labels->count; i++) {
		if (labels->items[i].key == key)
			return true;
	}
	return false;
}

/* NAME_NONE and the string "" are the same value. */
static bool same_text(const struct name_table *strings, uint32_t a, uint32_t b)
{
	if (a == b)
		return true;
	return *name_text(strings, a) == '\0' && *name_text(strings, b) == '\0';
}

bool label_contains(const struct label_set *labels, const struct label_set *wanted)
{
	for (uint32_t i = 0; i < wanted->count; i++) {
		if (!label_has(labels, wanted->items[i].key) ||
		    label_value(labels, wanted->items[i].key) != wanted->items[i].value)
			return false;
	}
	return true;
}

static bool listed(const struct name_table *strings, uint32_t value, const uint32_t *values,
		   uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		if (same_text(strings, value, values[i]))
			return true;
	}
	return false;
}

static bool read_integer(const struct name_table *strings, uint32_t string, int64_t *out)
{
	const char *text = name_text(strings, string);

	return num_read_i64(text, strlen(text), out);
}

/* Gt and Lt compare integers; a value that is none matches nothing. */
static bool compares(const struct name_table *strings, uint32_t value,
		     const struct match_expression *expression)
{
	int64_t have, bound;

	if (expression->value_count != 1 || !read_integer(strings, value, &have) ||
	    !read_integer(strings, expression->values[0], &bound))
		return false;
	return expression->op == MATCH_GT ? have > bound : have < bound;
}

/* One expression on the value of its key; has = false: there is no such key. */
static bool holds(const struct name_table *strings, bool has, uint32_t value,
		  const struct match_expression *expression)
{
	switch (expression->op) {
	case MATCH_IN:
		return has && listed(strings, value, expression->values, expression->value_count);
	case MATCH_NOT_IN:
		return !has || !listed(strings, value, expression->values, expression->value_count);
	case MATCH_EXISTS:
		return has;
	case MATCH_DOES_NOT_EXIST:
		return !has;
	case MATCH_GT:
	case MATCH_LT:
		return has && compares(strings, value, expression);
	}
	return false;
}

bool label_expression_matches(const struct name_table *strings, const struct label_set *labels,
			      const struct match_expression *expression)
{
	return holds(strings, label_has(labels, expression->key),
		     label_value(labels, expression->key), expression);
}

bool label_selector_matches(const struct name_table *strings, const struct label_set *labels,
			    const struct label_selector *selector)
{
	if (!selector->present || !label_contains(labels, &selector->match_labels))
		return false;
	for (uint32_t i = 0; i < selector->expression_count; i++) {
		if (!label_expression_matches(strings, labels, &selector->expressions[i]))
			return false;
	}
	return true;
}

/* The only field a node can be selected by is metadata.name. */
static bool field_matches(const struct name_table *strings, uint32_t node_name,
			  const struct match_expression *field)
{
	if (strcmp(name_text(strings, field->key), "metadata.name") != 0)
		return false;
	return holds(strings, true, node_name, field);
}

static bool term_matches(const struct name_table *strings, const struct label_set *labels,
			 uint32_t node_name, const struct node_term *term)
{
	if (term->expression_count == 0 && term->field_count == 0)
		return false;
	for (uint32_t i = 0; i < term->expression_count; i++) {
		if (!label_expression_matches(strings, labels, &term->expressions[i]))
			return false;
	}
	for (uint32_t i = 0; i < term->field_count; i++) {
		if (!field_matches(strings, node_name, &term->fields[i]))
			return false;
	}
	return true;
}

bool label_terms_match(const struct name_table *strings, const struct label_set *labels,
		       uint32_t node_name, const struct node_term *terms, uint32_t term_count)
{
	for (uint32_t i = 0; i < term_count; i++) {
		if (term_matches(strings, labels, node_name, &terms[i]))
			return true;
	}
	return term_count == 0;
}

bool label_toleration_matches(const struct name_table *strings, const struct toleration *toleration,
			      const struct taint *taint)
{
	int64_t bound, have;

	if (toleration->effect != TAINT_ANY && toleration->effect != taint->effect)
		return false;
	if (toleration->key != NAME_NONE && toleration->key != taint->key)
		return false;
	switch (toleration->op) {
	case TOLERATION_EXISTS:
		return true;
	case TOLERATION_EQUAL:
		return same_text(strings, toleration->value, taint->value);
	case TOLERATION_LT:
	case TOLERATION_GT:
		if (!read_integer(strings, toleration->value, &bound) ||
		    !read_integer(strings, taint->value, &have))
			return false;
		return toleration->op == TOLERATION_LT ? have < bound : have > bound;
	}
	return false;
}

/* A term, of which only the keys count that there are. */
static bool known_term_matches(const struct name_table *strings, const struct label_set *labels,
			       const struct node_term *term, bool *empty)
{
	*empty = true;
	for (uint32_t i = 0; i < term->expression_count; i++) {
		const struct match_expression *e = &term->expressions[i];

		if (!label_has(labels, e->key))
			continue;
		*empty = false;
		if (!label_expression_matches(strings, labels, e))
			return false;
	}
	return true;
}

bool label_known_match(const struct name_table *strings, const struct label_set *labels,
		       const struct label_set *selector, const struct node_term *terms,
		       uint32_t term_count)
{
	bool any = term_count == 0;

	for (uint32_t i = 0; i < selector->count; i++) {
		const struct label *want = &selector->items[i];

		if (label_has(labels, want->key) && label_value(labels, want->key) != want->value)
			return false;
	}
	for (uint32_t i = 0; i < term_count; i++) {
		bool empty;
		bool matches = known_term_matches(strings, labels, &terms[i], &empty);

		if (empty)
			return true;
		any = any || matches;
	}
	return any;
}

bool label_tolerates(const struct name_table *strings, const struct toleration_set *tolerations,
		     const struct taint *taint)
{
	for (uint32_t i = 0; i < tolerations->count; i++) {
		if (label_toleration_matches(strings, &tolerations->items[i], taint))
			return true;
	}
	return false;
}

/* ---- equality ---- */

bool label_set_equal(const struct label_set *a, const struct label_set *b)
{
	if (a->count != b->count)
		return false;
	for (uint32_t i = 0; i < a->count; i++) {
		if (a->items[i].key != b->items[i].key || a->items[i].value != b->items[i].value)
			return false;
	}
	return true;
}

bool label_taints_equal(const struct taint_set *a, const struct taint_set *b)
{
	if (a->count != b->count)
		return false;
	for (uint32_t i = 0; i < a->count; i++) {
		const struct taint *x = &a->items[i], *y = &b->items[i];

		if (x->key != y->key || x->value != y->value || x->effect != y->effect)
			return false;
	}
	return true;
}

bool label_tolerations_equal(const struct toleration_set *a, const struct toleration_set *b)
{
	if (a->count != b->count)
		return false;
	for (uint32_t i = 0; i < a->count; i++) {
		const struct toleration *x = &a->items[i], *y = &b->items[i];

		if (x->key != y->key || x->value != y->value || x->op != y->op ||
		    x->effect != y->effect || x->limited != y->limited || x->seconds != y->seconds)
			return false;
	}
	return true;
}

static bool expressions_equal(const struct match_expression *a, uint32_t count_a,
			      const struct match_expression *b, uint32_t count_b)
{
	if (count_a != count_b)
		return false;
	for (uint32_t i = 0; i < count_a; i++) {
		if (a[i].key != b[i].key || a[i].op != b[i].op ||
		    a[i].value_count != b[i].value_count)
			return false;
		for (uint32_t v = 0; v < a[i].value_count; v++) {
			if (a[i].values[v] != b[i].values[v])
				return false;
		}
	}
	return true;
}

bool label_selector_equal(const struct label_selector *a, const struct label_selector *b)
{
	return a->present == b->present && label_set_equal(&a->match_labels, &b->match_labels) &&
	       expressions_equal(a->expressions, a->expression_count, b->expressions,
				 b->expression_count);
}

bool label_terms_equal(const struct node_term *a, uint32_t count_a, const struct node_term *b,
		       uint32_t count_b)
{
	if (count_a != count_b)
		return false;
	for (uint32_t i = 0; i < count_a; i++) {
		if (!expressions_equal(a[i].expressions, a[i].expression_count, b[i].expressions,
				       b[i].expression_count) ||
		    !expressions_equal(a[i].fields, a[i].field_count, b[i].fields,
				       b[i].field_count))
			return false;
	}
	return true;
}

/* ---- copies ---- */

struct label_set label_set_copy(struct mem_arena *arena, const struct label_set *from)
{
	return (struct label_set){
		.items = mem_arena_copy(arena, from->items, from->count, sizeof(*from->items)),
		.count = from->count};
}

static const struct match_expression *
copy_expressions(struct mem_arena *arena, const struct match_expression *from, uint32_t count)
{
	struct match_expression *to = mem_arena_copy(arena, from, count, sizeof(*from));

	for (uint32_t i = 0; i < count; i++)
		to[i].values = mem_arena_copy(arena, from[i].values, from[i].value_count,
					      sizeof(*from[i].values));
	return to;
}

struct label_selector label_selector_copy(struct mem_arena *arena,
					  const struct label_selector *from)
{
	struct label_selector to = *from;

	to.match_labels = label_set_copy(arena, &from->match_labels);
	to.expressions = copy_expressions(arena, from->expressions, from->expression_count);
	return to;
}

const struct node_term *label_terms_copy(struct mem_arena *arena, const struct node_term *from,
					 uint32_t count)
{
	struct node_term *to = mem_arena_copy(arena, from, count, sizeof(*from));

	for (uint32_t i = 0; i < count; i++) {
		to[i].expressions =
			copy_expressions(arena, from[i].expressions, from[i].expression_count);
		to[i].fields = copy_expressions(arena, from[i].fields, from[i].field_count);
	}
	return to;
}
