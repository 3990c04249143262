#include <string.h>

#include "core/num.h"
#include "sim/study/report_sizing.h"
#include "sim/study/sizing_run.h"
#include "sim/study/study.h"

#define DEFAULT_POLICY	     "kueue"
#define DEFAULT_LOW	     50 /* per cent */
#define DEFAULT_REPLICATIONS 5
#define MAX_REPLICATIONS     1000
#define MORE_REPLICATIONS    4 /* times as many, where they leave it open */
#define MAX_NODES	     1000000
#define DEFAULT_NOTEBOOKS    "*notebook*,*jupyter*"
#define DEFAULT_TIMEOUT	     "30m"
#define DEFAULT_SPOT	     "24h"

struct planning {
	const struct cmd_args *args;
	struct goals goals;
	struct sizing_request request;
};

static const struct {
	const char *name;
	void (*write)(FILE *out, const struct sizing *sizing);
	bool bare; /* figures only: findings are to be told beside it */
} formats[] = {
	{"table", report_sizing_write, false},
	{"json", report_sizing_json, false},
	{"csv", report_sizing_csv, true},
};
#define FORMATS (sizeof(formats) / sizeof(formats[0]))

static enum err_code read_format(const struct cmd_args *args, size_t *out, struct err *err)
{
	const char *name = cmd_value(args, "output");

	for (*out = 0; *out < FORMATS; ++*out)
		if (name == NULL || strcmp(formats[*out].name, name) == 0)
			return ERR_OK;
	return err_set(err, ERR_USAGE, NULL, 0, 0, "-o %.100s: the formats are table, json and csv",
		       name);
}

static enum err_code read_goals(struct planning *p, struct err *err)
{
	enum err_code code = ERR_OK;

	for (size_t i = 0; i < p->args->setting_count && code == ERR_OK; i++)
		if (strcmp(p->args->settings[i].name, "target") == 0)
			code = goal_add(&p->goals, p->args->settings[i].value, err);
	if (code == ERR_OK && p->goals.count == 0)
		code = err_set(err, ERR_USAGE, NULL, 0, 0,
			       "what is to be reached? Give --target p95-wait=15m, or of one team "
			       "--target research:p95-wait=10m");
	return code;
}

static enum err_code read_number(const struct cmd_args *args, const char *name, uint32_t least,
				 uint32_t most, uint32_t *out, struct err *err)
{
	const char *text = cmd_value(args, name);

	if (text != NULL && (!num_read_u32(text, strlen(text), out) || *out < least || *out > most))
		return err_set(err, ERR_USAGE, NULL, 0, 0,
			       "--%s %.100s: a whole number from %u to %u", name, text, least,
			       most);
	return ERR_OK;
}

/* Fewer at most than are run by default are what is run. */
static enum err_code read_most(const struct cmd_args *args, struct sizing_request *r,
			       struct err *err)
{
	enum err_code code;

	r->most_replications = r->replications * MORE_REPLICATIONS;
	if (r->most_replications > MAX_REPLICATIONS)
		r->most_replications = MAX_REPLICATIONS;
	if (cmd_given(args, "max-replications") && r->replications == 0)
		return err_set(err, ERR_USAGE, NULL, 0, 0,
			       "--max-replications: --replications 0 asks for none");
	code = read_number(args, "max-replications", 1, MAX_REPLICATIONS, &r->most_replications,
			   err);
	if (code != ERR_OK || r->most_replications >= r->replications)
		return code;
	if (cmd_given(args, "replications"))
		return err_set(err, ERR_USAGE, NULL, 0, 0,
			       "--max-replications %u: fewer than --replications %u",
			       r->most_replications, r->replications);
	r->replications = r->most_replications;
	return ERR_OK;
}

static enum err_code read_low(const struct cmd_args *args, double *out, struct err *err)
{
	const char *text = cmd_value(args, "low-utilisation");
	double percent = DEFAULT_LOW;

