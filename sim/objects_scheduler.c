#include "sim/objects_scheduler.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "sim/object_option.h"

#define MAX_ITEMS 100
#define TEXT	  900

/* Names of scoring strategies, and "NAME=NUMBER,..." of what they are given. */
struct scoring {
	int type;
	char weights[TEXT], shape[TEXT];
};

enum strategy { STRATEGY_LEAST, STRATEGY_MOST, STRATEGY_RATIO };

static const struct fields_word strategies[] = {
	{"LeastAllocated", STRATEGY_LEAST},
	{"MostAllocated", STRATEGY_MOST},
	{"RequestedToCapacityRatio", STRATEGY_RATIO},
	{NULL, 0},
};

static enum err_code not_modelled(struct fields *f, const struct field *row,
				  const struct yaml_node *value, void *out)
{
	(void)out;
	fields_finding(f, FINDING_NOT_MODELLED, value, "%s: not modelled, left out", row->key);
	return ERR_OK;
}

static enum err_code add_pair(struct fields *f, const struct yaml_node *value, char *list,
			      const char *name, uint32_t number)
{
	size_t used = strlen(list);
	int size = snprintf(list + used, TEXT - used, "%s%s=%" PRIu32, used == 0 ? "" : ",", name,
			    number);

	if (size < 0 || (size_t)size >= TEXT - used)
		return fields_error(f, ERR_VALUE, value, "is too long");
	return ERR_OK;
}

/* ---- scoringStrategy ---- */

struct weighted {
	uint32_t name;
	uint32_t weight;
};

static enum err_code read_resource(struct fields *f, const struct field *row,
				   const struct yaml_node *value, void *out)
{
	static const struct field rows[] = {
		{.key = "name",
		 .read = fields_string,
		 .offset = offsetof(struct weighted, name),
		 .required = true},
		{.key = "weight",
		 .read = fields_count,
		 .offset = offsetof(struct weighted, weight)},
		{.key = NULL},
	};

	(void)row;
	return fields_map(f, value, rows, out);
}

static enum err_code read_resources(struct fields *f, const struct field *row,
				    const struct yaml_node *value, void *out)
{
	struct scoring *scoring = out;
	void *items = NULL;
	uint32_t count = 0;
	enum err_code code = fields_list(f, value, read_resource, sizeof(struct weighted),
					 MAX_ITEMS, &items, &count);
	const struct weighted *list = items;

	(void)row;
	for (uint32_t i = 0; code == ERR_OK && i < count; i++)
		code = add_pair(f, value, scoring->weights,
				name_text(builder_strings(f->builder), list[i].name),
				list[i].weight == 0 ? 1 : list[i].weight);
	return code;
}

struct point {
	uint32_t utilization, score;
};

static enum err_code read_point(struct fields *f, const struct field *row,
				const struct yaml_node *value, void *out)
{
	static const struct field rows[] = {
		{.key = "utilization",
		 .read = fields_count,
		 .offset = offsetof(struct point, utilization)},
		{.key = "score", .read = fields_count, .offset = offsetof(struct point, score)},
		{.key = NULL},
	};

	(void)row;
	return fields_map(f, value, rows, out);
}

static enum err_code read_shape(struct fields *f, const struct field *row,
				const struct yaml_node *value, void *out)
{
	struct scoring *scoring = out;
	void *items = NULL;
	uint32_t count = 0;
	enum err_code code =
		fields_list(f, value, read_point, sizeof(struct point), MAX_ITEMS, &items, &count);
	const struct point *list = items;

	(void)row;
	for (uint32_t i = 0; code == ERR_OK && i < count; i++) {
		char name[16];

		snprintf(name, sizeof(name), "%" PRIu32, list[i].utilization);
		code = add_pair(f, value, scoring->shape, name, list[i].score);
	}
	return code;
}

static enum err_code read_strategy(struct fields *f, const struct field *row,
				   const struct yaml_node *value, void *out)
{
	static const struct field ratio_rows[] = {
		{.key = "shape", .read = read_shape},
		{.key = NULL},
	};
	static const struct field rows[] = {
		{.key = "type",
		 .read = fields_enum,
		 .offset = offsetof(struct scoring, type),
		 .arg = strategies},
		{.key = "resources", .read = read_resources},
		{.key = "requestedToCapacityRatio", .read = fields_nested, .arg = ratio_rows},
		{.key = NULL},
	};
	struct scoring scoring = {.type = STRATEGY_LEAST};
	char text[TEXT + 40];
	enum err_code code = fields_map(f, value, rows, &scoring);

	(void)row;
	(void)out;
	if (code != ERR_OK)
		return code;
	snprintf(text, sizeof(text), "%s%s%s", strategies[scoring.type].word,
		 scoring.weights[0] == '\0' ? "" : ":", scoring.weights);
	code = object_option(f, "strategy", text, value);
	if (code != ERR_OK || scoring.type != STRATEGY_RATIO)
		return code;
	if (scoring.shape[0] == '\0')
		return fields_error(
			f, ERR_VALUE, value,
			"RequestedToCapacityRatio needs requestedToCapacityRatio.shape");
	return object_option(f, "strategy-shape", scoring.shape, value);
}

