#include "sim/objects_job.h"

#include <stdio.h>
#include <string.h>

#include "sim/nearest.h"
#include "sim/objects_pod.h"
#include "sim/trace.h"

#define OWN	      "gqsim/"
#define QUEUE_NAME    "kueue.x-k8s.io/queue-name"
#define MAX_PODS      10000000
#define FULL	      1000 /* per mille */
#define PER_CENT      10
#define MISSING	      (-1) /* a time that no annotation gives */
#define TEMPLATE_HASH "pod-template-hash"

/* A job on its way from an object to the builder. */
struct reading {
	const struct object *object;
	struct objects_pod pod;
	struct job job;
	struct job_extra extra;
	bool has_extra;
	struct label_set labels;     /* of its pods */
	struct label_selector owner; /* by which a ReplicaSet or StatefulSet knows its pods */
	simtime submit, duration;    /* MISSING */
	uint32_t pods, min_pods;
	bool assumed; /* nothing says how long it works */
};

/* ---- our annotations ---- */

enum own_kind {
	OWN_SUBMIT,
	OWN_DURATION,
	OWN_GANG,
	OWN_CHECKPOINT,
	OWN_RESTART_COST,
	OWN_UTILISATION,
	OWN_CANCEL,
	OWN_COUNT,
};

static const char *const own_keys[OWN_COUNT] = {
	[OWN_SUBMIT] = OWN "submit-at",
	[OWN_DURATION] = OWN "duration",
	[OWN_GANG] = OWN "gang",
	[OWN_CHECKPOINT] = OWN "checkpoint-interval",
	[OWN_RESTART_COST] = OWN "restart-cost",
	[OWN_UTILISATION] = OWN "gpu-utilisation",
	[OWN_CANCEL] = OWN "cancel-at",
};

static enum err_code read_time(struct fields *f, const struct yaml_node *value, const char *key,
			       simtime *out)
{
	if (clock_read_duration(value->text, value->count, out))
		return ERR_OK;
	return fields_error(
		f, ERR_VALUE, value,
		"annotation %s: \"%.60s\" is no time: write seconds, or a duration such "
		"as 90s, 15m or 1h30m",
		key, value->text);
}

static enum err_code read_duration(struct fields *f, const struct yaml_node *value,
				   struct reading *reading)
{
	if (yaml_text_is(value, "endless")) {
		reading->duration = JOB_ENDLESS;
		return ERR_OK;
	}
	if (read_time(f, value, own_keys[OWN_DURATION], &reading->duration) != ERR_OK)
		return f->err->code;
	return ERR_OK;
}

static enum err_code read_gang(struct fields *f, const struct yaml_node *value, struct job *job)
{
	if (yaml_text_is(value, "false"))
		job->flags |= JOB_NOT_GANG;
	else if (yaml_text_is(value, "true"))
		job->flags &= (uint16_t)~JOB_NOT_GANG;
	else
		return fields_error(f, ERR_VALUE, value,
				    "annotation gqsim/gang: \"%.60s\" is neither \"true\" nor "
				    "\"false\"",
				    value->text);
	return ERR_OK;
}

static enum err_code read_utilisation(struct fields *f, const struct yaml_node *value,
				      struct job *job)
{
	size_t len = value->count;
	double percent;

	if (len > 0 && value->text[len - 1] == '%')
		len--;
	if (!num_read_double(value->text, len, &percent) || percent < 0 || percent > 100)
		return fields_error(f, ERR_VALUE, value,
				    "annotation gqsim/gpu-utilisation: \"%.60s\" is not between 0 "
				    "and 100 per cent",
				    value->text);
	job->utilisation = (uint16_t)(percent * PER_CENT + 0.5);
	return ERR_OK;
}

