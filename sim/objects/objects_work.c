#include "sim/objects/objects_work.h"

#include <stdio.h>
#include <string.h>

#include "sim/trace/trace.h"

#define QUEUE_NAME     OBJECTS_WORK_QUEUE_NAME
#define PRIORITY_CLASS "kueue.x-k8s.io/priority-class"
#define FULL	       1000 /* per mille */

/* ---- Kueue's labels ---- */

static uint32_t label_string(struct fields *f, const struct yaml_node *labels, const char *key)
{
	const struct yaml_node *value = yaml_find(labels, key);

	if (value == NULL || value->count == 0)
		return NAME_NONE;
	return builder_string(f->builder, value->text, value->count);
}

/* Kinds whose webhooks look at the label (jobframework: ValidateJobOnCreate); of the others Kueue
 * leaves out what it cannot read. */
static bool has_checked_limit(const struct objects_work *work)
{
	const char *kind = work->object->list_kind;

	return strcmp(kind, "Deployment") != 0 && strcmp(kind, "StatefulSet") != 0 &&
	       strcmp(kind, "LeaderWorkerSet") != 0;
}

static enum err_code read_limit(struct fields *f, const struct yaml_node *labels,
				struct objects_work *work)
{
	const struct yaml_node *limit = yaml_find(labels, "kueue.x-k8s.io/max-exec-time-seconds");
	uint32_t seconds;

	work->extra.max_execution = 0;
	if (limit == NULL)
		return ERR_OK;
	if ((!num_read_u32(limit->text, limit->count, &seconds) || seconds == 0) &&
	    !has_checked_limit(work)) {
		fields_fault(f, FINDING_WARNING, "input-warning", limit,
			     "write a number of seconds greater than 0",
			     "label kueue.x-k8s.io/max-exec-time-seconds: \"%.40s\" counts for "
			     "nothing",
			     limit->text);
		return ERR_OK;
	}
	if (!num_read_u32(limit->text, limit->count, &seconds) || seconds == 0)
		return fields_error(
			f, ERR_VALUE, limit,
			"label kueue.x-k8s.io/max-exec-time-seconds: \"%.40s\" should be "
			"greater than 0",
			limit->text);
	work->extra.max_execution = seconds * CLOCK_SECOND;
	return ERR_OK;
}

/* RFC 1123: labels between dots of lower-case letters, digits and "-" inside. */
static bool is_subdomain(const char *text, size_t len)
{
	if (len == 0 || len > 253)
		return false;
	for (size_t i = 0; i < len; i++) {
		bool plain =
			(text[i] >= 'a' && text[i] <= 'z') || (text[i] >= '0' && text[i] <= '9');
		bool edge = i == 0 || i + 1 == len || text[i - 1] == '.' || text[i + 1] == '.';

		if (!plain && (edge || (text[i] != '-' && text[i] != '.')))
			return false;
	}
	return true;
}

/* jobframework: ValidateQueueName; of a Workload its spec counts. */
static enum err_code check_queue_name(struct fields *f, const struct objects_work *work,
				      const struct yaml_node *labels)
{
	const struct yaml_node *name = yaml_find(labels, QUEUE_NAME);

	if (name == NULL || name->count == 0 || is_subdomain(name->text, name->count) ||
	    strcmp(work->object->list_kind, "Workload") == 0)
		return ERR_OK;
	return fields_error(
		f, ERR_VALUE, name,
		"label " QUEUE_NAME ": \"%.80s\" is no name of a LocalQueue: "
		"lower-case letters, digits, \"-\" and \".\", beginning and ending with "
		"a letter or digit",
		name->text);
}

static enum err_code read_labels(struct fields *f, struct objects_work *work)
{
	const struct yaml_node *labels = work->object->labels;
	const struct yaml_node *annotated = yaml_find(work->object->annotations, QUEUE_NAME);
	uint32_t gate;

