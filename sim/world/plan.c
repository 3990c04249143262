#include "sim/world/plan.h"

void plan_init(struct plan *plan)
{
	*plan = (struct plan){.arena = mem_arena_new()};
}

void plan_clear(struct plan *plan)
{
	plan->count = 0;
	mem_arena_reset(plan->arena);
}

void plan_free(struct plan *plan)
{
	mem_free(plan->items);
	mem_arena_free(plan->arena);
	*plan = (struct plan){0};
}

struct decision *plan_add(struct plan *plan, enum decision_kind kind)
{
	struct decision *d;

	plan->items = mem_grow(plan->items, plan->count + 1, &plan->capacity, sizeof(*plan->items));
	d = &plan->items[plan->count++];
	*d = (struct decision){.kind = kind,
			       .job = JOB_NONE,
			       .by_job = JOB_NONE,
			       .pod = NAME_NONE,
			       .by_pod = NAME_NONE,
			       .node = NODE_NONE,
			       .reason = NAME_NONE,
			       .message = NAME_NONE};
	return d;
}
