#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "sim/explain/explain_look.h"
#include "sim/gen/fits.h"
#include "sim/tool/human.h"

#define SHOWN_NAMES 3

/* ---- what the job asks for ---- */

static int64_t asked(const struct explain_look *l, uint32_t resource)
{
	int64_t sum = 0;

	for (uint32_t k = 0; k < l->job->common->pod_set_count; k++) {
		const struct pod_set *set =
			&l->scenario->pod_sets[l->job->common->first_pod_set + k];
		int64_t one = resource == RES_PODS
				      ? 1
				      : l->scenario->shapes[set->shape].request[resource];

		sum = res_add(sum, res_mul(one, set->count));
	}
	return sum;
}

/* The cell of the queue in which the resource is nearest to being enough: the
 * least asked - left, where left is what could ever be used, or what is free. */
struct shortage {
	uint32_t cell; /* SCENARIO_NONE: nothing is short */
	int64_t asked, left;
};

static struct shortage shortage_of(const struct explain_look *l, uint32_t resource, bool ever)
{
	const struct usage *usage = l->replay->usage;
	struct shortage least = {SCENARIO_NONE, asked(l, resource), 0};

	for (uint32_t c = usage->first_cell[l->queue]; c < usage->first_cell[l->queue + 1]; c++) {
		int64_t left;

		if (usage->cells[c].resource != resource)
			continue;
		left = ever ? usage_potential(usage, c) : usage_available(usage, c, true);
		if (least.cell == SCENARIO_NONE || left > least.left) {
			least.cell = c;
			least.left = left;
		}
	}
	if (least.cell != SCENARIO_NONE && least.left >= least.asked)
		least.cell = SCENARIO_NONE;
	return least;
}

/* Is there room for all it asks for, each resource in some flavor? */
static bool has_room(const struct explain_look *l)
{
	for (uint32_t r = 0; r < l->scenario->resource_count; r++) {
		if (asked(l, r) > 0 && shortage_of(l, r, false).cell != SCENARIO_NONE)
			return false;
	}
	return true;
}

/* "nvidia.com/gpu in flavor a100: would use 18 of 12 (8 nominal + 4 borrowing limit); 2 free" */
static void explain_cell(const struct explain_look *l, uint32_t c)
{
	const struct usage_cell *cell = &l->replay->usage->cells[c];
	int64_t ask = asked(l, cell->resource);
	int64_t free = usage_available(l->replay->usage, c, true);
	char use[NUM_QUANTITY_TEXT], most[NUM_QUANTITY_TEXT], own[NUM_QUANTITY_TEXT],
		limit[NUM_QUANTITY_TEXT], left[NUM_QUANTITY_TEXT], how[160];

	explain_look_amount(l, cell->resource, res_add(cell->used, ask), use);
	explain_look_amount(l, cell->resource, cell->nominal, own);
	explain_look_amount(l, cell->resource, free > 0 ? free : 0, left);
	if (cell->borrowing_limit != QUOTA_ABSENT) {
		explain_look_amount(l, cell->resource,
				    res_add(cell->nominal, cell->borrowing_limit), most);
		explain_look_amount(l, cell->resource, cell->borrowing_limit, limit);
		snprintf(how, sizeof(how), "%s nominal + %s borrowing limit", own, limit);
	} else {
		explain_look_amount(l, cell->resource, usage_potential(l->replay->usage, c), most);
		snprintf(how, sizeof(how), "%s nominal, the rest borrowed from its cohort", own);
		if (usage_queue(l->replay->usage, cell->queue)->cohort == SCENARIO_NONE)
			snprintf(how, sizeof(how), "%s nominal; it has no cohort to borrow from",
				 own);
	}
	explain_look_add(
		&l->explain->use,
		explain_look_text("%s in flavor %s: would use %s of %s (%s); free for it now: %s",
				  explain_look_resource(l, cell->resource),
				  explain_look_flavor(l, cell->flavor), use, most, how, left));
}

static void explain_use(const struct explain_look *l)
{
	const struct usage *usage = l->replay->usage;

	for (uint32_t c = usage->first_cell[l->queue]; c < usage->first_cell[l->queue + 1]; c++) {
		int64_t ask = asked(l, usage->cells[c].resource);

		if (ask > 0 && usage_available(usage, c, true) < ask)
			explain_cell(l, c);
	}
}

/* ---- the smallest change ---- */

