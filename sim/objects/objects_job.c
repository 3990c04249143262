#include "sim/objects/objects_job.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "sim/objects/objects_jobspec.h"

struct job_fields {
	struct objects_jobspec spec;
	const struct yaml_node *started, *completed, *conditions; /* NULL: absent */
};

#define JOB(member) offsetof(struct job_fields, member)

static const struct field job_status_rows[] = {
	{.key = "startTime", .read = fields_keep, .offset = JOB(started)},
	{.key = "completionTime", .read = fields_keep, .offset = JOB(completed)},
	{.key = "conditions", .read = fields_keep, .offset = JOB(conditions)},
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

/* A Job that ran says how long it took. */
static void default_duration(struct objects_work *work, const struct job_fields *fields)
{
	work->started = objects_work_timestamp(fields->started);
	work->ended = objects_work_timestamp(fields->completed);
	if (work->ended == 0)
		work->ended = objects_work_condition(fields->conditions, "Failed", NULL);
	if (work->own.duration != OBJECTS_OWN_MISSING)
		return;
	if (work->started != 0 && work->ended >= work->started) {
		work->job.duration = (work->ended - work->started) * CLOCK_SECOND;
		return;
	}
	work->job.duration = CLOCK_HOUR;
	work->assumed = work->own.duration_count == 0;
}

/* Host names of the pods of an Indexed Job are NAME-INDEX, and DNS labels (ValidateJob). */
static enum err_code check_host_names(struct fields *f, const struct object *object,
				      const struct objects_jobspec *spec)
{
	char host[400];

	if (spec->mode != 1 || spec->completions == NAME_NONE || spec->completions == 0)
		return ERR_OK;
	snprintf(host, sizeof(host), "%.300s-%" PRIu32, f->name, spec->completions - 1);
	if (strlen(host) <= 63 && strchr(host, '.') == NULL)
		return ERR_OK;
	fields_error(f, ERR_VALUE, object->node,
		     "the API server refuses it: pods of an Indexed Job get host names such as "
		     "%.100s, which may have 63 characters and no dots",
		     host);
	return fields_fix(f, "shorten the name, or replace its dots by dashes");
}

/* A later version of the object: what of it may change during a run. */
static enum err_code change(struct fields *f, const struct object *object,
			    const struct objects_jobspec *spec)
{
	struct job_change change = {.at = object->at, .replicas = JOB_NONE, .suspend = -1};

	if ((spec->suspend == NULL || spec->suspend->kind != YAML_SCALAR) &&
	    spec->parallelism == NAME_NONE)
		return fields_error(
			f, ERR_VALUE, yaml_find(object->annotations, "gqsim/at"),
			"annotation gqsim/at: of a Job only suspend and the parallelism of an "
			"elastic one can change during a run; gqsim/submit-at says when a job "
			"comes");
	if (spec->suspend != NULL && spec->suspend->kind == YAML_SCALAR)
		change.suspend = yaml_text_is(spec->suspend, "true");
	if (spec->parallelism != NAME_NONE)
		change.replicas = spec->parallelism;
	builder_job_change(f->builder, object->name, object->ns, change, object->where);
	return ERR_OK;
}

/* The Job has errors; where they are told, those of its pods are, too. */
static enum err_code look_at_pods(struct fields *f, enum err_code code,
				  const struct objects_jobspec *spec, struct objects_work *work)
{
	enum err_code failed = ERR_OK;
	size_t mark = fields_enter(f, "spec.template");

	code = fields_gather(f, code, &failed);
	if (code == ERR_OK && spec->template != NULL)
		code = fields_gather(f, objects_pod_template(f, spec->template, &work->pod),
				     &failed);
	fields_leave(f, mark);
	return fields_gathered(f, code, failed);
}

enum err_code objects_job(struct fields *f, const struct object *object)
{
	static const struct field rows[] = {
		{.key = "apiVersion"},
		{.key = "kind"},
		{.key = "metadata"},
		{.key = "spec",
		 .read = fields_nested,
		 .offset = JOB(spec),
		 .arg = objects_jobspec_rows,
		 .required = true},
		{.key = "status", .read = fields_nested, .arg = job_status_rows},
		{.key = NULL},
	};
	struct job_fields fields = {0};
	struct objects_work work;
	enum err_code code;

	objects_jobspec_begin(&fields.spec);
	objects_work_begin(&work, object);
	code = fields_map(f, object->node, rows, &fields);
	if (code != ERR_OK)
		return look_at_pods(f, code, &fields.spec, &work);
	if (object->at != KIND_ALWAYS)
		return change(f, object, &fields.spec);
	code = objects_work_head(f, &work);
	if (code == ERR_OK)
		code = objects_jobspec_take(f, &fields.spec, &work);
	if (code == ERR_OK)
		code = check_host_names(f, object, &fields.spec);
	if (code != ERR_OK)
		return code;
	default_duration(&work, &fields);
	return objects_work_finish(f, &work);
}