static enum err_code read_own(struct fields *f, enum own_kind kind, const struct yaml_node *value,
			      struct reading *reading)
{
	switch (kind) {
	case OWN_SUBMIT:
		return read_time(f, value, own_keys[kind], &reading->submit);
	case OWN_DURATION:
		return read_duration(f, value, reading);
	case OWN_GANG:
		return read_gang(f, value, &reading->job);
	case OWN_CHECKPOINT:
		return read_time(f, value, own_keys[kind], &reading->job.checkpoint);
	case OWN_RESTART_COST:
		return read_time(f, value, own_keys[kind], &reading->job.restart_cost);
	case OWN_UTILISATION:
		return read_utilisation(f, value, &reading->job);
	case OWN_CANCEL:
		reading->has_extra = true;
		return read_time(f, value, own_keys[kind], &reading->extra.cancel_at);
	case OWN_COUNT:
		break;
	}
	return ERR_OK;
}

static enum err_code unknown_own(struct fields *f, const struct yaml_node *key)
{
	struct nearest nearest;

	nearest_begin(&nearest, key->text);
	for (int i = 0; i < OWN_COUNT; i++)
		nearest_offer(&nearest, own_keys[i]);
	if (f->unknown == FIELDS_REFUSE)
		return fields_error(f, ERR_UNKNOWN, key, "unknown annotation %.80s%s%s%s",
				    key->text, nearest.best != NULL ? "; did you mean " : "",
				    nearest.best != NULL ? nearest.best : "",
				    nearest.best != NULL ? "?" : "");
	fields_finding(f, FINDING_WARNING, key, "unknown annotation %.80s is ignored%s%s%s",
		       key->text, nearest.best != NULL ? "; did you mean " : "",
		       nearest.best != NULL ? nearest.best : "", nearest.best != NULL ? "?" : "");
	return ERR_OK;
}

static enum err_code read_annotations(struct fields *f, struct reading *reading)
{
	const struct yaml_node *map = reading->object->annotations;
	enum err_code code = ERR_OK;

	for (uint32_t i = 0; map != NULL && i < map->count && code == ERR_OK; i++) {
		const struct yaml_pair *pair = &map->pairs[i];
		int k = 0;

		if (strncmp(pair->key->text, OWN, sizeof(OWN) - 1) != 0 ||
		    yaml_text_is(pair->key, OWN "pool") || yaml_is_null(pair->value))
			continue;
		while (k < OWN_COUNT && !yaml_text_is(pair->key, own_keys[k]))
			k++;
		code = k == OWN_COUNT ? unknown_own(f, pair->key)
				      : read_own(f, (enum own_kind)k, pair->value, reading);
	}
	return code;
}

/* ---- Kueue's labels ---- */

static uint32_t label_string(struct fields *f, const struct yaml_node *labels, const char *key)
{
	const struct yaml_node *value = yaml_find(labels, key);

	if (value == NULL || value->count == 0)
		return NAME_NONE;
	return builder_string(f->builder, value->text, value->count);
}

static enum err_code read_labels(struct fields *f, struct reading *reading)
{
	const struct yaml_node *labels = reading->object->labels;
	const struct yaml_node *limit = yaml_find(labels, "kueue.x-k8s.io/max-exec-time-seconds");
	struct job *job = &reading->job;
	uint32_t seconds;

	job->queue = label_string(f, labels, QUEUE_NAME);
	if (job->queue == NAME_NONE) /* as it was before v0.3 */
		job->queue = label_string(f, reading->object->annotations, QUEUE_NAME);
	if (job->queue == NAME_NONE)
		job->flags |= JOB_UNMANAGED;
	job->priority_class = label_string(f, labels, "kueue.x-k8s.io/priority-class");
	if (limit == NULL)
		return ERR_OK;
	if (!num_read_u32(limit->text, limit->count, &seconds) || seconds == 0)
		return fields_error(
			f, ERR_VALUE, limit,
			"label kueue.x-k8s.io/max-exec-time-seconds: \"%.40s\" should be "
			"greater than 0",
			limit->text);
	reading->has_extra = true;
	reading->extra.max_execution = seconds * CLOCK_SECOND;
	return ERR_OK;
}

/* ---- times of the API server ---- */

