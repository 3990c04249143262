/* theory.c - what queueing theory knows, simulated: made-up workloads through the engine, and
 * their figures within intervals of 99 % around the formulas (core/queueing.h); and how often
 * intervals of 95 % cover them. All seeds are fixed.
 *     build/release/tests/prop/theory [first seed]
 */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/interval.h"
#include "core/queueing.h"
#include "core/warmup.h"
#include "sim/engine/engine.h"
#include "sim/report/steady.h"
#include "tests/support/command.h"

#define CONFIDENCE 0.99
#define RUNS	   20
#define MANY	   1000
#define DAY	   86400.0

static uint64_t first_seed = 1;

/* ---- one run ---- */

struct figures {
	struct steady steady;
	struct steady_waits waits;
	double waited; /* share of the jobs that waited at all */
	double rate;   /* submits a second */
};

/* jobs_per_day jobs of one GPU on so many nodes of one, first come first served. */
static void write_spec(double jobs_per_day, double days, const char *duration)
{
	char text[2000];

	snprintf(text, sizeof(text),
		 "apiVersion: gqsim/v1\nkind: Generator\nlength: %.17g\nteams:\n"
		 "- name: a\n  jobsPerDay: %.17g\n  duration: %s\n",
		 days * DAY, jobs_per_day, duration);
	command_file("theory.yaml", text);
}

static void simulate(const char *policy, uint32_t servers, uint64_t seed, double warmup_days,
		     struct figures *out)
{
	char path[600], nodes[40];
	const char *files[] = {path};
	struct input_request request = {
		.files = files, .file_count = 1, .nodes = nodes, .seeded = true, .seed = seed};
	struct scenario *scenario = NULL;
	struct run_options options;
	struct journal *journal = NULL;
	struct metrics *metrics;
	struct err err = {0};
	double waited = 0;

	snprintf(path, sizeof(path), "%s/theory.yaml", command_folder());
	snprintf(nodes, sizeof(nodes), "g=%ux1", servers);
	ck_assert_msg(input_load(&request, &scenario, NULL, &err) == ERR_OK, "%s", err.msg);
	options_default(&options);
	ck_assert_msg(engine_run(scenario, policy_find(policy), &options, JOURNAL_FACTS, &journal,
				 &err) == ERR_OK,
		      "%s", err.msg);
	metrics = metrics_new(journal, false, metrics_window(journal));
	steady_waits_init(&out->waits, metrics);
	steady_measure(journal, false, &out->waits, clock_from_double(warmup_days * DAY),
		       &out->steady);
	for (size_t i = out->steady.first; i < out->waits.count; i++)
		waited += out->waits.seconds[i] > 0;
	out->waited = waited / out->steady.jobs;
	out->rate = out->steady.jobs / ((double)(out->steady.to - out->steady.from) / CLOCK_SECOND);
	ck_assert_uint_eq(out->steady.never, 0);
	metrics_free(metrics);
	journal_free(journal);
	scenario_free(scenario);
}

static void covers(const char *what, const double *values, size_t count, double truth)
{
	struct interval i = interval_mean(values, count, CONFIDENCE);

	ck_assert_msg(i.low <= truth && truth <= i.high, "%s: %g to %g, theory %g", what, i.low,
		      i.high, truth);
	/* An interval that says nothing covers everything. */
	ck_assert_msg(interval_half_width(&i) < 0.35 * truth, "%s: %g to %g is wide", what, i.low,
		      i.high);
}

/* ---- M/M/c: Erlang C, mean and quantile of the wait, Little's law ---- */

static const struct {
	uint32_t servers;
	double load; /* of each */
	double days;
	const char *policy;
} mmc[] = {{1, 0.5, 100, "fifo"},  {1, 0.8, 400, "fifo"},	{5, 0.8, 100, "fifo"},
	   {20, 0.9, 100, "fifo"}, {5, 0.8, 100, "kubernetes"}, {5, 0.8, 100, "kueue"}};

START_TEST(many_servers)
{
	double mean[RUNS], waited[RUNS], p95[RUNS], busy[RUNS], queue[RUNS];
	uint32_t c = mmc[_i].servers;
	double service = 3600, rate = mmc[_i].load * c / service;
	double wait = queueing_mmc_wait(c, rate, service);

	write_spec(rate * DAY, mmc[_i].days + 10, "{distribution: exponential, mean: 1h}");
	for (int r = 0; r < RUNS; r++) {
		struct figures f;

		simulate(mmc[_i].policy, c, first_seed + (uint64_t)r, 10, &f);
		mean[r] = f.steady.mean;
		waited[r] = f.waited;
		p95[r] = f.steady.p95;
		busy[r] = f.steady.busy;
		queue[r] = f.rate * f.steady.mean;
		steady_waits_free(&f.waits);
	}
	covers("mean wait", mean, RUNS, wait);
	covers("Erlang C", waited, RUNS, queueing_erlang_c(c, rate * service));
	if (strcmp(mmc[_i].policy, "kubernetes") != 0) /* back-off: the same mean, another order */
		covers("p95 wait", p95, RUNS, queueing_mmc_quantile(c, rate, service, 0.95));
	/* Little: GPUs in use, which the journal's integral has, and jobs that wait. */
	covers("busy", busy, RUNS, rate * service);
	covers("waiting", queue, RUNS, rate * wait);
}
END_TEST

/* ---- M/G/1: Pollaczek and Khinchine ---- */

