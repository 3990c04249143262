/* resourcequota.h - ResourceQuota: the wall around a namespace.
 *
 * The API server charges a pod when it is created and refuses the creation (403)
 * when a hard limit of its namespace would be exceeded; nothing is lent. Pods
 * that only wait count as much as running ones. Rules: Kubernetes' resource quota
 * admission (pkg/quota/v1/evaluator/core/pods.go); golden/kube-scheduler d1. A quota with
 * scopes counts only pods of its scopes.
 */
#ifndef SIM_RESOURCEQUOTA_H
#define SIM_RESOURCEQUOTA_H

#include "sim/scenario/scenario.h"

struct resourcequota; /* owned by the caller: resourcequota_new/_free; borrows the scenario */

/* The scenario's own ResourceQuotas. Where it has none and derive is true, one is
 * made for each namespace that LocalQueues tie to a ClusterQueue: the nominal
 * quota of the ClusterQueue, all flavors together, split evenly among its
 * namespaces (the first ones get what is left over). NULL if there is none. */
struct resourcequota *resourcequota_new(const struct scenario *scenario, bool derive);
void resourcequota_free(struct resourcequota *quotas);

/* What quotas look at. */
struct quota_pod {
	uint32_t ns;
	uint32_t priority_class; /* string; NAME_NONE */
	const struct pod_shape *shape;
};
/* A pod of the job and shape. */
struct quota_pod resourcequota_pod(const struct scenario *scenario, uint32_t job,
				   const struct pod_shape *shape);

/* Charges a pod to every quota of its namespace and scope. False if one refuses; then
 * nothing is charged. */
bool resourcequota_charge(struct resourcequota *quotas, const struct quota_pod *pod);
void resourcequota_refund(struct resourcequota *quotas, const struct quota_pod *pod);
/* Why the pod would be refused now, as the API server words it after "pods ... is
 * forbidden: "; "": it would not. */
void resourcequota_explain(const struct resourcequota *quotas, const struct quota_pod *pod,
			   char *why, size_t size);
/* Grows with each refund in the namespace: what was refused and is asked for again while
 * it stays is refused again, as charges only take. */
uint64_t resourcequota_refunds(const struct resourcequota *quotas, uint32_t ns);

/* The quotas in force, for reports. */
const struct resource_quota *resourcequota_list(const struct resourcequota *quotas,
						uint32_t *count);

#endif
