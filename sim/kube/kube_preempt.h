/* kube_preempt.h - who has to go so that a pod can come (spec KUBE_SCHEDULER.md 5).
 *
 * Keeps, for every node, its pods in the order in which kube-scheduler's cache
 * lists them (a pod that leaves is replaced by the last one; an updated one moves
 * to the end), because that order decides between equals. Where all pods of the
 * scenario have one priority nobody can be preempted and nothing is kept.
 */
#ifndef SIM_KUBE_PREEMPT_H
#define SIM_KUBE_PREEMPT_H

#include "core/rng.h"
#include "sim/kube/kube_budget.h"
#include "sim/kube/kube_filter.h"
#include "sim/kube/kube_message.h"

struct kube_preempt; /* owned by the caller: kube_preempt_new/kube_preempt_free */

struct kube_preempt *kube_preempt_new(const struct world *world);
void kube_preempt_free(struct kube_preempt *preempt);

void kube_preempt_bound(struct kube_preempt *preempt, uint32_t pod, uint32_t node);
void kube_preempt_updated(struct kube_preempt *preempt, uint32_t pod);
void kube_preempt_gone(struct kube_preempt *preempt, uint32_t pod, uint32_t node);

/* Is a pod of lower priority bound anywhere? */
bool kube_preempt_any_below(const struct kube_preempt *preempt, int32_t priority);
/* The pod was told to stop to make room for another (condition DisruptionTarget, reason
 * PreemptionByScheduler). */
void kube_preempt_evicted(struct kube_preempt *preempt, uint32_t pod);
/* Does one of lower priority run on the node that was? (5.1) */
bool kube_preempt_leaving_below(const struct kube_preempt *preempt, uint32_t node,
				int32_t priority);
/* Would the shape fit if every pod of lower priority were gone from the node?
 * Nominations are not counted. */
bool kube_preempt_room(struct kube_preempt *preempt, uint32_t node, const struct pod_shape *shape,
		       int32_t priority);

struct kube_preempt_request {
	uint32_t pod;
	int32_t priority;
	const uint32_t *nodes; /* candidates, in the order of the node list */
	uint32_t node_count;
	const struct kube_filter *filter;
	struct kube_constraint *constraint; /* begun for the pod; NULL: it cannot be refused */
	struct kube_budgets *budgets;	    /* NULL: none */
	struct rng *rng;		    /* NULL: the first of equals */
	struct kube_tally *tally;	    /* why not, per candidate without success; NULL */
};

/* The node to make room on and its victims (borrowed until the next call), most
 * important first; NODE_NONE if there is no way. */
uint32_t kube_preempt_choose(struct kube_preempt *preempt,
			     const struct kube_preempt_request *request, const uint32_t **victims,
			     uint32_t *victim_count);

/* Is there anybody to preempt on the node? What the pod would lack there without all of
 * them (request: pod, priority, filter). */
bool kube_preempt_obstacle(struct kube_preempt *preempt, const struct kube_preempt_request *request,
			   uint32_t node, uint64_t *lacking);

#endif
