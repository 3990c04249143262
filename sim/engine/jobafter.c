#include "sim/engine/jobafter.h"

#include "core/mem.h"
#include "core/sort.h"

/* All of it is of the journal's arena. */
struct jobafter {
	struct scenario scenario; /* the run's own */
	struct job *jobs;
	const struct scenario *original;
};

/* Who comes by the clock, in that order, then those who wait for somebody's end. Until these
 * come their submit is time 0, so that nothing takes them for late before. */
static uint32_t part(struct jobafter *after)
{
	const struct scenario *s = after->original;
	bool *waits = mem_calloc(s->job_count, sizeof(*waits));
	uint32_t count = 0;

	for (uint32_t i = 0; i < s->after_count; i++) {
		waits[s->afters[i].job] = true;
		after->jobs[s->afters[i].job].submit = 0;
	}
	for (uint32_t i = 0; i < s->job_count; i++) {
		if (!waits[scenario_by_submit(s, i)])
			after->scenario.by_submit[count++] = scenario_by_submit(s, i);
	}
	for (uint32_t i = 0, at = count; i < s->job_count; i++) {
		if (waits[scenario_by_submit(s, i)])
			after->scenario.by_submit[at++] = scenario_by_submit(s, i);
	}
	mem_free(waits);
	return count;
}

void jobafter_open(struct run *run)
{
	const struct scenario *s = run->scenario;
	struct mem_arena *arena = run->journal->arena;

	run->arrivals = s->job_count;
	if (s->after_count == 0 || run->options->dependencies == DEPENDENCIES_IGNORE)
		return;
	run->after = mem_arena_alloc(arena, sizeof(*run->after));
	*run->after = (struct jobafter){.scenario = *s, .original = s};
	run->after->jobs = mem_arena_copy(arena, s->jobs, s->job_count, sizeof(*s->jobs));
	run->after->scenario.jobs = run->after->jobs;
	run->after->scenario.by_submit =
		mem_arena_alloc(arena, s->job_count * sizeof(*s->by_submit));
	run->arrivals = part(run->after);
	run->scenario = run->journal->scenario = &run->after->scenario;
}

/* The first of those that wait for this job, or for one behind it. */
static uint32_t first_of(const struct scenario *s, uint32_t job)
{
	uint32_t low = 0, high = s->after_count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (s->afters[middle].after < job)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

void jobafter_ended(struct run *run, uint32_t job)
{
	const struct scenario *s = run->after->original;

	for (uint32_t i = first_of(s, job); i < s->after_count && s->afters[i].after == job; i++) {
		uint32_t next = s->afters[i].job;
		simtime at = s->jobs[next].submit;

		if (s->afters[i].think >= 0)
			at = clock_add(run->world.now, s->afters[i].think);
		else if (at < run->world.now)
			at = run->world.now;
		run->awaited++;
		run_schedule(run, at, CLASS_SUBMIT, EV_SUBMIT, next, 0);
	}
}

void jobafter_comes(struct run *run, uint32_t job)
{
	run->awaited--;
	run->after->jobs[job].submit = run->world.now;
}

static int by_submit(const void *a, const void *b, void *context)
{
	const struct jobafter *after = context;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	if (after->jobs[x].submit != after->jobs[y].submit)
		return after->jobs[x].submit < after->jobs[y].submit ? -1 : 1;
	return x < y ? -1 : x > y;
}

void jobafter_close(struct run *run)
{
	const struct journal *j = run->journal;
	simtime end = j->end_time > j->account_end ? j->end_time : j->account_end;
	struct jobafter *after = run->after;

	if (after == NULL)
		return;
	for (uint32_t i = 0; i < after->original->after_count; i++) {
		uint32_t job = after->original->afters[i].job;
		simtime recorded = after->original->jobs[job].submit;

		if (world_job(&run->world, job)->phase == JOB_FUTURE)
			after->jobs[job].submit =
				recorded > end ? recorded : clock_add(end, CLOCK_SECOND);
	}
	sort_stable(after->scenario.by_submit, after->original->job_count,
		    sizeof(*after->scenario.by_submit), by_submit, after);
}
