/* kueue_reclaim.h - quota that a running workload gives back: pods that are done and
 * that nothing will follow (spec KUEUE.md 8.9, section 0).
 *
 * Only the first pod set can say so, the only one that a batch Job has.
 */
#ifndef SIM_KUEUE_RECLAIM_H
#define SIM_KUEUE_RECLAIM_H

#include "sim/kueue/kueue_state.h"

/* So many pods of the job's first set, in all, are not needed any more. Its usage
 * shrinks at once, and others that wait for it are flushed. Of one that waits itself,
 * fewer pods are asked for from then on. */
void kueue_reclaim(struct kueue *k, uint32_t job, uint32_t pods);
/* A cycle that waited is over: what was reclaimed meanwhile takes effect. */
void kueue_reclaim_settle(struct kueue *k);

#endif
