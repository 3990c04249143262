#include "sim/engine/jobscale.h"

#include "core/mem.h"
#include "core/sort.h"
#include "sim/engine/jobctl.h"
#include "sim/engine/jobend.h"
#include "sim/engine/jobpods.h"
#include "sim/engine/podgone.h"

void jobscale_open(struct run *run)
{
	for (uint32_t job = 0; run->jobpods != NULL && job < run->scenario->job_count; job++) {
		const struct job_control *control = scenario_job_control(run->scenario, job);

		if (control == NULL || (control->family != NULL && control->family->first != job))
			continue; /* one tells for all */
		for (uint32_t i = 0; i < control->change_count; i++)
			run_schedule(run, control->changes[i].at, CLASS_UPDATE, EV_CHANGE, job, i);
	}
}

bool jobscale_suspended(struct run *run, uint32_t job)
{
	if (scenario_job_control(run->scenario, job) == NULL ||
	    !jobpods_orders(run, job)->suspended)
		return false;
	run_note(run, J_SUSPENDED, job, 0, 0);
	return true;
}

/* ---- who goes first ---- */

struct victim {
	uint32_t pod;
	uint32_t ordinal;
	bool placed, ready;
	uint32_t neighbours; /* active pods of its controller on its node */
	uint64_t age;	     /* how long it has been ready; of a service the logarithm */
};

/* ReplicaSet's order (1.34, pkg/controller ActivePodsWithRanks, LogarithmicScaleDown):
 * pods without a node, pods that are not ready, pods with more of their kind beside them,
 * younger ones by powers of two of their age. Kubernetes breaks ties by uid, this by the slot.
 * A Job's pods likewise (ActivePods), but whoever is beside them, and by their exact age;
 * those of an Indexed Job go by their indexes. */
static int compare_replicas(const void *a, const void *b, void *context)
{
	const struct victim *x = a, *y = b;

	(void)context;
	if (x->placed != y->placed)
		return x->placed ? 1 : -1;
	if (x->ready != y->ready)
		return x->ready ? 1 : -1;
	if (x->neighbours != y->neighbours)
		return x->neighbours > y->neighbours ? -1 : 1;
	if (x->age != y->age)
		return x->age < y->age ? -1 : 1;
	return x->ordinal > y->ordinal ? -1 : x->ordinal < y->ordinal;
}

static int compare_ordinals(const void *a, const void *b, void *context)
{
	const struct victim *x = a, *y = b;

	(void)context;
	return x->ordinal > y->ordinal ? -1 : x->ordinal < y->ordinal;
}

static uint64_t age_of(const struct run *run, uint32_t job, simtime since)
{
	uint64_t age = 0;

	if (since == CLOCK_NEVER)
		return 0;
	if (scenario_job_elastic(run->scenario, job))
		return (uint64_t)(run->world.now - since);
	/* Kubernetes takes nanoseconds. */
	for (uint64_t left = (uint64_t)(run->world.now - since) * 1000; left != 0; left >>= 1)
		age++;
	return age;
}

static void count_neighbours(const struct run *run, struct victim *victims, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		for (uint32_t k = 0; k < count; k++)
			victims[i].neighbours +=
				victims[i].placed && run->world.pods[victims[i].pod].node ==
							     run->world.pods[victims[k].pod].node;
	}
}

/* The job's pods, who goes first standing first; owned by the caller. Who is going
 * anyway is no pod any more. */
static struct victim *line_up(const struct run *run, uint32_t job, uint32_t *count)
{
	uint32_t first = run->journal->first_pod[job],
		 slots = run->scenario->jobs[job].common->pods;
	struct victim *victims = mem_calloc(slots, sizeof(*victims));
	const struct job_control *control = scenario_job_control(run->scenario, job);
	bool ordinals = control->controller == CONTROLLER_STATEFUL_SET || control->indexed;

	*count = 0;
	for (uint32_t i = 0; i < slots; i++) {
		const struct pod *p = &run->world.pods[first + i];

		if (p->phase != POD_ABSENT && p->phase != POD_TERMINATING)
			victims[(*count)++] = (struct victim){
				.pod = first + i,
				.ordinal =
					control->indexed ? jobpods_completion(run, first + i) : i,
				.placed = p->node != NODE_NONE,
				.ready = jobpods_since(run, first + i) != CLOCK_NEVER,
				.age = age_of(run, job, jobpods_since(run, first + i))};
	}
	if (control->controller == CONTROLLER_REPLICA_SET)
		count_neighbours(run, victims, *count);
	sort_stable(victims, *count, sizeof(*victims),
		    ordinals ? compare_ordinals : compare_replicas, NULL);
	return victims;
}

/* ---- changes ---- */

static void delete_pod(struct run *run, uint32_t pod)
{
	const struct pod *p = &run->world.pods[pod];

	if (p->phase != POD_PENDING)
		run_note_pod(run, J_POD_DELETED, pod, p->node, 0);
	if (jobpods_is_service(run, p->job))
		jobpods_retire(run, pod);
	podgone_remove(run, pod);
}

