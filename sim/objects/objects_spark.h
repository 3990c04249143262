/* objects_spark.h - SparkApplications: a driver and its executors, as Kueue counts them
 * (pkg/controller/jobs/sparkapplication, behind the gate SparkApplicationIntegration).
 *
 * What a pod asks for is put together of coreRequest, coreLimit, memory, memoryLimit, gpu,
 * sidecars and initContainers; the pod template gives labels and annotations only. The
 * overhead that Spark adds to memory is in no quota, and not in the pods here.
 */
#ifndef SIM_OBJECTS_SPARK_H
#define SIM_OBJECTS_SPARK_H

#include "sim/objects/object.h"

object_read objects_spark;

#endif
