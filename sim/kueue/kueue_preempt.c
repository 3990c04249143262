#include "sim/kueue/kueue_preempt.h"

#include "core/mem.h"
#include "core/res.h"
#include "sim/kueue/kueue_bound.h"
#include "sim/kueue/kueue_fair.h"
#include "sim/kueue/kueue_hold.h"
#include "sim/kueue/kueue_recall.h"
#include "sim/kueue/kueue_refute.h"

/* How a candidate may be preempted; lists are gone through in this order. */
enum variant {
	VARIANT_HIERARCHY,	   /* uses quota that the preemptor has a better claim to */
	VARIANT_WITHOUT_BORROWING, /* only if the preemptor ends within nominal quota */
	VARIANT_WHILE_BORROWING,
	VARIANT_SAME_QUEUE,
};

static bool may_borrow_within_cohort(const struct kueue *k, uint32_t queue)
{
	return k->queues[queue].spec->borrow_within_cohort != PREEMPT_NEVER;
}

/* ------------------------------------------------------------- collection */

static enum variant classify(const struct kueue *k, const struct kueue_search *search,
			     int32_t theirs, bool advantage)
{
	const struct cluster_queue *spec = k->queues[search->queue].spec;

	if (advantage)
		return VARIANT_HIERARCHY;
	if (!may_borrow_within_cohort(k, search->queue) ||
	    theirs >= kueue_class_of(k, search->job)->priority ||
	    (spec->has_max_priority_threshold && theirs > spec->max_priority_threshold))
		return VARIANT_WITHOUT_BORROWING;
	return VARIANT_WHILE_BORROWING;
}

/* One candidate a rung stands for all that follow it there. */
static void collect_queue(struct kueue *k, const struct kueue_search *search, uint32_t queue,
			  uint32_t lca, bool advantage)
{
	bool same = queue == search->queue;
	const struct kueue_queue *q = &k->queues[queue];
	enum preemption_policy policy = kueue_victim_policy(k, search, queue);

	for (size_t i = 0; i < q->rung_count; i++) {
		const struct kueue_rung *rung = &k->rungs[q->rungs[i]];
		struct kueue_candidate c;
		uint32_t hold;
		bool newer;

		if (!kueue_victim_allowed(k, search, q->rungs[i], policy, &newer))
			continue;
		hold = kueue_victim_first(k, search, rung->first, newer);
		if (hold == KUEUE_NONE)
			continue;
		c = kueue_victim_make(k, search, hold);
		c.newer = newer;
		c.lca = lca;
		c.variant = (uint8_t)(same ? VARIANT_SAME_QUEUE
					   : classify(k, search, rung->priority, advantage));
		k->candidates = mem_grow(k->candidates, k->candidate_count + 1,
					 &k->candidate_capacity, sizeof(*k->candidates));
		k->candidates[k->candidate_count++] = c;
	}
}

static void collect_subtree(struct kueue *k, const struct kueue_search *search, uint32_t cohort,
			    uint32_t lca, uint32_t skip, bool advantage)
{
	const struct quota_node *node = &k->tree.nodes[cohort];

	for (uint32_t i = 0; i < node->cohort_count; i++) {
		uint32_t child = k->tree.children[node->first_cohort + i];

		if (child != skip &&
		    !quota_within(&k->tree, child, search->columns, search->column_count))
			collect_subtree(k, search, child, lca, skip, advantage);
	}
	for (uint32_t i = 0; i < node->leaf_count; i++) {
		uint32_t child = k->tree.children[node->first_leaf + i];

		if (child != search->queue &&
		    !quota_within(&k->tree, child, search->columns, search->column_count))
			collect_queue(k, search, child, lca, advantage);
	}
}

/* Does the rest of each amount fit in the node's quota, and what is left of it
 * above the node's guaranteed part? */
static bool fits_in_quota(const struct kueue *k, uint32_t node, struct quota_amount *rest,
			  uint32_t count)
{
	bool fits = true;

	for (uint32_t i = 0; i < count; i++) {
		int64_t local = quota_local(&k->tree, node, rest[i].column);
		int64_t above = res_sub(rest[i].amount, local);

		fits = fits && !quota_borrows(&k->tree, node, rest[i].column, rest[i].amount);
		rest[i].amount = above > 0 ? above : 0;
	}
	return fits;
}

static bool under_nominal(const struct kueue *k, const struct kueue_search *search)
{
	for (uint32_t i = 0; i < search->column_count; i++) {
		const struct quota_entry *e = quota_at(&k->tree, search->queue, search->columns[i]);

		if (e->own.nominal <= e->usage)
			return false;
	}
	return true;
}

