#include "sim/kueue/kueue_hold.h"

#include <assert.h>
#include <string.h>

#include "core/mem.h"

static uint64_t hash_amounts(const struct quota_amount *amounts, uint32_t count)
{
	uint64_t hash = count;

	for (uint32_t i = 0; i < count; i++)
		hash = kueue_mix(kueue_mix(hash, amounts[i].column), (uint64_t)amounts[i].amount);
	return hash;
}

static bool same_amounts(const struct kueue *k, uint32_t usage, const struct quota_amount *amounts,
			 uint32_t count)
{
	const struct quota_amount *have = &k->usage_amounts[k->usages[usage].first];

	if (k->usages[usage].count != count)
		return false;
	for (uint32_t i = 0; i < count; i++) {
		if (have[i].column != amounts[i].column || have[i].amount != amounts[i].amount)
			return false;
	}
	return true;
}

static void grow_usage_table(struct kueue *k)
{
	mem_free(k->usage_table);
	k->usage_table_size = k->usage_table_size == 0 ? 256 : k->usage_table_size * 2;
	k->usage_table = mem_calloc(k->usage_table_size, sizeof(*k->usage_table));
	memset(k->usage_table, 0xff, k->usage_table_size * sizeof(*k->usage_table));
	for (uint32_t u = 0; u < k->usage_count; u++) {
		size_t at =
			hash_amounts(&k->usage_amounts[k->usages[u].first], k->usages[u].count) &
			(k->usage_table_size - 1);

		while (k->usage_table[at] != KUEUE_NONE)
			at = (at + 1) & (k->usage_table_size - 1);
		k->usage_table[at] = u;
	}
}

static uint32_t intern_usage(struct kueue *k, const struct quota_amount *amounts, uint32_t count)
{
	size_t at;

	if (k->usage_count * 2 >= k->usage_table_size)
		grow_usage_table(k);
	at = hash_amounts(amounts, count) & (k->usage_table_size - 1);
	for (; k->usage_table[at] != KUEUE_NONE; at = (at + 1) & (k->usage_table_size - 1)) {
		if (same_amounts(k, k->usage_table[at], amounts, count))
			return k->usage_table[at];
	}
	k->usages = mem_grow(k->usages, k->usage_count + 1, &k->usage_capacity, sizeof(*k->usages));
	k->usage_amounts = mem_grow(k->usage_amounts, k->usage_amount_count + count,
				    &k->usage_amount_capacity, sizeof(*k->usage_amounts));
	k->usages[k->usage_count] =
		(struct kueue_usage){.first = (uint32_t)k->usage_amount_count, .count = count};
	for (uint32_t i = 0; i < count; i++)
		k->usage_amounts[k->usage_amount_count++] = amounts[i];
	return k->usage_table[at] = (uint32_t)k->usage_count++;
}

static uint64_t hash_rung(const struct kueue_rung *r)
{
	return kueue_mix(kueue_mix(kueue_mix(kueue_mix(r->queue, r->usage), (uint32_t)r->priority),
				   r->evicted),
			 r->local_queue);
}

static void grow_rung_table(struct kueue *k)
{
	mem_free(k->rung_table);
	k->rung_table_size = k->rung_table_size == 0 ? 256 : k->rung_table_size * 2;
	k->rung_table = mem_calloc(k->rung_table_size, sizeof(*k->rung_table));
	memset(k->rung_table, 0xff, k->rung_table_size * sizeof(*k->rung_table));
	for (uint32_t r = 0; r < k->rung_count; r++) {
		size_t at = hash_rung(&k->rungs[r]) & (k->rung_table_size - 1);

		while (k->rung_table[at] != KUEUE_NONE)
			at = (at + 1) & (k->rung_table_size - 1);
		k->rung_table[at] = r;
	}
}

static uint64_t columns_of(const struct kueue *k, uint32_t usage)
{
	const struct kueue_usage *u = &k->usages[usage];
	uint64_t columns = 0;

	for (uint32_t i = 0; i < u->count; i++)
		columns |= UINT64_C(1) << k->usage_amounts[u->first + i].column % 64;
	return columns;
}

static uint32_t find_rung(struct kueue *k, struct kueue_rung want)
{
	size_t at;

	if (k->rung_count * 2 >= k->rung_table_size)
		grow_rung_table(k);
	at = hash_rung(&want) & (k->rung_table_size - 1);
	for (; k->rung_table[at] != KUEUE_NONE; at = (at + 1) & (k->rung_table_size - 1)) {
		const struct kueue_rung *r = &k->rungs[k->rung_table[at]];

		if (r->queue == want.queue && r->usage == want.usage &&
		    r->priority == want.priority && r->evicted == want.evicted &&
		    r->local_queue == want.local_queue)
			return k->rung_table[at];
	}
	k->rungs = mem_grow(k->rungs, k->rung_count + 1, &k->rung_capacity, sizeof(*k->rungs));
	want.first = want.hint = KUEUE_NONE;
	want.columns = columns_of(k, want.usage);
	k->rungs[k->rung_count] = want;
	return k->rung_table[at] = (uint32_t)k->rung_count++;
}

