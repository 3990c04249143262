#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "sim/report/exact.h"
#include "sim/report/report.h"
#include "sim/report/report_calibration.h"
#include "sim/report/report_quotas.h"
#include "sim/report/report_replications.h"
#include "sim/report/story.h"
#include "sim/tool/human.h"
#include "sim/tool/output.h"
#include "sim/tool/table.h"

#define TEAMS_SHOWN    12
#define FINDINGS_SHOWN 6
#define TEXT	       96

/* ---- the figures, worst news first ---- */

struct figure {
	const char *label;
	/* either a text ... */
	void (*text)(const struct report_column *column, char buf[TEXT]);
	/* ... or GPU-time, shown with its share of the capacity; the label gets the unit */
	int64_t (*gpu)(const struct metrics *m);
	/* is it bad news? NULL: never */
	bool (*bad)(const struct metrics *m);
	/* is it worth a line? NULL: always */
	bool (*shown)(const struct metrics *m);
};

static void text_finished(const struct report_column *column, char buf[TEXT])
{
	const struct metrics *m = column->metrics;
	char a[HUMAN_TEXT], b[HUMAN_TEXT], c[HUMAN_TEXT];
	int len = snprintf(buf, TEXT, "%s of %s", human_count(m->finished, a),
			   human_count(m->jobs, b));

	if (m->running_at_end > 0)
		snprintf(buf + len, TEXT - (size_t)len, " (%s running)",
			 human_count(m->running_at_end, c));
}

static bool unfinished(const struct metrics *m)
{
	return m->never_started > 0;
}

static void text_never(const struct report_column *column, char buf[TEXT])
{
	const struct metrics *m = column->metrics;
	char a[HUMAN_TEXT], b[HUMAN_TEXT];

	if (m->never_fit > 0)
		snprintf(buf, TEXT, "%s (%s could not)", human_count(m->never_started, a),
			 human_count(m->never_fit, b));
	else
		snprintf(buf, TEXT, "%s", human_count(m->never_started, a));
}

static bool any_failed(const struct metrics *m)
{
	return m->failed > 0;
}

static void text_failed(const struct report_column *column, char buf[TEXT])
{
	char a[HUMAN_TEXT];

	snprintf(buf, TEXT, "%s", human_count(column->metrics->failed, a));
}

static bool any_cancelled(const struct metrics *m)
{
	return m->cancelled > 0;
}

static void text_cancelled(const struct report_column *column, char buf[TEXT])
{
	const struct metrics *m = column->metrics;
	char a[HUMAN_TEXT], b[HUMAN_TEXT];

	if (m->cancelled_waiting > 0)
		snprintf(buf, TEXT, "%s (%s waiting)", human_count(m->cancelled, a),
			 human_count(m->cancelled_waiting, b));
	else
		snprintf(buf, TEXT, "%s", human_count(m->cancelled, a));
}

static bool any_deadlock(const struct metrics *m)
{
	return m->deadlock_count > 0;
}

static void text_deadlocks(const struct report_column *column, char buf[TEXT])
{
	const struct metrics *m = column->metrics;

	if (m->deadlock_count == 0) {
		snprintf(buf, TEXT, "none");
		return;
	}
	snprintf(buf, TEXT, "%zu (%" PRIu32 " job%s, %" PRId64 " GPU%s)", m->deadlock_count,
		 column->journal->sets[m->deadlocks[0].set].count,
		 column->journal->sets[m->deadlocks[0].set].count == 1 ? "" : "s",
		 m->deadlocks[0].gpus, m->deadlocks[0].gpus == 1 ? "" : "s");
}

static void text_since(const struct report_column *column, char buf[TEXT])
{
	const struct metrics *m = column->metrics;
	char a[HUMAN_TEXT], b[HUMAN_TEXT];

	if (m->deadlock_count == 0) {
		snprintf(buf, TEXT, "-");
		return;
	}
	human_time(m->deadlocks[0].since, a);
	if (m->deadlocks[0].standing)
		snprintf(buf, TEXT, "from %s to the end", a);
	else
		snprintf(buf, TEXT, "at %s, for %s", a,
			 human_time(m->deadlocks[0].until - m->deadlocks[0].since, b));
}

