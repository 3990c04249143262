#include "sim/objects/objects_trainjob.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "sim/objects/objects_jobset.h"
#include "sim/yaml/yaml_edit.h"

#define MAX_NODES 1000000 /* of YAML, in one of these objects */
#define ANCESTOR  "trainer.kubeflow.org/trainjob-ancestor-step"
#define NODE	  "node" /* the trainer's replicated job under MPI, and its container */
#define KUEUE	  "kueue.x-k8s.io/manager"

/* An object that is read when all are there: its own copy of everything. */
struct kept {
	struct object object;
	const char *file;
};

struct objects_trainjobs {
	struct mem_arena *arena;
	struct kept *jobs, *runtimes; /* heap */
	uint32_t job_count, runtime_count;
	size_t job_capacity, runtime_capacity;
};

struct objects_trainjobs *objects_trainjobs_new(void)
{
	struct objects_trainjobs *trainjobs = mem_calloc(1, sizeof(*trainjobs));

	trainjobs->arena = mem_arena_new();
	return trainjobs;
}

void objects_trainjobs_free(struct objects_trainjobs *trainjobs)
{
	if (trainjobs == NULL)
		return;
	mem_arena_free(trainjobs->arena);
	mem_free(trainjobs->jobs);
	mem_free(trainjobs->runtimes);
	mem_free(trainjobs);
}

static enum err_code keep(struct fields *f, const struct object *object, struct kept *out)
{
	struct mem_arena *arena = f->trainjobs->arena;
	const struct yaml_node *node, *metadata;

	if (object->node->weight > MAX_NODES)
		return fields_error(f, ERR_LIMIT, object->node, "more than %d values", MAX_NODES);
	node = yaml_edit_copy(arena, object->node);
	metadata = yaml_find(node, "metadata");
	*out = (struct kept){.object = *object, .file = f->file};
	out->object.node = node;
	out->object.list_kind = yaml_edit_text(arena, node, object->list_kind, false)->text;
	out->object.version = yaml_edit_text(arena, node, object->version, false)->text;
	out->object.labels = yaml_find(metadata, "labels");
	out->object.annotations = yaml_find(metadata, "annotations");
	out->object.created = yaml_find(metadata, "creationTimestamp");
	return ERR_OK;
}

enum err_code objects_trainjob(struct fields *f, const struct object *object)
{
	struct objects_trainjobs *t = f->trainjobs;

	t->jobs = mem_grow(t->jobs, t->job_count + 1u, &t->job_capacity, sizeof(*t->jobs));
	return keep(f, object, &t->jobs[t->job_count++]);
}

enum err_code objects_training_runtime(struct fields *f, const struct object *object)
{
	struct objects_trainjobs *t = f->trainjobs;

	t->runtimes = mem_grow(t->runtimes, t->runtime_count + 1u, &t->runtime_capacity,
			       sizeof(*t->runtimes));
	return keep(f, object, &t->runtimes[t->runtime_count++]);
}

/* ---- the runtime ---- */

struct runtime_fields {
	uint32_t nodes; /* NAME_NONE */
	bool has_policy, mpi, launcher_is_node;
	const struct yaml_node *spec; /* of its JobSet */
};

#define RUNTIME(member) offsetof(struct runtime_fields, member)

static const struct field mpi_rows[] = {
	{.key = "runLauncherAsNode", .read = fields_bool, .offset = RUNTIME(launcher_is_node)},
	{.key = "numProcPerNode"},
	{.key = "mpiImplementation"},
	{.key = "sshAuthMountPath"},
	{.key = NULL},
};

static enum err_code read_mpi(struct fields *f, const struct field *row,
			      const struct yaml_node *value, void *out)
{
	struct runtime_fields *runtime = out;

	(void)row;
	runtime->mpi = true;
	return fields_map(f, value, mpi_rows, runtime);
}

static const struct field policy_rows[] = {
	{.key = "numNodes", .read = objects_work_count, .offset = RUNTIME(nodes)},
	{.key = "mpi", .read = read_mpi},
	{.key = "torch"},
	{.key = "jax"},
	{.key = "xgboost"},
	{.key = "flux"},
	{.key = NULL},
};

