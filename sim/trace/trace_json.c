/* trace_json.c - the figures of a trace as JSON. */
#include "sim/tool/jsonw.h"
#include "sim/trace/trace_facts.h"

#define SCHEMA_VERSION 1

static void put_count(struct jsonw *json, const char *key, uint64_t count)
{
	jsonw_integer(json, key, (int64_t)count);
}

static void put_milli(struct jsonw *json, const char *key, int64_t milli)
{
	if (milli % 1000 == 0)
		jsonw_integer(json, key, milli / 1000);
	else
		jsonw_number(json, key, (double)milli / 1000);
}

static void put_percentiles(struct jsonw *json, const struct trace_spread *s)
{
	char key[16];

	jsonw_object(json, "p_lin");
	for (int p = 0; p < TRACE_STATS_PERCENTILES; p++) {
		snprintf(key, sizeof(key), "%u", trace_stats_percentiles[p]);
		jsonw_number(json, key, s->linear[p]);
	}
	jsonw_close_object(json);
	jsonw_object(json, "p_nr");
	for (int p = 0; p < TRACE_STATS_PERCENTILES; p++) {
		snprintf(key, sizeof(key), "%u", trace_stats_percentiles[p]);
		jsonw_seconds(json, key, s->nearest[p]);
	}
	jsonw_close_object(json);
}

static void put_spread(struct jsonw *json, const char *key, const struct trace_spread *s)
{
	jsonw_object(json, key);
	put_count(json, "n", s->n);
	jsonw_number(json, "mean", s->mean);
	jsonw_seconds(json, "min", s->min);
	jsonw_seconds(json, "max", s->max);
	jsonw_seconds(json, "sum", s->sum);
	put_count(json, "zero", s->zero);
	put_percentiles(json, s);
	jsonw_close_object(json);
}

static void put_pool(struct jsonw *json, const char *key, const struct trace_pool *pool)
{
	jsonw_object(json, key);
	jsonw_integer(json, "C", pool->gpus);
	put_count(json, "rejected", pool->rejected);
	put_count(json, "started", pool->started);
	put_spread(json, "wait", &pool->wait);
	put_count(json, "waited_jobs", pool->waited);
	jsonw_seconds(json, "makespan_s", pool->makespan);
	jsonw_seconds(json, "gpu_seconds", pool->gpu_time);
	jsonw_number(json, "mean_util_over_makespan", pool->utilisation);
	jsonw_close_object(json);
}

/* What the file says of itself, before any window. */
static void put_file(struct jsonw *json, const struct trace_facts *facts)
{
	const struct trace_summary *summary = facts->summary;
	char hash[32];

	jsonw_integer(json, "schemaVersion", SCHEMA_VERSION);
	jsonw_text(json, "gqsim", GQSIM_VERSION);
	jsonw_text(json, "file", facts->file);
	snprintf(hash, sizeof(hash), "%016llx", (unsigned long long)facts->hash);
	jsonw_text(json, "xxh3", hash);
	jsonw_text(json, "format", summary->format);
	put_count(json, "rows", summary->rows);
	jsonw_object(json, "skipped");
	for (uint32_t i = 0; i < summary->reason_count; i++)
		put_count(json, summary->skipped[i].reason, summary->skipped[i].count);
	jsonw_close_object(json);
	jsonw_object(json, "skipped_first_line");
	for (uint32_t i = 0; i < summary->reason_count; i++)
		jsonw_integer(json, summary->skipped[i].reason, summary->skipped[i].line);
	jsonw_close_object(json);
	if (summary->state_count > 0) {
		jsonw_object(json, "states");
		for (uint32_t i = 0; i < summary->state_count; i++)
			put_count(json, summary->states[i].name, summary->states[i].count);
		jsonw_close_object(json);
	}
	put_count(json, "clamped_waits", summary->clamped_waits);
	put_count(json, "dropped_attempts", summary->dropped_attempts);
	put_count(json, "never_scheduled", summary->never_scheduled);
	put_count(json, "repeated_names", summary->repeated_names);
	put_count(json, "assumed_durations", summary->assumed_durations);
	put_count(json, "model_wishes", summary->model_wishes);
	if (summary->note != NULL)
		jsonw_text(json, "note", summary->note);
	if (summary->not_modelled != NULL)
		jsonw_text(json, "not_modelled", summary->not_modelled);
	if (summary->has_gpu_time)
		put_count(json, "gpu_time_column_mismatch", summary->gpu_time_mismatches);
}

static void put_window(struct jsonw *json, const struct trace_facts *facts)
{
	if (facts->from == 0 && facts->to == CLOCK_NEVER)
		return;
	jsonw_object(json, "window");
	jsonw_seconds(json, "from_s", facts->from);
	jsonw_seconds(json, "to_s", facts->to);
	jsonw_close_object(json);
}