	work->common.queue = label_string(f, labels, QUEUE_NAME);
	if (work->common.queue == NAME_NONE)
		work->common.flags |= JOB_UNMANAGED;
	if (annotated != NULL && work->common.queue == NAME_NONE)
		fields_fault(f, FINDING_WARNING, "deprecated-field", annotated,
			     "move it to metadata.labels",
			     "annotation " QUEUE_NAME " has no effect: Kueue reads the label of "
			     "that name"); /* jobframework.QueueNameForObject */
	work->common.priority_class = label_string(f, labels, PRIORITY_CLASS);
	gate = label_string(f, work->object->annotations, "kueue.x-k8s.io/admission-gated-by");
	if (gate != NAME_NONE)
		work->extra.gated_by = gate + 1;
	if (check_queue_name(f, work, labels) != ERR_OK)
		return f->err->code;
	return read_limit(f, labels, work);
}

enum err_code objects_work_pod_labels(struct fields *f, struct objects_work *work)
{
	const struct yaml_node *labels = work->pod.labels;

	if (work->common.queue == NAME_NONE) {
		work->common.queue = label_string(f, labels, QUEUE_NAME);
		if (work->common.queue != NAME_NONE)
			work->common.flags &= (uint16_t)~JOB_UNMANAGED;
	}
	if (work->common.priority_class == NAME_NONE)
		work->common.priority_class = label_string(f, labels, PRIORITY_CLASS);
	return read_limit(f, labels, work);
}

/* ---- times of the API server ---- */

int64_t objects_work_timestamp(const struct yaml_node *node)
{
	simtime at;

	if (node == NULL || node->kind != YAML_SCALAR ||
	    !trace_read_instant(node->text, node->count, &at))
		return 0;
	return at / CLOCK_SECOND;
}

int64_t objects_work_condition(const struct yaml_node *conditions, const char *type,
			       const char **reason)
{
	for (uint32_t i = 0;
	     conditions != NULL && conditions->kind == YAML_LIST && i < conditions->count; i++) {
		const struct yaml_node *c = conditions->items[i];
		const struct yaml_node *name = yaml_find(c, "type");
		const struct yaml_node *status = yaml_find(c, "status");
		const struct yaml_node *why = yaml_find(c, "reason");

		if (name == NULL || status == NULL || !yaml_text_is(name, type) ||
		    !yaml_text_is(status, "True"))
			continue;
		if (reason != NULL && why != NULL && why->kind == YAML_SCALAR)
			*reason = why->text;
		return objects_work_timestamp(yaml_find(c, "lastTransitionTime"));
	}
	return 0;
}

/* ---- who is it, and who made it ---- */

uint32_t objects_work_identity(struct fields *f, const char *kind, const char *name)
{
	char text[330];
	int len = snprintf(text, sizeof(text), "%.64s/%.253s", kind, name);

	return builder_string(f->builder, text, (size_t)len);
}

static uint32_t read_identity(struct fields *f, const struct object *object)
{
	return objects_work_identity(f, object->list_kind,
				     name_text(builder_strings(f->builder), object->name));
}

/* The controller of a Job, unless it only makes Jobs that stand for themselves. */
static uint32_t read_controller(struct fields *f, const struct object *object)
{
	const struct yaml_node *owners =
		yaml_find(yaml_find(object->node, "metadata"), "ownerReferences");

	for (uint32_t i = 0; owners != NULL && owners->kind == YAML_LIST && i < owners->count;
	     i++) {
		const struct yaml_node *kind = yaml_find(owners->items[i], "kind");
		const struct yaml_node *name = yaml_find(owners->items[i], "name");

		if (kind != NULL && kind->kind == YAML_SCALAR && name != NULL &&
		    name->kind == YAML_SCALAR && !yaml_text_is(kind, "CronJob"))
			return objects_work_identity(f, kind->text, name->text);
	}
	return NAME_NONE;
}

void objects_work_pod_seen(struct fields *f, const struct object *object,
			   const struct yaml_node *conditions)
{
	int64_t at = objects_work_condition(conditions, "PodScheduled", NULL);
	struct pod_seen pod = {.scheduled = at, .ns = object->ns};

	if (at == 0)
		return;
	pod.object = read_identity(f, object);
	pod.controller = read_controller(f, object);
	builder_pod_seen(f->builder, &pod);
}

/* ---- the head of the object ---- */

