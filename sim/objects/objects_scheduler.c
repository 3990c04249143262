#include "sim/objects/objects_scheduler.h"

#include "sim/objects/object_option.h"
#include "sim/objects/objects_profile.h"

#define MAX_PROFILES 100

static enum err_code not_modelled(struct fields *f, const struct field *row,
				  const struct yaml_node *value, void *out)
{
	(void)out;
	fields_finding(f, FINDING_NOT_MODELLED, value, "%s: not modelled, left out", row->key);
	return ERR_OK;
}

static enum err_code read_profiles(struct fields *f, const struct field *row,
				   const struct yaml_node *value, void *out)
{
	void *items = NULL;
	uint32_t count = 0;

	(void)row;
	(void)out;
	return fields_list(f, value, objects_profile, 1, MAX_PROFILES, &items, &count);
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
		{.key = "percentageOfNodesToScore", .read = objects_profile_percentage},
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
