#include "sim/engine/jobpods.h"

#include "core/mem.h"
#include "sim/engine/recurrence.h"

struct slot { /* of a pod */
	struct evq_handle end;
	simtime since;	  /* works since; CLOCK_NEVER: does not */
	simtime overhead; /* restart cost that it pays first */
	uint32_t task;	  /* completion; JOB_NONE */
	int32_t code;	  /* with which it will end */
};

struct control {	/* of a job */
	simtime *saved; /* [completion] work in checkpoints; NULL while none has any */
	struct jobtask *tasks;
	struct evq_handle deadline;
	struct jobpods_orders orders;
	uint32_t active;  /* pods there are */
	uint32_t works;	  /* of them at work */
	uint32_t started; /* pods, or attempts of a gang, ever */
};

struct jobpods {
	struct slot *slots;	  /* [pod]; NULL: no job is solo */
	struct control *controls; /* [job] */
};

bool jobpods_solo(const struct run *run, uint32_t job)
{
	return run->journal->survey.solo &&
	       (run->scenario->jobs[job].common->flags & JOB_SOLO) != 0;
}

static void open_job(struct run *run, uint32_t job)
{
	const struct job_control *control = scenario_job_control(run->scenario, job);

	struct control *c = &run->jobpods->controls[job];

	if (jobpods_solo(run, job) || control != NULL)
		c->tasks = jobtask_new(scenario_job_completions(run->scenario, job),
				       run->scenario->jobs[job].common->pods, control);
	if (control != NULL)
		c->orders = (struct jobpods_orders){.replicas = control->replicas,
						    .suspended = control->suspended};
}

void jobpods_open(struct run *run)
{
	const struct scenario *s = run->scenario;
	uint32_t slots = run->journal->first_pod[s->job_count];
	bool any = run->journal->survey.solo;

	for (uint32_t job = 0; s->extra_count != 0 && job < s->job_count && !any; job++)
		any = scenario_job_control(s, job) != NULL;
	if (!any)
		return;
	run->jobpods = mem_calloc(1, sizeof(*run->jobpods));
	run->jobpods->controls = mem_calloc(s->job_count, sizeof(*run->jobpods->controls));
	for (uint32_t job = 0; job < s->job_count; job++)
		open_job(run, job);
	if (!run->journal->survey.solo)
		return;
	run->jobpods->slots = mem_calloc(slots, sizeof(*run->jobpods->slots));
	for (uint32_t i = 0; i < slots; i++)
		run->jobpods->slots[i] = (struct slot){.since = CLOCK_NEVER, .task = JOB_NONE};
}

void jobpods_free(struct jobpods *pods, uint32_t job_count)
{
	if (pods == NULL)
		return;
	for (uint32_t job = 0; job < job_count; job++) {
		jobtask_free(pods->controls[job].tasks);
		mem_free(pods->controls[job].saved);
	}
	mem_free(pods->controls);
	mem_free(pods->slots);
	mem_free(pods);
}

static struct control *control_of(const struct run *run, uint32_t job)
{
	return &run->jobpods->controls[job];
}

static struct slot *slot_of(const struct run *run, uint32_t pod)
{
	return &run->jobpods->slots[pod];
}

struct jobtask *jobpods_tasks(const struct run *run, uint32_t job)
{
	return run->jobpods == NULL ? NULL : control_of(run, job)->tasks;
}

enum job_controller jobpods_controller(const struct run *run, uint32_t job)
{
	const struct job_control *control = scenario_job_control(run->scenario, job);

	return control == NULL ? CONTROLLER_JOB : control->controller;
}

bool jobpods_is_service(const struct run *run, uint32_t job)
{
	enum job_controller controller = jobpods_controller(run, job);

	return controller == CONTROLLER_REPLICA_SET || controller == CONTROLLER_STATEFUL_SET;
}

