#include "sim/kueue/kueue_heap.h"

#include "core/mem.h"

/* A member's place is kept in its prev, which only parked workloads need else. */
static void swap(struct kueue *k, struct kueue_queue *q, size_t a, size_t b)
{
	uint32_t job = q->plain[a];

	q->plain[a] = q->plain[b];
	q->plain[b] = job;
	k->jobs[q->plain[a]].prev = (uint32_t)a;
	k->jobs[q->plain[b]].prev = (uint32_t)b;
}

static void up(struct kueue *k, uint32_t queue, size_t at, kueue_heap_before *before)
{
	struct kueue_queue *q = &k->queues[queue];

	while (at > 0 && before(k, queue, q->plain[at], q->plain[(at - 1) / 2])) {
		swap(k, q, at, (at - 1) / 2);
		at = (at - 1) / 2;
	}
}

/* True: it moved. */
static bool down(struct kueue *k, uint32_t queue, size_t from, size_t count,
		 kueue_heap_before *before)
{
	struct kueue_queue *q = &k->queues[queue];
	size_t at = from;

	for (;;) {
		size_t child = at * 2 + 1;

		if (child >= count)
			break;
		if (child + 1 < count && before(k, queue, q->plain[child + 1], q->plain[child]))
			child++;
		if (!before(k, queue, q->plain[child], q->plain[at]))
			break;
		swap(k, q, at, child);
		at = child;
	}
	return at > from;
}

void kueue_heap_push(struct kueue *k, uint32_t queue, uint32_t job, kueue_heap_before *before)
{
	struct kueue_queue *q = &k->queues[queue];

	q->plain = mem_grow(q->plain, q->plain_count + 1, &q->plain_capacity, sizeof(*q->plain));
	q->plain[q->plain_count] = job;
	k->jobs[job].prev = (uint32_t)q->plain_count;
	up(k, queue, q->plain_count++, before);
}

void kueue_heap_remove(struct kueue *k, uint32_t queue, uint32_t job, kueue_heap_before *before)
{
	struct kueue_queue *q = &k->queues[queue];
	size_t at = k->jobs[job].prev, last = q->plain_count - 1;

	if (at != last) {
		swap(k, q, at, last);
		if (!down(k, queue, at, last, before))
			up(k, queue, at, before);
	}
	q->plain_count--;
	k->jobs[job].prev = JOB_NONE;
}

void kueue_heap_rebuild(struct kueue *k, uint32_t queue, kueue_heap_before *before)
{
	size_t count = k->queues[queue].plain_count;

	for (size_t i = count / 2; i-- > 0;)
		down(k, queue, i, count, before);
}

bool kueue_heap_has(const struct kueue *k, uint32_t queue, uint32_t job)
{
	const struct kueue_queue *q = &k->queues[queue];

	return k->jobs[job].prev < q->plain_count && q->plain[k->jobs[job].prev] == job;
}
