#include "sim/page/page_series.h"

#include <string.h>

#include "core/mem.h"

struct walk {
	const struct report_column *column;
	struct replay *replay;
	uint32_t teams;
	double *now, *last; /* [width] */
	uint32_t *counted;  /* [job]: GPUs bound that its team's level has */
	int64_t *busy;	    /* [job]: thousandths of GPUs that the level has; NULL: not told */
	struct page_series *out;
	size_t capacity, level_capacity;
};

/* ---- levels of one instant ---- */

static double *team_levels(struct walk *walk, uint32_t team)
{
	return &walk->now[LEVEL_COUNT + (size_t)TEAM_LEVELS * team];
}

static void sum_cells(struct walk *walk, uint32_t team)
{
	const struct usage *usage = walk->replay->usage;
	const struct scenario *s = walk->column->scenario;
	uint32_t queue = walk->column->metrics->teams[team].queue;
	double *out = team_levels(walk, team);

	if (queue == SCENARIO_NONE)
		return;
	out[TEAM_NOMINAL] = 0;
	if (walk->column->metrics->admission)
		out[TEAM_USED] = out[TEAM_BORROWED] = out[TEAM_LENT] = 0;
	for (uint32_t c = usage->first_cell[queue]; c < usage->first_cell[queue + 1]; c++) {
		const struct usage_cell *cell = &usage->cells[c];

		if (!s->resource_is_gpu[cell->resource])
			continue;
		out[TEAM_NOMINAL] += (double)cell->nominal;
		if (!walk->column->metrics->admission)
			continue;
		out[TEAM_USED] += (double)cell->used;
		out[TEAM_BORROWED] += (double)cell->borrowed;
		out[TEAM_LENT] += (double)cell->lent;
	}
}

/* Without an admission policy a team uses what its pods hold. */
static void follow_bound(struct walk *walk)
{
	const struct replay *replay = walk->replay;

	for (size_t i = replay->first; i < replay->last; i++) {
		uint32_t job = journal_read(replay->in, i)->job, team;

		if (job == JOB_NONE)
			continue;
		team = walk->column->metrics->team_of[job];
		if (team < walk->teams)
			team_levels(walk, team)[TEAM_USED] +=
				(double)replay->jobs[job].bound - (double)walk->counted[job];
		walk->counted[job] = replay->jobs[job].bound;
	}
}

static void follow_busy(struct walk *walk)
{
	const struct replay *replay = walk->replay;

	for (size_t i = replay->first; i < replay->last; i++) {
		uint32_t job = journal_read(replay->in, i)->job;
		int64_t now;

		if (job == JOB_NONE)
			continue;
		now = busy_of_job(replay, job);
		walk->now[LEVEL_BUSY] += (double)(now - walk->busy[job]) / BUSY_FULL;
		walk->busy[job] = now;
	}
}

static void read_levels(struct walk *walk)
{
	const struct replay_levels *levels = &walk->replay->levels;
	const struct usage *usage = walk->replay->usage;

	walk->now[LEVEL_GPUS] = (double)levels->gpus;
	walk->now[LEVEL_BOUND] = (double)levels->bound;
	walk->now[LEVEL_RUNNING] = (double)levels->running;
	walk->now[LEVEL_DEADLOCKED] = (double)levels->deadlocked;
	walk->now[LEVEL_PENDING] = (double)levels->pending_jobs;
	walk->now[LEVEL_ASKED] = (double)levels->asked;
	for (uint32_t i = 0; i < usage->changed_count; i++) {
		uint32_t queue = usage->cells[usage->changed[i]].queue;

		if (queue < walk->teams)
			sum_cells(walk, queue);
	}
	if (!walk->column->metrics->admission)
		follow_bound(walk);
	if (walk->busy != NULL)
		follow_busy(walk);
}

static void begin(struct walk *walk)
{
	const struct metrics *m = walk->column->metrics;
	uint32_t jobs = m->journal->scenario->job_count;

	walk->replay = replay_new(walk->column->journal);
	memset(walk->now, 0, walk->out->width * sizeof(*walk->now));
	memset(walk->counted, 0, jobs * sizeof(*walk->counted));
	if (walk->busy != NULL)
		memset(walk->busy, 0, jobs * sizeof(*walk->busy));
	for (uint32_t t = 0; t < walk->teams; t++) {
		team_levels(walk, t)[TEAM_NOMINAL] = -1;
		sum_cells(walk, t);
	}
	read_levels(walk); /* no step yet: what there is before anything happens */
}

