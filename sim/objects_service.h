/* objects_service.h - what runs without end: Deployments, StatefulSets, ReplicaSets.
 *
 * Under Kueue each pod of a Deployment or ReplicaSet is a workload of its own (pods take
 * the queue-name of the template), so where a queue is named each replica is a job; the
 * pods of a StatefulSet are one group (Kueue: pkg/controller/jobs/{deployment,statefulset}).
 */
#ifndef SIM_OBJECTS_SERVICE_H
#define SIM_OBJECTS_SERVICE_H

#include "sim/object.h"

object_read objects_service;

#endif
