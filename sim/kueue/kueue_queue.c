#include "sim/kueue/kueue_queue.h"

#include <assert.h>

#include "core/mem.h"
#include "core/sort.h"
#include "sim/kueue/kueue_heap.h"
#include "sim/kueue/kueue_memory.h"

/* ------------------------------------------------ members: pairing heaps */

static bool is_sticky(const struct kueue *k, uint32_t queue, uint32_t job)
{
	return k->queues[queue].preemptor == job && k->queues[queue].sticky;
}

/* Order within a class, whose members share priority: total. */
static bool comes_before(const struct kueue *k, uint32_t queue, uint32_t a, uint32_t b)
{
	if (k->queues[queue].preemptor != JOB_NONE &&
	    is_sticky(k, queue, a) != is_sticky(k, queue, b))
		return is_sticky(k, queue, a);
	if (k->jobs[a].order != k->jobs[b].order)
		return k->jobs[a].order < k->jobs[b].order;
	return a < b;
}

static uint32_t meld(struct kueue *k, uint32_t queue, uint32_t a, uint32_t b)
{
	uint32_t first, second;

	if (a == JOB_NONE || b == JOB_NONE)
		return a == JOB_NONE ? b : a;
	first = comes_before(k, queue, a, b) ? a : b;
	second = first == a ? b : a;
	k->jobs[second].next = k->jobs[first].child;
	if (k->jobs[first].child != JOB_NONE)
		k->jobs[k->jobs[first].child].prev = second;
	k->jobs[second].prev = first;
	k->jobs[first].child = second;
	k->jobs[first].next = k->jobs[first].prev = JOB_NONE;
	return first;
}

/* The children of a removed node as one heap: pairs from the left, then all
 * pairs from the right; prev links the pairs meanwhile. */
static uint32_t merge_children(struct kueue *k, uint32_t queue, uint32_t first)
{
	uint32_t pairs = JOB_NONE, heap = JOB_NONE;

	while (first != JOB_NONE) {
		uint32_t a = first, b = k->jobs[a].next, pair;

		first = b == JOB_NONE ? JOB_NONE : k->jobs[b].next;
		k->jobs[a].next = k->jobs[a].prev = JOB_NONE;
		if (b != JOB_NONE)
			k->jobs[b].next = k->jobs[b].prev = JOB_NONE;
		pair = meld(k, queue, a, b);
		k->jobs[pair].prev = pairs;
		pairs = pair;
	}
	while (pairs != JOB_NONE) {
		uint32_t before = k->jobs[pairs].prev;

		k->jobs[pairs].prev = JOB_NONE;
		heap = meld(k, queue, heap, pairs);
		pairs = before;
	}
	return heap;
}

/* Takes a member out of the heap with that root; returns the new root. */
static uint32_t take_out(struct kueue *k, uint32_t queue, uint32_t root, uint32_t job)
{
	struct kueue_job *j = &k->jobs[job];
	uint32_t rest = merge_children(k, queue, j->child);

	if (job != root) {
		if (k->jobs[j->prev].child == job)
			k->jobs[j->prev].child = j->next;
		else
			k->jobs[j->prev].next = j->next;
		if (j->next != JOB_NONE)
			k->jobs[j->next].prev = j->prev;
		rest = meld(k, queue, root, rest);
	}
	j->child = j->next = j->prev = JOB_NONE;
	return rest;
}

/* ------------------------------------------------- classes: a binary heap */

static bool class_comes_before(const struct kueue *k, uint32_t queue, uint32_t a, uint32_t b)
{
	const struct kueue_class *x = &k->classes[a], *y = &k->classes[b];
	const struct kueue_queue *q = &k->queues[queue];

	if (q->deferred && k->lq_usage[x->local_queue] != k->lq_usage[y->local_queue])
		return k->lq_usage[x->local_queue] < k->lq_usage[y->local_queue];
	if (q->preemptor != JOB_NONE &&
	    is_sticky(k, queue, x->active) != is_sticky(k, queue, y->active))
		return is_sticky(k, queue, x->active);
	if (x->priority != y->priority)
		return x->priority > y->priority;
	return comes_before(k, queue, x->active, y->active);
}

static void place_class(struct kueue *k, struct kueue_queue *q, size_t at, uint32_t class)
{
	q->heap[at] = class;
	k->classes[class].heap_at = (uint32_t)at;
}