/* "2026-02-03T10:11:12Z", with or without a fraction, as seconds; 0: unreadable. */
static int64_t read_timestamp(const struct yaml_node *node)
{
	char text[20];
	simtime at;

	if (node == NULL || node->kind != YAML_SCALAR || node->count < 20 ||
	    (node->text[10] != 'T' && node->text[10] != 't'))
		return 0;
	memcpy(text, node->text, 19);
	text[10] = ' ';
	return trace_read_clock(text, 19, &at) ? at / CLOCK_SECOND : 0;
}

/* ---- into the builder ---- */

static void begin(struct reading *reading, const struct object *object)
{
	*reading = (struct reading){
		.object = object,
		.submit = MISSING,
		.duration = MISSING,
		.extra = {.cancel_at = CLOCK_NEVER},
		.job = {.name = object->name,
			.ns = object->ns,
			.queue = NAME_NONE,
			.priority_class = NAME_NONE,
			.flags = JOB_MANIFEST,
			.extra = JOB_NONE,
			.utilisation = FULL},
	};
}

static enum err_code check_slices(struct fields *f, const struct reading *reading)
{
	const struct pod_shape *shape = &reading->pod.template.base;

	if (reading->pod.slice_size != NULL && shape->slice_size > reading->pods)
		return fields_error(f, ERR_VALUE, reading->pod.slice_size,
				    "a slice of %u pods is more than the %u pods there are",
				    shape->slice_size, reading->pods);
	return ERR_OK;
}

/* Labels that the controller of this kind gives its pods. Identifiers that only a
 * cluster could make are the controller's name. */
static const struct {
	const char *kind, *key;
} controller_labels[] = {
	{"Job", "batch.kubernetes.io/job-name"},
	{"Job", "job-name"},
	{"Job", "batch.kubernetes.io/controller-uid"},
	{"Job", "controller-uid"},
	{"Deployment", TEMPLATE_HASH},
};

#define CONTROLLER_LABELS (sizeof(controller_labels) / sizeof(controller_labels[0]))

static enum err_code read_pod_labels(struct fields *f, const struct reading *reading,
				     struct label_set *out)
{
	bool bare = strcmp(f->kind, "Pod") == 0;
	const struct yaml_node *written = bare ? reading->object->labels : reading->pod.labels;
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
		if (strcmp(f->kind, controller_labels[i].kind) == 0)
			items[out->count++] = (struct label){
				.key = builder_string(f->builder, controller_labels[i].key,
						      strlen(controller_labels[i].key)),
				.value = reading->object->name};
	}
	for (uint32_t i = 0; i < own.count; i++)
		if (!label_has(out, own.items[i].key))
			items[out->count++] = own.items[i];
	return ERR_OK;
}

static enum err_code add_pod_set(struct fields *f, struct reading *reading, uint32_t *out)
{
	struct pod_set set = {
		.name = builder_string(f->builder, "main", 4),
		.count = reading->pods,
		.min_count = reading->min_pods,
	};

	if (read_pod_labels(f, reading, &reading->labels) != ERR_OK)
		return f->err->code;
	objects_affinity_defaults(f, &reading->pod.affinity, &reading->owner);
	reading->pod.template.base.constraints =
		objects_affinity_finish(f, &reading->pod.affinity, &reading->labels);
	set.shape = builder_template(f->builder, &reading->pod.template, reading->job.ns);
	*out = builder_pod_sets(f->builder, &set, 1);
	return ERR_OK;
}

static enum err_code finish(struct fields *f, struct reading *reading)
{
	int64_t created = read_timestamp(reading->object->created);
	struct job *job = &reading->job;
	uint32_t pod_class = NAME_NONE, index;

