/* bench [-p POLICY] [-d] [-n NAME] NODES FILE... - CPU seconds, jobs/s, ns an event and
 * peak memory.
 *
 * Each file (a trace in any known format) is loaded and run under plain Kubernetes
 * and Kueue, or under one policy, REPEATS times in turn; the minimum counts, for the
 * machine may be busy with something else. NODES is as in --nodes, or a file of
 * objects. -d: with each failed attempt, as --events has it. Measures, never judges:
 * tests do not time.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "sim/engine.h"
#include "sim/input.h"
#include "sim/metrics.h"

#define REPEATS 3

/* What the command line asked for. */
struct request {
	const char *policy; /* NULL: all but those that derive quotas */
	const char *name;   /* of the workload; NULL: the file's */
	const char *nodes;
	enum journal_detail detail;
};

struct measured {
	double load, report;
	double run[8]; /* a policy */
	uint64_t events[8];
	uint32_t jobs;
};

static double cpu_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void keep_min(double *best, double seconds)
{
	if (*best == 0.0 || seconds < *best)
		*best = seconds;
}

static void die(const struct err *err)
{
	char text[600];

	err_format(err, text, sizeof(text));
	fprintf(stderr, "bench: %s\n", text);
	exit(2);
}

static bool wanted(const struct request *r, const struct policy_row *row)
{
	return r->policy == NULL ? !row->derive_quotas : strcmp(r->policy, row->name) == 0;
}

static void run_policies(const struct request *r, const struct scenario *s, struct measured *m)
{
	const struct policy_row *row = policy_rows();
	struct run_options options;
	struct err err = {0};

	options_default(&options);
	for (size_t p = 0; row->name != NULL; row++, p++) {
		struct journal *j = NULL;
		double start = cpu_seconds();

		if (!wanted(r, row))
			continue;
		if (engine_run(s, row, &options, r->detail, &j, &err) != ERR_OK)
			die(&err);
		keep_min(&m->run[p], cpu_seconds() - start);
		m->events[p] = j->count;
		journal_free(j);
	}
}

static void measure(const struct request *r, const char *path, struct measured *m)
{
	const char *files[] = {r->nodes, path};
	struct input_request request = {.trace = path, .nodes = r->nodes};
	struct scenario *s = NULL;
	struct err err = {0};

	if (access(r->nodes, R_OK) == 0)
		request = (struct input_request){.files = files, .file_count = 2};
	for (int i = 0; i < REPEATS; i++) {
		double start = cpu_seconds();

		if (input_load(&request, &s, NULL, &err) != ERR_OK)
			die(&err);
		keep_min(&m->load, cpu_seconds() - start);
		m->jobs = s->job_count;
		run_policies(r, s, m);
		scenario_free(s);
	}
}

static long peak_mib(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return usage.ru_maxrss / 1024;
}

static void print(const struct request *r, const char *path, const struct measured *m)
{
	const struct policy_row *row = policy_rows();
	const char *base = strrchr(path, '/');

	base = r->name != NULL ? r->name : base != NULL ? base + 1 : path;
	printf("%-22s %-12s %9" PRIu32 " %11s %8.3f %11.0f %9s %7ld\n", base, "load", m->jobs, "-",
	       m->load, m->jobs / m->load, "-", peak_mib());
	for (size_t p = 0; row->name != NULL; row++, p++) {
		if (!wanted(r, row))
			continue;
		printf("%-22s %-12s %9" PRIu32 " %11" PRIu64 " %8.3f %11.0f %9.1f %7ld\n", base,
		       row->name, m->jobs, m->events[p], m->run[p], m->jobs / m->run[p],
		       1e9 * m->run[p] / (double)m->events[p], peak_mib());
	}
}

static bool read_options(int argc, char **argv, struct request *r)
{
	int option;

	while ((option = getopt(argc, argv, "p:n:d")) != -1) {
		if (option == 'p')
			r->policy = optarg;
		else if (option == 'n')
			r->name = optarg;
		else if (option == 'd')
			r->detail = JOURNAL_FULL;
		else
			return false;
	}
	return argc - optind >= 2;
}

int main(int argc, char **argv)
{
	struct request request = {.detail = JOURNAL_FACTS};

	if (!read_options(argc, argv, &request)) {
		fprintf(stderr, "usage: bench [-p POLICY] [-d] [-n NAME] NODES FILE...\n");
		return 2;
	}
	request.nodes = argv[optind++];
	printf("%-22s %-12s %9s %11s %8s %11s %9s %7s\n", "workload", "what", "jobs", "records",
	       "CPU s", "jobs/s", "ns/record", "MiB");
	for (; optind < argc; optind++) {
		struct measured m = {0};

		measure(&request, argv[optind], &m);
		print(&request, argv[optind], &m);
	}
	return 0;
}