static void sift_up(struct kueue *k, uint32_t queue, size_t at)
{
	struct kueue_queue *q = &k->queues[queue];
	uint32_t class = q->heap[at];

	while (at > 0 && class_comes_before(k, queue, class, q->heap[(at - 1) / 2])) {
		place_class(k, q, at, q->heap[(at - 1) / 2]);
		at = (at - 1) / 2;
	}
	place_class(k, q, at, class);
}

static void sift_down(struct kueue *k, uint32_t queue, size_t at)
{
	struct kueue_queue *q = &k->queues[queue];
	uint32_t class = q->heap[at];

	for (;;) {
		size_t child = at * 2 + 1;

		if (child >= q->heap_count)
			break;
		if (child + 1 < q->heap_count &&
		    class_comes_before(k, queue, q->heap[child + 1], q->heap[child]))
			child++;
		if (!class_comes_before(k, queue, q->heap[child], class))
			break;
		place_class(k, q, at, q->heap[child]);
		at = child;
	}
	place_class(k, q, at, class);
}

static void note_ready(struct kueue *k, uint32_t queue)
{
	struct kueue_queue *q = &k->queues[queue];

	if (q->heap_count == 0)
		q->deferred = false;
	kueue_ready_note(k, queue, q->active && q->heap_count + q->plain_count > 0);
}

/* The first to wait in its queue, and the last: nothing to put in order. */
static void enter_empty_queue(struct kueue *k, uint32_t queue, uint32_t job)
{
	struct kueue_queue *q = &k->queues[queue];
	uint32_t class = k->jobs[job].class;

	q->heap = mem_grow(q->heap, 1, &q->heap_capacity, sizeof(*q->heap));
	place_class(k, q, q->heap_count++, class);
	k->classes[class].active = job;
	note_ready(k, queue);
}

static void leave_queue_empty(struct kueue *k, uint32_t queue, uint32_t class)
{
	k->queues[queue].heap_count = 0;
	k->queues[queue].deferred = false;
	k->classes[class].active = JOB_NONE;
	k->classes[class].heap_at = KUEUE_NONE;
	kueue_ready_note(k, queue, false);
}

/* The class's head changed: new, gone or other. */
static void settle_class(struct kueue *k, uint32_t queue, uint32_t class)
{
	struct kueue_queue *q = &k->queues[queue];
	struct kueue_class *c = &k->classes[class];

	if (c->active == JOB_NONE) {
		uint32_t at = c->heap_at, last;

		if (at == KUEUE_NONE)
			return;
		last = q->heap[--q->heap_count];
		c->heap_at = KUEUE_NONE;
		if (last != class) {
			place_class(k, q, at, last);
			if (at > 0)
				sift_up(k, queue, at);
			sift_down(k, queue, k->classes[last].heap_at);
		}
	} else if (c->heap_at == KUEUE_NONE) {
		q->heap = mem_grow(q->heap, q->heap_count + 1, &q->heap_capacity, sizeof(*q->heap));
		place_class(k, q, q->heap_count++, class);
		sift_up(k, queue, q->heap_count - 1);
	} else {
		sift_up(k, queue, c->heap_at);
		sift_down(k, queue, c->heap_at);
	}
	note_ready(k, queue);
}

/* ------------------------------------------------- admission fair sharing */

/* Order of all workloads of a queue by the usage of their LocalQueues. */
static bool plain_before(const struct kueue *k, uint32_t queue, uint32_t a, uint32_t b)
{
	const struct kueue_class *x = kueue_class_of(k, a), *y = kueue_class_of(k, b);
	double usage_x = k->lq_usage[x->local_queue], usage_y = k->lq_usage[y->local_queue];

	if (usage_x != usage_y)
		return usage_x < usage_y;
	if (is_sticky(k, queue, a) != is_sticky(k, queue, b))
		return is_sticky(k, queue, a);
	if (x->priority != y->priority)
		return x->priority > y->priority;
	return comes_before(k, queue, a, b);
}

static bool goes_by_usage(const struct kueue *k, uint32_t queue)
{
	return k->afs != NULL && k->queues[queue].by_usage;
}

/* May its heap be left as it is, not laid out? Not if there is one of classes that has
 * another order, since objects changed. */
static bool may_defer(const struct kueue *k, uint32_t queue)
{
	const struct kueue_queue *q = &k->queues[queue];

	return q->plain_count == 0 && (q->heap_count == 0 || q->deferred) &&
	       !k->config->searches_anew;
}

