#include "sim/engine/jobplain.h"

#include "core/apart.h"
#include "sim/engine/jobpods.h"
#include "sim/engine/podmake.h"
#include "sim/engine/podnode.h"

static bool any_forbidden(const struct scenario *s)
{
	for (uint32_t i = 0; i < s->shape_count; i++) {
		if (s->shapes[i].faults != NULL && s->shapes[i].faults->forbidden != NULL)
			return true;
	}
	return false;
}

/* Who has neither extra nor controller has no life, deadline, start-up order, crashes or
 * CronJob, and what has no pod set that works by itself is a gang. */
bool jobplain_holds(const struct run *run)
{
	return run->placement != NULL && !run->journal->survey.eventful && run->quotas == NULL &&
	       run->after == NULL && run->after_pod == NULL && run->watch == NULL &&
	       run->autoscaler == NULL && run->options->placement_timeout == 0 &&
	       run->options->create == CREATE_SEQUENTIAL && run->journal->detail != JOURNAL_FULL &&
	       !any_forbidden(run->scenario);
}

static void tell(struct run *run, enum happening_kind kind, uint32_t pod, uint32_t node)
{
	const struct happening h = {
		.kind = kind, .job = run->world.pods[pod].job, .pod = pod, .node = node};

	if (!run->ignores_pods && kind != HAP_POD_CREATED)
		run->admission->observe(run->admission_self, &h, &run->plan);
	run->placement->observe(run->placement_self, &h, &run->plan);
}

static void tell_admission(struct run *run, enum happening_kind kind, uint32_t job)
{
	const struct happening h = {.kind = kind, .job = job, .pod = NAME_NONE, .node = NODE_NONE};

	if ((run->scenario->jobs[job].common->flags & JOB_UNMANAGED) == 0)
		run->admission->observe(run->admission_self, &h, &run->plan);
}

static void make_pod(struct run *run, uint32_t pod)
{
	struct pod *p = &run->world.pods[pod];

	if (p->phase != POD_ABSENT)
		return;
	p->incarnation += p->created;
	p->created = 1;
	p->phase = POD_PENDING;
	tell(run, HAP_POD_CREATED, pod, NODE_NONE);
}

/* Partial admission leaves the last pods of a set out. */
static APART void make_some_pods(struct run *run, uint32_t job)
{
	const struct job *j = &run->scenario->jobs[job];
	const struct pod_set *sets = &run->scenario->pod_sets[j->common->first_pod_set];
	const struct admission *a = world_admission(&run->world, job);
	uint32_t first = run->journal->first_pod[job];

	for (uint32_t k = 0; k < j->common->pod_set_count; k++) {
		for (uint32_t i = 0; i < a->pod_sets[k].count; i++)
			make_pod(run, first + i);
		first += sets[k].count;
	}
}

static void make_pods(struct run *run, uint32_t job, uint32_t wanted)
{
	uint32_t pod = run->journal->first_pod[job], end = run->journal->first_pod[job + 1];

	if (wanted != end - pod) {
		make_some_pods(run, job);
		return;
	}
	for (; pod < end; pod++)
		make_pod(run, pod);
}

/* Who was evicted since its admission at this very instant gets none. */
void jobplain_make(struct run *run)
{
	for (size_t i = 0; i < run->to_create_count; i++) {
		uint32_t job = run->to_create[i];
		struct job_run *s = world_job(&run->world, job);

		s->awaits_pods = 0;
		if (s->phase == JOB_ADMITTED)
			make_pods(run, job, s->pods_wanted);
	}
	run->to_create_count = 0;
}

/* The pods of other jobs that come now are made after these, as they are submitted after it:
 * nobody is told of a submit, so that they need not wait for it. */
void jobplain_arrive(struct run *run, uint32_t job)
{
	uint32_t first = run->journal->first_pod[job], count = run->journal->first_pod[job + 1];
	struct job_run *s;

	run->submitted++;
	run_note(run, J_SUBMIT, job, 0, 0);
	world_begin(&run->world, job);
	s = world_job(&run->world, job);
	s->phase = JOB_ADMITTED;
	s->pods_wanted = count - first;
	for (uint32_t pod = first; pod < count; pod++) {
		run->world.pods[pod].created = 1;
		run->world.pods[pod].phase = POD_PENDING;
		tell(run, HAP_POD_CREATED, pod, NODE_NONE);
	}
}

