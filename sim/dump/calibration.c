#include "sim/dump/calibration.h"

#include <math.h>

#include "core/sort.h"

#define CLOSE_SHARE   0.25
#define CLOSE_SECONDS 60.0

/* A job that both have. */
struct pair {
	simtime recorded, simulated; /* admissions; simulated CLOCK_NEVER: not */
	uint32_t job, queue;
};

/* ---- first admissions of the run ---- */

static simtime *admissions(const struct journal *journal)
{
	const struct scenario *s = journal->scenario;
	simtime *at = mem_calloc(s->job_count, sizeof(*at));
	struct journal_reader in;
	const struct journal_record *r;

	for (uint32_t job = 0; job < s->job_count; job++)
		at[job] = CLOCK_NEVER;
	journal_open(&in, journal);
	while ((r = journal_next(&in)) != NULL) {
		if (journal_admits(r) && at[r->job] == CLOCK_NEVER)
			at[r->job] = r->time;
	}
	return at;
}

static uint32_t gather(const struct journal *journal, struct calibration *c, struct pair *pairs)
{
	const struct scenario *s = journal->scenario;
	simtime *at = admissions(journal);
	uint32_t count = 0;

	for (uint32_t i = 0; i < s->recorded_count; i++) {
		const struct recorded *r = &s->recorded[i];
		uint32_t queue = scenario_job_cluster_queue(s, r->job);

		if (r->admitted == CLOCK_NEVER)
			continue;
		c->recorded++;
		c->evicted += r->evictions != 0;
		if (r->evictions == 0 && queue != SCENARIO_NONE)
			pairs[count++] = (struct pair){.recorded = r->admitted,
						       .simulated = at[r->job],
						       .job = r->job,
						       .queue = queue};
	}
	mem_free(at);
	return count;
}

/* ---- waits ---- */

static struct wait_figures figures(const struct scenario *s, const struct pair *pairs,
				   uint32_t count, bool recorded)
{
	struct wait *waits = mem_calloc(count, sizeof(*waits));
	size_t started = 0, never = 0;
	struct wait_figures result;

	for (uint32_t i = 0; i < count; i++) {
		simtime at = recorded ? pairs[i].recorded : pairs[i].simulated;

		if (at == CLOCK_NEVER)
			never++;
		else
			waits[started++] =
				(struct wait){.time = at - s->jobs[pairs[i].job].submit,
					      .gpus = s->jobs[pairs[i].job].common->gpus};
	}
	waits_sort(waits, started);
	result = waits_figures(waits, started, never);
	mem_free(waits);
	return result;
}

static bool near(double recorded, double simulated)
{
	return fabs(recorded - simulated) <= fmax(CLOSE_SECONDS, CLOSE_SHARE * recorded);
}

static void add_queue(struct calibration *c, const struct scenario *s, uint32_t queue,
		      const struct pair *pairs, uint32_t count)
{
	struct calibration_queue *q = &c->queues[c->queue_count++];

	*q = (struct calibration_queue){.queue = queue,
					.recorded = figures(s, pairs, count, true),
					.simulated = figures(s, pairs, count, false)};
	q->close =
		near(q->recorded.p50, q->simulated.p50) && near(q->recorded.p95, q->simulated.p95);
	c->close += queue != SCENARIO_NONE && q->close;
}

static int by_queue(const void *a, const void *b, void *context)
{
	const struct pair *x = a, *y = b;

	(void)context;
	return (x->queue > y->queue) - (x->queue < y->queue);
}

static void add_queues(struct calibration *c, const struct scenario *s, struct pair *pairs,
		       uint32_t count)
{
	c->queues = mem_calloc((size_t)s->cluster_queue_count + 1, sizeof(*c->queues));
	add_queue(c, s, SCENARIO_NONE, pairs, count);
	sort_stable(pairs, count, sizeof(*pairs), by_queue, NULL);
	for (uint32_t first = 0, end; first < count; first = end) {
		for (end = first; end < count && pairs[end].queue == pairs[first].queue;)
			end++;
		add_queue(c, s, pairs[first].queue, pairs + first, end - first);
	}
}

