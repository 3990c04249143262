#include "sim/kueue/kueue_fair.h"

#include "core/mem.h"
#include "sim/kueue/kueue_hold.h"

/* ------------------------------------ whose victim next: order over queues */

/* Candidates of each queue are a run of k->candidates, from next to end in the queue's
 * node: a heap of the first candidates of its rungs, best first, so that only those
 * that are looked at are put in order. A rung goes on with its next hold, which stands
 * behind in the queue's order too; one that is alone ends with itself. A run is made when a
 * victim may be taken from the queue: mostly that is from few of them. Nodes without a
 * current stamp are as new. */
static struct kueue_fair_node *fair_node(struct kueue *k, uint32_t node)
{
	struct kueue_fair_node *n = &k->fair[node];

	if (n->stamp != k->fair_stamp)
		*n = (struct kueue_fair_node){.stamp = k->fair_stamp};
	return n;
}

static void sift_down(struct kueue *k, struct kueue_candidate *heap, size_t count, size_t at)
{
	struct kueue_candidate c = heap[at];

	for (size_t child = at * 2 + 1; child < count; child = at * 2 + 1) {
		if (child + 1 < count &&
		    kueue_victim_compare(k, &heap[child + 1], &heap[child]) < 0)
			child++;
		if (kueue_victim_compare(k, &heap[child], &c) >= 0)
			break;
		heap[at] = heap[child];
		at = child;
	}
	heap[at] = c;
}

static void make_heap(struct kueue *k, struct kueue_candidate *heap, size_t count)
{
	for (size_t i = count / 2; i-- > 0;)
		sift_down(k, heap, count, i);
}

static void add_candidate(struct kueue *k, const struct kueue_candidate *c)
{
	k->candidates = mem_grow(k->candidates, k->candidate_count + 1, &k->candidate_capacity,
				 sizeof(*k->candidates));
	k->candidates[k->candidate_count++] = *c;
}

/* The first of each rung that may be evicted. */
static void collect_from(struct kueue *k, const struct kueue_search *search, uint32_t queue)
{
	const struct kueue_queue *q = &k->queues[queue];
	enum preemption_policy policy = kueue_victim_policy(k, search, queue);

	for (size_t i = 0; i < q->rung_count; i++) {
		struct kueue_candidate c;
		bool newer;
		uint32_t h;

		if (!kueue_victim_allowed(k, search, q->rungs[i], policy, &newer))
			continue;
		h = kueue_victim_first(k, search, k->rungs[q->rungs[i]].first, newer);
		if (h == KUEUE_NONE)
			continue;
		c = kueue_victim_make(k, search, h);
		c.newer = newer;
		add_candidate(k, &c);
	}
}

/* Has the queue candidates left? Makes its run if there is none yet. */
static bool has_candidates(struct kueue *k, const struct kueue_search *search, uint32_t queue)
{
	struct kueue_fair_node *n = fair_node(k, queue);

	if (n->asked) {
		n->asked = false;
		n->next = (uint32_t)k->candidate_count;
		collect_from(k, search, queue);
		n->end = (uint32_t)k->candidate_count;
		make_heap(k, &k->candidates[n->next], n->end - n->next);
	}
	return n->next < n->end;
}

static const struct kueue_candidate *first_candidate(struct kueue *k, uint32_t queue)
{
	return &k->candidates[fair_node(k, queue)->next];
}

static struct kueue_candidate pop_candidate(struct kueue *k, const struct kueue_search *search,
					    uint32_t queue)
{
	struct kueue_fair_node *n = fair_node(k, queue);
	struct kueue_candidate *top = &k->candidates[n->next], popped = *top;
	uint32_t next = KUEUE_NONE;

	if (!top->alone)
		next = kueue_victim_first(k, search, k->holds[top->hold].next, top->newer);
	if (next != KUEUE_NONE) {
		top->hold = next;
		top->job = k->holds[next].job;
		top->since = k->holds[next].since;
	} else {
		*top = k->candidates[--n->end];
	}
	if (n->next < n->end)
		sift_down(k, top, n->end - n->next, 0);
	return popped;
}

