#include "core/evq.h"

#include <assert.h>

#include "core/mem.h"

#define NOT_QUEUED UINT32_MAX
#define FAN	   4 /* children of an entry: half as many levels as two, in a cache line */

/* What the order hangs on, so that the heap is compared without a look elsewhere. */
struct entry {
	simtime time;
	uint64_t rank; /* class, then sequence */
	uint32_t slot;
};

#define SEQUENCE_BITS 56

struct slot {
	uint32_t kind, subject, attempt;
	uint32_t gen;
	uint32_t pos; /* in heap[], or NOT_QUEUED; free slots: the next free one */
	bool queued;
};

struct evq {
	struct slot *slots;
	struct entry *heap; /* heap[0] is the next event */
	size_t slot_cap, heap_cap;
	uint32_t slot_count, count, free_head;
	uint64_t next_seq;
	simtime now;
};

struct evq *evq_new(void)
{
	struct evq *q = mem_calloc(1, sizeof(*q));

	q->free_head = NOT_QUEUED;
	return q;
}

void evq_free(struct evq *q)
{
	if (q == NULL)
		return;
	mem_free(q->slots);
	mem_free(q->heap);
	mem_free(q);
}

/* Both halves at once: which child is the earliest is nothing that a processor could
 * guess, so this is to be no jump. Times are not negative. */
__extension__ typedef unsigned __int128 key;

static key key_of(const struct entry *e)
{
	return (key)(uint64_t)e->time << 64 | e->rank;
}

static bool before(const struct entry *x, const struct entry *y)
{
	return key_of(x) < key_of(y);
}

static void put(struct evq *q, uint32_t pos, const struct entry *entry)
{
	q->heap[pos] = *entry;
	q->slots[entry->slot].pos = pos;
}

static void rise(struct evq *q, uint32_t pos, struct entry entry)
{
	while (pos > 0 && before(&entry, &q->heap[(pos - 1) / FAN])) {
		put(q, pos, &q->heap[(pos - 1) / FAN]);
		pos = (pos - 1) / FAN;
	}
	put(q, pos, &entry);
}

/* The earliest child of a place; count if it has none. */
static uint32_t first_child(const struct evq *q, uint32_t pos)
{
	uint32_t child = FAN * pos + 1, best = child;
	uint32_t end = child + FAN < q->count ? child + FAN : q->count;
	key least;

	if (child >= q->count)
		return q->count;
	least = key_of(&q->heap[child]);
	while (++child < end) {
		key other = key_of(&q->heap[child]);

		best = other < least ? child : best;
		least = other < least ? other : least;
	}
	return best;
}

static void sink(struct evq *q, uint32_t pos, struct entry entry)
{
	uint32_t child;

	while ((child = first_child(q, pos)) < q->count && before(&q->heap[child], &entry)) {
		put(q, pos, &q->heap[child]);
		pos = child;
	}
	put(q, pos, &entry);
}

static uint32_t take_slot(struct evq *q)
{
	uint32_t slot = q->free_head;

	if (slot != NOT_QUEUED) {
		q->free_head = q->slots[slot].pos;
		return slot;
	}
	slot = q->slot_count++;
	q->slots = mem_grow(q->slots, q->slot_count, &q->slot_cap, sizeof(*q->slots));
	q->slots[slot].gen = 0;
	return slot;
}

struct evq_handle evq_push(struct evq *q, const struct evq_event *event)
{
	uint32_t slot = take_slot(q);
	struct slot *s = &q->slots[slot];
	struct entry entry = {
		.time = event->time,
		.rank = (uint64_t)event->class << SEQUENCE_BITS | q->next_seq++,
		.slot = slot,
	};

	assert(event->time >= q->now && event->class < 1U << (64 - SEQUENCE_BITS));
	*s = (struct slot){.kind = event->kind,
			   .subject = event->subject,
			   .attempt = event->attempt,
			   .gen = s->gen + 1,
			   .queued = true};
	q->heap = mem_grow(q->heap, (size_t)q->count + 1, &q->heap_cap, sizeof(*q->heap));
	rise(q, q->count++, entry);
	return (struct evq_handle){.slot = slot, .gen = s->gen};
}

static void drop(struct evq *q, uint32_t slot)
{
	uint32_t pos = q->slots[slot].pos;
	struct entry last = q->heap[--q->count];

	if (last.slot != slot) {
		if (pos > 0 && before(&last, &q->heap[(pos - 1) / FAN]))
			rise(q, pos, last);
		else
			sink(q, pos, last);
	}
	q->slots[slot].queued = false;
	q->slots[slot].pos = q->free_head;
	q->free_head = slot;
}

static bool is_queued(const struct evq *q, struct evq_handle handle)
{
	return handle.gen != 0 && handle.slot < q->slot_count &&
	       q->slots[handle.slot].gen == handle.gen && q->slots[handle.slot].queued;
}

bool evq_cancel(struct evq *q, struct evq_handle handle)
{
	if (!is_queued(q, handle))
		return false;
	drop(q, handle.slot);
	return true;
}

simtime evq_when(const struct evq *q, struct evq_handle handle)
{
	return is_queued(q, handle) ? q->heap[q->slots[handle.slot].pos].time : CLOCK_NEVER;
}

bool evq_pop(struct evq *q, struct evq_event *out)
{
	if (!evq_peek(q, out))
		return false;
	assert(out->time >= q->now);
	q->now = out->time;
	drop(q, q->heap[0].slot);
	return true;
}

bool evq_peek(const struct evq *q, struct evq_event *out)
{
	const struct entry *first = q->heap;
	const struct slot *s;

	if (q->count == 0)
		return false;
	s = &q->slots[first->slot];
	*out = (struct evq_event){.time = first->time,
				  .class = (uint32_t)(first->rank >> SEQUENCE_BITS),
				  .kind = s->kind,
				  .subject = s->subject,
				  .attempt = s->attempt};
	return true;
}

simtime evq_next(const struct evq *q)
{
	return q->count == 0 ? CLOCK_NEVER : q->heap[0].time;
}

simtime evq_now(const struct evq *q)
{
	return q->now;
}

uint32_t evq_count(const struct evq *q)
{
	return q->count;
}
