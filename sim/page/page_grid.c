#include "sim/page/page_grid.h"

#include "core/mem.h"
#include "sim/world/replay.h"

#define BINS 240

static void make_rows(const struct scenario *s, uint32_t rows, struct page_grid *out)
{
	uint32_t nodes = s->node_count + scenario_added_nodes(s);

	out->rows = nodes < rows ? nodes : rows;
	out->first = mem_calloc((size_t)out->rows + 1, sizeof(*out->first));
	out->gpus = mem_calloc(out->rows, sizeof(*out->gpus));
	for (uint32_t row = 0; row < out->rows; row++) {
		out->first[row] = (uint32_t)((uint64_t)nodes * row / out->rows);
		out->first[row + 1] = (uint32_t)((uint64_t)nodes * (row + 1) / out->rows);
		for (uint32_t node = out->first[row]; node < out->first[row + 1]; node++)
			out->gpus[row] += replay_node(s, node)->gpus;
	}
}

struct sums {
	struct page_grid *grid;
	double *of_team; /* [cell * teams + team] */
	uint32_t teams;
	simtime begin, end;
};

static void add_span(struct sums *sums, const struct page_span *span, uint32_t row, uint32_t team)
{
	struct page_grid *grid = sums->grid;
	double length = (double)(sums->end - sums->begin) / BINS;
	double from = (double)(span->from - sums->begin) / length;
	double to = (double)(span->to - sums->begin) / length;

	for (uint32_t bin = from > 0 ? (uint32_t)from : 0; bin < BINS && bin < to; bin++) {
		double low = from > bin ? from : bin, high = to < bin + 1.0 ? to : bin + 1.0;
		double share = (high - low) * (double)span->gpus;
		size_t cell = (size_t)row * BINS + bin;

		if (share <= 0)
			continue;
		*(span->idle ? &grid->idle[cell] : &grid->work[cell]) += share;
		sums->of_team[cell * sums->teams + team] += share;
	}
}

static void choose_teams(struct sums *sums)
{
	for (size_t cell = 0; cell < (size_t)sums->grid->rows * BINS; cell++) {
		double most = 0;

		sums->grid->team[cell] = SCENARIO_NONE;
		for (uint32_t t = 0; t < sums->teams; t++) {
			double held = sums->of_team[cell * sums->teams + t];

			if (held > most) {
				most = held;
				sums->grid->team[cell] = t;
			}
		}
	}
}

void page_grid_make(const struct scenario *s, const struct page_spans *spans, uint32_t rows,
		    simtime begin, simtime end, const uint32_t *team_of, uint32_t teams,
		    struct page_grid *out)
{
	struct sums sums = {.grid = out, .teams = teams, .begin = begin, .end = end};
	uint32_t *row_of, nodes = s->node_count + scenario_added_nodes(s);
	size_t cells;

	*out = (struct page_grid){.bins = BINS};
	make_rows(s, rows, out);
	cells = (size_t)out->rows * BINS;
	out->work = mem_calloc(cells, sizeof(*out->work));
	out->idle = mem_calloc(cells, sizeof(*out->idle));
	out->team = mem_calloc(cells, sizeof(*out->team));
	sums.of_team = mem_calloc(cells * teams, sizeof(*sums.of_team));
	row_of = mem_calloc(nodes, sizeof(*row_of));
	for (uint32_t row = 0; row < out->rows; row++)
		for (uint32_t node = out->first[row]; node < out->first[row + 1]; node++)
			row_of[node] = row;
	for (size_t i = 0; i < spans->count && end > begin; i++) {
		const struct page_span *span = &spans->items[i];

		add_span(&sums, span, row_of[span->node], team_of[span->job]);
	}
	choose_teams(&sums);
	mem_free(sums.of_team);
	mem_free(row_of);
}

void page_grid_free(struct page_grid *grid)
{
	mem_free(grid->first);
	mem_free(grid->gpus);
	mem_free(grid->work);
	mem_free(grid->idle);
	mem_free(grid->team);
}
