#include "sim/dump/import.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/dump/import_jobs.h"
#include "sim/dump/redact.h"
#include "sim/scenario/draft.h"
#include "sim/scenario/template.h"
#include "sim/tool/jsonw.h"
#include "sim/tool/output.h"
#include "sim/yaml/yaml_print.h"
#include "sim/yaml/yaml_scalar.h"

#define KEY_TEXT 320

/* The files of the folder. */
#define CLUSTER "cluster.yaml"
#define OBJECTS "jobs.yaml"
#define ROWS	"jobs.csv"

const char *import_file(uint32_t i)
{
	static const char *const names[] = {CLUSTER, OBJECTS, ROWS};

	return i < sizeof(names) / sizeof(names[0]) ? names[i] : NULL;
}

struct kept {
	const char *api, *kind;
	const struct yaml_node *node; /* in the arena */
};

struct import {
	struct mem_arena *arena;
	struct kept *objects;
	size_t count, capacity;
	struct redact *redact; /* NULL: names stay */
};

struct import *import_new(bool redact)
{
	struct import *import = mem_calloc(1, sizeof(*import));

	import->arena = mem_arena_new();
	import->redact = redact ? redact_new() : NULL;
	return import;
}

void import_free(struct import *import)
{
	if (import == NULL)
		return;
	mem_arena_free(import->arena);
	mem_free(import->objects);
	redact_free(import->redact);
	mem_free(import);
}

/* ---- objects, without what only a running cluster needs ---- */

/* Where in an object a map is: what may stand there. */
enum part { PART_OBJECT, PART_METADATA, PART_ANNOTATIONS, PART_STATUS, PART_CONDITION, PART_ANY };

static bool is_one_of(const char *text, const char *const *list)
{
	for (; *list != NULL; list++) {
		if (strcmp(text, *list) == 0)
			return true;
	}
	return false;
}

static bool is_kept(enum part part, const char *kind, const char *key)
{
	static const char *const of_metadata[] = {"name", "namespace", "labels", "annotations",
						  NULL};
	static const char *const of_status[] = {"allocatable", "capacity", "conditions", NULL};
	static const char *const of_condition[] = {"type", "status", NULL};
	static const char *const about[] = {"apiVersion", "kind",  "description", "title",
					    "jobs",	  "trace", NULL};
	static const char *const of_nodes[] = {"podCIDR", "podCIDRs", "providerID", NULL};

	switch (part) {
	case PART_OBJECT:
		return !is_one_of(key, about) &&
		       (strcmp(key, "status") != 0 || strcmp(kind, "Node") == 0);
	case PART_METADATA:
		return is_one_of(key, of_metadata);
	case PART_ANNOTATIONS:
		return strncmp(key, "gqsim/", 6) == 0 || strncmp(key, "kueue.x-k8s.io/", 15) == 0;
	case PART_STATUS:
		return is_one_of(key, of_status);
	case PART_CONDITION:
		return is_one_of(key, of_condition);
	case PART_ANY:
		break;
	}
	return !is_one_of(key, of_nodes);
}

static enum part part_of(enum part outer, const char *key)
{
	if (outer == PART_OBJECT && strcmp(key, "metadata") == 0)
		return PART_METADATA;
	if (outer == PART_OBJECT && strcmp(key, "status") == 0)
		return PART_STATUS;
	if (outer == PART_METADATA && strcmp(key, "annotations") == 0)
		return PART_ANNOTATIONS;
	if (outer == PART_STATUS && strcmp(key, "conditions") == 0)
		return PART_CONDITION;
	return PART_ANY;
}

static const struct yaml_node *copy(struct import *import, const char *kind, enum part part,
				    const struct yaml_node *node);

static const struct yaml_pair *copy_pairs(struct import *import, const char *kind, enum part part,
					  const struct yaml_node *node, uint32_t *count)
{
	struct yaml_pair *pairs = mem_arena_alloc(import->arena, node->count * sizeof(*pairs));

	*count = 0;
	for (uint32_t i = 0; i < node->count; i++) {
		const char *key = node->pairs[i].key->text;

		if (!is_kept(part, kind, key) || yaml_is_null(node->pairs[i].value))
			continue;
		pairs[*count].key = copy(import, kind, PART_ANY, node->pairs[i].key);
		pairs[(*count)++].value =
			copy(import, kind, part_of(part, key), node->pairs[i].value);
	}
	return pairs;
}

