/* trace_swf.h - the lines of the Standard Workload Format, version 2 (CATALOG 2.11). */
#ifndef SIM_TRACE_SWF_H
#define SIM_TRACE_SWF_H

#include "sim/trace/trace.h"

enum trace_swf_field { /* 0-based; -1 is missing everywhere */
		       TRACE_SWF_ID,
		       TRACE_SWF_SUBMIT,
		       TRACE_SWF_WAIT,
		       TRACE_SWF_RUN,
		       TRACE_SWF_PROCS,
		       TRACE_SWF_CPU_TIME,
		       TRACE_SWF_MEMORY,
		       TRACE_SWF_PROCS_ASKED,
		       TRACE_SWF_TIME_ASKED,
		       TRACE_SWF_MEMORY_ASKED,
		       TRACE_SWF_STATUS,
		       TRACE_SWF_USER,
		       TRACE_SWF_GROUP,
		       TRACE_SWF_APPLICATION,
		       TRACE_SWF_QUEUE,
		       TRACE_SWF_PARTITION,
		       TRACE_SWF_AFTER,
		       TRACE_SWF_THINK,
		       TRACE_SWF_FIELDS,
};

struct trace_swf_line {
	long line;
	const char *skip; /* static text: it is no job; NULL: it is one */
	const char *text; /* of a header comment, behind its semicolons; NULL: a data line */
	size_t len;
	uint32_t count; /* of its fields; value[] holds as many as are right */
	double value[TRACE_SWF_FIELDS];
	uint32_t fractions; /* fields that are no whole number */
};

typedef void trace_swf_visit(void *context, const struct trace_swf_line *line);

/* Calls visit for every line that is not blank. ERR_SYNTAX: a NUL byte. */
enum err_code trace_swf_read(const struct source *source, trace_swf_visit *visit, void *context,
			     struct err *err);
/* The processors of a job: allocated ones, else those asked for; 0: neither. */
double trace_swf_procs(const struct trace_swf_line *line);

#endif
