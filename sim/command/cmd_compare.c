#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "core/mem.h"
#include "core/num.h"
#include "sim/report/timeline.h"
#include "sim/study/columns.h"
#include "sim/study/replications.h"
#include "sim/study/study.h"
#include "sim/tool/output.h"

#define COUNT(array)	 (sizeof(array) / sizeof((array)[0]))
#define TITLE		 128
#define MAX_REPLICATIONS 1000
#define FIRST_RUNS	 10 /* before --half-width is looked at */
#define CONFIDENCE	 0.95
#define PER_CENT	 100

struct comparison {
	const struct cmd_context *context;
	const struct cmd_args *args;
	struct study *study;
	struct columns columns;
	struct replicated replicated;
	bool replicates; /* --warmup, --half-width or --confidence ask for it */
};

/* ---- files, one a column ---- */

static void write_events(FILE *out, const struct report_column *column)
{
	report_events_write(out, column->journal, column->policy->admission != NULL);
}

static void write_pending(FILE *out, const struct report_column *column)
{
	report_pending_write(out, column->journal, column->policy->admission != NULL);
}

static void write_timeline(FILE *out, const struct report_column *column)
{
	timeline_write(out, column->journal, column->metrics->end);
}

/* "kueue", or "2-kueue" where a policy has several columns. */
static void column_name(const struct comparison *c, const struct report_column *columns, size_t i,
			char buf[TITLE])
{
	if (c->columns.variants.count > 1)
		snprintf(buf, TITLE, "%zu-%s", i + 1, columns[i].policy->name);
	else
		snprintf(buf, TITLE, "%s", columns[i].policy->name);
}

static enum err_code write_file(const char *path, const struct report_column *column,
				void (*write)(FILE *out, const struct report_column *column),
				const struct cmd_context *context, struct err *err)
{
	struct output output;
	enum err_code code = output_open(&output, path, context->out, err);

	if (code != ERR_OK)
		return code;
	write(output.file, column);
	return output_close(&output, err);
}

static enum err_code make_folder(const char *path, struct err *err)
{
	struct stat info;

	if (mkdir(path, 0777) == 0)
		return ERR_OK;
	if (errno == EEXIST && stat(path, &info) == 0 && S_ISDIR(info.st_mode))
		return ERR_OK;
	return err_set(err, ERR_IO, NULL, 0, 0, "cannot make the folder %.300s: %s", path,
		       strerror(errno));
}

/* --events DIR, --pending DIR: DIR/kueue.events.csv */
static enum err_code write_folder(const struct comparison *c, const char *option,
				  void (*write)(FILE *out, const struct report_column *column),
				  struct err *err)
{
	const char *folder = cmd_value(c->args, option);
	size_t count;
	const struct report_column *columns = study_columns(c->study, &count);
	enum err_code code;

	if (folder == NULL)
		return ERR_OK;
	code = make_folder(folder, err);
	for (size_t i = 0; i < count && code == ERR_OK; i++) {
		char path[1024], name[TITLE];

		column_name(c, columns, i, name);
		snprintf(path, sizeof(path), "%s/%s.%s.csv", folder, name, option);
		code = write_file(path, &columns[i], write, c->context, err);
	}
	return code;
}

/* --timeline FILE: the name of the column goes before the last dot. */
static enum err_code write_timelines(const struct comparison *c, struct err *err)
{
	const char *file = cmd_value(c->args, "timeline");
	size_t count;
	const struct report_column *columns = study_columns(c->study, &count);
	enum err_code code = ERR_OK;

	if (file == NULL)
		return ERR_OK;
	for (size_t i = 0; i < count && code == ERR_OK; i++) {
		const char *base = strrchr(file, '/') == NULL ? file : strrchr(file, '/');
		const char *dot = strrchr(base, '.');
		char path[1024], name[TITLE];

		if (dot == NULL)
			dot = file + strlen(file);
		column_name(c, columns, i, name);
		snprintf(path, sizeof(path), "%.*s-%s%s", (int)(dot - file), file, name, dot);
		code = write_file(path, &columns[i], write_timeline, c->context, err);
	}
	return code;
}

static enum err_code write_json(const struct comparison *c, const struct report *report,
				struct err *err)
{
	const char *path = cmd_value(c->args, "json");
	struct output output;
	enum err_code code;

	if (path == NULL)
		return ERR_OK;
	code = output_open(&output, path, c->context->out, err);
	if (code != ERR_OK)
		return code;
	report_json_compare(output.file, report);
	return output_close(&output, err);
}

static enum err_code write_files(const struct comparison *c, const struct report *report,
				 struct err *err)
{
	enum err_code code = write_folder(c, "events", write_events, err);

	if (code == ERR_OK)
		code = write_folder(c, "pending", write_pending, err);
	if (code == ERR_OK)
		code = write_timelines(c, err);
	if (code == ERR_OK)
		code = write_json(c, report, err);
	return code;
}

/* ---- the command ---- */

