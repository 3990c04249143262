/* trace_edit.h - which jobs of traces are taken, and with which times: what slice, scale
 * and merge do, before anything is written.
 */
#ifndef SIM_TRACE_EDIT_H
#define SIM_TRACE_EDIT_H

#include "sim/trace/trace_set.h"

struct trace_item {   /* a job that is written */
	uint32_t job; /* of the builder */
	simtime submit, duration;
	simtime start;	    /* recorded; CLOCK_NEVER */
	const char *prefix; /* before its name, namespace and queue; NULL: none */
};

struct trace_edit {
	struct builder *builder;  /* borrowed */
	struct trace_item *items; /* by submit, then input order */
	size_t count;
	/* By string of the builder, among which resources have to be; borrowed; NULL: as they
	 * are. */
	const char *const *renamed;
	double gpus;	/* factor of each job's GPUs; 1: as they are */
	simtime origin; /* of time 0 on a wall clock; CLOCK_NEVER: none */
};

/* All jobs of the set, as they were read. Free with trace_edit_free. */
void trace_edit_init(struct trace_edit *edit, struct builder *builder);
void trace_edit_free(struct trace_edit *edit);

/* Keeps jobs with from <= submit < to. */
void trace_edit_window(struct trace_edit *edit, simtime from, simtime to);
/* Keeps jobs whose queue or namespace is one of "a,b,c". */
void trace_edit_queues(struct trace_edit *edit, const char *names);
/* Keeps the first so many. */
void trace_edit_first(struct trace_edit *edit, size_t count);
/* Keeps each with a probability, 0 to 1. */
void trace_edit_thin(struct trace_edit *edit, double share, uint64_t seed);
/* Times between submits are divided by load, durations multiplied. A recorded start
 * means nothing any more. Both factors are above 0. */
void trace_edit_scale(struct trace_edit *edit, double load, double durations);
/* Moves all times so that the first submit is at 0. */
void trace_edit_rebase(struct trace_edit *edit);
/* Jobs first .. first + count of the builder get a prefix (borrowed) and are moved. */
void trace_edit_shift(struct trace_edit *edit, uint32_t first, uint32_t count, const char *prefix,
		      simtime by);
/* Sorts again by submit, after times were moved. */
void trace_edit_sort(struct trace_edit *edit);

/* So many GPUs or pods times the factor: the nearest number, but at least 1; 0 stays 0. */
uint32_t trace_edit_scaled(const struct trace_edit *edit, uint32_t number);

#endif
