/* kube_queue.h - the scheduling queue of kube-scheduler (spec KUBE_SCHEDULER.md 2).
 *
 * Pods wait in one of three places: activeQ (priority, then timestamp), backoffQ
 * (end of the back-off first) and unschedulablePods (until an event or the flush).
 * Every failed attempt counts, renews the timestamp and sets a back-off.
 *
 * Pods that failed one after another with the same priority, at the same time and
 * after equally many attempts differ in nothing but their order. They form a run
 * and are moved together, so the cost of an event is the number of runs, not of
 * pods. Only min(attempts, 5) is kept: the back-off does not grow beyond the
 * fifth. Timestamps are numbers of a counter; those of one run are consecutive and
 * no run's interval overlaps another's, so a run compares by its first pod.
 *
 * Pods carry marks, bits by which the scheduler finds the next pod worth trying.
 */
#ifndef SIM_KUBE_QUEUE_H
#define SIM_KUBE_QUEUE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/clock.h"
#include "sim/kube/kube_line.h"

struct kube_queue; /* owned by the caller: kube_queue_new/kube_queue_free */

/* A pod on its way through an attempt: taken from the queue, to be bound or
 * parked. */
struct kube_ticket {
	uint32_t pod;
	int32_t priority;
	uint32_t attempts; /* failed so far, at most 5 */
};

struct kube_queue *kube_queue_new(uint32_t pod_slots);
/* podInitialBackoffSeconds and podMaxBackoffSeconds; 1 s and 10 s unless given. Both at
 * most a day, before the first pod comes. */
void kube_queue_set_backoff(struct kube_queue *queue, simtime initial, simtime max);
void kube_queue_free(struct kube_queue *queue);

void kube_queue_add(struct kube_queue *queue, simtime now, uint32_t pod, int32_t priority,
		    uint64_t marks);
/* The pod is gone; false if it did not wait. */
bool kube_queue_drop(struct kube_queue *queue, uint32_t pod);

/* Is a pod that was taken still on its way, or the rest of those that differ in nothing from
 * one that was tried? Then to ask for more may move some of them. */
bool kube_queue_passes(const struct kube_queue *queue);
/* Is there no next pod? */
bool kube_queue_idle(struct kube_queue *queue);
/* The next pod: of activeQ, else of backoffQ. False: none. It is out of the queue, unless
 * it is parked again. */
bool kube_queue_pop(struct kube_queue *queue, simtime now, struct kube_ticket *out);
/* Whom kube_queue_fail_unmarked leaves alone, and whom it tells. */
struct kube_queue_hopes {
	struct kube_line_wish wish;
	kube_line_visit *visit; /* with the context of the wish; NULL: nobody is told */
};
/* Fails, without trying, the next pods in order up to one that there is hope for or
 * that has another place in the order than its neighbours; returns how many, 0 if the
 * next pod must be tried (or none waits). The caller must know that each of them would
 * fail by resources and have no nomination. visit is told each of them in this order. */
uint32_t kube_queue_fail_unmarked(struct kube_queue *queue, simtime now,
				  const struct kube_queue_hopes *hopes);
/* An attempt failed. by_fit: NodeResourcesFit rejected it on some node. */
void kube_queue_park(struct kube_queue *queue, simtime now, const struct kube_ticket *ticket,
		     bool by_fit, uint64_t marks);

/* The same, and the pod stands alone, so that kube_queue_retry_pod can find it. */
void kube_queue_park_alone(struct kube_queue *queue, simtime now, const struct kube_ticket *ticket,
			   bool by_fit, uint64_t marks);
/* The pod, if it was parked alone and still is, may be tried again. */
void kube_queue_retry_pod(struct kube_queue *queue, simtime now, uint32_t pod);

/* Events (section 3): what was rejected by NodeResourcesFit, of at most this
 * priority, may be tried again. */
void kube_queue_retry(struct kube_queue *queue, simtime now, int32_t max_priority);
/* The same for each parked pod that the caller picks; stamp and by_fit: of its last
 * failure. */
typedef bool kube_queue_pick(void *context, uint32_t pod, uint64_t stamp, bool by_fit);
void kube_queue_retry_picked(struct kube_queue *queue, simtime now, kube_queue_pick *pick,
			     void *context);

/* Flush (2.5): when it next has something to do, CLOCK_NEVER if nothing is parked;
 * and the flush itself. */
simtime kube_queue_next_flush(struct kube_queue *queue);
void kube_queue_flush(struct kube_queue *queue, simtime now);
/* Until then, with a flush at that time, there is neither an earlier one to ask for nor any to
 * pass over: found out without an exact answer to the two, as mostly it can be. */
bool kube_queue_rests(const struct kube_queue *queue, simtime now, simtime until, simtime flush_at);

/* The next timestamp. */
uint64_t kube_queue_clock(const struct kube_queue *queue);
/* Passes over flushes before until at which all pods would fail as they did the last time;
 * the caller knows that this is so of pods with a timestamp from stamp on. Returns the
 * attempts that these would have been. It does so only where each pod that waits is
 * such a one, has the longest back-off, and failed last at a flush: then each is flushed
 * every 330 s, and after a whole number of these periods all is as it was, later. */
uint64_t kube_queue_pass(struct kube_queue *queue, simtime now, simtime until, uint64_t stamp);

#endif
