/* resourcequota.h - ResourceQuota: the wall around a namespace.
 *
 * The API server charges a pod when it is created and refuses the creation (403)
 * when a hard limit of its namespace would be exceeded; nothing is lent. Pods
 * that only wait count as much as running ones. Rules: Kubernetes' resource quota
 * admission; golden/kube-scheduler d1.
 */
#ifndef SIM_RESOURCEQUOTA_H
#define SIM_RESOURCEQUOTA_H

#include "sim/scenario.h"

struct resourcequota; /* owned by the caller: resourcequota_new/_free; borrows the scenario */

/* The scenario's own ResourceQuotas. Where it has none and derive is true, one is
 * made for each namespace that LocalQueues tie to a ClusterQueue: the nominal
 * quota of the ClusterQueue, all flavors together, split evenly among its
 * namespaces (the first ones get what is left over). NULL if there is none. */
struct resourcequota *resourcequota_new(const struct scenario *scenario, bool derive);
void resourcequota_free(struct resourcequota *quotas);

/* Charges a pod of the shape to every quota of its namespace. False if one
 * refuses; then nothing is charged and why has the reason, as the API server
 * words it after "pods ... is forbidden: ". */
bool resourcequota_charge(struct resourcequota *quotas, uint32_t ns, const struct pod_shape *shape,
			  char *why, size_t size);
void resourcequota_refund(struct resourcequota *quotas, uint32_t ns, const struct pod_shape *shape);

/* The quotas in force, for reports. */
const struct resource_quota *resourcequota_list(const struct resourcequota *quotas,
						uint32_t *count);

#endif
