/* lint_queues.c - ClusterQueues and Cohorts that do not do what they look like. */
#include <stdio.h>

#include "sim/lint/lint_look.h"

static struct place place_of(const struct lint *l, uint32_t queue)
{
	return l->places->of[KIND_CLUSTER_QUEUE][queue].where;
}

static const char *name_of(const struct lint *l, uint32_t queue)
{
	return lint_string(l, l->s->cluster_queues[queue].name);
}

/* ---- cells: a queue's quota in one flavor and resource ---- */

static bool is_lent(const struct quota_cell *cell)
{
	return cell->nominal > 0 && cell->lending_limit != 0;
}

static bool is_lent_whole(const struct quota_cell *cell)
{
	return cell->nominal > 0 &&
	       (cell->lending_limit == QUOTA_ABSENT || cell->lending_limit >= cell->nominal);
}

/* The resources that have such a cell, "cpu, memory"; empty: none. */
static void list_cells(const struct lint *l, uint32_t queue,
		       bool (*test)(const struct quota_cell *), char *list, size_t size)
{
	size_t used = 0;

	list[0] = '\0';
	for (uint32_t g = 0; g < l->s->cluster_queues[queue].group_count; g++) {
		const struct resource_group *group = &l->s->cluster_queues[queue].groups[g];

		for (uint32_t r = 0; r < group->resource_count; r++) {
			bool found = false;

			for (uint32_t f = 0; f < group->flavor_count; f++)
				found |= test(&group->cells[f * group->resource_count + r]);
			if (found && used < size)
				used += (size_t)snprintf(list + used, size - used, "%s%.60s",
							 used > 0 ? ", " : "",
							 lint_resource(l, group->resources[r]));
		}
	}
}

/* ---- cohorts ---- */

static void check_cohort_of(const struct lint *l, uint32_t index)
{
	static const struct finding_rule rule = {"queue-without-cohort", FINDING_ADVICE};
	const struct cluster_queue *queue = &l->s->cluster_queues[index];

	if (queue->cohort == SCENARIO_NONE && l->s->cluster_queue_count > 1)
		draft_fault(
			l->builder, &rule, place_of(l, index),
			"put the queues that may share into one cohort (spec.cohortName)",
			"ClusterQueue \"%s\" is in no cohort: its idle quota is lent to nobody, "
			"and it borrows from nobody",
			name_of(l, index));
}

/* Does anybody else draw on the tree of this queue? */
static bool has_neighbours(const struct scenario *s, uint32_t index)
{
	uint32_t root = lint_root(s, s->cluster_queues[index].cohort);

	for (uint32_t i = 0; i < s->cluster_queue_count; i++) {
		if (i != index && s->cluster_queues[i].cohort != SCENARIO_NONE &&
		    lint_root(s, s->cluster_queues[i].cohort) == root)
			return true;
	}
	return false;
}

/* Per ClusterQueue: does it serve jobs without an end? */
static bool *find_endless(const struct lint *l)
{
	bool *endless = mem_calloc(l->s->cluster_queue_count, sizeof(*endless));

	for (uint32_t i = 0; i < l->alike->count; i++) {
		const struct alike_class *class = &l->alike->classes[i];
		uint32_t queue = scenario_job_cluster_queue(l->s, class->first);

		if (class->endless && queue != SCENARIO_NONE)
			endless[queue] = true;
	}
	return endless;
}

static void check_lending(const struct lint *l, uint32_t index, bool endless)
{
	static const struct finding_rule lends = {"lends-without-reclaim", FINDING_ADVICE},
					 inference = {"inference-lends-all", FINDING_ADVICE};
	const struct cluster_queue *queue = &l->s->cluster_queues[index];
	char lent[160];

	if (queue->cohort == SCENARIO_NONE || !has_neighbours(l->s, index))
		return;
	list_cells(l, index, is_lent, lent, sizeof(lent));
	if (queue->reclaim_within_cohort == PREEMPT_NEVER && lent[0] != '\0')
		draft_fault(l->builder, &lends, place_of(l, index),
			    "set preemption.reclaimWithinCohort: Any, or LowerPriority; or lend "
			    "nothing (lendingLimit: 0)",
			    "ClusterQueue \"%s\" lends its quota of %s but does not take it back "
			    "(reclaimWithinCohort Never): its own jobs wait until borrowers end",
			    name_of(l, index), lent);
	list_cells(l, index, is_lent_whole, lent, sizeof(lent));
	if (endless && lent[0] != '\0')
		draft_fault(l->builder, &inference, place_of(l, index),
			    "keep what a scale-up needs at once: lendingLimit below nominalQuota",
			    "ClusterQueue \"%s\" serves workloads without an end and lends all of "
			    "its %s: a scale-up waits until borrowers end or are preempted",
			    name_of(l, index), lent);
}

