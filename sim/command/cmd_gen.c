/* cmd_gen.c - gqsim gen: job lists made up from a Generator document, and such documents
 * fitted to traces. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "core/num.h"
#include "sim/gen/generator_fit.h"
#include "sim/gen/generator_spec.h"
#include "sim/gen/generator_write.h"
#include "sim/gen/trace_generator.h"
#include "sim/input/cmd.h"
#include "sim/tool/output.h"
#include "sim/trace/trace_set.h"
#include "sim/trace/trace_write.h"

#define REMARK_TEXT 300
#define QQ_POINTS   200
#define GPUS_TEXT   32

static enum err_code read_number(const struct cmd_args *args, const char *name, int64_t least,
				 int64_t *out, struct err *err)
{
	const char *text = cmd_value(args, name);

	if (text == NULL || (num_read_i64(text, strlen(text), out) && *out >= least))
		return ERR_OK;
	return err_set(err, ERR_USAGE, NULL, 0, 0, "--%s %.50s: a whole number from %" PRId64 " on",
		       name, text, least);
}

static enum err_code write_to(const struct cmd_context *context, const struct cmd_args *args,
			      struct output *output, struct err *err)
{
	const char *path = cmd_value(args, "write");

	return output_open(output, path != NULL ? path : "-", context->out, err);
}

/* ---- making ---- */

/* "research=1.5": its jobs a day, times this. */
static enum err_code grow_one(struct generator *g, const char *text, struct err *err)
{
	const char *equals = strchr(text, '=');
	double factor;

	if (equals == NULL || !num_read_double(equals + 1, strlen(equals + 1), &factor) ||
	    !(factor >= 0 && factor <= 1e6))
		return err_set(err, ERR_USAGE, NULL, 0, 0,
			       "--grow %.100s: TEAM=FACTOR is needed, such as research=1.5", text);
	for (uint32_t i = 0; i < g->team_count; i++) {
		struct generator_team *team = &g->teams[i];

		if (strlen(team->name) != (size_t)(equals - text) ||
		    strncmp(team->name, text, (size_t)(equals - text)) != 0)
			continue;
		team->jobs_per_day *= factor;
		return ERR_OK;
	}
	return err_set(err, ERR_UNKNOWN, NULL, 0, 0, "--grow %.100s: there is no such team", text);
}

static enum err_code change(const struct cmd_args *args, struct generator *g, struct err *err)
{
	const char *load = cmd_value(args, "load"), *length = cmd_value(args, "length");
	int64_t jobs = (int64_t)g->jobs, seed = (int64_t)g->seed;
	double factor = 1;
	enum err_code code = read_number(args, "jobs", 1, &jobs, err);

	if (code == ERR_OK)
		code = read_number(args, "seed", 0, &seed, err);
	if (code == ERR_OK && length != NULL &&
	    !clock_read_duration(length, strlen(length), &g->length))
		code = err_set(err, ERR_USAGE, NULL, 0, 0,
			       "--length %.50s: a duration is needed, such as 28d", length);
	if (code == ERR_OK && load != NULL &&
	    !(num_read_double(load, strlen(load), &factor) && factor > 0 && factor <= 1e6))
		code = err_set(err, ERR_USAGE, NULL, 0, 0,
			       "--load %.50s: a factor is needed, such as 1.2", load);
	g->jobs = (uint64_t)jobs;
	g->seed = (uint64_t)seed;
	for (uint32_t i = 0; i < g->team_count; i++)
		g->teams[i].jobs_per_day *= factor;
	for (size_t i = 0; i < args->setting_count && code == ERR_OK; i++)
		if (strcmp(args->settings[i].name, "grow") == 0)
			code = grow_one(g, args->settings[i].value, err);
	return code;
}

static enum err_code find_writer(const struct cmd_args *args, const struct trace_writer **out,
				 struct err *err)
{
	const char *name = cmd_value(args, "output"), *path = cmd_value(args, "write");

