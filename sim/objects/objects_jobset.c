#include "sim/objects/objects_jobset.h"

#include "sim/objects/objects_jobspec.h"

#define BACKOFF_LIMIT 6 /* of a Job, unless it says otherwise */

/* ---- one replicated job ---- */

struct replicated_job {
	uint32_t name; /* string */
	uint32_t replicas;
	struct objects_jobspec spec;
};

#define REPLICATED(member) offsetof(struct replicated_job, member)

static const struct field job_template_rows[] = {
	{.key = "metadata"},
	{.key = "spec",
	 .read = fields_nested,
	 .offset = REPLICATED(spec),
	 .arg = objects_jobspec_rows,
	 .required = true},
	{.key = NULL},
};

static const struct field replicated_rows[] = {
	{.key = "name", .read = fields_string, .offset = REPLICATED(name), .required = true},
	{.key = "groupName"},
	{.key = "replicas", .read = objects_work_count, .offset = REPLICATED(replicas)},
	{.key = "template", .read = fields_nested, .arg = job_template_rows, .required = true},
	{.key = "dependsOn",
	 .read = objects_roles_beyond,
	 .arg = "dependsOn (its jobs start together here)"},
	{.key = NULL},
};

/* As Kueue counts: what runs at once. */
static enum err_code pods_of(struct fields *f, const struct objects_jobspec *spec,
			     const struct yaml_node *place, uint32_t *pods)
{
	*pods = spec->parallelism != NAME_NONE ? spec->parallelism : 1;
	if (spec->completions == NAME_NONE || spec->completions == *pods)
		return ERR_OK;
	if (spec->completions > *pods)
		return fields_not_modelled(
			f, place, "completions beyond parallelism (its pods work once here)");
	*pods = spec->completions;
	return ERR_OK;
}

/* Which of its Jobs will fail nobody knows: the least limit holds. */
static void take_limits(const struct objects_jobspec *spec, struct job_control *control)
{
	uint32_t limit = spec->backoff_limit != NAME_NONE ? spec->backoff_limit : BACKOFF_LIMIT;

	if (limit < control->backoff_limit)
		control->backoff_limit = limit;
	if (spec->deadline != 0 && (control->deadline == 0 || spec->deadline < control->deadline))
		control->deadline = spec->deadline;
}

static enum err_code add_replicated(struct fields *f, const struct yaml_node *item,
				    struct objects_roles *roles)
{
	struct replicated_job job = {.name = NAME_NONE, .replicas = 1};
	enum err_code code;
	uint32_t pods = 1;

	objects_jobspec_begin(&job.spec);
	code = fields_map(f, item, replicated_rows, &job);
	if (code == ERR_OK)
		code = pods_of(f, &job.spec, item, &pods);
	if (code != ERR_OK)
		return code;
	take_limits(&job.spec, &roles->work.control);
	return objects_roles_add(f, roles,
				 &(struct objects_role){
					 .name = name_text(builder_strings(f->builder), job.name),
					 .pods = (uint64_t)job.replicas * pods,
					 .template = job.spec.template,
					 .path = "template.spec.template",
					 .place = item,
				 });
}

/* ---- the spec ---- */

struct jobset_spec {
	const struct yaml_node *jobs, *suspend;
	uint32_t restarts;
};

#define JOBSET(member) offsetof(struct jobset_spec, member)

static const struct field failure_rows[] = {
	{.key = "maxRestarts", .read = fields_count, .offset = JOBSET(restarts)},
	{.key = "restartStrategy"},
	{.key = "rules", .read = objects_roles_beyond, .arg = "failurePolicy.rules"},
	{.key = NULL},
};

static const struct objects_roles_word in_order = {
	"InOrder", "startupPolicyOrder InOrder (its jobs start together here)"};
static const struct objects_roles_word any_ends = {
	"Any", "successPolicy Any (it ends when all its jobs end here)"};

static const struct field startup_rows[] = {
	{.key = "startupPolicyOrder", .read = objects_roles_beyond_word, .arg = &in_order},
	{.key = NULL},
};

static const struct field success_rows[] = {
	{.key = "operator", .read = objects_roles_beyond_word, .arg = &any_ends},
	{.key = "targetReplicatedJobs"},
	{.key = NULL},
};

static const struct field spec_rows[] = {
	{.key = "replicatedJobs", .read = fields_keep, .offset = JOBSET(jobs), .required = true},
	{.key = "suspend", .read = fields_keep, .offset = JOBSET(suspend)},
	{.key = "failurePolicy", .read = fields_nested, .arg = failure_rows},
	{.key = "startupPolicy", .read = fields_nested, .arg = startup_rows},
	{.key = "successPolicy", .read = fields_nested, .arg = success_rows},
	{.key = "network"},
	{.key = "coordinator"},
	{.key = "managedBy"},
	{.key = "ttlSecondsAfterFinished"},
	{.key = "volumeClaimPolicies"},
	{.key = NULL},
};

/* A Job fails once it has more failures than its limit; the set restarts so often. */
static uint32_t failures(uint32_t limit, uint32_t restarts)
{
	uint64_t all = ((uint64_t)limit + 1) * ((uint64_t)restarts + 1) - 1;

	return all < JOB_NONE ? (uint32_t)all : JOB_NONE;
}

enum err_code objects_jobset_spec(struct fields *f, const struct yaml_node *node,
				  struct objects_roles *roles)
{
	struct job_control *control = &roles->work.control;
	struct jobset_spec spec = {.jobs = NULL};
	enum err_code code = fields_map(f, node, spec_rows, &spec);
	size_t mark = fields_enter(f, "replicatedJobs");

	if (code == ERR_OK)
		code = fields_want_list(f, spec.jobs);
	for (uint32_t i = 0; code == ERR_OK && i < spec.jobs->count; i++) {
		size_t inner = fields_enter_index(f, i);

		code = add_replicated(f, spec.jobs->items[i], roles);
		fields_leave(f, inner);
	}
	fields_leave(f, mark);
	if (code != ERR_OK)
		return code;
	if (roles->count != 0)
		control->backoff_limit = failures(control->backoff_limit, spec.restarts);
	objects_work_suspend(f, spec.suspend, &roles->work);
	return ERR_OK;
}

enum err_code objects_jobset(struct fields *f, const struct object *object)
{
	static const struct field rows[] = {
		OBJECT_HEAD,
		{.key = "spec", .read = fields_keep, .required = true},
		{.key = NULL},
	};
	const struct yaml_node *spec = NULL, *exclusive;
	struct objects_roles roles;
	enum err_code code = fields_map(f, object->node, rows, &spec);
	size_t mark;

	if (code == ERR_OK)
		code = objects_roles_begin(f, &roles, object);
	if (code != ERR_OK)
		return code;
	exclusive = yaml_find(object->annotations, "alpha.jobset.sigs.k8s.io/exclusive-topology");
	if (exclusive != NULL && fields_not_modelled(f, exclusive, "exclusive-topology") != ERR_OK)
		return f->err->code;
	mark = fields_enter(f, "spec");
	code = objects_jobset_spec(f, spec, &roles);
	fields_leave(f, mark);
	return code != ERR_OK ? code : objects_roles_finish(f, &roles, OBJECTS_ROLES_TRAINS);
}
