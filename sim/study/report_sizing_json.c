#include <math.h>
#include <stdlib.h>

#include "sim/report/exact.h"
#include "sim/study/report_sizing.h"
#include "sim/tool/jsonw.h"
#include "sim/tool/output.h"

#define SCHEMA_VERSION 1

/* ---- JSON ---- */

static void write_texts(struct jsonw *json, const char *key, const char *const *texts,
			uint32_t count)
{
	jsonw_array(json, key);
	for (uint32_t i = 0; i < count; i++)
		jsonw_text(json, NULL, texts[i]);
	jsonw_close_array(json);
}

static const char *state_text(const struct trial *trial)
{
	static const char *const texts[] = {[TRIAL_NEW] = "not run",
					    [TRIAL_DONE] = "ok",
					    [TRIAL_FAILED] = "failed",
					    [TRIAL_INTERRUPTED] = "interrupted"};

	return texts[trial->state];
}

static void write_values(struct jsonw *json, const struct sizing *s, const struct trial *trial)
{
	char name[REPORT_SIZING_GOAL];

	jsonw_object(json, "values_s");
	for (size_t g = 0; g < s->goals->count; g++)
		jsonw_number(json, report_sizing_goal(&s->goals->items[g], name), trial->values[g]);
	jsonw_close_object(json);
}

/* What the same setting gave with random ties. */
static void write_seeds(struct jsonw *json, const struct sizing *s, const struct trial *trial)
{
	char name[REPORT_SIZING_GOAL];

	if (trial->seeds == 0)
		return;
	jsonw_object(json, "random_ties");
	jsonw_integer(json, "runs", trial->seeds);
	jsonw_integer(json, "met", trial->seeds_met);
	jsonw_bool(json, "decided", !trial->is_open);
	for (size_t g = 0; g < s->goals->count && trial->seeds > 1; g++) {
		jsonw_object(json, report_sizing_goal(&s->goals->items[g], name));
		jsonw_number(json, "mean_s", trial->ranges[g].estimate);
		jsonw_number(json, "low_s", trial->ranges[g].low);
		jsonw_number(json, "high_s", trial->ranges[g].high);
		jsonw_close_object(json);
	}
	jsonw_close_object(json);
}

/* The members of the object that is open. */
static void write_trial(struct jsonw *json, const struct sizing *s, const struct trial *trial)
{
	jsonw_text(json, "state", state_text(trial));
	if (trial->state == TRIAL_FAILED)
		jsonw_text(json, "message", trial->message);
	write_texts(json, "set", trial->sets, trial->set_count);
	if (trial->state != TRIAL_DONE)
		return;
	jsonw_bool(json, "met", trial->met);
	write_values(json, s, trial);
	write_seeds(json, s, trial);
	jsonw_integer(json, "gpus", trial->gpus);
	jsonw_number(json, "allocation", trial->allocation);
	jsonw_number(json, "utilisation", trial->utilisation);
	jsonw_integer(json, "jobs_never_started", trial->never_started);
	jsonw_integer(json, "preemptions", trial->preemptions);
	jsonw_seconds(json, "gpu_s_idle", trial->idle);
	jsonw_seconds(json, "gpu_s_stranded", trial->stranded);
	jsonw_seconds(json, "gpu_s_lost", trial->lost);
	if (trial->month > 0)
		jsonw_integer(json, "month_micro_usd", trial->month);
}

static void write_goals(struct jsonw *json, const struct sizing *s)
{
	char name[REPORT_SIZING_GOAL];

	jsonw_array(json, "targets");
	for (size_t g = 0; g < s->goals->count; g++) {
		jsonw_object(json, NULL);
		jsonw_text(json, "name", report_sizing_goal(&s->goals->items[g], name));
		jsonw_seconds(json, "limit_s", s->goals->items[g].limit);
		jsonw_close_object(json);
	}
	jsonw_close_array(json);
}

static void write_named_trial(struct jsonw *json, const char *key, const struct sizing *s,
			      const struct trial *trial)
{
	jsonw_object(json, key);
	write_trial(json, s, trial);
	if (trial->detail != NULL)
		jsonw_number(json, "utilisation_typical_week", trial->typical_week);
	jsonw_close_object(json);
}

