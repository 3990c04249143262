#include "sim/objects/objects_appwrapper.h"

#include <stdio.h>
#include <string.h>

#include "sim/objects/objects_roles.h"
#include "sim/yaml/yaml_edit.h"

#define ROOT	       "template"
#define MAX_COMPONENTS 8 /* of the API */

/* ---- paths ---- */

/* One step of ".key" or "[3]"; NULL: it leads nowhere. *rest moves on. */
static const struct yaml_node *step(const struct yaml_node *node, const char **rest)
{
	const char *at = *rest;
	char key[254];
	uint32_t index;
	size_t len;

	if (*at == '[') {
		len = strcspn(at + 1, "]");
		*rest = at + 1 + len + (at[1 + len] != '\0');
		return node->kind == YAML_LIST && num_read_u32(at + 1, len, &index) &&
				       index < node->count
			       ? node->items[index]
			       : NULL;
	}
	if (*at != '.')
		return NULL;
	len = strcspn(at + 1, ".[");
	if (len >= sizeof(key))
		return NULL;
	memcpy(key, at + 1, len);
	key[len] = '\0';
	*rest = at + 1 + len;
	return yaml_find(node, key);
}

/* "template.spec.replicatedJobs[0]" in a component; NULL: there is no such thing. */
static const struct yaml_node *walk(const struct yaml_node *component, const char *path)
{
	const char *rest = path + strlen(ROOT);
	const struct yaml_node *node = yaml_find(component, ROOT);

	if (strncmp(path, ROOT, strlen(ROOT)) != 0)
		return NULL;
	while (node != NULL && *rest != '\0')
		node = step(node, &rest);
	return node;
}

/* ---- pod sets that are inferred ---- */

/* Where a kind keeps its templates and counts; list: one pod set an item of it, to which
 * the other paths belong. */
static const struct inferred {
	const char *group, *kind, *list, *template, *replicas, *parallelism, *completions;
} inferences[] = {
	{"", "Pod", NULL, "", NULL, NULL, NULL},
	{"apps", "Deployment", NULL, ".spec.template", ".spec.replicas", NULL, NULL},
	{"apps", "StatefulSet", NULL, ".spec.template", ".spec.replicas", NULL, NULL},
	{"batch", "Job", NULL, ".spec.template", NULL, ".spec.parallelism", ".spec.completions"},
	{"jobset.x-k8s.io", "JobSet", ".spec.replicatedJobs", ".template.spec.template",
	 ".replicas", ".template.spec.parallelism", ".template.spec.completions"},
	{"kubeflow.org", "PyTorchJob", NULL, ".spec.pytorchReplicaSpecs.Master.template",
	 ".spec.pytorchReplicaSpecs.Master.replicas", NULL, NULL},
	{"kubeflow.org", "PyTorchJob", NULL, ".spec.pytorchReplicaSpecs.Worker.template",
	 ".spec.pytorchReplicaSpecs.Worker.replicas", NULL, NULL},
	{"ray.io", "RayCluster", NULL, ".spec.headGroupSpec.template", NULL, NULL, NULL},
	{"ray.io", "RayCluster", ".spec.workerGroupSpecs", ".template", ".replicas", NULL, NULL},
	{"ray.io", "RayJob", NULL, ".spec.rayClusterSpec.headGroupSpec.template", NULL, NULL, NULL},
	{"ray.io", "RayJob", ".spec.rayClusterSpec.workerGroupSpecs", ".template", ".replicas",
	 NULL, NULL},
};

/* Kinds that run without end. */
static const char *const services[] = {"Deployment",	  "StatefulSet", "ReplicaSet",
				       "LeaderWorkerSet", "RayCluster",	 "RayService"};

struct wrapping {
	struct objects_roles roles;
	bool serves;
};

/* Of what a pod asks for, the wrapper's copy for Kueue has no sidecars, no runtime class and no
 * pod-level amounts (appwrapper pkg/utils: GetPodTemplateSpec). */
static const struct yaml_node *not_copied(const struct yaml_node *spec)
{
	const struct yaml_node *init = yaml_find(spec, "initContainers");

	for (uint32_t i = 0; init != NULL && init->kind == YAML_LIST && i < init->count; i++) {
		const struct yaml_node *policy = yaml_find(init->items[i], "restartPolicy");

		if (policy != NULL && yaml_text_is(policy, "Always"))
			return policy;
	}
	return yaml_find(spec, "resources") != NULL ? yaml_find(spec, "resources")
						    : yaml_find(spec, "runtimeClassName");
}

static void warn_of_copy(struct fields *f, const struct yaml_node *spec)
{
	const struct yaml_node *lost = not_copied(spec);

	if (lost != NULL)
		fields_fault(f, FINDING_WARNING, "input-warning", lost,
			     "leave room in the quota for what the pods ask for beyond that",
			     "Kueue counts the pods of an AppWrapper without their sidecars' "
			     "restartPolicy, runtime class and pod-level resources; they take more "
			     "or less of their nodes than of the quota");
}

