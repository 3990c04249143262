#include "sim/page/watch.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "core/mem.h"
#include "sim/page/page_series.h"
#include "sim/page/page_spans.h"
#include "sim/tool/human.h"

#define TEAMS_MAX  6
#define NODE_LINES 10
#define NODE_NAME  11
#define BAR	   36
#define SERIES_MAX 4000
#define LINE_SIZE  1024

struct watch {
	const struct report_column *column;
	struct page_spans spans;
	struct page_series series;
	double *idle; /* [row]: GPU-microseconds held idle before it */
	uint32_t teams;
	double most; /* GPUs that a bar has room for */
};

/* ---- what there is ---- */

static double level(const struct watch *w, size_t row, size_t which)
{
	return w->series.level[row * w->series.width + which];
}

static double team_level(const struct watch *w, size_t row, uint32_t team,
			 enum page_team_level which)
{
	return level(w, row, LEVEL_COUNT + (size_t)TEAM_LEVELS * team + which);
}

static void measure(struct watch *w)
{
	w->idle = mem_calloc(w->series.rows, sizeof(*w->idle));
	w->most = 1;
	for (size_t row = 0; row < w->series.rows; row++) {
		if (row > 0)
			w->idle[row] = w->idle[row - 1] + (level(w, row - 1, LEVEL_BOUND) -
							   level(w, row - 1, LEVEL_RUNNING)) *
								  (double)(w->series.time[row] -
									   w->series.time[row - 1]);
		if (level(w, row, LEVEL_GPUS) > w->most)
			w->most = level(w, row, LEVEL_GPUS);
	}
}

struct watch *watch_new(const struct report_column *column)
{
	struct watch *w = mem_calloc(1, sizeof(*w));

	w->column = column;
	w->teams =
		column->metrics->team_count < TEAMS_MAX ? column->metrics->team_count : TEAMS_MAX;
	page_spans_find(column->journal, column->metrics->end, &w->spans);
	page_series_find(column, w->teams, SERIES_MAX, &w->series);
	measure(w);
	return w;
}

void watch_free(struct watch *w)
{
	if (w == NULL)
		return;
	mem_free(w->spans.items);
	page_series_free(&w->series);
	mem_free(w->idle);
	mem_free(w);
}

static size_t row_at(const struct watch *w, simtime now)
{
	size_t row = w->series.rows - 1;

	while (row > 0 && w->series.time[row] > now)
		row--;
	return row;
}

/* ---- drawing ---- */

struct drawing {
	const struct watch *watch;
	const struct watch_look *look;
	FILE *out;
	simtime now;
	size_t row;
};

/* In the colour of the team; -1: in none. */
static void put_colour(const struct drawing *d, int team)
{
	static const int codes[TEAMS_MAX] = {33, 36, 32, 35, 34, 31};

	if (!d->look->colour)
		return;
	if (team < 0)
		fputs("\033[0m", d->out);
	else
		fprintf(d->out, "\033[%dm", codes[team % TEAMS_MAX]);
}

/* A text in so many columns, cut or filled; names may have any characters. */
static void put_name(FILE *out, const char *text, int width)
{
	int used = 0;

	while (*text != '\0' && used < width) {
		const char *end = text + 1;

		while (((unsigned char)*end & 0xC0) == 0x80)
			end++;
		if ((unsigned char)*text >= ' ' && *text != 127)
			fwrite(text, 1, (size_t)(end - text), out);
		else
			putc('?', out);
		text = end;
		used++;
	}
	fprintf(out, "%*s", width - used, "");
}

static bool is_one(double count)
{
	return fabs(count - 1) < 0.5;
}

static void put_head(const struct drawing *d)
{
	const struct metrics *m = d->watch->column->metrics;
	size_t row = d->row;
	double idle = level(d->watch, row, LEVEL_BOUND) - level(d->watch, row, LEVEL_RUNNING);
	double held =
		d->watch->idle[row] + idle * (double)(d->now > d->watch->series.time[row]
							      ? d->now - d->watch->series.time[row]
							      : 0);
	double working = level(d->watch, row, LEVEL_RUNNING);
	char a[HUMAN_TEXT], b[HUMAN_TEXT];

	put_name(d->out, d->watch->column->title, 30);
	fprintf(d->out, "  %s of %s\n", human_time(d->now, a), human_time(m->end, b));
	fprintf(d->out, "held idle: %s GPU-seconds so far, %.0f GPUs now\n",
		human_count((int64_t)(held / (double)CLOCK_SECOND + 0.5), a), idle);
	fprintf(d->out, "%.0f GPU%s, %.0f free; %.0f job%s, for %.0f GPUs\n\n", working,
		is_one(working) ? " works" : "s work",
		level(d->watch, row, LEVEL_GPUS) - level(d->watch, row, LEVEL_BOUND),
		level(d->watch, row, LEVEL_PENDING),
		is_one(level(d->watch, row, LEVEL_PENDING)) ? " waits" : "s wait",
		level(d->watch, row, LEVEL_ASKED));
}

/* The letter of a team's GPU; small where it is held idle. */
static char letter(uint32_t team, bool idle)
{
	return (char)((idle ? 'a' : 'A') + (team < TEAMS_MAX ? team : TEAMS_MAX));
}

/* The GPUs of a node or of several neighbours, so many characters; more are drawn to
 * scale. */
