#include "sim/kueue/kueue_victim.h"

#include "core/mem.h"
#include "sim/kueue/kueue_hold.h"

static bool uses_any(const struct kueue *k, const struct kueue_rung *r, const uint32_t *columns,
		     uint32_t count)
{
	const struct kueue_usage *u = &k->usages[r->usage];
	uint64_t wanted = 0;

	for (uint32_t c = 0; c < count; c++)
		wanted |= UINT64_C(1) << columns[c] % 64;
	if ((r->columns & wanted) == 0 || k->column_count <= 64)
		return (r->columns & wanted) != 0;
	for (uint32_t i = 0; i < u->count; i++) {
		for (uint32_t c = 0; c < count; c++) {
			if (k->usage_amounts[u->first + i].column == columns[c])
				return true;
		}
	}
	return false;
}

bool kueue_victim_allowed(const struct kueue *k, const struct kueue_search *search, uint32_t rung,
			  enum preemption_policy policy, bool *newer)
{
	const struct kueue_rung *r = &k->rungs[rung];
	int32_t mine = kueue_class_of(k, search->job)->priority;

	*newer = false;
	if (r->count == 0)
		return false;
	switch (policy) {
	case PREEMPT_NEVER:
		return false;
	case PREEMPT_LOWER_PRIORITY:
		if (mine <= r->priority)
			return false;
		break;
	case PREEMPT_LOWER_OR_NEWER_EQUAL_PRIORITY:
		if (mine < r->priority)
			return false;
		*newer = mine == r->priority;
		break;
	case PREEMPT_ANY:
		break;
	}
	return uses_any(k, r, search->columns, search->column_count);
}

/* Of a slice its own, not that of the one which is to replace it. */
static simtime order_of(const struct kueue *k, const struct kueue_hold *hold)
{
	simtime older = hold->kept == NULL ? -1 : kueue_life_of(k, hold->job)->older;

	return older >= 0 ? older : k->jobs[hold->job].order;
}

uint32_t kueue_victim_first(const struct kueue *k, const struct kueue_search *search, uint32_t hold,
			    bool newer)
{
	for (; hold != KUEUE_NONE; hold = k->holds[hold].next) {
		const struct kueue_job *job = &k->jobs[k->holds[hold].job];

		if ((k->hide_claimed && job->claimed) ||
		    (k->open && k->holds[hold].cycle == k->cycle))
			continue;
		if (!newer || k->jobs[search->job].order < order_of(k, &k->holds[hold]))
			break;
	}
	return hold;
}

struct kueue_candidate kueue_victim_make(const struct kueue *k, const struct kueue_search *search,
					 uint32_t hold)
{
	const struct kueue_hold *h = &k->holds[hold];

	return (struct kueue_candidate){.hold = hold,
					.job = h->job,
					.queue = h->queue,
					.evicted = h->evicted,
					.same = h->queue == search->queue,
					.local_queue = k->rungs[h->rung].local_queue,
					.priority = k->rungs[h->rung].priority,
					.since = h->since};
}

/* Kueue compares the names alone, whatever their namespaces. */
static bool have_same_name(const struct kueue *k, uint32_t a, uint32_t b)
{
	return a == b || k->local_queues[a]->name == k->local_queues[b]->name;
}

int kueue_victim_compare(const struct kueue *k, const struct kueue_candidate *a,
			 const struct kueue_candidate *b)
{
	if (a->evicted != b->evicted)
		return a->evicted ? -1 : 1;
	if (a->same != b->same)
		return a->same ? 1 : -1;
	if (k->afs != NULL && a->queue == b->queue &&
	    k->queues[a->queue].spec->usage_based_fair_sharing &&
	    !have_same_name(k, a->local_queue, b->local_queue) &&
	    k->lq_seen[a->local_queue] != k->lq_seen[b->local_queue])
		return k->lq_seen[a->local_queue] > k->lq_seen[b->local_queue] ? -1 : 1;
	if (a->priority != b->priority)
		return a->priority < b->priority ? -1 : 1;
	if (a->since != b->since)
		return a->since > b->since ? -1 : 1;
	return (a->job > b->job) - (a->job < b->job);
}

