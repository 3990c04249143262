#include "sim/scenario/scenario.h"

#include <string.h>

#include <stdio.h>

void scenario_free(struct scenario *scenario)
{
	if (scenario == NULL)
		return;
	name_free(scenario->strings);
	name_free(scenario->resources);
	mem_arena_free(scenario->arena);
	mem_free(scenario);
}

const char *scenario_job_name(const struct scenario *scenario, uint32_t job,
			      char buf[SCENARIO_NAME_TEXT])
{
	const struct job *j = &scenario->jobs[job];

	if (j->name != NAME_NONE)
		return name_text(scenario->strings, j->name);
	snprintf(buf, SCENARIO_NAME_TEXT, "job-%u", j->row);
	return buf;
}

bool scenario_names_flavor(const struct check_ref *check, uint32_t name)
{
	for (uint32_t i = 0; i < check->flavor_count; i++) {
		if (check->flavors[i] == name)
			return true;
	}
	return false;
}

bool scenario_has_flavor(const struct cluster_queue *queue, uint32_t name)
{
	for (uint32_t g = 0; g < queue->group_count; g++)
		for (uint32_t i = 0; i < queue->groups[g].flavor_count; i++)
			if (queue->groups[g].flavor_names[i] == name)
				return true;
	return false;
}

uint32_t scenario_job_cluster_queue(const struct scenario *scenario, uint32_t job)
{
	uint32_t queue = scenario->jobs[job].common->local_queue;

	return queue == JOB_NONE ? SCENARIO_NONE : scenario->local_queues[queue].cluster_queue;
}

const char *scenario_string(const struct scenario *scenario, uint32_t string)
{
	return name_text(scenario->strings, string);
}

int64_t scenario_gpus(const struct scenario *scenario)
{
	int64_t gpus = 0;

	for (uint32_t i = 0; i < scenario->node_count; i++)
		if (!cluster_node_never(&scenario->nodes[i]))
			gpus = res_add(gpus, scenario->nodes[i].gpus);
	return gpus;
}

uint32_t scenario_nodes(const struct scenario *scenario)
{
	uint32_t nodes = 0;

	for (uint32_t i = 0; i < scenario->node_count; i++)
		nodes += !cluster_node_never(&scenario->nodes[i]);
	return nodes;
}

bool scenario_manages(const struct kueue_config *config, const struct name_table *strings,
		      const struct ns_record *ns)
{
	const char *own = config->kueue_namespace == NAME_NONE
				  ? "kueue-system"
				  : name_text(strings, config->kueue_namespace);

	if (config->managed_namespaces.present)
		return label_selector_matches(strings, &ns->labels, &config->managed_namespaces);
	return strcmp(name_text(strings, ns->name), "kube-system") != 0 &&
	       strcmp(name_text(strings, ns->name), own) != 0;
}

const struct job_control *scenario_job_control(const struct scenario *s, uint32_t job)
{
	uint32_t extra = s->extra_count == 0 ? JOB_NONE : s->jobs[job].extra;

	return extra == JOB_NONE ? NULL : s->extras[extra].control;
}

struct scenario_survey scenario_survey(const struct scenario *s, uint32_t *first_pod)
{
	struct scenario_survey survey = {.one_priority = true};
	uint32_t pods = 0, extras = 0, flags = 0;

	for (uint32_t i = 0; i < s->job_count; i++) {
		const struct job *job = &s->jobs[i];

		first_pod[i] = pods;
		pods += job->common->pods;
		extras += job->extra != JOB_NONE;
		flags |= job->common->flags;
		survey.one_priority = survey.one_priority &&
				      job->common->pod_priority == s->jobs[0].common->pod_priority;
	}
	first_pod[s->job_count] = pods;
	survey.solo = (flags & JOB_SOLO) != 0;
	survey.eventful = survey.solo || extras != 0;
	return survey;
}

bool scenario_job_elastic(const struct scenario *s, uint32_t job)
{
	const struct job_control *control = scenario_job_control(s, job);

	return control != NULL && control->elastic;
}

bool scenario_job_staged(const struct scenario *scenario, uint32_t job)
{
	const struct job_control *control = scenario_job_control(scenario, job);
	bool staged = false;

	for (uint32_t i = 0; control != NULL && i < control->startup_count; i++)
		staged = staged || control->startups[i].complete;
	return staged;
}

uint32_t scenario_job_completions(const struct scenario *s, uint32_t job)
{
	const struct job_control *control = scenario_job_control(s, job);

	return control == NULL ? s->jobs[job].common->pods : control->completions;
}

simtime scenario_job_work(const struct scenario *s, uint32_t job, uint32_t completion)
{
	const struct job_control *control = scenario_job_control(s, job);

	if (control == NULL || control->duration_count == 0)
		return s->jobs[job].duration;
	return control
		->durations[completion < control->duration_count ? completion
								 : control->duration_count - 1];
}

static bool adds_node(const struct update *u)
{
	return u->kind == UPDATE_NODE && u->object == SCENARIO_NONE;
}

uint32_t scenario_added_nodes(const struct scenario *s)
{
	uint32_t added = 0;

	for (uint32_t i = 0; i < s->update_count; i++)
		added += adds_node(&s->updates[i]);
	return added;
}

/* Later versions of an added node name its first record. */
uint32_t scenario_updated_node(const struct scenario *s, uint32_t update)
{
	const struct update *u = &s->updates[update];
	uint32_t node = s->node_count;

	if (u->object < s->node_count)
		return u->object;
	for (uint32_t i = 0; i < s->update_count; i++) {
		if (!adds_node(&s->updates[i]))
			continue;
		if (i == update || s->updates[i].version == u->object)
			break;
		node++;
	}
	return node;
}
