#include "sim/objects/objects_pod.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "sim/yaml/yaml_scalar.h"

#define MAX_CONTAINERS 1000
#define MAX_TERMS      100
#define ANNOTATION     "kueue.x-k8s.io/"

/* ---- containers ---- */

static enum err_code read_amounts(struct fields *f, const struct field *row,
				  const struct yaml_node *value, void *out)
{
	struct template_amounts *amounts = out;
	int64_t *vector = mem_arena_alloc(f->arena, RES_MAX * sizeof(*vector));

	(void)row;
	amounts->amount = vector;
	return fields_amounts(f, value, vector, &amounts->given);
}

static enum err_code read_claims(struct fields *f, const struct field *row,
				 const struct yaml_node *value, void *out)
{
	(void)row;
	(void)out;
	return fields_not_modelled(f, value, "a resource claim (DRA)");
}

static const struct fields_word restart_policies[] = {
	{"Always", TEMPLATE_SIDECAR},
	{"OnFailure", TEMPLATE_INIT},
	{"Never", TEMPLATE_INIT},
	{NULL, 0},
};

static const struct field resource_rows[] = {
	{.key = "requests",
	 .read = read_amounts,
	 .offset = offsetof(struct template_container, requests)},
	{.key = "limits",
	 .read = read_amounts,
	 .offset = offsetof(struct template_container, limits)},
	{.key = "claims", .read = read_claims},
	{.key = NULL},
};

/* Everything of a container that has no say in where it runs. */
#define CONTAINER_FIELDS                                                                           \
	{.key = "name"}, {.key = "image"}, {.key = "command"}, {.key = "args"},                    \
		{.key = "workingDir"}, {.key = "ports"}, {.key = "envFrom"}, {.key = "env"},       \
		{.key = "volumeMounts"}, {.key = "volumeDevices"}, {.key = "livenessProbe"},       \
		{.key = "readinessProbe"}, {.key = "startupProbe"}, {.key = "lifecycle"},          \
		{.key = "terminationMessagePath"}, {.key = "terminationMessagePolicy"},            \
		{.key = "imagePullPolicy"}, {.key = "securityContext"}, {.key = "stdin"},          \
		{.key = "stdinOnce"}, {.key = "tty"}, {.key = "resizePolicy"},                     \
	{                                                                                          \
		.key = "restartPolicyRules"                                                        \
	}

static bool is_extended(uint32_t resource)
{
	return resource != RES_CPU && resource != RES_MEMORY && resource != RES_EPHEMERAL &&
	       resource != RES_PODS;
}

/* Validation of pods, "Limit must be set for non overcommitable resources"; Workloads, which
 * Kueue makes or its tests do, pass without. */
static void check_limits(struct fields *f, const struct yaml_node *value,
			 const struct template_container *container)
{
	const uint64_t alone = container->requests.given & ~container->limits.given;

	for (uint32_t r = 0; r < RES_MAX; r++)
		if ((alone >> r & 1) != 0 && is_extended(r) && container->requests.amount[r] > 0 &&
		    strcmp(f->kind, "Workload") != 0)
			fields_fault(f, FINDING_WARNING, "input-warning", value,
				     "write it under limits, which alone are enough",
				     "%.100s is requested without a limit: the API server "
				     "refuses such a pod, unless a LimitRange gives it one",
				     builder_resource_name(f->builder, r));
}

/* Kinds whose pod templates the API server checks; those of others it keeps as they are. */
static bool has_checked_template(const char *kind)
{
	static const char *const kinds[] = {"Job",	  "CronJob",	 "Pod",	     "Deployment",
					    "ReplicaSet", "StatefulSet", "DaemonSet"};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (strcmp(kinds[i], kind) == 0)
			return true;
	return false;
}

