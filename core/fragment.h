/* fragment.h - how much of a node's free GPUs is of no use to the pods that are typical
 * (Weng et al., "Beware of Fragmentation", ATC'23, section 3).
 *
 * To one kind of pod all free GPU on a node is fragmented that cannot hold it: the kind
 * may not go there, or CPU is lacking, or GPUs are; and so it is to a kind that wants no
 * GPU. On a node that holds it, what is left of GPUs too small for the kind is. The
 * measure is the sum over the kinds, each times its weight: integers throughout.
 *
 * Not by going through the kinds: a kind that wants (a part of) one GPU can use exactly
 * the GPUs with that much left, so each GPU's use is a sum of weights that depends on
 * CPU and on what is left of it alone; and kinds of several GPUs can use exactly the
 * wholly free ones, if there are that many. Both sums stand in tables.
 */
#ifndef CORE_FRAGMENT_H
#define CORE_FRAGMENT_H

#include "core/gpu_share.h"

#define FRAGMENT_KINDS_MAX 256

struct fragment_kind {
	int64_t cpu; /* thousandths */
	struct gpu_demand gpus;
	uint32_t weight; /* how many pods */
};

struct fragment; /* nodes to which the same kinds may go; owned by the caller */

/* reaches[i]: kind i may go to such nodes. At most FRAGMENT_KINDS_MAX kinds. A kind that
 * asks for whole GPUs and a part counts as if the part were whole. */
struct fragment *fragment_new(const struct fragment_kind *kinds, uint32_t count,
			      const bool *reaches);
void fragment_free(struct fragment *fragment);

/* Fragmented thousandths times weight, with so much CPU free. */
int64_t fragment_of(const struct fragment *fragment, int64_t cpu, const struct gpu_share *share);
/* The same once the demand, which fits, is taken, its part from the device. */
int64_t fragment_after(const struct fragment *fragment, int64_t cpu, const struct gpu_share *share,
		       const struct gpu_demand *demand, uint32_t device);

#endif
