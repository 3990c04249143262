/* kueue_second.h - the second pass: a holder of a reservation whose nodes were asked
 * for first gets its topology domains in a later cycle, and one of whose nodes failed
 * others in place of it (spec KUEUE.md 3.7).
 *
 * It is due 1 s after its checks are ready or its node failed; a pass that fails comes again after 2 s,
 * 4 s, ... and at most 30 s (Kueue's pkg/cache/queue, second_pass_queue.go).
 */
#ifndef SIM_KUEUE_SECOND_H
#define SIM_KUEUE_SECOND_H

#include "sim/kueue/kueue_state.h"

/* It needs a pass: the next one in time, unless it waits for one already. */
void kueue_second_wait(struct kueue *k, uint32_t job);
/* The time has come: it is a head of the next cycle, unless it was evicted. */
void kueue_second_due(struct kueue *k, uint32_t job);
/* The next one that is due and still needs its pass; JOB_NONE: none. */
uint32_t kueue_second_pop(struct kueue *k);
/* The pass failed: says so, with the message (NULL unless the journal is full). */
void kueue_second_failed(struct kueue *k, uint32_t job, const char *message);

#endif
