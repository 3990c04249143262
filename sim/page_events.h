/* page_events.h - what happened in a run, for a page: histories of jobs, deadlocks, jobs
 * that others overtook, who evicted whom, and the moments worth jumping to.
 */
#ifndef SIM_PAGE_EVENTS_H
#define SIM_PAGE_EVENTS_H

#include "sim/jsonw.h"
#include "sim/page_choice.h"

/* Members of the object of a column; columns: that share the room there is. */
void page_events_write(struct jsonw *json, const struct report_column *column,
		       const struct page_choice *choice, size_t columns);

#endif
