#include <string.h>

#include "sim/input/cmd.h"
#include "sim/trace/trace.h"
#include "sim/world/policy.h"

/* ---- what a shell may offer ---- */

static bool names_file(const struct cmd_option *option)
{
	return strcmp(option->complete, "@file") == 0 || strcmp(option->complete, "@out") == 0 ||
	       strcmp(option->complete, "@path") == 0;
}

/* Words that an option's value may be, by blanks; false: file names. */
static bool put_words(FILE *out, const struct cmd_option *option)
{
	if (option->complete == NULL && option->value != NULL &&
	    strspn(option->value, "abcdefghijklmnopqrstuvwxyz|0123456789.") ==
		    strlen(option->value) &&
	    strchr(option->value, '|') != NULL) {
		for (const char *c = option->value; *c != '\0'; c++)
			putc(*c == '|' ? ' ' : *c, out);
		return true;
	}
	if (option->complete == NULL || names_file(option))
		return false;
	if (strcmp(option->complete, "@policies") == 0) {
		for (const struct policy_row *row = policy_rows(); row->name != NULL; row++)
			fprintf(out, "%s ", row->name);
	} else if (strcmp(option->complete, "@traces") == 0) {
		for (const struct trace_format *row = trace_rows(); row->name != NULL; row++)
			fprintf(out, "%s ", row->name);
	} else {
		fputs(option->complete, out);
	}
	return true;
}

static bool has_words(const struct cmd_option *option)
{
	return (option->complete != NULL && !names_file(option)) ||
	       (option->complete == NULL && option->value != NULL &&
		strchr(option->value, '|') != NULL);
}

static void put_commands(FILE *out)
{
	for (const struct cmd_row *const *row = cmd_table_rows(); *row != NULL; row++)
		fprintf(out, "%s%s", row == cmd_table_rows() ? "" : " ", (*row)->name);
}

/* ---- bash ---- */

static void bash_command(FILE *out, const struct cmd_row *row)
{
	struct cmd_option option;

	fprintf(out, "\t%s)\n\t\tcase $prev in\n", row->name);
	for (size_t i = 0; cmd_option_at(row, i, &option); i++) {
		if (!has_words(&option))
			continue;
		fprintf(out, "\t\t--%s", option.name);
		if (option.letter != 0)
			fprintf(out, "|-%c", option.letter);
		fputs(") COMPREPLY=($(compgen -W \"", out);
		put_words(out, &option);
		fputs("\" -- \"$cur\")); return ;;\n", out);
	}
	fputs("\t\tesac\n\t\twords=\"", out);
	for (size_t i = 0; cmd_option_at(row, i, &option); i++)
		fprintf(out, "--%s ", option.name);
	fputs("--help\" ;;\n", out);
}

static void bash(FILE *out)
{
	fputs("# bash completion for gqsim: source <(gqsim completion bash)\n"
	      "_gqsim() {\n"
	      "\tlocal cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} words=\n"
	      "\tif [ \"$COMP_CWORD\" = 1 ]; then\n"
	      "\t\tCOMPREPLY=($(compgen -W \"",
	      out);
	put_commands(out);
	fputs("\" -- \"$cur\"))\n\t\treturn\n\tfi\n\tcase ${COMP_WORDS[1]} in\n", out);
	for (const struct cmd_row *const *row = cmd_table_rows(); *row != NULL; row++)
		bash_command(out, *row);
	fputs("\tesac\n"
	      "\tcase $cur in\n"
	      "\t-*) COMPREPLY=($(compgen -W \"$words\" -- \"$cur\")) ;;\n"
	      "\t*) COMPREPLY=($(compgen -f -- \"$cur\")) ;;\n"
	      "\tesac\n"
	      "}\n"
	      "complete -o filenames -F _gqsim gqsim\n",
	      out);
}

/* ---- zsh ---- */

/* Within single quotes and an _arguments specification. */
static void put_zsh(FILE *out, const char *text)
{
	for (; *text != '\0'; text++) {
		if (*text == '\'')
			fputs("'\\''", out);
		else if (*text == '[' || *text == ']' || *text == ':' || *text == '\\')
			fprintf(out, "\\%c", *text);
		else
			putc(*text, out);
	}
}

