/* test_metrics.c - Every figure of DESIGN's list, worked out by hand. */
#include <check.h>
#include <math.h>
#include <stdlib.h>

#include "sim/report/metrics.h"
#include "tests/support/fixture.h"
#include "tests/support/records.h"

#define S    CLOCK_SECOND
#define NEAR 1e-9

/* Two nodes of 4 GPUs. */
static const struct fixture_job jobs[] = {
	{"gang", 0, 100, 2, 2, "x", 0, 0},  /* 4 GPUs */
	{"late", 10, 50, 1, 4, "y", 0, 0},  /* 4 GPUs */
	{"never", 20, 10, 3, 4, "y", 0, 0}, /* 12 GPUs: more than there are */
};

static struct scenario *cluster(void)
{
	struct builder *b = fixture_cluster(2, 4);

	builder_simple_queue(b, "x", "default", "all", "gpu", 2);
	builder_simple_queue(b, "y", "default", "all", "gpu", 6);
	fixture_add(b, jobs, 3);
	return fixture_finish(b);
}

/* Plain Kubernetes: gang gets its second pod at 30 s and finishes at 130 s; late
 * runs from 40 s, loses its pod at 60 s, starts over at 70 s and finishes at 120 s. */
static struct journal *plain_run(const struct scenario *s)
{
	struct journal *j = journal_new(s, "kubernetes", JOURNAL_FULL);

	records_job(j, 0, J_SUBMIT, 0, 0, 0);
	records_pod(j, 0, J_POD_SCHEDULED, 0, 0, 0, 0);
	records_job(j, 10, J_SUBMIT, 1, 0, 0);
	records_job(j, 20, J_SUBMIT, 2, 0, 0);
	records_pod(j, 30, J_POD_SCHEDULED, 0, 1, 0, 0);
	records_job(j, 30, J_STARTED, 0, 1, 0);
	records_pod(j, 40, J_POD_SCHEDULED, 1, 0, 1, 0);
	records_job(j, 40, J_STARTED, 1, 1, 0);
	records_pod(j, 60, J_POD_PREEMPTED, 1, 0, 1, j->first_pod[2]);
	records_job(j, 60, J_INTERRUPTED, 1, 1, 0);
	records_lost(j, 60, 1, 20);
	records_pod(j, 70, J_POD_SCHEDULED, 1, 0, 1, 0);
	records_job(j, 70, J_STARTED, 1, 2, 0);
	records_job(j, 120, J_FINISHED, 1, 0, 0);
	records_job(j, 130, J_FINISHED, 0, 0, 0);
	j->account_end = 200 * S;
	return j;
}

START_TEST(gpu_time_adds_up)
{
	struct scenario *s = cluster();
	struct journal *j = plain_run(s);
	struct metrics *m = metrics_new(j, false, 200 * S);

	ck_assert_int_eq(m->capacity, 8 * 200 * S);
	/* gang: 2 GPUs for 30 s, 4 for 100 s; late: 4 for 20 s and 50 s */
	ck_assert_int_eq(m->bound, (60 + 400 + 80 + 200) * S);
	ck_assert_int_eq(m->running, (400 + 80 + 200) * S);
	ck_assert_int_eq(m->idle, 60 * S);
	ck_assert_int_eq(m->free, (1600 - 740) * S);
	ck_assert_int_eq(m->useful, 600 * S);
	ck_assert_int_eq(m->lost, 80 * S);
	ck_assert_int_eq(m->unfinished, 0);
	ck_assert_double_eq_tol(m->allocation, 740.0 / 1600, NEAR);
	ck_assert_double_eq_tol(m->utilisation, 680.0 / 1600, NEAR);
	ck_assert_int_eq(m->gpus_peak, 8);
	ck_assert_int_eq(m->gpus_quota, 8);
	metrics_free(m);
	journal_free(j);
	scenario_free(s);
}
END_TEST

/* min(free, asked), piece by piece: 0-10: 2 of 6; 10-20: 6 of 6; 20-30: 6;
 * 30-40: 4; 40-60: 0; 60-70: 4; 70-120: 0; 120-130: 4; 130-200: 8 */
START_TEST(stranded_is_what_is_free_and_asked_for)
{
	struct scenario *s = cluster();
	struct journal *j = plain_run(s);
	struct metrics *m = metrics_new(j, false, 200 * S);

	ck_assert_int_eq(m->stranded, (20 + 60 + 60 + 40 + 0 + 40 + 0 + 40 + 560) * S);
	metrics_free(m);
	journal_free(j);
	scenario_free(s);
}
END_TEST

