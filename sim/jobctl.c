#include "sim/jobctl.h"

#include <assert.h>
#include <stdio.h>

#include "sim/podlife.h"

#define BACKOFF_BASE  (10 * CLOCK_SECOND)
#define BACKOFF_MAX   (600 * CLOCK_SECOND)
#define RECREATE_BASE (60 * CLOCK_SECOND)
#define RECREATE_MAX  (3600 * CLOCK_SECOND)
#define CREATE_BASE   CLOCK_SECOND
#define CREATE_MAX    (60 * CLOCK_SECOND)

/* base * 2^(n-1), n >= 1, at most max */
static simtime doubling(simtime base, uint32_t n, simtime max)
{
	simtime d = base;

	while (--n > 0 && d < max)
		d *= 2;
	return d < max ? d : max;
}

static struct job_run *state(struct run *run, uint32_t job)
{
	return &run->world.jobs[job];
}

static uint32_t first_pod(const struct run *run, uint32_t job)
{
	return run->journal->first_pod[job];
}

static uint32_t wanted_pods(const struct run *run, uint32_t job)
{
	uint32_t n = 0;

	for (uint32_t k = 0; k < run->scenario->jobs[job].pod_set_count; k++)
		n += world_pod_set_count(&run->world, job, k);
	return n;
}

static void start(struct run *run, uint32_t job)
{
	const struct job *j = &run->scenario->jobs[job];
	struct job_run *s = state(run, job);

	s->overhead = s->saved > 0 ? j->restart_cost : 0;
	s->attempt++;
	s->started = 1;
	s->running_since = run->world.now;
	run_note(run, J_STARTED, job, s->attempt, 0);
	run->last_start = run->world.now;
	if (j->duration != JOB_ENDLESS) {
		run->running++;
		simtime work = clock_add(j->duration - s->saved, s->overhead);

		s->next = run_schedule(run, clock_add(run->world.now, work), CLASS_FINISH,
				       EV_FINISH, job, s->attempt);
	}
	run_tell_job(run, HAP_PODS_READY, job);
	podlife_started(run, job);
}