static enum err_code read_policy(struct fields *f, const struct field *row,
				 const struct yaml_node *value, void *out)
{
	struct runtime_fields *runtime = out;

	(void)row;
	runtime->has_policy = true;
	return fields_map(f, value, policy_rows, runtime);
}

static const struct field jobset_template_rows[] = {
	{.key = "metadata"},
	{.key = "spec", .read = fields_keep, .offset = RUNTIME(spec), .required = true},
	{.key = NULL},
};

static const struct field runtime_spec_rows[] = {
	{.key = "mlPolicy", .read = read_policy},
	{.key = "podGroupPolicy"},
	{.key = "template", .read = fields_nested, .arg = jobset_template_rows, .required = true},
	{.key = NULL},
};

static const struct field runtime_rows[] = {
	OBJECT_HEAD,
	{.key = "spec", .read = fields_nested, .arg = runtime_spec_rows, .required = true},
	{.key = NULL},
};

/* ---- the TrainJob ---- */

struct trainjob_fields {
	uint32_t runtime, runtime_kind; /* strings; NAME_NONE */
	uint32_t nodes;			/* NAME_NONE */
	const struct yaml_node *resources, *patches, *suspend;
	simtime deadline;
};

#define TRAINJOB(member) offsetof(struct trainjob_fields, member)

static const struct field ref_rows[] = {
	{.key = "name", .read = fields_string, .offset = TRAINJOB(runtime), .required = true},
	{.key = "kind", .read = fields_string, .offset = TRAINJOB(runtime_kind)},
	{.key = "apiGroup"},
	{.key = NULL},
};

static const struct field trainer_rows[] = {
	{.key = "numNodes", .read = objects_work_count, .offset = TRAINJOB(nodes)},
	{.key = "resourcesPerNode", .read = fields_keep, .offset = TRAINJOB(resources)},
	{.key = "numProcPerNode"},
	{.key = "image"},
	{.key = "command"},
	{.key = "args"},
	{.key = "env"},
	{.key = NULL},
};

static const struct field trainjob_spec_rows[] = {
	{.key = "runtimeRef", .read = fields_nested, .arg = ref_rows, .required = true},
	{.key = "trainer", .read = fields_nested, .arg = trainer_rows},
	{.key = "runtimePatches", .read = fields_keep, .offset = TRAINJOB(patches)},
	{.key = "podTemplateOverrides",
	 .read = objects_roles_beyond,
	 .arg = "podTemplateOverrides, which Trainer 2.3 calls runtimePatches,"},
	{.key = "podSpecOverrides",
	 .read = objects_roles_beyond,
	 .arg = "podSpecOverrides, which Trainer 2.3 calls runtimePatches,"},
	{.key = "suspend", .read = fields_keep, .offset = TRAINJOB(suspend)},
	{.key = "activeDeadlineSeconds", .read = fields_seconds, .offset = TRAINJOB(deadline)},
	{.key = "initializer"},
	{.key = "labels"},
	{.key = "annotations"},
	{.key = "managedBy"},
	{.key = NULL},
};

static const struct field trainjob_rows[] = {
	OBJECT_HEAD,
	{.key = "spec", .read = fields_nested, .arg = trainjob_spec_rows, .required = true},
	{.key = NULL},
};

/* ---- the JobSet of both ---- */

static const struct yaml_node *number(struct fields *f, const struct yaml_node *place,
				      uint32_t value)
{
	char text[16];

	snprintf(text, sizeof(text), "%" PRIu32, value);
	return yaml_edit_text(f->arena, place, text, true);
}

/* Sets what is at a path of keys; maps on the way are made. */
static const struct yaml_node *set_path(struct fields *f, const struct yaml_node *node,
					const struct yaml_node *place, const char *const *path,
					const struct yaml_node *value)
{
	if (path[1] != NULL)
		value = set_path(f, yaml_find(node, path[0]), place, path + 1, value);
	return yaml_edit_set(f->arena, node, place, path[0], value);
}

static bool text_is(const struct yaml_node *node, const char *text)
{
	return node != NULL && yaml_text_is(node, text);
}

static const struct yaml_node *ancestor_of(const struct yaml_node *job)
{
	return yaml_find(yaml_find(yaml_find(yaml_find(job, "template"), "metadata"), "labels"),
			 ANCESTOR);
}

