#include "sim/trace/trace_stats.h"

#include <string.h>

#include "core/sort.h"
#include "core/stats.h"
#include "sim/trace/trace.h"
#include "sim/trace/trace_pods.h"

#define MILLI	  1000
#define GPUS_MOST (int64_t) UINT32_MAX

const unsigned trace_stats_percentiles[TRACE_STATS_PERCENTILES] = {50, 90, 95, 99};

/* The jobs taken: indices in input order and by submit. */
struct taken {
	const struct trace_stats_jobs *jobs;
	uint32_t *in_order, *by_submit;
	size_t count;
};

static const struct job *job_at(const struct taken *t, uint32_t index)
{
	return &t->jobs->items[index];
}

static int compare_submits(const void *a, const void *b, void *context)
{
	const struct job *jobs = context;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	if (jobs[x].submit != jobs[y].submit)
		return jobs[x].submit < jobs[y].submit ? -1 : 1;
	return x < y ? -1 : x > y;
}

int64_t trace_stats_milli(const struct trace_stats_jobs *jobs, const struct job *job)
{
	return jobs->milli[job - jobs->items];
}

static int64_t job_milli(const struct taken *t, const struct job *job)
{
	return trace_stats_milli(t->jobs, job);
}

simtime trace_stats_wait(const struct trace_stats_jobs *jobs, uint32_t job)
{
	simtime start = builder_job_started(jobs->builder, job);

	return start == CLOCK_NEVER ? CLOCK_NEVER : start - jobs->items[job].submit;
}

void trace_stats_jobs_init(struct trace_stats_jobs *jobs, struct builder *builder)
{
	uint32_t count = builder_job_count(builder);

	*jobs = (struct trace_stats_jobs){
		.items = mem_dup(builder_jobs(builder), count * sizeof(struct job)),
		.milli = mem_calloc(count, sizeof(int64_t)),
		.by_submit = mem_calloc(count, sizeof(uint32_t)),
		.count = count,
		.builder = builder,
		.strings = builder_strings(builder),
	};
	for (uint32_t i = 0; i < count; i++) {
		int64_t milli = trace_pods_milli(builder, &jobs->items[i]);

		jobs->milli[i] = milli < GPUS_MOST * MILLI ? milli : GPUS_MOST * MILLI;
		jobs->by_submit[i] = i;
	}
	sort_stable(jobs->by_submit, count, sizeof(uint32_t), compare_submits, jobs->items);
}

void trace_stats_jobs_free(struct trace_stats_jobs *jobs)
{
	mem_free(jobs->items);
	mem_free(jobs->milli);
	mem_free(jobs->by_submit);
}

/* What of the jobs is taken. */
struct choice {
	simtime from, to;
	uint32_t queue;
};

static bool chosen(const struct choice *choice, const struct job *job)
{
	return job->submit >= choice->from && job->submit < choice->to &&
	       (choice->queue == TRACE_STATS_ALL || job->common->queue == choice->queue);
}

static void take(struct taken *t, const struct trace_stats_jobs *jobs, struct choice choice)
{
	size_t by_submit = 0;

	*t = (struct taken){
		.jobs = jobs,
		.in_order = mem_calloc(jobs->count, sizeof(*t->in_order)),
		.by_submit = mem_calloc(jobs->count, sizeof(*t->by_submit)),
	};
	for (uint32_t i = 0; i < jobs->count; i++) {
		if (chosen(&choice, &jobs->items[i]))
			t->in_order[t->count++] = i;
		if (chosen(&choice, &jobs->items[jobs->by_submit[i]]))
			t->by_submit[by_submit++] = jobs->by_submit[i];
	}
}

static void give_back(struct taken *t)
{
	mem_free(t->in_order);
	mem_free(t->by_submit);
}

static double seconds(simtime t)
{
	return (double)t / (double)CLOCK_SECOND;
}

static int64_t gpu_time_of(const struct taken *t, const struct job *job)
{
	int64_t milli = job_milli(t, job);

	if (job->duration == JOB_ENDLESS)
		return 0;
	return res_add(res_mul(job->duration, milli / MILLI),
		       res_mul(job->duration, milli % MILLI) / MILLI);
}

