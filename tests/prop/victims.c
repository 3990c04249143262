/* victims.c - quota and preemption on random systems against a slow reference.
 *
 * Seed -> a small tree of cohorts and queues with limits and weights, some queues held,
 * reservations in two flavors, some of them evicted, and one workload that looks for
 * victims. The reference works everything out anew from the definitions (spec
 * KUEUE.md 2, 4.5, 4.6, 5) at each question and looks at every reservation by itself:
 * no sums kept up to date, no rungs, no bounds. Both must find the same victims, in
 * the same order, for the same reasons.
 *     build/release/tests/prop/victims [first seed [count]]
 */
#include <check.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/rng.h"
#include "sim/kueue/kueue_hold.h"
#include "sim/kueue/kueue_preempt.h"
#include "tests/support/kueue_story.h"

#define SEEDS	300
#define NODES	12
#define COLUMNS 2
#define HOLDS	40  /* in a system with few */
#define CROWD	120 /* at most, in one of few queues: many in a rung */

static uint64_t first_seed = 1;

/* ------------------------------------------------------------- the reference */

struct hold {
	uint32_t job, queue, column;
	int64_t amount, since, order;
	int32_t priority;
	bool evicted, gone;
	/* of a search */
	bool hierarchy, below_threshold, candidate, out;
	uint32_t lca;
};

struct reference {
	uint32_t nodes, queues, parent[NODES];
	bool hidden[NODES];
	double weight[NODES];
	struct quota_limits limits[NODES][COLUMNS];
	struct hold holds[CROWD];
	uint32_t hold_count;
	int64_t extra[COLUMNS]; /* supposed usage of the searching queue */
	/* the search */
	uint32_t job, queue;
	int32_t priority;
	int64_t order;
	bool needed[COLUMNS];
	int64_t request[COLUMNS];
	const struct cluster_queue *spec;
	struct kueue_target targets[CROWD];
	uint32_t target_count;
};

#define NOBODY UINT32_MAX

static int64_t at_least_0(int64_t x)
{
	return x > 0 ? x : 0;
}

static int64_t guaranteed(const struct reference *r, uint32_t n, uint32_t c);

static int64_t subtree(const struct reference *r, uint32_t n, uint32_t c)
{
	int64_t sum = r->limits[n][c].nominal;

	for (uint32_t m = 0; m < r->nodes; m++) {
		if (r->parent[m] == n)
			sum += subtree(r, m, c) - guaranteed(r, m, c);
	}
	return sum;
}

static int64_t guaranteed(const struct reference *r, uint32_t n, uint32_t c)
{
	int64_t lends = r->limits[n][c].lending;

	return lends == QUOTA_UNSET ? 0 : at_least_0(subtree(r, n, c) - lends);
}

static int64_t usage(const struct reference *r, uint32_t n, uint32_t c)
{
	int64_t sum = n == r->queue ? r->extra[c] : 0;

	for (uint32_t h = 0; h < r->hold_count; h++) {
		if (r->holds[h].queue == n && r->holds[h].column == c && !r->holds[h].gone)
			sum += r->holds[h].amount;
	}
	for (uint32_t m = 0; m < r->nodes; m++) {
		if (r->parent[m] == n)
			sum += at_least_0(usage(r, m, c) - guaranteed(r, m, c));
	}
	return sum;
}

static int64_t left(const struct reference *r, uint32_t n, uint32_t c)
{
	int64_t limit = r->limits[n][c].borrowing, own, used, above;

	if (r->parent[n] == NOBODY)
		return subtree(r, n, c) - usage(r, n, c);
	own = subtree(r, n, c) - guaranteed(r, n, c);
	used = at_least_0(usage(r, n, c) - guaranteed(r, n, c));
	above = left(r, r->parent[n], c);
	if (limit != QUOTA_UNSET && own - used + limit < above)
		above = own - used + limit;
	return at_least_0(guaranteed(r, n, c) - usage(r, n, c)) + above;
}

