#include "sim/kueue_preempt.h"

#include "core/sort.h"
#include "sim/kueue_fair.h"

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
			     uint32_t victim, bool advantage)
{
	const struct cluster_queue *spec = k->queues[search->queue].spec;
	int32_t theirs = kueue_class_of(k, victim)->priority;

	if (advantage)
		return VARIANT_HIERARCHY;
	if (!may_borrow_within_cohort(k, search->queue) ||
	    theirs >= kueue_class_of(k, search->job)->priority ||
	    (spec->has_max_priority_threshold && theirs > spec->max_priority_threshold))
		return VARIANT_WITHOUT_BORROWING;
	return VARIANT_WHILE_BORROWING;
}

static void collect_queue(struct kueue *k, const struct kueue_search *search, uint32_t queue,
			  uint32_t lca, bool advantage)
{
	bool same = queue == search->queue;
	const struct cluster_queue *spec = k->queues[search->queue].spec;
	enum preemption_policy policy =
		same ? spec->within_cluster_queue : spec->reclaim_within_cohort;

	for (uint32_t h = k->queues[queue].first_hold; h != KUEUE_NONE; h = k->holds[h].next) {
		enum variant variant;

		if (!kueue_victim_allowed(k, search, h, policy))
			continue;
		variant = same ? VARIANT_SAME_QUEUE
			       : classify(k, search, k->holds[h].job, advantage);
		kueue_victim_add(k, search, h, (uint8_t)variant, lca);
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

static void collect_cohorts(struct kueue *k, const struct kueue_search *search)
{
	uint32_t before = KUEUE_NONE;
	bool advantage;

	for (uint32_t i = 0; i < search->request_count; i++)
		k->rest[i] = search->request[i];
	advantage = fits_in_quota(k, search->queue, k->rest, search->request_count);
	for (uint32_t a = k->tree.nodes[search->queue].parent; a != QUOTA_NONE;
	     a = k->tree.nodes[a].parent) {
		bool fits;

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
static int compare_candidates(const void *a, const void *b, void *context)
{
	const struct kueue_candidate *x = a, *y = b;

	if (x->evicted != y->evicted)
		return x->evicted ? -1 : 1;
	if (list_of(x) != list_of(y))
		return list_of(x) < list_of(y) ? -1 : 1;
	return kueue_victim_compare(context, x, y);
}

static void collect(struct kueue *k, const struct kueue_search *search)
{
	const struct cluster_queue *spec = k->queues[search->queue].spec;

	k->candidate_count = 0;
	if (spec->within_cluster_queue != PREEMPT_NEVER)
		collect_queue(k, search, search->queue, KUEUE_NONE, false);
	if (spec->reclaim_within_cohort != PREEMPT_NEVER)
		collect_cohorts(k, search);
	sort_stable(k->candidates, k->candidate_count, sizeof(*k->candidates), compare_candidates,
		    k);
}

/* --------------------------------------------------------------- attempts */

/* Looked at live, when its turn comes: those before it are gone. */
static bool is_valid(const struct kueue *k, const struct kueue_search *search,
		     const struct kueue_candidate *c, bool may_borrow)
{
	if (c->same)
		return true;
	if (may_borrow && c->variant == VARIANT_WITHOUT_BORROWING)
		return false;
	for (uint32_t n = c->queue; n != c->lca; n = k->tree.nodes[n].parent) {
		if (quota_within(&k->tree, n, search->columns, search->column_count))
			return false;
	}
	return true;
}

static enum kueue_preemption reason_of(const struct kueue_candidate *c)
{
	if (c->same)
		return PREEMPTION_IN_QUEUE;
	return c->variant == VARIANT_WHILE_BORROWING ? PREEMPTION_RECLAIM_BORROWING
						     : PREEMPTION_RECLAIM;
}

static bool attempt(struct kueue *k, const struct kueue_search *search, bool may_borrow)
{
	size_t mark = quota_mark(&k->tree);
	bool found = false;

	k->target_count = 0;
	for (size_t i = 0; i < k->candidate_count && !found; i++) {
		const struct kueue_candidate *c = &k->candidates[i];

		if (!is_valid(k, search, c, may_borrow))
			continue;
		kueue_victim_remove(k, c->job, reason_of(c));
		found = kueue_victim_fits(k, search, may_borrow);
	}
	if (found)
		kueue_victim_fill_back(k, search, may_borrow);
	quota_rollback(&k->tree, mark);
	return found;
}

static bool under_nominal(const struct kueue *k, const struct kueue_search *search)
{
	for (uint32_t i = 0; i < search->column_count; i++) {
		const struct quota_entry *e =
			quota_at(&k->tree, search->queue, search->columns[i]);

		if (e->own.nominal <= e->usage)
			return false;
	}
	return true;
}

static bool search_classical(struct kueue *k, const struct kueue_search *search)
{
	bool forbidden = !may_borrow_within_cohort(k, search->queue);
	bool others = false, hierarchy = false;

	collect(k, search);
	for (size_t i = 0; i < k->candidate_count; i++) {
		others = others || !k->candidates[i].same;
		hierarchy = hierarchy || k->candidates[i].variant == VARIANT_HIERARCHY;
	}
	if (!others || (forbidden && !under_nominal(k, search)))
		return attempt(k, search, true);
	if (forbidden && !hierarchy)
		return attempt(k, search, false) || attempt(k, search, true);
	return attempt(k, search, true) || attempt(k, search, false);
}

bool kueue_preempt_search(struct kueue *k, const struct kueue_search *search)
{
	bool found = k->config->fair_sharing ? kueue_fair_search(k, search)
					     : search_classical(k, search);

	if (!found)
		k->target_count = 0;
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
	size_t mark;

	if (!kueue_preempt_search(k, &search))
		return FIT_NO_CANDIDATES;
	mark = quota_mark(&k->tree);
	for (size_t i = 0; i < k->target_count; i++) {
		kueue_usage_return(k, k->targets[i].job);
		if (k->holds[k->jobs[k->targets[i].job].hold].queue == queue)
			fit = FIT_PREEMPT;
	}
	*level = quota_level(&k->tree, queue, column, amount, &may_reclaim);
	quota_rollback(&k->tree, mark);
	return fit;
}