/* Of the job: mostly where the last one of its class went. */
static uint32_t rung_of(struct kueue *k, uint32_t job, struct kueue_rung want)
{
	struct kueue_class *class = &k->classes[k->jobs[job].class];
	const struct kueue_rung *last;

	if (class->rung != KUEUE_NONE) {
		last = &k->rungs[class->rung];
		if (last->queue == want.queue && last->usage == want.usage &&
		    last->evicted == want.evicted && last->local_queue == want.local_queue &&
		    last->priority == want.priority)
			return class->rung;
	}
	return class->rung = find_rung(k, want);
}

uint32_t kueue_usage_number(struct kueue *k, uint32_t job, const struct quota_amount *amounts,
			    uint32_t count)
{
	struct kueue_class *class = &k->classes[k->jobs[job].class];

	if (class->usage == KUEUE_NONE || !same_amounts(k, class->usage, amounts, count))
		class->usage = intern_usage(k, amounts, count);
	return class->usage;
}

/* A queue lists the rungs that hold something. */
static void list_rung(struct kueue *k, uint32_t index)
{
	struct kueue_rung *rung = &k->rungs[index];
	struct kueue_queue *q = &k->queues[rung->queue];

	q->rungs = mem_grow(q->rungs, q->rung_count + 1, &q->rung_capacity, sizeof(*q->rungs));
	rung->at = (uint32_t)q->rung_count;
	q->rungs[q->rung_count++] = index;
}

static void unlist_rung(struct kueue *k, const struct kueue_rung *rung)
{
	struct kueue_queue *q = &k->queues[rung->queue];
	uint32_t last = q->rungs[--q->rung_count];

	q->rungs[rung->at] = last;
	k->rungs[last].at = rung->at;
}

/* Searches for victims in the tree may find others now (kueue_recall.c). */
static void note_change(struct kueue *k, uint32_t queue)
{
	k->roots[k->tree.nodes[queue].root].changed = ++k->changes;
	k->queues[queue].changed = k->changes;
}

/* One hold of the rung more or less, in the sums of its queue and its tree. */
static void count_rung(struct kueue *k, const struct kueue_rung *rung,
		       void change(struct kueue_strata *s, uint32_t columns, int32_t priority,
				   const struct quota_amount *amounts, uint32_t count))
{
	const struct kueue_usage *usage = &k->usages[rung->usage];
	const struct quota_amount *amounts = &k->usage_amounts[usage->first];
	uint32_t root = k->tree.nodes[rung->queue].root;

	change(&k->queues[rung->queue].strata, k->column_count, rung->priority, amounts,
	       usage->count);
	change(&k->roots[root].strata, k->column_count, rung->priority, amounts, usage->count);
}

static bool stands_before(const struct kueue_hold *a, const struct kueue_hold *b)
{
	return a->since != b->since ? a->since > b->since : a->job < b->job;
}

/* Behind all that stand before it; those of one instant mostly come in job order,
 * so the search starts at the one put in last. */
static void stand_in_rung(struct kueue *k, uint32_t h)
{
	struct kueue_hold *hold = &k->holds[h];
	struct kueue_rung want = {.queue = hold->queue,
				  .usage = hold->usage,
				  .priority = kueue_class_of(k, hold->job)->priority,
				  .evicted = hold->evicted,
				  .local_queue = KUEUE_NONE};
	uint32_t before = KUEUE_NONE, after;
	struct kueue_rung *rung;

	if (k->afs != NULL)
		want.local_queue = kueue_job(k, hold->job)->common->local_queue;
	hold->rung = rung_of(k, hold->job, want);
	rung = &k->rungs[hold->rung];
	if (rung->hint != KUEUE_NONE && stands_before(&k->holds[rung->hint], hold))
		before = rung->hint;
	after = before == KUEUE_NONE ? rung->first : k->holds[before].next;
	while (after != KUEUE_NONE && stands_before(&k->holds[after], hold)) {
		before = after;
		after = k->holds[after].next;
	}
	hold->prev = before;
	hold->next = after;
	if (before == KUEUE_NONE)
		rung->first = h;
	else
		k->holds[before].next = h;
	if (after != KUEUE_NONE)
		k->holds[after].prev = h;
	rung->hint = h;
	if (rung->count++ == 0)
		list_rung(k, hold->rung);
	count_rung(k, rung, kueue_strata_add);
}

