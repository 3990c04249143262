#include "sim/objects/objects_profile.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "sim/objects/object_option.h"
#include "sim/objects/objects_affinity.h"
#include "sim/scenario/profile.h"

#define MAX_ITEMS  100
#define TEXT	   900
#define MAX_WEIGHT 1000000 /* of a plugin; sums stay far below INT32_MAX */

/* What is read of a profile. */
struct reading {
	struct scheduler_profile profile;
	bool is_default;
};

/* A list that is copied into the profile. */
#define READING(member) offsetof(struct reading, profile.member)

/* Names of scoring strategies, and "NAME=NUMBER,..." of what they are given. */
struct scoring {
	int type;
	char weights[TEXT], shape[TEXT];
};

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

struct shape_point {
	uint32_t utilization, score;
};

static enum err_code read_shape_point(struct fields *f, const struct field *row,
				      const struct yaml_node *value, void *out)
{
	static const struct field rows[] = {
		{.key = "utilization",
		 .read = fields_count,
		 .offset = offsetof(struct shape_point, utilization)},
		{.key = "score",
		 .read = fields_count,
		 .offset = offsetof(struct shape_point, score)},
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
	enum err_code code = fields_list(f, value, read_shape_point, sizeof(struct shape_point),
					 MAX_ITEMS, &items, &count);
	const struct shape_point *list = items;

	(void)row;
	for (uint32_t i = 0; code == ERR_OK && i < count; i++) {
		char name[16];

		snprintf(name, sizeof(name), "%" PRIu32, list[i].utilization);
		code = add_pair(f, value, scoring->shape, name, list[i].score);
	}
	return code;
}

/* The option of the run, or the same of another profile. */
static enum err_code set(struct fields *f, struct reading *reading, const char *name,
			 const char *text, const struct yaml_node *value)
{
	struct run_options options;
	struct err err = {0};

	if (reading->is_default)
		return object_option(f, name, text, value);
	options_default(&options);
	options.strategy = reading->profile.strategy;
	if (options_set(&options, name, text, &err) != ERR_OK)
		return fields_error(f, err.code, value, "%s", err.msg);
	reading->profile.strategy = options.strategy;
	return ERR_OK;
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
	if (code != ERR_OK)
		return code;
	snprintf(text, sizeof(text), "%s%s%s", strategies[scoring.type].word,
		 scoring.weights[0] == '\0' ? "" : ":", scoring.weights);
	code = set(f, out, "strategy", text, value);
	if (code != ERR_OK || scoring.type != STRATEGY_RATIO)
		return code;
	if (scoring.shape[0] == '\0')
		return fields_error(
			f, ERR_VALUE, value,
			"RequestedToCapacityRatio needs requestedToCapacityRatio.shape");
	return set(f, out, "strategy-shape", scoring.shape, value);
}

/* ---- arguments of the other plugins ---- */

static enum err_code read_balanced(struct fields *f, const struct field *row,
				   const struct yaml_node *value, void *out)
{
	struct reading *reading = out;
	struct scheduler_profile *p = &reading->profile;
	void *items = NULL;
	enum err_code code = fields_list(f, value, read_resource, sizeof(struct weighted),
					 OPTIONS_WEIGHT_MAX, &items, &p->balanced_count);
	const struct weighted *list = items;

	(void)row;
	for (uint32_t i = 0; code == ERR_OK && i < p->balanced_count; i++)
		snprintf(p->balanced[i].resource, sizeof(p->balanced[i].resource), "%s",
			 name_text(builder_strings(f->builder), list[i].name));
	return code;
}

static enum err_code read_number(struct fields *f, const struct yaml_node *value, int64_t least,
				 int64_t most, uint32_t *out)
{
	int64_t number = 0;
	enum err_code code = fields_int_between(f, value, least, most, &number);

	*out = (uint32_t)number;
	return code;
}

static enum err_code read_percent(struct fields *f, const struct field *row,
				  const struct yaml_node *value, void *out)
{
	(void)row;
	return read_number(f, value, 0, 100, out);
}

static enum err_code read_least(struct fields *f, const struct field *row,
				const struct yaml_node *value, void *out)
{
	(void)row;
	return read_number(f, value, 0, INT32_MAX, out);
}

static enum err_code read_spreads(struct fields *f, const struct field *row,
				  const struct yaml_node *value, void *out)
{
	struct reading *reading = out;
	struct objects_affinity affinity = {0};
	struct spread_constraint *spreads;
	enum err_code code = objects_affinity_spread(f, row, value, &affinity);

	if (code != ERR_OK)
		return code;
	spreads = mem_arena_alloc(f->arena, affinity.spread_count * sizeof(*spreads));
	for (uint32_t i = 0; i < affinity.spread_count; i++) {
		spreads[i] = affinity.spreads[i].spread;
		if (spreads[i].selector.present)
			return fields_error(f, ERR_VALUE, value->items[i],
					    "labelSelector: must not be given; it is that of the "
					    "pods' ReplicaSet or StatefulSet");
	}
	reading->profile.spreads = spreads;
	reading->profile.spread_count = affinity.spread_count;
	return ERR_OK;
}

static enum err_code read_defaulting(struct fields *f, const struct field *row,
				     const struct yaml_node *value, void *out)
{
	struct reading *reading = out;
	int type = 0;
	enum err_code code = fields_enum(f, row, value, &type);

	reading->profile.lists_spreads = type != 0;
	return code;
}

static enum err_code read_enforced(struct fields *f, const struct field *row,
				   const struct yaml_node *value, void *out)
{
	struct reading *reading = out;
	void *items = NULL;
	enum err_code code =
		fields_list(f, value, objects_affinity_node_term, sizeof(struct node_term),
			    MAX_ITEMS, &items, &reading->profile.enforced_count);

	(void)row;
	reading->profile.enforced = items;
	if (code == ERR_OK && reading->profile.enforced_count == 0)
		return fields_error(f, ERR_VALUE, value,
				    "must have at least one node selector term");
	return code;
}

static enum err_code read_added_preferences(struct fields *f, const struct field *row,
					    const struct yaml_node *value, void *out)
{
	struct reading *reading = out;
	struct objects_affinity affinity = {0};
	enum err_code code = objects_affinity_nodes(f, row, value, &affinity);

	reading->profile.preferred = affinity.preferred;
	reading->profile.preferred_weights = affinity.weights;
	reading->profile.preferred_count = affinity.preferred_count;
	return code;
}

#define ARGS_HEAD                                                                                  \
	{.key = "apiVersion"},                                                                     \
	{                                                                                          \
		.key = "kind"                                                                      \
	}

static const struct field fit_rows[] = {
	ARGS_HEAD,
	{.key = "scoringStrategy", .read = read_strategy},
	{.key = "ignoredResources", .read = not_modelled},
	{.key = "ignoredResourceGroups", .read = not_modelled},
	{.key = NULL},
};

static const struct field balanced_rows[] = {
	ARGS_HEAD,
	{.key = "resources", .read = read_balanced},
	{.key = NULL},
};

static const struct field pod_affinity_rows[] = {
	ARGS_HEAD,
	{.key = "hardPodAffinityWeight", .read = read_percent, .offset = READING(hard_affinity)},
	{.key = "ignorePreferredTermsOfExistingPods",
	 .read = fields_bool,
	 .offset = READING(ignores_others)},
	{.key = NULL},
};

static const struct fields_word defaulting[] = {{"System", 0}, {"List", 1}, {NULL, 0}};

static const struct field spread_rows[] = {
	ARGS_HEAD,
	{.key = "defaultConstraints", .read = read_spreads},
	{.key = "defaultingType", .read = read_defaulting, .arg = defaulting},
	{.key = NULL},
};

static const struct field term_rows[] = {
	{.key = "nodeSelectorTerms", .read = read_enforced, .required = true},
	{.key = NULL},
};

static const struct field added_rows[] = {
	{.key = "requiredDuringSchedulingIgnoredDuringExecution",
	 .read = fields_nested,
	 .arg = term_rows},
	{.key = "preferredDuringSchedulingIgnoredDuringExecution", .read = read_added_preferences},
	{.key = NULL},
};

static const struct field node_affinity_rows[] = {
	ARGS_HEAD,
	{.key = "addedAffinity", .read = fields_nested, .arg = added_rows},
	{.key = NULL},
};

static const struct field preemption_rows[] = {
	ARGS_HEAD,
	{.key = "minCandidateNodesPercentage",
	 .read = read_percent,
	 .offset = READING(candidates_percent)},
	{.key = "minCandidateNodesAbsolute",
	 .read = read_least,
	 .offset = READING(candidates_least)},
	{.key = NULL},
};

static const struct field *const args_rows[PROFILE_PLUGINS] = {
	[PLUGIN_FIT] = fit_rows,
	[PLUGIN_BALANCED] = balanced_rows,
	[PLUGIN_POD_AFFINITY] = pod_affinity_rows,
	[PLUGIN_SPREAD] = spread_rows,
	[PLUGIN_NODE_AFFINITY] = node_affinity_rows,
	[PLUGIN_PREEMPTION] = preemption_rows,
};

/* PROFILE_PLUGINS: none of those. */
static uint32_t plugin_of(const struct yaml_node *name)
{
	uint32_t i = 0;

	while (i < PROFILE_PLUGINS && (name == NULL || name->kind != YAML_SCALAR ||
				       strcmp(name->text, profile_plugin_name(i)) != 0))
		i++;
	return i;
}

/* Plugins of the default profile that decide nothing here: no images, ports, volumes. */
static bool is_harmless(const char *name)
{
	static const char *const names[] = {
		"ImageLocality",    "NodeName",		"NodePorts",
		"NodeVolumeLimits", "VolumeBinding",	"VolumeRestrictions",
		"VolumeZone",	    "EBSLimits",	"GCEPDLimits",
		"AzureDiskLimits",  "DynamicResources", "SchedulingGates",
		"PrioritySort",	    "DefaultBinder",	"*",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcmp(name, names[i]) == 0)
			return true;
	}
	return false;
}

