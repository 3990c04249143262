/* trace_write.h - jobs as a job list in CSV or JSON lines, or in the Standard Workload
 * Format; and what these cannot hold.
 */
#ifndef SIM_TRACE_WRITE_H
#define SIM_TRACE_WRITE_H

#include <stdio.h>

#include "sim/trace/trace_edit.h"

/* Jobs that lost something on the way, each counted once a reason. */
struct trace_lost {
	uint64_t templates;    /* affinity, spread, limits and the like of their pods */
	uint64_t names;	       /* their only pod set has a name of its own */
	uint64_t classes;      /* have a priority class, whose value the list does not hold */
	uint64_t left_out;     /* SWF: endless, or without GPUs */
	uint64_t rounded;      /* SWF: fractions of seconds or GPUs */
	uint64_t demands;      /* SWF: pods, requests, selectors beside the GPUs */
	uint64_t dependencies; /* wait for the end of another job */
	bool clock;	       /* the wall clock of time 0 */
};

struct trace_writer { /* a row of the table of output formats */
	const char *name, *ending;
	void (*write)(FILE *out, const struct trace_edit *edit, struct trace_lost *lost);
};

/* By the name of the format, and by the ending of a file's name (a compressed one's too);
 * NULL: unknown. */
const struct trace_writer *trace_write_find(const char *name);
const struct trace_writer *trace_write_of_name(const char *path);
/* ERR_USAGE: the name has an ending, and none that is known, so that what would be in the file
 * is not what its name says. "-" and what has no ending are fine. */
enum err_code trace_write_ending(const char *path, struct err *err);

/* Has one of a job's so many pod sets what no row can say? first: the shape of the first. */
bool trace_write_loses(const struct pod_set *set, const struct pod_shape *shape,
		       const struct pod_shape *first, uint32_t sets);
/* A sentence on what was lost, by index; false past the end. */
bool trace_write_remark(const struct trace_lost *lost, uint32_t index, char *text, size_t size);

void trace_write_csv(FILE *out, const struct trace_edit *edit, struct trace_lost *lost);
void trace_write_jsonl(FILE *out, const struct trace_edit *edit, struct trace_lost *lost);
/* sim/trace/trace_write_swf.c */
void trace_write_swf(FILE *out, const struct trace_edit *edit, struct trace_lost *lost);

#endif
