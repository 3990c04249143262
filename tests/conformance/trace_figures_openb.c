/* trace_figures_openb.c - figures of an openb list of pods, and of a list in SWF. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/mem.h"
#include "core/sort.h"
#include "sim/tool/csv.h"
#include "sim/trace/trace_swf.h"
#include "tests/conformance/trace_figures.h"

#define DAY (24 * CLOCK_HOUR)
#define MIB ((int64_t)1 << 20)

typedef bool choose(const struct figures_trace *t, uint32_t job);

static bool any(const struct figures_trace *t, uint32_t job)
{
	(void)t;
	(void)job;
	return true;
}

static bool on_gpus(const struct figures_trace *t, uint32_t job)
{
	return figures_milli(t, job) > 0;
}

static bool whole(const struct figures_trace *t, uint32_t job)
{
	return figures_milli(t, job) == 1000;
}

static bool fraction(const struct figures_trace *t, uint32_t job)
{
	return on_gpus(t, job) && figures_milli(t, job) < 1000;
}

static bool several(const struct figures_trace *t, uint32_t job)
{
	return figures_milli(t, job) > 1000;
}

static bool eight(const struct figures_trace *t, uint32_t job)
{
	return figures_milli(t, job) == 8000;
}

static bool cpu_only(const struct figures_trace *t, uint32_t job)
{
	return !on_gpus(t, job);
}

static bool was_scheduled(const struct figures_trace *t, uint32_t job)
{
	return trace_stats_wait(&t->jobs, job) != CLOCK_NEVER;
}

/* Waits or durations of the scheduled pods that are chosen. */
static void spread_of(struct figures_trace *t, const char *key, choose *chosen, bool waits)
{
	simtime *times = mem_calloc(t->jobs.count, sizeof(*times));
	size_t n = 0;

	for (uint32_t i = 0; i < t->jobs.count; i++)
		if (was_scheduled(t, i) && chosen(t, i))
			times[n++] =
				waits ? trace_stats_wait(&t->jobs, i) : figures_job(t, i)->duration;
	figures_spread(t, key, times, n);
	mem_free(times);
}

static void spread_lifetimes(struct figures_trace *t)
{
	simtime *times = mem_calloc(t->jobs.count, sizeof(*times));
	size_t n = 0;

	for (uint32_t i = 0; i < t->jobs.count; i++)
		if (!was_scheduled(t, i))
			times[n++] = figures_job(t, i)->duration;
	figures_spread(t, "lifetime_never_scheduled_s", times, n);
	mem_free(times);
}

static uint64_t count_of(const struct figures_trace *t, choose *chosen)
{
	uint64_t count = 0;

	for (uint32_t i = 0; i < t->jobs.count; i++)
		count += chosen(t, i);
	return count;
}

static simtime end_of(const struct figures_trace *t, uint32_t job)
{
	simtime wait = trace_stats_wait(&t->jobs, job);

	return figures_job(t, job)->submit + (wait == CLOCK_NEVER ? 0 : wait) +
	       figures_job(t, job)->duration;
}

static simtime last_end(const struct figures_trace *t)
{
	simtime last = 0;

	for (uint32_t i = 0; i < t->jobs.count; i++)
		last = end_of(t, i) > last ? end_of(t, i) : last;
	return last;
}

/* ---- curves ---- */

struct change {
	simtime at;
	int64_t by;
};

static int compare_changes(const void *a, const void *b, void *context)
{
	const struct change *x = a, *y = b;

	(void)context;
	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	return x->by < y->by ? -1 : x->by > y->by; /* ends before starts */
}

struct window {
	simtime from, to;
};

static const struct window always = {0, CLOCK_NEVER};

struct curve {
	int64_t max, integral; /* of value-seconds */
	simtime first_at;
};

/* The integral counts within a window. */
static struct curve add_up(struct change *changes, size_t n, struct window window)
{
	struct curve c = {0};
	int64_t value = 0;
	simtime now = 0;

