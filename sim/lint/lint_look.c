#include "sim/lint/lint_look.h"

#include <string.h>

#include "sim/scenario/kueue_gates.h"

const char *lint_string(const struct lint *l, uint32_t index)
{
	return name_text(l->s->strings, index);
}

const char *lint_resource(const struct lint *l, uint32_t resource)
{
	return name_text(l->s->resources, resource);
}

const char *lint_amount(const struct lint *l, uint32_t resource, int64_t value,
			char buf[NUM_QUANTITY_TEXT])
{
	return num_format_quantity(value, res_style(lint_resource(l, resource)), buf);
}

/* ---- nodes ---- */

static bool same_node(const struct lint *l, const struct node *a, const struct node *b)
{
	if (a->ready != b->ready || a->unschedulable != b->unschedulable ||
	    a->taints.count != b->taints.count)
		return false;
	for (uint32_t i = 0; i < a->taints.count; i++)
		if (a->taints.items[i].key != b->taints.items[i].key ||
		    a->taints.items[i].value != b->taints.items[i].value ||
		    a->taints.items[i].effect != b->taints.items[i].effect)
			return false;
	return a->allocatable == b->allocatable ||
	       memcmp(a->allocatable, b->allocatable,
		      l->s->resource_count * sizeof(*a->allocatable)) == 0;
}

static void sort_nodes(struct lint *l)
{
	l->nodes = mem_calloc(l->s->node_count, sizeof(*l->nodes));
	for (uint32_t i = 0; i < l->s->node_count; i++) {
		const struct node *node = &l->s->nodes[i];
		uint32_t c = l->node_classes;

		if (cluster_node_never(node))
			continue;
		/* Equal nodes mostly stand side by side: the last class first. */
		while (c > 0 && !same_node(l, l->nodes[c - 1].like, node))
			c--;
		if (c == 0) {
			l->nodes[l->node_classes].like = node;
			c = ++l->node_classes;
		}
		l->nodes[c - 1].count++;
	}
}

void lint_look_begin(struct lint *l, struct builder *builder, const struct scenario *scenario,
		     const struct lint_places *places, const struct alike *alike)
{
	struct kueue_gates gates;

	*l = (struct lint){.builder = builder,
			   .s = scenario,
			   .places = places,
			   .alike = alike,
			   .has_nodes = scenario->node_count != 0,
			   .changes = scenario->update_count != 0,
			   .more_nodes = draft_left_out(builder, "Node", ""),
			   .more_quota = draft_left_out(builder, "ClusterQueue", "") ||
					 draft_left_out(builder, "Cohort", "")};
	gates = kueue_gates_read(&scenario->config, scenario->strings);
	l->topology = gates.topology;
	l->balances = gates.topology && gates.balances && gates.partial_admission;
	l->capacity = lint_capacity_new(scenario);
	sort_nodes(l);
	l->blockers = mem_calloc(scenario->cluster_queue_count, sizeof(*l->blockers));
	for (uint32_t i = 0; i < scenario->cluster_queue_count; i++)
		l->blockers[i] = JOB_NONE;
}

void lint_look_end(struct lint *l)
{
	mem_free(l->nodes);
	mem_free(l->blockers);
	lint_capacity_free(l->capacity);
}

/* ---- quotas ---- */

uint32_t lint_root(const struct scenario *s, uint32_t cohort)
{
	for (uint32_t steps = 0; steps <= s->cohort_count; steps++) {
		if (s->cohorts[cohort].parent == SCENARIO_NONE)
			break;
		cohort = s->cohorts[cohort].parent;
	}
	return cohort;
}

int64_t lint_nominal(const struct resource_group *groups, uint32_t count, uint32_t flavor_name,
		     uint32_t resource)
{
	for (uint32_t g = 0; g < count; g++)
		for (uint32_t f = 0; f < groups[g].flavor_count; f++)
			for (uint32_t r = 0; r < groups[g].resource_count; r++)
				if (groups[g].flavor_names[f] == flavor_name &&
				    groups[g].resources[r] == resource)
					return groups[g]
						.cells[f * groups[g].resource_count + r]
						.nominal;
	return 0;
}

int64_t lint_all_quota(const struct lint *l, uint32_t flavor_name, uint32_t resource)
{
	const struct scenario *s = l->s;
	int64_t sum = 0;

	for (uint32_t i = 0; i < s->cluster_queue_count; i++)
		sum = res_add(sum, lint_nominal(s->cluster_queues[i].groups,
						s->cluster_queues[i].group_count, flavor_name,
						resource));
	for (uint32_t i = 0; i < s->cohort_count; i++)
		sum = res_add(sum, lint_nominal(s->cohorts[i].groups, s->cohorts[i].group_count,
						flavor_name, resource));
	return sum;
}

bool lint_covers(const struct cluster_queue *queue, uint32_t resource)
{
	for (uint32_t g = 0; g < queue->group_count; g++)
		for (uint32_t r = 0; r < queue->groups[g].resource_count; r++)
			if (queue->groups[g].resources[r] == resource)
				return true;
	return false;
}

bool lint_may_select(const struct lint *l, const struct cluster_queue *queue, uint32_t ns,
		     bool *known)
{
	const struct label_set *labels = &l->s->namespaces[ns].labels;
	const struct label_selector *selector = &queue->namespace_selector;
	const struct node_term term = {.expressions = selector->expressions,
				       .expression_count = selector->expression_count};

	*known = l->places->of[KIND_NAMESPACE][ns].where.file != NULL;
	if (*known || !selector->present)
		return label_selector_matches(l->s->strings, labels, selector);
	return label_known_match(l->s->strings, labels, &selector->match_labels, &term,
				 selector->expression_count != 0);
}

bool lint_translated(const struct lint *l, uint32_t resource)
{
	const struct kueue_config *config = &l->s->config;
	const char *name = lint_resource(l, resource);

	for (uint32_t i = 0; i < config->transformation_count; i++)
		if (config->transformations[i].input == resource)
			return true;
	for (uint32_t i = 0; i < config->excluded_prefix_count; i++) {
		const char *prefix = lint_string(l, config->excluded_prefixes[i]);

		if (strncmp(name, prefix, strlen(prefix)) == 0)
			return true;
	}
	return false;
}