static int64_t potential(const struct reference *r, uint32_t n, uint32_t c)
{
	int64_t limit = r->limits[n][c].borrowing, sum;

	if (r->parent[n] == NOBODY)
		return subtree(r, n, c);
	sum = guaranteed(r, n, c) + potential(r, r->parent[n], c);
	if (limit != QUOTA_UNSET && subtree(r, n, c) + limit < sum)
		sum = subtree(r, n, c) + limit;
	return sum;
}

static uint32_t height(const struct reference *r, uint32_t n)
{
	uint32_t most = 0;

	for (uint32_t m = 0; m < r->nodes; m++) {
		if (r->parent[m] == n && !r->hidden[m] && height(r, m) + 1 > most)
			most = height(r, m) + 1;
	}
	return most;
}

/* Spec 2.4; false: nowhere in the tree, or in all of it. */
static bool lowest_fit(const struct reference *r, uint32_t n, uint32_t c, int64_t amount,
		       uint32_t *level)
{
	uint32_t root = n;

	while (r->parent[root] != NOBODY)
		root = r->parent[root];
	*level = 0;
	if (root == n || subtree(r, n, c) >= usage(r, n, c) + amount)
		return root != n;
	*level = height(r, root);
	for (; n != NOBODY; n = r->parent[n]) {
		if (subtree(r, n, c) >= usage(r, n, c) + amount) {
			*level = height(r, n);
			return r->parent[n] != NOBODY;
		}
		amount -= at_least_0(guaranteed(r, n, c) - usage(r, n, c));
	}
	return false;
}

static bool within(const struct reference *r, uint32_t n)
{
	for (uint32_t c = 0; c < COLUMNS; c++) {
		if (r->needed[c] && usage(r, n, c) > subtree(r, n, c))
			return false;
	}
	return true;
}

static bool is_below(const struct reference *r, uint32_t n, uint32_t ancestor)
{
	for (; n != NOBODY; n = r->parent[n]) {
		if (n == ancestor)
			return true;
	}
	return false;
}

static bool fits(const struct reference *r, bool may_borrow)
{
	for (uint32_t c = 0; c < COLUMNS; c++) {
		int64_t v = r->request[c];

		if (v > 0 &&
		    ((!may_borrow && usage(r, r->queue, c) + v > r->limits[r->queue][c].nominal) ||
		     v > at_least_0(left(r, r->queue, c))))
			return false;
	}
	return true;
}

static bool allows(const struct reference *r, enum preemption_policy policy, const struct hold *h)
{
	bool newer = policy == PREEMPT_LOWER_OR_NEWER_EQUAL_PRIORITY &&
		     r->priority == h->priority && r->order < h->order;

	if (!r->needed[h->column] || policy == PREEMPT_NEVER || r->hidden[h->queue])
		return false;
	return policy == PREEMPT_ANY || r->priority > h->priority || newer;
}

static int order(const struct reference *r, const struct hold *a, const struct hold *b)
{
	if (a->evicted != b->evicted)
		return a->evicted ? -1 : 1;
	if ((a->queue == r->queue) != (b->queue == r->queue))
		return a->queue == r->queue ? 1 : -1;
	if (a->priority != b->priority)
		return a->priority < b->priority ? -1 : 1;
	if (a->since != b->since)
		return a->since > b->since ? -1 : 1;
	return a->job < b->job ? -1 : 1;
}

static void take(struct reference *r, struct hold *h, enum kueue_preemption reason)
{
	h->gone = true;
	r->targets[r->target_count++] = (struct kueue_target){h->job, (uint8_t)reason};
}

static struct hold *hold_of(struct reference *r, uint32_t job)
{
	for (uint32_t h = 0; h < r->hold_count; h++) {
		if (r->holds[h].job == job)
			return &r->holds[h];
	}
	ck_abort_msg("no hold of job %u", job);
	return NULL;
}

