/* objects_job.h - kinds that become jobs: batch Jobs, and what runs without end
 * (Deployments, StatefulSets, ReplicaSets, Pods).
 *
 * What Kubernetes has no field for stands in annotations (all values are texts):
 *   gqsim/submit-at            seconds or duration since the start; default 0, or
 *                              the creationTimestamp relative to the earliest one
 *   gqsim/duration             work once all pods run, or "endless"; default: from
 *                              the status of a completed Job, else 1h, for a Job;
 *                              endless for the other kinds
 *   gqsim/gang                 "false": pods work each for itself
 *   gqsim/checkpoint-interval  work is saved every so long
 *   gqsim/restart-cost         work added by a restart from a checkpoint
 *   gqsim/gpu-utilisation      per cent of its GPUs that it keeps busy, 0 to 100
 *   gqsim/cancel-at            it is deleted then
 */
#ifndef SIM_OBJECTS_JOB_H
#define SIM_OBJECTS_JOB_H

#include "sim/object.h"

object_read objects_job;
object_read objects_service; /* Deployment, StatefulSet, ReplicaSet */
object_read objects_pod;

#endif