/* Of other kinds Kueue makes a Workload, which it then never admits (ValidateResources). */
static enum err_code above_limit(struct fields *f, const struct yaml_node *value)
{
	if (has_checked_template(f->kind))
		return fields_error(f, ERR_VALUE, value,
				    "a request must be less than or equal to its limit");
	fields_fault(f, FINDING_WARNING, "input-warning", value,
		     "lower the request, or raise the limit",
		     "a request is above its limit: Kueue never admits it, and "
		     "the API server refuses such pods");
	return ERR_OK;
}

static enum err_code unequal(struct fields *f, const struct yaml_node *value)
{
	static const char why[] =
		"the request of a container for an extended resource must equal its limit";

	if (has_checked_template(f->kind))
		return fields_error(f, ERR_VALUE, value, "%s", why);
	fields_fault(f, FINDING_WARNING, "input-warning", value, "write it under limits alone",
		     "%s: Kueue counts the request, and the API server refuses such pods", why);
	return ERR_OK;
}

static enum err_code check_amounts(struct fields *f, const struct yaml_node *value,
				   const struct template_container *container)
{
	const uint64_t both = container->requests.given & container->limits.given;

	for (uint32_t r = 0; r < RES_MAX; r++)
		if ((both >> r & 1) != 0 &&
		    container->requests.amount[r] > container->limits.amount[r])
			return above_limit(f, value);
	for (uint32_t r = 0; r < RES_MAX; r++)
		if ((both >> r & 1) != 0 && is_extended(r) &&
		    container->requests.amount[r] != container->limits.amount[r])
			return unequal(f, value);
	if (((container->requests.given | container->limits.given) >> RES_PODS & 1) != 0)
		return fields_error(f, ERR_VALUE, value,
				    "a container cannot request \"pods\": the key is reserved for "
				    "internal kueue use");
	check_limits(f, value, container);
	return ERR_OK;
}

static enum err_code read_main(struct fields *f, const struct field *row,
			       const struct yaml_node *value, void *out)
{
	static const struct field rows[] = {
		CONTAINER_FIELDS,
		{.key = "resources", .read = fields_nested, .arg = resource_rows},
		{.key = "restartPolicy"},
		{.key = NULL},
	};
	enum err_code code;

	(void)row;
	code = fields_map(f, value, rows, out);
	return code != ERR_OK ? code : check_amounts(f, value, out);
}

static enum err_code read_init(struct fields *f, const struct field *row,
			       const struct yaml_node *value, void *out)
{
	static const struct field rows[] = {
		CONTAINER_FIELDS,
		{.key = "resources", .read = fields_nested, .arg = resource_rows},
		{.key = "restartPolicy",
		 .read = fields_enum,
		 .offset = offsetof(struct template_container, role),
		 .arg = restart_policies},
		{.key = NULL},
	};
	struct template_container *container = out;
	enum err_code code;

	(void)row;
	container->role = TEMPLATE_INIT;
	code = fields_map(f, value, rows, container);
	return code != ERR_OK ? code : check_amounts(f, value, container);
}

/* ---- node affinity ---- */

static enum err_code read_terms(struct fields *f, const struct field *row,
				const struct yaml_node *value, void *out)
{
	struct pod_shape *shape = out;
	void *items = NULL;
	enum err_code code =
		fields_list(f, value, objects_affinity_node_term, sizeof(struct node_term),
			    MAX_TERMS, &items, &shape->affinity_count);

	(void)row;
	shape->affinity = items;
	if (code == ERR_OK && shape->affinity_count == 0)
		return fields_error(f, ERR_VALUE, value,
				    "must have at least one node selector term");
	return code;
}

static const struct field term_rows[] = {
	{.key = "nodeSelectorTerms",
	 .read = read_terms,
	 .offset = offsetof(struct objects_pod, template.base),
	 .required = true},
	{.key = NULL},
};

static const struct field node_affinity_rows[] = {
	{.key = "requiredDuringSchedulingIgnoredDuringExecution",
	 .read = fields_nested,
	 .arg = term_rows},
	{.key = "preferredDuringSchedulingIgnoredDuringExecution",
	 .read = objects_affinity_nodes,
	 .offset = offsetof(struct objects_pod, affinity)},
	{.key = NULL},
};

