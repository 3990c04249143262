/* podready.h - when Kueue takes a gang's pods for ready before they all run (struct ready_rule).
 *
 * Its integrations go by what an operator says. The training operator's jobs are running as
 * soon as the master is (pkg/controller.v1: UpdateJobStatus), a RayCluster is ready with its
 * pods, whether or not the job's submitter has come, and both stay so when a pod is lost. Of
 * other kinds all pods have to run, all the time.
 */
#ifndef SIM_PODREADY_H
#define SIM_PODREADY_H

#include "sim/engine/run.h"

/* A pod of a gang was bound, and others were not: is the job ready with it? Once an attempt. */
bool podready_with(struct run *run, uint32_t pod);
/* Tells the policy that the pods of the job are ready, or are no more. */
void podready_tell(struct run *run, uint32_t job, bool ready);
/* Does it stay ready, whatever becomes of its pods? */
bool podready_stays(const struct run *run, uint32_t job);

#endif
