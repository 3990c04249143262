/* main.c - finds the command, reads its line, runs it; the one place that knows
 * the terminal, the environment and signals. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/mem.h"
#include "sim/input/cmd.h"
#include "sim/tool/nearest.h"

#define SIGNALLED 128

/* The signal that came, such as Ctrl-C: runs end early and are reported as partial. */
static volatile sig_atomic_t interrupted;

static void on_interrupt(int number)
{
	interrupted = number;
}

/* The first Ctrl-C asks for the partial report, the second one ends the program. */
static void catch_interrupt(void)
{
	struct sigaction action = {.sa_handler = on_interrupt};

	sigemptyset(&action.sa_mask);
	action.sa_flags = (int)SA_RESETHAND;
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
}

/* A command that runs nothing has nothing to keep: it ends at once. */
static void leave_interrupt(void)
{
	signal(SIGINT, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
}

static int unknown_command(const struct cmd_context *context, const char *name)
{
	struct nearest nearest;

	nearest_begin(&nearest, name);
	for (const struct cmd_row *const *row = cmd_table_rows(); *row != NULL; row++)
		nearest_offer(&nearest, (*row)->name);
	fprintf(context->err, "gqsim: unknown command \"%.200s\"", name);
	if (nearest.best != NULL)
		fprintf(context->err, "; did you mean \"%s\"?", nearest.best);
	fprintf(context->err, " (gqsim help lists the commands)\n");
	return CMD_USAGE;
}

static int run_command(const struct cmd_context *context, const struct cmd_row *row, int argc,
		       const char *const *argv)
{
	struct cmd_args args;
	struct err err;
	int result;

	if (cmd_parse(row, argc, argv, &args, &err) != ERR_OK) {
		result = cmd_fail(context, &err);
	} else if (args.help) {
		cmd_print_help(context->out, row);
		result = CMD_OK;
	} else {
		if ((row->groups & CMD_RUN) == 0)
			leave_interrupt();
		result = row->run(context, &args);
	}
	cmd_args_free(&args);
	return result;
}

static int dispatch(const struct cmd_context *context, int argc, const char *const *argv)
{
	const char *name = argc > 1 ? argv[1] : NULL;
	const struct cmd_row *row;

	if (name == NULL) {
		cmd_table_print_help(context->err);
		return CMD_USAGE;
	}
	if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) {
		cmd_table_print_help(context->out);
		return CMD_OK;
	}
	if (strcmp(name, "--version") == 0)
		name = "version";
	row = cmd_table_find(name);
	if (row == NULL)
		return unknown_command(context, name);
	return run_command(context, row, argc - 2, argv + 2);
}

/* Terminal and NO_COLOR (no-color.org): colour only where both allow it. */
static bool may_colour(FILE *file)
{
	const char *no_color = getenv("NO_COLOR");
	const char *term = getenv("TERM");

	return isatty(fileno(file)) == 1 && (no_color == NULL || no_color[0] == '\0') &&
	       (term == NULL || strcmp(term, "dumb") != 0);
}

/* Does it know how to move its cursor? */
static bool is_screen(FILE *file)
{
	const char *term = getenv("TERM");

	return isatty(fileno(file)) == 1 && term != NULL && term[0] != '\0' &&
	       strcmp(term, "dumb") != 0;
}

/* As the C library chooses the locale of characters. */
static bool is_utf8(void)
{
	static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};

	for (size_t i = 0; i < 3; i++) {
		const char *value = getenv(names[i]);

		if (value != NULL && value[0] != '\0')
			return strstr(value, "UTF-8") != NULL || strstr(value, "utf8") != NULL;
	}
	return false;
}

int main(int argc, char **argv)
{
	struct cmd_context context = {
		.out = stdout,
		.err = stderr,
		.out_terminal = may_colour(stdout),
		.err_terminal = isatty(fileno(stderr)) == 1,
		.out_screen = is_screen(stdout),
		.out_utf8 = is_utf8(),
		.stop = &interrupted,
	};
	int result;

	mem_keep();
	catch_interrupt();
	result = dispatch(&context, argc, (const char *const *)argv);
	if (fflush(stdout) != 0 || ferror(stdout) != 0) {
		fputs("gqsim: cannot write standard output\n", stderr);
		if (result == CMD_OK || result == CMD_FINDINGS)
			result = CMD_USAGE;
	}
	/* as a shell has it of a program that the signal ended */
	if (result == CMD_INTERRUPTED && interrupted != 0)
		result = SIGNALLED + interrupted;
	return result;
}