static int64_t gpu_deadlocked(const struct metrics *m)
{
	return m->deadlock_held;
}

static int64_t gpu_idle(const struct metrics *m)
{
	return m->idle;
}

static bool much_idle(const struct metrics *m)
{
	return m->idle > 0 && m->idle >= m->capacity / 20;
}

static int64_t gpu_stranded(const struct metrics *m)
{
	return m->stranded;
}

static bool has_busy(const struct metrics *m)
{
	return m->busy != NULL;
}

static void text_allocation(const struct report_column *column, char buf[TEXT])
{
	char a[HUMAN_TEXT];

	snprintf(buf, TEXT, "%s", human_share(column->metrics->allocation, a));
}

static void text_utilisation(const struct report_column *column, char buf[TEXT])
{
	char a[HUMAN_TEXT];

	snprintf(buf, TEXT, "%s", human_share(column->metrics->utilisation, a));
}

static void text_wait(double seconds, char buf[TEXT])
{
	char a[HUMAN_TEXT];

	snprintf(buf, TEXT, "%s", human_wait(seconds, a));
}

static void text_p50(const struct report_column *column, char buf[TEXT])
{
	text_wait(column->metrics->wait.p50, buf);
}

static void text_p95(const struct report_column *column, char buf[TEXT])
{
	text_wait(column->metrics->wait.p95, buf);
}

static void text_p99(const struct report_column *column, char buf[TEXT])
{
	text_wait(column->metrics->wait.p99, buf);
}

static bool p95_never(const struct metrics *m)
{
	return isinf(m->wait.p95);
}

static void text_makespan(const struct report_column *column, char buf[TEXT])
{
	char a[HUMAN_TEXT];

	if (column->metrics->makespan == CLOCK_NEVER)
		snprintf(buf, TEXT, "never");
	else
		snprintf(buf, TEXT, "%s", human_time(column->metrics->makespan, a));
}

static bool never_done(const struct metrics *m)
{
	return m->makespan == CLOCK_NEVER && m->jobs > 0;
}

static void text_preemptions(const struct report_column *column, char buf[TEXT])
{
	const struct metrics *m = column->metrics;
	char a[HUMAN_TEXT];

	if (m->admission || m->preemptions != 0)
		snprintf(buf, TEXT, "%s", human_count(m->preemptions, a));
	else
		snprintf(buf, TEXT, "%s pod%s", human_count(m->preempted_pods, a),
			 m->preempted_pods == 1 ? "" : "s");
}

static int64_t gpu_lost(const struct metrics *m)
{
	return m->lost;
}

static bool any_lost(const struct metrics *m)
{
	return m->lost > 0;
}

static void text_starved(const struct report_column *column, char buf[TEXT])
{
	char a[HUMAN_TEXT];

	snprintf(buf, TEXT, "%s", human_count(column->metrics->starved.jobs, a));
}

static bool any_starved(const struct metrics *m)
{
	return m->starved.jobs > 0;
}

static void text_starved_wait(const struct report_column *column, char buf[TEXT])
{
	char a[HUMAN_TEXT];

	snprintf(buf, TEXT, "%s",
		 any_starved(column->metrics) ? human_time(column->metrics->starved.longest_wait, a)
					      : "-");
}

static void text_awaiting(const struct report_column *column, char buf[TEXT])
{
	char a[HUMAN_TEXT];

	if (column->metrics->admission)
		snprintf(buf, TEXT, "%s", human_count(column->metrics->awaited_node_ever, a));
	else
		snprintf(buf, TEXT, "-");
}

static bool any_awaiting(const struct metrics *m)
{
	return m->awaited_node_ever > 0;
}

/* ---- money, of a month ---- */

static bool has_cost(const struct metrics *m)
{
	return m->cost != NULL;
}

static void text_month(const struct metrics *m, money amount, char buf[TEXT])
{
	char a[HUMAN_TEXT];

	snprintf(buf, TEXT, "%s",
		 human_count(money_part(cost_month(m->cost, amount), 1, MONEY_USD), a));
}

#define MONEY_FIGURE(name, field)                                                                  \
	static void name(const struct report_column *column, char buf[TEXT])                       \
	{                                                                                          \
		text_month(column->metrics, column->metrics->cost->field, buf);                    \
	}
