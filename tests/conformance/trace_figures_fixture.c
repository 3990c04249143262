/* trace_figures_fixture.c - figures of hand-made and of simulators' traces: helios, acme,
 * pai, spot, gavel, simulator (Tiresias, Muri).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/tool/csv.h"
#include "sim/trace/trace_pai.h"
#include "tests/conformance/trace_figures.h"

static int64_t gpu_time(const struct figures_trace *t)
{
	struct trace_stats stats;
	int64_t time;

	trace_stats_collect(&t->jobs, 0, CLOCK_NEVER, CLOCK_NEVER, &stats);
	time = stats.gpu_time;
	trace_stats_free(&stats);
	return time;
}

static void write_skipped(struct figures_trace *t)
{
	jsonw_object(t->json, "skipped");
	for (uint32_t i = 0; i < t->summary->reason_count; i++)
		jsonw_integer(t->json, t->summary->skipped[i].reason,
			      (int64_t)t->summary->skipped[i].count);
	jsonw_close_object(t->json);
}

static void figures_helios(struct figures_trace *t)
{
	const char *data = t->source->data;
	simtime waits = 0;

	jsonw_integer(t->json, "rows", (int64_t)t->summary->rows);
	jsonw_integer(t->json, "accepted_gpu_jobs", (int64_t)t->summary->jobs);
	write_skipped(t);
	jsonw_seconds(t->json, "gpu_seconds", gpu_time(t));
	for (uint32_t i = 0; i < t->jobs.count; i++)
		waits += trace_stats_wait(&t->jobs, i);
	jsonw_seconds(t->json, "queue_sum_s", waits);
	jsonw_bool(t->json, "crlf_last_row",
		   t->source->size > 2 && data[t->source->size - 2] == '\r');
	for (uint32_t i = 0; i < t->jobs.count; i++) {
		const struct job *job = figures_job(t, i);
		const struct pod_set *set = builder_sets_of(t->builder, job);

		if (figures_milli(t, i) == 16000)
			jsonw_integer(t->json, "gpus_per_node_of_16gpu_job",
				      builder_shape_at(t->builder, set->shape)->gpus);
	}
}

enum list { SUBMITS, DURATIONS, FROM_SUBMIT };

static void write_times(struct figures_trace *t, const char *key, enum list list)
{
	jsonw_array(t->json, key);
	for (uint32_t i = 0; i < t->jobs.count; i++) {
		const struct job *job = figures_job(t, i);

		if (list == SUBMITS)
			jsonw_seconds(t->json, NULL, t->summary->first_submit + job->submit);
		else if (list == DURATIONS)
			jsonw_seconds(t->json, NULL, job->duration);
		else
			jsonw_seconds(t->json, NULL, job->duration + trace_stats_wait(&t->jobs, i));
	}
	jsonw_close_array(t->json);
}

static void write_column(struct figures_trace *t, const char *key, const char *column)
{
	jsonw_array(t->json, key);
	for (uint32_t i = 0; i < t->summary->rows; i++) {
		char *text = figures_cell(t, column, i);

		jsonw_number(t->json, NULL, strtod(text, NULL));
		free(text);
	}
	jsonw_close_array(t->json);
}

static void figures_acme(struct figures_trace *t)
{
	jsonw_integer(t->json, "rows", (int64_t)t->summary->rows);
	write_times(t, "submit_epoch_utc", SUBMITS);
	write_times(t, "end_minus_start", DURATIONS);
	write_times(t, "end_minus_submit", FROM_SUBMIT);
	write_column(t, "duration_col", "duration");
	write_column(t, "queue_col", "queue");
	jsonw_seconds(t->json, "gpu_seconds", gpu_time(t));
}

static void figures_spot(struct figures_trace *t)
{
	int64_t pods = 0, gpus = 0;

	for (uint32_t i = 0; i < t->jobs.count; i++) {
		const struct job *job = figures_job(t, i);

		pods += builder_sets_of(t->builder, job)->count;
		gpus += figures_milli(t, i) / 1000;
	}
	jsonw_integer(t->json, "rows", (int64_t)t->summary->rows);
	jsonw_integer(t->json, "pods", pods);
	jsonw_integer(t->json, "gpus", gpus);
	jsonw_seconds(t->json, "gpu_seconds", gpu_time(t));
}

/* ---- PAI ---- */

static const char *name_of(const struct trace_pai_job *job, char text[80])
{
	snprintf(text, 80, "%.*s", (int)job->name.len, job->name.text);
	return text;
}

enum pai_figure { PAI_MILLI, PAI_PODS, PAI_WAIT, PAI_TIME };

static void write_by_job(struct figures_trace *t, const struct trace_pai *pai, const char *key,
			 enum pai_figure figure)
{
	char name[80];