static const struct yaml_node *copy(struct import *import, const char *kind, enum part part,
				    const struct yaml_node *node)
{
	struct yaml_node *made = mem_arena_alloc(import->arena, sizeof(*made));
	const struct yaml_node **items;

	*made = *node;
	switch (node->kind) {
	case YAML_MAP:
		made->pairs = copy_pairs(import, kind, part, node, &made->count);
		break;
	case YAML_LIST:
		items = mem_arena_alloc(import->arena, node->count * sizeof(*items));
		for (uint32_t i = 0; i < node->count; i++)
			items[i] = copy(import, kind, part, node->items[i]);
		made->items = items;
		break;
	default:
		made->text = mem_arena_strndup(import->arena, node->text, node->count);
		break;
	}
	return made;
}

void import_object(void *context, const char *api, const char *kind, const struct yaml_node *node)
{
	struct import *import = context;

	if (strcmp(kind, "Namespace") == 0) /* all are written, with those that are assumed */
		return;
	import->objects = mem_grow(import->objects, import->count + 1, &import->capacity,
				   sizeof(*import->objects));
	import->objects[import->count++] =
		(struct kept){.api = mem_arena_strdup(import->arena, api),
			      .kind = mem_arena_strdup(import->arena, kind),
			      .node = copy(import, kind, PART_OBJECT, node)};
}

/* ---- what names there are ---- */

static bool holds_labels(const char *key)
{
	static const char *const keys[] = {"labels", "matchLabels", "nodeLabels", "nodeSelector",
					   NULL};

	return key != NULL && is_one_of(key, keys);
}

static bool is_text(const struct yaml_node *node)
{
	return node != NULL && node->kind == YAML_SCALAR && yaml_scalar_type(node) == YAML_STRING;
}

static enum redact_role role_of(const char *kind)
{
	static const struct {
		const char *kind;
		enum redact_role role;
	} rows[] = {
		{"ClusterQueue", REDACT_QUEUE},	 {"LocalQueue", REDACT_QUEUE},
		{"Cohort", REDACT_COHORT},	 {"ResourceFlavor", REDACT_FLAVOR},
		{"Node", REDACT_NODE},		 {"WorkloadPriorityClass", REDACT_CLASS},
		{"PriorityClass", REDACT_CLASS},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (strcmp(rows[i].kind, kind) == 0)
			return rows[i].role;
	}
	return REDACT_VALUE;
}

static void show(struct redact *redact, const char *key, const struct yaml_node *node);

/* Taints, tolerations and expressions have a key, and a value or values. */
static void show_keyed(struct redact *redact, const struct yaml_node *map)
{
	const struct yaml_node *key = yaml_find(map, "key");
	const struct yaml_node *value = yaml_find(map, "value");
	const struct yaml_node *values = yaml_find(map, "values");

	if (!is_text(key))
		return;
	redact_show_label(redact, key->text, is_text(value) ? value->text : "");
	for (uint32_t i = 0; values != NULL && values->kind == YAML_LIST && i < values->count;
	     i++) {
		if (is_text(values->items[i]))
			redact_show_label(redact, key->text, values->items[i]->text);
	}
}

static void show_map(struct redact *redact, const char *key, const struct yaml_node *map)
{
	static const char *const shown[] = {"key", "value", "values", NULL};
	static const char *const api[] = {"apiVersion", "options", NULL};
	bool keyed = is_text(yaml_find(map, "key"));

	show_keyed(redact, map);
	for (uint32_t i = 0; i < map->count; i++) {
		const char *name = map->pairs[i].key->text;
		const struct yaml_node *value = map->pairs[i].value;

		if (holds_labels(key) && is_text(value))
			redact_show_label(redact, name, value->text);
		else if (!is_one_of(name, keyed ? shown : api))
			show(redact, name, value);
	}
}

