/* objects_provisioning.h - AdmissionCheck and ProvisioningRequestConfig
 * (kueue.x-k8s.io; spec KUEUE.md 1.7). */
#ifndef SIM_OBJECTS_PROVISIONING_H
#define SIM_OBJECTS_PROVISIONING_H

#include "sim/objects/object.h"

object_read objects_check;
object_read objects_provisioning_config;

#endif
