#include "sim/engine/jobctl.h"

#include <assert.h>

#include "sim/engine/jobend.h"
#include "sim/engine/jobpods.h"
#include "sim/engine/podcrash.h"
#include "sim/engine/podgone.h"
#include "sim/engine/podlife.h"
#include "sim/engine/podmake.h"
#include "sim/engine/podnode.h"
#include "sim/engine/podready.h"
#include "sim/engine/podstage.h"

#define RECREATE_BASE (60 * CLOCK_SECOND)
#define RECREATE_MAX  (3600 * CLOCK_SECOND)

static struct job_run *state(struct run *run, uint32_t job)
{
	return world_job(&run->world, job);
}

static uint32_t first_pod(const struct run *run, uint32_t job)
{
	return run->journal->first_pod[job];
}

/* ---- work ---- */

/* The work of a gang ends with this, unless a pod of it fails before. */
static void schedule_end(struct run *run, uint32_t job)
{
	const struct job *j = &run->scenario->jobs[job];
	struct job_run *s = state(run, job);
	simtime left = j->duration == JOB_ENDLESS ? CLOCK_NEVER : j->duration - s->saved;
	int32_t code = 0;
	simtime fails = jobpods_gang_fails(run, job, left, &code);

	if (fails == CLOCK_NEVER && left == CLOCK_NEVER)
		return;
	run->running++;
	s->next = run_schedule(
		run, clock_add(run->world.now, clock_add(fails < left ? fails : left, s->overhead)),
		CLASS_FINISH, fails < left ? EV_POD_END : EV_FINISH,
		fails < left ? first_pod(run, job) : job,
		fails < left ? (uint32_t)code : s->attempt);
}

static void start(struct run *run, uint32_t job)
{
	const struct job *j = &run->scenario->jobs[job];
	struct job_run *s = state(run, job);

	s->overhead = s->saved > 0 ? j->common->restart_cost : 0;
	s->attempt++;
	s->started = 1;
	s->running_since = run->world.now;
	run_note(run, J_STARTED, job, s->attempt, 0);
	run->last_start = run->world.now;
	schedule_end(run, job);
	run_tell_job(run, HAP_PODS_READY, job);
	podlife_started(run, job);
}

/* All its pods run; work begins once they are ready. */
static void pods_run(struct run *run, uint32_t job)
{
	if (podcrash_resting(run, job) == 0 && !podlife_waits(run, job))
		start(run, job);
}

void jobctl_ready(struct run *run, uint32_t job, uint32_t attempt)
{
	/* One of them may be lost by now. */
	if (run->placement != NULL && state(run, job)->pods_bound != state(run, job)->pods_wanted)
		return;
	if (podlife_ready(run, job, attempt))
		start(run, job);
}

/* Pods that may be there: places of this attempt, of which an elastic Job may want fewer. Until
 * its new slice is admitted its new pods are gated (Kueue's elastic_job_ungater.go). */
static uint32_t places(const struct run *run, uint32_t job)
{
	uint32_t slots = podmake_slots(run, job), wanted = world_job(&run->world, job)->parallelism;

	if (world_job(&run->world, job)->awaits_checks && jobpods_active(run, job) < slots)
		slots = jobpods_active(run, job);
	return wanted < slots ? wanted : slots;
}

/* Kueue takes such a job for ready while what works and what is done make up its pods. */
static void tell_ready(struct run *run, uint32_t job)
{
	struct job_run *s = state(run, job);
	uint32_t well = s->pods_bound + s->succeeded;
	bool ready = s->phase == JOB_ADMITTED && !s->awaits_checks &&
		     well >= places(run, job) + podcrash_resting(run, job);

	if (ready == (s->all_ready != 0))
		return;
	s->all_ready = ready;
	podready_tell(run, job, ready);
}

/* ---- how many pods there are to be ---- */

static uint32_t wanted_now(struct run *run, uint32_t job)
{
	uint32_t slots = places(run, job);

	if (jobpods_is_service(run, job)) {
		uint32_t replicas = jobpods_orders(run, job)->replicas;

		return replicas < slots ? replicas : slots;
	}
	return jobtask_wanted(jobpods_tasks(run, job), slots, jobpods_active(run, job));
}