void kueue_victim_remove(struct kueue *k, uint32_t job, enum kueue_preemption reason)
{
	kueue_usage_return(k, job);
	k->targets =
		mem_grow(k->targets, k->target_count + 1, &k->target_capacity, sizeof(*k->targets));
	k->targets[k->target_count++] = (struct kueue_target){job, (uint8_t)reason};
}

int64_t kueue_victim_sum(const struct kueue *k, const struct kueue_search *search, uint32_t queue,
			 uint32_t column)
{
	enum preemption_policy policy = kueue_victim_policy(k, search, queue);
	int32_t priority = kueue_class_of(k, search->job)->priority;

	if (policy == PREEMPT_NEVER)
		return 0;
	return kueue_strata_sum(&k->queues[queue].strata, k->column_count, column,
				policy == PREEMPT_ANY ? INT32_MAX : priority,
				policy != PREEMPT_LOWER_PRIORITY);
}

void kueue_victim_clear(struct kueue *k, const struct kueue_search *search, uint32_t queue)
{
	for (uint32_t c = 0; c < k->column_count; c++) {
		int64_t sum = kueue_victim_sum(k, search, queue, c);

		if (sum > 0)
			quota_remove(&k->tree, queue, c, sum);
	}
}

bool kueue_victim_fits(struct kueue *k, const struct kueue_search *search, bool may_borrow)
{
	for (uint32_t i = 0; i < search->request_count; i++) {
		const struct quota_amount *r = &search->request[i];

		if (!may_borrow && quota_borrows(&k->tree, search->queue, r->column, r->amount))
			return false;
		if (r->amount > quota_available(&k->tree, search->queue, r->column))
			return false;
	}
	return search->places == NULL || search->places(k);
}

/* Those from one target up to another get their usage back, or lose it again. */
static void give_back(struct kueue *k, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++)
		kueue_usage_take(k, k->targets[i].job);
}

static void take_again(struct kueue *k, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++)
		kueue_usage_return(k, k->targets[i].job);
}

bool kueue_victim_grows(const struct kueue *k, const struct kueue_search *search)
{
	return search->places == NULL || k->tas_count == 1;
}

/* Whether a search fits is dear to know where places are asked for. So, where more room never
 * hinders, several are taken, or given back, before it is looked at, twice as many each time, and
 * where it changed in between is found by halving. What is found is what Kueue finds, which looks
 * each time; Configuration.searches_anew does, too. */
size_t kueue_victim_stride(const struct kueue *k, const struct kueue_search *search, size_t stride)
{
	bool looks_each_time = search->places == NULL || k->config->searches_anew ||
			       !kueue_victim_grows(k, search);

	return looks_each_time ? 1 : stride * 2;
}

size_t kueue_victim_fewest(struct kueue *k, const struct kueue_search *search, bool may_borrow,
			   size_t too_few)
{
	size_t enough = k->target_count;

	while (enough - too_few > 1) {
		size_t half = too_few + (enough - too_few) / 2;

		give_back(k, half, enough);
		if (kueue_victim_fits(k, search, may_borrow)) {
			enough = half;
		} else {
			take_again(k, half, enough);
			too_few = half;
		}
	}
	return enough;
}

/* How many of the targets below this one, so many at most, can have their usage back one after
 * the other: they have it then. */
static size_t give_back_most(struct kueue *k, const struct kueue_search *search, bool may_borrow,
			     size_t below, size_t most)
{
	size_t good = 0, bad = most + 1, given = most;

	give_back(k, below - given, below);
	while (bad - good > 1) {
		size_t half;

		if (kueue_victim_fits(k, search, may_borrow))
			good = given;
		else
			bad = given;
		half = good + (bad - good) / 2;
		if (half > given)
			give_back(k, below - half, below - given);
		else
			take_again(k, below - given, below - half);
		given = half;
	}
	return good;
}

void kueue_victim_fill_back(struct kueue *k, const struct kueue_search *search, bool may_borrow)
{
	size_t below = k->target_count > 0 ? k->target_count - 1 : 0, stride = 1;

	while (below > 0) {
		size_t most = stride < below ? stride : below;
		size_t given = give_back_most(k, search, may_borrow, below, most);

		for (size_t i = 0; i < given; i++)
			k->targets[--below] = k->targets[--k->target_count];
		stride = kueue_victim_stride(k, search, stride);
		if (given < most) {
			below--; /* this one has to go */
			stride = 1;
		}
	}
}