static void write_group(struct jsonw *json, const struct sizing *s, const char *name, uint32_t team)
{
	const struct trial *today = s->today;
	const struct busy_group *group = &today->detail->busy->groups[team];
	bool all = team == today->detail->team_count;
	const struct wait_figures *wait = all ? &today->wait : &today->detail->teams[team].wait;
	struct report_sizing_floor floor = report_sizing_floor(s, team);

	jsonw_object(json, NULL);
	jsonw_text(json, "name", name);
	jsonw_number(json, "utilisation_average", busy_share(group));
	jsonw_number(json, "utilisation_p95", busy_p95(group));
	jsonw_seconds(json, "gpu_s_held", group->held);
	jsonw_number(json, "pending_average",
		     today->window == 0 ? 0 : (double)group->pending / (double)today->window);
	jsonw_integer(json, "pending_most", group->pending_most);
	jsonw_number(json, "wait_p50_s", wait->p50);
	jsonw_number(json, "wait_p95_s", wait->p95);
	jsonw_seconds(json, "gpu_s_crashed", group->crashed);
	jsonw_seconds(json, "gpu_s_cancelled", group->cancelled);
	jsonw_integer(json, "gpus_to_reserve", floor.floor);
	jsonw_integer(json, "gpus_of_burst", floor.peak - floor.floor);
	jsonw_close_object(json);
}

static void write_teams(struct jsonw *json, const struct sizing *s)
{
	const struct trial_detail *detail = s->today->detail;

	jsonw_array(json, "teams_today");
	for (uint32_t t = 0; detail != NULL && t < detail->team_count; t++)
		if (detail->teams[t].name != NULL)
			write_group(json, s, detail->teams[t].name, t);
	jsonw_close_array(json);
	jsonw_array(json, "all_today");
	if (detail != NULL)
		write_group(json, s, "all", detail->team_count);
	jsonw_close_array(json);
}

static void write_levers(struct jsonw *json, const struct sizing *s)
{
	jsonw_array(json, "levers");
	for (size_t i = 0; i < s->try_count; i++) {
		const struct sizing_try *try = &s->tries[i];

		jsonw_object(json, NULL);
		jsonw_text(json, "lever", try->lever->name);
		jsonw_integer(json, "round", try->round);
		if (try->trial == NULL) {
			jsonw_text(json, "not_tried", try->lever->absent);
		} else {
			jsonw_text(json, "choice", try->lever->choice);
			jsonw_bool(json, "kept", try->kept);
			write_trial(json, s, try->trial);
		}
		jsonw_close_object(json);
	}
	jsonw_close_array(json);
}

static void write_curve(struct jsonw *json, const char *key, const struct sizing *s,
			const struct sizing_curve *curve)
{
	jsonw_object(json, key);
	if (curve->found)
		jsonw_integer(json, "needed", curve->needed);
	else
		jsonw_null(json, "needed");
	jsonw_array(json, "points");
	for (size_t i = 0; i < curve->count; i++) {
		jsonw_object(json, NULL);
		jsonw_integer(json, "nodes", curve->points[i].nodes);
		write_trial(json, s, curve->points[i].trial);
		jsonw_close_object(json);
	}
	jsonw_close_array(json);
	jsonw_close_object(json);
}

static void write_pools(struct jsonw *json, const struct sizing *s)
{
	jsonw_array(json, "nodes");
	for (uint32_t p = 0; p < s->pool_count; p++) {
		const struct sizing_pool *pool = &s->pools[p];

		jsonw_object(json, NULL);
		jsonw_text(json, "pool", pool->name);
		jsonw_integer(json, "gpus_each", pool->gpus);
		jsonw_integer(json, "today", pool->today);
		jsonw_integer(json, "theory", pool->guess);
		jsonw_integer(json, "searched_from", pool->least);
		jsonw_integer(json, "searched_to", pool->most);
		if (pool->on_demand > 0) {
			jsonw_integer(json, "on_demand_micro_usd_per_hour", pool->on_demand);
			jsonw_integer(json, "reserved_micro_usd_per_hour", pool->reserved);
			jsonw_integer(json, "spot_least_micro_usd_per_hour", pool->spot_low);
			jsonw_integer(json, "spot_most_micro_usd_per_hour", pool->spot_high);
			jsonw_integer(json, "extra_month_micro_usd",
				      pool->tuned.found ? sizing_extra(pool, pool->tuned.needed)
							: 0);
		}
		write_curve(json, "tuned", s, &pool->tuned);
		write_curve(json, "untuned", s, &pool->untuned);
		write_curve(json, "spot", s, &pool->spot);
		jsonw_close_object(json);
	}
	jsonw_close_array(json);
}

static void write_demand(struct jsonw *json, const struct demand *d)
{
	jsonw_object(json, "demand");
	jsonw_number(json, "offered_load_gpus", d->load);
	jsonw_integer(json, "peak_gpus", d->peak);
	jsonw_integer(json, "endless_gpus", d->endless);
	jsonw_number(json, "mean_gpus_of_a_job", d->mean_gpus);
	jsonw_number(json, "mean_service_s", d->service);
	jsonw_number(json, "scv_arrivals", d->scv_arrivals);
	jsonw_number(json, "scv_service", d->scv_service);
	jsonw_close_object(json);
}

