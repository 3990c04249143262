/* bench.c - one load, and one run, of one workload: a line of figures.
 *
 * Usage: bench [-p POLICY] [-d] NODES FILE
 * Loads the file (a trace in any known format) and, with -p, runs it. NODES is as in
 * --nodes, or a file of objects. -d: with each failed attempt, as --events has it. Prints
 * jobs, records of the journal, CPU seconds of loading, CPU seconds of the run, peak MiB.
 * run.sh calls it again and again and keeps the minimum. Measures, never judges: tests do
 * not time.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/engine/engine.h"
#include "sim/input/input.h"
#include "tests/bench/measure.h"

/* What the command line asked for. */
struct request {
	const char *policy; /* NULL: load only */
	const char *nodes, *file;
	enum journal_detail detail;
};

static void die(const struct err *err)
{
	char text[600];

	err_format(err, text, sizeof(text));
	fprintf(stderr, "bench: %s\n", text);
	exit(2);
}

static struct scenario *load(const struct request *r)
{
	const char *files[] = {r->nodes, r->file};
	struct input_request request = {.trace = r->file, .nodes = r->nodes};
	struct scenario *scenario = NULL;
	struct err err = {0};

	if (access(r->nodes, R_OK) == 0)
		request = (struct input_request){.files = files, .file_count = 2};
	if (input_load(&request, &scenario, NULL, &err) != ERR_OK)
		die(&err);
	return scenario;
}

/* Records of the run; *seconds: what it took. */
static uint64_t run(const struct request *r, const struct scenario *scenario, double *seconds)
{
	const struct policy_row *policy = policy_find(r->policy);
	struct run_options options;
	struct journal *journal = NULL;
	struct err err = {0};
	uint64_t records;
	double start;

	options_default(&options);
	if (policy == NULL) {
		fprintf(stderr, "bench: no policy %s\n", r->policy);
		exit(2);
	}
	start = measure_cpu();
	if (engine_run(scenario, policy, &options, r->detail, &journal, &err) != ERR_OK)
		die(&err);
	*seconds = measure_cpu() - start;
	records = journal->count;
	journal_free(journal);
	return records;
}

static bool read_options(int argc, char **argv, struct request *r)
{
	int option;

	while ((option = getopt(argc, argv, "p:d")) != -1) {
		if (option == 'p')
			r->policy = optarg;
		else if (option == 'd')
			r->detail = JOURNAL_FULL;
		else
			return false;
	}
	if (argc - optind != 2)
		return false;
	r->nodes = argv[optind];
	r->file = argv[optind + 1];
	return true;
}

int main(int argc, char **argv)
{
	struct request request = {.detail = JOURNAL_FACTS};
	struct scenario *scenario;
	double start = measure_cpu(), loaded, seconds = 0;
	uint64_t records = 0;

	if (!read_options(argc, argv, &request)) {
		fprintf(stderr, "usage: bench [-p POLICY] [-d] NODES FILE\n");
		return 2;
	}
	scenario = load(&request);
	loaded = measure_cpu() - start;
	if (request.policy != NULL)
		records = run(&request, scenario, &seconds);
	printf("%" PRIu32 " %" PRIu64 " %.6f %.6f %.1f\n", scenario->job_count, records, loaded,
	       seconds, measure_peak_mib());
	scenario_free(scenario);
	return 0;
}
