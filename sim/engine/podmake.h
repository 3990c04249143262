/* podmake.h - pods come into being: the controller creates what is missing.
 *
 * A creation that a ResourceQuota refuses is tried again after 1 s doubling to 60 s
 * (spec KUBE_SCHEDULER.md section 6). How many pods there are to be is the
 * controller's business (jobctl.h); a StatefulSet makes the next one when all before
 * it run.
 */
#ifndef SIM_PODMAKE_H
#define SIM_PODMAKE_H

#include "sim/engine/run.h"

/* The job's pods are to be created at the end of this instant's admissions. */
void podmake_await(struct run *run, uint32_t job);
/* Creates the pods of every job of podmake_await since the last call, in --create order. */
void podmake_awaited(struct run *run);
/* Creates what is missing, in batches of 1, 2, 4, ...; stops after a batch in which a
 * creation was refused (the Job controller's slow start). */
void podmake_missing(struct run *run, uint32_t job);
/* Creates pods that were lost, in the order of their loss (a gang's). */
void podmake_lost(struct run *run, uint32_t job);
/* Creates what a ResourceQuota refused, if it lets it now. */
void podmake_retry(struct run *run, uint32_t job, uint32_t attempt);
/* Nothing is to be tried again. */
void podmake_cancel(struct run *run, uint32_t job);
/* --placement-timeout, from now. */
void podmake_arm_timeout(struct run *run, uint32_t job);
/* Pods of this attempt: all, or what partial admission left. */
uint32_t podmake_slots(const struct run *run, uint32_t job);

#endif
