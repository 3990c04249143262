/* kueue_spot.h - the topology side of assignments and reservations: where the pods
 * of a workload would be, and are (spec KUEUE.md 4.4.4, 7).
 */
#ifndef SIM_KUEUE_SPOT_H
#define SIM_KUEUE_SPOT_H

#include "sim/kueue/kueue_flavor.h"

void kueue_spot_open(struct kueue *k);
void kueue_spot_close(struct kueue *k);
/* Flavors or topologies changed: builds every tree anew, once no cycle is open. */
void kueue_spot_rebuild(struct kueue *k);
/* A node changed: the same for the trees that it was in, or may be in now. */
void kueue_spot_node(struct kueue *k, uint32_t node);
/* A pod was bound to a node (pods 1) or left it (-1). Those that a topology counts
 * by their reservation change nothing. True: others may now go there. */
bool kueue_spot_pod(struct kueue *k, uint32_t pod, uint32_t node, int pods);
/* Is the node one of the flavor's topology? It may be unusable now. */
bool kueue_spot_belongs(const struct kueue *k, uint32_t flavor, uint32_t node);
/* Has the queue a flavor that it belongs to? */
bool kueue_spot_concerns(const struct kueue *k, uint32_t queue, uint32_t node);

/* A job that holds places keeps them, but for those on a node that failed: what is
 * asked for and found below are others in place of these (spec 7.10), and domains of
 * pod sets that have none yet. */

/* A cycle begins (kueue_tas_begin). */
void kueue_spot_begin(struct kueue *k);
/* The topology step of an assignment: sets its spots, or its mode and reasons. k->tas_count: so
 * many sets ask for places; 0: none does. */
void kueue_spot_assign(struct kueue *k, uint32_t job, struct kueue_assignment *a);
/* Have the pods of a job with one pod set, on this flavor alone, no places as things are? False
 * also where that holds for this job only. */
bool kueue_spot_is_refused(struct kueue *k, uint32_t job, uint32_t flavor);
/* Spots for an assignment that needs preemption, to keep from those after it: as
 * things are, or in an empty cluster. */
void kueue_spot_set_aside(struct kueue *k, uint32_t job, struct kueue_assignment *a, bool empty);
/* Could all sets be placed as things are? Those of the last assignment, as often as one likes
 * until the next one or one is set aside. */
bool kueue_spot_fits(struct kueue *k);
/* Is there room for the very spots of the assignment, beside those that the job has? */
bool kueue_spot_free(const struct kueue *k, uint32_t job, const struct kueue_assignment *a);
/* The assignment's pods are there from now on, to be rolled back; where the job has
 * more of them they stay. */
void kueue_spot_suppose(struct kueue *k, uint32_t job, const struct kueue_assignment *a);

#endif
