/* mig.h - NVIDIA's Multi-Instance GPU: whole GPUs that are cut into slices, as the device
 * plugin's strategy "mixed" offers them: each profile a resource of its own, such as
 * nvidia.com/mig-1g.10gb, beside the GPUs that stay whole.
 */
#ifndef SIM_MIG_H
#define SIM_MIG_H

#include "core/cluster.h"

#define MIG_PREFIX "nvidia.com/mig-"
#define MIG_WHOLE  "nvidia.com/gpu" /* what is cut */
#define MIG_MOST   7		    /* slices of a GPU */

/* Slices of this profile ("1g.10gb") that a GPU is cut into; 0: no such profile. */
uint32_t mig_slices(const char *profile);
/* Is one of so many slices of a GPU enough for what is busy of it (per mille)? */
bool mig_is_enough(int64_t utilisation, uint32_t slices);
bool mig_is_resource(const char *resource);
/* The smallest profile of the node's model; NULL: it is not known to have any. */
const char *mig_profile(const struct name_table *strings, const struct node *node);

#endif
