#include <string.h>

#include "sim/input/cmd.h"
#include "sim/tool/nearest.h"

/* ---- the man page, from the same tables as --help ---- */

/* Text for troff: backslashes, leading dots and quotes, and dashes that are typed. */
static void put_troff(FILE *out, const char *text)
{
	bool line_start = true;

	for (; *text != '\0'; text++) {
		if (*text == '\\')
			fputs("\\e", out);
		else if (*text == '-')
			fputs("\\-", out);
		else if (line_start && (*text == '.' || *text == '\''))
			fprintf(out, "\\&%c", *text);
		else
			putc(*text, out);
		line_start = *text == '\n';
	}
}

/* Help is laid out by hand: it keeps its lines. */
static void put_help(FILE *out, const char *help)
{
	fputs(".nf\n", out);
	put_troff(out, help);
	fputs(".fi\n", out);
}

static void put_option(FILE *out, const struct cmd_option *option)
{
	fputs(".TP\n", out);
	if (option->letter != 0)
		fprintf(out, ".BR \\-%c \", \" \\-\\-", option->letter);
	else
		fputs(".B \\-\\-", out);
	put_troff(out, option->name);
	if (option->value != NULL) {
		fputs(option->letter != 0 ? " \" " : " ", out);
		put_troff(out, option->value);
		fputs(option->letter != 0 ? "\"" : "", out);
	}
	putc('\n', out);
	put_troff(out, option->help);
	fputs(".\n", out);
}

static void put_command(FILE *out, const struct cmd_row *row)
{
	struct cmd_option option;

	fprintf(out, ".SS gqsim %s ", row->name);
	put_troff(out, row->synopsis);
	putc('\n', out);
	put_troff(out, row->summary);
	fputs(".\n.PP\n", out);
	put_help(out, row->help);
	/* Options that many commands share stand in a section of their own. */
	for (size_t i = 0; row->options != NULL && row->options[i].name != NULL; i++) {
		option = row->options[i];
		put_option(out, &option);
	}
	if (row->groups & CMD_INPUT)
		fputs(".PP\nIt also takes the input options.\n", out);
	if (row->groups & CMD_RUN)
		fputs(".PP\nIt also takes the scheduler options.\n", out);
}

static void put_group(FILE *out, const char *title, unsigned group)
{
	const struct cmd_row row = {.name = "", .groups = group};
	struct cmd_option option;

	fprintf(out, ".SH %s\n", title);
	for (size_t i = 0; cmd_option_at(&row, i, &option); i++)
		put_option(out, &option);
}

static void print_man(FILE *out)
{
	fputs(".TH GQSIM 1 \"\" gqsim \"User Commands\"\n.SH NAME\n"
	      "gqsim \\- what a GPU cluster's queues would do\n"
	      ".SH SYNOPSIS\n.B gqsim\n.I COMMAND\n.RI [ FILE... ]\n.RI [ options ]\n"
	      ".SH DESCRIPTION\n"
	      "Simulates jobs on a shared GPU cluster under plain Kubernetes and under Kueue, "
	      "from\n"
	      "the manifests and traces one has, and says who would wait, why, and what it costs.\n"
	      "Every command has \\-\\-help.\n"
	      ".SH COMMANDS\n",
	      out);
	for (const struct cmd_row *const *row = cmd_table_rows(); *row != NULL; row++)
		put_command(out, *row);
	put_group(out, "INPUT OPTIONS", CMD_INPUT);
	put_group(out, "SCHEDULER OPTIONS", CMD_RUN);
	fputs(".SH EXIT STATUS\n"
	      ".TP\n.B 0\nfine.\n"
	      ".TP\n.B 1\nfindings, a livelock, or a run that fails its audit.\n"
	      ".TP\n.B 2\nwrong command line, or input that cannot be read.\n"
	      ".TP\n.B 71\nout of memory.\n"
	      ".TP\n.B 130\ninterrupted; what was simulated until then is reported.\n"
	      ".SH ENVIRONMENT\n.TP\n.B NO_COLOR\nset: no colour, also on a terminal.\n",
	      out);
}

/* ---- the command ---- */

static enum err_code find(const char *name, const struct cmd_row **out, struct err *err)
{
	struct nearest nearest;

	*out = cmd_table_find(name);
	if (*out != NULL)
		return ERR_OK;
	nearest_begin(&nearest, name);
	for (const struct cmd_row *const *row = cmd_table_rows(); *row != NULL; row++)
		nearest_offer(&nearest, (*row)->name);
	if (nearest.best != NULL)
		return err_set(err, ERR_USAGE, NULL, 0, 0,
			       "no command \"%.100s\"; did you mean \"%s\"?", name, nearest.best);
	return err_set(err, ERR_USAGE, NULL, 0, 0, "no command \"%.100s\"", name);
}

static int run_help(const struct cmd_context *context, const struct cmd_args *args)
{
	const struct cmd_row *row;
	struct err err;

	if (cmd_most_operands(args, cmd_given(args, "man") ? 0 : 1, &err) != ERR_OK)
		return cmd_fail(context, &err);
	if (cmd_given(args, "man")) {
		print_man(context->out);
		return CMD_OK;
	}
	if (args->operand_count == 0) {
		cmd_table_print_help(context->out);
		return CMD_OK;
	}
	if (find(args->operands[0], &row, &err) != ERR_OK)
		return cmd_fail(context, &err);
	cmd_print_help(context->out, row);
	return CMD_OK;
}

static const struct cmd_option options[] = {
	{"man", 0, NULL, "print the manual page (troff)", NULL},
	{NULL, 0, NULL, NULL, NULL},
};

const struct cmd_row cmd_help_row = {
	.name = "help",
	.synopsis = "[COMMAND]",
	.summary = "what the commands do, with examples",
	.help = "Examples:\n"
		"    gqsim help compare\n"
		"    gqsim help --man | man -l -\n",
	.options = options,
	.run = run_help,
};