static simtime end_of(const struct job *job)
{
	return clock_add(job->submit, job->duration);
}

static int compare_times(const void *a, const void *b, void *context)
{
	simtime x = *(const simtime *)a, y = *(const simtime *)b;

	(void)context;
	return x < y ? -1 : x > y;
}

static simtime sum_of(const simtime *times, size_t n)
{
	simtime sum = 0;

	for (size_t i = 0; i < n; i++)
		sum = res_add(sum, times[i]);
	return sum;
}

void trace_stats_spread(simtime *times, size_t n, struct trace_spread *out)
{
	double *values = mem_calloc(n, sizeof(*values));

	*out = (struct trace_spread){.n = n};
	sort_stable(times, n, sizeof(*times), compare_times, NULL);
	for (size_t i = 0; i < n; i++) {
		values[i] = seconds(times[i]);
		out->zero += times[i] == 0;
	}
	for (int p = 0; n > 0 && p < TRACE_STATS_PERCENTILES; p++) {
		size_t rank = (n * trace_stats_percentiles[p] + 99) / 100;

		out->linear[p] =
			stats_quantile_sorted(values, n, trace_stats_percentiles[p] / 100.0);
		out->nearest[p] = times[rank - 1];
	}
	if (n > 0) {
		out->min = times[0];
		out->max = times[n - 1];
		out->sum = sum_of(times, n);
		out->mean = seconds(out->sum) / (double)n;
	}
	mem_free(values);
}

static void sum_up(const struct taken *t, struct trace_stats *out)
{
	out->jobs = t->count;
	for (size_t i = 0; i < t->count; i++) {
		const struct job *job = job_at(t, t->by_submit[i]);

		if (i == 0)
			out->first_submit = job->submit;
		out->last_submit = job->submit;
		out->gpu_jobs += job_milli(t, job) > 0;
		out->demand_milli = res_add(out->demand_milli, job_milli(t, job));
		out->gpu_time = res_add(out->gpu_time, gpu_time_of(t, job));
		out->endless += job->duration == JOB_ENDLESS;
		if (job->duration != JOB_ENDLESS && end_of(job) > out->last_end)
			out->last_end = end_of(job);
	}
}

static void spread_durations(const struct taken *t, struct trace_spread *out)
{
	simtime *times = mem_calloc(t->count, sizeof(*times));
	size_t n = 0;

	for (size_t i = 0; i < t->count; i++)
		if (job_at(t, t->in_order[i])->duration != JOB_ENDLESS)
			times[n++] = job_at(t, t->in_order[i])->duration;
	trace_stats_spread(times, n, out);
	mem_free(times);
}

static void spread_waits(const struct taken *t, struct trace_spread *out)
{
	simtime *times = mem_calloc(t->count, sizeof(*times));
	size_t n = 0;

	for (size_t i = 0; i < t->count; i++) {
		simtime wait = trace_stats_wait(t->jobs, t->in_order[i]);

		if (wait != CLOCK_NEVER)
			times[n++] = wait;
	}
	trace_stats_spread(times, n, out);
	mem_free(times);
}

static int compare_ends(const void *a, const void *b, void *context)
{
	const struct job *jobs = context;
	simtime x = end_of(&jobs[*(const uint32_t *)a]), y = end_of(&jobs[*(const uint32_t *)b]);

	return x < y ? -1 : x > y;
}

/* The curve of GPUs wanted at once, up to now, in thousandths. */
struct curve {
	int64_t milli, jobs;
	int64_t integral; /* GPU-microseconds */
	simtime now;
};

static void step(struct curve *c, simtime at, int64_t milli, int64_t jobs)
{
	simtime passed = at - c->now;

	c->integral = res_add(c->integral, res_add(res_mul(passed, c->milli / MILLI),
						   res_mul(passed, c->milli % MILLI) / MILLI));
	c->now = at;
	c->milli += milli;
	c->jobs += jobs;
}

