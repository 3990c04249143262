#include "core/constraint.h"

#include <string.h>

static bool term_equal(const struct pod_term *a, const struct pod_term *b)
{
	if (a->topology_key != b->topology_key || a->weight != b->weight || a->anti != b->anti ||
	    a->namespace_count != b->namespace_count)
		return false;
	for (uint32_t i = 0; i < a->namespace_count; i++) {
		if (a->namespaces[i] != b->namespaces[i])
			return false;
	}
	return label_selector_equal(&a->selector, &b->selector) &&
	       label_selector_equal(&a->namespace_selector, &b->namespace_selector);
}

static bool spread_equal(const struct spread_constraint *a, const struct spread_constraint *b)
{
	return a->topology_key == b->topology_key && a->max_skew == b->max_skew &&
	       a->min_domains == b->min_domains && a->hard == b->hard &&
	       a->ignores_affinity == b->ignores_affinity && a->honors_taints == b->honors_taints &&
	       a->system == b->system && label_selector_equal(&a->selector, &b->selector);
}

static bool preferences_equal(const struct pod_constraints *a, const struct pod_constraints *b)
{
	if (!label_terms_equal(a->preferred, a->preferred_count, b->preferred, b->preferred_count))
		return false;
	for (uint32_t i = 0; i < a->preferred_count; i++) {
		if (a->weights[i] != b->weights[i])
			return false;
	}
	return true;
}

bool constraint_equal(const struct pod_constraints *a, const struct pod_constraints *b)
{
	if (a == NULL || b == NULL)
		return a == b;
	if (a->term_count != b->term_count || a->spread_count != b->spread_count ||
	    !preferences_equal(a, b))
		return false;
	for (uint32_t i = 0; i < a->term_count; i++) {
		if (!term_equal(&a->terms[i], &b->terms[i]))
			return false;
	}
	for (uint32_t i = 0; i < a->spread_count; i++) {
		if (!spread_equal(&a->spreads[i], &b->spreads[i]))
			return false;
	}
	return true;
}

static uint64_t mix(uint64_t h, uint64_t v)
{
	h = (h ^ v) * UINT64_C(0x9e3779b97f4a7c15);
	return h ^ (h >> 29);
}

/* What usually tells selectors apart. */
static uint64_t mix_selector(uint64_t h, const struct label_selector *selector)
{
	for (uint32_t i = 0; i < selector->match_labels.count; i++)
		h = mix(mix(h, selector->match_labels.items[i].key),
			selector->match_labels.items[i].value);
	for (uint32_t i = 0; i < selector->expression_count; i++) {
		h = mix(h, selector->expressions[i].key);
		for (uint32_t v = 0; v < selector->expressions[i].value_count; v++)
			h = mix(h, selector->expressions[i].values[v]);
	}
	return h;
}

uint64_t constraint_hash(const struct pod_constraints *c)
{
	uint64_t h = 1;

	if (c == NULL)
		return 0;
	h = mix(mix(mix(h, c->preferred_count), c->term_count), c->spread_count);
	for (uint32_t i = 0; i < c->preferred_count; i++)
		h = mix(h, (uint64_t)c->weights[i]);
	for (uint32_t i = 0; i < c->term_count; i++)
		h = mix_selector(mix(h, c->terms[i].topology_key), &c->terms[i].selector);
	for (uint32_t i = 0; i < c->spread_count; i++)
		h = mix_selector(mix(h, c->spreads[i].topology_key), &c->spreads[i].selector);
	return h;
}

const struct pod_constraints *constraint_copy(struct mem_arena *arena,
					      const struct pod_constraints *from)
{
	struct pod_constraints *to;
	struct pod_term *terms;
	struct spread_constraint *spreads;

	if (from == NULL)
		return NULL;
	to = mem_arena_copy(arena, from, 1, sizeof(*from));
	to->preferred = label_terms_copy(arena, from->preferred, from->preferred_count);
	to->weights =
		mem_arena_copy(arena, from->weights, from->preferred_count, sizeof(*from->weights));
	to->terms = terms = mem_arena_copy(arena, from->terms, from->term_count, sizeof(*terms));
	for (uint32_t i = 0; i < from->term_count; i++) {
		terms[i].selector = label_selector_copy(arena, &from->terms[i].selector);
		terms[i].namespace_selector =
			label_selector_copy(arena, &from->terms[i].namespace_selector);
		terms[i].namespaces =
			mem_arena_copy(arena, from->terms[i].namespaces,
				       from->terms[i].namespace_count, sizeof(uint32_t));
	}
	to->spreads = spreads =
		mem_arena_copy(arena, from->spreads, from->spread_count, sizeof(*spreads));
	for (uint32_t i = 0; i < from->spread_count; i++)
		spreads[i].selector = label_selector_copy(arena, &from->spreads[i].selector);
	return to;
}