static enum redact_role role_of_key(const char *key)
{
	static const char *const cohorts[] = {"cohort", "cohortName", "parent", "parentName", NULL};
	static const char *const labels[] = {"key", "nodeLabel", "topologyKey", NULL};

	if (key != NULL && is_one_of(key, cohorts))
		return REDACT_COHORT;
	return key != NULL && is_one_of(key, labels) ? REDACT_LABEL : REDACT_VALUE;
}

static void show(struct redact *redact, const char *key, const struct yaml_node *node)
{
	if (node->kind == YAML_MAP)
		show_map(redact, key, node);
	for (uint32_t i = 0; node->kind == YAML_LIST && i < node->count; i++)
		show(redact, key, node->items[i]);
	if (is_text(node))
		redact_show(redact, role_of_key(key), node->text);
}

static void show_object(struct redact *redact, const struct kept *object)
{
	const struct yaml_node *metadata = yaml_find(object->node, "metadata");
	const struct yaml_node *name = yaml_find(metadata, "name");
	const struct yaml_node *ns = yaml_find(metadata, "namespace");

	if (is_text(name))
		redact_hide(redact, role_of(object->kind), name->text);
	if (is_text(ns))
		redact_hide(redact, REDACT_NAMESPACE, ns->text);
	show(redact, NULL, object->node);
}

/* Names without a domain are Kubernetes' own. */
static void show_resources(struct redact *redact, struct builder *builder)
{
	for (uint32_t r = 0; r < name_count(builder->resources); r++) {
		const char *name = name_text(builder->resources, r);

		builder_string(builder, name, strlen(name)); /* rows are renamed by strings */
		if (strchr(name, '/') != NULL)
			redact_show(redact, REDACT_RESOURCE, name);
	}
}

static void show_all(const struct import *import, struct builder *builder)
{
	const struct draft_list *namespaces = &builder->lists[KIND_NAMESPACE];

	show_resources(import->redact, builder);
	for (size_t i = 0; i < import->count; i++)
		show_object(import->redact, &import->objects[i]);
	for (uint32_t i = 0; i < namespaces->count; i++) {
		const struct ns_record *ns = draft_record(namespaces, KIND_NAMESPACE, i);

		redact_hide(import->redact, REDACT_NAMESPACE,
			    name_text(builder->strings, ns->name));
		import_jobs_show_labels(import->redact, builder, &ns->labels);
	}
	for (uint32_t i = 0; i < builder->job_count; i++)
		import_jobs_show(import->redact, builder, i);
	redact_settle(import->redact);
}

/* ---- cluster.yaml: JSON, which is YAML ---- */

static const char *out_text(const struct import *import, const char *text)
{
	return import->redact == NULL ? text : redact_text(import->redact, text);
}

static const char *out_value(const struct import *import, const char *text)
{
	return import->redact == NULL ? text : redact_value(import->redact, text);
}

/* A key; of a ResourceQuota it may be "requests." and a resource. */
static const char *renamed_key(const struct import *import, const char *key, char buf[KEY_TEXT])
{
	size_t prefix = strncmp(key, "requests.", 9) == 0 ? 9
			: strncmp(key, "limits.", 7) == 0 ? 7
							  : 0;
	const char *renamed = out_text(import, key + prefix);

	if (prefix == 0 || renamed == key + prefix)
		return out_text(import, key);
	snprintf(buf, KEY_TEXT, "%.*s%s", (int)prefix, key, renamed);
	return buf;
}

static void write_scalar(const struct import *import, struct jsonw *json, const char *key,
			 const struct yaml_node *node, bool label)
{
	if (yaml_scalar_type(node) != YAML_STRING)
		yaml_print(json, key, node);
	else
		jsonw_text(json, key,
			   label ? out_value(import, node->text) : out_text(import, node->text));
}