static const struct {
	const char *name, *duration;
	double mean, variance;
} mg1[] = {
	{"constant", "3600", 3600, 0},
	{"uniform", "{distribution: uniform, min: 0, max: 2h}", 3600, 3600.0 * 3600 / 3},
	{"weibull", "{distribution: weibull, shape: 2, scale: 1h}", 3190.41693, 2781239.802},
	{"lognormal", "{distribution: lognormal, median: 30m, sigma: 0.8}", 2478.82998,
	 5508514.662},
	{"hyperexponential", "{phases: {20m: 0.75, 3h: 0.25}}", 3600,
	 2 * (0.75 * 1200 * 1200 + 0.25 * 10800 * 10800) - 3600.0 * 3600},
	{"bounded Pareto", "{distribution: boundedPareto, shape: 2.5, min: 20m, max: 10h}",
	 1988.23172, 1933594.656},
};

START_TEST(one_server)
{
	double mean[RUNS], rate = 0.6 / mg1[_i].mean;

	write_spec(rate * DAY, 410, mg1[_i].duration);
	for (int r = 0; r < RUNS; r++) {
		struct figures f;

		simulate("fifo", 1, first_seed + (uint64_t)r, 10, &f);
		mean[r] = f.steady.mean;
		steady_waits_free(&f.waits);
	}
	covers(mg1[_i].name, mean, RUNS, queueing_mg1_wait(rate, mg1[_i].mean, mg1[_i].variance));
}
END_TEST

/* ---- how often intervals of 95 % cover ---- */

#define REPETITIONS 400
#define GROUP	    8 /* replications of one interval */

/* M/M/1 at a load of a half: mean wait 3600 s. */
static void coverage_spec(double days)
{
	write_spec(12, days, "{distribution: exponential, mean: 1h}");
}

START_TEST(batch_means_cover)
{
	int covered = 0;

	coverage_spec(200);
	for (int r = 0; r < REPETITIONS; r++) {
		struct interval i;
		struct figures f;

		simulate("fifo", 1, first_seed + (uint64_t)r, 5, &f);
		i = interval_batch_means(f.waits.seconds + f.steady.first, f.steady.jobs, 20, 0.95);
		covered += i.low <= 3600 && 3600 <= i.high;
		steady_waits_free(&f.waits);
	}
	ck_assert_msg(covered >= REPETITIONS * 0.90 && covered <= REPETITIONS * 0.99, "%d of %d",
		      covered, REPETITIONS);
}
END_TEST

START_TEST(replications_cover)
{
	int covered = 0;

	coverage_spec(60);
	for (int r = 0; r < REPETITIONS; r++) {
		double mean[GROUP];
		struct interval i;

		for (int k = 0; k < GROUP; k++) {
			struct figures f;

			simulate("fifo", 1, first_seed + (uint64_t)(r * GROUP + k), 5, &f);
			mean[k] = f.steady.mean;
			steady_waits_free(&f.waits);
		}
		i = interval_mean(mean, GROUP, 0.95);
		covered += i.low <= 3600 && 3600 <= i.high;
	}
	ck_assert_msg(covered >= REPETITIONS * 0.90 && covered <= REPETITIONS * 0.99, "%d of %d",
		      covered, REPETITIONS);
}
END_TEST

/* A cluster that begins empty and is nearly full later: with the warm-up the mean is too low,
 * behind the cut of MSER-5 over averaged runs it is not. */
START_TEST(warmup_matters)
{
	static double all[MANY], rest[MANY];
	static struct figures f[MANY];
	double truth = queueing_mmc_wait(1, 0.8 / 3600, 3600), *mean;
	const double *lists[MANY];
	size_t lengths[MANY], shortest;
	struct interval whole, cut;
	struct warmup w;

	write_spec(0.8 * 24, 30, "{distribution: exponential, mean: 1h}");
	for (int r = 0; r < MANY; r++) {
		simulate("fifo", 1, first_seed + (uint64_t)r, 0, &f[r]);
		lists[r] = f[r].waits.seconds;
		lengths[r] = f[r].waits.count;
	}
	mean = calloc(lengths[0], sizeof(*mean));
	shortest = warmup_average(lists, lengths, MANY, mean);
	w = warmup_mser5(mean, shortest);
	free(mean);
	for (int r = 0; r < MANY; r++) {
		double sum = 0;

		for (size_t i = w.cut; i < lengths[r]; i++)
			sum += lists[r][i];
		all[r] = f[r].steady.mean;
		rest[r] = sum / (double)(lengths[r] - w.cut);
		steady_waits_free(&f[r].waits);
	}
	whole = interval_mean(all, MANY, CONFIDENCE);
	cut = interval_mean(rest, MANY, CONFIDENCE);
	ck_assert_msg(w.settled && w.cut >= 20, "%zu", w.cut);
	ck_assert_msg(whole.high < truth, "%g to %g", whole.low, whole.high);
	ck_assert_msg(cut.low <= truth && truth <= cut.high, "%g to %g", cut.low, cut.high);
}
END_TEST

int main(int argc, char **argv)
{
	Suite *s = suite_create("prop/theory");
	TCase *t = tcase_create("all");
	SRunner *r = srunner_create(s);
	int failed;

	if (argc > 1)
		first_seed = strtoull(argv[1], NULL, 10);
	tcase_set_timeout(t, 600);
	tcase_add_loop_test(t, many_servers, 0, (int)(sizeof(mmc) / sizeof(mmc[0])));
	tcase_add_loop_test(t, one_server, 0, (int)(sizeof(mg1) / sizeof(mg1[0])));
	tcase_add_test(t, batch_means_cover);
	tcase_add_test(t, replications_cover);
	tcase_add_test(t, warmup_matters);
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