static enum err_code read_plugin_config(struct fields *f, const struct field *row,
					const struct yaml_node *value, void *out)
{
	const struct yaml_node *name = yaml_find(value, "name");
	uint32_t plugin = plugin_of(name);
	struct field rows[] = {
		{.key = "name"},
		{.key = "args", .read = fields_nested},
		{.key = NULL},
	};
	enum err_code code = fields_want_map(f, value);

	(void)row;
	if (code != ERR_OK)
		return code;
	if (plugin < PROFILE_PLUGINS && args_rows[plugin] != NULL) {
		rows[1].arg = args_rows[plugin];
		return fields_map(f, value, rows, out);
	}
	if (plugin == PROFILE_PLUGINS && name != NULL && name->kind == YAML_SCALAR &&
	    is_harmless(name->text))
		return ERR_OK;
	fields_finding(f, FINDING_NOT_MODELLED, value,
		       "arguments of %.100s: not modelled, left out",
		       name != NULL && name->kind == YAML_SCALAR ? name->text : "a plugin");
	return ERR_OK;
}

/* Each item of the list is read into the same record. */
static enum err_code read_all(struct fields *f, const struct yaml_node *list, fields_read *read,
			      const struct field *row, void *out)
{
	enum err_code code = fields_want_list(f, list);

	for (uint32_t i = 0; code == ERR_OK && i < list->count; i++) {
		size_t mark = fields_enter_index(f, i);

		code = read(f, row, list->items[i], out);
		fields_leave(f, mark);
	}
	return code;
}