static void change_quota(const struct explain_look *l, const struct shortage *s)
{
	const struct usage *usage = l->replay->usage;
	const struct usage_cell *cell = &usage->cells[s->cell];
	const char *queue =
		scenario_string(l->scenario, l->scenario->cluster_queues[cell->queue].name);
	int64_t more = s->asked - s->left;
	char by[NUM_QUANTITY_TEXT], to[NUM_QUANTITY_TEXT];

	explain_look_amount(l, cell->resource, more, by);
	explain_look_amount(l, cell->resource, res_add(cell->nominal, more), to);
	explain_look_add(
		&l->explain->change,
		explain_look_text(
			"%s more nominalQuota (--set clusterqueue/%s:%s@%s.nominalQuota=%s)", by,
			queue, explain_look_resource(l, cell->resource),
			explain_look_flavor(l, cell->flavor), to));
	if (cell->borrowing_limit == QUOTA_ABSENT ||
	    usage_available(usage, s->cell, false) < s->asked)
		return;
	explain_look_amount(l, cell->resource, res_add(cell->borrowing_limit, more), to);
	explain_look_add(&l->explain->change,
			 explain_look_text(
				 "or %s more borrowingLimit, since the cohort has it unused (--set "
				 "clusterqueue/%s:%s@%s.borrowingLimit=%s)",
				 by, queue, explain_look_resource(l, cell->resource),
				 explain_look_flavor(l, cell->flavor), to));
}

/* How many pods of its only pod set would fit; -1: several pod sets. */
static int64_t pods_that_fit(const struct explain_look *l, bool ever)
{
	const struct pod_set *set = &l->scenario->pod_sets[l->job->common->first_pod_set];
	int64_t most = set->count;

	if (l->job->common->pod_set_count != 1)
		return -1;
	for (uint32_t r = 0; r < l->scenario->resource_count; r++) {
		struct shortage s = shortage_of(l, r, ever);
		int64_t one = s.asked / set->count;

		if (s.asked == 0 || s.cell == SCENARIO_NONE || one == 0)
			continue;
		if (s.left / one < most)
			most = s.left > 0 ? s.left / one : 0;
	}
	return most;
}

static void explain_change(const struct explain_look *l, bool ever)
{
	size_t before = l->explain->change.count;
	char *lack = NULL;
	int64_t pods;

	for (uint32_t r = 0; r < l->scenario->resource_count; r++) {
		struct shortage s = shortage_of(l, r, ever);

		if (s.asked > 0 && s.cell != SCENARIO_NONE)
			change_quota(l, &s);
	}
	pods = pods_that_fit(l, ever);
	if (pods > 0 && pods < l->job->common->pods)
		explain_look_add(&l->explain->change,
				 explain_look_text("or %" PRId64 " pod%s instead of %" PRIu32, pods,
						   pods == 1 ? "" : "s", l->job->common->pods));
	else if (pods == 0 && ever)
		explain_look_add(&l->explain->change,
				 explain_look_text("or smaller pods: not even one of its %" PRIu32
						   " fits",
						   l->job->common->pods));
	if (l->explain->change.count > before)
		lack = explain_nodes_lack(l);
	if (lack != NULL)
		explain_look_add(&l->explain->change, lack);
}

/* ---- behind whom ---- */

static bool is_queued(const struct explain_look *l, uint32_t job)
{
	const struct replay_job *state = &l->replay->jobs[job];

	return (state->flags & (REPLAY_SUBMITTED | REPLAY_DONE)) == REPLAY_SUBMITTED &&
	       state->admission == JOB_NONE &&
	       (l->scenario->jobs[job].common->flags & (JOB_UNMANAGED | JOB_INACTIVE)) == 0;
}

/* Does a stand before b in their ClusterQueue? Kueue compares whole seconds. */
static bool stands_before(const struct explain_look *l, uint32_t a, uint32_t b)
{
	const struct job *x = &l->scenario->jobs[a], *y = &l->scenario->jobs[b];
	simtime at = clock_floor_second(replay_order(l->replay, a));
	simtime bt = clock_floor_second(replay_order(l->replay, b));

	if (x->common->priority != y->common->priority)
		return x->common->priority > y->common->priority;
	return at != bt ? at < bt : a < b;
}

/* The first in the queue that stands before the job; equal: only those that ask
 * for the same at the same priority. */
static uint32_t first_before(const struct explain_look *l, bool equal)
{
	uint32_t best = JOB_NONE;

	for (uint32_t i = 0; i < l->scenario->job_count; i++) {
		const struct job *other = &l->scenario->jobs[i];

		if (i == l->explain->job || !is_queued(l, i) ||
		    scenario_job_cluster_queue(l->scenario, i) != l->queue ||
		    !stands_before(l, i, l->explain->job))
			continue;
		if (equal && (other->common->first_pod_set != l->job->common->first_pod_set ||
			      other->common->priority != l->job->common->priority))
			continue;
		if (best == JOB_NONE || stands_before(l, i, best))
			best = i;
	}
	return best;
}