static void fill_back(struct reference *r, bool may_borrow)
{
	for (uint32_t i = r->target_count - 1; i-- > 0;) {
		struct hold *h = hold_of(r, r->targets[i].job);

		h->gone = false;
		if (fits(r, may_borrow))
			r->targets[i] = r->targets[--r->target_count];
		else
			h->gone = true;
	}
}

static void forget(struct reference *r)
{
	for (uint32_t h = 0; h < r->hold_count; h++)
		r->holds[h].gone = false;
}

/* --------------------------------------------------- reference: classical */

/* Has the queue a better claim than all below its ancestor a (spec 4.5)? */
static bool has_claim(const struct reference *r, uint32_t a)
{
	int64_t rest[COLUMNS];
	bool claim = false;

	memcpy(rest, r->request, sizeof(rest));
	for (uint32_t n = r->queue; n != a; n = r->parent[n]) {
		bool enough = true;

		for (uint32_t c = 0; c < COLUMNS; c++) {
			if (r->request[c] == 0)
				continue;
			enough = enough && subtree(r, n, c) >= usage(r, n, c) + rest[c];
			rest[c] = at_least_0(rest[c] -
					     at_least_0(guaranteed(r, n, c) - usage(r, n, c)));
		}
		claim = claim || enough;
	}
	return claim;
}

static bool over_quota_up_to(const struct reference *r, uint32_t n, uint32_t lca)
{
	for (; n != lca; n = r->parent[n]) {
		if (within(r, n))
			return false;
	}
	return true;
}

static bool can_borrow(const struct reference *r)
{
	return r->spec->borrow_within_cohort != PREEMPT_NEVER;
}

static void classify(struct reference *r, struct hold *h)
{
	h->out = false;
	h->lca = r->parent[r->queue];
	if (h->queue == r->queue) {
		h->candidate = allows(r, r->spec->within_cluster_queue, h);
		return;
	}
	while (h->lca != NOBODY && !is_below(r, h->queue, h->lca))
		h->lca = r->parent[h->lca];
	h->candidate = h->lca != NOBODY && allows(r, r->spec->reclaim_within_cohort, h) &&
		       over_quota_up_to(r, h->queue, h->lca);
	if (!h->candidate)
		return;
	h->hierarchy = has_claim(r, h->lca);
	h->below_threshold = can_borrow(r) && h->priority < r->priority &&
			     (!r->spec->has_max_priority_threshold ||
			      h->priority <= r->spec->max_priority_threshold);
}

static uint32_t group(const struct reference *r, const struct hold *h)
{
	uint32_t list = h->queue == r->queue ? 2 : h->hierarchy ? 0 : 1;

	return h->evicted ? list : list + 3;
}

static struct hold *best_candidate(struct reference *r)
{
	struct hold *best = NULL;

	for (uint32_t i = 0; i < r->hold_count; i++) {
		struct hold *h = &r->holds[i];

		if (!h->candidate || h->out)
			continue;
		if (best == NULL || group(r, h) < group(r, best) ||
		    (group(r, h) == group(r, best) && order(r, h, best) < 0))
			best = h;
	}
	return best;
}

static bool attempt(struct reference *r, bool may_borrow)
{
	struct hold *h;

	r->target_count = 0;
	for (uint32_t i = 0; i < r->hold_count; i++)
		r->holds[i].out = r->holds[i].gone = false;
	while ((h = best_candidate(r)) != NULL) {
		bool other = h->queue != r->queue;
		enum kueue_preemption reason = PREEMPTION_IN_QUEUE;

		h->out = true;
		if (other && may_borrow && !h->hierarchy && !h->below_threshold)
			continue;
		if (other && !over_quota_up_to(r, h->queue, h->lca))
			continue;
		if (other)
			reason = !h->hierarchy && h->below_threshold ? PREEMPTION_RECLAIM_BORROWING
								     : PREEMPTION_RECLAIM;
		take(r, h, reason);
		if (!fits(r, may_borrow))
			continue;
		fill_back(r, may_borrow);
		return true;
	}
	r->target_count = 0;
	return false;
}

