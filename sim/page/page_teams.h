/* page_teams.h - teams as pages and figures show them: the first ones by themselves, all others
 * together; and how long their jobs waited.
 */
#ifndef SIM_PAGE_TEAMS_H
#define SIM_PAGE_TEAMS_H

#include "sim/report/metrics.h"

#define PAGE_TEAMS_MAX 24

struct page_teams {
	uint32_t shown;	 /* by themselves: the first of metrics.teams */
	uint32_t groups; /* the same, and one of all others, if there are any */
	uint32_t *of;	 /* [job]: its group */
};

void page_teams_make(const struct metrics *metrics, struct page_teams *out);
void page_teams_free(struct page_teams *teams); /* not the struct */

struct page_waits {
	struct wait *all;     /* of those that started, by time */
	struct wait *by_team; /* the same, group after group: from first[g] to first[g + 1] */
	size_t *first;	      /* [groups + 1] */
	size_t *never;	      /* [groups]: jobs that never started */
	size_t count, never_count;
};

/* Start waits of the jobs that someone waits for. */
void page_waits_find(const struct metrics *metrics, const struct page_teams *teams,
		     struct page_waits *out);
void page_waits_free(struct page_waits *waits); /* not the struct */

#endif