MONEY_FIGURE(text_cost, gpus)
MONEY_FIGURE(text_cost_idle, idle)
MONEY_FIGURE(text_cost_stranded, stranded)
MONEY_FIGURE(text_cost_lost, lost)
#undef MONEY_FIGURE

static void text_cost_useful(const struct report_column *column, char buf[TEXT])
{
	char a[MONEY_TEXT];

	if (column->metrics->useful == 0)
		snprintf(buf, TEXT, "-");
	else
		snprintf(buf, TEXT, "%s", money_format(column->metrics->cost->per_useful_hour, a));
}

static const struct figure *figures(void)
{
	static const struct figure rows[] = {
		{"Jobs finished", text_finished, NULL, NULL, NULL},
		{"Jobs that never started", text_never, NULL, unfinished, NULL},
		{"Jobs that failed", text_failed, NULL, any_failed, any_failed},
		{"Jobs cancelled", text_cancelled, NULL, NULL, any_cancelled},
		{"Deadlocks", text_deadlocks, NULL, any_deadlock, NULL},
		{"  the first", text_since, NULL, any_deadlock, any_deadlock},
		{"  %s held by deadlocks", NULL, gpu_deadlocked, any_deadlock, any_deadlock},
		{"Idle %s", NULL, gpu_idle, much_idle, NULL},
		{"Stranded %s", NULL, gpu_stranded, NULL, NULL},
		{"GPU allocation", text_allocation, NULL, NULL, has_busy},
		{"GPU utilisation", text_utilisation, NULL, NULL, NULL},
		{"Wait to start, median", text_p50, NULL, NULL, NULL},
		{"  p95", text_p95, NULL, p95_never, NULL},
		{"  p99", text_p99, NULL, NULL, NULL},
		{"Makespan", text_makespan, NULL, never_done, NULL},
		{"Jobs overtaken 10 times or more", text_starved, NULL, any_starved, any_starved},
		{"  longest such wait", text_starved_wait, NULL, any_starved, any_starved},
		{"Preemptions", text_preemptions, NULL, NULL, NULL},
		{"%s of work lost", NULL, gpu_lost, any_lost, NULL},
		{"Admitted without room on nodes", text_awaiting, NULL, any_awaiting, any_awaiting},
		{"USD a month for the GPUs", text_cost, NULL, NULL, has_cost},
		{"  of that held idle", text_cost_idle, NULL, NULL, has_cost},
		{"  of that stranded", text_cost_stranded, NULL, NULL, has_cost},
		{"  of that work lost", text_cost_lost, NULL, NULL, has_cost},
		{"USD per useful GPU-hour", text_cost_useful, NULL, NULL, has_cost},
		{NULL, NULL, NULL, NULL, NULL},
	};

	return rows;
}

static bool any_column(const struct report *report, bool (*test)(const struct metrics *m))
{
	for (size_t i = 0; i < report->count; i++) {
		if (test(report->columns[i].metrics))
			return true;
	}
	return false;
}

struct figure_row {
	char label[TEXT];
	char cells[TABLE_COLUMNS][TEXT];
	const char *texts[TABLE_COLUMNS];
};

static void fill_gpu_row(struct figure_row *row, const struct report *report,
			 const struct figure *figure)
{
	char a[HUMAN_TEXT], b[HUMAN_TEXT];
	int64_t largest = 0;
	enum human_unit unit;
	const char *at = strstr(figure->label, "%s");

	for (size_t i = 0; i < report->count; i++) {
		int64_t value = figure->gpu(report->columns[i].metrics);

		largest = value > largest ? value : largest;
	}
	unit = human_gpu_unit(largest);
	snprintf(row->label, TEXT, "%.*s%s%s", (int)(at - figure->label), figure->label,
		 human_gpu_unit_text(unit), at + 2);
	for (size_t i = 0; i < report->count; i++) {
		const struct metrics *m = report->columns[i].metrics;
		int64_t value = figure->gpu(m);

		if (value == 0 || m->capacity == 0)
			snprintf(row->cells[i], TEXT, "%s", human_gpu_time(value, unit, a));
		else
			snprintf(row->cells[i], TEXT, "%s (%s)", human_gpu_time(value, unit, a),
				 human_share((double)value / (double)m->capacity, b));
	}
}

