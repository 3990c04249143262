#include <inttypes.h>
#include <string.h>

#include "sim/report/chance.h"
#include "sim/report/exact.h"
#include "sim/report/report.h"
#include "sim/report/report_calibration.h"
#include "sim/report/report_quotas.h"
#include "sim/report/report_replications.h"
#include "sim/report/story.h"
#include "sim/tool/jsonw.h"

#define SCHEMA_VERSION 1

const char *report_json_end(enum run_end end)
{
	switch (end) {
	case RUN_COMPLETE:
		return "complete";
	case RUN_MAX_TIME:
		return "max-time";
	case RUN_INTERRUPTED:
		return "interrupted";
	case RUN_LIVELOCK:
		return "livelock";
	}
	return "";
}

bool report_partial(const struct report_column *column)
{
	return column->journal->end != RUN_COMPLETE ||
	       (column->chance != NULL && column->chance->stopped);
}

/* ---- what was run ---- */

void report_json_inputs(struct jsonw *json, const struct scenario *s, uint32_t max)
{
	char hash[20];

	jsonw_array(json, "inputs");
	for (uint32_t i = 0; i < s->input_count && i < max; i++) {
		snprintf(hash, sizeof(hash), "%016" PRIx64, s->input_hashes[i]);
		jsonw_object(json, NULL);
		jsonw_text(json, "name", scenario_string(s, s->input_names[i]));
		jsonw_text(json, "xxh3", hash);
		jsonw_close_object(json);
	}
	jsonw_close_array(json);
}

static void write_trace(struct jsonw *json, const struct trace_summary *trace)
{
	if (trace == NULL)
		return;
	jsonw_object(json, "trace");
	jsonw_text(json, "format", trace->format);
	jsonw_integer(json, "rows", (int64_t)trace->rows);
	jsonw_integer(json, "jobs", (int64_t)trace->jobs);
	jsonw_object(json, "skipped");
	for (uint32_t i = 0; i < trace->reason_count; i++)
		jsonw_integer(json, trace->skipped[i].reason, (int64_t)trace->skipped[i].count);
	jsonw_close_object(json);
	jsonw_close_object(json);
}

static void write_findings(struct jsonw *json, const struct scenario *s, const char *key,
			   enum finding_kind kind)
{
	jsonw_array(json, key);
	for (uint32_t i = 0; i < s->finding_count; i++) {
		if (finding_shown(&s->findings[i], kind))
			jsonw_text(json, NULL, scenario_string(s, s->findings[i].text));
	}
	jsonw_close_array(json);
}

static void write_head(struct jsonw *json, const struct report *report)
{
	const struct scenario *s = report->columns[0].scenario;

	jsonw_integer(json, "schemaVersion", SCHEMA_VERSION);
	jsonw_text(json, "tool", "gqsim");
	jsonw_text(json, "version", GQSIM_VERSION);
	report_json_inputs(json, s, UINT32_MAX);
	write_trace(json, report->trace);
	write_findings(json, s, "warnings", FINDING_WARNING);
	write_findings(json, s, "not_modelled", FINDING_NOT_MODELLED);
	write_findings(json, s, "notes", FINDING_NOTE);
}

/* ---- figures ---- */

static void write_job_names(struct jsonw *json, const char *key, const struct scenario *s,
			    const uint32_t *jobs, uint32_t count)
{
	char name[SCENARIO_NAME_TEXT];

	jsonw_array(json, key);
	for (uint32_t i = 0; i < count; i++)
		jsonw_text(json, NULL, scenario_job_name(s, jobs[i], name));
	jsonw_close_array(json);
}

/* The one that stands at the end, as the golden has it. */
static void write_standing_deadlock(struct jsonw *json, const struct metrics *m)
{
	const struct metrics_deadlock *d =
		m->deadlock_count == 0 ? NULL : &m->deadlocks[m->deadlock_count - 1];

	if (d == NULL || !d->standing) {
		jsonw_null(json, "deadlock");
		return;
	}
	jsonw_object(json, "deadlock");
	jsonw_seconds(json, "detected_s", d->since);
	write_job_names(json, "jobs", m->journal->scenario, m->journal->sets[d->set].jobs,
			m->journal->sets[d->set].count);
	jsonw_close_object(json);
}

