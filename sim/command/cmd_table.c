/* cmd_table.c - the commands, in the order in which --help lists them. */
#include <string.h>

#include "sim/input/cmd.h"

const struct cmd_row *const *cmd_table_rows(void)
{
	static const struct cmd_row *const rows[] = {
		&cmd_compare_row,
		&cmd_run_row,
		&cmd_report_row,
		&cmd_lab_row,
		&cmd_plot_row,
		&cmd_plan_row,
		&cmd_sweep_row,
		&cmd_merge_row,
		&cmd_explain_row,
		&cmd_simulate_row,
		&cmd_import_row,
		&cmd_trace_row,
		&cmd_gen_row,
		&cmd_check_row,
		&cmd_list_row,
		&cmd_completion_row,
		&cmd_help_row,
		&cmd_version_row,
		NULL,
	};

	return rows;
}

const struct cmd_row *cmd_table_find(const char *name)
{
	for (const struct cmd_row *const *row = cmd_table_rows(); *row != NULL; row++) {
		if (strcmp((*row)->name, name) == 0)
			return *row;
	}
	return NULL;
}

void cmd_table_print_help(FILE *out)
{
	fputs("gqsim - what your GPU cluster's queues would do, before you change them\n\n"
	      "Usage: gqsim COMMAND FILE... [options]\n\n"
	      "Commands:\n",
	      out);
	for (const struct cmd_row *const *row = cmd_table_rows(); *row != NULL; row++)
		fprintf(out, "  %-12s %s\n", (*row)->name, (*row)->summary);
	fputs("\nExamples:\n"
	      "  gqsim compare cluster.yaml jobs.csv      plain Kubernetes and Kueue side by side\n"
	      "  gqsim run -p kueue cluster.yaml jobs.csv --events -\n"
	      "  gqsim explain cluster.yaml jobs.csv team-a/train-7\n\n"
	      "gqsim COMMAND --help tells more about a command.\n",
	      out);
}
