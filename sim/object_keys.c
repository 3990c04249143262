#include "sim/object_keys.h"

#include <stdio.h>
#include <string.h>

#include "sim/nearest.h"

#define PREFIX "kueue.x-k8s.io/"

struct key_row {
	const char *name;	/* behind the prefix */
	const char *unmodelled; /* what it asks for, if that is not modelled */
	const char *only;	/* the value that asks for it; NULL: any but "" */
};

static const struct key_row rows[] = {
	{"admission-gated-by", "an admission gate (the job is queued all the same)", NULL},
	{"elastic-job", "an elastic job (workload slices)", "true"},
	{"pod-group-name", "a pod group (each pod is a workload of its own)", NULL},
	{"prebuilt-workload-name", "a prebuilt workload (one is made of the job)", NULL},
	{"workload-allowed-resource-flavors", "a restriction to some flavors", NULL},
	{"job-completions-equal-parallelism", NULL, NULL},
	{"job-min-parallelism", NULL, NULL},
	{"max-exec-time-seconds", NULL, NULL},
	{"pod-group-fast-admission", NULL, NULL},
	{"pod-group-pod-index", NULL, NULL},
	{"pod-group-pod-index-label", NULL, NULL},
	{"pod-group-serving", NULL, NULL},
	{"pod-group-total-count", NULL, NULL},
	{"pod-index-offset", NULL, NULL},
	{"podset-group-name", NULL, NULL},
	{"podset-preferred-topology", NULL, NULL},
	{"podset-required-topology", NULL, NULL},
	{"podset-slice-required-topology", NULL, NULL},
	{"podset-slice-required-topology-constraints", NULL, NULL},
	{"podset-slice-size", NULL, NULL},
	{"podset-unconstrained-topology", NULL, NULL},
	{"priority-boost", NULL, NULL}, /* the gate PriorityBoost is off, or told of */
	{"priority-class", NULL, NULL},
	{"queue-name", NULL, NULL},
	{"retriable-in-group", NULL, NULL},
	{"safe-to-forcefully-delete", NULL, NULL},
	/* what Kueue itself writes */
	{"cluster-queue-name", NULL, NULL},
	{"component-workload-index", NULL, NULL},
	{"concurrent-admission", NULL, NULL},
	{"concurrent-admission-parent", NULL, NULL},
	{"is-group-workload", NULL, NULL},
	{"job-owner-gvk", NULL, NULL},
	{"job-owner-name", NULL, NULL},
	{"job-uid", NULL, NULL},
	{"local-queue-name", NULL, NULL},
	{"managed", NULL, NULL},
	{"multikueue-origin", NULL, NULL},
	{"multikueue-origin-uid", NULL, NULL},
	{"pod-suspending-parent", NULL, NULL},
	{"podset", NULL, NULL},
	{"role-hash", NULL, NULL},
	{"stopping", NULL, NULL},
	{"workload", NULL, NULL},
	{"workload-slice-name", NULL, NULL},
	{"workload-slice-replacement-for", NULL, NULL},
};

#define ROW_COUNT (sizeof(rows) / sizeof(rows[0]))

static enum err_code misspelt(struct fields *f, const struct yaml_node *key, const char *what,
			      const char *name)
{
	struct nearest nearest;
	char hint[120] = "";

	nearest_begin(&nearest, name);
	for (size_t i = 0; i < ROW_COUNT; i++)
		nearest_offer(&nearest, rows[i].name);
	if (nearest.best == NULL)
		return ERR_OK; /* another version's, or a word of somebody's own */
	snprintf(hint, sizeof(hint), "did you mean %s%.80s?", PREFIX, nearest.best);
	if (f->unknown == FIELDS_REFUSE)
		return fields_error(f, ERR_UNKNOWN, key, "unknown %s %.100s; %s", what, key->text,
				    hint);
	fields_finding(f, FINDING_WARNING, key, "Kueue knows no %s %.100s; %s", what, key->text,
		       hint);
	return ERR_OK;
}

static enum err_code check_key(struct fields *f, const struct yaml_pair *pair, const char *what)
{
	const char *name = pair->key->text + strlen(PREFIX);
	const struct key_row *row = rows;

	while (row < rows + ROW_COUNT && strcmp(row->name, name) != 0)
		row++;
	if (row == rows + ROW_COUNT)
		return misspelt(f, pair->key, what, name);
	if (row->unmodelled == NULL || pair->value->count == 0 ||
	    (row->only != NULL && !yaml_text_is(pair->value, row->only)))
		return ERR_OK;
	return fields_not_modelled(f, pair->key, row->unmodelled);
}

static enum err_code check_map(struct fields *f, const struct yaml_node *map, const char *what)
{
	enum err_code code = ERR_OK;

	for (uint32_t i = 0; map != NULL && i < map->count && code == ERR_OK; i++)
		if (strncmp(map->pairs[i].key->text, PREFIX, strlen(PREFIX)) == 0)
			code = check_key(f, &map->pairs[i], what);
	return code;
}

enum err_code object_keys_check(struct fields *f, const struct object *object)
{
	enum err_code code = check_map(f, object->labels, "label");

	return code != ERR_OK ? code : check_map(f, object->annotations, "annotation");
}