static void collect_cohorts(struct kueue *k, const struct kueue_search *search, bool borrows)
{
	uint32_t before = KUEUE_NONE;
	bool advantage;

	for (uint32_t i = 0; i < search->request_count; i++)
		k->rest[i] = search->request[i];
	advantage = fits_in_quota(k, search->queue, k->rest, search->request_count);
	for (uint32_t a = k->tree.nodes[search->queue].parent; a != QUOTA_NONE;
	     a = k->tree.nodes[a].parent) {
		bool fits;

		if (advantage || !borrows)
			collect_subtree(k, search, a, a, before, advantage);
		fits = fits_in_quota(k, a, k->rest, search->request_count);
		advantage = advantage || fits;
		before = a;
	}
}

static uint8_t list_of(const struct kueue_candidate *c)
{
	return c->variant == VARIANT_WHILE_BORROWING ? VARIANT_WITHOUT_BORROWING : c->variant;
}

/* Evicted ones of the three lists, then the others; candidate order inside. */
static bool comes_before(const struct kueue *k, const struct kueue_candidate *a,
			 const struct kueue_candidate *b)
{
	if (a->evicted != b->evicted)
		return a->evicted;
	if (list_of(a) != list_of(b))
		return list_of(a) < list_of(b);
	return kueue_victim_compare(k, a, b) < 0;
}

/* borrows: the only attempt will be one with borrowing, in which those that may be
 * preempted without it only have no part: they are not even looked for. */
static void collect(struct kueue *k, const struct kueue_search *search, bool borrows)
{
	const struct cluster_queue *spec = k->queues[search->queue].spec;

	k->candidate_count = 0;
	if (spec->within_cluster_queue != PREEMPT_NEVER)
		collect_queue(k, search, search->queue, KUEUE_NONE, false);
	if (spec->reclaim_within_cohort != PREEMPT_NEVER)
		collect_cohorts(k, search, borrows);
}

/* --------------------------------------------------------------- attempts */

static void sift_down(struct kueue *k, size_t at)
{
	struct kueue_candidate c = k->streams[at];

	for (size_t child = at * 2 + 1; child < k->stream_count; child = at * 2 + 1) {
		if (child + 1 < k->stream_count &&
		    comes_before(k, &k->streams[child + 1], &k->streams[child]))
			child++;
		if (!comes_before(k, &k->streams[child], &c))
			break;
		k->streams[at] = k->streams[child];
		at = child;
	}
	k->streams[at] = c;
}

/* Those that may only be preempted without borrowing have no part in an attempt with it. */
static bool takes_part(const struct kueue_candidate *c, bool may_borrow)
{
	return !may_borrow || c->variant != VARIANT_WITHOUT_BORROWING;
}

static size_t count_parts(const struct kueue *k, bool may_borrow)
{
	size_t count = 0;

	for (size_t i = 0; i < k->candidate_count; i++)
		count += takes_part(&k->candidates[i], may_borrow);
	return count;
}

/* The rungs of this attempt, of the candidates from one up to another. */
static void begin_streams(struct kueue *k, bool may_borrow, size_t from, size_t to)
{
	k->streams =
		mem_grow(k->streams, k->candidate_count, &k->stream_capacity, sizeof(*k->streams));
	k->stream_count = 0;
	for (size_t i = from; i < to; i++) {
		if (takes_part(&k->candidates[i], may_borrow))
			k->streams[k->stream_count++] = k->candidates[i];
	}
}

/* As a heap. */
static void order_streams(struct kueue *k)
{
	for (size_t i = k->stream_count / 2; i-- > 0;)
		sift_down(k, i);
}

/* The rung of the best candidate has no more. */
static void end_stream(struct kueue *k)
{
	k->streams[0] = k->streams[--k->stream_count];
	if (k->stream_count > 0)
		sift_down(k, 0);
}

/* The rung of the best candidate goes on with the next. */
static void advance_stream(struct kueue *k, const struct kueue_search *search)
{
	struct kueue_candidate *top = &k->streams[0];
	uint32_t next = kueue_victim_first(k, search, k->holds[top->hold].next, top->newer);

	if (next == KUEUE_NONE) {
		end_stream(k);
		return;
	}
	top->hold = next;
	top->job = k->holds[next].job;
	top->since = k->holds[next].since;
	sift_down(k, 0);
}

/* Would it fit if every candidate were gone, and all others of their queues that have such
 * a priority? Whatever an attempt removes is part of that, and removing more never leaves
 * less room; so if not, no attempt can succeed and none needs to be made. Candidates of a
 * queue follow each other. */
static bool could_fit(struct kueue *k, const struct kueue_search *search, bool may_borrow)
{
	struct kueue_search quota_only = *search;
	struct kueue_mark mark = kueue_mark(k);
	uint32_t cleared = KUEUE_NONE;
	bool fits;

	quota_only.places = NULL;
	for (size_t i = 0; i < k->candidate_count; i++) {
		uint32_t queue = k->candidates[i].queue;

		if (queue == cleared || !takes_part(&k->candidates[i], may_borrow))
			continue;
		kueue_victim_clear(k, search, queue);
		cleared = queue;
	}
	fits = kueue_victim_fits(k, &quota_only, may_borrow);
	kueue_rollback(k, mark);
	return fits;
}

