/* test_generator.c - What is drawn: as the document says, each purpose from its own stream. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/gen/generator_spec.h"
#include "sim/gen/generator_write.h"

static struct generator *read_spec(const char *text)
{
	struct source source = {.name = "t", .data = text, .size = strlen(text)};
	struct generator *g = NULL;
	struct err err = {0};

	ck_assert_msg(generator_spec_read(&source, &g, &err) == ERR_OK, "%s", err.msg);
	return g;
}

static struct generator_list draw(const char *text, uint64_t seed)
{
	struct generator *g = read_spec(text);
	struct generator_list list;
	struct err err = {0};

	ck_assert_msg(generator_draw(g, seed, &list, &err) == ERR_OK, "%s", err.msg);
	generator_free(g);
	return list;
}

#define HEAD   "apiVersion: gqsim/v1\nkind: Generator\nlength: 100d\nteams:\n"
#define TEAM_A "- name: a\n  jobsPerDay: 50\n  duration: {distribution: exponential, mean: 1h}\n"
#define TEAM_B "- name: b\n  jobsPerDay: 20\n  duration: 2h\n  gpus: 8\n"

/* Jobs of one team, in order. */
static size_t only(const struct generator_list *list, uint32_t team, struct generator_job *out)
{
	size_t n = 0;

	for (size_t i = 0; i < list->count; i++)
		if (list->jobs[i].team == team)
			out[n++] = list->jobs[i];
	return n;
}

START_TEST(as_the_document_says)
{
	struct generator_list list = draw(HEAD TEAM_A TEAM_B, 1);
	double a = 0, work = 0, first = 0;

	for (size_t i = 0; i < list.count; i++) {
		const struct generator_job *job = &list.jobs[i];

		ck_assert(i == 0 || list.jobs[i - 1].submit <= job->submit);
		ck_assert(job->submit % 1000 == 0 && job->duration % 1000 == 0);
		ck_assert(job->submit < 100 * CLOCK_DAY);
		ck_assert(job->crash == CLOCK_NEVER && job->cancel == CLOCK_NEVER);
		ck_assert_uint_eq(job->gpus, job->team == 0 ? 1 : 8);
		if (job->team == 1) {
			ck_assert(job->duration == 2 * CLOCK_HOUR);
			continue;
		}
		a++;
		work += (double)job->duration / CLOCK_HOUR;
		first += job->submit < 50 * CLOCK_DAY;
	}
	ck_assert_double_eq_tol(a, 5000, 3 * sqrt(5000));
	ck_assert_double_eq_tol(work / a, 1, 3 / sqrt(5000));
	ck_assert_double_eq_tol(first / a, 0.5, 0.025);
	generator_list_free(&list);
}
END_TEST

static bool same(const struct generator_list *x, const struct generator_list *y)
{
	return x->count == y->count && memcmp(x->jobs, y->jobs, x->count * sizeof(*x->jobs)) == 0;
}

START_TEST(seeds)
{
	struct generator_list one = draw(HEAD TEAM_A TEAM_B, 1),
			      again = draw(HEAD TEAM_A TEAM_B, 1);
	struct generator_list two = draw(HEAD TEAM_A TEAM_B, 2);

	ck_assert(same(&one, &again) && !same(&one, &two));
	generator_list_free(&one);
	generator_list_free(&again);
	generator_list_free(&two);
}
END_TEST

/* Another team, failures, other durations: what else there was stays as it was. */
static const struct {
	const char *text;
	bool durations; /* also they stay */
} changes[] = {
	{HEAD TEAM_A TEAM_B, true},
	{HEAD TEAM_A "  failures: {share: 0.5}\n", true},
	{HEAD TEAM_A "  cancellations: {share: 0.5, after: 1h}\n", true},
	{HEAD TEAM_A "  gpuUtilisation: {distribution: uniform, min: 0, max: 100}\n", true},
	{HEAD TEAM_A "  gpus: {weights: {1: 1, 8: 1}}\n", true},
	{HEAD "- name: a\n  jobsPerDay: 50\n  duration: 3h\n", false},
};

