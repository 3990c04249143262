/* page_events.h - what happened in a run, for a page: histories of jobs, deadlocks, jobs
 * that others overtook, who evicted whom, and the moments worth jumping to.
 */
#ifndef SIM_PAGE_EVENTS_H
#define SIM_PAGE_EVENTS_H

#include "sim/page/page_choice.h"
#include "sim/tool/jsonw.h"

struct page_events_room {
	size_t events, marks;
	size_t text; /* bytes of different texts */
	bool brief;  /* no events that outcomes and spans tell, too */
};

/* Members of the object of a column. */
void page_events_write(struct jsonw *json, const struct report_column *column,
		       const struct page_choice *choice, const struct page_events_room *room);

#endif
