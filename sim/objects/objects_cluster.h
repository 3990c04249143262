/* objects_cluster.h - kinds of the cluster itself: nodes, namespaces, priority
 * classes and what limits a namespace. */
#ifndef SIM_OBJECTS_CLUSTER_H
#define SIM_OBJECTS_CLUSTER_H

#include "sim/objects/object.h"

object_read objects_node;
object_read objects_namespace;
object_read objects_priority_class;
object_read objects_resource_quota;
object_read objects_limit_range;
object_read objects_runtime_class;

#endif
