/* cmd_trace.c - gqsim trace stats: what a trace is like. */
#include <string.h>

#include "core/mem.h"
#include "sim/cmd.h"
#include "sim/trace_facts.h"
#include "sim/trace_queues.h"

#define POOLS_MAX     32
#define DEFAULT_POOLS "512,1024,2048"

/* What was read. */
struct loaded {
	struct source source;
	struct trace_summary summary;
	struct builder *builder;
	struct trace_stats_jobs jobs;
};

static enum err_code unknown_format(const struct source *source, const char *name, struct err *err)
{
	if (name != NULL && strcmp(name, "auto") != 0)
		return err_set(err, ERR_UNKNOWN, NULL, 0, 0,
			       "no trace format \"%.100s\" (gqsim list traces)", name);
	return err_set(err, ERR_UNKNOWN, source->name, 0, 0,
		       "this is in none of the known trace formats (gqsim list traces); a CSV "
		       "needs columns such as submit_s,duration_s,gpus");
}

static enum err_code load(const char *path, const char *format, struct loaded *out, struct err *err)
{
	const struct trace_options options = {0};
	const struct trace_format *row;
	enum err_code code;

	code = source_read(path, &out->source, err);
	if (code != ERR_OK)
		return code;
	if (format != NULL && strcmp(format, "auto") != 0)
		row = trace_find(format);
	else
		row = trace_detect(&out->source);
	if (row == NULL)
		return unknown_format(&out->source, format, err);
	out->summary.format = row->name;
	out->builder = builder_new();
	code = row->load(&out->source, &options, out->builder, &out->summary, err);
	if (code == ERR_OK)
		trace_stats_jobs_init(&out->jobs, out->builder);
	return code;
}

/* "2017-10-03", "2017-10-03 12:00:00", or a duration since the first submit. */
static bool read_moment(const char *text, simtime clock, simtime *out)
{
	char full[TRACE_CLOCK];
	size_t len = strlen(text);
	simtime t;

	if (clock_read_duration(text, len, out))
		return true;
	snprintf(full, sizeof(full), "%.30s%s", text, len == 10 ? " 00:00:00" : "");
	if (clock == CLOCK_NEVER || !trace_read_clock(full, strlen(full), &t))
		return false;
	*out = t - clock;
	return true;
}

static enum err_code read_window(const struct cmd_args *args, struct trace_facts *facts,
				 struct err *err)
{
	const char *from = cmd_value(args, "from"), *to = cmd_value(args, "to");
	const char *wrong = NULL;

	facts->from = 0;
	facts->to = CLOCK_NEVER;
	if (from != NULL && !read_moment(from, facts->clock, &facts->from))
		wrong = from;
	if (to != NULL && !read_moment(to, facts->clock, &facts->to))
		wrong = to;
	if (wrong == NULL)
		return ERR_OK;
	return err_set(err, ERR_VALUE, NULL, 0, 0,
		       "\"%.100s\" is no time of this trace; write %sa duration since its start "
		       "such as 90m",
		       wrong,
		       facts->clock != CLOCK_NEVER ? "2017-10-03, 2017-10-03 12:00:00 or " : "");
}

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

static enum err_code stats(const struct cmd_context *context, const struct cmd_args *args,
			   const struct loaded *loaded, struct err *err)
{
	struct trace_facts facts = {
		.file = loaded->source.name,
		.hash = source_hash(&loaded->source),
		.summary = &loaded->summary,
		.jobs = &loaded->jobs,
		.clock = loaded->summary.has_clock ? loaded->summary.first_submit : CLOCK_NEVER,
	};
	struct mem_arena *arena = mem_arena_new();
	enum err_code code = read_window(args, &facts, err);

	if (code == ERR_OK)
		code = read_pools(args, &facts, err);
	if (code == ERR_OK)
		code = read_vcs(args, &facts, arena, err);
	if (code == ERR_OK) {
		trace_stats_collect(facts.jobs, facts.from, facts.to, facts.clock, &facts.stats);
		code = print(context, args, &facts, err);
	}
	trace_stats_free(&facts.stats);
	mem_free(facts.pools);
	mem_free(facts.vcs);
	mem_arena_free(arena);
	return code;
}

static int run_trace(const struct cmd_context *context, const struct cmd_args *args)
{
	struct loaded loaded = {0};
	struct err err;
	enum err_code code;

	if (args->operand_count != 2 || strcmp(args->operands[0], "stats") != 0) {
		err_set(&err, ERR_USAGE, NULL, 0, 0,
			"write gqsim trace stats FILE (gqsim trace --help)");
		return cmd_fail(context, &err);
	}
	code = load(args->operands[1], cmd_value(args, "format"), &loaded, &err);
	if (code == ERR_OK)
		code = stats(context, args, &loaded, &err);
	trace_stats_jobs_free(&loaded.jobs);
	builder_free(loaded.builder);
	source_close(&loaded.source);
	return code == ERR_OK ? CMD_OK : cmd_fail(context, &err);
}

static const struct cmd_option options[] = {
	{"output", 'o', "FORMAT", "table (default) or json", "table json"},
	{"format", 0, "NAME", "format of the trace (default: recognised by content)", "@traces"},
	{"from", 0, "TIME", "only jobs submitted at or after this time", NULL},
	{"to", 0, "TIME", "only jobs submitted before this time", NULL},
	{"pool", 0, "GPUS,...", "sizes of the strict FIFO pools (default " DEFAULT_POOLS ")", NULL},
	{"vc-nodes", 0, "FILE", "virtual cluster sizes (vc,node num; 8 GPUs a node)", "@file"},
	{NULL, 0, NULL, NULL, NULL},
};

const struct cmd_row cmd_trace_row = {
	.name = "trace",
	.synopsis = "stats FILE [options]",
	.summary = "what a trace is like: jobs, sizes, durations, load",
	.help = "Reads a trace and prints its figures before any scheduler: jobs, GPUs, "
		"durations,\n"
		"how many GPUs would be wanted at once if nobody waited, and the waits on a pool "
		"of\n"
		"so many GPUs under strict first-in-first-out.\n"
		"\n"
		"Times of --from and --to are those of the trace (2017-10-03 or \"2017-10-03\n"
		"12:00:00\") or durations since its first submit (90m).\n"
		"\n"
		"Examples:\n"
		"  gqsim trace stats philly.csv\n"
		"  gqsim trace stats philly.csv --from 2017-10-09 --to 2017-10-16 --pool 256,512\n"
		"  gqsim trace stats cluster_job_log --vc-nodes philly_vc.csv -o json\n",
	.options = options,
	.run = run_trace,
};
