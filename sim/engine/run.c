#include "sim/engine/run.h"

/* Records are written field by field where they stay: to copy what was put together a moment
 * ago, in wider pieces than it was written in, a processor has to wait for it. */
void run_note(struct run *run, enum journal_kind kind, uint32_t job, uint32_t arg, uint32_t arg2)
{
	struct journal_record *r = journal_next_free(run->journal, kind);

	r->time = run->world.now;
	r->job = job;
	r->pod = NAME_NONE;
	r->arg = arg;
	r->arg2 = arg2;
	r->incarnation = 0;
	r->by_incarnation = 0;
}

void run_note_pod(struct run *run, enum journal_kind kind, uint32_t pod, uint32_t arg,
		  uint32_t arg2)
{
	const struct pod *p = &run->world.pods[pod];
	struct journal_record *r = journal_next_free(run->journal, kind);

	r->time = run->world.now;
	r->job = p->job;
	r->pod = pod;
	r->arg = arg;
	r->arg2 = arg2;
	r->incarnation = p->incarnation;
	r->by_incarnation = kind == J_POD_PREEMPTED ? run->world.pods[arg2].incarnation : 0;
}

struct evq_handle run_schedule(struct run *run, simtime at, enum event_class class,
			       enum run_event kind, uint32_t subject, uint32_t attempt)
{
	run->work_events += class != CLASS_FLUSH;
	return evq_push(run->events, &(struct evq_event){.time = at,
							 .class = class,
							 .kind = kind,
							 .subject = subject,
							 .attempt = attempt});
}

bool run_cancel_queued(struct run *run, struct evq_handle handle, enum event_class class)
{
	if (!evq_cancel(run->events, handle))
		return false;
	run->work_events -= class != CLASS_FLUSH;
	return true;
}

void run_tell(struct run *run, enum run_role role, const struct happening *happening)
{
	if (role == ROLE_ADMISSION && run->admission != NULL)
		run->admission->observe(run->admission_self, happening, &run->plan);
	if (role == ROLE_PLACEMENT && run->placement != NULL)
		run->placement->observe(run->placement_self, happening, &run->plan);
}

void run_tell_job(struct run *run, enum happening_kind kind, uint32_t job)
{
	if (run->watch != NULL)
		run->watch(run, kind, NAME_NONE);
	if (run_manages(run, job))
		run_tell(run, ROLE_ADMISSION,
			 &(struct happening){
				 .kind = kind, .job = job, .pod = NAME_NONE, .node = NODE_NONE});
}

void run_tell_pod(struct run *run, enum happening_kind kind, uint32_t pod, uint32_t node)
{
	struct happening h = {
		.kind = kind, .job = run->world.pods[pod].job, .pod = pod, .node = node};

	if (run->watch != NULL)
		run->watch(run, kind, pod);
	if (!run->ignores_pods && kind != HAP_POD_CREATED)
		run_tell(run, ROLE_ADMISSION, &h);
	run_tell(run, ROLE_PLACEMENT, &h);
}

void run_settle(struct run *run)
{
	if (run->after_pod != NULL && !run->busy)
		run->after_pod(run);
}

void run_touch(struct run *run, uint32_t job)
{
	if (run->deadlock != NULL)
		deadlock_touch(run->deadlock, job);
}

bool run_manages(const struct run *run, uint32_t job)
{
	return run->admission != NULL &&
	       (run->scenario->jobs[job].common->flags & JOB_UNMANAGED) == 0;
}
