/* trace.h - what a trace format is. Add one: write sim/trace_NAME.c and one row
 * in sim/trace_table.c.
 *
 * A format reads a whole source and appends jobs to a builder. Rows that cannot
 * be jobs are skipped under a named reason and counted; reasons and jobs add up
 * to the rows read. Times become microseconds since the first submit where the
 * trace has a clock of its own; a format that counts seconds keeps its zero.
 */
#ifndef SIM_TRACE_H
#define SIM_TRACE_H

#include <stdbool.h>

#include "sim/builder.h"
#include "sim/source.h"

#define TRACE_REASONS 16
#define TRACE_CLOCK   40 /* bytes that hold any formatted clock time */

struct trace_summary {
	const char *format;
	uint64_t rows;
	uint64_t jobs;
	struct {
		const char *reason; /* static text, e.g. "no_attempts" */
		uint64_t count;
	} skipped[TRACE_REASONS];
	uint32_t reason_count;
	uint64_t clamped_waits;	      /* jobs that started before their submit: no wait */
	uint64_t dropped_attempts;    /* unusable attempts of jobs that have usable ones */
	uint64_t gpu_time_mismatches; /* rows whose gpu_time is not duration x GPUs */
	bool has_gpu_time;
	simtime first_submit; /* on the trace's own clock: naive local, as if UTC */
	bool has_clock;
};

struct trace_options {
	uint32_t gpus_per_node; /* GPUs of the biggest node, by which a job of n GPUs is
				   cut into pods (sim/trace_pods.h); 0: not known */
};

struct trace_format {
	const char *name; /* --format NAME */
	const char *help;
	/* Does the beginning of a file (at most 64 KiB) look like it? */
	bool (*probe)(const char *head, size_t size);
	/* The summary comes zeroed but for its format. The name of the source is
	 * borrowed by the builder. */
	enum err_code (*load)(const struct source *source, const struct trace_options *options,
			      struct builder *builder, struct trace_summary *summary,
			      struct err *err);
};

const struct trace_format *trace_find(const char *name);	      /* NULL: unknown */
const struct trace_format *trace_detect(const struct source *source); /* NULL: none */
const struct trace_format *trace_rows(void);			      /* ended by a NULL name */

void trace_skip(struct trace_summary *summary, const char *reason);

/* "2017-10-09 07:01:55": a wall clock without a zone, read as if it were UTC by
 * days-from-civil arithmetic (never the host's time zone rules), years 1970 to
 * 9999. False if it is anything else. */
bool trace_read_clock(const char *text, size_t len, simtime *out);
char *trace_format_clock(simtime t, char buf[TRACE_CLOCK]);

/* A count that may be written with zero decimals ("8", "8.0"). */
bool trace_read_count(const char *text, size_t len, uint32_t *out);

#endif