static enum err_code add_set(struct fields *f, struct wrapping *wrapping,
			     const struct yaml_node *place, const char *path, uint64_t pods)
{
	const struct yaml_node *at = walk(place, path), *template, *metadata;
	const char *wrapper =
		name_text(builder_strings(f->builder), wrapping->roles.work.object->name);
	enum err_code code;
	char name[300];

	if (at == NULL || at->kind != YAML_MAP)
		return fields_error(f, ERR_VALUE, place, "there is no pod template at \"%.200s\"",
				    path);
	/* It may be a Pod: its metadata and spec make a template. */
	template = yaml_find(at, "spec");
	if (template == NULL)
		return fields_error(f, ERR_VALUE, at,
				    "content at \"%.200s\" does not contain a spec", path);
	warn_of_copy(f, template);
	template = yaml_edit_set(f->arena, NULL, at, "spec", template);
	metadata = yaml_find(at, "metadata");
	if (metadata != NULL)
		template = yaml_edit_set(f->arena, template, at, "metadata", metadata);
	snprintf(name, sizeof(name), "%.253s-%u", wrapper, wrapping->roles.count);
	code = objects_roles_add(f, &wrapping->roles,
				 &(struct objects_role){.name = name,
							.pods = pods,
							.template = template,
							.path = path,
							.place = place});
	if (code == ERR_OK)
		wrapping->roles.sets[wrapping->roles.count - 1].pod.template.wrapped = true;
	return code;
}

static enum err_code read_number(struct fields *f, const struct yaml_node *component,
				 const char *prefix, const char *suffix, uint32_t *out)
{
	const struct yaml_node *node;
	char path[200];

	if (suffix == NULL)
		return ERR_OK;
	snprintf(path, sizeof(path), "%s%s", prefix, suffix);
	node = walk(component, path);
	return node == NULL ? ERR_OK : objects_work_count(f, NULL, node, out);
}

static enum err_code infer_one(struct fields *f, struct wrapping *wrapping,
			       const struct yaml_node *component, const struct inferred *row,
			       const char *prefix)
{
	uint32_t replicas = 1, parallel = 1, completions = NAME_NONE;
	char path[200];

	snprintf(path, sizeof(path), "%s%s", prefix, row->template);
	if (walk(component, path) == NULL)
		return ERR_OK; /* a role that is not there */
	if (read_number(f, component, prefix, row->replicas, &replicas) != ERR_OK ||
	    read_number(f, component, prefix, row->parallelism, &parallel) != ERR_OK ||
	    read_number(f, component, prefix, row->completions, &completions) != ERR_OK)
		return f->err->code;
	return add_set(f, wrapping, component, path,
		       (uint64_t)replicas * (completions < parallel ? completions : parallel));
}

static enum err_code infer_list(struct fields *f, struct wrapping *wrapping,
				const struct yaml_node *component, const struct inferred *row)
{
	const struct yaml_node *list;
	enum err_code code = ERR_OK;
	char prefix[120];

	snprintf(prefix, sizeof(prefix), ROOT "%s", row->list);
	list = walk(component, prefix);
	for (uint32_t i = 0;
	     code == ERR_OK && list != NULL && list->kind == YAML_LIST && i < list->count; i++) {
		snprintf(prefix, sizeof(prefix), ROOT "%s[%u]", row->list, i);
		code = infer_one(f, wrapping, component, row, prefix);
	}
	return code;
}

static bool is_of(const struct yaml_node *template, const struct inferred *row)
{
	const struct yaml_node *api = yaml_find(template, "apiVersion");
	const struct yaml_node *kind = yaml_find(template, "kind");
	const char *slash = api != NULL && api->kind == YAML_SCALAR ? strchr(api->text, '/') : NULL;
	size_t len = slash != NULL ? (size_t)(slash - api->text) : 0;

	return kind != NULL && yaml_text_is(kind, row->kind) && strlen(row->group) == len &&
	       (len == 0 || memcmp(api->text, row->group, len) == 0);
}

static enum err_code infer(struct fields *f, struct wrapping *wrapping,
			   const struct yaml_node *component, const struct yaml_node *template)
{
	uint32_t before = wrapping->roles.count;
	enum err_code code = ERR_OK;

	for (size_t i = 0; i < sizeof(inferences) / sizeof(inferences[0]) && code == ERR_OK; i++) {
		if (!is_of(template, &inferences[i]))
			continue;
		code = inferences[i].list != NULL
			       ? infer_list(f, wrapping, component, &inferences[i])
			       : infer_one(f, wrapping, component, &inferences[i], ROOT);
	}
	if (code == ERR_OK && wrapping->roles.count == before)
		fields_finding(f, FINDING_NOTE, template,
			       "no podSets are declared, and none can be inferred: this component "
			       "has no pods");
	return code;
}

