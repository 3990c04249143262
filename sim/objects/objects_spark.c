#include "sim/objects/objects_spark.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "sim/objects/objects_roles.h"
#include "sim/yaml/yaml_edit.h"

#define DRIVER	 "driver"
#define EXECUTOR "executor"

/* ---- one role ---- */

struct spark_role {
	const struct yaml_node *core_request, *core_limit, *memory, *memory_limit, *gpu;
	const struct yaml_node *sidecars, *init, *node_selector, *affinity, *tolerations;
	const struct yaml_node *class, *labels, *annotations, *template;
	uint32_t instances;
};

#define ROLE(member) offsetof(struct spark_role, member)

/* Of the many fields of a role those that have a say in what its pods ask for; the API
 * server knows the others. */
static const struct {
	const char *key;
	size_t offset;
} role_nodes[] = {
	{"coreRequest", ROLE(core_request)},
	{"coreLimit", ROLE(core_limit)},
	{"memory", ROLE(memory)},
	{"memoryLimit", ROLE(memory_limit)},
	{"gpu", ROLE(gpu)},
	{"sidecars", ROLE(sidecars)},
	{"initContainers", ROLE(init)},
	{"nodeSelector", ROLE(node_selector)},
	{"affinity", ROLE(affinity)},
	{"tolerations", ROLE(tolerations)},
	{"priorityClassName", ROLE(class)},
	{"labels", ROLE(labels)},
	{"annotations", ROLE(annotations)},
	{"template", ROLE(template)},
};

static enum err_code read_role(struct fields *f, const struct field *row,
			       const struct yaml_node *value, void *out)
{
	struct spark_role *role = out;
	const struct yaml_node *instances = yaml_find(value, "instances");
	enum err_code code = fields_want_map(f, value);

	(void)row;
	for (size_t i = 0; i < sizeof(role_nodes) / sizeof(role_nodes[0]) && code == ERR_OK; i++) {
		const struct yaml_node *node = yaml_find(value, role_nodes[i].key);

		memcpy((char *)out + role_nodes[i].offset, &node, sizeof(node));
	}
	if (code == ERR_OK && instances != NULL)
		code = objects_work_count(f, NULL, instances, &role->instances);
	return code;
}

/* ---- the pod that comes of it ---- */

/* "512m" and "2g" of Java are 512Mi and 2Gi. */
static const struct yaml_node *java_memory(struct fields *f, const struct yaml_node *node)
{
	static const char units[] = "kmgtp";
	char text[64];
	size_t len = node->count;
	const char *unit;

	if (node->kind != YAML_SCALAR || len == 0 || len > sizeof(text) - 3)
		return node;
	if (len > 1 && tolower((unsigned char)node->text[len - 1]) == 'b')
		len--;
	unit = strchr(units, tolower((unsigned char)node->text[len - 1]));
	if (unit == NULL || *unit == '\0')
		return node;
	snprintf(text, sizeof(text), "%.*s%ci", (int)len - 1, node->text,
		 toupper((unsigned char)*unit));
	return yaml_edit_text(f->arena, node, text, false);
}

static const struct yaml_node *set(struct fields *f, const struct yaml_node *map,
				   const struct yaml_node *place, const char *key,
				   const struct yaml_node *value)
{
	return value == NULL ? map : yaml_edit_set(f->arena, map, place, key, value);
}

static const struct yaml_node *limits_of(struct fields *f, const struct spark_role *role,
					 const struct yaml_node *place)
{
	const struct yaml_node *limits = set(f, NULL, place, "cpu", role->core_limit);
	const struct yaml_node *name = yaml_find(role->gpu, "name");
	const struct yaml_node *quantity = yaml_find(role->gpu, "quantity");

	if (role->memory_limit != NULL)
		limits = set(f, limits, place, "memory", java_memory(f, role->memory_limit));
	if (name != NULL && name->kind == YAML_SCALAR && name->count != 0)
		limits = set(f, limits, place, name->text, quantity);
	return limits;
}

static const struct yaml_node *main_container(struct fields *f, const struct spark_role *role,
					      const struct yaml_node *place)
{
	const struct yaml_node *requests = set(f, NULL, place, "cpu", role->core_request);
	const struct yaml_node *resources, *name = yaml_edit_text(f->arena, place, "spark", false);

	if (role->memory != NULL)
		requests = set(f, requests, place, "memory", java_memory(f, role->memory));
	resources = set(f, NULL, place, "requests", requests);
	resources = set(f, resources, place, "limits", limits_of(f, role, place));
	return set(f, set(f, NULL, place, "name", name), place, "resources", resources);
}

static const struct yaml_node *metadata_of(struct fields *f, const struct spark_role *role,
					   const struct yaml_node *place)
{
	const struct yaml_node *written = yaml_find(role->template, "metadata");
	const struct yaml_node *labels =
		yaml_edit_merge(f->arena, yaml_find(written, "labels"), role->labels);
	const struct yaml_node *annotations =
		yaml_edit_merge(f->arena, yaml_find(written, "annotations"), role->annotations);

	return set(f, set(f, NULL, place, "labels", labels), place, "annotations", annotations);
}