static void zsh_option(FILE *out, const struct cmd_option *option)
{
	fputs("\t\t\t'", out);
	if (option->value != NULL)
		putc('*', out);
	fprintf(out, "--%s[", option->name);
	put_zsh(out, option->help);
	putc(']', out);
	if (option->value != NULL) {
		putc(':', out);
		put_zsh(out, option->value);
		putc(':', out);
		if (has_words(option)) {
			putc('(', out);
			put_words(out, option);
			putc(')', out);
		} else {
			fputs("_files", out);
		}
	}
	fputs("' \\\n", out);
}

static void zsh(FILE *out)
{
	struct cmd_option option;

	fputs("#compdef gqsim\n# zsh completion for gqsim\n_gqsim() {\n"
	      "\tlocal -a commands\n\tcommands=(\n",
	      out);
	for (const struct cmd_row *const *row = cmd_table_rows(); *row != NULL; row++) {
		fprintf(out, "\t\t'%s:", (*row)->name);
		put_zsh(out, (*row)->summary);
		fputs("'\n", out);
	}
	fputs("\t)\n\tif (( CURRENT == 2 )); then\n\t\t_describe command commands\n\t\treturn\n"
	      "\tfi\n\tcase $words[2] in\n",
	      out);
	for (const struct cmd_row *const *row = cmd_table_rows(); *row != NULL; row++) {
		fprintf(out, "\t%s)\n\t\t_arguments \\\n", (*row)->name);
		for (size_t i = 0; cmd_option_at(*row, i, &option); i++)
			zsh_option(out, &option);
		fputs("\t\t\t'--help[what it does, with examples]' \\\n"
		      "\t\t\t'*:file:_files' ;;\n",
		      out);
	}
	fputs("\tesac\n}\ncompdef _gqsim gqsim\n", out);
}

/* ---- fish ---- */

/* Within single quotes. */
static void put_fish(FILE *out, const char *text)
{
	for (; *text != '\0'; text++) {
		if (*text == '\'' || *text == '\\')
			putc('\\', out);
		putc(*text, out);
	}
}

static void fish_option(FILE *out, const struct cmd_row *row, const struct cmd_option *option)
{
	fprintf(out, "complete -c gqsim -n '__fish_seen_subcommand_from %s' -l %s", row->name,
		option->name);
	if (option->letter != 0)
		fprintf(out, " -s %c", option->letter);
	if (option->value != NULL)
		fputs(" -r", out);
	if (has_words(option)) {
		fputs(" -f -a '", out);
		put_words(out, option);
		putc('\'', out);
	}
	fputs(" -d '", out);
	put_fish(out, option->help);
	fputs("'\n", out);
}

static void fish(FILE *out)
{
	struct cmd_option option;

	fputs("# fish completion for gqsim: gqsim completion fish | source\n"
	      "complete -c gqsim -l help -d 'what it does, with examples'\n",
	      out);
	for (const struct cmd_row *const *row = cmd_table_rows(); *row != NULL; row++) {
		fprintf(out, "complete -c gqsim -n __fish_use_subcommand -f -a %s -d '",
			(*row)->name);
		put_fish(out, (*row)->summary);
		fputs("'\n", out);
	}
	for (const struct cmd_row *const *row = cmd_table_rows(); *row != NULL; row++) {
		for (size_t i = 0; cmd_option_at(*row, i, &option); i++)
			fish_option(out, *row, &option);
	}
}

/* ---- the command ---- */

static int run_completion(const struct cmd_context *context, const struct cmd_args *args)
{
	static const struct {
		const char *name;
		void (*print)(FILE *out);
	} shells[] = {{"bash", bash}, {"zsh", zsh}, {"fish", fish}};
	struct err err;

	for (size_t i = 0; i < sizeof(shells) / sizeof(shells[0]); i++) {
		if (args->operand_count == 1 && strcmp(args->operands[0], shells[i].name) == 0) {
			shells[i].print(context->out);
			return CMD_OK;
		}
	}
	err_set(&err, ERR_USAGE, NULL, 0, 0, "which shell: bash, zsh or fish?");
	return cmd_fail(context, &err);
}

const struct cmd_row cmd_completion_row = {
	.name = "completion",
	.synopsis = "bash|zsh|fish",
	.summary = "completions for a shell",
	.help = "Examples:\n"
		"    source <(gqsim completion bash)\n"
		"    gqsim completion zsh > ~/.zfunc/_gqsim\n"
		"    gqsim completion fish > ~/.config/fish/completions/gqsim.fish\n",
	.run = run_completion,
};
