#include "sim/load/resolve_class.h"

#include <stdio.h>
#include <string.h>

#include "sim/scenario/kueue_gates.h"

/* Built into every cluster (kube-apiserver's bootstrap objects). */
#define SYSTEM_CLUSTER_CRITICAL 2000000000
#define SYSTEM_NODE_CRITICAL	2000001000

static bool is_absent_class(const struct resolver *r)
{
	const struct placed *pods = &r->placed[KIND_PRIORITY_CLASS];

	return r->scenario->priority_classes[pods->total + r->default_workload_class].absent;
}

/* Spec KUEUE.md 9: workloads whose job names no WorkloadPriorityClass have this one. */
static void find_default_workload_class(struct resolver *r)
{
	struct name_table *strings = r->builder->strings;
	uint32_t name = name_find(strings, "default");

	r->default_workload_class = SCENARIO_NONE;
	if (name != NAME_NONE &&
	    kueue_gates_read(&r->scenario->config, strings).default_workload_class)
		r->default_workload_class =
			resolve_lookup(r, KIND_WORKLOAD_PRIORITY_CLASS, name, NAME_NONE);
	if (r->default_workload_class != SCENARIO_NONE && is_absent_class(r))
		r->default_workload_class = SCENARIO_NONE;
}

/* The lowest value wins if several say that they are the default. */
static void find_default_class(struct resolver *r)
{
	const struct priority_class *classes = r->scenario->priority_classes;

	r->default_class = SCENARIO_NONE;
	for (uint32_t i = 0; i < r->placed[KIND_PRIORITY_CLASS].live; i++)
		if (classes[i].global_default &&
		    (r->default_class == SCENARIO_NONE ||
		     classes[i].value < classes[r->default_class].value))
			r->default_class = i;
}

static bool system_class(const char *name, int32_t *value)
{
	if (strcmp(name, "system-cluster-critical") == 0)
		*value = SYSTEM_CLUSTER_CRITICAL;
	else if (strcmp(name, "system-node-critical") == 0)
		*value = SYSTEM_NODE_CRITICAL;
	else
		return false;
	return true;
}

static enum err_code unknown_class(struct resolver *r, uint32_t job)
{
	static const struct finding_rule rule = {"object-missing", FINDING_WARNING};
	struct place where = draft_job_place(r->builder, job);
	const char *name = resolve_text(r, r->scenario->jobs[job].common->priority_class);
	bool of_pods;

	if (draft_left_out(r->builder, "WorkloadPriorityClass", name) ||
	    draft_left_out(r->builder, "PriorityClass", name))
		return ERR_OK;
	if ((r->scenario->jobs[job].common->flags & JOB_MANIFEST) == 0)
		return draft_index_put(&r->told_classes,
				       r->scenario->jobs[job].common->priority_class, NAME_NONE,
				       job, false) != NAME_NONE
			       ? ERR_OK
			       : resolve_fault(
					 r, ERR_UNKNOWN, where,
					 "define a WorkloadPriorityClass or PriorityClass of that "
					 "name, or leave it out for priority 0",
					 "priority class \"%s\" does not exist", name);
	of_pods = (r->scenario->jobs[job].common->flags & JOB_CLASS_OF_PODS) != 0;
	draft_fault(r->builder, &rule, where,
		    of_pods ? "give the PriorityClass, or correct the name"
			    : "give the WorkloadPriorityClass, or correct the label",
		    of_pods ? "job \"%s\" names PriorityClass \"%s\", which is not in the input: "
			      "without it a cluster would not create its pods; it runs here with "
			      "the default priority"
			    : "job \"%s\" names WorkloadPriorityClass \"%s\" in a label, which is "
			      "not in the input: Kueue would make no Workload of the job, plain "
			      "Kubernetes does not look at the label; it runs here with the "
			      "default priority",
		    resolve_text(r, r->scenario->jobs[job].name), name);
	return ERR_OK;
}

/* A manifest's label: it never means a PriorityClass. */
static bool in_label(const struct job_common *common)
{
	return (common->flags & JOB_MANIFEST) != 0 && (common->flags & JOB_CLASS_OF_PODS) == 0;
}

/* Kueue's class of the job: its label names one, its pods' templates never do
 * (jobframework.ExtractPriority); a row may mean either. */
static uint32_t workload_class(const struct resolver *r, const struct job_common *common)
{
	return common->priority_class == NAME_NONE || (common->flags & JOB_CLASS_OF_PODS) != 0
		       ? SCENARIO_NONE
		       : resolve_lookup(r, KIND_WORKLOAD_PRIORITY_CLASS, common->priority_class,
					NAME_NONE);
}

/* A Workload's priority is known; its class is that of its pods unless Kueue has one of
 * the name. */
static void resolve_pod_priority(const struct resolver *r, struct job_common *common)
{
	uint32_t class = r->default_class;

	if (common->priority_class != NAME_NONE && workload_class(r, common) == SCENARIO_NONE)
		class = resolve_lookup(r, KIND_PRIORITY_CLASS, common->priority_class, NAME_NONE);
	if (class == SCENARIO_NONE)
		return;
	common->pod_priority = r->scenario->priority_classes[class].value;
	common->flags |=
		r->scenario->priority_classes[class].never_preempts ? JOB_NEVER_PREEMPTS : 0;
}

