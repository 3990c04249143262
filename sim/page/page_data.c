#include "sim/page/page_data.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "core/mem.h"
#include "sim/page/page_choice.h"
#include "sim/page/page_config.h"
#include "sim/page/page_events.h"
#include "sim/page/page_grid.h"
#include "sim/page/page_jobs.h"
#include "sim/page/page_name.h"
#include "sim/page/page_series.h"
#include "sim/page/page_teams.h"
#include "sim/page/page_verdict.h"
#include "sim/report/exact.h"
#include "sim/report/story.h"
#include "sim/tool/human.h"
#include "sim/tool/jsonw.h"
#include "sim/tool/output.h"

#define SCHEMA_VERSION 2
/* In all columns together, so that a page stays below 2 MB. */
#define NUMBERS_MAX    60000 /* of levels over time */
#define ROWS_MAX       2000  /* of them */
#define MARKS_MAX      1000
#define NAMESPACES_MAX 50
#define QUANTILES      50
#define FEW_COLUMNS    4 /* more have coarser grids and quantiles */

const struct page_room page_room_live = {
	.jobs = 2000, .spans = 15000, .events = 12000, .text = 250000};

struct data {
	struct jsonw *json;
	const struct report *report;
	const struct page_room *room;
	struct page_choice choice;
	struct page_teams teams;
};

/* ---- text ---- */

static void write_title(struct jsonw *json, const struct report *report)
{
	struct output_text text;

	output_text_open(&text);
	report_title(text.file, report);
	output_text_close(&text);
	jsonw_text(json, "title", text.data);
	output_text_free(&text);
}

static void write_lines(struct jsonw *json, const char *key, char *const *lines, size_t count)
{
	jsonw_array(json, key);
	for (size_t i = 0; i < count; i++)
		jsonw_text(json, NULL, lines[i]);
	jsonw_close_array(json);
}

static void write_findings(struct data *data)
{
	static const struct {
		enum finding_kind kind;
		const char *title;
	} kinds[] = {{FINDING_NOT_MODELLED, "Not modelled"},
		     {FINDING_WARNING, "Warning"},
		     {FINDING_NOTE, "Note"}};
	const struct scenario *s = data->report->columns[0].scenario;

	jsonw_array(data->json, "findings");
	for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++) {
		uint32_t told = 0;

		for (uint32_t i = 0; i < s->finding_count && told < 50; i++) {
			if (s->findings[i].kind != kinds[k].kind)
				continue;
			told++;
			jsonw_array(data->json, NULL);
			jsonw_text(data->json, NULL, kinds[k].title);
			jsonw_text(data->json, NULL, scenario_string(s, s->findings[i].text));
			jsonw_close_array(data->json);
		}
	}
	jsonw_close_array(data->json);
}

static void write_figure(void *context, const char *label, const char *const *cells, bool bad)
{
	struct data *data = context;

	jsonw_object(data->json, NULL);
	jsonw_text(data->json, "label", label);
	jsonw_array(data->json, "cells");
	for (size_t i = 0; i < data->report->count; i++)
		jsonw_text(data->json, NULL, cells[i]);
	jsonw_close_array(data->json);
	jsonw_bool(data->json, "bad", bad);
	jsonw_close_object(data->json);
}

static void write_words(struct data *data)
{
	struct story *story = story_new(data->report);
	char text[PAGE_VERDICT_TEXT];

	write_title(data->json, data->report);
	jsonw_array(data->json, "verdict");
	for (size_t i = 0; i < data->report->count; i++)
		jsonw_text(data->json, NULL, page_verdict(data->report, i, text));
	jsonw_close_array(data->json);
	jsonw_array(data->json, "figures");
	report_each_figure(data->report, write_figure, data);
	jsonw_close_array(data->json);
	write_lines(data->json, "story", story->lines, story->line_count);
	write_lines(data->json, "assumptions", story->assumptions, story->assumption_count);
	write_findings(data);
	story_free(story);
}

