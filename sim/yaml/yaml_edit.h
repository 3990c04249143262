/* yaml_edit.h - trees of YAML made of other trees: what a controller adds to a template
 * before anyone reads it.
 *
 * Nothing is changed in place: what comes back is new, in the arena, and shares what it
 * did not change. New nodes have the place of the node that they stand for.
 */
#ifndef SIM_YAML_EDIT_H
#define SIM_YAML_EDIT_H

#include "core/mem.h"
#include "sim/yaml/yaml.h"

/* A copy that shares nothing with the original. */
const struct yaml_node *yaml_edit_copy(struct mem_arena *arena, const struct yaml_node *node);

/* A quoted text; plain: as if written without quotes. */
const struct yaml_node *yaml_edit_text(struct mem_arena *arena, const struct yaml_node *place,
				       const char *text, bool plain);
/* The map with this value under the key; map NULL: a map of just that. */
const struct yaml_node *yaml_edit_set(struct mem_arena *arena, const struct yaml_node *map,
				      const struct yaml_node *place, const char *key,
				      const struct yaml_node *value);
/* An empty list. */
const struct yaml_node *yaml_edit_list(struct mem_arena *arena, const struct yaml_node *place);
/* The list with one more item. */
const struct yaml_node *yaml_edit_append(struct mem_arena *arena, const struct yaml_node *list,
					 const struct yaml_node *item);
/* The list with another item at index, which is one of its own. */
const struct yaml_node *yaml_edit_replace(struct mem_arena *arena, const struct yaml_node *list,
					  uint32_t index, const struct yaml_node *item);
/* Kubernetes' strategic merge, as far as pod templates need it: maps are merged key by
 * key, lists of things with a name by that name, anything else is replaced. Either may be
 * NULL. */
const struct yaml_node *yaml_edit_merge(struct mem_arena *arena, const struct yaml_node *base,
					const struct yaml_node *patch);

#endif
