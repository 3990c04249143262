/* kueue_tables_beyond.c - what a case asks for that gqsim does not model. */
#include <stdio.h>
#include <string.h>

#include "sim/scenario/kueue_gates.h"
#include "tests/conformance/kueue_tables.h"

/* Fields (or annotations), anywhere in the objects of a case. */
static const struct {
	const char *key, *what;
} fields[] = {
	{"workloadSlice", "an old workload slice of other requests a pod, which the case lacks"},
	{"kueue.x-k8s.io/workload-slice-replacement-for", "an old workload slice"},
	{"resourceClaims", "devices (DRA)"},
	{"kueue.x-k8s.io/priority-boost", "priority boosts"},
	{"admissionError", "a write that the API server refuses"},
	{"patchStatusError", "a write that the API server refuses"},
};

static bool is_given(const struct yaml_node *value)
{
	if (value->kind != YAML_SCALAR)
		return value->count > 0;
	return strcmp(value->text, "null") != 0 && strcmp(value->text, "false") != 0 &&
	       *value->text != '\0';
}

static const char *field_beyond(const struct yaml_node *node)
{
	const char *what = NULL;

	for (uint32_t i = 0; node->kind == YAML_LIST && i < node->count && what == NULL; i++)
		what = field_beyond(node->items[i]);
	for (uint32_t i = 0; node->kind == YAML_MAP && i < node->count && what == NULL; i++) {
		const struct yaml_pair *pair = &node->pairs[i];

		for (size_t f = 0; f < sizeof(fields) / sizeof(fields[0]); f++) {
			if (yaml_text_is(pair->key, fields[f].key) && is_given(pair->value))
				return fields[f].what;
		}
		what = field_beyond(pair->value);
	}
	return what;
}

static bool gate_beyond(struct table_case *c, const struct yaml_pair *gate)
{
	enum finding_kind kind;
	char text[200];
	bool on = strcmp(gate->value->text, "true") == 0;

	if (!kueue_gates_finding(gate->key->text, on, &kind, text, sizeof(text)) ||
	    kind != FINDING_NOT_MODELLED)
		return false;
	snprintf(c->beyond, sizeof(c->beyond), "gate %s %s", gate->key->text, text);
	return true;
}

const char *table_beyond(struct table_case *c)
{
	const struct yaml_node *gates = c->root == NULL ? NULL : yaml_find(c->root, "featureGates");
	const char *what = c->root == NULL ? NULL : field_beyond(c->root);

	if (c->refused)
		return "an object that the API server would refuse, too";
	if (what != NULL)
		return what;
	for (uint32_t i = 0; i < table_pairs(gates); i++) {
		if (gate_beyond(c, &gates->pairs[i]))
			return c->beyond;
	}
	return NULL;
}