static void write_node(const struct import *import, struct jsonw *json, const char *key,
		       const char *out_key, const struct yaml_node *node)
{
	static const char *const valued[] = {"value", "values", NULL};
	char renamed[KEY_TEXT];

	switch (node->kind) {
	case YAML_MAP:
		jsonw_object(json, out_key);
		for (uint32_t i = 0; i < node->count; i++) {
			const char *name = node->pairs[i].key->text;

			if (holds_labels(key) && is_text(node->pairs[i].value))
				write_scalar(import, json, out_value(import, name),
					     node->pairs[i].value, true);
			else
				write_node(import, json, name, renamed_key(import, name, renamed),
					   node->pairs[i].value);
		}
		jsonw_close_object(json);
		break;
	case YAML_LIST:
		jsonw_array(json, out_key);
		for (uint32_t i = 0; i < node->count; i++)
			write_node(import, json, key, NULL, node->items[i]);
		jsonw_close_array(json);
		break;
	default:
		write_scalar(import, json, out_key, node, key != NULL && is_one_of(key, valued));
		break;
	}
}

static void write_object(const struct import *import, struct jsonw *json, const struct kept *object)
{
	jsonw_object(json, NULL);
	jsonw_text(json, "apiVersion", object->api);
	jsonw_text(json, "kind", object->kind);
	for (uint32_t i = 0; i < object->node->count; i++) {
		const char *key = object->node->pairs[i].key->text;

		write_node(import, json, key, key, object->node->pairs[i].value);
	}
	jsonw_close_object(json);
}

static void begin_object(struct jsonw *json, const char *api, const char *kind, const char *name)
{
	jsonw_object(json, NULL);
	jsonw_text(json, "apiVersion", api);
	jsonw_text(json, "kind", kind);
	jsonw_object(json, "metadata");
	jsonw_text(json, "name", name);
}

static void write_namespaces(const struct import *import, const struct builder *builder,
			     struct jsonw *json)
{
	const struct draft_list *list = &builder->lists[KIND_NAMESPACE];

	for (uint32_t i = 0; i < list->count; i++) {
		const struct ns_record *ns = draft_record(list, KIND_NAMESPACE, i);

		begin_object(json, "v1", "Namespace",
			     out_value(import, name_text(builder->strings, ns->name)));
		jsonw_object(json, "labels");
		for (uint32_t k = 0; k < ns->labels.count; k++)
			jsonw_text(json,
				   out_value(import,
					     name_text(builder->strings, ns->labels.items[k].key)),
				   out_value(import, name_text(builder->strings,
							       ns->labels.items[k].value)));
		jsonw_close_object(json);
		jsonw_close_object(json);
		jsonw_close_object(json);
	}
}

/* ---- priorities ---- */

static const struct priority_class *find_class(const struct builder *builder, enum kind kind,
					       uint32_t name)
{
	const struct draft_list *list = &builder->lists[kind];

	for (uint32_t i = 0; name != NAME_NONE && i < list->count; i++) {
		const struct priority_class *class = draft_record(list, kind, i);

		if (class->name == name)
			return class;
	}
	return NULL;
}

static void set_class(struct builder *builder, struct job *job, uint32_t name, enum kind kind)
{
	struct job_common common = *job->common;

	common.priority_class = name;
	common.flags &= (uint16_t)~JOB_CLASS_OF_PODS;
	if (kind == KIND_PRIORITY_CLASS)
		common.flags |= JOB_CLASS_OF_PODS;
	job->common = draft_common(builder, &common);
}

/* The class that a row is to have, of that value. */
static void make_class(struct builder *builder, struct job *job, enum kind kind, int32_t value)
{
	struct priority_class made = {.value = value,
				      .workload = kind == KIND_WORKLOAD_PRIORITY_CLASS};
	char name[60];

	snprintf(name, sizeof(name), "%spriority-%s%d", kind == KIND_PRIORITY_CLASS ? "pod-" : "",
		 value < 0 ? "minus-" : "", value < 0 ? -value : value);
	made.name = builder_string(builder, name, strlen(name));
	set_class(builder, job, made.name, kind);
	if (find_class(builder, kind, made.name) == NULL)
		draft_add(builder, kind, &made, (struct place){0}, KIND_ALWAYS);
}