START_TEST(streams_are_apart)
{
	struct generator_list plain = draw(HEAD TEAM_A, 1), list = draw(changes[_i].text, 1);
	struct generator_job *jobs = calloc(list.count, sizeof(*jobs));
	size_t n = only(&list, 0, jobs);

	ck_assert_uint_eq(n, plain.count);
	for (size_t i = 0; i < n; i++) {
		ck_assert(jobs[i].submit == plain.jobs[i].submit);
		ck_assert((jobs[i].duration == plain.jobs[i].duration) == changes[_i].durations);
	}
	free(jobs);
	generator_list_free(&plain);
	generator_list_free(&list);
}
END_TEST

/* A team that grows has the jobs it had, sooner, with the sizes and durations they had. */
START_TEST(growth_keeps_the_jobs)
{
	struct generator_list plain = draw(HEAD TEAM_A, 1);
	struct generator_list grown = draw(HEAD TEAM_A "  growth: {factor: 2, every: 50d}\n", 1);

	ck_assert(grown.count > plain.count * 2);
	for (size_t i = 0; i < plain.count; i++) {
		ck_assert(grown.jobs[i].submit <= plain.jobs[i].submit);
		ck_assert(grown.jobs[i].duration == plain.jobs[i].duration);
	}
	generator_list_free(&plain);
	generator_list_free(&grown);
}
END_TEST

START_TEST(fates)
{
	struct generator_list list =
		draw(HEAD TEAM_A "  failures: {share: 0.3, after: 0.5}\n"
				 "  cancellations: {share: 0.1, after: {distribution: exponential, "
				 "mean: 1h}}\n  gpuUtilisation: 37.5\n",
		     1);
	double crashed = 0, cancelled = 0;

	for (size_t i = 0; i < list.count; i++) {
		const struct generator_job *job = &list.jobs[i];

		ck_assert_uint_eq(job->utilisation, 375);
		cancelled += job->cancel != CLOCK_NEVER;
		ck_assert(job->cancel >= job->submit);
		if (job->crash == CLOCK_NEVER)
			continue;
		crashed++;
		ck_assert(llabs(2 * job->crash - job->duration) <= 2000);
	}
	ck_assert_double_eq_tol(crashed / (double)list.count, 0.3, 0.02);
	ck_assert_double_eq_tol(cancelled / (double)list.count, 0.1, 0.015);
	generator_list_free(&list);
}
END_TEST

/* All of a sweep have the same size, durations that are alike; means stay. */
START_TEST(sweeps)
{
	struct generator_list list = draw(
		HEAD "- name: a\n  jobsPerDay: 100\n  sweep:\n    size: {weights: {1: 1, 9: 1}}\n"
		     "    spacing: 1s\n    durationsAlike: 1\n  gpus: {weights: {1: 3, 4: 1}}\n"
		     "  duration: {distribution: exponential, mean: 1h}\n",
		3);
	size_t in_sweeps = 0;

	ck_assert_double_eq_tol((double)list.count, 10000, 600);
	for (size_t i = 1; i < list.count; i++) {
		if (list.jobs[i].submit - list.jobs[i - 1].submit != CLOCK_SECOND)
			continue;
		in_sweeps++;
		ck_assert_uint_eq(list.jobs[i].gpus, list.jobs[i - 1].gpus);
		ck_assert(list.jobs[i].duration == list.jobs[i - 1].duration);
	}
	ck_assert_double_eq_tol((double)in_sweeps / (double)list.count, 0.8, 0.03);
	generator_list_free(&list);
}
END_TEST

