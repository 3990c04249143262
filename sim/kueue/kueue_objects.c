#include "sim/kueue/kueue_objects.h"

#include <string.h>

#include "core/mem.h"
#include "sim/kueue/kueue_hold.h"

#define NANO 1000000000

static void view_groups(struct kueue *k, struct kueue_queue *q)
{
	const struct cluster_queue *spec = q->spec;

	memset(q->group_of, KUEUE_GROUPS_MAX, sizeof(q->group_of));
	for (uint32_t g = 0; g < spec->group_count && g < KUEUE_GROUPS_MAX; g++) {
		const struct resource_group *group = &spec->groups[g];
		uint32_t *flavors =
			mem_arena_alloc(k->arena, (group->flavor_count + 1U) * sizeof(*flavors));

		q->groups[g] = (struct kueue_group){.flavor_count = group->flavor_count,
						    .flavors = flavors};
		for (uint32_t f = 0; f < group->flavor_count; f++)
			flavors[f] = kueue_flavor_named(k, group->flavor_names[f]);
		for (uint32_t r = 0; r < group->resource_count; r++) {
			q->groups[g].resources |= UINT64_C(1) << group->resources[r];
			q->group_of[group->resources[r]] = (uint8_t)g;
		}
	}
}

/* QUOTA_ABSENT and QUOTA_UNSET are the same value. */
static void apply_limits(struct kueue *k, uint32_t node, const struct resource_group *groups,
			 uint32_t count)
{
	quota_clear_limits(&k->tree, node);
	for (uint32_t g = 0; g < count; g++) {
		const struct resource_group *group = &groups[g];

		for (uint32_t i = 0; i < group->flavor_count * group->resource_count; i++) {
			struct quota_limits limits = {group->cells[i].nominal,
						      group->cells[i].borrowing_limit,
						      group->cells[i].lending_limit};
			uint32_t flavor = kueue_flavor_named(
				k, group->flavor_names[i / group->resource_count]);
			uint32_t resource = group->resources[i % group->resource_count];

			quota_limit(&k->tree, node, kueue_column(k, flavor, resource), limits);
		}
	}
}

static bool lacks_flavor(const struct kueue *k, const struct cluster_queue *spec)
{
	for (uint32_t g = 0; g < spec->group_count && g < KUEUE_GROUPS_MAX; g++) {
		for (uint32_t f = 0; f < spec->groups[g].flavor_count; f++) {
			const struct flavor *now =
				kueue_state_flavor(k, spec->groups[g].flavor_names[f]);

			if (now == NULL)
				return true;
			if (k->gates.topology && now->topology_name != NAME_NONE &&
			    kueue_topology_of(k, now) == NULL)
				return true;
		}
	}
	return false;
}

static bool is_topology_only(const struct kueue *k, const struct kueue_queue *q)
{
	for (uint32_t g = 0; g < q->spec->group_count && g < KUEUE_GROUPS_MAX; g++) {
		for (uint32_t f = 0; f < q->groups[g].flavor_count; f++) {
			const struct flavor *flavor = k->flavors[q->groups[g].flavors[f]].now;

			if (flavor == NULL || flavor->topology_name == NAME_NONE)
				return false;
		}
	}
	return k->gates.topology; /* so is a queue without any flavor */
}

/* MultiKueue's check stands alone among those that ask for nodes, and for all flavors. */
static bool misuses_multikueue(const struct kueue *k, const struct cluster_queue *spec)
{
	uint32_t multikueue = 0, provisions = 0;
	bool by_flavor = false;

	for (uint32_t i = 0; i < spec->check_count; i++) {
		const struct check_ref *ref = &spec->checks[i];
		const struct admission_check *check =
			ref->check == SCENARIO_NONE ? NULL : k->checks[ref->check];

		if (check == NULL || check->absent)
			continue;
		multikueue += check->multikueue;
		provisions += check->provisions;
		by_flavor = by_flavor || (check->multikueue && ref->flavor_count > 0);
	}
	return multikueue > 1 || by_flavor || (multikueue > 0 && provisions > 0);
}

/* Spec 4.2. By that version of it. */
static bool is_active(const struct kueue *k, const struct kueue_queue *q,
		      const struct cluster_queue *spec)
{
	if (q->gone || q->ending || spec->stop != STOP_NONE || lacks_flavor(k, spec) ||
	    misuses_multikueue(k, spec))
		return false;
	for (uint32_t i = 0; i < spec->check_count; i++) {
		uint32_t check = spec->checks[i].check;

		if (check == SCENARIO_NONE || k->checks[check]->absent || !k->checks[check]->active)
			return false;
	}
	return spec->cohort == SCENARIO_NONE || !k->cyclic[spec->cohort];
}

bool kueue_objects_serves(const struct kueue *k, uint32_t queue)
{
	const struct kueue_queue *q = &k->queues[queue];

	return q->latest == q->spec ? q->active : is_active(k, q, q->latest);
}

static double weight(int64_t nano)
{
	return (double)nano / NANO;
}

/* An update may have closed a cycle, or opened one. */
static void find_cycles(struct kueue *k)
{
	uint32_t count = k->scenario->cohort_count;

	for (uint32_t i = 0; i < count; i++) {
		uint32_t at = i, steps = 0;

		while (at != SCENARIO_NONE && steps++ <= count)
			at = k->cohorts[at]->parent;
		k->cyclic[i] = at != SCENARIO_NONE;
	}
}