	if (check_slices(f, reading) != ERR_OK)
		return f->err->code;
	if (reading->pods == 0) {
		fields_finding(f, FINDING_NOTE, reading->object->node, "has no pods: left out");
		return ERR_OK;
	}
	if (job->priority_class == NAME_NONE)
		job->priority_class = reading->pod.priority_class;
	else
		pod_class = reading->pod.priority_class;
	job->submit = reading->submit == MISSING ? 0 : reading->submit;
	job->duration = reading->duration;
	job->row = builder_job_count(f->builder);
	if (add_pod_set(f, reading, &job->first_pod_set) != ERR_OK)
		return f->err->code;
	job->pod_set_count = 1;
	if (reading->has_extra)
		job->extra = builder_extra(f->builder, &reading->extra);
	index = builder_job(f->builder, job, reading->object->where);
	builder_job_labels(f->builder, index, &reading->labels);
	if (reading->submit != MISSING)
		created = 0;
	if (created != 0 || pod_class != NAME_NONE || reading->assumed)
		builder_job_note(f->builder, index, pod_class, created, reading->assumed);
	return ERR_OK;
}

/* ---- Job ---- */

struct job_fields {
	uint32_t parallelism, completions; /* NAME_NONE: absent */
	const struct yaml_node *template, *started, *completed;
	const struct yaml_node *suspend, *deadline; /* NULL: absent */
};

static enum err_code keep_node(struct fields *f, const struct field *row,
			       const struct yaml_node *value, void *out)
{
	const struct yaml_node **node = out;

	(void)f;
	(void)row;
	*node = value;
	return ERR_OK;
}

static enum err_code read_pods(struct fields *f, const struct field *row,
			       const struct yaml_node *value, void *out)
{
	uint32_t *pods = out;
	int64_t number;

	(void)row;
	if (fields_int_between(f, value, 0, MAX_PODS, &number) != ERR_OK)
		return f->err->code;
	*pods = (uint32_t)number;
	return ERR_OK;
}

#define JOB(member) offsetof(struct job_fields, member)

static const struct field job_spec_rows[] = {
	{.key = "parallelism", .read = read_pods, .offset = JOB(parallelism)},
	{.key = "completions", .read = read_pods, .offset = JOB(completions)},
	{.key = "template", .read = keep_node, .offset = JOB(template), .required = true},
	{.key = "completionMode"},
	{.key = "suspend", .read = keep_node, .offset = JOB(suspend)},
	{.key = "backoffLimit"},
	{.key = "backoffLimitPerIndex"},
	{.key = "maxFailedIndexes"},
	{.key = "activeDeadlineSeconds", .read = keep_node, .offset = JOB(deadline)},
	{.key = "ttlSecondsAfterFinished"},
	{.key = "selector"},
	{.key = "manualSelector"},
	{.key = "podFailurePolicy"},
	{.key = "successPolicy"},
	{.key = "podReplacementPolicy"},
	{.key = "managedBy"},
	{.key = NULL},
};

static const struct field job_status_rows[] = {
	{.key = "startTime", .read = keep_node, .offset = JOB(started)},
	{.key = "completionTime", .read = keep_node, .offset = JOB(completed)},
	{.key = "conditions"},
	{.key = "active"},
	{.key = "ready"},
	{.key = "succeeded"},
	{.key = "failed"},
	{.key = "terminating"},
	{.key = "completedIndexes"},
	{.key = "failedIndexes"},
	{.key = "uncountedTerminatedPods"},
	{.key = NULL},
};

static enum err_code read_min_pods(struct fields *f, struct reading *reading)
{
	const struct yaml_node *value =
		yaml_find(reading->object->annotations, "kueue.x-k8s.io/job-min-parallelism");

	reading->min_pods = reading->pods;
	if (value == NULL)
		return ERR_OK;
	if (!num_read_u32(value->text, value->count, &reading->min_pods) ||
	    reading->min_pods == 0 || reading->min_pods >= reading->pods)
		return fields_error(
			f, ERR_VALUE, value,
			"annotation kueue.x-k8s.io/job-min-parallelism: \"%.40s\" should "
			"be between 0 and %u",
			value->text, reading->pods != 0 ? reading->pods - 1 : 0);
	return ERR_OK;
}

