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
 *  - Candidates in other queues have a lower priority, or the same one, where the preemptor's
 *    queue reclaims from these alone: what all of such a priority use in the tree, which is
 *    summed up as well, is at least what they use. Of that no more can come to be available to
 *    the preemptor's queue: a part that a queue or cohort on the way keeps for itself is lost.
 *  - Candidates in other queues come from those that are above their quota in one of the
 *    columns that the search is for, in the preemptor's tree. If there are none, only the
 *    preemptor's own count. What these use is not summed up: if there are any, they may be
 *    enough.
 *  - Where the preemptor may not borrow while it preempts, classical preemption takes
 *    victims of other queues only if the request fits its quota, then or once those of its
 *    own are gone: it has no better claim else (in a tree of one cohort), and attempts with
 *    borrowing leave the others out. Nor does it look at them if its queue is not below its
 *    nominal quota.
 *  - Fair sharing looks at the children of a cohort above the preemptor, beside the one on
 *    its way, whose share is not below that one's, with the request added and the preemptor's
 *    own candidates gone (kueue_fair.c, collect). With all that is summed up gone that share
 *    is no larger, so a child with a smaller one than that has no part. If that is so at
 *    each cohort, nothing else has gone when the next one above is looked at.
 *
 * In a flat tree most of this hangs on the preemptor's own queue alone: how much more than its
 * quota it may ask for before other queues are left alone, and what it would find in the cohort
 * if that had nothing in use. So for one column, and a priority, these are kept until its own
 * queue changes; what others take and give back only changes what is in use of the cohort, which
 * is read each time.
 *
 * There is nobody to be found either, though the request fits and only lacks places, if no
 * other queue can have a candidate and those of its own use nothing: where every usage that
 * lists a column is more than nothing, there are none.
 *
 * What is known of the others is kept per cohort and column as long as nobody's usage in
 * the tree changes. It is that of the reservations, so it is asked for only while nothing is
 * on trial; else others may be enough. */

/* Children of a cohort that are above their quota in a column, or have a queue that is. */
struct over {
	uint64_t changed; /* of the root; 0: not known */
	uint32_t count;
	uint32_t largest; /* of them by share; KUEUE_NONE */
	struct quota_share first, second;
};

/* Of a queue in a flat tree, for a priority and a column. More than one of both share a place. */
enum { MARGINS = 16 };
struct margin {
	uint64_t changed, objects; /* of the queue; 0: nothing is known */
	uint32_t column;
	int32_t priority;
	bool keeps;	  /* with more than this it leaves other queues alone */
	int64_t least;	  /* this */
	int64_t local;	  /* left of what the cohort does not see, with its own candidates gone */
	int64_t less;	  /* so much less the cohort would use then */
	int64_t borrowed; /* from the cohort, at most */
};

struct kueue_bound {
	struct margin (*margins)[MARGINS]; /* [queue] */
	struct over *overs;		   /* [node * column_count + column], of cohorts */
	struct quota_amount *less;	   /* [column_count] scratch */
	size_t looked;			   /* usages that were looked at */
	bool idle;			   /* one of them lists a column of which it uses nothing */
};

void kueue_bound_open(struct kueue *k)
{
	if (k->config->searches_anew)
		return;
	k->bounds = mem_calloc(1, sizeof(*k->bounds));
	k->bounds->overs =
		mem_calloc((size_t)k->tree.node_count * k->column_count, sizeof(*k->bounds->overs));
	k->bounds->margins = mem_calloc(k->queue_count, sizeof(*k->bounds->margins));
	k->bounds->less = mem_calloc(k->column_count, sizeof(*k->bounds->less));
}

void kueue_bound_close(struct kueue *k)
{
	if (k->bounds == NULL)
		return;
	mem_free(k->bounds->margins);
	mem_free(k->bounds->overs);
	mem_free(k->bounds->less);
	mem_free(k->bounds);
	k->bounds = NULL;
}

