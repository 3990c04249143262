#include "sim/engine/jobend.h"

#include <assert.h>

#include "sim/engine/jobafter.h"
#include "sim/engine/jobpods.h"
#include "sim/engine/podgone.h"
#include "sim/engine/podlife.h"
#include "sim/engine/podready.h"
#include "sim/engine/recurrence.h"

static struct job_run *state(struct run *run, uint32_t job)
{
	return world_job(&run->world, job);
}

/* ---- stops ---- */

static void stop_pods(struct run *run, uint32_t job)
{
	uint32_t first = run->journal->first_pod[job];

	for (uint32_t i = 0; i < run->scenario->jobs[job].common->pods; i++)
		jobpods_stop(run, first + i);
	state(run, job)->all_ready = 0;
}

static void stop_gang(struct run *run, uint32_t job)
{
	struct job_run *s = state(run, job);
	simtime done = run->world.now - s->running_since;
	simtime progress = s->saved + (done > s->overhead ? done - s->overhead : 0);
	simtime kept = jobpods_kept(run, job, progress);

	if (kept > s->saved)
		recurrence_saved(run, job);
	else
		kept = s->saved;
	jobpods_note_lost(run, job, NAME_NONE, done - (kept - s->saved));
	s->saved = kept;
	jobpods_call_off(run, &s->next);
}

/* False: nothing ran. */
static bool stop(struct run *run, uint32_t job)
{
	struct job_run *s = state(run, job);

	podlife_stopped(run, job);
	if (s->running_since == CLOCK_NEVER)
		return false;
	if (jobpods_solo(run, job))
		stop_pods(run, job);
	else
		stop_gang(run, job);
	s->running_since = CLOCK_NEVER;
	run->last_start = run->world.now;
	return true;
}

void jobend_stop(struct run *run, uint32_t job)
{
	if (stop(run, job) && (jobpods_solo(run, job) || !podready_stays(run, job)))
		run_tell_job(run, HAP_PODS_LOST, job);
}

/* ---- deadlines ---- */

/* The Job controller counts from the start time, which a suspension takes back. */
void jobend_arm_deadline(struct run *run, uint32_t job)
{
	const struct job_control *control = scenario_job_control(run->scenario, job);

	if (control == NULL || control->deadline == 0)
		return;
	*jobpods_deadline(run, job) =
		run_schedule(run, clock_add(run->world.now, control->deadline), CLASS_TIMEOUT,
			     EV_DEADLINE, job, 0);
}

void jobend_disarm_deadline(struct run *run, uint32_t job)
{
	const struct job_control *control = scenario_job_control(run->scenario, job);

	if (control != NULL && control->deadline != 0)
		run_cancel(run, *jobpods_deadline(run, job), CLASS_TIMEOUT);
}

void jobend_deadline(struct run *run, uint32_t job)
{
	jobend_fail(run, job, "DeadlineExceeded");
}

/* ---- the end of a job ---- */

/* Does a run of its CronJob wait for its end? */
static bool is_forbidding(const struct run *run, uint32_t job)
{
	const struct job_control *control = scenario_job_control(run->scenario, job);

	return control != NULL && control->cron != NULL && control->cron->policy == CRON_FORBID;
}

/* Its pods are gone, its quota is free. That its work stops is no loss of pods, which a
 * policy would wait to recover: it hears of the end alone. */
static void leave(struct run *run, uint32_t job, enum happening_kind kind)
{
	struct job_run *s = state(run, job);

	s->phase = JOB_DONE;
	run->left =
		mem_grow(run->left, run->left_count + 1, &run->left_capacity, sizeof(*run->left));
	run->left[run->left_count++] = job;
	run->last_move = run->world.now;
	jobend_disarm_deadline(run, job);
	podgone_remove_all(run, job);
	run_tell_job(run, kind, job);
	s->admission = JOB_NONE;
	if (run->after != NULL)
		jobafter_ended(run, job);
	if (is_forbidding(run, job))
		run_schedule(run, run->world.now, CLASS_RETRY, EV_CRON, job, 0);
}

void jobend_finish(struct run *run, uint32_t job)
{
	struct job_run *s = state(run, job);

	if (jobpods_solo(run, job)) {
		stop_pods(run, job); /* what a success policy does without */
	} else {
		assert(s->running_since != CLOCK_NEVER);
		jobpods_note_lost(run, job, NAME_NONE, s->overhead);
		run->running--;
	}
	run_note(run, J_FINISHED, job, 0, 0);
	s->running_since = CLOCK_NEVER;
	s->finished = 1;
	run->finished++;
	run->ended++;
	run->last_finish = run->last_start = run->world.now;
	leave(run, job, HAP_FINISHED);
}

static void fail(struct run *run, uint32_t job, const char *reason, enum happening_kind kind)
{
	if (state(run, job)->phase == JOB_DONE)
		return;
	stop(run, job);
	run_note(run, J_FAILED, job, journal_string(run->journal, reason), 0);
	run->ended++;
	run->last_finish = run->last_start = run->world.now;
	leave(run, job, kind);
}

void jobend_fail(struct run *run, uint32_t job, const char *reason)
{
	fail(run, job, reason, HAP_FINISHED);
}

/* Kueue deletes the workload with its pod. */
void jobend_lose(struct run *run, uint32_t job, const char *reason)
{
	fail(run, job, reason, HAP_DELETED);
}

/* False: nothing ran. */
static bool retire(struct run *run, uint32_t job)
{
	struct job_run *s = state(run, job);
	uint32_t first = run->journal->first_pod[job];

	podlife_stopped(run, job);
	if (s->running_since == CLOCK_NEVER)
		return false;
	for (uint32_t i = 0; jobpods_solo(run, job) && i < run->scenario->jobs[job].common->pods;
	     i++)
		jobpods_retire(run, first + i);
	if (!jobpods_solo(run, job))
		jobpods_call_off(run, &s->next);
	s->running_since = CLOCK_NEVER;
	run->last_start = run->world.now;
	return true;
}

void jobend_retire(struct run *run, uint32_t job)
{
	if (retire(run, job))
		run_tell_job(run, HAP_PODS_LOST, job);
}

void jobend_cancel(struct run *run, uint32_t job)
{
	struct job_run *s = state(run, job);

	if (s->phase == JOB_DONE || s->phase == JOB_FUTURE)
		return;
	if (run->scenario->jobs[job].duration == JOB_ENDLESS)
		retire(run, job);
	else
		stop(run, job);
	run_note(run, J_DELETED, job, 0, 0);
	leave(run, job, HAP_DELETED);
}