void objects_work_begin(struct objects_work *work, const struct object *object)
{
	*work = (struct objects_work){
		.object = object,
		.kind = object->list_kind,
		.extra = {.cancel_at = CLOCK_NEVER},
		.control = {.completions = JOB_NONE,
			    .backoff_limit = JOB_NONE,
			    .index_limit = JOB_NONE,
			    .max_failed_indexes = JOB_NONE},
		.common = {.ns = object->ns,
			   .queue = NAME_NONE,
			   .priority_class = NAME_NONE,
			   .flags = (uint16_t)(JOB_MANIFEST | (object->asked ? JOB_ASKED : 0))},
		.job = {.name = object->name, .extra = JOB_NONE, .utilisation = FULL},
	};
}

/* ---- elastic jobs ---- */

/* Kinds whose webhooks refuse it (jobframework: ValidateElasticJobAnnotation). */
static const char *const rigid_kinds[] = {
	"JobSet", "PyTorchJob", "TFJob",       "XGBoostJob",	  "PaddleJob",
	"JAXJob", "MPIJob",	"TrainJob",    "LeaderWorkerSet", "AppWrapper",
	"Pod",	  "Deployment", "StatefulSet", "SparkApplication"};

/* Whether its gate is on is known only when all is read. */
static void note_elastic(struct fields *f, const struct object *object)
{
	const struct yaml_node *asks = yaml_find(object->annotations, "kueue.x-k8s.io/elastic-job");
	const struct yaml_node *api = yaml_find(object->node, "apiVersion");
	char kind[160];

	if (asks == NULL || !yaml_text_is(asks, "true"))
		return;
	for (size_t i = 0; i < sizeof(rigid_kinds) / sizeof(rigid_kinds[0]); i++) {
		if (strcmp(rigid_kinds[i], object->list_kind) != 0)
			continue;
		snprintf(kind, sizeof(kind), "%.80s, Kind=%s",
			 api != NULL && api->kind == YAML_SCALAR ? api->text : "", rigid_kinds[i]);
		builder_elastic(f->builder, kind,
				(struct place){f->file, asks->line, asks->column});
	}
}

static void take_own(struct objects_work *work)
{
	const struct objects_own *own = &work->own;
	struct job *job = &work->job;

	job->submit = own->submit == OBJECTS_OWN_MISSING ? 0 : own->submit;
	job->duration = own->duration;
	work->common.checkpoint = own->checkpoint == OBJECTS_OWN_MISSING ? 0 : own->checkpoint;
	work->common.restart_cost =
		own->restart_cost == OBJECTS_OWN_MISSING ? 0 : own->restart_cost;
	if (own->utilisation >= 0)
		job->utilisation = (uint16_t)own->utilisation;
	if (own->cancel_at != OBJECTS_OWN_MISSING)
		work->extra.cancel_at = own->cancel_at;
	if (own->ungate_at != OBJECTS_OWN_MISSING)
		work->extra.ungated_at = own->ungate_at;
	work->extra.no_retry = own->no_retry;
	if (own->gang == 0)
		work->common.flags |= JOB_NOT_GANG;
	else if (own->gang == 1)
		work->common.flags &= (uint16_t)~JOB_NOT_GANG;
	work->control.durations = own->durations;
	work->control.duration_count = own->duration_count;
	work->control.fates = own->fates;
	work->control.fate_count = own->fate_count;
	work->control.changes = own->changes;
	work->control.change_count = own->change_count;
}

enum err_code objects_work_head(struct fields *f, struct objects_work *work)
{
	enum err_code code = read_labels(f, work);

	note_elastic(f, work->object);
	if (code == ERR_OK)
		code = objects_own_read(f, work->object->annotations, &work->own);
	if (code != ERR_OK)
		return code;
	work->created = objects_work_timestamp(work->object->created);
	if (work->own.submit != OBJECTS_OWN_MISSING)
		work->created = 0;
	take_own(work);
	return ERR_OK;
}

/* ---- into the builder ---- */

/* Kueue's webhooks look at this, but for these kinds (ValidateSliceSizeAnnotationUpperBound; the
 * webhook of Workloads wants sizes above 0, no more: validateTASSliceSize). */