/* The resources of its container "node", changed where the TrainJob says so. */
static const struct yaml_node *with_resources(struct fields *f, const struct yaml_node *job,
					      const struct yaml_node *resources)
{
	static const char *const path[] = {"template", "spec",	     "template",
					   "spec",     "containers", NULL};
	const struct yaml_node *list = job;

	for (size_t i = 0; path[i] != NULL; i++)
		list = yaml_find(list, path[i]);
	for (uint32_t i = 0; list != NULL && list->kind == YAML_LIST && i < list->count; i++) {
		const struct yaml_node *container = list->items[i];

		if (!text_is(yaml_find(container, "name"), NODE))
			continue;
		container = yaml_edit_set(
			f->arena, container, resources, "resources",
			yaml_edit_merge(f->arena, yaml_find(container, "resources"), resources));
		list = yaml_edit_replace(f->arena, list, i, container);
		return set_path(f, job, resources, path, list);
	}
	return job;
}

/* How many pods it is to have; NAME_NONE: as its parallelism says, which is read later. */
static uint32_t nodes_of(const struct trainjob_fields *train, const struct runtime_fields *runtime,
			 const struct yaml_node *job, bool trainer)
{
	uint32_t nodes = NAME_NONE;

	if (trainer && runtime->has_policy)
		nodes = runtime->nodes != NAME_NONE ? runtime->nodes : 1;
	if (train->nodes == NAME_NONE)
		return nodes;
	if (!runtime->mpi)
		return trainer ? train->nodes : nodes;
	if (!text_is(yaml_find(job, "name"), NODE))
		return nodes;
	if (!runtime->launcher_is_node)
		return train->nodes;
	return train->nodes > 2 ? train->nodes - 1 : 1; /* the launcher is one of them */
}

/* Trainer counts parallelism alone: completions follow it. */
static const struct yaml_node *with_numbers(struct fields *f, const struct yaml_node *job,
					    uint32_t nodes, bool single)
{
	static const char *const parallelism[] = {"template", "spec", "parallelism", NULL};
	static const char *const completions[] = {"template", "spec", "completions", NULL};
	const struct yaml_node *spec = yaml_find(yaml_find(job, "template"), "spec");
	const struct yaml_node *count = yaml_find(spec, "parallelism");

	if (spec == NULL)
		return job; /* its reader will say so */
	if (nodes != NAME_NONE)
		count = number(f, job, nodes);
	else if (count == NULL)
		count = number(f, job, 1);
	job = set_path(f, job, job, parallelism, count);
	job = set_path(f, job, job, completions, count);
	return single ? yaml_edit_set(f->arena, job, job, "replicas", number(f, job, 1)) : job;
}

static const struct yaml_node *fill(struct fields *f, const struct trainjob_fields *train,
				    const struct runtime_fields *runtime,
				    const struct yaml_node *job)
{
	const struct yaml_node *ancestor = ancestor_of(job);
	bool trainer = text_is(ancestor, "trainer");
	bool single = trainer || text_is(ancestor, "dataset-initializer") ||
		      text_is(ancestor, "model-initializer");
	bool node =
		runtime->mpi && runtime->launcher_is_node && text_is(yaml_find(job, "name"), NODE);

	if (job->kind != YAML_MAP)
		return job;
	if (train->resources != NULL && ((trainer && runtime->has_policy) || node))
		job = with_resources(f, job, train->resources);
	return with_numbers(f, job, nodes_of(train, runtime, job, trainer), single);
}

/* The patch of each manager for this job; Kueue's own is what it set at admission. */
static const struct yaml_node *patch(struct fields *f, const struct yaml_node *patches,
				     const struct yaml_node *job)
{
	static const char *const path[] = {"trainingRuntimeSpec", "template", "spec",
					   "replicatedJobs", NULL};

	for (uint32_t i = 0; patches != NULL && patches->kind == YAML_LIST && i < patches->count;
	     i++) {
		const struct yaml_node *list = patches->items[i], *name = yaml_find(job, "name");

		if (text_is(yaml_find(list, "manager"), KUEUE))
			continue;
		for (size_t k = 0; path[k] != NULL; k++)
			list = yaml_find(list, path[k]);
		for (uint32_t k = 0; list != NULL && list->kind == YAML_LIST && k < list->count;
		     k++)
			if (name != NULL && name->kind == YAML_SCALAR &&
			    text_is(yaml_find(list->items[k], "name"), name->text))
				job = yaml_edit_merge(f->arena, job, list->items[k]);
	}
	return job;
}

