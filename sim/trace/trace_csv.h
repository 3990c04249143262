/* trace_csv.h - published traces in CSV, each described by a table of its columns.
 *
 * Columns are found by name, unknown ones ignored. A cell that cannot be read, and a
 * row that is not as wide as the header, leave the row out under a reason; an empty
 * cell (or None, null, nan, Unknown, \N) is a missing one. What the columns do not say
 * by themselves, a format's judge does.
 */
#ifndef SIM_TRACE_CSV_H
#define SIM_TRACE_CSV_H

#include "sim/tool/csv.h"
#include "sim/trace/trace_list.h"
#include "sim/trace/trace_models.h"
#include "sim/trace/trace_pods.h"

/* What a column says. */
enum trace_csv_field {
	/* times */
	TRACE_CSV_SUBMIT,
	TRACE_CSV_START,
	TRACE_CSV_END,
	TRACE_CSV_DURATION,
	TRACE_CSV_GPU_TIME, /* GPU-seconds, checked against duration x GPUs */
	/* counts */
	TRACE_CSV_GPUS, /* of the whole job, unless the judge says otherwise */
	TRACE_CSV_PODS, /* nodes or workers of the job */
	TRACE_CSV_GPU_MILLI,
	TRACE_CSV_CPU,	  /* of a pod; these two in thousandths of the column's unit, */
	TRACE_CSV_MEMORY, /* which the judge turns into thousandths of a CPU and bytes */
	/* texts */
	TRACE_CSV_NAME,
	TRACE_CSV_TEAM,
	TRACE_CSV_STATE,
	TRACE_CSV_MODEL,
	TRACE_CSV_CLASS,
	TRACE_CSV_EXTRA, /* read by the judge alone */
	TRACE_CSV_OTHER, /* by which the format is recognised; may be several */
	TRACE_CSV_FIELDS,
};
#define TRACE_CSV_TIMES	 TRACE_CSV_GPUS /* fields before it are times */
#define TRACE_CSV_COUNTS TRACE_CSV_NAME /* those before it counts, the rest texts */

enum trace_csv_clock {
	TRACE_CSV_SECONDS, /* since the trace's own zero, which stays */
	TRACE_CSV_DATES,   /* "2017-10-09 07:01:55", with an offset from UTC or without */
	TRACE_CSV_EPOCH,   /* seconds since 1970; 0 is missing */
};

struct trace_csv_column {
	const char *names[CSV_ALIASES];
	enum trace_csv_field field;
	bool required;
};

/* A row on its way to a job. A judge may change all of it. */
struct trace_csv_row {
	struct csv_field cells[TRACE_CSV_FIELDS]; /* len 0: missing */
	bool has[TRACE_CSV_TIMES];
	simtime time[TRACE_CSV_TIMES];
	struct trace_pods_demand demand; /* of one pod, and how many; pods 0: as nodes need */
	uint32_t gpus;			 /* of all pods together */
	bool unfinished;		 /* it has a start, but no end */
	bool of_pods;			 /* demand says it all: gpus is not to be cut into pods */
	const char *skip;		 /* static text: why it is left out */
	int32_t priority;		 /* of its class, where the trace has classes */
	uint16_t burned;		 /* what trace_state says of its end */
	struct trace_summary *summary;
};

struct trace_csv_format {
	const struct trace_csv_column *columns;
	uint32_t column_count;
	enum trace_csv_clock clock;
	simtime unit;	  /* of plain numbers of time; 0: seconds */
	char separator;	  /* 0: a comma */
	bool no_quotes;	  /* a quote is a byte like any other */
	bool keeps_zero;  /* jobs without work are jobs too */
	bool shares_gpus; /* parts of GPUs are asked for (sim/trace/trace_pods.h) */
	bool no_duration; /* the trace tells none: an hour is assumed */
	/* Why a job without GPUs is left out; NULL: it is a job. */
	const char *without_gpus;
	const char *note, *not_modelled; /* for the summary */
	void (*judge)(struct trace_csv_row *row);
};

bool trace_csv_probe(const struct trace_csv_format *format, const char *head, size_t size);
enum err_code trace_csv_load(const struct trace_csv_format *format, const struct source *source,
			     const struct trace_options *options, struct builder *builder,
			     struct trace_summary *summary, struct err *err);

#endif
