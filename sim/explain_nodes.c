#include <inttypes.h>

#include "core/mem.h"
#include "sim/explain_look.h"
#include "sim/fits.h"
#include "sim/human.h"

/* GPUs free on each node at the time: from the pods bound until then. */
static void free_gpus(const struct explain_look *l, int64_t *total, int64_t *largest,
		      uint32_t *node)
{
	uint32_t count = l->scenario->node_count;
	int64_t *used = mem_calloc(count, sizeof(*used));
	uint32_t slots = l->journal->first_pod[l->scenario->job_count];
	uint32_t *where = mem_calloc(slots, sizeof(*where)); /* node + 1 */
	bool *there = mem_calloc(count, sizeof(*there));

	for (uint32_t n = 0; n < count; n++)
		there[n] = !l->scenario->nodes[n].spare;

	for (size_t i = 0; i < l->next; i++) {
		const struct journal_record *r = &l->journal->records[i];

		if (r->kind == J_SCALE && r->arg2 != SCALE_REQUESTED)
			there[r->arg] = r->arg2 == SCALE_JOINED;
		else if (r->kind == J_POD_SCHEDULED)
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
			if (where[p] != 0 && where[p] <= count)
				used[where[p] - 1] += replay_pod_gpus(
					l->scenario, job, p - l->journal->first_pod[job]);
		}
	}
	*total = 0;
	*largest = -1;
	for (uint32_t n = 0; n < count; n++) {
		int64_t left = there[n] ? l->scenario->nodes[n].gpus - used[n] : 0;

		*total += left;
		if (left > *largest) {
			*largest = left;
			*node = n;
		}
	}
	mem_free(used);
	mem_free(where);
	mem_free(there);
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
		explain_look_text("%" PRIu32 " of %" PRIu32 " pods have a node; %" PRIu32
				  " more of %" PRId64 " GPUs each are wanted; free now: %" PRId64
				  " GPUs in all, at most %" PRId64 " on one node (%s)",
				  l->state->bound_pods, l->state->wanted_pods, missing,
				  replay_pod_gpus(l->scenario, l->explain->job, 0), total, largest,
				  scenario_string(l->scenario, l->scenario->nodes[node].name)));
}

/* Is the job in the deadlock that stands at the time? */
static bool in_deadlock(const struct explain_look *l)
{
	return (l->state->flags & REPLAY_DEADLOCKED) != 0;
}

static size_t later_start(const struct explain_look *l)
{
	for (size_t i = l->next; i < l->journal->count; i++) {
		const struct journal_record *r = &l->journal->records[i];

		if (r->job == l->explain->job && r->kind == J_STARTED)
			return i;
	}
	return l->journal->count;
}

/* What left its nodes last before the record. */
static const struct journal_record *last_leaving(const struct explain_look *l, size_t i)
{
	while (i-- > 0) {
		const struct journal_record *r = &l->journal->records[i];

		if (r->kind == J_FINISHED || r->kind == J_RELEASED || r->kind == J_DELETED ||
		    r->kind == J_POD_PREEMPTED || r->kind == J_POD_EVICTED ||
		    r->kind == J_POD_SUCCEEDED || r->kind == J_POD_CRASHED || r->kind == J_FAILED ||
		    r->kind == J_PLACEMENT_TIMEOUT ||
		    (r->kind == J_SCALE && r->arg2 == SCALE_JOINED))
			return r;
	}
	return NULL;
}

static void explain_until_started(const struct explain_look *l, size_t start)
{
	const struct journal_record *r = last_leaving(l, start);
	char name[SCENARIO_NAME_TEXT], when[HUMAN_TEXT];

	human_time(l->journal->records[start].time, when);
	if (r == NULL)
		explain_look_class(l->explain, EXPLAIN_UNTIL,
				   explain_look_text("until %s, when it started", when));
	else if (r->kind == J_SCALE)
		explain_look_class(
			l->explain, EXPLAIN_UNTIL,
			explain_look_text("until node %s had booted, which the "
					  "autoscaler asked for; it started at %s",
					  scenario_string(l->scenario,
							  replay_node(l->scenario, r->arg)->name),
					  when));
	else
		explain_look_class(
			l->explain, EXPLAIN_UNTIL,
			explain_look_text("until %s %s; it started at %s",
					  explain_look_job(l, r->job, name),
					  r->kind == J_FINISHED ? "finished"
					  : r->kind == J_POD_PREEMPTED || r->kind == J_POD_EVICTED
						  ? "lost a pod"
						  : "left its nodes",
					  when));
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
		explain_look_class(
			l->explain, EXPLAIN_NEVER,
			explain_look_text(
				"never: it is deadlocked with other half-placed jobs, which hold "
				"what it needs and wait for what it holds"));
	else
		explain_look_class(
			l->explain, EXPLAIN_NEVER,
			explain_look_text(
				"not until the end of the run: room for all its pods was never "
				"free when its turn came"));
}
