#include "sim/study/study.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "core/mem.h"
#include "core/num.h"
#include "sim/engine/audit.h"
#include "sim/report/chance.h"
#include "sim/tool/nearest.h"
#include "sim/tool/progress.h"

/* More jobs than this and a run keeps only what the figures need. */
#define FULL_DETAIL_JOBS 20000
/* Up to so many jobs compare tries the other --drain unasked. */
#define DRAIN_JOBS     2000
#define LIVELOCK_NAMES 12 /* named on standard error */

struct study {
	struct scenario **scenarios;
	size_t scenario_count, scenario_capacity;
	struct batch_run *runs;
	size_t count, capacity;
	char **titles;
	size_t title_capacity;
	struct metrics **metrics;
	struct journal **heard; /* a run; NULL: its journal has all */
	struct audit *audits;
	struct report_column *columns;
	struct chance *chances; /* a column; NULL */
	simtime window;		/* that accounts for all runs */
	simtime until;		/* where figures end; CLOCK_NEVER: there */
	bool live;		/* study_until */
};

struct study *study_new(void)
{
	struct study *study = mem_calloc(1, sizeof(*study));

	study->until = CLOCK_NEVER;
	return study;
}

void study_free(struct study *study)
{
	if (study == NULL)
		return;
	for (size_t i = 0; i < study->count; i++) {
		if (study->metrics != NULL)
			metrics_free(study->metrics[i]);
		if (study->heard != NULL)
			journal_free(study->heard[i]);
		journal_free(study->runs[i].journal);
		mem_free(study->titles[i]);
	}
	for (size_t i = 0; i < study->scenario_count; i++)
		scenario_free(study->scenarios[i]);
	mem_free(study->scenarios);
	mem_free(study->runs);
	mem_free(study->titles);
	mem_free(study->metrics);
	mem_free(study->heard);
	mem_free(study->audits);
	mem_free(study->columns);
	mem_free(study->chances);
	mem_free(study);
}

void study_own(struct study *study, struct scenario *scenario)
{
	study->scenarios = mem_grow(study->scenarios, study->scenario_count + 1,
				    &study->scenario_capacity, sizeof(*study->scenarios));
	study->scenarios[study->scenario_count++] = scenario;
}

void study_add(struct study *study, const char *title, const struct policy_row *policy,
	       const struct scenario *scenario, const struct run_options *options,
	       enum journal_detail detail)
{
	study->runs =
		mem_grow(study->runs, study->count + 1, &study->capacity, sizeof(*study->runs));
	study->titles = mem_grow(study->titles, study->count + 1, &study->title_capacity,
				 sizeof(*study->titles));
	study->titles[study->count] = mem_strdup(title);
	study->runs[study->count++] = (struct batch_run){
		.scenario = scenario, .policy = policy, .options = *options, .detail = detail};
}

void study_tell_reasons(struct study *study)
{
	for (size_t i = 0; i < study->count; i++)
		if (study->runs[i].detail == JOURNAL_FACTS)
			study->runs[i].detail = JOURNAL_THINNED;
}

void study_until(struct study *study, simtime until)
{
	study->until = until;
	study->live = true;
}

simtime study_window(const struct study *study)
{
	return study->window;
}

/* ---- running ---- */

static struct progress *watch(struct study *study, const struct cmd_context *context, bool quiet)
{
	struct progress *progress;

	for (size_t i = 0; i < study->count; i++)
		study->runs[i].options.stop = context->stop;
	if (!context->err_terminal || quiet)
		return NULL;
	progress = progress_new(context->err, study->count, study->runs[0].scenario->job_count,
				"jobs");
	for (size_t i = 0; i < study->count; i++) {
		study->runs[i].options.progress = progress_report;
		study->runs[i].options.progress_context = progress_run(progress, i);
	}
	return progress;
}

static void measure(void *context, size_t i)
{
	struct study *study = context;

	study->metrics[i] = metrics_audited(
		study->runs[i].journal, study->runs[i].policy->admission != NULL,
		study->until != CLOCK_NEVER ? study->until : study->window, &study->audits[i]);
}

/* The same run up to the first start of the job that waited longest, with what was said
 * to it. */
static void listen(void *context, size_t i)
{
	struct study *study = context;
	const struct batch_run *run = &study->runs[i];
	struct run_options options = run->options;
	struct err err;

	if (run->detail == JOURNAL_FULL || run->scenario->job_count > FULL_DETAIL_JOBS ||
	    run->journal->end == RUN_INTERRUPTED)
		return;
	options.heard = study->metrics[i]->longest;
	if (options.heard == JOB_NONE)
		return;
	if (study->metrics[i]->states[options.heard].first_start < options.max_time)
		options.max_time = study->metrics[i]->states[options.heard].first_start;
	options.progress = NULL;
	/* Without it the report only says less. */
	if (engine_run(run->scenario, run->policy, &options, JOURNAL_FACTS, &study->heard[i],
		       &err) != ERR_OK)
		study->heard[i] = NULL;
}

