#include "sim/kueue/kueue_bound.h"

#include "core/mem.h"
#include "core/res.h"

/* Why a search may be left out.
 *
 * A search ends well only when its request fits, and whatever it takes away is part of
 * what all its candidates use. Removing more never leaves less room. So if the request does
 * not fit in one column with more than all candidates gone, there is nobody to be found.
 *
 *  - Candidates in the preemptor's queue have a lower priority, or the same one where newer
 *    ones of it may be evicted: their sum by priority (kueue_strata.h) is at least what they
 *    use. That some of them are not seen (claimed, made by this cycle) only makes it less.
 *  - Candidates in other queues come from those that are above their quota in one of the
 *    columns that the search is for, in the preemptor's tree. If there are none, only the
 *    preemptor's own count. What they use is not summed up: if there are any, they may be
 *    enough.
 *  - Where the preemptor may not borrow while it preempts, classical preemption takes
 *    victims of other queues only if the request fits its quota, then or once those of its
 *    own are gone: it has no better claim else (in a tree of one cohort), and attempts with
 *    borrowing leave the others out. Nor does it look at them if its queue is not below its
 *    nominal quota.
 *  - Fair sharing looks at those with a share not below the preemptor's, with the request
 *    added and its own candidates gone (kueue_fair.c, collect). With all that is summed up
 *    gone that share is no larger, so a smaller one than that has no part.
 *
 * What is known of the other queues is kept per root and column as long as nobody's usage
 * in the tree changes. It is that of the reservations, so it is asked for only while nothing is
 * on trial; else others may be enough. */

/* Leaves of a tree above their quota in a column. */
struct over {
	uint64_t changed; /* of the root; 0: not known */
	uint32_t count;
	uint32_t largest; /* of them by share; KUEUE_NONE */
	struct quota_share first, second;
};

struct kueue_bound {
	struct over *overs;	   /* [node * column_count + column], of roots */
	struct quota_amount *less; /* [column_count] scratch */
};

void kueue_bound_open(struct kueue *k)
{
	if (k->config->searches_anew)
		return;
	k->bounds = mem_calloc(1, sizeof(*k->bounds));
	k->bounds->overs =
		mem_calloc((size_t)k->tree.node_count * k->column_count, sizeof(*k->bounds->overs));
	k->bounds->less = mem_calloc(k->column_count, sizeof(*k->bounds->less));
}

void kueue_bound_close(struct kueue *k)
{
	if (k->bounds == NULL)
		return;
	mem_free(k->bounds->overs);
	mem_free(k->bounds->less);
	mem_free(k->bounds);
	k->bounds = NULL;
}

/* ------------------------------------------------------------ the other queues */

static void note_share(const struct kueue *k, uint32_t queue, struct over *o)
{
	const struct quota_share *share = quota_share(&k->tree, queue);

	if (o->largest == KUEUE_NONE || quota_share_compare(share, &o->first) > 0) {
		o->second = o->first;
		o->first = *share;
		o->largest = queue;
	} else if (quota_share_compare(share, &o->second) > 0) {
		o->second = *share;
	}
}

static void count_over(const struct kueue *k, uint32_t node, uint32_t column, struct over *o)
{
	const struct quota_node *n = &k->tree.nodes[node];

	for (uint32_t i = 0; i < n->leaf_count; i++) {
		uint32_t leaf = k->tree.children[n->first_leaf + i];

		if (!quota_borrows(&k->tree, leaf, column, 0))
			continue;
		o->count++;
		if (k->config->fair_sharing && n->parent == QUOTA_NONE)
			note_share(k, leaf, o);
	}
	for (uint32_t i = 0; i < n->cohort_count; i++)
		count_over(k, k->tree.children[n->first_cohort + i], column, o);
}

static const struct over *over_of(const struct kueue *k, uint32_t root, uint32_t column)
{
	struct over *o = &k->bounds->overs[(size_t)root * k->column_count + column];

	if (o->changed == k->roots[root].changed)
		return o;
	*o = (struct over){.changed = k->roots[root].changed, .largest = KUEUE_NONE};
	count_over(k, root, column, o);
	return o;
}

/* ------------------------------------------------------------- who may be asked */

