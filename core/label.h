/* label.h - labels, taints, tolerations, selectors: what Kubernetes and Kueue
 * match pods, nodes and flavors by. Strings are indices of the scenario's
 * string table, so equality is equality of integers.
 */
#ifndef CORE_LABEL_H
#define CORE_LABEL_H

#include <stdbool.h>
#include <stdint.h>

#include "core/mem.h"
#include "core/name.h"

struct label {
	uint32_t key;
	uint32_t value;
};

/* Arrays are owned by whoever built the record (the scenario's arena). */
struct label_set {
	const struct label *items;
	uint32_t count;
};

enum taint_effect { TAINT_ANY, TAINT_NO_SCHEDULE, TAINT_PREFER_NO_SCHEDULE, TAINT_NO_EXECUTE };

struct taint {
	uint32_t key;
	uint32_t value; /* NAME_NONE = "" */
	enum taint_effect effect;
};

struct taint_set {
	const struct taint *items;
	uint32_t count;
};

enum toleration_op { TOLERATION_EQUAL, TOLERATION_EXISTS, TOLERATION_LT, TOLERATION_GT };

struct toleration {
	uint32_t key; /* NAME_NONE: every key (with EXISTS) */
	uint32_t value;
	enum toleration_op op;
	enum taint_effect effect; /* TAINT_ANY: every effect */
	bool limited;		  /* a NoExecute taint is tolerated for seconds only */
	int64_t seconds;
};

struct toleration_set {
	const struct toleration *items;
	uint32_t count;
};

enum match_op { MATCH_IN, MATCH_NOT_IN, MATCH_EXISTS, MATCH_DOES_NOT_EXIST, MATCH_GT, MATCH_LT };

struct match_expression {
	uint32_t key;
	enum match_op op;
	const uint32_t *values;
	uint32_t value_count;
};

/* One nodeSelectorTerm: its expressions are ANDed; terms are ORed. match_fields
 * (metadata.name) are kept apart. An empty term matches nothing. */
struct node_term {
	const struct match_expression *expressions;
	uint32_t expression_count;
	const struct match_expression *fields;
	uint32_t field_count;
};

/* metav1.LabelSelector; both lists ANDed. present = false is nil: matches nothing. */
struct label_selector {
	bool present;
	struct label_set match_labels;
	const struct match_expression *expressions;
	uint32_t expression_count;
};

/* The value index of a key; NAME_NONE if the key is absent. */
uint32_t label_value(const struct label_set *labels, uint32_t key);
bool label_has(const struct label_set *labels, uint32_t key);
/* Does every wanted pair stand in labels? */
bool label_contains(const struct label_set *labels, const struct label_set *wanted);
bool label_expression_matches(const struct name_table *strings, const struct label_set *labels,
			      const struct match_expression *expression);
bool label_selector_matches(const struct name_table *strings, const struct label_set *labels,
			    const struct label_selector *selector);
/* Do the terms (ORed; none = everything matches) hold for a node of this name? */
bool label_terms_match(const struct name_table *strings, const struct label_set *labels,
		       uint32_t node_name, const struct node_term *terms, uint32_t term_count);
/* The same, and a selector, where terms and selector count only for keys that the labels have,
 * as Kueue asks whether a flavor's labels suit a pod (its nodes may have more). */
bool label_known_match(const struct name_table *strings, const struct label_set *labels,
		       const struct label_set *selector, const struct node_term *terms,
		       uint32_t term_count);
bool label_tolerates(const struct name_table *strings, const struct toleration_set *tolerations,
		     const struct taint *taint);
bool label_toleration_matches(const struct name_table *strings, const struct toleration *toleration,
			      const struct taint *taint);

/* Equal as written, in the same order. */
bool label_set_equal(const struct label_set *a, const struct label_set *b);
bool label_taints_equal(const struct taint_set *a, const struct taint_set *b);
bool label_tolerations_equal(const struct toleration_set *a, const struct toleration_set *b);
bool label_selector_equal(const struct label_selector *a, const struct label_selector *b);
bool label_terms_equal(const struct node_term *a, uint32_t count_a, const struct node_term *b,
		       uint32_t count_b);

/* Copies with everything that they point at. */
struct label_set label_set_copy(struct mem_arena *arena, const struct label_set *from);
struct label_selector label_selector_copy(struct mem_arena *arena,
					  const struct label_selector *from);
const struct node_term *label_terms_copy(struct mem_arena *arena, const struct node_term *from,
					 uint32_t count);

#endif
