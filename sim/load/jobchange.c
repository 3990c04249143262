#include "sim/load/jobchange.h"

#include <string.h>

#include "sim/scenario/draft.h"

void jobchange_add(struct mem_arena *arena, const struct job_change **changes, uint32_t *count,
		   struct job_change change)
{
	struct job_change *longer = mem_arena_alloc(arena, (*count + 1u) * sizeof(*longer));
	uint32_t at = *count;

	while (at > 0 && (*changes)[at - 1].at > change.at)
		at--;
	if (at > 0)
		memcpy(longer, *changes, at * sizeof(*longer));
	if (at < *count)
		memcpy(longer + at + 1, *changes + at, (*count - at) * sizeof(*longer));
	longer[at] = change;
	*changes = longer;
	(*count)++;
}

/* A service has as many places for pods as it ever has replicas, an elastic Job as it
 * ever has parallelism. */
static void make_room(struct builder *builder, struct job *job, struct job_control *control,
		      uint32_t replicas)
{
	struct job_common common = *job->common;
	struct pod_set set = builder->pod_sets[common.first_pod_set];

	bool is_job = control->controller == CONTROLLER_JOB;

	if ((is_job && !control->elastic) || replicas == JOB_NONE)
		return;
	if (is_job && replicas > control->completions)
		replicas = control->completions;
	if (replicas <= set.count)
		return;
	set.count = set.min_count = replicas;
	if (!is_job)
		control->completions = replicas;
	common.first_pod_set = builder_pod_sets(builder, &set, 1);
	job->common = draft_common(builder, &common);
}

static void apply(struct builder *builder, uint32_t job, const struct draft_change *change)
{
	struct job_extra *extra = &builder->extras[builder->jobs[job].extra];
	struct job_control *control = mem_arena_alloc(builder->arena, sizeof(*control));

	*control = *extra->control;
	if (change->change.replicas != JOB_NONE && control->controller == CONTROLLER_JOB &&
	    !control->elastic)
		draft_finding(builder, FINDING_NOT_MODELLED, change->where,
			      "gqsim/at: the parallelism of \"%s\" stays as it is, for the Job is "
			      "not elastic",
			      name_text(builder->strings, change->name));
	make_room(builder, &builder->jobs[job], control, change->change.replicas);
	jobchange_add(builder->arena, &control->changes, &control->change_count, change->change);
	extra->control = control;
}

void jobchange_apply(struct builder *builder)
{
	static const struct finding_rule rule = {"object-missing", FINDING_WARNING};
	struct draft_index jobs;

	if (builder->change_count == 0)
		return;
	draft_index_init(&jobs, builder->job_count);
	for (uint32_t i = 0; i < builder->job_count; i++) {
		const struct job *job = &builder->jobs[i];

		if (job->extra != JOB_NONE && builder->extras[job->extra].control != NULL)
			draft_index_put(&jobs, job->name, job->common->ns, i, false);
	}
	for (uint32_t i = 0; i < builder->change_count; i++) {
		const struct draft_change *change = &builder->changes[i];
		uint32_t job = draft_index_get(&jobs, change->name, change->ns);

		if (job != NAME_NONE)
			apply(builder, job, change);
		else
			draft_fault(
				builder, &rule, change->where,
				"correct its name or namespace; a Deployment of a queue, which is "
				"a job a replica, is changed by gqsim/replicas-at",
				"gqsim/at: there is no \"%s\" in namespace \"%s\" that this "
				"could change: it has no effect",
				name_text(builder->strings, change->name),
				name_text(builder->strings, change->ns));
	}
	builder->change_count = 0;
	draft_index_free(&jobs);
}