	sort_stable(changes, n, sizeof(*changes), compare_changes, NULL);
	for (size_t i = 0; i < n; i++) {
		simtime since = now > window.from ? now : window.from;
		simtime until = changes[i].at < window.to ? changes[i].at : window.to;

		if (until > since)
			c.integral += value * ((until - since) / CLOCK_SECOND);
		now = changes[i].at;
		value += changes[i].by;
		if (value > c.max) {
			c.max = value;
			c.first_at = now;
		}
	}
	return c;
}

enum curve_kind { RECORDED_MILLI, RECORDED_PODS, FROM_CREATION };

static struct curve curve_of(const struct figures_trace *t, enum curve_kind kind,
			     struct window window)
{
	struct change *changes = mem_calloc((size_t)t->jobs.count * 2, sizeof(*changes));
	struct curve c;
	size_t n = 0;

	for (uint32_t i = 0; i < t->jobs.count; i++) {
		int64_t by = kind == RECORDED_PODS ? 1 : figures_milli(t, i);
		simtime start = figures_job(t, i)->submit;

		if (kind != FROM_CREATION && !was_scheduled(t, i))
			continue;
		if (kind != FROM_CREATION)
			start += trace_stats_wait(&t->jobs, i);
		if (end_of(t, i) == start)
			continue;
		changes[n++] = (struct change){start, by};
		changes[n++] = (struct change){end_of(t, i), -by};
	}
	c = add_up(changes, n, window);
	mem_free(changes);
	return c;
}

static void write_curve(struct figures_trace *t, const char *key, enum curve_kind kind)
{
	struct curve c = curve_of(t, kind, always);

	jsonw_object(t->json, key);
	jsonw_integer(t->json, "max", c.max);
	jsonw_seconds(t->json, "first_at_s", c.first_at);
	jsonw_integer(t->json, "integral", c.integral);
	jsonw_close_object(t->json);
}

static simtime last_submit(const struct figures_trace *t)
{
	return figures_job(t, t->jobs.by_submit[t->jobs.count - 1])->submit;
}

/* Over the days before the last creation. */
static void write_mean(struct figures_trace *t, const char *key, simtime days)
{
	simtime last = t->jobs.count > 0 ? last_submit(t) : 0;
	struct curve c = curve_of(t, RECORDED_MILLI, (struct window){last - days, last});

	jsonw_number(t->json, key,
		     (double)c.integral / 1000.0 / ((double)days / (double)CLOCK_SECOND));
}

/* ---- counts ---- */

/* A histogram of numbers, whatever their order. */
static void write_numbers(struct figures_trace *t, const char *key, choose *chosen,
			  int64_t (*number)(const struct figures_trace *, uint32_t))
{
	int64_t known[128];
	uint64_t counts[128] = {0};
	size_t used = 0;
	char text[32];

	for (uint32_t i = 0; i < t->jobs.count; i++) {
		size_t k = 0;

		if (!chosen(t, i))
			continue;
		while (k < used && known[k] != number(t, i))
			k++;
		if (k == used)
			known[used++] = number(t, i);
		counts[k]++;
	}
	jsonw_object(t->json, key);
	for (size_t k = 0; k < used; k++) {
		snprintf(text, sizeof(text), "%lld", (long long)known[k]);
		jsonw_integer(t->json, text, (int64_t)counts[k]);
	}
	jsonw_close_object(t->json);
}

static bool one_gpu(const struct figures_trace *t, uint32_t job)
{
	return whole(t, job) || fraction(t, job);
}

static int64_t devices(const struct figures_trace *t, uint32_t job)
{
	return (figures_milli(t, job) + 999) / 1000;
}

