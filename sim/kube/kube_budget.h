/* kube_budget.h - PodDisruptionBudgets: how many pods may still be disrupted.
 *
 * The disruption controller of Kubernetes 1.34 (pkg/controller/disruption) keeps
 * status.disruptionsAllowed; here it is worked out from the world when it is asked for.
 * kube-scheduler heeds it when it chooses victims, but preempts all the same if there is
 * no other way (filterPodsWithPDBViolation). A pod is healthy while it is bound and not
 * told to stop: pods are ready as soon as they run. The replicas of percentages and of
 * maxUnavailable are those of Deployments, ReplicaSets and StatefulSets; a pod of another
 * controller, which has no scale (a Job), makes the controller fail, and nothing may be
 * disrupted; pods without controller do not count.
 */
#ifndef SIM_KUBE_BUDGET_H
#define SIM_KUBE_BUDGET_H

#include "sim/world/world.h"

struct kube_budgets; /* owned by the caller: kube_budget_new/kube_budget_free */

/* NULL, which every function takes, if the scenario has none. Borrows the world. */
struct kube_budgets *kube_budget_new(const struct world *world);
void kube_budget_free(struct kube_budgets *budgets);

/* Something happened to a pod of the job; created: it is there now, gone: no longer. */
void kube_budget_created(struct kube_budgets *budgets, uint32_t job);
void kube_budget_gone(struct kube_budgets *budgets, uint32_t job);

/* Works out what is allowed now, for the calls that follow. */
void kube_budget_look(struct kube_budgets *budgets);
/* Sorts pods, in the order in which they would be disrupted, stably into those that would
 * violate a budget, which come first, and the others; returns how many violate. */
uint32_t kube_budget_sort(struct kube_budgets *budgets, uint32_t *pods, uint32_t count);

/* status.disruptionsAllowed of the i-th budget, when last looked. */
int64_t kube_budget_allowed(const struct kube_budgets *budgets, uint32_t budget);

#endif