static bool is_plain(const struct kueue *k, uint32_t queue)
{
	return goes_by_usage(k, queue) && !may_defer(k, queue);
}

/* A heap that is in order stays as it is. */
void kueue_queue_reorder(struct kueue *k, uint32_t queue)
{
	if (goes_by_usage(k, queue))
		kueue_heap_rebuild(k, queue, plain_before);
}

void kueue_queue_renew(struct kueue *k, uint32_t job)
{
	uint32_t queue = kueue_queue_of(k, job);

	if (is_plain(k, queue) && k->jobs[job].place == PLACE_ACTIVE &&
	    kueue_heap_has(k, queue, job))
		kueue_heap_fix(k, queue, job, plain_before);
}

void kueue_queue_lay_out(struct kueue *k, uint32_t queue)
{
	if (k->queues[queue].deferred)
		kueue_heap_lay_out(k, queue, plain_before);
}

/* Steps, before a heap is laid out whatever happens. */
enum { STEPS_MOST = 1 << 16 };

static void note_step(struct kueue *k, uint32_t queue, enum kueue_step_kind kind, uint32_t index)
{
	if (k->queues[queue].deferred)
		kueue_heap_note(k, queue, kind, index);
}

/* Before somebody enters. */
static void bound_steps(struct kueue *k, uint32_t queue)
{
	if (k->queues[queue].step_count >= STEPS_MOST)
		kueue_queue_lay_out(k, queue);
}

/* ---------------------------------------------------------------- parking */

/* Would the flush be over by now if its timer had been set? At an instant timers come
 * before the cycles. */
static bool is_past(const struct kueue *k, simtime due)
{
	return due < k->world->now || (due == k->world->now && k->scheduled == k->world->now);
}

static void arm(struct kueue *k, uint32_t root)
{
	k->roots[root].armed = true;
	kueue_timer(k, k->roots[root].due, TIMER_FLUSH, root);
}

static void expect_flush(struct kueue *k, uint32_t root)
{
	struct kueue_root *r = &k->roots[root];

	if (r->due == CLOCK_NEVER || r->armed)
		return;
	if (is_past(k, r->due))
		r->due = CLOCK_NEVER;
	else
		arm(k, root);
}

static void enter_root_list(struct kueue *k, uint32_t queue)
{
	struct kueue_root *root;

	if (k->queues[queue].in_root_list)
		return;
	root = &k->roots[k->tree.nodes[queue].root];
	expect_flush(k, k->tree.nodes[queue].root);
	k->queues[queue].in_root_list = true;
	root->queues = mem_grow(root->queues, root->queue_count + 1, &root->queue_capacity,
				sizeof(*root->queues));
	root->queues[root->queue_count++] = queue;
}

static void list_parked_class(struct kueue *k, uint32_t queue, uint32_t class)
{
	struct kueue_queue *q = &k->queues[queue];

	if (k->classes[class].parked_at != KUEUE_NONE)
		return;
	q->parked =
		mem_grow(q->parked, q->parked_count + 1, &q->parked_capacity, sizeof(*q->parked));
	k->classes[class].parked_at = (uint32_t)q->parked_count;
	q->parked[q->parked_count++] = class;
	enter_root_list(k, queue);
}

static void unlist_parked_class(struct kueue *k, uint32_t queue, uint32_t class)
{
	struct kueue_queue *q = &k->queues[queue];
	uint32_t at = k->classes[class].parked_at, last = q->parked[--q->parked_count];

	q->parked[at] = last;
	k->classes[last].parked_at = at;
	k->classes[class].parked_at = KUEUE_NONE;
}

static void park(struct kueue *k, uint32_t queue, uint32_t job)
{
	struct kueue_class *c = &k->classes[k->jobs[job].class];

	k->jobs[job].place = PLACE_PARKED;
	note_step(k, queue, STEP_PARK, job);
	c->parked = meld(k, queue, c->parked, job);
	list_parked_class(k, queue, k->jobs[job].class);
}

static void activate(struct kueue *k, uint32_t queue, uint32_t job)
{
	struct kueue_class *c = &k->classes[k->jobs[job].class];

	k->jobs[job].place = PLACE_ACTIVE;
	if (is_plain(k, queue)) {
		kueue_heap_push(k, queue, job, plain_before);
		note_ready(k, queue);
		return;
	}
	if (goes_by_usage(k, queue) && k->queues[queue].heap_count == 0)
		kueue_heap_defer(k, queue);
	note_step(k, queue, STEP_PUSH, job);
	if (k->queues[queue].heap_count == 0) {
		enter_empty_queue(k, queue, job);
		return;
	}
	c->active = meld(k, queue, c->active, job);
	settle_class(k, queue, k->jobs[job].class);
}

