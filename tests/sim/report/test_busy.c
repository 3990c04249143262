/* test_busy.c - Allocation and utilisation over time: worked out by hand, and conserved. */
#include "sim/report/busy.h"
#include "sim/report/metrics.h"
#include "tests/sim/run_case.h"
#include "tests/support/records.h"

#define HOUR 3600
#define NEAR 1e-9
#define LAB(jobs)                                                                                  \
	"apiVersion: gqsim/v1\nkind: Simulation\n"                                                 \
	"nodePools: [{name: p, count: 1, gpus: 8}]\njobs:\n" jobs

static struct busy *measure(const struct journal *j, simtime end)
{
	struct metrics *m = metrics_new(j, false, end);
	struct busy *busy = busy_new(j, m->team_of, m->team_count, end);

	metrics_free(m);
	return busy;
}

/* A notebook holds a GPU for 8 hours and uses it for 20 minutes; a training of 4 GPUs at
 * 90 % waits from hour 1 to 2, when it has its pods, starts at 3 and ends at 5. */
START_TEST(a_notebook_and_a_training)
{
	struct scenario *s = objects_case_load(
		LAB("- {name: nb, namespace: dev, duration: 8h, gpus: 1, gpuUtilisation: 4.2}\n"
		    "- {name: train, namespace: ml, duration: 2h, gpus: 4, gpuUtilisation: 90}\n"));
	struct journal *j = journal_new(s, "kubernetes", JOURNAL_FULL);
	struct busy *b;

	records_job(j, 0, J_SUBMIT, 0, 0, 0);
	records_pod(j, 0, J_POD_SCHEDULED, 0, 0, 0, 0);
	records_job(j, 0, J_STARTED, 0, 1, 0);
	records_job(j, HOUR, J_SUBMIT, 1, 0, 0);
	records_pod(j, 2 * HOUR, J_POD_SCHEDULED, 1, 0, 0, 0);
	records_job(j, 3 * HOUR, J_STARTED, 1, 1, 0);
	records_job(j, 5 * HOUR, J_FINISHED, 1, 0, 0);
	records_job(j, 8 * HOUR, J_FINISHED, 0, 0, 0);
	b = measure(j, 10 * CLOCK_HOUR);
	/* dev */
	ck_assert_int_eq(b->groups[0].held, 8 * CLOCK_HOUR);
	ck_assert_double_eq_tol(busy_share(&b->groups[0]), 0.042, NEAR);
	ck_assert_uint_eq(dwell_quantile(&b->groups[0].level, 950), 42);
	ck_assert_int_eq(b->groups[0].level.total, 8 * CLOCK_HOUR); /* while it holds any */
	ck_assert_int_eq(b->groups[0].gpus.total, 10 * CLOCK_HOUR);
	ck_assert_uint_eq(dwell_quantile(&b->groups[0].gpus, 500), 1);
	ck_assert_uint_eq(dwell_quantile(&b->groups[0].gpus, 200), 0);
	ck_assert_int_eq(b->groups[0].coming.total, 10 * CLOCK_HOUR); /* all came at once */
	ck_assert_uint_eq(b->groups[0].pending_most, 0);
	/* ml: idle for an hour, at 90 % for two */
	ck_assert_int_eq(b->groups[1].held, 12 * CLOCK_HOUR);
	ck_assert_int_eq(b->groups[1].running, 8 * CLOCK_HOUR);
	ck_assert_double_eq_tol(busy_share(&b->groups[1]), 0.6, NEAR);
	ck_assert_uint_eq(dwell_quantile(&b->groups[1].level, 300), 0);
	ck_assert_uint_eq(dwell_quantile(&b->groups[1].level, 950), 900);
	ck_assert_int_eq(b->groups[1].pending, 2 * CLOCK_HOUR);
	ck_assert_uint_eq(b->groups[1].pending_most, 1);
	/* all; a week that is not full */
	ck_assert_int_eq(b->groups[2].held, 20 * CLOCK_HOUR);
	ck_assert_double_eq_tol(busy_share(&b->groups[2]), (8 * 0.042 + 8 * 0.9) / 20, NEAR);
	ck_assert_double_eq_tol(busy_typical_week(b), (8 * 0.042 + 8 * 0.9) / 80, NEAR);
	busy_free(b);
	journal_free(j);
	scenario_free(s);
}
END_TEST