/* ---- the cluster and its jobs ---- */

static void write_teams(struct data *data)
{
	const struct metrics *m = data->report->columns[0].metrics;

	jsonw_array(data->json, "teams");
	for (uint32_t t = 0; t < data->teams.shown; t++) {
		jsonw_object(data->json, NULL);
		page_name(data->json, "name", m->teams[t].name);
		jsonw_integer(data->json, "jobs", m->teams[t].jobs);
		jsonw_bool(data->json, "shown", !m->teams[t].superseded);
		jsonw_close_object(data->json);
	}
	if (data->teams.groups > data->teams.shown) {
		jsonw_object(data->json, NULL);
		jsonw_text(data->json, "name", "all others");
		jsonw_bool(data->json, "shown", false);
		jsonw_close_object(data->json);
	}
	jsonw_close_array(data->json);
}

static void write_nodes(struct data *data)
{
	const struct scenario *s = data->report->columns[0].scenario;
	uint32_t count = s->node_count + scenario_added_nodes(s);

	jsonw_integer(data->json, "node_count", count);
	jsonw_array(data->json, "nodes");
	for (uint32_t i = 0; i < count && i < PAGE_NODES_MAX; i++) {
		const struct node *node = replay_node(s, i);

		jsonw_array(data->json, NULL);
		page_name(data->json, NULL, scenario_string(s, node->name));
		jsonw_integer(data->json, NULL, node->gpus);
		jsonw_close_array(data->json);
	}
	jsonw_close_array(data->json);
}

/* ---- one column ---- */

/* Namespaces are told by themselves, the first of many. */
static void write_exact(void *context, const char *key, const char *unit, const char *text)
{
	(void)unit;
	if (strncmp(key, "namespace:", strlen("namespace:")) != 0)
		jsonw_text(context, key, text);
}

static void write_level(struct jsonw *json, double value)
{
	/* Hundredths of a GPU are enough for the eye. */
	jsonw_number(json, NULL, round(value * 100) / 100);
}

static void write_series_level(struct jsonw *json, const char *key,
			       const struct page_series *series, size_t level)
{
	jsonw_array(json, key);
	for (size_t row = 0; row < series->rows; row++)
		write_level(json, series->level[row * series->width + level]);
	jsonw_close_array(json);
}

static void write_series(struct data *data, const struct report_column *column)
{
	static const char *const names[LEVEL_COUNT] = {
		[LEVEL_GPUS] = "gpus",	     [LEVEL_BOUND] = "bound",
		[LEVEL_RUNNING] = "running", [LEVEL_DEADLOCKED] = "deadlocked",
		[LEVEL_PENDING] = "pending", [LEVEL_ASKED] = "asked",
		[LEVEL_BUSY] = "busy",
	};
	static const char *const of_teams[TEAM_LEVELS] = {"nominal", "used", "borrowed", "lent"};
	size_t width = LEVEL_COUNT + (size_t)TEAM_LEVELS * data->teams.shown;
	size_t rows = NUMBERS_MAX / data->report->count / width;
	struct jsonw *json = data->json;
	struct page_series series;

	page_series_find(column, data->teams.shown, rows < ROWS_MAX ? rows : ROWS_MAX, &series);
	jsonw_object(json, "levels");
	jsonw_bool(json, "exact", series.exact);
	jsonw_array(json, "time");
	for (size_t row = 0; row < series.rows; row++)
		jsonw_seconds(json, NULL, series.time[row]);
	jsonw_close_array(json);
	for (size_t i = 0; i < LEVEL_COUNT; i++)
		if (i != LEVEL_BUSY || column->metrics->busy != NULL)
			write_series_level(json, names[i], &series, i);
	jsonw_array(json, "teams");
	for (size_t t = 0; t < data->teams.shown; t++) {
		jsonw_object(json, NULL);
		for (size_t i = 0; i < TEAM_LEVELS; i++)
			write_series_level(json, of_teams[i], &series,
					   LEVEL_COUNT + TEAM_LEVELS * t + i);
		jsonw_close_object(json);
	}
	jsonw_close_array(json);
	jsonw_close_object(json);
	page_series_free(&series);
}

