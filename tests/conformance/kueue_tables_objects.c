/* kueue_tables_objects.c - objects of a case, through the project's own readers. */
#include <stdio.h>
#include <string.h>

#include "sim/objects/objects_cluster.h"
#include "sim/objects/objects_config.h"
#include "sim/objects/objects_kueue.h"
#include "sim/objects/objects_provisioning.h"
#include "tests/conformance/kueue_tables.h"

static object_read *reader_of(const char *kind)
{
	static const struct {
		const char *kind;
		object_read *read;
	} rows[] = {
		{"ClusterQueue", objects_cluster_queue},
		{"Cohort", objects_cohort},
		{"ResourceFlavor", objects_flavor},
		{"LocalQueue", objects_local_queue},
		{"AdmissionCheck", objects_check},
		{"Topology", objects_topology},
		{"Node", objects_node},
		{"Namespace", objects_namespace},
		{"Configuration", objects_config},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (strcmp(rows[i].kind, kind) == 0)
			return rows[i].read;
	}
	return NULL;
}

uint32_t table_string(struct table_case *c, const char *text)
{
	return builder_string(c->builder, text, strlen(text));
}

const char *table_namespace(const struct yaml_node *object)
{
	const char *ns = table_text(object, "metadata.namespace");

	return *ns == '\0' ? "default" : ns;
}

/* A copy of the tree without any value of the key. */
static const struct yaml_node *without(struct table_case *c, const struct yaml_node *node,
				       const char *key)
{
	struct yaml_node *copy = mem_arena_alloc(c->arena, sizeof(*copy));
	struct yaml_pair *pairs = mem_arena_alloc(c->arena, (node->count + 1U) * sizeof(*pairs));
	const struct yaml_node **items =
		mem_arena_alloc(c->arena, (node->count + 1U) * sizeof(const struct yaml_node *));

	*copy = *node;
	if (node->kind == YAML_SCALAR)
		return copy;
	copy->count = 0;
	for (uint32_t i = 0; i < node->count; i++) {
		const struct yaml_pair *pair = &node->pairs[i];

		if (node->kind == YAML_LIST)
			items[copy->count++] = without(c, node->items[i], key);
		else if (!yaml_text_is(pair->key, key))
			pairs[copy->count++] =
				(struct yaml_pair){pair->key, without(c, pair->value, key)};
	}
	if (node->kind == YAML_LIST)
		copy->items = items;
	else
		copy->pairs = pairs;
	return copy;
}

static const struct yaml_node *without_empty_groups(struct table_case *c,
						    const struct yaml_node *spec)
{
	const struct yaml_node *groups = yaml_find(spec, "resourceGroups");
	struct yaml_node *kept = mem_arena_alloc(c->arena, sizeof(*kept));
	const struct yaml_node **items;

	if (groups == NULL)
		return spec;
	items = mem_arena_alloc(c->arena,
				(table_count(groups) + 1U) * sizeof(const struct yaml_node *));
	*kept = (struct yaml_node){.kind = YAML_LIST, .weight = 1, .items = items};
	for (uint32_t i = 0; i < table_count(groups); i++) {
		if (table_count(yaml_find(groups->items[i], "coveredResources")) > 0)
			items[kept->count++] = groups->items[i];
	}
	return table_with(c, spec, "resourceGroups", kept->count > 0 ? kept : NULL);
}

bool table_is_fair(const struct table_case *c)
{
	return strcmp(table_text(c->root, "enableFairSharing"), "true") == 0 ||
	       strcmp(table_text(c->root, "table"), "TestFairPreemptions") == 0;
}

/* With fair sharing a policy that is not given, which the API server would fill in,
 * is not Never to Kueue. */
