/* trace_figures.h - what the files of trace_figures share. */
#ifndef TESTS_CONFORMANCE_TRACE_FIGURES_H
#define TESTS_CONFORMANCE_TRACE_FIGURES_H

#include "sim/tool/jsonw.h"
#include "sim/trace/trace_set.h"
#include "sim/trace/trace_stats.h"

struct figures_trace {
	struct trace_set set;
	struct builder *builder;
	const struct source *source;	     /* of the file of jobs */
	const struct trace_summary *summary; /* of it */
	struct trace_stats_jobs jobs;
	struct jsonw *json;
};

/* One job as it was loaded. */
static inline const struct job *figures_job(const struct figures_trace *t, uint32_t index)
{
	return &t->jobs.items[index];
}

/* Thousandths of a GPU of a job. */
static inline int64_t figures_milli(const struct figures_trace *t, uint32_t job)
{
	return t->jobs.milli[job];
}

void figures_spread(struct figures_trace *t, const char *key, simtime *times, size_t n);
/* A raw cell of the file, by the name of its column; row is 0-based. The text is the
 * caller's to free. */
char *figures_cell(const struct figures_trace *t, const char *column, uint32_t row);

void figures_openb(struct figures_trace *t);
void figures_swf(struct figures_trace *t);
void figures_fixture(struct figures_trace *t, const char *kind);

#endif