/* Spec KUEUE.md 1.5 for the workload; its pods only know PriorityClasses. */
enum err_code resolve_class_priority(struct resolver *r, uint32_t index, struct job_common *common)
{
	const struct priority_class *classes = r->scenario->priority_classes;
	uint32_t workload = SCENARIO_NONE, pod = SCENARIO_NONE;
	bool system = false;

	if ((common->flags & JOB_PRIORITY_GIVEN) != 0) {
		resolve_pod_priority(r, common);
		return ERR_OK;
	}
	if (common->priority_class != NAME_NONE) {
		workload = workload_class(r, common);
		if (!in_label(common))
			pod = resolve_lookup(r, KIND_PRIORITY_CLASS, common->priority_class,
					     NAME_NONE);
		system = pod == SCENARIO_NONE && workload == SCENARIO_NONE && !in_label(common) &&
			 system_class(resolve_text(r, common->priority_class),
				      &common->pod_priority);
		if (workload == SCENARIO_NONE && pod == SCENARIO_NONE && !system &&
		    unknown_class(r, index) != ERR_OK)
			return r->err->code;
	}
	if (common->priority_class == NAME_NONE ||
	    (workload == SCENARIO_NONE && (pod != SCENARIO_NONE || system)))
		workload = r->default_workload_class;
	if (common->priority_class == NAME_NONE && workload != SCENARIO_NONE)
		common->priority_class = name_find(r->builder->strings, "default");
	if (pod == SCENARIO_NONE && !system)
		pod = r->default_class;
	if (pod != SCENARIO_NONE) {
		common->pod_priority = classes[pod].value;
		common->flags |= classes[pod].never_preempts ? JOB_NEVER_PREEMPTS : 0;
	}
	common->priority = workload != SCENARIO_NONE
				   ? classes[r->placed[KIND_PRIORITY_CLASS].total + workload].value
				   : common->pod_priority;
	return ERR_OK;
}

/* A workload's class is one thing, its pods' another. */
void resolve_class_apply(struct resolver *r)
{
	const struct priority_class *classes = r->scenario->priority_classes;

	for (uint32_t i = 0; i < r->builder->note_count; i++) {
		const struct job_note *note = &r->builder->notes[i];
		struct job *job = &r->scenario->jobs[note->job];
		struct job_common common;
		uint32_t class = note->pod_class == NAME_NONE
					 ? SCENARIO_NONE
					 : resolve_lookup(r, KIND_PRIORITY_CLASS, note->pod_class,
							  NAME_NONE);

		if (note->pod_class == NAME_NONE)
			continue;
		common = *job->common;
		if (class == SCENARIO_NONE) {
			system_class(resolve_text(r, note->pod_class), &common.pod_priority);
		} else {
			common.pod_priority = classes[class].value;
			common.flags &= (uint16_t)~JOB_NEVER_PREEMPTS;
			common.flags |= classes[class].never_preempts ? JOB_NEVER_PREEMPTS : 0;
		}
		job->common = draft_common(r->builder, &common);
	}
}

/* Is the name that of a class that pods can have? */
static bool is_pod_class(const struct resolver *r, uint32_t name)
{
	int32_t value;

	return resolve_lookup(r, KIND_PRIORITY_CLASS, name, NAME_NONE) != SCENARIO_NONE ||
	       system_class(resolve_text(r, name), &value);
}

static bool scopes_ask_for_classes(const struct scenario *s)
{
	for (uint32_t i = 0; i < s->resource_quota_count; i++) {
		for (uint32_t k = 0; k < s->resource_quotas[i].scope_count; k++) {
			if (s->resource_quotas[i].scopes[k].name == SCOPE_PRIORITY_CLASS)
				return true;
		}
	}
	return false;
}

/* Only scopes of quotas ask for the names. */
void resolve_class_name_pods(struct resolver *r)
{
	struct scenario *s = r->scenario;
	uint32_t usual = r->default_class == SCENARIO_NONE
				 ? NAME_NONE
				 : s->priority_classes[r->default_class].name;

	if (!scopes_ask_for_classes(s))
		return;
	s->pod_classes = mem_arena_alloc(r->builder->arena, s->job_count * sizeof(*s->pod_classes));
	for (uint32_t i = 0; i < s->job_count; i++) {
		uint32_t name = s->jobs[i].common->priority_class;

		s->pod_classes[i] = name != NAME_NONE && is_pod_class(r, name) ? name : usual;
	}
	for (uint32_t i = 0; i < r->builder->note_count; i++) {
		const struct job_note *note = &r->builder->notes[i];

		if (note->pod_class != NAME_NONE && is_pod_class(r, note->pod_class))
			s->pod_classes[note->job] = note->pod_class;
	}
}

void resolve_class_defaults(struct resolver *r)
{
	find_default_class(r);
	find_default_workload_class(r);
}