static void put_clock(struct jsonw *json, const struct trace_facts *facts)
{
	char text[TRACE_CLOCK];

	if (facts->clock == CLOCK_NEVER || facts->stats.jobs == 0)
		return;
	jsonw_text(json, "first_submit",
		   trace_format_clock(clock_add(facts->clock, facts->stats.first_submit), text));
	jsonw_text(json, "last_submit",
		   trace_format_clock(clock_add(facts->clock, facts->stats.last_submit), text));
}

static void put_jobs(struct jsonw *json, const struct trace_stats *s)
{
	char key[TRACE_FACTS_GPUS];

	put_count(json, "exact_duplicate_rows_kept", s->duplicates);
	put_count(json, "jobs", s->jobs);
	put_count(json, "gpu_jobs", s->gpu_jobs);
	put_count(json, "endless_jobs", s->endless);
	jsonw_seconds(json, "first_submit_s", s->first_submit);
	jsonw_seconds(json, "last_submit_s", s->last_submit);
	jsonw_seconds(json, "submit_span_s", s->last_submit - s->first_submit);
	jsonw_seconds(json, "last_ideal_end_s", s->last_end);
	jsonw_seconds(json, "total_gpu_seconds", s->gpu_time);
	put_milli(json, "total_gpu_demand", s->demand_milli);
	jsonw_object(json, "demand_hist");
	for (size_t i = 0; i < s->demand_count; i++) {
		trace_facts_gpus(s->demand[i].milli, key);
		put_count(json, key, s->demand[i].jobs);
	}
	jsonw_close_object(json);
	put_spread(json, "duration_s", &s->duration);
	if (s->wait.n > 0)
		put_spread(json, "recorded_wait_s", &s->wait);
	jsonw_object(json, "ideal_concurrent_gpus");
	put_milli(json, "max", s->peak_milli);
	jsonw_seconds(json, "first_at_s", s->peak_milli_at);
	jsonw_seconds(json, "integral", s->peak_integral);
	jsonw_close_object(json);
	jsonw_integer(json, "ideal_concurrent_jobs", s->peak_jobs);
	put_count(json, "submits_out_of_file_order", s->out_of_file_order);
	put_count(json, "submits_tied_with_another", s->tied);
}

static void put_teams(struct jsonw *json, const struct trace_facts *facts)
{
	const struct trace_stats *s = &facts->stats;

	jsonw_object(json, "per_vc");
	for (size_t i = 0; i < s->team_count; i++) {
		const struct trace_team *team = &s->teams[i];

		jsonw_object(json, trace_facts_team(facts, team));
		put_count(json, "jobs", team->jobs);
		jsonw_seconds(json, "gpu_seconds", team->gpu_time);
		put_milli(json, "max_gpus", team->max_milli);
		jsonw_number(json, "p50", team->median);
		jsonw_close_object(json);
	}
	jsonw_close_object(json);
}

static void put_months(struct jsonw *json, const struct trace_stats *s)
{
	jsonw_object(json, "jobs_per_month");
	for (size_t i = 0; i < s->month_count; i++)
		put_count(json, s->months[i].name, s->months[i].jobs);
	jsonw_close_object(json);
}

static void put_vcs(struct jsonw *json, const struct trace_facts *facts)
{
	if (facts->vc_count == 0)
		return;
	jsonw_object(json, "vc_nodes_file");
	for (size_t i = 0; i < facts->vc_count; i++)
		jsonw_integer(json, facts->vcs[i].name, facts->vcs[i].nodes);
	jsonw_close_object(json);
	jsonw_object(json, "per_vc_fifo_pool_nodes_x8");
	for (size_t i = 0; i < facts->vc_count; i++)
		put_pool(json, facts->vcs[i].name, &facts->vcs[i].pool);
	jsonw_close_object(json);
}

void trace_facts_json(FILE *out, const struct trace_facts *facts)
{
	struct jsonw json;

	jsonw_begin(&json, out);
	put_file(&json, facts);
	put_window(&json, facts);
	put_clock(&json, facts);
	put_jobs(&json, &facts->stats);
	jsonw_array(&json, "fifo_pool");
	for (size_t i = 0; i < facts->pool_count; i++)
		put_pool(&json, NULL, &facts->pools[i]);
	jsonw_close_array(&json);
	put_teams(&json, facts);
	if (facts->clock != CLOCK_NEVER)
		put_months(&json, &facts->stats);
	put_vcs(&json, facts);
	jsonw_end(&json);
}
