#include "sim/policy/consolidate.h"

#include <string.h>

#include "core/mem.h"

struct consolidate {
	const struct world *world;
	struct kube_match *match;
	uint32_t *pods, *nodes; /* of the job that is being placed */
	size_t pod_capacity, node_capacity;
	uint32_t count;
	int64_t *row; /* scratch: one node's use */
};

struct consolidate *consolidate_new(const struct world *world, struct kube_match *match)
{
	struct consolidate *c = mem_calloc(1, sizeof(*c));

	c->world = world;
	c->match = match;
	c->row = mem_calloc(world->usage.resource_count, sizeof(*c->row));
	return c;
}

void consolidate_free(struct consolidate *c)
{
	if (c == NULL)
		return;
	mem_free(c->pods);
	mem_free(c->nodes);
	mem_free(c->row);
	mem_free(c);
}

static const struct pod_shape *shape_of(const struct consolidate *c, uint32_t pod)
{
	return &c->world->scenario->shapes[c->world->pods[pod].shape];
}

static void gather(struct consolidate *c, uint32_t job)
{
	const struct world *w = c->world;

	c->count = 0;
	for (uint32_t pod = w->journal->first_pod[job]; pod < w->journal->first_pod[job + 1]; pod++)
		if (w->pods[pod].phase == POD_PENDING) {
			c->pods =
				mem_grow(c->pods, c->count + 1, &c->pod_capacity, sizeof(*c->pods));
			c->pods[c->count++] = pod;
		}
	c->nodes = mem_grow(c->nodes, c->count, &c->node_capacity, sizeof(*c->nodes));
}

static void load_row(struct consolidate *c, uint32_t node)
{
	uint32_t width = c->world->usage.resource_count;

	memcpy(c->row, &c->world->usage.used[(size_t)node * width], width * sizeof(*c->row));
}

static bool suits(const struct consolidate *c, uint32_t pod, uint32_t node)
{
	uint32_t group = kube_match_group(c->match, pod);

	return kube_match_at(c->match, group)->verdict[node] == KUBE_SUITS;
}

/* How many of the pods from the first on does the node hold at once? */
static uint32_t holds(struct consolidate *c, uint32_t node, uint32_t first)
{
	uint32_t pod = first;

	load_row(c, node);
	for (; pod < c->count && suits(c, c->pods[pod], node); pod++) {
		const struct pod_shape *shape = shape_of(c, c->pods[pod]);

		if (kube_filter_lacking(&c->world->nodes[node], c->row, shape) != 0)
			break;
		kube_filter_add(c->row, shape);
	}
	return pod - first;
}

static int64_t gpus_used(const struct consolidate *c, uint32_t node)
{
	const struct cluster_usage *usage = &c->world->usage;
	int64_t used = 0;

	for (uint32_t r = 0; r < usage->resource_count; r++)
		if (c->world->scenario->resource_is_gpu[r])
			used += usage->used[(size_t)node * usage->resource_count + r];
	return used;
}

static bool on_one_node(struct consolidate *c, const bool *allowed)
{
	uint32_t best = NODE_NONE;
	int64_t best_free = INT64_MAX;

	for (uint32_t node = 0; node < c->world->node_count; node++) {
		int64_t free = c->world->nodes[node].gpus - gpus_used(c, node);

		if (free < best_free && allowed[node] && holds(c, node, 0) == c->count) {
			best = node;
			best_free = free;
		}
	}
	for (uint32_t i = 0; i < c->count; i++)
		c->nodes[i] = best;
	return best != NODE_NONE;
}

static bool on_free_nodes(struct consolidate *c, const bool *allowed)
{
	uint32_t placed = 0;

	for (uint32_t node = 0; node < c->world->node_count && placed < c->count; node++) {
		uint32_t more;

		if (!allowed[node] || gpus_used(c, node) != 0)
			continue;
		more = holds(c, node, placed);
		for (uint32_t i = 0; i < more; i++)
			c->nodes[placed + i] = node;
		placed += more;
	}
	return placed == c->count;
}

bool consolidate_find(struct consolidate *c, uint32_t job, const bool *allowed,
		      struct consolidate_plan *out)
{
	gather(c, job);
	if (!on_one_node(c, allowed) && !on_free_nodes(c, allowed))
		return false;
	*out = (struct consolidate_plan){.pods = c->pods, .nodes = c->nodes, .count = c->count};
	return true;
}

void consolidate_bind(const struct consolidate_plan *found, struct plan *plan)
{
	for (uint32_t i = 0; i < found->count; i++) {
		struct decision *d = plan_add(plan, DECIDE_BIND);

		d->pod = found->pods[i];
		d->node = found->nodes[i];
	}
}
