#include "sim/objects/objects_ray.h"

#include <string.h>

#include "sim/objects/objects_roles.h"
#include "sim/yaml/yaml_edit.h"

#define HEAD "head"

/* ---- the fields of a cluster ---- */

struct cluster_fields {
	const struct yaml_node *head, *groups, *suspend, *autoscaler, *fault_tolerance;
	bool autoscaling;
};

#define CLUSTER(member) offsetof(struct cluster_fields, member)

static const struct field head_rows[] = {
	{.key = "template", .read = fields_keep, .offset = CLUSTER(head), .required = true},
	{.key = "rayStartParams"},
	{.key = "serviceType"},
	{.key = "headService"},
	{.key = "enableIngress"},
	{.key = "resources"},
	{.key = "labels"},
	{.key = NULL},
};

static const struct field autoscaler_rows[] = {
	{.key = "resources", .read = fields_keep, .offset = CLUSTER(autoscaler)},
	{.key = "image"},
	{.key = "imagePullPolicy"},
	{.key = "env"},
	{.key = "envFrom"},
	{.key = "volumeMounts"},
	{.key = "securityContext"},
	{.key = "idleTimeoutSeconds"},
	{.key = "upscalingMode"},
	{.key = "version"},
	{.key = "command"},
	{.key = "args"},
	{.key = NULL},
};

static const struct field cluster_rows[] = {
	{.key = "headGroupSpec", .read = fields_nested, .arg = head_rows, .required = true},
	{.key = "workerGroupSpecs", .read = fields_keep, .offset = CLUSTER(groups)},
	{.key = "suspend", .read = fields_keep, .offset = CLUSTER(suspend)},
	{.key = "enableInTreeAutoscaling", .read = fields_bool, .offset = CLUSTER(autoscaling)},
	{.key = "autoscalerOptions", .read = fields_nested, .arg = autoscaler_rows},
	{.key = "gcsFaultToleranceOptions",
	 .read = fields_keep,
	 .offset = CLUSTER(fault_tolerance)},
	{.key = "rayVersion"},
	{.key = "headServiceAnnotations"},
	{.key = "managedBy"},
	{.key = "authOptions"},
	{.key = "tlsOptions"},
	{.key = "networkPolicy"},
	{.key = "upgradeStrategy"},
	{.key = NULL},
};

/* ---- what KubeRay adds to the head ---- */

static const struct yaml_node *amounts(struct fields *f, const struct yaml_node *place,
				       const char *cpu, const char *memory)
{
	const struct yaml_node *map = yaml_edit_set(f->arena, NULL, place, "cpu",
						    yaml_edit_text(f->arena, place, cpu, false));

	return yaml_edit_set(f->arena, map, place, "memory",
			     yaml_edit_text(f->arena, place, memory, false));
}

static const struct yaml_node *resources(struct fields *f, const struct yaml_node *requests,
					 const struct yaml_node *limits)
{
	const struct yaml_node *map = yaml_edit_set(f->arena, NULL, requests, "requests", requests);

	return yaml_edit_set(f->arena, map, limits, "limits", limits);
}

static const struct yaml_node *with_container(struct fields *f, const struct yaml_node *template,
					      const struct yaml_node *place, const char *name,
					      const struct yaml_node *of_container)
{
	const struct yaml_node *spec = yaml_find(template, "spec");
	const struct yaml_node *container = yaml_edit_set(
		f->arena, NULL, place, "name", yaml_edit_text(f->arena, place, name, false));

	container = yaml_edit_set(f->arena, container, place, "resources", of_container);
	if (spec == NULL || spec->kind != YAML_MAP || yaml_find(spec, "containers") == NULL)
		return template; /* its reader will say so */
	spec = yaml_edit_set(f->arena, spec, place, "containers",
			     yaml_edit_append(f->arena, yaml_find(spec, "containers"), container));
	return yaml_edit_set(f->arena, template, place, "spec", spec);
}

