#include "sim/report/steady.h"

#include <math.h>
#include <string.h>

#include "core/mem.h"
#include "core/sort.h"
#include "core/stats.h"

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

	for (uint32_t i = 0; i < s->job_count; i++) {
		simtime wait = metrics_waited(m, i);
		bool started = m->states[i].first_start != CLOCK_NEVER;

		if (wait < 0 || (!started && (m->states[i].flags & REPLAY_DONE) != 0))
			continue;
		list[count++] = (struct one){s->jobs[i].submit,
					     started ? (double)wait / CLOCK_SECOND : HUGE_VAL};
	}
	sort_stable(list, count, sizeof(*list), compare_submits, NULL);
	*waits = (struct steady_waits){.seconds = mem_calloc(count, sizeof(double)),
				       .submits = mem_calloc(count, sizeof(simtime)),
				       .count = count};
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
	*waits = (struct steady_waits){0};
}

static int compare_doubles(const void *a, const void *b, void *context)
{
	double x, y;

	(void)context;
	memcpy(&x, a, sizeof(x));
	memcpy(&y, b, sizeof(y));
	return (x > y) - (x < y);
}

static void measure_waits(const struct steady_waits *waits, struct steady *out)
{
	const double *from = waits->seconds + out->first;
	size_t count = waits->count - out->first;
	double *sorted = mem_dup(from, count * sizeof(*sorted));

	out->jobs = (uint32_t)count;
	for (size_t i = 0; i < count; i++)
		out->never += isinf(from[i]) != 0;
	sort_stable(sorted, count, sizeof(*sorted), compare_doubles, NULL);
	out->mean = stats_mean(from, count);
	out->p50 = stats_quantile_sorted(sorted, count, 0.5);
	out->p95 = stats_quantile_sorted(sorted, count, 0.95);
	out->p99 = stats_quantile_sorted(sorted, count, 0.99);
	mem_free(sorted);
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
