/* jobpods.h - pods that work each for itself (JOB_SOLO), and what a job's controller
 * remembers: completions, failures, how many pods start.
 *
 * A pod of such a job works from the moment it is bound until its completion is
 * done, it fails or is lost; nobody waits for the others. Work is saved per
 * completion: who takes it up again goes on from the last checkpoint.
 */
#ifndef SIM_JOBPODS_H
#define SIM_JOBPODS_H

#include "sim/engine/jobtask.h"
#include "sim/engine/run.h"

struct jobpods; /* owned by the run; NULL while no job has a controller with a say */

void jobpods_open(struct run *run);
void jobpods_free(struct jobpods *pods, uint32_t job_count);

/* Do the job's pods work each for itself? */
bool jobpods_solo(const struct run *run, uint32_t job);
/* Its counts; NULL: its pods are made again without limit. */
struct jobtask *jobpods_tasks(const struct run *run, uint32_t job);
enum job_controller jobpods_controller(const struct run *run, uint32_t job);
/* Does it run without end, in so many replicas? */
bool jobpods_is_service(const struct run *run, uint32_t job);

/* What the controller was told last. */
struct jobpods_orders {
	uint32_t replicas; /* of a service */
	bool suspended;
};
struct jobpods_orders *jobpods_orders(const struct run *run, uint32_t job);

/* The pod, about to be created, takes the next completion; false: there is none to take
 * now. And it gives back what it did not finish. */
bool jobpods_take(struct run *run, uint32_t pod);
void jobpods_give_back(struct run *run, uint32_t pod);
uint32_t jobpods_completion(const struct run *run, uint32_t pod);
/* Pods of the job that there are. */
uint32_t jobpods_active(const struct run *run, uint32_t job);
/* How many more it wants. */
uint32_t jobpods_room(const struct run *run, uint32_t job);

/* It is bound: its work begins. The first of a job starts the job. */
void jobpods_begin(struct run *run, uint32_t pod);
/* It works no more; what is in no checkpoint is lost (after the record that says
 * why). False: it did not work. */
bool jobpods_stop(struct run *run, uint32_t pod);
/* Its work is at its end now: done, or failed with *code != 0. False: it is not (a
 * stale event). A pod that succeeded has stopped. */
bool jobpods_end(struct run *run, uint32_t pod, uint32_t incarnation, int32_t *code);
/* The same for a pod that its own controller takes back: it did what it was there for. */
void jobpods_retire(struct run *run, uint32_t pod);
bool jobpods_any_works(const struct run *run, uint32_t job);
/* Since when the pod works; CLOCK_NEVER: it does not. */
simtime jobpods_since(const struct run *run, uint32_t pod);

/* For a gang: when this attempt fails, after so much work is left; CLOCK_NEVER: it
 * does not. code: exit code. */
simtime jobpods_gang_fails(struct run *run, uint32_t job, simtime work, int32_t *code);

/* Work of so much progress that a stop now keeps (DESIGN.md section 4). */
simtime jobpods_kept(const struct run *run, uint32_t job, simtime progress);
/* Notes time that was worked for nothing. pod: NAME_NONE: of the whole job. */
void jobpods_note_lost(struct run *run, uint32_t job, uint32_t pod, simtime lost);
/* An end of work that was called off. */
void jobpods_call_off(struct run *run, struct evq_handle *end);

/* The controller's own timer of the job (activeDeadlineSeconds). */
struct evq_handle *jobpods_deadline(struct run *run, uint32_t job);

#endif