	if (name == NULL && path != NULL && trace_write_ending(path, err) != ERR_OK)
		return err->code;
	*out = name != NULL ? trace_write_find(name)
			    : trace_write_of_name(path != NULL ? path : "-");
	if (name == NULL && *out == NULL)
		*out = trace_write_find("csv");
	if (*out != NULL)
		return ERR_OK;
	return err_set(err, ERR_USAGE, NULL, 0, 0,
		       "-o \"%.50s\": jobs are written as csv, jsonl or swf", name);
}

static enum err_code write_jobs(const struct cmd_context *context, const struct cmd_args *args,
				struct builder *builder, simtime origin, struct err *err)
{
	const struct trace_writer *writer;
	struct trace_edit edit;
	struct trace_lost lost;
	struct output output;
	char text[REMARK_TEXT];
	enum err_code code = find_writer(args, &writer, err);

	if (code == ERR_OK)
		code = write_to(context, args, &output, err);
	if (code != ERR_OK)
		return code;
	trace_edit_init(&edit, builder);
	edit.origin = origin;
	writer->write(output.file, &edit, &lost);
	trace_edit_free(&edit);
	code = output_close(&output, err);
	lost.clock = false; /* whoever made it up knows */
	for (uint32_t i = 0; code == ERR_OK && trace_write_remark(&lost, i, text, sizeof(text));
	     i++)
		fprintf(context->err, "gqsim: %s\n", text);
	return code;
}

static void tell_load(FILE *out, const struct generator *g, uint64_t jobs)
{
	double sum = 0;

	for (uint32_t i = 0; i < g->team_count; i++)
		sum += generator_load(&g->teams[i]);
	fprintf(out, "gqsim: %" PRIu64 " job%s; they keep %.4g GPUs busy", jobs,
		jobs == 1 ? "" : "s", sum);
	for (uint32_t i = 0; i < g->team_count && g->team_count > 1; i++)
		fprintf(out, "%s %s %.3g", i == 0 ? ":" : ",", g->teams[i].name,
			generator_load(&g->teams[i]));
	fputs(" (by the document, without growth)\n", out);
}

static enum err_code make(const struct cmd_context *context, const struct cmd_args *args,
			  struct generator *g, const char *name, struct err *err)
{
	struct builder *builder = builder_new();
	struct trace_summary summary = {.file = name};
	const struct trace_options options = {.keep_models = true};
	enum err_code code = change(args, g, err);

	if (code == ERR_OK)
		code = trace_generator_make(g, name, &options, builder, &summary, err);
	if (code == ERR_OK && summary.jobs == 0)
		code = err_set(err, ERR_VALUE, name, 0, 0, "no job comes in this time");
	if (code == ERR_OK)
		code = write_jobs(context, args, builder, CLOCK_NEVER, err);
	if (code == ERR_OK && !cmd_given(args, "quiet"))
		tell_load(context->err, g, summary.jobs);
	builder_free(builder);
	return code;
}

/* ---- simple cases, as the document that says them ---- */

/* "lognormal:median=40m,sigma=1.5" and "empirical:1=7,8=3" as maps; "2h" and what is YAML
 * already as it is. */
static void put_distribution(FILE *out, const char *key, const char *text)
{
	size_t name = strcspn(text, ":");
	bool weights, phases;

	if (text[0] == '{' || text[name] == '\0') {
		fprintf(out, "  %s: %s\n", key, text);
		return;
	}
	weights = strncmp(text, "empirical:", name + 1) == 0;
	phases = strncmp(text, "hyperexponential:", name + 1) == 0;
	if (weights || phases)
		fprintf(out, "  %s: {%s: {", key, weights ? "weights" : "phases");
	else
		fprintf(out, "  %s: {distribution: %.*s, ", key, (int)name, text);
	for (text += name + 1; *text != '\0';) {
		size_t len = strcspn(text, ","), equals = strcspn(text, "=");

		if (equals < len)
			fprintf(out, "%.*s: %.*s, ", (int)equals, text, (int)(len - equals - 1),
				text + equals + 1);
		else
			fprintf(out, "%.*s, ", (int)len, text);
		text += len + (text[len] == ',');
	}
	fputs(weights || phases ? "}}\n" : "}\n", out);
}

