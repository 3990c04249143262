#include "sim/engine/podlife.h"

#include "core/mem.h"

/* Of a job with a record of its own (world_begin), and stands where that stands. Those that are
 * not there share what nobody writes into. */
struct podlife {
	uint32_t attempt; /* times all its pods ran so far */
	simtime left;	  /* until the end of its work, while a pod is lost */
	simtime since;	  /* it is */
	bool lost;
};

static const struct job_extra *extra_of(const struct run *run, uint32_t job)
{
	uint32_t extra = run->podlife == NULL ? JOB_NONE : run->scenario->jobs[job].extra;

	return extra == JOB_NONE ? NULL : &run->scenario->extras[extra];
}

static struct podlife *life_of(const struct run *run, uint32_t job)
{
	uint32_t extra = run->podlife == NULL ? JOB_NONE : run->scenario->jobs[job].extra;

	return extra == JOB_NONE ? NULL : &run->podlife[run->world.run_of[job]];
}

static simtime value(const simtime *list, uint32_t count, uint32_t attempt, simtime fallback)
{
	if (count == 0)
		return fallback;
	return list[attempt <= count ? attempt - 1 : count - 1];
}

void podlife_open(struct run *run)
{
	const struct scenario *s = run->scenario;

	if (s->extra_count == 0)
		return;
	run->podlife_capacity = run->world.run_count;
	run->podlife = mem_calloc(run->podlife_capacity, sizeof(*run->podlife));
	for (uint32_t job = 0; job < s->job_count; job++) {
		const struct job_extra *extra = extra_of(run, job);

		if (extra != NULL && extra->cancel_at != CLOCK_NEVER &&
		    extra->cancel_at > s->jobs[job].submit)
			run_schedule(run, extra->cancel_at, CLASS_TIMEOUT, EV_CANCEL, job, 0);
	}
}

void podlife_begin(struct run *run, uint32_t job)
{
	uint32_t at = run->world.run_of[job];

	if (run->podlife == NULL)
		return;
	run->podlife = mem_grow(run->podlife, at + (size_t)1, &run->podlife_capacity,
				sizeof(*run->podlife));
	run->podlife[at] = (struct podlife){0};
}

void podlife_free(struct podlife *life)
{
	mem_free(life);
}

bool podlife_waits(struct run *run, uint32_t job)
{
	const struct job_extra *extra = extra_of(run, job);
	struct podlife *life = life_of(run, job);
	simtime wait;

	if (extra == NULL)
		return false;
	life->attempt++;
	wait = value(extra->ready, extra->ready_count, life->attempt, 0);
	if (wait != CLOCK_NEVER && wait > 0)
		run_schedule(run, clock_add(run->world.now, wait), CLASS_TIMEOUT, EV_READY, job,
			     life->attempt);
	return wait > 0;
}

bool podlife_ready(struct run *run, uint32_t job, uint32_t attempt)
{
	const struct job_run *s = world_job(&run->world, job);

	const struct podlife *life = life_of(run, job);

	if (s->phase != JOB_ADMITTED || life == NULL || life->attempt != attempt)
		return false;
	run_note(run, J_PODS_READY, job, 0, 0);
	return true;
}

void podlife_started(struct run *run, uint32_t job)
{
	const struct job_extra *extra = extra_of(run, job);
	struct podlife *life = life_of(run, job);
	simtime after;

	if (extra == NULL)
		return;
	life->lost = false;
	/* Past the end of the list no attempt fails. */
	if (life->attempt > extra->fail_count)
		return;
	after = extra->fail[life->attempt - 1];
	if (after >= 0)
		run_schedule(run, clock_add(run->world.now, after), CLASS_TIMEOUT, EV_FAIL, job,
			     life->attempt);
}

/* The time without a pod is no work. */
static void end_loss(struct run *run, uint32_t job)
{
	struct podlife *life = life_of(run, job);
	struct job_run *s = world_job(&run->world, job);

	if (life == NULL)
		return;
	if (life->lost && s->running_since != CLOCK_NEVER)
		s->running_since += run->world.now - life->since;
	life->lost = false;
}

void podlife_stopped(struct run *run, uint32_t job)
{
	end_loss(run, job);
}

static bool runs(const struct run *run, uint32_t job, uint32_t attempt)
{
	const struct job_run *s = world_job(&run->world, job);
	const struct podlife *life = life_of(run, job);

	return s->phase == JOB_ADMITTED && s->running_since != CLOCK_NEVER && life != NULL &&
	       life->attempt == attempt;
}

void podlife_fail(struct run *run, uint32_t job, uint32_t attempt)
{
	const struct job_extra *extra = extra_of(run, job);
	struct podlife *life = life_of(run, job);
	struct job_run *s = world_job(&run->world, job);
	simtime due, back;

	if (!runs(run, job, attempt))
		return;
	due = evq_when(run->events, s->next);
	life->lost = true;
	life->since = run->world.now;
	life->left = due == CLOCK_NEVER ? CLOCK_NEVER : due - run->world.now;
	run_cancel(run, s->next, CLASS_FINISH);
	run_note(run, J_PODS_NOT_READY, job, 0, 0);
	back = value(extra->recover, extra->recover_count, life->attempt, CLOCK_NEVER);
	if (back != CLOCK_NEVER)
		run_schedule(run, clock_add(run->world.now, back), CLASS_TIMEOUT, EV_RECOVER, job,
			     attempt);
	run_tell_job(run, HAP_PODS_LOST, job);
}

void podlife_recover(struct run *run, uint32_t job, uint32_t attempt)
{
	struct podlife *life = life_of(run, job);
	struct job_run *s = world_job(&run->world, job);

	if (!runs(run, job, attempt) || !life->lost)
		return;
	end_loss(run, job);
	if (life->left != CLOCK_NEVER)
		s->next = run_schedule(run, clock_add(run->world.now, life->left), CLASS_FINISH,
				       EV_FINISH, job, s->attempt);
	run_note(run, J_PODS_READY, job, 0, 0);
	run_tell_job(run, HAP_PODS_READY, job);
}

bool podlife_cancelled(const struct run *run, uint32_t job)
{
	const struct job_extra *extra = extra_of(run, job);

	return extra != NULL && extra->cancel_at <= run->world.now;
}