void jobplain_submit(struct run *run, uint32_t job)
{
	run->submitted++;
	run_note(run, J_SUBMIT, job, 0, 0);
	world_begin(&run->world, job);
	world_job(&run->world, job)->phase = JOB_PENDING;
	if (run_manages(run, job))
		tell_admission(run, HAP_SUBMITTED, job);
	else
		jobplain_admit(run, job);
}

/* One pod that ends is never half of a job: deadlock_touch would pass it over, too. */
static void touch(struct run *run, uint32_t job, uint32_t pods)
{
	if (pods != 1 || run->scenario->jobs[job].duration == JOB_ENDLESS)
		deadlock_touch(run->deadlock, job);
}

static void schedule_end(struct run *run, uint32_t job, struct job_run *s)
{
	const struct job *j = &run->scenario->jobs[job];
	simtime work;

	if (j->duration == JOB_ENDLESS)
		return;
	work = clock_add(j->duration - s->saved, s->overhead);
	run->running++;
	s->next = run_schedule(run, clock_add(run->world.now, work), CLASS_FINISH, EV_FINISH, job,
			       s->attempt);
}

static void start(struct run *run, uint32_t job, struct job_run *s)
{
	const struct job *j = &run->scenario->jobs[job];

	s->overhead = s->saved > 0 ? j->common->restart_cost : 0;
	s->attempt++;
	s->started = 1;
	s->running_since = run->last_start = run->world.now;
	run_note(run, J_STARTED, job, s->attempt, 0);
	schedule_end(run, job, s);
	if (run->admission != NULL)
		tell_admission(run, HAP_PODS_READY, job);
}

static uint32_t admitted_pods(const struct run *run, uint32_t job)
{
	const struct admission *a = world_admission(&run->world, job);
	uint32_t pods = 0;

	if (a == NULL)
		return run->scenario->jobs[job].common->pods;
	for (uint32_t k = 0; k < run->scenario->jobs[job].common->pod_set_count; k++)
		pods += a->pod_sets[k].count;
	return pods;
}

void jobplain_admit(struct run *run, uint32_t job)
{
	struct job_run *s = world_job(&run->world, job);

	s->phase = JOB_ADMITTED;
	s->pods_wanted = admitted_pods(run, job);
	s->pods_bound = 0;
	if (s->pods_wanted == 0)
		start(run, job, s);
	else
		podmake_await(run, job);
}

void jobplain_bound(struct run *run, uint32_t pod, uint32_t node)
{
	uint32_t job = run->world.pods[pod].job;
	struct job_run *s = podnode_take(run, pod, node);

	tell(run, HAP_POD_BOUND, pod, node);
	touch(run, job, s->pods_wanted);
	if (s->pods_bound == s->pods_wanted)
		start(run, job, s);
}

static void remove_pod(struct run *run, uint32_t pod, struct job_run *s)
{
	struct pod *p = &run->world.pods[pod];

	if (p->phase == POD_ABSENT)
		return;
	s->pods_bound -= p->phase == POD_BOUND;
	p->phase = POD_ABSENT;
	tell(run, HAP_POD_DELETED, pod, podnode_leave(run, pod));
}

void jobplain_finish(struct run *run, uint32_t job)
{
	uint32_t first = run->journal->first_pod[job], count = run->journal->first_pod[job + 1];
	struct job_run *s = world_job(&run->world, job);

	if (s->overhead > 0)
		jobpods_note_lost(run, job, NAME_NONE, s->overhead);
	run->running--;
	run_note(run, J_FINISHED, job, 0, 0);
	s->running_since = CLOCK_NEVER;
	s->finished = 1;
	s->phase = JOB_DONE;
	run->finished++;
	run->ended++;
	run->last_finish = run->last_start = run->last_move = run->world.now;
	run->left =
		mem_grow(run->left, run->left_count + 1, &run->left_capacity, sizeof(*run->left));
	run->left[run->left_count++] = job;
	for (uint32_t pod = first; pod < count; pod++)
		remove_pod(run, pod, s);
	touch(run, job, count - first);
	if (run->admission == NULL)
		return;
	tell_admission(run, HAP_FINISHED, job);
	s->admission = JOB_NONE;
}
