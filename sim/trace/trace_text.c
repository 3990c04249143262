/* trace_text.c - the figures of a trace for a terminal. */
#include "sim/tool/table.h"
#include "sim/trace/trace_facts.h"
#include "sim/trace/trace_set.h"

#define NUMBERS 0xfffeu /* all columns but the first are numbers */

char *trace_facts_gpus(int64_t milli, char buf[TRACE_FACTS_GPUS])
{
	int len = snprintf(buf, TRACE_FACTS_GPUS, "%lld.%03lld", (long long)(milli / 1000),
			   (long long)(milli % 1000));

	while (buf[len - 1] == '0')
		buf[--len] = '\0';
	if (buf[len - 1] == '.')
		buf[--len] = '\0';
	return buf;
}

const char *trace_facts_team(const struct trace_facts *facts, const struct trace_team *team)
{
	return team->queue == NAME_NONE ? "-" : name_text(facts->jobs->strings, team->queue);
}

static double per_cent(size_t part, size_t whole)
{
	return whole == 0 ? 0 : 100.0 * (double)part / (double)whole;
}

static double gpu_hours(int64_t gpu_time)
{
	return (double)gpu_time / (double)CLOCK_HOUR;
}

/* A time as this trace tells it: on its clock, or since its start. */
static const char *moment(const struct trace_facts *facts, simtime t, char buf[TRACE_CLOCK])
{
	if (facts->clock != CLOCK_NEVER)
		return trace_format_clock(clock_add(facts->clock, t), buf);
	return clock_format_human(t, buf);
}

static void print_file(FILE *out, const struct trace_facts *facts)
{
	const struct trace_summary *summary = facts->summary;
	char text[300];
	long line;

	fprintf(out, "%s: %s, %llu rows, %llu jobs\n", facts->file, summary->format,
		(unsigned long long)summary->rows, (unsigned long long)summary->jobs);
	for (uint32_t i = 0; i < summary->reason_count; i++)
		fprintf(out, "  skipped %llu: %s (first in line %ld)\n",
			(unsigned long long)summary->skipped[i].count, summary->skipped[i].reason,
			summary->skipped[i].line);
	for (uint32_t i = summary->reason_count;
	     trace_set_remark(summary, i, text, sizeof(text), &line); i++)
		fprintf(out, "  %s\n", text);
	for (uint32_t i = 0; i < summary->state_count; i++)
		fprintf(out, "%s%s %llu%s", i == 0 ? "  states: " : ", ", summary->states[i].name,
			(unsigned long long)summary->states[i].count,
			i + 1 == summary->state_count ? "\n" : "");
}

static void print_jobs(FILE *out, const struct trace_facts *facts)
{
	const struct trace_stats *s = &facts->stats;
	char a[TRACE_CLOCK], b[TRACE_CLOCK], span[CLOCK_TEXT], gpus[TRACE_FACTS_GPUS];

	if (facts->from != 0 || facts->to != CLOCK_NEVER)
		fprintf(out, "window   %s until %s: %zu job%s\n", moment(facts, facts->from, a),
			facts->to == CLOCK_NEVER ? "the end" : moment(facts, facts->to, b), s->jobs,
			s->jobs == 1 ? "" : "s");
	if (s->jobs == 0)
		return;
	fprintf(out, "submits  %s to %s (%s)\n", moment(facts, s->first_submit, a),
		moment(facts, s->last_submit, b),
		clock_format_human(s->last_submit - s->first_submit, span));
	fprintf(out, "         sharing an instant with another: %zu, out of file order: %zu\n",
		s->tied, s->out_of_file_order);
	fprintf(out, "work     %.0f GPU-hours", gpu_hours(s->gpu_time));
	if (s->endless > 0)
		fprintf(out, "; jobs without an end: %zu", s->endless);
	fprintf(out,
		"\npeak     %s GPUs and %lld jobs wanted at once if nobody waited; GPUs at %s\n",
		trace_facts_gpus(s->peak_milli, gpus), (long long)s->peak_jobs,
		moment(facts, s->peak_milli_at, a));
	if (s->duplicates > 0)
		fprintf(out, "kept     %zu rows equal to an earlier one\n", s->duplicates);
}

