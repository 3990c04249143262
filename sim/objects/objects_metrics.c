#include "sim/objects/objects_metrics.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define LABELS_MAX	   20 /* of all sources */
#define TRACKED_MAX	   16
#define TRACKED_WORKLOAD   12
#define WORKLOAD_LABELS	   2
#define SOURCE_OF_WORKLOAD METRIC_SOURCES

static const struct fields_word source_words[] = {
	{"ClusterQueue", METRIC_CLUSTER_QUEUE},
	{"LocalQueue", METRIC_LOCAL_QUEUE},
	{"Cohort", METRIC_COHORT},
	{"Workload", SOURCE_OF_WORKLOAD},
	{NULL, 0},
};

struct entry {
	uint32_t name, label_key, annotation_key;
	int source;
	const uint32_t *tracked;
	uint32_t tracked_count;
};

static enum err_code read_tracked(struct fields *f, const struct field *row,
				  const struct yaml_node *value, void *out)
{
	struct entry *entry = out;
	void *items = NULL;
	enum err_code code = fields_list(f, value, fields_string, sizeof(uint32_t), TRACKED_MAX,
					 &items, &entry->tracked_count);

	(void)row;
	entry->tracked = items;
	for (uint32_t i = 0; code == ERR_OK && i < entry->tracked_count; i++)
		for (uint32_t k = 0; k < i; k++)
			if (entry->tracked[i] == entry->tracked[k])
				return fields_error(f, ERR_DUPLICATE, value->items[i],
						    "must not contain duplicates");
	return code;
}

/* A letter, then letters, digits and _. */
static bool good_name(const char *text)
{
	bool good = isalpha((unsigned char)text[0]) != 0;

	for (; good && *text != '\0'; text++)
		good = isalnum((unsigned char)*text) != 0 || *text == '_';
	return good;
}

static enum err_code check_entry(struct fields *f, const struct yaml_node *value,
				 const struct entry *e)
{
	if (!good_name(name_text(builder_strings(f->builder), e->name)))
		return fields_error(f, ERR_VALUE, yaml_find(value, "name"),
				    "name: must match ^[a-zA-Z][a-zA-Z0-9_]*$");
	if (e->label_key != NAME_NONE && e->annotation_key != NAME_NONE)
		return fields_error(
			f, ERR_VALUE, value,
			"sourceLabelKey and sourceAnnotationKey are mutually exclusive");
	if (e->source != SOURCE_OF_WORKLOAD)
		return ERR_OK;
	if (e->tracked_count == 0)
		return fields_error(f, ERR_VALUE, value,
				    "trackedValues: must not be empty when sourceKind is "
				    "'Workload'");
	if (e->tracked_count > TRACKED_WORKLOAD)
		return fields_error(f, ERR_LIMIT, yaml_find(value, "trackedValues"),
				    "trackedValues: must not be greater than %d when sourceKind is "
				    "'Workload'",
				    TRACKED_WORKLOAD);
	return ERR_OK;
}

static enum err_code read_entry(struct fields *f, const struct field *row,
				const struct yaml_node *value, void *out)
{
	static const struct field rows[] = {
		{.key = "name",
		 .read = fields_string,
		 .offset = offsetof(struct entry, name),
		 .required = true},
		{.key = "sourceLabelKey",
		 .read = fields_string,
		 .offset = offsetof(struct entry, label_key)},
		{.key = "sourceAnnotationKey",
		 .read = fields_string,
		 .offset = offsetof(struct entry, annotation_key)},
		{.key = "sourceKind",
		 .read = fields_enum,
		 .offset = offsetof(struct entry, source),
		 .arg = source_words},
		{.key = "trackedValues", .read = read_tracked},
		{.key = NULL},
	};
	struct entry *entry = out;
	enum err_code code;

	(void)row;
	*entry = (struct entry){.label_key = NAME_NONE, .annotation_key = NAME_NONE};
	code = fields_map(f, value, rows, entry);
	return code == ERR_OK ? check_entry(f, value, entry) : code;
}

/* Of one source, and names of all. */
static enum err_code check_counts(struct fields *f, const struct yaml_node *value,
				  const struct entry *entries, uint32_t count)
{
	uint32_t of[METRIC_SOURCES + 1] = {0};

	for (uint32_t i = 0; i < count; i++) {
		uint32_t most = entries[i].source == SOURCE_OF_WORKLOAD ? WORKLOAD_LABELS
									: METRIC_LABELS_MAX;

		for (uint32_t k = 0; k < i; k++)
			if (entries[k].name == entries[i].name)
				return fields_error(f, ERR_DUPLICATE, value->items[i],
						    "there is a label of this name already");
		if (++of[entries[i].source] > most)
			return fields_error(f, ERR_LIMIT, value->items[i],
					    "too many custom labels for source kind %s: at most "
					    "%u are possible",
					    source_words[entries[i].source].word, most);
	}
	return ERR_OK;
}

static struct metric_label label_of(struct fields *f, const struct entry *e)
{
	char name[300];
	int len = snprintf(name, sizeof(name), "custom_%.250s",
			   name_text(builder_strings(f->builder), e->name));
	uint32_t key = e->annotation_key != NAME_NONE ? e->annotation_key : e->label_key;

	return (struct metric_label){.name = builder_string(f->builder, name, (size_t)len),
				     .source = (enum metric_source)e->source,
				     .key = key != NAME_NONE ? key : e->name,
				     .annotation = e->annotation_key != NAME_NONE,
				     .tracked = e->tracked,
				     .tracked_count = e->tracked_count};
}

enum err_code objects_metrics_labels(struct fields *f, const struct field *row,
				     const struct yaml_node *value, void *out)
{
	struct kueue_config *config = out;
	struct metric_label *labels;
	void *items = NULL;
	const struct entry *entries;
	uint32_t count = 0;
	enum err_code code =
		fields_list(f, value, read_entry, sizeof(struct entry), LABELS_MAX, &items, &count);

	(void)row;
	entries = items;
	if (code == ERR_OK)
		code = check_counts(f, value, entries, count);
	labels = mem_arena_alloc(f->arena, (count + 1) * sizeof(*labels));
	config->metric_label_count = 0;
	for (uint32_t i = 0; code == ERR_OK && i < count; i++) {
		if (entries[i].source != SOURCE_OF_WORKLOAD)
			labels[config->metric_label_count++] = label_of(f, &entries[i]);
		else
			code = fields_not_modelled(f, value->items[i],
						   "a label of metrics that comes of workloads");
	}
	config->metric_labels = labels;
	return code;
}