	if (text != NULL &&
	    (!num_read_double(text, strcspn(text, "%"), &percent) || percent < 0 || percent > 100 ||
	     (text[strcspn(text, "%")] == '%' && text[strcspn(text, "%") + 1] != '\0')))
		return err_set(err, ERR_USAGE, NULL, 0, 0,
			       "--low-utilisation %.100s: per cent, from 0 to 100", text);
	*out = percent / 100;
	return ERR_OK;
}

static enum err_code read_timeout(const struct cmd_args *args, const char **out, struct err *err)
{
	const char *text = cmd_value(args, "idle-timeout");
	simtime time;

	*out = text == NULL ? DEFAULT_TIMEOUT : text;
	if (!clock_read_duration(*out, strlen(*out), &time))
		return err_set(err, ERR_USAGE, NULL, 0, 0,
			       "--idle-timeout %.100s: a time such as 30m", *out);
	return ERR_OK;
}

/* 0: no spot nodes are tried. */
static enum err_code read_spot(const struct cmd_args *args, const char **out, struct err *err)
{
	const char *text = cmd_value(args, "spot-lost-every");
	simtime time;

	text = text == NULL ? DEFAULT_SPOT : text;
	if (!clock_read_duration(text, strlen(text), &time) || (time > 0 && time < CLOCK_MINUTE))
		return err_set(
			err, ERR_USAGE, NULL, 0, 0,
			"--spot-lost-every %.100s: a time of a minute or more, such as 24h; 0 "
			"for no spot nodes",
			text);
	*out = time == 0 ? NULL : text;
	return ERR_OK;
}

static enum err_code read_budget(const struct cmd_args *args, money *out, struct err *err)
{
	const char *text = cmd_value(args, "budget");

	*out = -1;
	return text == NULL ? ERR_OK : goal_read_budget(text, out, err);
}

/* The input is read anew for each trial. */
static enum err_code check_input(const struct cmd_args *args, struct err *err)
{
	bool standard = false;

	if (args->operand_count == 0 && !cmd_given(args, "filename") && !cmd_given(args, "trace"))
		return err_set(err, ERR_USAGE, NULL, 0, 0,
			       "what is to be planned? Give files with objects and jobs, or "
			       "--trace FILE");
	for (size_t i = 0; i < args->operand_count; i++)
		standard = standard || strcmp(args->operands[i], "-") == 0;
	for (size_t i = 0; i < args->setting_count; i++)
		standard = standard || (args->settings[i].value != NULL &&
					strcmp(args->settings[i].value, "-") == 0);
	if (standard)
		return err_set(err, ERR_USAGE, NULL, 0, 0,
			       "standard input can be read once only: plan reads its input again "
			       "for each run, so put it into a file");
	return ERR_OK;
}

static enum err_code read_request(struct planning *p, struct err *err)
{
	const char *policy = cmd_value(p->args, "policy");
	struct sizing_request *r = &p->request;
	enum err_code code = check_input(p->args, err);

	r->replications = DEFAULT_REPLICATIONS;
	r->notebooks = cmd_value(p->args, "notebooks");
	r->notebooks = r->notebooks == NULL ? DEFAULT_NOTEBOOKS : r->notebooks;
	r->quiet = cmd_given(p->args, "quiet");
	if (code == ERR_OK)
		code = read_spot(p->args, &r->spot_every, err);
	policy = policy == NULL ? DEFAULT_POLICY : policy;
	if (code == ERR_OK)
		code = study_policy(policy, strlen(policy), &r->setup.policy, err);
	if (code == ERR_OK)
		code = read_goals(p, err);
	if (code == ERR_OK)
		code = read_budget(p->args, &r->budget, err);
	if (code == ERR_OK)
		code = read_low(p->args, &r->low, err);
	if (code == ERR_OK)
		code = read_timeout(p->args, &r->idle_timeout, err);
	if (code == ERR_OK)
		code = read_number(p->args, "max-nodes", 1, MAX_NODES, &r->most_nodes, err);
	if (code == ERR_OK)
		code = read_number(p->args, "replications", 0, MAX_REPLICATIONS, &r->replications,
				   err);
	if (code == ERR_OK)
		code = read_most(p->args, r, err);
	return code == ERR_OK ? study_threads(p->args, &r->threads, err) : code;
}