static void set_wanted(struct run *run, uint32_t job, uint32_t wanted)
{
	struct job_run *s = state(run, job);

	if (s->pods_wanted == wanted)
		return;
	s->pods_wanted = wanted;
	run_note(run, J_WANTED, job, wanted, 0);
}

static void admit_solo(struct run *run, uint32_t job)
{
	set_wanted(run, job, wanted_now(run, job));
	if (run->placement == NULL)
		podmake_missing(run, job);
	else
		podmake_await(run, job);
	if (run->placement == NULL)
		tell_ready(run, job);
}

void jobctl_admit(struct run *run, uint32_t job)
{
	struct job_run *s = state(run, job);

	s->phase = JOB_ADMITTED;
	s->awaits_checks = 0;
	s->pods_wanted = podmake_slots(run, job);
	s->pods_bound = 0;
	s->refusals = 0;
	s->all_ready = 0;
	jobend_arm_deadline(run, job);
	if (jobpods_solo(run, job))
		admit_solo(run, job);
	else if (run->placement == NULL && podstage_ordered(run, job))
		s->next = run_schedule(run, clock_add(run->world.now, podstage_delay(run, job)),
				       CLASS_RETRY, EV_STAGE, job, 0);
	else if (run->placement == NULL || s->pods_wanted == 0)
		pods_run(run, job);
	else
		podmake_await(run, job);
}

/* At this instant, once what goes on now is done. */
static void create_soon(struct run *run, uint32_t job, simtime at)
{
	struct job_run *s = state(run, job);

	if (evq_when(run->events, s->next) == at)
		return; /* the first of several losses keeps its turn */
	run_cancel(run, s->next, CLASS_RETRY);
	s->next = run_schedule(run, at, CLASS_RETRY, EV_REPLACE, job, 0);
}

static void solo_bound(struct run *run, uint32_t pod)
{
	uint32_t job = run->world.pods[pod].job;
	const struct job_control *control = scenario_job_control(run->scenario, job);

	if (state(run, job)->phase != JOB_ADMITTED)
		return; /* bound while its job is being removed */
	if (podcrash_rests(run, pod))
		return; /* its node was away */
	jobpods_begin(run, pod);
	tell_ready(run, job);
	if (control != NULL && control->ordered &&
	    jobpods_active(run, job) < state(run, job)->pods_wanted)
		create_soon(run, job, run->world.now);
}

/* What works before its job begins that; the last of another set lets others come. */
static void stage_bound(struct run *run, uint32_t pod)
{
	simtime work = podstage_work(run, pod);
	const struct pod *p = &run->world.pods[pod];

	if (work >= 0)
		run_schedule(run, clock_add(run->world.now, work), CLASS_FINISH, EV_STAGE_END, pod,
			     p->incarnation);
	if (podstage_set_ready(run, pod))
		run_schedule(run, run->world.now, CLASS_RETRY, EV_STAGE, p->job, 0);
}

void jobctl_bound(struct run *run, uint32_t pod, uint32_t node)
{
	uint32_t job = run->world.pods[pod].job;
	struct job_run *s = podnode_take(run, pod, node);

	run_tell_pod(run, HAP_POD_BOUND, pod, node);
	run_touch(run, job);
	if (podstage_ordered(run, job))
		stage_bound(run, pod);
	if (jobpods_solo(run, job))
		solo_bound(run, pod);
	else if (s->pods_bound == s->pods_wanted)
		pods_run(run, job);
	else if (podready_with(run, pod))
		podready_tell(run, job, true);
}

void jobctl_stage(struct run *run, uint32_t job)
{
	struct job_run *s = state(run, job);

	if (s->phase != JOB_ADMITTED || s->running_since != CLOCK_NEVER)
		return;
	if (run->placement == NULL)
		pods_run(run, job);
	else
		podmake_missing(run, job);
}

