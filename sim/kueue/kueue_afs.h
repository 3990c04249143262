/* kueue_afs.h - admission fair sharing: in queues that ask for it, workloads of
 * the LocalQueue that used least come first (spec KUEUE.md 8.6).
 *
 * A LocalQueue's usage decays with a half-life. Kueue samples it an interval after
 * it was last updated, by a sample or by an admission; here the samples that are due
 * are taken when somebody looks, or before what they would have seen changes.
 */
#ifndef SIM_KUEUE_AFS_H
#define SIM_KUEUE_AFS_H

#include "sim/kueue/kueue_state.h"

void kueue_afs_open(struct kueue *k);
void kueue_afs_close(struct kueue *k);
/* Does it order the workloads of this queue? */
bool kueue_afs_applies(const struct kueue *k, uint32_t queue);
/* Before a cycle: takes all samples due, this instant's included, and puts heaps
 * in order. */
void kueue_afs_sample(struct kueue *k);
/* Objects changed: queues, LocalQueues. */
void kueue_afs_renew(struct kueue *k);
/* The job got its reservation, was admitted, gave the reservation back, never will be
 * admitted. Who is evicted before it was admitted stays charged: it comes back. */
void kueue_afs_reserved(struct kueue *k, uint32_t job);
void kueue_afs_admitted(struct kueue *k, uint32_t job);
void kueue_afs_left(struct kueue *k, uint32_t job);
void kueue_afs_forget(struct kueue *k, uint32_t job);
/* What an admitted job uses changes: -1 before, 1 after. */
void kueue_afs_change(struct kueue *k, uint32_t job, int sign);

#endif
