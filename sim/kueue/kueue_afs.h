/* kueue_afs.h - admission fair sharing: in queues that ask for it, workloads of
 * the LocalQueue that used least come first (spec KUEUE.md 8.6).
 *
 * A LocalQueue's usage decays with a half-life. Kueue samples it an interval after it was
 * last updated, by a sample or by an admission, and then puts the heap of its queue in order;
 * between these the heap may be out of order, and who comes next hangs on its layout. So
 * samples are taken in the order of their times, before anything moves in a heap
 * (pkg/controller/core/localqueue_controller.go, pkg/cache/queue/cluster_queue.go).
 */
#ifndef SIM_KUEUE_AFS_H
#define SIM_KUEUE_AFS_H

#include "sim/kueue/kueue_state.h"

void kueue_afs_open(struct kueue *k);
void kueue_afs_close(struct kueue *k);
/* Does it order the workloads of this queue? */
bool kueue_afs_applies(const struct kueue *k, uint32_t queue);
/* Takes the samples due before this instant, or with those of this instant: which come
 * behind its ends, timeouts and answers, and before its updates and arrivals. */
void kueue_afs_pass(struct kueue *k, bool now);
/* A cycle begins and will pop its heads. */
void kueue_afs_begin(struct kueue *k);
/* Objects are going to change, and did: queues, LocalQueues. */
void kueue_afs_prepare(struct kueue *k);
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
