/* gpu_mix.h - the typical pods of a scenario, and how fragmented its nodes are to them.
 *
 * As in Weng et al. (ATC'23): kinds of pods, alike but for memory, the most frequent
 * first until they make up 95 % of all pods of the input (at most FRAGMENT_KINDS_MAX
 * kinds). Pods without GPUs are kinds too. Which nodes a kind may go to is told by its
 * node selector and required affinity.
 */
#ifndef SIM_GPU_MIX_H
#define SIM_GPU_MIX_H

#include "core/fragment.h"
#include "sim/world/world.h"

#define GPU_MIX_PERCENT 95

struct gpu_mix; /* owned by the caller: gpu_mix_new/gpu_mix_free */

/* demands: per shape of the scenario. World and demands are borrowed. */
struct gpu_mix *gpu_mix_new(const struct world *world, const struct gpu_demand *demands);
void gpu_mix_free(struct gpu_mix *mix);

/* The node changed: its labels may let other kinds onto it. */
void gpu_mix_node(struct gpu_mix *mix, uint32_t node);

/* The measure for the node (core/fragment.h). */
const struct fragment *gpu_mix_of(const struct gpu_mix *mix, uint32_t node);
/* Points, 0 to 99, for so much fragmentation less: 100 / (1 + e^-g) without its
 * fraction, g being what is gained in GPUs. */
int64_t gpu_mix_points(const struct gpu_mix *mix, int64_t gain);
/* The kinds, most frequent first. */
const struct fragment_kind *gpu_mix_kinds(const struct gpu_mix *mix, uint32_t *count);

#endif