struct jobpods_orders *jobpods_orders(const struct run *run, uint32_t job)
{
	return &control_of(run, job)->orders;
}

struct evq_handle *jobpods_deadline(struct run *run, uint32_t job)
{
	return &control_of(run, job)->deadline;
}

/* ---- completions ---- */

uint32_t jobpods_room(const struct run *run, uint32_t job)
{
	uint32_t wanted = world_job(&run->world, job)->pods_wanted,
		 active = control_of(run, job)->active;

	return wanted > active ? wanted - active : 0;
}

bool jobpods_take(struct run *run, uint32_t pod)
{
	uint32_t job = run->world.pods[pod].job;
	uint32_t task =
		jobtask_take(control_of(run, job)->tasks, run->world.now, jobpods_room(run, job));

	if (task == JOB_NONE)
		return false;
	slot_of(run, pod)->task = task;
	control_of(run, job)->active++;
	return true;
}

void jobpods_give_back(struct run *run, uint32_t pod)
{
	struct control *c = control_of(run, run->world.pods[pod].job);
	struct slot *slot = slot_of(run, pod);

	c->active--;
	if (slot->task != JOB_NONE)
		jobtask_put_back(c->tasks, slot->task);
	slot->task = JOB_NONE;
}

uint32_t jobpods_completion(const struct run *run, uint32_t pod)
{
	return slot_of(run, pod)->task;
}

uint32_t jobpods_active(const struct run *run, uint32_t job)
{
	return control_of(run, job)->active;
}

bool jobpods_any_works(const struct run *run, uint32_t job)
{
	return control_of(run, job)->works != 0;
}

simtime jobpods_since(const struct run *run, uint32_t pod)
{
	return slot_of(run, pod)->since;
}

/* ---- work ---- */

simtime jobpods_kept(const struct run *run, uint32_t job, simtime progress)
{
	const struct job *j = &run->scenario->jobs[job];

	if (j->duration == JOB_ENDLESS)
		return progress; /* a service has served */
	if (j->common->checkpoint > 0)
		return progress - progress % j->common->checkpoint;
	return run->options->checkpointing == CHECKPOINT_RESUME ? progress : 0;
}

void jobpods_note_lost(struct run *run, uint32_t job, uint32_t pod, simtime lost)
{
	uint32_t low = (uint32_t)lost, high = (uint32_t)(lost >> 32);

	if (lost <= 0)
		return;
	if (pod == NAME_NONE)
		run_note(run, J_WORK_LOST, job, low, high);
	else
		run_note_pod(run, J_WORK_LOST, pod, low, high);
}

void jobpods_call_off(struct run *run, struct evq_handle *end)
{
	simtime due = evq_when(run->events, *end);

	if (due != CLOCK_NEVER && due > run->left_until)
		run->left_until = due;
	if (run_cancel(run, *end, CLASS_FINISH))
		run->running--;
	*end = (struct evq_handle){0};
}

static simtime saved_work(const struct run *run, uint32_t job, uint32_t task)
{
	const simtime *saved = control_of(run, job)->saved;

	return saved == NULL ? 0 : saved[task];
}

static void save_work(struct run *run, uint32_t job, uint32_t task, simtime work)
{
	struct control *c = control_of(run, job);
	uint32_t count = scenario_job_completions(run->scenario, job);

	if (c->saved == NULL && work == 0)
		return;
	if (c->saved == NULL)
		c->saved = mem_calloc(count == JOB_NONE ? run->scenario->jobs[job].common->pods
							: count,
				      sizeof(*c->saved));
	c->saved[task] = work;
}

