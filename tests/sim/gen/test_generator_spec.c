/* test_generator_spec.c - What is wrong in a Generator document, and where. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/gen/generator_spec.h"

#define HEAD "apiVersion: gqsim/v1\nkind: Generator\nlength: 1d\n"
#define TEAM HEAD "teams:\n- name: a\n  jobsPerDay: 1\n"
#define GOOD TEAM "  duration: 1h\n"

static const struct {
	const char *text, *message;
} rows[] = {
	{"", "t:1:1: the document is empty"},
	{"a: 1\n", "no document of kind Generator"},
	{"apiVersion: v1\nkind: Generator\n", "t:1:13: the apiVersion of a Generator is gqsim/v1"},
	{HEAD, "t:1:1: Generator: teams is missing"},
	{HEAD "teams: []\n", "from 1 to 10000 teams"},
	{HEAD "teams: 3\n", "t:4:8: Generator: teams: must be a list"},
	{"apiVersion: gqsim/v1\nkind: Generator\nteams:\n- {name: a, jobsPerDay: 1, duration: 1}\n",
	 "length or jobs"},
	{GOOD "- name: a\n  jobsPerDay: 1\n  duration: 1\n", "two teams are called \"a\""},
	{GOOD "---\nkind: Node\n", "a second document"},
	{GOOD "  durations: 3\n", "did you mean"},
	{GOOD "  duration: 3\n", "already set"},
	{TEAM, "t:5:3: Generator: teams[0]: duration is missing"},
	{TEAM "  duration: -1\n", "0 or more"},
	{TEAM "  duration: soon\n", "t:7:13: Generator: teams[0].duration: must be a time"},
	{TEAM "  duration: [1]\n", "must be a map"},
	{TEAM "  duration: []\n", "a duration is needed"},
	{TEAM "  duration: {mean: 3}\n", "says no distribution"},
	{TEAM "  duration: {distribution: gamma}\n", "lognormal"},
	{TEAM "  duration: {distribution: exponential}\n", "needs mean"},
	{TEAM "  duration: {distribution: exponential, mean: 0}\n", "above 0"},
	{TEAM "  duration: {distribution: exponential, mean: 1, sigma: 2}\n", "no parameter"},
	{TEAM "  duration: {distribution: weibull, shape: 1h, scale: 1h}\n", "must be a number"},
	{TEAM "  duration: {distribution: lognormal, phases: {1: 1}}\n", "one of them"},
	{TEAM "  duration: {weights: {1: 1}, phases: {1: 1}}\n", "one of them"},
	{TEAM "  duration: {distribution: empirical}\n", "need weights: {VALUE: WEIGHT}"},
	{TEAM "  duration: {weights: {2: 1, 1: 1}}\n", "ascending"},
	{TEAM "  duration: {weights: {}}\n", "a value or more"},
	{TEAM "  duration: {weights: {x: 1}}\n", "must be a time"},
	{TEAM "  duration: {quantiles: {0: 1, 0.5: 2}}\n", "the last 1"},
	{TEAM "  duration: {quantiles: {0: 1, 1: 2}, upToGpus: 3}\n", "list of durations only"},
	{TEAM "  duration:\n  - {distribution: constant, value: 1}\n"
	      "  - {distribution: constant, value: 1}\n",
	 "all but the last"},
	{GOOD "  gpus: 2h\n", "must be a number"},
	{GOOD "  gpus: 0\n", "gpus: GPUs are whole numbers from 1 on"},
	{GOOD "  gpus: 1.5\n", "gpus: GPUs are whole numbers from 1 on"},
	{GOOD "  gpus: {weights: {1: 2, 2.5: 1}}\n", "gpus: GPUs are whole numbers from 1 on"},
	{GOOD "  correlation: 2\n", "from -1 to 1"},
	{GOOD "  failures: {share: 2}\n", "from 0 to 1"},
	{GOOD "  failures: {share: 0.5, after: 2}\n", "at most 1"},
	{GOOD "  cancellations: {share: 0.5}\n", "after"},
	{GOOD "  states: [{rate: 0, stay: 1h}]\n", "some rate"},
	{GOOD "  states: [{rate: 1, stay: 1s}]\n", "a minute or more"},
	{GOOD "  states: [{rate: 1}]\n", "stay"},
	{GOOD "  states: [1,2,3,4,5,6,7,8,9]\n", "at most 8"},
	{GOOD "  growth: {factor: 2}\n", "every (gradually) or at"},
	{GOOD "  growth: {factor: 0, at: 1d}\n", "a factor from"},
	{GOOD "  growth: [{factor: 2, at: 2d}, {factor: 2, at: 1d}]\n", "in order of time"},
	{GOOD "  rhythm: {hours: [1, 2]}\n", "24 weights are needed, here are 2"},
	{GOOD "  rhythm: {}\n", "hours, days or both"},
	{GOOD "  rhythm: {days: [0, 0, 0, 0, 0, 0, 0]}\n", "some weight"},
	{GOOD "  profile: {every: 1d}\n", "levels"},
	{GOOD "  profile: {every: 1d, levels: [0]}\n", "some weight"},
	{GOOD "  profile: {every: 1d, levels: [1, 2], gpus: [1]}\n",
	 "2 scores are needed, here are 1"},
	{GOOD "  profile: {every: 1d, levels: [1], durations: [11]}\n", "-10"},
	{GOOD "  profile: {every: 1d, levels: [1], sweeps: 1}\n", "list"},
	{GOOD "  arrivals: uniform\n", "poisson"},
	{GOOD "  sample: {block: 1d, blocks: 2, jobs: []}\n",
	 "t:7:13: Generator: teams[0]: duration cannot stand beside sample"},
	{TEAM "  sample: {block: 1d, blocks: 2}\n", "jobs is missing"},
	{TEAM "  sample: {block: 1m, blocks: 2, jobs: []}\n", "an hour or more"},
	{TEAM "  sample: {block: 1d, blocks: 1, jobs: []}\n", "2"},
	{TEAM "  sample: {block: 1d, blocks: 2, jobs: [[1, 2]]}\n", "three numbers"},
	{TEAM "  sample: {block: 1d, blocks: 2, jobs: [[1, 0, 2]]}\n", "from 1"},
	{TEAM "  sample: {block: 1d, blocks: 2, jobs: [[2d, 1, 2]]}\n",
	 "t:7:41: Generator: teams[0].sample: submits must ascend and stand within the blocks"},
	{TEAM "  sample: {block: 1d, blocks: 2, jobs: [[9, 1, 2], [8, 1, 2]]}\n", "ascend"},
	{GOOD "  sweep: {spacing: 1}\n", "size"},
	{HEAD "startTime: tomorrow\nteams: []\n", "must be a time such as"},
	{HEAD "seed: -1\nteams: []\n", "seed"},
	{HEAD "jobs: 0\nteams: []\n", "jobs"},
	{"apiVersion: gqsim/v1\nkind: Generator\nlength: -5\nteams: []\n", "length"},
	{"apiVersion: gqsim/v1\nkind: Generator\nlength: 999999d\nteams: []\n", "century"},
	{HEAD "teams: [\n", "malformed"},
};

START_TEST(errors)
{
	struct source source = {.name = "t", .data = rows[_i].text, .size = strlen(rows[_i].text)};
	struct generator *g = NULL;
	struct err err = {0};
	char message[700];

	ck_assert_int_ne(generator_spec_read(&source, &g, &err), ERR_OK);
	ck_assert_ptr_null(g);
	err_format(&err, message, sizeof(message));
	ck_assert_msg(strstr(message, rows[_i].message) != NULL, "%s", message);
}
END_TEST

static const struct {
	const char *text;
	bool found;
} probes[] = {
	{GOOD, true},
	{"{\"apiVersion\": \"gqsim/v1\", \"kind\": \"Generator\"}", true},
	{"kind: Generator", true},
	{"kind: Generators", true}, /* the reader tells */
	{"kind: Simulation\ntitle: a Generator\n", false},
	{"mankind: Generator\n", false},
	{"submit_s,duration_s,gpus,kind\n1,1,1,Generator\n", false},
	{"Generator", false},
	{"", false},
};

START_TEST(probe)
{
	ck_assert(generator_spec_probe(probes[_i].text, strlen(probes[_i].text)) ==
		  probes[_i].found);
}
END_TEST

/* Wednesday, noon. */
START_TEST(the_hour_of_the_week)
{
	static const char text[] = HEAD "startTime: 2026-01-07 12:00:00\n"
					"teams: [{name: a, jobsPerDay: 1, duration: 1}]\n";
	struct source source = {.name = "t", .data = text, .size = strlen(text)};
	struct generator *g = NULL;
	struct err err = {0};

	ck_assert_int_eq(generator_spec_read(&source, &g, &err), ERR_OK);
	ck_assert_uint_eq(g->teams[0].arrivals.first_hour, 2 * 24 + 12);
	generator_free(g);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("sim/gen/generator_spec");
	TCase *t = tcase_create("all");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_add_loop_test(t, errors, 0, (int)(sizeof(rows) / sizeof(rows[0])));
	tcase_add_loop_test(t, probe, 0, (int)(sizeof(probes) / sizeof(probes[0])));
	tcase_add_test(t, the_hour_of_the_week);
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