static enum err_code simple(const struct cmd_args *args, struct generator **out, struct err *err)
{
	const char *rate = cmd_value(args, "jobs-per-day"), *gpus = cmd_value(args, "gpus");
	const char *duration = cmd_value(args, "duration"), *team = cmd_value(args, "team");
	struct source source = {.name = "command line"};
	struct output_text text;
	enum err_code code;

	if (rate == NULL || duration == NULL ||
	    (!cmd_given(args, "length") && !cmd_given(args, "jobs")))
		return err_set(err, ERR_USAGE, NULL, 0, 0,
			       "give a Generator document, --fit TRACE, or --jobs-per-day, "
			       "--duration and --length or --jobs");
	output_text_open(&text);
	/* The length is set with the other options. */
	fprintf(text.file,
		"apiVersion: gqsim/v1\nkind: " GENERATOR_SPEC_KIND "\nlength: 3652d\nteams:\n"
		"- name: %s\n  jobsPerDay: %s\n",
		team != NULL ? team : "default", rate);
	put_distribution(text.file, "gpus", gpus != NULL ? gpus : "1");
	put_distribution(text.file, "duration", duration);
	output_text_close(&text);
	source.data = text.data;
	source.size = text.size;
	code = generator_spec_read(&source, out, err);
	if (code == ERR_OK && !cmd_given(args, "length"))
		(*out)->length = CLOCK_NEVER;
	output_text_free(&text);
	return code;
}

/* ---- fitting ---- */

static enum err_code read_family(const struct cmd_args *args, enum distribution_kind *out,
				 struct err *err)
{
	const char *text = cmd_value(args, "family");
	int kind = DISTRIBUTION_EXPONENTIAL;

	*out = DISTRIBUTION_KINDS;
	if (text == NULL || strcmp(text, "auto") == 0)
		return ERR_OK;
	while (kind < DISTRIBUTION_KINDS &&
	       strcmp(distribution_name((enum distribution_kind)kind), text) != 0)
		kind++;
	*out = (enum distribution_kind)kind;
	if (kind < DISTRIBUTION_KINDS && kind != DISTRIBUTION_EMPIRICAL)
		return ERR_OK;
	return err_set(err, ERR_USAGE, NULL, 0, 0,
		       "--family %.50s: auto, exponential, lognormal, weibull, boundedPareto, "
		       "hyperexponential or quantiles",
		       text);
}

static enum err_code load_trace(const char *path, const struct cmd_args *args,
				struct trace_set *set, struct builder *builder,
				struct trace_summary *summary, struct err *err)
{
	const struct trace_options options = {.keep_models = true};
	const char *name = cmd_value(args, "format");
	const struct trace_format *format;
	struct source source;
	enum err_code code = source_read(path, &source, err);

	if (code != ERR_OK)
		return code;
	format = name != NULL && strcmp(name, "auto") != 0 ? trace_find(name)
							   : trace_detect(&source);
	if (format == NULL || format->kind != TRACE_JOBS) {
		source_close(&source);
		return err_set(err, ERR_UNKNOWN, path, 0, 0,
			       "no list of jobs in a known format (gqsim list traces)");
	}
	trace_set_add(set, &source, format);
	return trace_set_jobs(set, &options, builder, summary, err);
}

static const char *gpus_text(double up_to, char buf[GPUS_TEXT])
{
	if (isinf(up_to))
		snprintf(buf, GPUS_TEXT, "any size");
	else
		snprintf(buf, GPUS_TEXT, "to %.0f GPU%s", up_to, up_to > 1 ? "s" : "");
	return buf;
}