static const struct field affinity_rows[] = {
	{.key = "nodeAffinity", .read = fields_nested, .arg = node_affinity_rows},
	{.key = "podAffinity",
	 .read = objects_affinity_near,
	 .offset = offsetof(struct objects_pod, affinity)},
	{.key = "podAntiAffinity",
	 .read = objects_affinity_far,
	 .offset = offsetof(struct objects_pod, affinity)},
	{.key = NULL},
};

/* ---- the spec ---- */

#define POD(member) offsetof(struct objects_pod, member)

static enum err_code read_tolerations(struct fields *f, const struct field *row,
				      const struct yaml_node *value, void *out)
{
	(void)row;
	return fields_tolerations(f, value, MAX_CONTAINERS, out);
}

static enum err_code read_deadline(struct fields *f, const struct field *row,
				   const struct yaml_node *value, void *out)
{
	bool *has_deadline = out;
	simtime deadline = 0;

	*has_deadline = true;
	return fields_seconds(f, row, value, &deadline);
}

static enum err_code read_scheduler(struct fields *f, const struct field *row,
				    const struct yaml_node *value, void *out)
{
	uint32_t *scheduler = out, name = NAME_NONE;
	enum err_code code = fields_string(f, row, value, &name);

	if (code == ERR_OK && value->count != 0 && strcmp(value->text, "default-scheduler") != 0)
		*scheduler = name + 1;
	return code;
}

static const struct field pod_resource_rows[] = {
	{.key = "requests", .read = read_amounts, .offset = POD(template.requests)},
	{.key = "limits", .read = read_amounts, .offset = POD(template.limits)},
	{.key = "claims", .read = read_claims},
	{.key = NULL},
};

/* containers and initContainers are read apart: init containers come first. */
static const struct field spec_rows[] = {
	{.key = "containers", .required = true},
	{.key = "initContainers"},
	{.key = "resources", .read = fields_nested, .arg = pod_resource_rows},
	{.key = "overhead", .read = read_amounts, .offset = POD(template.overhead)},
	{.key = "runtimeClassName", .read = fields_string, .offset = POD(template.runtime_class)},
	{.key = "nodeSelector",
	 .read = fields_label_set,
	 .offset = POD(template.base.node_selector)},
	{.key = "affinity", .read = fields_nested, .arg = affinity_rows},
	{.key = "tolerations", .read = read_tolerations, .offset = POD(template.base.tolerations)},
	{.key = "priorityClassName", .read = fields_string, .offset = POD(priority_class)},
	{.key = "topologySpreadConstraints",
	 .read = objects_affinity_spread,
	 .offset = POD(affinity)},
	{.key = "resourceClaims", .read = read_claims},
	{.key = "ephemeralContainers"},
	{.key = "volumes"},
	{.key = "restartPolicy"},
	{.key = "terminationGracePeriodSeconds"},
	{.key = "activeDeadlineSeconds",
	 .read = read_deadline,
	 .offset = POD(template.base.deadline)},
	{.key = "dnsPolicy"},
	{.key = "dnsConfig"},
	{.key = "serviceAccountName"},
	{.key = "serviceAccount"},
	{.key = "automountServiceAccountToken"},
	{.key = "nodeName"},
	{.key = "hostNetwork"},
	{.key = "hostPID"},
	{.key = "hostIPC"},
	{.key = "hostUsers"},
	{.key = "hostAliases"},
	{.key = "hostname"},
	{.key = "hostnameOverride"},
	{.key = "subdomain"},
	{.key = "shareProcessNamespace"},
	{.key = "securityContext"},
	{.key = "imagePullSecrets"},
	{.key = "schedulerName", .read = read_scheduler, .offset = POD(template.base.scheduler)},
	{.key = "schedulingGates"},
	{.key = "priority"},
	{.key = "preemptionPolicy"},
	{.key = "readinessGates"},
	{.key = "enableServiceLinks"},
	{.key = "setHostnameAsFQDN"},
	{.key = "os"},
	{.key = "workloadRef"},
	{.key = NULL},
};