/* ---- rows ---- */

static void put_row(struct walk *walk, simtime time, const double *levels)
{
	struct page_series *out = walk->out;

	out->time = mem_grow(out->time, out->rows + 1, &walk->capacity, sizeof(*out->time));
	out->level = mem_grow(out->level, (out->rows + 1) * out->width, &walk->level_capacity,
			      sizeof(*out->level));
	out->time[out->rows] = time;
	memcpy(&out->level[out->rows++ * out->width], levels, out->width * sizeof(*levels));
}

/* As it was; false if that takes too many rows. */
static bool put_exact(struct walk *walk, size_t rows_max)
{
	const struct metrics *m = walk->column->metrics;
	size_t size = walk->out->width * sizeof(*walk->now);

	begin(walk);
	put_row(walk, m->begin, walk->now);
	memcpy(walk->last, walk->now, size);
	while (replay_step(walk->replay, m->end)) {
		read_levels(walk);
		if (memcmp(walk->last, walk->now, size) == 0)
			continue;
		if (walk->replay->now <= m->begin)
			walk->out->rows = 0; /* it replaces the first row */
		if (walk->out->rows + 2 > rows_max)
			break;
		put_row(walk, walk->replay->now > m->begin ? walk->replay->now : m->begin,
			walk->now);
		memcpy(walk->last, walk->now, size);
	}
	put_row(walk, m->end, walk->last);
	return walk->out->rows < rows_max;
}

/* Adds the present levels from one time to another to the means. */
static void add_stretch(struct walk *walk, size_t bins, simtime from, simtime to)
{
	const struct metrics *m = walk->column->metrics;
	double length = (double)(m->end - m->begin) / (double)bins;

	while (from < to) {
		size_t bin = (size_t)((double)(from - m->begin) / length);
		simtime next = m->begin + (simtime)((double)(bin + 1) * length);
		double *out;

		if (bin >= bins - 1) {
			bin = bins - 1;
			next = m->end;
		}
		if (next <= from)
			next = from + 1;
		next = next < to ? next : to;
		out = &walk->out->level[bin * walk->out->width];
		for (size_t i = 0; i < walk->out->width; i++)
			out[i] += walk->now[i] * ((double)(next - from) / length);
		from = next;
	}
}

static void put_means(struct walk *walk, size_t bins)
{
	const struct metrics *m = walk->column->metrics;
	double length = (double)(m->end - m->begin) / (double)bins;
	simtime since = m->begin;

	memset(walk->last, 0, walk->out->width * sizeof(*walk->last));
	walk->out->rows = 0;
	for (size_t bin = 0; bin < bins; bin++)
		put_row(walk, m->begin + (simtime)((double)bin * length), walk->last);
	begin(walk);
	/* The levels before a step hold until it. */
	for (bool more = true; more;) {
		double *levels = walk->now;
		simtime next;

		memcpy(walk->last, levels, walk->out->width * sizeof(*levels));
		more = replay_step(walk->replay, m->end);
		next = more ? walk->replay->now : m->end;
		add_stretch(walk, bins, since, next);
		since = next > since ? next : since;
		if (more)
			read_levels(walk);
	}
	put_row(walk, m->end, walk->now);
}

void page_series_find(const struct report_column *column, uint32_t teams, size_t rows_max,
		      struct page_series *out)
{
	struct walk walk = {.column = column, .teams = teams, .out = out};
	size_t width = LEVEL_COUNT + (size_t)TEAM_LEVELS * teams;

	*out = (struct page_series){.exact = true, .width = width};
	walk.now = mem_calloc(width, sizeof(*walk.now));
	walk.last = mem_calloc(width, sizeof(*walk.last));
	walk.counted = mem_calloc(column->scenario->job_count, sizeof(*walk.counted));
	if (column->metrics->busy != NULL)
		walk.busy = mem_calloc(column->scenario->job_count, sizeof(*walk.busy));
	out->exact = put_exact(&walk, rows_max);
	replay_free(walk.replay);
	if (!out->exact) {
		put_means(&walk, rows_max - 1);
		replay_free(walk.replay);
	}
	mem_free(walk.now);
	mem_free(walk.last);
	mem_free(walk.counted);
	mem_free(walk.busy);
}

void page_series_free(struct page_series *series)
{
	mem_free(series->time);
	mem_free(series->level);
}