/* Where no queue can find victims nobody looks into rungs: so there are none, until an object
 * or another priority brings some. */
static void enter_rung(struct kueue *k, uint32_t h)
{
	note_change(k, k->holds[h].queue);
	k->holds[h].rung = KUEUE_NONE;
	if (k->ranks_holds)
		stand_in_rung(k, h);
}

static void leave_rung(struct kueue *k, uint32_t h)
{
	const struct kueue_hold *hold = &k->holds[h];
	struct kueue_rung *rung;

	note_change(k, hold->queue);
	if (hold->rung == KUEUE_NONE)
		return;
	rung = &k->rungs[hold->rung];
	if (hold->next != KUEUE_NONE)
		k->holds[hold->next].prev = hold->prev;
	if (hold->prev != KUEUE_NONE)
		k->holds[hold->prev].next = hold->next;
	else
		rung->first = hold->next;
	if (rung->hint == h)
		rung->hint = hold->prev;
	if (--rung->count == 0)
		unlist_rung(k, rung);
	count_rung(k, rung, kueue_strata_remove);
}

uint32_t kueue_hold_new(struct kueue *k, uint32_t job, uint32_t queue, uint32_t usage)
{
	uint32_t h = k->free_hold;
	const struct kueue_usage *u = &k->usages[usage];

	assert(k->jobs[job].hold == KUEUE_NONE);
	if (h == KUEUE_NONE) {
		k->holds =
			mem_grow(k->holds, k->hold_count + 1, &k->hold_capacity, sizeof(*k->holds));
		h = (uint32_t)k->hold_count++;
	} else {
		k->free_hold = k->holds[h].next;
	}
	k->holds[h] = (struct kueue_hold){.job = job,
					  .queue = queue,
					  .usage = usage,
					  .since = kueue_second(k),
					  .cycle = k->cycle};
	k->queues[queue].hold_count++;
	k->queues[queue].generation++; /* as kueue_hold_rewritten */
	enter_rung(k, h);
	k->jobs[job].hold = h;
	quota_add_all(&k->tree, queue, &k->usage_amounts[u->first], u->count);
	return h;
}

void kueue_hold_evict(struct kueue *k, uint32_t job)
{
	uint32_t h = k->jobs[job].hold;

	leave_rung(k, h);
	k->holds[h].evicted = true;
	enter_rung(k, h);
	kueue_hold_rewritten(k, job);
}

void kueue_hold_rewritten(struct kueue *k, uint32_t job)
{
	k->queues[k->holds[k->jobs[job].hold].queue].generation++;
}

void kueue_hold_move(struct kueue *k, uint32_t job)
{
	leave_rung(k, k->jobs[job].hold);
	enter_rung(k, k->jobs[job].hold);
}

void kueue_hold_change(struct kueue *k, uint32_t job, const struct quota_amount *amounts,
		       uint32_t count)
{
	uint32_t h = k->jobs[job].hold, old_count;
	const struct quota_amount *old = kueue_usage_of(k, h, &old_count);

	quota_remove_all(&k->tree, k->holds[h].queue, old, old_count);
	leave_rung(k, h);
	k->holds[h].usage = intern_usage(k, amounts, count);
	enter_rung(k, h);
	quota_add_all(&k->tree, k->holds[h].queue, amounts, count);
	k->queues[k->holds[h].queue].generation++;
}

void kueue_hold_spots(struct kueue *k, uint32_t job, const struct kueue_spot *spots, uint32_t count)
{
	struct kueue_hold *hold = &k->holds[k->jobs[job].hold];

	size_t capacity = hold->spot_count;

	if (count == 0)
		return;
	hold->spots =
		mem_grow(hold->spots, hold->spot_count + (size_t)count, &capacity, sizeof(*spots));
	memcpy(&hold->spots[hold->spot_count], spots, count * sizeof(*spots));
	hold->spot_count += count;
}

static void use_spots(struct kueue *k, const struct kueue_hold *hold, int64_t sign)
{
	for (uint32_t i = 0; i < hold->spot_count; i++)
		kueue_topology_use(k->topology, hold->spots[i].tree, hold->spots[i].place,
				   hold->spots[i].shape, sign * hold->spots[i].pods);
}

void kueue_hold_move_spots(struct kueue *k, uint32_t job, const struct kueue_spot *spots,
			   uint32_t count)
{
	struct kueue_hold *hold = &k->holds[k->jobs[job].hold];

	use_spots(k, hold, -1);
	hold->spot_count = 0;
	mem_free(hold->spots);
	hold->spots = NULL;
	kueue_hold_spots(k, job, spots, count);
	use_spots(k, hold, 1);
}

static void drop_spots(struct kueue *k, struct kueue_hold *hold)
{
	use_spots(k, hold, -1);
	mem_free(hold->spots);
	mem_free(hold->kept);
	hold->spots = NULL;
	hold->kept = NULL;
	hold->spot_count = 0;
}

