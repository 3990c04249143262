/* kueue_tables_preempt.c - whom an incoming workload preempts, its flavors given. */
#include <stdio.h>
#include <string.h>

#include "sim/kueue/kueue_message.h"
#include "sim/kueue/kueue_preempt.h"
#include "tests/conformance/kueue_tables.h"

static bool start(struct table_case *c, uint32_t *incoming)
{
	const struct yaml_node *admitted = yaml_find(c->root, "admitted");
	const struct yaml_node *node = yaml_find(c->root, "incoming");

	if (!table_read_objects(c))
		return false;
	for (uint32_t i = 0; i < table_count(admitted); i++)
		table_add(c, admitted->items[i], NULL);
	table_add(c, node, table_text(c->root, "targetCQ"));
	if (!table_start(c))
		return false;
	for (uint32_t j = 0; j < c->workload_count; j++) {
		if (c->workloads[j].node == node)
			*incoming = j;
	}
	if (*incoming == JOB_NONE || c->k->jobs[*incoming].class == KUEUE_NONE)
		return table_differ(c, "incoming: no workload with a queue");
	return true;
}

/* Asks for victims with these choices; counts are those of the pod sets. */
static void search(struct table_case *c, uint32_t job, struct kueue_assignment *a)
{
	struct kueue *k = c->k;
	const struct kueue_form *form = kueue_form_of(k, job);
	struct kueue_search search = {.job = job,
				      .queue = kueue_queue_of(k, job),
				      .columns = k->search_columns,
				      .request = k->search_request};

	for (uint32_t i = 0; i < form->slot_count; i++) {
		if (a->choices[i].flavor != KUEUE_NONE && a->choices[i].mode == MODE_PREEMPT)
			k->search_columns[search.column_count++] =
				kueue_column(k, a->choices[i].flavor, form->slots[i].resource);
	}
	search.request_count = kueue_flavor_request(k, job, a, k->search_request);
	kueue_preempt_search(k, &search);
}

static uint32_t flavor_index(const struct table_case *c, const char *name)
{
	for (uint32_t f = 0; f < c->k->flavor_count; f++) {
		if (strcmp(table_flavor_name(c, f), name) == 0)
			return f;
	}
	return KUEUE_NONE;
}

static struct kueue_choice given_choice(const struct table_case *c, const struct yaml_node *set,
					uint32_t resource)
{
	const struct yaml_node *flavors = yaml_find(set, "flavors");
	const struct yaml_node *given = yaml_find(flavors, table_resource_name(c, resource));

	if (given == NULL)
		return (struct kueue_choice){.flavor = KUEUE_NONE};
	return (struct kueue_choice){.flavor = flavor_index(c, table_text(given, "flavor")),
				     .mode = strcmp(table_text(given, "mode"), "Preempt") == 0
						     ? MODE_PREEMPT
						     : MODE_FIT};
}

/* Was the victim told to stop before? */
static bool is_news(const struct table_case *c, uint32_t job)
{
	return !c->k->holds[c->k->jobs[job].hold].evicted;
}

static const char *reason_text(const struct kueue_target *t)
{
	return kueue_preemption_text((enum kueue_preemption)t->reason);
}

static const struct kueue_target *target_of(const struct table_case *c, uint32_t job)
{
	for (size_t i = 0; i < c->k->target_count; i++) {
		if (c->k->targets[i].job == job)
			return &c->k->targets[i];
	}
	return NULL;
}

static bool check_target(struct table_case *c, const char *key, const char *reason)
{
	uint32_t job = table_job(c, key);
	const struct kueue_target *t = target_of(c, job);

	if (t == NULL)
		return table_differ(c, "%s should be preempted (%s) and is not", key, reason);
	if (strcmp(reason_text(t), reason) != 0)
		return table_differ(c, "%s is preempted for %s, not for %s", key, reason_text(t),
				    reason);
	return true;
}

/* As many as wanted: so there is one too much. */
static bool check_count(struct table_case *c, uint32_t wanted)
{
	char names[1000] = "";
	size_t used = 0;

	if (c->k->target_count == wanted)
		return true;
	for (size_t i = 0; i < c->k->target_count && used < sizeof(names) - 1; i++)
		used += (size_t)snprintf(names + used, sizeof(names) - used, " %s",
					 c->workloads[c->k->targets[i].job].key);
	return table_differ(c, "%zu are preempted, not %u:%s", c->k->target_count, wanted, names);
}

