#include "sim/objects/objects_barepod.h"

#include "sim/objects/objects_podgroup.h"

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

/* restartPolicy is Always unless said otherwise. */
static bool restarts(const struct yaml_node *spec)
{
	const struct yaml_node *policy = yaml_find(spec, "restartPolicy");

	return policy == NULL || !yaml_text_is(policy, "Never");
}

enum err_code objects_barepod(struct fields *f, const struct object *object)
{
	static const struct field rows[] = {
		OBJECT_HEAD,
		{.key = "spec", .read = fields_keep, .required = true},
		{.key = NULL},
	};
	const char *why = left_out(object);
	const struct yaml_node *spec = NULL;
	struct objects_work work;
	enum err_code code;
	size_t mark;

	if (why != NULL) {
		tally_add(f->tally, FINDING_NOTE, object->where, why);
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
	work.pods = work.min_pods = 1;
	work.control.completions = 1;
	work.control.controller = CONTROLLER_NONE;
	work.control.restarts = restarts(spec);
	if (work.own.duration == OBJECTS_OWN_MISSING)
		work.job.duration = JOB_ENDLESS;
	work.job.flags |= JOB_NOT_GANG | JOB_SINGLE_POD;
	return objects_podgroup_names(object) ? objects_podgroup_add(f, &work)
					      : objects_work_finish(f, &work);
}