/* What the job that submits asks for, wherever it runs. */
static const struct yaml_node *submitter_resources(struct fields *f, const struct yaml_node *place)
{
	return resources(f, amounts(f, place, "500m", "200Mi"), amounts(f, place, "1", "1Gi"));
}

static const struct yaml_node *with_autoscaler(struct fields *f,
					       const struct cluster_fields *cluster)
{
	const struct yaml_node *own = cluster->autoscaler, *place = cluster->head;

	if (own == NULL)
		own = resources(f, amounts(f, place, "500m", "512Mi"),
				amounts(f, place, "500m", "512Mi"));
	return with_container(f, cluster->head, place, "autoscaler", own);
}

static bool tolerates_faults(const struct cluster_fields *cluster, const struct object *object)
{
	const struct yaml_node *enabled = yaml_find(object->annotations, "ray.io/ft-enabled");

	return cluster->fault_tolerance != NULL ||
	       (enabled != NULL && yaml_text_is(enabled, "true"));
}

/* The pod that cleans up Redis afterwards has the head's quota: at least 200m and 256Mi of
 * its first container. */
static void raise_to_cleanup(struct fields *f, struct objects_work_set *head)
{
	struct pod_template *template = &head->pod.template;
	struct template_container *all =
		mem_arena_alloc(f->arena, template->container_count * sizeof(*all));
	int64_t *amount = mem_arena_alloc(f->arena, RES_MAX * sizeof(*amount));
	static const int64_t least[] = {[RES_CPU] = 200, [RES_MEMORY] = INT64_C(256) << 20};
	uint32_t first = 0;

	memcpy(all, template->containers, template->container_count * sizeof(*all));
	while (first + 1 < template->container_count && all[first].role != TEMPLATE_MAIN)
		first++;
	memset(amount, 0, RES_MAX * sizeof(*amount));
	if (all[first].requests.amount != NULL)
		memcpy(amount, all[first].requests.amount, RES_MAX * sizeof(*amount));
	for (uint32_t r = RES_CPU; r <= RES_MEMORY; r++)
		amount[r] = amount[r] > least[r] ? amount[r] : least[r];
	all[first].requests.amount = amount;
	all[first].requests.given |= 1u << RES_CPU | 1u << RES_MEMORY;
	template->containers = all;
}

/* ---- worker groups ---- */

struct group_fields {
	uint32_t name;			    /* string */
	uint32_t replicas, min, max, hosts; /* replicas, max: NAME_NONE */
	const struct yaml_node *template;
};

#define GROUP(member) offsetof(struct group_fields, member)

static const struct field group_rows[] = {
	{.key = "groupName", .read = fields_string, .offset = GROUP(name), .required = true},
	{.key = "replicas", .read = objects_work_count, .offset = GROUP(replicas)},
	{.key = "minReplicas", .read = fields_count, .offset = GROUP(min)},
	{.key = "maxReplicas", .read = fields_count, .offset = GROUP(max)},
	{.key = "numOfHosts", .read = objects_work_count, .offset = GROUP(hosts)},
	{.key = "template", .read = fields_keep, .offset = GROUP(template), .required = true},
	{.key = "suspend", .read = objects_roles_beyond, .arg = "suspend of a worker group"},
	{.key = "rayStartParams"},
	{.key = "scaleStrategy"},
	{.key = "idleTimeoutSeconds"},
	{.key = "resources"},
	{.key = "labels"},
	{.key = NULL},
};

/* The API server sets missing replicas to 0; KubeRay keeps them between the bounds, of
 * which Kueue knows nothing. */
static uint32_t replicas_of(struct fields *f, const struct group_fields *group,
			    const struct yaml_node *place)
{
	uint32_t replicas = group->replicas != NAME_NONE ? group->replicas : 0;

	if (replicas < group->min || replicas > group->max)
		fields_fault(f, FINDING_WARNING, "input-warning", place,
			     "write replicas between minReplicas and maxReplicas",
			     "%u replicas are not between minReplicas and maxReplicas: KubeRay "
			     "makes pods within them, Kueue reserves quota for %u, as it is here",
			     replicas, replicas);
	else if (group->replicas == NAME_NONE)
		fields_finding(f, FINDING_NOTE, place,
			       "replicas is missing: 0, as the API server sets it");
	return replicas;
}

