/* kube_constraint.h - what pods ask of their place beyond taints, selectors and
 * resources: preferred node affinity, pod affinity, topology spread.
 *
 * The plugins NodeAffinity (score), PodTopologySpread and InterPodAffinity of
 * kube-scheduler v1.34, in the order of its default profile: after NodeResourcesFit,
 * the spread first. Most pods are touched by none of it; for those the scheduler
 * never comes here.
 */
#ifndef SIM_KUBE_CONSTRAINT_H
#define SIM_KUBE_CONSTRAINT_H

#include "sim/kube/kube_filter.h"
#include "sim/kube/kube_match.h"
#include "sim/kube/kube_peers.h"

/* Why a node with room is refused. */
enum kube_refusal {
	REFUSAL_NONE,
	REFUSAL_SKEWED,
	REFUSAL_UNLABELLED,
	REFUSAL_UNMET,
	REFUSAL_REPELS,
	REFUSAL_REPELLED,
	REFUSALS
};

struct kube_constraint; /* owned by the caller: kube_constraint_new/kube_constraint_free */

/* NULL, which every function takes, if no template has constraints. Borrows all. */
struct kube_constraint *kube_constraint_new(const struct world *world,
					    const struct kube_match *match,
					    const struct kube_filter *filter);
void kube_constraint_free(struct kube_constraint *constraint);

/* Can the pod be refused by a node with room? Does it like nodes better or worse? */
bool kube_constraint_filters(struct kube_constraint *constraint, uint32_t pod);
bool kube_constraint_scores(struct kube_constraint *constraint, uint32_t pod);

/* ---- where may this pod go ---- */

void kube_constraint_begin(struct kube_constraint *constraint, uint32_t pod, uint32_t group);
/* As if so many more of other were on the node. */
void kube_constraint_shift(struct kube_constraint *constraint, uint32_t other, uint32_t node,
			   int delta);
/* With the pods nominated to the node, and without (both must pass). */
enum kube_refusal kube_constraint_judge(struct kube_constraint *constraint, uint32_t node);
/* Would it help to remove pods from the node? */
bool kube_constraint_unresolvable(enum kube_refusal refusal);
/* Adds what the three plugins give, with their weights, to the scores of the nodes
 * that were found. */
void kube_constraint_score(struct kube_constraint *constraint, const uint32_t *nodes,
			   uint32_t count, int *scores);

/* ---- what happens ---- */

void kube_constraint_bound(struct kube_constraint *constraint, uint32_t pod, uint32_t node);
void kube_constraint_leaving(struct kube_constraint *constraint, uint32_t pod, uint32_t node);
void kube_constraint_gone(struct kube_constraint *constraint, uint32_t pod, uint32_t node);

/* ---- who waits for what (queueing hints) ---- */

/* The pod was refused, by these (bit r: refusal r); 0: it does not wait for that. */
void kube_constraint_wait(struct kube_constraint *constraint, uint32_t pod, uint32_t refusals);
/* The waiting pods that may go somewhere now that other was bound (or, if not came,
 * is gone). Borrowed until the next call, as the next function's are. */
const uint32_t *kube_constraint_helped(struct kube_constraint *constraint, uint32_t other,
				       bool came, uint32_t *count);
/* What became of a node. */
struct kube_node_change {
	uint32_t node;
	bool was, is; /* part of the cluster before and now */
	bool taints;  /* it has others now */
};
/* Takes the change into account; the waiting pods that it helps. */
const uint32_t *kube_constraint_node(struct kube_constraint *constraint,
				     const struct kube_node_change *change, uint32_t *count);

#endif
