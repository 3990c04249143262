/* kueue_account.h - what Kueue has in hand as a run ends: its queues, its quota
 * tree and its own counters, for the metrics of spec KUEUE.md section 10.
 */
#ifndef SIM_KUEUE_ACCOUNT_H
#define SIM_KUEUE_ACCOUNT_H

#include "sim/kueue/kueue_state.h"

/* Leaves journal.account; self is a struct kueue. */
void kueue_account(const void *self, struct journal *journal);

#endif
