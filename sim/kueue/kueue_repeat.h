/* kueue_repeat.h - cycles that would end as the one before, which are not run again.
 *
 * A workload that waits for its victims to leave, or for others before it, stays at the head
 * of its queue, and Kueue nominates it in every cycle that anything else sets off.
 * kueue_repeat.c says when such a cycle changes nothing. Configuration.searches_anew turns it
 * off, and tests/prop/systems.c compares whole runs with and without it.
 */
#ifndef SIM_KUEUE_REPEAT_H
#define SIM_KUEUE_REPEAT_H

#include "sim/kueue/kueue_state.h"

void kueue_repeat_open(struct kueue *k); /* nothing, if the configuration says so */
void kueue_repeat_close(struct kueue *k);
/* The heads of a cycle follow, none of which is popped yet. */
void kueue_repeat_begin(struct kueue *k);
void kueue_repeat_add(struct kueue *k, uint32_t queue, uint32_t job);
/* All were added. True: the cycle has ended, all of them stay where they are. */
bool kueue_repeat_holds(struct kueue *k);
/* The cycle with these heads has ended. */
void kueue_repeat_end(struct kueue *k);

#endif
