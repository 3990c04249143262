/* cmd_trace.c - gqsim trace: figures of traces, and job lists out of them. */
#include "sim/command/cmd_trace.h"

#include <stdio.h>
#include <string.h>

#include "core/mem.h"

#define REMARK_TEXT 300

static enum err_code unknown_format(const struct source *source, const char *name, struct err *err)
{
	if (name != NULL && strcmp(name, "auto") != 0)
		return err_set(err, ERR_UNKNOWN, NULL, 0, 0,
			       "no trace format \"%.100s\" (gqsim list traces)", name);
	return err_set(err, ERR_UNKNOWN, source->name, 0, 0,
		       "this is in none of the known trace formats (gqsim list traces); a CSV "
		       "needs columns such as submit_s,duration_s,gpus");
}

static enum err_code read_file(struct cmd_trace *trace, const char *path, struct err *err)
{
	const char *name = cmd_value(trace->args, "format");
	const struct trace_format *format;
	struct source source;
	enum err_code code = source_open(path, &source, err);

	if (code != ERR_OK)
		return code;
	if (name != NULL && strcmp(name, "auto") != 0)
		format = trace_find(name);
	else
		format = trace_detect(&source);
	if (format != NULL)
		trace_set_add(&trace->set, &source, format);
	else
		code = unknown_format(&source, name, err);
	if (code != ERR_OK)
		source_close(&source);
	return code;
}

/* What the user should know of a trace that was read, beside what is printed. */
static void warn(const struct cmd_trace *trace, const struct trace_summary *summary)
{
	char text[REMARK_TEXT];
	long line;

	for (uint32_t i = 0; trace_set_remark(summary, i, text, sizeof(text), &line); i++) {
		fprintf(trace->context->err, "gqsim: %s:", summary->file);
		if (line != 0)
			fprintf(trace->context->err, "%ld:", line);
		fprintf(trace->context->err, " %s\n", text);
	}
}

/* One trace, with what goes with it; merge takes several. */
static enum err_code check_count(const struct cmd_trace *trace, bool several, struct err *err)
{
	size_t count = trace_set_job_files(&trace->set);

	if (count == 0)
		return err_set(
			err, ERR_USAGE, trace->set.files[0].source.name, 0, 0,
			"nodes, or what belongs to a trace, but no jobs: give the trace too");
	if (count > 1 && !several)
		return err_set(err, ERR_USAGE, NULL, 0, 0,
			       "%zu traces: one at a time, or gqsim trace merge", count);
	return ERR_OK;
}

static enum err_code load(struct cmd_trace *trace, bool several, struct err *err)
{
	struct trace_options options = {.keep_models = true};
	struct trace_summary ignored;
	enum err_code code = trace_options_set(&options, cmd_value(trace->args, "attempts"),
					       cmd_value(trace->args, "unfinished"), err);

	trace->builder = builder_new();
	for (size_t i = 1; i < trace->args->operand_count && code == ERR_OK; i++)
		code = read_file(trace, trace->args->operands[i], err);
	if (code == ERR_OK)
		code = check_count(trace, several, err);
	if (code == ERR_OK)
		code = trace_set_jobs(&trace->set, &options, trace->builder, &ignored, err);
	for (size_t i = 0; code == ERR_OK && i < trace->set.count; i++)
		warn(trace, &trace->set.files[i].summary);
	return code;
}