/* Members keep the place they were put in last; which heap of the class they
 * are in is found at the root, so that whole heaps can change sides at once. */
static bool is_in_heap(const struct kueue *k, uint32_t job, uint32_t root)
{
	while (job != root && k->jobs[job].prev != JOB_NONE)
		job = k->jobs[job].prev;
	return job == root;
}

/* Its classes are listed in the order of the kin, whatever the layout. */
static void park_plain_kin(struct kueue *k, uint32_t queue, uint32_t kin)
{
	struct kueue_members taken = kueue_heap_take_kin(k, queue, kin, plain_before);

	for (uint32_t c = k->kins[kin].first_class; c != KUEUE_NONE; c = k->classes[c].next_kin)
		k->classes[c].moves = false;
	for (size_t i = 0; i < taken.count; i++)
		k->classes[k->jobs[taken.jobs[i]].class].moves = true;
	for (uint32_t c = k->kins[kin].first_class; c != KUEUE_NONE; c = k->classes[c].next_kin) {
		if (k->classes[c].moves)
			list_parked_class(k, queue, c);
	}
	for (size_t i = 0; i < taken.count; i++)
		park(k, queue, taken.jobs[i]);
	mem_free(taken.jobs);
	note_ready(k, queue);
}

/* Every waiting workload equivalent to this one parks, and so do newcomers. */
static void park_kin(struct kueue *k, uint32_t queue, uint32_t job, enum kueue_why why)
{
	uint32_t index = kueue_class_of(k, job)->kin;
	struct kueue_kin *kin = &k->kins[index];
	struct kueue_queue *q = &k->queues[queue];

	kin->bulk_why = (uint8_t)(why == WHY_NONE ? WHY_PENDING_EVALUATION : why);
	if (!kin->bulk) {
		kin->bulk = true;
		q->bulk = mem_grow(q->bulk, q->bulk_count + 1, &q->bulk_capacity, sizeof(*q->bulk));
		q->bulk[q->bulk_count++] = index;
		enter_root_list(k, queue);
	}
	if (is_plain(k, queue)) {
		park_plain_kin(k, queue, index);
		return;
	}
	note_step(k, queue, STEP_PARK_KIN, index);
	for (uint32_t i = kin->first_class; i != KUEUE_NONE; i = k->classes[i].next_kin) {
		struct kueue_class *c = &k->classes[i];

		if (c->active == JOB_NONE)
			continue;
		c->parked = meld(k, queue, c->parked, c->active);
		c->active = JOB_NONE;
		settle_class(k, queue, i);
		list_parked_class(k, queue, i);
	}
}

/* ----------------------------------------------------------------- coming */

/* To others that wait, or where these are parked in bulk. */
KUEUE_SELDOM static void push_beside(struct kueue *k, uint32_t queue, uint32_t job, bool bulk)
{
	bound_steps(k, queue);
	if (bulk && k->queues[queue].spec->strategy == QUEUE_BEST_EFFORT_FIFO)
		park(k, queue, job);
	else
		activate(k, queue, job);
}

void kueue_queue_push(struct kueue *k, uint32_t job)
{
	const struct kueue_kin *kin = &k->kins[kueue_class_of(k, job)->kin];
	uint32_t queue = kin->queue;

	assert(k->jobs[job].place == PLACE_NOWHERE || k->jobs[job].place == PLACE_BACKOFF);
	if (kin->bulk || k->afs != NULL || k->queues[queue].heap_count > 0) {
		push_beside(k, queue, job, kin->bulk);
		return;
	}
	k->jobs[job].place = PLACE_ACTIVE;
	enter_empty_queue(k, queue, job);
}

void kueue_queue_push_active(struct kueue *k, uint32_t job)
{
	assert(k->jobs[job].place == PLACE_NOWHERE);
	activate(k, kueue_queue_of(k, job), job);
}

void kueue_queue_hold_back(struct kueue *k, uint32_t job)
{
	assert(k->jobs[job].place == PLACE_NOWHERE);
	k->jobs[job].place = PLACE_BACKOFF;
}