/* What candidates that are gone leave in use of each column that the search is for, in k->rest.
 * Nobody asks the tree meanwhile, so it stays as it is. */
static void begin_rest(struct kueue *k, const struct kueue_search *search, uint32_t queue)
{
	for (uint32_t i = 0; i < search->column_count; i++)
		k->rest[i] = (struct quota_amount){
			search->columns[i], quota_at(&k->tree, queue, search->columns[i])->usage};
}

static void leave_rest(struct kueue *k, const struct kueue_search *search, uint32_t hold)
{
	uint32_t count;
	const struct quota_amount *amounts = kueue_usage_of(k, hold, &count);

	for (uint32_t i = 0; i < search->column_count; i++) {
		for (uint32_t n = 0; n < count; n++) {
			if (amounts[n].column == k->rest[i].column)
				k->rest[i].amount = res_sub(k->rest[i].amount, amounts[n].amount);
		}
	}
}

/* As quota_within. */
static bool is_rest_within(const struct kueue *k, const struct kueue_search *search, uint32_t queue)
{
	for (uint32_t i = 0; i < search->column_count; i++) {
		if (k->rest[i].amount > quota_at(&k->tree, queue, k->rest[i].column)->subtree)
			return false;
	}
	return true;
}

/* One more is gone. Are there places? It is looked each time that twice as many are. */
static bool is_enough(struct kueue *k, const struct kueue_search *search, size_t *gone,
		      size_t *look)
{
	if (++*gone < *look)
		return false;
	*look = *gone * 2;
	return search->places(k);
}

/* The candidates of another queue leave their places, in their order, until it is within its
 * quota: an attempt takes no more of them, as they count only as long as it is not. True: there
 * are places before all are. */
static bool clear_queue(struct kueue *k, const struct kueue_search *search, size_t *gone,
			size_t *look)
{
	uint32_t queue = k->stream_count > 0 ? k->streams[0].queue : search->queue;

	begin_rest(k, search, queue);
	order_streams(k);
	while (k->stream_count > 0 && !is_rest_within(k, search, queue)) {
		uint32_t hold = k->streams[0].hold;

		leave_rest(k, search, hold);
		kueue_spots_return(k, k->holds[hold].job);
		advance_stream(k, search);
		if (is_enough(k, search, gone, look))
			return true;
	}
	return false;
}

/* The same of the preemptor's own queue, of which all go, in any order. */
static bool clear_own(struct kueue *k, const struct kueue_search *search, size_t *gone,
		      size_t *look)
{
	for (size_t i = 0; i < k->stream_count; i++) {
		const struct kueue_candidate *c = &k->streams[i];

		for (uint32_t h = c->hold; h != KUEUE_NONE;
		     h = kueue_victim_first(k, search, k->holds[h].next, c->newer)) {
			kueue_spots_return(k, k->holds[h].job);
			if (is_enough(k, search, gone, look))
				return true;
		}
	}
	return false;
}

/* The same for places, where more room never hinders: so it is also enough if some of them gone
 * are enough. */
static bool could_place(struct kueue *k, const struct kueue_search *search, bool may_borrow)
{
	struct kueue_mark mark;
	size_t gone = 0, look = 16;
	bool places = false;

	if (search->places == NULL || k->config->searches_anew || !kueue_victim_grows(k, search))
		return true;
	mark = kueue_mark(k);
	for (size_t i = 0, end; i < k->candidate_count && !places; i = end) {
		for (end = i + 1; end < k->candidate_count; end++) {
			if (k->candidates[end].queue != k->candidates[i].queue)
				break;
		}
		begin_streams(k, may_borrow, i, end);
		places = k->candidates[i].same ? clear_own(k, search, &gone, &look)
					       : clear_queue(k, search, &gone, &look);
	}
	places = places || search->places(k);
	kueue_rollback(k, mark);
	return places;
}

/* Looked at live, when its turn comes: those before it are gone. */
static bool is_valid(const struct kueue *k, const struct kueue_search *search,
		     const struct kueue_candidate *c)
{
	if (c->same)
		return true;
	for (uint32_t n = c->queue; n != c->lca; n = k->tree.nodes[n].parent) {
		if (quota_within(&k->tree, n, search->columns, search->column_count))
			return false;
	}
	return true;
}

/* The best candidate of all rungs. One that is not valid any more has no valid ones behind it
 * in its rung: all are of the same queue, whose usage, as that of the cohorts above it, only
 * gets less. */