static bool is_ancestor(const struct kueue *k, uint32_t cohort, uint32_t queue)
{
	for (uint32_t n = k->tree.nodes[queue].parent; n != QUOTA_NONE;
	     n = k->tree.nodes[n].parent) {
		if (n == cohort)
			return true;
	}
	return false;
}

/* The largest share of the cohort's queues that may have candidates; false: there is none. */
static bool largest_share(struct kueue *k, uint32_t cohort, uint32_t preemptor,
			  struct quota_share *largest)
{
	const struct quota_node *node = &k->tree.nodes[cohort];
	bool any = false;

	for (uint32_t i = 0; i < node->leaf_count; i++) {
		uint32_t queue = k->tree.children[node->first_leaf + i];
		struct kueue_fair_node *n = fair_node(k, queue);
		const struct quota_share *mine;

		if (n->pruned)
			continue;
		mine = quota_share(&k->tree, queue);
		if ((!mine->borrowing && queue != preemptor) || (!n->asked && n->next == n->end)) {
			n->pruned = true;
			continue;
		}
		if (!any || quota_share_compare(mine, largest) > 0)
			*largest = *mine;
		any = true;
	}
	return any;
}

/* The queue with the largest share; on equal shares the better first candidate. Of the others
 * candidates are not even looked for. */
static uint32_t largest_queue(struct kueue *k, const struct kueue_search *search, uint32_t cohort,
			      struct quota_share *share)
{
	const struct quota_node *node = &k->tree.nodes[cohort];
	uint32_t best = KUEUE_NONE;

	while (best == KUEUE_NONE && largest_share(k, cohort, search->queue, share)) {
		for (uint32_t i = 0; i < node->leaf_count; i++) {
			uint32_t queue = k->tree.children[node->first_leaf + i];

			if (fair_node(k, queue)->pruned ||
			    quota_share_compare(quota_share(&k->tree, queue), share) != 0)
				continue;
			if (!has_candidates(k, search, queue))
				fair_node(k, queue)->pruned = true;
			else if (best == KUEUE_NONE ||
				 kueue_victim_compare(k, first_candidate(k, queue),
						      first_candidate(k, best)) < 0)
				best = queue;
		}
	}
	return best;
}

/* The cohort with the largest share; of equal ones the last by name. */
static uint32_t largest_cohort(struct kueue *k, uint32_t cohort, uint32_t preemptor,
			       struct quota_share *share)
{
	const struct quota_node *node = &k->tree.nodes[cohort];
	uint32_t best = KUEUE_NONE;

	for (uint32_t i = 0; i < node->cohort_count; i++) {
		uint32_t child = k->tree.children[node->first_cohort + i];
		const struct quota_share *mine;

		if (fair_node(k, child)->pruned)
			continue;
		mine = quota_share(&k->tree, child);
		if (!mine->borrowing && !is_ancestor(k, child, preemptor)) {
			fair_node(k, child)->pruned = true;
			continue;
		}
		if (best == KUEUE_NONE || quota_share_compare(mine, share) >= 0) {
			best = child;
			*share = *mine;
		}
	}
	return best;
}

/* One walk from the root; KUEUE_NONE if it only pruned something. */
static uint32_t walk_down(struct kueue *k, const struct kueue_search *search, uint32_t cohort)
{
	for (;;) {
		struct quota_share queue_share = {0}, cohort_share = {0};
		uint32_t queue = largest_queue(k, search, cohort, &queue_share);
		uint32_t child = largest_cohort(k, cohort, search->queue, &cohort_share);

		if (queue == KUEUE_NONE && child == KUEUE_NONE) {
			fair_node(k, cohort)->pruned = true;
			return KUEUE_NONE;
		}
		if (child == KUEUE_NONE ||
		    (queue != KUEUE_NONE && quota_share_compare(&cohort_share, &queue_share) < 0))
			return queue;
		cohort = child;
	}
}

