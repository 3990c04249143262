#include "sim/scenario/profile.h"

#include <string.h>

#define DEFAULT_NAME "default-scheduler"

static const struct {
	const char *name;
	bool filters;
	int32_t weight;
} plugins[PROFILE_PLUGINS] = {
	[PLUGIN_UNSCHEDULABLE] = {"NodeUnschedulable", true, 0},
	[PLUGIN_TAINTS] = {"TaintToleration", true, 3},
	[PLUGIN_NODE_AFFINITY] = {"NodeAffinity", true, 2},
	[PLUGIN_FIT] = {"NodeResourcesFit", true, 1},
	[PLUGIN_SPREAD] = {"PodTopologySpread", true, 2},
	[PLUGIN_POD_AFFINITY] = {"InterPodAffinity", true, 2},
	[PLUGIN_BALANCED] = {"NodeResourcesBalancedAllocation", false, 1},
	[PLUGIN_PREEMPTION] = {"DefaultPreemption", true, 0},
};

const char *profile_plugin_name(uint32_t plugin)
{
	return plugin < PROFILE_PLUGINS ? plugins[plugin].name : NULL;
}

int32_t profile_plugin_weight(enum profile_plugin plugin)
{
	return plugins[plugin].weight;
}

bool profile_plugin_filters(enum profile_plugin plugin)
{
	return plugins[plugin].filters;
}

void profile_default(struct scheduler_profile *profile)
{
	struct run_options options;

	options_default(&options);
	*profile = (struct scheduler_profile){.name = NAME_NONE,
					      .strategy = options.strategy,
					      .hard_affinity = 1,
					      .candidates_percent = 10,
					      .candidates_least = 100};
	for (uint32_t i = 0; i < PROFILE_PLUGINS; i++) {
		profile->filters[i] = plugins[i].filters;
		profile->weights[i] = plugins[i].weight;
	}
}

const struct scheduler_profile *profile_of(const struct scenario *s, const struct pod_shape *shape)
{
	return &s->profiles[shape->profile];
}

bool profile_node_suits(const struct scenario *s, const struct node *node,
			const struct pod_shape *shape)
{
	const struct scheduler_profile *p = profile_of(s, shape);
	struct node plain = *node;

	if (!p->filters[PLUGIN_TAINTS])
		plain.taints.count = 0;
	if (!cluster_node_tolerated(s->strings, &plain, shape))
		return false;
	return !p->filters[PLUGIN_NODE_AFFINITY] ||
	       (cluster_node_selected(s->strings, node, shape) &&
		label_terms_match(s->strings, &node->labels, node->name, p->enforced,
				  p->enforced_count));
}

const struct node_strategy *profile_strategy(const struct scenario *s,
					     const struct run_options *options, uint32_t profile)
{
	return profile == 0 ? &options->strategy : &s->profiles[profile].strategy;
}

uint32_t profile_percentage(const struct scenario *s, const struct run_options *options,
			    uint32_t profile)
{
	return profile == 0 || s->profiles[profile].percentage_of_nodes == 0
		       ? options->percentage_of_nodes
		       : s->profiles[profile].percentage_of_nodes;
}

/* ---- while a scenario is made ---- */

/* The default one first; it is there whatever the configuration says. */
static void put_default_first(struct scenario *s, uint32_t name, struct mem_arena *arena)
{
	uint32_t count = s->profile_count, at = 0;
	struct scheduler_profile *all = mem_arena_alloc(arena, (count + 1u) * sizeof(*all));

	profile_default(&all[0]);
	all[0].name = name;
	for (uint32_t i = 0; i < count; i++) {
		if (s->profiles[i].name == name)
			all[0] = s->profiles[i];
		else
			all[++at] = s->profiles[i];
	}
	s->profiles = all;
	s->profile_count = at + 1;
}

static uint32_t find(const struct scenario *s, uint32_t name)
{
	for (uint32_t i = 0; i < s->profile_count; i++) {
		if (s->profiles[i].name == name)
			return i;
	}
	return 0;
}

/* PodTopologySpread's defaultConstraints instead of the system's. */
static const struct pod_constraints *with_spreads(const struct pod_constraints *of,
						  const struct scheduler_profile *profile,
						  struct mem_arena *arena)
{
	struct pod_constraints *c;
	struct spread_constraint *spreads;

	if (profile->spread_count + of->term_count + of->preferred_count == 0)
		return NULL;
	c = mem_arena_alloc(arena, sizeof(*c));
	spreads = mem_arena_alloc(arena, profile->spread_count * sizeof(*spreads));
	for (uint32_t i = 0; i < profile->spread_count; i++) {
		spreads[i] = profile->spreads[i];
		spreads[i].selector = of->spreads[0].selector;
	}
	*c = *of;
	c->spreads = spreads;
	c->spread_count = profile->spread_count;
	return c;
}

void profile_resolve(struct scenario *s, struct name_table *strings, struct mem_arena *arena)
{
	put_default_first(s, name_add(strings, DEFAULT_NAME), arena);
	for (uint32_t i = 0; i < s->shape_count; i++) {
		struct pod_shape *shape = &s->shapes[i];
		const struct pod_constraints *c = shape->constraints;

		shape->profile = shape->scheduler == 0 ? 0 : find(s, shape->scheduler - 1);
		if (c != NULL && c->spread_count != 0 && c->spreads[0].system &&
		    s->profiles[shape->profile].lists_spreads)
			shape->constraints = with_spreads(c, &s->profiles[shape->profile], arena);
	}
}