/* Reads a list of containers behind those that are there already. */
static enum err_code read_containers(struct fields *f, const struct yaml_node *spec,
				     const char *key, fields_read *read,
				     struct pod_template *template)
{
	const struct yaml_node *list = yaml_find(spec, key);
	struct template_container *all;
	uint32_t before = template->container_count, count = 0;
	void *items = NULL;
	enum err_code code;
	size_t mark;

	if (list == NULL)
		return ERR_OK;
	mark = fields_enter(f, key);
	code = fields_list(f, list, read, sizeof(struct template_container), MAX_CONTAINERS, &items,
			   &count);
	if (code == ERR_OK && count == 0 && read == read_main)
		code = fields_error(f, ERR_VALUE, list, "must have at least one container");
	fields_leave(f, mark);
	if (code != ERR_OK)
		return code;
	all = mem_arena_alloc(f->arena, (before + count) * sizeof(*all));
	if (before != 0)
		memcpy(all, template->containers, before * sizeof(*all));
	if (count != 0)
		memcpy(all + before, items, count * sizeof(*all));
	template->containers = all;
	template->container_count = before + count;
	return ERR_OK;
}

/* ---- topology ---- */

/* Kueue's webhooks do not look at the topology annotations of these kinds; it takes of them what
 * it can (jobframework: podSetTopologyRequestBuilder). Those of pods refuse what comes of it. */
static bool is_unchecked(const struct fields *f)
{
	return strcmp(f->kind, "StatefulSet") == 0 || strcmp(f->kind, "AppWrapper") == 0;
}

/* What a webhook refuses; a warning where none looks. */
static enum err_code topology_fault(struct fields *f, const struct yaml_node *value,
				    const char *before, const char *why)
{
	if (!is_unchecked(f))
		return fields_error(f, ERR_VALUE, value, "%s%s", before, why);
	fields_fault(f, FINDING_WARNING, "input-warning", value, "correct the annotations",
		     "%s%s; Kueue admits this %s all the same, and then its webhooks refuse the "
		     "pods (here they run)",
		     before, why, f->kind);
	return ERR_OK;
}

static const struct {
	const char *key;
	enum topology_mode mode;
} topology_keys[] = {
	{ANNOTATION "podset-required-topology", TOPOLOGY_REQUIRED},
	{ANNOTATION "podset-preferred-topology", TOPOLOGY_PREFERRED},
	{ANNOTATION "podset-unconstrained-topology", TOPOLOGY_UNCONSTRAINED},
};

static enum err_code read_topology_mode(struct fields *f, const struct yaml_node *annotations,
					struct pod_shape *shape)
{
	bool unconstrained, found = false;
	char before[80];

	for (size_t i = 0; i < sizeof(topology_keys) / sizeof(topology_keys[0]); i++) {
		const struct yaml_node *value = yaml_find(annotations, topology_keys[i].key);

		if (value == NULL)
			continue;
		if (fields_want_text(f, value) != ERR_OK)
			return f->err->code;
		snprintf(before, sizeof(before), "annotation %s: ", topology_keys[i].key);
		if (found && topology_fault(f, value, before,
					    "only one of required, preferred and unconstrained "
					    "topology is possible") != ERR_OK)
			return f->err->code;
		if (found)
			continue; /* the first of the three holds */
		if (topology_keys[i].mode == TOPOLOGY_UNCONSTRAINED &&
		    !yaml_text_bool(value, &unconstrained))
			return fields_error(f, ERR_VALUE, value,
					    "annotation %s: \"%.40s\" is neither true nor false",
					    topology_keys[i].key, value->text);
		found = true;
		if (topology_keys[i].mode == TOPOLOGY_UNCONSTRAINED && !unconstrained)
			continue;
		shape->topology_mode = topology_keys[i].mode;
		if (shape->topology_mode != TOPOLOGY_UNCONSTRAINED)
			shape->topology_level =
				builder_string(f->builder, value->text, value->count);
	}
	return ERR_OK;
}