static enum err_code read_plugin_configs(struct fields *f, const struct field *row,
					 const struct yaml_node *value, void *out)
{
	return read_all(f, value, read_plugin_config, row, out);
}

/* ---- plugins ---- */

enum point { POINT_MULTI, POINT_FILTER, POINT_SCORE, POINT_POST_FILTER, POINT_OTHER };

static bool takes_part(enum point point, uint32_t plugin)
{
	switch (point) {
	case POINT_FILTER:
		return profile_plugin_filters(plugin) && plugin != PLUGIN_PREEMPTION;
	case POINT_SCORE:
		return profile_plugin_weight(plugin) != 0;
	case POINT_POST_FILTER:
		return plugin == PLUGIN_PREEMPTION;
	case POINT_MULTI:
	case POINT_OTHER:
		break;
	}
	return point == POINT_MULTI;
}

/* weight 0: off. */
static void turn(struct scheduler_profile *p, enum point point, uint32_t plugin, int32_t weight)
{
	if (!takes_part(point, plugin))
		return;
	if (point != POINT_SCORE && profile_plugin_filters(plugin))
		p->filters[plugin] = weight != 0;
	if ((point == POINT_SCORE || point == POINT_MULTI) && profile_plugin_weight(plugin) != 0)
		p->weights[plugin] = weight;
}