START_TEST(waits_and_counts)
{
	struct scenario *s = cluster();
	struct journal *j = plain_run(s);
	struct metrics *m = metrics_new(j, false, 200 * S);

	ck_assert_uint_eq(m->jobs, 3);
	ck_assert_uint_eq(m->finished, 2);
	ck_assert_uint_eq(m->never_started, 1);
	ck_assert_uint_eq(m->never_fit, 1);
	ck_assert_int_eq(m->makespan, CLOCK_NEVER);
	ck_assert_uint_eq(m->pods, 6);
	ck_assert_uint_eq(m->pods_placed, 3);
	ck_assert_uint_eq(m->preempted_pods, 1);
	/* waits 30, 30 and never: the median is 30, p95 is never */
	ck_assert_double_eq_tol(m->wait.p50, 30, NEAR);
	ck_assert(isinf(m->wait.p95));
	ck_assert_double_eq_tol(m->wait_nearest[1], 30, NEAR);
	/* 8 GPUs of 20 started: half of the GPUs never did */
	ck_assert(isinf(m->wait_weighted[0]));
	/* not running from submit to finish: 30 + (10 + 30) */
	ck_assert_double_eq_tol(m->queueing_total, 30 + 60 - 20, NEAR);
	ck_assert_double_eq_tol(m->queueing_mean, 35, NEAR);
	metrics_free(m);
	journal_free(j);
	scenario_free(s);
}
END_TEST

START_TEST(teams_by_bound_gpus)
{
	struct scenario *s = cluster();
	struct journal *j = plain_run(s);
	struct metrics *m = metrics_new(j, false, 200 * S);

	ck_assert_uint_eq(m->team_count, 2);
	ck_assert_str_eq(m->teams[0].name, "x");
	ck_assert_int_eq(m->teams[0].nominal, 2);
	ck_assert_int_eq(m->teams[0].peak_used, 4);
	ck_assert_int_eq(m->teams[0].used, 460 * S);
	ck_assert_int_eq(m->teams[1].used, 280 * S);
	ck_assert_uint_eq(m->teams[1].preempted, 1);
	ck_assert_uint_eq(m->teams[1].preempted_by_self, 1);
	ck_assert_uint_eq(m->teams[1].caused, 1);
	ck_assert_uint_eq(m->teams[1].jobs, 2);
	ck_assert_uint_eq(m->teams[1].wait.never, 1);
	metrics_free(m);
	journal_free(j);
	scenario_free(s);
}
END_TEST

/* A longer window, as another column may have it, only adds free time. */
START_TEST(the_window_can_be_longer)
{
	struct scenario *s = cluster();
	struct journal *j = plain_run(s);
	struct metrics *m = metrics_new(j, false, 300 * S);

	ck_assert_int_eq(metrics_window(j), 200 * S);
	ck_assert_int_eq(m->capacity, 8 * 300 * S);
	ck_assert_int_eq(m->bound, 740 * S);
	ck_assert_int_eq(m->stranded, (820 + 800) * S);
	metrics_free(m);
	journal_free(j);
	scenario_free(s);
}
END_TEST

/* Kueue: x borrows 2 of y's 6 from 0 to 100 s; is preempted for y at 50 s, keeps its
 * quota 5 s more; y's job runs from 55 s to 105 s. */
static struct journal *queued_run(const struct scenario *s)
{
	struct journal *j = journal_new(s, "kueue", JOURNAL_FULL);
	uint32_t x = records_admission(j, 0, 0, 1), y = records_admission(j, 1, 1, 0);

	records_job(j, 0, J_SUBMIT, 0, 0, 0);
	records_job(j, 0, J_QUOTA_RESERVED, 0, x, 0);
	records_pod(j, 0, J_POD_SCHEDULED, 0, 0, 0, 0);
	records_pod(j, 0, J_POD_SCHEDULED, 0, 1, 0, 0);
	records_job(j, 0, J_STARTED, 0, 1, 0);
	records_job(j, 10, J_SUBMIT, 1, 0, 0);
	records_job(j, 50, J_PREEMPTED, 0, 1, journal_string(j, "InCohortReclamation"));
	records_lost(j, 50, 0, 50);
	records_job(j, 55, J_RELEASED, 0, 1, 0);
	records_job(j, 55, J_QUOTA_RESERVED, 1, y, 0);
	records_pod(j, 55, J_POD_SCHEDULED, 1, 0, 1, 0);
	records_job(j, 55, J_STARTED, 1, 1, 0);
	records_job(j, 105, J_FINISHED, 1, 0, 0);
	records_job(j, 110, J_QUOTA_RESERVED, 0, x, 0);
	j->account_end = 120 * S;
	return j;
}