static void fill_row(struct figure_row *row, const struct report *report,
		     const struct figure *figure)
{
	for (size_t i = 0; i < report->count; i++)
		row->texts[i] = row->cells[i];
	if (figure->gpu != NULL) {
		fill_gpu_row(row, report, figure);
		return;
	}
	snprintf(row->label, TEXT, "%s", figure->label);
	for (size_t i = 0; i < report->count; i++)
		figure->text(&report->columns[i], row->cells[i]);
}

void report_each_figure(const struct report *report, report_figure *tell, void *context)
{
	struct figure_row row;

	for (const struct figure *figure = figures(); figure->label != NULL; figure++) {
		if (figure->shown != NULL && !any_column(report, figure->shown))
			continue;
		fill_row(&row, report, figure);
		tell(context, row.label, row.texts,
		     figure->bad != NULL && any_column(report, figure->bad));
	}
}

struct printed {
	struct table *table;
	size_t columns;
};

static void put_figure(void *context, const char *label, const char *const *cells, bool bad)
{
	const struct printed *printed = context;

	table_row(printed->table);
	table_cell(printed->table, 0, "%s", label);
	for (size_t i = 0; i < printed->columns; i++)
		table_cell(printed->table, i + 1, "%s", cells[i]);
	if (bad)
		table_mark(printed->table, TABLE_BAD);
}

/* ---- what stands at the top ---- */

static bool any_partial(const struct report *report)
{
	for (size_t i = 0; i < report->count; i++) {
		if (report_partial(&report->columns[i]))
			return true;
	}
	return false;
}

void report_title(FILE *out, const struct report *report)
{
	const struct report_column *column = &report->columns[0];
	const struct scenario *s = column->scenario;
	const struct metrics *m = column->metrics;
	int64_t gpus = m->gpus_peak > 0 ? m->gpus_peak : scenario_gpus(s); /* a window of 0 s */
	char a[HUMAN_TEXT], b[HUMAN_TEXT], c[HUMAN_TEXT];

	if (s->title != NAME_NONE)
		fprintf(out, "%s: ", scenario_string(s, s->title));
	fprintf(out, "%s job%s", human_count(s->job_count, a), s->job_count == 1 ? "" : "s");
	if (s->node_count > 0)
		fprintf(out, " on %s%s node%s with %s GPUs", s->pool_count > 0 ? "up to " : "",
			human_count(scenario_nodes(s), b), scenario_nodes(s) == 1 ? "" : "s",
			human_count(s->pool_count > 0 ? scenario_gpus(s) : gpus, c));
	else
		fprintf(out, " for %s GPUs of quota", human_count(m->gpus_peak, c));
	fprintf(out, ", %s%s", human_time(m->end - m->begin, a),
		any_partial(report) ? ", PARTIAL" : "");
}

/* "K8s" and "Kueue" where that is clear, else letters that the main header explains. */
static bool clear_titles(const struct report *report)
{
	return report->count <= 2 &&
	       (report->count == 1 || report->columns[0].policy != report->columns[1].policy);
}

static void short_title(const struct report *report, size_t i, char buf[TEXT])
{
	const char *name = report->columns[i].policy->name;

	if (!clear_titles(report))
		snprintf(buf, TEXT, "%c", (char)('A' + i));
	else if (strcmp(name, "kubernetes") == 0)
		snprintf(buf, TEXT, "K8s");
	else
		snprintf(buf, TEXT, "%s", report->columns[i].title);
}

static void print_figures(FILE *out, const struct report *report)
{
	int min[TABLE_COLUMNS] = {31};
	struct table *table = table_new(report->count + 1, ~1u);
	struct printed printed = {table, report->count};

	for (size_t i = 0; i < report->count; i++)
		min[i + 1] = report->count <= 2 ? 21 : 12;
	table_row(table);
	for (size_t i = 0; i < report->count; i++) {
		if (clear_titles(report))
			table_cell(table, i + 1, "%s", report->columns[i].title);
		else
			table_cell(table, i + 1, "%c: %s", (char)('A' + i),
				   report->columns[i].title);
	}
	table_mark(table, TABLE_HEAD);
	report_each_figure(report, put_figure, &printed);
	table_print(table, out, report->colour, min);
	table_free(table);
}

