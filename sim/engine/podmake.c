#include "sim/engine/podmake.h"

#include <assert.h>
#include <stdio.h>

#include "sim/engine/jobpods.h"
#include "sim/engine/podstage.h"

#define CREATE_BASE CLOCK_SECOND
#define CREATE_MAX  (60 * CLOCK_SECOND)

static struct job_run *state(struct run *run, uint32_t job)
{
	return world_job(&run->world, job);
}

static uint32_t first_pod(const struct run *run, uint32_t job)
{
	return run->journal->first_pod[job];
}

uint32_t podmake_slots(const struct run *run, uint32_t job)
{
	uint32_t n = 0;

	for (uint32_t k = 0; k < run->scenario->jobs[job].common->pod_set_count; k++)
		n += world_pod_set_count(&run->world, job, k);
	if (podstage_ordered(run, job))
		n -= podstage_done(run, job);
	return n;
}

void podmake_await(struct run *run, uint32_t job)
{
	if (state(run, job)->awaits_pods)
		return; /* admitted, evicted and admitted again at one instant */
	state(run, job)->awaits_pods = 1;
	run->to_create = mem_grow(run->to_create, run->to_create_count + 1,
				  &run->to_create_capacity, sizeof(*run->to_create));
	run->to_create[run->to_create_count++] = job;
}

/* LimitRanger comes before ResourceQuota. */
static bool admitted(struct run *run, const struct pod *p)
{
	const struct pod_shape *shape = &run->scenario->shapes[p->shape];
	struct quota_pod pod;

	if (shape->faults != NULL && shape->faults->forbidden != NULL)
		return false;
	if (run->quotas == NULL)
		return true;
	pod = resourcequota_pod(run->scenario, p->job, shape);
	return resourcequota_charge(run->quotas, &pod);
}

static void say_why(const struct run *run, const struct pod *p, char *why, size_t size)
{
	const struct pod_shape *shape = &run->scenario->shapes[p->shape];
	struct quota_pod pod = resourcequota_pod(run->scenario, p->job, shape);

	if (shape->faults != NULL && shape->faults->forbidden != NULL)
		snprintf(why, size, "%s", shape->faults->forbidden);
	else
		resourcequota_explain(run->quotas, &pod, why, size);
}

/* The first refusal tells enough, unless all is to be told. */
static bool is_told(const struct run *run, uint32_t job)
{
	return run->journal->detail == JOURNAL_FULL || world_job(&run->world, job)->refusals == 0 ||
	       job == run->options->heard;
}

/* The API server does not take the pod. */
static void forbid(struct run *run, uint32_t pod)
{
	const struct pod *p = &run->world.pods[pod];
	char why[2048], text[2400], name[JOURNAL_POD_TEXT];

	if (!is_told(run, p->job))
		return;
	say_why(run, p, why, sizeof(why));
	run_note_pod(run, J_POD_FORBIDDEN, pod, NAME_NONE, 0);
	journal_pod_name(run->journal, journal_last(run->journal), name);
	snprintf(text, sizeof(text), "pods \"%s\" is forbidden: %s", name, why);
	journal_last(run->journal)->arg = journal_string(run->journal, text);
}

/* Where nothing is placed the pods of a gang are no pods; others work at once. */
static void appear(struct run *run, uint32_t pod)
{
	struct pod *p = &run->world.pods[pod];

	p->phase = POD_PENDING;
	if (run->placement == NULL) {
		p->phase = POD_BOUND;
		state(run, p->job)->pods_bound++;
		jobpods_begin(run, pod);
		return;
	}
	if (run->journal->detail == JOURNAL_FULL)
		run_note_pod(run, J_POD_CREATED, pod, 0, 0);
	run_tell_pod(run, HAP_POD_CREATED, pod, NODE_NONE);
	run_settle(run);
}

static bool create_pod(struct run *run, uint32_t pod)
{
	struct pod *p = &run->world.pods[pod];

	assert(p->phase == POD_ABSENT);
	if (p->created)
		p->incarnation++;
	if (!admitted(run, p)) {
		forbid(run, pod);
		p->incarnation -= p->created;
		return false;
	}
	p->created = 1;
	appear(run, pod);
	return true;
}

/* Is the index-th slot of the job wanted in this attempt? (Partial admission
 * leaves the last pods of a pod set out.) */
static bool slot_wanted(const struct run *run, uint32_t job, uint32_t index)
{
	const struct job *j = &run->scenario->jobs[job];

	if (world_admission(&run->world, job) == NULL)
		return true;
	for (uint32_t k = 0; k < j->common->pod_set_count; k++) {
		uint32_t slots = run->scenario->pod_sets[j->common->first_pod_set + k].count;

		if (index < slots)
			return index < world_pod_set_count(&run->world, job, k);
		index -= slots;
	}
	return false;
}

/* All before it run. */
static bool is_its_turn(struct run *run, uint32_t job, uint32_t index)
{
	const struct pod *pods = &run->world.pods[first_pod(run, job)];

	for (uint32_t i = 0; i < index; i++) {
		if (pods[i].phase != POD_BOUND)
			return false;
	}
	return true;
}