/* Of five weeks the middle one counts; what is left of a sixth does not. */
START_TEST(the_middle_one_of_the_weeks)
{
	struct scenario *s = objects_case_load(LAB("- {name: a, duration: 7d, gpus: 8}\n"
						   "- {name: b, duration: 17d, gpus: 2}\n"));
	struct journal *j = journal_new(s, "kubernetes", JOURNAL_FULL);
	struct busy *b;

	records_job(j, 0, J_SUBMIT, 0, 0, 0);
	records_job(j, 0, J_SUBMIT, 1, 0, 0);
	records_pod(j, 0, J_POD_SCHEDULED, 0, 0, 0, 0);
	records_job(j, 0, J_STARTED, 0, 1, 0);
	records_job(j, 168 * HOUR, J_FINISHED, 0, 0, 0);
	records_pod(j, 168 * HOUR, J_POD_SCHEDULED, 1, 0, 0, 0);
	records_job(j, 168 * HOUR, J_STARTED, 1, 1, 0);
	records_job(j, 576 * HOUR, J_FINISHED, 1, 0, 0);
	b = measure(j, 36 * CLOCK_DAY);
	ck_assert_uint_eq(b->week_count, 6);
	for (int w = 0; w < 5; w++)
		ck_assert_int_eq(b->week_capacity[w], 8 * 7 * CLOCK_DAY);
	ck_assert_int_eq(b->week_capacity[5], 8 * CLOCK_DAY);
	ck_assert_int_eq(b->week_busy[0], 8 * 7 * CLOCK_DAY);
	ck_assert_int_eq(b->week_busy[2], 2 * 7 * CLOCK_DAY);
	ck_assert_int_eq(b->week_busy[3], 2 * 3 * CLOCK_DAY);
	ck_assert_double_eq_tol(busy_typical_week(b), 0.25, NEAR); /* 1, 1/4, 1/4, 6/56, 0 */
	busy_free(b);
	journal_free(j);
	scenario_free(s);
}
END_TEST

/* One job fails after an hour, one is cancelled after two, one finishes. */
START_TEST(work_of_jobs_that_were_given_up)
{
	struct run_case c = run_case(LAB("- {name: ok, duration: 3h, gpus: 1}\n"
					 "- {name: gone, duration: 3h, gpus: 2, cancelAt: "
					 "2h}\n") "---\n" RUN_CASE_JOB("bad",
								       "gqsim/duration: 3h, "
								       "gqsim/pod-failures: 1h",
								       "backoffLimit: 0"),
				     "kubernetes");
	struct busy *b = measure(c.journal, 4 * CLOCK_HOUR);

	ck_assert_int_eq(b->groups[0].crashed, CLOCK_HOUR);
	ck_assert_int_eq(b->groups[0].cancelled, 4 * CLOCK_HOUR);
	ck_assert_int_eq(b->groups[1].crashed, CLOCK_HOUR);
	ck_assert_int_eq(b->groups[1].cancelled, 4 * CLOCK_HOUR);
	busy_free(b);
	run_case_free(&c);
}
END_TEST

static const char *const policies[] = {"kubernetes", "kueue"};

/* What metrics have of all, this has of all groups together. */
START_TEST(groups_add_up_to_the_metrics)
{
	struct run_case c = run_case(LAB("- {name: t, count: 9, every: 10m, namespace: default, "
					 "queue: q, duration: "
					 "1h, pods: 2, gpus: 3, gpuUtilisation: 70}\n"
					 "- {name: u, count: 9, every: 7m, namespace: b, duration: "
					 "20m, gpus: 1}\n") "---\n" RUN_CASE_QUEUE("8"),
				     policies[_i]);
	struct metrics *m = metrics_new(c.journal, _i == 1, c.journal->account_end);
	struct busy *b = busy_new(c.journal, m->team_of, m->team_count, m->end);
	int64_t held = 0, running = 0, busy = 0;

	for (uint32_t g = 0; g < b->count; g++) {
		held += b->groups[g].held;
		running += b->groups[g].running;
		busy += b->groups[g].busy;
		ck_assert_int_eq(b->groups[g].gpus.total, m->end);
		ck_assert_int_eq(b->groups[g].coming.total, 80 * CLOCK_MINUTE);
	}
	ck_assert_int_gt(held, 0);
	ck_assert_int_eq(held, m->bound);
	ck_assert_int_eq(running, m->running);
	ck_assert_int_eq(b->groups[b->count].held, m->bound);
	ck_assert_double_eq_tol((double)busy / (double)m->capacity, m->utilisation, 1e-6);
	ck_assert_double_eq_tol(busy_typical_week(b), m->utilisation, 1e-6);
	busy_free(b);
	metrics_free(m);
	run_case_free(&c);
}
END_TEST

int main(void)
{
	TCase *t = tcase_create("all");

	tcase_add_test(t, a_notebook_and_a_training);
	tcase_add_test(t, the_middle_one_of_the_weeks);
	tcase_add_test(t, work_of_jobs_that_were_given_up);
	tcase_add_loop_test(t, groups_add_up_to_the_metrics, 0, ROWS(policies));
	return objects_case_run("sim/report/busy", t);
}
