/* story.h - a few sentences about what happened, and what was assumed.
 *
 * Per column: the first deadlock and who holds what; the first preemption and
 * who took back from whom; the job that waited longest, and why in its own
 * scheduler's words. All from journals and figures.
 */
#ifndef SIM_STORY_H
#define SIM_STORY_H

#include "sim/report/report.h"

struct story {
	char **lines; /* sentences, in order of the columns */
	size_t line_count, line_capacity;
	char **assumptions;
	size_t assumption_count, assumption_capacity;
};

struct story *story_new(const struct report *report);
void story_free(struct story *story);

#endif
