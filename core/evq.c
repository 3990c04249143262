#include "core/evq.h"

#include <assert.h>

#include "core/mem.h"

#define NOT_QUEUED UINT32_MAX

struct slot {
	struct evq_event event;
	uint64_t seq;
	uint32_t gen;
	uint32_t pos; /* in heap[], or NOT_QUEUED */
	uint32_t next_free;
};

struct evq {
	struct slot *slots;
	uint32_t *heap; /* slot numbers; heap[0] is the next event */
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

static bool before(const struct evq *q, uint32_t a, uint32_t b)
{
	const struct slot *x = &q->slots[a];
	const struct slot *y = &q->slots[b];

	if (x->event.time != y->event.time)
		return x->event.time < y->event.time;
	if (x->event.class != y->event.class)
		return x->event.class < y->event.class;
	return x->seq < y->seq;
}

static void put(struct evq *q, uint32_t pos, uint32_t slot)
{
	q->heap[pos] = slot;
	q->slots[slot].pos = pos;
}

static void sift(struct evq *q, uint32_t pos, uint32_t slot)
{
	while (pos > 0 && before(q, slot, q->heap[(pos - 1) / 2])) {
		put(q, pos, q->heap[(pos - 1) / 2]);
		pos = (pos - 1) / 2;
	}
	for (uint32_t child = 2 * pos + 1; child < q->count; child = 2 * pos + 1) {
		if (child + 1 < q->count && before(q, q->heap[child + 1], q->heap[child]))
			child++;
		if (before(q, slot, q->heap[child]))
			break;
		put(q, pos, q->heap[child]);
		pos = child;
	}
	put(q, pos, slot);
}

struct evq_handle evq_push(struct evq *q, const struct evq_event *event)
{
	uint32_t slot = q->free_head;

	assert(event->time >= q->now);
	if (slot != NOT_QUEUED) {
		q->free_head = q->slots[slot].next_free;
	} else {
		slot = q->slot_count++;
		q->slots = mem_grow(q->slots, q->slot_count, &q->slot_cap, sizeof(*q->slots));
		q->slots[slot].gen = 0;
	}
	q->slots[slot].event = *event;
	q->slots[slot].seq = q->next_seq++;
	q->slots[slot].gen++;
	q->heap = mem_grow(q->heap, (size_t)q->count + 1, &q->heap_cap, sizeof(*q->heap));
	q->count++;
	sift(q, q->count - 1, slot);
	return (struct evq_handle){.slot = slot, .gen = q->slots[slot].gen};
}

static void drop(struct evq *q, uint32_t slot)
{
	uint32_t pos = q->slots[slot].pos;
	uint32_t last = q->heap[--q->count];

	if (last != slot)
		sift(q, pos, last);
	q->slots[slot].pos = NOT_QUEUED;
	q->slots[slot].next_free = q->free_head;
	q->free_head = slot;
}

static bool is_queued(const struct evq *q, struct evq_handle handle)
{
	return handle.gen != 0 && handle.slot < q->slot_count &&
	       q->slots[handle.slot].gen == handle.gen && q->slots[handle.slot].pos != NOT_QUEUED;
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
	return is_queued(q, handle) ? q->slots[handle.slot].event.time : CLOCK_NEVER;
}

bool evq_pop(struct evq *q, struct evq_event *out)
{
	if (q->count == 0)
		return false;
	*out = q->slots[q->heap[0]].event;
	assert(out->time >= q->now);
	q->now = out->time;
	drop(q, q->heap[0]);
	return true;
}

bool evq_peek(const struct evq *q, struct evq_event *out)
{
	if (q->count == 0)
		return false;
	*out = q->slots[q->heap[0]].event;
	return true;
}

simtime evq_now(const struct evq *q)
{
	return q->now;
}

uint32_t evq_count(const struct evq *q)
{
	return q->count;
}
