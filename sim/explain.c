#include "sim/explain.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "core/mem.h"
#include "sim/fits.h"
#include "sim/human.h"
#include "sim/nearest.h"

#define LINE	    1024
#define SHOWN_NAMES 3

/* The run as it stood at the time asked about. */
struct look {
	const struct report_column *column;
	const struct scenario *scenario;
	const struct journal *journal;
	struct replay *replay;
	struct explain *explain;
	const struct job *job;
	const struct replay_job *state;
	uint32_t queue; /* ClusterQueue; SCENARIO_NONE */
	simtime cut;	/* the last microsecond that counts */
	size_t next;	/* first record after it */
};

/* ---- words ---- */

static char *text_of(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

static char *text_of(const char *fmt, ...)
{
	char text[LINE];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return mem_strdup(text);
}

static void add_line(struct explain_lines *lines, char *owned)
{
	lines->items =
		mem_grow(lines->items, lines->count + 1, &lines->capacity, sizeof(*lines->items));
	lines->items[lines->count++] = owned;
}

static void classify(struct explain *e, enum explain_class class, char *owned)
{
	mem_free(e->class_text);
	e->class = class;
	e->class_text = owned;
}

static const char *name_of(const struct look *l, uint32_t job, char buf[SCENARIO_NAME_TEXT])
{
	return scenario_job_name(l->scenario, job, buf);
}

static char *amount_text(const struct look *l, uint32_t resource, int64_t amount,
			 char buf[NUM_QUANTITY_TEXT])
{
	return num_format_quantity(amount, res_style(name_text(l->scenario->resources, resource)),
				   buf);
}

static const char *resource_name(const struct look *l, uint32_t resource)
{
	return name_text(l->scenario->resources, resource);
}

static const char *flavor_name(const struct look *l, uint32_t flavor)
{
	return scenario_string(l->scenario, l->scenario->flavors[flavor].name);
}

const char *explain_state_text(enum explain_state state)
{
	static const char *const texts[] = {
		[EXPLAIN_FUTURE] = "not submitted yet",
		[EXPLAIN_WAITING] = "waiting",
		[EXPLAIN_ADMITTED] = "admitted, not running yet",
		[EXPLAIN_RUNNING] = "running",
		[EXPLAIN_STOPPING] = "being stopped",
		[EXPLAIN_FINISHED] = "finished",
		[EXPLAIN_GONE] = "gone",
	};

	return texts[state];
}

const char *explain_class_text(enum explain_class class)
{
	static const char *const texts[] = {
		[EXPLAIN_NONE] = "",
		[EXPLAIN_NEVER] = "never",
		[EXPLAIN_BEHIND] = "behind",
		[EXPLAIN_UNTIL] = "until",
	};

	return texts[class];
}

/* ---- what the job asks for ---- */

static int64_t asked(const struct look *l, uint32_t resource)
{
	int64_t sum = 0;

	for (uint32_t k = 0; k < l->job->pod_set_count; k++) {
		const struct pod_set *set = &l->scenario->pod_sets[l->job->first_pod_set + k];
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

static struct shortage shortage_of(const struct look *l, uint32_t resource, bool ever)
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
static bool has_room(const struct look *l)
{
	for (uint32_t r = 0; r < l->scenario->resource_count; r++) {
		if (asked(l, r) > 0 && shortage_of(l, r, false).cell != SCENARIO_NONE)
			return false;
	}
	return true;
}

/* "nvidia.com/gpu in flavor a100: would use 18 of 12 (8 nominal + 4 borrowing limit); 2 free" */
static void explain_cell(const struct look *l, uint32_t c)
{
	const struct usage_cell *cell = &l->replay->usage->cells[c];
	int64_t ask = asked(l, cell->resource);
	int64_t free = usage_available(l->replay->usage, c, true);
	char use[NUM_QUANTITY_TEXT], most[NUM_QUANTITY_TEXT], own[NUM_QUANTITY_TEXT],
		limit[NUM_QUANTITY_TEXT], left[NUM_QUANTITY_TEXT], how[160];

	amount_text(l, cell->resource, res_add(cell->used, ask), use);
	amount_text(l, cell->resource, cell->nominal, own);
	amount_text(l, cell->resource, free > 0 ? free : 0, left);
	if (cell->borrowing_limit != QUOTA_ABSENT) {
		amount_text(l, cell->resource, res_add(cell->nominal, cell->borrowing_limit), most);
		amount_text(l, cell->resource, cell->borrowing_limit, limit);
		snprintf(how, sizeof(how), "%s nominal + %s borrowing limit", own, limit);
	} else {
		amount_text(l, cell->resource, usage_potential(l->replay->usage, c), most);
		snprintf(how, sizeof(how), "%s nominal, the rest borrowed from its cohort", own);
		if (usage_queue(l->replay->usage, cell->queue)->cohort == SCENARIO_NONE)
			snprintf(how, sizeof(how), "%s nominal; it has no cohort to borrow from",
				 own);
	}
	add_line(&l->explain->use,
		 text_of("%s in flavor %s: would use %s of %s (%s); free for it now: %s",
			 resource_name(l, cell->resource), flavor_name(l, cell->flavor), use, most,
			 how, left));
}

static void explain_use(const struct look *l)
{
	const struct usage *usage = l->replay->usage;

	for (uint32_t c = usage->first_cell[l->queue]; c < usage->first_cell[l->queue + 1]; c++) {
		int64_t ask = asked(l, usage->cells[c].resource);

		if (ask > 0 && usage_available(usage, c, true) < ask)
			explain_cell(l, c);
	}
}

/* ---- the smallest change ---- */

static void change_quota(const struct look *l, const struct shortage *s)
{
	const struct usage *usage = l->replay->usage;
	const struct usage_cell *cell = &usage->cells[s->cell];
	const char *queue =
		scenario_string(l->scenario, l->scenario->cluster_queues[cell->queue].name);
	int64_t more = s->asked - s->left;
	char by[NUM_QUANTITY_TEXT], to[NUM_QUANTITY_TEXT];

	amount_text(l, cell->resource, more, by);
	amount_text(l, cell->resource, res_add(cell->nominal, more), to);
	add_line(&l->explain->change,
		 text_of("%s more nominalQuota (--set clusterqueue/%s:%s@%s.nominalQuota=%s)", by,
			 queue, resource_name(l, cell->resource), flavor_name(l, cell->flavor),
			 to));
	if (cell->borrowing_limit == QUOTA_ABSENT ||
	    usage_available(usage, s->cell, false) < s->asked)
		return;
	amount_text(l, cell->resource, res_add(cell->borrowing_limit, more), to);
	add_line(&l->explain->change,
		 text_of("or %s more borrowingLimit, since the cohort has it unused (--set "
			 "clusterqueue/%s:%s@%s.borrowingLimit=%s)",
			 by, queue, resource_name(l, cell->resource), flavor_name(l, cell->flavor),
			 to));
}

/* How many pods of its only pod set would fit; -1: several pod sets. */
static int64_t pods_that_fit(const struct look *l, bool ever)
{
	const struct pod_set *set = &l->scenario->pod_sets[l->job->first_pod_set];
	int64_t most = set->count;

	if (l->job->pod_set_count != 1)
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

static void explain_change(const struct look *l, bool ever)
{
	int64_t pods;

	for (uint32_t r = 0; r < l->scenario->resource_count; r++) {
		struct shortage s = shortage_of(l, r, ever);

		if (s.asked > 0 && s.cell != SCENARIO_NONE)
			change_quota(l, &s);
	}
	pods = pods_that_fit(l, ever);
	if (pods > 0 && pods < l->job->pods)
		add_line(&l->explain->change, text_of("or %" PRId64 " pod%s instead of %" PRIu32,
						      pods, pods == 1 ? "" : "s", l->job->pods));
	else if (pods == 0 && ever)
		add_line(&l->explain->change,
			 text_of("or smaller pods: not even one of its %" PRIu32 " fits",
				 l->job->pods));
}

/* ---- behind whom ---- */

static bool is_queued(const struct look *l, uint32_t job)
{
	const struct replay_job *state = &l->replay->jobs[job];

	return (state->flags & (REPLAY_SUBMITTED | REPLAY_DONE)) == REPLAY_SUBMITTED &&
	       state->admission == JOB_NONE &&
	       (l->scenario->jobs[job].flags & (JOB_UNMANAGED | JOB_INACTIVE)) == 0;
}

/* Does a stand before b in their ClusterQueue? Kueue compares whole seconds. */
static bool stands_before(const struct look *l, uint32_t a, uint32_t b)
{
	const struct job *x = &l->scenario->jobs[a], *y = &l->scenario->jobs[b];
	simtime at = clock_floor_second(l->replay->jobs[a].queued);
	simtime bt = clock_floor_second(l->replay->jobs[b].queued);

	if (x->priority != y->priority)
		return x->priority > y->priority;
	return at != bt ? at < bt : a < b;
}

/* The first in the queue that stands before the job; equal: only those that ask
 * for the same at the same priority. */
static uint32_t first_before(const struct look *l, bool equal)
{
	uint32_t best = JOB_NONE;

	for (uint32_t i = 0; i < l->scenario->job_count; i++) {
		const struct job *other = &l->scenario->jobs[i];

		if (i == l->explain->job || !is_queued(l, i) ||
		    scenario_job_cluster_queue(l->scenario, i) != l->queue ||
		    !stands_before(l, i, l->explain->job))
			continue;
		if (equal && (other->first_pod_set != l->job->first_pod_set ||
			      other->priority != l->job->priority))
			continue;
		if (best == JOB_NONE || stands_before(l, i, best))
			best = i;
	}
	return best;
}

static bool explain_behind(const struct look *l)
{
	const struct cluster_queue *queue = usage_queue(l->replay->usage, l->queue);
	bool strict = queue != NULL && queue->strategy == QUEUE_STRICT_FIFO;
	uint32_t other = first_before(l, !strict);
	char name[SCENARIO_NAME_TEXT];

	if (other == JOB_NONE)
		return false;
	name_of(l, other, name);
	if (strict)
		classify(l->explain, EXPLAIN_BEHIND,
			 text_of("behind %s, the head of its StrictFIFO queue, which does not fit "
				 "and lets nobody pass",
				 name_of(l, other, name)));
	else
		classify(l->explain, EXPLAIN_BEHIND,
			 text_of("behind %s, which asks for the same and came earlier",
				 name_of(l, other, name)));
	return true;
}

/* ---- until what ---- */

/* The record that gave the job its quota after the time asked about; count: none. */
static size_t later_admission(const struct look *l)
{
	for (size_t i = l->next; i < l->journal->count; i++) {
		const struct journal_record *r = &l->journal->records[i];

		if (r->job == l->explain->job && r->kind == J_QUOTA_RESERVED)
			return i;
	}
	return l->journal->count;
}

static void list_victims(const struct look *l, size_t until, char *buf, size_t size,
			 uint32_t *count)
{
	char name[SCENARIO_NAME_TEXT];
	size_t len = 0;

	*count = 0;
	buf[0] = '\0';
	for (size_t i = 0; i < until; i++) {
		const struct journal_record *r = &l->journal->records[i];

		if (r->kind != J_PREEMPTED || r->arg != l->explain->job)
			continue;
		if (*count < SHOWN_NAMES && len < size)
			len += (size_t)snprintf(buf + len, size - len, "%s%s",
						*count == 0 ? "" : ", ", name_of(l, r->job, name));
		++*count;
	}
}

/* What gave quota back in the same cohort tree last before record i. */
static const struct journal_record *last_release(const struct look *l, size_t i)
{
	while (i-- > 0) {
		const struct journal_record *r = &l->journal->records[i];
		uint32_t queue;

		if (r->kind == J_UPDATE)
			return r;
		if (r->kind != J_FINISHED && r->kind != J_RELEASED && r->kind != J_DELETED)
			continue;
		queue = scenario_job_cluster_queue(l->scenario, r->job);
		if (queue != SCENARIO_NONE && r->job != l->explain->job &&
		    usage_same_tree(l->replay->usage, queue, l->queue))
			return r;
	}
	return NULL;
}

static bool explain_until_admitted(const struct look *l, size_t admission)
{
	const struct journal_record *r = last_release(l, admission);
	simtime at = l->journal->records[admission].time;
	char names[400], name[SCENARIO_NAME_TEXT], when[HUMAN_TEXT];
	uint32_t victims;

	human_time(at, when);
	list_victims(l, admission, names, sizeof(names), &victims);
	if (victims > 0)
		classify(l->explain, EXPLAIN_UNTIL,
			 text_of("until it took quota back: %s%s stopped for it, and it was "
				 "admitted at %s",
				 names,
				 victims > SHOWN_NAMES ? " and others were"
				 : victims == 1	       ? " was"
						       : " were",
				 when));
	else if (r == NULL)
		return false;
	else if (r->kind == J_UPDATE)
		classify(l->explain, EXPLAIN_UNTIL,
			 text_of("until an object changed; it was admitted at %s", when));
	else
		classify(l->explain, EXPLAIN_UNTIL,
			 text_of("until %s %s; it was admitted at %s", name_of(l, r->job, name),
				 r->kind == J_FINISHED ? "finished" : "gave its quota back", when));
	return true;
}

/* When a job that holds quota will end by itself; CLOCK_NEVER. */
static simtime expected_end(const struct look *l, uint32_t job)
{
	const struct replay_job *state = &l->replay->jobs[job];
	const struct job *input = &l->scenario->jobs[job];

	if (!(state->flags & REPLAY_RUNNING) || input->duration == JOB_ENDLESS)
		return CLOCK_NEVER;
	return clock_add(state->running_since, input->duration);
}

/* The next job of the same tree, after (time, index), to give back its quota. */
static uint32_t next_to_end(const struct look *l, simtime after, uint32_t index)
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
static void explain_until_free(const struct look *l)
{
	simtime after = l->cut;
	uint32_t job = JOB_NONE;
	char name[SCENARIO_NAME_TEXT], when[HUMAN_TEXT];

	while (!has_room(l)) {
		job = next_to_end(l, after, job);
		if (job == JOB_NONE) {
			classify(l->explain, EXPLAIN_NEVER,
				 text_of("never: nobody who holds the quota it needs will end by "
					 "himself"));
			return;
		}
		after = expected_end(l, job);
		usage_reserve(l->replay->usage, job,
			      &l->journal->admissions[l->replay->jobs[job].admission], -1);
	}
	if (job == JOB_NONE)
		classify(l->explain, EXPLAIN_UNTIL,
			 text_of("until the next scheduling cycle: there is room for it"));
	else
		classify(l->explain, EXPLAIN_UNTIL,
			 text_of("until %s finishes (at %s), if nobody else takes the room",
				 name_of(l, job, name), human_time(after, when)));
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

static bool explain_never(const struct look *l)
{
	static const char *const closed[] = {
		"Suspended",	    "Misconfigured",	       "Deactivated",
		"NoMatchingFlavor", "TopologyPlacementFailed", NULL};
	struct fits *fits = fits_new(l->scenario, l->replay->places_pods, true);
	bool quota = fits_quota(fits, l->explain->job) &&
		     strcmp(l->explain->reason, "ExceedsMaxQuota") != 0;

	fits_free(fits);
	if (!quota) {
		classify(l->explain, EXPLAIN_NEVER,
			 text_of("never: it asks for more than its queue could ever use"));
		explain_change(l, true);
		return true;
	}
	if (is_one_of(l->explain->reason, closed) && later_admission(l) == l->journal->count) {
		classify(l->explain, EXPLAIN_NEVER,
			 text_of("never, as things stand: %s", l->explain->message));
		return true;
	}
	return false;
}

/* ---- waiting, under an admission policy ---- */

static void explain_quota(const struct look *l)
{
	size_t admission;

	if (l->queue == SCENARIO_NONE) {
		classify(l->explain, EXPLAIN_NEVER, text_of("never: it reaches no ClusterQueue"));
		return;
	}
	explain_use(l);
	if (explain_never(l))
		return;
	explain_change(l, false);
	if (explain_behind(l))
		return;
	admission = later_admission(l);
	if (admission < l->journal->count && explain_until_admitted(l, admission))
		return;
	explain_until_free(l);
}

/* ---- waiting for nodes ---- */

/* GPUs free on each node at the time: from the pods bound until then. */
static void free_gpus(const struct look *l, int64_t *total, int64_t *largest, uint32_t *node)
{
	uint32_t count = l->scenario->node_count;
	int64_t *used = mem_calloc(count, sizeof(*used));
	uint32_t slots = l->journal->first_pod[l->scenario->job_count];
	uint32_t *where = mem_calloc(slots, sizeof(*where)); /* node + 1 */

	for (size_t i = 0; i < l->next; i++) {
		const struct journal_record *r = &l->journal->records[i];

		if (r->kind == J_POD_SCHEDULED)
			where[r->pod] = r->arg + 1;
		else if (r->kind == J_POD_PREEMPTED || r->kind == J_POD_DELETED)
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
		int64_t left = l->scenario->nodes[n].gpus - used[n];

		*total += left;
		if (left > *largest) {
			*largest = left;
			*node = n;
		}
	}
	mem_free(used);
	mem_free(where);
}

static void explain_room(const struct look *l)
{
	int64_t total, largest;
	uint32_t node = 0, missing = l->state->wanted_pods - l->state->bound_pods;

	if (l->scenario->node_count == 0)
		return;
	free_gpus(l, &total, &largest, &node);
	add_line(&l->explain->use,
		 text_of("%" PRIu32 " of %" PRIu32 " pods have a node; %" PRIu32 " more of %" PRId64
			 " GPUs each are wanted; free now: %" PRId64
			 " GPUs in all, at most %" PRId64 " on one node (%s)",
			 l->state->bound_pods, l->state->wanted_pods, missing,
			 replay_pod_gpus(l->scenario, l->explain->job, 0), total, largest,
			 scenario_string(l->scenario, l->scenario->nodes[node].name)));
}

/* Is the job in the deadlock that stands at the time? */
static bool in_deadlock(const struct look *l)
{
	return (l->state->flags & REPLAY_DEADLOCKED) != 0;
}

static size_t later_start(const struct look *l)
{
	for (size_t i = l->next; i < l->journal->count; i++) {
		const struct journal_record *r = &l->journal->records[i];

		if (r->job == l->explain->job && r->kind == J_STARTED)
			return i;
	}
	return l->journal->count;
}

/* What left its nodes last before the record. */
static const struct journal_record *last_leaving(const struct look *l, size_t i)
{
	while (i-- > 0) {
		const struct journal_record *r = &l->journal->records[i];

		if (r->kind == J_FINISHED || r->kind == J_RELEASED || r->kind == J_DELETED ||
		    r->kind == J_POD_PREEMPTED || r->kind == J_PLACEMENT_TIMEOUT)
			return r;
	}
	return NULL;
}

static void explain_until_started(const struct look *l, size_t start)
{
	const struct journal_record *r = last_leaving(l, start);
	char name[SCENARIO_NAME_TEXT], when[HUMAN_TEXT];

	human_time(l->journal->records[start].time, when);
	if (r == NULL)
		classify(l->explain, EXPLAIN_UNTIL, text_of("until %s, when it started", when));
	else
		classify(l->explain, EXPLAIN_UNTIL,
			 text_of("until %s %s; it started at %s", name_of(l, r->job, name),
				 r->kind == J_FINISHED	      ? "finished"
				 : r->kind == J_POD_PREEMPTED ? "lost a pod"
							      : "left its nodes",
				 when));
}

static void explain_nodes(const struct look *l)
{
	struct fits *fits = fits_new(l->scenario, true, false);
	bool fit = fits_nodes(fits, l->explain->job);
	size_t start = later_start(l);

	fits_free(fits);
	explain_room(l);
	if (!fit)
		classify(l->explain, EXPLAIN_NEVER,
			 text_of("never: its pods do not fit the nodes even when they are empty"));
	else if (start < l->journal->count)
		explain_until_started(l, start);
	else if (in_deadlock(l))
		classify(l->explain, EXPLAIN_NEVER,
			 text_of("never: it is deadlocked with other half-placed jobs, which hold "
				 "what it needs and wait for what it holds"));
	else
		classify(l->explain, EXPLAIN_NEVER,
			 text_of("not until the end of the run: room for all its pods was never "
				 "free when its turn came"));
}

/* ---- history ---- */

static char *history_text(const struct look *l, const struct journal_record *r)
{
	const struct journal *j = l->journal;
	const struct scenario *s = l->scenario;
	char name[SCENARIO_NAME_TEXT], pod[JOURNAL_POD_TEXT];

	switch (r->kind) {
	case J_SUBMIT:
		return text_of("submitted");
	case J_QUOTA_RESERVED:
		return text_of(
			"quota reserved in ClusterQueue %s, borrowing level %" PRIu32,
			scenario_string(
				s, s->cluster_queues[j->admissions[r->arg].cluster_queue].name),
			j->admissions[r->arg].borrow);
	case J_ADMITTED:
		return text_of("admitted");
	case J_STATUS:
		return text_of("waits, %s: %s", journal_text(j, r->arg), journal_text(j, r->arg2));
	case J_PREEMPTED:
		return text_of("preempted by %s (%s)", name_of(l, r->arg, name),
			       journal_text(j, r->arg2));
	case J_EVICTED:
		return text_of("evicted, %s", journal_text(j, r->arg));
	case J_RELEASED:
		return text_of("its pods have ended, its quota is free again");
	case J_CHECK:
		return text_of("admission checks answered: %s", journal_text(j, r->arg));
	case J_PODS_READY:
		return text_of("all its pods are ready");
	case J_PODS_NOT_READY:
		return text_of("a pod failed");
	case J_POD_SCHEDULED:
		return text_of("%s got node %s", journal_pod_name(j, r, pod),
			       scenario_string(s, replay_node(s, r->arg)->name));
	case J_POD_FAILED:
	case J_POD_FORBIDDEN:
		return text_of("%s: %s", journal_pod_name(j, r, pod), journal_text(j, r->arg));
	case J_POD_PREEMPTED:
		return text_of("%s was preempted", journal_pod_name(j, r, pod));
	case J_STARTED:
		return text_of("started (attempt %" PRIu32 ")", r->arg);
	case J_INTERRUPTED:
		return text_of("interrupted: it lost a pod");
	case J_FINISHED:
		return text_of("finished");
	case J_FAILED:
		return text_of("failed, %s", journal_text(j, r->arg));
	case J_DELETED:
		return text_of("cancelled");
	case J_PLACEMENT_TIMEOUT:
		return text_of("not placed in time: its pods are deleted and made again later");
	default:
		return NULL;
	}
}

/* Does the record say again what the last of its kind said? */
static bool repeats(const struct journal_record *r, const struct journal_record *last)
{
	return last != NULL && last->kind == r->kind &&
	       ((r->kind == J_STATUS && last->arg == r->arg && last->arg2 == r->arg2) ||
		(r->kind == J_POD_FAILED && last->arg == r->arg) ||
		(r->kind == J_POD_FORBIDDEN && last->arg == r->arg));
}

static void explain_history(const struct look *l)
{
	const struct journal_record *last = NULL;

	for (size_t i = 0; i < l->journal->count; i++) {
		const struct journal_record *r = &l->journal->records[i];
		char *text;
		char when[HUMAN_TEXT];

		if (r->job != l->explain->job || repeats(r, last))
			continue;
		last = r;
		text = history_text(l, r);
		if (text == NULL)
			continue;
		add_line(&l->explain->history, text_of("%s  %s", human_time(r->time, when), text));
		mem_free(text);
	}
}

/* ---- the look itself ---- */

static enum explain_state state_of(const struct look *l)
{
	uint8_t flags = l->state->flags;

	if (!(flags & REPLAY_SUBMITTED))
		return EXPLAIN_FUTURE;
	if (flags & REPLAY_FINISHED)
		return EXPLAIN_FINISHED;
	if (flags & REPLAY_DONE)
		return EXPLAIN_GONE;
	if (flags & REPLAY_RUNNING)
		return EXPLAIN_RUNNING;
	if (flags & REPLAY_STOPPING)
		return EXPLAIN_STOPPING;
	if (l->state->admission != JOB_NONE)
		return EXPLAIN_ADMITTED;
	return EXPLAIN_WAITING;
}

/* The scheduler's last words on the job until then. */
static void find_words(const struct look *l)
{
	struct explain *e = l->explain;

	for (size_t i = 0; i < l->next; i++) {
		const struct journal_record *r = &l->journal->records[i];

		if (r->job != e->job)
			continue;
		if (r->kind == J_STATUS) {
			e->reason = journal_text(l->journal, r->arg);
			e->message = journal_text(l->journal, r->arg2);
		} else if (r->kind == J_POD_FAILED || r->kind == J_POD_FORBIDDEN) {
			e->reason = r->kind == J_POD_FAILED ? "FailedScheduling" : "Forbidden";
			e->message = journal_text(l->journal, r->arg);
		} else if (r->kind == J_QUOTA_RESERVED || r->kind == J_STARTED) {
			e->reason = e->message = "";
		}
	}
}

/* The end, for a job that never started. */
static simtime end_of(const struct look *l)
{
	simtime end = l->column->metrics->end;

	return end > l->journal->end_time ? end : l->journal->end_time;
}

/* Just before what let the job in. A scheduler may see it a little later (Kueue
 * requeues in batches), when there is room already and nothing left to explain. */
static simtime cut_before(const struct look *l, simtime first_start)
{
	size_t admission = later_admission(l);
	const struct journal_record *cause;
	simtime admitted;

	if (admission == l->journal->count || l->queue == SCENARIO_NONE)
		return first_start - 1;
	admitted = l->journal->records[admission].time;
	if (admitted < first_start)
		return first_start - 1; /* it waited for nodes */
	cause = last_release(l, admission);
	if (cause != NULL && cause->time > l->job->submit && cause->time < admitted &&
	    cause->time >= admitted - l->column->options->requeue_batch)
		return cause->time - 1;
	return first_start - 1;
}

static simtime default_cut(const struct look *l, simtime first_start)
{
	if (first_start == CLOCK_NEVER)
		return end_of(l);
	l->explain->before_start = first_start > l->job->submit;
	return l->explain->before_start ? cut_before(l, first_start) : first_start;
}

static void explain_now(const struct look *l)
{
	bool managed = l->column->policy->admission != NULL && (l->job->flags & JOB_UNMANAGED) == 0;

	l->explain->state = state_of(l);
	find_words(l);
	if (l->explain->state == EXPLAIN_WAITING && managed)
		explain_quota(l);
	else if ((l->explain->state == EXPLAIN_WAITING || l->explain->state == EXPLAIN_ADMITTED) &&
		 l->replay->places_pods)
		explain_nodes(l);
}

struct explain *explain_new(const struct report_column *column, uint32_t job, simtime at)
{
	struct explain *e = mem_calloc(1, sizeof(*e));
	struct look l = {
		.column = column,
		.scenario = column->scenario,
		.journal = column->journal,
		.replay = replay_new(column->journal),
		.explain = e,
		.job = &column->scenario->jobs[job],
		.queue = scenario_job_cluster_queue(column->scenario, job),
	};

	e->job = job;
	e->reason = e->message = "";
	l.cut = at == CLOCK_NEVER ? default_cut(&l, column->metrics->states[job].first_start) : at;
	e->at = l.cut;
	while (replay_step(l.replay, l.cut))
		continue;
	l.next = l.replay->last;
	l.state = &l.replay->jobs[job];
	explain_now(&l);
	explain_history(&l);
	replay_free(l.replay);
	return e;
}

static void free_lines(struct explain_lines *lines)
{
	for (size_t i = 0; i < lines->count; i++)
		mem_free(lines->items[i]);
	mem_free(lines->items);
}

void explain_free(struct explain *e)
{
	if (e == NULL)
		return;
	free_lines(&e->use);
	free_lines(&e->change);
	free_lines(&e->history);
	mem_free(e->class_text);
	mem_free(e);
}

/* ---- finding the job ---- */

static enum err_code unknown_job(const struct scenario *s, const char *name, struct err *err)
{
	struct nearest nearest;
	char text[SCENARIO_NAME_TEXT];
	uint32_t best = JOB_NONE;

	nearest_begin(&nearest, name);
	for (uint32_t i = 0; i < s->job_count; i++) {
		size_t before = nearest.distance;

		nearest_offer(&nearest, scenario_job_name(s, i, text));
		if (nearest.distance < before)
			best = i;
	}
	if (best != JOB_NONE)
		return err_set(err, ERR_UNKNOWN, NULL, 0, 0,
			       "no job \"%.200s\"; did you mean \"%s\"?", name,
			       scenario_job_name(s, best, text));
	if (s->job_count > 0)
		return err_set(err, ERR_UNKNOWN, NULL, 0, 0,
			       "no job \"%.200s\" among %" PRIu32 " (the first is \"%s\")", name,
			       s->job_count, scenario_job_name(s, 0, text));
	return err_set(err, ERR_UNKNOWN, NULL, 0, 0, "no job \"%.200s\": the input has no jobs",
		       name);
}

enum err_code explain_find(const struct scenario *s, const char *name, uint32_t *out,
			   struct err *err)
{
	const char *slash = strchr(name, '/');
	const char *plain = slash == NULL ? name : slash + 1;
	uint32_t found = JOB_NONE;
	char text[SCENARIO_NAME_TEXT];

	for (uint32_t i = 0; i < s->job_count; i++) {
		const char *ns = scenario_string(s, s->jobs[i].ns);

		if (strcmp(scenario_job_name(s, i, text), plain) != 0)
			continue;
		if (slash != NULL && (strlen(ns) != (size_t)(slash - name) ||
				      strncmp(ns, name, (size_t)(slash - name)) != 0))
			continue;
		if (found != JOB_NONE)
			return err_set(err, ERR_VALUE, NULL, 0, 0,
				       "several jobs are called %.100s: say %.100s/%.100s or "
				       "%.100s/%.100s",
				       plain, scenario_string(s, s->jobs[found].ns), plain, ns,
				       plain);
		found = i;
	}
	*out = found;
	return found == JOB_NONE ? unknown_job(s, plain, err) : ERR_OK;
}
