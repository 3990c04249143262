#include "sim/objects/objects_jobset.h"

#include "sim/objects/objects_jobspec.h"

#define BACKOFF_LIMIT 6 /* of a Job, unless it says otherwise */

/* ---- one replicated job ---- */

struct replicated_job {
	uint32_t name; /* string */
	uint32_t replicas;
	struct objects_jobspec spec;
	const struct yaml_node *metadata; /* of its Jobs */
	const struct yaml_node *depends;
};

#define REPLICATED(member) offsetof(struct replicated_job, member)

static const struct field job_template_rows[] = {
	{.key = "metadata", .read = fields_keep, .offset = REPLICATED(metadata)},
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
	{.key = "dependsOn", .read = fields_keep, .offset = REPLICATED(depends)},
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

struct dependency {
	uint32_t name; /* string */
	int done;
};

static const struct fields_word dependency_words[] = {{"Ready", 0}, {"Complete", 1}, {NULL, 0}};

static const struct field dependency_rows[] = {
	{.key = "name",
	 .read = fields_string,
	 .offset = offsetof(struct dependency, name),
	 .required = true},
	{.key = "status",
	 .read = fields_enum,
	 .offset = offsetof(struct dependency, done),
	 .arg = dependency_words,
	 .required = true},
	{.key = NULL},
};

/* The last set comes after one of those from first on. */
static enum err_code depend(struct fields *f, const struct yaml_node *item,
			    struct objects_roles *roles, uint32_t first)
{
	struct dependency on = {.name = NAME_NONE};
	enum err_code code = fields_map(f, item, dependency_rows, &on);
	uint32_t before = first, last = roles->count - 1;

	if (code != ERR_OK)
		return code;
	while (before < last && roles->sets[before].name != on.name)
		before++;
	if (before == last)
		return fields_error(f, ERR_VALUE, item,
				    "dependsOn \"%.100s\": no replicated job before this one has "
				    "that name",
				    name_text(builder_strings(f->builder), on.name));
	objects_roles_after(roles, last, before, on.done != 0);
	return ERR_OK;
}

/* How long its Jobs take where others wait until they are done. */
static enum err_code take_work(struct fields *f, const struct replicated_job *job,
			       struct objects_roles *roles)
{
	const struct yaml_node *annotations = yaml_find(job->metadata, "annotations");
	struct objects_own own;
	enum err_code code = objects_own_read(f, annotations, &own);

	if (code == ERR_OK && own.duration == JOB_ENDLESS)
		code = fields_error(f, ERR_VALUE, annotations,
				    "gqsim/duration of a replicated job: it must end");
	if (code == ERR_OK)
		roles->works[roles->count - 1] = own.duration;
	return code;
}

static enum err_code take_order(struct fields *f, const struct replicated_job *job,
				struct objects_roles *roles, uint32_t first)
{
	enum err_code code = take_work(f, job, roles);

	if (code == ERR_OK && job->depends != NULL)
		code = fields_want_list(f, job->depends);
	for (uint32_t i = 0; code == ERR_OK && job->depends != NULL && i < job->depends->count; i++)
		code = depend(f, job->depends->items[i], roles, first);
	return code;
}

/* first: set of the first one. */
static enum err_code add_replicated(struct fields *f, const struct yaml_node *item,
				    struct objects_roles *roles, uint32_t first)
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
	code = objects_roles_add(f, roles,
				 &(struct objects_role){
					 .name = name_text(builder_strings(f->builder), job.name),
					 .pods = (uint64_t)job.replicas * pods,
					 .template = job.spec.template,
					 .path = "template.spec.template",
					 .place = item,
				 });
	return code != ERR_OK ? code : take_order(f, &job, roles, first);
}

/* ---- the spec ---- */

struct jobset_spec {
	const struct yaml_node *jobs, *suspend;
	uint32_t restarts;
	int in_order;
};

#define JOBSET(member) offsetof(struct jobset_spec, member)

static const struct field failure_rows[] = {
	{.key = "maxRestarts", .read = fields_count, .offset = JOBSET(restarts)},
	{.key = "restartStrategy"},
	{.key = "rules", .read = objects_roles_beyond, .arg = "failurePolicy.rules"},
	{.key = NULL},
};

static const struct fields_word order_words[] = {{"AnyOrder", 0}, {"InOrder", 1}, {NULL, 0}};
static const struct objects_roles_word any_ends = {
	"Any", "successPolicy Any (it ends when all its jobs end here)"};

static const struct field startup_rows[] = {
	{.key = "startupPolicyOrder",
	 .read = fields_enum,
	 .offset = JOBSET(in_order),
	 .arg = order_words},
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

/* Each after all before it are ready. */
static void put_in_order(struct objects_roles *roles, uint32_t first)
{
	for (uint32_t set = first; set < roles->count; set++)
		for (uint32_t before = first; before < set; before++)
			objects_roles_after(roles, set, before, false);
}

enum err_code objects_jobset_spec(struct fields *f, const struct yaml_node *node,
				  struct objects_roles *roles)
{
	struct job_control *control = &roles->work.control;
	struct jobset_spec spec = {.jobs = NULL};
	uint32_t first = roles->count;
	enum err_code code = fields_map(f, node, spec_rows, &spec);
	size_t mark = fields_enter(f, "replicatedJobs");

	if (code == ERR_OK)
		code = fields_want_list(f, spec.jobs);
	for (uint32_t i = 0; code == ERR_OK && i < spec.jobs->count; i++) {
		size_t inner = fields_enter_index(f, i);

		code = add_replicated(f, spec.jobs->items[i], roles, first);
		fields_leave(f, inner);
	}
	fields_leave(f, mark);
	if (code != ERR_OK)
		return code;
	if (spec.in_order != 0)
		put_in_order(roles, first);
	if (roles->count != 0)
		control->backoff_limit = failures(control->backoff_limit, spec.restarts);
	objects_work_suspend(spec.suspend, &roles->work);
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