static void write_line(void *context, const char *text)
{
	jsonw_text(context, NULL, text);
}

static void write_head(struct jsonw *json, const struct sizing *s)
{
	char *verdict = report_sizing_verdict(s), *command = report_sizing_command(s);

	jsonw_integer(json, "schemaVersion", SCHEMA_VERSION);
	jsonw_text(json, "tool", "gqsim");
	jsonw_text(json, "version", GQSIM_VERSION);
	jsonw_text(json, "policy", s->request.setup.policy->name);
	jsonw_bool(json, "partial", s->partial);
	jsonw_text(json, "verdict", report_sizing_word(s->verdict));
	jsonw_text(json, "sentence", verdict);
	jsonw_text(json, "command", command);
	jsonw_array(json, "buy");
	for (uint32_t p = 0; p < s->pool_count; p++) {
		int64_t more = (int64_t)sizing_nodes(s, p) - s->pools[p].today;

		if (more <= 0)
			continue;
		jsonw_object(json, NULL);
		jsonw_text(json, "pool", s->pools[p].name);
		jsonw_integer(json, "nodes", more);
		jsonw_close_object(json);
	}
	jsonw_close_array(json);
	free(verdict);
	free(command);
}

void report_sizing_json(FILE *out, const struct sizing *s)
{
	struct jsonw json;

	jsonw_begin(&json, out);
	write_head(&json, s);
	write_goals(&json, s);
	write_named_trial(&json, "today", s, s->today);
	write_named_trial(&json, "tuned", s, s->best);
	write_named_trial(&json, "answer", s, sizing_answer(s));
	write_teams(&json, s);
	write_levers(&json, s);
	write_demand(&json, &s->demand);
	write_pools(&json, s);
	jsonw_array(&json, "assumptions");
	report_sizing_assume(s, write_line, &json);
	jsonw_close_array(&json);
	jsonw_end(&json);
}

/* ---- CSV ---- */

/* Behind part, name and nodes a row has these of a trial, and those of a team. */
#define TRIAL_FIELDS(goals) (4 * (goals) + 10)
#define TEAM_FIELDS	    11

static void csv_blank(FILE *out, size_t fields)
{
	while (fields-- > 0)
		putc(',', out);
}

static void csv_number(FILE *out, double value)
{
	if (isfinite(value))
		fprintf(out, ",%.10g", value);
	else
		fputs(",never", out);
}

static void csv_seconds(FILE *out, simtime time)
{
	char text[CLOCK_TEXT];

	fprintf(out, ",%s", clock_format_seconds(time, text));
}

/* What random ties made of it; empty where it was not asked. */
static void csv_seeds(FILE *out, const struct sizing *s, const struct trial *trial)
{
	if (trial->seeds > 0)
		fprintf(out, ",%lu,%lu", (unsigned long)trial->seeds,
			(unsigned long)trial->seeds_met);
	else
		csv_blank(out, 2);
	for (size_t g = 0; g < s->goals->count; g++) {
		if (trial->seeds < 2) {
			csv_blank(out, 3);
			continue;
		}
		csv_number(out, trial->ranges[g].estimate);
		csv_number(out, trial->ranges[g].low);
		csv_number(out, trial->ranges[g].high);
	}
}

static void csv_trial(FILE *out, const struct sizing *s, const struct trial *trial)
{
	char text[MONEY_TEXT];

	fprintf(out, ",%s", state_text(trial));
	if (trial->state != TRIAL_DONE) {
		csv_blank(out, TRIAL_FIELDS(s->goals->count) - 1);
		return;
	}
	fprintf(out, ",%s,%lld", trial->met ? "true" : "false", (long long)trial->gpus);
	for (size_t g = 0; g < s->goals->count; g++)
		csv_number(out, trial->values[g]);
	csv_number(out, trial->utilisation);
	fprintf(out, ",%lu,%lu,%s", (unsigned long)trial->never_started,
		(unsigned long)trial->preemptions,
		trial->month == 0 ? "" : money_format_exact(trial->month, text));
	csv_seeds(out, s, trial);
	csv_number(out, trial->allocation);
}

static void csv_row(FILE *out, const struct sizing *s, const char *part, const char *name,
		    int64_t nodes, const struct trial *trial)
{
	fprintf(out, "%s,", part);
	output_csv(out, name);
	putc(',', out);
	if (nodes >= 0)
		fprintf(out, "%lld", (long long)nodes);
	csv_trial(out, s, trial);
	csv_blank(out, TEAM_FIELDS);
	putc('\n', out);
}

