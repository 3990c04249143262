/* gpu_share.h - the GPUs of one node, one by one, when pods may take parts of them.
 *
 * GPUs that are wholly free are alike and only counted; a GPU of which some pod has a
 * part stands in a slot, with the thousandths that are left of it. So a node costs
 * memory for what is in part use, not for what its size may claim.
 *
 * A part lies on one GPU; whole GPUs are taken wholly free (Weng et al., ATC'23; the
 * open-gpu-share plugin).
 */
#ifndef CORE_GPU_SHARE_H
#define CORE_GPU_SHARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GPU_SHARE_WHOLE 1000	   /* thousandths */
#define GPU_SHARE_MAX	1000000	   /* GPUs of a node; what has more counts as this */
#define GPU_SHARE_FRESH UINT32_MAX /* instead of a slot: a GPU that is wholly free */

/* What one pod takes of one node: whole GPUs, and thousandths of one more. */
struct gpu_demand {
	int64_t whole;
	uint32_t part; /* 0 .. 999 */
};

struct gpu_share {	 /* zeroed: no GPUs */
	int64_t whole;	 /* wholly free; below 0: the node lost GPUs that were in use */
	uint16_t *slots; /* thousandths left, 1 .. 999 or 0; GPU_SHARE_WHOLE: slot not in use */
	size_t capacity;
	uint32_t count;
	int64_t left; /* in all slots in use */
};

void gpu_share_free(struct gpu_share *share); /* not the struct */

/* The demand of a pod that asks for GPUs, and for thousandths of GPUs which include
 * these if there are more of them. */
struct gpu_demand gpu_share_demand(int64_t gpus, int64_t milli);

/* The node has so many GPUs instead of so many. */
void gpu_share_resize(struct gpu_share *share, int64_t from, int64_t to);

/* Is the slot in use, with room for the part? */
bool gpu_share_takes(const struct gpu_share *share, uint32_t slot, uint32_t part);
bool gpu_share_fits(const struct gpu_share *share, const struct gpu_demand *demand);
/* Thousandths free on all GPUs together. */
int64_t gpu_share_room(const struct gpu_share *share);

/* The GPU with the least left on which the part fits: a slot, or GPU_SHARE_FRESH. The
 * part is not 0 and the demand fits. */
uint32_t gpu_share_tightest(const struct gpu_share *share, uint32_t part);

/* A demand that fits is taken, its part from the device, a slot or GPU_SHARE_FRESH.
 * Returns the slot to give it back to (GPU_SHARE_FRESH: it has no part). */
uint32_t gpu_share_take(struct gpu_share *share, const struct gpu_demand *demand, uint32_t device);
void gpu_share_give(struct gpu_share *share, const struct gpu_demand *demand, uint32_t slot);

#endif