/* What is left of one that is in no heap. */
static void forget(struct kueue *k, uint32_t queue, uint32_t job)
{
	k->jobs[job].place = PLACE_NOWHERE;
	if (k->jobs[job].memory != MEMORY_NONE)
		kueue_memory_clear(k, job);
	if (k->queues[queue].preemptor == job) {
		k->queues[queue].preemptor = JOB_NONE;
		note_step(k, queue, STEP_STICK, JOB_NONE);
	}
}

void kueue_queue_remove(struct kueue *k, uint32_t job)
{
	struct kueue_job *j = &k->jobs[job];
	uint32_t queue = kueue_queue_of(k, job);
	struct kueue_class *c = &k->classes[j->class];

	if (j->place == PLACE_ACTIVE || j->place == PLACE_PARKED)
		kueue_queue_lay_out(k, queue); /* nothing is noted of those who leave so */
	if (k->queues[queue].plain_count > 0 && kueue_heap_has(k, queue, job)) {
		kueue_heap_remove(k, queue, job, plain_before);
		note_ready(k, queue);
	} else if (j->place == PLACE_ACTIVE || j->place == PLACE_PARKED) {
		if (c->active != JOB_NONE && is_in_heap(k, job, c->active)) {
			c->active = take_out(k, queue, c->active, job);
			settle_class(k, queue, j->class);
		} else {
			c->parked = take_out(k, queue, c->parked, job);
			if (c->parked == JOB_NONE)
				unlist_parked_class(k, queue, j->class);
		}
	}
	forget(k, queue, job);
}

/* ------------------------------------------------------ popping, requeuing */

uint32_t kueue_queue_head(const struct kueue *k, uint32_t queue)
{
	const struct kueue_queue *q = &k->queues[queue];

	if (q->plain_count > 0)
		return q->plain[0];
	return q->heap_count == 0 ? JOB_NONE : k->classes[q->heap[0]].active;
}

uint32_t kueue_queue_pop(struct kueue *k, uint32_t queue)
{
	struct kueue_queue *q = &k->queues[queue];
	struct kueue_class *c;
	uint32_t class, job;

	q->popped = ++k->stamp;
	if (q->plain_count > 0) {
		job = q->plain[0];
		kueue_heap_remove(k, queue, job, plain_before);
		note_ready(k, queue);
		k->jobs[job].place = PLACE_INFLIGHT;
		return job;
	}
	if (q->heap_count == 0)
		return JOB_NONE;
	class = q->heap[0];
	c = &k->classes[class];
	job = c->active;
	k->jobs[job].place = PLACE_INFLIGHT;
	note_step(k, queue, STEP_POP, job);
	if (q->heap_count == 1 && k->jobs[job].child == JOB_NONE) {
		leave_queue_empty(k, queue, class);
		return job;
	}
	c->active = take_out(k, queue, c->active, job);
	settle_class(k, queue, class);
	return job;
}

void kueue_queue_take(struct kueue *k, uint32_t queue)
{
	const struct kueue_queue *q = &k->queues[queue];
	uint32_t job = kueue_queue_head(k, queue);

	if (k->afs == NULL && q->heap_count == 1 && k->jobs[job].child == JOB_NONE) {
		k->queues[queue].popped = ++k->stamp;
		leave_queue_empty(k, queue, q->heap[0]);
		forget(k, queue, job);
	} else {
		kueue_queue_pop(k, queue);
		forget(k, queue, job);
	}
}

static void name_preemptor(struct kueue_queue *q, uint32_t job)
{
	q->preemptor = job;
	q->preemptor_changed = false;
	q->sticky = q->spec->strategy == QUEUE_BEST_EFFORT_FIFO;
}

/* The job becomes the queue's preemptor. One that was it before loses its place
 * at the front, so it is put into its heap anew. */
static void set_preemptor(struct kueue *k, uint32_t queue, uint32_t job)
{
	uint32_t before = k->queues[queue].preemptor;
	struct kueue_class *c;
	uint32_t *side;
	bool waits =
		before != JOB_NONE && before != job &&
		(k->jobs[before].place == PLACE_ACTIVE || k->jobs[before].place == PLACE_PARKED);

	if (waits)
		kueue_queue_lay_out(k, queue); /* by the order with it at the front */
	if (!waits || kueue_heap_has(k, queue, before)) {
		name_preemptor(&k->queues[queue], job);
		note_step(k, queue, STEP_STICK, k->queues[queue].sticky ? job : JOB_NONE);
		return;
	}
	c = &k->classes[k->jobs[before].class];
	side = c->active != JOB_NONE && is_in_heap(k, before, c->active) ? &c->active : &c->parked;
	*side = take_out(k, queue, *side, before);
	name_preemptor(&k->queues[queue], job);
	*side = meld(k, queue, *side, before);
	settle_class(k, queue, k->jobs[before].class);
}

