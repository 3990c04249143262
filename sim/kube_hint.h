/* kube_hint.h - which waiting pods a change of a node makes worth another try.
 *
 * Queueing hints of kube-scheduler v1.34: the plugins that rejected a pod are asked
 * whether what changed could change their mind (spec KUBE_SCHEDULER.md 3, rows 4 and 5;
 * isSchedulableAfterNodeChange in plugins/nodeunschedulable, tainttoleration,
 * nodeaffinity and noderesources). Each asks about its own matter only: a node that is
 * uncordoned or freed of a taint wakes pods that are too large for it, and one whose GPUs
 * did not change wakes nobody for want of GPUs. Those that rejected the pod are taken
 * from what they say of the nodes just before the change.
 */
#ifndef SIM_KUBE_HINT_H
#define SIM_KUBE_HINT_H

#include "sim/kube_match.h"

/* To be asked when the world has the node as it is now, and the group's verdicts are
 * still those of before. */
bool kube_hint_node(const struct kube_match *match, uint32_t group, uint32_t node,
		    const struct node *before);

/* Do they repel pods in another way than before? Being cordoned or not ready is a taint. */
bool kube_hint_taints_changed(const struct node *before, const struct node *now);

#endif
