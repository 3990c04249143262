/* jobctl.h - the Job controller: pods created, jobs started, stopped, finished.
 *
 * Modelled after what kubernetes' Job controller does around the scheduler
 * (spec KUBE_SCHEDULER.md section 6): a gang works while all its pods are bound;
 * it ends once its work is done; a lost pod stops it and is replaced after a
 * back-off of 10 s doubling to 600 s. Pods that work each for itself (JOB_SOLO) have
 * successors until the completions are done; those of a service are replaced at
 * once. A Job that says how often pods may fail ends when they failed more often.
 */
#ifndef SIM_JOBCTL_H
#define SIM_JOBCTL_H

#include "sim/engine/run.h"

/* The job may run: its pods will be created at the end of this instant's
 * admissions, or it starts at once where nothing is placed. */
void jobctl_admit(struct run *run, uint32_t job);

/* The eviction of the job is over. True: nothing makes its pods again, it has ended. */
bool jobctl_released(struct run *run, uint32_t job);

void jobctl_bound(struct run *run, uint32_t pod, uint32_t node);
/* Another pod takes this one's place: it goes at once, or after --grace. */
void jobctl_preempt_pod(struct run *run, uint32_t pod, uint32_t by_pod);
void jobctl_pod_gone(struct run *run, uint32_t pod, uint32_t incarnation);
/* Its node gets rid of it, in the same way; why: a string of the journal. */
void jobctl_evict_pod(struct run *run, uint32_t pod, uint32_t why);
/* The same of a pod that nobody ends: jobctl_pod_gone, when somebody does. */
void jobctl_strand_pod(struct run *run, uint32_t pod, uint32_t why);
/* Its node failed: the pod holds its place and works no more, its job stops. And the
 * node is back: the job starts again if all its pods are there. */
void jobctl_pod_dead(struct run *run, uint32_t pod);
void jobctl_pod_alive(struct run *run, uint32_t pod);
/* Creates the lost pods of a job again. */
void jobctl_replace(struct run *run, uint32_t job);
/* The controller looks at a job whose pods work each for itself, and creates what is
 * missing; the job ends if nothing more is to be done. */
void jobctl_reconcile(struct run *run, uint32_t job);
/* A pod is lost, or works no more: a gang stops, other jobs when it was the last. */
void jobctl_interrupt(struct run *run, uint32_t job);
/* EV_POD_RESTART: the container of a pod starts again. */
void jobctl_restart(struct run *run, uint32_t pod);
/* EV_POD_END: a pod is done, or failed. */
void jobctl_pod_end(struct run *run, uint32_t pod, uint32_t attempt);

/* EV_STAGE: its pods may be made that waited for others (podstage.h). And EV_STAGE_END: a
 * pod that works before its job does is done. */
void jobctl_stage(struct run *run, uint32_t job);
void jobctl_stage_end(struct run *run, uint32_t pod, uint32_t incarnation);

/* Its reservation has other topology domains now. */
void jobctl_moved(struct run *run, uint32_t job);

/* Its pods, which all run, are ready in the attempt given (podlife.h). */
void jobctl_ready(struct run *run, uint32_t job, uint32_t attempt);

void jobctl_placement_timeout(struct run *run, uint32_t job);
void jobctl_recreate(struct run *run, uint32_t job);

#endif
