/* jobscale.h - what the input changes about a controller while it runs: replicas of a
 * service, suspension of a Job.
 *
 * Under an admission policy a Job's suspension is the policy's business, and so is a
 * StatefulSet that goes to 0 and comes back; changes then are without effect here. The
 * replicas of a Deployment of a queue are a job each: who goes is seen when it shrinks.
 */
#ifndef SIM_JOBSCALE_H
#define SIM_JOBSCALE_H

#include "sim/engine/run.h"

/* Sets the times of all changes. */
void jobscale_open(struct run *run);
/* A job that has just come: is it suspended? Then it waits for a change. */
bool jobscale_suspended(struct run *run, uint32_t job);
/* EV_CHANGE */
void jobscale_change(struct run *run, uint32_t job, uint32_t index);

#endif
