/* trace_philly.h - what Philly's cluster_job_log says of each job. */
#ifndef SIM_TRACE_PHILLY_H
#define SIM_TRACE_PHILLY_H

#include "core/clock.h"
#include "sim/tool/source.h"

struct trace_philly_attempt {
	simtime start, end; /* end CLOCK_NEVER: it runs on as the file ends */
	uint32_t gpus;
};

struct trace_philly_job {
	const char *id, *vc, *status; /* valid during the visit; NULL if absent */
	long line;		      /* where it begins */
	const char *skipped;	      /* static text: why it cannot be a job; NULL if it can */
	uint32_t attempts;
	simtime latest; /* moment that it tells of */
	/* Its attempts that count, in their order; then, if the last one has a start, GPUs and
	 * no end, that. */
	const struct trace_philly_attempt *list;
	uint32_t listed;
	bool runs; /* there is such a one */
	/* The rest is of jobs that are not skipped. */
	uint32_t used;	  /* attempts that count */
	uint32_t gpus;	  /* most of any of them */
	uint32_t servers; /* of the first of them */
	simtime submit;
	simtime first_start, last_end; /* of attempts that count */
	simtime service;	       /* sum of their durations */
};

typedef void trace_philly_visit(void *context, const struct trace_philly_job *job);

/* Calls visit for each job in file order. ERR_SYNTAX: not such a file. */
enum err_code trace_philly_read(const struct source *source, trace_philly_visit *visit,
				void *context, struct err *err);

#endif
