/* objects_scheduler.h - KubeSchedulerConfiguration (kubescheduler.config.k8s.io/v1).
 *
 * Of the profile of the default scheduler: the scoring strategy of NodeResourcesFit;
 * of the whole: percentageOfNodesToScore and the back-off of pods. They become options
 * of the run, which the command line may change. Other profiles, extenders, and plugins
 * that are disabled, enabled or weighted otherwise than by default are named as not
 * modelled.
 */
#ifndef SIM_OBJECTS_SCHEDULER_H
#define SIM_OBJECTS_SCHEDULER_H

#include "sim/object.h"

object_read objects_scheduler;

#endif
