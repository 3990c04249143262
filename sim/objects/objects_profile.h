/* objects_profile.h - a profile of a KubeSchedulerConfiguration: plugins that are switched
 * on, off or weighted anew, and their arguments.
 *
 * As kube-scheduler merges them with its default plugins: what stands below an extension
 * point holds against multiPoint, "*" switches off what is not switched on again, and a
 * plugin that is switched on without a weight has 1. Of the default profile the scoring
 * strategy and percentageOfNodesToScore become options of the run.
 */
#ifndef SIM_OBJECTS_PROFILE_H
#define SIM_OBJECTS_PROFILE_H

#include "sim/load/fields.h"

fields_read objects_profile; /* writes nothing: it adds a KIND_PROFILE */
/* percentageOfNodesToScore of the whole configuration; likewise an option. */
fields_read objects_profile_percentage;

#endif
