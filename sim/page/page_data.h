/* page_data.h - all that a page shows of a report, as one JSON object.
 *
 * scenarios/README.md documents the object. What there is room for is told whole. Of what is
 * larger it has some jobs with their pods and histories, and of all jobs the figures, levels
 * over time and how busy nodes were; "shown" and "of" tell.
 */
#ifndef SIM_PAGE_DATA_H
#define SIM_PAGE_DATA_H

#include "sim/report/report.h"

/* Of up to so many jobs a page has every reason why each waited: the journal should be full.
 * Of more, it should be thinned. */
#define PAGE_FULL_JOBS 2000

/* In all columns together. */
struct page_room {
	uint32_t jobs; /* of up to three columns; of more in proportion */
	size_t spans, events;
	size_t text; /* bytes of different texts of events */
	bool brief;  /* roughly, and without events that outcomes and spans tell, too */
};
/* What a browser takes over and over from the lab. */
extern const struct page_room page_room_live;

void page_data_write(FILE *out, const struct report *report, const struct page_room *room);

#endif
