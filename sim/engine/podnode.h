/* podnode.h - a pod gets its node, and leaves it: what the books say of it, before anybody is told.
 */
#ifndef SIM_ENGINE_PODNODE_H
#define SIM_ENGINE_PODNODE_H

#include <assert.h>

#include "sim/engine/nodepods.h"

/* The pod's job, which has one more pod bound. */
static inline struct job_run *podnode_take(struct run *run, uint32_t pod, uint32_t node)
{
	struct pod *p = &run->world.pods[pod];
	struct job_run *s = world_job(&run->world, p->job);

	assert(p->phase == POD_PENDING);
	p->phase = POD_BOUND;
	p->node = node;
	if (run->nodepods != NULL)
		nodepods_join(run, pod);
	cluster_add(&run->world.usage, node, &run->scenario->shapes[p->shape]);
	s->pods_bound++;
	run->moves++;
	run->last_move = run->world.now;
	run_note_pod(run, J_POD_SCHEDULED, pod, node, 0);
	return s;
}

/* The node that it was on; NODE_NONE. A run without placement has no usage of nodes. */
static inline uint32_t podnode_leave(struct run *run, uint32_t pod)
{
	struct pod *p = &run->world.pods[pod];
	uint32_t node = p->node;

	if (node == NODE_NONE)
		return node;
	if (run->nodepods != NULL)
		nodepods_leave(run, pod);
	p->node = NODE_NONE;
	if (run->placement != NULL)
		cluster_remove(&run->world.usage, node, &run->scenario->shapes[p->shape]);
	return node;
}

#endif
