/* kueue_life.h - a workload's way through Kueue outside of cycles: it comes,
 * loses its reservation, comes back, ends; and what it is told meanwhile (spec
 * KUEUE.md 3.1, 6.3, 8.5).
 */
#ifndef SIM_KUEUE_LIFE_H
#define SIM_KUEUE_LIFE_H

#include "sim/kueue/kueue_state.h"

/* Does somebody hold the workload back (kueue.x-k8s.io/admission-gated-by)? */
bool kueue_life_gated(const struct kueue *k, uint32_t job);
/* No more. */
void kueue_life_ungate(struct kueue *k, uint32_t job);

/* Finds out whether the run is simple (kueue_is_simple), and which LocalQueues take workloads then.
 * Ended by kueue_setup_free. */
void kueue_life_open(struct kueue *k);
void kueue_life_submitted(struct kueue *k, uint32_t job);
/* The WorkloadPriorityClass it lacked is there now: its workload is made when the
 * job's controller tries again, which TIMER_FILE tells. */
void kueue_life_retry_filing(struct kueue *k, uint32_t job);
void kueue_life_file(struct kueue *k, uint32_t job);
void kueue_life_finished(struct kueue *k, uint32_t job);
/* Its eviction is over: quota is free, and it waits again unless its queue is
 * stopped or it was deactivated. */
void kueue_life_released(struct kueue *k, uint32_t job);

/* It was told to stop. Its pods end in their time, after which it is back; its quota may be
 * free before. */
void kueue_life_stopping(struct kueue *k, uint32_t job);
/* Tells a holder of a reservation to stop. detail is that of the Evicted row,
 * message what the workload is told. Does nothing if it is on its way out. */
void kueue_life_evict(struct kueue *k, uint32_t job, enum kueue_cause cause, const char *detail,
		      const char *message);

/* A reservation that is not admitted yet is taken back; it waits again at once. */
void kueue_life_unreserve(struct kueue *k, uint32_t job, enum kueue_why why, const char *message);

/* Out for good: its quota is free at once, its pods end like those of an eviction.
 * One that is on its way out already just does not come back. due_to: what the
 * workload is told, after "The workload is deactivated due to "; NULL: it was its user. */
void kueue_life_deactivate(struct kueue *k, uint32_t job, const char *detail, const char *due_to);
/* Likewise, and with a variant all of its job. */
void kueue_life_give_up(struct kueue *k, uint32_t job, const char *detail, const char *due_to);
/* spec.active becomes false by somebody's hand, and true again. */
void kueue_life_switch_off(struct kueue *k, uint32_t job);
void kueue_life_switch_on(struct kueue *k, uint32_t job);
/* What waits in the tree of the workload's queue may fit now. A stopped LocalQueue is unknown
 * to Kueue's queues, so its workloads flush nothing. */
void kueue_life_flush_for(struct kueue *k, uint32_t job);
/* Cancelled by its user. */
void kueue_life_deleted(struct kueue *k, uint32_t job);
/* base * 2^(n - 1), n >= 1; from the second on at most the maximum. */
simtime kueue_life_back_off(simtime base, simtime most, uint32_t n);
/* It has a new reservation: how its queue's checks changed before does not concern it. */
void kueue_life_forget_checks(struct kueue *k, uint32_t job);
/* The head of a cycle gets its reservation. */
void kueue_life_reserved(struct kueue *k, uint32_t job, uint32_t queue, uint32_t usage);
/* The same, after kueue_queue_take. */
void kueue_life_took(struct kueue *k, uint32_t job, uint32_t queue, uint32_t usage);
/* The cycle is over: what was given back while it waited is dropped. */
void kueue_life_settle(struct kueue *k);

/* Into its queue, if it has one that takes workloads. */
void kueue_life_enqueue(struct kueue *k, uint32_t job);
/* What keeps a workload out of its queue, whatever its requests; NULL: nothing.
 * The text is valid until the next message. */
const char *kueue_life_blocker(struct kueue *k, uint32_t job, enum kueue_why *why);
/* What Kueue's workload controller says of one that waits. */
void kueue_life_refresh(struct kueue *k, uint32_t job);
/* Does it wait, that is, was it submitted and holds nothing? */
bool kueue_life_waits(const struct kueue *k, uint32_t job);

#endif