/* ---- teams ---- */

/* What a team's table has for each column of the report. */
enum team_part {
	PART_USED,
	PART_BORROWED,
	PART_LENT,
	PART_WAIT,
	PART_LOST,
	PART_TOOK,
	PART_COST,
	PART_COST_BORROWED,
};

struct team_column {
	enum team_part part;
	size_t column;
};

static const char *part_title(enum team_part part)
{
	static const char *const titles[] = {
		[PART_USED] = "peak used", [PART_BORROWED] = "borrowed",
		[PART_LENT] = "lent",	   [PART_WAIT] = "p95 wait",
		[PART_LOST] = "preempted", [PART_TOOK] = "caused",
		[PART_COST] = "used",	   [PART_COST_BORROWED] = "borrowed",
	};

	return titles[part];
}

static bool has_part(const struct report *report, enum team_part part, size_t i)
{
	bool admission = report->columns[i].metrics->admission;

	if (part == PART_COST || part == PART_COST_BORROWED)
		return report->columns[i].metrics->cost != NULL &&
		       (part == PART_COST || has_part(report, PART_BORROWED, i));
	if (part == PART_BORROWED || part == PART_LENT)
		return admission && report->columns[i].scenario->cluster_queue_count > 0;
	return part == PART_USED || part == PART_WAIT || report->wide;
}

static size_t team_columns(const struct report *report, enum team_part first, enum team_part last,
			   struct team_column *out, size_t max)
{
	size_t n = 0;

	for (int part = (int)first; part <= (int)last; part++) {
		for (size_t i = 0; i < report->count && n < max; i++) {
			if (has_part(report, (enum team_part)part, i))
				out[n++] = (struct team_column){(enum team_part)part, i};
		}
	}
	return n;
}

static void put_money(struct table *table, size_t at, const struct metrics *m, money amount)
{
	char text[TEXT];

	text_month(m, amount, text);
	table_cell(table, at, "%s", text);
}

static void put_part(struct table *table, size_t at, const struct metrics *m, uint32_t t,
		     enum team_part part)
{
	const struct metrics_team *team = &m->teams[t];
	char a[HUMAN_TEXT];

	switch (part) {
	case PART_USED:
		table_cell(table, at, "%s", human_count(team->peak_used, a));
		break;
	case PART_BORROWED:
		table_cell(table, at, "%s", human_count(team->peak_borrowed, a));
		break;
	case PART_LENT:
		table_cell(table, at, "%s", human_count(team->peak_lent, a));
		break;
	case PART_WAIT:
		table_cell(table, at, "%s",
			   team->wait.jobs == 0 ? "-" : human_wait(team->wait.p95, a));
		break;
	case PART_LOST:
		table_cell(table, at, "%s", human_count(team->preempted, a));
		break;
	case PART_TOOK:
		table_cell(table, at, "%s", human_count(team->caused, a));
		break;
	case PART_COST:
		put_money(table, at, m, m->cost->teams[t].used);
		break;
	case PART_COST_BORROWED:
		put_money(table, at, m, m->cost->teams[t].borrowed);
		break;
	}
}

static void put_team_head(struct table *table, const struct report *report,
			  const struct team_column *columns, size_t count)
{
	char text[TEXT];

	table_row(table);
	for (size_t c = 0; c < count; c++) {
		if (c == 0 || columns[c].part != columns[c - 1].part)
			table_cell(table, c + 2, "%s", part_title(columns[c].part));
	}
	table_mark(table, TABLE_HEAD);
	table_row(table);
	table_cell(table, 0, "%s",
		   report->columns[0].scenario->cluster_queue_count > 0 ? "ClusterQueue"
									: "Namespace");
	table_cell(table, 1, "quota");
	for (size_t c = 0; c < count; c++) {
		short_title(report, columns[c].column, text);
		table_cell(table, c + 2, "%s", text);
	}
	table_mark(table, TABLE_HEAD);
}

