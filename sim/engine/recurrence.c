#include "sim/engine/recurrence.h"

#include "core/mem.h"

#define FIRST_LOOK 512	  /* evictions; then at each power of two */
#define PERIODS	   8	  /* in the later half of them */
#define AT_LAST	   200000 /* so many are no way to wait for, pattern or not */

struct recurrence {
	struct recurrence_item *items; /* since the last that does not come again */
	size_t count, capacity;
	simtime last;
	bool found;
};

static bool is_same(const struct recurrence_item *a, const struct recurrence_item *b)
{
	return a->job == b->job && a->gap == b->gap;
}

/* By the failure function of Knuth, Morris and Pratt. */
size_t recurrence_period(const struct recurrence_item *items, size_t count)
{
	size_t *border = mem_calloc(count + 1, sizeof(*border)), length = 0;

	for (size_t i = 1; i < count; i++) {
		while (length > 0 && !is_same(&items[i], &items[length]))
			length = border[length];
		length += is_same(&items[i], &items[length]);
		border[i + 1] = length;
	}
	mem_free(border);
	return count - length;
}

/* Somebody is to change the job, or it works towards an end, or towards a limit. */
static bool is_on_its_way(const struct run *run, uint32_t job, simtime since)
{
	const struct job_control *control = scenario_job_control(run->scenario, job);
	const struct job_run *s = world_job(&run->world, job);
	const struct job *j = &run->scenario->jobs[job];
	const struct job_extra *e = j->extra == JOB_NONE ? NULL : &run->scenario->extras[j->extra];
	simtime now = run->world.now;

	if (s->phase == JOB_DONE)
		return false;
	if (s->running_since < since && j->duration != JOB_ENDLESS)
		return true;
	if (control != NULL && control->change_count > 0 &&
	    control->changes[control->change_count - 1].at > now)
		return true;
	return e != NULL &&
	       (e->max_execution > 0 || e->deactivate_at > now || e->reactivate_at > now ||
		e->ungated_at > now || (e->cancel_at > now && e->cancel_at != CLOCK_NEVER));
}

/* What is counted comes to its limit; chance takes another turn. */
static bool may_change(const struct run *run, simtime since)
{
	const struct scenario *s = run->scenario;
	bool may = run->options->tie == TIE_RANDOM || run->autoscaler != NULL ||
		   s->config.requeue_limit >= 0 || run->next_arrival < s->job_count ||
		   run->updates_done < s->update_count;

	for (uint32_t i = 0; i < s->job_count && !may; i++)
		may = is_on_its_way(run, i, since);
	return may;
}

/* Where no work starts either, a run ends as one that stands still (engine.c), unless its
 * evictions are too many for that. */
static bool stands_still(const struct run *run, simtime span, size_t count)
{
	return run->last_start < run->world.now - span &&
	       span / (simtime)count > LONG_STANDSTILL / AT_LAST;
}

static bool recurs(const struct run *run)
{
	const struct recurrence *r = run->recurrence;
	size_t half = r->count / 2, count = r->count - half;
	simtime span = 0;

	for (size_t i = half; i < r->count; i++)
		span += r->items[i].gap;
	return !stands_still(run, span, count) &&
	       recurrence_period(&r->items[half], count) * PERIODS <= count &&
	       !may_change(run, run->world.now - span);
}

void recurrence_evicted(struct run *run, uint32_t job)
{
	struct recurrence *r = run->recurrence;

	if (r == NULL)
		r = run->recurrence = mem_calloc(1, sizeof(*r));
	r->items = mem_grow(r->items, r->count + 1, &r->capacity, sizeof(*r->items));
	r->items[r->count++] =
		(struct recurrence_item){.job = job, .gap = run->world.now - r->last};
	r->last = run->world.now;
	if (r->count >= FIRST_LOOK && (r->count & (r->count - 1)) == 0)
		r->found = recurs(run);
	r->found = r->found || r->count > AT_LAST;
}

void recurrence_reset(struct run *run)
{
	if (run->recurrence != NULL)
		run->recurrence->count = 0;
}

void recurrence_saved(struct run *run, uint32_t job)
{
	if (run->scenario->jobs[job].duration != JOB_ENDLESS)
		recurrence_reset(run);
}

bool recurrence_found(const struct run *run)
{
	return run->recurrence != NULL && run->recurrence->found;
}

void recurrence_free(struct recurrence *r)
{
	if (r == NULL)
		return;
	mem_free(r->items);
	mem_free(r);
}
