/* kueue_heap.h - the plain heap of a queue with admission fair sharing.
 *
 * What its workloads are ordered by changes under it: a LocalQueue's usage grows
 * with every admission, but Kueue puts the heap in order again only at samples.
 * Between them the head is whatever stands first, so here the layout matters and
 * not only the order: sifting is as in Go's container/heap, which Kueue uses.
 *
 * Until it changes, though, the order is all that can be told of a heap, and most of what a
 * flush wakes is parked again by then. So a heap that was empty is not laid out at first:
 * its workloads stand in the classes of the queue (kueue_queue.c), where they move by class,
 * and what happens is noted. When the order is about to change, the notes are done again on
 * the plain heap, by the order that held so far; once nobody is left they are forgotten.
 * Who left meanwhile may have another class or come at another time by then: notes tell what
 * he had.
 * Configuration.searches_anew lays every heap out.
 */
#ifndef SIM_KUEUE_HEAP_H
#define SIM_KUEUE_HEAP_H

#include "sim/kueue/kueue_state.h"

/* Is job a to be popped before b, by what holds now? */
typedef bool kueue_heap_before(const struct kueue *k, uint32_t queue, uint32_t a, uint32_t b);

void kueue_heap_push(struct kueue *k, uint32_t queue, uint32_t job, kueue_heap_before *before);
void kueue_heap_remove(struct kueue *k, uint32_t queue, uint32_t job, kueue_heap_before *before);
/* Sifts a member of the heap from where it stands. */
void kueue_heap_fix(struct kueue *k, uint32_t queue, uint32_t job, kueue_heap_before *before);
void kueue_heap_rebuild(struct kueue *k, uint32_t queue, kueue_heap_before *before);
bool kueue_heap_has(const struct kueue *k, uint32_t queue, uint32_t job);
/* Jobs. */
struct kueue_members {
	uint32_t *jobs; /* owned */
	size_t count, capacity;
};
/* Removes the members of a kin, each time the last of the layout; their list, which the caller
 * frees. Of those in a heap that stands for another places are not kept. */
struct kueue_members kueue_heap_take_kin(struct kueue *k, uint32_t queue, uint32_t kin,
					 kueue_heap_before *before);

/* Adds all of the heap of a class with that root, in no order. */
void kueue_heap_list(const struct kueue *k, uint32_t root, struct kueue_members *members);

/* ---- heaps that are not laid out ---- */

enum kueue_step_kind {
	STEP_BEGIN_FLUSH, /* of the classes that follow: all who enter do so in job order */
	STEP_FLUSH,	  /* class: all its parked members enter */
	STEP_PUSH,	  /* job */
	STEP_POP,	  /* job */
	STEP_PARK,	  /* job, which was not there: it stands among the parked members now */
	STEP_PARK_KIN,	  /* kin: all its members leave */
	STEP_STICK, /* job, or JOB_NONE: comes first from now on; nobody who waits is another */
};
struct kueue_step {
	enum kueue_step_kind kind;
	uint32_t index;
	uint32_t class; /* of a job, as it was then */
	simtime order;
};

/* From now on, while the queue has no heap of either kind. */
void kueue_heap_defer(struct kueue *k, uint32_t queue);
/* Of a queue whose heap is deferred. */
void kueue_heap_note(struct kueue *k, uint32_t queue, enum kueue_step_kind kind, uint32_t index);
/* Lays the heap out; the classes have no active members then. */
void kueue_heap_lay_out(struct kueue *k, uint32_t queue, kueue_heap_before *before);

#endif