/* The queue of a pod is its qos. */
static void write_qos(struct figures_trace *t)
{
	struct trace_stats stats;

	trace_stats_collect(&t->jobs, 0, CLOCK_NEVER, CLOCK_NEVER, &stats);
	jsonw_object(t->json, "qos");
	for (size_t i = 0; i < stats.team_count; i++)
		jsonw_integer(t->json, name_text(t->jobs.strings, stats.teams[i].queue),
			      (int64_t)stats.teams[i].jobs);
	jsonw_close_object(t->json);
	trace_stats_free(&stats);
}

static void write_states(struct figures_trace *t)
{
	jsonw_object(t->json, "phase");
	for (uint32_t i = 0; i < t->summary->state_count; i++)
		jsonw_integer(t->json, t->summary->states[i].name,
			      (int64_t)t->summary->states[i].count);
	jsonw_close_object(t->json);
}

static void write_columns(struct figures_trace *t)
{
	struct csv csv;
	struct err err;
	bool more;
	char name[80];

	csv_init(&csv, t->source->name, t->source->data, t->source->size);
	csv_row(&csv, &more, &err);
	jsonw_array(t->json, "columns");
	for (uint32_t i = 0; i < csv.count; i++) {
		snprintf(name, sizeof(name), "%.*s", (int)csv.fields[i].len, csv.fields[i].text);
		jsonw_text(t->json, NULL, name);
	}
	jsonw_close_array(t->json);
	csv_free(&csv);
}

static int64_t request_of(const struct figures_trace *t, uint32_t job, uint32_t resource)
{
	const struct pod_set *set = builder_sets_of(t->builder, figures_job(t, job));

	return builder_shape_at(t->builder, set->shape)->request[resource] * set->count;
}

static void write_list(struct figures_trace *t)
{
	int64_t milli = 0, cpu = 0, memory = 0;
	simtime first = CLOCK_NEVER, last = 0;

	for (uint32_t i = 0; i < t->jobs.count; i++) {
		simtime submit = figures_job(t, i)->submit;

		milli += figures_milli(t, i);
		cpu += request_of(t, i, RES_CPU);
		memory += request_of(t, i, RES_MEMORY) / MIB;
		first = submit < first ? submit : first;
		last = submit > last ? submit : last;
	}
	jsonw_integer(t->json, "rows", (int64_t)t->summary->rows);
	jsonw_integer(t->json, "pods_read", (int64_t)t->summary->jobs);
	write_columns(t);
	jsonw_integer(t->json, "gpu_pods", (int64_t)count_of(t, on_gpus));
	jsonw_integer(t->json, "fractional_pods", (int64_t)count_of(t, fraction));
	jsonw_integer(t->json, "multi_gpu_pods", (int64_t)count_of(t, several));
	jsonw_integer(t->json, "gpu_milli_total", milli);
	jsonw_integer(t->json, "cpu_milli_total", cpu);
	jsonw_integer(t->json, "memory_mib_total", memory);
	jsonw_integer(t->json, "with_gpu_spec", (int64_t)t->summary->model_wishes);
	jsonw_integer(t->json, "never_scheduled", (int64_t)t->summary->never_scheduled);
	jsonw_seconds(t->json, "creation_min", first);
	jsonw_seconds(t->json, "creation_max", last);
	jsonw_seconds(t->json, "first_creation", first);
	jsonw_seconds(t->json, "last_creation", last);
}

static void write_ends(struct figures_trace *t)
{
	simtime last = last_end(t);
	int64_t equal = 0, negative_waits = 0, negative_runs = 0;

	for (uint32_t i = 0; i < t->jobs.count; i++) {
		equal += end_of(t, i) == last;
		negative_waits += was_scheduled(t, i) && trace_stats_wait(&t->jobs, i) < 0;
		negative_runs += figures_job(t, i)->duration < 0;
	}
	jsonw_seconds(t->json, "last_deletion", last);
	jsonw_integer(t->json, "deletion_equal_to_last", equal);
	jsonw_integer(t->json, "negative_queue",
		      negative_waits + (int64_t)t->summary->clamped_waits);
	jsonw_integer(t->json, "negative_run", negative_runs);
}

