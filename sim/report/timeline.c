#include "sim/report/timeline.h"

#include <inttypes.h>
#include <string.h>

#include "sim/tool/output.h"
#include "sim/world/replay.h"

static void write_head(FILE *out, const struct scenario *s, const struct usage *usage)
{
	static const char *const figures[] = {"nominal", "used", "borrowed", "lent"};
	char text[1024];

	fputs("time_s,gpus,bound,running,idle,free,pending_jobs,pending_gpus", out);
	for (uint32_t c = 0; c < usage->cell_count; c++) {
		const struct usage_cell *cell = &usage->cells[c];

		for (size_t f = 0; f < 4; f++) {
			snprintf(text, sizeof(text), "queue:%s:%s:%s:%s",
				 scenario_string(s, s->cluster_queues[cell->queue].name),
				 scenario_string(s, s->flavors[cell->flavor].name),
				 name_text(s->resources, cell->resource), figures[f]);
			putc(',', out);
			output_csv(out, text);
		}
	}
	putc('\n', out);
}

static void write_amount(FILE *out, uint32_t resource, int64_t amount)
{
	char text[CLOCK_TEXT];

	if (amount == RES_UNLIMITED)
		fputs(",inf", out);
	else if (res_is_milli(resource) && amount < INT64_MAX / 1000)
		/* Thousandths of a core print as thousandths of a second do. */
		fprintf(out, ",%s", clock_format_seconds(amount * 1000, text));
	else
		fprintf(out, ",%" PRId64, amount);
}

static void write_row(FILE *out, simtime time, const struct replay_levels *l,
		      const struct usage *usage)
{
	char text[CLOCK_TEXT];

	fprintf(out,
		"%s,%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRIu32
		",%" PRId64,
		clock_format_seconds(time, text), l->gpus, l->bound, l->running,
		l->bound - l->running, l->gpus - l->bound, l->pending_jobs, l->asked);
	for (uint32_t c = 0; c < usage->cell_count; c++) {
		const struct usage_cell *cell = &usage->cells[c];

		write_amount(out, cell->resource, cell->nominal);
		write_amount(out, cell->resource, cell->used);
		write_amount(out, cell->resource, cell->borrowed);
		write_amount(out, cell->resource, cell->lent);
	}
	putc('\n', out);
}

static bool same_levels(const struct replay_levels *a, const struct replay_levels *b)
{
	return a->gpus == b->gpus && a->bound == b->bound && a->running == b->running &&
	       a->asked == b->asked && a->pending_jobs == b->pending_jobs;
}

void timeline_write(FILE *out, const struct journal *journal, simtime end)
{
	struct replay *replay = replay_new(journal);
	struct replay_levels last;

	write_head(out, journal->scenario, replay->usage);
	replay_step(replay, 0);
	write_row(out, 0, &replay->levels, replay->usage);
	last = replay->levels;
	while (replay_step(replay, end)) {
		if (replay->usage->changed_count == 0 && same_levels(&last, &replay->levels))
			continue;
		write_row(out, replay->now, &replay->levels, replay->usage);
		last = replay->levels;
	}
	if (replay->now < end)
		write_row(out, end, &replay->levels, replay->usage);
	replay_free(replay);
}