static void put_gpus(const struct drawing *d, uint32_t first, uint32_t end, int64_t gpus, int width,
		     bool last)
{
	const struct watch *w = d->watch;
	int64_t done = 0;
	int drawn = 0;

	for (size_t i = 0; i < w->spans.count; i++) {
		const struct page_span *span = &w->spans.items[i];
		uint32_t team = w->column->metrics->team_of[span->job];
		int until;

		if (span->node < first || span->node >= end || span->from > d->now ||
		    (span->to <= d->now && !span->stands))
			continue;
		done += span->gpus;
		until = gpus <= width ? (int)done : (int)(done * width / gpus);
		if (until > drawn)
			put_colour(d, team < TEAMS_MAX ? (int)team : -1);
		for (; drawn < until && drawn < width; drawn++)
			putc(letter(team, span->idle), d->out);
	}
	put_colour(d, -1);
	for (; drawn < (gpus < width ? (int)gpus : width); drawn++)
		fputs(d->look->utf8 ? "\u00b7" : ".", d->out);
	if (!last)
		fprintf(d->out, "%*s", width - drawn + 1, "");
}

static int64_t gpus_of(const struct scenario *s, uint32_t first, uint32_t end)
{
	int64_t gpus = 0;

	for (uint32_t node = first; node < end; node++)
		gpus += replay_node(s, node)->gpus;
	return gpus;
}

/* Nodes side by side where they are small; several to a cell where they are many. */
static void put_nodes(const struct drawing *d)
{
	const struct scenario *s = d->watch->column->scenario;
	uint32_t nodes = s->node_count + scenario_added_nodes(s), cells = nodes, across = 1;
	int width, named;
	char name[64];

	if (nodes == 0 || !d->watch->column->metrics->places_pods)
		return;
	while (across < 4 && (cells + across - 1) / across > NODE_LINES)
		across++;
	if (cells > NODE_LINES * across)
		cells = NODE_LINES * across;
	/* Eight GPUs a node have room four times. */
	named = across < 4 ? NODE_NAME : NODE_NAME - 1;
	width = WATCH_COLUMNS / (int)across - named - 2;
	for (uint32_t c = 0; c < cells; c++) {
		uint32_t first = (uint32_t)((uint64_t)nodes * c / cells);
		uint32_t end = (uint32_t)((uint64_t)nodes * (c + 1) / cells);

		snprintf(name, sizeof(name), "%" PRIu32 "-%" PRIu32, first, end - 1);
		put_name(d->out,
			 end - first > 1 ? name : scenario_string(s, replay_node(s, first)->name),
			 named);
		putc(' ', d->out);
		put_gpus(d, first, end, gpus_of(s, first, end), width,
			 (c + 1) % across == 0 || c + 1 == cells);
		if ((c + 1) % across == 0 || c + 1 == cells)
			putc('\n', d->out);
	}
	putc('\n', d->out);
}

static void put_bar(const struct drawing *d, uint32_t team)
{
	const char *const used = d->look->utf8 ? "\u2588" : "#";
	const char *const borrowed = d->look->utf8 ? "\u2592" : "+";
	const char *const free_room = d->look->utf8 ? "\u00b7" : ".";
	const char *const nominal = d->look->utf8 ? "\u2502" : "|";
	double scale = BAR / d->watch->most, all = team_level(d->watch, d->row, team, TEAM_USED);
	double quota = team_level(d->watch, d->row, team, TEAM_NOMINAL);
	double own = all - team_level(d->watch, d->row, team, TEAM_BORROWED);

	put_colour(d, (int)team);
	for (int i = 0; i < BAR; i++) {
		if (quota >= 0 && i == (int)(quota * scale))
			fputs(nominal, d->out);
		fputs(i < (int)(own * scale + 0.5)   ? used
		      : i < (int)(all * scale + 0.5) ? borrowed
						     : free_room,
		      d->out);
	}
	fputs(quota < 0 ? " " : quota >= d->watch->most ? nominal : "", d->out);
	put_colour(d, -1);
}

static void put_team(const struct drawing *d, uint32_t team)
{
	double quota = team_level(d->watch, d->row, team, TEAM_NOMINAL);
	double borrowed = team_level(d->watch, d->row, team, TEAM_BORROWED);
	double lent = team_level(d->watch, d->row, team, TEAM_LENT);

	fprintf(d->out, "%c ", letter(team, false));
	put_name(d->out, d->watch->column->metrics->teams[team].name, NODE_NAME);
	putc(' ', d->out);
	put_bar(d, team);
	fprintf(d->out, " %.0f", team_level(d->watch, d->row, team, TEAM_USED));
	if (quota >= 0)
		fprintf(d->out, " of %.0f", quota);
	if (borrowed > 0)
		fprintf(d->out, " borrows %.0f", borrowed);
	else if (lent > 0)
		fprintf(d->out, " lends %.0f", lent);
	putc('\n', d->out);
}

void watch_frame(const struct watch *watch, simtime now, const struct watch_look *look, FILE *out)
{
	struct drawing d = {.watch = watch, .look = look, .out = out, .now = now};

	d.row = row_at(watch, now);
	put_head(&d);
	put_nodes(&d);
	for (uint32_t t = 0; t < watch->teams; t++)
		if (!watch->column->metrics->teams[t].superseded)
			put_team(&d, t);
	if (watch->column->metrics->team_count > watch->teams)
		fprintf(out, "%c all others\n", letter(TEAMS_MAX, false));
	fprintf(out, "small letters: held idle; %s: nominal quota%s\n", look->utf8 ? "\u2502" : "|",
		!watch->column->metrics->admission ? ""
		: look->utf8			   ? "; \u2592: borrowed"
						   : "; +: borrowed");
}
