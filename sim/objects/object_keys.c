#include "sim/objects/object_keys.h"

#include <stdio.h>
#include <string.h>

#include "sim/tool/nearest.h"

#define PREFIX "kueue.x-k8s.io/"

struct key_row {
	const char *name;	/* behind the prefix */
	const char *unmodelled; /* what it asks for, if that is not modelled */
	const char *only;	/* the value that asks for it; NULL: any but "" */
	const char *except;	/* kind of object for which it is modelled; NULL */
};

static const struct key_row rows[] = {
	{.name = "admission-gated-by"},
	{"elastic-job", "an elastic job (workload slices)", "true", "Job"},
	{"pod-group-name", "a pod group (each pod is a workload of its own)", NULL, "Pod"},
	{"prebuilt-workload-name", "a prebuilt workload (one is made of the job)", NULL, NULL},
	{"workload-allowed-resource-flavors", "a restriction to some flavors", NULL, NULL},
	{.name = "job-completions-equal-parallelism"},
	{.name = "job-min-parallelism"},
	{.name = "max-exec-time-seconds"},
	{.name = "pod-group-fast-admission"},
	{.name = "pod-group-pod-index"},
	{.name = "pod-group-pod-index-label"},
	{.name = "pod-group-serving"},
	{.name = "pod-group-total-count"},
	{.name = "pod-index-offset"},
	{.name = "podset-group-name"},
	{.name = "podset-preferred-topology"},
	{.name = "podset-required-topology"},
	{.name = "podset-slice-required-topology"},
	{.name = "podset-slice-required-topology-constraints"},
	{.name = "podset-slice-size"},
	{.name = "podset-unconstrained-topology"},
	{.name = "priority-boost"}, /* of a Workload: objects_workload.c */
	{.name = "priority-class"},
	{.name = "queue-name"},
	{.name = "retriable-in-group"},
	{.name = "safe-to-forcefully-delete"},
	/* what Kueue itself writes */
	{.name = "cluster-queue-name"},
	{.name = "component-workload-index"},
	{.name = "concurrent-admission"},
	{.name = "concurrent-admission-parent"},
	{.name = "is-group-workload"},
	{.name = "job-owner-gvk"},
	{.name = "job-owner-name"},
	{.name = "job-uid"},
	{.name = "local-queue-name"},
	{.name = "managed"},
	{.name = "multikueue-origin"},
	{.name = "multikueue-origin-uid"},
	{.name = "pod-suspending-parent"},
	{.name = "podset"},
	{.name = "role-hash"},
	{.name = "stopping"},
	{.name = "workload"},
	{.name = "workload-slice-name"},
	{.name = "workload-slice-replacement-for"},
};

#define ROW_COUNT (sizeof(rows) / sizeof(rows[0]))

static enum err_code misspelt(struct fields *f, const struct yaml_node *key, const char *what,
			      const char *name)
{
	struct nearest nearest;
	char hint[120] = "", fix[140];

	nearest_begin(&nearest, name);
	for (size_t i = 0; i < ROW_COUNT; i++)
		nearest_offer(&nearest, rows[i].name);
	if (nearest.best == NULL)
		return ERR_OK; /* another version's, or a word of somebody's own */
	snprintf(hint, sizeof(hint), "did you mean %s%.80s?", PREFIX, nearest.best);
	if (f->unknown == FIELDS_REFUSE)
		return fields_error(f, ERR_UNKNOWN, key, "unknown %s %.100s; %s", what, key->text,
				    hint);
	snprintf(fix, sizeof(fix), "write %s%.80s, or delete it", PREFIX, nearest.best);
	fields_fault(f, FINDING_WARNING, "unknown-field", key, fix, "Kueue knows no %s %.100s; %s",
		     what, key->text, hint);
	return ERR_OK;
}

static bool is_modelled(const struct object *object, const struct key_row *row)
{
	const struct yaml_node *kind = yaml_find(object->node, "kind");

	return row->except != NULL && kind != NULL && yaml_text_is(kind, row->except);
}

static enum err_code check_key(struct fields *f, const struct object *object,
			       const struct yaml_pair *pair, const char *what)
{
	const char *name = pair->key->text + strlen(PREFIX);
	const struct key_row *row = rows;

	while (row < rows + ROW_COUNT && strcmp(row->name, name) != 0)
		row++;
	if (row == rows + ROW_COUNT)
		return misspelt(f, pair->key, what, name);
	if (row->unmodelled == NULL || pair->value->count == 0 || is_modelled(object, row) ||
	    (row->only != NULL && !yaml_text_is(pair->value, row->only)))
		return ERR_OK;
	return fields_not_modelled(f, pair->key, row->unmodelled);
}

static enum err_code check_map(struct fields *f, const struct object *object,
			       const struct yaml_node *map, const char *what)
{
	enum err_code code = ERR_OK;

	for (uint32_t i = 0; map != NULL && i < map->count && code == ERR_OK; i++)
		if (strncmp(map->pairs[i].key->text, PREFIX, strlen(PREFIX)) == 0)
			code = check_key(f, object, &map->pairs[i], what);
	return code;
}

enum err_code object_keys_check(struct fields *f, const struct object *object)
{
	enum err_code code = check_map(f, object, object->labels, "label");

	return code != ERR_OK ? code : check_map(f, object, object->annotations, "annotation");
}