START_TEST(size_and_duration)
{
	struct generator_list list =
		draw(HEAD "- name: a\n  jobsPerDay: 100\n  gpus: {weights: {1: 1, 8: 1, 32: 1}}\n"
			  "  duration:\n  - {upToGpus: 1, distribution: constant, value: 5m}\n"
			  "  - {upToGpus: 8, distribution: constant, value: 1h}\n"
			  "  - {distribution: constant, value: 3h}\n"
			  "- name: b\n  jobsPerDay: 100\n  gpus: {weights: {1: 1, 8: 1}}\n"
			  "  duration: {distribution: exponential, mean: 1h}\n  correlation: 0.8\n",
		     3);
	double sum[2] = {0, 0}, n[2] = {0, 0};

	for (size_t i = 0; i < list.count; i++) {
		const struct generator_job *job = &list.jobs[i];

		if (job->team == 0)
			ck_assert(job->duration == (job->gpus == 1   ? 5 * CLOCK_MINUTE
						    : job->gpus == 8 ? CLOCK_HOUR
								     : 3 * CLOCK_HOUR));
		if (job->team == 0)
			continue;
		sum[job->gpus == 8] += (double)job->duration;
		n[job->gpus == 8]++;
	}
	ck_assert(sum[1] / n[1] > 2 * sum[0] / n[0]);
	ck_assert_double_eq_tol((sum[0] + sum[1]) / (n[0] + n[1]) / CLOCK_HOUR, 1, 0.04);
	generator_list_free(&list);
}
END_TEST

START_TEST(limits)
{
	struct generator *g = read_spec("apiVersion: gqsim/v1\nkind: Generator\nlength: 100d\n"
					"teams:\n- name: a\n  jobsPerDay: 1e9\n  duration: 1\n");
	struct generator_list list;
	struct err err = {0};

	ck_assert_int_eq(generator_draw(g, 1, &list, &err), ERR_LIMIT);
	ck_assert_ptr_nonnull(strstr(err.msg, "10000000"));
	generator_free(g);
	list = draw("apiVersion: gqsim/v1\nkind: Generator\njobs: 10\n"
		    "teams:\n" TEAM_A TEAM_B,
		    1);
	ck_assert_uint_eq(list.count, 10);
	generator_list_free(&list);
	list = draw("apiVersion: gqsim/v1\nkind: Generator\nlength: 1d\n"
		    "teams:\n- name: a\n  jobsPerDay: 0\n  duration: 1\n",
		    1);
	ck_assert_uint_eq(list.count, 0);
	generator_list_free(&list);
}
END_TEST

START_TEST(load)
{
	struct generator *g = read_spec(HEAD TEAM_A TEAM_B);

	ck_assert_double_eq_tol(generator_load(&g->teams[0]), 50.0 / 24, 0.02);
	ck_assert_double_eq_tol(generator_load(&g->teams[1]), 20 * 16.0 / 24, 1e-9);
	generator_free(g);
}
END_TEST

/* The same jobs of a team, at nearly the same times, but for the last of all. */
static bool alike(const struct generator_list *x, const struct generator_list *y, uint32_t team)
{
	struct generator_job *a = calloc(x->count, sizeof(*a)), *b = calloc(y->count, sizeof(*b));
	size_t n = only(x, team, a), m = only(y, team, b);
	bool good = n > 50 && n < m + 2 && m < n + 2;

	for (size_t i = 0; i < n && i < m && good; i++)
		good = llabs(a[i].submit - b[i].submit) < 10 * CLOCK_SECOND &&
		       a[i].duration == b[i].duration && a[i].gpus == b[i].gpus &&
		       a[i].crash == b[i].crash && a[i].utilisation == b[i].utilisation;
	free(a);
	free(b);
	return good;
}

/* A sweep ends before its jobs ask for more: of two GPU-hours three of forty minutes; one that
 * asks for more alone still comes. */
START_TEST(sweeps_end)
{
	struct generator *g =
		read_spec("apiVersion: gqsim/v1\nkind: Generator\nlength: 30d\nteams:\n"
			  "- name: a\n  jobsPerDay: 90\n"
			  "  sweep: {size: 9, mostGpuHours: 2}\n  duration: 40m\n"
			  "- name: b\n  jobsPerDay: 90\n"
			  "  sweep: {size: 9, mostGpuHours: 2}\n  duration: 3h\n");
	struct generator_list list;
	uint32_t together = 0;
	struct err err = {0};

	ck_assert_int_eq(generator_draw(g, 1, &list, &err), ERR_OK);
	ck_assert_uint_gt(list.count, 300);
	for (size_t i = 0; i < list.count; i++) {
		bool same = i > 0 && list.jobs[i].team == list.jobs[i - 1].team &&
			    list.jobs[i].submit == list.jobs[i - 1].submit;

		together = same ? together + 1 : 1;
		ck_assert_uint_le(together, list.jobs[i].team == 0 ? 3 : 1);
	}
	generator_list_free(&list);
	generator_free(g);
}
END_TEST