/* The next queue to take a victim from; KUEUE_NONE: none is left. */
static uint32_t next_queue(struct kueue *k, const struct kueue_search *search)
{
	uint32_t preemptor = search->queue, root = k->tree.nodes[preemptor].root;

	if (root == preemptor)
		return !fair_node(k, preemptor)->pruned && has_candidates(k, search, preemptor)
			       ? preemptor
			       : KUEUE_NONE;
	while (!fair_node(k, root)->pruned) {
		uint32_t queue = walk_down(k, search, root);

		if (queue != KUEUE_NONE)
			return queue;
	}
	return KUEUE_NONE;
}

/* ----------------------------------------------------------------- search */

static bool borrows_any(const struct kueue *k, uint32_t queue, const struct kueue_search *search)
{
	for (uint32_t i = 0; i < search->column_count; i++) {
		if (quota_borrows(&k->tree, queue, search->columns[i], 0))
			return true;
	}
	return false;
}

/* The node just below the common ancestor, on this queue's side. */
static uint32_t below_ancestor(const struct kueue *k, uint32_t queue, uint32_t other)
{
	uint32_t node = queue;

	while (!is_ancestor(k, k->tree.nodes[node].parent, other))
		node = k->tree.nodes[node].parent;
	return node;
}

/* The incoming workload is in the shares, but must not be in the way of itself. */
static bool fits(struct kueue *k, const struct kueue_search *search)
{
	for (uint32_t i = 0; i < search->request_count; i++) {
		const struct quota_amount *r = &search->request[i];

		if (r->amount >
		    quota_available_without(&k->tree, search->queue, r->column, r->amount))
			return false;
	}
	return search->places == NULL || search->places(k);
}

static struct quota_share share_without(struct kueue *k, uint32_t node, uint32_t job)
{
	uint32_t hold = k->jobs[job].hold, count;
	const struct quota_amount *amounts = kueue_usage_of(k, hold, &count);
	struct kueue_mark mark;
	struct quota_share share;

	if (node == k->holds[hold].queue)
		return quota_share_without(&k->tree, node, amounts, count);
	mark = kueue_mark(k);
	kueue_usage_return(k, job);
	share = *quota_share(&k->tree, node);
	kueue_rollback(k, mark);
	return share;
}

struct shares { /* of the nodes below the common ancestor */
	struct quota_share mine, theirs;
};

static bool passes(struct kueue *k, const struct shares *shares, uint32_t theirs, uint32_t job,
		   uint8_t strategy)
{
	struct quota_share after;

	if (strategy != FAIR_FINAL_SHARE)
		return quota_share_compare(&shares->mine, &shares->theirs) < 0;
	after = share_without(k, theirs, job);
	return quota_share_compare(&shares->mine, &after) <= 0;
}

/* The second strategy looks at the first of a queue's candidates only, and then at no
 * other: so of those that did not pass the first of each queue is enough. They come in
 * order, which nothing changes during a search, so it is the one that comes first. */
static void keep_for_second(struct kueue *k, struct kueue_candidate c)
{
	struct kueue_fair_node *n = fair_node(k, c.queue);

	if (n->kept)
		return;
	n->kept = true;
	c.alone = true;
	k->retry = mem_grow(k->retry, k->retry_count + 1, &k->retry_capacity, sizeof(*k->retry));
	k->retry[k->retry_count++] = c;
}

/* Where the rung goes on behind this candidate of its queue, before which its first
 * stands; KUEUE_NONE: nowhere. */