static void write_deadlocks(struct jsonw *json, const struct metrics *m)
{
	jsonw_array(json, "deadlocks");
	for (size_t i = 0; i < m->deadlock_count; i++) {
		const struct metrics_deadlock *d = &m->deadlocks[i];
		const struct journal_set *set = &m->journal->sets[d->set];

		jsonw_object(json, NULL);
		jsonw_seconds(json, "since_s", d->since);
		jsonw_seconds(json, "until_s", d->until);
		jsonw_bool(json, "standing", d->standing);
		write_job_names(json, "jobs", m->journal->scenario, set->jobs, set->count);
		jsonw_integer(json, "jobs_that_could_never_fit", d->never_fits);
		jsonw_integer(json, "pods_placed", d->pods_placed);
		jsonw_integer(json, "pods_wanted", d->pods_wanted);
		jsonw_integer(json, "gpus_held", d->gpus);
		jsonw_seconds(json, "gpu_s_held", d->held);
		jsonw_close_object(json);
	}
	jsonw_close_array(json);
}

static void write_waits(struct jsonw *json, const char *key, const struct wait_figures *w)
{
	jsonw_object(json, key);
	jsonw_integer(json, "n", w->jobs);
	jsonw_integer(json, "never", w->never);
	jsonw_number(json, "p50", w->p50);
	jsonw_number(json, "p95", w->p95);
	jsonw_number(json, "p99", w->p99);
	jsonw_number(json, "mean", w->mean);
	jsonw_number(json, "max", w->max);
	jsonw_close_object(json);
}

/* gpu_s_free and makespan_s count from time 0 on, as the recorded summaries do;
 * the window of everything else begins with the first submit. */
static void write_gpu_time(struct jsonw *json, const struct metrics *m)
{
	int64_t gpus = scenario_gpus(m->journal->scenario);

	jsonw_seconds(json, "gpu_s_capacity", m->capacity);
	jsonw_seconds(json, "gpu_s_allocated", m->bound);
	jsonw_seconds(json, "gpu_s_running", m->running);
	jsonw_seconds(json, "gpu_s_idle_while_held", m->idle);
	jsonw_seconds(json, "gpu_s_free", m->free + gpus * m->begin);
	jsonw_seconds(json, "gpu_s_stranded", m->stranded);
	jsonw_seconds(json, "gpu_s_useful", m->useful);
	jsonw_seconds(json, "gpu_s_lost_to_preemption", m->lost);
	jsonw_seconds(json, "gpu_s_unfinished", m->unfinished);
	jsonw_number(json, "allocation", m->allocation);
	jsonw_number(json, "utilisation", m->utilisation);
}

static void write_counts(struct jsonw *json, const struct metrics *m)
{
	jsonw_integer(json, "jobs", m->journal->scenario->job_count);
	jsonw_integer(json, "jobs_finished", m->finished);
	jsonw_integer(json, "jobs_never_started", m->never_started);
	jsonw_integer(json, "jobs_that_could_never_fit", m->never_fit);
	jsonw_integer(json, "jobs_running_at_end", m->running_at_end);
	jsonw_integer(json, "jobs_failed", m->failed);
	jsonw_integer(json, "jobs_cancelled", m->cancelled);
	jsonw_integer(json, "jobs_cancelled_waiting", m->cancelled_waiting);
	jsonw_integer(json, "jobs_waiting_at_end", m->waiting_at_end);
	jsonw_integer(json, "jobs_admitted_awaiting_a_node", m->awaiting_node);
	jsonw_integer(json, "jobs_ever_admitted_without_room", m->awaited_node_ever);
	jsonw_integer(json, "pods", (int64_t)m->pods);
	jsonw_integer(json, "pods_placed", (int64_t)m->pods_placed);
	jsonw_number(json, "fraction_of_pods_placed",
		     m->pods == 0 ? 0 : (double)m->pods_placed / (double)m->pods);
	jsonw_integer(json, "failed_attempts", (int64_t)m->journal->failed_attempts);
	jsonw_integer(json, "preempted_pods", m->preempted_pods);
	jsonw_integer(json, "evicted_pods", m->evicted_pods);
	jsonw_integer(json, "preemptions", m->preemptions);
	jsonw_object(json, "preemptions_by_reason");
	for (uint32_t i = 0; i < m->reason_count; i++)
		jsonw_integer(json, m->reasons[i].reason, m->reasons[i].count);
	jsonw_close_object(json);
	jsonw_integer(json, "evictions", m->evictions);
}

