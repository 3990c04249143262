#include "sim/objects/objects_service.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define MAX_REPLICA_JOBS 1000000
#define TEMPLATE_HASH	 OBJECTS_WORK_TEMPLATE_HASH

struct service_fields {
	uint32_t replicas;
	struct label_selector selector;
	const struct yaml_node *template;
	int parallel; /* podManagementPolicy */
};

#define SERVICE(member) offsetof(struct service_fields, member)

static const struct fields_word management[] = {{"OrderedReady", 0}, {"Parallel", 1}, {NULL, 0}};

static const struct field service_spec_rows[] = {
	{.key = "replicas", .read = objects_work_count, .offset = SERVICE(replicas)},
	{.key = "template", .read = fields_keep, .offset = SERVICE(template), .required = true},
	{.key = "selector", .read = fields_selector, .offset = SERVICE(selector)},
	{.key = "strategy"},
	{.key = "updateStrategy"},
	{.key = "minReadySeconds"},
	{.key = "revisionHistoryLimit"},
	{.key = "paused"},
	{.key = "progressDeadlineSeconds"},
	{.key = "serviceName"},
	{.key = "podManagementPolicy",
	 .read = fields_enum,
	 .offset = SERVICE(parallel),
	 .arg = management},
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

static bool is_stateful(const struct objects_work *work)
{
	return strcmp(work->kind, "StatefulSet") == 0;
}

/* ---- one job for all replicas ---- */

/* As many places for pods as it ever has replicas. */
static uint32_t most_replicas(const struct objects_work *work, uint32_t replicas)
{
	uint32_t most = replicas;

	for (uint32_t i = 0; i < work->control.change_count; i++) {
		if (work->control.changes[i].replicas != JOB_NONE &&
		    work->control.changes[i].replicas > most)
			most = work->control.changes[i].replicas;
	}
	return most;
}

/* Kueue's webhook lets a StatefulSet of a queue go to 0 and come back, no more
 * (statefulset_webhook.go); its workload is on hold meanwhile. */
static const char *refusal(uint32_t now, uint32_t next, uint32_t size, uint32_t kept)
{
	if (now != 0 && next != 0)
		return "Kueue's webhook refuses it, here under every policy: a StatefulSet of a "
		       "queue can go only to 0 and back";
	if (next != 0 && next != size)
		return "back from 0 with another size than before: not modelled, it is left out";
	return kept == 2 ? "to 0 more than once: not modelled, it is left out" : NULL;
}

static void hold(struct fields *f, struct objects_work *work, uint32_t *replicas)
{
	const struct job_change *changes = work->control.changes;
	struct job_change *kept = mem_arena_alloc(builder_arena(f->builder), 2 * sizeof(*kept));
	uint32_t now = *replicas, n = 0;

	for (uint32_t i = 0; i < work->control.change_count; i++) {
		const char *why;

		if (changes[i].replicas == JOB_NONE || changes[i].replicas == now)
			continue;
		if (*replicas == 0) { /* there is no workload before */
			*replicas = now = changes[i].replicas;
			if (work->job.submit < changes[i].at)
				work->job.submit = changes[i].at;
			continue;
		}
		why = refusal(now, changes[i].replicas, *replicas, n);
		if (why != NULL) {
			fields_fault(f, FINDING_WARNING, "input-warning", work->object->node,
				     "in gqsim/replicas-at, scale it to 0 and back to what it "
				     "was, once; or use a Deployment, whose replicas are "
				     "admitted one by one",
				     "replicas from %u to %u: %s", now, changes[i].replicas, why);
			continue;
		}
		now = changes[i].replicas;
		kept[n++] = changes[i];
		*(now == 0 ? &work->extra.deactivate_at : &work->extra.reactivate_at) =
			changes[i].at;
	}
	work->control.changes = kept;
	work->control.change_count = n;
}

static enum err_code add_whole(struct fields *f, struct objects_work *work, uint32_t replicas)
{
	if (is_stateful(work) && work->common.queue != NAME_NONE)
		hold(f, work, &replicas);
	work->pods = work->min_pods = most_replicas(work, replicas);
	work->control.replicas = replicas;
	work->control.completions = work->pods;
	return objects_work_finish(f, work);
}

/* ---- one job a group (LeaderWorkerSet) ---- */

/* Where the groups go, one by one. */
struct replicas {
	struct objects_work *work;
	objects_service_put *put;
	void *context;
	uint32_t number; /* of the next */
};

static enum err_code put_next(struct fields *f, struct replicas *replicas, simtime from,
			      simtime until)
{
	struct objects_work *work = replicas->work;
	const char *name = name_text(builder_strings(f->builder), work->object->name);
	char text[300];
	int len = snprintf(text, sizeof(text), "%.253s-%" PRIu32, name, replicas->number++);

	work->job.name = builder_string(f->builder, text, (size_t)len);
	work->job.submit = from;
	work->extra.cancel_at = until;
	return replicas->put(f, work, replicas->context);
}

/* The highest number goes first. Replica n lives from when there are more than n until
 * there are no more than that; later again, under a new number. */
enum err_code objects_service_each(struct fields *f, struct objects_work *work, uint32_t count,
				   objects_service_put *put, void *context)
{
	struct replicas replicas = {.work = work, .put = put, .context = context};
	const struct job_change *changes = work->control.changes;
	uint32_t change_count = work->control.change_count;
	simtime end = work->extra.cancel_at, begin = work->job.submit;
	uint32_t most = most_replicas(work, count);
	enum err_code code = ERR_OK;

	work->control.change_count = 0;
	for (uint32_t n = 0; n < most && code == ERR_OK; n++) {
		simtime from = n < count ? begin : OBJECTS_OWN_MISSING;

		for (uint32_t i = 0; i < change_count && code == ERR_OK; i++) {
			bool there = changes[i].replicas > n;

			if (changes[i].replicas == JOB_NONE || there == (from >= 0))
				continue;
			if (!there)
				code = put_next(f, &replicas, from, changes[i].at);
			from = !there ? OBJECTS_OWN_MISSING
				      : (changes[i].at > begin ? changes[i].at : begin);
		}
		if (from >= 0 && code == ERR_OK)
			code = put_next(f, &replicas, from, end);
		if (replicas.number > MAX_REPLICA_JOBS)
			return fields_error(f, ERR_LIMIT, work->object->node,
					    "more than %d replicas", MAX_REPLICA_JOBS);
	}
	return code;
}

/* ---- one job a replica ---- */

static enum err_code add_replicas(struct fields *f, const struct objects_work *work,
				  struct objects_prepared *prepared, struct job_family *family,
				  uint32_t count)
{
	const char *name = name_text(builder_strings(f->builder), work->object->name);
	char text[300];

	if (count > MAX_REPLICA_JOBS - family->count)
		return fields_error(f, ERR_LIMIT, work->object->node, "more than %d replicas",
				    MAX_REPLICA_JOBS);
	for (uint32_t i = 0; i < count; i++) {
		int len = snprintf(text, sizeof(text), "%.253s-%" PRIu32, name, family->count++);

		prepared->job.name = builder_string(f->builder, text, (size_t)len);
		objects_work_put(f->builder, prepared);
	}
	return ERR_OK;
}

/* As many as are ever made; who goes when there are to be fewer is seen then. */
static enum err_code add_each(struct fields *f, struct objects_work *work, uint32_t replicas)
{
	struct job_family *family = mem_arena_alloc(builder_arena(f->builder), sizeof(*family));
	const struct job_change *changes = work->control.changes;
	uint32_t count = work->control.change_count, i = 0;
	struct objects_prepared prepared;
	enum err_code code;

	*family = (struct job_family){.first = builder_job_count(f->builder)};
	work->control.family = family;
	work->control.replicas = work->control.completions = 1;
	work->pods = work->min_pods = 1;
	code = objects_work_prepare(f, work, &prepared);
	for (; i < count && changes[i].at <= work->job.submit; i++)
		replicas = changes[i].replicas == JOB_NONE ? replicas : changes[i].replicas;
	if (code == ERR_OK)
		code = add_replicas(f, work, &prepared, family, replicas);
	prepared.note.created = 0;
	for (; i < count && code == ERR_OK; i++) {
		if (changes[i].replicas == JOB_NONE)
			continue;
		prepared.job.submit = changes[i].at;
		if (changes[i].replicas > replicas)
			code = add_replicas(f, work, &prepared, family,
					    changes[i].replicas - replicas);
		replicas = changes[i].replicas;
	}
	return code;
}

/* ---- the whole ---- */

static bool is_forced(const struct objects_work *work)
{
	const struct yaml_node *value =
		yaml_find(work->pod.annotations, "kueue.x-k8s.io/safe-to-forcefully-delete");

	return value != NULL && yaml_text_is(value, "true");
}

static enum err_code finish(struct fields *f, struct objects_work *work,
			    const struct service_fields *fields)
{
	work->common.flags |= JOB_NOT_GANG;
	work->control.controller =
		is_stateful(work) ? CONTROLLER_STATEFUL_SET : CONTROLLER_REPLICA_SET;
	work->control.ordered = is_stateful(work) && fields->parallel == 0;
	if (work->own.duration == OBJECTS_OWN_MISSING)
		work->job.duration = JOB_ENDLESS;
	if (is_stateful(work))
		work->common.flags |=
			(uint16_t)(JOB_POD_GROUP | (is_forced(work) ? JOB_FORCED : 0));
	else if (work->common.queue != NAME_NONE)
		work->common.flags |= JOB_SINGLE_POD;
	if (is_stateful(work) || work->common.queue == NAME_NONE ||
	    (fields->replicas == 1 && work->control.change_count == 0))
		return add_whole(f, work, fields->replicas);
	return add_each(f, work, fields->replicas);
}

/* A later version of the object scales it. */
static enum err_code change(struct fields *f, const struct object *object, uint32_t replicas)
{
	builder_job_change(
		f->builder, object->name, object->ns,
		(struct job_change){.at = object->at, .replicas = replicas, .suspend = -1},
		object->where);
	return ERR_OK;
}

/* Kueue has no integration for ReplicaSets: it knows their pods, by the template's labels. */
static struct object without_labels(struct fields *f, const struct objects_work *work)
{
	const struct yaml_node *queue = yaml_find(work->object->labels, OBJECTS_WORK_QUEUE_NAME);
	struct object bare = *work->object;

	if (queue != NULL && yaml_find(work->pod.labels, OBJECTS_WORK_QUEUE_NAME) == NULL)
		fields_fault(f, FINDING_WARNING, "input-warning", queue,
			     "write it into the labels of spec.template, or make it a Deployment",
			     "label " OBJECTS_WORK_QUEUE_NAME " of a ReplicaSet has no effect: "
			     "Kueue takes its pods one by one, by their own labels");
	bare.labels = NULL;
	return bare;
}

enum err_code objects_service(struct fields *f, const struct object *object)
{
	static const struct field rows[] = {
		OBJECT_HEAD,
		{.key = "spec", .read = fields_nested, .arg = service_spec_rows, .required = true},
		{.key = NULL},
	};
	struct service_fields fields = {.replicas = 1};
	struct objects_work work;
	struct object bare;
	enum err_code code;
	size_t mark;

	objects_work_begin(&work, object);
	code = fields_map(f, object->node, rows, &fields);
	if (code != ERR_OK || object->at != KIND_ALWAYS)
		return code != ERR_OK ? code : change(f, object, fields.replicas);
	mark = fields_enter(f, "spec.template");
	code = objects_pod_template(f, fields.template, &work.pod);
	fields_leave(f, mark);
	work.owner = owner_selector(f, object, &fields.selector);
	if (strcmp(work.kind, "ReplicaSet") == 0) {
		bare = without_labels(f, &work);
		work.object = &bare;
	}
	if (code == ERR_OK)
		code = objects_work_head(f, &work);
	/* deployment_webhook.go gives them its queue and its class, no time limit. */
	if (code == ERR_OK && !is_stateful(&work))
		code = objects_work_pod_labels(f, &work);
	if (code == ERR_OK)
		code = objects_work_check_failures(f, &work);
	if (code != ERR_OK || !objects_work_matters(f, &work))
		return code;
	work.control.restarts = true; /* restartPolicy can only be Always */
	return finish(f, &work, &fields);
}
