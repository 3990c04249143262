#include "sim/kueue/kueue_refute.h"

#include "core/mem.h"
#include "sim/kueue/kueue_tas.h"

/* Why a search may be left out.
 *
 * Classical preemption in a tree of one cohort. An attempt removes candidates, in their order,
 * as long as their queue is above its quota in one of the columns that the search is for; that
 * hangs on what was removed from this queue before, and on no other. So what is gone when a
 * search has tried all is, of each queue, the same whatever the others do, and each attempt
 * removes a part of it. More room never hinders the placement of one pod set. So if there are no
 * places when all that are gone, a search fails
 *  - that has no other candidates, or fewer, in the same order in each other queue,
 *  - and asks for no less.
 *
 * Of the same queue that is so, while nothing in the tree changed, if the columns are the same,
 * each amount is no less (which decides whether other queues are asked) and the priority is no
 * higher: it has fewer candidates in its own queue; in the others the same, unless these too
 * are chosen by priority, which then must be the same.
 *
 * Of another queue that is so if neither has candidates of its own, both reclaim from any
 * priority, and the one that failed has asked the others and is itself within its quota, thus no
 * candidate for anybody.
 *
 * A pod set asks for no less than another if it has as many pods, and a pod asks for as much of
 * each resource and selects no other nodes, and if pods were not wanted together where they
 * failed, or are to be together at the same level. */

enum { COLUMNS = 4, OWN = 6, COMMON = 8 };

struct refuted {
	uint64_t changed, lasting; /* of the root, and of the topology; changed 0: nothing */
	uint32_t columns[COLUMNS];
	int64_t amounts[COLUMNS];
	uint32_t column_count;
	int32_t priority;
	uint32_t tree, pods;
	const struct pod_shape *shape;
};

struct kueue_refute {
	struct refuted (*own)[OWN];	  /* [queue] */
	struct refuted (*common)[COMMON]; /* [node], of roots */
	uint32_t *next_own, *next_common; /* the oldest */
};

void kueue_refute_open(struct kueue *k)
{
	struct kueue_refute *r;

	if (k->config->searches_anew || k->config->fair_sharing || k->topology == NULL)
		return;
	r = k->refute = mem_calloc(1, sizeof(*r));
	r->own = mem_calloc(k->queue_count, sizeof(*r->own));
	r->common = mem_calloc(k->tree.node_count, sizeof(*r->common));
	r->next_own = mem_calloc(k->queue_count, sizeof(*r->next_own));
	r->next_common = mem_calloc(k->tree.node_count, sizeof(*r->next_common));
}

void kueue_refute_close(struct kueue *k)
{
	if (k->refute == NULL)
		return;
	mem_free(k->refute->own);
	mem_free(k->refute->common);
	mem_free(k->refute->next_own);
	mem_free(k->refute->next_common);
	mem_free(k->refute);
	k->refute = NULL;
}

/* ------------------------------------------------------------ who asks for what */

/* Is it a search that this is known of? Balanced placement chooses by itself where. */
static bool applies(const struct kueue *k, const struct kueue_search *search)
{
	return k->refute != NULL && search->places != NULL && !k->open && !k->hide_claimed &&
	       k->tree.undo_count == 0 && k->topology->undo_count == 0 && k->tas_count == 1 &&
	       kueue_tas_is_new(k->tas_sets) && quota_is_flat(&k->tree, search->queue) &&
	       k->afs == NULL && !k->gates.balances &&
	       !kueue_victim_compares_orders(k, search->queue) && search->column_count <= COLUMNS &&
	       search->request_count == search->column_count && k->tas_sets->layer_count == 0;
}

/* Has the preemptor's queue nobody to evict for it, and may it take from all others? */
static bool is_solo(const struct kueue *k, const struct kueue_search *search)
{
	for (uint32_t i = 0; i < search->column_count; i++) {
		if (kueue_victim_sum(k, search, search->queue, search->columns[i]) > 0)
			return false;
	}
	return k->queues[search->queue].spec->reclaim_within_cohort == PREEMPT_ANY;
}