static enum err_code read_slices(struct fields *f, const struct yaml_node *annotations,
				 struct objects_pod *out)
{
	const struct yaml_node *level =
		yaml_find(annotations, ANNOTATION "podset-slice-required-topology");
	const struct yaml_node *size = yaml_find(annotations, ANNOTATION "podset-slice-size");
	struct pod_shape *shape = &out->template.base;

	if (level == NULL && size == NULL)
		return ERR_OK;
	if (level == NULL || size == NULL)
		return topology_fault(f, level != NULL ? level : size, "",
				      "annotations podset-slice-required-topology and "
				      "podset-slice-size must appear together");
	if (fields_want_text(f, level) != ERR_OK)
		return f->err->code;
	if (!num_read_u32(size->text, size->count, &shape->slice_size) || shape->slice_size == 0)
		return fields_error(f, ERR_VALUE, size,
				    "annotation podset-slice-size: \"%.40s\" is not a number of 1 "
				    "or more",
				    size->text);
	shape->slice_level = builder_string(f->builder, level->text, level->count);
	out->slice_size = size;
	return ERR_OK;
}

static const struct field layer_rows[] = {
	{.key = "topology",
	 .read = fields_string,
	 .offset = offsetof(struct slice_layer, level),
	 .required = true},
	{.key = "size",
	 .read = fields_count,
	 .offset = offsetof(struct slice_layer, size),
	 .required = true},
	{.key = NULL},
};

static enum err_code read_layer(struct fields *f, const struct field *row,
				const struct yaml_node *value, void *out)
{
	(void)row;
	return fields_map(f, value, layer_rows, out);
}

/* What the webhooks of jobs refuse, and that of Workloads does not (validateTASSliceSize). */
static enum err_code layers_fault(struct fields *f, const struct yaml_node *at, const char *why)
{
	if (!is_unchecked(f) && strcmp(f->kind, "Workload") != 0)
		return fields_error(f, ERR_VALUE, at, "%s", why);
	fields_fault(f, FINDING_WARNING, "input-warning", at, "correct the layers of slices",
		     "%s: it is never admitted", why);
	return ERR_OK;
}

/* Each layer's size divides that of the one around it. */
static enum err_code check_layers(struct fields *f, const struct yaml_node *at,
				  const struct slice_layer *layers, uint32_t count)
{
	char why[120];

	if (count == 0)
		return fields_error(f, ERR_VALUE, at, "no constraint is given");
	for (uint32_t i = 0; i < count; i++) {
		if (layers[i].size == 0)
			return fields_error(f, ERR_VALUE, at, "size 0: a slice has 1 pod or more");
		for (uint32_t k = 0; k < i; k++)
			if (layers[k].level == layers[i].level &&
			    layers_fault(f, at, "two constraints have the same topology") != ERR_OK)
				return f->err->code;
		if (i == 0 || layers[i - 1].size % layers[i].size == 0)
			continue;
		snprintf(why, sizeof(why),
			 "size %" PRIu32 " does not divide %" PRIu32
			 ", the size of the constraint before it",
			 layers[i].size, layers[i - 1].size);
		if (layers_fault(f, at, why) != ERR_OK)
			return f->err->code;
	}
	return ERR_OK;
}

enum err_code objects_pod_layers(struct fields *f, const struct yaml_node *root,
				 const struct yaml_node *at, struct pod_shape *shape)
{
	const struct slice_layer *layers;
	void *items = NULL;
	uint32_t count = 0;

	if (root == NULL || fields_want_list(f, root) != ERR_OK)
		return root == NULL ? check_layers(f, at, NULL, 0) : f->err->code;
	if (fields_list(f, root, read_layer, sizeof(*layers), 1 + JOB_INNER_SLICES, &items,
			&count) != ERR_OK ||
	    check_layers(f, at, items, count) != ERR_OK)
		return f->err->code;
	layers = items;
	shape->slice_level = layers[0].level;
	shape->slice_size = layers[0].size;
	shape->inner_slice_count = count - 1;
	for (uint32_t i = 1; i < count; i++)
		shape->inner_slices[i - 1] = layers[i];
	return ERR_OK;
}