/* Where jobs say how busy they keep their GPUs; the first namespaces of many. */
static void write_namespaces(struct jsonw *json, const struct metrics *m)
{
	if (m->busy == NULL)
		return;
	jsonw_integer(json, "namespace_count", m->busy->count);
	jsonw_array(json, "namespaces");
	for (uint32_t n = 0; n < m->busy->count && n < NAMESPACES_MAX; n++) {
		const struct busy_group *group = &m->busy->groups[n];

		jsonw_object(json, NULL);
		page_name(json, "name", scenario_string(m->journal->scenario, m->namespaces[n]));
		jsonw_seconds(json, "held", group->held);
		jsonw_number(json, "average", busy_share(group));
		jsonw_number(json, "p95", busy_p95(group));
		jsonw_close_object(json);
	}
	jsonw_close_array(json);
}

/* A digit to the base of 36, of 0 to 1. */
static char digit(double share)
{
	int n = share <= 0 ? 0 : (int)ceil(share * 35);

	return "0123456789abcdefghijklmnopqrstuvwxyz"[n > 35 ? 35 : n];
}

static void write_grid_row(struct jsonw *json, const struct page_grid *grid, uint32_t row)
{
	char work[512], idle[512], team[512];

	for (uint32_t bin = 0; bin < grid->bins; bin++) {
		size_t cell = (size_t)row * grid->bins + bin;
		double gpus = grid->gpus[row] > 0 ? (double)grid->gpus[row] : 1;

		work[bin] = digit(grid->work[cell] / gpus);
		idle[bin] = digit(grid->idle[cell] / gpus);
		team[bin] = grid->team[cell] == SCENARIO_NONE
				    ? '.'
				    : "0123456789abcdefghijklmnopqrstuvwxyz"[grid->team[cell]];
	}
	work[grid->bins] = idle[grid->bins] = team[grid->bins] = '\0';
	jsonw_array(json, NULL);
	jsonw_integer(json, NULL, grid->first[row]);
	jsonw_integer(json, NULL, grid->first[row + 1]);
	jsonw_integer(json, NULL, grid->gpus[row]);
	jsonw_text(json, NULL, work);
	jsonw_text(json, NULL, idle);
	jsonw_text(json, NULL, team);
	jsonw_close_array(json);
}

/* Where not every pod is told. */
static void write_grid(struct data *data, const struct report_column *column,
		       const struct page_spans *spans)
{
	const struct metrics *m = column->metrics;
	struct page_grid grid;

	page_grid_make(column->scenario, spans,
		       data->report->count <= FEW_COLUMNS ? PAGE_GRID_ROWS : PAGE_GRID_ROWS / 4,
		       m->begin, m->end, data->teams.of, data->teams.groups, &grid);
	jsonw_array(data->json, "grid");
	for (uint32_t row = 0; row < grid.rows; row++)
		write_grid_row(data->json, &grid, row);
	jsonw_close_array(data->json);
	page_grid_free(&grid);
}

static void write_wait_row(struct data *data, const struct wait *waits, size_t count, size_t never,
			   const char *team)
{
	struct wait_figures figures = waits_figures(waits, count, never);
	uint32_t quantiles = data->report->count <= FEW_COLUMNS ? QUANTILES : QUANTILES / 3;

	jsonw_object(data->json, NULL);
	page_name(data->json, "team", team);
	jsonw_integer(data->json, "n", (int64_t)(count + never));
	jsonw_integer(data->json, "never", (int64_t)never);
	jsonw_number(data->json, "p50", figures.p50);
	jsonw_number(data->json, "p95", figures.p95);
	jsonw_number(data->json, "p99", figures.p99);
	jsonw_array(data->json, "q");
	for (uint32_t q = 0; q <= quantiles && count > 0; q++)
		jsonw_number(data->json, NULL,
			     (double)waits[(count - 1) * q / quantiles].time /
				     (double)CLOCK_SECOND);
	jsonw_close_array(data->json);
	jsonw_close_object(data->json);
}