/* A Job that ran says how long it took. */
static void default_duration(struct reading *reading, const struct job_fields *fields)
{
	int64_t started = read_timestamp(fields->started);
	int64_t completed = read_timestamp(fields->completed);

	if (reading->duration != MISSING)
		return;
	if (started != 0 && completed >= started) {
		reading->duration = (completed - started) * CLOCK_SECOND;
		return;
	}
	reading->duration = CLOCK_HOUR;
	reading->assumed = true;
}

/* What would change how long a job runs, and is not modelled. */
static void note_ignored(struct fields *f, const struct job_fields *fields, uint32_t parallelism)
{
	if (fields->deadline != NULL)
		fields_finding(f, FINDING_NOT_MODELLED, fields->deadline,
			       "activeDeadlineSeconds: the job works to its end");
	if (fields->completions != NAME_NONE && fields->completions > parallelism)
		fields_finding(f, FINDING_NOT_MODELLED, fields->template,
			       "completions beyond parallelism: one wave of %u pods stands for "
			       "all %u",
			       parallelism, fields->completions);
}

/* Kueue unsuspends the jobs of its queues; nobody does that for others. */
static bool stays_suspended(const struct job_fields *fields, const struct reading *reading)
{
	return fields->suspend != NULL && fields->suspend->kind == YAML_SCALAR &&
	       strcmp(fields->suspend->text, "true") == 0 && reading->job.queue == NAME_NONE;
}

enum err_code objects_job(struct fields *f, const struct object *object)
{
	static const struct field rows[] = {
		{.key = "apiVersion"},
		{.key = "kind"},
		{.key = "metadata"},
		{.key = "spec", .read = fields_nested, .arg = job_spec_rows, .required = true},
		{.key = "status", .read = fields_nested, .arg = job_status_rows},
		{.key = NULL},
	};
	struct job_fields fields = {.parallelism = NAME_NONE, .completions = NAME_NONE};
	struct reading reading;
	enum err_code code;
	size_t mark;

	begin(&reading, object);
	code = fields_map(f, object->node, rows, &fields);
	if (code != ERR_OK)
		return code;
	mark = fields_enter(f, "spec.template");
	code = objects_pod_template(f, fields.template, &reading.pod);
	fields_leave(f, mark);
	reading.pods = fields.parallelism != NAME_NONE ? fields.parallelism : 1;
	note_ignored(f, &fields, reading.pods);
	if (fields.completions != NAME_NONE && fields.completions < reading.pods)
		reading.pods = fields.completions;
	if (code == ERR_OK)
		code = read_labels(f, &reading);
	if (code == ERR_OK)
		code = read_annotations(f, &reading);
	if (code == ERR_OK)
		code = read_min_pods(f, &reading);
	if (code != ERR_OK)
		return code;
	if (stays_suspended(&fields, &reading)) {
		fields_finding(f, FINDING_WARNING, fields.suspend,
			       "suspend is true and no queue-name label says who would lift it: "
			       "left out");
		return ERR_OK;
	}
	default_duration(&reading, &fields);
	return finish(f, &reading);
}

/* ---- what runs without end ---- */

struct service_fields {
	uint32_t replicas;
	struct label_selector selector;
	const struct yaml_node *template;
};

#define SERVICE(member) offsetof(struct service_fields, member)

static const struct field service_spec_rows[] = {
	{.key = "replicas", .read = read_pods, .offset = SERVICE(replicas)},
	{.key = "template", .read = keep_node, .offset = SERVICE(template), .required = true},
	{.key = "selector", .read = fields_selector, .offset = SERVICE(selector)},
	{.key = "strategy"},
	{.key = "updateStrategy"},
	{.key = "minReadySeconds"},
	{.key = "revisionHistoryLimit"},
	{.key = "paused"},
	{.key = "progressDeadlineSeconds"},
	{.key = "serviceName"},
	{.key = "podManagementPolicy"},
	{.key = "volumeClaimTemplates"},
	{.key = "persistentVolumeClaimRetentionPolicy"},
	{.key = "ordinals"},
	{.key = NULL},
};