/* Does classical preemption leave the other queues alone, in a flat tree? */
static bool keeps_to_itself(const struct kueue *k, const struct kueue_search *search)
{
	bool below = true, fits = true, could_fit = true;

	if (k->queues[search->queue].spec->borrow_within_cohort != PREEMPT_NEVER)
		return false;
	for (uint32_t i = 0; i < search->column_count; i++) {
		const struct quota_entry *e = quota_at(&k->tree, search->queue, search->columns[i]);

		below = below && e->own.nominal > e->usage;
	}
	for (uint32_t i = 0; i < search->request_count; i++) {
		const struct quota_amount *r = &search->request[i];
		int64_t least =
			res_sub(r->amount, kueue_victim_sum(k, search, search->queue, r->column));

		fits = fits && !quota_borrows(&k->tree, search->queue, r->column, r->amount);
		could_fit = could_fit && !quota_borrows(&k->tree, search->queue, r->column, least);
	}
	return !fits && (!below || !could_fit);
}

static bool is_searched(const struct kueue_search *search, uint32_t column)
{
	for (uint32_t i = 0; i < search->column_count; i++) {
		if (search->columns[i] == column)
			return true;
	}
	return false;
}

/* What its own candidates use of the column, less what it asks for. */
static int64_t less_in(const struct kueue *k, const struct kueue_search *search, uint32_t column)
{
	int64_t less = kueue_victim_sum(k, search, search->queue, column);

	for (uint32_t i = 0; i < search->request_count; i++) {
		if (search->request[i].column == column)
			less = res_sub(less, search->request[i].amount);
	}
	return less;
}

/* The preemptor's share with its request and without its own candidates, at least; false:
 * it would end within its quota, where shares are not compared. */
static bool least_share(struct kueue *k, const struct kueue_search *search,
			struct quota_share *share)
{
	struct quota_amount *less = k->bounds->less;
	bool borrows = !k->gates.free_within_nominal;
	uint32_t count = 0;

	for (uint32_t i = 0; i < search->request_count && !borrows; i++)
		borrows = is_searched(search, search->request[i].column) &&
			  quota_borrows(&k->tree, search->queue, search->request[i].column,
					search->request[i].amount);
	for (uint32_t i = 0; i < search->column_count && !borrows; i++)
		borrows = quota_borrows(&k->tree, search->queue, search->columns[i], 0);
	for (uint32_t c = 0; c < k->column_count && borrows; c++) {
		less[count] = (struct quota_amount){c, less_in(k, search, c)};
		count += less[count].amount != 0;
	}
	*share = quota_share_without(&k->tree, search->queue, less, count);
	return borrows;
}

static bool is_outweighed(const struct over *o, uint32_t queue, const struct quota_share *mine)
{
	const struct quota_share *theirs = o->largest == queue ? &o->second : &o->first;

	return quota_share_compare(mine, theirs) > 0;
}

/* Can no other queue have a candidate? */
static bool is_alone(struct kueue *k, const struct kueue_search *search)
{
	uint32_t root = k->tree.nodes[search->queue].root, others = 0;
	bool outweighed;
	struct quota_share mine;

	if (k->queues[search->queue].spec->reclaim_within_cohort == PREEMPT_NEVER ||
	    root == search->queue)
		return true;
	if (!k->config->fair_sharing && quota_is_flat(&k->tree, search->queue) &&
	    keeps_to_itself(k, search))
		return true;
	if (k->open || k->tree.undo_count > 0)
		return false;
	for (uint32_t i = 0; i < search->column_count; i++) {
		others += over_of(k, root, search->columns[i])->count;
		if (!k->tree.nodes[search->queue].hidden &&
		    quota_borrows(&k->tree, search->queue, search->columns[i], 0))
			others--;
	}
	if (others == 0 || !k->config->fair_sharing || !quota_is_flat(&k->tree, search->queue) ||
	    !least_share(k, search, &mine))
		return others == 0;
	outweighed = true;
	for (uint32_t i = 0; i < search->column_count; i++)
		outweighed = outweighed && is_outweighed(over_of(k, root, search->columns[i]),
							 search->queue, &mine);
	return outweighed;
}

bool kueue_bound_excludes(struct kueue *k, const struct kueue_search *search)
{
	if (k->bounds == NULL)
		return false;
	for (uint32_t i = 0; i < search->request_count; i++) {
		const struct quota_amount *r = &search->request[i];

		if (r->amount >
		    quota_available_without(&k->tree, search->queue, r->column,
					    kueue_victim_sum(k, search, search->queue, r->column)))
			return is_alone(k, search);
	}
	return false;
}
