/* kueue_provision.h - Kueue's controller for admission checks that ask for nodes:
 * ProvisioningRequests, one an attempt, and what their answers make of the check.
 *
 * Spec KUEUE.md 8.4; Kueue's pkg/controller/admissionchecks/provisioning. A request is
 * deleted when its workload is evicted (gate CleanupProvisioningRequestsOnEviction), so
 * every reservation makes a new one; the attempt that it is counts on over evictions
 * for a Retry alone.
 */
#ifndef SIM_KUEUE_PROVISION_H
#define SIM_KUEUE_PROVISION_H

#include "sim/kueue/kueue_flavor.h"

/* States of a workload's checks of this kind, together: the worst of them. */
enum kueue_check_state { CHECK_READY, CHECK_PENDING, CHECK_RETRY, CHECK_REJECTED };

void kueue_provision_open(struct kueue *k);
void kueue_provision_close(struct kueue *k);

/* Is the check of this kind, with a config? */
bool kueue_provision_handles(const struct kueue *k, const struct check_ref *check);
/* The workload has its reservation: asks for nodes where these flavors' checks do. */
void kueue_provision_ask(struct kueue *k, uint32_t job, const struct kueue_assignment *a);
/* Other checks are the queue's now: the workload, which has quota, asks for the new ones. */
void kueue_provision_sync(struct kueue *k, uint32_t job);
/* It is another workload from now on: it has asked for nothing yet. */
void kueue_provision_forget(struct kueue *k, uint32_t job);
/* What the request of the check (index of scenario.checks) was answered. True: for
 * the workload as it is now. */
bool kueue_provision_answer(struct kueue *k, const struct happening *h);

enum kueue_check_state kueue_provision_state(const struct kueue *k, uint32_t job);
/* Its checks in the state, by name: "\"a\" (message); \"b\"", and how many. */
uint32_t kueue_provision_list(const struct kueue *k, uint32_t job, enum kueue_check_state state,
			      char *buf, size_t size);
/* The longest back-off that a check in Retry asks for, whole seconds. */
simtime kueue_provision_wait(const struct kueue *k, uint32_t job);

/* Its eviction is over: every check is Pending again. */
void kueue_provision_released(struct kueue *k, uint32_t job);

#endif
