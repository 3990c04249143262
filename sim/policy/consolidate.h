/* consolidate.h - whole jobs onto as few nodes as possible.
 *
 * The placement of the simulators of HPC and deep-learning clusters (Hu et al.,
 * SC'21): a job that fits on one node goes to the one with the fewest free GPUs that
 * holds it, lowest index; a larger one to as many nodes without a GPU in use as it
 * takes, in order. All pods of a job are placed or none.
 */
#ifndef SIM_CONSOLIDATE_H
#define SIM_CONSOLIDATE_H

#include "sim/kube/kube_filter.h"
#include "sim/kube/kube_match.h"
#include "sim/world/plan.h"

struct consolidate; /* owned by the caller: consolidate_new/consolidate_free */

/* match outlives it and says which nodes a pod may ever go to. */
struct consolidate *consolidate_new(const struct world *world, struct kube_match *match);
void consolidate_free(struct consolidate *c);

/* Nodes for the pending pods of the job, into nodes[i] for pods[i] (both valid until
 * the next call). allowed: per node, may the job use it. False: no room now. */
struct consolidate_plan {
	const uint32_t *pods, *nodes;
	uint32_t count;
};
bool consolidate_find(struct consolidate *c, uint32_t job, const bool *allowed,
		      struct consolidate_plan *out);
void consolidate_bind(const struct consolidate_plan *found, struct plan *plan);

#endif
