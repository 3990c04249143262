/* lint_suits.h - would Kueue try a flavor for a pod set at all, and what speaks against it. */
#ifndef SIM_LINT_SUITS_H
#define SIM_LINT_SUITS_H

#include "sim/lint/lint_look.h"

/* Its taints; its labels, where the pods select by the same key with a node selector or a
 * required affinity; its topology (spec KUEUE.md 4.3, 7.2). Of a group
 * that the pods ask nothing of this is not to be asked. */
bool lint_suits(const struct lint *l, const struct cluster_queue *queue,
		const struct flavor *flavor, const struct pod_shape *shape);
/* No flavor of the group does: why each does not. */
void lint_suits_none(const struct lint *l, const struct cluster_queue *queue,
		     const struct resource_group *group, const struct pod_shape *shape,
		     struct lint_fault *fault);

#endif