/* What would run at once if nobody waited. */
static void find_peaks(const struct taken *t, struct trace_stats *out)
{
	uint32_t *ends = mem_calloc(t->count, sizeof(*ends));
	struct curve c = {0};
	size_t ended = 0;

	memcpy(ends, t->by_submit, t->count * sizeof(*ends));
	sort_stable(ends, t->count, sizeof(*ends), compare_ends, t->jobs->items);
	for (size_t i = 0; i <= t->count; i++) {
		const struct job *next = i < t->count ? job_at(t, t->by_submit[i]) : NULL;
		simtime until = next != NULL ? next->submit : CLOCK_NEVER - 1;

		for (; ended < t->count && end_of(job_at(t, ends[ended])) <= until; ended++) {
			const struct job *job = job_at(t, ends[ended]);

			if (job->duration > 0)
				step(&c, end_of(job), -job_milli(t, job), -1);
		}
		if (next == NULL || next->duration == 0)
			continue;
		step(&c, next->submit, job_milli(t, next), 1);
		if (c.milli > out->peak_milli) {
			out->peak_milli = c.milli;
			out->peak_milli_at = c.now;
		}
		out->peak_jobs = c.jobs > out->peak_jobs ? c.jobs : out->peak_jobs;
	}
	out->peak_integral = c.integral;
	mem_free(ends);
}

static void look_at_order(const struct taken *t, struct trace_stats *out)
{
	for (size_t i = 1; i < t->count; i++)
		out->out_of_file_order +=
			job_at(t, t->in_order[i])->submit < job_at(t, t->in_order[i - 1])->submit;
	for (size_t i = 0; i < t->count; i++) {
		simtime submit = job_at(t, t->by_submit[i])->submit;
		bool before = i > 0 && job_at(t, t->by_submit[i - 1])->submit == submit;
		bool after = i + 1 < t->count && job_at(t, t->by_submit[i + 1])->submit == submit;

		out->tied += before || after;
	}
}

/* Everything a row of a trace says but its place. */
static int compare_rows(const void *a, const void *b, void *context)
{
	const struct job *jobs = context;
	const struct job *x = &jobs[*(const uint32_t *)a], *y = &jobs[*(const uint32_t *)b];

	if (x->submit != y->submit)
		return x->submit < y->submit ? -1 : 1;
	if (x->duration != y->duration)
		return x->duration < y->duration ? -1 : 1;
	if (x->common->queue != y->common->queue)
		return x->common->queue < y->common->queue ? -1 : 1;
	if (x->common->ns != y->common->ns)
		return x->common->ns < y->common->ns ? -1 : 1;
	if (x->common->first_pod_set != y->common->first_pod_set)
		return x->common->first_pod_set < y->common->first_pod_set ? -1 : 1;
	if (x->common->priority_class != y->common->priority_class)
		return x->common->priority_class < y->common->priority_class ? -1 : 1;
	return x->extra < y->extra ? -1 : x->extra > y->extra;
}

static void find_duplicates(const struct taken *t, struct trace_stats *out)
{
	uint32_t *rows = mem_calloc(t->count, sizeof(*rows));
	size_t count = 0;

	for (size_t i = 0; i < t->count; i++)
		if (job_at(t, t->in_order[i])->name == NAME_NONE)
			rows[count++] = t->in_order[i];
	sort_stable(rows, count, sizeof(*rows), compare_rows, t->jobs->items);
	for (size_t i = 1; i < count; i++)
		out->duplicates += compare_rows(&rows[i - 1], &rows[i], t->jobs->items) == 0;
	mem_free(rows);
}

static void count_demand(const struct taken *t, struct trace_stats *out)
{
	int64_t *milli = mem_calloc(t->count, sizeof(*milli));
	size_t capacity = 0;

	for (size_t i = 0; i < t->count; i++)
		milli[i] = job_milli(t, job_at(t, t->in_order[i]));
	sort_stable(milli, t->count, sizeof(*milli), compare_times, NULL);
	for (size_t i = 0; i < t->count; i++) {
		if (i == 0 || milli[i] != milli[i - 1]) {
			out->demand = mem_grow(out->demand, out->demand_count + 1, &capacity,
					       sizeof(*out->demand));
			out->demand[out->demand_count++] = (struct trace_demand){.milli = milli[i]};
		}
		out->demand[out->demand_count - 1].jobs++;
	}
	mem_free(milli);
}

