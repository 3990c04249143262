/* page_grid.h - how busy nodes were over the whole window, coarsely: a row a group of
 * neighbouring nodes, a cell a stretch of time. What a page draws where single pods would
 * be too many.
 */
#ifndef SIM_PAGE_GRID_H
#define SIM_PAGE_GRID_H

#include "sim/page/page_spans.h"

struct page_grid {
	uint32_t rows, bins;
	uint32_t *first;     /* [rows + 1]: its first node */
	int64_t *gpus;	     /* [rows] */
	double *work, *idle; /* [row * bins + bin]: mean GPUs that work, and held idle */
	uint32_t *team;	     /* [row * bins + bin]: that holds most; SCENARIO_NONE: nobody */
};

#define PAGE_GRID_ROWS 96

/* At most so many rows; team_of: [job], below teams. */
void page_grid_make(const struct scenario *scenario, const struct page_spans *spans, uint32_t rows,
		    simtime begin, simtime end, const uint32_t *team_of, uint32_t teams,
		    struct page_grid *out);
void page_grid_free(struct page_grid *grid); /* not the struct */

#endif
