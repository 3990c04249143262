/* fuzz_trace_csv.c - bytes as each format of traces: an error or jobs, whose
 * figures and derived queues can be worked out. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "sim/trace/trace_formats.h"
#include "sim/trace/trace_queues.h"
#include "sim/trace/trace_stats.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What must hold of any input that was read. */
static void check(struct builder *builder, const struct trace_summary *summary)
{
	struct trace_stats_jobs jobs;
	struct trace_stats stats;
	struct trace_pool pool;
	uint64_t sum = summary->jobs;

	for (uint32_t i = 0; i < summary->reason_count; i++)
		sum += summary->skipped[i].count;
	if (sum != summary->rows || summary->jobs != builder_job_count(builder))
		abort();
	trace_stats_jobs_init(&jobs, builder);
	trace_stats_collect(&jobs, 0, CLOCK_NEVER, CLOCK_NEVER, &stats);
	trace_stats_pool(&jobs, 0, CLOCK_NEVER, TRACE_STATS_ALL, 8, &pool);
	if (stats.jobs != summary->jobs || pool.started + pool.rejected > stats.jobs)
		abort();
	trace_stats_free(&stats);
	trace_stats_jobs_free(&jobs);
}

static void try_format(const struct trace_format *format, const struct source *source)
{
	struct builder *builder = builder_new();
	struct trace_options options = {.companions = source, .companion_count = 1};
	struct trace_summary summary = {0};
	struct scenario *scenario = NULL;
	struct err err = {0};

	if (trace_read(format, source, &options, builder, &summary, &err) != ERR_OK) {
		if (err.code == ERR_OK || err.msg[0] == '\0')
			abort(); /* an error must say something */
		builder_free(builder);
		return;
	}
	if (format->kind == TRACE_JOBS)
		check(builder, &summary);
	if (trace_queues_derive(builder, 64, NULL, &err) != ERR_OK)
		abort();
	if (builder_finish(builder, &scenario, &err) == ERR_OK)
		scenario_free(scenario);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1); /* exactly as long: reading on is seen */
	struct source source = {.name = "fuzz", .data = text, .size = size};
	struct mem_arena *arena;
	const struct trace_queues_vc *vcs;
	uint32_t count;
	struct err err;

	if (text == NULL)
		return 0;
	for (size_t i = 0; i < size; i++)
		text[i] = (char)data[i];
	text[size] = '\0';
	trace_detect(&source);
	for (const struct trace_format *f = trace_rows(); f->name != NULL; f++)
		try_format(f, &source);
	arena = mem_arena_new();
	trace_queues_read_vc(&source, arena, &vcs, &count, &err);
	mem_arena_free(arena);
	free(text);
	return 0;
}