static bool next_candidate(struct kueue *k, const struct kueue_search *search,
			   struct kueue_candidate *out)
{
	while (k->stream_count > 0 && !is_valid(k, search, &k->streams[0]))
		end_stream(k);
	if (k->stream_count == 0)
		return false;
	*out = k->streams[0];
	advance_stream(k, search);
	return true;
}

static enum kueue_preemption reason_of(const struct kueue_candidate *c)
{
	if (c->same)
		return PREEMPTION_IN_QUEUE;
	return c->variant == VARIANT_WHILE_BORROWING ? PREEMPTION_RECLAIM_BORROWING
						     : PREEMPTION_RECLAIM;
}

/* Removes candidates until it fits; of more than that kueue_victim_fewest tells. */
static bool remove_enough(struct kueue *k, const struct kueue_search *search, bool may_borrow)
{
	size_t failed = 0, stride = 1; /* so many targets were too few */
	bool found = false;
	struct kueue_candidate c;

	while (!found && next_candidate(k, search, &c)) {
		kueue_victim_remove(k, c.job, reason_of(&c));
		if (k->target_count < failed + stride)
			continue;
		found = kueue_victim_fits(k, search, may_borrow);
		if (!found) {
			failed = k->target_count;
			stride = kueue_victim_stride(k, search, stride);
		}
	}
	if (!found && k->target_count > failed)
		found = kueue_victim_fits(k, search, may_borrow);
	if (found)
		k->target_count = kueue_victim_fewest(k, search, may_borrow, failed);
	return found;
}

/* *no_place: it failed with all candidates gone that are valid, or more, and there were no
 * places then. */
static bool attempt(struct kueue *k, const struct kueue_search *search, bool may_borrow,
		    bool *no_place)
{
	size_t count = count_parts(k, may_borrow);
	bool found;
	struct kueue_mark mark;

	k->target_count = 0;
	if (count == 0) /* nobody: it is not looked whether it fits */
		return false;
	if (!could_fit(k, search, may_borrow))
		return false;
	if (!could_place(k, search, may_borrow)) {
		*no_place = *no_place || count == k->candidate_count;
		return false;
	}
	begin_streams(k, may_borrow, 0, k->candidate_count);
	order_streams(k);
	mark = kueue_mark(k);
	found = remove_enough(k, search, may_borrow);
	if (found)
		kueue_victim_fill_back(k, search, may_borrow);
	kueue_rollback(k, mark);
	return found;
}

static bool search_classical(struct kueue *k, const struct kueue_search *search)
{
	bool forbidden = !may_borrow_within_cohort(k, search->queue);
	bool others = false, hierarchy = false, no_place = false, found;
	bool borrows = forbidden && !under_nominal(k, search);

	collect(k, search, borrows);
	for (size_t i = 0; i < k->candidate_count; i++) {
		others = others || !k->candidates[i].same;
		hierarchy = hierarchy || k->candidates[i].variant == VARIANT_HIERARCHY;
	}
	if (!others || borrows)
		found = attempt(k, search, true, &no_place);
	else if (forbidden && !hierarchy)
		found = attempt(k, search, false, &no_place) || attempt(k, search, true, &no_place);
	else
		found = attempt(k, search, true, &no_place) || attempt(k, search, false, &no_place);
	if (!found && no_place)
		kueue_refute_note(k, search, others);
	return found;
}

bool kueue_preempt_search(struct kueue *k, const struct kueue_search *search)
{
	bool found;

	k->target_count = 0;
	if (kueue_bound_excludes(k, search))
		return false;
	if (kueue_recall_get(k, search, &found))
		return found;
	if (kueue_refute_covers(k, search))
		return false;
	found = k->config->fair_sharing ? kueue_fair_search(k, search)
					: search_classical(k, search);
	if (!found)
		k->target_count = 0;
	kueue_recall_keep(k, search, found);
	return found;
}

enum kueue_fit kueue_preempt_possible(struct kueue *k, uint32_t job, uint32_t queue,
				      uint32_t column, int64_t amount, uint32_t *level)
{
	struct quota_amount request = {column, amount};
	struct kueue_search search = {.job = job,
				      .queue = queue,
				      .columns = &column,
				      .column_count = 1,
				      .request = &request,
				      .request_count = 1};
	enum kueue_fit fit = FIT_RECLAIM;
	bool may_reclaim;
	struct kueue_mark mark;

	if (!kueue_preempt_search(k, &search))
		return FIT_NO_CANDIDATES;
	mark = kueue_mark(k);
	for (size_t i = 0; i < k->target_count; i++) {
		kueue_usage_return(k, k->targets[i].job);
		if (k->holds[k->jobs[k->targets[i].job].hold].queue == queue)
			fit = FIT_PREEMPT;
	}
	*level = quota_level(&k->tree, queue, column, amount, &may_reclaim);
	kueue_rollback(k, mark);
	return fit;
}
