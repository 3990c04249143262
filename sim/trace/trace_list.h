/* trace_list.h - the rows of a published trace on their way to the builder.
 *
 * Formats with a clock of their own gather rows here, because time 0 is the
 * earliest submit and no such file promises to be sorted. Each row becomes a job
 * of its virtual cluster: namespace and queue have the virtual cluster's name.
 */
#ifndef SIM_TRACE_LIST_H
#define SIM_TRACE_LIST_H

#include "sim/trace/trace.h"
#include "sim/trace/trace_pods.h"

struct trace_row {
	simtime submit; /* on the trace's clock */
	simtime duration;
	simtime start; /* when it really started, if has_start */
	bool has_start;
	bool unfinished;	     /* it runs on at the trace's end, since then: that much more */
	simtime since;		     /* than duration */
	uint32_t gpus;		     /* 1 .. TRACE_PODS_GPUS_MAX; cut into pods by nodes' size */
	struct trace_pods_sets sets; /* count not 0: its pods, in place of gpus */
	bool cut;		     /* sets were cut by nodes' size */
	uint16_t burned;	     /* what trace_state says of its end */
	uint32_t vc;		     /* string; NAME_NONE: no queue, namespace "default" */
	uint32_t name;		     /* string; NAME_NONE: the row number is the name */
	uint32_t priority_class;     /* string; NAME_NONE; of list->has_classes */
	uint32_t row;		     /* zero-based, of the file */
	long line;
};

struct trace_list { /* all zero: empty */
	struct trace_row *rows;
	size_t count, capacity;
	bool no_clock;	  /* times count from the trace's own zero, which stays */
	bool has_classes; /* rows have priority classes */
	simtime latest;	  /* the last moment that any row tells of: where the trace ends */
};

void trace_list_add(struct trace_list *list, const struct trace_row *row);
/* A row tells of this moment, whether it becomes a job or not. */
void trace_list_saw(struct trace_list *list, simtime moment);
void trace_list_free(struct trace_list *list); /* what it holds */

/* Adds a job a row, in the order of the rows; sets jobs, first_submit and
 * has_clock of the summary, and counts starts before the submit (no wait then)
 * and names that come again (such jobs are known by their row). Unfinished rows end at
 * the latest moment; what began only then is left out. file is borrowed by the builder. */
void trace_list_build(const struct trace_list *list, const char *file,
		      const struct trace_options *options, struct builder *builder,
		      struct trace_summary *summary);

#endif