void figures_openb(struct figures_trace *t)
{
	write_list(t);
	jsonw_integer(t->json, "scheduled", (int64_t)count_of(t, was_scheduled));
	jsonw_integer(t->json, "never_scheduled_skipped_in_replay_of_runtimes",
		      (int64_t)(t->jobs.count - count_of(t, was_scheduled)));
	write_states(t);
	write_qos(t);
	write_numbers(t, "num_gpu_hist", any, devices);
	write_numbers(t, "gpu_milli_hist_for_num_gpu_1", one_gpu, figures_milli);
	write_ends(t);
	spread_of(t, "queue_s_all_scheduled", any, true);
	spread_of(t, "queue_s_gpu_pods", on_gpus, true);
	spread_of(t, "queue_s_whole_gpu", whole, true);
	spread_of(t, "queue_s_fractional", fraction, true);
	spread_of(t, "queue_s_multi_gpu", several, true);
	spread_of(t, "queue_s_8gpu", eight, true);
	spread_of(t, "queue_s_cpu_only", cpu_only, true);
	spread_lifetimes(t);
	spread_of(t, "run_s_all_scheduled", any, false);
	spread_of(t, "run_s_gpu_pods", on_gpus, false);
	jsonw_number(t->json, "gpu_seconds_recorded",
		     (double)curve_of(t, RECORDED_MILLI, always).integral / 1000.0);
	write_curve(t, "recorded_peak_gpu_milli", RECORDED_MILLI);
	write_curve(t, "recorded_peak_pods", RECORDED_PODS);
	write_curve(t, "ideal_peak_gpu_milli_from_creation", FROM_CREATION);
	write_mean(t, "recorded_mean_gpus_last30d", 30 * DAY);
	write_mean(t, "recorded_mean_gpus_last7d", 7 * DAY);
}

/* ---- SWF ---- */

/* What the lines say, before any of them is a job. */
struct lines {
	int64_t headers, jobs, bad_fields, run_le_0, run_missing, procs_le_0, usable;
	int64_t wait_missing, wait_negative, fractions;
	double submit, max_procs;
	bool sorted;
	uint64_t queues, partitions, users; /* sets of small numbers */
	struct {
		double status;
		int64_t count;
	} statuses[16];
	size_t status_count;
};

static void count_status(struct lines *l, double status)
{
	size_t i = 0;

	while (i < l->status_count &&
	       (l->statuses[i].status < status || l->statuses[i].status > status))
		i++;
	if (i == l->status_count)
		l->statuses[l->status_count++].status = status;
	l->statuses[i].count++;
}

static uint64_t bit_of(double number)
{
	return number >= -1 && number < 63 ? UINT64_C(1) << (int)(number + 1) : 0;
}

static int64_t bits(uint64_t set)
{
	int64_t count = 0;

	for (; set != 0; set &= set - 1)
		count++;
	return count;
}

static void look(void *context, const struct trace_swf_line *line)
{
	struct lines *l = context;
	const double *v = line->value;

	if (line->text != NULL) {
		l->headers++;
		return;
	}
	l->jobs++;
	l->bad_fields += line->count != TRACE_SWF_FIELDS;
	l->run_le_0 += v[TRACE_SWF_RUN] <= 0;
	l->run_missing += v[TRACE_SWF_RUN] < 0;
	l->procs_le_0 += v[TRACE_SWF_PROCS] <= 0;
	l->usable += v[TRACE_SWF_RUN] > 0 && trace_swf_procs(line) > 0;
	l->wait_missing += v[TRACE_SWF_WAIT] <= -1 && v[TRACE_SWF_WAIT] >= -1;
	l->wait_negative += v[TRACE_SWF_WAIT] < -1;
	l->fractions += line->fractions;
	l->sorted = l->sorted && v[TRACE_SWF_SUBMIT] >= l->submit;
	l->submit = v[TRACE_SWF_SUBMIT];
	l->max_procs = trace_swf_procs(line) > l->max_procs ? trace_swf_procs(line) : l->max_procs;
	l->queues |= bit_of(v[TRACE_SWF_QUEUE]);
	l->partitions |= bit_of(v[TRACE_SWF_PARTITION]);
	l->users |= bit_of(v[TRACE_SWF_USER]);
	count_status(l, v[TRACE_SWF_STATUS]);
}