static const struct yaml_node *make_jobset(struct fields *f, const struct trainjob_fields *train,
					   const struct runtime_fields *runtime)
{
	const struct yaml_node *list = yaml_find(runtime->spec, "replicatedJobs");

	if (list == NULL || list->kind != YAML_LIST)
		return runtime->spec;
	for (uint32_t i = 0; i < list->count; i++)
		list = yaml_edit_replace(
			f->arena, list, i,
			fill(f, train, runtime, patch(f, train->patches, list->items[i])));
	return yaml_edit_set(f->arena, runtime->spec, list, "replicatedJobs", list);
}

/* ---- all of them ---- */

static void enter(struct fields *f, const struct kept *kept)
{
	f->file = kept->file;
	f->kind = kept->object.list_kind;
	f->name = name_text(builder_strings(f->builder), kept->object.name);
	f->path_len = 0;
	f->path[0] = '\0';
}

/* The last one of that name holds. */
static const struct kept *find_runtime(struct fields *f, const struct kept *job,
				       const struct trainjob_fields *train)
{
	const struct objects_trainjobs *t = f->trainjobs;
	const char *kind = train->runtime_kind == NAME_NONE
				   ? "ClusterTrainingRuntime"
				   : name_text(builder_strings(f->builder), train->runtime_kind);

	for (uint32_t i = t->runtime_count; i-- > 0;) {
		const struct object *object = &t->runtimes[i].object;
		bool cluster = strcmp(object->list_kind, "ClusterTrainingRuntime") == 0;

		if (object->name == train->runtime && strcmp(object->list_kind, kind) == 0 &&
		    (cluster || object->ns == job->object.ns))
			return &t->runtimes[i];
	}
	fields_fault(f, FINDING_WARNING, "object-missing", job->object.node,
		     "give the runtime, too: kubectl get clustertrainingruntimes,trainingruntimes "
		     "-A -o yaml",
		     "its %.60s \"%.100s\" is not in the input: left out, its pods are not known",
		     kind, name_text(builder_strings(f->builder), train->runtime));
	return NULL;
}

static enum err_code read_sets(struct fields *f, const struct kept *from,
			       const struct trainjob_fields *train, struct objects_roles *roles)
{
	struct runtime_fields runtime = {.nodes = NAME_NONE};
	enum err_code code;
	size_t mark;

	enter(f, from);
	code = fields_map(f, from->object.node, runtime_rows, &runtime);
	if (code != ERR_OK)
		return code;
	mark = fields_enter(f, "spec.template.spec");
	code = objects_jobset_spec(f, make_jobset(f, train, &runtime), roles);
	fields_leave(f, mark);
	return code;
}

static enum err_code make_job(struct fields *f, const struct kept *job)
{
	struct trainjob_fields train = {
		.runtime = NAME_NONE, .runtime_kind = NAME_NONE, .nodes = NAME_NONE};
	const struct kept *runtime;
	struct objects_roles roles;
	enum err_code code;

	enter(f, job);
	code = fields_map(f, job->object.node, trainjob_rows, &train);
	if (code == ERR_OK)
		code = objects_roles_begin(f, &roles, &job->object);
	if (code != ERR_OK)
		return code;
	runtime = find_runtime(f, job, &train);
	if (runtime == NULL)
		return ERR_OK;
	code = read_sets(f, runtime, &train, &roles);
	enter(f, job);
	if (code != ERR_OK)
		return code;
	if (train.deadline != 0)
		roles.work.control.deadline = train.deadline;
	objects_work_suspend(train.suspend, &roles.work);
	return objects_roles_finish(f, &roles, OBJECTS_ROLES_TRAINS);
}

enum err_code objects_trainjobs_close(struct fields *f,
				      enum err_code (*report)(void *context, enum err_code code),
				      void *context)
{
	enum err_code code = ERR_OK;

	for (uint32_t i = 0; i < f->trainjobs->job_count && code == ERR_OK; i++)
		code = report(context, make_job(f, &f->trainjobs->jobs[i]));
	f->trainjobs->job_count = 0;
	return code;
}