	jsonw_object(t->json, key);
	for (uint32_t i = 0; i < pai->job_count; i++) {
		const struct trace_pai_job *job = &pai->jobs[i];

		if (job->skipped != NULL)
			continue;
		if (figure == PAI_MILLI)
			jsonw_integer(t->json, name_of(job, name), (int64_t)job->gpu_milli);
		else if (figure == PAI_PODS)
			jsonw_integer(t->json, name_of(job, name), (int64_t)job->pods);
		else
			jsonw_seconds(t->json, name_of(job, name),
				      figure == PAI_WAIT ? job->start - job->submit
							 : job->gpu_time);
	}
	jsonw_close_object(t->json);
}

static void figures_pai(struct figures_trace *t)
{
	struct trace_pai pai;
	struct err err;

	if (trace_pai_read(t->source, t->set.companions, (uint32_t)t->set.companion_count, false,
			   &pai, &err) != ERR_OK)
		exit(2);
	jsonw_integer(t->json, "jobs", pai.job_count);
	jsonw_integer(t->json, "tasks", pai.task_count);
	jsonw_integer(t->json, "accepted_jobs(end known, at least one GPU task)",
		      (int64_t)t->summary->jobs);
	write_skipped(t);
	write_by_job(t, &pai, "gpu_milli_by_job", PAI_MILLI);
	write_by_job(t, &pai, "pods_by_job", PAI_PODS);
	write_by_job(t, &pai, "wait_s_by_job (earliest task start - job start)", PAI_WAIT);
	write_by_job(t, &pai, "gpu_seconds_by_job (task duration x inst x plan_gpu/100)", PAI_TIME);
	trace_pai_free(&pai);
}

/* ---- simulators ---- */

static bool is_sorted(const struct figures_trace *t)
{
	for (uint32_t i = 1; i < t->jobs.count; i++)
		if (figures_job(t, i)->submit < figures_job(t, i - 1)->submit)
			return false;
	return true;
}

static void write_demand(struct figures_trace *t, const char *key, const struct trace_stats *stats)
{
	char text[32];

	jsonw_object(t->json, key);
	for (size_t i = 0; i < stats->demand_count; i++) {
		snprintf(text, sizeof(text), "%lld", (long long)(stats->demand[i].milli / 1000));
		jsonw_integer(t->json, text, (int64_t)stats->demand[i].jobs);
	}
	jsonw_close_object(t->json);
}

/* Fields of each line, and the types of jobs: what the loader reads past. */
static void write_gavel_lines(struct figures_trace *t)
{
	struct name_table *types = name_new();
	int64_t of_width[16] = {0};
	struct csv csv;
	struct err err;
	bool more = true;
	char text[16];

	csv_open(&csv, t->source, '\t', false);
	while (csv_row(&csv, &more, &err) == ERR_OK && more) {
		of_width[csv.count < 16 ? csv.count : 0]++;
		name_add_n(types, csv.fields[0].text, csv.fields[0].len);
	}
	jsonw_object(t->json, "fields_per_line");
	for (uint32_t i = 0; i < 16; i++) {
		snprintf(text, sizeof(text), "%u", i);
		if (of_width[i] != 0)
			jsonw_integer(t->json, text, of_width[i]);
	}
	jsonw_close_object(t->json);
	jsonw_integer(t->json, "job_types", name_count(types));
	csv_free(&csv);
	name_free(types);
}

static void figures_gavel(struct figures_trace *t)
{
	struct trace_stats stats;

	trace_stats_collect(&t->jobs, 0, CLOCK_NEVER, CLOCK_NEVER, &stats);
	jsonw_integer(t->json, "jobs", (int64_t)t->summary->jobs);
	write_gavel_lines(t);
	jsonw_seconds(t->json, "first_arrival_s", stats.first_submit);
	jsonw_seconds(t->json, "last_arrival_s", stats.last_submit);
	jsonw_bool(t->json, "arrival_sorted", is_sorted(t));
	write_demand(t, "scale_factor_hist", &stats);
	trace_stats_free(&stats);
}

static void figures_simulator(struct figures_trace *t)
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
	jsonw_text(t->json, "unit",
		   strcmp(t->summary->format, "muri") == 0 ? "ms in file, s here"
							   : "s (as printed)");
	jsonw_bool(t->json, "file_sorted_by_submit", is_sorted(t));
	jsonw_integer(t->json, "duplicate_job_id", (int64_t)t->summary->repeated_names);
}

void figures_fixture(struct figures_trace *t, const char *kind)
{
	static const struct {
		const char *kind;
		void (*write)(struct figures_trace *t);
	} rows[] = {
		{"helios", figures_helios}, {"acme", figures_acme},
		{"spot", figures_spot},	    {"pai", figures_pai},
		{"gavel", figures_gavel},   {"simulator", figures_simulator},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (strcmp(rows[i].kind, kind) != 0)
			continue;
		rows[i].write(t);
		return;
	}
	fprintf(stderr, "trace_figures: no kind %s\n", kind);
	exit(2);
}