/* How long the jobs of each team waited: of all of them. q: quantiles of those that started,
 * evenly from 0 to 1. */
static void write_waits(struct data *data, const struct metrics *m)
{
	struct page_waits waits;

	page_waits_find(m, &data->teams, &waits);
	jsonw_array(data->json, "waits");
	write_wait_row(data, waits.all, waits.count, waits.never_count, "all");
	for (uint32_t t = 0; t < data->teams.shown; t++)
		write_wait_row(data, &waits.by_team[waits.first[t]],
			       waits.first[t + 1] - waits.first[t], waits.never[t],
			       m->teams[t].name);
	jsonw_close_array(data->json);
	page_waits_free(&waits);
}

static void write_column(struct data *data, const struct report_column *column)
{
	struct page_spans spans;
	struct jsonw *json = data->json;
	struct page_events_room room = {.events = data->room->events / data->report->count,
					.text = data->room->text / data->report->count,
					.marks = MARKS_MAX / data->report->count,
					.brief = data->room->brief};
	size_t max = data->room->spans / data->report->count;

	jsonw_object(json, NULL);
	page_name(json, "title", column->title);
	jsonw_text(json, "policy", column->policy->name);
	jsonw_text(json, "end", report_json_end(column->journal->end));
	jsonw_bool(json, "thinned", column->journal->detail != JOURNAL_FULL);
	jsonw_bool(json, "brief", data->room->brief);
	jsonw_bool(json, "admission", column->metrics->admission);
	jsonw_bool(json, "places_pods", column->metrics->places_pods);
	jsonw_object(json, "exact");
	exact_each(column->metrics, write_exact, json);
	jsonw_close_object(json);
	write_series(data, column);
	write_namespaces(json, column->metrics);
	page_spans_find(column->journal, column->metrics->end, &spans);
	page_jobs_spans(json, column->metrics, &spans, &data->choice, max);
	if (data->choice.count < column->scenario->job_count || spans.count > max ||
	    column->scenario->node_count + scenario_added_nodes(column->scenario) > PAGE_NODES_MAX)
		write_grid(data, column, &spans);
	mem_free(spans.items);
	page_jobs_outcomes(json, column->metrics, &data->choice);
	write_waits(data, column->metrics);
	page_events_write(json, column, &data->choice, &room);
	jsonw_close_object(json);
}

/* ---- all of it ---- */

void page_data_write(FILE *out, const struct report *report, const struct page_room *room)
{
	struct jsonw json;
	struct data data = {.json = &json, .report = report, .room = room};

	page_choice_make(report,
			 report->count <= 3 ? room->jobs
					    : (uint32_t)(3 * (uint64_t)room->jobs / report->count),
			 &data.choice);
	data.choice.coarse = room->brief;
	page_teams_make(report->columns[0].metrics, &data.teams);
	jsonw_begin_line(&json, out);
	jsonw_integer(&json, "schemaVersion", SCHEMA_VERSION);
	jsonw_text(&json, "version", GQSIM_VERSION);
	jsonw_seconds(&json, "begin", report->columns[0].metrics->begin);
	jsonw_seconds(&json, "end", report->columns[0].metrics->end);
	write_words(&data);
	write_teams(&data);
	write_nodes(&data);
	jsonw_integer(&json, "job_count", report->columns[0].scenario->job_count);
	page_jobs_write(&json, report->columns[0].scenario, &data.choice, &data.teams);
	jsonw_array(&json, "columns");
	for (size_t i = 0; i < report->count; i++)
		write_column(&data, &report->columns[i]);
	jsonw_close_array(&json);
	page_config_write(&json, report);
	jsonw_end(&json);
	page_choice_free(&data.choice);
	page_teams_free(&data.teams);
}