static bool is_immediate(const struct kueue_queue *q, enum kueue_requeue reason)
{
	if (q->spec->strategy == QUEUE_STRICT_FIFO)
		return reason != REQUEUE_NAMESPACE_MISMATCH;
	return reason == REQUEUE_FAILED_AFTER_NOMINATION || reason == REQUEUE_PENDING_PREEMPTION;
}

bool kueue_queue_requeue(struct kueue *k, uint32_t job, enum kueue_requeue reason,
			 enum kueue_why why)
{
	uint32_t queue = kueue_queue_of(k, job);
	struct kueue_queue *q = &k->queues[queue];
	bool backs_off; /* its LocalQueue came back before it was over */

	assert(k->jobs[job].place == PLACE_INFLIGHT);
	bound_steps(k, queue);
	if (reason == REQUEUE_PENDING_PREEMPTION)
		set_preemptor(k, queue, job);
	backs_off = kueue_life_of(k, job)->requeue_at > k->world->now;
	if (!backs_off &&
	    (is_immediate(q, reason) || k->roots[k->tree.nodes[queue].root].flushed > q->popped ||
	     kueue_memory_pending(k, job))) {
		activate(k, queue, job);
		return true;
	}
	if (backs_off)
		k->jobs[job].place = PLACE_BACKOFF;
	else
		park(k, queue, job);
	if (k->gates.equivalence && (reason == REQUEUE_NO_FIT || reason == REQUEUE_NO_CANDIDATES) &&
	    q->spec->strategy == QUEUE_BEST_EFFORT_FIFO)
		park_kin(k, queue, job, why);
	return false;
}

void kueue_queue_refuse(struct kueue *k, uint32_t queue, uint32_t job)
{
	if (k->queues[queue].plain_count == 0) { /* its class moves as a whole, and it with it */
		k->queues[queue].popped = ++k->stamp;
		k->jobs[job].place = PLACE_PARKED;
		note_step(k, queue, STEP_POP, job);
		note_step(k, queue, STEP_PARK, job);
		list_parked_class(k, queue, k->jobs[job].class);
	} else {
		kueue_queue_pop(k, queue);
		park(k, queue, job);
	}
	park_kin(k, queue, job, WHY_WAITING_FOR_QUOTA);
}

void kueue_queue_return(struct kueue *k, uint32_t queue)
{
	if (k->afs == NULL)
		return;
	bound_steps(k, queue);
	activate(k, queue, kueue_queue_pop(k, queue));
}

static bool is_listed(const struct kueue *k, uint32_t job)
{
	return k->jobs[job].place == PLACE_ACTIVE || k->jobs[job].place == PLACE_PARKED;
}

bool kueue_queue_is_in_heap(const struct kueue *k, uint32_t job)
{
	const struct kueue_class *c = kueue_class_of(k, job);

	return is_listed(k, job) && (kueue_heap_has(k, kueue_queue_of(k, job), job) ||
				     (c->active != JOB_NONE && is_in_heap(k, job, c->active)));
}

bool kueue_queue_is_bypassed(const struct kueue *k, uint32_t job)
{
	return k->kins[kueue_class_of(k, job)->kin].bulk && is_listed(k, job) &&
	       !kueue_queue_is_in_heap(k, job);
}

uint32_t kueue_queue_next_ready(const struct kueue *k, uint32_t place)
{
	while (place < k->queue_count) {
		uint64_t bits = k->ready[place / 64] >> place % 64;

		if (bits != 0)
			return place + (uint32_t)__builtin_ctzll(bits);
		place = (place / 64 + 1) * 64;
	}
	return k->queue_count;
}

/* --------------------------------------------------------------- flushing */

static void spare(struct kueue *k, uint32_t root)
{
	if (k->roots[root].spared)
		return;
	k->roots[root].spared = true;
	k->spared_roots = mem_grow(k->spared_roots, k->spared_root_count + 1,
				   &k->spared_root_capacity, sizeof(*k->spared_roots));
	k->spared_roots[k->spared_root_count++] = root;
}