static const struct yaml_node *template_of(struct fields *f, const struct spark_role *role,
					   const struct yaml_node *place)
{
	const struct yaml_node *spec,
		*list = yaml_edit_append(f->arena, yaml_edit_list(f->arena, place),
					 main_container(f, role, place));

	for (uint32_t i = 0; role->sidecars != NULL && role->sidecars->kind == YAML_LIST &&
			     i < role->sidecars->count;
	     i++)
		list = yaml_edit_append(f->arena, list, role->sidecars->items[i]);
	spec = set(f, NULL, place, "containers", list);
	spec = set(f, spec, place, "initContainers", role->init);
	spec = set(f, spec, place, "nodeSelector", role->node_selector);
	spec = set(f, spec, place, "affinity", role->affinity);
	spec = set(f, spec, place, "tolerations", role->tolerations);
	spec = set(f, spec, place, "priorityClassName", role->class);
	return set(f, set(f, NULL, place, "spec", spec), place, "metadata",
		   metadata_of(f, role, place));
}

/* ---- the application ---- */

struct spark_fields {
	struct spark_role driver, executor;
	const struct yaml_node *suspend, *mode, *dynamic;
};

#define SPARK(member) offsetof(struct spark_fields, member)

static const struct field spec_rows[] = {
	{.key = DRIVER, .read = read_role, .offset = SPARK(driver), .required = true},
	{.key = EXECUTOR, .read = read_role, .offset = SPARK(executor), .required = true},
	{.key = "suspend", .read = fields_keep, .offset = SPARK(suspend)},
	{.key = "dynamicAllocation", .read = fields_keep, .offset = SPARK(dynamic)},
	{.key = "type"},
	{.key = "sparkVersion"},
	{.key = "mode", .read = fields_keep, .offset = SPARK(mode)},
	{.key = "proxyUser"},
	{.key = "image"},
	{.key = "imagePullPolicy"},
	{.key = "imagePullSecrets"},
	{.key = "mainClass"},
	{.key = "mainApplicationFile"},
	{.key = "arguments"},
	{.key = "sparkConf"},
	{.key = "hadoopConf"},
	{.key = "sparkConfigMap"},
	{.key = "hadoopConfigMap"},
	{.key = "volumes"},
	{.key = "deps"},
	{.key = "restartPolicy"},
	{.key = "nodeSelector"}, /* Kueue does not look at it */
	{.key = "failureRetries"},
	{.key = "retryInterval"},
	{.key = "pythonVersion"},
	{.key = "memoryOverheadFactor"},
	{.key = "monitoring"},
	{.key = "batchScheduler"},
	{.key = "batchSchedulerOptions"},
	{.key = "timeToLiveSeconds"},
	{.key = "sparkUIOptions"},
	{.key = "driverIngressOptions"},
	{.key = NULL},
};

static enum err_code add_role(struct fields *f, struct objects_roles *roles, const char *name,
			      const struct spark_role *role, uint32_t pods)
{
	const struct yaml_node *place =
		yaml_find(yaml_find(roles->work.object->node, "spec"), name);

	return objects_roles_add(f, roles,
				 &(struct objects_role){.name = name,
							.pods = pods,
							.template = template_of(f, role, place),
							.path = name,
							.place = place});
}

/* What Kueue's webhook refuses, where a queue is named (sparkapplication_webhook.go). */
static enum err_code check(struct fields *f, const struct spark_fields *fields,
			   const struct objects_roles *roles)
{
	const struct yaml_node *enabled = yaml_find(fields->dynamic, "enabled");
	const struct yaml_node *elastic =
		yaml_find(roles->work.object->annotations, "kueue.x-k8s.io/elastic-job");
	bool dynamic = enabled != NULL && yaml_text_is(enabled, "true");

	if (roles->work.common.queue != NAME_NONE) {
		if (fields->mode != NULL && !yaml_text_is(fields->mode, "cluster"))
			return fields_error(f, ERR_VALUE, fields->mode,
					    "mode: only Cluster mode is supported for a kueue "
					    "managed job");
		if (dynamic && (elastic == NULL || !yaml_text_is(elastic, "true")))
			return fields_error(f, ERR_VALUE, enabled,
					    "dynamicAllocation.enabled: a kueue managed job can "
					    "use it only as an elastic job");
	}
	return !dynamic ? ERR_OK
			: fields_not_modelled(f, enabled,
					      "dynamicAllocation (its executors stay "
					      "as many here)");
}

enum err_code objects_spark(struct fields *f, const struct object *object)
{
	static const struct field rows[] = {
		OBJECT_HEAD,
		{.key = "spec", .read = fields_nested, .arg = spec_rows, .required = true},
		{.key = NULL},
	};
	struct spark_fields fields = {0};
	struct objects_roles roles;
	enum err_code code = fields_map(f, object->node, rows, &fields);
	size_t mark;

	if (code == ERR_OK)
		code = objects_roles_begin(f, &roles, object);
	if (code != ERR_OK)
		return code;
	mark = fields_enter(f, "spec");
	code = check(f, &fields, &roles);
	if (code == ERR_OK)
		code = add_role(f, &roles, DRIVER, &fields.driver, 1);
	if (code == ERR_OK)
		code = add_role(f, &roles, EXECUTOR, &fields.executor, fields.executor.instances);
	fields_leave(f, mark);
	if (code != ERR_OK)
		return code;
	objects_roles_after(&roles, 1, 0, false); /* the driver makes its executors */
	if (roles.work.common.queue != NAME_NONE)
		tally_add(f->tally, FINDING_NOTE, object->where,
			  "SparkApplication of a queue: Kueue takes it only with its gate "
			  "SparkApplicationIntegration, which is off by default and on here");
	objects_work_suspend(fields.suspend, &roles.work);
	return objects_roles_finish(f, &roles, OBJECTS_ROLES_TRAINS);
}