/* Of two classes of one name a row would have the priority of both. */
static void settle_ambiguous(struct builder *builder, struct job *job,
			     const struct priority_class *class, enum kind kind)
{
	make_class(builder, job, kind,
		   (job->common->flags & JOB_PRIORITY_GIVEN) != 0 ? job->common->priority
								  : class->value);
}

/* A Workload has its priority as a number; a row needs a class of that value. */
static void settle_class(struct builder *builder, struct job *job)
{
	uint32_t name = job->common->priority_class;
	const struct priority_class *of_work =
		find_class(builder, KIND_WORKLOAD_PRIORITY_CLASS, name);
	const struct priority_class *of_pods = find_class(builder, KIND_PRIORITY_CLASS, name);
	const struct priority_class *class = of_work != NULL ? of_work : of_pods;

	if (of_work != NULL && of_pods != NULL) {
		if ((job->common->flags & JOB_CLASS_OF_PODS) != 0)
			settle_ambiguous(builder, job, of_pods, KIND_PRIORITY_CLASS);
		else
			settle_ambiguous(builder, job, of_work, KIND_WORKLOAD_PRIORITY_CLASS);
		return;
	}
	if (class == of_pods && class != NULL)
		set_class(builder, job, name, KIND_PRIORITY_CLASS);
	if ((job->common->flags & JOB_PRIORITY_GIVEN) == 0) {
		if (class == NULL)
			set_class(builder, job, NAME_NONE, KIND_WORKLOAD_PRIORITY_CLASS);
		return;
	}
	if (class != NULL && class->value == job->common->priority)
		return;
	set_class(builder, job, NAME_NONE, KIND_WORKLOAD_PRIORITY_CLASS);
	if (job->common->priority != 0 || builder->lists[KIND_PRIORITY_CLASS].count != 0)
		make_class(builder, job,
			   job->common->pod_priority != 0 ? KIND_PRIORITY_CLASS
							  : KIND_WORKLOAD_PRIORITY_CLASS,
			   job->common->priority);
}

/* Those that no object defines. */
static void write_classes(const struct import *import, const struct builder *builder,
			  enum kind kind, uint32_t from, struct jsonw *json)
{
	const struct draft_list *list = &builder->lists[kind];

	for (uint32_t i = from; i < list->count; i++) {
		const struct priority_class *class = draft_record(list, kind, i);

		begin_object(json,
			     kind == KIND_PRIORITY_CLASS ? "scheduling.k8s.io/v1"
							 : "kueue.x-k8s.io/v1beta2",
			     kind == KIND_PRIORITY_CLASS ? "PriorityClass"
							 : "WorkloadPriorityClass",
			     out_value(import, name_text(builder->strings, class->name)));
		jsonw_close_object(json);
		jsonw_integer(json, "value", class->value);
		jsonw_close_object(json);
	}
}

/* ---- jobs.csv ---- */

static void settle_times(struct builder *builder)
{
	int64_t first = 0;

	for (uint32_t i = 0; i < builder->note_count; i++) {
		int64_t created = builder->notes[i].created;

		if (created != 0 && (first == 0 || created < first))
			first = created;
	}
	for (uint32_t i = 0; i < builder->note_count; i++) {
		const struct job_note *note = &builder->notes[i];
		struct job *job = &builder->jobs[note->job];

		if (note->created != 0)
			job->submit = (note->created - first) * CLOCK_SECOND;
		if (note->record != NULL && note->record->stopped)
			builder->extras[job->extra].cancel_at =
				note->created == 0 ? job->submit
						   : (note->record->latest - first) * CLOCK_SECOND;
	}
}

/* What of the jobs that are rows these do not say. */
static void count_lost(const struct builder *builder, const bool *rows, struct import_lost *lost)
{
	bool limits = builder->lists[KIND_LIMIT_RANGE].count != 0;

	for (uint32_t i = 0; i < builder->job_count; i++) {
		const struct job *job = &builder->jobs[i];

		if (!rows[i])
			continue;
		lost->limited += limits && (job->common->flags & JOB_MANIFEST) != 0;
		lost->manners += import_jobs_must(builder, job) || import_jobs_ruled(builder, job);
	}
}