static uint32_t first_behind(const struct kueue *k, const struct kueue_search *search,
			     const struct kueue_candidate *c, const struct kueue_candidate *other)
{
	struct kueue_candidate at = *c;

	at.since = other->since;
	at.job = other->job;
	if (kueue_victim_compare(k, &at, other) != 0)
		return KUEUE_NONE; /* all of its holds stand before it */
	do {
		at.hold = kueue_victim_first(k, search, k->holds[at.hold].next, at.newer);
		if (at.hold == KUEUE_NONE)
			break;
		at.since = k->holds[at.hold].since;
		at.job = k->holds[at.hold].job;
	} while (kueue_victim_compare(k, &at, other) < 0);
	return at.hold;
}

/* The best of the queue's candidates, the last of the heap, out of it; it stays behind it. */
static void put_aside(struct kueue *k, struct kueue_fair_node *n)
{
	struct kueue_candidate *heap = &k->candidates[n->next], top = heap[0];
	size_t last = --n->end - n->next;

	heap[0] = heap[last];
	heap[last] = top;
	if (last > 0)
		sift_down(k, heap, last, 0);
}

/* Rungs that were put aside, up to end, go on behind the victim. */
static void take_back(struct kueue *k, const struct kueue_search *search, struct kueue_fair_node *n,
		      uint32_t end, const struct kueue_candidate *victim)
{
	uint32_t before = n->end;

	for (uint32_t i = n->end; i < end; i++) {
		struct kueue_candidate c = k->candidates[i];
		uint32_t hold = first_behind(k, search, &c, victim);

		if (hold == KUEUE_NONE)
			continue;
		c.hold = hold;
		c.job = k->holds[hold].job;
		c.since = k->holds[hold].since;
		k->candidates[n->end++] = c;
	}
	if (n->end > before)
		make_heap(k, &k->candidates[n->next], n->end - n->next);
}

/* Does any of the queue's candidates pass? Those that use the same come to the same. */
static bool any_passes(struct kueue *k, const struct shares *shares, uint32_t queue,
		       uint32_t theirs, uint8_t strategy)
{
	const struct kueue_fair_node *n = fair_node(k, queue);
	uint32_t failed = KUEUE_NONE;

	for (uint32_t i = n->next; i < n->end; i++) {
		uint32_t usage = k->holds[k->candidates[i].hold].usage;

		if (usage == failed)
			continue;
		if (passes(k, shares, theirs, k->candidates[i].job, strategy))
			return true;
		failed = usage;
	}
	return false;
}

/* First strategy on one queue: its first candidate that passes; of those before it the
 * first is kept for the second strategy. Shares do not change until one passes, so all
 * holds of a rung, which use the same, come to the same: a rung whose first fails is put
 * aside as a whole, and goes on behind the victim if the search has to. */
static bool take_fair_victim(struct kueue *k, const struct kueue_search *search, uint32_t queue,
			     uint8_t strategy)
{
	uint32_t theirs = below_ancestor(k, queue, search->queue);
	struct shares shares = {*quota_share(&k->tree, below_ancestor(k, search->queue, queue)),
				*quota_share(&k->tree, theirs)};
	struct kueue_fair_node *n = fair_node(k, queue);
	uint32_t end = n->end;

	if (n->next < n->end && !any_passes(k, &shares, queue, theirs, strategy)) {
		keep_for_second(k, *first_candidate(k, queue));
		n->end = n->next;
	}
	for (; has_candidates(k, search, queue); put_aside(k, n)) {
		struct kueue_candidate c = *first_candidate(k, queue);
		uint32_t left;

		if (!passes(k, &shares, theirs, c.job, strategy)) {
			keep_for_second(k, c);
			continue;
		}
		kueue_victim_remove(k, c.job, PREEMPTION_FAIR);
		if (fits(k, search))
			return true;
		left = n->end;
		pop_candidate(k, search, queue);
		if (n->end < left)
			k->candidates[n->end] = k->candidates[--end];
		take_back(k, search, n, end, &c);
		return false;
	}
	return false;
}