/* The sum of what a cohort's members bring, without its own. */
static int64_t members_quota(const struct scenario *s, uint32_t cohort, uint32_t flavor_name,
			     uint32_t resource)
{
	int64_t sum = 0;

	for (uint32_t i = 0; i < s->cluster_queue_count; i++) {
		const struct cluster_queue *queue = &s->cluster_queues[i];

		if (queue->cohort == cohort)
			sum = res_add(sum, lint_nominal(queue->groups, queue->group_count,
							flavor_name, resource));
	}
	for (uint32_t i = 0; i < s->cohort_count; i++) {
		if (s->cohorts[i].parent == cohort)
			sum = res_add(sum,
				      lint_nominal(s->cohorts[i].groups, s->cohorts[i].group_count,
						   flavor_name, resource));
	}
	return sum;
}

/* Is it the cohort, or one at any depth below it? */
static bool is_within(const struct scenario *s, uint32_t cohort, uint32_t top)
{
	for (uint32_t steps = 0; steps <= s->cohort_count && cohort != SCENARIO_NONE; steps++) {
		if (cohort == top)
			return true;
		cohort = s->cohorts[cohort].parent;
	}
	return false;
}

/* The same of all below it, at any depth. */
static int64_t quota_below(const struct scenario *s, uint32_t cohort, uint32_t flavor_name,
			   uint32_t resource)
{
	int64_t sum = 0;

	for (uint32_t i = 0; i < s->cohort_count; i++) {
		if (is_within(s, i, cohort))
			sum = res_add(sum, members_quota(s, i, flavor_name, resource));
	}
	return sum;
}

/* A Cohort's quota comes on top of its members': equal to their sum, it was meant as
 * the total. */
static void check_cohort_quota(const struct lint *l, uint32_t index)
{
	static const struct finding_rule rule = {"cohort-quota-counted-twice", FINDING_WARNING};
	const struct cohort *cohort = &l->s->cohorts[index];

	for (uint32_t g = 0; g < cohort->group_count; g++) {
		const struct resource_group *group = &cohort->groups[g];

		for (uint32_t i = 0; i < group->flavor_count * group->resource_count; i++) {
			uint32_t flavor = group->flavor_names[i / group->resource_count];
			uint32_t resource = group->resources[i % group->resource_count];
			int64_t own = group->cells[i].nominal;
			char amount[NUM_QUANTITY_TEXT];

			if (own == 0 || (own != members_quota(l->s, index, flavor, resource) &&
					 own != quota_below(l->s, index, flavor, resource)))
				continue;
			lint_amount(l, resource, own, amount);
			draft_fault(l->builder, &rule, l->places->of[KIND_COHORT][index].where,
				    "leave the quota out of the Cohort, or out of its members",
				    "Cohort \"%s\" has %s of %s in flavor \"%s\", as much as its "
				    "members together: both count, the cohort has twice as much",
				    lint_string(l, cohort->name), amount,
				    lint_resource(l, resource), lint_string(l, flavor));
		}
	}
}

/* ---- who gets in ---- */

/* Namespaces that no object describes may have any labels. */
static bool may_select_any(const struct lint *l, const struct cluster_queue *queue)
{
	if (draft_left_out(l->builder, "Namespace", ""))
		return true;
	for (uint32_t i = 0; i < l->s->namespace_count; i++) {
		bool known;

		if (lint_may_select(l, queue, i, &known) || !known)
			return true;
	}
	return false;
}

static bool has_local_queue(const struct lint *l, uint32_t queue)
{
	for (uint32_t i = 0; i < l->s->local_queue_count; i++) {
		if (l->s->local_queues[i].cluster_queue == queue)
			return true;
	}
	return draft_left_out(l->builder, "LocalQueue", "");
}

static void check_entrance(const struct lint *l, uint32_t index)
{
	static const struct finding_rule nobody = {"namespace-selector-admits-nobody",
						   FINDING_WARNING},
					 unused = {"no-local-queue", FINDING_ADVICE};
	const struct cluster_queue *queue = &l->s->cluster_queues[index];

	if (!queue->namespace_selector.present)
		draft_fault(l->builder, &nobody, place_of(l, index),
			    "namespaceSelector: {} admits every namespace",
			    "ClusterQueue \"%s\" has no namespaceSelector, which matches no "
			    "namespace: nothing is ever admitted",
			    name_of(l, index));
	else if (l->s->local_queue_count != 0 && !may_select_any(l, queue))
		draft_fault(l->builder, &nobody, place_of(l, index),
			    "label a namespace as the selector wants it, or widen it",
			    "ClusterQueue \"%s\": no namespace matches its namespaceSelector: it "
			    "admits nobody",
			    name_of(l, index));
	if (!has_local_queue(l, index) && l->s->local_queue_count != 0)
		draft_fault(l->builder, &unused, place_of(l, index),
			    "create a LocalQueue with spec.clusterQueue of this name",
			    "no LocalQueue points to ClusterQueue \"%s\": nothing can be submitted "
			    "to it",
			    name_of(l, index));
}

/* ---- StrictFIFO ---- */

