/* kueue_preempt.h - whom to evict so that a workload fits.
 *
 * Classical preemption (spec KUEUE.md 4.5); hands over to kueue_fair.h where
 * fair sharing is configured. Everything is tried on the live tree and rolled
 * back.
 */
#ifndef SIM_KUEUE_PREEMPT_H
#define SIM_KUEUE_PREEMPT_H

#include "sim/kueue/kueue_victim.h"

/* Fills k->targets, in Kueue's order; false: nobody's eviction would help. */
bool kueue_preempt_search(struct kueue *k, const struct kueue_search *search);

/* What preemption could do for an amount of one column alone; *level gets the
 * borrowing level after it. */
enum kueue_fit kueue_preempt_possible(struct kueue *k, uint32_t job, uint32_t queue,
				      uint32_t column, int64_t amount, uint32_t *level);

#endif
