#include "sim/lint/lint_capacity.h"

#include "core/mem.h"
#include "core/quota.h"

/* The tree of quotas with a single column, that of the last question. */
struct lint_capacity {
	const struct scenario *s;
	struct quota_tree tree;
	uint32_t flavor_name, resource; /* NAME_NONE: no question yet */
};

static const uint32_t only_column;

static void attach(struct lint_capacity *c, uint32_t node, uint32_t cohort)
{
	const struct scenario *s = c->s;
	bool alone = cohort == SCENARIO_NONE || s->cohorts[cohort].in_cycle;

	quota_attach(&c->tree, node, alone ? QUOTA_NONE : s->cluster_queue_count + cohort, node,
		     1.0);
}

struct lint_capacity *lint_capacity_new(const struct scenario *s)
{
	struct lint_capacity *c = mem_calloc(1, sizeof(*c));

	c->s = s;
	c->flavor_name = NAME_NONE;
	quota_init(&c->tree, s->cluster_queue_count, s->cohort_count, 1, 1, &only_column,
		   &only_column);
	for (uint32_t i = 0; i < s->cluster_queue_count; i++)
		attach(c, i, s->cluster_queues[i].cohort);
	for (uint32_t i = 0; i < s->cohort_count; i++)
		attach(c, s->cluster_queue_count + i, s->cohorts[i].parent);
	return c;
}

void lint_capacity_free(struct lint_capacity *c)
{
	if (c == NULL)
		return;
	quota_free(&c->tree);
	mem_free(c);
}

static void set_limits(struct lint_capacity *c, uint32_t node, const struct resource_group *groups,
		       uint32_t count)
{
	quota_clear_limits(&c->tree, node);
	for (uint32_t g = 0; g < count; g++) {
		for (uint32_t i = 0; i < groups[g].flavor_count * groups[g].resource_count; i++) {
			const struct quota_cell *cell = &groups[g].cells[i];

			if (groups[g].flavor_names[i / groups[g].resource_count] ==
				    c->flavor_name &&
			    groups[g].resources[i % groups[g].resource_count] == c->resource)
				quota_limit(&c->tree, node, 0,
					    (struct quota_limits){cell->nominal,
								  cell->borrowing_limit,
								  cell->lending_limit});
		}
	}
}

int64_t lint_capacity_of(struct lint_capacity *c, uint32_t queue, uint32_t flavor_name,
			 uint32_t resource)
{
	const struct scenario *s = c->s;

	if (c->flavor_name == flavor_name && c->resource == resource)
		return quota_potential(&c->tree, queue, 0);
	c->flavor_name = flavor_name;
	c->resource = resource;
	for (uint32_t i = 0; i < s->cluster_queue_count; i++)
		set_limits(c, i, s->cluster_queues[i].groups, s->cluster_queues[i].group_count);
	for (uint32_t i = 0; i < s->cohort_count; i++)
		set_limits(c, s->cluster_queue_count + i, s->cohorts[i].groups,
			   s->cohorts[i].group_count);
	quota_rebuild(&c->tree);
	return quota_potential(&c->tree, queue, 0);
}
