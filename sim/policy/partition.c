#include "sim/policy/partition.h"

#include "core/mem.h"

struct part {
	uint32_t queue; /* string; NAME_NONE: jobs without one */
	bool *nodes;
};

struct partition {
	const struct world *world;
	uint32_t *of_job;
	struct part *items;
	uint32_t count;
	size_t capacity;
};

static uint32_t owner(const struct world *w, uint32_t node)
{
	const struct label_set *labels = &w->nodes[node].labels;
	uint32_t key = name_find(w->scenario->strings, PARTITION_LABEL);

	for (uint32_t i = 0; i < labels->count; i++) {
		if (labels->items[i].key == key)
			return labels->items[i].value;
	}
	return NAME_NONE;
}

static void assign_nodes(const struct world *w, struct part *part)
{
	bool owns = false;

	for (uint32_t node = 0; node < w->node_count; node++)
		owns = owns || (part->queue != NAME_NONE && owner(w, node) == part->queue);
	for (uint32_t node = 0; node < w->node_count; node++)
		part->nodes[node] = owner(w, node) == (owns ? part->queue : NAME_NONE);
}

static uint32_t add_part(struct partition *p, uint32_t queue)
{
	struct part *part;

	p->items = mem_grow(p->items, p->count + 1, &p->capacity, sizeof(*p->items));
	part = &p->items[p->count];
	part->queue = queue;
	part->nodes = mem_calloc(p->world->node_count, sizeof(*part->nodes));
	assign_nodes(p->world, part);
	return p->count++;
}

struct partition *partition_new(const struct world *world)
{
	struct partition *p = mem_calloc(1, sizeof(*p));
	const struct scenario *s = world->scenario;
	uint32_t strings = name_count(s->strings);
	uint32_t *part_of = mem_calloc(strings + 1, sizeof(*part_of)); /* counted from 1 */

	p->world = world;
	p->of_job = mem_calloc(s->job_count, sizeof(*p->of_job));
	for (uint32_t job = 0; job < s->job_count; job++) {
		uint32_t queue = s->jobs[job].common->queue;
		uint32_t *at = &part_of[queue == NAME_NONE ? strings : queue];

		if (*at == 0)
			*at = add_part(p, queue) + 1;
		p->of_job[job] = *at - 1;
	}
	mem_free(part_of);
	return p;
}

void partition_free(struct partition *p)
{
	if (p == NULL)
		return;
	for (uint32_t i = 0; i < p->count; i++)
		mem_free(p->items[i].nodes);
	mem_free(p->items);
	mem_free(p->of_job);
	mem_free(p);
}

uint32_t partition_count(const struct partition *p)
{
	return p->count;
}

uint32_t partition_of_job(const struct partition *p, uint32_t job)
{
	return p->of_job[job];
}

const bool *partition_nodes(const struct partition *p, uint32_t part)
{
	return p->items[part].nodes;
}

void partition_node(struct partition *p)
{
	for (uint32_t i = 0; i < p->count; i++)
		assign_nodes(p->world, &p->items[i]);
}