static void csv_curve(FILE *out, const struct sizing *s, const char *part,
		      const struct sizing_pool *pool, const struct sizing_curve *curve)
{
	for (size_t i = 0; i < curve->count; i++)
		csv_row(out, s, part, pool->name, curve->points[i].nodes, curve->points[i].trial);
}

/* The numbers of the purchase request, as it is today. */
static void csv_team(FILE *out, const struct sizing *s, const char *name, uint32_t team)
{
	const struct trial *today = s->today;
	const struct trial_detail *detail = today->detail;
	const struct busy_group *group = &detail->busy->groups[team];
	const struct wait_figures *wait =
		team == detail->team_count ? &today->wait : &detail->teams[team].wait;
	struct report_sizing_floor floor = report_sizing_floor(s, team);

	fputs(team == detail->team_count ? "all teams," : "team,", out);
	output_csv(out, name);
	csv_blank(out, 1 + TRIAL_FIELDS(s->goals->count));
	csv_number(out, busy_share(group));
	csv_number(out, busy_p95(group));
	csv_seconds(out, group->held);
	csv_number(out, today->window == 0 ? 0 : (double)group->pending / (double)today->window);
	fprintf(out, ",%lu", (unsigned long)group->pending_most);
	csv_number(out, wait->p50);
	csv_number(out, wait->p95);
	csv_seconds(out, group->crashed);
	csv_seconds(out, group->cancelled);
	fprintf(out, ",%lld,%lld\n", (long long)floor.floor, (long long)(floor.peak - floor.floor));
}

static void csv_teams(FILE *out, const struct sizing *s)
{
	const struct trial_detail *detail = s->today->detail;

	for (uint32_t t = 0; detail != NULL && t < detail->team_count; t++)
		if (detail->teams[t].name != NULL)
			csv_team(out, s, detail->teams[t].name, t);
	if (detail != NULL)
		csv_team(out, s, "all", detail->team_count);
}

struct csv_text {
	FILE *out;
	const struct sizing *sizing;
	const char *part;
};

static void put_text_row(void *context, const char *text)
{
	const struct csv_text *row = context;

	fprintf(row->out, "%s,", row->part);
	output_csv(row->out, text);
	csv_blank(row->out, 1 + TRIAL_FIELDS(row->sizing->goals->count) + TEAM_FIELDS);
	putc('\n', row->out);
}

static void csv_texts(FILE *out, const struct sizing *s)
{
	char *sentence = report_sizing_verdict(s);
	struct csv_text row = {out, s, "verdict"};

	put_text_row(&row, sentence);
	free(sentence);
	row.part = "assumption";
	report_sizing_assume(s, put_text_row, &row);
}

static void csv_head(FILE *out, const struct sizing *s)
{
	static const char *const ends[] = {"mean", "low", "high"};
	char name[REPORT_SIZING_GOAL];

	fputs("part,name,nodes,state,met,gpus", out);
	for (size_t g = 0; g < s->goals->count; g++) {
		putc(',', out);
		output_csv(out, report_sizing_goal(&s->goals->items[g], name));
	}
	fputs(",utilisation,never_started,preemptions,usd_month,random_ties_runs,random_ties_met",
	      out);
	for (size_t g = 0; g < s->goals->count; g++) {
		report_sizing_goal(&s->goals->items[g], name);
		for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
			char column[REPORT_SIZING_GOAL + 40];

			snprintf(column, sizeof(column), "%s random_ties_%s", name, ends[i]);
			putc(',', out);
			output_csv(out, column);
		}
	}
	fputs(",allocation,team_utilisation,team_utilisation_p95,gpu_s_held,pending_average,"
	      "pending_most,wait_p50_s,wait_p95_s,gpu_s_crashed,gpu_s_cancelled,gpus_to_reserve,"
	      "gpus_of_burst\n",
	      out);
}

void report_sizing_csv(FILE *out, const struct sizing *s)
{
	csv_head(out, s);
	csv_texts(out, s);
	csv_row(out, s, "setting", "today", -1, s->today);
	csv_row(out, s, "setting", "tuned", -1, s->best);
	csv_row(out, s, "setting", "answer", -1, sizing_answer(s));
	csv_teams(out, s);
	for (size_t i = 0; i < s->try_count; i++)
		if (s->tries[i].trial != NULL)
			csv_row(out, s, s->tries[i].kept ? "lever kept" : "lever",
				s->tries[i].lever->choice, -1, s->tries[i].trial);
	for (uint32_t p = 0; p < s->pool_count; p++) {
		csv_curve(out, s, "nodes", &s->pools[p], &s->pools[p].tuned);
		csv_curve(out, s, "spot nodes", &s->pools[p], &s->pools[p].spot);
	}
}
