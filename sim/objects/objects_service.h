/* objects_service.h - what runs without end: Deployments, StatefulSets, ReplicaSets.
 *
 * Under Kueue each pod of a Deployment or ReplicaSet is a workload of its own (pods take
 * the queue-name of the template, a ReplicaSet's own is nobody's), so where a queue is named each replica is a job; the
 * pods of a StatefulSet are one group (Kueue: pkg/controller/jobs/{deployment,statefulset}).
 */
#ifndef SIM_OBJECTS_SERVICE_H
#define SIM_OBJECTS_SERVICE_H

#include "sim/objects/objects_work.h"

object_read objects_service;

/* A job a replica, under the object's name and a number: put adds it, once its name and
 * times are set in work. gqsim/replicas-at says how many there are later. */
typedef enum err_code objects_service_put(struct fields *f, struct objects_work *work,
					  void *context);
enum err_code objects_service_each(struct fields *f, struct objects_work *work, uint32_t count,
				   objects_service_put *put, void *context);

#endif
