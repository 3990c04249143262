/* objects_ray.h - RayCluster, RayJob and RayService: a head, its worker groups, and of a
 * RayJob the pod that submits it.
 *
 * As Kueue counts (pkg/controller/jobs/raycluster, rayjob, rayservice): replicas times
 * numOfHosts pods a group; the head with the containers that KubeRay adds to it. A cluster
 * and a service run without end. Autoscaling is not modelled: groups stay at their
 * replicas.
 */
#ifndef SIM_OBJECTS_RAY_H
#define SIM_OBJECTS_RAY_H

#include "sim/objects/object.h"

object_read objects_raycluster, objects_rayjob, objects_rayservice;

#endif
