/* cmd_report.c - gqsim report: a comparison as a file to send on. */
#include <string.h>

#include "sim/page/page.h"
#include "sim/page/page_data.h"
#include "sim/study/columns.h"
#include "sim/tool/output.h"

/* The ending of the file's name says what it is. */
static const struct {
	const char *ending;
	void (*write)(FILE *out, const struct report *report);
} endings[] = {
	{".html", page_write},
	{".json", report_json_compare},
	{".csv", report_compare_csv},
	{".txt", report_compare_wide},
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static enum err_code find_writer(const char *path, size_t *out, struct err *err)
{
	size_t len = path == NULL ? 0 : strlen(path);

	if (path == NULL)
		return err_set(err, ERR_USAGE, NULL, 0, 0,
			       "which file? gqsim report FILE... -o page.html");
	*out = 0;
	if (strcmp(path, "-") == 0)
		return ERR_OK;
	for (size_t i = 0; i < COUNT(endings); i++) {
		size_t end = strlen(endings[i].ending);

		if (len > end && strcmp(path + len - end, endings[i].ending) == 0) {
			*out = i;
			return ERR_OK;
		}
	}
	return err_set(err, ERR_USAGE, NULL, 0, 0,
		       "-o %.200s: the name must end in .html, .json, .csv or .txt", path);
}

static enum err_code report(const struct cmd_context *context, const struct cmd_args *args,
			    struct study *study, struct columns *columns, struct err *err)
{
	const char *path = cmd_value(args, "output");
	struct report report;
	struct output output;
	size_t writer = 0;
	unsigned threads = 1;
	enum err_code code = find_writer(path, &writer, err);

	if (code == ERR_OK)
		code = study_threads(args, &threads, err);
	if (code == ERR_OK)
		code = columns_read(columns, args, study, PAGE_FULL_JOBS, err);
	if (code != ERR_OK)
		return code;
	study_tell_reasons(study);
	code = study_run(study, context, threads, cmd_given(args, "quiet"), err);
	if (code == ERR_OK)
		code = study_chance(study, 0, threads, err);
	if (code != ERR_OK)
		return code;
	report = columns_report(columns, study);
	report.verbose = cmd_given(args, "verbose");
	code = output_open(&output, path, context->out, err);
	if (code != ERR_OK)
		return code;
	endings[writer].write(output.file, &report);
	return output_close(&output, err);
}

static int run_report(const struct cmd_context *context, const struct cmd_args *args)
{
	struct study *study = study_new();
	struct columns columns = {.policy_count = 0};
	struct err err;
	enum err_code code = report(context, args, study, &columns, &err);
	int result = code == ERR_OK ? study_verdict(study, context) : cmd_fail(context, &err);

	study_free(study);
	columns_free(&columns);
	return result;
}

static const struct cmd_option options[] = {
	{"output", 'o', "FILE", "the file to write: NAME.html, .json, .csv or .txt; - is HTML",
	 "@out"},
	{"policies", 'p', "NAME,...", "what to compare (default kubernetes,kueue)", "@policies"},
	{"column", 0, "NAME", "begin a column of this name, changed by the --set after it", NULL},
	{"jobs", 'j', "N", "runs at once (default: one a processor)", NULL},
	{"quiet", 'q', NULL, "no progress on the terminal", NULL},
	{NULL, 0, NULL, NULL, NULL},
};

const struct cmd_row cmd_report_row = {
	.name = "report",
	.synopsis = "FILE... -o page.html [options]",
	.summary = "a comparison as one page to send on: replay, charts, histories",
	.help = "Runs the same jobs under several policies, as compare does, and writes one HTML\n"
		"page that needs no network and no other file: the verdict and its assumptions, a\n"
		"replay of the cluster with the policies in step, quotas, queues and utilisation\n"
		"over time, waits, what ran where, deadlocks, evictions, and why each job waited.\n"
		"A page stays below 2 MB. A hundred thousand jobs fit; of more it has figures of\n"
		"all jobs, and single jobs as far as there is room, those that something happened\n"
		"to first. It says what it left out.\n"
		"\n"
		"Examples:\n"
		"  A page for the budget meeting:\n"
		"    gqsim report cluster.yaml jobs.csv -o page.html\n"
		"  Three quotas of one team beside each other:\n"
		"    gqsim report -p kueue cluster.yaml jobs.csv -o quotas.html \\\n"
		"        --set clusterqueue/research:nvidia.com/gpu.nominalQuota=8,16,24\n"
		"  A recorded trace:\n"
		"    gqsim report --trace philly.csv --nodes h100=64x8 -o philly.html\n",
	.options = options,
	.groups = CMD_INPUT | CMD_RUN,
	.run = run_report,
};