/* When the pod ends, and how. */
static void schedule_end(struct run *run, uint32_t pod, simtime left)
{
	uint32_t job = run->world.pods[pod].job;
	struct slot *slot = slot_of(run, pod);
	const struct pod_fate *fate = jobtask_fate(scenario_job_control(run->scenario, job),
						   ++control_of(run, job)->started, slot->task);

	slot->code = 0;
	if (fate != NULL && fate->after < left) {
		slot->code = fate->code;
		left = fate->after;
	}
	if (left == CLOCK_NEVER)
		return;
	run->running++;
	slot->end = run_schedule(run, clock_add(clock_add(run->world.now, left), slot->overhead),
				 CLASS_FINISH, EV_POD_END, pod, run->world.pods[pod].incarnation);
}

static void start_job(struct run *run, uint32_t job)
{
	struct job_run *s = world_job(&run->world, job);

	s->attempt++;
	s->started = 1;
	s->running_since = run->world.now;
	run_note(run, J_STARTED, job, s->attempt, 0);
}

void jobpods_begin(struct run *run, uint32_t pod)
{
	uint32_t job = run->world.pods[pod].job;
	struct slot *slot = slot_of(run, pod);
	simtime work = scenario_job_work(run->scenario, job, slot->task);
	simtime saved = saved_work(run, job, slot->task);

	if (world_job(&run->world, job)->running_since == CLOCK_NEVER)
		start_job(run, job);
	slot->since = run->last_start = run->world.now;
	slot->overhead = saved > 0 ? run->scenario->jobs[job].common->restart_cost : 0;
	control_of(run, job)->works++;
	run_note_pod(run, J_POD_STARTED, pod, slot->task, 0);
	schedule_end(run, pod, work == JOB_ENDLESS ? CLOCK_NEVER : work - saved);
}

static void rest(struct run *run, uint32_t pod)
{
	slot_of(run, pod)->since = CLOCK_NEVER;
	control_of(run, run->world.pods[pod].job)->works--;
	run->last_start = run->world.now;
}

bool jobpods_stop(struct run *run, uint32_t pod)
{
	uint32_t job = run->world.pods[pod].job;
	struct slot *slot = slot_of(run, pod);
	simtime done, saved, kept;

	if (slot->since == CLOCK_NEVER)
		return false;
	saved = saved_work(run, job, slot->task);
	done = run->world.now - slot->since;
	kept = jobpods_kept(run, job, saved + (done > slot->overhead ? done - slot->overhead : 0));
	if (kept > saved)
		recurrence_saved(run, job);
	else
		kept = saved;
	jobpods_note_lost(run, job, pod, done - (kept - saved));
	save_work(run, job, slot->task, kept);
	rest(run, pod);
	jobpods_call_off(run, &slot->end);
	return true;
}

void jobpods_retire(struct run *run, uint32_t pod)
{
	if (slot_of(run, pod)->since == CLOCK_NEVER)
		return;
	rest(run, pod);
	jobpods_call_off(run, &slot_of(run, pod)->end);
}

bool jobpods_end(struct run *run, uint32_t pod, uint32_t incarnation, int32_t *code)
{
	uint32_t job = run->world.pods[pod].job;
	struct slot *slot = slot_of(run, pod);

	run->running--;
	slot->end = (struct evq_handle){0};
	if (slot->since == CLOCK_NEVER || run->world.pods[pod].incarnation != incarnation)
		return false;
	*code = slot->code;
	if (slot->code != 0)
		return true;
	jobpods_note_lost(run, job, pod, slot->overhead);
	jobtask_succeed(control_of(run, job)->tasks, slot->task);
	recurrence_reset(run);
	slot->task = JOB_NONE;
	rest(run, pod);
	run->last_move = run->world.now;
	return true;
}

simtime jobpods_gang_fails(struct run *run, uint32_t job, simtime work, int32_t *code)
{
	const struct job_control *control = scenario_job_control(run->scenario, job);
	const struct pod_fate *fate;

	if (control == NULL)
		return CLOCK_NEVER;
	fate = jobtask_fate(control, ++control_of(run, job)->started, JOB_NONE);
	if (fate == NULL || fate->after >= work)
		return CLOCK_NEVER;
	*code = fate->code;
	return fate->after;
}
