/* kueue_slice.h - elastic jobs by workload slices (Kueue's pkg/workloadslicing, KEP 77).
 *
 * A Job with quota that wants more pods gets a second workload, a new slice, which asks
 * for all of them; what the old slice holds counts as given back to it, and the old one is
 * finished once the new one has its quota, though that may have to wait for admission checks
 * of its own: pods that run go on then, and more come once it is admitted. Fewer pods are a
 * change of the workload in place. Here both are one job: its reservation is the old slice, its
 * place in a queue the new one (kueue_replaces).
 *
 * Not followed: a slice that waits for its checks as its queue is stopped keeps its quota (in
 * Kueue it loses that, and its pods run on without).
 */
#ifndef SIM_KUEUE_SLICE_H
#define SIM_KUEUE_SLICE_H

#include "sim/kueue/kueue_state.h"

/* Its parallelism is another (world_job(&world, )->parallelism), or it is admitted only now. */
void kueue_slice_resized(struct kueue *k, uint32_t job);
/* Is it? It is looked at once what is decided now is done. */
void kueue_slice_look(struct kueue *k, uint32_t job);
/* A node of the old slice failed: the new one waits until that is mended. */
void kueue_slice_call_off(struct kueue *k, uint32_t job);
/* A cycle that waited is over: what changed meanwhile takes effect. */
void kueue_slice_settle(struct kueue *k);

/* The cycle gives the new slice its quota; it is real once the cycle is over. */
void kueue_slice_admitted(struct kueue *k, uint32_t job);
/* The same. It is another workload, which has its quota: nothing that befell the old one counts
 * for it, nor has it been admitted. */
void kueue_slice_renew(struct kueue *k, uint32_t job);

#endif
