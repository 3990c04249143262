/* test_demand.c - What jobs ask for, and what theory would have, against both by hand. */
#include <math.h>

#include "core/queueing.h"
#include "sim/study/demand.h"
#include "tests/sim/objects_case.h"

#define JOBS(jobs) "apiVersion: gqsim/v1\nkind: Simulation\njobs:\n" jobs
#define NEAR	   1e-9

START_TEST(of_a_few_jobs)
{
	struct scenario *s = objects_case_load(
		JOBS("- {name: a, submitAt: 0s, duration: 100s, gpus: 4}\n"
		     "- {name: b, submitAt: 50s, duration: 50s, pods: 2, gpus: 4}\n"
		     "- {name: c, submitAt: 100s, duration: 30s, gpus: 1}\n"
		     "- {name: service, duration: endless, gpus: 2}\n"
		     "- {name: cpu, duration: 50s, requests: {cpu: 1}}\n"));
	struct demand d = demand_of(s);

	ck_assert_uint_eq(d.jobs, 3);
	ck_assert_int_eq(d.endless, 2);
	ck_assert_int_eq(d.span, 100 * CLOCK_SECOND);
	ck_assert_int_eq(d.peak, 12); /* a and b end as c begins */
	ck_assert_int_eq(d.largest, 8);
	ck_assert_double_eq_tol(d.rate, 0.03, NEAR);
	ck_assert_double_eq_tol(d.service, 60, NEAR);
	ck_assert_double_eq_tol(d.mean_gpus, (400.0 + 400 + 30) / 180, NEAR);
	ck_assert_double_eq_tol(d.load, (400.0 + 400 + 30) / 100, NEAR);
	ck_assert_double_eq_tol(d.scv_arrivals, 0, NEAR); /* every 50 s */
	ck_assert_double_eq_tol(d.scv_service, 1300.0 / 3600, NEAR);
	scenario_free(s);
}
END_TEST

static const struct {
	const char *text;
	enum goal_figure figure;
	double limit;
} goals[] = {
	{"p95-wait=10m", GOAL_P95, 600},
	{"p50-wait=0", GOAL_P50, 0},
	{"p99-wait=1h", GOAL_P99, 3600},
	{"mean-wait=1m", GOAL_MEAN, 60},
};

/* The fewest servers with which the formula meets the limit: one fewer does not. */
START_TEST(theory_is_met_just)
{
	struct demand d = {.jobs = 1000,
			   .mean_gpus = 1,
			   .rate = 0.01,
			   .service = 3600,
			   .scv_arrivals = 1,
			   .scv_service = 3,
			   .load = 36};
	struct goals g = {.count = 0};
	struct err err;
	int64_t servers;

	ck_assert_int_eq(goal_add(&g, goals[_i].text, &err), ERR_OK);
	servers = demand_guess(&d, &g.items[0]);
	ck_assert_int_gt(servers, 36);
	for (int64_t c = servers - 1; c <= servers; c++) {
		double p = goals[_i].figure == GOAL_P50	  ? 0.5
			   : goals[_i].figure == GOAL_P95 ? 0.95
							  : 0.99;
		double wait = goals[_i].figure == GOAL_MEAN
				      ? 2 * queueing_mmc_wait((uint32_t)c, 0.01, 3600)
				      : 2 * queueing_mmc_quantile((uint32_t)c, 0.01, 3600, p);

		ck_assert_int_eq(wait <= goals[_i].limit, c == servers);
	}
	d.mean_gpus = 2.5; /* as many servers, each as big as a job */
	ck_assert_int_eq(demand_guess(&d, &g.items[0]), (int64_t)ceil((double)servers * 2.5));
	d.endless = 7;
	ck_assert_int_eq(demand_guess(&d, &g.items[0]), (int64_t)ceil((double)servers * 2.5) + 7);
}
END_TEST

START_TEST(nothing_is_asked_for)
{
	struct scenario *s =
		objects_case_load(JOBS("- {name: cpu, duration: 50s, requests: {cpu: 1}}\n"));
	struct demand d = demand_of(s);
	struct goals g = {.count = 0};
	struct err err;

	goal_add(&g, "p95-wait=1", &err);
	ck_assert_uint_eq(d.jobs, 0);
	ck_assert_int_eq(demand_guess(&d, &g.items[0]), 0);
	scenario_free(s);
	s = objects_case_load(JOBS("- {name: a, count: 9, duration: 50s, gpus: 1}\n"));
	d = demand_of(s); /* all at once, and one time only */
	ck_assert_int_eq(d.peak, 9);
	ck_assert_double_eq_tol(d.load, 9, NEAR);
	ck_assert_int_gt(demand_guess(&d, &g.items[0]), 9);
	scenario_free(s);
}
END_TEST

int main(void)
{
	TCase *t = tcase_create("all");

	tcase_add_test(t, of_a_few_jobs);
	tcase_add_loop_test(t, theory_is_met_just, 0, ROWS(goals));
	tcase_add_test(t, nothing_is_asked_for);
	return objects_case_run("sim/study/demand", t);
}