/* ------------------------------------------------------------ the other queues */

static void note_over(const struct kueue *k, uint32_t child, struct over *o)
{
	const struct quota_share *share;

	o->count++;
	if (!k->config->fair_sharing)
		return;
	share = quota_share(&k->tree, child);
	if (o->largest == KUEUE_NONE || quota_share_compare(share, &o->first) > 0) {
		o->second = o->first;
		o->first = *share;
		o->largest = child;
	} else if (o->count == 2 || quota_share_compare(share, &o->second) > 0) {
		o->second = *share;
	}
}

static const struct over *over_of(const struct kueue *k, uint32_t cohort, uint32_t column);

static bool is_over(const struct kueue *k, uint32_t node, uint32_t column)
{
	if (node < k->queue_count)
		return quota_borrows(&k->tree, node, column, 0);
	return over_of(k, node, column)->count > 0;
}

static const struct over *over_of(const struct kueue *k, uint32_t cohort, uint32_t column)
{
	const struct quota_node *n = &k->tree.nodes[cohort];
	struct over *o = &k->bounds->overs[(size_t)cohort * k->column_count + column];
	uint32_t ends[2] = {n->first_leaf + n->leaf_count, n->first_cohort + n->cohort_count};

	if (o->changed == k->roots[n->root].changed)
		return o;
	*o = (struct over){.changed = k->roots[n->root].changed, .largest = KUEUE_NONE};
	for (uint32_t i = n->first_leaf; i < ends[0]; i++) {
		if (is_over(k, k->tree.children[i], column))
			note_over(k, k->tree.children[i], o);
	}
	for (uint32_t i = n->first_cohort; i < ends[1]; i++) {
		if (is_over(k, k->tree.children[i], column))
			note_over(k, k->tree.children[i], o);
	}
	return o;
}

/* ------------------------------------------------------------- who may be asked */