bool table_only_borrows(const struct table_case *c, const struct yaml_node *spec)
{
	const char *reclaim = table_text(spec, "preemption.reclaimWithinCohort");

	if (*reclaim != '\0' && strcmp(reclaim, "Never") != 0)
		return false;
	return table_at(spec, "preemption.borrowWithinCohort") != NULL ||
	       (*reclaim == '\0' && yaml_find(spec, "preemption") != NULL && table_is_fair(c));
}

/* Where gqsim takes an amount that a node does not name for unlimited, Kueue takes
 * it for none. */
static const struct yaml_node *with_all_resources(struct table_case *c,
						  const struct yaml_node *status)
{
	static const char *const names[] = {"cpu", "memory", "ephemeral-storage"};
	const struct yaml_node *allocatable = yaml_find(status, "allocatable");

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (yaml_find(allocatable, names[i]) == NULL)
			allocatable = table_with(c, allocatable, names[i], table_scalar(c, "0"));
	}
	return table_with(c, status, "allocatable", allocatable);
}

/* Some tables have objects that the API server would refuse. What they say all the
 * same is said in a way it takes: a queue without a quota of its own by no group,
 * limits that cannot matter outside of a cohort not at all, a topology flavor for
 * every node by a label that every node gets, and preemption that only_borrows
 * once the scenario is made. */
static const struct yaml_node *acceptable(struct table_case *c, const char *kind,
					  const struct yaml_node *object)
{
	static const char anywhere[] = "tables/anywhere";
	const struct yaml_node *spec = yaml_find(object, "spec");
	const struct yaml_node *labels = table_at(object, "metadata.labels");

	if (strcmp(kind, "ClusterQueue") == 0) {
		spec = without_empty_groups(c, spec);
		if (spec != NULL && yaml_find(spec, "cohortName") == NULL)
			spec = without(c, without(c, spec, "borrowingLimit"), "lendingLimit");
		if (table_only_borrows(c, spec))
			spec = without(c, spec, "borrowWithinCohort");
	} else if (strcmp(kind, "ResourceFlavor") == 0 && yaml_find(spec, "topologyName") != NULL &&
		   table_pairs(yaml_find(spec, "nodeLabels")) == 0) {
		spec = table_with(c, spec, "nodeLabels",
				  table_with(c, NULL, anywhere, table_scalar(c, "yes")));
	} else if (strcmp(kind, "Node") == 0) {
		labels = table_with(c, labels, anywhere, table_scalar(c, "yes"));
		object = table_with(c, object, "metadata",
				    table_with(c, yaml_find(object, "metadata"), "labels", labels));
		return table_with(c, object, "status",
				  with_all_resources(c, yaml_find(object, "status")));
	}
	return spec == NULL ? object : table_with(c, object, "spec", spec);
}

bool table_read(struct table_case *c, const char *kind, const struct yaml_node *node)
{
	const struct yaml_node *given = acceptable(c, kind, node);
	struct object object = {.node = given,
				.version = "v1beta2",
				.list_kind = kind,
				.name = table_string(c, table_text(node, "metadata.name")),
				.ns = table_string(c, table_namespace(node)),
				.labels = table_at(given, "metadata.labels"),
				.annotations = table_at(given, "metadata.annotations"),
				.at = KIND_ALWAYS};
	struct fields *f = &c->fields;

	if (node == NULL || node->kind != YAML_MAP)
		return table_differ(c, "%s: no object", kind);
	f->kind = kind;
	f->name = table_text(node, "metadata.name");
	f->version = FIELDS_NEW;
	f->path_len = 0;
	f->path[0] = '\0';
	if (reader_of(kind)(f, &object) != ERR_OK) {
		c->refused = true;
		return table_differ(c, "cannot be loaded: %s", c->err.msg);
	}
	return true;
}

bool table_read_all(struct table_case *c, const char *key, const char *kind)
{
	const struct yaml_node *list = yaml_find(c->root, key);
	bool fine = true;

	for (uint32_t i = 0; i < table_count(list) + table_pairs(list) && fine; i++)
		fine = table_read(c, kind,
				  list->kind == YAML_LIST ? list->items[i] : list->pairs[i].value);
	return fine;
}