START_TEST(quota_borrowed_and_lent)
{
	struct scenario *s = cluster();
	struct journal *j = queued_run(s);
	struct metrics *m = metrics_new(j, true, 120 * S);

	ck_assert_int_eq(m->teams[0].peak_used, 4);
	ck_assert_int_eq(m->teams[0].peak_borrowed, 2);
	ck_assert_int_eq(m->teams[0].used, 4 * (55 + 10) * S);
	ck_assert_int_eq(m->teams[0].borrowed, 2 * (55 + 10) * S);
	ck_assert_int_eq(m->teams[1].lent, 2 * (55 + 10) * S);
	ck_assert_int_eq(m->teams[1].peak_lent, 2);
	ck_assert_int_eq(m->teams[1].peak_borrowed, 0);
	ck_assert_uint_eq(m->preemptions, 1);
	ck_assert_uint_eq(m->reason_count, 1);
	ck_assert_str_eq(m->reasons[0].reason, "InCohortReclamation");
	ck_assert_uint_eq(m->teams[0].preempted, 1);
	ck_assert_uint_eq(m->teams[0].preempted_by_self, 0);
	ck_assert_uint_eq(m->teams[1].caused, 1);
	metrics_free(m);
	journal_free(j);
	scenario_free(s);
}
END_TEST

/* Held by a job that ends, and by an admitted one that has no node yet. */
START_TEST(quota_is_not_capacity)
{
	struct scenario *s = cluster();
	struct journal *j = queued_run(s);
	struct metrics *m = metrics_new(j, true, 120 * S);

	ck_assert_int_eq(m->bound, (4 * 55 + 4 * 50) * S);
	ck_assert_int_eq(m->running, (4 * 50 + 4 * 50) * S);
	ck_assert_int_eq(m->idle, 4 * 5 * S);
	ck_assert_int_eq(m->lost, 200 * S);
	ck_assert_int_eq(m->useful, 200 * S);
	ck_assert_uint_eq(m->awaiting_node, 1);
	ck_assert_uint_eq(m->awaited_node_ever, 1);
	/* admitted at 0, at 55 after 45 s, and at 110 after 55 s since its release */
	ck_assert_uint_eq(m->admission_wait.jobs, 3);
	ck_assert_double_eq_tol(m->admission_wait.p50, 45, NEAR);
	ck_assert_double_eq_tol(m->admission_wait.max, 55, NEAR);
	ck_assert_uint_eq(m->admission_wait.never, 0);
	metrics_free(m);
	journal_free(j);
	scenario_free(s);
}
END_TEST

START_TEST(deadlocks_have_their_gpu_time)
{
	struct scenario *s = cluster();
	struct journal *j = journal_new(s, "kubernetes", JOURNAL_FULL);
	const uint32_t set[] = {0, 2};
	struct metrics *m;

	records_job(j, 0, J_SUBMIT, 0, 0, 0);
	records_pod(j, 0, J_POD_SCHEDULED, 0, 0, 0, 0);
	records_job(j, 20, J_SUBMIT, 2, 0, 0);
	records_pod(j, 20, J_POD_SCHEDULED, 2, 0, 1, 0);
	records_job(j, 20, J_DEADLOCK, JOB_NONE, journal_set(j, set, 2), 0);
	records_pod(j, 30, J_POD_PREEMPTED, 2, 0, 1, j->first_pod[0] + 1);
	records_job(j, 40, J_DEADLOCK_OVER, JOB_NONE, 0, 0);
	records_job(j, 60, J_DEADLOCK, JOB_NONE, journal_set(j, set, 1), 0);
	j->account_end = 100 * S;
	m = metrics_new(j, false, 100 * S);
	ck_assert_uint_eq(m->deadlock_count, 2);
	ck_assert_int_eq(m->deadlocks[0].since, 20 * S);
	ck_assert_int_eq(m->deadlocks[0].until, 40 * S);
	ck_assert(!m->deadlocks[0].standing);
	ck_assert_int_eq(m->deadlocks[0].gpus, 6);
	ck_assert_uint_eq(m->deadlocks[0].pods_placed, 2);
	ck_assert_uint_eq(m->deadlocks[0].pods_wanted, 5);
	ck_assert_uint_eq(m->deadlocks[0].never_fits, 1);
	ck_assert_int_eq(m->deadlocks[0].held, (6 * 10 + 2 * 10) * S);
	ck_assert(m->deadlocks[1].standing);
	ck_assert_int_eq(m->deadlocks[1].until, 100 * S);
	ck_assert_int_eq(m->deadlocks[1].held, 2 * 40 * S);
	ck_assert_int_eq(m->deadlock_held, 160 * S);
	metrics_free(m);
	journal_free(j);
	scenario_free(s);
}
END_TEST

