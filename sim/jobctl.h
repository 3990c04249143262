/* jobctl.h - the Job controller: pods created, jobs started, stopped, finished.
 *
 * Modelled after what kubernetes' Job controller does around the scheduler
 * (spec KUBE_SCHEDULER.md section 6): a job works while all its pods are bound;
 * it ends once its work is done; a lost pod stops it and is replaced after a
 * back-off of 10 s doubling to 600 s; a creation that a ResourceQuota refuses is
 * tried again after 1 s doubling to 60 s.
 */
#ifndef SIM_JOBCTL_H
#define SIM_JOBCTL_H

#include "sim/run.h"

/* The job may run: its pods will be created at the end of this instant's
 * admissions, or it starts at once where nothing is placed. */
void jobctl_admit(struct run *run, uint32_t job);
/* Creates the pods of every job admitted since the last call, in --create order. */
void jobctl_create_pods(struct run *run);

void jobctl_bound(struct run *run, uint32_t pod, uint32_t node);
/* Another pod takes this one's place: it goes at once, or after --grace. */
void jobctl_preempt_pod(struct run *run, uint32_t pod, uint32_t by_pod);
void jobctl_pod_gone(struct run *run, uint32_t pod, uint32_t incarnation);
/* Its node gets rid of it, in the same way; why: a string of the journal. */
void jobctl_evict_pod(struct run *run, uint32_t pod, uint32_t why);
/* Its node failed: the pod holds its place and works no more, its job stops. And the
 * node is back: the job starts again if all its pods are there. */
void jobctl_pod_dead(struct run *run, uint32_t pod);
void jobctl_pod_alive(struct run *run, uint32_t pod);
/* Creates what a ResourceQuota refused, if it lets it now. */
void jobctl_retry(struct run *run, uint32_t job, uint32_t attempt);
/* Creates the lost pods of a job again, in the order of their loss. */
void jobctl_replace(struct run *run, uint32_t job);

/* Its reservation has other topology domains now. */
void jobctl_moved(struct run *run, uint32_t job);

/* Its pods, which all run, are ready in the attempt given (podlife.h). */
void jobctl_ready(struct run *run, uint32_t job, uint32_t attempt);
/* Its user deletes it: pods and quota are free at once. */
void jobctl_cancel(struct run *run, uint32_t job);

void jobctl_finish(struct run *run, uint32_t job);
void jobctl_placement_timeout(struct run *run, uint32_t job);
void jobctl_recreate(struct run *run, uint32_t job);

/* Stops the job's work; what is not in a checkpoint is lost (a J_WORK_LOST
 * record). Its pods stay where they are. */
void jobctl_stop(struct run *run, uint32_t job);
/* Pods that no node has taken yet go at once when their job is evicted. */
void jobctl_drop_pending(struct run *run, uint32_t job);
/* All its pods are gone, silently: the caller has written the record. */
void jobctl_remove_pods(struct run *run, uint32_t job);

#endif