/* The annotation is a JSON list, outermost layer first. */
static enum err_code read_layers(struct fields *f, const struct yaml_node *text,
				 struct objects_pod *out)
{
	struct pod_shape *shape = &out->template.base;
	const struct yaml_node *root = NULL;
	struct yaml_reader *reader = NULL;
	struct source source;
	enum err_code code;
	size_t mark;

	if (fields_want_text(f, text) != ERR_OK)
		return f->err->code;
	mark = fields_enter(f, "podset-slice-required-topology-constraints");
	source = (struct source){.name = f->file, .data = text->text, .size = text->count};
	code = shape->slice_level == NAME_NONE && shape->topology_group == NAME_NONE
		       ? ERR_OK
		       : topology_fault(
				 f, text, ANNOTATION "podset-slice-required-topology-constraints",
				 "excludes podset-slice-required-topology, podset-slice-size "
				 "and podset-group-name");
	if (code == ERR_OK)
		code = yaml_open_at(&source, text->line - 1, &reader, f->err);
	if (code == ERR_OK)
		code = yaml_next(reader, &root, f->err);
	if (code == ERR_OK)
		code = objects_pod_layers(f, root, text, shape);
	yaml_close(reader);
	out->slice_size = text;
	builder_layers(f->builder, (struct place){f->file, text->line, text->column});
	fields_leave(f, mark);
	return code;
}

/* What Kueue's webhooks refuse (jobframework/tas_validation.go). */
static enum err_code read_group(struct fields *f, const struct yaml_node *group,
				struct pod_shape *shape)
{
	const char *why = NULL;
	int64_t number;

	if (fields_want_text(f, group) != ERR_OK)
		return f->err->code;
	if (num_read_i64(group->text, group->count, &number) && number >= 0)
		why = "must not be a number";
	else if (shape->slice_level != NAME_NONE)
		why = "excludes podset-slice-required-topology and podset-slice-size";
	else if (shape->topology_mode != TOPOLOGY_REQUIRED &&
		 shape->topology_mode != TOPOLOGY_PREFERRED)
		why = "needs podset-required-topology or podset-preferred-topology";
	if (why != NULL &&
	    topology_fault(f, group, "annotation " ANNOTATION "podset-group-name: ", why) != ERR_OK)
		return f->err->code;
	if (shape->topology_mode != TOPOLOGY_REQUIRED && shape->topology_mode != TOPOLOGY_PREFERRED)
		return ERR_OK; /* Kueue leaves it out then */
	shape->topology_group = builder_string(f->builder, group->text, group->count);
	return ERR_OK;
}

static enum err_code read_topology(struct fields *f, struct objects_pod *out)
{
	const struct yaml_node *map = out->annotations;
	const struct yaml_node *group = yaml_find(map, ANNOTATION "podset-group-name");
	const struct yaml_node *constraints =
		yaml_find(map, ANNOTATION "podset-slice-required-topology-constraints");

	if (read_topology_mode(f, map, &out->template.base) != ERR_OK)
		return f->err->code;
	/* Where no webhook looks the constraints win, whatever the size is. */
	if ((constraints == NULL || !is_unchecked(f)) && read_slices(f, map, out) != ERR_OK)
		return f->err->code;
	if (group != NULL && read_group(f, group, &out->template.base) != ERR_OK)
		return f->err->code;
	if (constraints != NULL)
		return read_layers(f, constraints, out);
	return ERR_OK;
}

/* ---- the whole ---- */

static void clear(struct objects_pod *out)
{
	*out = (struct objects_pod){
		.priority_class = NAME_NONE,
		.template = {.runtime_class = NAME_NONE,
			     .base = {.topology_level = NAME_NONE,
				      .slice_level = NAME_NONE,
				      .topology_group = NAME_NONE}},
	};
}