/* Names beyond 24 code points are cut. */
static void put_name(struct table *table, const char *name)
{
	int width = 0;
	const char *end = name;

	while (*end != '\0' && (width < 23 || ((unsigned char)*end & 0xC0) == 0x80))
		width += ((unsigned char)*end++ & 0xC0) != 0x80;
	if (table_width(name) > 24)
		table_cell(table, 0, "%.*s\u2026", (int)(end - name), name);
	else
		table_cell(table, 0, "%s", name);
}

static void print_teams(FILE *out, const struct report *report, const char *title,
			enum team_part from, enum team_part to)
{
	struct team_column columns[TABLE_COLUMNS - 2];
	size_t count = team_columns(report, from, to, columns, TABLE_COLUMNS - 2);
	struct table *table = table_new(count + 2, ~1u);
	const struct metrics *first = report->columns[0].metrics;
	uint32_t shown = 0, left = 0;
	char a[HUMAN_TEXT];

	put_team_head(table, report, columns, count);
	for (uint32_t t = 0; t < first->team_count; t++) {
		if (first->teams[t].superseded)
			continue;
		if (shown == TEAMS_SHOWN && !report->wide) {
			left++;
			continue;
		}
		shown++;
		table_row(table);
		put_name(table, first->teams[t].name);
		table_cell(table, 1, "%s",
			   first->teams[t].nominal < 0 ? "-"
						       : human_count(first->teams[t].nominal, a));
		for (size_t c = 0; c < count; c++)
			put_part(table, c + 2, report->columns[columns[c].column].metrics, t,
				 columns[c].part);
	}
	if (shown > 0) {
		fprintf(out, "\n%s:\n", title);
		table_print(table, out, report->colour, NULL);
	}
	if (left > 0)
		fprintf(out, "... %" PRIu32 " more (-o wide)\n", left);
	table_free(table);
}

/* ---- namespaces: what they do with the GPUs that they hold ---- */

static const struct busy_group *group_of(const struct report_column *column, uint32_t ns)
{
	return column->metrics->busy == NULL ? NULL : &column->metrics->busy->groups[ns];
}

static void put_namespace(struct table *table, const struct report *report, uint32_t ns)
{
	char a[HUMAN_TEXT];

	for (size_t i = 0; i < report->count; i++) {
		const struct busy_group *group = group_of(&report->columns[i], ns);

		if (group == NULL || group->held == 0) {
			table_cell(table, 1 + i, "-");
			table_cell(table, 1 + report->count + i, "-");
			continue;
		}
		table_cell(table, 1 + i, "%s", human_share(busy_share(group), a));
		table_cell(table, 1 + report->count + i, "%s", human_share(busy_p95(group), a));
	}
}

static void print_namespaces(FILE *out, const struct report *report)
{
	const struct metrics *first = report->columns[0].metrics;
	struct table *table;
	char text[TEXT];

	if (first->busy == NULL || 1 + 2 * report->count > TABLE_COLUMNS)
		return;
	table = table_new(1 + 2 * report->count, ~1u);
	table_row(table);
	table_cell(table, 1, "average");
	table_cell(table, 1 + report->count, "p95");
	table_mark(table, TABLE_HEAD);
	table_row(table);
	table_cell(table, 0, "Namespace");
	for (size_t i = 0; i < 2 * report->count; i++) {
		short_title(report, i % report->count, text);
		table_cell(table, 1 + i, "%s", text);
	}
	table_mark(table, TABLE_HEAD);
	for (uint32_t n = 0; n < first->busy->count && (n < TEAMS_SHOWN || report->wide); n++) {
		table_row(table);
		put_name(table, scenario_string(first->journal->scenario, first->namespaces[n]));
		put_namespace(table, report, n);
	}
	fputs("\nUtilisation of the GPUs that pods hold (DCGM_FI_DEV_GPU_UTIL), over time:\n", out);
	table_print(table, out, report->colour, NULL);
	if (first->busy->count > TEAMS_SHOWN && !report->wide)
		fprintf(out, "... %" PRIu32 " more (-o wide)\n", first->busy->count - TEAMS_SHOWN);
	table_free(table);
}

/* ---- sentences ---- */