/* What was fitted and how well, as comments before the document. */
static void write_remarks(FILE *out, const char *path, const struct generator_fit *fit)
{
	char size[GPUS_TEXT];

	fprintf(out, "# %s %zu jobs of %s", fit->row_count > 0 ? "Fitted to" : "Blocks of the",
		fit->jobs - fit->behind, path);
	if (fit->behind > 0)
		fprintf(out, "; left out: %zu behind the last whole block", fit->behind);
	if (fit->left_out > 0)
		fprintf(out, "; left out: %zu endless or without GPUs", fit->left_out);
	fputs("\n# Not in a trace, so not here: failures, cancellations, gpuUtilisation, growth.\n",
	      out);
	if (fit->row_count > 0)
		fputs("# KS is the largest distance between the distribution functions, A2 that "
		      "of Anderson and Darling\n",
		      out);
	for (size_t i = 0; i < fit->row_count; i++) {
		const struct generator_fit_row *row = &fit->rows[i];

		fprintf(out, "# %s, %s, %s: %zu values, %s, KS %.3f, A2 %.4g", row->team, row->what,
			gpus_text(row->up_to_gpus, size), row->count,
			distribution_name(row->fit.distribution.kind), row->fit.ks, row->fit.ad);
		if (isfinite(row->fit.aic))
			fprintf(out, ", AIC %.8g", row->fit.aic);
		if (strcmp(row->what, "durations") == 0)
			fprintf(out, "; rank correlation with size %.2f",
				row->rank_correlation + 0.0);
		fputs("\n", out);
	}
}

/* Of each distribution that was fitted: values as they were, and as the fit has them. */
static void write_qq(FILE *out, const struct generator_fit *fit)
{
	fputs("team,what,up_to_gpus,family,p,observed,fitted\n", out);
	for (size_t i = 0; i < fit->row_count; i++) {
		const struct generator_fit_row *row = &fit->rows[i];
		struct distribution d = row->fit.distribution;
		size_t points = row->count < QQ_POINTS ? row->count : QQ_POINTS;

		if (d.point_count > 0)
			d.points = row->fit.points;
		for (size_t k = 0; k < points; k++) {
			double p = ((double)k + 0.5) / (double)points;

			output_csv(out, row->team);
			fprintf(out, ",%s,%.8g,%s,%.6g,%.8g,%.8g\n", row->what,
				isinf(row->up_to_gpus) ? 0 : row->up_to_gpus,
				distribution_name(d.kind), p,
				row->values[(size_t)(p * (double)row->count)],
				distribution_quantile(&d, p));
		}
	}
}

static enum err_code write_fit(const struct cmd_context *context, const struct cmd_args *args,
			       const char *path, const struct generator_fit *fit, struct err *err)
{
	const char *qq = cmd_value(args, "qq");
	struct output output;
	enum err_code code = write_to(context, args, &output, err);

	if (code != ERR_OK)
		return code;
	write_remarks(output.file, path, fit);
	generator_write(output.file, fit->generator);
	code = output_close(&output, err);
	if (code != ERR_OK || qq == NULL)
		return code;
	code = output_open(&output, qq, context->out, err);
	if (code != ERR_OK)
		return code;
	write_qq(output.file, fit);
	return output_close(&output, err);
}

/* Of --follow or --resample: seconds. */
static enum err_code read_period(const struct cmd_args *args, const char *name, double *out,
				 struct err *err)
{
	const char *text = cmd_value(args, name);
	simtime every;

	if (text == NULL)
		return ERR_OK;
	if (!clock_read_duration(text, strlen(text), &every) || every < CLOCK_HOUR)
		return err_set(err, ERR_USAGE, NULL, 0, 0,
			       "--%s %.50s: a time of an hour or more is needed, such as 7d", name,
			       text);
	*out = (double)every / CLOCK_SECOND;
	return ERR_OK;
}

