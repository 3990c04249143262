/* report.h - the files and tables made from journals. Every one is a pure
 * function of its arguments.
 */
#ifndef SIM_REPORT_H
#define SIM_REPORT_H

#include <stdio.h>

#include "sim/report/metrics.h"
#include "sim/tool/jsonw.h"
#include "sim/trace/trace.h"
#include "sim/world/policy.h"

struct chance;
struct replicated;

/* One run in a report: a column of compare. All borrowed. */
struct report_column {
	const char *title; /* "Kueue"; with the setting that makes the column */
	const struct policy_row *policy;
	const struct run_options *options;
	const struct scenario *scenario;
	const struct journal *journal;
	const struct metrics *metrics;
	const struct journal *heard; /* of the same run, with what the scheduler said to the
				      * job that waited longest; NULL: journal has it */
	const struct chance *chance; /* what further runs gave; NULL: there were none */
};

struct report {
	const struct report_column *columns;
	size_t count;
	const struct trace_summary *trace;   /* NULL: no trace was read */
	const struct replicated *replicated; /* over many workloads; NULL: there were none */
	const char *const *settings; /* what the command line says of the runs: "--seed 7" */
	size_t setting_count;
	bool colour;
	bool wide;    /* exact figures, all teams, more rows */
	bool verbose; /* every line of what is not modelled */
};

/* What happened, row by row. Under an admission policy (Kueue) the header is
 * time_s,seq,event,workload,cluster_queue,detail (golden/kueue/README.md); where
 * pods are placed too, their rows stand among the others with
 * pod=...;node=...;message=... as detail. Else it is
 * time_s,event,pod,job,node,message (golden/kube-scheduler/README.md).
 * Needs a journal of JOURNAL_FULL. */
void report_events_write(FILE *out, const struct journal *journal, bool admission);

/* Why every job that never finished is not running:
 * workload,cluster_queue,reason,message in input order. Under an admission policy
 * its QuotaReserved condition, for jobs that were never admitted or lost their
 * admission; else FailedScheduling's message of the job's first waiting pod, or
 * the refusal of its creation. */
void report_pending_write(FILE *out, const struct journal *journal, bool admission);

/* What was read, at most max files: a member "inputs", [{name, xxh3}]. */
void report_json_inputs(struct jsonw *json, const struct scenario *scenario, uint32_t max);
/* How a run went: "complete", "max-time", "interrupted", "livelock". */
const char *report_json_end(enum run_end end);
/* Not all was run: the run itself, or those that tell what hangs on chance. */
bool report_partial(const struct report_column *column);
/* One run under Kueue in the metric families that Kueue exports, in Prometheus' text
 * format: counters of the whole run, gauges as it ends (prometheus_table.h). Needs
 * journal.account. */
void report_prometheus_run(FILE *out, const struct report *report);
/* All figures of one run, a superset of golden/kube-scheduler's summary.json. */
void report_json_run(FILE *out, const struct report *report);
/* The same figures per column, without the jobs; and the story. */
void report_json_compare(FILE *out, const struct report *report);

/* The columns beside each other, worst news first; then the story, what was
 * assumed, and what of the input is not modelled. One column is fine. */
void report_compare_write(FILE *out, const struct report *report);
void report_compare_wide(FILE *out, const struct report *report); /* -o wide */
/* The line at the top of it: "GPU queue lab: 50 jobs on 2 nodes ...". */
void report_title(FILE *out, const struct report *report);
/* Its rows of figures as texts, a cell a column; bad: news that should stand out. */
typedef void report_figure(void *context, const char *label, const char *const *cells, bool bad);
void report_each_figure(const struct report *report, report_figure *tell, void *context);
/* metric,unit, then a column each: exact figures; then the teams'. */
void report_compare_csv(FILE *out, const struct report *report);

#endif
