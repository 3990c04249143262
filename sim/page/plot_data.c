#include "sim/page/plot_data.h"

#include <inttypes.h>
#include <string.h>

#include "core/mem.h"
#include "sim/page/page_grid.h"
#include "sim/page/page_series.h"
#include "sim/page/page_teams.h"
#include "sim/tool/output.h"

#define ROWS_MAX  2000
#define WAITS_MAX 500 /* rows a team */
#define PATH_SIZE 1024

struct writing {
	const struct report *report;
	struct page_teams teams;
};

/* ---- names ---- */

/* In gnuplot's single quotes, where only they have to be doubled. */
static void put_quoted(FILE *out, const char *text)
{
	putc('\'', out);
	for (; *text != '\0'; text++) {
		if (*text == '\'')
			putc('\'', out);
		putc((unsigned char)*text < ' ' ? ' ' : *text, out);
	}
	putc('\'', out);
}

/* Figures of what was not simulated to its end say so, as tables do. */
static void put_partial(FILE *out, const struct report *report)
{
	bool interrupted = false, limited = false;

	for (size_t i = 0; i < report->count; i++) {
		enum run_end end = report->columns[i].journal->end;

		interrupted = interrupted || end == RUN_INTERRUPTED;
		limited = limited || end == RUN_MAX_TIME;
	}
	if (interrupted)
		fputs("PARTIAL, interrupted: ", out);
	else if (limited)
		fputs("PARTIAL, --max-time: ", out);
}

static void put_heading(FILE *out, const struct report *report)
{
	struct output_text text;

	output_text_open(&text);
	put_partial(text.file, report);
	report_title(text.file, report);
	output_text_close(&text);
	fputs("heading = ", out);
	put_quoted(out, text.data);
	putc('\n', out);
	output_text_free(&text);
}

static void write_columns(const struct writing *w, size_t column, FILE *out)
{
	const struct report *report = w->report;

	(void)column;
	put_heading(out, report);
	fprintf(out, "columns = %zu\narray title[%zu] = [", report->count, report->count);
	for (size_t i = 0; i < report->count; i++) {
		fputs(i == 0 ? "" : ", ", out);
		put_quoted(out, report->columns[i].title);
	}
	fprintf(out, "]\nteams = %" PRIu32 "\narray team[%" PRIu32 "] = [", w->teams.shown,
		w->teams.shown);
	for (uint32_t t = 0; t < w->teams.shown; t++) {
		fputs(t == 0 ? "" : ", ", out);
		put_quoted(out, report->columns[0].metrics->teams[t].name);
	}
	fputs("]\nlevels(i) = sprintf('levels-%d.csv', i)\n", out);
}

/* ---- levels ---- */

static void put_row(FILE *out, const struct page_series *s, size_t row)
{
	const double *l = &s->level[row * s->width];
	char text[CLOCK_TEXT];

	fprintf(out, "%s,%.10g,%.10g,%.10g,%.10g,%.10g,%.10g,%.10g",
		clock_format_seconds(s->time[row], text), l[LEVEL_GPUS], l[LEVEL_BOUND],
		l[LEVEL_RUNNING], l[LEVEL_BOUND] - l[LEVEL_RUNNING], l[LEVEL_GPUS] - l[LEVEL_BOUND],
		l[LEVEL_PENDING], l[LEVEL_ASKED]);
	for (size_t i = LEVEL_COUNT; i < s->width; i++)
		fprintf(out, ",%.10g", l[i]);
	putc('\n', out);
}

static void write_levels(const struct writing *w, size_t column, FILE *out)
{
	struct page_series series;

	page_series_find(&w->report->columns[column], w->teams.shown, ROWS_MAX, &series);
	fputs("time_s,gpus,bound,running,idle,free,pending_jobs,pending_gpus", out);
	for (uint32_t t = 1; t <= w->teams.shown; t++)
		fprintf(out,
			",team_%" PRIu32 "_nominal,team_%" PRIu32 "_used,team_%" PRIu32
			"_borrowed,team_%" PRIu32 "_lent",
			t, t, t, t);
	putc('\n', out);
	for (size_t row = 0; row < series.rows; row++)
		put_row(out, &series, row);
	page_series_free(&series);
}

/* ---- waits ---- */

static void put_waits(FILE *out, size_t column, uint32_t team, const struct wait *waits,
		      size_t count, size_t all)
{
	char text[CLOCK_TEXT];
	size_t step = count / WAITS_MAX + 1, started = 0;

	if (all > 0)
		fprintf(out, "%zu,%" PRIu32 ",0,0\n", column, team);
	for (size_t i = 0; i < count; i++) {
		started += !waits[i].cancelled;
		if (waits[i].cancelled || (i % step != 0 && i + 1 != count))
			continue;
		fprintf(out, "%zu,%" PRIu32 ",%s,%.6f\n", column, team,
			clock_format_seconds(waits[i].time, text), (double)started / (double)all);
	}
}

