/* yaml_print.h - a tree of YAML written as JSON, which is YAML: scalars keep their types. */
#ifndef SIM_YAML_PRINT_H
#define SIM_YAML_PRINT_H

#include "sim/tool/jsonw.h"
#include "sim/yaml/yaml.h"

/* Under the key; NULL inside an array. */
void yaml_print(struct jsonw *json, const char *key, const struct yaml_node *node);

#endif