/* Only ResourceQuotas, LimitRanges and provisioning ask for the limits of containers. */
static void forget_limits(struct builder *builder)
{
	if (builder->lists[KIND_RESOURCE_QUOTA].count + builder->lists[KIND_LIMIT_RANGE].count +
		    builder->lists[KIND_PROVISIONING_CONFIG].count !=
	    0)
		return;
	for (uint32_t i = 0; i < builder->shape_count; i++)
		builder->shapes[i].shape.limit = NULL;
}

/* By string. */
static const char **rename_strings(const struct import *import, const struct builder *builder)
{
	uint32_t count = name_count(builder->strings);
	const char **renamed = mem_calloc(count, sizeof(*renamed));

	for (uint32_t i = 0; i < count; i++)
		renamed[i] = redact_value(import->redact, name_text(builder->strings, i));
	return renamed;
}

static void write_rows(const struct import *import, struct builder *builder, const bool *rows,
		       FILE *out, struct trace_lost *lost)
{
	const char **renamed = import->redact == NULL ? NULL : rename_strings(import, builder);
	struct trace_edit edit;

	trace_edit_init(&edit, builder);
	edit.renamed = renamed;
	edit.count = 0;
	for (uint32_t i = 0; i < builder->job_count; i++) { /* equals by their order, as before */
		if (rows[i])
			edit.items[edit.count++] =
				(struct trace_item){.job = i,
						    .submit = builder->jobs[i].submit,
						    .duration = builder->jobs[i].duration,
						    .start = CLOCK_NEVER};
	}
	trace_write_csv(out, &edit, lost);
	trace_edit_free(&edit);
	mem_free(renamed);
}

/* ---- the folder ---- */

static enum err_code make_folder(const char *dir, struct err *err)
{
	if (mkdir(dir, 0777) == 0 || errno == EEXIST)
		return ERR_OK;
	return err_set(err, ERR_IO, dir, 0, 0, "cannot be made: %s", strerror(errno));
}

static char *path_of(const char *dir, const char *name)
{
	size_t size = strlen(dir) + strlen(name) + 2;
	char *path = mem_calloc(size, 1);

	snprintf(path, size, "%s/%s", dir, name);
	return path;
}

/* As an import begins it: kubectl has the items before the kind. */
static bool is_import(const char *dir)
{
	static const char head[] = "{\n \"apiVersion\": \"v1\",\n \"kind\": \"List\",\n";
	char *path = path_of(dir, CLUSTER), text[sizeof(head)] = "";
	FILE *file = fopen(path, "r");
	size_t len = file == NULL ? 0 : fread(text, 1, sizeof(head) - 1, file);

	if (file != NULL)
		fclose(file);
	mem_free(path);
	return len == sizeof(head) - 1 && memcmp(text, head, len) == 0;
}

/* Nobody named these files: only those of an earlier import are replaced, or removed. */
static enum err_code spare_others(const char *dir, struct err *err)
{
	enum err_code code = ERR_OK;

	if (is_import(dir))
		return ERR_OK;
	for (uint32_t i = 0; import_file(i) != NULL && code == ERR_OK; i++) {
		char *path = path_of(dir, import_file(i));

		if (access(path, F_OK) == 0)
			code = err_set(err, ERR_USAGE, NULL, 0, 0,
				       "-o %.200s: %s is there, which no import made, and would be "
				       "lost: name another folder",
				       dir, import_file(i));
		mem_free(path);
	}
	return code;
}

/* What an earlier import left there would be read with the rest. */
static enum err_code remove_file(const char *dir, const char *name, struct err *err)
{
	char *path = path_of(dir, name);
	enum err_code code = ERR_OK;

	if (remove(path) != 0 && errno != ENOENT)
		code = err_set(err, ERR_IO, dir, 0, 0, "%s cannot be removed: %s", name,
			       strerror(errno));
	mem_free(path);
	return code;
}