static void human(struct table *table, size_t column, double seconds)
{
	char text[CLOCK_TEXT];

	table_cell(table, column, "%s", clock_format_human(clock_from_double(seconds), text));
}

static void print_spread(struct table *table, size_t column, const struct trace_spread *s)
{
	human(table, column, s->mean);
	for (int p = 0; p < TRACE_STATS_PERCENTILES; p++)
		human(table, column + 1 + (size_t)p, s->linear[p]);
	human(table, column + 1 + TRACE_STATS_PERCENTILES, (double)s->max / (double)CLOCK_SECOND);
}

static void head(struct table *table, const char *const *names, size_t count)
{
	table_row(table);
	for (size_t i = 0; i < count; i++)
		table_cell(table, i, "%s", names[i]);
	table_mark(table, TABLE_HEAD);
}

static void print_and_free(FILE *out, struct table *table)
{
	fputc('\n', out);
	table_print(table, out, false, NULL);
	table_free(table);
}

static void print_demand(FILE *out, const struct trace_stats *s)
{
	static const char *const names[] = {"GPUS", "JOBS", "%"};
	struct table *table = table_new(3, NUMBERS | 1);
	char gpus[TRACE_FACTS_GPUS];

	head(table, names, 3);
	for (size_t i = 0; i < s->demand_count; i++) {
		table_row(table);
		table_cell(table, 0, "%s", trace_facts_gpus(s->demand[i].milli, gpus));
		table_cell(table, 1, "%zu", s->demand[i].jobs);
		table_cell(table, 2, "%.1f", per_cent(s->demand[i].jobs, s->jobs));
	}
	print_and_free(out, table);
}

static void pool_row(struct table *table, const char *name, const struct trace_pool *pool)
{
	table_row(table);
	table_cell(table, 0, "%s", name);
	table_cell(table, 1, "%u", pool->gpus);
	table_cell(table, 2, "%zu", pool->waited);
	print_spread(table, 3, &pool->wait);
	table_cell(table, 9, "%zu", pool->rejected);
	table_cell(table, 10, "%.1f", 100 * pool->utilisation);
}

/* Durations, and the waits of strict FIFO pools beside them. */
static void print_pools(FILE *out, const struct trace_facts *facts)
{
	static const char *const names[] = {"",	   "GPUS", "WAITED", "MEAN",	  "P50",   "P90",
					    "P95", "P99",  "MAX",    "TOO LARGE", "USED %"};
	struct table *table = table_new(11, NUMBERS);

	head(table, names, 11);
	table_row(table);
	table_cell(table, 0, "duration");
	print_spread(table, 3, &facts->stats.duration);
	if (facts->stats.wait.n > 0) {
		table_row(table);
		table_cell(table, 0, "wait, as recorded");
		print_spread(table, 3, &facts->stats.wait);
	}
	for (size_t i = 0; i < facts->pool_count; i++)
		pool_row(table, "wait, strict FIFO pool", &facts->pools[i]);
	for (size_t i = 0; i < facts->vc_count; i++)
		pool_row(table, facts->vcs[i].name, &facts->vcs[i].pool);
	print_and_free(out, table);
}

static void print_teams(FILE *out, const struct trace_facts *facts)
{
	static const char *const names[] = {"QUEUE", "JOBS", "GPU-HOURS", "LARGEST", "MEDIAN"};
	struct table *table = table_new(5, NUMBERS);
	char gpus[TRACE_FACTS_GPUS];

	head(table, names, 5);
	for (size_t i = 0; i < facts->stats.team_count; i++) {
		const struct trace_team *team = &facts->stats.teams[i];

		table_row(table);
		table_cell(table, 0, "%s", trace_facts_team(facts, team));
		table_cell(table, 1, "%zu", team->jobs);
		table_cell(table, 2, "%.0f", gpu_hours(team->gpu_time));
		table_cell(table, 3, "%s", trace_facts_gpus(team->max_milli, gpus));
		human(table, 4, team->median);
	}
	print_and_free(out, table);
}

void trace_facts_text(FILE *out, const struct trace_facts *facts)
{
	print_file(out, facts);
	print_jobs(out, facts);
	if (facts->stats.jobs == 0)
		return;
	print_demand(out, &facts->stats);
	print_pools(out, facts);
	print_teams(out, facts);
}