static bool run_first(struct kueue *k, const struct kueue_search *search, uint8_t strategy,
		      bool within)
{
	uint32_t queue;

	k->retry_count = 0;
	while ((queue = next_queue(k, search)) != KUEUE_NONE) {
		if (queue == search->queue || within) {
			struct kueue_candidate c = pop_candidate(k, search, queue);

			kueue_victim_remove(k, c.job,
					    queue == search->queue ? PREEMPTION_IN_QUEUE
								   : PREEMPTION_RECLAIM);
			if (fits(k, search))
				return true;
		} else if (take_fair_victim(k, search, queue, strategy)) {
			return true;
		}
	}
	return false;
}

/* What was kept as the candidates of the second strategy: one a queue. */
static void begin_second(struct kueue *k)
{
	k->candidate_count = 0;
	k->fair_stamp++;
	for (size_t i = 0; i < k->retry_count; i++) {
		struct kueue_fair_node *n = fair_node(k, k->retry[i].queue);

		n->next = (uint32_t)i;
		n->end = n->next + 1;
		add_candidate(k, &k->retry[i]);
	}
}

/* LessThanInitialShare, at most one victim a queue. */
static bool run_second(struct kueue *k, const struct kueue_search *search)
{
	uint32_t queue;

	begin_second(k);
	while ((queue = next_queue(k, search)) != KUEUE_NONE) {
		const struct quota_share *mine =
			quota_share(&k->tree, below_ancestor(k, search->queue, queue));
		const struct quota_share *theirs =
			quota_share(&k->tree, below_ancestor(k, queue, search->queue));
		struct kueue_candidate c = pop_candidate(k, search, queue);

		if (quota_share_compare(mine, theirs) < 0) {
			kueue_victim_remove(k, c.job, PREEMPTION_FAIR);
			if (fits(k, search))
				return true;
		}
		fair_node(k, queue)->pruned = true;
	}
	return false;
}

/* ------------------------------------------------------- who can be a victim */

/* The queue may have candidates; what they use, or more, is taken away. */
static void ask_queue(struct kueue *k, const struct kueue_search *search, uint32_t queue)
{
	fair_node(k, queue)->asked = k->queues[queue].rung_count > 0;
	kueue_victim_clear(k, search, queue);
}

static void collect_subtree(struct kueue *k, const struct kueue_search *search, uint32_t node)
{
	const struct quota_node *n = &k->tree.nodes[node];

	if (node < k->queue_count) {
		if (borrows_any(k, node, search))
			ask_queue(k, search, node);
		return;
	}
	for (uint32_t i = 0; i < n->leaf_count; i++)
		collect_subtree(k, search, k->tree.children[n->first_leaf + i]);
	for (uint32_t i = 0; i < n->cohort_count; i++)
		collect_subtree(k, search, k->tree.children[n->first_cohort + i]);
}

/* A child of an ancestor of the preemptor's queue, beside the one on its way up. */
static void collect_child(struct kueue *k, const struct kueue_search *search, uint32_t child,
			  const struct quota_share *mine)
{
	if (mine != NULL && quota_share_compare(mine, quota_share(&k->tree, child)) > 0)
		return;
	collect_subtree(k, search, child);
}

static void collect_beside(struct kueue *k, const struct kueue_search *search, uint32_t way,
			   bool within)
{
	const struct quota_node *n = &k->tree.nodes[k->tree.nodes[way].parent];
	struct quota_share mine = *quota_share(&k->tree, way);

	for (uint32_t i = 0; i < n->leaf_count; i++) {
		uint32_t child = k->tree.children[n->first_leaf + i];

		if (child != way)
			collect_child(k, search, child, within ? NULL : &mine);
	}
	for (uint32_t i = 0; i < n->cohort_count; i++) {
		uint32_t child = k->tree.children[n->first_cohort + i];

		if (child != way)
			collect_child(k, search, child, within ? NULL : &mine);
	}
}