static void scale(struct run *run, uint32_t job, uint32_t replicas)
{
	uint32_t count = 0, excess;
	struct victim *victims;

	jobpods_orders(run, job)->replicas = replicas;
	if (scenario_job_elastic(run->scenario, job))
		world_job(&run->world, job)->parallelism = replicas;
	if (world_job(&run->world, job)->phase != JOB_ADMITTED)
		return;
	victims = line_up(run, job, &count);
	excess = count > replicas ? count - replicas : 0;
	for (uint32_t i = 0; i < excess; i++)
		delete_pod(run, victims[i].pod);
	mem_free(victims);
	run_touch(run, job);
	jobctl_interrupt(run, job);
	jobctl_reconcile(run, job);
}

/* ---- replicas that are a job each ---- */

/* One that waits for its quota has no node; nor has the successor of one that goes. */
static struct victim replica(const struct run *run, uint32_t job)
{
	const struct job_run *s = world_job(&run->world, job);
	uint32_t pod = run->journal->first_pod[job];
	bool there = s->phase == JOB_ADMITTED && run->world.pods[pod].phase != POD_TERMINATING;

	return (struct victim){.pod = pod,
			       .ordinal = job,
			       .placed = there && (run->placement == NULL ||
						   run->world.pods[pod].node != NODE_NONE),
			       .ready = there && s->running_since != CLOCK_NEVER,
			       .age = age_of(run, job, s->running_since)};
}

static void scale_family(struct run *run, const struct job_family *family, uint32_t replicas)
{
	struct victim *victims = mem_calloc(family->count, sizeof(*victims));
	uint32_t count = 0;

	for (uint32_t job = family->first; job < family->first + family->count; job++) {
		uint8_t phase = world_job(&run->world, job)->phase;

		if (phase != JOB_FUTURE && phase != JOB_DONE)
			victims[count++] = replica(run, job);
	}
	count_neighbours(run, victims, count);
	sort_stable(victims, count, sizeof(*victims), compare_replicas, NULL);
	for (uint32_t i = 0; i + replicas < count; i++)
		jobend_cancel(run, victims[i].ordinal);
	mem_free(victims);
}

/* ---- parallelism of an elastic Job ---- */

/* Under Kueue more pods need quota, fewer do not. */
static void stretch(struct run *run, uint32_t job, uint32_t parallelism)
{
	uint32_t most = scenario_job_completions(run->scenario, job);
	uint32_t now = parallelism < most ? parallelism : most;
	const struct job_run *s = world_job(&run->world, job);

	if (now == s->parallelism || s->phase == JOB_DONE)
		return;
	scale(run, job, now);
	if (s->phase != JOB_FUTURE && s->phase != JOB_DONE)
		run_tell_job(run, HAP_RESIZED, job);
}

static void suspend(struct run *run, uint32_t job)
{
	struct job_run *s = world_job(&run->world, job);
	uint32_t first = run->journal->first_pod[job];

	if (s->phase != JOB_ADMITTED)
		return;
	if (s->running_since != CLOCK_NEVER)
		run_note(run, J_INTERRUPTED, job, s->attempt, 0);
	jobend_stop(run, job);
	jobend_disarm_deadline(run, job);
	s->phase = JOB_PENDING;
	for (uint32_t i = 0; run->placement != NULL && i < run->scenario->jobs[job].common->pods;
	     i++) {
		if (run->world.pods[first + i].node != NODE_NONE)
			run_note_pod(run, J_POD_DELETED, first + i, run->world.pods[first + i].node,
				     0);
	}
	podgone_remove_all(run, job);
	run_note(run, J_SUSPENDED, job, 0, 0);
}

static void resume(struct run *run, uint32_t job)
{
	if (world_job(&run->world, job)->phase != JOB_PENDING)
		return;
	run_note(run, J_UNSUSPENDED, job, 0, 0);
	jobctl_admit(run, job);
}

void jobscale_change(struct run *run, uint32_t job, uint32_t index)
{
	const struct job_control *control = scenario_job_control(run->scenario, job);
	const struct job_change *change = &control->changes[index];
	struct jobpods_orders *orders = jobpods_orders(run, job);

	if (control->family != NULL) {
		if (change->replicas != JOB_NONE)
			scale_family(run, control->family, change->replicas);
		return;
	}
	if (change->replicas != JOB_NONE && control->elastic)
		stretch(run, job, change->replicas);
	if (run_manages(run, job))
		return;
	if (change->replicas != JOB_NONE && jobpods_is_service(run, job) && jobpods_solo(run, job))
		scale(run, job, change->replicas);
	if (change->suspend < 0 || orders->suspended == (change->suspend == 1))
		return;
	orders->suspended = change->suspend == 1;
	if (orders->suspended)
		suspend(run, job);
	else
		resume(run, job);
}