static void write_lines(struct figures_trace *t, const struct lines *l)
{
	char text[32];

	jsonw_integer(t->json, "header_lines", l->headers);
	jsonw_integer(t->json, "jobs", (int64_t)t->summary->jobs);
	jsonw_integer(t->json, "bad_field_count", l->bad_fields);
	jsonw_integer(t->json, "run_le_0", l->run_le_0);
	jsonw_integer(t->json, "run_minus1", l->run_missing);
	jsonw_integer(t->json, "procs_le_0", l->procs_le_0);
	jsonw_integer(t->json, "usable(run>0 & procs>0 after fallback to requested)", l->usable);
	jsonw_integer(t->json, "wait_minus1", l->wait_missing);
	jsonw_integer(t->json, "wait_negative_other", l->wait_negative);
	jsonw_integer(t->json, "non_integer_fields", l->fractions);
	jsonw_object(t->json, "status");
	for (size_t i = 0; i < l->status_count; i++) {
		snprintf(text, sizeof(text), "%.1f", l->statuses[i].status);
		jsonw_integer(t->json, text, l->statuses[i].count);
	}
	jsonw_close_object(t->json);
	jsonw_bool(t->json, "submit_sorted", l->sorted);
	jsonw_integer(t->json, "max_procs", (int64_t)l->max_procs);
	jsonw_integer(t->json, "queues", bits(l->queues));
	jsonw_integer(t->json, "partitions", bits(l->partitions));
	jsonw_integer(t->json, "users", bits(l->users));
}

/* The curves count processors, that is GPUs, not thousandths. */
static void write_procs(struct figures_trace *t, const char *key, enum curve_kind kind)
{
	struct trace_stats stats;
	struct curve c = curve_of(t, kind, always);

	trace_stats_collect(&t->jobs, 0, CLOCK_NEVER, CLOCK_NEVER, &stats);
	jsonw_object(t->json, key);
	if (kind == FROM_CREATION) { /* nobody waits: what trace stats knows */
		jsonw_integer(t->json, "max", stats.peak_milli / 1000);
		jsonw_seconds(t->json, "first_at_s", stats.peak_milli_at);
		jsonw_seconds(t->json, "integral", stats.peak_integral);
	} else {
		jsonw_integer(t->json, "max", c.max / 1000);
		jsonw_seconds(t->json, "first_at_s", c.first_at);
		jsonw_integer(t->json, "integral", c.integral / 1000);
	}
	jsonw_close_object(t->json);
	trace_stats_free(&stats);
}

void figures_swf(struct figures_trace *t)
{
	struct lines lines = {.sorted = true};
	struct trace_stats stats;
	struct err err;

	if (trace_swf_read(t->source, look, &lines, &err) != ERR_OK)
		exit(2);
	write_lines(t, &lines);
	trace_stats_collect(&t->jobs, 0, CLOCK_NEVER, CLOCK_NEVER, &stats);
	jsonw_seconds(t->json, "first_submit", stats.first_submit);
	jsonw_seconds(t->json, "last_submit", stats.last_submit);
	jsonw_seconds(t->json, "proc_seconds", stats.gpu_time);
	trace_stats_free(&stats);
	spread_of(t, "wait_s_known", any, true);
	spread_of(t, "run_s", any, false);
	write_procs(t, "recorded_peak_procs", RECORDED_MILLI);
	write_procs(t, "ideal_peak_procs", FROM_CREATION);
}