static enum err_code write_cluster(const struct import *import, const struct builder *builder,
				   const uint32_t classes[2], const char *dir, struct err *err)
{
	struct output output;
	struct jsonw json;
	char *path = path_of(dir, CLUSTER);
	enum err_code code = output_open(&output, path, NULL, err);

	if (code == ERR_OK) {
		jsonw_begin(&json, output.file);
		jsonw_text(&json, "apiVersion", "v1");
		jsonw_text(&json, "kind", "List");
		jsonw_array(&json, "items");
		write_namespaces(import, builder, &json);
		for (size_t i = 0; i < import->count; i++)
			write_object(import, &json, &import->objects[i]);
		write_classes(import, builder, KIND_PRIORITY_CLASS, classes[0], &json);
		write_classes(import, builder, KIND_WORKLOAD_PRIORITY_CLASS, classes[1], &json);
		jsonw_close_array(&json);
		jsonw_end(&json);
		code = output_close(&output, err);
	}
	mem_free(path);
	return code;
}

/* True: all jobs are rows, or none that can be an object is; for equals take turns by the order
 * of the input. */
static bool choose_rows(const struct builder *builder, bool *rows)
{
	bool must = false, any = false;

	for (uint32_t i = 0; i < builder->job_count; i++) {
		bool can = import_jobs_can(builder, &builder->jobs[i]);

		rows[i] = !can;
		must = must || (can && import_jobs_must(builder, &builder->jobs[i]));
	}
	for (uint32_t i = 0; i < builder->job_count; i++) {
		rows[i] = rows[i] || !must;
		any = any || rows[i];
	}
	return any;
}

static enum err_code write_jobs(const struct import *import, const struct builder *builder,
				const char *dir, struct err *err)
{
	char *path = path_of(dir, OBJECTS);
	struct output output;
	enum err_code code = output_open(&output, path, NULL, err);

	if (code == ERR_OK) {
		import_jobs_write(output.file, builder, import->redact);
		code = output_close(&output, err);
	}
	mem_free(path);
	return code;
}

static enum err_code write_list(const struct import *import, struct builder *builder,
				const bool *rows, const char *dir, struct trace_lost *lost,
				struct err *err)
{
	char *path = path_of(dir, ROWS);
	struct output output;
	enum err_code code = output_open(&output, path, NULL, err);

	if (code == ERR_OK) {
		write_rows(import, builder, rows, output.file, lost);
		code = output_close(&output, err);
	}
	mem_free(path);
	return code;
}

/* jobs.csv, jobs.yaml or both. */
static enum err_code write_work(const struct import *import, struct builder *builder,
				const char *dir, struct import_lost *lost, struct err *err)
{
	bool *rows = mem_calloc(builder->job_count, sizeof(*rows)), objects = false;
	bool any = choose_rows(builder, rows);
	enum err_code code;

	for (uint32_t i = 0; i < builder->job_count; i++)
		objects = objects || !rows[i];
	count_lost(builder, rows, lost);
	code = objects ? write_jobs(import, builder, dir, err) : remove_file(dir, OBJECTS, err);
	if (code == ERR_OK)
		code = any || !objects ? write_list(import, builder, rows, dir, &lost->rows, err)
				       : remove_file(dir, ROWS, err);
	mem_free(rows);
	return code;
}

enum err_code import_write(struct import *import, struct builder *builder, const char *dir,
			   struct import_lost *lost, struct err *err)
{
	const uint32_t classes[2] = {builder->lists[KIND_PRIORITY_CLASS].count,
				     builder->lists[KIND_WORKLOAD_PRIORITY_CLASS].count};
	enum err_code code = spare_others(dir, err);

	if (code == ERR_OK)
		code = make_folder(dir, err);
	*lost = (struct import_lost){.manners = 0};
	settle_times(builder);
	for (uint32_t i = 0; i < builder->job_count; i++)
		settle_class(builder, &builder->jobs[i]);
	forget_limits(builder);
	if (import->redact != NULL)
		show_all(import, builder);
	if (code == ERR_OK)
		code = write_cluster(import, builder, classes, dir, err);
	if (code == ERR_OK)
		code = write_work(import, builder, dir, lost, err);
	return code;
}
