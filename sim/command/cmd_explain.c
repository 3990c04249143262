#include <string.h>

#include "sim/explain/explain.h"
#include "sim/study/study.h"
#include "sim/tool/human.h"
#include "sim/tool/jsonw.h"
#include "sim/tool/table.h"

#define INDENT 2

/* ---- for people ---- */

static void print_lines(FILE *out, const char *title, const struct explain_lines *lines)
{
	if (lines->count == 0)
		return;
	fprintf(out, "\n%s\n", title);
	for (size_t i = 0; i < lines->count; i++) {
		fprintf(out, "%*s", INDENT, "");
		table_paragraph(out, INDENT, lines->items[i]);
	}
}

static void print_when(FILE *out, const struct explain *e, const struct replay_job *state)
{
	char when[HUMAN_TEXT];

	if (e->before_start)
		fprintf(out, "before it started at %s", human_time(state->first_start, when));
	else
		fprintf(out, "at %s", human_time(e->at, when));
}

static void print_explanation(FILE *out, const struct report_column *column,
			      const struct explain *e)
{
	const struct metrics *m = column->metrics;
	const struct scenario *s = column->scenario;
	char name[SCENARIO_NAME_TEXT];

	fprintf(out, "%s/%s (%s, %s) ", scenario_string(s, s->jobs[e->job].common->ns),
		scenario_job_name(s, e->job, name), m->teams[m->team_of[e->job]].name,
		column->title);
	print_when(out, e, &m->states[e->job]);
	fprintf(out, ": %s\n", explain_state_text(e->state));
	if (e->class != EXPLAIN_NONE)
		table_paragraph(out, 0, e->class_text);
	if (e->reason[0] != '\0') {
		fprintf(out, "\nThe scheduler's words, %s:\n%*s", e->reason, INDENT, "");
		table_paragraph(out, INDENT, e->message);
	}
	print_lines(out, "What it asks for against what there is:", &e->use);
	print_lines(out,
		    "The smallest change of quota that would admit it (nodes and its queue's order "
		    "aside):",
		    &e->change);
	print_lines(out, "What happened to it:", &e->history);
}

/* ---- for programs ---- */

static void json_lines(struct jsonw *json, const char *key, const struct explain_lines *lines)
{
	jsonw_array(json, key);
	for (size_t i = 0; i < lines->count; i++)
		jsonw_text(json, NULL, lines->items[i]);
	jsonw_close_array(json);
}

static void print_json(FILE *out, const struct report_column *column, const struct explain *e)
{
	const struct scenario *s = column->scenario;
	char name[SCENARIO_NAME_TEXT];
	struct jsonw json;

	jsonw_begin(&json, out);
	jsonw_integer(&json, "schemaVersion", 1);
	jsonw_text(&json, "tool", "gqsim");
	jsonw_text(&json, "version", GQSIM_VERSION);
	jsonw_text(&json, "policy", column->policy->name);
	jsonw_text(&json, "namespace", scenario_string(s, s->jobs[e->job].common->ns));
	jsonw_text(&json, "job", scenario_job_name(s, e->job, name));
	jsonw_seconds(&json, "at_s", e->at);
	jsonw_text(&json, "state", explain_state_text(e->state));
	jsonw_text(&json, "class", explain_class_text(e->class));
	jsonw_text(&json, "because", e->class_text != NULL ? e->class_text : "");
	jsonw_text(&json, "reason", e->reason);
	jsonw_text(&json, "message", e->message);
	json_lines(&json, "use", &e->use);
	json_lines(&json, "change", &e->change);
	json_lines(&json, "history", &e->history);
	jsonw_end(&json);
}

/* ---- the command ---- */

static enum err_code read_at(const struct cmd_args *args, simtime *at, struct err *err)
{
	const char *text = cmd_value(args, "at");

	*at = CLOCK_NEVER;
	if (text != NULL && !clock_read_duration(text, strlen(text), at))
		return err_set(err, ERR_USAGE, NULL, 0, 0,
			       "--at %.100s: not a time such as 90, 15m or 1h30m", text);
	return ERR_OK;
}

/* The last operand is the job; the others, and -f, are files. */
static enum err_code check_operands(const struct cmd_args *args, struct err *err)
{
	bool files =
		args->operand_count > 1 || cmd_given(args, "filename") || cmd_given(args, "trace");