static void write_starved(struct jsonw *json, const struct metrics *m)
{
	char name[SCENARIO_NAME_TEXT];

	jsonw_object(json, "starved");
	jsonw_integer(json, "jobs", m->starved.jobs);
	jsonw_integer(json, "overtakes_from", STARVED_OVERTAKES);
	if (m->starved.jobs > 0) {
		jsonw_text(json, "worst",
			   scenario_job_name(m->journal->scenario, m->starved.worst, name));
		jsonw_integer(json, "overtakes", m->starved.overtakes);
		jsonw_text(json, "longest",
			   scenario_job_name(m->journal->scenario, m->starved.longest, name));
		jsonw_seconds(json, "longest_wait_s", m->starved.longest_wait);
	}
	jsonw_close_object(json);
}

static void write_gpus(struct jsonw *json, const char *key, int64_t gpus)
{
	if (gpus < 0)
		jsonw_null(json, key);
	else
		jsonw_integer(json, key, gpus);
}

static void write_teams(struct jsonw *json, const struct metrics *m)
{
	jsonw_array(json, "teams");
	for (uint32_t t = 0; t < m->team_count; t++) {
		const struct metrics_team *team = &m->teams[t];

		if (team->superseded)
			continue;
		jsonw_object(json, NULL);
		jsonw_text(json, "name", team->name);
		jsonw_integer(json, "jobs", team->jobs);
		jsonw_integer(json, "jobs_finished", team->finished);
		write_gpus(json, "gpus_nominal", team->nominal);
		jsonw_integer(json, "gpus_used_peak", team->peak_used);
		jsonw_integer(json, "gpus_borrowed_peak", team->peak_borrowed);
		jsonw_integer(json, "gpus_lent_peak", team->peak_lent);
		jsonw_seconds(json, "gpu_s_used", team->used);
		jsonw_seconds(json, "gpu_s_borrowed", team->borrowed);
		jsonw_seconds(json, "gpu_s_lent", team->lent);
		write_waits(json, "start_wait_s", &team->wait);
		jsonw_integer(json, "preempted", team->preempted);
		jsonw_integer(json, "preempted_by_own", team->preempted_by_self);
		jsonw_integer(json, "preemptions_caused", team->caused);
		jsonw_close_object(json);
	}
	jsonw_close_array(json);
}

/* As DCGM_FI_DEV_GPU_UTIL would show them, where jobs say how busy they keep their GPUs. */
static void write_namespaces(struct jsonw *json, const struct metrics *m)
{
	if (m->busy == NULL)
		return;
	jsonw_array(json, "namespaces");
	for (uint32_t n = 0; n < m->busy->count; n++) {
		const struct busy_group *group = &m->busy->groups[n];

		jsonw_object(json, NULL);
		jsonw_text(json, "name", scenario_string(m->journal->scenario, m->namespaces[n]));
		jsonw_seconds(json, "gpu_s_held", group->held);
		jsonw_number(json, "utilisation_average", busy_share(group));
		jsonw_number(json, "utilisation_p95", busy_p95(group));
		jsonw_close_object(json);
	}
	jsonw_close_array(json);
}

