#include "sim/yaml/yaml_print.h"

#include "sim/yaml/yaml_scalar.h"

static void print_scalar(struct jsonw *json, const char *key, const struct yaml_node *node)
{
	char text[YAML_NUMBER_TEXT];
	int64_t number;
	size_t len;

	switch (yaml_scalar_type(node)) {
	case YAML_NULL:
		jsonw_null(json, key);
		return;
	case YAML_BOOL:
		jsonw_bool(json, key, yaml_bool(node));
		return;
	case YAML_INT:
		if (yaml_int(node, &number)) {
			jsonw_integer(json, key, number);
			return;
		}
		break;
	case YAML_FLOAT:
	case YAML_STRING:
		break;
	}
	jsonw_text(json, key, yaml_json_text(node, text, &len));
}

void yaml_print(struct jsonw *json, const char *key, const struct yaml_node *node)
{
	switch ((enum yaml_kind)node->kind) {
	case YAML_MAP:
		jsonw_object(json, key);
		for (uint32_t i = 0; i < node->count; i++)
			yaml_print(json, node->pairs[i].key->text, node->pairs[i].value);
		jsonw_close_object(json);
		break;
	case YAML_LIST:
		jsonw_array(json, key);
		for (uint32_t i = 0; i < node->count; i++)
			yaml_print(json, NULL, node->items[i]);
		jsonw_close_array(json);
		break;
	case YAML_SCALAR:
		print_scalar(json, key, node);
		break;
	}
}