/* Do its pods select the same nodes? */
static bool selects_alike(const struct pod_shape *a, const struct pod_shape *b)
{
	return a->node_selector.items == b->node_selector.items &&
	       a->node_selector.count == b->node_selector.count && a->affinity == b->affinity &&
	       a->affinity_count == b->affinity_count &&
	       a->tolerations.items == b->tolerations.items &&
	       a->tolerations.count == b->tolerations.count && a->constraints == b->constraints &&
	       a->scheduler == b->scheduler && a->profile == b->profile;
}

static bool is_as_close(const struct pod_shape *a, const struct pod_shape *b)
{
	return b->topology_mode != TOPOLOGY_REQUIRED ||
	       (a->topology_mode == TOPOLOGY_REQUIRED && a->topology_level == b->topology_level);
}

/* Does a pod ask for no less than the other's? */
static bool asks_no_less(const struct kueue *k, const struct pod_shape *a,
			 const struct pod_shape *b)
{
	bool no_less = a == b || (selects_alike(a, b) && is_as_close(a, b));

	for (uint32_t r = 0; r < k->resource_count && no_less && a != b; r++)
		no_less = a->request[r] >= b->request[r];
	return no_less;
}

static bool is_harder(const struct kueue *k, const struct kueue_search *search,
		      const struct refuted *r)
{
	const struct kueue_tas_set *set = k->tas_sets;
	bool same = r->changed == k->roots[k->tree.nodes[search->queue].root].changed &&
		    r->lasting == k->topology->lasting && r->column_count == search->column_count &&
		    r->tree == set->tree && set->count >= r->pods;

	for (uint32_t i = 0; i < r->column_count && same; i++)
		same = r->columns[i] == search->columns[i];
	return same && asks_no_less(k, set->shape, r->shape);
}

/* ---------------------------------------------------------------------- records */

static bool has_less(const struct kueue *k, const struct kueue_search *search,
		     const struct refuted *r)
{
	int32_t priority = kueue_class_of(k, search->job)->priority;
	enum preemption_policy reclaim = k->queues[search->queue].spec->reclaim_within_cohort;
	bool less =
		priority == r->priority ||
		(priority < r->priority && (reclaim == PREEMPT_ANY || reclaim == PREEMPT_NEVER));

	for (uint32_t i = 0; i < r->column_count && less; i++)
		less = search->request[i].column == r->columns[i] &&
		       search->request[i].amount >= r->amounts[i];
	return less;
}

bool kueue_refute_covers(const struct kueue *k, const struct kueue_search *search)
{
	uint32_t root = k->tree.nodes[search->queue].root;

	if (!applies(k, search))
		return false;
	for (uint32_t i = 0; i < OWN; i++) {
		const struct refuted *r = &k->refute->own[search->queue][i];

		if (is_harder(k, search, r) && has_less(k, search, r))
			return true;
	}
	if (!is_solo(k, search))
		return false;
	for (uint32_t i = 0; i < COMMON; i++) {
		if (is_harder(k, search, &k->refute->common[root][i]))
			return true;
	}
	return false;
}

void kueue_refute_note(struct kueue *k, const struct kueue_search *search, bool others)
{
	struct kueue_refute *refute = k->refute;
	uint32_t queue = search->queue, root = k->tree.nodes[queue].root;
	struct refuted r = {.column_count = search->column_count};

	if (!applies(k, search))
		return;
	r.changed = k->roots[root].changed;
	r.lasting = k->topology->lasting;
	r.priority = kueue_class_of(k, search->job)->priority;
	r.tree = k->tas_sets->tree;
	r.pods = k->tas_sets->count;
	r.shape = k->tas_sets->shape;
	for (uint32_t i = 0; i < r.column_count; i++) {
		if (search->request[i].column != search->columns[i])
			return;
		r.columns[i] = search->columns[i];
		r.amounts[i] = search->request[i].amount;
	}
	refute->own[queue][refute->next_own[queue]++ % OWN] = r;
	if (others && is_solo(k, search) &&
	    quota_within(&k->tree, queue, search->columns, search->column_count))
		refute->common[root][refute->next_common[root]++ % COMMON] = r;
}