/* Pod-level resources. Of a limit without a request Kueue counts the limit all the same, the API
 * server what the containers ask for. */
static enum err_code check_level(struct fields *f, const struct yaml_node *spec,
				 const struct pod_template *template)
{
	const struct template_amounts *requests = &template->requests, *limits = &template->limits;
	const struct yaml_node *at = yaml_find(spec, "resources");
	uint64_t named = 0;

	for (uint32_t c = 0; c < template->container_count; c++)
		named |= template->containers[c].requests.given |
			 template->containers[c].limits.given;
	if (!template->of_pods && (limits->given & ~requests->given & named) != 0)
		fields_fault(f, FINDING_WARNING, "input-warning", at,
			     "write the pod-level request, too",
			     "a pod-level limit without a pod-level request, beside requests of "
			     "containers: Kueue counts the limit, nodes and the API server what "
			     "the containers request");
	for (uint32_t r = 0; r < RES_MAX; r++)
		if ((requests->given & limits->given) >> r & 1 &&
		    requests->amount[r] > limits->amount[r])
			return above_limit(f, at);
	return ERR_OK;
}

/* Kinds that Kueue takes pod by pod. */
static bool is_of_pods(const struct fields *f)
{
	return strcmp(f->kind, "Pod") == 0 || strcmp(f->kind, "Deployment") == 0 ||
	       strcmp(f->kind, "ReplicaSet") == 0;
}

static enum err_code read_spec(struct fields *f, const struct yaml_node *spec,
			       struct objects_pod *out)
{
	enum err_code code = fields_map(f, spec, spec_rows, out);

	out->template.of_pods = is_of_pods(f);
	if (code == ERR_OK)
		code = read_containers(f, spec, "initContainers", read_init, &out->template);
	if (code == ERR_OK)
		code = read_containers(f, spec, "containers", read_main, &out->template);
	return code != ERR_OK ? code : check_level(f, spec, &out->template);
}

enum err_code objects_pod_spec(struct fields *f, const struct yaml_node *spec,
			       const struct yaml_node *annotations, struct objects_pod *out)
{
	enum err_code code;

	clear(out);
	out->annotations = annotations;
	code = read_spec(f, spec, out);
	return code != ERR_OK ? code : read_topology(f, out);
}

static enum err_code read_spec_field(struct fields *f, const struct field *row,
				     const struct yaml_node *value, void *out)
{
	(void)row;
	return read_spec(f, value, out);
}

static const struct field template_metadata_rows[] = {
	{.key = "labels", .read = fields_keep_map, .offset = POD(labels)},
	{.key = "annotations", .read = fields_keep_map, .offset = POD(annotations)},
	{.key = "name"},
	{.key = "generateName"},
	{.key = "namespace"},
	{.key = "creationTimestamp"},
	{.key = "finalizers"},
	{.key = "ownerReferences"},
	{.key = NULL},
};

enum err_code objects_pod_template(struct fields *f, const struct yaml_node *node,
				   struct objects_pod *out)
{
	static const struct field rows[] = {
		{.key = "metadata", .read = fields_nested, .arg = template_metadata_rows},
		{.key = "spec", .read = read_spec_field, .required = true},
		{.key = NULL},
	};
	enum err_code code;

	clear(out);
	code = fields_map(f, node, rows, out);
	return code != ERR_OK ? code : read_topology(f, out);
}

bool objects_pod_has_gpus(const struct fields *f, const struct objects_pod *pod)
{
	uint64_t given = pod->template.requests.given | pod->template.limits.given;

	for (uint32_t c = 0; c < pod->template.container_count; c++)
		given |= pod->template.containers[c].requests.given |
			 pod->template.containers[c].limits.given;
	for (uint32_t r = 0; r < RES_MAX; r++)
		if ((given >> r & 1) != 0 && res_is_gpu(builder_resource_name(f->builder, r)))
			return true;
	return false;
}