static bool takes_any_slice(const char *kind)
{
	return strcmp(kind, "Workload") == 0 || strcmp(kind, "StatefulSet") == 0 ||
	       strcmp(kind, "AppWrapper") == 0 || strcmp(kind, "Pod") == 0 ||
	       strcmp(kind, "Deployment") == 0;
}

static enum err_code check_slices(struct fields *f, const struct objects_work *work,
				  const struct objects_work_set *set)
{
	const struct pod_shape *shape = &set->pod.template.base;

	if (set->pod.slice_size == NULL || shape->slice_size <= set->pods ||
	    work->control.controller == CONTROLLER_POD_GROUP) /* whose pods are counted later */
		return ERR_OK;
	if (set->pods == 0 && takes_any_slice(f->kind))
		return ERR_OK;
	if (!takes_any_slice(f->kind))
		return fields_error(f, ERR_VALUE, set->pod.slice_size,
				    "a slice of %u pods is more than the %u pods there are",
				    shape->slice_size, set->pods);
	fields_fault(f, FINDING_WARNING, "input-warning", set->pod.slice_size,
		     "make the slice as large as the pods are many, or smaller",
		     "a slice of %u pods is more than the %u pods there are: it is never admitted "
		     "(Kueue assigns no domain to it, which the API server refuses)",
		     shape->slice_size, set->pods);
	return ERR_OK;
}

#define KUBEFLOW_JOB "training.kubeflow.org/job-name"

/* Labels that the controller of this kind gives its pods. Identifiers that only a
 * cluster could make are the controller's name. */
static const struct {
	const char *kind, *key;
} controller_labels[] = {
	{"Job", "batch.kubernetes.io/job-name"},
	{"Job", "job-name"},
	{"Job", "batch.kubernetes.io/controller-uid"},
	{"Job", "controller-uid"},
	{"Deployment", OBJECTS_WORK_TEMPLATE_HASH},
	{"JobSet", "jobset.sigs.k8s.io/jobset-name"},
	{"TrainJob", "jobset.sigs.k8s.io/jobset-name"},
	{"PyTorchJob", KUBEFLOW_JOB},
	{"TFJob", KUBEFLOW_JOB},
	{"XGBoostJob", KUBEFLOW_JOB},
	{"PaddleJob", KUBEFLOW_JOB},
	{"JAXJob", KUBEFLOW_JOB},
	{"MPIJob", KUBEFLOW_JOB},
	{"RayCluster", "ray.io/cluster"},
	{"LeaderWorkerSet", "leaderworkerset.sigs.k8s.io/name"},
	{"AppWrapper", "workload.codeflare.dev/appwrapper"},
	{"SparkApplication", "sparkoperator.k8s.io/app-name"},
};

#define CONTROLLER_LABELS (sizeof(controller_labels) / sizeof(controller_labels[0]))

static enum err_code read_pod_labels(struct fields *f, const struct objects_work *work,
				     const struct objects_pod *pod, struct label_set *out)
{
	bool bare = strcmp(work->kind, "Pod") == 0;
	const struct yaml_node *written = bare ? work->object->labels : pod->labels;
	struct label_set own = {0};
	struct label *items;

	if (written != NULL) {
		size_t mark =
			fields_enter(f, bare ? "metadata.labels" : "spec.template.metadata.labels");
		enum err_code code = fields_label_set(f, NULL, written, &own);

		fields_leave(f, mark);
		if (code != ERR_OK)
			return code;
	}
	items = mem_arena_alloc(f->arena, (own.count + CONTROLLER_LABELS) * sizeof(*items));
	*out = (struct label_set){.items = items};
	for (size_t i = 0; i < CONTROLLER_LABELS; i++) {
		if (strcmp(work->kind, controller_labels[i].kind) == 0)
			items[out->count++] = (struct label){
				.key = builder_string(f->builder, controller_labels[i].key,
						      strlen(controller_labels[i].key)),
				.value = strcmp(work->kind, "Job") == 0 ? work->job.name
									: work->object->name};
	}
	for (uint32_t i = 0; i < own.count; i++)
		if (!label_has(out, own.items[i].key))
			items[out->count++] = own.items[i];
	return ERR_OK;
}