/* ---- order ---- */

static int by_times(const void *a, const void *b, void *context)
{
	const struct pair *x = a, *y = b;

	(void)context;
	if (x->recorded != y->recorded)
		return x->recorded < y->recorded ? -1 : 1;
	return (x->simulated > y->simulated) - (x->simulated < y->simulated);
}

/* Sorts by simulated time; how many pairs stood the other way round (Knight 1966). */
static uint64_t inversions(simtime *times, simtime *scratch, uint32_t count)
{
	uint32_t half = count / 2, i = 0, j = half, k = 0;
	uint64_t found;

	if (count < 2)
		return 0;
	found = inversions(times, scratch, half) + inversions(times + half, scratch, count - half);
	while (i < half && j < count) {
		if (times[j] < times[i]) {
			found += half - i;
			scratch[k++] = times[j++];
		} else {
			scratch[k++] = times[i++];
		}
	}
	while (i < half)
		scratch[k++] = times[i++];
	while (j < count)
		scratch[k++] = times[j++];
	for (i = 0; i < count; i++)
		times[i] = scratch[i];
	return found;
}

static uint64_t two_of(uint64_t n)
{
	return n * (n - 1) / 2;
}

/* Pairs of a sorted list that are equal in what same compares. */
static uint64_t ties(const struct pair *pairs, uint32_t count,
		     bool (*same)(const struct pair *, const struct pair *))
{
	uint64_t found = 0;

	for (uint32_t first = 0, end; first < count; first = end) {
		for (end = first; end < count && same(&pairs[first], &pairs[end]);)
			end++;
		found += two_of(end - first);
	}
	return found;
}

static bool same_recorded(const struct pair *a, const struct pair *b)
{
	return a->recorded == b->recorded;
}

static bool same_both(const struct pair *a, const struct pair *b)
{
	return a->recorded == b->recorded && a->simulated == b->simulated;
}

static uint64_t simulated_ties(const simtime *sorted, uint32_t count)
{
	uint64_t found = 0;

	for (uint32_t first = 0, end; first < count; first = end) {
		for (end = first; end < count && sorted[first] == sorted[end];)
			end++;
		found += two_of(end - first);
	}
	return found;
}

static void compare_orders(struct calibration *c, struct pair *pairs, uint32_t count)
{
	simtime *times = mem_calloc(count, sizeof(*times));
	simtime *scratch = mem_calloc(count, sizeof(*scratch));
	uint64_t against, left_out;

	sort_stable(pairs, count, sizeof(*pairs), by_times, NULL);
	for (uint32_t i = 0; i < count; i++)
		times[i] = pairs[i].simulated;
	left_out = ties(pairs, count, same_recorded) - ties(pairs, count, same_both);
	against = inversions(times, scratch, count);
	left_out += simulated_ties(times, count);
	c->pairs = (count < 2 ? 0 : two_of(count)) - left_out;
	c->agreeing = c->pairs - against;
	mem_free(times);
	mem_free(scratch);
}

/* ---- all of it ---- */

struct calibration *calibration_new(const struct journal *journal)
{
	const struct scenario *s = journal->scenario;
	struct calibration *c = mem_calloc(1, sizeof(*c));
	struct pair *pairs = mem_calloc(s->recorded_count, sizeof(*pairs));
	uint32_t count = gather(journal, c, pairs);

	if (count == 0) {
		calibration_free(c);
		c = NULL;
	} else {
		add_queues(c, s, pairs, count);
		compare_orders(c, pairs, count);
	}
	mem_free(pairs);
	return c;
}

void calibration_free(struct calibration *calibration)
{
	if (calibration == NULL)
		return;
	mem_free(calibration->queues);
	mem_free(calibration);
}
