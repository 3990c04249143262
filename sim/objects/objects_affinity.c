#include "sim/objects/objects_affinity.h"

#include <string.h>

#define MAX_TERMS  100
#define MAX_KEYS   100
#define MAX_WEIGHT 100
#define HOSTNAME   "kubernetes.io/hostname"
#define ZONE	   "topology.kubernetes.io/zone"

/* ---- node selector terms ---- */

static enum err_code read_match_list(struct fields *f, const struct yaml_node *value,
				     const struct match_expression **out, uint32_t *count)
{
	void *items = NULL;
	enum err_code code = fields_list(f, value, fields_expression,
					 sizeof(struct match_expression), MAX_TERMS, &items, count);

	*out = items;
	return code;
}

static enum err_code read_expressions(struct fields *f, const struct field *row,
				      const struct yaml_node *value, void *out)
{
	struct node_term *term = out;

	(void)row;
	return read_match_list(f, value, &term->expressions, &term->expression_count);
}

static enum err_code read_fields(struct fields *f, const struct field *row,
				 const struct yaml_node *value, void *out)
{
	struct node_term *term = out;
	uint32_t name = builder_string(f->builder, "metadata.name", 13);
	enum err_code code;

	(void)row;
	code = read_match_list(f, value, &term->fields, &term->field_count);
	for (uint32_t i = 0; code == ERR_OK && i < term->field_count; i++)
		if (term->fields[i].key != name)
			code = fields_error(f, ERR_VALUE, value->items[i],
					    "key must be metadata.name, the only field a node can "
					    "be chosen by");
	return code;
}

static const struct field node_term_rows[] = {
	{.key = "matchExpressions", .read = read_expressions},
	{.key = "matchFields", .read = read_fields},
	{.key = NULL},
};

enum err_code objects_affinity_node_term(struct fields *f, const struct field *row,
					 const struct yaml_node *value, void *out)
{
	(void)row;
	return fields_map(f, value, node_term_rows, out);
}

/* ---- preferred node affinity ---- */

static enum err_code read_weight(struct fields *f, const struct field *row,
				 const struct yaml_node *value, void *out)
{
	int32_t *weight = out;
	int64_t number = 0;

	(void)row;
	if (fields_int_between(f, value, 1, MAX_WEIGHT, &number) != ERR_OK)
		return f->err->code;
	*weight = (int32_t)number;
	return ERR_OK;
}

struct preference {
	int32_t weight;
	struct node_term term;
};

static enum err_code read_preference(struct fields *f, const struct field *row,
				     const struct yaml_node *value, void *out)
{
	static const struct field rows[] = {
		{.key = "weight",
		 .read = read_weight,
		 .offset = offsetof(struct preference, weight),
		 .required = true},
		{.key = "preference",
		 .read = objects_affinity_node_term,
		 .offset = offsetof(struct preference, term),
		 .required = true},
		{.key = NULL},
	};

	(void)row;
	return fields_map(f, value, rows, out);
}

enum err_code objects_affinity_nodes(struct fields *f, const struct field *row,
				     const struct yaml_node *value, void *out)
{
	struct objects_affinity *affinity = out;
	struct node_term *terms;
	int32_t *weights;
	void *items = NULL;
	const struct preference *all;
	enum err_code code;

	(void)row;
	code = fields_list(f, value, read_preference, sizeof(struct preference), MAX_TERMS, &items,
			   &affinity->preferred_count);
	if (code != ERR_OK)
		return code;
	all = items;
	terms = mem_arena_alloc(f->arena, affinity->preferred_count * sizeof(*terms));
	weights = mem_arena_alloc(f->arena, affinity->preferred_count * sizeof(*weights));
	for (uint32_t i = 0; i < affinity->preferred_count; i++) {
		terms[i] = all[i].term;
		weights[i] = all[i].weight;
	}
	affinity->preferred = terms;
	affinity->weights = weights;
	return ERR_OK;
}

/* ---- pod affinity ---- */

static enum err_code read_topology_key(struct fields *f, const struct field *row,
				       const struct yaml_node *value, void *out)
{
	enum err_code code = fields_string(f, row, value, out);

	if (code == ERR_OK && value->count == 0)
		return fields_error(f, ERR_VALUE, value,
				    "must name a node label, such as kubernetes.io/hostname");
	return code;
}