void jobctl_stage_end(struct run *run, uint32_t pod, uint32_t incarnation)
{
	struct pod *p = &run->world.pods[pod];

	if (p->phase != POD_BOUND || p->incarnation != incarnation ||
	    state(run, p->job)->phase != JOB_ADMITTED)
		return; /* it was lost, or stopped, meanwhile */
	run_note_pod(run, J_POD_SUCCEEDED, pod, p->node, 0);
	podgone_remove(run, pod);
	p->phase = POD_DONE;
	state(run, p->job)->pods_wanted--;
	run_touch(run, p->job);
	run_tell_job(run, HAP_POD_SUCCEEDED, p->job);
	jobctl_stage(run, p->job);
}

void jobctl_interrupt(struct run *run, uint32_t job)
{
	struct job_run *s = state(run, job);

	if (jobpods_solo(run, job))
		tell_ready(run, job);
	if (s->running_since == CLOCK_NEVER ||
	    (jobpods_solo(run, job) && jobpods_any_works(run, job)))
		return;
	run_note(run, J_INTERRUPTED, job, s->attempt, 0);
	if (!jobpods_solo(run, job)) {
		jobend_stop(run, job);
		return;
	}
	s->running_since = CLOCK_NEVER;
}

/* ---- replacements ---- */

/* When the Job controller makes up for what is missing: a back-off after the last
 * failure, that of each index where the limit is per index. */
static simtime back_off(struct run *run, uint32_t job)
{
	struct job_run *s = state(run, job);
	simtime due;

	if (jobpods_is_service(run, job))
		return run->world.now;
	if (jobpods_solo(run, job) && jobtask_by_index(jobpods_tasks(run, job))) {
		due = jobtask_due(jobpods_tasks(run, job), jobpods_room(run, job));
		return due > run->world.now ? due : run->world.now;
	}
	return clock_add(run->world.now,
			 jobtask_doubling(JOBTASK_BACKOFF_BASE, s->failures, JOBTASK_BACKOFF_MAX));
}

/* All that is missing comes together, a gang's in the order in which it was lost. */
static void expect_replacement(struct run *run, uint32_t pod)
{
	uint32_t job = run->world.pods[pod].job;

	if (!jobpods_solo(run, job)) {
		run->lost = mem_grow(run->lost, run->lost_count + 1, &run->lost_capacity,
				     sizeof(*run->lost));
		run->lost[run->lost_count++] = pod;
	}
	create_soon(run, job, back_off(run, job));
}

/* ---- what is done, and what is missing ---- */

/* True: more of its completions are done, or given up. */
static bool count(struct run *run, uint32_t job)
{
	struct job_run *s = state(run, job);
	const struct jobtask *tasks = jobpods_tasks(run, job);
	bool more =
		s->succeeded != jobtask_succeeded(tasks) || s->given_up != jobtask_given_up(tasks);

	s->succeeded = jobtask_succeeded(tasks);
	s->given_up = jobtask_given_up(tasks);
	set_wanted(run, job, wanted_now(run, job));
	return more;
}

/* A Job ends: True. An index that failed outweighs the success policy (syncJob). */
static bool ends(struct run *run, uint32_t job)
{
	struct jobtask *tasks = jobpods_tasks(run, job);
	const char *reason = jobtask_failed_in_the_end(tasks);

	if (jobpods_is_service(run, job))
		return false;
	if (reason != NULL) {
		jobend_fail(run, job, reason);
		return true;
	}
	if (!jobtask_complete(tasks, jobpods_active(run, job)))
		return false;
	jobend_finish(run, job);
	return true;
}

/* The controller looks at its job and makes what is missing. */
static void reconcile(struct run *run, uint32_t job)
{
	struct jobtask *tasks = jobpods_tasks(run, job);
	bool more = count(run, job);
	simtime due;

	if (ends(run, job))
		return;
	if (more)
		run_tell_job(run, HAP_POD_SUCCEEDED, job);
	podmake_missing(run, job);
	due = jobtask_by_index(tasks) ? jobtask_due(tasks, jobpods_room(run, job)) : CLOCK_NEVER;
	if (due != CLOCK_NEVER && due > run->world.now)
		create_soon(run, job, due);
	tell_ready(run, job);
}