/* Blocks are drawn as they were: there is nothing to fit. */
static enum err_code read_resample(const struct cmd_args *args, double *out, struct err *err)
{
	static const char *const of_fits[] = {"family", "copula", "follow", "qq"};
	enum err_code code = read_period(args, "resample", out, err);

	for (size_t i = 0; i < 4 && code == ERR_OK && *out > 0; i++)
		if (cmd_given(args, of_fits[i]))
			code = err_set(err, ERR_USAGE, NULL, 0, 0,
				       "--%s has no effect with --resample, which fits nothing",
				       of_fits[i]);
	return code;
}

static enum err_code fit_trace(const struct cmd_context *context, const struct cmd_args *args,
			       const char *path, struct err *err)
{
	struct generator_fit_options options = {.copula = cmd_given(args, "copula")};
	struct builder *builder = builder_new();
	struct trace_summary summary = {0};
	struct trace_set set = {0};
	int64_t least = 0;
	enum err_code code = read_family(args, &options.family, err);

	if (code == ERR_OK)
		code = read_number(args, "least", 1, &least, err);
	if (code == ERR_OK)
		code = read_period(args, "follow", &options.follow, err);
	if (code == ERR_OK)
		code = read_resample(args, &options.resample, err);
	if (code == ERR_OK)
		code = load_trace(path, args, &set, builder, &summary, err);
	if (code == ERR_OK) {
		struct trace_stats_jobs jobs;
		struct generator_fit fit;

		options.least = (size_t)least;
		trace_stats_jobs_init(&jobs, builder);
		code = generator_fit(&jobs, summary.has_clock ? summary.first_submit : CLOCK_NEVER,
				     &options, &fit, err);
		if (code == ERR_OK) {
			code = write_fit(context, args, path, &fit, err);
			generator_fit_free(&fit);
		}
		trace_stats_jobs_free(&jobs);
	}
	trace_set_free(&set);
	builder_free(builder);
	return code;
}

/* ---- the command ---- */

static enum err_code generate(const struct cmd_context *context, const struct cmd_args *args,
			      struct err *err)
{
	struct generator *generator = NULL;
	struct source source;
	enum err_code code;

	if (args->operand_count == 0) {
		code = simple(args, &generator, err);
		if (code == ERR_OK)
			code = make(context, args, generator, "command line", err);
		generator_free(generator);
		return code;
	}
	code = source_read(args->operands[0], &source, err);
	if (code != ERR_OK)
		return code;
	code = generator_spec_read(&source, &generator, err);
	if (code == ERR_OK)
		code = make(context, args, generator, source.name, err);
	generator_free(generator);
	source_close(&source);
	return code;
}

static int run_gen(const struct cmd_context *context, const struct cmd_args *args)
{
	const char *trace = cmd_value(args, "fit");
	struct err err;
	enum err_code code;

	if (args->operand_count + (trace != NULL) > 1)
		code = err_set(&err, ERR_USAGE, NULL, 0, 0,
			       "one document or one --fit TRACE at a time, not %s",
			       trace != NULL ? "both" : "several");
	else if (trace != NULL)
		code = fit_trace(context, args, trace, &err);
	else
		code = generate(context, args, &err);
	return code == ERR_OK ? CMD_OK : cmd_fail(context, &err);
}