static void print_lines(FILE *out, const char *title, char *const *lines, size_t count)
{
	if (count == 0)
		return;
	fprintf(out, "\n%s\n", title);
	for (size_t i = 0; i < count; i++) {
		fputs("- ", out);
		table_paragraph(out, 2, lines[i]);
	}
}

static void print_findings(FILE *out, const struct report *report, enum finding_kind kind,
			   const char *title)
{
	const struct scenario *s = report->columns[0].scenario;
	uint32_t seen = 0;

	for (uint32_t i = 0; i < s->finding_count; i++) {
		if (!finding_shown(&s->findings[i], kind))
			continue;
		if (seen == 0)
			fprintf(out, "\n%s\n", title);
		if (seen++ >= FINDINGS_SHOWN && !report->verbose)
			continue;
		fputs("- ", out);
		table_paragraph(out, 2, scenario_string(s, s->findings[i].text));
	}
	if (seen > FINDINGS_SHOWN && !report->verbose)
		fprintf(out, "- %" PRIu32 " more (-v)\n", seen - FINDINGS_SHOWN);
}

static void print_skipped(FILE *out, const struct trace_summary *trace)
{
	char a[HUMAN_TEXT], b[HUMAN_TEXT];

	if (trace == NULL || trace->rows == trace->jobs)
		return;
	fprintf(out, "\nTrace (%s): %s job%s of %s row%s; left out:", trace->format,
		human_count((int64_t)trace->jobs, a), trace->jobs == 1 ? "" : "s",
		human_count((int64_t)trace->rows, b), trace->rows == 1 ? "" : "s");
	for (uint32_t i = 0; i < trace->reason_count; i++)
		fprintf(out, "%s %s %s", i == 0 ? "" : ",", trace->skipped[i].reason,
			human_count((int64_t)trace->skipped[i].count, a));
	putc('\n', out);
}

/* ---- exact figures ---- */

/* Did an earlier column have preemptions for this reason? */
static bool reason_listed(const struct report *report, size_t column, const char *reason)
{
	for (size_t i = 0; i < column; i++) {
		if (exact_reason_count(report->columns[i].metrics, reason) > 0)
			return true;
	}
	return false;
}

static void put_reasons(struct table *table, const struct report *report)
{
	for (size_t i = 0; i < report->count; i++) {
		const struct metrics *m = report->columns[i].metrics;

		for (uint32_t r = 0; r < m->reason_count; r++) {
			const char *reason = m->reasons[r].reason;

			if (reason_listed(report, i, reason))
				continue;
			table_row(table);
			table_cell(table, 0, "preemptions:%s", reason);
			table_cell(table, 1, "jobs");
			for (size_t k = 0; k < report->count; k++)
				table_cell(table, k + 2, "%" PRIu32,
					   exact_reason_count(report->columns[k].metrics, reason));
		}
	}
}

/* Of the metrics; else of what they cost. */
static const char *figure_text(const struct exact *figure, const struct report_column *column,
			       bool cost, char buf[EXACT_TEXT])
{
	if (!cost)
		return exact_text(figure, column->metrics, buf);
	return column->metrics->cost == NULL ? "" : exact_text(figure, column->metrics->cost, buf);
}

static void put_exact(struct table *table, const struct report *report, bool cost)
{
	const struct exact *figure = cost ? exact_cost_figures() : exact_figures();
	char text[EXACT_TEXT];

	for (; figure->key != NULL; figure++) {
		table_row(table);
		table_cell(table, 0, "%s", figure->key);
		table_cell(table, 1, "%s", figure->unit);
		for (size_t i = 0; i < report->count; i++)
			table_cell(table, i + 2, "%s",
				   figure_text(figure, &report->columns[i], cost, text));
	}
}

static void print_exact(FILE *out, const struct report *report)
{
	struct table *table = table_new(report->count + 2, ~3u);

	fputs("\nExact figures:\n", out);
	put_exact(table, report, false);
	if (any_column(report, has_cost))
		put_exact(table, report, true);
	put_reasons(table, report);
	table_print(table, out, report->colour, NULL);
	table_free(table);
}