void jobctl_reconcile(struct run *run, uint32_t job)
{
	if (state(run, job)->phase == JOB_ADMITTED)
		reconcile(run, job);
}

void jobctl_replace(struct run *run, uint32_t job)
{
	if (jobpods_solo(run, job))
		jobctl_reconcile(run, job);
	else if (run->placement != NULL)
		podmake_lost(run, job);
	else if (state(run, job)->phase == JOB_ADMITTED &&
		 state(run, job)->running_since == CLOCK_NEVER)
		pods_run(run, job);
}

/* Nothing makes the pods of this job again. */
static bool is_on_its_own(const struct run *run, uint32_t job)
{
	enum job_controller controller = jobpods_controller(run, job);

	return controller == CONTROLLER_NONE ||
	       (controller == CONTROLLER_POD_GROUP && !run_manages(run, job));
}

static const char *reason_gone(const struct run *run, uint32_t pod,
			       const struct jobtask_failure *failure)
{
	if (!failure->disruption)
		return "PodFailed: nothing makes it again";
	if (run->evictions != NULL && run->evictions[pod] != 0)
		return "DeletionByTaintManager: the pod is gone, nothing makes it again";
	return "PreemptionByScheduler: the pod is gone, nothing makes it again";
}

bool jobctl_released(struct run *run, uint32_t job)
{
	if (!is_on_its_own(run, job))
		return false;
	jobend_lose(run, job, "WorkloadEvicted: its pods are gone, nothing makes them again");
	return true;
}

/* A pod failed, or is lost: its Job counts that, and ends if it was once too often. */
static void count_failure(struct run *run, uint32_t pod, const struct jobtask_failure *failure)
{
	uint32_t job = run->world.pods[pod].job;
	const char *reason = NULL;
	bool more = false;

	if (state(run, job)->phase != JOB_ADMITTED)
		return;
	if (is_on_its_own(run, job)) {
		jobend_lose(run, job, reason_gone(run, pod, failure));
		return;
	}
	state(run, job)->failures++;
	if (jobpods_tasks(run, job) != NULL && !jobpods_is_service(run, job))
		reason = jobtask_fail(jobpods_tasks(run, job), failure);
	if (jobpods_solo(run, job))
		more = count(run, job);
	if (reason != NULL) {
		jobend_fail(run, job, reason);
		return;
	}
	if (more)
		run_tell_job(run, HAP_POD_SUCCEEDED, job);
	expect_replacement(run, pod);
}

/* ---- pods come to an end ---- */

static void pod_succeeded(struct run *run, uint32_t pod, uint32_t completion)
{
	struct pod *p = &run->world.pods[pod];

	run_note_pod(run, J_POD_SUCCEEDED, pod, p->node, completion);
	podgone_remove(run, pod);
	run_touch(run, p->job);
	/* The back-off counts failures since the last success. */
	state(run, p->job)->failures = 0;
	run_cancel(run, state(run, p->job)->next, CLASS_RETRY);
	reconcile(run, p->job);
}

/* It starts again in its pod. */
static void container_failed(struct run *run, uint32_t pod, int32_t code)
{
	uint32_t job = run->world.pods[pod].job;

	podcrash_fail(run, pod, code);
	if (jobpods_solo(run, job)) {
		run_note_pod(run, J_POD_PAUSED, pod, 0, 0);
		jobpods_stop(run, pod);
	}
	run_touch(run, job);
	jobctl_interrupt(run, job);
}

void jobctl_restart(struct run *run, uint32_t pod)
{
	const struct pod *p = &run->world.pods[pod];
	struct job_run *s = state(run, p->job);

	if (podcrash_over(run, pod) && s->phase == JOB_ADMITTED) {
		jobend_fail(run, p->job, "BackoffLimitExceeded");
		return;
	}
	if (s->phase != JOB_ADMITTED)
		return;
	run_touch(run, p->job);
	if (jobpods_solo(run, p->job) && p->phase == POD_BOUND)
		solo_bound(run, pod);
	else if (!jobpods_solo(run, p->job) &&
		 (run->placement == NULL || s->pods_bound == s->pods_wanted))
		pods_run(run, p->job);
}

