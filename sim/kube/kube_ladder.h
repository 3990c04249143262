/* kube_ladder.h - which nodes have room for how much of one resource.
 *
 * Where one resource alone decides whether a node has room, the requests for it form a
 * ladder: a node that has room for one has room for all that are smaller. So of each node
 * only the number of requests that it has room for is kept, and a pod that comes or goes
 * moves its node by as many rungs as lie between: mostly none or one, however many
 * requests there are.
 *
 * Nodes are told by their position in the order of the search.
 */
#ifndef SIM_KUBE_LADDER_H
#define SIM_KUBE_LADDER_H

#include "sim/kube/kube_filter.h"

#define KUBE_LADDER_RUNGS 64 /* requests in one ladder; more are refused */
#define KUBE_LADDER_WORD  64 /* positions of one word of rooms */

struct kube_rung {
	int64_t request; /* above 0 */
	uint64_t *rooms; /* a bit a position: has it room? */
	uint32_t room;	 /* how many have */
};

struct kube_ladder; /* owned by the caller: kube_ladder_new/kube_ladder_free */

/* order: the node of each position; position: of each node, NODE_NONE: it is not searched.
 * Borrows all of them. */
struct kube_ladder *kube_ladder_new(const struct kube_filter *filter, uint32_t resource,
				    const uint32_t *order, const uint32_t *position);
void kube_ladder_free(struct kube_ladder *ladder);

/* Nodes came, went or changed: forgets all rungs. count: positions from now on. */
void kube_ladder_reset(struct kube_ladder *ladder, uint32_t count);
/* The rung of a request, a new one if need be; it stays where it is until the next reset.
 * NULL: there are too many. */
const struct kube_rung *kube_ladder_rung(struct kube_ladder *ladder, int64_t request);
/* Brings all rungs up to date with what the filter was told of. */
void kube_ladder_follow(struct kube_ladder *ladder);

#endif