/* Of pods that work each for itself there are as many as the controller wants, and it
 * has work for. */
static bool solo_wanted(struct run *run, uint32_t job, uint32_t index)
{
	const struct job_control *control = scenario_job_control(run->scenario, job);
	uint32_t wanted = state(run, job)->pods_wanted;

	if (jobpods_controller(run, job) == CONTROLLER_STATEFUL_SET) {
		if (index >= wanted || (control->ordered && !is_its_turn(run, job, index)))
			return false;
	} else if (jobpods_active(run, job) >= wanted) {
		return false;
	}
	return jobpods_take(run, first_pod(run, job) + index);
}

/* It is made again when its back-off is over (podmake_lost). */
static bool is_lost(const struct run *run, uint32_t pod)
{
	size_t i = 0;

	if (evq_when(run->events, world_job(&run->world, run->world.pods[pod].job)->next) ==
	    CLOCK_NEVER)
		return false;
	while (i < run->lost_count && run->lost[i] != pod)
		i++;
	return i < run->lost_count;
}

/* Others come first (podstage.h). */
static bool is_early(const struct run *run, uint32_t job, uint32_t index)
{
	return podstage_ordered(run, job) &&
	       (is_lost(run, first_pod(run, job) + index) || !podstage_allows(run, job, index));
}

static bool create_slot(struct run *run, uint32_t job, uint32_t index)
{
	uint32_t pod = first_pod(run, job) + index;
	bool solo = jobpods_solo(run, job), created;

	if (run->world.pods[pod].phase != POD_ABSENT || !slot_wanted(run, job, index) ||
	    is_early(run, job, index) || (solo && !solo_wanted(run, job, index)))
		return true;
	created = create_pod(run, pod);
	if (!created && solo)
		jobpods_give_back(run, pod);
	return created;
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
	wait = jobtask_doubling(CREATE_BASE, s->refusals, CREATE_MAX);
	run->refused++;
	if (run->refused_at != NULL)
		run->refused_at[job] =
			resourcequota_refunds(run->quotas, run->scenario->jobs[job].common->ns);
	s->creation = run_schedule(run, clock_add(run->world.now, wait), CLASS_RETRY, EV_CREATE,
				   job, s->attempt);
}

/* Refused creations are counted, others are not. */
void podmake_cancel(struct run *run, uint32_t job)
{
	if (run_cancel(run, state(run, job)->creation, CLASS_RETRY) &&
	    state(run, job)->refusals != 0)
		run->refused--;
	state(run, job)->refusals = 0;
}

/* Looking through its slots would find nothing to make. */
static bool is_full(struct run *run, uint32_t job)
{
	return jobpods_solo(run, job) && jobpods_active(run, job) >= state(run, job)->pods_wanted;
}

void podmake_missing(struct run *run, uint32_t job)
{
	uint32_t pods = run->scenario->jobs[job].common->pods, index = 0;
	bool refused = false;

	for (uint32_t batch = 1; index < pods && !refused && !is_full(run, job); batch *= 2) {
		for (uint32_t i = 0; i < batch && index < pods; i++, index++)
			refused = !create_slot(run, job, index) || refused;
	}
	if (refused)
		retry_creation(run, job);
	else
		podmake_cancel(run, job);
}

static void create_interleaved(struct run *run)
{
	bool more = true;

	for (uint32_t index = 0; more; index++) {
		more = false;
		for (size_t i = 0; i < run->to_create_count; i++) {
			uint32_t job = run->to_create[i];

			if (index >= run->scenario->jobs[job].common->pods ||
			    state(run, job)->refusals != 0)
				continue;
			if (!create_slot(run, job, index))
				retry_creation(run, job);
			more = true;
		}
	}
}

/* Nothing was given back since the last refusal, so the same would be refused: charges only
 * take, and what the job's own pods gave back counts too. */
static bool in_vain(const struct run *run, uint32_t job)
{
	return run->refused_at != NULL && !is_told(run, job) &&
	       run->refused_at[job] ==
		       resourcequota_refunds(run->quotas, run->scenario->jobs[job].common->ns);
}

void podmake_retry(struct run *run, uint32_t job, uint32_t attempt)
{
	run->refused--;
	if (state(run, job)->phase != JOB_ADMITTED ||
	    (state(run, job)->attempt != attempt && !jobpods_solo(run, job)))
		return;
	if (in_vain(run, job))
		retry_creation(run, job);
	else
		podmake_missing(run, job);
}

void podmake_lost(struct run *run, uint32_t job)
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

void podmake_arm_timeout(struct run *run, uint32_t job)
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

void podmake_awaited(struct run *run)
{
	if (run->to_create_count == 0)
		return;
	keep_admitted(run);
	if (run->options->create == CREATE_INTERLEAVED) {
		create_interleaved(run);
	} else {
		for (size_t i = 0; i < run->to_create_count; i++)
			podmake_missing(run, run->to_create[i]);
	}
	for (size_t i = 0; i < run->to_create_count; i++)
		podmake_arm_timeout(run, run->to_create[i]);
	run->to_create_count = 0;
}
