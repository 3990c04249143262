/* kueue_hold.h - quota reservations: what they take from the quota tree and the topology, and
 * the order in which searches for victims look at them (rungs).
 */
#ifndef SIM_KUEUE_HOLD_H
#define SIM_KUEUE_HOLD_H

#include "sim/kueue/kueue_state.h"

/* What the job takes with these amounts: an index of usages. */
uint32_t kueue_usage_number(struct kueue *k, uint32_t job, const struct quota_amount *amounts,
			    uint32_t count);
/* A reservation: takes the usage from the queue's quota. */
uint32_t kueue_hold_new(struct kueue *k, uint32_t job, uint32_t queue, uint32_t usage);
/* More places of its pods, which are copied; not taken in the topology yet. */
void kueue_hold_spots(struct kueue *k, uint32_t job, const struct kueue_spot *spots,
		      uint32_t count);
/* Other places instead of those that it has, in the topology as well. */
void kueue_hold_move_spots(struct kueue *k, uint32_t job, const struct kueue_spot *spots,
			   uint32_t count);
/* It was told to stop: from now on it is the first choice of a victim. */
void kueue_hold_evict(struct kueue *k, uint32_t job);
/* News of it: Kueue then replaces it in its cache, which counts as a change of what
 * is free for the memory of flavor scans. */
void kueue_hold_rewritten(struct kueue *k, uint32_t job);
/* Its priority changed: to the rung of the new one. */
void kueue_hold_move(struct kueue *k, uint32_t job);
/* It takes these amounts from now on. No cycle is open. */
void kueue_hold_change(struct kueue *k, uint32_t job, const struct quota_amount *amounts,
		       uint32_t count);
/* Gives the amounts back; does nothing without one. */
void kueue_hold_drop(struct kueue *k, uint32_t job);
/* Puts the reservations into rungs if some queue may find victims, or this one. Where none may
 * they are not ranked; once ranked they stay so. */
void kueue_hold_rank(struct kueue *k);
void kueue_hold_rank_for(struct kueue *k, uint32_t queue);

/* Trial changes; everything after a mark goes with the rollback to it. */
struct kueue_mark kueue_mark(struct kueue *k);
void kueue_rollback(struct kueue *k, struct kueue_mark mark);
/* On the live tree and topology, to be rolled back. */
void kueue_usage_take(struct kueue *k, uint32_t job);
void kueue_usage_return(struct kueue *k, uint32_t job);
/* The same of its places alone. */
void kueue_spots_return(struct kueue *k, uint32_t job);

#endif
