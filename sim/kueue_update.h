/* kueue_update.h - objects that change while the run goes on (spec KUEUE.md 3.6,
 * 6.3, 8.2): queues stopped, drained, restarted and resized, cohorts, flavors,
 * priorities and namespaces.
 */
#ifndef SIM_KUEUE_UPDATE_H
#define SIM_KUEUE_UPDATE_H

#include "sim/kueue_state.h"

void kueue_update(struct kueue *k, const struct update *update);
/* A node came, went or changed: topologies made of it are built anew. */
void kueue_update_node(struct kueue *k, uint32_t node);
/* A pod was bound to a node (pods 1) or left it (-1). True: others may fit now. */
bool kueue_update_pod(struct kueue *k, uint32_t pod, uint32_t node, int pods);

#endif