/* Of the window, and as it would be in a month; exact, in millionths of a dollar. */
static void write_cost(struct jsonw *json, const struct metrics *m)
{
	char key[EXACT_KEY];

	if (m->cost == NULL)
		return;
	jsonw_object(json, "cost");
	jsonw_text(json, "currency", "USD");
	jsonw_seconds(json, "month_s", MONEY_MONTH);
	for (const struct exact *f = exact_cost_figures(); f->key != NULL; f++) {
		int64_t amount;

		memcpy(&amount, (const char *)m->cost + f->offset, sizeof(amount));
		snprintf(key, sizeof(key), "%s_micro_usd", f->key + strlen("cost_"));
		jsonw_integer(json, key, amount);
	}
	jsonw_integer(json, "month_micro_usd", m->cost->month);
	jsonw_integer(json, "nodes_without_price", m->cost->unpriced);
	jsonw_array(json, "teams");
	for (uint32_t t = 0; t < m->team_count; t++) {
		if (m->teams[t].superseded)
			continue;
		jsonw_object(json, NULL);
		jsonw_text(json, "name", m->teams[t].name);
		jsonw_integer(json, "used_micro_usd", m->cost->teams[t].used);
		jsonw_integer(json, "borrowed_micro_usd", m->cost->teams[t].borrowed);
		jsonw_close_object(json);
	}
	jsonw_close_array(json);
	jsonw_close_object(json);
}

static void write_how(struct jsonw *json, const struct report_column *column)
{
	const struct policy_row *policy = column->policy;
	const struct metrics *m = column->metrics;

	jsonw_text(json, "policy", policy->name);
	if (policy->admission != NULL)
		jsonw_text(json, "admission", policy->admission->models);
	if (policy->placement != NULL && m->places_pods)
		jsonw_text(json, "placement", policy->placement->models);
	jsonw_integer(json, "seed", (int64_t)column->options->seed);
	jsonw_text(json, "end", report_json_end(column->journal->end));
	jsonw_bool(json, "partial", report_partial(column));
	jsonw_seconds(json, "begin_s", m->begin);
	jsonw_seconds(json, "end_s", m->end);
	jsonw_seconds(json, "makespan_s", clock_add(m->makespan, m->begin));
	jsonw_integer(json, "nodes", scenario_nodes(column->scenario));
	jsonw_integer(json, "gpus", m->gpus_peak);
	jsonw_integer(json, "gpus_of_quota", m->gpus_quota);
}

static void write_figures(struct jsonw *json, const struct report_column *column)
{
	const struct metrics *m = column->metrics;
	uint32_t waits = m->wait.jobs - m->wait.never;

	write_how(json, column);
	write_counts(json, m);
	write_gpu_time(json, m);
	jsonw_integer(json, "wait_n", waits);
	jsonw_number(json, "wait_p50_s", m->wait_nearest[0]);
	jsonw_number(json, "wait_p95_s", m->wait_nearest[1]);
	write_waits(json, "start_wait_s", &m->wait);
	jsonw_object(json, "start_wait_by_gpus_s");
	jsonw_number(json, "p50", m->wait_weighted[0]);
	jsonw_number(json, "p95", m->wait_weighted[1]);
	jsonw_number(json, "p99", m->wait_weighted[2]);
	jsonw_close_object(json);
	if (m->admission) {
		write_waits(json, "admission_wait_s", &m->admission_wait);
		write_waits(json, "admitted_wait_s", &m->admitted_wait);
	}
	jsonw_number(json, "queueing_mean_s", m->queueing_mean);
	jsonw_number(json, "queueing_total_s", m->queueing_total);
	write_starved(json, m);
	write_standing_deadlock(json, m);
	write_deadlocks(json, m);
	jsonw_seconds(json, "gpu_s_deadlocked", m->deadlock_held);
	write_teams(json, m);
	write_namespaces(json, m);
	write_cost(json, m);
	report_calibration_json(json, column);
}

/* ---- jobs ---- */

static bool is_half_placed(const struct replay_job *job)
{
	return !(job->flags & REPLAY_DONE) && job->bound_pods > 0 &&
	       job->bound_pods < job->wanted_pods;
}

