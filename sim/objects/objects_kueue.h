/* objects_kueue.h - Kueue's own kinds (spec KUEUE.md 1.1 to 1.7 and 1.10). */
#ifndef SIM_OBJECTS_KUEUE_H
#define SIM_OBJECTS_KUEUE_H

#include "sim/objects/object.h"

object_read objects_cluster_queue;
object_read objects_cohort;
object_read objects_flavor;
object_read objects_local_queue;
object_read objects_workload_priority_class;
object_read objects_topology;

#endif
