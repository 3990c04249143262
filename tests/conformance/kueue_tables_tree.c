/* kueue_tables_tree.c - reading and making the trees that cases are. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/conformance/kueue_tables.h"

const struct yaml_node *table_at(const struct yaml_node *node, const char *path)
{
	char key[64];

	while (node != NULL && *path != '\0') {
		size_t len = strcspn(path, ".");

		snprintf(key, sizeof(key), "%.*s", (int)len, path);
		node = yaml_find(node, key);
		path += len + (path[len] == '.');
	}
	return node;
}

const char *table_text(const struct yaml_node *node, const char *path)
{
	const struct yaml_node *value = table_at(node, path);

	return value != NULL && value->kind == YAML_SCALAR ? value->text : "";
}

int64_t table_number(const struct yaml_node *node, const char *path)
{
	const char *text = table_text(node, path);
	int64_t value = 0;

	return num_read_i64(text, strlen(text), &value) ? value : 0;
}

uint32_t table_count(const struct yaml_node *list)
{
	return list != NULL && list->kind == YAML_LIST ? list->count : 0;
}

uint32_t table_pairs(const struct yaml_node *map)
{
	return map != NULL && map->kind == YAML_MAP ? map->count : 0;
}

const struct yaml_node *table_condition(const struct yaml_node *workload, const char *type)
{
	const struct yaml_node *list = table_at(workload, "status.conditions");

	for (uint32_t i = 0; i < table_count(list); i++) {
		if (strcmp(table_text(list->items[i], "type"), type) == 0)
			return list->items[i];
	}
	return NULL;
}

bool table_holds(const struct yaml_node *workload, const char *type)
{
	return strcmp(table_text(table_condition(workload, type), "status"), "True") == 0;
}

const struct yaml_node *table_scalar(struct table_case *c, const char *text)
{
	struct yaml_node *node = mem_arena_alloc(c->arena, sizeof(*node));

	*node = (struct yaml_node){.kind = YAML_SCALAR,
				   .count = (uint32_t)strlen(text),
				   .weight = 1,
				   .text = mem_arena_strdup(c->arena, text)};
	return node;
}

const struct yaml_node *table_with(struct table_case *c, const struct yaml_node *map,
				   const char *key, const struct yaml_node *value)
{
	struct yaml_node *copy = mem_arena_alloc(c->arena, sizeof(*copy));
	uint32_t old = table_pairs(map);
	struct yaml_pair *pairs = mem_arena_alloc(c->arena, (old + 1) * sizeof(*pairs));

	*copy = (struct yaml_node){.kind = YAML_MAP, .weight = 1, .pairs = pairs};
	for (uint32_t i = 0; map != NULL && i < old; i++) {
		if (!yaml_text_is(map->pairs[i].key, key))
			pairs[copy->count++] = map->pairs[i];
	}
	if (value != NULL)
		pairs[copy->count++] = (struct yaml_pair){table_scalar(c, key), value};
	return copy;
}

const struct yaml_node *table_list(struct table_case *c, const struct yaml_node *const *items,
				   uint32_t count)
{
	struct yaml_node *list = mem_arena_alloc(c->arena, sizeof(*list));
	const struct yaml_node **copy = mem_arena_alloc(c->arena, (count + 1U) * sizeof(*copy));

	for (uint32_t i = 0; i < count; i++)
		copy[i] = items[i];
	*list = (struct yaml_node){.kind = YAML_LIST, .count = count, .weight = 1, .items = copy};
	return list;
}

const struct yaml_node *table_group(struct table_case *c, const char *resource,
				    const struct yaml_node *flavors)
{
	const struct yaml_node *name = table_scalar(c, resource);
	const struct yaml_node *group =
		table_with(c, NULL, "coveredResources", table_list(c, &name, 1));

	group = table_with(c, group, "flavors", flavors);
	return table_list(c, &group, 1);
}

/* ------------------------------------------------------- topology assignments */

/* The value of a level for the n-th domain of a slice: one for all, or a root
 * between what all have before and after it. */
static void level_value(const struct yaml_node *level, uint32_t n, char *out, size_t size)
{
	const struct yaml_node *roots = table_at(level, "individual.roots");

	if (n >= table_count(roots))
		snprintf(out, size, "%s", table_text(level, "universal"));
	else
		snprintf(out, size, "%s%s%s", table_text(level, "individual.prefix"),
			 table_text(roots->items[n], ""), table_text(level, "individual.suffix"));
}

static struct table_domain domain_of(struct table_case *c, const struct yaml_node *slice,
				     uint32_t n)
{
	const struct yaml_node *levels = yaml_find(slice, "valuesPerLevel");
	const struct yaml_node *counts = table_at(slice, "podCounts.individual");
	struct table_domain domain = {.place = ""};
	char text[512] = "";
	size_t used = 0;

	for (uint32_t i = 0; i < table_count(levels) && used + 2 < sizeof(text); i++) {
		if (i > 0)
			text[used++] = '/';
		level_value(levels->items[i], n, text + used, sizeof(text) - used);
		used += strlen(text + used);
	}
	domain.place = mem_arena_strdup(c->arena, text);
	domain.pods = (uint32_t)table_number(slice, "podCounts.universal");
	if (n < table_count(counts))
		domain.pods = (uint32_t)strtoul(table_text(counts->items[n], ""), NULL, 10);
	return domain;
}

const struct table_domain *table_domains(struct table_case *c, const struct yaml_node *set,
					 uint32_t *count)
{
	const struct yaml_node *slices = table_at(set, "topologyAssignment.slices");
	struct table_domain *domains;
	uint32_t total = 0;

	for (uint32_t i = 0; i < table_count(slices); i++)
		total += (uint32_t)table_number(slices->items[i], "domainCount");
	domains = mem_arena_alloc(c->arena, (total + 1U) * sizeof(*domains));
	*count = 0;
	for (uint32_t i = 0; i < table_count(slices); i++) {
		uint32_t last = (uint32_t)table_number(slices->items[i], "domainCount");

		for (uint32_t n = 0; n < last; n++)
			domains[(*count)++] = domain_of(c, slices->items[i], n);
	}
	return domains;
}
