#include <stdio.h>
#include <string.h>

#include "sim/input/cmd.h"
#include "sim/lint/check_output.h"
#include "sim/scenario/finding_rules.h"
#include "sim/tool/nearest.h"

/* What a check has come to so far. */
struct checking {
	const struct cmd_context *context;
	const char *skip; /* rules by commas; NULL */
	struct check_output output;
	uint32_t errors;
	bool unread; /* a file could not be read, or the command line is wrong */
};

/* What is done about an error of which nobody said more. */
static const char *fix_of(const struct err *err)
{
	switch (err->code) {
	case ERR_OK:
		break;
	case ERR_USAGE:
		return err->file != NULL ? "name the files that belong together in one command"
					 : "see gqsim help check";
	case ERR_IO:
		return "correct the name of the file, or its permissions";
	case ERR_SYNTAX:
		return err->line != 0 ? "correct it there: the rest of this document is not read"
				      : "make the file anew, whole: what is damaged or missing is "
					"not read";
	case ERR_VALUE:
		return "correct the value: until then the object is refused, and left out here";
	case ERR_UNKNOWN:
		return "write a name that there is: until then the object is left out here";
	case ERR_DUPLICATE:
		return "keep one of the two: until then the object is refused, and left out here";
	case ERR_LIMIT:
		return "stay within the limit: until then it is left out here";
	}
	return NULL;
}

static void put_error(void *context, const struct err *err)
{
	struct checking *check = context;
	char text[1024];

	err_format(err, text, sizeof(text));
	check_output_put(&check->output,
			 &(struct check_finding){.kind = "error",
						 .rule = "input-error",
						 .text = text,
						 .sentence = err->msg,
						 .fix = err->fix != NULL ? err->fix : fix_of(err),
						 .file = err->file,
						 .line = err->line,
						 .column = err->column});
	check->errors++;
	check->unread = check->unread || err->code == ERR_IO ||
			(err->code == ERR_USAGE && err->file == NULL);
}

struct finding_word {
	const char *kind;
	const char *rule; /* of findings that name none */
};

static struct finding_word word_of(enum finding_kind kind)
{
	switch (kind) {
	case FINDING_WARNING:
		return (struct finding_word){"warning", "input-warning"};
	case FINDING_ERROR:
		return (struct finding_word){"error", "input-error"};
	case FINDING_NOT_MODELLED:
		return (struct finding_word){"not modelled", "not-modelled"};
	case FINDING_NOTE:
		return (struct finding_word){"note", "input-note"};
	case FINDING_ADVICE:
		return (struct finding_word){"advice", "advice"};
	}
	return (struct finding_word){"", ""};
}

/* Is the rule among the words between commas? */
static bool skipped(const char *list, const char *rule)
{
	size_t len = strlen(rule);

	for (const char *at = list; at != NULL && *at != '\0'; at += strcspn(at, ",")) {
		at += *at == ',';
		if (strcspn(at, ",") == len && strncmp(at, rule, len) == 0)
			return true;
	}
	return false;
}

/* A word of the list that is no rule would leave out nothing, in silence. */
static enum err_code check_skip(const char *list, struct err *err)
{
	for (const char *at = list; at != NULL && *at != '\0'; at += *at == ',') {
		size_t len = strcspn(at, ",");
		char word[64];
		struct nearest nearest;

		if (!finding_rules_has(at, len)) {
			snprintf(word, sizeof(word), "%.*s", (int)len, at);
			nearest_begin(&nearest, word);
			for (const struct finding_rule_row *row = finding_rules();
			     row->name != NULL; row++)
				nearest_offer(&nearest, row->name);
			return err_set(err, ERR_USAGE, NULL, 0, 0,
				       "--skip: there is no rule \"%s\"%s%s%s (gqsim list rules "
				       "names them)",
				       word, nearest.best != NULL ? "; did you mean \"" : "",
				       nearest.best != NULL ? nearest.best : "",
				       nearest.best != NULL ? "\"?" : "");
		}
		at += len;
	}
	return ERR_OK;
}

static const char *text_or_null(const struct name_table *strings, uint32_t index)
{
	return index != NAME_NONE ? name_text(strings, index) : NULL;
}

/* True: it was printed. */
static bool put_finding(struct checking *check, const struct name_table *strings,
			const struct finding *finding)
{
	struct finding_word word = word_of(finding->kind);
	const char *text = name_text(strings, finding->text);
	const char *rule = text_or_null(strings, finding->rule);
	struct check_finding f = {
		.kind = word.kind,
		.rule = rule != NULL ? rule : word.rule,
		.text = text,
		.sentence = text + finding->sentence,
		.fix = text_or_null(strings, finding->fix),
		.file = text_or_null(strings, finding->file),
		.line = (long)finding->line,
		.column = (long)finding->column,
	};

	if (skipped(check->skip, f.rule))
		return false;
	check_output_put(&check->output, &f);
	return true;
}

/* Those of one kind; how many. */
static uint32_t put_findings(struct checking *check, const struct scenario *s,
			     enum finding_kind kind)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < s->finding_count; i++) {
		if (s->findings[i].kind == kind)
			count += put_finding(check, s->strings, &s->findings[i]);
	}
	return count;
}