static enum err_code add_group(struct fields *f, const struct yaml_node *item,
			       struct objects_roles *roles)
{
	struct group_fields group = {
		.name = NAME_NONE, .replicas = NAME_NONE, .max = NAME_NONE, .hosts = 1};
	enum err_code code = fields_map(f, item, group_rows, &group);
	const char *name;

	if (code != ERR_OK)
		return code;
	name = name_text(builder_strings(f->builder), group.name);
	if (strcmp(name, HEAD) == 0)
		return fields_error(f, ERR_VALUE, item,
				    "groupName: \"head\" is reserved for the head group");
	return objects_roles_add(
		f, roles,
		&(struct objects_role){.name = name,
				       .pods = (uint64_t)replicas_of(f, &group, item) *
					       (group.hosts > 1 ? group.hosts : 1),
				       .template = group.template,
				       .path = "template",
				       .place = item});
}

static enum err_code add_groups(struct fields *f, const struct yaml_node *list,
				struct objects_roles *roles)
{
	size_t mark = fields_enter(f, "workerGroupSpecs");
	enum err_code code = list != NULL ? fields_want_list(f, list) : ERR_OK;

	for (uint32_t i = 0; code == ERR_OK && list != NULL && i < list->count; i++) {
		size_t inner = fields_enter_index(f, i);

		code = add_group(f, list->items[i], roles);
		fields_leave(f, inner);
	}
	fields_leave(f, mark);
	return code;
}

/* ---- the cluster ---- */

static enum err_code add_head(struct fields *f, const struct cluster_fields *cluster,
			      const struct object *object, struct objects_roles *roles)
{
	const struct objects_role head = {
		.name = HEAD,
		.pods = 1,
		.template = cluster->autoscaling ? with_autoscaler(f, cluster) : cluster->head,
		.path = "headGroupSpec.template",
		.place = cluster->head};
	enum err_code code = objects_roles_add(f, roles, &head);

	if (code == ERR_OK && tolerates_faults(cluster, object))
		raise_to_cleanup(f, &roles->sets[0]);
	return code;
}

static enum err_code add_cluster(struct fields *f, const struct cluster_fields *cluster,
				 const struct object *object, struct objects_roles *roles)
{
	const struct yaml_node *elastic =
		yaml_find(object->annotations, "kueue.x-k8s.io/elastic-job");
	enum err_code code = ERR_OK;

	/* Kueue's webhook lets only elastic jobs scale themselves. */
	if (cluster->autoscaling && roles->work.common.queue != NAME_NONE &&
	    (elastic == NULL || !yaml_text_is(elastic, "true")))
		return fields_error(f, ERR_VALUE, object->node,
				    "enableInTreeAutoscaling: a kueue managed job should only use "
				    "autoscaling when workload slicing is enabled");
	if (cluster->autoscaling)
		code = fields_not_modelled(
			f, object->node, "autoscaling (worker groups stay at their replicas here)");
	if (code != ERR_OK)
		return code;
	code = add_head(f, cluster, object, roles);
	if (code == ERR_OK)
		code = add_groups(f, cluster->groups, roles);
	/* Its state, until it is suspended (KubeRay: calculateStatus). A RayService is ready while
	 * something serves, which its applications decide: taken to be so with all of its pods,
	 * and to go on without one of them. */
	if (code == ERR_OK)
		objects_roles_ready(f, roles, 0, roles->count, false);
	return code;
}

/* A kind that is a cluster, which stands at path, and runs without end. */
static enum err_code serve(struct fields *f, const struct object *object, const struct field *rows,
			   const char *path)
{
	struct cluster_fields cluster = {0};
	struct objects_roles roles;
	enum err_code code = fields_map(f, object->node, rows, &cluster);
	size_t mark;

	if (code == ERR_OK)
		code = objects_roles_begin(f, &roles, object);
	if (code != ERR_OK)
		return code;
	objects_work_suspend(cluster.suspend, &roles.work);
	mark = fields_enter(f, path);
	code = add_cluster(f, &cluster, object, &roles);
	fields_leave(f, mark);
	return code != ERR_OK ? code : objects_roles_finish(f, &roles, OBJECTS_ROLES_SERVES);
}

