#include <stdio.h>
#include <string.h>

#include "sim/cmd.h"
#include "sim/jsonw.h"

/* What a check has come to so far. */
struct tally_of_check {
	const struct cmd_context *context;
	bool json;
	uint32_t errors;
	struct jsonw writer;
};

static void put(struct tally_of_check *check, const char *kind, const char *text)
{
	if (!check->json) {
		fprintf(check->context->out, "%s: %s\n", kind, text);
		return;
	}
	jsonw_object(&check->writer, NULL);
	jsonw_text(&check->writer, "kind", kind);
	jsonw_text(&check->writer, "text", text);
	jsonw_close_object(&check->writer);
}

static void put_error(void *context, const struct err *err)
{
	struct tally_of_check *check = context;
	char text[1024];

	err_format(err, text, sizeof(text));
	put(check, "error", text);
	check->errors++;
}

static const char *kind_word(enum finding_kind kind)
{
	switch (kind) {
	case FINDING_WARNING:
		return "warning";
	case FINDING_NOT_MODELLED:
		return "not modelled";
	case FINDING_NOTE:
		return "note";
	}
	return "";
}

static uint32_t put_findings(struct tally_of_check *check, const struct scenario *scenario)
{
	uint32_t warnings = 0;

	for (uint32_t i = 0; i < scenario->finding_count; i++) {
		const struct finding *finding = &scenario->findings[i];

		put(check, kind_word(finding->kind), scenario_string(scenario, finding->text));
		warnings += finding->kind == FINDING_WARNING;
	}
	return warnings;
}

static void put_counts(const struct cmd_context *context, const struct scenario *scenario,
		       uint32_t warnings)
{
	fprintf(context->out,
		"%u job%s, %u ClusterQueue%s, %u flavor%s, %u node%s (%lld GPUs): %u warning%s\n",
		scenario->job_count, scenario->job_count == 1 ? "" : "s",
		scenario->cluster_queue_count, scenario->cluster_queue_count == 1 ? "" : "s",
		scenario->flavor_count, scenario->flavor_count == 1 ? "" : "s",
		scenario->node_count, scenario->node_count == 1 ? "" : "s",
		(long long)scenario_gpus(scenario), warnings, warnings == 1 ? "" : "s");
}

/* Loads and prints; the exit code. */
static int check_input(struct tally_of_check *check, struct input_request *request)
{
	struct scenario *scenario = NULL;
	struct err err = {.code = ERR_OK};
	uint32_t warnings;

	request->report = put_error;
	request->report_context = check;
	if (input_load(request, &scenario, NULL, &err) != ERR_OK)
		return CMD_USAGE;
	warnings = put_findings(check, scenario);
	if (!check->json)
		put_counts(check->context, scenario, warnings);
	scenario_free(scenario);
	return warnings != 0 ? CMD_FINDINGS : CMD_OK;
}

static int check_json(struct tally_of_check *check, struct input_request *request)
{
	struct jsonw *json = &check->writer;
	int status;

	jsonw_begin(json, check->context->out);
	jsonw_integer(json, "schemaVersion", 1);
	jsonw_text(json, "gqsim", GQSIM_VERSION);
	jsonw_array(json, "findings");
	status = check_input(check, request);
	jsonw_close_array(json);
	jsonw_integer(json, "exitCode", status);
	jsonw_end(json);
	return status;
}

static int run_check(const struct cmd_context *context, const struct cmd_args *args)
{
	const char *format = cmd_value(args, "output");
	struct tally_of_check check = {.context = context};
	struct cmd_input input;
	struct err err;
	int status;

	if (format != NULL && strcmp(format, "table") != 0 && strcmp(format, "json") != 0) {
		err_set(&err, ERR_USAGE, NULL, 0, 0, "-o %.100s: the formats are table and json",
			format);
		return cmd_fail(context, &err);
	}
	cmd_input(args, args->operand_count, &input);
	if (input.request.file_count == 0 && input.request.trace == NULL) {
		cmd_input_free(&input);
		err_set(&err, ERR_USAGE, NULL, 0, 0, "name the files to be checked");
		return cmd_fail(context, &err);
	}
	check.json = format != NULL && strcmp(format, "json") == 0;
	status = check.json ? check_json(&check, &input.request)
			    : check_input(&check, &input.request);
	cmd_input_free(&input);
	return status;
}

static const struct cmd_option options[] = {
	{"output", 'o', "FORMAT", "table, json", "table json"},
	{NULL, 0, NULL, NULL, NULL},
};

const struct cmd_row cmd_check_row = {
	.name = "check",
	.synopsis = "FILE... [options]",
	.summary = "what of the input is wrong, or cannot work",
	.help = "Reads the input as the other commands do, simulates nothing, and prints what is\n"
		"wrong with it: errors with their place (all of them, not only the first), and\n"
		"warnings about what the real systems take but what cannot work: jobs that never\n"
		"fit, queues that do not exist, flavors whose labels no node carries, quota above\n"
		"the hardware, fields that the API server would drop.\n"
		"\n"
		"Exit code: 0 nothing found, 1 warnings, 2 errors.\n"
		"\n"
		"Examples:\n"
		"    gqsim check cluster/\n"
		"    gqsim check queues.yaml jobs.csv --strict\n"
		"    kubectl get clusterqueues,localqueues,resourceflavors -A -o yaml | gqsim "
		"check -\n",
	.options = options,
	.groups = CMD_INPUT,
	.run = run_check,
};
