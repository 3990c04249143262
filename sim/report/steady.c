#include "sim/report/steady.h"

#include <math.h>

#include "core/mem.h"
#include "core/sort.h"
#include "sim/tool/waits.h"

struct one {
	simtime submit;
	double wait;
};

static int compare_submits(const void *a, const void *b, void *context)
{
	const struct one *x = a, *y = b;

	(void)context;
	return (x->submit > y->submit) - (x->submit < y->submit);
}

void steady_waits_init(struct steady_waits *waits, const struct metrics *m)
{
	const struct scenario *s = m->journal->scenario;
	struct one *list = mem_calloc(s->job_count, sizeof(*list));
	size_t count = 0;

	*waits = (struct steady_waits){.cancelled =
					       mem_calloc(s->job_count, sizeof(*waits->cancelled))};
	for (uint32_t i = 0; i < s->job_count; i++) {
		simtime wait = metrics_waited(m, i);
		bool started = m->states[i].first_start != CLOCK_NEVER;

		if (wait < 0)
			continue;
		if (!started && (m->states[i].flags & REPLAY_DONE) != 0) {
			waits->cancelled[waits->cancelled_count++] =
				(struct steady_wait){s->jobs[i].submit, wait};
			continue;
		}
		list[count++] = (struct one){s->jobs[i].submit,
					     started ? (double)wait / CLOCK_SECOND : HUGE_VAL};
	}
	sort_stable(list, count, sizeof(*list), compare_submits, NULL);
	waits->seconds = mem_calloc(count, sizeof(*waits->seconds));
	waits->submits = mem_calloc(count, sizeof(*waits->submits));
	waits->count = count;
	for (size_t i = 0; i < count; i++) {
		waits->seconds[i] = list[i].wait;
		waits->submits[i] = list[i].submit;
	}
	mem_free(list);
}

void steady_waits_free(struct steady_waits *waits)
{
	mem_free(waits->seconds);
	mem_free(waits->submits);
	mem_free(waits->cancelled);
	*waits = (struct steady_waits){0};
}

static void measure_waits(const struct steady_waits *waits, struct steady *out)
{
	size_t all = waits->count - out->first + waits->cancelled_count, count = 0, never = 0;
	struct wait *list = mem_calloc(all, sizeof(*list));
	struct wait_figures figures;

	for (size_t i = out->first; i < waits->count; i++) {
		if (isinf(waits->seconds[i]))
			never++;
		else
			list[count++].time = clock_from_double(waits->seconds[i]);
	}
	for (size_t i = 0; i < waits->cancelled_count; i++)
		if (waits->cancelled[i].submit >= out->from)
			list[count++] =
				(struct wait){.time = waits->cancelled[i].wait, .cancelled = true};
	waits_sort(list, count);
	figures = waits_figures(list, count, never);
	out->jobs = figures.jobs;
	out->never = figures.never;
	out->mean = never > 0 ? HUGE_VAL : figures.mean;
	out->p50 = figures.p50;
	out->p95 = figures.p95;
	out->p99 = figures.p99;
	mem_free(list);
}

/* GPU-time of a window is what it has at its end without what it had at its beginning. */
static void measure_gpus(const struct journal *journal, bool admission, struct steady *out)
{
	struct metrics *before = metrics_new(journal, admission, out->from);
	struct metrics *all = metrics_new(journal, admission, out->to);
	double capacity = (double)(all->capacity - before->capacity);

	if (capacity > 0) {
		out->running = (double)(all->running - before->running) / capacity;
		out->idle = (double)(all->idle - before->idle) / capacity;
		out->busy = (double)(all->bound - before->bound) / (double)(out->to - out->from);
	}
	metrics_free(before);
	metrics_free(all);
}

void steady_measure(const struct journal *journal, bool admission, const struct steady_waits *waits,
		    simtime from, struct steady *out)
{
	*out = (struct steady){.from = from, .to = from};
	while (out->first < waits->count && waits->submits[out->first] < from)
		out->first++;
	if (waits->count > 0 && waits->submits[waits->count - 1] > from)
		out->to = waits->submits[waits->count - 1];
	measure_waits(waits, out);
	measure_gpus(journal, admission, out);
}
