/* page_series.h - the levels of a run over time, in at most as many rows as are asked for.
 *
 * Few changes are given as they are: a row holds from its time until the next. Many are
 * given as means over equal stretches of the window, so that sums over time stay the same.
 */
#ifndef SIM_PAGE_SERIES_H
#define SIM_PAGE_SERIES_H

#include "sim/report/report.h"

enum page_level {
	LEVEL_GPUS,
	LEVEL_BOUND,
	LEVEL_RUNNING,
	LEVEL_BUSY, /* of these, by their jobs' utilisation; 0 where no job gives one */
	LEVEL_DEADLOCKED,
	LEVEL_PENDING, /* jobs */
	LEVEL_ASKED,   /* GPUs, by them */
	LEVEL_COUNT
};
/* Behind these, of each team: GPUs of nominal quota (-1: none), used, borrowed, lent. */
enum page_team_level { TEAM_NOMINAL, TEAM_USED, TEAM_BORROWED, TEAM_LENT, TEAM_LEVELS };

struct page_series {
	bool exact;   /* as it was; else means */
	size_t rows;  /* the last one stands at the end of the window */
	size_t width; /* LEVEL_COUNT + TEAM_LEVELS * teams */
	simtime *time;
	double *level; /* [row * width + level] */
};

/* teams: how many of metrics.teams are followed. */
void page_series_find(const struct report_column *column, uint32_t teams, size_t rows_max,
		      struct page_series *out);
void page_series_free(struct page_series *series); /* not the struct */

#endif