static void pod_crashed(struct run *run, uint32_t pod, uint32_t completion, int32_t code)
{
	struct pod *p = &run->world.pods[pod];

	if (podcrash_restarts(run, p->job)) {
		container_failed(run, pod, code);
		return;
	}
	run_note_pod(run, J_POD_CRASHED, pod, p->node, (uint32_t)code);
	podgone_remove(run, pod);
	run_touch(run, p->job);
	jobctl_interrupt(run, p->job);
	count_failure(run, pod,
		      &(struct jobtask_failure){
			      .now = run->world.now, .completion = completion, .code = code});
}

void jobctl_pod_end(struct run *run, uint32_t pod, uint32_t attempt)
{
	uint32_t job = run->world.pods[pod].job, completion;
	int32_t code = 0;

	if (!jobpods_solo(run, job)) {
		run->running--;
		state(run, job)->next = (struct evq_handle){0};
		pod_crashed(run, pod, JOB_NONE, (int32_t)attempt);
		return;
	}
	completion = jobpods_completion(run, pod);
	if (!jobpods_end(run, pod, attempt, &code))
		return;
	if (code == 0)
		pod_succeeded(run, pod, completion);
	else
		pod_crashed(run, pod, completion, code);
}

/* ---- pods are lost ---- */

void jobctl_pod_gone(struct run *run, uint32_t pod, uint32_t incarnation)
{
	struct pod *p = &run->world.pods[pod];
	bool solo = jobpods_solo(run, p->job);
	uint32_t completion = JOB_NONE;

	if (p->phase == POD_ABSENT || p->incarnation != incarnation)
		return; /* its job was removed meanwhile */
	if (run->evictions != NULL && run->evictions[pod] != 0)
		run_note_pod(run, J_POD_EVICTED, pod, p->node, run->evictions[pod] - 1);
	else
		run_note_pod(run, J_POD_PREEMPTED, pod, p->node, run->killers[pod]);
	if (solo)
		completion = jobpods_completion(run, pod);
	podgone_remove(run, pod);
	run_touch(run, p->job);
	jobctl_interrupt(run, p->job);
	count_failure(run, pod,
		      &(struct jobtask_failure){
			      .now = run->world.now, .completion = completion, .disruption = true});
}

/* It works no more, but keeps its place. */
static void pause_pod(struct run *run, uint32_t pod, enum pod_phase phase)
{
	struct pod *p = &run->world.pods[pod];

	p->phase = (uint8_t)phase;
	state(run, p->job)->pods_bound--;
	if (jobpods_solo(run, p->job) && jobpods_since(run, pod) != CLOCK_NEVER) {
		run_note_pod(run, J_POD_PAUSED, pod, 0, 0);
		jobpods_stop(run, pod);
	}
}

/* At once, or when its grace period is over. */
static void stop_pod(struct run *run, uint32_t pod)
{
	struct pod *p = &run->world.pods[pod];

	if (run->options->grace == 0 || p->phase == POD_DEAD) {
		jobctl_pod_gone(run, pod, p->incarnation);
		return;
	}
	pause_pod(run, pod, POD_TERMINATING);
	run_tell_pod(run, HAP_POD_TERMINATING, pod, p->node);
	jobctl_interrupt(run, p->job);
	run_touch(run, p->job);
	run_schedule(run, clock_add(run->world.now, run->options->grace), CLASS_RELEASE,
		     EV_POD_GONE, pod, p->incarnation);
}

static void note_why(struct run *run, uint32_t pod, uint32_t why)
{
	if (run->evictions == NULL)
		run->evictions = mem_calloc(first_pod(run, run->scenario->job_count),
					    sizeof(*run->evictions));
	run->evictions[pod] = why + 1;
	run->moves++;
}