static void count_text(const struct scenario *s, uint32_t errors, uint32_t warnings,
		       uint32_t advice, char *buf, size_t size)
{
	char error_text[40] = "", room[40] = "no placement";
	uint32_t nodes = scenario_nodes(s);
	long long gpus = (long long)scenario_gpus(s);

	if (s->node_count != 0)
		snprintf(room, sizeof(room), "%lld GPU%s", gpus, gpus == 1 ? "" : "s");
	if (errors != 0)
		snprintf(error_text, sizeof(error_text), "%u error%s, ", errors,
			 errors == 1 ? "" : "s");
	snprintf(buf, size,
		 "%u job%s, %u ClusterQueue%s, %u flavor%s, %u node%s (%s): %s%u warning%s, "
		 "%u advice",
		 s->job_count, s->job_count == 1 ? "" : "s", s->cluster_queue_count,
		 s->cluster_queue_count == 1 ? "" : "s", s->flavor_count,
		 s->flavor_count == 1 ? "" : "s", nodes, nodes == 1 ? "" : "s", room, error_text,
		 warnings, warnings == 1 ? "" : "s", advice);
}

/* Loads and prints; the exit code. */
static int check_input(struct checking *check, struct input_request *request)
{
	struct scenario *scenario = NULL;
	struct err err = {.code = ERR_OK};
	uint32_t warnings, advice;
	char summary[300];
	int status;

	request->report = put_error;
	request->report_context = check;
	if (input_load(request, &scenario, NULL, &err) != ERR_OK) {
		put_error(check, &err);
		check_output_end(&check->output, NULL, CMD_USAGE);
		return CMD_USAGE;
	}
	check->errors += put_findings(check, scenario, FINDING_ERROR);
	put_findings(check, scenario, FINDING_NOTE);
	put_findings(check, scenario, FINDING_NOT_MODELLED);
	warnings = put_findings(check, scenario, FINDING_WARNING);
	advice = put_findings(check, scenario, FINDING_ADVICE);
	count_text(scenario, check->errors, warnings, advice, summary, sizeof(summary));
	scenario_free(scenario);
	status = check->errors + warnings + advice != 0 ? CMD_FINDINGS : CMD_OK;
	status = check->unread ? CMD_USAGE : status;
	check_output_end(&check->output, summary, status);
	return status;
}

static int run_check(const struct cmd_context *context, const struct cmd_args *args)
{
	const char *format = cmd_value(args, "output");
	struct checking check = {.context = context, .skip = cmd_value(args, "skip")};
	struct cmd_input input;
	struct err err;
	int status;

	if (check_skip(check.skip, &err) != ERR_OK)
		return cmd_fail(context, &err);
	cmd_input(args, args->operand_count, &input);
	if (input.request.file_count == 0 && input.request.trace == NULL) {
		cmd_input_free(&input);
		err_set(&err, ERR_USAGE, NULL, 0, 0, "name the files to be checked");
		return cmd_fail(context, &err);
	}
	if (!check_output_begin(&check.output, format, context->out)) {
		cmd_input_free(&input);
		err_set(&err, ERR_USAGE, NULL, 0, 0, "-o %.100s: the formats are " CHECK_FORMATS,
			format);
		return cmd_fail(context, &err);
	}
	status = check_input(&check, &input.request);
	cmd_input_free(&input);
	return status;
}

static const struct cmd_option options[] = {
	{"output", 'o', "FORMAT", CHECK_FORMATS, "table json sarif"},
	{"skip", 0, "RULES", "leave out findings of these rules, by commas (gqsim list rules)",
	 NULL},
	{NULL, 0, NULL, NULL, NULL},
};

const struct cmd_row cmd_check_row = {
	.name = "check",
	.synopsis = "FILE... [options]",
	.summary = "what of the input is wrong, or cannot work",
	.help = "Reads the input as the other commands do, simulates nothing, and prints what\n"
		"is wrong with it, each with its place, what will happen, and the fix: errors\n"
		"(all of them, not only the first; what has one is left out of the rest, and\n"
		"so are rules that it might have spoken against); warnings about what the\n"
		"real systems take but what cannot work, such as jobs that never fit, flavors\n"
		"whose labels no node carries, quota above the hardware, fields that the API\n"
		"server would drop; and advice about what works, but seldom as meant, such as\n"
		"a queue that lends and never reclaims.\n"
		"\n"
		"Exit code: 0 nothing to mend (notes, and what is not modelled, are nothing to\n"
		"mend), 1 errors, warnings or advice, 2 a file cannot be read, or the command\n"
		"line is wrong.\n"
		"\n"
		"-o json writes {\"schemaVersion\": 1, \"gqsim\": VERSION, \"findings\": [...],\n"
		"\"exitCode\": N}; a finding has kind (error, warning, not modelled, note,\n"
		"advice), rule (gqsim list rules), text (FILE:LINE:COLUMN: message), message,\n"
		"fix, and file, line and column where there are any. Keys may be added, none\n"
		"goes or changes while schemaVersion stays. -o sarif is SARIF 2.1.0.\n"
		"\n"
		"Examples:\n"
		"    gqsim check cluster/\n"
		"    gqsim check queues.yaml jobs.csv --strict\n"
		"    gqsim check cluster/ --skip queue-without-cohort,no-local-queue\n"
		"    gqsim check cluster/ -o sarif > gqsim.sarif\n"
		"    kubectl get clusterqueues,localqueues,resourceflavors -A -o yaml | gqsim "
		"check -\n",
	.options = options,
	.groups = CMD_INPUT,
	.run = run_check,
};
