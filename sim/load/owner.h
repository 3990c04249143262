/* owner.h - who made an object of a dump, as far as its name tells.
 *
 * Objects are known by strings "KIND/NAME". Controllers name what they make after themselves:
 * the pod of a Deployment is web-7c9d6-x2x4z, the Job of a JobSet name-workers-0.
 */
#ifndef SIM_OWNER_H
#define SIM_OWNER_H

#include "sim/scenario/draft.h"

/* The index-th that may have made the owner of a Workload, by its name; *maker is NAME_NONE
 * if nothing in the input has that name. False: past the last. */
bool owner_maker(const struct builder *builder, uint32_t owner, size_t index, uint32_t *maker);
/* The same of the controller of a pod. */
bool owner_pod_maker(const struct builder *builder, uint32_t controller, size_t index,
		     uint32_t *maker);
/* Workloads by what they stand for, in the namespace of their job; values are notes. Free it
 * with draft_index_free. */
void owner_index_workloads(const struct builder *builder, struct draft_index *workloads);

#endif