void jobctl_evict_pod(struct run *run, uint32_t pod, uint32_t why)
{
	if (run->world.pods[pod].phase == POD_TERMINATING)
		return;
	note_why(run, pod, why);
	stop_pod(run, pod);
}

void jobctl_strand_pod(struct run *run, uint32_t pod, uint32_t why)
{
	struct pod *p = &run->world.pods[pod];

	assert(p->phase == POD_DEAD);
	note_why(run, pod, why);
	p->phase = POD_TERMINATING;
	run_tell_pod(run, HAP_POD_TERMINATING, pod, p->node);
	run_touch(run, p->job);
}

void jobctl_pod_dead(struct run *run, uint32_t pod)
{
	struct pod *p = &run->world.pods[pod];

	assert(p->phase == POD_BOUND);
	pause_pod(run, pod, POD_DEAD);
	jobctl_interrupt(run, p->job);
	run_touch(run, p->job);
}

void jobctl_pod_alive(struct run *run, uint32_t pod)
{
	struct pod *p = &run->world.pods[pod];
	struct job_run *s = state(run, p->job);

	assert(p->phase == POD_DEAD);
	p->phase = POD_BOUND;
	s->pods_bound++;
	run_touch(run, p->job);
	if (podstage_ordered(run, p->job))
		stage_bound(run, pod);
	if (jobpods_solo(run, p->job))
		solo_bound(run, pod);
	else if (s->pods_bound == s->pods_wanted && s->phase == JOB_ADMITTED)
		pods_run(run, p->job);
}

void jobctl_preempt_pod(struct run *run, uint32_t pod, uint32_t by_pod)
{
	struct pod *p = &run->world.pods[pod];

	if (run->removing == p->job + 1) {
		podgone_remove_told(run, pod);
		return;
	}
	if (p->phase == POD_ABSENT)
		return; /* its job failed with the loss of another victim */
	if (run->killers == NULL)
		run->killers =
			mem_calloc(first_pod(run, run->scenario->job_count), sizeof(*run->killers));
	run->killers[pod] = by_pod;
	run->moves++;
	if (p->phase == POD_TERMINATING)
		return;
	if (run->evictions != NULL)
		run->evictions[pod] = 0;
	assert(p->phase == POD_BOUND);
	stop_pod(run, pod);
}

/* Pods that wait for a node: the scheduler has to know of their new domains. */
void jobctl_moved(struct run *run, uint32_t job)
{
	uint32_t first = first_pod(run, job);

	if (run->placement == NULL)
		return;
	for (uint32_t i = 0; i < run->scenario->jobs[job].common->pods; i++) {
		if (run->world.pods[first + i].phase != POD_PENDING)
			continue;
		run->world.pods[first + i].phase = POD_ABSENT;
		run_tell_pod(run, HAP_POD_DELETED, first + i, NODE_NONE);
		run->world.pods[first + i].phase = POD_PENDING;
		run_tell_pod(run, HAP_POD_CREATED, first + i, NODE_NONE);
	}
	run_touch(run, job);
}

void jobctl_placement_timeout(struct run *run, uint32_t job)
{
	struct job_run *s = state(run, job);
	simtime wait;

	if (s->phase != JOB_ADMITTED || s->pods_bound == s->pods_wanted || jobpods_solo(run, job))
		return;
	run_note(run, J_PLACEMENT_TIMEOUT, job, journal_string(run->journal, "PodsReadyTimeout"),
		 0);
	podgone_remove_all(run, job);
	if (s->timeouts < UINT8_MAX)
		s->timeouts++;
	wait = jobtask_doubling(RECREATE_BASE, s->timeouts, RECREATE_MAX);
	s->creation = run_schedule(run, clock_add(run->world.now, wait), CLASS_RETRY, EV_RECREATE,
				   job, 0);
}

void jobctl_recreate(struct run *run, uint32_t job)
{
	if (state(run, job)->phase != JOB_ADMITTED)
		return;
	state(run, job)->pods_bound = 0;
	podmake_missing(run, job);
	podmake_arm_timeout(run, job);
}
