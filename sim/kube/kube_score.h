/* kube_score.h - how good a node is for a pod (spec KUBE_SCHEDULER.md 4.4).
 *
 * NodeResourcesFit (LeastAllocated unless the profile or --strategy says otherwise; v1.34,
 * plugins/noderesources) in integers and NodeResourcesBalancedAllocation in doubles, as
 * kube-scheduler computes them, each 0..100 times its weight (1 unless the profile says
 * otherwise). What depends on the other nodes is added by the scheduler.
 */
#ifndef SIM_KUBE_SCORE_H
#define SIM_KUBE_SCORE_H

#include "sim/scenario/profile.h"
#include "sim/world/world.h"

struct kube_score { /* of a profile */
	const struct node_strategy *strategy;
	uint32_t resources[OPTIONS_WEIGHT_MAX];
	int64_t weights[OPTIONS_WEIGHT_MAX];
	uint32_t count;
	uint32_t balanced[OPTIONS_WEIGHT_MAX]; /* resources */
	uint32_t balanced_count;
	int32_t fit_weight, balanced_weight;
};

/* Resources that nothing in the scenario names are left out. */
void kube_score_init(struct kube_score *score, const struct world *world, uint32_t profile);
/* Is that sum the same whatever runs on the node? */
bool kube_score_fixed(const struct kube_score *score, const struct node *node,
		      const struct pod_shape *shape);
/* The weighted sum of both scores for one more pod of the shape on the node. */
int kube_score_node(const struct kube_score *score, const struct cluster_usage *usage,
		    uint32_t node, const struct pod_shape *shape);

#endif
