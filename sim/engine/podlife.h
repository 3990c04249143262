/* podlife.h - what becomes of a job's pods by its input (job_extra): when they
 * are ready, when one fails and is back, when its user cancels the job.
 *
 * Lists have one value an attempt and the last repeats (golden/kueue/README.md,
 * f15-f22). Work counts from the moment the pods are ready; a failed pod makes it
 * pause until it is back.
 */
#ifndef SIM_PODLIFE_H
#define SIM_PODLIFE_H

#include "sim/engine/run.h"

struct podlife; /* owned by the run; NULL while no job has anything of it */

void podlife_open(struct run *run); /* also sets the times of cancellations */
/* The job comes, and has its record in the world. */
void podlife_begin(struct run *run, uint32_t job);
void podlife_free(struct podlife *life);

/* All pods of the job run. True: they are not ready yet; podlife_ready follows,
 * or never. */
bool podlife_waits(struct run *run, uint32_t job);
/* They are ready and work has begun: a failure may follow. */
void podlife_started(struct run *run, uint32_t job);
/* The job was stopped; what was to come is void. */
void podlife_stopped(struct run *run, uint32_t job);

/* True: the wait is over in the attempt it was set for; the job is to start. */
bool podlife_ready(struct run *run, uint32_t job, uint32_t attempt);
void podlife_fail(struct run *run, uint32_t job, uint32_t attempt);
void podlife_recover(struct run *run, uint32_t job, uint32_t attempt);
/* Is it cancelled by now? */
bool podlife_cancelled(const struct run *run, uint32_t job);

#endif