/* Whose candidates a strategy could take; false: they cannot be enough.
 *
 * All that they and others of their priority use is taken away at once, on trial, from the
 * bottom of the tree up; the preemptor's request has been added, as in the strategies.
 * Whatever a strategy has taken away when it looks at a candidate below the child of an
 * ancestor, it is no more than that: so a share on the preemptor's side is then at least
 * `mine`, and one on the other side at most `theirs`, as shares only fall when something
 * goes. If theirs is below mine neither strategy's rule can hold (spec 4.6), and a queue all
 * of whose candidates are refused changes nothing but that it is passed over: it need not be
 * asked for them. Within nominal quota there is no rule.
 * Likewise, if it does not fit with all of that gone, it never will. */
static bool collect(struct kueue *k, const struct kueue_search *search, bool within)
{
	const struct cluster_queue *spec = k->queues[search->queue].spec;
	struct kueue_search quota_only = *search;
	struct kueue_mark mark = kueue_mark(k);
	bool fit;

	quota_only.places = NULL;
	k->candidate_count = 0;
	k->fair_stamp++;
	if (spec->within_cluster_queue != PREEMPT_NEVER)
		ask_queue(k, search, search->queue);
	for (uint32_t way = search->queue;
	     spec->reclaim_within_cohort != PREEMPT_NEVER && quota_has_parent(&k->tree, way);
	     way = k->tree.nodes[way].parent)
		collect_beside(k, search, way, within);
	fit = fits(k, &quota_only);
	kueue_rollback(k, mark);
	return fit;
}

bool kueue_fair_search(struct kueue *k, const struct kueue_search *search)
{
	const uint8_t *configured = k->config->fair_strategies;
	uint8_t first = configured[0] == 0 ? FAIR_FINAL_SHARE : configured[0];
	bool second = configured[0] == 0 || configured[1] != 0;
	struct kueue_mark mark = kueue_mark(k);
	bool within, found;

	k->target_count = 0;
	quota_add_all(&k->tree, search->queue, search->request, search->request_count);
	within = k->gates.free_within_nominal && !borrows_any(k, search->queue, search);
	found = collect(k, search, within) &&
		(run_first(k, search, first, within) || (second && run_second(k, search)));
	quota_remove_all(&k->tree, search->queue, search->request, search->request_count);
	if (found)
		kueue_victim_fill_back(k, search, true);
	kueue_rollback(k, mark);
	return found;
}

/* ------------------------------------------------------------- tournament */

static uint32_t depth_of(const struct kueue *k, uint32_t node)
{
	uint32_t depth = 0;

	for (; k->tree.nodes[node].parent != QUOTA_NONE; node = k->tree.nodes[node].parent)
		depth++;
	return depth;
}

static struct kueue_fair_share *share_at(struct kueue *k, uint32_t queue, uint32_t depth)
{
	return &k->fair_shares[(size_t)queue * k->fair_depth + depth];
}

/* With the contender's amounts added: for every ancestor, the share of the node
 * below it on the contender's path. That holds from round to round while no usage is
 * written: in a cycle each write stays in the log of the tree until the cycle's end, so the
 * log's length tells. */
static void weigh(struct kueue *k, const struct kueue_contender *c)
{
	struct kueue_mark mark = kueue_mark(k);
	uint32_t depth = depth_of(k, c->queue);

	quota_add_all(&k->tree, c->queue, c->amounts, c->amount_count);
	for (uint32_t node = c->queue; quota_has_parent(&k->tree, node);
	     node = k->tree.nodes[node].parent) {
		struct kueue_fair_share *s = share_at(k, c->queue, --depth);

		s->share = *quota_share(&k->tree, node);
		s->touches = quota_share_touches(&k->tree, node, c->amounts, c->amount_count);
	}
	kueue_rollback(k, mark);
}

