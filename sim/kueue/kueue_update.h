/* kueue_update.h - objects that change while the run goes on (spec KUEUE.md 3.6,
 * 6.3, 8.2): queues made, stopped, drained, restarted, resized and deleted, cohorts,
 * flavors, topologies, checks, priorities and namespaces.
 *
 * Deletion (Kueue's controllers in pkg/controller/core): a LocalQueue and a Cohort go
 * at once; a ClusterQueue is inactive until its last reservation is given back, and
 * goes then; a ResourceFlavor or AdmissionCheck when no ClusterQueue names it, a
 * Topology when no flavor does. Nothing else notices before.
 */
#ifndef SIM_KUEUE_UPDATE_H
#define SIM_KUEUE_UPDATE_H

#include "sim/kueue/kueue_state.h"

void kueue_update(struct kueue *k, const struct update *update);
/* Of an update that comes while a cycle waits for pods: what does not wait for its end, which are
 * LocalQueues and what follows from another version of a ClusterQueue for its workloads. The
 * rest of it comes then. */
void kueue_update_ahead(struct kueue *k, const struct update *update);
void kueue_update_behind(struct kueue *k, const struct update *update);
/* The version of its queue that the workload's checks are of, where that is not the one in
 * force; NULL. */
struct kueue_stale_checks *kueue_update_stale(const struct kueue *k, uint32_t job);
/* What a holder of quota suffers while its queue is stopped, or going (spec 8.2): drained, who
 * was admitted is evicted; who was not loses his reservation at once, an eviction from it
 * included. Kueue does not look before the back-off of a check is over. */
void kueue_update_reconcile(struct kueue *k, uint32_t job);
/* Objects on their way out go once nothing holds them (Kueue does so a second later).
 * Not while a cycle is open. */
void kueue_update_settle(struct kueue *k);
static inline bool kueue_update_pending(const struct kueue *k)
{
	return k->ending_count > 0 || k->doomed_count > 0;
}
/* A node came, went or changed: topologies made of it are built anew. */
void kueue_update_node(struct kueue *k, uint32_t node);
/* A pod was bound to a node (pods 1) or left it (-1). True: others are to be tried now. */
bool kueue_update_pod(struct kueue *k, uint32_t pod, uint32_t node, int pods);

#endif