const char *table_cause(const char *message)
{
	const char *cause = strstr(message, " due to ");

	return cause == NULL ? message : cause;
}

static bool check_message(struct table_case *c, const struct yaml_node *wanted, uint32_t by)
{
	uint32_t job = table_job(c, table_text(wanted, "metadata.name"));
	const struct kueue_target *t = job == JOB_NONE ? NULL : target_of(c, job);
	const char *want = table_cause(table_text(table_condition(wanted, "Preempted"), "message"));
	const char *got;

	if (t == NULL || !is_news(c, job))
		return true;
	got = kueue_message_preempted(c->k, by, (enum kueue_preemption)t->reason,
				      c->k->holds[c->k->jobs[job].hold].queue);
	if (strcmp(table_cause(got), want) != 0)
		return table_differ(c, "%s is told \"%s\", not \"%s\"", c->workloads[job].key,
				    table_cause(got), want);
	return true;
}

static bool check_preemption(struct table_case *c, uint32_t by)
{
	const struct yaml_node *targets = yaml_find(c->want, "targets");
	const struct yaml_node *workloads = yaml_find(c->want, "workloads");
	uint32_t news = 0;
	bool fine = true;

	for (uint32_t i = 0; i < table_count(targets) && fine; i++)
		fine = check_target(c, table_text(targets->items[i], "workload"),
				    table_text(targets->items[i], "reason"));
	for (size_t i = 0; i < c->k->target_count; i++)
		news += is_news(c, c->k->targets[i].job);
	fine = fine && check_count(c, (uint32_t)table_number(c->want, "preempted"));
	if (fine && news > table_count(targets))
		fine = table_differ(c, "%u are told to stop, not %u", news, table_count(targets));
	for (uint32_t i = 0; i < table_count(workloads) && fine; i++)
		fine = check_message(c, workloads->items[i], by);
	return fine;
}

bool table_preemption(struct table_case *c)
{
	const struct yaml_node *sets = yaml_find(c->root, "assignment");
	struct kueue_assignment a;
	uint32_t job = JOB_NONE;
	bool fine;

	if (!start(c, &job))
		return false;
	if (table_count(sets) > kueue_form_of(c->k, job)->set_count)
		return table_differ(c, "assignment: more pod sets than the workload has");
	kueue_assignment_init(c->k, &a);
	a.set_count = table_count(sets);
	for (uint32_t s = 0; s < a.set_count; s++) {
		const struct kueue_form *form = kueue_form_of(c->k, job);

		a.sets[s].count = (uint32_t)table_number(sets->items[s], "count");
		for (uint32_t i = form->first[s]; i < form->first[s + 1]; i++)
			a.choices[i] = given_choice(c, sets->items[s], form->slots[i].resource);
	}
	search(c, job, &a);
	fine = check_preemption(c, job);
	kueue_assignment_free(&a);
	return fine;
}

/* "ns/name:Reason" */
static bool check_fair(struct table_case *c)
{
	const struct yaml_node *targets = yaml_find(c->want, "targets");
	bool fine = true;

	for (uint32_t i = 0; i < table_count(targets) && fine; i++) {
		const char *text = table_text(targets->items[i], "");
		const char *colon = strrchr(text, ':');
		char key[256];

		if (colon == NULL)
			return table_differ(c, "targets: \"%s\" has no reason", text);
		snprintf(key, sizeof(key), "%.*s", (int)(colon - text), text);
		fine = check_target(c, key, colon + 1);
	}
	return fine && check_count(c, table_count(targets));
}

bool table_fair_preemption(struct table_case *c)
{
	const char *flavor = table_text(c->root, "assignmentFlavor");
	struct kueue_assignment a;
	uint32_t job = JOB_NONE;
	const struct kueue_form *form;
	bool fine;

	if (!start(c, &job))
		return false;
	form = kueue_form_of(c->k, job);
	kueue_assignment_init(c->k, &a);
	a.set_count = 1;
	a.sets[0].count = c->scenario->pod_sets[form->first_pod_set].count;
	for (uint32_t i = 0; i < form->slot_count; i++)
		a.choices[i] = (struct kueue_choice){
			.flavor = form->slots[i].resource == RES_CPU
					  ? flavor_index(c, *flavor == '\0' ? "default" : flavor)
					  : KUEUE_NONE,
			.mode = MODE_PREEMPT};
	search(c, job, &a);
	fine = check_fair(c);
	kueue_assignment_free(&a);
	return fine;
}