/* {name, weight}: the name; NULL: an error was set. */
static const struct yaml_node *plugin_name(struct fields *f, const struct yaml_node *item)
{
	const struct yaml_node *name = NULL;

	if (fields_want_map(f, item) != ERR_OK)
		return NULL;
	name = yaml_find(item, "name");
	if (name == NULL || name->kind != YAML_SCALAR || name->count == 0) {
		fields_error(f, ERR_VALUE, item, "must have the name of a plugin");
		return NULL;
	}
	return name;
}

static enum err_code check_plugin(struct fields *f, const struct yaml_node *name, enum point point)
{
	uint32_t plugin = plugin_of(name);

	if (plugin == PROFILE_PLUGINS ? !is_harmless(name->text) : !takes_part(point, plugin))
		fields_finding(f, FINDING_NOT_MODELLED, name,
			       "plugin %.100s, here: not modelled, left out", name->text);
	return ERR_OK;
}

static enum err_code read_disabled(struct fields *f, const struct field *row,
				   const struct yaml_node *value, void *out)
{
	const enum point *point = row->arg;
	struct reading *reading = out;
	const struct yaml_node *name = plugin_name(f, value);
	bool all = name != NULL && yaml_text_is(name, "*");

	if (name == NULL)
		return f->err->code;
	for (uint32_t i = 0; i < PROFILE_PLUGINS; i++) {
		if (all || i == plugin_of(name))
			turn(&reading->profile, *point, i, 0);
	}
	return all && *point == POINT_OTHER ? ERR_OK : check_plugin(f, name, *point);
}

static enum err_code read_enabled(struct fields *f, const struct field *row,
				  const struct yaml_node *value, void *out)
{
	const enum point *point = row->arg;
	const struct yaml_node *name = plugin_name(f, value), *weight = yaml_find(value, "weight");
	struct reading *reading = out;
	uint32_t plugin = plugin_of(name);
	int64_t number = 1;

	if (name == NULL)
		return f->err->code;
	if (weight != NULL && fields_int_between(f, weight, 0, MAX_WEIGHT, &number) != ERR_OK)
		return f->err->code;
	if (plugin < PROFILE_PLUGINS)
		turn(&reading->profile, *point, plugin, number == 0 ? 1 : (int32_t)number);
	return check_plugin(f, name, *point);
}

/* First who is switched off, then who is on again, wherever they stand. */
static enum err_code read_point(struct fields *f, const struct field *row,
				const struct yaml_node *value, void *out)
{
	static const char *const keys[] = {"disabled", "enabled"};
	static fields_read *const reads[] = {read_disabled, read_enabled};
	static const struct field rows[] = {{.key = "disabled"}, {.key = "enabled"}, {.key = NULL}};
	char none;
	enum err_code code = fields_map(f, value, rows, &none);

	for (int i = 0; i < 2 && code == ERR_OK; i++) {
		const struct yaml_node *list = yaml_find(value, keys[i]);
		size_t mark = fields_enter(f, keys[i]);

		if (list != NULL && !yaml_is_null(list))
			code = read_all(f, list, reads[i], row, out);
		fields_leave(f, mark);
	}
	return code;
}

static const enum point multi = POINT_MULTI, filter = POINT_FILTER, score = POINT_SCORE,
			post_filter = POINT_POST_FILTER, other = POINT_OTHER;