static enum err_code read_match_keys(struct fields *f, const struct field *row,
				     const struct yaml_node *value, void *out)
{
	struct objects_own_keys *keys = out;

	(void)row;
	return fields_strings(f, value, MAX_KEYS, &keys->match, &keys->match_count);
}

static enum err_code read_mismatch_keys(struct fields *f, const struct field *row,
					const struct yaml_node *value, void *out)
{
	struct objects_own_keys *keys = out;

	(void)row;
	return fields_strings(f, value, MAX_KEYS, &keys->mismatch, &keys->mismatch_count);
}

static enum err_code read_namespaces(struct fields *f, const struct field *row,
				     const struct yaml_node *value, void *out)
{
	struct objects_term *term = out;

	(void)row;
	return fields_strings(f, value, MAX_KEYS, &term->term.namespaces,
			      &term->term.namespace_count);
}

/* The API server says so, too. */
static enum err_code check_keys(struct fields *f, const struct yaml_node *value,
				const struct objects_own_keys *keys,
				const struct label_selector *selector)
{
	if (!selector->present && (keys->match_count != 0 || keys->mismatch_count != 0))
		return fields_error(f, ERR_VALUE, value,
				    "matchLabelKeys and mismatchLabelKeys need a labelSelector");
	return ERR_OK;
}

#define TERM(member) offsetof(struct objects_term, member)

static const struct field term_rows[] = {
	{.key = "labelSelector", .read = fields_selector, .offset = TERM(term.selector)},
	{.key = "namespaceSelector",
	 .read = fields_selector,
	 .offset = TERM(term.namespace_selector)},
	{.key = "namespaces", .read = read_namespaces},
	{.key = "topologyKey",
	 .read = read_topology_key,
	 .offset = TERM(term.topology_key),
	 .required = true},
	{.key = "matchLabelKeys", .read = read_match_keys, .offset = TERM(keys)},
	{.key = "mismatchLabelKeys", .read = read_mismatch_keys, .offset = TERM(keys)},
	{.key = NULL},
};

static enum err_code read_term(struct fields *f, const struct field *row,
			       const struct yaml_node *value, void *out)
{
	struct objects_term *term = out;
	enum err_code code;

	(void)row;
	code = fields_map(f, value, term_rows, term);
	return code != ERR_OK ? code : check_keys(f, value, &term->keys, &term->term.selector);
}

static enum err_code read_weighted_term(struct fields *f, const struct field *row,
					const struct yaml_node *value, void *out)
{
	static const struct field rows[] = {
		{.key = "weight",
		 .read = read_weight,
		 .offset = TERM(term.weight),
		 .required = true},
		{.key = "podAffinityTerm", .read = read_term, .required = true},
		{.key = NULL},
	};

	(void)row;
	return fields_map(f, value, rows, out);
}

/* Behind the terms that are there already. */
static enum err_code read_terms(struct fields *f, const struct yaml_node *value, fields_read *read,
				struct objects_affinity *affinity)
{
	uint32_t before = affinity->term_count, count = 0;
	struct objects_term *all;
	void *items = NULL;
	enum err_code code =
		fields_list(f, value, read, sizeof(struct objects_term), MAX_TERMS, &items, &count);

	if (code != ERR_OK || count == 0)
		return code;
	all = mem_arena_alloc(f->arena, (before + count) * sizeof(*all));
	if (before != 0)
		memcpy(all, affinity->terms, before * sizeof(*all));
	memcpy(all + before, items, count * sizeof(*all));
	affinity->terms = all;
	affinity->term_count = before + count;
	return ERR_OK;
}

static enum err_code read_required(struct fields *f, const struct field *row,
				   const struct yaml_node *value, void *out)
{
	(void)row;
	return read_terms(f, value, read_term, out);
}

static enum err_code read_preferred(struct fields *f, const struct field *row,
				    const struct yaml_node *value, void *out)
{
	(void)row;
	return read_terms(f, value, read_weighted_term, out);
}

static const struct field pod_affinity_rows[] = {
	{.key = "requiredDuringSchedulingIgnoredDuringExecution", .read = read_required},
	{.key = "preferredDuringSchedulingIgnoredDuringExecution", .read = read_preferred},
	{.key = NULL},
};

enum err_code objects_affinity_near(struct fields *f, const struct field *row,
				    const struct yaml_node *value, void *out)
{
	(void)row;
	return fields_map(f, value, pod_affinity_rows, out);
}