simtime cmd_trace_clock(const struct trace_summary *summary)
{
	return summary->has_clock ? summary->first_submit : CLOCK_NEVER;
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

enum err_code cmd_trace_window(const struct cmd_args *args, simtime clock, simtime *from,
			       simtime *to, struct err *err)
{
	const char *first = cmd_value(args, "from"), *last = cmd_value(args, "to");
	const char *wrong = NULL;

	*from = 0;
	*to = CLOCK_NEVER;
	if (first != NULL && !read_moment(first, clock, from))
		wrong = first;
	if (last != NULL && !read_moment(last, clock, to))
		wrong = last;
	if (wrong == NULL)
		return ERR_OK;
	return err_set(err, ERR_VALUE, NULL, 0, 0,
		       "\"%.100s\" is no time of this trace; write %sa duration since its start "
		       "such as 90m",
		       wrong, clock != CLOCK_NEVER ? "2017-10-03, 2017-10-03 12:00:00 or " : "");
}

static bool is_verb(const char *text)
{
	static const char *const verbs[] = {"stats", "convert", "slice", "scale", "merge"};

	for (size_t i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++)
		if (strcmp(verbs[i], text) == 0)
			return true;
	return false;
}

static int run_trace(const struct cmd_context *context, const struct cmd_args *args)
{
	struct cmd_trace trace = {.context = context, .args = args};
	struct err err;
	enum err_code code;

	if (args->operand_count < 2 || !is_verb(args->operands[0])) {
		err_set(&err, ERR_USAGE, NULL, 0, 0,
			"write gqsim trace stats FILE, or convert, slice, scale, merge (gqsim "
			"trace "
			"--help)");
		return cmd_fail(context, &err);
	}
	code = load(&trace, strcmp(args->operands[0], "merge") == 0, &err);
	if (code == ERR_OK && strcmp(args->operands[0], "stats") == 0)
		code = cmd_trace_stats(&trace, &err);
	else if (code == ERR_OK)
		code = cmd_trace_edit(&trace, args->operands[0], &err);
	trace_set_free(&trace.set);
	builder_free(trace.builder);
	return code == ERR_OK ? CMD_OK : cmd_fail(context, &err);
}

static const struct cmd_option options[] = {
	{"output", 'o', "FORMAT",
	 "stats: table (default) or json; else csv, jsonl or swf (default: "
	 "by the name of the file, else csv)",
	 "table json csv jsonl swf"},
	{"write", 'w', "FILE",
	 "where convert, slice, scale and merge write (default -), also in place of "
	 "what they read; .gz, .zst and .xz compress",
	 "@path"},
	{"format", 0, "NAME", "format of the trace (default: recognised by content)", "@traces"},
	TRACE_OPTION_ROWS,
	{"from", 0, "TIME", "stats, slice: only jobs submitted at or after this time", NULL},
	{"to", 0, "TIME", "stats, slice: only jobs submitted before this time", NULL},
	{"pool", 0, "GPUS,...", "stats: sizes of the strict FIFO pools (default 512,1024,2048)",
	 NULL},
	{"vc-nodes", 0, "FILE", "stats: virtual cluster sizes (vc,node num; 8 GPUs a node)",
	 "@file"},
	{"queue", 0, "NAME,...", "slice: only jobs of these queues, virtual clusters or users",
	 NULL},
	{"first", 0, "N", "slice: only the first N jobs, by submit", NULL},
	{"keep-times", 0, NULL,
	 "slice: leave the times as they are (default: the first submit is 0)", NULL},
	{"load", 0, "FACTOR", "scale: so many times as many jobs an hour", NULL},
	{"thin", 0, "SHARE", "scale: keep each job with this probability (--seed)", NULL},
	{"gpus", 0, "FACTOR", "scale: GPUs, or pods, of each job; at least 1", NULL},
	{"durations", 0, "FACTOR", "scale: how long jobs work", NULL},
	{"seed", 0, "N", "scale --thin: which jobs are kept (default 1)", NULL},
	{"prefix", 0, "A,B,...",
	 "merge: before names and queues of each trace (default: the names "
	 "of the files)",
	 NULL},
	{"align", 0, NULL, "merge: by the clocks of the traces (default: all begin at once)", NULL},
	{NULL, 0, NULL, NULL, NULL},
};

const struct cmd_row cmd_trace_row = {
	.name = "trace",
	.synopsis = "stats|convert|slice|scale|merge FILE... [options]",
	.summary = "what a trace is like; and parts, multiples and mixtures of traces",
	.help = "stats reads a trace and prints its figures before any scheduler: jobs, GPUs,\n"
		"durations, recorded waits, how many GPUs would be wanted at once if nobody\n"
		"waited, and the waits on a pool of so many GPUs under strict\n"
		"first-in-first-out. convert, slice, scale and merge write job lists, and say\n"
		"what these cannot hold.\n"
		"\n"
		"Files may be compressed (gzip, zstd, xz); - is standard input. A trace of "
		"several\n"
		"files is given with all of them: PAI's jobs with their tasks, Gavel's with their\n"
		"throughputs. Times of --from and --to are those of the trace (2017-10-03 or\n"
		"\"2017-10-03 12:00:00\") or durations since its first submit (90m).\n"
		"\n"
		"Examples:\n"
		"  gqsim trace stats philly.csv\n"
		"  gqsim trace stats philly.csv --from 2017-10-09 --to 2017-10-16 --pool 256,512\n"
		"  gqsim trace stats cluster_job_log --vc-nodes philly_vc.csv -o json\n"
		"  gqsim trace convert cluster_log.csv -w helios.csv.zst\n"
		"  gqsim trace slice philly.csv --queue 11cb48,6c71a0 --first 1000 -w some.csv\n"
		"  gqsim trace slice philly.csv --from 2017-10-09 --to 2017-10-16 |\n"
		"      gqsim compare --trace - --nodes v100=32x8\n"
		"  gqsim trace scale jobs.csv --load 1.5 --durations 0.5 -w busier.jsonl\n"
		"  gqsim trace merge a.csv b.swf --prefix east,west -o swf -w both.swf.gz\n",
	.options = options,
	.run = run_trace,
};
