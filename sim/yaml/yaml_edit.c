#include "sim/yaml/yaml_edit.h"

#include <string.h>

static struct yaml_node *new_node(struct mem_arena *arena, const struct yaml_node *place,
				  enum yaml_kind kind)
{
	struct yaml_node *node = mem_arena_alloc(arena, sizeof(*node));

	*node = (struct yaml_node){
		.kind = (uint8_t)kind, .line = place->line, .column = place->column, .weight = 1};
	return node;
}

static const struct yaml_node *copy_text(struct mem_arena *arena, const struct yaml_node *place,
					 const char *bytes, uint32_t count, bool plain)
{
	struct yaml_node *node = new_node(arena, place, YAML_SCALAR);
	char *text = mem_arena_alloc(arena, count + 1u);

	if (count != 0)
		memcpy(text, bytes, count);
	text[count] = '\0';
	node->text = text;
	node->count = count;
	node->plain = plain;
	return node;
}

const struct yaml_node *yaml_edit_text(struct mem_arena *arena, const struct yaml_node *place,
				       const char *text, bool plain)
{
	return copy_text(arena, place, text, (uint32_t)strlen(text), plain);
}

static const struct yaml_node *copy_list(struct mem_arena *arena, const struct yaml_node *node)
{
	struct yaml_node *copy = new_node(arena, node, YAML_LIST);
	const struct yaml_node **items =
		mem_arena_alloc(arena, (node->count + 1u) * sizeof(struct yaml_node *));

	for (uint32_t i = 0; i < node->count; i++)
		items[i] = yaml_edit_copy(arena, node->items[i]);
	copy->items = items;
	copy->count = node->count;
	return copy;
}

static const struct yaml_node *copy_map(struct mem_arena *arena, const struct yaml_node *node)
{
	struct yaml_node *copy = new_node(arena, node, YAML_MAP);
	struct yaml_pair *pairs = mem_arena_alloc(arena, (node->count + 1u) * sizeof(*pairs));

	for (uint32_t i = 0; i < node->count; i++)
		pairs[i] = (struct yaml_pair){.key = yaml_edit_copy(arena, node->pairs[i].key),
					      .value = yaml_edit_copy(arena, node->pairs[i].value)};
	copy->pairs = pairs;
	copy->count = node->count;
	return copy;
}

const struct yaml_node *yaml_edit_copy(struct mem_arena *arena, const struct yaml_node *node)
{
	switch ((enum yaml_kind)node->kind) {
	case YAML_SCALAR:
		return copy_text(arena, node, node->text, node->count, node->plain);
	case YAML_LIST:
		return copy_list(arena, node);
	case YAML_MAP:
		return copy_map(arena, node);
	}
	return node;
}

const struct yaml_node *yaml_edit_set(struct mem_arena *arena, const struct yaml_node *map,
				      const struct yaml_node *place, const char *key,
				      const struct yaml_node *value)
{
	uint32_t count = map != NULL && map->kind == YAML_MAP ? map->count : 0, at = 0;
	struct yaml_node *copy = new_node(arena, map != NULL ? map : place, YAML_MAP);
	struct yaml_pair *pairs = mem_arena_alloc(arena, (count + 1u) * sizeof(*pairs));

	if (count != 0)
		memcpy(pairs, map->pairs, count * sizeof(*pairs));
	while (at < count && !yaml_text_is(pairs[at].key, key))
		at++;
	if (at == count)
		pairs[count++].key = yaml_edit_text(arena, place, key, true);
	pairs[at].value = value;
	copy->pairs = pairs;
	copy->count = count;
	return copy;
}

const struct yaml_node *yaml_edit_list(struct mem_arena *arena, const struct yaml_node *place)
{
	return new_node(arena, place, YAML_LIST);
}

const struct yaml_node *yaml_edit_append(struct mem_arena *arena, const struct yaml_node *list,
					 const struct yaml_node *item)
{
	uint32_t count = list->kind == YAML_LIST ? list->count : 0;
	struct yaml_node *copy = new_node(arena, list, YAML_LIST);
	const struct yaml_node **items =
		mem_arena_alloc(arena, (count + 1u) * sizeof(struct yaml_node *));

	for (uint32_t i = 0; i < count; i++)
		items[i] = list->items[i];
	items[count] = item;
	copy->items = items;
	copy->count = count + 1;
	return copy;
}

const struct yaml_node *yaml_edit_replace(struct mem_arena *arena, const struct yaml_node *list,
					  uint32_t index, const struct yaml_node *item)
{
	struct yaml_node *copy = new_node(arena, list, YAML_LIST);
	const struct yaml_node **items =
		mem_arena_alloc(arena, (list->count + 1u) * sizeof(struct yaml_node *));

	for (uint32_t i = 0; i < list->count; i++)
		items[i] = i == index ? item : list->items[i];
	copy->items = items;
	copy->count = list->count;
	return copy;
}

/* ---- merging ---- */

static const struct yaml_node *name_of(const struct yaml_node *item)
{
	const struct yaml_node *name = yaml_find(item, "name");

	return name != NULL && name->kind == YAML_SCALAR ? name : NULL;
}

static const struct yaml_node *merge_lists(struct mem_arena *arena, const struct yaml_node *base,
					   const struct yaml_node *patch)
{
	const struct yaml_node *merged = base;

	for (uint32_t i = 0; i < patch->count; i++) {
		const struct yaml_node *item = patch->items[i], *name = name_of(item);
		uint32_t at = 0;

		if (name == NULL)
			return patch;
		while (at < merged->count &&
		       (name_of(merged->items[at]) == NULL ||
			!yaml_text_is(name_of(merged->items[at]), name->text)))
			at++;
		merged = at == merged->count
				 ? yaml_edit_append(arena, merged, item)
				 : yaml_edit_replace(
					   arena, merged, at,
					   yaml_edit_merge(arena, merged->items[at], item));
	}
	return merged;
}

const struct yaml_node *yaml_edit_merge(struct mem_arena *arena, const struct yaml_node *base,
					const struct yaml_node *patch)
{
	const struct yaml_node *merged = base;

	if (patch == NULL)
		return base;
	if (base == NULL || base->kind != patch->kind || base->kind == YAML_SCALAR)
		return patch;
	if (base->kind == YAML_LIST)
		return merge_lists(arena, base, patch);
	for (uint32_t i = 0; i < patch->count; i++) {
		const char *key = patch->pairs[i].key->text;

		merged = yaml_edit_set(
			arena, merged, patch->pairs[i].key, key,
			yaml_edit_merge(arena, yaml_find(base, key), patch->pairs[i].value));
	}
	return merged;
}
