/* trace_set.h - the files of one or more traces, read in the order in which they need
 * each other: nodes first, then the jobs with what goes with them.
 */
#ifndef SIM_TRACE_SET_H
#define SIM_TRACE_SET_H

#include "sim/trace/trace.h"

struct trace_file {
	struct source source; /* owned */
	const struct trace_format *format;
	uint32_t input; /* what the builder calls it (builder_input); the caller's to set */
	/* Filled by trace_set_jobs, for files of jobs. */
	struct trace_summary summary;
	uint32_t first_job, job_count; /* in the builder */
};

struct trace_set { /* all zero: empty */
	struct trace_file *files;
	size_t count, capacity;
	struct source *companions; /* borrowed from files; for options */
	size_t companion_count, companion_capacity;
};

/* Takes the source over. What is returned lives until the next one is added. */
struct trace_file *trace_set_add(struct trace_set *set, const struct source *source,
				 const struct trace_format *format);
void trace_set_free(struct trace_set *set); /* closes the sources */

/* How many files of jobs are among them? */
size_t trace_set_job_files(const struct trace_set *set);
/* The first file of jobs; NULL. */
const struct trace_file *trace_set_first(const struct trace_set *set);
/* Adds the nodes of all lists of nodes. */
enum err_code trace_set_nodes(struct trace_set *set, struct builder *builder, struct err *err);
/* Adds the jobs of all others; *summary is that of the last. After it, nodes offer the
 * parts of GPUs that jobs ask for, and what was skipped or assumed is among the builder's
 * findings. */
enum err_code trace_set_jobs(struct trace_set *set, const struct trace_options *options,
			     struct builder *builder, struct trace_summary *summary,
			     struct err *err);

/* After the jobs: nodes and queues of all files of sizes (trace_capacity.h). */
enum err_code trace_set_capacity(struct trace_set *set, struct builder *builder, struct err *err);

/* The first file of node counts of virtual clusters (trace_queues.h); NULL. */
const struct source *trace_set_sizes(const struct trace_set *set);

/* A sentence on what the summary has of interest, by index; false past the end. line: where
 * the first row stands that it is about; 0: none. */
bool trace_set_remark(const struct trace_summary *summary, uint32_t index, char *text, size_t size,
		      long *line);

#endif
