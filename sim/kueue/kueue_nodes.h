/* kueue_nodes.h - nodes that fail under admitted workloads (spec KUEUE.md 7.10).
 *
 * As Kueue's node controller (pkg/controller/tas/node_controller.go): a node that is
 * not ready, or has a taint that the workload does not tolerate for ever, is lost to
 * it once none of its pods there is left running; without the feature gate
 * TASReplaceNodeOnPodTermination at once, 30 s after it stopped being ready. The
 * workload then gets a second pass; a second node evicts it. Only where the lowest
 * level of the topology is the host name.
 */
#ifndef SIM_KUEUE_NODES_H
#define SIM_KUEUE_NODES_H

#include "sim/kueue/kueue_state.h"

void kueue_nodes_open(struct kueue *k);
/* The node is another now. */
void kueue_nodes_changed(struct kueue *k, uint32_t node);
/* A pod ended on the node, or was told to: looked at 100 ms later. */
void kueue_nodes_pod(struct kueue *k, uint32_t pod, uint32_t node);
/* The time of TIMER_NODE has come. False: nothing comes of it. */
bool kueue_nodes_due(struct kueue *k, uint32_t node);

#endif
