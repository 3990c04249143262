/* kueue_objects.h - the versions of objects that are in force, and what they make of queues and
 * cohorts: limits, who is whose parent, who admits (spec 4.2).
 */
#ifndef SIM_KUEUE_OBJECTS_H
#define SIM_KUEUE_OBJECTS_H

#include "sim/kueue/kueue_state.h"

/* Another version of an object comes into force; kueue_objects_apply then. */
void kueue_objects_replace(struct kueue *k, const struct update *update);
/* Is the ClusterQueue active, as the controllers see it now? */
bool kueue_objects_serves(const struct kueue *k, uint32_t queue);
/* Puts the objects in force into tree and queues; usage is kept. */
void kueue_objects_apply(struct kueue *k);

#endif
