/* cmd_trace_stats.c - gqsim trace stats: what a trace is like. */
#include <string.h>

#include "core/mem.h"
#include "sim/command/cmd_trace.h"
#include "sim/trace/trace_facts.h"
#include "sim/trace/trace_queues.h"

#define POOLS_MAX     32
#define DEFAULT_POOLS "512,1024,2048"

static enum err_code read_pools(const struct cmd_args *args, struct trace_facts *facts,
				struct err *err)
{
	const char *text = cmd_value(args, "pool");

	text = text != NULL ? text : DEFAULT_POOLS;
	facts->pools = mem_calloc(POOLS_MAX, sizeof(*facts->pools));
	while (*text != '\0') {
		size_t len = strcspn(text, ",");
		uint32_t gpus;

		if (!num_read_u32(text, len, &gpus) || gpus == 0)
			return err_set(err, ERR_VALUE, NULL, 0, 0,
				       "--pool \"%.50s\": numbers of GPUs are needed, such as "
				       "512,1024",
				       text);
		if (facts->pool_count == POOLS_MAX)
			return err_set(err, ERR_LIMIT, NULL, 0, 0, "at most %d pools", POOLS_MAX);
		trace_stats_pool(facts->jobs, facts->from, facts->to, TRACE_STATS_ALL, gpus,
				 &facts->pools[facts->pool_count++]);
		text += len + (text[len] == ',' ? 1 : 0);
	}
	return ERR_OK;
}

/* Each virtual cluster's jobs on its own nodes. */
static void run_vcs(struct trace_facts *facts, const struct trace_queues_vc *vcs, uint32_t count)
{
	facts->vcs = mem_calloc(count, sizeof(*facts->vcs));
	facts->vc_count = count;
	for (uint32_t i = 0; i < count; i++) {
		struct trace_facts_vc *vc = &facts->vcs[i];
		uint32_t queue = name_find(facts->jobs->strings, vcs[i].name);

		vc->name = vcs[i].name;
		vc->nodes = vcs[i].nodes;
		vc->pool.gpus = vc->nodes * TRACE_QUEUES_GPUS_PER_NODE;
		if (queue != NAME_NONE)
			trace_stats_pool(facts->jobs, facts->from, facts->to, queue, vc->pool.gpus,
					 &vc->pool);
	}
}

static enum err_code read_vcs(const struct cmd_args *args, struct trace_facts *facts,
			      struct mem_arena *arena, struct err *err)
{
	const char *path = cmd_value(args, "vc-nodes");
	const struct trace_queues_vc *vcs;
	struct source source;
	enum err_code code;
	uint32_t count;

	if (path == NULL)
		return ERR_OK;
	code = source_read(path, &source, err);
	if (code != ERR_OK)
		return code;
	code = trace_queues_read_vc(&source, arena, &vcs, &count, err);
	if (code == ERR_OK)
		run_vcs(facts, vcs, count);
	source_close(&source);
	return code;
}

static enum err_code print(const struct cmd_context *context, const struct cmd_args *args,
			   const struct trace_facts *facts, struct err *err)
{
	const char *format = cmd_value(args, "output");

	if (format == NULL || strcmp(format, "table") == 0)
		trace_facts_text(context->out, facts);
	else if (strcmp(format, "json") == 0)
		trace_facts_json(context->out, facts);
	else
		return err_set(err, ERR_USAGE, NULL, 0, 0,
			       "-o \"%.50s\": the outputs are table and json", format);
	return ERR_OK;
}

static enum err_code figure_out(const struct cmd_trace *trace, struct trace_facts *facts,
				struct mem_arena *arena, struct err *err)
{
	enum err_code code =
		cmd_trace_window(trace->args, facts->clock, &facts->from, &facts->to, err);

	if (code == ERR_OK)
		code = read_pools(trace->args, facts, err);
	if (code == ERR_OK)
		code = read_vcs(trace->args, facts, arena, err);
	if (code != ERR_OK)
		return code;
	trace_stats_collect(facts->jobs, facts->from, facts->to, facts->clock, &facts->stats);
	return print(trace->context, trace->args, facts, err);
}

enum err_code cmd_trace_stats(const struct cmd_trace *trace, struct err *err)
{
	const struct trace_file *file = trace_set_first(&trace->set);
	struct trace_stats_jobs jobs;
	struct trace_facts facts = {
		.file = file->source.name,
		.hash = source_hash(&file->source),
		.summary = &file->summary,
		.jobs = &jobs,
		.clock = cmd_trace_clock(&file->summary),
	};
	struct mem_arena *arena = mem_arena_new();
	enum err_code code;

	trace_stats_jobs_init(&jobs, trace->builder);
	code = figure_out(trace, &facts, arena, err);
	trace_stats_jobs_free(&jobs);
	trace_stats_free(&facts.stats);
	mem_free(facts.pools);
	mem_free(facts.vcs);
	mem_arena_free(arena);
	return code;
}
