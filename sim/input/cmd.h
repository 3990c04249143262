/* cmd.h - what a command of the program is.
 *
 * One row a command gives dispatch, --help, the man page and the completions.
 * Add one: write sim/cmd_NAME.c, declare its row below, name it in
 * sim/command/cmd_table.c. A command prints what was asked for on context->out and
 * everything else on context->err, and returns its exit code.
 */
#ifndef SIM_CMD_H
#define SIM_CMD_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "core/err.h"
#include "sim/input/input.h"
#include "sim/scenario/options.h"

enum cmd_exit {
	CMD_OK,
	CMD_FINDINGS,	       /* findings, target not reachable, livelock, audit failed */
	CMD_USAGE,	       /* wrong command line, or input that cannot be read */
	CMD_MEMORY = 71,       /* out of memory: core/mem */
	CMD_INTERRUPTED = 130, /* Ctrl-C, after the partial report */
};

struct cmd_context {
	FILE *out, *err;
	bool out_terminal, err_terminal;   /* colour on out, progress on err */
	bool out_screen;		   /* frames on out may follow each other in one place */
	bool out_utf8;			   /* the locale's characters are UTF-8 */
	const volatile sig_atomic_t *stop; /* non-zero: the user wants an end */
};

struct cmd_option {
	const char *name;  /* without dashes */
	char letter;	   /* of the short form; 0: none */
	const char *value; /* metavariable; NULL: a switch */
	const char *help;  /* one sentence, no full stop */
	const char
		*complete; /* words a shell may offer, by blanks; "@file" (is read), "@out" (takes
				 the place of what is there), "@path" (others), "@policies",
				 "@traces"; NULL: nothing */
};

struct cmd_args;

/* Options that several commands share; bits of cmd_row.groups. */
enum {
	CMD_INPUT = 1, /* FILE..., -f, --trace, --nodes, ...: cmd_input() reads them */
	CMD_RUN = 2,   /* the rows of options.h: cmd_run_options() applies them */
};

struct cmd_row {
	const char *name;
	const char *synopsis;		  /* what follows the name in "Usage:" */
	const char *summary;		  /* one line */
	const char *help;		  /* what it does and how it is used, with examples; every
				 paragraph's lines stand at column 0, examples are indented */
	const struct cmd_option *options; /* ended by a NULL name; NULL: none */
	unsigned groups;
	int (*run)(const struct cmd_context *context, const struct cmd_args *args);
};

/* One option as given. */
struct cmd_setting {
	const char *name;     /* the option's */
	const char *value;    /* NULL: a switch */
	const char *complete; /* the option's */
	bool of_run;	      /* a row of options.h */
};

/* A command line, read. Texts point into argv. */
struct cmd_args {
	const struct cmd_row *row;
	struct cmd_setting *settings; /* in the order given */
	size_t setting_count, setting_capacity;
	const char **operands;
	size_t operand_count, operand_capacity;
	bool help; /* --help or -h stood there */
};

/* Reads what follows the command's name. Options and operands may be mixed; "--"
 * ends the options; "--name=value", "--name value", "-x value" and "-xvalue" are
 * the same. Unknown options are errors that name the nearest one. Free with
 * cmd_args_free in either case. */
enum err_code cmd_parse(const struct cmd_row *row, int argc, const char *const *argv,
			struct cmd_args *args, struct err *err);
void cmd_args_free(struct cmd_args *args);

/* How traces are read, for a command's table of options (trace_options_set). */
#define TRACE_OPTION_ROWS                                                                          \
	{"attempts", 0, "sum|separate",                                                            \
	 "Philly: a job that was tried again is one job, as long as all its attempts (default), "  \
	 "or a job an attempt",                                                                    \
	 "sum separate"},                                                                          \
	{                                                                                          \
		"unfinished", 0, "skip|keep",                                                      \
			"jobs that run on as their trace ends are left out (default), or taken "   \
			"to end with it",                                                          \
			"skip keep"                                                                \
	}

/* ERR_USAGE if there are more words than a command takes. */
enum err_code cmd_most_operands(const struct cmd_args *args, size_t most, struct err *err);

/* The last value given; NULL if the option was not given. */
const char *cmd_value(const struct cmd_args *args, const char *name);
bool cmd_given(const struct cmd_args *args, const char *name);

/* -o text (the default) or json, of commands that print these two. */
enum err_code cmd_text_or_json(const struct cmd_args *args, bool *json, struct err *err);

/* The index-th option a command takes: its own, then its groups'. False past the end. */
bool cmd_option_at(const struct cmd_row *row, size_t index, struct cmd_option *out);

/* What the CMD_INPUT options and the operands from first_operand on say. The
 * lists are owned by *request's holder: cmd_input_free. */
struct cmd_input {
	struct input_request request;
	const char **files;
	const char **sets;
};
void cmd_input(const struct cmd_args *args, size_t operand_count, struct cmd_input *out);
void cmd_input_free(struct cmd_input *input);

/* ERR_USAGE if a path that is to be written is one of the files that the command line reads, by
 * whatever name, or in a folder that it reads: what is written would take its place. cmd_parse asks this of "@out" options. */
enum err_code cmd_spare_inputs(const struct cmd_args *args, const char *option, const char *path,
			       struct err *err);

/* Defaults, then what the scenario's Simulation document says, then the command
 * line. */
enum err_code cmd_run_options(const struct cmd_args *args, const struct scenario *scenario,
			      struct run_options *out, struct err *err);

/* The usage text of a command, or of the whole program. */
void cmd_print_help(FILE *out, const struct cmd_row *row);
/* "gqsim: <place>: <what>" on context->err; returns CMD_USAGE. */
int cmd_fail(const struct cmd_context *context, const struct err *err);
/* Warnings, and what is not modelled, a line each on context->err: for what is printed or
 * written without them. */
void cmd_tell(const struct cmd_context *context, const struct scenario *scenario);
void cmd_tell_findings(const struct cmd_context *context, const struct finding *findings,
		       uint32_t count, const struct name_table *strings);

/* sim/command/cmd_table.c */
const struct cmd_row *const *cmd_table_rows(void);	/* ended by NULL */
const struct cmd_row *cmd_table_find(const char *name); /* NULL: unknown */
void cmd_table_print_help(FILE *out);			/* all commands */

extern const struct cmd_row cmd_compare_row;
extern const struct cmd_row cmd_run_row;
extern const struct cmd_row cmd_report_row;
extern const struct cmd_row cmd_lab_row;
extern const struct cmd_row cmd_plot_row;
extern const struct cmd_row cmd_plan_row;
extern const struct cmd_row cmd_sweep_row;
extern const struct cmd_row cmd_merge_row;
extern const struct cmd_row cmd_explain_row;
extern const struct cmd_row cmd_check_row;
extern const struct cmd_row cmd_simulate_row;
extern const struct cmd_row cmd_import_row;
extern const struct cmd_row cmd_list_row;
extern const struct cmd_row cmd_completion_row;
extern const struct cmd_row cmd_help_row;
extern const struct cmd_row cmd_version_row;
extern const struct cmd_row cmd_trace_row;
extern const struct cmd_row cmd_gen_row;

#endif