bool table_read_text(struct table_case *c, const char *text)
{
	struct source source = {.name = "text", .data = text, .size = strlen(text)};
	const struct yaml_node *map;
	bool fine = true;

	if (yaml_open(&source, &c->text_reader, &c->err) != ERR_OK ||
	    yaml_next(c->text_reader, &map, &c->err) != ERR_OK || map == NULL)
		return table_differ(c, "text: %s", c->err.msg);
	for (uint32_t i = 0; i < table_pairs(map); i++) {
		const struct yaml_node *list = map->pairs[i].value;

		for (uint32_t o = 0; o < table_count(list) && fine; o++)
			fine = table_read(c, map->pairs[i].key->text, list->items[o]);
	}
	return fine;
}

static bool read_namespaces(struct table_case *c)
{
	const struct yaml_node *map = yaml_find(c->root, "namespaces");
	bool fine = true;

	for (uint32_t i = 0; i < table_pairs(map) && fine; i++) {
		const struct yaml_node *head = table_with(c, NULL, "name", map->pairs[i].key);

		if (table_pairs(map->pairs[i].value) > 0)
			head = table_with(c, head, "labels", map->pairs[i].value);
		fine = table_read(c, "Namespace", table_with(c, NULL, "metadata", head));
	}
	return fine;
}

static const int64_t *amounts(struct table_case *c, const struct yaml_node *map)
{
	int64_t *vector = builder_vector(c->builder);
	uint64_t given = 0;

	if (map != NULL)
		fields_amounts(&c->fields, map, vector, &given);
	for (uint32_t r = 0; r < RES_MAX; r++) {
		if ((given >> r & 1) == 0)
			vector[r] = -1;
	}
	return vector;
}

/* As it stands in the table: without the defaults that the API server takes from
 * its maximum, which the project's reader fills in. */
static void add_limit_range(struct table_case *c, const struct yaml_node *object)
{
	const struct yaml_node *list = table_at(object, "spec.limits");
	struct limit_range_item *items =
		mem_arena_alloc(builder_arena(c->builder), table_count(list) * sizeof(*items));
	struct limit_range range = {.name = table_string(c, table_text(object, "metadata.name")),
				    .ns = table_string(c, table_namespace(object)),
				    .items = items,
				    .item_count = table_count(list)};

	for (uint32_t i = 0; i < table_count(list); i++)
		items[i] = (struct limit_range_item){
			.pod = strcmp(table_text(list->items[i], "type"), "Pod") == 0,
			.max = amounts(c, yaml_find(list->items[i], "max")),
			.min = amounts(c, yaml_find(list->items[i], "min"))};
	builder_add(c->builder, KIND_LIMIT_RANGE, &range, (struct place){0}, KIND_ALWAYS);
}

/* What a case adds to the objects that all cases of its table have. */
static bool read_others(struct table_case *c)
{
	const struct yaml_node *list = yaml_find(c->root, "objects");

	for (uint32_t i = 0; i < table_count(list); i++) {
		const char *kind = table_text(list->items[i], "kind");

		if (strcmp(kind, "LimitRange") != 0)
			return table_differ(c, "kind %s is not known here", kind);
		add_limit_range(c, yaml_find(list->items[i], "object"));
	}
	return true;
}

bool table_read_objects(struct table_case *c)
{
	return read_namespaces(c) && read_others(c) &&
	       table_read_all(c, "resourceFlavors", "ResourceFlavor") &&
	       table_read_all(c, "topologies", "Topology") &&
	       table_read_all(c, "admissionChecks", "AdmissionCheck") &&
	       table_read_all(c, "cohorts", "Cohort") &&
	       table_read_all(c, "clusterQueues", "ClusterQueue") &&
	       table_read_all(c, "localQueues", "LocalQueue") && table_read_all(c, "nodes", "Node");
}