void report_compare_write(FILE *out, const struct report *report)
{
	struct story *story = story_new(report);

	report_title(out, report);
	fputs("\n\n", out);
	print_figures(out, report);
	print_teams(out, report, "GPUs of each team", PART_USED, PART_TOOK);
	print_namespaces(out, report);
	if (any_column(report, has_cost))
		print_teams(out, report, "USD a month for the GPUs of each team", PART_COST,
			    PART_COST_BORROWED);
	report_replications_text(out, report->replicated, report->colour);
	report_quotas_write(out, report);
	print_lines(out, "What happened:", story->lines, story->line_count);
	report_calibration_write(out, report);
	if (report->wide)
		print_exact(out, report);
	print_lines(out, "Assumed:", story->assumptions, story->assumption_count);
	print_findings(out, report, FINDING_NOT_MODELLED, "Not modelled, though in the input:");
	print_findings(out, report, FINDING_WARNING, "Warnings:");
	print_findings(out, report, FINDING_NOTE, "Notes:");
	print_skipped(out, report->trace);
	story_free(story);
}

/* ---- CSV ---- */

static void csv_team_cost(FILE *out, const struct report *report, uint32_t t)
{
	char text[EXACT_TEXT], label[EXACT_KEY];

	for (const struct exact *f = exact_cost_team_figures(); f->key != NULL; f++) {
		output_csv(out, exact_team_key(f, &report->columns[0].metrics->teams[t], label));
		fprintf(out, ",%s", f->unit);
		for (size_t i = 0; i < report->count; i++) {
			const struct cost *cost = report->columns[i].metrics->cost;

			fprintf(out, ",%s",
				cost == NULL ? "" : exact_text(f, &cost->teams[t], text));
		}
		putc('\n', out);
	}
}

static void csv_teams(FILE *out, const struct report *report)
{
	const struct metrics *first = report->columns[0].metrics;
	char text[EXACT_TEXT], label[EXACT_KEY];

	for (uint32_t t = 0; t < first->team_count; t++) {
		if (first->teams[t].superseded)
			continue;
		for (const struct exact *f = exact_team_figures(); f->key != NULL; f++) {
			output_csv(out, exact_team_key(f, &first->teams[t], label));
			fprintf(out, ",%s", f->unit);
			for (size_t i = 0; i < report->count; i++)
				fprintf(out, ",%s",
					exact_text(f, &report->columns[i].metrics->teams[t], text));
			putc('\n', out);
		}
		if (any_column(report, has_cost))
			csv_team_cost(out, report, t);
	}
}

static void csv_namespaces(FILE *out, const struct report *report)
{
	const struct metrics *first = report->columns[0].metrics;
	char text[EXACT_TEXT], label[EXACT_KEY];

	for (uint32_t n = 0; first->busy != NULL && n < first->busy->count; n++) {
		for (const struct exact *f = exact_namespace_figures(); f->key != NULL; f++) {
			output_csv(out, exact_namespace_key(f, first, n, label));
			fprintf(out, ",%s", f->unit);
			for (size_t i = 0; i < report->count; i++)
				fprintf(out, ",%s",
					group_of(&report->columns[i], n) == NULL
						? ""
						: exact_namespace_text(
							  f, report->columns[i].metrics, n, text));
			putc('\n', out);
		}
	}
}

static void csv_figures(FILE *out, const struct report *report, bool cost)
{
	const struct exact *figure = cost ? exact_cost_figures() : exact_figures();
	char text[EXACT_TEXT];

	for (; figure->key != NULL; figure++) {
		fprintf(out, "%s,%s", figure->key, figure->unit);
		for (size_t i = 0; i < report->count; i++)
			fprintf(out, ",%s", figure_text(figure, &report->columns[i], cost, text));
		putc('\n', out);
	}
}

void report_compare_csv(FILE *out, const struct report *report)
{
	fputs("metric,unit", out);
	for (size_t i = 0; i < report->count; i++) {
		putc(',', out);
		output_csv(out, report->columns[i].title);
	}
	putc('\n', out);
	csv_figures(out, report, false);
	if (any_column(report, has_cost))
		csv_figures(out, report, true);
	csv_teams(out, report);
	csv_namespaces(out, report);
	report_replications_csv(out, report->replicated);
}

void report_compare_wide(FILE *out, const struct report *report)
{
	struct report wide = *report;

	wide.wide = true;
	report_compare_write(out, &wide);
}
