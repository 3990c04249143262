#include "sim/yaml/yaml_scalar.h"

#include <stdio.h>
#include <string.h>

enum yaml_type yaml_scalar_type(const struct yaml_node *node)
{
	return node->kind != YAML_SCALAR || !node->plain ? YAML_STRING
							 : yaml_plain_type(node->text, node->count);
}

const char *yaml_describe(const struct yaml_node *node)
{
	static const char *const names[] = {[YAML_NULL] = "nothing",
					    [YAML_BOOL] = "a boolean",
					    [YAML_INT] = "a number",
					    [YAML_FLOAT] = "a number",
					    [YAML_STRING] = "a text"};

	if (node->kind == YAML_LIST)
		return "a list";
	if (node->kind == YAML_MAP)
		return "a map";
	return names[yaml_scalar_type(node)];
}

bool yaml_bool(const struct yaml_node *node)
{
	return yaml_plain_bool(node->text, node->count);
}

bool yaml_int(const struct yaml_node *node, int64_t *out)
{
	return yaml_plain_int(node->text, node->count, out);
}

const char *yaml_json_text(const struct yaml_node *node, char buf[YAML_NUMBER_TEXT], size_t *len)
{
	enum yaml_type type = yaml_scalar_type(node);
	int64_t value;

	*len = node->count;
	if (type == YAML_INT && yaml_int(node, &value)) {
		*len = (size_t)snprintf(buf, YAML_NUMBER_TEXT, "%lld", (long long)value);
		return buf;
	}
	if (type != YAML_FLOAT || memchr(node->text, '_', node->count) == NULL ||
	    node->count >= YAML_NUMBER_TEXT)
		return node->text;
	*len = 0;
	for (size_t i = 0; i < node->count; i++)
		if (node->text[i] != '_')
			buf[(*len)++] = node->text[i];
	buf[*len] = '\0';
	return buf;
}

bool yaml_text_bool(const struct yaml_node *node, bool *out)
{
	static const char *const words[2][6] = {{"0", "f", "F", "false", "FALSE", "False"},
						{"1", "t", "T", "true", "TRUE", "True"}};

	for (size_t i = 0; i < 12; i++) {
		*out = i >= 6;
		if (yaml_text_is(node, words[*out][i % 6]))
			return true;
	}
	return false;
}
