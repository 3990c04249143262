/* kueue_queue.h - where waiting workloads wait: heap, parking, in flight.
 *
 * Per ClusterQueue as in spec KUEUE.md section 3, except that workloads are
 * kept by class (same requests, priority and LocalQueue): each class is a heap
 * of its active and one of its parked members, and moving one wholly into the
 * other is a single step. Parking an equivalence class in bulk, and a flush,
 * so cost per class and not per workload.
 */
#ifndef SIM_KUEUE_QUEUE_H
#define SIM_KUEUE_QUEUE_H

#include "sim/kueue/kueue_state.h"

/* A workload (re-)enters its queue: heap, or parking while its equivalence
 * class is parked in bulk. It must be nowhere. */
void kueue_queue_push(struct kueue *k, uint32_t job);
/* Into the heap in any case (its LocalQueue came back). */
void kueue_queue_push_active(struct kueue *k, uint32_t job);
/* Parked until its back-off is over; no flush moves it. */
void kueue_queue_hold_back(struct kueue *k, uint32_t job);
/* Out of the queue, wherever it is; also forgets that it is the preemptor. */
void kueue_queue_remove(struct kueue *k, uint32_t job);

/* The head, which stays where it is; JOB_NONE. */
uint32_t kueue_queue_head(const struct kueue *k, uint32_t queue);
/* The head, now in flight; JOB_NONE. */
uint32_t kueue_queue_pop(struct kueue *k, uint32_t queue);
/* The head leaves for good, as popped and removed: it gets its reservation. */
void kueue_queue_take(struct kueue *k, uint32_t queue);
/* After the cycle. True: it is back in the heap. why is what the workload is told,
 * and with it those that are parked because they are equivalent. */
bool kueue_queue_requeue(struct kueue *k, uint32_t job, enum kueue_requeue reason,
			 enum kueue_why why);
/* Pop and requeue of the head at once, of a queue in best-effort order: for REQUEUE_NO_FIT or
 * REQUEUE_NO_CANDIDATES, and for what leaves it where it was. */
void kueue_queue_refuse(struct kueue *k, uint32_t queue, uint32_t job);
void kueue_queue_return(struct kueue *k, uint32_t queue);
/* Is it in the heap, not parked? */
bool kueue_queue_is_in_heap(const struct kueue *k, uint32_t job);
/* Parked because an equivalent workload did not fit? */
bool kueue_queue_is_bypassed(const struct kueue *k, uint32_t job);
/* First queue in name order, from a place in that order on, that is active and
 * has a head; queue_count if there is none. Takes and gives places. */
uint32_t kueue_queue_next_ready(const struct kueue *k, uint32_t place);

/* Asks for a flush of the queue's whole tree, at now + --requeue-batch.
 *
 * While nothing of the tree is parked its timer waits for somebody to be: a flush only
 * moves what is parked, lifts what keeps newcomers parked, and counts against heads that a
 * cycle left in flight. The first two are on the root's list, and whoever enters that sets
 * the timer. Heads stay in flight where admission waits for pods, and lists change with
 * updates of objects: there no timer is spared (policy_kueue.c). What else happens at an
 * instant has timers of its own, but for cycles of heads that did not fit and stayed
 * where they were: while there are any, timers are set. Samples of LocalQueues' usage are
 * taken by their times, whoever asks when; heaps that they put in order have heads. */
void kueue_queue_request_flush(struct kueue *k, uint32_t queue);
/* Sets the timers that were spared and whose time is still to come. */
void kueue_queue_expect_flushes(struct kueue *k);
/* The flush of a root; true if anything moved to a heap. */
bool kueue_queue_flush(struct kueue *k, uint32_t root);
/* Runs the flushes that wait for no time (batch 0); true if anything moved. */
bool kueue_queue_flush_waiting(struct kueue *k);

/* What a queue with admission fair sharing orders its workloads by is about to change, for some
 * that may wait: the usage of a LocalQueue, an object, who comes first. */
void kueue_queue_lay_out(struct kueue *k, uint32_t queue);
/* The waiting workload's status changed: Kueue then sifts it again, if it is in the heap
 * (ClusterQueue.PushOrUpdate). Of one that is in order nothing moves. */
void kueue_queue_renew(struct kueue *k, uint32_t job);
/* Puts the heap of a queue with admission fair sharing in order again. */
void kueue_queue_reorder(struct kueue *k, uint32_t queue);

#endif