/* All its pods run; work begins once they are ready. */
static void pods_run(struct run *run, uint32_t job)
{
	if (!podlife_waits(run, job))
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

void jobctl_admit(struct run *run, uint32_t job)
{
	struct job_run *s = state(run, job);

	s->phase = JOB_ADMITTED;
	s->pods_wanted = wanted_pods(run, job);
	s->pods_bound = 0;
	s->refusals = 0;
	if (run->placement == NULL || s->pods_wanted == 0) {
		pods_run(run, job);
		return;
	}
	if (s->awaits_pods)
		return; /* admitted, evicted and admitted again at one instant */
	s->awaits_pods = 1;
	run->to_create = mem_grow(run->to_create, run->to_create_count + 1,
				  &run->to_create_capacity, sizeof(*run->to_create));
	run->to_create[run->to_create_count++] = job;
}

/* Does the API server take the pod? Where a ResourceQuota refuses, says so. */
static bool allowed(struct run *run, uint32_t pod)
{
	const struct pod *p = &run->world.pods[pod];
	char why[2048], text[2400], name[JOURNAL_POD_TEXT];

	if (run->quotas == NULL ||
	    resourcequota_charge(run->quotas, run->scenario->jobs[p->job].ns,
				 &run->scenario->shapes[p->shape], why, sizeof(why)))
		return true;
	if (run->journal->detail == JOURNAL_FACTS && state(run, p->job)->refusals != 0 &&
	    p->job != run->options->heard)
		return false; /* the first refusal tells enough */
	run_note_pod(run, J_POD_FORBIDDEN, pod, NAME_NONE, 0);
	journal_pod_name(run->journal, &run->journal->records[run->journal->count - 1], name);
	snprintf(text, sizeof(text), "pods \"%s\" is forbidden: %s", name, why);
	run->journal->records[run->journal->count - 1].arg = journal_string(run->journal, text);
	return false;
}

static bool create_pod(struct run *run, uint32_t pod)
{
	struct pod *p = &run->world.pods[pod];

	assert(p->phase == POD_ABSENT);
	if (p->created)
		p->incarnation++;
	if (!allowed(run, pod)) {
		p->incarnation -= p->created;
		return false;
	}
	p->created = 1;
	p->phase = POD_PENDING;
	if (run->journal->detail == JOURNAL_FULL)
		run_note_pod(run, J_POD_CREATED, pod, 0, 0);
	run_tell_pod(run, HAP_POD_CREATED, pod, NODE_NONE);
	run_settle(run);
	return true;
}

/* Is the index-th slot of the job wanted in this attempt? (Partial admission
 * leaves the last pods of a pod set out.) */
static bool slot_wanted(const struct run *run, uint32_t job, uint32_t index)
{
	const struct job *j = &run->scenario->jobs[job];

	if (world_admission(&run->world, job) == NULL)
		return true;
	for (uint32_t k = 0; k < j->pod_set_count; k++) {
		uint32_t slots = run->scenario->pod_sets[j->first_pod_set + k].count;

		if (index < slots)
			return index < world_pod_set_count(&run->world, job, k);
		index -= slots;
	}
	return false;
}

static bool create_slot(struct run *run, uint32_t job, uint32_t index)
{
	uint32_t pod = first_pod(run, job) + index;

	if (run->world.pods[pod].phase != POD_ABSENT || !slot_wanted(run, job, index))
		return true;
	return create_pod(run, pod);
}

/* A refused creation is tried again after a back-off of its own. */
static void retry_creation(struct run *run, uint32_t job)
{
	struct job_run *s = state(run, job);
	simtime wait;

	if (evq_when(run->events, s->creation) != CLOCK_NEVER)
		return; /* what is missing is created together */
	if (s->refusals < UINT8_MAX)
		s->refusals++;
	wait = doubling(CREATE_BASE, s->refusals, CREATE_MAX);
	run->refused++;
	s->creation = run_schedule(run, clock_add(run->world.now, wait), CLASS_RETRY, EV_CREATE,
				   job, s->attempt);
}

/* What is missing, in batches of 1, 2, 4, ...; stops after a batch in which a
 * creation was refused (the Job controller's slow start). */
static void create_all(struct run *run, uint32_t job)
{
	uint32_t pods = run->scenario->jobs[job].pods, index = 0;
	bool refused = false;

	for (uint32_t batch = 1; index < pods && !refused; batch *= 2) {
		for (uint32_t i = 0; i < batch && index < pods; i++, index++)
			refused = !create_slot(run, job, index) || refused;
	}
	if (refused)
		retry_creation(run, job);
	else
		state(run, job)->refusals = 0;
}

static void create_interleaved(struct run *run)
{
	bool more = true;

	for (uint32_t index = 0; more; index++) {
		more = false;
		for (size_t i = 0; i < run->to_create_count; i++) {
			uint32_t job = run->to_create[i];

			if (index >= run->scenario->jobs[job].pods ||
			    state(run, job)->refusals != 0)
				continue;
			if (!create_slot(run, job, index))
				retry_creation(run, job);
			more = true;
		}
	}
}

/* Refused creations are counted, others are not. */
static void cancel_creation(struct run *run, uint32_t job)
{
	if (run_cancel(run, state(run, job)->creation, CLASS_RETRY) &&
	    state(run, job)->refusals != 0)
		run->refused--;
	state(run, job)->refusals = 0;
}

void jobctl_retry(struct run *run, uint32_t job, uint32_t attempt)
{
	run->refused--;
	if (state(run, job)->phase == JOB_ADMITTED && state(run, job)->attempt == attempt)
		create_all(run, job);
}

static void arm_timeout(struct run *run, uint32_t job)
{
	if (run->options->placement_timeout > 0)
		state(run, job)->timeout = run_schedule(
			run, clock_add(run->world.now, run->options->placement_timeout),
			CLASS_TIMEOUT, EV_PLACEMENT_TIMEOUT, job, 0);
}

/* Who was evicted since its admission at this very instant gets no pods. */
static void keep_admitted(struct run *run)
{
	size_t kept = 0;

	for (size_t i = 0; i < run->to_create_count; i++) {
		uint32_t job = run->to_create[i];

		state(run, job)->awaits_pods = 0;
		if (state(run, job)->phase == JOB_ADMITTED)
			run->to_create[kept++] = job;
	}
	run->to_create_count = kept;
}

void jobctl_create_pods(struct run *run)
{
	if (run->to_create_count == 0)
		return;
	keep_admitted(run);
	if (run->options->create == CREATE_INTERLEAVED) {
		create_interleaved(run);
	} else {
		for (size_t i = 0; i < run->to_create_count; i++)
			create_all(run, run->to_create[i]);
	}
	for (size_t i = 0; i < run->to_create_count; i++)
		arm_timeout(run, run->to_create[i]);
	run->to_create_count = 0;
}

void jobctl_bound(struct run *run, uint32_t pod, uint32_t node)
{
	struct pod *p = &run->world.pods[pod];
	struct job_run *s = state(run, p->job);

	assert(p->phase == POD_PENDING);
	p->phase = POD_BOUND;
	p->node = node;
	cluster_add(&run->world.usage, node, &run->scenario->shapes[p->shape]);
	s->pods_bound++;
	run->moves++;
	run->last_move = run->world.now;
	run_note_pod(run, J_POD_SCHEDULED, pod, node, 0);
	run_tell_pod(run, HAP_POD_BOUND, pod, node);
	deadlock_touch(run->deadlock, p->job);
	if (s->pods_bound == s->pods_wanted)
		pods_run(run, p->job);
}

/* Progress that survives a stop at this time (DESIGN.md section 4). */
static simtime kept_work(const struct run *run, uint32_t job, simtime progress)
{
	const struct job *j = &run->scenario->jobs[job];

	if (j->checkpoint > 0)
		return progress - progress % j->checkpoint;
	return run->options->checkpointing == CHECKPOINT_RESUME ? progress : 0;
}

static void note_lost(struct run *run, uint32_t job, simtime lost)
{
	if (lost > 0)
		run_note(run, J_WORK_LOST, job, (uint32_t)lost, (uint32_t)(lost >> 32));
}

void jobctl_stop(struct run *run, uint32_t job)
{
	struct job_run *s = state(run, job);
	simtime done, progress, kept, due;

	podlife_stopped(run, job);
	if (s->running_since == CLOCK_NEVER)
		return;
	done = run->world.now - s->running_since;
	progress = s->saved + (done > s->overhead ? done - s->overhead : 0);
	kept = kept_work(run, job, progress);
	if (kept < s->saved)
		kept = s->saved;
	note_lost(run, job, done - (kept - s->saved));
	s->saved = kept;
	s->running_since = CLOCK_NEVER;
	run->last_start = run->world.now;
	due = evq_when(run->events, s->next);
	if (due != CLOCK_NEVER && due > run->left_until)
		run->left_until = due;
	if (run_cancel(run, s->next, CLASS_FINISH))
		run->running--;
	s->next = (struct evq_handle){0};
	run_tell_job(run, HAP_PODS_LOST, job);
}

/* Takes the pod off its node and out of the queues. */
static void remove_pod(struct run *run, uint32_t pod)
{
	struct pod *p = &run->world.pods[pod];
	uint32_t node = p->node;

	if (p->phase == POD_ABSENT)
		return;
	if (run->quotas != NULL)
		resourcequota_refund(run->quotas, run->scenario->jobs[p->job].ns,
				     &run->scenario->shapes[p->shape]);
	if (node != NODE_NONE)
		cluster_remove(&run->world.usage, node, &run->scenario->shapes[p->shape]);
	if (p->phase == POD_BOUND)
		state(run, p->job)->pods_bound--;
	p->phase = POD_ABSENT;
	p->node = NODE_NONE;
	run_tell_pod(run, HAP_POD_DELETED, pod, node);
	run_settle(run);
}

/* A pod of the job that is being removed. */
static void remove_told(struct run *run, uint32_t pod)
{
	const struct pod *p = &run->world.pods[pod];

	if (run->late[world_pod_index(&run->world, pod)] != 0 && p->phase == POD_BOUND)
		run_note_pod(run, J_POD_DELETED, pod, p->node, 0);
	remove_pod(run, pod);
}

/* Under --drain each the scheduler runs between two removals, and may bind a pod
 * that is about to go, or preempt one, which then goes all the sooner. The record of
 * the job has told the end of all others; the end of such a pod gets its own. */
static void remove_one_by_one(struct run *run, uint32_t first, uint32_t count)
{
	uint32_t *late = mem_calloc(count, sizeof(*late));
	const struct pod *pods = &run->world.pods[first];

	for (uint32_t i = 0; i < count; i++)
		late[i] = pods[i].phase == POD_PENDING;
	run->removing = pods[0].job + 1;
	run->late = late;
	for (uint32_t i = 0; i < count; i++)
		remove_told(run, first + i);
	run->removing = 0;
	run->late = NULL;
	mem_free(late);
}

void jobctl_remove_pods(struct run *run, uint32_t job)
{
	uint32_t first = first_pod(run, job), count = run->scenario->jobs[job].pods;

	if (run->placement == NULL)
		return;
	run_cancel(run, state(run, job)->timeout, CLASS_TIMEOUT);
	cancel_creation(run, job);
	run_cancel(run, state(run, job)->next, CLASS_RETRY);
	if (run->after_pod != NULL) {
		remove_one_by_one(run, first, count);
	} else {
		for (uint32_t i = 0; i < count; i++)
			remove_pod(run, first + i);
	}
	deadlock_touch(run->deadlock, job);
}

void jobctl_drop_pending(struct run *run, uint32_t job)
{
	uint32_t first = first_pod(run, job);

	if (run->placement == NULL)
		return;
	for (uint32_t i = 0; i < run->scenario->jobs[job].pods; i++) {
		if (run->world.pods[first + i].phase == POD_PENDING)
			remove_pod(run, first + i);
	}
	deadlock_touch(run->deadlock, job);
}

static void interrupt(struct run *run, uint32_t job)
{
	if (state(run, job)->running_since == CLOCK_NEVER)
		return;
	run_note(run, J_INTERRUPTED, job, state(run, job)->attempt, 0);
	jobctl_stop(run, job);
}

/* The Job controller replaces what is missing a back-off after the last loss, all
 * of it together, in the order in which it was lost. */
static void expect_replacement(struct run *run, uint32_t pod)
{
	uint32_t job = run->world.pods[pod].job;
	struct job_run *s = state(run, job);
	simtime wait, due;

	run->lost =
		mem_grow(run->lost, run->lost_count + 1, &run->lost_capacity, sizeof(*run->lost));
	run->lost[run->lost_count++] = pod;
	s->failures++;
	wait = doubling(BACKOFF_BASE, s->failures, BACKOFF_MAX);
	due = clock_add(run->world.now, wait);
	if (evq_when(run->events, s->next) == due)
		return; /* capped: the first of several losses keeps its turn */
	run_cancel(run, s->next, CLASS_RETRY);
	s->next = run_schedule(run, due, CLASS_RETRY, EV_REPLACE, job, 0);
}

void jobctl_pod_gone(struct run *run, uint32_t pod, uint32_t incarnation)
{
	struct pod *p = &run->world.pods[pod];

	if (p->phase == POD_ABSENT || p->incarnation != incarnation)
		return; /* its job was removed meanwhile */
	if (run->evictions != NULL && run->evictions[pod] != 0)
		run_note_pod(run, J_POD_EVICTED, pod, p->node, run->evictions[pod] - 1);
	else
		run_note_pod(run, J_POD_PREEMPTED, pod, p->node, run->killers[pod]);
	remove_pod(run, pod);
	deadlock_touch(run->deadlock, p->job);
	interrupt(run, p->job);
	expect_replacement(run, pod);
}

/* At once, or when its grace period is over. */
static void stop_pod(struct run *run, uint32_t pod)
{
	struct pod *p = &run->world.pods[pod];

	if (run->options->grace == 0 || p->phase == POD_DEAD) {
		jobctl_pod_gone(run, pod, p->incarnation);
		return;
	}
	p->phase = POD_TERMINATING;
	state(run, p->job)->pods_bound--;
	run_tell_pod(run, HAP_POD_TERMINATING, pod, p->node);
	interrupt(run, p->job);
	deadlock_touch(run->deadlock, p->job);
	run_schedule(run, clock_add(run->world.now, run->options->grace), CLASS_RELEASE,
		     EV_POD_GONE, pod, p->incarnation);
}

void jobctl_evict_pod(struct run *run, uint32_t pod, uint32_t why)
{
	if (run->world.pods[pod].phase == POD_TERMINATING)
		return;
	if (run->evictions == NULL)
		run->evictions = mem_calloc(first_pod(run, run->scenario->job_count),
					    sizeof(*run->evictions));
	run->evictions[pod] = why + 1;
	run->moves++;
	stop_pod(run, pod);
}

void jobctl_pod_dead(struct run *run, uint32_t pod)
{
	struct pod *p = &run->world.pods[pod];

	assert(p->phase == POD_BOUND);
	p->phase = POD_DEAD;
	state(run, p->job)->pods_bound--;
	interrupt(run, p->job);
	deadlock_touch(run->deadlock, p->job);
}

void jobctl_pod_alive(struct run *run, uint32_t pod)
{
	struct pod *p = &run->world.pods[pod];
	struct job_run *s = state(run, p->job);

	assert(p->phase == POD_DEAD);
	p->phase = POD_BOUND;
	s->pods_bound++;
	deadlock_touch(run->deadlock, p->job);
	if (s->pods_bound == s->pods_wanted && s->phase == JOB_ADMITTED)
		pods_run(run, p->job);
}

void jobctl_preempt_pod(struct run *run, uint32_t pod, uint32_t by_pod)
{
	struct pod *p = &run->world.pods[pod];

	if (run->removing == p->job + 1) {
		remove_told(run, pod);
		return;
	}
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
	for (uint32_t i = 0; i < run->scenario->jobs[job].pods; i++) {
		if (run->world.pods[first + i].phase != POD_PENDING)
			continue;
		run->world.pods[first + i].phase = POD_ABSENT;
		run_tell_pod(run, HAP_POD_DELETED, first + i, NODE_NONE);
		run->world.pods[first + i].phase = POD_PENDING;
		run_tell_pod(run, HAP_POD_CREATED, first + i, NODE_NONE);
	}
	deadlock_touch(run->deadlock, job);
}

void jobctl_replace(struct run *run, uint32_t job)
{
	bool refused = false;
	size_t kept = 0;

	for (size_t i = 0; i < run->lost_count; i++) {
		const struct pod *p = &run->world.pods[run->lost[i]];

		if (p->job != job)
			run->lost[kept++] = run->lost[i];
		else if (p->phase == POD_ABSENT && state(run, job)->phase == JOB_ADMITTED)
			refused = !create_pod(run, run->lost[i]) || refused;
	}
	run->lost_count = kept;
	if (refused)
		retry_creation(run, job);
}

/* The job is over: its pods are gone, its quota is free. */
static void leave(struct run *run, uint32_t job, enum happening_kind kind)
{
	struct job_run *s = state(run, job);

	s->phase = JOB_DONE;
	run->last_move = run->world.now;
	jobctl_remove_pods(run, job);
	run_tell_job(run, kind, job);
	s->admission = JOB_NONE;
}

void jobctl_finish(struct run *run, uint32_t job)
{
	struct job_run *s = state(run, job);

	assert(s->running_since != CLOCK_NEVER);
	note_lost(run, job, s->overhead);
	run_note(run, J_FINISHED, job, 0, 0);
	s->running_since = CLOCK_NEVER;
	s->finished = 1;
	run->finished++;
	run->running--;
	run->last_finish = run->last_start = run->world.now;
	leave(run, job, HAP_FINISHED);
}

void jobctl_cancel(struct run *run, uint32_t job)
{
	struct job_run *s = state(run, job);

	if (s->phase == JOB_DONE || s->phase == JOB_FUTURE)
		return;
	jobctl_stop(run, job);
	run_note(run, J_DELETED, job, 0, 0);
	leave(run, job, HAP_DELETED);
}

void jobctl_placement_timeout(struct run *run, uint32_t job)
{
	struct job_run *s = state(run, job);
	simtime wait;

	if (s->phase != JOB_ADMITTED || s->pods_bound == s->pods_wanted)
		return;
	run_note(run, J_PLACEMENT_TIMEOUT, job, journal_string(run->journal, "PodsReadyTimeout"),
		 0);
	jobctl_remove_pods(run, job);
	if (s->timeouts < UINT8_MAX)
		s->timeouts++;
	wait = doubling(RECREATE_BASE, s->timeouts, RECREATE_MAX);
	s->creation = run_schedule(run, clock_add(run->world.now, wait), CLASS_RETRY, EV_RECREATE,
				   job, 0);
}

void jobctl_recreate(struct run *run, uint32_t job)
{
	if (state(run, job)->phase != JOB_ADMITTED)
		return;
	state(run, job)->pods_bound = 0;
	create_all(run, job);
	arm_timeout(run, job);
}
