/* nodelife.h - what a node that is drained, tainted or lost does to its pods.
 *
 * A Node object annotated gqsim/at changes a node. Pods without a toleration of a
 * NoExecute taint are evicted at once, those that tolerate it for some seconds after
 * these; if it is gone by then they stay (taint-eviction-controller). A node that is
 * not ready carries such a taint, which pods tolerate for 300 s unless they say
 * otherwise (admission plugin DefaultTolerationSeconds); until then they hold their
 * place and do no work. gqsim/drain: "true" evicts everyone at once (kubectl drain).
 * Evicted pods are replaced as lost ones are.
 */
#ifndef SIM_NODELIFE_H
#define SIM_NODELIFE_H

#include "sim/engine/run.h"

struct nodelife; /* owned by the run */

void nodelife_free(struct nodelife *life);

/* The node is another now. */
void nodelife_changed(struct run *run, uint32_t node);
/* The pod was bound just now, maybe to a node that it tolerates for a while only. */
void nodelife_bound(struct run *run, uint32_t pod);
/* The time of a pod that was to leave is over. */
void nodelife_due(struct run *run, uint32_t pod, uint32_t incarnation);

#endif