/* A Deployment's pods are its ReplicaSet's, which adds a label to the selector. */
static struct label_selector owner_selector(struct fields *f, const struct object *object,
					    const struct label_selector *written)
{
	struct label_selector owner = *written;
	struct label *items;

	if (!owner.present || strcmp(f->kind, "Deployment") != 0)
		return owner;
	items = mem_arena_alloc(f->arena, (owner.match_labels.count + 1) * sizeof(*items));
	if (owner.match_labels.count != 0)
		memcpy(items, owner.match_labels.items, owner.match_labels.count * sizeof(*items));
	items[owner.match_labels.count++] = (struct label){
		.key = builder_string(f->builder, TEMPLATE_HASH, sizeof(TEMPLATE_HASH) - 1),
		.value = object->name};
	owner.match_labels.items = items;
	return owner;
}

/* Services and pods that neither use GPUs nor are queued do not matter here. */
static bool matters(struct fields *f, const struct reading *reading)
{
	char text[120];

	if (reading->job.queue != NAME_NONE || objects_pod_has_gpus(f, &reading->pod))
		return true;
	snprintf(text, sizeof(text), "%.60s without GPUs or a queue: not modelled, skipped",
		 f->kind);
	tally_add(f->tally, FINDING_NOT_MODELLED, reading->object->where, text);
	return false;
}

static enum err_code finish_service(struct fields *f, struct reading *reading)
{
	enum err_code code = read_labels(f, reading);

	reading->min_pods = reading->pods;
	reading->job.flags |= JOB_NOT_GANG;
	if (code == ERR_OK)
		code = read_annotations(f, reading);
	if (code != ERR_OK || !matters(f, reading))
		return code;
	if (reading->duration == MISSING)
		reading->duration = JOB_ENDLESS;
	return finish(f, reading);
}

enum err_code objects_service(struct fields *f, const struct object *object)
{
	static const struct field rows[] = {
		OBJECT_HEAD,
		{.key = "spec", .read = fields_nested, .arg = service_spec_rows, .required = true},
		{.key = NULL},
	};
	struct service_fields fields = {.replicas = 1};
	struct reading reading;
	enum err_code code;
	size_t mark;

	begin(&reading, object);
	code = fields_map(f, object->node, rows, &fields);
	if (code != ERR_OK)
		return code;
	mark = fields_enter(f, "spec.template");
	code = objects_pod_template(f, fields.template, &reading.pod);
	fields_leave(f, mark);
	reading.pods = fields.replicas;
	reading.owner = owner_selector(f, object, &fields.selector);
	return code != ERR_OK ? code : finish_service(f, &reading);
}

/* A pod that a controller made is its controller's; one that has ended is gone. */
static const char *left_out(const struct object *object)
{
	const struct yaml_node *metadata = yaml_find(object->node, "metadata");
	const struct yaml_node *phase = yaml_find(yaml_find(object->node, "status"), "phase");

	if (yaml_find(metadata, "ownerReferences") != NULL)
		return "Pod of a controller: left out, the controller stands for it";
	if (phase != NULL && (yaml_text_is(phase, "Succeeded") || yaml_text_is(phase, "Failed")))
		return "Pod that has ended: left out";
	return NULL;
}

enum err_code objects_pod(struct fields *f, const struct object *object)
{
	static const struct field rows[] = {
		OBJECT_HEAD,
		{.key = "spec", .read = keep_node, .required = true},
		{.key = NULL},
	};
	const char *why = left_out(object);
	const struct yaml_node *spec = NULL;
	struct reading reading;
	enum err_code code;
	size_t mark;

	if (why != NULL) {
		tally_add(f->tally, FINDING_NOTE, object->where, why);
		return ERR_OK;
	}
	begin(&reading, object);
	code = fields_map(f, object->node, rows, &spec);
	if (code != ERR_OK)
		return code;
	mark = fields_enter(f, "spec");
	code = objects_pod_spec(f, spec, object->annotations, &reading.pod);
	fields_leave(f, mark);
	reading.pods = 1;
	reading.job.flags |= JOB_SINGLE_POD;
	return code != ERR_OK ? code : finish_service(f, &reading);
}
