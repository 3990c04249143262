/* kueue_refuse.h - heads that a cycle is sure to refuse, parked without being nominated.
 *
 * A flush wakes all that is parked, and most of it parks again: nothing it could get
 * became free. Kueue nominates each. kueue_refuse.c says when the end is known before and
 * why nothing else can tell the difference; Configuration.searches_anew turns it off, and
 * tests/prop/systems.c compares whole runs with and without it.
 */
#ifndef SIM_KUEUE_REFUSE_H
#define SIM_KUEUE_REFUSE_H

#include "sim/kueue/kueue_state.h"

void kueue_refuse_close(struct kueue *k);
/* The only head that there is: of the queue, which is this job, while no cycle is open. True:
 * it was popped, refused and parked, and with it those that are equivalent. */
bool kueue_refuse(struct kueue *k, uint32_t queue, uint32_t job);
/* The same for those of k->heads, none popped yet, that may go unseen by the others: they
 * leave the list, and k->refused_count is their number. */
void kueue_refuse_heads(struct kueue *k);
/* Is the queue's head in this cycle, which takes part, sure to be refused? To be asked while
 * heads are nominated. */
bool kueue_refuse_foresaw(const struct kueue *k, uint32_t queue);

/* With topologies: may the queue's head, which takes part, go without a nomination? */
bool kueue_refuse_spares(const struct kueue *k, uint32_t queue);
/* Instead of that. At which level it would borrow, by which heads are ordered. */
uint32_t kueue_refuse_level(struct kueue *k, uint32_t queue, uint32_t job);
/* In its turn: is it refused whatever was claimed before it? */
bool kueue_refuse_stands(struct kueue *k, uint32_t queue, uint32_t job);

#endif
