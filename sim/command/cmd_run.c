#include <string.h>

#include "core/num.h"
#include "sim/page/watch_play.h"
#include "sim/report/timeline.h"
#include "sim/study/study.h"
#include "sim/tool/output.h"

#define WATCH_SECONDS 20 /* unless --seconds says otherwise */

/* One run and what is to be printed of it. */
struct job_of_run {
	const struct cmd_context *context;
	const struct cmd_args *args;
	struct study *study;
	struct trace_summary trace;
};

static void write_events(FILE *out, const struct report *report)
{
	const struct report_column *column = &report->columns[0];

	report_events_write(out, column->journal, column->policy->admission != NULL);
}

static void write_pending(FILE *out, const struct report *report)
{
	const struct report_column *column = &report->columns[0];

	report_pending_write(out, column->journal, column->policy->admission != NULL);
}

static void write_timeline(FILE *out, const struct report *report)
{
	timeline_write(out, report->columns[0].journal, report->columns[0].metrics->end);
}

/* What an option writes to the file it names. */
static const struct {
	const char *option;
	void (*write)(FILE *out, const struct report *report);
} files[] = {
	{"events", write_events},
	{"pending", write_pending},
	{"timeline", write_timeline},
	{"json", report_json_run},
};

/* What -o prints. */
static const struct study_format formats[] = {
	{"table", report_compare_write, false},
	{"wide", report_compare_wide, false},
	{"json", report_json_run, false},
	{"csv", report_compare_csv, true},
	{"prometheus", report_prometheus_run, true},
	{NULL, NULL, false},
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static bool wants_metrics(const struct cmd_args *args)
{
	const char *format = cmd_value(args, "output");

	return format != NULL && strcmp(format, "prometheus") == 0;
}

static enum err_code prepare(struct job_of_run *run, const struct policy_row **policy,
			     struct err *err)
{
	const char *name = cmd_value(run->args, "policy");

	if (name == NULL)
		return err_set(err, ERR_USAGE, NULL, 0, 0,
			       "which policy? Give -p kubernetes or -p kueue "
			       "(gqsim list policies)");
	if (run->args->operand_count == 0 && !cmd_given(run->args, "filename") &&
	    !cmd_given(run->args, "trace"))
		return err_set(err, ERR_USAGE, NULL, 0, 0,
			       "which input? Give files with objects and jobs, or --trace FILE");
	if (study_policy(name, strlen(name), policy, err) != ERR_OK)
		return err->code;
	if (wants_metrics(run->args) &&
	    ((*policy)->admission == NULL || (*policy)->admission->account == NULL))
		return err_set(err, ERR_USAGE, NULL, 0, 0,
			       "-o prometheus writes Kueue's metrics: it needs -p kueue");
	return ERR_OK;
}

static enum err_code simulate(struct job_of_run *run, struct err *err)
{
	struct cmd_input input;
	struct scenario *scenario = NULL;
	struct run_options options;
	const struct policy_row *policy = NULL;
	bool logs = cmd_given(run->args, "events") || cmd_given(run->args, "pending") ||
		    wants_metrics(run->args);
	enum err_code code = prepare(run, &policy, err);

	if (code != ERR_OK)
		return code;
	cmd_input(run->args, run->args->operand_count, &input);
	code = input_load(&input.request, &scenario, &run->trace, err);
	cmd_input_free(&input);
	if (code != ERR_OK)
		return code;
	study_own(run->study, scenario);
	code = cmd_run_options(run->args, scenario, &options, err);
	if (code != ERR_OK)
		return code;
	study_add(run->study, study_policy_title(policy), policy, scenario, &options,
		  study_detail(scenario, policy, logs));
	return study_run(run->study, run->context, 1, cmd_given(run->args, "quiet"), err);
}

static bool is_standard(const char *path)
{
	return path != NULL && strcmp(path, "-") == 0;
}

/* Writes the files; *standard: one of them was standard output. */
static enum err_code write_files(const struct job_of_run *run, const struct report *report,
				 bool *standard, struct err *err)
{
	enum err_code code = ERR_OK;

	for (size_t i = 0; i < COUNT(files) && code == ERR_OK; i++) {
		const char *path = cmd_value(run->args, files[i].option);
		struct output output;

		if (path == NULL)
			continue;
		*standard = *standard || is_standard(path);
		code = output_open(&output, path, run->context->out, err);
		if (code != ERR_OK)
			return code;
		files[i].write(output.file, report);
		code = output_close(&output, err);
	}
	return code;
}

/* Two formats in one file are of use to nobody. */
static enum err_code check_files(const struct cmd_args *args, struct err *err)
{
	for (size_t i = 0; i < COUNT(files); i++) {
		const char *path = cmd_value(args, files[i].option);

		for (size_t k = 0; path != NULL && k < i; k++) {
			const char *other = cmd_value(args, files[k].option);

			if (other != NULL && strcmp(path, other) == 0)
				return err_set(err, ERR_USAGE, NULL, 0, 0,
					       "--%s and --%s both write to %.200s: name two files",
					       files[k].option, files[i].option, path);
		}
	}
	return ERR_OK;
}

static enum err_code read_seconds(const struct cmd_args *args, uint32_t *out, struct err *err)
{
	const char *text = cmd_value(args, "seconds");

	*out = WATCH_SECONDS;
	if (text != NULL && (!num_read_u32(text, strlen(text), out) || *out == 0 || *out > 86400))
		return err_set(err, ERR_USAGE, NULL, 0, 0,
			       "--seconds %.100s: a number from 1 to 86400", text);
	return ERR_OK;
}

static int run_run(const struct cmd_context *context, const struct cmd_args *args)
{
	struct job_of_run run = {.context = context, .args = args, .study = study_new()};
	struct report report = {.colour = context->out_terminal,
				.verbose = cmd_given(args, "verbose")};
	struct err err;
	const struct study_format *format = NULL;
	bool standard = false;
	uint32_t seconds = 0;
	enum err_code code = study_format(args, formats, &format, &err);
	int result;

	if (code == ERR_OK)
		code = read_seconds(args, &seconds, &err);
	if (code == ERR_OK)
		code = check_files(args, &err);
	if (code == ERR_OK)
		code = simulate(&run, &err);
	if (code == ERR_OK) {
		report.columns = study_columns(run.study, &report.count);
		report.trace = run.trace.format != NULL ? &run.trace : NULL;
		code = write_files(&run, &report, &standard, &err);
	}
	if (code == ERR_OK && (standard || format->bare || cmd_given(args, "watch")))
		cmd_tell(context, report.columns[0].scenario);
	if (code == ERR_OK && cmd_given(args, "watch"))
		watch_play(context, &report.columns[0], seconds);
	else if (code == ERR_OK && !standard)
		format->write(context->out, &report);
	result = code == ERR_OK ? study_verdict(run.study, context) : cmd_fail(context, &err);
	if (code == ERR_OK && cmd_given(args, "watch") && context->stop != NULL &&
	    *context->stop != 0)
		result = CMD_INTERRUPTED;
	study_free(run.study);
	return result;
}

static const struct cmd_option options[] = {
	{"policy", 'p', "POLICY", "kubernetes, resourcequota or kueue (gqsim list policies)",
	 "@policies"},
	{"output", 'o', "FORMAT", "print a table, wide, json, csv or prometheus (default table)",
	 "table wide json csv prometheus"},
	{"events", 0, "FILE", "write what happened as CSV; - is standard output", "@out"},
	{"pending", 0, "FILE", "write why each job that never finished waits, as CSV", "@out"},
	{"timeline", 0, "FILE", "write GPUs and quota in use over time, as CSV", "@out"},
	{"json", 0, "FILE", "write all figures and every job's times as JSON", "@out"},
	{"watch", 0, NULL, "play the run on the terminal instead: nodes and quotas over time",
	 NULL},
	{"seconds", 0, "N", "how long that takes (default 20)", NULL},
	{"quiet", 'q', NULL, "no progress on the terminal", NULL},
	{NULL, 0, NULL, NULL, NULL},
};

const struct cmd_row cmd_run_row = {
	.name = "run",
	.synopsis = "-p POLICY FILE... [options]",
	.summary = "run one policy over jobs, and write what happened",
	.help = "Reads objects (YAML or JSON) and jobs (manifests, CSV or a trace), runs them\n"
		"under one policy, and prints the figures. Files are recognised by content.\n"
		"When a log goes to standard output (-) nothing else does.\n"
		"\n"
		"Examples:\n"
		"  Figures of a week under Kueue:\n"
		"    gqsim run -p kueue cluster.yaml jobs.csv\n"
		"  Every decision, and why the jobs that never ran did not:\n"
		"    gqsim run -p kueue cluster.yaml jobs.csv --events - | less\n"
		"    gqsim run -p kueue cluster.yaml jobs.csv --pending -\n"
		"  Quota admission alone, without placing pods on nodes:\n"
		"    gqsim run -p kueue queues.yaml jobs.csv --placement none\n"
		"  What Kueue's /metrics would show at the end, by its own names (quotas too, "
		"unless\n"
		"  the Configuration says enableClusterQueueResources: false):\n"
		"    gqsim run -p kueue cluster.yaml jobs.csv -o prometheus\n"
		"  The run as a film, on a terminal of 80 columns:\n"
		"    gqsim run -p kueue cluster.yaml jobs.csv --watch\n"
		"  Plain kube-scheduler with random ties, as JSON:\n"
		"    gqsim run -p kubernetes nodes.yaml jobs.csv --tie random --seed 7 -o json\n",
	.options = options,
	.groups = CMD_INPUT | CMD_RUN,
	.run = run_run,
};