static void put_column_waits(const struct writing *w, size_t column, FILE *out)
{
	struct page_waits waits;

	page_waits_find(w->report->columns[column].metrics, &w->teams, &waits);
	put_waits(out, column + 1, 0, waits.all, waits.count, waits.count + waits.never_count);
	for (uint32_t t = 0; t < w->teams.shown; t++) {
		size_t count = waits.first[t + 1] - waits.first[t];

		put_waits(out, column + 1, t + 1, &waits.by_team[waits.first[t]], count,
			  count + waits.never[t]);
	}
	page_waits_free(&waits);
}

static void write_waits(const struct writing *w, size_t column, FILE *out)
{
	(void)column;
	fputs("column,team,wait_s,share\n", out);
	for (size_t i = 0; i < w->report->count; i++)
		put_column_waits(w, i, out);
}

/* ---- nodes ---- */

static void write_nodes(const struct writing *w, size_t column, FILE *out)
{
	const struct report_column *c = &w->report->columns[column];
	const struct metrics *m = c->metrics;
	struct page_spans spans;
	struct page_grid grid;
	char text[CLOCK_TEXT];

	page_spans_find(c->journal, m->end, &spans);
	page_grid_make(c->scenario, &spans, PAGE_GRID_ROWS, m->begin, m->end, w->teams.of,
		       w->teams.groups, &grid);
	fputs("time_s,node,work,idle\n", out);
	for (uint32_t row = 0; row < grid.rows; row++) {
		double gpus = grid.gpus[row] > 0 ? (double)grid.gpus[row] : 1;

		for (uint32_t bin = 0; bin < grid.bins; bin++) {
			size_t cell = (size_t)row * grid.bins + bin;
			simtime at = m->begin + (m->end - m->begin) / grid.bins * bin;

			fprintf(out, "%s,%" PRIu32 ",%.4f,%.4f\n", clock_format_seconds(at, text),
				row, grid.work[cell] / gpus, grid.idle[cell] / gpus);
		}
	}
	page_grid_free(&grid);
	mem_free(spans.items);
}

/* ---- shares ---- */

static void write_shares(const struct writing *w, size_t column, FILE *out)
{
	(void)column;
	fputs("useful,unfinished,lost,idle,free\n", out);
	for (size_t i = 0; i < w->report->count; i++) {
		const struct metrics *m = w->report->columns[i].metrics;

		fprintf(out, "%.6f,%.6f,%.6f,%.6f,%.6f\n", metrics_gpu_seconds(m->useful),
			metrics_gpu_seconds(m->unfinished), metrics_gpu_seconds(m->lost),
			metrics_gpu_seconds(m->idle), metrics_gpu_seconds(m->free));
	}
}

/* ---- files ---- */

static const struct file {
	const char *name; /* of one for all columns, or what stands before "-N.csv" */
	bool a_column;
	void (*write)(const struct writing *w, size_t column, FILE *out);
} files[] = {
	{"columns.gp", false, write_columns}, {"levels", true, write_levels},
	{"waits.csv", false, write_waits},    {"nodes", true, write_nodes},
	{"shares.csv", false, write_shares},
};

static enum err_code write_file(const struct writing *w, const struct file *file, size_t column,
				const char *folder, struct err *err)
{
	struct output output;
	char path[PATH_SIZE];
	enum err_code code;

	if (file->a_column)
		snprintf(path, sizeof(path), "%s/%s-%zu.csv", folder, file->name, column + 1);
	else
		snprintf(path, sizeof(path), "%s/%s", folder, file->name);
	code = output_open(&output, path, stdout, err);
	if (code != ERR_OK) {
		err->file = NULL; /* the path goes with this call */
		return code;
	}
	file->write(w, column, output.file);
	return output_close(&output, err);
}

enum err_code plot_data_write(const struct report *report, const char *folder, struct err *err)
{
	struct writing w = {.report = report};
	enum err_code code = ERR_OK;

	page_teams_make(report->columns[0].metrics, &w.teams);
	for (size_t f = 0; f < sizeof(files) / sizeof(files[0]); f++)
		for (size_t i = 0; i < (files[f].a_column ? report->count : 1) && code == ERR_OK;
		     i++)
			code = write_file(&w, &files[f], i, folder, err);
	page_teams_free(&w.teams);
	return code;
}
