/* trace.h - what a trace format is. Add one: write sim/trace_NAME.c and one row
 * in sim/trace/trace_table.c. A format in CSV is a table of columns (sim/trace/trace_csv.h).
 *
 * A format reads a whole source and appends jobs to a builder. Rows that cannot
 * be jobs are skipped under a named reason and counted; reasons and jobs add up
 * to the rows read. Times become microseconds since the first submit where the
 * trace has a clock of its own; a format that counts seconds keeps its zero.
 */
#ifndef SIM_TRACE_H
#define SIM_TRACE_H

#include <stdbool.h>

#include "sim/load/builder.h"
#include "sim/tool/source.h"

#define TRACE_REASONS 16
#define TRACE_STATES  24 /* distinct final states that are counted; then "other" */
#define TRACE_STATE   24 /* bytes of one */
#define TRACE_CLOCK   40 /* bytes that hold any formatted clock time */

struct trace_summary {
	const char *format;
	const char *file; /* borrowed */
	uint64_t rows;
	uint64_t jobs;
	struct {
		const char *reason; /* static text, e.g. "no_attempts" */
		uint64_t count;
		long line; /* of the first */
	} skipped[TRACE_REASONS];
	uint32_t reason_count;
	struct {
		char name[TRACE_STATE]; /* as the trace writes it, e.g. "COMPLETED" */
		uint64_t count;
	} states[TRACE_STATES]; /* of all rows, where the format has them */
	uint32_t state_count;
	uint64_t clamped_waits;	      /* jobs that started before their submit: no wait */
	uint64_t dropped_attempts;    /* unusable attempts of jobs that have usable ones */
	uint64_t gpu_time_mismatches; /* rows whose gpu_time is not duration x GPUs */
	bool has_gpu_time;
	uint64_t never_scheduled;   /* jobs that only waited: they work as long as they lived */
	uint64_t repeated_names;    /* jobs whose name an earlier one has: known by their row */
	uint64_t assumed_durations; /* jobs of which the trace tells no duration */
	uint64_t model_wishes;	    /* jobs that ask for a GPU model */
	uint64_t dependent;	    /* jobs that come when an earlier one has ended */
	uint64_t orphans;	    /* jobs that name one before them that is not there */
	uint64_t models_dropped;    /* of these, asking for models that no node is of */
	uint64_t censored;	    /* jobs that run on at the trace's end: taken to end then */
	/* Static texts; NULL: nothing to tell. */
	const char *note;	  /* how the format was understood */
	const char *not_modelled; /* what it has and gqsim does not */
	simtime first_submit;	  /* on the trace's own clock: naive local, as if UTC */
	bool has_clock;
	bool made_up;  /* by a Generator document; of several files together: any of them */
	uint64_t seed; /* then, that it was drawn with */
};

struct trace_options {
	uint32_t gpus_per_node; /* GPUs of the biggest node, by which a job of n GPUs is
				   cut into pods (sim/trace/trace_pods.h); 0: not known */
	bool keep_models;	/* wishes for GPU models stand, whatever the nodes are */
	bool separate_attempts; /* each attempt of a job that was tried again is a job */
	bool keep_unfinished;	/* what runs on at the trace's end is a job until then */
	bool seeded;		/* what is made up is drawn with this seed, not its own */
	uint64_t seed;
	/* Other files of the same trace, such as a table of its tasks. */
	const struct source *companions;
	uint32_t companion_count;
};

/* "sum" or "separate"; "skip" or "keep"; NULL: the first. ERR_USAGE: another word. */
enum err_code trace_options_set(struct trace_options *options, const char *attempts,
				const char *unfinished, struct err *err);

enum trace_kind {
	TRACE_JOBS,	 /* rows become jobs */
	TRACE_NODES,	 /* rows become nodes */
	TRACE_COMPANION, /* what the trace that comes with it needs */
	TRACE_CAPACITY,	 /* how big the cluster of the trace was, and when */
	TRACE_SIZES,	 /* how many nodes its virtual clusters have */
	TRACE_UNUSED,	 /* of a trace, but a replay needs nothing of it: it is not read */
};

struct trace_csv_format;

typedef bool trace_probe(const char *head, size_t size);
typedef enum err_code trace_load(const struct source *source, const struct trace_options *options,
				 struct builder *builder, struct trace_summary *summary,
				 struct err *err);

struct trace_format {
	const char *name; /* --format NAME */
	const char *help;
	/* Does the beginning of a file (at most 64 KiB) look like it? */
	trace_probe *probe;
	/* The summary comes zeroed but for its format and file. The name of the source is
	 * borrowed by the builder. */
	trace_load *load;
	const struct trace_csv_format *csv; /* in place of probe and load */
	enum trace_kind kind;
};

const struct trace_format *trace_find(const char *name);	      /* NULL: unknown */
const struct trace_format *trace_detect(const struct source *source); /* NULL: none */
const struct trace_format *trace_rows(void);			      /* ended by a NULL name */
/* Fills *summary in any case. */
enum err_code trace_read(const struct trace_format *format, const struct source *source,
			 const struct trace_options *options, struct builder *builder,
			 struct trace_summary *summary, struct err *err);

/* Counts a row that is left out; line is where it stands. */
void trace_skip(struct trace_summary *summary, const char *reason, long line);
/* Counts the final state of a row, if it has one (len 0: none, text may be NULL); returns
 * what a job of it burned its GPUs for: JOB_CRASHED, JOB_KILLED, or 0. */
uint16_t trace_state(struct trace_summary *summary, const char *text, size_t len);

/* "2017-10-09 07:01:55": a wall clock without a zone, read as if it were UTC by
 * days-from-civil arithmetic (never the host's time zone rules), years 1970 to
 * 9999. False if it is anything else. */
bool trace_read_clock(const char *text, size_t len, simtime *out);
/* The same or an instant: "T" between date and time, a fraction of a second, and an
 * offset from UTC ("Z", "+08:00", "+0800"), each if it is there; with an offset the
 * result is UTC. */
bool trace_read_instant(const char *text, size_t len, simtime *out);
char *trace_format_clock(simtime t, char buf[TRACE_CLOCK]);

/* Without the blanks around it. */
void trace_trim(const char **text, size_t *len);

/* Seconds as programs write them: blanks around do not count, and decimals beyond a
 * microsecond are rounded half up. False: *why is what is wrong with it (static text), or
 * NULL if it is no number at all. */
bool trace_read_seconds(const char *text, size_t len, simtime *out, const char **why);

/* A count that may be written with zero decimals ("8", "8.0"). */
bool trace_read_count(const char *text, size_t len, uint32_t *out);

#endif
