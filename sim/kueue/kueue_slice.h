/* kueue_slice.h - elastic jobs by workload slices (Kueue's pkg/workloadslicing, KEP 77).
 *
 * A Job with quota that wants more pods gets a second workload, a new slice, which asks
 * for all of them; what the old slice holds counts as given back to it, and the old one is
 * finished once the new one has its quota. Fewer pods are a change of the workload in place.
 * Here both are one job: its reservation is the old slice, its place in a queue the new one
 * (kueue_replaces). Not followed: slices in flavors with a topology, which keep their
 * size, and checks of a new slice, which count as passed with the old one's.
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
void kueue_slice_make_real(struct kueue *k);

#endif