/* Two teams of three days: each place gets a day as it was, the same of both teams. */
START_TEST(blocks_of_a_sample)
{
#define DAYS "sample: {block: 1d, blocks: 3, jobs: "
	static const char text[] = HEAD
		"- name: a\n  jobsPerDay: 2\n  " DAYS
		"[[1h, 1, 10], [2h, 2, 20], [25h, 3, 30], [26h, 4, 40], [49h, 5, 50], "
		"[50h, 6, 60]]}\n"
		"- name: b\n  jobsPerDay: 1\n  " DAYS "[[3h, 1, 1], [27h, 2, 1], [51h, 3, 1]]}\n";
	struct generator_list list = draw(text, 7), more, other = draw(text, 8);
	int seen[3] = {0};

	ck_assert_uint_eq(list.count, 300);
	for (size_t day = 0; day < 100; day++) {
		const struct generator_job *of = &list.jobs[3 * day];
		uint32_t was = of[2].gpus - 1;

		for (int i = 0; i < 3; i++)
			ck_assert(of[i].submit == (simtime)day * CLOCK_DAY + (i + 1) * CLOCK_HOUR);
		ck_assert(of[0].team == 0 && of[1].team == 0 && of[2].team == 1);
		ck_assert_uint_lt(was, 3);
		seen[was]++;
		ck_assert_uint_eq(of[0].gpus, 2 * was + 1);
		ck_assert_uint_eq(of[1].gpus, 2 * was + 2);
		ck_assert(of[0].duration == (simtime)of[0].gpus * 10 * CLOCK_SECOND);
	}
	for (int k = 0; k < 3; k++)
		ck_assert(seen[k] > 15 && seen[k] < 55); /* 33 +- 4.7 */
	ck_assert(!same(&list, &other));
	/* Half as many again lie on top, and leave the others where they are. */
	more = draw(HEAD "- name: a\n  jobsPerDay: 2\n  " DAYS
			 "[[1h, 1, 10], [2h, 2, 20], [25h, 3, 30], [26h, 4, 40], [49h, 5, 50], "
			 "[50h, 6, 60]]}\n"
			 "- name: b\n  jobsPerDay: 1.5\n  " DAYS
			 "[[3h, 1, 1], [27h, 2, 1], [51h, 3, 1]]}\n",
		    7);
	ck_assert(more.count > 330 && more.count < 370);
	generator_list_free(&list);
	generator_list_free(&more);
	generator_list_free(&other);
}
END_TEST

/* Of two weeks in blocks of a day each takes the place of one of its weekday. */
START_TEST(blocks_keep_their_weekday)
{
	struct generator_list list = draw(
		HEAD
		"- name: a\n  jobsPerDay: 1\n  sample: {block: 1d, blocks: 14, jobs: [[0, 1, 9], "
		"[1d, 2, 9], [2d, 3, 9], [3d, 4, 9], [4d, 5, 9], [5d, 6, 9], [6d, 7, 9], [7d, "
		"1, 9], [8d, 2, 9], [9d, 3, 9], [10d, 4, 9], [11d, 5, 9], [12d, 6, 9], [13d, "
		"7, 9]]}\n",
		3);

	ck_assert_uint_eq(list.count, 100);
	for (size_t day = 0; day < 100; day++)
		ck_assert_uint_eq(list.jobs[day].gpus, day % 7 + 1);
	generator_list_free(&list);
}
END_TEST

