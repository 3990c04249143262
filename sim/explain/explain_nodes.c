#include <inttypes.h>

#include "core/mem.h"
#include "sim/explain/explain_look.h"
#include "sim/gen/fits.h"
#include "sim/tool/human.h"

/* The nodes as they are at the time, those that came during the run included. */
struct nodes_then {
	uint32_t count;
	int64_t *gpus; /* 0: no such node yet */
	int64_t *used;
	bool *usable; /* ready and not cordoned */
};

static void set_node(struct nodes_then *nodes, uint32_t node, const struct node *now)
{
	nodes->gpus[node] = now->gpus;
	nodes->usable[node] = now->ready && !now->unschedulable && !now->spare;
}

static void find_nodes(const struct explain_look *l, struct nodes_then *nodes)
{
	const struct scenario *s = l->scenario;

	nodes->count = s->node_count + s->update_count;
	nodes->gpus = mem_calloc(nodes->count, sizeof(*nodes->gpus));
	nodes->used = mem_calloc(nodes->count, sizeof(*nodes->used));
	nodes->usable = mem_calloc(nodes->count, sizeof(*nodes->usable));
	for (uint32_t n = 0; n < s->node_count; n++)
		set_node(nodes, n, &s->nodes[n]);
	for (size_t i = 0; i < l->next; i++) {
		const struct journal_record *r = journal_read(l->replay->in, i);

		if (r->kind == J_UPDATE && s->updates[r->arg].kind == UPDATE_NODE)
			set_node(nodes, scenario_updated_node(s, r->arg),
				 &s->nodes[s->updates[r->arg].version]);
		else if (r->kind == J_NODE)
			nodes->usable[r->arg] = r->arg2 != 0;
		else if (r->kind == J_SCALE && r->arg2 != SCALE_REQUESTED)
			nodes->usable[r->arg] = r->arg2 == SCALE_JOINED;
	}
}

/* From the pods bound until then. */
static void count_used(const struct explain_look *l, struct nodes_then *nodes)
{
	uint32_t slots = l->journal->first_pod[l->scenario->job_count];
	uint32_t *where = mem_calloc(slots, sizeof(*where)); /* node + 1 */

	for (size_t i = 0; i < l->next; i++) {
		const struct journal_record *r = journal_read(l->replay->in, i);

		if (r->kind == J_POD_SCHEDULED)
			where[r->pod] = r->arg + 1;
		else if (r->kind == J_POD_PREEMPTED || r->kind == J_POD_EVICTED ||
			 r->kind == J_POD_DELETED)
			where[r->pod] = 0;
		else if (r->kind == J_FINISHED || r->kind == J_FAILED || r->kind == J_DELETED ||
			 r->kind == J_RELEASED || r->kind == J_PLACEMENT_TIMEOUT)
			for (uint32_t p = l->journal->first_pod[r->job];
			     p < l->journal->first_pod[r->job + 1]; p++)
				where[p] = 0;
	}
	for (uint32_t job = 0; job < l->scenario->job_count; job++) {
		for (uint32_t p = l->journal->first_pod[job]; p < l->journal->first_pod[job + 1];
		     p++) {
			if (where[p] != 0 && where[p] <= nodes->count)
				nodes->used[where[p] - 1] += replay_pod_gpus(
					l->scenario, job, p - l->journal->first_pod[job]);
		}
	}
	mem_free(where);
}

static void free_nodes(struct nodes_then *nodes)
{
	mem_free(nodes->gpus);
	mem_free(nodes->used);
	mem_free(nodes->usable);
}

static int64_t free_on(const struct nodes_then *nodes, uint32_t node)
{
	int64_t left = nodes->usable[node] ? nodes->gpus[node] - nodes->used[node] : 0;

	return left > 0 ? left : 0;
}