enum err_code objects_raycluster(struct fields *f, const struct object *object)
{
	static const struct field rows[] = {
		OBJECT_HEAD,
		{.key = "spec", .read = fields_nested, .arg = cluster_rows, .required = true},
		{.key = NULL},
	};

	return serve(f, object, rows, "spec");
}

enum err_code objects_rayservice(struct fields *f, const struct object *object)
{
	static const struct field spec_rows[] = {
		{.key = "rayClusterConfig",
		 .read = fields_nested,
		 .arg = cluster_rows,
		 .required = true},
		{.key = "serveConfigV2"},
		{.key = "serveService"},
		{.key = "upgradeStrategy"},
		{.key = "serviceUnhealthySecondThreshold"},
		{.key = "deploymentUnhealthySecondThreshold"},
		{.key = "rayClusterDeletionDelaySeconds"},
		{.key = "excludeHeadPodFromServeSvc"},
		{.key = "managedBy"},
		{.key = NULL},
	};
	static const struct field rows[] = {
		OBJECT_HEAD,
		{.key = "spec", .read = fields_nested, .arg = spec_rows, .required = true},
		{.key = NULL},
	};

	return serve(f, object, rows, "spec.rayClusterConfig");
}

/* ---- RayJob ---- */

enum submission { SUBMIT_JOB, SUBMIT_SIDECAR, SUBMIT_ELSEWHERE };

struct rayjob_fields {
	struct cluster_fields cluster;
	const struct yaml_node *has_cluster, *selector, *submitter, *suspend, *shutdown;
	int mode; /* enum submission */
	uint32_t backoff_limit;
	simtime deadline;
};

#define RAYJOB(member) offsetof(struct rayjob_fields, member)

static enum err_code read_cluster(struct fields *f, const struct field *row,
				  const struct yaml_node *value, void *out)
{
	struct rayjob_fields *fields = out;

	(void)row;
	fields->has_cluster = value;
	return fields_map(f, value, cluster_rows, &fields->cluster);
}

static const struct fields_word modes[] = {{"K8sJobMode", SUBMIT_JOB},
					   {"SidecarMode", SUBMIT_SIDECAR},
					   {"HTTPMode", SUBMIT_ELSEWHERE},
					   {"InteractiveMode", SUBMIT_ELSEWHERE},
					   {NULL, 0}};

static const struct field rayjob_rows[] = {
	{.key = "rayClusterSpec", .read = read_cluster},
	{.key = "clusterSelector", .read = fields_keep, .offset = RAYJOB(selector)},
	{.key = "submissionMode", .read = fields_enum, .offset = RAYJOB(mode), .arg = modes},
	{.key = "submitterPodTemplate", .read = fields_keep, .offset = RAYJOB(submitter)},
	{.key = "suspend", .read = fields_keep, .offset = RAYJOB(suspend)},
	{.key = "shutdownAfterJobFinishes", .read = fields_keep, .offset = RAYJOB(shutdown)},
	{.key = "backoffLimit", .read = fields_count, .offset = RAYJOB(backoff_limit)},
	{.key = "activeDeadlineSeconds", .read = fields_seconds, .offset = RAYJOB(deadline)},
	{.key = "ttlSecondsAfterFinished"},
	{.key = "preRunningDeadlineSeconds"},
	{.key = "waitingTTLSeconds"},
	{.key = "deletionStrategy"},
	{.key = "deletionPolicy"},
	{.key = "submitterConfig"},
	{.key = "entrypoint"},
	{.key = "entrypointResources"},
	{.key = "entrypointNumCpus"},
	{.key = "entrypointNumGpus"},
	{.key = "runtimeEnvYAML"},
	{.key = "metadata"},
	{.key = "jobId"},
	{.key = "managedBy"},
	{.key = NULL},
};