static void add_month(struct trace_stats *out, size_t *capacity, const char *name)
{
	out->months = mem_grow(out->months, out->month_count + 1, capacity, sizeof(*out->months));
	out->months[out->month_count] = (struct trace_month){0};
	memcpy(out->months[out->month_count].name, name, TRACE_STATS_MONTH);
	out->month_count++;
}

static void count_months(const struct taken *t, simtime clock, struct trace_stats *out)
{
	char text[TRACE_CLOCK];
	size_t capacity = 0;

	for (size_t i = 0; clock != CLOCK_NEVER && i < t->count; i++) {
		trace_format_clock(clock_add(clock, job_at(t, t->by_submit[i])->submit), text);
		text[TRACE_STATS_MONTH - 1] = '\0';
		if (out->month_count == 0 ||
		    strcmp(out->months[out->month_count - 1].name, text) != 0)
			add_month(out, &capacity, text);
		out->months[out->month_count - 1].jobs++;
	}
}

/* Teams while they are counted: queue strings to teams, and the jobs of each. */
struct grouping {
	uint32_t *by_string; /* team + 1; 0: none yet; NAME_NONE stands last */
	size_t *offset;	     /* of a team's durations */
	simtime *durations;
};

static uint32_t *team_slot(const struct grouping *g, const struct taken *t, uint32_t queue)
{
	return &g->by_string[queue == NAME_NONE ? name_count(t->jobs->strings) : queue];
}

static void count_teams(const struct taken *t, struct grouping *g, struct trace_stats *out)
{
	size_t capacity = 0;

	for (size_t i = 0; i < t->count; i++) {
		const struct job *job = job_at(t, t->in_order[i]);
		uint32_t *slot = team_slot(g, t, job->common->queue);
		struct trace_team *team;

		if (*slot == 0) {
			out->teams = mem_grow(out->teams, out->team_count + 1, &capacity,
					      sizeof(*out->teams));
			out->teams[out->team_count++] =
				(struct trace_team){.queue = job->common->queue};
			*slot = (uint32_t)out->team_count;
		}
		team = &out->teams[*slot - 1];
		team->jobs++;
		team->gpu_time = res_add(team->gpu_time, gpu_time_of(t, job));
		if (job_milli(t, job) > team->max_milli)
			team->max_milli = job_milli(t, job);
	}
}

/* Durations side by side, team after team; then each team's median. */
static void find_medians(const struct taken *t, struct grouping *g, struct trace_stats *out)
{
	size_t *used = mem_calloc(out->team_count, sizeof(*used));
	size_t offset = 0;

	for (size_t k = 0; k < out->team_count; k++) {
		g->offset[k] = offset;
		offset += out->teams[k].jobs;
	}
	for (size_t i = 0; i < t->count; i++) {
		const struct job *job = job_at(t, t->in_order[i]);
		uint32_t team = *team_slot(g, t, job->common->queue) - 1;

		if (job->duration != JOB_ENDLESS)
			g->durations[g->offset[team] + used[team]++] = job->duration;
	}
	for (size_t k = 0; k < out->team_count; k++) {
		struct trace_spread s;

		trace_stats_spread(g->durations + g->offset[k], used[k], &s);
		out->teams[k].median = s.linear[0];
	}
	mem_free(used);
}

static int compare_teams(const void *a, const void *b, void *context)
{
	const struct trace_team *x = a, *y = b;

	(void)context;
	return x->jobs > y->jobs ? -1 : x->jobs < y->jobs;
}

static void group_by_team(const struct taken *t, struct trace_stats *out)
{
	size_t strings = (size_t)name_count(t->jobs->strings) + 1;
	struct grouping g = {.by_string = mem_calloc(strings, sizeof(*g.by_string)),
			     .durations = mem_calloc(t->count, sizeof(*g.durations))};

	count_teams(t, &g, out);
	g.offset = mem_calloc(out->team_count, sizeof(*g.offset));
	find_medians(t, &g, out);
	sort_stable(out->teams, out->team_count, sizeof(*out->teams), compare_teams, NULL);
	mem_free(g.by_string);
	mem_free(g.durations);
	mem_free(g.offset);
}