static void make_columns(struct study *study)
{
	study->columns = mem_calloc(study->count, sizeof(*study->columns));
	for (size_t i = 0; i < study->count; i++)
		study->columns[i] = (struct report_column){
			.title = study->titles[i],
			.policy = study->runs[i].policy,
			.options = &study->runs[i].options,
			.scenario = study->runs[i].scenario,
			.journal = study->runs[i].journal,
			.metrics = study->metrics[i],
			.heard = study->heard[i],
		};
}

/* Money is counted in int64 millionths of a dollar. */
static bool is_payable(const struct scenario *scenario, simtime window)
{
	simtime longest = window > MONEY_MONTH ? window : MONEY_MONTH;
	money hourly = 0;

	for (uint32_t i = 0; i < scenario->node_count; i++)
		hourly = res_add(hourly, scenario->nodes[i].micro_usd_per_hour);
	return hourly <= INT64_MAX / (longest / CLOCK_HOUR + 1);
}

enum err_code study_countable(const struct scenario *scenario, simtime window, struct err *err)
{
	char text[CLOCK_TEXT];
	int64_t gpus = scenario_gpus(scenario);

	if (!is_payable(scenario, window))
		return err_set(
			err, ERR_LIMIT, NULL, 0, 0,
			"all nodes over %s, or a month, cost more than 9,223,372,036,854 USD, "
			"which cannot be counted: are the prices an hour, in USD?",
			clock_format_human(window, text));
	if (gpus == 0 || window <= INT64_MAX / gpus)
		return ERR_OK;
	return err_set(err, ERR_LIMIT, NULL, 0, 0,
		       "%" PRId64 " GPUs over %s are more GPU-time than can be counted: are "
		       "times in seconds? Leave out jobs that come ages after the others "
		       "(gqsim trace slice --to)",
		       gpus, clock_format_human(window, text));
}

enum err_code study_run(struct study *study, const struct cmd_context *context, unsigned threads,
			bool quiet, struct err *err)
{
	struct progress *progress;
	enum err_code code;

	for (size_t i = 0; i < study->count; i++) {
		if (!study->live && input_need_jobs(study->runs[i].scenario, err) != ERR_OK)
			return err->code;
	}
	progress = watch(study, context, quiet);
	code = batch_execute(study->runs, study->count, threads, err);

	progress_free(progress);
	if (code != ERR_OK)
		return code;
	for (size_t i = 0; i < study->count; i++) {
		simtime window = metrics_window(study->runs[i].journal);

		study->window = window > study->window ? window : study->window;
	}
	for (size_t i = 0; i < study->count && code == ERR_OK; i++)
		code = study_countable(study->runs[i].scenario, study->window, err);
	if (code != ERR_OK)
		return code;
	study->metrics = mem_calloc(study->count, sizeof(*study->metrics));
	study->audits = mem_calloc(study->count, sizeof(*study->audits));
	batch_each(study->count, threads, measure, study);
	study->heard = mem_calloc(study->count, sizeof(struct journal *));
	batch_each(study->count, threads, listen, study);
	make_columns(study);
	return ERR_OK;
}

enum err_code study_chance(struct study *study, uint32_t seeds, unsigned threads, struct err *err)
{
	enum err_code code = ERR_OK;

	study->chances = mem_calloc(study->count, sizeof(*study->chances));
	for (size_t i = 0; i < study->count && code == ERR_OK; i++) {
		struct report_column *column = &study->columns[i];
		bool drain = column->policy->admission == NULL &&
			     column->scenario->job_count <= DRAIN_JOBS;

		if (!column->metrics->places_pods || !column->policy->placement->leaves_to_chance ||
		    column->journal->end != RUN_COMPLETE || (seeds == 0 && !drain))
			continue;
		code = chance_measure(column, seeds, drain, threads, &study->chances[i], err);
		column->chance = &study->chances[i];
	}
	return code;
}

const struct report_column *study_columns(const struct study *study, size_t *count)
{
	*count = study->count;
	return study->columns;
}

