/* requests.h - what of a pod's requests Kueue counts: without the resources that its
 * Configuration excludes, and as its transformations make them (spec KUEUE.md 1.9).
 */
#ifndef SIM_REQUESTS_H
#define SIM_REQUESTS_H

#include "sim/scenario/scenario.h"

/* Of one pod, per resource; returns the set of resources that are asked for. amounts has
 * resource_count elements; those that are not asked for keep the pod's own amount. */
uint64_t requests_counted(const struct scenario *scenario, const struct pod_shape *shape,
			  int64_t *amounts);

#endif
