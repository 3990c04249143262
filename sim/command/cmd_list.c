#include <string.h>

#include "core/sort.h"
#include "sim/input/cmd.h"
#include "sim/objects/objects.h"
#include "sim/scenario/finding_rules.h"
#include "sim/scenario/kueue_gates.h"
#include "sim/tool/jsonw.h"
#include "sim/tool/nearest.h"
#include "sim/tool/table.h"
#include "sim/trace/trace.h"
#include "sim/world/policy.h"

/* What is listed, as a table or as JSON: the other is NULL. */
struct listing {
	struct table *table;
	struct jsonw *json;
};

static void put_row(struct table *table, const char *name, const char *help)
{
	table_row(table);
	table_cell(table, 0, "%s", name);
	table_cell(table, 1, "%s", help);
}

/* key: of the help, in JSON. */
static void put(struct listing *l, const char *name, const char *key, const char *help)
{
	if (l->table != NULL) {
		put_row(l->table, name, help);
		return;
	}
	jsonw_object(l->json, NULL);
	jsonw_text(l->json, "name", name);
	jsonw_text(l->json, key, help);
	jsonw_close_object(l->json);
}

static void put_gate(struct listing *l, const char *name, bool on, const char *help)
{
	char text[80];

	snprintf(text, sizeof(text), "%s by default; %s", on ? "on" : "off", help);
	if (l->table != NULL) {
		put_row(l->table, name, text);
		return;
	}
	jsonw_object(l->json, NULL);
	jsonw_text(l->json, "name", name);
	jsonw_bool(l->json, "default", on);
	jsonw_text(l->json, "here", help);
	jsonw_close_object(l->json);
}

static void list_policies(struct listing *l)
{
	for (const struct policy_row *row = policy_rows(); row->name != NULL; row++)
		put(l, row->name, "about", row->help);
}

static void list_traces(struct listing *l)
{
	for (const struct trace_format *row = trace_rows(); row->name != NULL; row++)
		put(l, row->name, "about", row->help);
}

static void list_options(struct listing *l)
{
	char name[96];

	for (const struct option_row *row = options_rows(); row->name != NULL; row++) {
		snprintf(name, sizeof(name), "--%s %s", row->name, row->value);
		put(l, name, "about", row->help);
	}
}

static void list_kinds(struct listing *l)
{
	const char *kind, *group = NULL;

	for (size_t i = 0; (kind = objects_kind(i, &group)) != NULL; i++)
		put(l, kind, "group", group[0] != '\0' ? group : "v1");
}

static int compare_names(const void *a, const void *b, void *context)
{
	(void)context;
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void list_gates(struct listing *l)
{
	const char *names[200], *help, *name;
	size_t count = 0;
	bool on;

	while (count < sizeof(names) / sizeof(names[0]) &&
	       (name = kueue_gates_listed(count, &on, &help)) != NULL)
		names[count++] = name;
	sort_stable(names, count, sizeof(*names), compare_names, NULL);
	for (size_t i = 0; i < count; i++) {
		for (size_t g = 0; (name = kueue_gates_listed(g, &on, &help)) != names[i]; g++)
			;
		put_gate(l, name, on, help);
	}
}

static void list_rules(struct listing *l)
{
	for (const struct finding_rule_row *row = finding_rules(); row->name != NULL; row++)
		put(l, row->name, "about", row->what);
}

static void list_reports(struct listing *l)
{
	put(l, "-o table", "about", "figures beside each other, worst news first (run, compare)");
	put(l, "-o wide", "about", "the same with exact figures and all teams");
	put(l, "-o json", "about", "all figures; under run also every job's times");
	put(l, "-o csv", "about", "metric,unit and a column a run");
	put(l, "--json", "about", "the JSON beside the table");
	put(l, "--events", "about", "what happened, row by row");
	put(l, "--pending", "about", "why each job that never finished is not running");
	put(l, "--timeline", "about", "GPUs and quota in use over time");
	put(l, "--watch", "about", "a film on the terminal (run)");
	put(l, "report -o NAME.html", "about", "a page to send on");
	put(l, "plot KIND", "about", "a figure: timeline, quotas, waits, nodes or shares");
}

static const struct {
	const char *name;
	void (*list)(struct listing *listing);
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

static void print_table(FILE *out, size_t i)
{
	struct listing listing = {.table = table_new(2, 0)};

	lists[i].list(&listing);
	table_print(listing.table, out, false, NULL);
	table_free(listing.table);
}

static void print_json(FILE *out, size_t i)
{
	struct jsonw json;
	struct listing listing = {.json = &json};

	jsonw_begin(&json, out);
	jsonw_array(&json, lists[i].name);
	lists[i].list(&listing);
	jsonw_close_array(&json);
	jsonw_end(&json);
}

static int run_list(const struct cmd_context *context, const struct cmd_args *args)
{
	struct err err;
	bool as_json;
	size_t i = 0;

	if (find_list(args, &i, &err) != ERR_OK || cmd_text_or_json(args, &as_json, &err) != ERR_OK)
		return cmd_fail(context, &err);
	if (as_json)
		print_json(context->out, i);
	else
		print_table(context->out, i);
	return CMD_OK;
}

static const struct cmd_option options[] = {
	{"output", 'o', "FORMAT", "print text or json (default text)", "text json"},
	{NULL, 0, NULL, NULL, NULL},
};

const struct cmd_row cmd_list_row = {
	.name = "list",
	.synopsis = "policies|traces|kinds|reports|options|gates|rules [options]",
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
		"    gqsim list rules\n"
		"  Names for a script:\n"
		"    gqsim list gates -o json | jq -r '.gates[].name'\n",
	.options = options,
	.run = run_list,
};
