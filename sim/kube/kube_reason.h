/* kube_reason.h - what FailedScheduling says to the pods of a hopeless class.
 *
 * Such a pod hears of each node why it is no use, and of each candidate for preemption
 * why that would not help (spec KUBE_SCHEDULER.md 5). Both depend on the class and on
 * what is on that node alone; so a class's account is kept node by node and looked into
 * again only where something changed, and equal pods that fail on an unchanged cluster
 * share one text. Equal to examining every node for every pod (tests/sim/kube/test_kube_reason.c).
 */
#ifndef SIM_KUBE_REASON_H
#define SIM_KUBE_REASON_H

#include "sim/kube/kube_class.h"

struct kube_reasons; /* owned by the caller: kube_reason_new/kube_reason_free */

/* Borrows all of them; texts go to the world's journal. */
struct kube_reasons *kube_reason_new(const struct world *world, const struct kube_match *match,
				     const struct kube_filter *filter,
				     struct kube_preempt *preempt);
void kube_reason_free(struct kube_reasons *reasons);

/* Nodes came, went or changed. */
void kube_reason_nodes_changed(struct kube_reasons *reasons);
/* The text for a pod of the class, which has neither nomination nor constraints: a
 * string of the journal. index: the class's. */
uint32_t kube_reason_text(struct kube_reasons *reasons, uint32_t index,
			  const struct kube_class *class, uint32_t pod);

#endif
