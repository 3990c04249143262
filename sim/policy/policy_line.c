/* policy_line.c - whole jobs in line: first come first served, or shortest first.
 *
 * The policies that papers on GPU clusters compare with (Hu et al., SC'21): each
 * queue ("virtual cluster") is a line of its own; its first job starts when all its
 * pods can be placed (consolidate.h), and blocks everybody behind it until then. No
 * preemption, no backfill. fifo: by submission; sjf: by duration, which the real
 * world would have to guess.
 * partition.h says which nodes a line has.
 */
#include <stdio.h>

#include "core/mem.h"
#include "core/pending.h"
#include "sim/policy/consolidate.h"
#include "sim/policy/partition.h"
#include "sim/world/policy.h"

struct line {
	struct pending waiting;
	bool blocked; /* its first job has been tried, and nothing has come free since */
};

struct lines {
	const struct world *world;
	struct kube_match *match;
	struct consolidate *consolidate;
	struct partition *partition; /* a line each */
	struct pending_places *places;
	uint32_t *rank; /* per job: its place in scenario.by_submit */
	struct line *items;
	bool shortest_first;
};

static void *open_lines(const struct world *world, bool shortest_first)
{
	struct lines *l = mem_calloc(1, sizeof(*l));
	uint32_t jobs = world->scenario->job_count;

	l->world = world;
	l->shortest_first = shortest_first;
	l->match = kube_match_new(world);
	l->consolidate = consolidate_new(world, l->match);
	l->places = pending_places_new(jobs);
	l->rank = mem_calloc(jobs, sizeof(*l->rank));
	l->partition = partition_new(world);
	l->items = mem_calloc(partition_count(l->partition), sizeof(*l->items));
	for (uint32_t i = 0; i < jobs; i++)
		l->rank[scenario_by_submit(world->scenario, i)] = i;
	return l;
}

static void *open_fifo(const struct world *world, struct plan *plan, struct err *err)
{
	(void)plan;
	(void)err;
	return open_lines(world, false);
}

static void *open_sjf(const struct world *world, struct plan *plan, struct err *err)
{
	(void)plan;
	(void)err;
	return open_lines(world, true);
}

static void close_lines(void *self)
{
	struct lines *l = self;

	for (uint32_t i = 0; i < partition_count(l->partition); i++)
		pending_free(&l->items[i].waiting);
	mem_free(l->items);
	mem_free(l->rank);
	partition_free(l->partition);
	pending_places_free(l->places);
	consolidate_free(l->consolidate);
	kube_match_free(l->match);
	mem_free(l);
}

/* ---- what happens ---- */

static struct line *line_of(const struct lines *l, uint32_t job)
{
	return &l->items[partition_of_job(l->partition, job)];
}

static void unblock_all(struct lines *l)
{
	for (uint32_t i = 0; i < partition_count(l->partition); i++)
		l->items[i].blocked = false;
}

static void stand_in_line(struct lines *l, uint32_t job)
{
	const struct job *j = &l->world->scenario->jobs[job];
	struct line *line = line_of(l, job);
	struct pending_item item = {.key = l->shortest_first ? j->duration : j->submit,
				    .tie = l->rank[job],
				    .job = job};

	if (pending_stands(l->places, job))
		return;
	pending_push(&line->waiting, l->places, &item);
	if (pending_first(&line->waiting) == job)
		line->blocked = false;
}

static bool wants_a_node(const struct world *w, uint32_t job)
{
	for (uint32_t pod = w->journal->first_pod[job]; pod < w->journal->first_pod[job + 1];
	     pod++) {
		if (w->pods[pod].phase == POD_PENDING)
			return true;
	}
	return false;
}

static void pod_deleted(struct lines *l, uint32_t job, uint32_t node)
{
	struct line *line = line_of(l, job);

	if (node != NODE_NONE) {
		unblock_all(l);
	} else if (pending_stands(l->places, job) && !wants_a_node(l->world, job)) {
		pending_leave(&line->waiting, l->places, job);
		line->blocked = false;
	}
}

static void node_changed(struct lines *l, uint32_t node)
{
	kube_match_node(l->match, node);
	partition_node(l->partition);
	unblock_all(l);
}

static void observe(void *self, const struct happening *h, struct plan *plan)
{
	struct lines *l = self;

	(void)plan;
	if (h->kind == HAP_POD_CREATED)
		stand_in_line(l, l->world->pods[h->pod].job);
	else if (h->kind == HAP_POD_DELETED)
		pod_deleted(l, l->world->pods[h->pod].job, h->node);
	else if (h->kind == HAP_NODE)
		node_changed(l, h->node);
}

/* ---- one cycle: the first job of some line ---- */

static bool start_first(struct lines *l, uint32_t part, struct plan *plan)
{
	struct line *line = &l->items[part];
	uint32_t job = pending_first(&line->waiting);
	struct consolidate_plan found;

	if (job == PENDING_NONE || line->blocked)
		return false;
	if (!consolidate_find(l->consolidate, job, partition_nodes(l->partition, part), &found)) {
		line->blocked = true;
		return false;
	}
	pending_leave(&line->waiting, l->places, job);
	consolidate_bind(&found, plan);
	return true;
}

static bool cycle(void *self, struct plan *plan)
{
	struct lines *l = self;

	for (uint32_t i = 0; i < partition_count(l->partition); i++) {
		if (start_first(l, i, plan))
			return true;
	}
	return false;
}

static void why(const void *self, uint32_t job, char *buf, size_t size)
{
	const struct lines *l = self;
	const struct line *line = line_of(l, job);
	uint32_t first = pending_first(&line->waiting);
	char name[SCENARIO_NAME_TEXT];

	if (!pending_stands(l->places, job))
		snprintf(buf, size, "no pod of it waits for a node");
	else if (first == job)
		snprintf(buf, size, "first in line: no room for all its pods at once");
	else
		snprintf(buf, size, "behind %s in line",
			 scenario_job_name(l->world->scenario, first, name));
}

const struct policy policy_fifo = {
	.name = "fifo",
	.models = "first come, first served, whole jobs",
	.open = open_fifo,
	.close = close_lines,
	.observe = observe,
	.cycle = cycle,
	.why = why,
};

const struct policy policy_sjf = {
	.name = "sjf",
	.models = "shortest job first, whole jobs",
	.open = open_sjf,
	.close = close_lines,
	.observe = observe,
	.cycle = cycle,
	.why = why,
};