static enum err_code make_pod_set(struct fields *f, struct objects_work *work,
				  struct objects_work_set *from, struct pod_set *out)
{
	struct label_set labels;

	*out = (struct pod_set){.name = from->name,
				.count = from->pods,
				.min_count = from->min_pods,
				.has_min = from->has_min};
	if (check_slices(f, work, from) != ERR_OK ||
	    read_pod_labels(f, work, &from->pod, &labels) != ERR_OK)
		return f->err->code;
	if (work->labels.count == 0)
		work->labels = labels; /* a job's pods are known by those of its first set */
	objects_affinity_defaults(f, &from->pod.affinity, &work->owner);
	from->pod.template.base.constraints =
		objects_affinity_finish(f, &from->pod.affinity, &labels);
	out->shape = builder_template(f->builder, &from->pod.template, work->common.ns);
	return ERR_OK;
}

static enum err_code add_pod_sets(struct fields *f, struct objects_work *work,
				  struct objects_work_set *sets, uint32_t count,
				  struct job_common *common)
{
	struct pod_set *made = mem_calloc(count, sizeof(*made));
	enum err_code code = ERR_OK;

	work->labels = (struct label_set){0};
	for (uint32_t i = 0; i < count && code == ERR_OK; i++) {
		if (sets[i].pods != 0)
			code = make_pod_set(f, work, &sets[i], &made[common->pod_set_count++]);
		else
			code = check_slices(f, work, &sets[i]);
	}
	if (code == ERR_OK)
		common->first_pod_set = builder_pod_sets(f->builder, made, common->pod_set_count);
	mem_free(made);
	return code;
}

static uint32_t add_extra(struct fields *f, const struct objects_work *work)
{
	struct job_control *control = mem_arena_alloc(builder_arena(f->builder), sizeof(*control));
	struct job_extra extra = work->extra;

	*control = work->control;
	extra.control = control;
	return builder_extra(f->builder, &extra);
}

static bool has_pods(const struct objects_work_set *sets, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		if (sets[i].pods != 0)
			return true;
	}
	return false;
}

static struct job_note make_note(struct fields *f, const struct objects_work *work)
{
	return (struct job_note){.pod_class = NAME_NONE,
				 .object = read_identity(f, work->object),
				 .controller = read_controller(f, work->object),
				 .created = work->created,
				 .started = work->started,
				 .ended = work->ended,
				 .assumed = work->assumed,
				 .let_in = work->let_in,
				 .record = work->record};
}

/* Kueue's pod integration takes such pods one by one, whoever made them (pod_webhook.go). */
static enum err_code check_templates(struct fields *f, const struct objects_work *work,
				     const struct objects_work_set *sets, uint32_t count)
{
	for (uint32_t i = 0; i < count && work->common.queue == NAME_NONE; i++) {
		const struct yaml_node *queue = yaml_find(sets[i].pod.labels, QUEUE_NAME);

		if (queue != NULL && queue->count != 0)
			return fields_not_modelled(
				f, queue,
				"label " QUEUE_NAME " of a pod template alone (Kueue admits such "
				"pods one by one, not the job; here they are in no queue)");
	}
	return ERR_OK;
}

static enum err_code prepare_sets(struct fields *f, struct objects_work *work,
				  struct objects_work_set *sets, uint32_t count,
				  struct objects_prepared *out)
{
	*out = (struct objects_prepared){.job = work->job,
					 .common = work->common,
					 .note = make_note(f, work),
					 .where = work->object->where};
	if (out->common.priority_class == NAME_NONE) {
		out->common.priority_class = sets[0].pod.priority_class;
		if (out->common.priority_class != NAME_NONE)
			out->common.flags |= JOB_CLASS_OF_PODS;
	} else {
		out->note.pod_class = sets[0].pod.priority_class;
	}
	if (check_templates(f, work, sets, count) != ERR_OK ||
	    add_pod_sets(f, work, sets, count, &out->common) != ERR_OK)
		return f->err->code;
	out->job.extra = add_extra(f, work);
	out->labels = label_set_copy(builder_arena(f->builder), &work->labels);
	return ERR_OK;
}