static const struct cmd_option options[] = {
	{"write", 'w', "FILE",
	 "write there; .csv, .jsonl, .swf and .gz, .zst, .xz behind them by name (default: "
	 "standard output)",
	 "@out"},
	{"output", 'o', "FORMAT", "write csv, jsonl or swf, whatever the name", "csv jsonl swf"},
	{"seed", 0, "N", "another seed than the document's: other jobs of the same kind", NULL},
	{"length", 0, "TIME", "jobs are submitted for so long", NULL},
	{"jobs", 0, "N", "at most so many jobs", NULL},
	{"load", 0, "FACTOR", "jobs a day of all teams, times this", NULL},
	{"grow", 0, "TEAM=FACTOR", "jobs a day of one team, times this; may be repeated", NULL},
	{"jobs-per-day", 0, "N", "without a document: so many jobs a day, Poisson", NULL},
	{"gpus", 0, "DIST", "likewise: GPUs of a job (default 1)", NULL},
	{"duration", 0, "DIST", "likewise: how long a job works", NULL},
	{"team", 0, "NAME", "likewise: its namespace and queue (default \"default\")", NULL},
	{"fit", 0, "TRACE", "write a document whose jobs are like those of this trace", "@file"},
	{"format", 0, "FORMAT", "of the trace (default: recognised)", "@traces"},
	{"family", 0, "NAME",
	 "of all durations: exponential, lognormal, weibull, boundedPareto, hyperexponential, "
	 "quantiles (as they were) or auto, the least AIC of the first five (default)",
	 "auto exponential lognormal weibull boundedPareto hyperexponential quantiles"},
	{"copula", 0, NULL,
	 "one distribution of durations and a correlation with the size, in place of one a size",
	 NULL},
	{"follow", 0, "TIME",
	 "each team's rate, sweeps, sizes and durations follow those of the trace by periods of so "
	 "long (default: they are alike all the time, but for rhythm and bursts)",
	 NULL},
	{"resample", 0, "TIME",
	 "fit nothing: the document has the trace's jobs, which are drawn again by blocks of so "
	 "long (7d, say), all teams together",
	 NULL},
	{"least", 0, "N",
	 "teams of fewer jobs are fitted together (default 200; with --resample 1)", NULL},
	{"qq", 0, "FILE", "write quantiles as they were and as fitted, CSV for plots/qq.gp",
	 "@out"},
	{"quiet", 'q', NULL, "do not say how many jobs and GPUs there are", NULL},
	{NULL, 0, NULL, NULL, NULL},
};

const struct cmd_row cmd_gen_row = {
	.name = "gen",
	.synopsis = "DOCUMENT | --fit TRACE | --jobs-per-day N ... [options]",
	.summary = "jobs that do not exist yet: from a description, or like those of a trace",
	.help = "Makes a list of jobs out of a document of kind Generator (scenarios/README.md):\n"
		"arrivals with a rhythm, bursts and growth, sizes, durations, failures and\n"
		"cancellations a team. Each purpose has random numbers of its own, so that a "
		"change\n"
		"of one leaves the others as they were. With --fit it is the other way round: the\n"
		"document is made of a trace, for you to change.\n"
		"\n"
		"All commands read such a document in place of a list of jobs; there too, --seed\n"
		"makes other jobs of the same kind, and compare --replications runs many.\n"
		"\n"
		"Examples:\n"
		"  Jobs as described, compressed:\n"
		"    gqsim gen teams.yaml -w jobs.csv.zst\n"
		"  Without a document: 200 jobs a day for four weeks:\n"
		"    gqsim gen --jobs-per-day 200 --length 28d --gpus empirical:1=7,8=3 "
		"\\\n"
		"        --duration lognormal:median=40m,sigma=1.5 -w jobs.csv\n"
		"  What if its largest team grew by half?\n"
		"    gqsim gen --fit philly.csv -w philly.yaml\n"
		"    gqsim gen philly.yaml --grow 6214e9=1.5 -w more.csv\n"
		"  How good is the fit?\n"
		"    gqsim gen --fit philly.csv -w philly.yaml --qq qq.csv\n"
		"    gnuplot -e \"data='qq.csv'\" plots/qq.gp\n"
		"  Waits as a trace has them: its weeks in other orders\n"
		"    gqsim gen --fit philly.csv --resample 7d -w weeks.yaml\n"
		"    gqsim compare weeks.yaml --nodes h100=64x8 --replications 20\n"
		"  Straight into a comparison, twenty different months:\n"
		"    gqsim compare teams.yaml --nodes h100=24x8 --replications 20\n",
	.options = options,
	.groups = 0,
	.run = run_gen,
};