static bool explain_behind(const struct explain_look *l)
{
	const struct cluster_queue *queue = usage_queue(l->replay->usage, l->queue);
	bool strict = queue != NULL && queue->strategy == QUEUE_STRICT_FIFO;
	uint32_t other = first_before(l, !strict);
	char name[SCENARIO_NAME_TEXT];

	if (other == JOB_NONE)
		return false;
	explain_look_job(l, other, name);
	if (strict)
		explain_look_class(
			l->explain, EXPLAIN_BEHIND,
			explain_look_text(
				"behind %s, the head of its StrictFIFO queue, which does not fit "
				"and lets nobody pass",
				explain_look_job(l, other, name)));
	else
		explain_look_class(
			l->explain, EXPLAIN_BEHIND,
			explain_look_text("behind %s, which asks for the same and came earlier",
					  explain_look_job(l, other, name)));
	return true;
}

/* ---- until what ---- */

size_t explain_quota_admission(const struct explain_look *l)
{
	for (size_t i = l->next; i < l->journal->count; i++) {
		const struct journal_record *r = journal_read(l->replay->in, i);

		if (r->job == l->explain->job && r->kind == J_QUOTA_RESERVED)
			return i;
	}
	return l->journal->count;
}

static void list_victims(const struct explain_look *l, size_t until, char *buf, size_t size,
			 uint32_t *count)
{
	char name[SCENARIO_NAME_TEXT];
	size_t len = 0;

	*count = 0;
	buf[0] = '\0';
	for (size_t i = 0; i < until; i++) {
		const struct journal_record *r = journal_read(l->replay->in, i);

		if (r->kind != J_PREEMPTED || r->arg != l->explain->job)
			continue;
		if (*count < SHOWN_NAMES && len < size)
			len += (size_t)snprintf(buf + len, size - len, "%s%s",
						*count == 0 ? "" : ", ",
						explain_look_job(l, r->job, name));
		++*count;
	}
}

bool explain_quota_release(const struct explain_look *l, size_t i, struct journal_record *release)
{
	while (i-- > 0) {
		const struct journal_record *r = journal_read(l->replay->in, i);
		uint32_t queue;

		*release = *r;
		if (r->kind == J_UPDATE)
			return true;
		if (r->kind != J_FINISHED && r->kind != J_FAILED && r->kind != J_RELEASED &&
		    r->kind != J_DELETED && r->kind != J_UNRESERVED && r->kind != J_FREED &&
		    r->kind != J_RECLAIMED)
			continue;
		queue = scenario_job_cluster_queue(l->scenario, r->job);
		if (queue != SCENARIO_NONE && r->job != l->explain->job &&
		    usage_same_tree(l->replay->usage, queue, l->queue))
			return true;
	}
	return false;
}

static bool explain_until_admitted(const struct explain_look *l, size_t admission)
{
	struct journal_record release;
	bool released = explain_quota_release(l, admission, &release);
	simtime at = journal_read(l->replay->in, admission)->time;
	char names[400], name[SCENARIO_NAME_TEXT], when[HUMAN_TEXT];
	uint32_t victims;

	human_time(at, when);
	list_victims(l, admission, names, sizeof(names), &victims);
	if (victims > 0)
		explain_look_class(
			l->explain, EXPLAIN_UNTIL,
			explain_look_text(
				"until it took quota back: %s%s stopped for it, and it was "
				"admitted at %s",
				names,
				victims > SHOWN_NAMES ? " and others were"
				: victims == 1	      ? " was"
						      : " were",
				when));
	else if (!released)
		return false;
	else if (release.kind == J_UPDATE)
		explain_look_class(
			l->explain, EXPLAIN_UNTIL,
			explain_look_text("until an object changed; it was admitted at %s", when));
	else
		explain_look_class(l->explain, EXPLAIN_UNTIL,
				   explain_look_text("until %s %s; it was admitted at %s",
						     explain_look_job(l, release.job, name),
						     release.kind == J_FINISHED
							     ? "finished"
							     : "gave its quota back",
						     when));
	return true;
}