static bool is_unplaced(const struct replay_job *job)
{
	return (job->flags & REPLAY_SUBMITTED) != 0 && !(job->flags & REPLAY_DONE) &&
	       job->bound_pods == 0;
}

static void write_jobs_that(struct jsonw *json, const char *key, const struct metrics *m,
			    bool (*that)(const struct replay_job *job))
{
	const struct scenario *s = m->journal->scenario;
	char name[SCENARIO_NAME_TEXT];

	jsonw_array(json, key);
	for (uint32_t i = 0; i < s->job_count; i++) {
		if (that(&m->states[i]))
			jsonw_text(json, NULL, scenario_job_name(s, i, name));
	}
	jsonw_close_array(json);
}

static simtime since_submit(const struct job *input, simtime time)
{
	return time == CLOCK_NEVER ? CLOCK_NEVER : time - input->submit;
}

static void write_job(struct jsonw *json, const struct metrics *m, uint32_t index)
{
	const struct scenario *s = m->journal->scenario;
	const struct job *input = &s->jobs[index];
	const struct replay_job *job = &m->states[index];
	const struct replay_more *more = replay_more(m->states, m->more, index);
	bool finished = (job->flags & REPLAY_FINISHED) != 0;
	char name[SCENARIO_NAME_TEXT];

	jsonw_object(json, NULL);
	jsonw_text(json, "name", scenario_job_name(s, index, name));
	jsonw_text(json, "namespace", scenario_string(s, input->common->ns));
	jsonw_text(json, "team", m->teams[m->team_of[index]].name);
	jsonw_seconds(json, "submit_s", input->submit);
	jsonw_seconds(json, "start_s", job->first_start);
	jsonw_seconds(json, "finish_s", finished ? job->end : CLOCK_NEVER);
	jsonw_seconds(json, "wait_s", since_submit(input, job->first_start));
	jsonw_integer(json, "pods", input->common->pods);
	jsonw_integer(json, "placed_pods",
		      finished ? job->wanted_pods + more->done_pods : job->bound_pods);
	jsonw_integer(json, "gpus", input->common->gpus);
	jsonw_close_object(json);
}

static void write_jobs(struct jsonw *json, const struct metrics *m)
{
	write_jobs_that(json, "half_placed_jobs", m, is_half_placed);
	write_jobs_that(json, "unplaced_jobs", m, is_unplaced);
	jsonw_array(json, "per_job");
	for (uint32_t i = 0; i < m->journal->scenario->job_count; i++)
		write_job(json, m, i); /* those too that came after the window */
	jsonw_close_array(json);
}

void report_json_run(FILE *out, const struct report *report)
{
	struct jsonw json;

	jsonw_begin(&json, out);
	write_head(&json, report);
	write_figures(&json, &report->columns[0]);
	write_jobs(&json, report->columns[0].metrics);
	jsonw_end(&json);
}

static void write_story(struct jsonw *json, const struct report *report)
{
	struct story *story = story_new(report);

	jsonw_array(json, "story");
	for (size_t i = 0; i < story->line_count; i++)
		jsonw_text(json, NULL, story->lines[i]);
	jsonw_close_array(json);
	jsonw_array(json, "assumptions");
	for (size_t i = 0; i < story->assumption_count; i++)
		jsonw_text(json, NULL, story->assumptions[i]);
	jsonw_close_array(json);
	story_free(story);
}

void report_json_compare(FILE *out, const struct report *report)
{
	struct jsonw json;

	jsonw_begin(&json, out);
	write_head(&json, report);
	jsonw_array(&json, "columns");
	for (size_t i = 0; i < report->count; i++) {
		jsonw_object(&json, NULL);
		jsonw_text(&json, "title", report->columns[i].title);
		write_figures(&json, &report->columns[i]);
		jsonw_close_object(&json);
	}
	jsonw_close_array(&json);
	report_replications_json(&json, report->replicated);
	report_quotas_json(&json, report);
	write_story(&json, report);
	jsonw_end(&json);
}
