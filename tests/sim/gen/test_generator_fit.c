/* test_generator_fit.c - What was generated is found again: rates, sizes, durations, sweeps,
 * states and rhythm. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/gen/generator_fit.h"
#include "sim/gen/generator_spec.h"
#include "sim/gen/trace_generator.h"

struct refit {
	struct generator *generator;
	struct builder *builder;
	struct trace_stats_jobs jobs;
	struct generator_fit fit;
	enum err_code code;
	struct err err;
};

static void refit(struct refit *r, const char *text, const struct generator_fit_options *options)
{
	struct source source = {.name = "t", .data = text, .size = strlen(text)};
	struct trace_options none = {0};
	struct trace_summary summary = {0};

	*r = (struct refit){.builder = builder_new()};
	ck_assert_msg(generator_spec_read(&source, &r->generator, &r->err) == ERR_OK, "%s",
		      r->err.msg);
	ck_assert_int_eq(
		trace_generator_make(r->generator, "t", &none, r->builder, &summary, &r->err),
		ERR_OK);
	trace_stats_jobs_init(&r->jobs, r->builder);
	r->code = generator_fit(&r->jobs, summary.has_clock ? summary.first_submit : CLOCK_NEVER,
				options, &r->fit, &r->err);
}

static void release(struct refit *r)
{
	if (r->code == ERR_OK)
		generator_fit_free(&r->fit);
	trace_stats_jobs_free(&r->jobs);
	builder_free(r->builder);
	generator_free(r->generator);
}

static void near(double value, double truth, double tolerance)
{
	ck_assert_msg(fabs(value / truth - 1) <= tolerance, "%g in place of %g", value, truth);
}

static const struct generator_fit_options plain = {.family = DISTRIBUTION_KINDS};

static const char two_teams[] =
	"apiVersion: gqsim/v1\nkind: Generator\nlength: 120d\nstartTime: 2026-01-07 12:00:00\n"
	"rhythm: {hours: [1,1,1,1,1,1,1,1,4,8,8,8,8,8,8,8,8,8,4,1,1,1,1,1], days: "
	"[4,4,4,4,4,1,1]}\n"
	"teams:\n"
	"- name: a\n  jobsPerDay: 60\n"
	"  gpus: {weights: {1: 6, 8: 4}}\n  duration:\n"
	"  - {upToGpus: 1, distribution: lognormal, median: 30m, sigma: 1.2}\n"
	"  - {distribution: weibull, shape: 0.7, scale: 4h}\n"
	"- name: b\n  jobsPerDay: 50\n  gpus: 2\n"
	"  sweep: {size: {weights: {1: 3, 10: 1}}, spacing: 1, durationsAlike: 0.7}\n"
	"  states: [{rate: 1, stay: 60h}, {rate: 6, stay: 20h}]\n"
	"  duration: {phases: {10m: 0.6, 6h: 0.4}}\n";

START_TEST(parameters_come_back)
{
	const struct generator_team *a, *b;
	struct refit r;

	refit(&r, two_teams, &plain);
	ck_assert_msg(r.code == ERR_OK, "%s", r.err.msg);
	ck_assert_uint_eq(r.fit.generator->team_count, 2);
	a = &r.fit.generator->teams[0];
	b = &r.fit.generator->teams[1];
	ck_assert_str_eq(a->name, "a");
	near(a->jobs_per_day, 60, 0.05);
	ck_assert_uint_eq(a->arrivals.state_count, 0);
	ck_assert_uint_eq(a->duration_count, 2);
	ck_assert_int_eq(a->durations[0].distribution.kind, DISTRIBUTION_LOGNORMAL);
	near(a->durations[0].distribution.parameter[DISTRIBUTION_MEDIAN], 1800, 0.06);
	near(a->durations[0].distribution.parameter[DISTRIBUTION_SIGMA], 1.2, 0.04);
	ck_assert(a->durations[0].up_to_gpus < 8);
	ck_assert_int_eq(a->durations[1].distribution.kind, DISTRIBUTION_WEIBULL);
	near(a->durations[1].distribution.parameter[DISTRIBUTION_SHAPE], 0.7, 0.04);
	near(a->durations[1].distribution.parameter[DISTRIBUTION_SCALE], 4 * 3600, 0.06);
	near(distribution_mean(&a->gpus, 1, true), 3.8, 0.04);
	ck_assert(fabs(a->gpus_alike) < 0.1 && fabs(a->durations_alike) < 0.1);
	near(b->jobs_per_day, 50, 0.25); /* states and sweeps make it vary */
	ck_assert_uint_eq(b->arrivals.state_count, 2);
	near(b->arrivals.states[1].rate / b->arrivals.states[0].rate, 6, 0.3);
	near(b->arrivals.states[0].stay, 60 * 3600, 0.6);
	near(b->arrivals.states[1].stay, 20 * 3600, 0.6);
	near(distribution_mean(&b->sweep_size, 1, true), 3.25, 0.12);
	near(b->durations_alike, 0.7, 0.15);
	ck_assert(b->durations_persist < 0.3);
	ck_assert_int_eq(b->gpus.kind, DISTRIBUTION_CONSTANT);
	ck_assert_int_eq(b->durations->distribution.kind, DISTRIBUTION_HYPEREXPONENTIAL);
	near(distribution_mean(&b->durations->distribution, 0, false), 9000, 0.15);
	release(&r);
}
END_TEST