static const struct study_format formats[] = {
	{"table", report_compare_write, false},
	{"wide", report_compare_wide, false},
	{"json", report_json_compare, false},
	{"csv", report_compare_csv, true},
	{NULL, NULL, false},
};

static enum err_code replication_count(const struct cmd_args *args, uint32_t *out, struct err *err)
{
	const char *text = cmd_value(args, "replications");

	if (text != NULL && (!num_read_u32(text, strlen(text), out) || *out > MAX_REPLICATIONS))
		return err_set(err, ERR_USAGE, NULL, 0, 0,
			       "--replications %.100s: a number of runs from 0 to %d", text,
			       MAX_REPLICATIONS);
	return ERR_OK;
}

/* "0.95", and "95%" as people write it. */
static enum err_code read_confidence(const char *text, double *out, struct err *err)
{
	size_t len = text != NULL ? strlen(text) : 0;
	bool percent = len > 0 && text[len - 1] == '%';

	if (text == NULL)
		return ERR_OK;
	if (!num_read_double(text, len - percent, out))
		*out = 0;
	if (percent)
		*out /= PER_CENT;
	if (*out > 0.5 && *out < 1)
		return ERR_OK;
	return err_set(err, ERR_USAGE, NULL, 0, 0,
		       "--confidence %.50s: above 0.5 and below 1, such as 0.95", text);
}

/* "5%" of the figure, or a duration. */
static enum err_code read_half_width(const char *text, struct interval_goal *goal, struct err *err)
{
	size_t len = text != NULL ? strlen(text) : 0;
	simtime width = 0;

	if (text == NULL)
		return ERR_OK;
	goal->relative = len > 0 && text[len - 1] == '%';
	if (goal->relative && num_read_double(text, len - 1, &goal->half_width))
		goal->half_width /= PER_CENT;
	else if (!goal->relative && clock_read_duration(text, len, &width))
		goal->half_width = (double)width / CLOCK_SECOND;
	if (goal->half_width > 0 && (!goal->relative || goal->half_width < 1))
		return ERR_OK;
	return err_set(err, ERR_USAGE, NULL, 0, 0,
		       "--half-width %.50s: a share such as 5%%, or a duration such as 10m", text);
}

static enum err_code read_wanted(struct comparison *c, struct replicated_options *wanted,
				 struct err *err)
{
	bool given = cmd_given(c->args, "replications"), sequential;
	uint32_t count = 0;
	enum err_code code = replication_count(c->args, &count, err);

	if (code == ERR_OK)
		code = read_confidence(cmd_value(c->args, "confidence"), &wanted->goal.confidence,
				       err);
	if (code == ERR_OK)
		code = read_half_width(cmd_value(c->args, "half-width"), &wanted->goal, err);
	if (code == ERR_OK)
		code = replications_warmup(cmd_value(c->args, "warmup"), wanted, err);
	sequential = wanted->goal.half_width > 0;
	wanted->goal.least = FIRST_RUNS;
	wanted->goal.most = given ? count : sequential ? MAX_REPLICATIONS : 0;
	c->replicates =
		sequential || cmd_given(c->args, "warmup") || cmd_given(c->args, "confidence");
	if (c->replicates && wanted->goal.most == 0)
		wanted->goal.most = 1;
	return code;
}

/* Of jobs that all come during the warm-up no figure is left. */
static enum err_code check_warmup(const struct scenario *s, const struct replicated_options *wanted,
				  struct err *err)
{
	simtime last =
		s->job_count == 0 ? 0 : s->jobs[scenario_by_submit(s, s->job_count - 1)].submit;
	char a[CLOCK_TEXT], b[CLOCK_TEXT];

	if (wanted->warmup == 0 || wanted->warmup < last)
		return ERR_OK;
	return err_set(err, ERR_VALUE, NULL, 0, 0,
		       "--warmup %s: the last job comes at %s, so none would be left",
		       clock_format_human(wanted->warmup, a), clock_format_human(last, b));
}

/* Workloads that are made up are made up anew; of others only what is left to chance differs. */
static enum err_code replicate(struct comparison *c, struct replicated_options *wanted,
			       struct err *err)
{
	uint32_t runs = (uint32_t)wanted->goal.most;
	size_t count;
	enum err_code code;

	code = check_warmup(study_columns(c->study, &count)->scenario, wanted, err);
	if (code != ERR_OK)
		return code;
	wanted->made_up = c->columns.trace.made_up;
	if (!wanted->made_up && !c->replicates)
		return study_chance(c->study, runs, wanted->threads, err);
	code = study_chance(c->study, 0, wanted->threads, err);
	wanted->first_seed = wanted->made_up ? c->columns.trace.seed
					     : study_columns(c->study, &count)->options->seed;
	if (code == ERR_OK && runs > 0)
		code = replications_run(&c->columns, c->context, c->args, c->study, wanted,
					&c->replicated, err);
	return code;
}

static enum err_code compare(struct comparison *c, struct report *report, struct err *err)
{
	struct replicated_options wanted = {.goal = {.confidence = CONFIDENCE}};
	const struct study_format *format = NULL;
	bool logs = cmd_given(c->args, "events") || cmd_given(c->args, "pending");
	enum err_code code = study_format(c->args, formats, &format, err);

