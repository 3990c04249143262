/* yaml_scalar.h - what a scalar means, as kubectl's YAML 1.1 reader takes it: without quotes
 * as sim/yaml/yaml_plain.h says; anything in quotes is a text. */
#ifndef SIM_YAML_SCALAR_H
#define SIM_YAML_SCALAR_H

#include <stddef.h>

#include "sim/yaml/yaml.h"
#include "sim/yaml/yaml_plain.h"

/* YAML_STRING for lists and maps too, which callers have ruled out. */
enum yaml_type yaml_scalar_type(const struct yaml_node *node);

/* "a boolean", "a number", "a text", "a list", "a map", "nothing". */
const char *yaml_describe(const struct yaml_node *node);

/* Of a YAML_BOOL. */
bool yaml_bool(const struct yaml_node *node);
/* Of any text, as Go's strconv.ParseBool takes the values of annotations; false if it is
 * none. */
bool yaml_text_bool(const struct yaml_node *node, bool *out);
/* Of a YAML_INT; false if it is beyond 64 bits. */
bool yaml_int(const struct yaml_node *node, int64_t *out);

/* A number or text as the JSON that the API server gets has it: hex, octal and
 * binary become decimal, digit separators go. The text of anything else is
 * returned as it is. buf holds what has to be rewritten. */
#define YAML_NUMBER_TEXT 80
const char *yaml_json_text(const struct yaml_node *node, char buf[YAML_NUMBER_TEXT], size_t *len);

#endif