enum err_code objects_affinity_far(struct fields *f, const struct field *row,
				   const struct yaml_node *value, void *out)
{
	struct objects_affinity *affinity = out;
	uint32_t before = affinity->term_count;
	enum err_code code;

	(void)row;
	code = fields_map(f, value, pod_affinity_rows, affinity);
	for (uint32_t i = before; i < affinity->term_count; i++)
		affinity->terms[i].term.anti = true;
	return code;
}

/* ---- topology spread ---- */

enum { POLICY_HONOR, POLICY_IGNORE };

static const struct fields_word policies[] = {
	{"Honor", POLICY_HONOR},
	{"Ignore", POLICY_IGNORE},
	{NULL, 0},
};

static const struct fields_word actions[] = {
	{"DoNotSchedule", 1},
	{"ScheduleAnyway", 0},
	{NULL, 0},
};

static enum err_code read_action(struct fields *f, const struct field *row,
				 const struct yaml_node *value, void *out)
{
	bool *hard = out;
	int word = 0;
	enum err_code code = fields_enum(f, row, value, &word);

	*hard = word != 0;
	return code;
}

static enum err_code read_affinity_policy(struct fields *f, const struct field *row,
					  const struct yaml_node *value, void *out)
{
	bool *ignores = out;
	int word = POLICY_HONOR;
	enum err_code code = fields_enum(f, row, value, &word);

	*ignores = word == POLICY_IGNORE;
	return code;
}

static enum err_code read_taints_policy(struct fields *f, const struct field *row,
					const struct yaml_node *value, void *out)
{
	bool *honors = out;
	int word = POLICY_IGNORE;
	enum err_code code = fields_enum(f, row, value, &word);

	*honors = word == POLICY_HONOR;
	return code;
}

static enum err_code read_positive(struct fields *f, const struct field *row,
				   const struct yaml_node *value, void *out)
{
	int32_t *number = out;
	int64_t read = 0;

	(void)row;
	if (fields_int_between(f, value, 1, INT32_MAX, &read) != ERR_OK)
		return f->err->code;
	*number = (int32_t)read;
	return ERR_OK;
}

#define SPREAD(member) offsetof(struct objects_spread, member)

static const struct field spread_rows[] = {
	{.key = "maxSkew",
	 .read = read_positive,
	 .offset = SPREAD(spread.max_skew),
	 .required = true},
	{.key = "topologyKey",
	 .read = read_topology_key,
	 .offset = SPREAD(spread.topology_key),
	 .required = true},
	{.key = "whenUnsatisfiable",
	 .read = read_action,
	 .offset = SPREAD(spread.hard),
	 .arg = actions,
	 .required = true},
	{.key = "labelSelector", .read = fields_selector, .offset = SPREAD(spread.selector)},
	{.key = "minDomains", .read = read_positive, .offset = SPREAD(spread.min_domains)},
	{.key = "nodeAffinityPolicy",
	 .read = read_affinity_policy,
	 .offset = SPREAD(spread.ignores_affinity),
	 .arg = policies},
	{.key = "nodeTaintsPolicy",
	 .read = read_taints_policy,
	 .offset = SPREAD(spread.honors_taints),
	 .arg = policies},
	{.key = "matchLabelKeys", .read = read_match_keys, .offset = SPREAD(keys)},
	{.key = NULL},
};

static enum err_code read_spread(struct fields *f, const struct field *row,
				 const struct yaml_node *value, void *out)
{
	struct objects_spread *s = out;
	enum err_code code;

	(void)row;
	code = fields_map(f, value, spread_rows, s);
	if (code == ERR_OK)
		code = check_keys(f, value, &s->keys, &s->spread.selector);
	if (code == ERR_OK && s->spread.min_domains != 0 && !s->spread.hard)
		return fields_error(f, ERR_VALUE, value,
				    "minDomains is possible with whenUnsatisfiable DoNotSchedule "
				    "only");
	if (s->spread.min_domains == 0)
		s->spread.min_domains = 1;
	return code;
}