	if (code == ERR_OK)
		code = read_wanted(c, &wanted, err);
	if (code == ERR_OK)
		code = study_threads(c->args, &wanted.threads, err);
	if (code == ERR_OK)
		code = columns_read(&c->columns, c->args, c->study, logs ? UINT32_MAX : 0, err);
	if (code == ERR_OK)
		code = study_run(c->study, c->context, wanted.threads, cmd_given(c->args, "quiet"),
				 err);
	if (code == ERR_OK)
		code = replicate(c, &wanted, err);
	if (code != ERR_OK)
		return code;
	report->columns = study_columns(c->study, &report->count);
	report->replicated = &c->replicated;
	report->trace = c->columns.trace.format != NULL ? &c->columns.trace : NULL;
	if (format->bare)
		cmd_tell(c->context, report->columns[0].scenario);
	code = write_files(c, report, err);
	if (code == ERR_OK)
		format->write(c->context->out, report);
	return code;
}

static int run_compare(const struct cmd_context *context, const struct cmd_args *args)
{
	struct comparison c = {.context = context, .args = args, .study = study_new()};
	struct report report = {.colour = context->out_terminal,
				.verbose = cmd_given(args, "verbose")};
	struct err err;
	enum err_code code = compare(&c, &report, &err);
	int result = code == ERR_OK ? study_verdict(c.study, context) : cmd_fail(context, &err);

	if (result == CMD_OK && c.replicated.stopped)
		result = CMD_INTERRUPTED;
	replicated_free(&c.replicated);
	study_free(c.study);
	columns_free(&c.columns);
	return result;
}

static const struct cmd_option options[] = {
	{"policies", 'p', "NAME,...", "what to compare (default kubernetes,kueue)", "@policies"},
	{"column", 0, "NAME", "begin a column of this name, changed by the --set after it", NULL},
	{"replications", 0, "N",
	 "run each column again with N random tie-breaks, and tell the ranges; of a workload that "
	 "is made up (gqsim gen): N of its kind, with intervals and paired differences",
	 NULL},
	{"half-width", 0, "WIDTH",
	 "replications until the p95 wait of each column is known within this: 5% of it, or 10m "
	 "(at most --replications, default 1000)",
	 NULL},
	{"confidence", 0, "P", "of intervals (default 0.95)", NULL},
	{"warmup", 0, "TIME",
	 "leave this much of the beginning out of the intervals' figures, or auto: until the "
	 "waits have settled (MSER-5)",
	 "auto"},
	{"output", 'o', "FORMAT", "print a table, wide, json or csv (default table)",
	 "table wide json csv"},
	{"json", 0, "FILE", "write the figures as JSON beside the table", "@out"},
	{"events", 0, "DIR", "write what happened, a CSV log for each column", "@path"},
	{"pending", 0, "DIR", "write why jobs never finished, a CSV for each column", "@path"},
	{"timeline", 0, "FILE",
	 "write GPUs and quota in use over time; t.csv becomes t-kueue.csv and so on", "@path"},
	{"jobs", 'j', "N", "runs at once (default: one a processor)", NULL},
	{"quiet", 'q', NULL, "no progress on the terminal", NULL},
	{NULL, 0, NULL, NULL, NULL},
};

const struct cmd_row cmd_compare_row = {
	.name = "compare",
	.synopsis = "FILE... [options]",
	.summary = "the same jobs under plain Kubernetes and under Kueue, side by side",
	.help = "Runs the same jobs on the same hardware under several policies, or under one\n"
		"policy with several settings, and prints the figures beside each other, worst\n"
		"news first: jobs that never ran, deadlocks, GPUs held idle, waits, work lost.\n"
		"All columns are measured over one window, the longest.\n"
		"\n"
		"Examples:\n"
		"  What would Kueue change?\n"
		"    gqsim compare cluster.yaml jobs.csv\n"
		"  A recorded trace on hardware of your own:\n"
		"    gqsim compare --trace cluster_job_log --nodes v100=311x8\n"
		"  Three quotas for one team:\n"
		"    gqsim compare -p kueue cluster.yaml jobs.csv \\\n"
		"        --set clusterqueue/research:nvidia.com/gpu.nominalQuota=8,16,24\n"
		"  Two plans with names:\n"
		"    gqsim compare -p kueue cluster.yaml jobs.csv \\\n"
		"        --column now \\\n"
		"        --column \"no lending\" --set "
		"clusterqueue/a:nvidia.com/gpu.lendingLimit=0\n"
		"  A workload that is made up, until the p95 waits are known within 5 %:\n"
		"    gqsim compare teams.yaml --nodes h100=12x8 --half-width 5% --warmup auto\n"
		"  Exact figures for a script:\n"
		"    gqsim compare cluster.yaml jobs.csv -o json\n",
	.options = options,
	.groups = CMD_INPUT | CMD_RUN,
	.run = run_compare,
};
