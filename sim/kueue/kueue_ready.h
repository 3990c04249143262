/* kueue_ready.h - pods that are not ready in time, execution that takes too long
 * (spec KUEUE.md 8.1, 8.3).
 */
#ifndef SIM_KUEUE_READY_H
#define SIM_KUEUE_READY_H

#include "sim/kueue/kueue_state.h"

/* The workload is Admitted from now on. Time for pods and execution runs from now on, too; for
 * a variant only once its job is admitted by it. */
void kueue_ready_admitted(struct kueue *k, uint32_t job);
/* The time runs: of a variant, again each time its job is admitted by it. */
void kueue_ready_start(struct kueue *k, uint32_t job);
void kueue_ready_pods(struct kueue *k, uint32_t job);
void kueue_ready_lost(struct kueue *k, uint32_t job);
/* Ends who was admitted meanwhile with no execution time left.
 * Sets the timers of those admitted meanwhile whose pods are not ready at once. Those whose
 * pods are by the end of the instant, which kueue_ready_settle tells, need none: it would
 * find nothing, as there is another timer for everything that may befall them later. */
void kueue_ready_watch_all(struct kueue *k);
static inline void kueue_ready_watch(struct kueue *k)
{
	if (k->fresh_count > k->fresh_watched || k->spent_count > 0)
		kueue_ready_watch_all(k);
}
void kueue_ready_settle(struct kueue *k);
/* The job that was the last to start was admitted by a reconcile of Kueue's workload controller,
 * as those with checks are. That asks for another at the timeout before there are pods. */
void kueue_ready_reconciled(struct kueue *k, uint32_t job);
/* Sets those that were spared. */
void kueue_ready_expect(struct kueue *k);
/* Kueue's workload controller looks at what may be due now. */
void kueue_ready_reconcile(struct kueue *k, uint32_t job);
/* blockAdmission: does a workload with quota have pods that are not ready? */
bool kueue_ready_blocks(const struct kueue *k);

#endif
