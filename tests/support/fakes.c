#include "tests/support/fakes.h"

#include <string.h>

struct fake {
	const struct world *world;
	uint32_t *queue; /* pods or jobs that wait, in order */
	uint32_t count;
	uint32_t *holders; /* admitted jobs, in order of admission */
	uint32_t holder_count;
	bool dirty; /* something happened since the last failure */
};

static void *open_fake(const struct world *world, struct plan *plan, struct err *err)
{
	struct fake *f = mem_calloc(1, sizeof(*f));
	size_t n = world->journal->first_pod[world->scenario->job_count] +
		   (size_t)world->scenario->job_count + 1;

	(void)plan;
	(void)err;
	f->world = world;
	f->queue = mem_calloc(n, sizeof(*f->queue));
	f->holders = mem_calloc(n, sizeof(*f->holders));
	return f;
}

static void close_fake(void *self)
{
	struct fake *f = self;

	mem_free(f->queue);
	mem_free(f->holders);
	mem_free(f);
}

static void take_out(uint32_t *list, uint32_t *count, uint32_t item)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < *count; i++) {
		if (list[i] != item)
			list[n++] = list[i];
	}
	*count = n;
}

static bool is_vip(const struct world *w, uint32_t job)
{
	return strncmp(scenario_string(w->scenario, w->scenario->jobs[job].name), "vip", 3) == 0;
}

static void observe_pods(void *self, const struct happening *h, struct plan *plan)
{
	struct fake *f = self;

	(void)plan;
	f->dirty = true;
	if (h->kind == HAP_POD_CREATED)
		f->queue[f->count++] = h->pod;
	else if (h->kind == HAP_POD_DELETED)
		take_out(f->queue, &f->count, h->pod);
}

static uint32_t first_fit(const struct world *w, uint32_t pod)
{
	const struct pod_shape *shape = &w->scenario->shapes[w->pods[pod].shape];

	for (uint32_t n = 0; n < w->node_count; n++) {
		if (w->node_usable[n] && cluster_fits(&w->usage, n, shape))
			return n;
	}
	return NODE_NONE;
}

static uint32_t victim_of(const struct world *w, uint32_t pod)
{
	uint32_t last = w->journal->first_pod[w->scenario->job_count];

	for (uint32_t v = 0; v < last; v++) {
		if (w->pods[v].phase == POD_BOUND && !is_vip(w, w->pods[v].job) &&
		    w->pods[v].shape == w->pods[pod].shape)
			return v;
	}
	return NAME_NONE;
}

static bool cycle_pods(void *self, struct plan *plan)
{
	struct fake *f = self;

	for (uint32_t i = 0; f->dirty && i < f->count; i++) {
		uint32_t pod = f->queue[i], node = first_fit(f->world, pod), victim;
		struct decision *d;

		if (node != NODE_NONE) {
			d = plan_add(plan, DECIDE_BIND);
			d->pod = pod;
			d->node = node;
			take_out(f->queue, &f->count, pod);
			return true;
		}
		d = plan_add(plan, DECIDE_POD_FAILED);
		d->pod = pod;
		victim = victim_of(f->world, pod);
		if (is_vip(f->world, f->world->pods[pod].job) && victim != NAME_NONE) {
			d = plan_add(plan, DECIDE_DELETE_POD);
			d->pod = victim;
			d->by_pod = pod;
			return true;
		}
	}
	f->dirty = false;
	return false;
}

static void observe_jobs(void *self, const struct happening *h, struct plan *plan)
{
	struct fake *f = self;

	(void)plan;
	f->dirty = true;
	if (h->kind == HAP_FINISHED || h->kind == HAP_RELEASED)
		take_out(f->holders, &f->holder_count, h->job);
	if (h->kind == HAP_SUBMITTED || h->kind == HAP_RELEASED)
		f->queue[f->count++] = h->job;
}

static void reserve(struct fake *f, uint32_t job, struct plan *plan)
{
	struct admission *a = mem_arena_alloc(plan->arena, sizeof(*a));
	struct admission_pod_set *set = mem_arena_alloc(plan->arena, sizeof(*set));
	struct decision *d = plan_add(plan, DECIDE_RESERVE);

	set->count = f->world->scenario->jobs[job].common->pods;
	*a = (struct admission){.pod_set_count = 1, .pod_sets = set};
	d->job = job;
	d->admission = a;
	take_out(f->queue, &f->count, job);
	f->holders[f->holder_count++] = job;
}

static uint32_t gpus_held(const struct fake *f)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < f->holder_count; i++)
		n += f->world->scenario->jobs[f->holders[i]].common->gpus;
	return n;
}

static bool cycle_jobs(void *self, struct plan *plan)
{
	struct fake *f = self;

	for (uint32_t i = 0; f->dirty && i < f->count; i++) {
		uint32_t job = f->queue[i], victim;
		struct decision *d;

		if (gpus_held(f) + f->world->scenario->jobs[job].common->gpus <= 8) {
			reserve(f, job, plan);
			return true;
		}
		victim = f->holder_count > 0 ? f->holders[f->holder_count - 1] : JOB_NONE;
		if (is_vip(f->world, job) && victim != JOB_NONE &&
		    world_job(f->world, victim)->phase == JOB_ADMITTED) {
			d = plan_add(plan, DECIDE_PREEMPT);
			d->job = victim;
			d->by_job = job;
			return true;
		}
	}
	f->dirty = false;
	return false;
}

const struct policy fakes_first_fit = {.name = "first-fit",
				       .models = "a test",
				       .open = open_fake,
				       .close = close_fake,
				       .observe = observe_pods,
				       .cycle = cycle_pods};
const struct policy fakes_eight_gpus = {.name = "eight-gpus",
					.models = "a test",
					.open = open_fake,
					.close = close_fake,
					.observe = observe_jobs,
					.cycle = cycle_jobs};
const struct policy_row fakes_plain = {"plain", "test", NULL, &fakes_first_fit, false};
const struct policy_row fakes_queued = {"queued", "test", &fakes_eight_gpus, &fakes_first_fit,
					false};