void kueue_queue_request_flush(struct kueue *k, uint32_t queue)
{
	uint32_t root = k->tree.nodes[queue].root;
	struct kueue_root *r = &k->roots[root];

	if (r->due != CLOCK_NEVER && (r->armed || !is_past(k, r->due)))
		return;
	r->due = clock_add(k->world->now, k->world->options->requeue_batch);
	r->armed = false;
	if (k->world->options->requeue_batch == 0) {
		k->flush_now = mem_grow(k->flush_now, k->flush_now_count + 1,
					&k->flush_now_capacity, sizeof(*k->flush_now));
		k->flush_now[k->flush_now_count++] = root;
		r->armed = true;
	} else if (r->queue_count > 0 || !k->spares_timers) {
		arm(k, root);
	} else {
		spare(k, root);
	}
}

void kueue_queue_expect_flushes(struct kueue *k)
{
	for (size_t i = 0; i < k->spared_root_count; i++) {
		k->roots[k->spared_roots[i]].spared = false;
		expect_flush(k, k->spared_roots[i]);
	}
	k->spared_root_count = 0;
}

/* Into the plain heap one by one, in job order; Kueue goes by no order at all. */
static void enter_plain(struct kueue *k, uint32_t queue, struct kueue_members *members)
{
	sort_stable(members->jobs, members->count, sizeof(*members->jobs), sort_compare_u32, NULL);
	for (size_t i = 0; i < members->count; i++) {
		struct kueue_job *j = &k->jobs[members->jobs[i]];

		j->child = j->next = j->prev = JOB_NONE;
	}
	for (size_t i = 0; i < members->count; i++)
		activate(k, queue, members->jobs[i]);
	mem_free(members->jobs);
}

static void begin_flush(struct kueue *k, uint32_t queue)
{
	struct kueue_queue *q = &k->queues[queue];

	bound_steps(k, queue);
	if (goes_by_usage(k, queue) && q->parked_count > 0 && !q->deferred && may_defer(k, queue))
		kueue_heap_defer(k, queue);
	if (q->parked_count > 0)
		note_step(k, queue, STEP_BEGIN_FLUSH, 0);
}

static bool lets_in(const struct kueue *k, uint32_t queue, uint32_t local_queue)
{
	return k->simple ? k->lets_in[local_queue] : kueue_namespace_matches(k, queue, local_queue);
}

/* Classes whose namespace the queue does not take stay. */
static bool flush_queue(struct kueue *k, uint32_t queue)
{
	struct kueue_queue *q = &k->queues[queue];
	struct kueue_members plain = {0};
	bool moved = false;

	for (size_t i = 0; i < q->bulk_count; i++)
		k->kins[q->bulk[i]].bulk = false;
	q->bulk_count = 0;
	begin_flush(k, queue);
	for (size_t i = q->parked_count; i-- > 0;) {
		uint32_t class = q->parked[i];
		struct kueue_class *c = &k->classes[class];

		if (!lets_in(k, queue, c->local_queue))
			continue;
		moved = true;
		unlist_parked_class(k, queue, class);
		if (is_plain(k, queue)) {
			kueue_heap_list(k, c->parked, &plain);
			c->parked = JOB_NONE;
			continue;
		}
		note_step(k, queue, STEP_FLUSH, class);
		c->active = meld(k, queue, c->active, c->parked);
		c->parked = JOB_NONE;
		settle_class(k, queue, class);
	}
	enter_plain(k, queue, &plain);
	return moved;
}

bool kueue_queue_flush(struct kueue *k, uint32_t root)
{
	struct kueue_root *r = &k->roots[root];
	size_t kept = 0;
	bool moved = false;

	r->due = CLOCK_NEVER;
	r->armed = false;
	r->flushed = ++k->stamp;
	for (size_t i = 0; i < r->queue_count; i++) {
		uint32_t queue = r->queues[i];

		moved = flush_queue(k, queue) || moved;
		if (k->queues[queue].parked_count > 0)
			r->queues[kept++] = queue;
		else
			k->queues[queue].in_root_list = false;
	}
	r->queue_count = kept;
	return moved;
}

bool kueue_queue_flush_waiting(struct kueue *k)
{
	bool moved = false;

	for (size_t i = 0; i < k->flush_now_count; i++)
		moved = kueue_queue_flush(k, k->flush_now[i]) || moved;
	k->flush_now_count = 0;
	return moved;
}