static void search_classical(struct reference *r)
{
	bool others = false, hierarchy = false, under = true;

	for (uint32_t i = 0; i < r->hold_count; i++) {
		struct hold *h = &r->holds[i];

		h->hierarchy = h->below_threshold = false;
		classify(r, h);
		others = others || (h->candidate && h->queue != r->queue);
		hierarchy = hierarchy || (h->candidate && h->hierarchy);
	}
	for (uint32_t c = 0; c < COLUMNS; c++)
		under = under &&
			(!r->needed[c] || usage(r, r->queue, c) < r->limits[r->queue][c].nominal);
	if (!others || (!can_borrow(r) && !under))
		attempt(r, true);
	else if (!can_borrow(r) && !hierarchy)
		(void)(attempt(r, false) || attempt(r, true));
	else
		(void)(attempt(r, true) || attempt(r, false));
	forget(r);
}

/* -------------------------------------------------------- reference: fair */

struct share {
	double ratio, weight;
	bool borrows;
};

static struct share share_of(const struct reference *r, uint32_t n)
{
	struct share s = {0, r->weight[n], false};
	int64_t borrowed = 0, lendable = 0;

	if (r->parent[n] == NOBODY)
		return s;
	for (uint32_t c = 0; c < COLUMNS; c++) {
		borrowed += at_least_0(usage(r, n, c) - subtree(r, n, c));
		lendable += potential(r, r->parent[n], c);
	}
	s.borrows = borrowed > 0;
	if (lendable > 0)
		s.ratio = (double)borrowed * 1000.0 / (double)lendable;
	return s;
}

static int compare_shares(struct share a, struct share b)
{
	bool endless_a = a.weight == 0 && a.ratio != 0, endless_b = b.weight == 0 && b.ratio != 0;
	double x, y;

	if (endless_a != endless_b)
		return endless_a ? 1 : -1;
	x = endless_a || a.ratio == 0 ? a.ratio : a.ratio / a.weight;
	y = endless_a || b.ratio == 0 ? b.ratio : b.ratio / b.weight;
	return (x > y) - (x < y);
}

static struct hold *first_of(struct reference *r, uint32_t queue)
{
	struct hold *best = NULL;

	for (uint32_t i = 0; i < r->hold_count; i++) {
		struct hold *h = &r->holds[i];

		if (h->queue == queue && h->candidate && !h->out &&
		    (best == NULL || order(r, h, best) < 0))
			best = h;
	}
	return best;
}

/* Child of the cohort to go on with, cohorts and queues apart; NOBODY. */
static uint32_t heaviest(struct reference *r, uint32_t cohort, bool queues, bool *pruned,
			 struct share *most)
{
	uint32_t best = NOBODY;

	for (uint32_t n = 0; n < r->nodes; n++) {
		struct share s = share_of(r, n);
		int c;

		if (r->parent[n] != cohort || (n < r->queues) != queues || r->hidden[n] ||
		    pruned[n])
			continue;
		if ((!s.borrows && !is_below(r, r->queue, n)) || (queues && !first_of(r, n))) {
			pruned[n] = true;
			continue;
		}
		c = best == NOBODY ? 1 : compare_shares(s, *most);
		if (c > 0 ||
		    (c == 0 && (!queues || order(r, first_of(r, n), first_of(r, best)) < 0))) {
			best = n;
			*most = s;
		}
	}
	return best;
}