/* Wednesday noon was time 0; nights have an eighth of the days' rate. */
START_TEST(rhythm_comes_back)
{
	const double *rhythm;
	double day = 0, night = 0, weekend = 0, working = 0;
	struct refit r;

	refit(&r, two_teams, &plain);
	rhythm = r.fit.generator->teams[0].arrivals.rhythm;
	for (int h = 0; h < ARRIVALS_HOURS; h++) {
		if (h % 24 >= 9 && h % 24 < 18)
			day += rhythm[h] / 9;
		if (h % 24 < 8)
			night += rhythm[h] / 8;
		(h / 24 < 5 ? &working : &weekend)[0] += rhythm[h];
	}
	near(day / night, 8, 0.12);
	near((working / 5) / (weekend / 2), 4, 0.1);
	ck_assert(r.fit.generator->has_start);
	ck_assert(r.fit.generator->start == r.generator->start);
	release(&r);
}
END_TEST

START_TEST(copula)
{
	static const char text[] = "apiVersion: gqsim/v1\nkind: Generator\nlength: 60d\nteams:\n"
				   "- name: a\n  jobsPerDay: 60\n  correlation: 0.6\n"
				   "  gpus: {distribution: uniform, min: 1, max: 64}\n"
				   "  duration: {distribution: lognormal, median: 1h, sigma: 1}\n";
	struct generator_fit_options options = {.family = DISTRIBUTION_LOGNORMAL, .copula = true};
	const struct generator_team *a;
	struct refit r;

	refit(&r, text, &options);
	a = &r.fit.generator->teams[0];
	ck_assert_uint_eq(a->duration_count, 1);
	near(a->correlation, 0.6, 0.08);
	near(a->durations->distribution.parameter[DISTRIBUTION_SIGMA], 1, 0.05);
	near(r.fit.rows[0].rank_correlation, 6 / 3.14159265358979 * asin(0.3), 0.08);
	release(&r);
}
END_TEST

/* A profile is followed if that is wished; sweeps that resemble the one before are seen. */
START_TEST(profile_and_persistence)
{
	static const char text[] =
		"apiVersion: gqsim/v1\nkind: Generator\nlength: 60d\nteams:\n"
		"- name: a\n  jobsPerDay: 100\n  profile: {every: 20d, levels: [1, 3, 2]}\n"
		"  sweep: {size: {weights: {1: 1, 2: 1}}, spacing: 1, durationsAlike: 0.8, "
		"durationsPersist: 0.97}\n"
		"  duration: {distribution: lognormal, median: 1h, sigma: 1}\n";
	struct generator_fit_options options = {.family = DISTRIBUTION_KINDS, .follow = 20 * 86400};
	const struct generator_team *a;
	struct refit r;

	refit(&r, text, &options);
	a = &r.fit.generator->teams[0];
	ck_assert_uint_eq(a->arrivals.level_count, 3);
	near(a->arrivals.levels[1] / a->arrivals.levels[0], 3, 0.15);
	near(a->arrivals.levels[2] / a->arrivals.levels[0], 2, 0.15);
	near(a->durations_alike, 0.8, 0.1);
	near(a->durations_persist, 0.97, 0.02);
	release(&r);
}
END_TEST