static const struct field point_rows[] = {
	{.key = "multiPoint"},
	{.key = "preEnqueue", .read = read_point, .arg = &other},
	{.key = "queueSort", .read = read_point, .arg = &other},
	{.key = "preFilter", .read = read_point, .arg = &other},
	{.key = "filter", .read = read_point, .arg = &filter},
	{.key = "postFilter", .read = read_point, .arg = &post_filter},
	{.key = "preScore", .read = read_point, .arg = &other},
	{.key = "score", .read = read_point, .arg = &score},
	{.key = "reserve", .read = read_point, .arg = &other},
	{.key = "permit", .read = read_point, .arg = &other},
	{.key = "preBind", .read = read_point, .arg = &other},
	{.key = "bind", .read = read_point, .arg = &other},
	{.key = "postBind", .read = read_point, .arg = &other},
	{.key = NULL},
};

static enum err_code read_plugins(struct fields *f, const struct field *row,
				  const struct yaml_node *value, void *out)
{
	static const struct field multi_row = {.key = "multiPoint", .arg = &multi};
	const struct yaml_node *first = yaml_find(value, multi_row.key);
	struct reading *reading = out;
	enum err_code code = ERR_OK;

	(void)row;
	if (first != NULL && !yaml_is_null(first)) { /* wherever it stands */
		size_t mark = fields_enter(f, multi_row.key);

		code = read_point(f, &multi_row, first, out);
		fields_leave(f, mark);
	}
	if (code == ERR_OK)
		code = fields_map(f, value, point_rows, out);
	if (code == ERR_OK && !reading->profile.filters[PLUGIN_TAINTS] &&
	    !reading->profile.filters[PLUGIN_UNSCHEDULABLE])
		fields_finding(f, FINDING_NOT_MODELLED, value,
			       "neither NodeUnschedulable nor TaintToleration filters: not "
			       "modelled, cordoned nodes and those that are not ready are avoided");
	if (code == ERR_OK && !reading->profile.filters[PLUGIN_FIT]) {
		reading->profile.filters[PLUGIN_FIT] = true;
		fields_finding(f, FINDING_NOT_MODELLED, value,
			       "NodeResourcesFit does not filter: not modelled, it does here");
	}
	return code;
}

/* ---- the profile ---- */

enum err_code objects_profile_percentage(struct fields *f, const struct field *row,
					 const struct yaml_node *value, void *out)
{
	(void)row;
	(void)out;
	if (value->kind != YAML_SCALAR)
		return fields_error(f, ERR_VALUE, value, "must be a number from 0 to 100");
	return object_option(f, "percentage-of-nodes-to-score", value->text, value);
}

static enum err_code read_percentage(struct fields *f, const struct field *row,
				     const struct yaml_node *value, void *out)
{
	struct reading *reading = out;

	if (reading->is_default)
		return objects_profile_percentage(f, row, value, out);
	return read_number(f, value, 0, 100, &reading->profile.percentage_of_nodes);
}

static bool is_default(const struct yaml_node *profile)
{
	const struct yaml_node *name = yaml_find(profile, "schedulerName");

	return name == NULL || yaml_is_null(name) || yaml_text_is(name, "default-scheduler");
}

enum err_code objects_profile(struct fields *f, const struct field *row,
			      const struct yaml_node *value, void *out)
{
	static const char name[] = "default-scheduler";
	static const struct field rows[] = {
		{.key = "schedulerName", .read = fields_string, .offset = READING(name)},
		{.key = "percentageOfNodesToScore", .read = read_percentage},
		{.key = "pluginConfig", .read = read_plugin_configs},
		{.key = "plugins", .read = read_plugins},
		{.key = NULL},
	};
	struct reading reading = {0};
	enum err_code code = fields_want_map(f, value);

	(void)row;
	(void)out;
	if (code != ERR_OK)
		return code;
	profile_default(&reading.profile);
	reading.profile.name = builder_string(f->builder, name, sizeof(name) - 1);
	reading.is_default = is_default(value);
	code = fields_map(f, value, rows, &reading);
	if (code == ERR_OK)
		builder_add(f->builder, KIND_PROFILE, &reading.profile, yaml_place(f->file, value),
			    KIND_ALWAYS);
	return code;
}