/* When a job that holds quota will end by itself; CLOCK_NEVER. */
static simtime expected_end(const struct explain_look *l, uint32_t job)
{
	const struct replay_job *state = &l->replay->jobs[job];
	const struct job *input = &l->scenario->jobs[job];

	/* Of pods that work each for itself nobody knows how many turns are left. */
	if (!(state->flags & REPLAY_RUNNING) || input->duration == JOB_ENDLESS ||
	    (input->common->flags & JOB_SOLO) != 0)
		return CLOCK_NEVER;
	return clock_add(state->running_since, input->duration);
}

/* The next job of the same tree, after (time, index), to give back its quota. */
static uint32_t next_to_end(const struct explain_look *l, simtime after, uint32_t index)
{
	uint32_t best = JOB_NONE;

	for (uint32_t i = 0; i < l->scenario->job_count; i++) {
		uint32_t queue = scenario_job_cluster_queue(l->scenario, i);
		simtime end = expected_end(l, i);

		if (l->replay->jobs[i].admission == JOB_NONE || end == CLOCK_NEVER ||
		    queue == SCENARIO_NONE || !usage_same_tree(l->replay->usage, queue, l->queue))
			continue;
		if (end < after || (end == after && index != JOB_NONE && i <= index))
			continue;
		if (best == JOB_NONE || end < expected_end(l, best))
			best = i;
	}
	return best;
}

/* Gives quota back job by job, on this look's own copy, until there is room. */
static void explain_until_free(const struct explain_look *l)
{
	simtime after = l->cut;
	uint32_t job = JOB_NONE;
	char name[SCENARIO_NAME_TEXT], when[HUMAN_TEXT];

	while (!has_room(l)) {
		job = next_to_end(l, after, job);
		if (job == JOB_NONE) {
			explain_look_class(
				l->explain, EXPLAIN_NEVER,
				explain_look_text(
					"never: nobody who holds the quota it needs will end by "
					"himself"));
			return;
		}
		after = expected_end(l, job);
		usage_reserve(l->replay->usage, job,
			      &l->journal->admissions[l->replay->jobs[job].admission], -1);
	}
	if (job == JOB_NONE)
		explain_look_class(
			l->explain, EXPLAIN_UNTIL,
			explain_look_text("until the next scheduling cycle: there is room for it"));
	else
		explain_look_class(
			l->explain, EXPLAIN_UNTIL,
			explain_look_text(
				"until %s finishes (at %s), if nobody else takes the room",
				explain_look_job(l, job, name), human_time(after, when)));
}

/* ---- never ---- */

static bool is_one_of(const char *word, const char *const *words)
{
	for (; *words != NULL; words++) {
		if (strcmp(word, *words) == 0)
			return true;
	}
	return false;
}

static bool explain_never(const struct explain_look *l)
{
	static const char *const closed[] = {
		"Suspended",	    "Misconfigured",	       "Deactivated", "AdmissionGated",
		"NoMatchingFlavor", "TopologyPlacementFailed", NULL};
	struct fits *fits = fits_new(l->scenario, l->replay->places_pods, true);
	bool quota = fits_quota(fits, l->explain->job) &&
		     strcmp(l->explain->reason, "ExceedsMaxQuota") != 0;

	fits_free(fits);
	if (!quota) {
		explain_look_class(
			l->explain, EXPLAIN_NEVER,
			explain_look_text("never: it asks for more than its queue could ever use"));
		explain_change(l, true);
		return true;
	}
	if (is_one_of(l->explain->reason, closed) &&
	    explain_quota_admission(l) == l->journal->count) {
		explain_look_class(
			l->explain, EXPLAIN_NEVER,
			explain_look_text("never, as things stand: %s", l->explain->message));
		return true;
	}
	return false;
}

/* ---- waiting, under an admission policy ---- */

void explain_quota_why(const struct explain_look *l)
{
	size_t admission;

	if (l->queue == SCENARIO_NONE) {
		explain_look_class(l->explain, EXPLAIN_NEVER,
				   explain_look_text("never: it reaches no ClusterQueue"));
		return;
	}
	if (usage_queue(l->replay->usage, l->queue) == NULL) {
		explain_look_class(
			l->explain, EXPLAIN_NEVER,
			explain_look_text(
				"not now: ClusterQueue %s does not exist",
				scenario_string(l->scenario,
						l->scenario->cluster_queues[l->queue].name)));
		return;
	}
	explain_use(l);
	if (explain_never(l))
		return;
	explain_change(l, false);
	if (explain_behind(l))
		return;
	admission = explain_quota_admission(l);
	if (admission < l->journal->count && explain_until_admitted(l, admission))
		return;
	explain_until_free(l);
}
