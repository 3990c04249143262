#include "sim/engine/podcrash.h"

#include "core/mem.h"
#include "sim/engine/jobpods.h"

#define CRASH_BASE   (10 * CLOCK_SECOND)
#define CRASH_MAX    (300 * CLOCK_SECOND)
#define CRASH_STABLE (2 * CRASH_MAX)

struct box { /* the containers of a pod */
	struct evq_handle restart;
	simtime wait;  /* before the next restart but for a stable one; 0: none yet */
	simtime since; /* last restart */
	uint32_t restarts;
	bool rests;
};

struct tally {
	uint32_t restarts, resting; /* of the pods there are */
};

struct podcrash {
	struct box *boxes;     /* [pod] */
	struct tally *tallies; /* [job] */
};

static bool may_restart(const struct job_control *control)
{
	return control != NULL && control->restarts && control->fate_count != 0;
}

void podcrash_open(struct run *run)
{
	const struct scenario *s = run->scenario;
	bool any = false;

	for (uint32_t job = 0; s->extra_count != 0 && job < s->job_count && !any; job++)
		any = may_restart(scenario_job_control(s, job));
	if (!any)
		return;
	run->crashes = mem_calloc(1, sizeof(*run->crashes));
	run->crashes->boxes =
		mem_calloc(run->journal->first_pod[s->job_count], sizeof(*run->crashes->boxes));
	run->crashes->tallies = mem_calloc(s->job_count, sizeof(*run->crashes->tallies));
}

void podcrash_free(struct podcrash *crashes)
{
	if (crashes == NULL)
		return;
	mem_free(crashes->boxes);
	mem_free(crashes->tallies);
	mem_free(crashes);
}

bool podcrash_restarts(const struct run *run, uint32_t job)
{
	return run->crashes != NULL && may_restart(scenario_job_control(run->scenario, job));
}

static struct tally *tally_of(const struct run *run, uint32_t pod)
{
	return &run->crashes->tallies[run->world.pods[pod].job];
}

/* How long the container that failed now waits. */
static simtime wait_of(const struct run *run, struct box *box)
{
	simtime wait = box->wait;

	if (wait == 0 || run->world.now - box->since > CRASH_STABLE) {
		box->wait = CRASH_BASE;
		return 0;
	}
	box->wait = wait * 2 < CRASH_MAX ? wait * 2 : CRASH_MAX;
	return wait;
}

void podcrash_fail(struct run *run, uint32_t pod, int32_t code)
{
	struct box *box = &run->crashes->boxes[pod];
	simtime wait = wait_of(run, box);

	run_note_pod(run, J_CONTAINER_FAILED, pod, (uint32_t)code, (uint32_t)(wait / CLOCK_SECOND));
	box->rests = true;
	tally_of(run, pod)->resting++;
	box->restart = run_schedule(run, clock_add(run->world.now, wait), CLASS_RETRY,
				    EV_POD_RESTART, pod, 0);
}

static void wake(struct run *run, uint32_t pod)
{
	struct box *box = &run->crashes->boxes[pod];

	if (!box->rests)
		return;
	box->rests = false;
	tally_of(run, pod)->resting--;
}

bool podcrash_over(struct run *run, uint32_t pod)
{
	struct box *box = &run->crashes->boxes[pod];
	uint32_t job = run->world.pods[pod].job, restarts;
	uint32_t limit = scenario_job_control(run->scenario, job)->backoff_limit;

	wake(run, pod);
	box->restart = (struct evq_handle){0};
	box->since = run->world.now;
	box->restarts++;
	restarts = ++tally_of(run, pod)->restarts;
	return jobpods_controller(run, job) == CONTROLLER_JOB &&
	       restarts >= (limit == 0 ? 1 : limit);
}

void podcrash_forget_box(struct run *run, uint32_t pod)
{
	struct box *box = &run->crashes->boxes[pod];

	if (box->rests)
		run_cancel(run, box->restart, CLASS_RETRY);
	wake(run, pod);
	tally_of(run, pod)->restarts -= box->restarts;
	*box = (struct box){0};
}

bool podcrash_rests(const struct run *run, uint32_t pod)
{
	return run->crashes != NULL && run->crashes->boxes[pod].rests;
}

uint32_t podcrash_resting(const struct run *run, uint32_t job)
{
	return run->crashes == NULL ? 0 : run->crashes->tallies[job].resting;
}
