/* provisioning.h - what a ProvisioningRequest asks for, and what it may be answered:
 * the words that Kueue and the modelled autoscaler share.
 *
 * Source: Kueue's pkg/controller/admissionchecks/provisioning; cluster-autoscaler's
 * provisioningrequest/checkcapacity and besteffortatomic.
 */
#ifndef SIM_PROVISIONING_H
#define SIM_PROVISIONING_H

#include "sim/scenario/scenario.h"

enum provisioning_class {
	PROVISIONING_OTHER,	     /* not modelled: such a request is never answered */
	PROVISIONING_CHECK_CAPACITY, /* is there room now? */
	PROVISIONING_SCALE_UP,	     /* best-effort-atomic-scale-up: makes room */
};

/* Conditions of a request, by which Kueue goes; the last that became true counts. */
enum provisioning_answer {
	PROVISIONING_NOT_YET, /* Provisioned=False: it is tried again later */
	PROVISIONING_PROVISIONED,
	PROVISIONING_FAILED,
	PROVISIONING_BOOKING_EXPIRED,
	PROVISIONING_CAPACITY_REVOKED,
};

/* By its name. */
enum provisioning_class provisioning_class_of(const char *name);
enum provisioning_class provisioning_class(const struct scenario *s,
					   const struct provisioning_config *config);
/* Parameter noRetry "true": no capacity is a failure, not a reason to wait. */
bool provisioning_no_retry(const struct scenario *s, const struct provisioning_config *config);
/* Do pods of the shape need nodes (managedResources)? */
bool provisioning_covers(const struct provisioning_config *config, const struct pod_shape *shape);

#endif
