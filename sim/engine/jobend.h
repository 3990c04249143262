/* jobend.h - a job's work stops, and a job ends: done, failed, deleted. */
#ifndef SIM_JOBEND_H
#define SIM_JOBEND_H

#include "sim/engine/run.h"

/* Stops the job's work; what is not in a checkpoint is lost (J_WORK_LOST records). Its
 * pods stay where they are. */
void jobend_stop(struct run *run, uint32_t job);

/* Pods and quota are free with these. */
void jobend_finish(struct run *run, uint32_t job);
/* reason: of the condition Failed, as the Job controller has it. */
void jobend_fail(struct run *run, uint32_t job, const char *reason);
/* Its pods are gone, and no controller makes them again. */
void jobend_lose(struct run *run, uint32_t job, const char *reason);
/* What runs until someone stops it is stopped, and has done what it was there for: no
 * work of it is lost. Its pods stay where they are. */
void jobend_retire(struct run *run, uint32_t job);
/* Its user deletes it. */
void jobend_cancel(struct run *run, uint32_t job);

/* activeDeadlineSeconds, from now; and that it is over. */
void jobend_arm_deadline(struct run *run, uint32_t job);
void jobend_disarm_deadline(struct run *run, uint32_t job);
void jobend_deadline(struct run *run, uint32_t job);

#endif
