/* kueue_class.h - which workloads are alike: in what they ask for (form), in queue and
 * priority (kin, Kueue's equivalence class), and in LocalQueue (class).
 *
 * So what is found for one of them need not be worked out for the next. All are made when a
 * run is set up, but for those that a change of a priority or of a pod count brings.
 */
#ifndef SIM_KUEUE_CLASS_H
#define SIM_KUEUE_CLASS_H

#include "sim/kueue/kueue_state.h"

/* k->jobs, and the classes of the jobs; those without a ClusterQueue have none. */
void kueue_class_init(struct kueue *k);
/* A workload to which nothing has happened. */
const struct kueue_job *kueue_class_blank(void);
/* New classes of workloads like these, each for one of the flavors: the first, the others
 * follow it. They are not made yet. */
uint32_t kueue_class_flavored(struct kueue *k, uint32_t class, const uint32_t *flavors,
			      uint32_t count);
/* What the workload is ordered and preempted by, where this is its own priority: with
 * its boost (saturated: Kueue has 64 bits for the sum). */
int32_t kueue_class_priority(const struct kueue *k, uint32_t job, int32_t priority);
/* The class of workloads like this one at another priority, made if need be. */
uint32_t kueue_class_with_priority(struct kueue *k, uint32_t class, int32_t priority);

/* The class of workloads like these that may have this flavor alone, made if need be. */
uint32_t kueue_class_with_flavor(struct kueue *k, uint32_t class, uint32_t flavor);

/* From now on it asks for so many pods in this set; it waits in no queue. */
void kueue_class_shrink(struct kueue *k, uint32_t job, uint32_t set, uint32_t pods);

#endif