enum err_code objects_affinity_spread(struct fields *f, const struct field *row,
				      const struct yaml_node *value, void *out)
{
	struct objects_affinity *affinity = out;
	void *items = NULL;
	enum err_code code;

	(void)row;
	code = fields_list(f, value, read_spread, sizeof(struct objects_spread), MAX_TERMS, &items,
			   &affinity->spread_count);
	affinity->spreads = items;
	for (uint32_t i = 0; code == ERR_OK && i < affinity->spread_count; i++)
		for (uint32_t k = 0; code == ERR_OK && k < i; k++)
			if (affinity->spreads[i].spread.topology_key ==
				    affinity->spreads[k].spread.topology_key &&
			    affinity->spreads[i].spread.hard == affinity->spreads[k].spread.hard)
				code = fields_error(f, ERR_DUPLICATE, value->items[i],
						    "topologyKey and whenUnsatisfiable are those "
						    "of another constraint; each pair may stand "
						    "once");
	return code;
}

void objects_affinity_defaults(struct fields *f, struct objects_affinity *affinity,
			       const struct label_selector *selector)
{
	struct objects_spread *spreads;

	if (affinity->spread_count != 0 || !selector->present ||
	    (selector->match_labels.count == 0 && selector->expression_count == 0))
		return;
	spreads = mem_arena_alloc(f->arena, 2 * sizeof(*spreads));
	spreads[0].spread = (struct spread_constraint){
		.selector = *selector,
		.topology_key = builder_string(f->builder, HOSTNAME, sizeof(HOSTNAME) - 1),
		.max_skew = 3,
		.min_domains = 1,
		.system = true};
	spreads[1] = spreads[0];
	spreads[1].spread.topology_key = builder_string(f->builder, ZONE, sizeof(ZONE) - 1);
	spreads[1].spread.max_skew = 5;
	affinity->spreads = spreads;
	affinity->spread_count = 2;
}

/* ---- the record ---- */

/* As the API server does when the pod is created: In (NotIn) the pod's own value of
 * each key that it has. */
static void add_own(struct fields *f, struct label_selector *selector,
		    const struct objects_own_keys *keys, const struct label_set *labels)
{
	uint32_t most = selector->expression_count + keys->match_count + keys->mismatch_count;
	struct match_expression *all;
	uint32_t count = selector->expression_count;

	if (keys->match_count + keys->mismatch_count == 0)
		return;
	all = mem_arena_alloc(f->arena, most * sizeof(*all));
	if (count != 0)
		memcpy(all, selector->expressions, count * sizeof(*all));
	for (uint32_t i = 0; i < keys->match_count + keys->mismatch_count; i++) {
		bool in = i < keys->match_count;
		uint32_t key = in ? keys->match[i] : keys->mismatch[i - keys->match_count];
		uint32_t *value;

		if (!label_has(labels, key))
			continue;
		value = mem_arena_alloc(f->arena, sizeof(*value));
		*value = label_value(labels, key);
		all[count++] = (struct match_expression){.key = key,
							 .op = in ? MATCH_IN : MATCH_NOT_IN,
							 .values = value,
							 .value_count = 1};
	}
	selector->expressions = all;
	selector->expression_count = count;
}

const struct pod_constraints *objects_affinity_finish(struct fields *f,
						      const struct objects_affinity *affinity,
						      const struct label_set *labels)
{
	struct pod_constraints *c;
	struct pod_term *terms;
	struct spread_constraint *spreads;

	if (affinity->preferred_count + affinity->term_count + affinity->spread_count == 0)
		return NULL;
	c = mem_arena_alloc(f->arena, sizeof(*c));
	terms = mem_arena_alloc(f->arena, affinity->term_count * sizeof(*terms));
	spreads = mem_arena_alloc(f->arena, affinity->spread_count * sizeof(*spreads));
	for (uint32_t i = 0; i < affinity->term_count; i++) {
		terms[i] = affinity->terms[i].term;
		add_own(f, &terms[i].selector, &affinity->terms[i].keys, labels);
	}
	for (uint32_t i = 0; i < affinity->spread_count; i++) {
		spreads[i] = affinity->spreads[i].spread;
		add_own(f, &spreads[i].selector, &affinity->spreads[i].keys, labels);
	}
	*c = (struct pod_constraints){.preferred = affinity->preferred,
				      .weights = affinity->weights,
				      .preferred_count = affinity->preferred_count,
				      .terms = terms,
				      .term_count = affinity->term_count,
				      .spreads = spreads,
				      .spread_count = affinity->spread_count};
	return c;
}
