/* test_trace_set.c - the samples of traces/, end to end: each is recognised, has figures
 * and goes through both schedulers. */
#include "tests/sim/trace_case.h"
#include "tests/support/command.h"

static const struct {
	const char *format; /* of the file of jobs, the first */
	const char *files;
	const char *nodes; /* NULL: among the files */
} samples[] = {
	{"acme", "acme_trace_kalos.csv", "a100=32x8"},
	{"acme", "acme_trace_seren.csv", "a100=8x8"},
	{"csv", "jobs.csv", "v100=8x8"},
	{"dlrm", "dlrm_instances.csv", "v100=8x8"},
	{"elasticflow", "elasticflow.csv", "v100=8x8"},
	{"gavel", "gavel_msr.trace simulation_throughputs.json", "v100=8x8"},
	{"gavel", "gavel_physical.trace", "v100=8x8"},
	{"helios", "helios_cluster_log.csv", "v100=8x8"},
	{"itp", "itp_cluster.csv", "v100=8x8"},
	{"jsonl", "jobs.jsonl", "v100=8x8"},
	{"muri", "muri.csv", "v100=8x8"},
	{"openb", "openb_pod_list.csv openb_node_list.csv", NULL},
	{"pai", "pai_job_table.csv pai_task_table.csv pai_machine_spec.csv", NULL},
	{"philly", "cluster_job_log", "v100=8x8"},
	{"philly-csv", "philly.csv", "v100=8x8"},
	{"sacct", "sacct.txt", "v100=8x8"},
	{"sia", "sia_workload.csv", "v100=8x8"},
	{"spot", "spot_job_info.csv spot_node_info.csv", NULL},
	{"supercloud", "supercloud_slurm.csv", "v100=8x8"},
	{"swf", "sample.swf", "v100=8x8"},
	{"tiresias", "tiresias.csv", "v100=8x8"},
};

/* "traces/a traces/b" */
static void with_folder(const char *files, char *out, size_t size)
{
	size_t used = 0;

	while (*files != '\0') {
		size_t len = strcspn(files, " ");

		used += (size_t)snprintf(out + used, size - used, " traces/%.*s", (int)len, files);
		files += len + (files[len] == ' ' ? 1 : 0);
	}
}

START_TEST(figures)
{
	char files[300], line[400], format[60];
	struct command command;

	with_folder(samples[_i].files, files, sizeof(files));
	snprintf(line, sizeof(line), "trace stats%s -o json", files);
	command = command_run(line);
	snprintf(format, sizeof(format), "\"format\": \"%s\"", samples[_i].format);
	ck_assert_msg(command.code == CMD_OK, "%s", command.err);
	ck_assert_msg(strstr(command.out, format) != NULL, "%s", command.out);
	ck_assert_ptr_null(strstr(command.out, "\"jobs\": 0,"));
	command_free(&command);
}
END_TEST

START_TEST(both_schedulers)
{
	char files[300], line[400];
	struct command command;

	with_folder(samples[_i].files, files, sizeof(files));
	snprintf(line, sizeof(line), "compare%s%s%s", files,
		 samples[_i].nodes != NULL ? " --nodes " : "",
		 samples[_i].nodes != NULL ? samples[_i].nodes : "");
	command = command_run(line);
	ck_assert_msg(command.code == CMD_OK, "%s", command.err);
	ck_assert_ptr_nonnull(strstr(command.out, "Jobs finished"));
	command_free(&command);
}
END_TEST

/* A file of nodes for --nodes. */
START_TEST(nodes_from_a_file)
{
	struct command command = command_run(
		"compare --trace traces/openb_pod_list.csv --nodes traces/openb_node_list.csv");

	ck_assert_msg(command.code == CMD_OK, "%s", command.err);
	ck_assert_ptr_nonnull(strstr(command.out, "on 10 nodes with 18 GPUs"));
	command_free(&command);
}
END_TEST

/* Rows that are left out are told, with the place of the first. */
START_TEST(left_out_rows_are_told)
{
	struct command command = command_run("compare traces/sample.swf --nodes v100=8x8 -o json");

	ck_assert_msg(command.code == CMD_OK, "%s", command.err);
	ck_assert_ptr_nonnull(
		strstr(command.out, "traces/sample.swf:11: 4 rows left out: zero_run"));
	ck_assert_ptr_nonnull(strstr(command.out, "\"partial_record\": 4"));
	command_free(&command);
}
END_TEST

START_TEST(a_companion_alone)
{
	struct command command = command_run("compare traces/pai_task_table.csv --nodes v100=8x8");

	ck_assert_int_eq(command.code, CMD_USAGE);
	ck_assert_ptr_nonnull(strstr(command.err, "this belongs to a trace"));
	command_free(&command);
}
END_TEST

int main(void)
{
	TCase *t = tcase_create("all");

	tcase_add_loop_test(t, figures, 0, ROWS(samples));
	tcase_add_loop_test(t, both_schedulers, 0, ROWS(samples));
	tcase_add_test(t, nodes_from_a_file);
	tcase_add_test(t, left_out_rows_are_told);
	tcase_add_test(t, a_companion_alone);
	return trace_case_run("sim/trace/trace_set", t);
}