/* "never" is deleted at 140 s: all that could end has ended, at 130 s. */
START_TEST(who_is_cancelled_has_ended)
{
	struct scenario *s = cluster();
	struct journal *j = plain_run(s);
	struct metrics *m;

	records_job(j, 140, J_DELETED, 2, 0, 0);
	m = metrics_new(j, false, 200 * S);
	ck_assert_int_eq(m->makespan, 130 * S);
	ck_assert_uint_eq(m->cancelled, 1);
	ck_assert_uint_eq(m->cancelled_waiting, 1); /* it had not started */
	ck_assert_uint_eq(m->finished, 2);
	metrics_free(m);
	journal_free(j);
	scenario_free(s);
}
END_TEST

/* Ten jobs overtake a big one; the window ends before the last record, or after. */
START_TEST(starved_wait_ends_with_the_window)
{
	static const char *const names[] = {"a", "b", "c", "d", "e", "f", "g", "h", "i", "k"};
	struct fixture_job all[11] = {{"big", 0, 100, 1, 4, "x", 0, 0}};
	struct builder *b = fixture_cluster(2, 4);
	struct scenario *s;

	for (uint32_t i = 1; i <= 10; i++)
		all[i] = (struct fixture_job){names[i - 1], 1, 10, 1, 1, "x", 0, 0};
	builder_simple_queue(b, "x", "default", "all", "gpu", 8);
	fixture_add(b, all, 11);
	s = fixture_finish(b);
	for (uint32_t starts = 0; starts < 2; starts++) {
		struct journal *j = journal_new(s, "kubernetes", JOURNAL_FULL);

		for (uint32_t i = 0; i <= 10; i++)
			records_job(j, i > 0, J_SUBMIT, i, 0, 0);
		for (uint32_t i = 1; i <= 10; i++)
			records_job(j, 2, J_STARTED, i, 1, 0);
		records_job(j, 50, J_FINISHED, 1, 0, 0);
		if (starts == 1)
			records_job(j, 50, J_STARTED, 0, 1, 0);
		for (simtime end = 30; end <= 70; end += 40) {
			struct metrics *m = metrics_new(j, false, end * S);

			ck_assert_uint_eq(m->starved.jobs, 1);
			ck_assert_int_eq(m->starved.longest_wait,
					 (starts == 1 && end > 50 ? 50 : end) * S);
			metrics_free(m);
		}
		journal_free(j);
	}
	scenario_free(s);
}
END_TEST

START_TEST(no_jobs_are_no_trouble)
{
	struct scenario *s = fixture_finish(fixture_cluster(1, 8));
	struct journal *j = journal_new(s, "kubernetes", JOURNAL_FULL);
	struct metrics *m = metrics_new(j, false, 0);

	ck_assert_uint_eq(m->jobs, 0);
	ck_assert_int_eq(m->capacity, 0);
	ck_assert_double_eq(m->allocation, 0);
	ck_assert_double_eq(m->wait.p95, 0);
	metrics_free(m);
	metrics_free(NULL);
	journal_free(j);
	scenario_free(s);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("sim/report/metrics");
	TCase *t = tcase_create("all");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_add_test(t, gpu_time_adds_up);
	tcase_add_test(t, stranded_is_what_is_free_and_asked_for);
	tcase_add_test(t, waits_and_counts);
	tcase_add_test(t, who_is_cancelled_has_ended);
	tcase_add_test(t, teams_by_bound_gpus);
	tcase_add_test(t, the_window_can_be_longer);
	tcase_add_test(t, quota_borrowed_and_lent);
	tcase_add_test(t, quota_is_not_capacity);
	tcase_add_test(t, deadlocks_have_their_gpu_time);
	tcase_add_test(t, starved_wait_ends_with_the_window);
	tcase_add_test(t, no_jobs_are_no_trouble);
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