/* What is written is read as the same generator: it draws the same jobs. */
START_TEST(written_and_read)
{
	static const char text[] =
		"apiVersion: gqsim/v1\nkind: Generator\ntitle: \"yes: # no\"\nseed: "
		"18446744073709\n"
		"startTime: 2026-01-07T12:00:00Z\nlength: 20d\njobs: 3000\n"
		"rhythm: {hours: [1,1,1,1,1,1,1,2,4,8,8,8,4,8,8,8,8,4,2,1,1,1,1,1], days: "
		"[2,2,2,2,2,1,1]}\n"
		"teams:\n"
		"- name: \"007\"\n  namespace: ns\n  queue: \"null\"\n  priorityClass: high\n"
		"  jobsPerDay: 40\n  states: [{rate: 1, stay: 10h}, {rate: 5, stay: 2h}]\n"
		"  profile: {every: 5d, levels: [1, 2, 0.5], sweeps: [0.5, -0.25, 0], gpus: [1, "
		"-1, 0], durations: [-1, 0.5, 0]}\n"
		"  growth: [{factor: 1.5, every: 10d}, {factor: 2, at: 5d}]\n"
		"  sweep: {size: {weights: {1: 2, 5: 1}}, spacing: 3, mostGpuHours: 9, gpusAlike: "
		"0.5, durationsAlike: 0.25, gpusPersist: 0.5, durationsPersist: 0.125}\n"
		"  gpus: {distribution: boundedPareto, shape: 1, min: 1, max: 16}\n"
		"  duration:\n  - {upToGpus: 1, phases: {100: 0.5, 2000: 0.5}}\n"
		"  - {quantiles: {0: 10, 0.5: 600, 1: 7200}, max: 7000}\n  correlation: -0.5\n"
		"  failures: {share: 0.5, after: {distribution: uniform, min: 0, max: 0.5}}\n"
		"  cancellations: {share: 0.25, after: 1h}\n  gpuUtilisation: 50\n"
		"- name: other\n  jobsPerDay: 10\n  arrivals: regular\n"
		"  rhythm: {days: [1,1,1,1,1,1,1]}\n  gpus: 4\n"
		"  duration: {distribution: weibull, shape: 0.5, scale: 30m, min: 5}\n"
		"- name: was\n  jobsPerDay: 3\n  failures: {share: 0.5}\n"
		"  sample: {block: 1h, blocks: 3, jobs: [[0.125, 1, 7], [1h, 8, 9.5]]}\n";
	struct generator *g = read_spec(text), *back;
	struct generator_list before, after;
	struct err err = {0};
	char *written = NULL;
	size_t size = 0;
	FILE *file = open_memstream(&written, &size);

	generator_write(file, g);
	fclose(file);
	back = read_spec(written);
	ck_assert_str_eq(back->title, "yes: # no");
	ck_assert(back->seed == 18446744073709 && back->start == g->start);
	ck_assert_str_eq(back->teams[0].queue, "null");
	ck_assert_str_eq(back->teams[0].name, "007");
	ck_assert_int_eq(generator_draw(g, 5, &before, &err), ERR_OK);
	ck_assert_int_eq(generator_draw(back, 5, &after, &err), ERR_OK);
	/* Weights are written with six digits. */
	ck_assert(before.count > 500 && alike(&before, &after, 0) && alike(&before, &after, 1) &&
		  alike(&before, &after, 2));
	generator_list_free(&before);
	generator_list_free(&after);
	generator_free(g);
	generator_free(back);
	free(written);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("sim/gen/generator");
	TCase *t = tcase_create("all");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_set_timeout(t, 60);
	tcase_add_test(t, as_the_document_says);
	tcase_add_test(t, seeds);
	tcase_add_loop_test(t, streams_are_apart, 0, (int)(sizeof(changes) / sizeof(changes[0])));
	tcase_add_test(t, growth_keeps_the_jobs);
	tcase_add_test(t, fates);
	tcase_add_test(t, sweeps);
	tcase_add_test(t, size_and_duration);
	tcase_add_test(t, limits);
	tcase_add_test(t, load);
	tcase_add_test(t, sweeps_end);
	tcase_add_test(t, blocks_of_a_sample);
	tcase_add_test(t, blocks_keep_their_weekday);
	tcase_add_test(t, written_and_read);
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
