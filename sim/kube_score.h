/* kube_score.h - how good a node is for a pod (spec KUBE_SCHEDULER.md 4.4).
 *
 * NodeResourcesFit (LeastAllocated unless --strategy says otherwise; v1.34,
 * plugins/noderesources) in integers
 * and NodeResourcesBalancedAllocation in doubles, as kube-scheduler computes
 * them, each 0..100 with weight 1. Preferred taints depend on the other nodes and
 * are added by the scheduler.
 */
#ifndef SIM_KUBE_SCORE_H
#define SIM_KUBE_SCORE_H

#include "sim/world.h"

#define KUBE_SCORE_MAX	  200
#define KUBE_SCORE_TAINTS 3 /* weight of TaintToleration, whose score is 0..100 */

struct kube_score {
	uint32_t resources[8];
	int64_t weights[8];
	uint32_t count;
	bool most;			 /* MostAllocated, else LeastAllocated */
	const struct run_options *shape; /* RequestedToCapacityRatio; NULL */
};

/* Reads --strategy; resources that nothing in the scenario names are left out. */
void kube_score_init(struct kube_score *score, const struct world *world);
/* The sum of both scores for one more pod of the shape on the node. */
int kube_score_node(const struct kube_score *score, const struct cluster_usage *usage,
		    uint32_t node, const struct pod_shape *shape);

#endif
