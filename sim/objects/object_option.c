#include "sim/objects/object_option.h"

#include <stdio.h>
#include <string.h>

#include "sim/scenario/options.h"

#define TEXT 1024

enum err_code object_option(struct fields *f, const char *name, const char *text,
			    const struct yaml_node *node)
{
	struct run_options trial;
	struct err plain = {.code = ERR_OK};
	char pair[TEXT];

	if (strlen(text) + strlen(name) + 2 > sizeof(pair))
		return fields_error(f, ERR_VALUE, node, "the value is too long");
	options_default(&trial);
	if (options_set(&trial, name, text, &plain) != ERR_OK)
		return fields_error(f, plain.code, node, "%s", plain.msg);
	snprintf(pair, sizeof(pair), "%s=%s", name, text);
	builder_option(f->builder, pair);
	return ERR_OK;
}
