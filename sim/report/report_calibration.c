#include "sim/report/report_calibration.h"

#include <inttypes.h>
#include <math.h>

#include "sim/dump/calibration.h"
#include "sim/tool/human.h"
#include "sim/tool/table.h"

#define GOOD_ORDER 0.9 /* of all pairs of jobs */
#define FAR_MAX	   5   /* queues that are named */

static const char *queue_name(const struct scenario *s, const struct calibration_queue *q)
{
	return q->queue == SCENARIO_NONE ? "all"
					 : scenario_string(s, s->cluster_queues[q->queue].name);
}

static double share(const struct calibration *c)
{
	return c->pairs == 0 ? 1 : (double)c->agreeing / (double)c->pairs;
}

static const char *wait_text(double seconds, char buf[HUMAN_TEXT])
{
	if (isinf(seconds))
		return "never";
	return human_time((simtime)(seconds * CLOCK_SECOND), buf);
}

static void print_queues(FILE *out, const struct report *report, const struct scenario *s,
			 const struct calibration *c)
{
	struct table *table = table_new(6, 0x3eu);

	table_row(table);
	table_mark(table, TABLE_HEAD);
	table_cell(table, 0, "ClusterQueue");
	table_cell(table, 1, "jobs");
	table_cell(table, 2, "p50 recorded");
	table_cell(table, 3, "simulated");
	table_cell(table, 4, "p95 recorded");
	table_cell(table, 5, "simulated");
	for (uint32_t i = 0; i < c->queue_count; i++) {
		const struct calibration_queue *q = &c->queues[i];
		char text[HUMAN_TEXT];

		table_row(table);
		if (!q->close)
			table_mark(table, TABLE_BAD);
		table_cell(table, 0, "%s", queue_name(s, q));
		table_cell(table, 1, "%" PRIu32, q->recorded.jobs);
		table_cell(table, 2, "%s", wait_text(q->recorded.p50, text));
		table_cell(table, 3, "%s", wait_text(q->simulated.p50, text));
		table_cell(table, 4, "%s", wait_text(q->recorded.p95, text));
		table_cell(table, 5, "%s", wait_text(q->simulated.p95, text));
	}
	table_print(table, out, report->colour, NULL);
	table_free(table);
}

/* "; not of a, b": those whose waits are not met, the first ones. */
static void list_far(const struct scenario *s, const struct calibration *c, char *buf, size_t size)
{
	uint32_t far = 0;
	size_t used = 0;

	buf[0] = '\0';
	for (uint32_t i = 1; i < c->queue_count && used < size - 1; i++) {
		int len;

		if (c->queues[i].close || far++ >= FAR_MAX)
			continue;
		len = snprintf(buf + used, size - used, "%s%.60s",
			       far == 1 ? ", not those of " : ", ", queue_name(s, &c->queues[i]));
		used += len > 0 ? (size_t)len : 0;
	}
	if (far > FAR_MAX && used < size - 1)
		snprintf(buf + used, size - used, " and %" PRIu32 " more", far - FAR_MAX);
}

static void print_verdict(FILE *out, const struct scenario *s, const struct calibration *c)
{
	uint32_t queues = c->queue_count - 1;
	bool order = share(c) >= GOOD_ORDER;
	char text[1000], which[400];

	list_far(s, c, which, sizeof(which));
	snprintf(text, sizeof(text),
		 "The waits of %" PRIu32 " of %" PRIu32
		 " queues are met within 25 %% or a minute%s; "
		 "%.1f %% of the pairs of jobs are admitted in the recorded order. %s",
		 c->close, queues, which, 100 * share(c),
		 c->close == queues && order
			 ? "What the columns differ by can be trusted."
			 : "Trust the rest less than this: something that held jobs back, or let "
			   "them "
			   "in, is not in the input (quotas that changed, workloads that are gone, "
			   "checks, people).");
	table_paragraph(out, 0, text);
	if (c->evicted != 0) {
		snprintf(text, sizeof(text),
			 "Left out: %" PRIu32 " of %" PRIu32 " admitted jobs, which were evicted "
			 "before: the dump keeps their last try only.",
			 c->evicted, c->recorded);
		table_paragraph(out, 0, text);
	}
}

void report_calibration_write(FILE *out, const struct report *report)
{
	for (size_t i = 0; i < report->count; i++) {
		const struct report_column *column = &report->columns[i];
		struct calibration *c =
			column->policy->admission == NULL ? NULL : calibration_new(column->journal);

		if (c == NULL)
			continue;
		fprintf(out, "\nCalibration, admission wait (%s against the cluster's records):\n",
			column->title);
		print_queues(out, report, column->scenario, c);
		print_verdict(out, column->scenario, c);
		calibration_free(c);
	}
}

static void write_waits(struct jsonw *json, const char *key, const struct wait_figures *w)
{
	jsonw_object(json, key);
	jsonw_integer(json, "never", w->never);
	jsonw_number(json, "p50", w->p50);
	jsonw_number(json, "p95", w->p95);
	jsonw_close_object(json);
}

void report_calibration_json(struct jsonw *json, const struct report_column *column)
{
	struct calibration *c =
		column->policy->admission == NULL ? NULL : calibration_new(column->journal);

	if (c == NULL)
		return;
	jsonw_object(json, "calibration");
	jsonw_integer(json, "jobs_recorded", c->recorded);
	jsonw_integer(json, "jobs_left_out_evicted", c->evicted);
	jsonw_number(json, "pairs_in_recorded_order", share(c));
	jsonw_array(json, "queues");
	for (uint32_t i = 0; i < c->queue_count; i++) {
		jsonw_object(json, NULL);
		jsonw_text(json, "name", queue_name(column->scenario, &c->queues[i]));
		jsonw_integer(json, "jobs", c->queues[i].recorded.jobs);
		write_waits(json, "recorded_wait_s", &c->queues[i].recorded);
		write_waits(json, "simulated_wait_s", &c->queues[i].simulated);
		jsonw_bool(json, "close", c->queues[i].close);
		jsonw_close_object(json);
	}
	jsonw_close_array(json);
	jsonw_close_object(json);
	calibration_free(c);
}