void kueue_hold_drop(struct kueue *k, uint32_t job)
{
	uint32_t h = k->jobs[job].hold, count;
	const struct quota_amount *amounts;
	struct kueue_hold *hold;

	if (h == KUEUE_NONE)
		return;
	hold = &k->holds[h];
	amounts = kueue_usage_of(k, h, &count);
	quota_remove_all(&k->tree, hold->queue, amounts, count);
	if (hold->spots != NULL || hold->kept != NULL)
		drop_spots(k, hold);
	leave_rung(k, h);
	k->queues[hold->queue].generation++;
	k->queues[hold->queue].hold_count--;
	hold->next = k->free_hold;
	k->free_hold = h;
	k->jobs[job].hold = KUEUE_NONE;
}

struct kueue_mark kueue_mark(struct kueue *k)
{
	return (struct kueue_mark){
		.quota = quota_mark(&k->tree),
		.topology = k->topology == NULL ? 0 : kueue_topology_mark(k->topology)};
}

void kueue_rollback(struct kueue *k, struct kueue_mark mark)
{
	quota_rollback(&k->tree, mark.quota);
	if (k->topology != NULL)
		kueue_topology_rollback(k->topology, mark.topology);
}

static void suppose_spots(struct kueue *k, const struct kueue_hold *hold, int64_t sign)
{
	for (uint32_t i = 0; i < hold->spot_count; i++)
		kueue_topology_suppose(k->topology, hold->spots[i].tree, hold->spots[i].place,
				       hold->spots[i].shape, sign * hold->spots[i].pods);
}

void kueue_usage_take(struct kueue *k, uint32_t job)
{
	const struct kueue_hold *hold = &k->holds[k->jobs[job].hold];
	uint32_t count;
	const struct quota_amount *amounts = kueue_usage_of(k, k->jobs[job].hold, &count);

	quota_add_all(&k->tree, hold->queue, amounts, count);
	suppose_spots(k, hold, 1);
}

void kueue_usage_return(struct kueue *k, uint32_t job)
{
	const struct kueue_hold *hold = &k->holds[k->jobs[job].hold];
	uint32_t count;
	const struct quota_amount *amounts = kueue_usage_of(k, k->jobs[job].hold, &count);

	quota_remove_all(&k->tree, hold->queue, amounts, count);
	suppose_spots(k, hold, -1);
}

void kueue_spots_return(struct kueue *k, uint32_t job)
{
	suppose_spots(k, &k->holds[k->jobs[job].hold], -1);
}

/* ------------------------------------------------- who may find victims */

/* Are workloads of more than one priority submitted to it? */
static bool has_priorities(const struct kueue *k, uint32_t queue)
{
	const struct kueue_class *first = NULL;

	for (size_t i = 0; i < k->class_count; i++) {
		const struct kueue_class *c = &k->classes[i];

		if (k->kins[c->kin].queue != queue)
			continue;
		first = first == NULL ? c : first;
		if (c->priority != first->priority)
			return true;
	}
	return false;
}

/* Does its tree have another queue that is looked at? */
static bool has_neighbours(const struct kueue *k, uint32_t queue)
{
	bool any = false;

	for (uint32_t i = 0; i < k->queue_count && quota_has_parent(&k->tree, queue) && !any; i++)
		any = i != queue && !k->tree.nodes[i].hidden &&
		      k->tree.nodes[i].root == k->tree.nodes[queue].root;
	return any;
}

/* Victims of the queue's own are of lower priority than the preemptor, unless newer ones of
 * equal priority will do; others are in other queues of the tree (spec 4.5). */
static bool may_find_victims(const struct kueue *k, uint32_t queue)
{
	const struct cluster_queue *spec = k->queues[queue].spec;

	if (spec->reclaim_within_cohort != PREEMPT_NEVER && has_neighbours(k, queue))
		return true;
	return spec->within_cluster_queue != PREEMPT_NEVER &&
	       (spec->within_cluster_queue != PREEMPT_LOWER_PRIORITY || has_priorities(k, queue));
}

static void rank_holds(struct kueue *k)
{
	k->ranks_holds = true;
	for (uint32_t job = 0; job < k->job_count; job++) {
		if (k->jobs[job].hold != KUEUE_NONE)
			stand_in_rung(k, k->jobs[job].hold);
	}
}

void kueue_hold_rank_for(struct kueue *k, uint32_t queue)
{
	if (!k->ranks_holds && may_find_victims(k, queue))
		rank_holds(k);
}

void kueue_hold_rank(struct kueue *k)
{
	for (uint32_t i = 0; i < k->queue_count; i++)
		kueue_hold_rank_for(k, i);
}
