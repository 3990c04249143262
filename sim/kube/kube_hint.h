/* kube_hint.h - which waiting pods a change of a node makes worth another try.
 *
 * Queueing hints of kube-scheduler v1.34 (isPodWorthRequeuing): the plugins that rejected
 * a pod in its last attempt are asked whether what changed could change their mind (spec
 * KUBE_SCHEDULER.md 3, rows 4 and 5; isSchedulableAfterNodeChange in
 * plugins/nodeunschedulable, tainttoleration, nodeaffinity and noderesources). Each asks
 * about its own matter only: a node that is uncordoned or freed of a taint wakes pods
 * that are too large for it, and one whose GPUs did not change wakes nobody for want of
 * GPUs.
 *
 * The first three plugins reject by group and node, whatever runs. So who rejected a pod
 * is known from when it failed, and what its group looked like then; only node changes
 * make that another, and each is kept for as long as a pod can have failed before it: not
 * beyond a change at which no pod of the group waited.
 */
#ifndef SIM_KUBE_HINT_H
#define SIM_KUBE_HINT_H

#include "sim/kube/kube_match.h"

struct kube_hints; /* owned by the caller: kube_hints_new/kube_hints_free */

/* Borrows match, whose groups know of the pods that wait. */
struct kube_hints *kube_hints_new(struct kube_match *match);
void kube_hints_free(struct kube_hints *hints);

/* A node is about to change the verdicts: keeps them. clock: above the timestamp of each
 * pod that has failed so far, and not above those of later failures. */
void kube_hints_note(struct kube_hints *hints, uint64_t clock);

/* A pod's last failed attempt. */
struct kube_rejected {
	uint32_t group;
	uint64_t stamp; /* timestamp */
	bool by_fit;	/* NodeResourcesFit was among the plugins that rejected it */
};

/* To be asked when the world has the node as it is now, and the group's verdicts are
 * still those of before. */
bool kube_hint_node(const struct kube_hints *hints, const struct kube_rejected *pod, uint32_t node,
		    const struct node *before);

/* Do they repel pods in another way than before? Being cordoned or not ready is a taint. */
bool kube_hint_taints_changed(const struct node *before, const struct node *now);

#endif
