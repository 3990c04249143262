/* trace_jobs.h - one row of gqsim's own job list, wherever its cells come from: CSV
 * (sim/trace/trace_jobs.c) or JSON lines (sim/trace/trace_jsonl.c).
 */
#ifndef SIM_TRACE_JOBS_H
#define SIM_TRACE_JOBS_H

#include "sim/tool/csv.h"
#include "sim/trace/trace.h"

#define TRACE_JOBS_COLUMNS 32 /* at most */

/* The columns there are, and how many. */
const struct csv_column *trace_jobs_columns(uint32_t *count);

struct trace_jobs; /* owned by the caller: trace_jobs_new/trace_jobs_free */

/* index[i] is the field of column i in a row of csv, or CSV_NONE. counting: as long as
 * names only count the rows, jobs get none. All is borrowed. */
struct trace_jobs *trace_jobs_new(struct builder *builder, const struct trace_options *options,
				  struct trace_summary *summary, const struct csv *csv,
				  const uint32_t *index, bool counting);
void trace_jobs_free(struct trace_jobs *jobs);
/* The row that csv stands on. */
enum err_code trace_jobs_row(struct trace_jobs *jobs, struct err *err);
/* A row with an error: where all errors are to be told, it is left out; else it ends the list,
 * with that error. Of many rows the first are told, and at the end how many others there were. */
enum err_code trace_jobs_leave_out(struct trace_jobs *jobs, const struct err *err);
void trace_jobs_tell_others(const struct trace_jobs *jobs);
/* A column that there is not: a warning if something is spelt like it, else a note; an error
 * where the builder is strict. */
enum err_code trace_jobs_unknown(struct builder *builder, struct place where, const char *name,
				 struct err *err);
/* Is there any column that says what a job asks for? */
bool trace_jobs_demand(const uint32_t *index);

#endif
