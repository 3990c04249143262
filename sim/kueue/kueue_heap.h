/* kueue_heap.h - the plain heap of a queue with admission fair sharing.
 *
 * What its workloads are ordered by changes under it: a LocalQueue's usage grows
 * with every admission, but Kueue puts the heap in order again only at samples.
 * Between them the head is whatever stands first, so here the layout matters and
 * not only the order: sifting is as in Go's container/heap, which Kueue uses.
 */
#ifndef SIM_KUEUE_HEAP_H
#define SIM_KUEUE_HEAP_H

#include "sim/kueue/kueue_state.h"

/* Is job a to be popped before b, by what holds now? */
typedef bool kueue_heap_before(const struct kueue *k, uint32_t queue, uint32_t a, uint32_t b);

void kueue_heap_push(struct kueue *k, uint32_t queue, uint32_t job, kueue_heap_before *before);
void kueue_heap_remove(struct kueue *k, uint32_t queue, uint32_t job, kueue_heap_before *before);
void kueue_heap_rebuild(struct kueue *k, uint32_t queue, kueue_heap_before *before);
bool kueue_heap_has(const struct kueue *k, uint32_t queue, uint32_t job);

#endif