/* ---- profiles ---- */

static const struct field fit_rows[] = {
	{.key = "apiVersion"},
	{.key = "kind"},
	{.key = "scoringStrategy", .read = read_strategy},
	{.key = "ignoredResources", .read = not_modelled},
	{.key = "ignoredResourceGroups", .read = not_modelled},
	{.key = NULL},
};

static enum err_code read_plugin_config(struct fields *f, const struct field *row,
					const struct yaml_node *value, void *out)
{
	static const struct field rows[] = {
		{.key = "name"},
		{.key = "args", .read = fields_nested, .arg = fit_rows},
		{.key = NULL},
	};
	const struct yaml_node *name = yaml_find(value, "name");
	enum err_code code = fields_want_map(f, value);

	(void)row;
	if (code != ERR_OK)
		return code;
	if (name != NULL && name->kind == YAML_SCALAR &&
	    strcmp(name->text, "NodeResourcesFit") == 0)
		return fields_map(f, value, rows, out);
	fields_finding(f, FINDING_NOT_MODELLED, value,
		       "arguments of %.100s: not modelled, left out",
		       name != NULL && name->kind == YAML_SCALAR ? name->text : "a plugin");
	return ERR_OK;
}

static enum err_code read_plugin_configs(struct fields *f, const struct field *row,
					 const struct yaml_node *value, void *out)
{
	void *items = NULL;
	uint32_t count = 0;

	(void)row;
	(void)out;
	return fields_list(f, value, read_plugin_config, 1, MAX_ITEMS, &items, &count);
}

/* 0 is the default: by the number of nodes. */
static enum err_code read_percentage(struct fields *f, const struct field *row,
				     const struct yaml_node *value, void *out)
{
	(void)row;
	(void)out;
	if (value->kind != YAML_SCALAR)
		return fields_error(f, ERR_VALUE, value, "must be a number from 0 to 100");
	return object_option(f, "percentage-of-nodes-to-score", value->text, value);
}

static bool is_default(const struct yaml_node *profile)
{
	const struct yaml_node *name = yaml_find(profile, "schedulerName");

	return name == NULL || yaml_is_null(name) ||
	       (name->kind == YAML_SCALAR && strcmp(name->text, "default-scheduler") == 0);
}

static enum err_code read_profile(struct fields *f, const struct field *row,
				  const struct yaml_node *value, void *out)
{
	static const struct field rows[] = {
		{.key = "schedulerName"},
		{.key = "percentageOfNodesToScore", .read = read_percentage},
		{.key = "pluginConfig", .read = read_plugin_configs},
		{.key = "plugins", .read = not_modelled},
		{.key = NULL},
	};
	const struct yaml_node *name = yaml_find(value, "schedulerName");
	enum err_code code = fields_want_map(f, value);

	(void)row;
	if (code != ERR_OK)
		return code;
	if (is_default(value))
		return fields_map(f, value, rows, out);
	fields_finding(f, FINDING_NOT_MODELLED, value,
		       "profile %.100s: not modelled; its pods are placed as by the default "
		       "scheduler",
		       name->kind == YAML_SCALAR ? name->text : "of no name");
	return ERR_OK;
}

static enum err_code read_profiles(struct fields *f, const struct field *row,
				   const struct yaml_node *value, void *out)
{
	void *items = NULL;
	uint32_t count = 0;

	(void)row;
	(void)out;
	return fields_list(f, value, read_profile, 1, MAX_ITEMS, &items, &count);
}

/* ---- the whole ---- */

static enum err_code read_backoff(struct fields *f, const struct field *row,
				  const struct yaml_node *value, void *out)
{
	(void)out;
	if (value->kind != YAML_SCALAR)
		return fields_error(f, ERR_VALUE, value, "must be a number of seconds");
	return object_option(f, row->arg, value->text, value);
}

enum err_code objects_scheduler(struct fields *f, const struct object *object)
{
	static const struct field rows[] = {
		OBJECT_HEAD,
		{.key = "percentageOfNodesToScore", .read = read_percentage},
		{.key = "podInitialBackoffSeconds",
		 .read = read_backoff,
		 .arg = "pod-initial-backoff"},
		{.key = "podMaxBackoffSeconds", .read = read_backoff, .arg = "pod-max-backoff"},
		{.key = "profiles", .read = read_profiles},
		{.key = "extenders", .read = not_modelled},
		{.key = "parallelism"},
		{.key = "leaderElection"},
		{.key = "clientConnection"},
		{.key = "enableProfiling"},
		{.key = "enableContentionProfiling"},
		{.key = "delayCacheUntilActive"},
		{.key = NULL},
	};
	char none;

	return fields_map(f, object->node, rows, &none);
}