/* ---- components ---- */

struct pod_set_fields {
	uint32_t replicas;
	const struct yaml_node *path;
};

static const struct field pod_set_rows[] = {
	{.key = "replicas",
	 .read = objects_work_count,
	 .offset = offsetof(struct pod_set_fields, replicas)},
	{.key = "path",
	 .read = fields_keep,
	 .offset = offsetof(struct pod_set_fields, path),
	 .required = true},
	{.key = "annotations"},
	{.key = NULL},
};

static enum err_code add_declared(struct fields *f, struct wrapping *wrapping,
				  const struct yaml_node *component, const struct yaml_node *list)
{
	size_t mark = fields_enter(f, "podSets");
	enum err_code code = fields_want_list(f, list);

	for (uint32_t i = 0; code == ERR_OK && i < list->count; i++) {
		struct pod_set_fields fields = {.replicas = 1};
		size_t inner = fields_enter_index(f, i);

		code = fields_map(f, list->items[i], pod_set_rows, &fields);
		if (code == ERR_OK)
			code = fields_want_text(f, fields.path);
		if (code == ERR_OK)
			code = add_set(f, wrapping, component, fields.path->text, fields.replicas);
		fields_leave(f, inner);
	}
	fields_leave(f, mark);
	return code;
}

struct component_fields {
	const struct yaml_node *template, *pod_sets;
};

static const struct field component_rows[] = {
	{.key = "template",
	 .read = fields_keep,
	 .offset = offsetof(struct component_fields, template),
	 .required = true},
	{.key = "podSets",
	 .read = fields_keep,
	 .offset = offsetof(struct component_fields, pod_sets)},
	{.key = "annotations"},
	{.key = "podSetInfos"},
	{.key = NULL},
};

static enum err_code add_component(struct fields *f, struct wrapping *wrapping,
				   const struct yaml_node *component)
{
	struct component_fields fields = {NULL, NULL};
	enum err_code code = fields_map(f, component, component_rows, &fields);
	const struct yaml_node *kind;

	if (code == ERR_OK)
		code = fields_want_map(f, fields.template);
	if (code != ERR_OK)
		return code;
	kind = yaml_find(fields.template, "kind");
	for (size_t i = 0; kind != NULL && i < sizeof(services) / sizeof(services[0]); i++)
		wrapping->serves = wrapping->serves || yaml_text_is(kind, services[i]);
	if (fields.pod_sets != NULL && fields.pod_sets->count != 0)
		return add_declared(f, wrapping, component, fields.pod_sets);
	return infer(f, wrapping, component, fields.template);
}

struct wrapper_fields {
	const struct yaml_node *components, *suspend;
};

static enum err_code add_components(struct fields *f, struct wrapping *wrapping,
				    const struct yaml_node *list)
{
	size_t mark = fields_enter(f, "spec.components");
	enum err_code code = fields_want_list(f, list);

	if (code == ERR_OK && list->count > MAX_COMPONENTS)
		code = fields_error(f, ERR_LIMIT, list, "%u items; at most %d are allowed",
				    list->count, MAX_COMPONENTS);
	for (uint32_t i = 0; code == ERR_OK && i < list->count; i++) {
		size_t inner = fields_enter_index(f, i);

		code = add_component(f, wrapping, list->items[i]);
		fields_leave(f, inner);
	}
	fields_leave(f, mark);
	return code;
}

enum err_code objects_appwrapper(struct fields *f, const struct object *object)
{
	static const struct field spec_rows[] = {
		{.key = "components",
		 .read = fields_keep,
		 .offset = offsetof(struct wrapper_fields, components),
		 .required = true},
		{.key = "suspend",
		 .read = fields_keep,
		 .offset = offsetof(struct wrapper_fields, suspend)},
		{.key = "managedBy"},
		{.key = NULL},
	};
	static const struct field rows[] = {
		OBJECT_HEAD,
		{.key = "spec", .read = fields_nested, .arg = spec_rows, .required = true},
		{.key = NULL},
	};
	struct wrapper_fields fields = {NULL, NULL};
	struct wrapping wrapping = {.serves = false};
	enum err_code code = fields_map(f, object->node, rows, &fields);

	if (code == ERR_OK)
		code = objects_roles_begin(f, &wrapping.roles, object);
	if (code == ERR_OK)
		code = add_components(f, &wrapping, fields.components);
	if (code != ERR_OK)
		return code;
	objects_work_suspend(fields.suspend, &wrapping.roles.work);
	return objects_roles_finish(f, &wrapping.roles,
				    wrapping.serves ? OBJECTS_ROLES_SERVES : OBJECTS_ROLES_TRAINS);
}
