/* page_choice.h - the jobs that a page tells of one by one, where there are more than it
 * has room for: those something happened to first, then those that waited, then an even
 * sample of the others.
 */
#ifndef SIM_PAGE_CHOICE_H
#define SIM_PAGE_CHOICE_H

#include "sim/report/report.h"

struct page_choice {
	uint32_t *jobs; /* ascending */
	uint32_t count;
	uint32_t *place; /* [job]: index in jobs; JOB_NONE: left out */
	bool coarse;	 /* their times are wanted roughly: they are many */
};

void page_choice_make(const struct report *report, uint32_t max, struct page_choice *out);
void page_choice_free(struct page_choice *choice); /* not the struct */

#endif
