/* study.h - some runs, and their figures beside each other: what run and compare
 * share between reading the command line and printing.
 */
#ifndef SIM_STUDY_H
#define SIM_STUDY_H

#include "sim/engine/batch.h"
#include "sim/input/cmd.h"
#include "sim/report/report.h"

struct study; /* owned by the caller: study_new/study_free */

struct study *study_new(void);
void study_free(struct study *study);

/* Takes the scenario. */
void study_own(struct study *study, struct scenario *scenario);

/* Another run; the title is copied. */
void study_add(struct study *study, const char *title, const struct policy_row *policy,
	       const struct scenario *scenario, const struct run_options *options,
	       enum journal_detail detail);

/* Journals have each waiting job's reasons, at least thinned. */
void study_tell_reasons(struct study *study);

/* For a cluster that someone looks at while it runs: figures go up to this time, whatever
 * the runs need, and an input without jobs is fine. To be called before study_run. */
void study_until(struct study *study, simtime until);
/* After study_run: the window that accounts for all runs to their end. */
simtime study_window(const struct study *study);

/* Runs all, with progress on a terminal unless quiet, then works the figures out:
 * over one window, the longest, for all. */
enum err_code study_run(struct study *study, const struct cmd_context *context, unsigned threads,
			bool quiet, struct err *err);

/* After study_run: runs the columns that place pods again, over seeds random ties
 * (0: none), and, where jobs are few enough for it to cost nothing, with the other
 * --drain; the reports then tell what hangs on chance. */
enum err_code study_chance(struct study *study, uint32_t seeds, unsigned threads, struct err *err);

/* What the reports take; valid as long as the study. */
const struct report_column *study_columns(const struct study *study, size_t *count);

/* 130 if the user stopped a run, 1 if one was a livelock or fails its audit (which
 * is said on context->err), else 0. */
int study_verdict(const struct study *study, const struct cmd_context *context);

/* "plain Kubernetes", "Kueue": what a policy is called in tables. */
const char *study_policy_title(const struct policy_row *policy);

/* The policy of this name; else ERR_UNKNOWN with the nearest one. */
enum err_code study_policy(const char *name, size_t len, const struct policy_row **out,
			   struct err *err);

/* Runs at once: what -j says, or one a processor. */
enum err_code study_threads(const struct cmd_args *args, unsigned *out, struct err *err);

/* What -o prints: rows ended by a NULL name; the first is the default. */
struct study_format {
	const char *name;
	void (*write)(FILE *out, const struct report *report);
	bool bare; /* figures only: findings are to be told beside it */
};
/* The row that -o names; ERR_USAGE if there is none. */
enum err_code study_format(const struct cmd_args *args, const struct study_format *rows,
			   const struct study_format **out, struct err *err);

/* GPU-time is counted in int64 microseconds; ERR_LIMIT: a window in which figures would be
 * wrong. */
enum err_code study_countable(const struct scenario *scenario, simtime window, struct err *err);

/* FULL where logs are wanted, and up to 20,000 jobs under an admission policy, which says
 * why a job waits each time that it changes; else FACTS: the reports tell why the one job
 * waited that waited longest, and a second run up to its start gives that. */
enum journal_detail study_detail(const struct scenario *scenario, const struct policy_row *policy,
				 bool logs);

#endif