static uint32_t next_queue(struct reference *r, bool *pruned)
{
	uint32_t root = r->queue, n;

	while (r->parent[root] != NOBODY)
		root = r->parent[root];
	if (root == r->queue)
		return first_of(r, root) != NULL ? root : NOBODY;
	while (!pruned[root]) {
		for (n = root; n >= r->queues && n != NOBODY;) {
			struct share of_queue, of_cohort;
			uint32_t queue = heaviest(r, n, true, pruned, &of_queue);
			uint32_t cohort = heaviest(r, n, false, pruned, &of_cohort);

			if (queue == NOBODY && cohort == NOBODY) {
				pruned[n] = true;
				break;
			}
			if (cohort == NOBODY ||
			    (queue != NOBODY && compare_shares(of_cohort, of_queue) < 0))
				return queue;
			n = cohort;
		}
	}
	return NOBODY;
}

/* The node below the lowest common ancestor with other, on n's side. */
static uint32_t side(const struct reference *r, uint32_t n, uint32_t other)
{
	while (!is_below(r, other, r->parent[n]))
		n = r->parent[n];
	return n;
}

static bool fits_without_itself(struct reference *r)
{
	int64_t extra[COLUMNS];
	bool fit;

	memcpy(extra, r->extra, sizeof(extra));
	memset(r->extra, 0, sizeof(r->extra));
	fit = fits(r, true);
	memcpy(r->extra, extra, sizeof(extra));
	return fit;
}

static bool first_rule(struct reference *r, uint32_t queue)
{
	struct share mine = share_of(r, side(r, r->queue, queue));
	struct hold *h;

	while ((h = first_of(r, queue)) != NULL) {
		struct share after;

		h->out = true;
		h->gone = true;
		after = share_of(r, side(r, queue, r->queue));
		h->gone = false;
		if (compare_shares(mine, after) > 0)
			continue;
		take(r, h, PREEMPTION_FAIR);
		return true;
	}
	return false;
}

static bool run_first(struct reference *r)
{
	bool pruned[NODES] = {false}, nominal = within(r, r->queue);
	uint32_t queue;

	while ((queue = next_queue(r, pruned)) != NOBODY) {
		if (queue == r->queue || nominal) {
			struct hold *h = first_of(r, queue);

			h->out = true;
			take(r, h, queue == r->queue ? PREEMPTION_IN_QUEUE : PREEMPTION_RECLAIM);
		} else if (!first_rule(r, queue)) {
			continue;
		}
		if (fits_without_itself(r))
			return true;
	}
	return false;
}

static bool run_second(struct reference *r)
{
	bool pruned[NODES] = {false};
	uint32_t queue;

	for (uint32_t i = 0; i < r->hold_count; i++)
		r->holds[i].out = r->holds[i].gone || r->holds[i].queue == r->queue;
	while ((queue = next_queue(r, pruned)) != NOBODY) {
		struct share mine = share_of(r, side(r, r->queue, queue));
		struct share theirs = share_of(r, side(r, queue, r->queue));

		pruned[queue] = true;
		if (compare_shares(mine, theirs) >= 0)
			continue;
		take(r, first_of(r, queue), PREEMPTION_FAIR);
		if (fits_without_itself(r))
			return true;
	}
	return false;
}

static void search_fair(struct reference *r)
{
	bool found;

	r->target_count = 0;
	for (uint32_t i = 0; i < r->hold_count; i++) {
		struct hold *h = &r->holds[i];
		uint32_t a = r->queue;

		h->out = false;
		while (a != NOBODY && !is_below(r, h->queue, a))
			a = r->parent[a];
		h->candidate = h->queue == r->queue
				       ? allows(r, r->spec->within_cluster_queue, h)
				       : a != NOBODY && !within(r, h->queue) &&
						 allows(r, r->spec->reclaim_within_cohort, h);
	}
	memcpy(r->extra, r->request, sizeof(r->extra));
	found = run_first(r) || run_second(r);
	memset(r->extra, 0, sizeof(r->extra));
	if (found)
		fill_back(r, true);
	else
		r->target_count = 0;
	forget(r);
}

/* ---------------------------------------------------------- random systems */

