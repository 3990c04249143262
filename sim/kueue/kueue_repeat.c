#include "sim/kueue/kueue_repeat.h"

#include "core/mem.h"
#include "sim/kueue/kueue_queue.h"

/* Why a cycle may be left out.
 *
 * What a cycle does follows from its heads, in their order by queue, and what it reads: of each
 * its class, order and scan of the flavors, whether it is its queue's preemptor, and the
 * holders, their usage and the objects in force. Time is read only by what is left out below.
 * If a cycle leaves all of this as it found it, another one with the same heads does the same,
 * that is nothing. So the last cycle counts as long as
 *
 *  - no reservation came, went or changed (kueue.changes, which grows with each, in any
 *    tree), no object did (kueue.objects) and no LocalQueue's usage, by which a search orders
 *    victims (kueue.lq_changes),
 *  - each of its heads is back in its heap with the class, order and scan that it had, and the
 *    queue has the preemptor that it had; nor has it been told anything since, where marks of
 *    that are kept (kueue_status.h): so what it would be told is no news to it, and no heap sifts
 *    it;
 *
 * and it is repeated with the same heads in the same queues. Heads that are refused beforehand
 * (kueue_refuse.h) have no part in a cycle, so there may be others of these. What is counted
 * is counted again. Under admission fair sharing a queue's order may be out of date, and who
 * comes next then hangs on the layout of its heap: so heads leave their heap and come back.
 *
 * Left out: topologies, admission that waits for pods, second passes, scans with a record
 * (which grow old), variants (kueue_variant.h), and runs whose journal has messages. */

struct still {
	uint32_t queue, job, class, memory, preemptor;
	bool preemptor_changed;
	simtime order;
	uint64_t told;				      /* by the cycle, or before this one */
	uint32_t new_targets, deferred_fits, skipped; /* before the cycle, or by it */
};
struct stills {
	struct still *items;
	size_t count, capacity;
};

struct kueue_repeat {
	struct stills now, last;
	bool valid;	 /* last is of a cycle that changed nothing */
	bool has_second; /* the running one has second passes */
	uint64_t changes, objects, lq_changes;
};

void kueue_repeat_open(struct kueue *k)
{
	if (k->first_variant < k->job_count || k->config->searches_anew || k->full ||
	    k->topology != NULL || k->config->block_admission)
		return;
	k->repeat = mem_calloc(1, sizeof(*k->repeat));
}

void kueue_repeat_close(struct kueue *k)
{
	if (k->repeat == NULL)
		return;
	mem_free(k->repeat->now.items);
	mem_free(k->repeat->last.items);
	mem_free(k->repeat);
	k->repeat = NULL;
}

void kueue_repeat_begin(struct kueue *k)
{
	if (k->repeat != NULL)
		k->repeat->now.count = 0;
}

static uint64_t told_to(const struct kueue *k, uint32_t job)
{
	return k->told == NULL ? 0 : k->told[job];
}

void kueue_repeat_add(struct kueue *k, uint32_t queue, uint32_t job)
{
	const struct kueue_queue *q = &k->queues[queue];
	struct stills *now;

	if (k->repeat == NULL)
		return;
	now = &k->repeat->now;
	now->items = mem_grow(now->items, now->count + 1, &now->capacity, sizeof(*now->items));
	now->items[now->count++] = (struct still){.queue = queue,
						  .job = job,
						  .class = k->jobs[job].class,
						  .memory = k->jobs[job].memory,
						  .order = k->jobs[job].order,
						  .told = told_to(k, job),
						  .preemptor = q->preemptor,
						  .preemptor_changed = q->preemptor_changed,
						  .new_targets = q->new_targets,
						  .deferred_fits = q->deferred_fits,
						  .skipped = q->skipped};
}

static bool are_same(const struct still *a, const struct still *b)
{
	return a->queue == b->queue && a->job == b->job && a->class == b->class &&
	       a->memory == b->memory && a->order == b->order && a->preemptor == b->preemptor &&
	       a->preemptor_changed == b->preemptor_changed && a->told == b->told;
}

static bool is_repeated(const struct kueue *k, const struct kueue_repeat *r)
{
	if (!r->valid || r->changes != k->changes || r->objects != k->objects ||
	    r->lq_changes != k->lq_changes || r->has_second || r->now.count != r->last.count)
		return false;
	for (size_t i = 0; i < r->now.count; i++) {
		if (!are_same(&r->now.items[i], &r->last.items[i]))
			return false;
	}
	return true;
}

bool kueue_repeat_holds(struct kueue *k)
{
	struct kueue_repeat *r = k->repeat;

	if (r == NULL)
		return false;
	r->has_second = k->second_entry_count > 0;
	if (!is_repeated(k, r)) {
		r->changes = k->changes;
		r->objects = k->objects;
		r->lq_changes = k->lq_changes;
		return false;
	}
	for (size_t i = 0; i < r->last.count; i++) {
		const struct still *s = &r->last.items[i];

		k->queues[s->queue].new_targets += s->new_targets;
		k->queues[s->queue].deferred_fits += s->deferred_fits;
		k->queues[s->queue].skipped += s->skipped;
		kueue_queue_return(k, s->queue);
	}
	return true;
}

/* Is the head as it was, and back in its heap? */
static bool stood_still(const struct kueue *k, const struct still *s)
{
	const struct kueue_job *j = &k->jobs[s->job];
	const struct kueue_queue *q = &k->queues[s->queue];

	return j->place == PLACE_ACTIVE && j->class == s->class && j->memory == s->memory &&
	       j->memory < MEMORY_FIRST && j->order == s->order && q->preemptor == s->preemptor &&
	       q->preemptor_changed == s->preemptor_changed;
}

void kueue_repeat_end(struct kueue *k)
{
	struct kueue_repeat *r = k->repeat;
	struct stills swap;

	if (r == NULL)
		return;
	r->valid = !r->has_second && r->changes == k->changes && r->objects == k->objects;
	for (size_t i = 0; i < r->now.count && r->valid; i++) {
		struct still *s = &r->now.items[i];
		const struct kueue_queue *q = &k->queues[s->queue];

		r->valid = stood_still(k, s);
		s->told = told_to(k, s->job);
		s->new_targets = q->new_targets - s->new_targets;
		s->deferred_fits = q->deferred_fits - s->deferred_fits;
		s->skipped = q->skipped - s->skipped;
	}
	swap = r->last;
	r->last = r->now;
	r->now = swap;
}