/* Weeks of large sweeps of small, long jobs, and the other way round, are followed as the rate
 * is; as many jobs come as the document says, and no sweep beyond those that were seen. */
START_TEST(moods_come_back)
{
	static const char text[] =
		"apiVersion: gqsim/v1\nkind: Generator\nlength: 63d\nteams:\n"
		"- name: a\n  jobsPerDay: 400\n  profile: {every: 7d, levels: [2, 1, 2], "
		"sweeps: [-0.6, 0, 0.6], gpus: [0.5, 0, -0.5], durations: [-0.7, 0, 0.7]}\n"
		"  sweep: {size: {distribution: uniform, min: 1, max: 20}, spacing: 1, gpusAlike: "
		"0.5}\n  gpus: {distribution: uniform, min: 1, max: 64}\n"
		"  duration: {distribution: lognormal, median: 1h, sigma: 1}\n";
	struct generator_fit_options options = {
		.family = DISTRIBUTION_LOGNORMAL, .copula = true, .follow = 7 * 86400};
	const struct generator_team *a;
	struct refit r;

	refit(&r, text, &options);
	near((double)r.jobs.count, 63 * 400, 0.05);
	a = &r.fit.generator->teams[0];
	ck_assert_uint_eq(a->arrivals.level_count, 9);
	for (int week = 0; week < 9; week++) {
		int side = week % 3 - 1;

		/* scores are of all jobs, of which large sweeps have more: the middle moves */
		ck_assert_double_eq_tol(a->sweep_moods[week] - a->sweep_moods[1], 0.6 * side, 0.2);
		ck_assert_double_eq_tol(a->gpus_moods[week] - a->gpus_moods[1], -0.5 * side, 0.2);
		ck_assert_double_eq_tol(a->durations_moods[week] - a->durations_moods[1],
					0.7 * side, 0.2);
	}
	/* 20 jobs of 64 GPUs each are rare; a few hours each are not */
	ck_assert(a->sweep_most > 500 && a->sweep_most < 20 * 64 * 30);
	release(&r);
}
END_TEST

/* What was fitted covers what is left over, too; every row has its values. */
START_TEST(others_and_report)
{
	struct generator_fit_options options = {.family = DISTRIBUTION_QUANTILES, .least = 6500};
	struct refit r;

	refit(&r, two_teams, &options);
	ck_assert_msg(r.code == ERR_OK, "%s", r.err.msg);
	ck_assert_uint_eq(r.fit.generator->team_count, 2);
	ck_assert_str_eq(r.fit.generator->teams[1].name, "others");
	ck_assert_uint_eq(r.fit.jobs, r.jobs.count);
	for (size_t i = 0; i < r.fit.row_count; i++) {
		ck_assert(r.fit.rows[i].count > 0 && r.fit.rows[i].values[0] > 0);
		ck_assert(r.fit.rows[i].fit.ks >= 0 && r.fit.rows[i].fit.ks <= 1);
	}
	release(&r);
}
END_TEST

START_TEST(too_little)
{
	struct refit r;

	refit(&r,
	      "apiVersion: gqsim/v1\nkind: Generator\njobs: 5\nteams:\n"
	      "- name: a\n  jobsPerDay: 60\n  duration: 1\n",
	      &plain);
	ck_assert_int_eq(r.code, ERR_VALUE);
	ck_assert_ptr_nonnull(strstr(r.err.msg, "too little"));
	release(&r);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("sim/gen/generator_fit");
	TCase *t = tcase_create("all");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_set_timeout(t, 60);
	tcase_add_test(t, parameters_come_back);
	tcase_add_test(t, rhythm_comes_back);
	tcase_add_test(t, copula);
	tcase_add_test(t, profile_and_persistence);
	tcase_add_test(t, moods_come_back);
	tcase_add_test(t, others_and_report);
	tcase_add_test(t, too_little);
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
