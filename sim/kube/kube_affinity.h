/* kube_affinity.h - InterPodAffinity: pods that want to be near others, or far from
 * them (kube-scheduler v1.34, plugins/interpodaffinity).
 *
 * Filter: every required affinity term needs, in the node's domain, a pod that all
 * those terms select (or no such pod anywhere, and the pod itself is one); no pod
 * that a required anti-affinity term selects may be in the node's domain; nor one
 * whose own required anti-affinity selects this pod. Score: the weights of the
 * preferred terms of the pod and of the running ones towards it, plus 1 for each of
 * their required affinity terms; stretched to 0..100 over the nodes found.
 *
 * Counts are made for one pod at a time: kube_affinity_begin, then any number of
 * questions.
 */
#ifndef SIM_KUBE_AFFINITY_H
#define SIM_KUBE_AFFINITY_H

#include "sim/kube/kube_peers.h"

enum kube_affinity_verdict {
	AFFINITY_FINE,
	AFFINITY_UNMET,	  /* no pod there that it wants to be near; unresolvable */
	AFFINITY_REPELS,  /* its anti-affinity */
	AFFINITY_REPELLED /* that of a pod there */
};

struct kube_affinity; /* owned by the caller: kube_affinity_new/kube_affinity_free */

struct kube_affinity *kube_affinity_new(const struct kube_peers *peers);
void kube_affinity_free(struct kube_affinity *affinity);

/* Can pods of the kind be rejected? Can they be drawn to nodes or pushed off? */
bool kube_affinity_filters(struct kube_affinity *affinity, uint32_t kind);
bool kube_affinity_scores(struct kube_affinity *affinity, uint32_t kind);

/* The question is where a pod of this kind may go now. Asked again about the same, with
 * kube_affinity_moved in between, it costs nothing. */
void kube_affinity_begin(struct kube_affinity *affinity, uint32_t kind);
/* So many more pods of that kind are on the node now: what was counted is kept up to date. */
void kube_affinity_moved(struct kube_affinity *affinity, uint32_t other, uint32_t node, int delta);
/* Nodes came, went or changed. */
void kube_affinity_nodes_changed(struct kube_affinity *affinity);
/* As if so many more pods of that kind were on the node, until it is taken back. */
void kube_affinity_shift(struct kube_affinity *affinity, uint32_t other, uint32_t node, int delta);
/* A pod that asks for nothing, and that nobody who is there wants to be far from, skips the
 * filter; so it does not see nominated pods that do (PreFilter). */
bool kube_affinity_can_refuse(const struct kube_affinity *affinity);
enum kube_affinity_verdict kube_affinity_judge(const struct kube_affinity *affinity, uint32_t node);
/* Adds weight times 0..100 to the score of each node. */
void kube_affinity_score(const struct kube_affinity *affinity, const uint32_t *nodes,
			 uint32_t count, int weight, int *scores);

/* Queueing hint: may a pod of the other kind, bound (or, if not came, gone), have
 * made room for one of this kind that was rejected? Up to 1.35 the end of a pod whose
 * anti-affinity repelled it is no such event (kubernetes pull request 135325). */
bool kube_affinity_helped(struct kube_affinity *affinity, uint32_t kind, uint32_t other, bool came);

#endif
