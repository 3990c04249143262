/* page_jobs.h - jobs, what became of them, and where their pods were, for a page: a list a
 * property, of differences that are mostly 0, so that a hundred thousand jobs pack well.
 */
#ifndef SIM_PAGE_JOBS_H
#define SIM_PAGE_JOBS_H

#include "sim/page/page_choice.h"
#include "sim/page/page_spans.h"
#include "sim/page/page_teams.h"
#include "sim/tool/jsonw.h"

/* Nodes that a page knows by name, and the spans that it draws. */
#define PAGE_NODES_MAX 1024

/* The jobs that are told; a member "jobs". */
void page_jobs_write(struct jsonw *json, const struct scenario *scenario,
		     const struct page_choice *choice, const struct page_teams *teams);
/* What became of them in a run; a member "jobs". */
void page_jobs_outcomes(struct jsonw *json, const struct metrics *metrics,
			const struct page_choice *choice);
/* Where their pods were, at most max spans; members "spans", "spans_shown", "spans_of". */
void page_jobs_spans(struct jsonw *json, const struct metrics *metrics,
		     const struct page_spans *spans, const struct page_choice *choice, size_t max);

enum page_jobs_exactness {
	TIME_EXACT,
	TIME_COARSE, /* whole seconds from a minute on, hundredths below */
	TIME_ROUGH,  /* besides, three or four digits */
};
/* In seconds; returns the time that was told. */
simtime page_jobs_time(struct jsonw *json, const char *key, simtime time,
		       enum page_jobs_exactness exactness);

#endif