/* A run that breaks the rules is a bug of this program, not of its input. */
static void say_audit(const struct study *study, size_t i, const struct cmd_context *context)
{
	const struct audit *audit = &study->audits[i];
	char text[AUDIT_TEXT];

	fprintf(context->err, "gqsim: %s: the run fails its audit, %" PRIu64 " violation%s:\n",
		study->titles[i], audit->count, audit->count == 1 ? "" : "s");
	for (uint32_t k = 0; k < audit->listed_count; k++)
		fprintf(context->err, "  %s\n",
			audit_text(study->runs[i].journal, &audit->listed[k], text));
}

static void say_livelock(const struct study *study, size_t i, const struct cmd_context *context)
{
	const struct journal *j = study->runs[i].journal;
	char name[SCENARIO_NAME_TEXT], when[CLOCK_TEXT];

	fprintf(context->err,
		"gqsim: %s: livelock at %s s: jobs evict each other without end:", study->titles[i],
		clock_format_seconds(j->end_time, when));
	for (uint32_t k = 0; k < j->livelock_count && k < LIVELOCK_NAMES; k++)
		fprintf(context->err, " %s",
			scenario_job_name(j->scenario, j->livelock_jobs[k], name));
	if (j->livelock_count > LIVELOCK_NAMES)
		fprintf(context->err, " and %" PRIu32 " more", j->livelock_count - LIVELOCK_NAMES);
	putc('\n', context->err);
}

int study_verdict(const struct study *study, const struct cmd_context *context)
{
	int result = CMD_OK;

	for (size_t i = 0; i < study->count; i++) {
		enum run_end end = study->runs[i].journal->end;

		if (study->audits[i].count > 0) {
			say_audit(study, i, context);
			result = result == CMD_OK ? CMD_FINDINGS : result;
		}
		if (end == RUN_LIVELOCK) {
			say_livelock(study, i, context);
			result = result == CMD_OK ? CMD_FINDINGS : result;
		}
		if (end == RUN_INTERRUPTED || (study->chances != NULL && study->chances[i].stopped))
			result = CMD_INTERRUPTED;
	}
	return result;
}

/* ---- policies ---- */

const char *study_policy_title(const struct policy_row *policy)
{
	static const struct {
		const char *name, *title;
	} titles[] = {{"kubernetes", "plain Kubernetes"},
		      {"resourcequota", "ResourceQuota"},
		      {"kueue", "Kueue"}};

	for (size_t i = 0; i < sizeof(titles) / sizeof(titles[0]); i++) {
		if (strcmp(policy->name, titles[i].name) == 0)
			return titles[i].title;
	}
	return policy->name;
}

enum err_code study_policy(const char *name, size_t len, const struct policy_row **out,
			   struct err *err)
{
	char wanted[64];
	struct nearest nearest;

	snprintf(wanted, sizeof(wanted), "%.*s", (int)(len < 63 ? len : 63), name);
	*out = policy_find(wanted);
	if (*out != NULL)
		return ERR_OK;
	nearest_begin(&nearest, wanted);
	for (const struct policy_row *row = policy_rows(); row->name != NULL; row++)
		nearest_offer(&nearest, row->name);
	if (nearest.best != NULL)
		return err_set(err, ERR_UNKNOWN, NULL, 0, 0,
			       "no policy \"%s\"; did you mean \"%s\"? (gqsim list policies)",
			       wanted, nearest.best);
	return err_set(err, ERR_UNKNOWN, NULL, 0, 0, "no policy \"%s\" (gqsim list policies)",
		       wanted);
}

enum journal_detail study_detail(const struct scenario *scenario, const struct policy_row *policy,
				 bool logs)
{
	return logs || (policy->admission != NULL && scenario->job_count <= FULL_DETAIL_JOBS)
		       ? JOURNAL_FULL
		       : JOURNAL_FACTS;
}

enum err_code study_threads(const struct cmd_args *args, unsigned *out, struct err *err)
{
	const char *text = cmd_value(args, "jobs");
	long online = sysconf(_SC_NPROCESSORS_ONLN);
	uint32_t n = online > 0 ? (uint32_t)online : 1;

	if (text != NULL && (!num_read_u32(text, strlen(text), &n) || n == 0))
		return err_set(err, ERR_USAGE, NULL, 0, 0,
			       "-j %.100s: the number of runs at once is 1 or more", text);
	*out = n;
	return ERR_OK;
}

enum err_code study_format(const struct cmd_args *args, const struct study_format *rows,
			   const struct study_format **out, struct err *err)
{
	const char *name = cmd_value(args, "output");

	for (const struct study_format *row = rows; row->name != NULL; row++) {
		if (name == NULL || strcmp(row->name, name) == 0) {
			*out = row;
			return ERR_OK;
		}
	}
	return err_set(err, ERR_USAGE, NULL, 0, 0,
		       "-o %.100s: the formats are table, wide, json and csv", name);
}
