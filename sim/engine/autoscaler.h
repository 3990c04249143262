/* autoscaler.h - a model of cluster-autoscaler: node pools that grow and shrink.
 *
 * Every scanInterval, if anything has changed, it looks at the cluster: answers
 * ProvisioningRequests in the order of their creation, asks for nodes for pods that
 * fit nowhere, and takes away nodes that nobody has used for scaleDownUnneededTime.
 * Nodes that are asked for join after their pool's bootDelay. Pods are placed by first
 * fit in the order of the nodes; pools are tried in the order of the input (expander
 * "priority"); a request that needs new nodes gets all of them from one pool, or none.
 * A request that is provisioned keeps its room from others for 10 minutes, or until its
 * pods are there. Only empty nodes are taken away.
 *
 * Source: cluster-autoscaler's provisioningrequest/, processors/provreq/ and FAQ. Not
 * modelled: pod affinity and spread when pods are fitted, draining under-used nodes,
 * nodes that fail to boot, balancing similar pools.
 */
#ifndef SIM_AUTOSCALER_H
#define SIM_AUTOSCALER_H

#include "sim/engine/run.h"

/* Watches the run from now on, unless nothing in the scenario needs it. */
void autoscaler_open(struct run *run);
void autoscaler_free(struct autoscaler *autoscaler);

/* The job, which holds a reservation, asks for nodes by an admission check (index of
 * scenario.checks); an earlier request of the same check is gone. */
void autoscaler_request(struct run *run, uint32_t job, uint32_t check);
/* That request is gone. */
void autoscaler_withdraw(struct run *run, uint32_t job, uint32_t check);
void autoscaler_scan(struct run *run);
void autoscaler_join(struct run *run, uint32_t node);
/* The node has been there for its pool's maxRunDuration. */
void autoscaler_revoke(struct run *run, uint32_t node, uint32_t boot);

/* May room appear that nobody has asked for yet, or that is about to come? */
bool autoscaler_busy(const struct run *run);

#endif
