/* gpu_place.h - the GPUs of all nodes one by one, as a policy that shares them sees them.
 *
 * What the world counts of a node's GPUs is the sum of what stands here; beside, no part
 * of a GPU is ever spread over two (core/gpu_share.h).
 */
#ifndef SIM_GPU_PLACE_H
#define SIM_GPU_PLACE_H

#include "core/gpu_share.h"
#include "sim/world/world.h"

struct gpu_place {
	const struct world *world;
	struct gpu_demand *demands; /* per shape */
	struct gpu_share *nodes;    /* per node */
	int64_t *gpus;		    /* per node: so many it has, as last seen */
	uint32_t *slot;		    /* per pod that has a place: of its part */
	double cpu_max, milli_max;  /* of the largest node so far: thousandths; at least 1 */
};

void gpu_place_init(struct gpu_place *place, const struct world *world);
void gpu_place_free(struct gpu_place *place); /* not the struct */

/* The node changed. */
void gpu_place_node(struct gpu_place *place, uint32_t node);

/* Has the node room for the shape, on its GPUs too? Labels and taints are not looked at. */
bool gpu_place_fits(const struct gpu_place *place, uint32_t shape, uint32_t node);
/* The pod goes to the node, its part to the device (a slot or GPU_SHARE_FRESH). */
void gpu_place_take(struct gpu_place *place, uint32_t pod, uint32_t node, uint32_t device);
/* It has left the node. */
void gpu_place_give(struct gpu_place *place, uint32_t pod, uint32_t node);

/* Thousandths of CPU that are free (RES_UNLIMITED), and that the shape asks for. */
int64_t gpu_place_cpu(const struct gpu_place *place, uint32_t node);
int64_t gpu_place_cpu_asked(const struct gpu_place *place, uint32_t shape);

#endif
