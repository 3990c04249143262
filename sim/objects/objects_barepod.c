#include "sim/objects/objects_barepod.h"

#include "sim/objects/objects_podgroup.h"

static bool has_ended(const struct yaml_node *status)
{
	const struct yaml_node *phase = yaml_find(status, "phase");

	return phase != NULL && (yaml_text_is(phase, "Succeeded") || yaml_text_is(phase, "Failed"));
}

/* Kueue labels the pods of all that it lets in (jobframework: getPodSetsInfoFromStatus);
 * one with a queue's name has a Workload of its own. */
static bool let_in(const struct object *object, const struct objects_work *work)
{
	return work->common.queue == NAME_NONE &&
	       (yaml_find(object->labels, "kueue.x-k8s.io/podset") != NULL ||
		yaml_find(object->annotations, "kueue.x-k8s.io/workload") != NULL);
}

/* Unless its template says otherwise it is restarted always. */
static bool restarts(const struct yaml_node *spec, const char *unless)
{
	const struct yaml_node *policy = yaml_find(spec, "restartPolicy");

	return policy == NULL || !yaml_text_is(policy, unless);
}

/* What it is if nothing else in the input stands for it: one of a Job or the like, or of a
 * service that replaces it. */
static void take_life(const struct object *object, const struct yaml_node *spec,
		      struct objects_work *work)
{
	struct job_control *control = &work->control;
	bool owned = yaml_find(yaml_find(object->node, "metadata"), "ownerReferences") != NULL;
	bool always = restarts(spec, "Never") && restarts(spec, "OnFailure");

	work->pods = work->min_pods = 1;
	control->completions = 1;
	control->restarts = restarts(spec, "Never");
	control->controller = owned && always ? CONTROLLER_REPLICA_SET : CONTROLLER_NONE;
	control->replicas = control->controller == CONTROLLER_REPLICA_SET ? 1 : 0;
	if (work->own.duration != OBJECTS_OWN_MISSING)
		return;
	work->assumed = owned && !always;
	work->job.duration = work->assumed ? CLOCK_HOUR : JOB_ENDLESS;
}

enum err_code objects_barepod(struct fields *f, const struct object *object)
{
	static const struct field rows[] = {
		OBJECT_HEAD,
		{.key = "spec", .read = fields_keep, .required = true},
		{.key = NULL},
	};
	const struct yaml_node *status = yaml_find(object->node, "status"), *spec = NULL;
	struct objects_work work;
	enum err_code code;
	size_t mark;

	objects_work_pod_seen(f, object, yaml_find(status, "conditions"));
	if (has_ended(status)) {
		tally_add(f->tally, FINDING_NOTE, object->where, "Pod that has ended: left out");
		return ERR_OK;
	}
	objects_work_begin(&work, object);
	code = fields_map(f, object->node, rows, &spec);
	if (code != ERR_OK)
		return code;
	mark = fields_enter(f, "spec");
	code = objects_pod_spec(f, spec, object->annotations, &work.pod);
	fields_leave(f, mark);
	if (code == ERR_OK)
		code = objects_work_head(f, &work);
	if (code == ERR_OK)
		code = objects_work_check_failures(f, &work);
	if (code != ERR_OK || !objects_work_matters(f, &work))
		return code;
	work.started = objects_work_timestamp(yaml_find(status, "startTime"));
	work.let_in = let_in(object, &work);
	take_life(object, spec, &work);
	work.common.flags |= JOB_NOT_GANG | JOB_SINGLE_POD;
	return objects_podgroup_names(object) ? objects_podgroup_add(f, &work)
					      : objects_work_finish(f, &work);
}