void trace_stats_collect(const struct trace_stats_jobs *jobs, simtime from, simtime to,
			 simtime clock, struct trace_stats *out)
{
	struct taken t;

	*out = (struct trace_stats){0};
	take(&t, jobs, (struct choice){from, to, TRACE_STATS_ALL});
	sum_up(&t, out);
	spread_durations(&t, &out->duration);
	spread_waits(&t, &out->wait);
	find_peaks(&t, out);
	look_at_order(&t, out);
	find_duplicates(&t, out);
	count_demand(&t, out);
	count_months(&t, clock, out);
	group_by_team(&t, out);
	give_back(&t);
}

void trace_stats_free(struct trace_stats *stats)
{
	mem_free(stats->demand);
	mem_free(stats->teams);
	mem_free(stats->months);
}

/* Running jobs of a pool: a heap, the earliest end on top. */
struct running {
	struct ending {
		simtime at;
		int64_t milli;
	} * heap;
	size_t count, capacity;
};

static void push(struct running *r, struct ending end)
{
	size_t at = r->count++;

	r->heap = mem_grow(r->heap, r->count, &r->capacity, sizeof(*r->heap));
	for (; at > 0 && r->heap[(at - 1) / 2].at > end.at; at = (at - 1) / 2)
		r->heap[at] = r->heap[(at - 1) / 2];
	r->heap[at] = end;
}

static struct ending pop(struct running *r)
{
	struct ending top = r->heap[0], last = r->heap[--r->count];
	size_t at = 0;

	for (size_t child = 1; child < r->count; child = 2 * at + 1) {
		if (child + 1 < r->count && r->heap[child + 1].at < r->heap[child].at)
			child++;
		if (r->heap[child].at >= last.at)
			break;
		r->heap[at] = r->heap[child];
		at = child;
	}
	r->heap[at] = last;
	return top;
}

/* The pool while jobs go through it. */
struct pool_run {
	struct running running;
	int64_t free; /* thousandths of a GPU */
	simtime now;  /* nobody overtakes: starts never go back in time */
	simtime last_end;
	simtime *waits;
};

/* False: what would have to end first never does. */
static bool start(struct pool_run *run, const struct taken *t, const struct job *job,
		  struct trace_pool *out)
{
	if (job->submit > run->now)
		run->now = job->submit;
	while (run->running.count > 0 &&
	       (run->running.heap[0].at <= run->now || run->free < job_milli(t, job))) {
		struct ending end = pop(&run->running);

		if (end.at == CLOCK_NEVER)
			return false;
		run->now = end.at > run->now ? end.at : run->now;
		run->free += end.milli;
	}
	run->waits[out->started++] = run->now - job->submit;
	out->waited += run->now > job->submit;
	out->gpu_time = res_add(out->gpu_time, gpu_time_of(t, job));
	run->free -= job_milli(t, job);
	push(&run->running,
	     (struct ending){.at = clock_add(run->now, job->duration), .milli = job_milli(t, job)});
	if (job->duration != JOB_ENDLESS && clock_add(run->now, job->duration) > run->last_end)
		run->last_end = clock_add(run->now, job->duration);
	return true;
}

void trace_stats_pool(const struct trace_stats_jobs *jobs, simtime from, simtime to, uint32_t queue,
		      uint32_t gpus, struct trace_pool *out)
{
	struct pool_run run = {.free = (int64_t)gpus * MILLI};
	struct taken t;
	bool moves = true;

	*out = (struct trace_pool){.gpus = gpus};
	take(&t, jobs, (struct choice){from, to, queue});
	run.waits = mem_calloc(t.count, sizeof(*run.waits));
	for (size_t i = 0; i < t.count && moves; i++) {
		const struct job *job = job_at(&t, t.by_submit[i]);

		if (job_milli(&t, job) > (int64_t)gpus * MILLI)
			out->rejected++;
		else
			moves = start(&run, &t, job, out);
	}
	trace_stats_spread(run.waits, out->started, &out->wait);
	if (out->started > 0)
		out->makespan = run.last_end - job_at(&t, t.by_submit[0])->submit;
	if (out->makespan > 0)
		out->utilisation = (double)out->gpu_time / ((double)gpus * (double)out->makespan);
	mem_free(run.running.heap);
	mem_free(run.waits);
	give_back(&t);
}