static void free_gpus(const struct explain_look *l, int64_t *total, int64_t *largest,
		      uint32_t *node)
{
	struct nodes_then nodes;

	find_nodes(l, &nodes);
	count_used(l, &nodes);
	*total = 0;
	*largest = -1;
	for (uint32_t n = 0; n < nodes.count; n++) {
		int64_t left = free_on(&nodes, n);

		*total += left;
		if (left > *largest) {
			*largest = left;
			*node = n;
		}
	}
	free_nodes(&nodes);
}

/* Pods of its first kind that the free GPUs of the nodes would do for. */
static int64_t pods_with_gpus(const struct explain_look *l, int64_t gpus)
{
	struct nodes_then nodes;
	int64_t pods = 0;

	find_nodes(l, &nodes);
	count_used(l, &nodes);
	for (uint32_t n = 0; n < nodes.count; n++)
		pods += free_on(&nodes, n) / gpus;
	free_nodes(&nodes);
	return pods;
}

char *explain_nodes_lack(const struct explain_look *l)
{
	uint32_t job = l->explain->job, wanted = l->state->wanted_pods;
	int64_t gpus = replay_pod_gpus(l->scenario, job, 0), pods;
	struct fits *fits;
	bool fit;

	if (l->scenario->node_count == 0 || !l->column->metrics->places_pods)
		return NULL;
	fits = fits_new(l->scenario, true, false);
	fit = fits_nodes(fits, job);
	fits_free(fits);
	if (!fit)
		return explain_look_text("but not by quota alone: its pods do not fit the nodes "
					 "even when they are empty");
	pods = gpus > 0 && l->job->common->pod_set_count == 1 ? pods_with_gpus(l, gpus) : wanted;
	if (pods >= wanted)
		return NULL;
	return explain_look_text("but the nodes have free GPUs for %" PRId64 " of its %" PRIu32
				 " pod%s only: admitted now, it would wait for a node",
				 pods, wanted, wanted == 1 ? "" : "s");
}

static void explain_room(const struct explain_look *l)
{
	int64_t total, largest;
	uint32_t node = 0, missing = l->state->wanted_pods - l->state->bound_pods;

	if (l->scenario->node_count == 0)
		return;
	free_gpus(l, &total, &largest, &node);
	explain_look_add(
		&l->explain->use,
		explain_look_text(
			"%" PRIu32 " of %" PRIu32 " pods have a node; %" PRIu32 " more of %" PRId64
			" GPUs each are wanted; free now: %" PRId64 " GPUs in all, at most %" PRId64
			" on one node (%s)",
			l->state->bound_pods, l->state->wanted_pods, missing,
			replay_pod_gpus(l->scenario, l->explain->job, 0), total, largest,
			scenario_string(l->scenario, replay_node(l->scenario, node)->name)));
}

/* Is the job in the deadlock that stands at the time? */
static bool in_deadlock(const struct explain_look *l)
{
	return (l->state->flags & REPLAY_DEADLOCKED) != 0;
}

/* Of those that stood so far, was the last one announced for it alone? */
static bool alone_in_deadlock(const struct explain_look *l)
{
	for (size_t i = l->next; i-- > 0;) {
		const struct journal_record *r = journal_read(l->replay->in, i);

		if (r->kind == J_DEADLOCK)
			return l->journal->sets[r->arg].count == 1;
	}
	return false;
}

static size_t later_start(const struct explain_look *l)
{
	for (size_t i = l->next; i < l->journal->count; i++) {
		const struct journal_record *r = journal_read(l->replay->in, i);

		if (r->job == l->explain->job && r->kind == J_STARTED)
			return i;
	}
	return l->journal->count;
}