/* Does classical preemption leave the other queues alone, in a flat tree? */
static bool keeps_to_itself(const struct kueue *k, const struct kueue_search *search)
{
	bool below = true, fits = true, could_fit = true;

	if (k->queues[search->queue].spec->borrow_within_cohort != PREEMPT_NEVER)
		return false;
	for (uint32_t i = 0; i < search->request_count && fits; i++)
		fits = !quota_borrows(&k->tree, search->queue, search->request[i].column,
				      search->request[i].amount);
	for (uint32_t i = 0; i < search->column_count && !fits && below; i++) {
		const struct quota_entry *e = quota_at(&k->tree, search->queue, search->columns[i]);

		below = e->own.nominal > e->usage;
	}
	for (uint32_t i = 0; i < search->request_count && !fits && below && could_fit; i++) {
		const struct quota_amount *r = &search->request[i];
		int64_t least =
			res_sub(r->amount, kueue_victim_sum(k, search, search->queue, r->column));

		could_fit = !quota_borrows(&k->tree, search->queue, r->column, least);
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

/* Are shares compared, or would it end within its quota? */
static bool compares_shares(const struct kueue *k, const struct kueue_search *search)
{
	bool borrows = !k->gates.free_within_nominal;

	for (uint32_t i = 0; i < search->request_count && !borrows; i++)
		borrows = is_searched(search, search->request[i].column) &&
			  quota_borrows(&k->tree, search->queue, search->request[i].column,
					search->request[i].amount);
	for (uint32_t i = 0; i < search->column_count && !borrows; i++)
		borrows = quota_borrows(&k->tree, search->queue, search->columns[i], 0);
	return k->config->fair_sharing && borrows;
}

/* What the node on the preemptor's way uses less, from what the one below it does; their
 * number. */
static uint32_t pass_on(struct kueue *k, uint32_t below, uint32_t count)
{
	struct quota_amount *less = k->bounds->less;
	uint32_t kept = 0;

	for (uint32_t i = 0; i < count; i++) {
		int64_t amount = quota_passed_on(&k->tree, below, less[i].column, less[i].amount);

		if (amount != 0)
			less[kept++] = (struct quota_amount){less[i].column, amount};
	}
	return kept;
}

static uint32_t begin_less(struct kueue *k, const struct kueue_search *search)
{
	struct quota_amount *less = k->bounds->less;
	uint32_t count = 0;

	for (uint32_t c = 0; c < k->column_count; c++) {
		less[count] = (struct quota_amount){c, less_in(k, search, c)};
		count += less[count].amount != 0;
	}
	return count;
}

/* Can no child of the cohort above have a candidate, but the node on the preemptor's way?
 * mine: its share at least; NULL: shares are not compared. */
static bool is_alone_beside(struct kueue *k, const struct kueue_search *search, uint32_t way,
			    const struct quota_share *mine)
{
	uint32_t cohort = k->tree.nodes[way].parent;

	for (uint32_t i = 0; i < search->column_count; i++) {
		const struct over *o = over_of(k, cohort, search->columns[i]);
		bool counted = !k->tree.nodes[way].hidden && is_over(k, way, search->columns[i]);
		const struct quota_share *theirs = o->largest == way ? &o->second : &o->first;

		if (o->count == counted)
			continue;
		if (mine == NULL || quota_share_compare(mine, theirs) <= 0)
			return false;
	}
	return true;
}

/* Can no other queue have a candidate? */
static bool is_alone(struct kueue *k, const struct kueue_search *search)
{
	bool compares, alone = true;
	uint32_t count;

	if (k->queues[search->queue].spec->reclaim_within_cohort == PREEMPT_NEVER ||
	    k->tree.nodes[search->queue].root == search->queue)
		return true;
	if (!k->config->fair_sharing && quota_is_flat(&k->tree, search->queue) &&
	    keeps_to_itself(k, search))
		return true;
	if (k->open || k->tree.undo_count > 0)
		return false;
	compares = compares_shares(k, search);
	count = compares ? begin_less(k, search) : 0;
	for (uint32_t way = search->queue; alone && quota_has_parent(&k->tree, way);
	     way = k->tree.nodes[way].parent) {
		struct quota_share mine;

		if (compares)
			mine = quota_share_without(&k->tree, way, k->bounds->less, count);
		alone = is_alone_beside(k, search, way, compares ? &mine : NULL);
		count = pass_on(k, way, count);
	}
	return alone;
}

/* What those of other queues use of the column who may be evicted by priority; RES_UNLIMITED:
 * that is not known, or everybody may. */
static int64_t sum_of_others(const struct kueue *k, const struct kueue_search *search,
			     uint32_t column)
{
	uint32_t root = k->tree.nodes[search->queue].root;
	enum preemption_policy policy = k->queues[search->queue].spec->reclaim_within_cohort;
	int32_t priority = kueue_class_of(k, search->job)->priority;
	bool same = policy != PREEMPT_LOWER_PRIORITY;
	int64_t all, own;

	if (policy == PREEMPT_NEVER || root == search->queue)
		return 0;
	if (policy == PREEMPT_ANY)
		return RES_UNLIMITED;
	all = kueue_strata_sum(&k->roots[root].strata, k->column_count, column, priority, same);
	own = kueue_strata_sum(&k->queues[search->queue].strata, k->column_count, column, priority,
			       same);
	return all == RES_UNLIMITED ? all : res_sub(all, own);
}

/* Does every usage that lists a column use some of it? */
static bool sums_tell(struct kueue *k)
{
	struct kueue_bound *b = k->bounds;

	for (; b->looked < k->usage_count; b->looked++) {
		const struct kueue_usage *u = &k->usages[b->looked];

		for (uint32_t i = 0; i < u->count; i++)
			b->idle = b->idle || k->usage_amounts[u->first + i].amount <= 0;
	}
	return !b->idle;
}

/* Has it no candidates at all? */
static bool has_nobody(struct kueue *k, const struct kueue_search *search)
{
	for (uint32_t i = 0; i < search->column_count; i++) {
		if (kueue_victim_sum(k, search, search->queue, search->columns[i]) != 0)
			return false;
	}
	return sums_tell(k) && is_alone(k, search);
}

static int64_t larger(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

static int64_t smaller(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/* As quota_available_without has it, but for the usage of the cohort. */
static struct margin make_margin(const struct kueue *k, const struct kueue_search *search)
{
	uint32_t queue = search->queue, column = search->columns[0];
	const struct cluster_queue *spec = k->queues[queue].spec;
	const struct quota_entry *e = quota_at(&k->tree, queue, column);
	int64_t mine = kueue_victim_sum(k, search, queue, column);
	int64_t usage = res_sub(e->usage, mine), left = res_sub(e->own.nominal, e->usage);
	struct margin m = {.changed = k->queues[queue].changed,
			   .objects = k->objects,
			   .column = column,
			   .priority = kueue_class_of(k, search->job)->priority,
			   .borrowed = RES_UNLIMITED};

	m.keeps = spec->reclaim_within_cohort == PREEMPT_NEVER ||
		  spec->borrow_within_cohort == PREEMPT_NEVER;
	if (spec->reclaim_within_cohort != PREEMPT_NEVER)
		m.least = left > 0 ? res_add(left, mine) : left;
	m.local = larger(0, res_sub(e->guaranteed, usage));
	m.less = smaller(mine, larger(0, res_sub(e->usage, e->guaranteed)));
	if (e->own.borrowing != QUOTA_UNSET)
		m.borrowed = res_add(res_sub(res_sub(e->subtree, e->guaranteed),
					     larger(0, res_sub(usage, e->guaranteed))),
				     e->own.borrowing);
	return m;
}

static const struct margin *margin_of(struct kueue *k, const struct kueue_search *search)
{
	int32_t priority = kueue_class_of(k, search->job)->priority;
	uint32_t column = search->columns[0], at = column * 5 + (uint32_t)priority;
	struct margin *m = &k->bounds->margins[search->queue][at % MARGINS];

	if (m->changed != k->queues[search->queue].changed || m->objects != k->objects ||
	    m->column != column || m->priority != priority || m->changed == 0)
		*m = make_margin(k, search);
	return m;
}

bool kueue_bound_is_vain(struct kueue *k, const struct kueue_search *search)
{
	uint32_t root = k->tree.nodes[search->queue].root;
	const struct quota_amount *r = search->request;
	const struct quota_entry *e;
	const struct margin *m;

	if (k->bounds == NULL || k->config->fair_sharing || k->open || k->tree.undo_count > 0 ||
	    search->request_count != 1 || search->column_count != 1 ||
	    r->column != search->columns[0] || !quota_is_flat(&k->tree, search->queue))
		return false;
	m = margin_of(k, search);
	e = quota_at(&k->tree, root, r->column);
	return m->keeps && r->amount > m->least &&
	       r->amount > larger(0, res_add(m->local, smaller(res_sub(e->subtree,
								       res_sub(e->usage, m->less)),
							       m->borrowed)));
}

bool kueue_bound_excludes(struct kueue *k, const struct kueue_search *search)
{
	bool lacks = false;

	if (k->bounds == NULL)
		return false;
	if (kueue_bound_is_vain(k, search))
		return true;
	for (uint32_t i = 0; i < search->request_count; i++) {
		const struct quota_amount *r = &search->request[i];
		int64_t most = quota_available_without(
			&k->tree, search->queue, r->column,
			kueue_victim_sum(k, search, search->queue, r->column));

		if (r->amount <= most)
			continue;
		if (r->amount > res_add(most, sum_of_others(k, search, r->column)))
			return true;
		lacks = true;
	}
	return lacks ? is_alone(k, search) : has_nobody(k, search);
}