	if (args->operand_count > 0 && files)
		return ERR_OK;
	return err_set(err, ERR_USAGE, NULL, 0, 0,
		       "files and a job are needed: gqsim explain FILE... JOB");
}

/* JOB, or NAMESPACE/JOB where -n says so. */
static enum err_code find_job(const struct cmd_args *args, const struct scenario *scenario,
			      uint32_t *job, struct err *err)
{
	const char *name = args->operands[args->operand_count - 1];
	const char *ns = cmd_value(args, "namespace");
	char text[640];

	if (ns == NULL)
		return explain_find(scenario, name, job, err);
	snprintf(text, sizeof(text), "%s/%s", ns, name);
	return explain_find(scenario, text, job, err);
}

static enum err_code simulate(const struct cmd_context *context, const struct cmd_args *args,
			      struct study *study, uint32_t *job, struct err *err)
{
	const char *name = cmd_value(args, "policy");
	const struct policy_row *policy = NULL;
	struct cmd_input input;
	struct scenario *scenario = NULL;
	struct run_options options;
	enum err_code code;

	name = name == NULL ? "kueue" : name;
	code = study_policy(name, strlen(name), &policy, err);
	if (code != ERR_OK)
		return code;
	cmd_input(args, args->operand_count - 1, &input);
	code = input_load(&input.request, &scenario, NULL, err);
	cmd_input_free(&input);
	if (code != ERR_OK)
		return code;
	study_own(study, scenario);
	code = find_job(args, scenario, job, err);
	if (code == ERR_OK)
		code = cmd_run_options(args, scenario, &options, err);
	if (code != ERR_OK)
		return code;
	study_add(study, study_policy_title(policy), policy, scenario, &options, JOURNAL_FULL);
	return study_run(study, context, 1, false, err);
}

static int run_explain(const struct cmd_context *context, const struct cmd_args *args)
{
	struct study *study = study_new();
	const struct report_column *column;
	struct explain *explanation = NULL;
	size_t count;
	simtime at = CLOCK_NEVER;
	uint32_t job = JOB_NONE;
	bool json = false;
	struct err err;
	enum err_code code = check_operands(args, &err);
	int result;

	if (code == ERR_OK)
		code = cmd_text_or_json(args, &json, &err);
	if (code == ERR_OK)
		code = read_at(args, &at, &err);
	if (code == ERR_OK)
		code = simulate(context, args, study, &job, &err);
	if (code == ERR_OK) {
		column = study_columns(study, &count);
		explanation = explain_new(column, job, at);
		cmd_tell(context, column->scenario);
		if (json)
			print_json(context->out, column, explanation);
		else
			print_explanation(context->out, column, explanation);
	}
	result = code == ERR_OK ? study_verdict(study, context) : cmd_fail(context, &err);
	explain_free(explanation);
	study_free(study);
	return result;
}

static const struct cmd_option options[] = {
	{"at", 0, "TIME", "look at this time (default: the end, or just before its first start)",
	 NULL},
	{"policy", 'p', "POLICY", "kueue (the default) or kubernetes", "@policies"},
	{"namespace", 'n', "NAMESPACE", "of the job, where its name alone is not enough", NULL},
	{"output", 'o', "FORMAT", "print text or json (default text)", "text json"},
	{NULL, 0, NULL, NULL, NULL},
};

const struct cmd_row cmd_explain_row = {
	.name = "explain",
	.synopsis = "FILE... JOB [options]",
	.summary = "why a job waits, until what, and what would let it in",
	.help = "Runs the jobs and looks at one of them: the scheduler's own reason and message,\n"
		"what it asks for against what its queue may use, whom or what it waits for,\n"
		"the smallest change that would admit it, and everything that happened to it.\n"
		"JOB is a name or namespace/name.\n"
		"\n"
		"It waits in one of three ways:\n"
		"  never     it asks for more than its queue could ever use, no flavor matches, "
		"the\n"
		"            queue is stopped, or it is deadlocked\n"
		"  behind Y  the head of its StrictFIFO queue, or an earlier job that asks the "
		"same\n"
		"  until X   the finish or the reclaim that lets it in\n"
		"\n"
		"Examples:\n"
		"    gqsim explain cluster.yaml jobs.csv team-a/train-7\n"
		"    gqsim explain cluster.yaml jobs.csv train-7 --at 2h\n"
		"    gqsim explain -p kubernetes cluster.yaml jobs.csv train-7\n",
	.options = options,
	.groups = CMD_INPUT | CMD_RUN,
	.run = run_explain,
};
