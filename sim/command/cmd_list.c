#include <string.h>

#include "core/sort.h"
#include "sim/input/cmd.h"
#include "sim/objects/objects.h"
#include "sim/scenario/finding_rules.h"
#include "sim/scenario/kueue_gates.h"
#include "sim/tool/nearest.h"
#include "sim/tool/table.h"
#include "sim/trace/trace.h"
#include "sim/world/policy.h"

static void put(struct table *table, const char *name, const char *help)
{
	table_row(table);
	table_cell(table, 0, "%s", name);
	table_cell(table, 1, "%s", help);
}

static void list_policies(struct table *table)
{
	for (const struct policy_row *row = policy_rows(); row->name != NULL; row++)
		put(table, row->name, row->help);
}

static void list_traces(struct table *table)
{
	for (const struct trace_format *row = trace_rows(); row->name != NULL; row++)
		put(table, row->name, row->help);
}

static void list_options(struct table *table)
{
	char name[96];

	for (const struct option_row *row = options_rows(); row->name != NULL; row++) {
		snprintf(name, sizeof(name), "--%s %s", row->name, row->value);
		put(table, name, row->help);
	}
}

static void list_kinds(struct table *table)
{
	const char *kind, *group = NULL;

	for (size_t i = 0; (kind = objects_kind(i, &group)) != NULL; i++)
		put(table, kind, group[0] != '\0' ? group : "v1");
}

static int compare_names(const void *a, const void *b, void *context)
{
	(void)context;
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void list_gates(struct table *table)
{
	const char *names[200], *help, *name;
	size_t count = 0;
	char text[80];
	bool on;

	while (count < sizeof(names) / sizeof(names[0]) &&
	       (name = kueue_gates_listed(count, &on, &help)) != NULL)
		names[count++] = name;
	sort_stable(names, count, sizeof(*names), compare_names, NULL);
	for (size_t i = 0; i < count; i++) {
		for (size_t g = 0; (name = kueue_gates_listed(g, &on, &help)) != names[i]; g++)
			;
		snprintf(text, sizeof(text), "%s by default; %s", on ? "on" : "off", help);
		put(table, name, text);
	}
}

static void list_rules(struct table *table)
{
	for (const struct finding_rule_row *row = finding_rules(); row->name != NULL; row++)
		put(table, row->name, row->what);
}

static void list_reports(struct table *table)
{
	put(table, "-o table", "figures beside each other, worst news first (run, compare)");
	put(table, "-o wide", "the same with exact figures and all teams");
	put(table, "-o json", "all figures; under run also every job's times");
	put(table, "-o csv", "metric,unit and a column a run");
	put(table, "--json", "the JSON beside the table");
	put(table, "--events", "what happened, row by row");
	put(table, "--pending", "why each job that never finished is not running");
	put(table, "--timeline", "GPUs and quota in use over time");
	put(table, "--watch", "a film on the terminal (run)");
	put(table, "report -o NAME.html", "a page to send on");
	put(table, "plot KIND", "a figure: timeline, quotas, waits, nodes or shares");
}

static const struct {
	const char *name;
	void (*list)(struct table *table);
} lists[] = {
	{"policies", list_policies}, {"traces", list_traces},	{"kinds", list_kinds},
	{"reports", list_reports},   {"options", list_options}, {"gates", list_gates},
	{"rules", list_rules},
};

#define COUNT (sizeof(lists) / sizeof(lists[0]))

static enum err_code find_list(const struct cmd_args *args, size_t *out, struct err *err)
{
	struct nearest nearest;

	if (args->operand_count != 1)
		return err_set(err, ERR_USAGE, NULL, 0, 0,
			       "what is to be listed: policies, traces, kinds, reports, options, "
			       "gates or rules?");
	nearest_begin(&nearest, args->operands[0]);
	for (size_t i = 0; i < COUNT; i++) {
		*out = i;
		if (strcmp(lists[i].name, args->operands[0]) == 0)
			return ERR_OK;
		nearest_offer(&nearest, lists[i].name);
	}
	return err_set(
		err, ERR_USAGE, NULL, 0, 0,
		"no list of \"%.100s\"%s%s%s (there are policies, traces, kinds, reports, options, "
		"gates, rules)",
		args->operands[0], nearest.best != NULL ? "; did you mean \"" : "",
		nearest.best != NULL ? nearest.best : "", nearest.best != NULL ? "\"?" : "");
}

static int run_list(const struct cmd_context *context, const struct cmd_args *args)
{
	struct err err;
	struct table *table;
	size_t i = 0;

	if (find_list(args, &i, &err) != ERR_OK)
		return cmd_fail(context, &err);
	table = table_new(2, 0);
	lists[i].list(table);
	table_print(table, context->out, false, NULL);
	table_free(table);
	return CMD_OK;
}

const struct cmd_row cmd_list_row = {
	.name = "list",
	.synopsis = "policies|traces|kinds|reports|options|gates|rules",
	.summary = "policies, trace formats, kinds, reports, options, gates or rules there are",
	.help = "Prints a table of what the program knows.\n"
		"\n"
		"Examples:\n"
		"    gqsim list policies\n"
		"    gqsim list kinds\n"
		"    gqsim list traces\n"
		"  Kueue's feature gates, and which of them are modelled:\n"
		"    gqsim list gates\n"
		"  Set one in the input, in a Configuration's featureGates, or compare:\n"
		"    gqsim compare -p kueue queues.yaml jobs/ \\\n"
		"        --set configuration/kueue:.featureGates.PartialAdmission=true,false\n"
		"  What gqsim check looks for:\n"
		"    gqsim list rules\n",
	.run = run_list,
};
