#include <stdio.h>
#include <string.h>

#include "sim/setting_look.h"

#define MAX_POOL 1000000

static enum err_code no_pool(struct setting *s)
{
	struct draft_list *list = &s->builder->lists[KIND_NODE];
	struct setting_listing listing;
	uint32_t last = NAME_NONE;

	setting_list_begin(&listing, s->name);
	for (uint32_t i = 0; i < list->count; i++) {
		const struct node *node = draft_record(list, KIND_NODE, i);

		if (node->pool != NAME_NONE && node->pool != last)
			setting_list_offer(&listing, name_text(s->builder->strings, node->pool));
		last = node->pool;
	}
	return setting_not_found(s, &listing, "node pool", s->name);
}

/* The labels of a node with the host's own name in them. */
static struct label_set renamed_labels(struct builder *builder, const struct label_set *from,
				       uint32_t old_name, uint32_t new_name)
{
	struct label *labels = mem_arena_alloc(builder->arena, from->count * sizeof(*labels));

	for (uint32_t i = 0; i < from->count; i++) {
		labels[i] = from->items[i];
		if (labels[i].value == old_name)
			labels[i].value = new_name;
	}
	return (struct label_set){.items = labels, .count = from->count};
}

static void add_nodes(struct setting *s, const struct node *like, uint32_t from, uint32_t to)
{
	struct builder *builder = s->builder;
	const struct node pattern = *like; /* the list may move */

	for (uint32_t i = from; i < to; i++) {
		struct node node = pattern;
		char name[SETTING_PIECE + 16];

		snprintf(name, sizeof(name), "%s-%u", s->name, i);
		node.name = name_add(builder->strings, name);
		node.labels = renamed_labels(builder, &pattern.labels, pattern.name, node.name);
		draft_add(builder, KIND_NODE, &node, (struct place){0}, KIND_ALWAYS);
	}
}

/* Keeps the first `keep` nodes of the pool; of 0 one that never comes, which stands for it.
 * What an autoscaler may bring stays. */
static void drop_nodes(struct builder *builder, uint32_t pool, uint32_t keep)
{
	struct draft_list *list = &builder->lists[KIND_NODE];
	uint32_t kept = 0, seen = 0;

	for (uint32_t i = 0; i < list->count; i++) {
		struct node *node = draft_record(list, KIND_NODE, i);

		if (node->pool == pool) {
			node->spare = seen >= keep;
			if (seen++ >= (keep == 0 ? 1 : keep) && node->scaled == 0)
				continue;
		}
		memmove(draft_record(list, KIND_NODE, kept), node, sizeof(*node));
		list->meta[kept++] = list->meta[i];
	}
	list->count = kept;
}

enum err_code setting_pool(struct setting *s)
{
	struct draft_list *list = &s->builder->lists[KIND_NODE];
	uint32_t pool = name_find(s->builder->strings, s->name), count = 0, wanted;
	const struct node *like = NULL;

	for (uint32_t i = 0; i < list->count; i++) {
		const struct node *node = draft_record(list, KIND_NODE, i);

		if (pool == NAME_NONE || node->pool != pool)
			continue;
		like = node;
		count++;
	}
	if (like == NULL)
		return no_pool(s);
	if (strcmp(s->field, "count") != 0 || s->resource[0] != '\0')
		return setting_no_field(s, "count");
	if (!num_read_u32(s->value, strlen(s->value), &wanted) || wanted > MAX_POOL)
		return setting_fail(s, ERR_VALUE, "\"%.60s\" is not a number of nodes up to %d",
				    s->value, MAX_POOL);
	if (wanted > count)
		add_nodes(s, like, count, wanted);
	drop_nodes(s->builder, pool, wanted);
	return ERR_OK;
}
