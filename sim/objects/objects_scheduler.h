/* objects_scheduler.h - KubeSchedulerConfiguration (kubescheduler.config.k8s.io/v1).
 *
 * Its profiles (objects_profile.h), percentageOfNodesToScore and the back-off of pods; the
 * latter become options of the run, which the command line may change. Extenders are named
 * as not modelled.
 */
#ifndef SIM_OBJECTS_SCHEDULER_H
#define SIM_OBJECTS_SCHEDULER_H

#include "sim/objects/object.h"

object_read objects_scheduler;

#endif