struct writer {
	struct rng *rng;
	char text[6000];
	size_t length;
	bool crowd;
};

static void put(struct writer *w, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void put(struct writer *w, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	w->length +=
		(size_t)vsnprintf(w->text + w->length, sizeof(w->text) - w->length, format, args);
	va_end(args);
	ck_assert_uint_lt(w->length, sizeof(w->text));
}

static uint32_t below(struct writer *w, uint32_t bound)
{
	return (uint32_t)rng_below(w->rng, bound);
}

static void put_limits(struct writer *w, uint32_t most, bool limits, bool lends_more)
{
	uint32_t nominal = below(w, w->crowd ? most * 6 : most);

	put(w, "[%u", nominal);
	if (limits && below(w, 3) == 0)
		put(w, ",%u", below(w, 4));
	else
		put(w, ",");
	if (limits && below(w, 3) == 0)
		put(w, ",%u", below(w, nominal + (lends_more ? 4 : 1)));
	put(w, "]");
}

static void put_flavors(struct writer *w, uint32_t most, bool limits, bool lends_more)
{
	put(w, "{f1");
	put_limits(w, most, limits, lends_more);
	put(w, " f2");
	put_limits(w, most, limits, lends_more);
	put(w, "}");
}

static void put_queue(struct writer *w, char name, uint32_t cohorts)
{
	static const char *const within_policies[] = {"N", "L", "E"};
	static const char *const reclaim[] = {"N", "L", "A", "A"};
	static const char *const weights[] = {"0", "0.5", "1", "1", "1", "2"};
	uint32_t r = below(w, 4), in = below(w, cohorts + 1);
	bool alone = in == cohorts && below(w, 4) == 0;

	if (in == cohorts)
		in = 0;
	put(w, "; %c", name);
	put_flavors(w, 6, !alone, false);
	if (alone)
		put(w, " in=-");
	else
		put(w, " in=%c", (char)('q' + in));
	put(w, " w=%s r=%s weight=%s", within_policies[below(w, 3)], reclaim[r],
	    weights[below(w, 6)]);
	if (r > 0 && below(w, 3) == 0)
		put(w, " b=L");
	else if (r > 0 && below(w, 3) == 0)
		put(w, " b=L:%u", below(w, 4));
	if (name != 'a' && below(w, 8) == 0)
		put(w, " held");
}

/* Many that differ in little: so each rung has many, and of different ages. */
static void put_crowd(struct writer *w, uint32_t queues)
{
	for (uint32_t j = CROWD / 2 + below(w, CROWD / 2); j > 0; j--)
		put(w, "; %c<h%u:%u@%u#%u*%u!f%u", (char)('a' + below(w, queues)), j,
		    1 + below(w, 3), below(w, 2), below(w, 5), below(w, 30), 1 + below(w, 2));
}

static void put_few(struct writer *w, uint32_t queues)
{
	for (uint32_t j = below(w, HOLDS - 8); j > 0; j--)
		put(w, "; %c<h%u:%u@%u#%u*%u!f%u", (char)('a' + below(w, queues)), j,
		    below(w, 5) == 0 ? 0 : 1 + below(w, 3), below(w, 4), below(w, 5), below(w, 6),
		    1 + below(w, 2));
}

static struct kueue_story *random_story(uint64_t seed, bool fair, bool crowd)
{
	struct writer w = {.crowd = crowd};
	uint32_t cohorts, queues;

	w.rng = rng_new(seed, "system");
	cohorts = 1 + below(&w, 5);
	queues = 2 + below(&w, crowd ? 3 : 5);
	for (uint32_t i = 0; i < cohorts; i++) {
		put(&w, "%s%%%c", i > 0 ? "; " : "", (char)('q' + i));
		put_flavors(&w, 4, i > 0, true);
		if (i > 0)
			put(&w, " in=%c weight=%s", (char)('q' + below(&w, i)),
			    below(&w, 6) == 0 ? "0" : "1");
	}
	for (uint32_t i = 0; i < queues; i++)
		put_queue(&w, (char)('a' + i), cohorts);
	if (crowd)
		put_crowd(&w, queues);
	else
		put_few(&w, queues);
	put(&w, "; a?p:%u@%u#2", 1 + below(&w, 6), below(&w, 5));
	rng_free(w.rng);
	return kueue_story_new(w.text, fair);
}

static void copy_nodes(const struct kueue_story *s, struct reference *r)
{
	const struct kueue *k = s->k;

	*r = (struct reference){.nodes = k->tree.node_count, .queues = k->queue_count};
	ck_assert_uint_le(r->nodes, NODES);
	ck_assert_uint_eq(k->column_count, COLUMNS);
	for (uint32_t n = 0; n < r->nodes; n++) {
		r->parent[n] = k->tree.nodes[n].parent;
		r->weight[n] = k->tree.nodes[n].weight;
		r->hidden[n] = n < r->queues && k->queues[n].spec->stop != STOP_NONE;
		for (uint32_t c = 0; c < COLUMNS; c++)
			r->limits[n][c] = quota_at(&k->tree, n, c)->own;
	}
}

/* Some of the holds are told to stop. */
static void copy_holds(const struct kueue_story *s, struct reference *r, struct rng *rng)
{
	struct kueue *k = s->k;

	for (uint32_t j = 0; j < k->job_count; j++) {
		const struct kueue_hold *h;
		const struct quota_amount *amounts;
		uint32_t count;

		if (k->jobs[j].hold == KUEUE_NONE)
			continue;
		if (rng_below(rng, 6) == 0)
			kueue_hold_evict(k, j);
		h = &k->holds[k->jobs[j].hold];
		amounts = kueue_usage_of(k, k->jobs[j].hold, &count);
		ck_assert_uint_eq(count, 1);
		r->holds[r->hold_count++] =
			(struct hold){.job = j,
				      .queue = h->queue,
				      .column = amounts[0].column,
				      .amount = amounts[0].amount,
				      .since = h->since,
				      .order = k->jobs[j].order,
				      .priority = kueue_class_of(k, j)->priority,
				      .evicted = h->evicted};
	}
}

static void check_quota(const struct kueue_story *s, const struct reference *r, struct rng *rng,
			uint64_t seed)
{
	const struct quota_tree *tree = &s->k->tree;

	for (uint32_t q = 0; q < r->queues; q++) {
		for (uint32_t c = 0; c < COLUMNS; c++) {
			int64_t amount = 1000 * (int64_t)rng_below(rng, 9);
			uint32_t level;
			bool reclaims = lowest_fit(r, q, c, amount, &level), got;

			ck_assert_msg(quota_available(tree, q, c) == at_least_0(left(r, q, c)),
				      "seed %" PRIu64 ": queue %u has left", seed, q);
			ck_assert_msg(quota_potential(tree, q, c) == potential(r, q, c),
				      "seed %" PRIu64 ": queue %u could have", seed, q);
			ck_assert_msg(quota_level(tree, q, c, amount, &got) == level &&
					      got == reclaims,
				      "seed %" PRIu64 ": queue %u borrows at", seed, q);
		}
	}
}

static void compare(const struct kueue *k, const struct reference *r, uint64_t seed)
{
	ck_assert_msg(k->target_count == r->target_count,
		      "seed %" PRIu64 ": %zu victims, the reference has %u", seed, k->target_count,
		      r->target_count);
	for (uint32_t i = 0; i < r->target_count; i++)
		ck_assert_msg(k->targets[i].job == r->targets[i].job &&
				      k->targets[i].reason == r->targets[i].reason,
			      "seed %" PRIu64 ": victim %u is job %u for %u, not %u for %u", seed,
			      i, k->targets[i].job, k->targets[i].reason, r->targets[i].job,
			      r->targets[i].reason);
}

static void search_both(struct kueue *k, const struct kueue_search *search, struct reference *r,
			bool fair, uint64_t seed)
{
	kueue_preempt_search(k, search);
	if (fair)
		search_fair(r);
	else
		search_classical(r);
	compare(k, r, seed);
}

/* One more is told to stop. */
static void evict_one(struct kueue *k, struct reference *r, struct rng *rng)
{
	struct hold *h;

	if (r->hold_count == 0)
		return;
	h = &r->holds[rng_below(rng, r->hold_count)];
	if (h->evicted)
		return;
	h->evicted = true;
	kueue_hold_evict(k, h->job);
}

/* Asked twice, it says the same; asked after a change, not what it said before. */
static void check_search(struct kueue_story *s, struct reference *r, struct rng *rng, uint64_t seed,
			 bool fair, bool crowd)
{
	struct kueue *k = s->k;
	uint32_t columns[COLUMNS], needed = 1 + (uint32_t)rng_below(rng, 3);
	struct quota_amount request[COLUMNS];
	struct kueue_search search = {.columns = columns, .request = request};

	search.job = r->job = kueue_story_job(s, "p");
	search.queue = r->queue = kueue_story_queue(s, "a");
	r->spec = k->queues[r->queue].spec;
	r->priority = kueue_class_of(k, r->job)->priority;
	r->order = k->jobs[r->job].order;
	for (uint32_t c = 0; c < COLUMNS; c++) {
		r->needed[c] = (needed >> c & 1) != 0;
		r->request[c] = r->needed[c] || rng_below(rng, 2) == 0
					? 1000 * (1 + (int64_t)rng_below(rng, crowd ? 30 : 6))
					: 0;
		if (r->needed[c])
			columns[search.column_count++] = c;
		if (r->request[c] > 0)
			request[search.request_count++] = (struct quota_amount){c, r->request[c]};
	}
	search_both(k, &search, r, fair, seed);
	kueue_preempt_search(k, &search);
	compare(k, r, seed);
	evict_one(k, r, rng);
	search_both(k, &search, r, fair, seed);
}

static void check_seed(uint64_t seed, bool fair, bool crowd)
{
	struct kueue_story *s = random_story(seed, fair, crowd);
	struct reference r;
	struct rng *rng = rng_new(seed, "questions");

	copy_nodes(s, &r);
	copy_holds(s, &r, rng);
	r.queue = NOBODY;
	check_quota(s, &r, rng, seed);
	for (int i = 0; i < 4; i++)
		check_search(s, &r, rng, seed, fair, crowd);
	rng_free(rng);
	kueue_story_free(s);
}

START_TEST(classical_victims)
{
	check_seed(first_seed + (uint64_t)_i, false, false);
}
END_TEST

START_TEST(fair_victims)
{
	check_seed(first_seed + (uint64_t)_i, true, false);
}
END_TEST

START_TEST(classical_victims_of_many)
{
	check_seed(first_seed + (uint64_t)_i, false, true);
}
END_TEST

/* The way from hold to hold of a rung, and the second strategy after it. */
START_TEST(fair_victims_of_many)
{
	check_seed(first_seed + (uint64_t)_i, true, true);
}
END_TEST

int main(int argc, char **argv)
{
	Suite *s = suite_create("prop/victims");
	TCase *t = tcase_create("all");
	SRunner *r = srunner_create(s);
	int failed, count = SEEDS;

	if (argc > 1)
		first_seed = strtoull(argv[1], NULL, 10);
	if (argc > 2)
		count = (int)strtol(argv[2], NULL, 10);
	tcase_set_timeout(t, 600);
	tcase_add_loop_test(t, classical_victims, 0, count);
	tcase_add_loop_test(t, fair_victims, 0, count);
	tcase_add_loop_test(t, classical_victims_of_many, 0, count);
	tcase_add_loop_test(t, fair_victims_of_many, 0, count);
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
