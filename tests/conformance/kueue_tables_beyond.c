/* kueue_tables_beyond.c - what a case asks for that gqsim does not model. */
#include <string.h>

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

const char *table_beyond(struct table_case *c)
{
	const char *what = c->root == NULL ? NULL : field_beyond(c->root);

	if (c->refused)
		return "an object that the API server would refuse, too";
	return what;
}