static void apply_shape(struct kueue *k)
{
	const struct scenario *s = k->scenario;

	for (uint32_t i = 0; i < k->queue_count; i++) {
		const struct cluster_queue *spec = k->queues[i].spec;
		bool alone = spec->cohort == SCENARIO_NONE || k->queues[i].gone;
		uint32_t parent = alone ? QUOTA_NONE : k->queue_count + spec->cohort;

		apply_limits(k, i, spec->groups, k->queues[i].gone ? 0 : spec->group_count);
		quota_attach(&k->tree, i, parent, k->name_rank[i], weight(spec->fair_weight));
		quota_hide(&k->tree, i, !k->queues[i].active);
	}
	for (uint32_t i = 0; i < s->cohort_count; i++) {
		const struct cohort *cohort = k->cohorts[i];
		uint32_t parent = cohort->parent == SCENARIO_NONE || k->cyclic[i]
					  ? QUOTA_NONE
					  : k->queue_count + cohort->parent;
		uint32_t rank = 0;

		for (uint32_t o = 0; o < s->cohort_count; o++) {
			int c = strcmp(name_text(s->strings, s->cohorts[o].name),
				       name_text(s->strings, cohort->name));

			rank += c < 0 || (c == 0 && o < i);
		}
		apply_limits(k, k->queue_count + i, cohort->groups, cohort->group_count);
		quota_attach(&k->tree, k->queue_count + i, parent, k->queue_count + rank,
			     weight(cohort->fair_weight));
	}
	quota_rebuild(&k->tree);
}

/* A flush visits the queues of its root that have something parked. */
static void list_parked(struct kueue *k)
{
	for (uint32_t n = 0; n < k->tree.node_count; n++)
		k->roots[n].queue_count = 0;
	for (uint32_t i = 0; i < k->queue_count; i++) {
		struct kueue_root *root = &k->roots[k->tree.nodes[i].root];

		if (!k->queues[i].in_root_list)
			continue;
		root->queues = mem_grow(root->queues, root->queue_count + 1, &root->queue_capacity,
					sizeof(*root->queues));
		root->queues[root->queue_count++] = i;
	}
}

/* What the queues of each tree use together. */
static void sum_up_trees(struct kueue *k)
{
	for (uint32_t n = 0; n < k->tree.node_count; n++)
		kueue_strata_free(&k->roots[n].strata);
	for (uint32_t i = 0; i < k->queue_count; i++)
		kueue_strata_add_all(&k->roots[k->tree.nodes[i].root].strata, k->column_count,
				     &k->queues[i].strata);
}

void kueue_objects_apply(struct kueue *k)
{
	for (uint32_t i = 0; i < k->queue_count; i++)
		view_groups(k, &k->queues[i]);
	find_cycles(k);
	for (uint32_t i = 0; i < k->queue_count; i++) {
		struct kueue_queue *q = &k->queues[i];

		q->active = is_active(k, q, q->spec);
		q->topology_only = is_topology_only(k, q);
		kueue_ready_note(k, i, q->active && q->heap_count + q->plain_count > 0);
	}
	apply_shape(k);
	kueue_hold_rank(k);
	sum_up_trees(k);
	k->objects++;
	for (uint32_t i = 0; i < k->tree.node_count; i++)
		k->roots[i].changed = ++k->changes;
	list_parked(k);
}

static void replace_flavor(struct kueue *k, const struct update *update)
{
	const struct flavor *now = &k->scenario->flavors[update->version];
	uint32_t f = kueue_flavor_named(k, now->name);

	if (f == KUEUE_NONE)
		return;
	k->flavors[f].now = now->absent ? NULL : now;
	memset(&k->suits[(size_t)f * k->scenario->shape_count], 0, k->scenario->shape_count);
}

static void replace_namespace(struct kueue *k, const struct update *update)
{
	const struct ns_record *now = &k->scenario->namespaces[update->version];

	for (uint32_t i = 0; i < k->scenario->local_queue_count; i++) {
		if (k->local_queues[i]->ns == now->name)
			k->namespaces[i] = now;
	}
}

/* The controllers may have a later version yet. */
static void replace_queue(struct kueue_queue *q, const struct cluster_queue *now)
{
	if (q->latest == q->spec)
		q->latest = now;
	q->spec = now;
}

void kueue_objects_replace(struct kueue *k, const struct update *update)
{
	const struct scenario *s = k->scenario;

	k->objects++;
	switch (update->kind) {
	case UPDATE_CLUSTER_QUEUE:
		replace_queue(&k->queues[update->object], &s->cluster_queues[update->version]);
		break;
	case UPDATE_LOCAL_QUEUE:
		k->local_queues[update->object] = &s->local_queues[update->version];
		break;
	case UPDATE_COHORT:
		k->cohorts[update->object] = &s->cohorts[update->version];
		break;
	case UPDATE_FLAVOR:
		replace_flavor(k, update);
		break;
	case UPDATE_NAMESPACE:
		replace_namespace(k, update);
		break;
	case UPDATE_TOPOLOGY:
		k->topologies[update->object] = &s->topologies[update->version];
		break;
	case UPDATE_ADMISSION_CHECK:
		k->checks[update->object] = &s->checks[update->version];
		break;
	case UPDATE_NODE:
	case UPDATE_WORKLOAD_PRIORITY_CLASS:
		break;
	}
}