/* Is a's turn before b's at a cohort of this depth? */
static bool beats(struct kueue *k, const struct kueue_contender *a, const struct kueue_contender *b,
		  uint32_t depth)
{
	const struct kueue_fair_share *x = share_at(k, a->queue, depth);
	const struct kueue_fair_share *y = share_at(k, b->queue, depth);
	int c = quota_share_compare(&x->share, &y->share);
	int32_t priority_a = kueue_class_of(k, a->job)->priority;
	int32_t priority_b = kueue_class_of(k, b->job)->priority;
	bool preempts_a = kueue_is_preemptor(k, a->queue, a->job);
	bool preempts_b = kueue_is_preemptor(k, b->queue, b->job);

	if (k->gates.preemptors_first && preempts_a != preempts_b)
		return preempts_a;
	if (k->gates.non_borrowing_first && x->touches != y->touches)
		return y->touches;
	if (c != 0)
		return c < 0;
	if (k->gates.sorts_by_priority && priority_a != priority_b)
		return priority_a > priority_b;
	return k->jobs[a->job].order < k->jobs[b->job].order;
}

static uint32_t winner(struct kueue *k, const struct kueue_contender *contenders, uint32_t cohort,
		       uint32_t depth)
{
	const struct quota_node *node = &k->tree.nodes[cohort];
	uint32_t best = KUEUE_NONE;

	for (uint32_t i = 0; i < node->cohort_count; i++) {
		uint32_t other =
			winner(k, contenders, k->tree.children[node->first_cohort + i], depth + 1);

		if (other != KUEUE_NONE &&
		    (best == KUEUE_NONE || beats(k, &contenders[other], &contenders[best], depth)))
			best = other;
	}
	for (uint32_t i = 0; i < node->leaf_count; i++) {
		uint32_t other = k->tree.children[node->first_leaf + i];

		if (contenders[other].waits &&
		    (best == KUEUE_NONE || beats(k, &contenders[other], &contenders[best], depth)))
			best = other;
	}
	return best;
}

/* The root of the first contender by name, *first; it is alone if *only. */
static uint32_t first_root(const struct kueue *k, const struct kueue_contender *contenders,
			   uint32_t *first, bool *only)
{
	*first = KUEUE_NONE;
	*only = true;
	for (uint32_t i = 0; i < k->queue_count && *only; i++) {
		uint32_t queue = k->queue_by_name[i];

		if (!contenders[queue].waits)
			continue;
		*only = *first == KUEUE_NONE;
		*first = *only ? queue : *first;
	}
	return *first == KUEUE_NONE ? KUEUE_NONE : k->tree.nodes[*first].root;
}

/* Where their shares stand hangs on the deepest of them: never less deep, so that those that
 * are weighed stay where they are. */
static void make_room(struct kueue *k, struct kueue_contender *contenders)
{
	uint32_t deepest = k->fair_depth;

	for (uint32_t i = 0; i < k->queue_count; i++) {
		if (contenders[i].waits && depth_of(k, i) > deepest)
			deepest = depth_of(k, i);
	}
	if (deepest == k->fair_depth)
		return;
	k->fair_depth = deepest;
	k->fair_shares = mem_grow(k->fair_shares, (size_t)k->queue_count * deepest,
				  &k->fair_share_capacity, sizeof(*k->fair_shares));
	for (uint32_t i = 0; i < k->queue_count; i++)
		contenders[i].weighed = 0;
}

uint32_t kueue_fair_next(struct kueue *k, struct kueue_contender *contenders)
{
	uint32_t first;
	bool only;
	uint32_t root = first_root(k, contenders, &first, &only);

	if (root == KUEUE_NONE || root < k->queue_count)
		return root;
	if (only && !k->tree.nodes[first].hidden)
		return first; /* whatever its shares are */
	make_room(k, contenders);
	for (uint32_t i = 0; i < k->queue_count; i++) {
		struct kueue_contender *c = &contenders[i];

		if (!c->waits || k->tree.nodes[i].root != root ||
		    (c->weighed == k->tree.undo_count + 1 && !k->config->searches_anew))
			continue;
		weigh(k, c);
		c->weighed = k->tree.undo_count + 1;
	}
	return winner(k, contenders, root, 0);
}
