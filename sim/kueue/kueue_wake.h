/* kueue_wake.h - what Kueue's topology controllers gather before parked workloads are
 * tried again (pkg/controller/tas: resource_flavor.go, pod_usage_controller.go).
 *
 * A node that comes, goes or changes: a second later, once per flavor that it belongs
 * to, every active ClusterQueue is asked to be flushed. A pod that Kueue does not
 * place leaves its node: every 10 s the queues whose flavors have such a node are.
 * Flushes follow their own second later (spec 3.6, whose table has neither wait and
 * for nodes the concerned queues only). --requeue-batch 0: all of it at once.
 */
#ifndef SIM_KUEUE_WAKE_H
#define SIM_KUEUE_WAKE_H

#include "sim/kueue/kueue_state.h"

void kueue_wake_open(struct kueue *k);
void kueue_wake_close(struct kueue *k);
/* A node is another now; called before and after topologies are made of it anew. */
void kueue_wake_node(struct kueue *k, uint32_t node);
/* Capacity of the node is free that no workload's reservation held. True: flushes are
 * asked for already. */
bool kueue_wake_freed(struct kueue *k, uint32_t node);
/* All active ClusterQueues are asked to be flushed: a flavor with a topology came or
 * changed. */
void kueue_wake_all(struct kueue *k);
/* TIMER_WAKE_FLAVOR and TIMER_WAKE_FREED are due. */
void kueue_wake_flavor_due(struct kueue *k, uint32_t flavor);
void kueue_wake_freed_due(struct kueue *k);

#endif