static int verdict_code(const struct sizing *sizing)
{
	if (sizing->partial)
		return CMD_INTERRUPTED;
	return sizing->verdict == SIZING_BUDGET || sizing->verdict == SIZING_NEVER ? CMD_FINDINGS
										   : CMD_OK;
}

static int run_plan(const struct cmd_context *context, const struct cmd_args *args)
{
	struct planning p = {.args = args, .request = {.setup = {context, args, NULL, NULL}}};
	struct sizing sizing;
	struct err err;
	size_t format;
	enum err_code code = read_format(args, &format, &err);
	int result;

	p.request.setup.goals = &p.goals;
	if (code == ERR_OK)
		code = read_request(&p, &err);
	if (code != ERR_OK)
		return cmd_fail(context, &err);
	code = sizing_run(&p.request, &sizing, &err);
	if (code == ERR_OK) {
		if (formats[format].bare)
			cmd_tell(context, sizing.scenario);
		formats[format].write(context->out, &sizing);
		result = verdict_code(&sizing);
	} else {
		result = cmd_fail(context, &err);
	}
	sizing_free(&sizing);
	return result;
}

static const struct cmd_option options[] = {
	{"target", 0, "[TEAM:]FIGURE=TIME",
	 "what is to be reached: p50-wait, p95-wait, p99-wait or mean-wait, of all jobs or of a "
	 "team; may be repeated",
	 NULL},
	{"budget", 0, "USD/month", "the most that nodes may cost more than today (needs prices)",
	 NULL},
	{"policy", 'p', "NAME", "who decides (default kueue)", "@policies"},
	{"low-utilisation", 0, "PERCENT",
	 "below it in a typical week nothing is to be bought (default 50)", NULL},
	{"notebooks", 0, "PATTERN,...",
	 "jobs that people leave idle, by NAMESPACE/NAME (default *notebook*,*jupyter*)", NULL},
	{"idle-timeout", 0, "TIME", "after which such a job could be stopped (default 30m)", NULL},
	{"spot-lost-every", 0, "TIME",
	 "how often a spot node is taken away, on average (default 24h; 0: try none)", NULL},
	{"max-nodes", 0, "N", "search no more nodes of a kind (default: the peak of the demand)",
	 NULL},
	{"replications", 0, "N", "run each answer again with N random tie-breaks (default 5)",
	 NULL},
	{"max-replications", 0, "N",
	 "and up to N while they leave open whether it meets the target (default: four times as "
	 "many)",
	 NULL},
	{"output", 'o', "FORMAT", "print a table, json or csv (default table)", "table json csv"},
	{"jobs", 'j', "N", "runs at once (default: one a processor)", NULL},
	{"quiet", 'q', NULL, "no progress on the terminal", NULL},
	{NULL, 0, NULL, NULL, NULL},
};

const struct cmd_row cmd_plan_row = {
	.name = "plan",
	.synopsis = "FILE... --target p95-wait=15m [options]",
	.summary = "buy, or tune? what meets a target for the least",
	.help = "Finds the best setting on the hardware that is there, trying what can be "
		"changed,\n"
		"cheapest first; then the fewest nodes of each kind that meet the target. Says\n"
		"which to do in one sentence, with the figures that a purchase request needs, and\n"
		"the command that shows the answer. Exit code 1: the target cannot be met.\n"
		"\n"
		"Examples:\n"
		"  Is it quota, or are there too few GPUs?\n"
		"    gqsim plan queues.yaml jobs/ --target p95-wait=15m\n"
		"  A trace, and what it would cost:\n"
		"    gqsim plan --trace philly.csv --nodes h100=64x8 --target p95-wait=1h \\\n"
		"        --prices scenarios/prices/aws.yaml --budget '500000 USD/month'\n"
		"  One team more than the others:\n"
		"    gqsim plan queues.yaml jobs/ --target p95-wait=1h \\\n"
		"        --target research:p95-wait=10m\n",
	.options = options,
	.groups = CMD_INPUT | CMD_RUN,
	.run = run_plan,
};