static struct objects_work_set only_set(struct fields *f, const struct objects_work *work)
{
	return (struct objects_work_set){.name = builder_string(f->builder, "main", 4),
					 .pod = work->pod,
					 .pods = work->pods,
					 .min_pods = work->min_pods,
					 .has_min = work->min_pods < work->pods};
}

enum err_code objects_work_prepare(struct fields *f, struct objects_work *work,
				   struct objects_prepared *out)
{
	struct objects_work_set set = only_set(f, work);

	return prepare_sets(f, work, &set, 1, out);
}

uint32_t objects_work_put(struct builder *builder, const struct objects_prepared *prepared)
{
	struct job job = prepared->job;
	struct job_note note = prepared->note;

	job.common = &prepared->common;
	job.row = builder_job_count(builder);
	note.job = builder_job(builder, &job, prepared->where);
	builder_job_labels(builder, note.job, &prepared->labels);
	builder_job_note(builder, &note);
	return note.job;
}

enum err_code objects_work_finish_sets(struct fields *f, struct objects_work *work,
				       struct objects_work_set *sets, uint32_t count)
{
	struct objects_prepared prepared;

	if (!has_pods(sets, count)) {
		fields_finding(f, FINDING_NOTE, work->object->node, "has no pods: left out");
		return ERR_OK;
	}
	if (prepare_sets(f, work, sets, count, &prepared) != ERR_OK)
		return f->err->code;
	objects_work_put(f->builder, &prepared);
	return ERR_OK;
}

enum err_code objects_work_finish(struct fields *f, struct objects_work *work)
{
	struct objects_work_set set = only_set(f, work);

	return objects_work_finish_sets(f, work, &set, 1);
}

void objects_work_rename(struct builder *builder, struct objects_prepared *prepared, uint32_t name)
{
	struct label_set copy = label_set_copy(builder_arena(builder), &prepared->labels);
	struct label *items =
		mem_arena_alloc(builder_arena(builder), (copy.count + 1u) * sizeof(*items));

	for (uint32_t i = 0; i < copy.count; i++) {
		items[i] = copy.items[i];
		for (size_t k = 0; k < CONTROLLER_LABELS; k++) {
			const char *key = name_text(builder_strings(builder), items[i].key);

			if (strcmp(controller_labels[k].kind, "Job") == 0 &&
			    strcmp(controller_labels[k].key, key) == 0)
				items[i].value = name;
		}
	}
	prepared->labels = (struct label_set){.items = items, .count = copy.count};
	prepared->job.name = name;
}

void objects_work_suspend(const struct yaml_node *suspend, struct objects_work *work)
{
	/* Kueue unsuspends the jobs of its queues. */
	work->control.suspended = suspend != NULL && suspend->kind == YAML_SCALAR &&
				  yaml_text_is(suspend, "true") && work->common.queue == NAME_NONE;
}

bool objects_work_matters(struct fields *f, const struct objects_work *work)
{
	char text[120];

	if (work->common.queue != NAME_NONE || objects_pod_has_gpus(f, &work->pod))
		return true;
	snprintf(text, sizeof(text), "%.60s without GPUs or a queue: not modelled, skipped",
		 f->kind);
	tally_add(f->tally, FINDING_NOT_MODELLED, work->object->where, text);
	return false;
}

enum err_code objects_work_check_failures(struct fields *f, const struct objects_work *work)
{
	for (uint32_t i = 0; i < work->control.fate_count; i++) {
		if (work->control.fates[i].index != JOB_NONE)
			return fields_error(
				f, ERR_VALUE,
				yaml_find(work->object->annotations, "gqsim/pod-failures"),
				"annotation gqsim/pod-failures: an index is possible for a Job "
				"only, others would fail without end");
	}
	return ERR_OK;
}

/* ---- readers for rows ---- */

enum err_code objects_work_count(struct fields *f, const struct field *row,
				 const struct yaml_node *value, void *out)
{
	(void)row;
	return fields_count_between(f, value, 0, OBJECTS_OWN_MAX_PODS, out);
}