/* What Kueue's webhook refuses, where a queue is named. */
static enum err_code check_rayjob(struct fields *f, const struct rayjob_fields *fields,
				  const struct objects_roles *roles)
{
	const struct yaml_node *spec = yaml_find(roles->work.object->node, "spec");

	if (fields->has_cluster == NULL)
		return fields_error(f, ERR_VALUE, spec, "rayClusterSpec is missing");
	if (roles->work.common.queue == NAME_NONE)
		return ERR_OK;
	if (fields->selector != NULL)
		return fields_error(f, ERR_VALUE, fields->selector,
				    "clusterSelector: a kueue managed job should not use an "
				    "existing cluster");
	if (fields->shutdown == NULL || !yaml_text_is(fields->shutdown, "true"))
		return fields_error(f, ERR_VALUE, spec,
				    "shutdownAfterJobFinishes: a kueue managed job should delete "
				    "the cluster after finishing");
	return ERR_OK;
}

static enum err_code add_submitter(struct fields *f, const struct rayjob_fields *fields,
				   struct objects_roles *roles)
{
	const struct yaml_node *place = fields->has_cluster, *template = fields->submitter;

	if (template == NULL) {
		const struct yaml_node *empty = yaml_edit_set(f->arena, NULL, place, "containers",
							      yaml_edit_list(f->arena, place));

		template =
			with_container(f, yaml_edit_set(f->arena, NULL, place, "spec", empty),
				       place, "ray-job-submitter", submitter_resources(f, place));
	}
	return objects_roles_add(f, roles,
				 &(struct objects_role){.name = "submitter",
							.pods = 1,
							.template = template,
							.path = "spec.submitterPodTemplate",
							.place = place});
}

static enum err_code add_rayjob(struct fields *f, struct rayjob_fields *fields,
				const struct object *object, struct objects_roles *roles)
{
	struct cluster_fields *cluster = &fields->cluster;
	size_t mark = fields_enter(f, "spec.rayClusterSpec");
	enum err_code code;

	if (fields->mode == SUBMIT_SIDECAR)
		cluster->head = with_container(f, cluster->head, cluster->head, "ray-job-submitter",
					       submitter_resources(f, cluster->head));
	code = add_cluster(f, cluster, object, roles);
	fields_leave(f, mark);
	if (code != ERR_OK || fields->mode != SUBMIT_JOB)
		return code;
	code = add_submitter(f, fields, roles);
	/* KubeRay makes its Job when the cluster is ready. */
	for (uint32_t i = 0; code == ERR_OK && i + 1 < roles->count; i++)
		objects_roles_after(roles, roles->count - 1, i, false);
	return code;
}

enum err_code objects_rayjob(struct fields *f, const struct object *object)
{
	static const struct field rows[] = {
		OBJECT_HEAD,
		{.key = "spec", .read = fields_nested, .arg = rayjob_rows, .required = true},
		{.key = NULL},
	};
	struct rayjob_fields fields = {.mode = SUBMIT_JOB};
	struct objects_roles roles;
	enum err_code code = fields_map(f, object->node, rows, &fields);
	size_t mark;

	if (code == ERR_OK)
		code = objects_roles_begin(f, &roles, object);
	if (code != ERR_OK)
		return code;
	if (fields.has_cluster == NULL && fields.selector != NULL) {
		fields_finding(
			f, FINDING_NOTE, fields.selector,
			"runs on a cluster that is there (clusterSelector): left out, it has "
			"no pods of its own");
		return ERR_OK;
	}
	mark = fields_enter(f, "spec");
	code = check_rayjob(f, &fields, &roles);
	fields_leave(f, mark);
	if (code == ERR_OK)
		code = add_rayjob(f, &fields, object, &roles);
	if (code != ERR_OK)
		return code;
	roles.work.control.backoff_limit = fields.backoff_limit;
	roles.work.control.deadline = fields.deadline;
	objects_work_suspend(fields.suspend, &roles.work);
	return objects_roles_finish(f, &roles, OBJECTS_ROLES_TRAINS);
}
