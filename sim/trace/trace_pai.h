/* trace_pai.h - Alibaba PAI 2020: what the tables of jobs and tasks say of each job
 * (CATALOG 2.5). */
#ifndef SIM_TRACE_PAI_H
#define SIM_TRACE_PAI_H

#include "sim/tool/csv.h"
#include "sim/trace/trace.h"

struct trace_pai_task {
	struct csv_field name, model; /* model len 0: any */
	uint32_t pods;
	uint32_t gpu_milli;	   /* thousandths of a GPU of one pod; 0: none */
	int64_t cpu_milli, memory; /* of one pod; memory in bytes */
	bool has_start, has_end;
	simtime start, end;
	uint32_t next; /* of the same job; UINT32_MAX: the last */
};

struct trace_pai_job {
	struct csv_field name, user, status;
	long line;
	const char *skipped;	  /* static text: why it cannot be a job; NULL if it can */
	simtime submit;		  /* the job's start_time */
	bool runs;		  /* it has no end */
	simtime start, end;	  /* of its earliest task; of the job */
	uint64_t pods, gpu_milli; /* of all tasks */
	int64_t gpu_time;	  /* GPU-microseconds of its tasks */
	uint32_t first_task;	  /* UINT32_MAX: none */
};

struct trace_pai {
	struct trace_pai_job *jobs; /* in the order of their table */
	uint32_t job_count;
	struct trace_pai_task *tasks;
	uint32_t task_count;
	uint64_t stray_tasks;	  /* whose job is not in the table */
	simtime latest;		  /* moment that a row tells of */
	struct name_table *names; /* of jobs; by index: job of this name */
	struct name_table *texts; /* all others */
};

/* jobs: the table of jobs; tasks: any number of tables of tasks among other files;
 * keep_unfinished: a job without an end is one.
 * ERR_SYNTAX: no CSV. Free with trace_pai_free. */
enum err_code trace_pai_read(const struct source *jobs, const struct source *tasks,
			     uint32_t task_count, bool keep_unfinished, struct trace_pai *out,
			     struct err *err);
void trace_pai_free(struct trace_pai *pai);

#endif
