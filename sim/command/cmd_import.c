/* cmd_import.c - gqsim import: a cluster's dump as a scenario and a trace. */
#include <inttypes.h>
#include <string.h>

#include "core/mem.h"
#include "sim/dump/import.h"
#include "sim/input/cmd.h"

#define REMARK_TEXT 300

static void remark_count(FILE *out, uint64_t count, const char *what)
{
	if (count != 0)
		fprintf(out, "gqsim: %" PRIu64 " job%s %s\n", count, count == 1 ? "" : "s", what);
}

static void print_lost(FILE *out, const struct import_lost *lost)
{
	struct trace_lost rows = lost->rows;
	char text[REMARK_TEXT];

	rows.classes = 0; /* cluster.yaml has them */
	for (uint32_t i = 0; trace_write_remark(&rows, i, text, sizeof(text)); i++)
		fprintf(out, "gqsim: %s\n", text);
	remark_count(out, lost->manners,
		     "lost what a row cannot say of their work: checkpoints, utilisation, no gang, "
		     "or the rules of their controller");
	remark_count(out, lost->limited, "lost what LimitRanges make of their pods");
}

/* What import writes into the folder, and removes from it, must not be the dump. */
static enum err_code spare_dump(const struct cmd_args *args, const char *dir, struct err *err)
{
	enum err_code code = ERR_OK;

	for (uint32_t i = 0; import_file(i) != NULL && code == ERR_OK; i++) {
		size_t size = strlen(dir) + strlen(import_file(i)) + 2;
		char *path = mem_calloc(size, 1);

		snprintf(path, size, "%s/%s", dir, import_file(i));
		code = cmd_spare_inputs(args, "output", path, err);
		mem_free(path);
	}
	return code;
}

static enum err_code import_all(const struct cmd_context *context, const struct cmd_args *args,
				struct import *import, struct err *err)
{
	const char *dir = cmd_value(args, "output");
	struct cmd_input input;
	struct builder *builder = NULL;
	const struct finding *findings;
	struct import_lost lost;
	enum err_code code;
	uint32_t count;

	if (dir == NULL || args->operand_count == 0)
		return err_set(err, ERR_USAGE, NULL, 0, 0,
			       "a dump and a folder are needed: gqsim import DUMP... -o DIR");
	if (spare_dump(args, dir, err) != ERR_OK)
		return err->code;
	cmd_input(args, args->operand_count, &input);
	input.request.seen = import_object;
	input.request.seen_context = import;
	code = input_draft(&input.request, &builder, err);
	cmd_input_free(&input);
	if (code != ERR_OK)
		return code;
	findings = builder_findings(builder, &count);
	cmd_tell_findings(context, findings, count, builder_strings(builder));
	code = import_write(import, builder, dir, &lost, err);
	if (code == ERR_OK) {
		print_lost(context->err, &lost);
		fprintf(context->out, "%s: %" PRIu32 " jobs\n", dir, builder_job_count(builder));
	}
	builder_free(builder);
	return code;
}

static int run_import(const struct cmd_context *context, const struct cmd_args *args)
{
	struct import *import = import_new(cmd_given(args, "redact"));
	struct err err;
	enum err_code code = import_all(context, args, import, &err);

	import_free(import);
	return code == ERR_OK ? CMD_OK : cmd_fail(context, &err);
}

static const struct cmd_option options[] = {
	{"output", 'o', "DIR", "the folder to write cluster.yaml and the jobs into", "@path"},
	{"redact", 0, NULL, "replace names, the same name by the same one everywhere", NULL},
	{NULL, 0, NULL, NULL, NULL},
};

const struct cmd_row cmd_import_row = {
	.name = "import",
	.synopsis = "DUMP... -o DIR [--redact]",
	.summary = "make a scenario and a trace of a cluster's dump",
	.help = "Writes DIR/cluster.yaml, the dump's objects without status and bookkeeping, and\n"
		"DIR/jobs.csv, a row for each Workload, Job, Pod or service, with the times that\n"
		"the cluster recorded. Where rows cannot say all (affinity, spread, slices of\n"
		"topology, checkpoints), the jobs of queues are Workloads in DIR/jobs.yaml "
		"instead.\n"
		"Files are written whole or not at all, and never over what no import made. What\n"
		"neither can say of a job is told. What the cluster recorded of admissions stays\n"
		"in the dump: calibrate, and simulate, with that.\n"
		"\n"
		"With --redact, namespaces, queues, cohorts, flavors, nodes, classes, jobs,\n"
		"resources of vendors that are not known, and the keys and values of labels\n"
		"are replaced, the same text by the same name everywhere; numbers\n"
		"and structure stay, and so do names that every cluster has\n"
		"(nvidia.com/gpu.product=..., kubernetes.io/arch=...). Names keep their order,\n"
		"for schedulers go by it. Look at the files before you pass them on.\n"
		"\n"
		"Examples:\n"
		"    gqsim import cluster.yaml -o mine && gqsim compare mine\n"
		"    gqsim import cluster.yaml workloads.json -o share --redact\n"
		"    kubectl get nodes,clusterqueues,localqueues,resourceflavors,workloads -A -o "
		"json |\\\n"
		"        gqsim import - -o mine\n",
	.options = options,
	.run = run_import,
};