static int64_t nominal_of(const struct cluster_queue *queue, uint32_t resource)
{
	int64_t sum = 0;

	for (uint32_t g = 0; g < queue->group_count; g++) {
		const struct resource_group *group = &queue->groups[g];

		for (uint32_t f = 0; f < group->flavor_count; f++) {
			for (uint32_t r = 0; r < group->resource_count; r++) {
				if (group->resources[r] == resource)
					sum = res_add(sum,
						      group->cells[f * group->resource_count + r]
							      .nominal);
			}
		}
	}
	return sum;
}

/* A resource of which the job asks for more than its queue's own quota; NAME_NONE. */
static uint32_t borrows(const struct lint *l, const struct job *job,
			const struct cluster_queue *queue)
{
	for (uint32_t r = 0; r < l->s->resource_count; r++) {
		int64_t asked = 0;

		for (uint32_t i = 0; i < job->common->pod_set_count; i++) {
			const struct pod_set *set = &l->s->pod_sets[job->common->first_pod_set + i];

			asked = res_add(asked, res_mul(l->s->shapes[set->shape].request[r],
						       set->min_count));
		}
		if (r != RES_PODS && !lint_translated(l, r) && lint_covers(queue, r) &&
		    asked > nominal_of(queue, r))
			return r;
	}
	return NAME_NONE;
}

/* In a StrictFIFO queue: the first job that fits only with borrowed quota. */
static void check_heads(const struct lint *l)
{
	static const struct finding_rule rule = {"strict-fifo-head-borrows", FINDING_ADVICE};
	const struct scenario *s = l->s;
	bool *told = mem_calloc(s->cluster_queue_count, sizeof(*told));

	for (uint32_t i = 0; i < l->alike->count; i++) {
		uint32_t job = l->alike->classes[i].first;
		uint32_t queue = scenario_job_cluster_queue(s, job);
		char name[SCENARIO_NAME_TEXT];
		uint32_t resource;

		if (queue == SCENARIO_NONE || told[queue] || l->blockers[queue] != JOB_NONE ||
		    s->cluster_queues[queue].strategy != QUEUE_STRICT_FIFO)
			continue;
		resource = borrows(l, &s->jobs[job], &s->cluster_queues[queue]);
		if (resource == NAME_NONE)
			continue;
		told[queue] = true;
		draft_fault(
			l->builder, &rule, place_of(l, queue),
			"queueingStrategy: BestEffortFIFO lets others pass it",
			"ClusterQueue \"%s\" is StrictFIFO and job \"%s\" wants more %s than its "
			"nominal quota: while it waits to borrow, nothing behind it starts",
			name_of(l, queue), scenario_job_name(s, job, name),
			lint_resource(l, resource));
	}
	mem_free(told);
}

/* ---- ResourceQuotas below a queue ---- */

static void check_wall(const struct lint *l, uint32_t index, const struct local_queue *local)
{
	static const struct finding_rule rule = {"resource-quota-below-queue", FINDING_WARNING};
	const struct resource_quota *wall = &l->s->resource_quotas[index];
	char allowed[NUM_QUANTITY_TEXT], promised[NUM_QUANTITY_TEXT];

	for (uint32_t r = 0; r < l->s->resource_count; r++) {
		int64_t nominal = nominal_of(&l->s->cluster_queues[local->cluster_queue], r);

		if (r == RES_PODS || wall->hard[r] < 0 || nominal <= wall->hard[r])
			continue;
		draft_fault(
			l->builder, &rule, l->places->of[KIND_RESOURCE_QUOTA][index].where,
			"raise the ResourceQuota, or lower nominalQuota",
			"ResourceQuota \"%s\" allows namespace \"%s\" %s of %s, its ClusterQueue "
			"\"%s\" has %s: Kueue admits jobs whose pods the API server then refuses",
			lint_string(l, wall->name), lint_string(l, wall->ns),
			lint_amount(l, r, wall->hard[r], allowed), lint_resource(l, r),
			name_of(l, local->cluster_queue), lint_amount(l, r, nominal, promised));
	}
}

/* Those with scopes count some of the pods only. */
static void check_walls(const struct lint *l)
{
	for (uint32_t i = 0; i < l->s->resource_quota_count; i++) {
		for (uint32_t k = 0; k < l->s->local_queue_count; k++) {
			const struct local_queue *local = &l->s->local_queues[k];

			if (l->s->resource_quotas[i].scope_count == 0 &&
			    local->ns == l->s->resource_quotas[i].ns &&
			    local->cluster_queue != SCENARIO_NONE)
				check_wall(l, i, local);
		}
	}
}

void lint_queues(const struct lint *l)
{
	bool *endless = find_endless(l);

	for (uint32_t i = 0; i < l->s->cluster_queue_count; i++) {
		check_cohort_of(l, i);
		check_lending(l, i, endless[i]);
		check_entrance(l, i);
	}
	for (uint32_t i = 0; i < l->s->cohort_count; i++)
		check_cohort_quota(l, i);
	check_heads(l);
	check_walls(l);
	mem_free(endless);
}
