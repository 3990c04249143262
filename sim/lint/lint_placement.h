/* lint_placement.h - pods that no node has room for, even in the empty cluster. */
#ifndef SIM_LINT_PLACEMENT_H
#define SIM_LINT_PLACEMENT_H

#include "sim/lint/lint_look.h"

/* Does the job fit the empty cluster? Pod sets are looked at one by one. queue: the
 * ClusterQueue whose flavors add tolerations to its pods; NULL: none. False: *fault says why. */
bool lint_placement(const struct lint *l, const struct job *job, const struct cluster_queue *queue,
		    struct lint_fault *fault);
/* Do so many pods of the set fit the nodes of a flavor, with the tolerations that it adds?
 * Yes, too, if it has no nodes, which is told once for the flavor. */
bool lint_placement_in(const struct lint *l, const struct pod_set *set, uint32_t wanted,
		       const struct flavor *flavor, struct lint_fault *fault);

#endif