/* What left its nodes last before the record; false: nothing did. */
static bool last_leaving(const struct explain_look *l, size_t i, struct journal_record *out)
{
	while (i-- > 0) {
		const struct journal_record *r = journal_read(l->replay->in, i);

		if (r->kind == J_FINISHED || r->kind == J_RELEASED || r->kind == J_DELETED ||
		    r->kind == J_POD_PREEMPTED || r->kind == J_POD_EVICTED ||
		    r->kind == J_POD_SUCCEEDED || r->kind == J_POD_CRASHED || r->kind == J_FAILED ||
		    r->kind == J_PLACEMENT_TIMEOUT ||
		    (r->kind == J_SCALE && r->arg2 == SCALE_JOINED)) {
			*out = *r;
			return true;
		}
	}
	return false;
}

static void explain_until_started(const struct explain_look *l, size_t start)
{
	struct journal_record r;
	bool left = last_leaving(l, start, &r);
	char name[SCENARIO_NAME_TEXT], when[HUMAN_TEXT];

	human_time(journal_read(l->replay->in, start)->time, when);
	if (!left)
		explain_look_class(l->explain, EXPLAIN_UNTIL,
				   explain_look_text("until %s, when it started", when));
	else if (r.kind == J_SCALE)
		explain_look_class(
			l->explain, EXPLAIN_UNTIL,
			explain_look_text(
				"until node %s had booted, which the "
				"autoscaler asked for; it started at %s",
				scenario_string(l->scenario, replay_node(l->scenario, r.arg)->name),
				when));
	else if (r.kind == J_POD_SUCCEEDED && r.job == l->explain->job)
		explain_look_class(
			l->explain, EXPLAIN_UNTIL,
			explain_look_text(
				"until its pods that come first were done; it started at %s",
				when));
	else
		explain_look_class(
			l->explain, EXPLAIN_UNTIL,
			explain_look_text("until %s %s; it started at %s",
					  explain_look_job(l, r.job, name),
					  r.kind == J_FINISHED ? "finished"
					  : r.kind == J_POD_PREEMPTED || r.kind == J_POD_EVICTED
						  ? "lost a pod"
						  : "left its nodes",
					  when));
}

/* Do its pods have rules about other pods, beyond preferences? */
static bool has_constraints(const struct explain_look *l)
{
	const struct scenario *s = l->scenario;

	for (uint32_t i = 0; i < l->job->common->pod_set_count; i++) {
		const struct pod_set *set = &s->pod_sets[l->job->common->first_pod_set + i];
		const struct pod_constraints *c = s->shapes[set->shape].constraints;

		for (uint32_t t = 0; c != NULL && t < c->term_count; t++) {
			if (c->terms[t].weight == 0)
				return true;
		}
		for (uint32_t t = 0; c != NULL && t < c->spread_count; t++) {
			if (c->spreads[t].hard)
				return true;
		}
	}
	return false;
}

static void explain_deadlock(const struct explain_look *l)
{
	const char *why = has_constraints(l) ? ", as their affinity and spread have it" : "";

	explain_look_class(
		l->explain, EXPLAIN_NEVER,
		alone_in_deadlock(l)
			? explain_look_text(
				  "never: it is deadlocked by itself: where its pods are, "
				  "the others fit nowhere%s",
				  why)
			: explain_look_text("never: it is deadlocked with other half-placed jobs, "
					    "which hold what it needs and wait for what it holds"));
}

void explain_nodes_why(const struct explain_look *l)
{
	struct fits *fits = fits_new(l->scenario, true, false);
	bool fit = fits_nodes(fits, l->explain->job);
	size_t start = later_start(l);

	fits_free(fits);
	explain_room(l);
	if (!fit)
		explain_look_class(
			l->explain, EXPLAIN_NEVER,
			explain_look_text(
				"never: its pods do not fit the nodes even when they are empty"));
	else if (start < l->journal->count)
		explain_until_started(l, start);
	else if (in_deadlock(l))
		explain_deadlock(l);
	else
		explain_look_class(
			l->explain, EXPLAIN_NEVER,
			explain_look_text(
				"not until the end of the run: room for all its pods%s was never "
				"free when its turn came",
				has_constraints(l) ? ", where their affinity and spread let them,"
						   : ""));
}
