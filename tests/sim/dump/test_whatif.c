/* test_whatif.c - what becomes of a job that comes now: journals by hand. */
#include "sim/dump/whatif.h"

#include <check.h>
#include <stdlib.h>

#include "tests/support/fixture.h"
#include "tests/support/records.h"

enum { RUNS, HIGH, EARLIER, ELSEWHERE, LATER, DONE, ASKED, PLAIN, JOBS };

static const struct fixture_job jobs[JOBS] = {
	[RUNS] = {"runs", 0, 100, 1, 4, "x", 0, 0},
	[HIGH] = {"high", 2, 100, 1, 4, "x", 0, 0},
	[EARLIER] = {"earlier", 1, 100, 1, 4, "x", 0, 0},
	[ELSEWHERE] = {"elsewhere", 1, 100, 1, 4, "y", 0, 0},
	[LATER] = {"later", 9, 100, 1, 4, "x", 0, 0},
	[DONE] = {"done", 0, 1, 1, 4, "x", 0, 0},
	[ASKED] = {"asked", 2, 100, 1, 4, "x", 0, 0},
	[PLAIN] = {"plain", 2, 100, 1, 4, "x", 0, 0},
};

static struct scenario *scenario(struct recorded *records)
{
	struct builder *b = fixture_cluster(2, 4);
	struct scenario *s;

	builder_simple_queue(b, "x", "default", "all", "gpu", 4);
	builder_simple_queue(b, "y", "default", "all", "gpu", 4);
	fixture_add(b, jobs, JOBS);
	s = fixture_finish(b);
	fixture_priority(s, HIGH, 10, s->jobs[HIGH].common->pod_priority);
	fixture_flags(s, PLAIN, JOB_UNMANAGED);
	for (uint32_t i = 0; i < 2; i++)
		records[i] = (struct recorded){.job = i == 0 ? RUNS : HIGH, .running = true};
	s->recorded = records;
	s->recorded_count = 2;
	return s;
}

static struct journal *journal(const struct scenario *s)
{
	struct journal *j = journal_new(s, "kueue", JOURNAL_FULL);

	records_admission(j, RUNS, 0, 0);
	records_job(j, 0, J_QUOTA_RESERVED, RUNS, 0, 0);
	records_job(j, 0, J_QUOTA_RESERVED, DONE, 0, 0);
	records_job(j, 1, J_FINISHED, DONE, 0, 0);
	records_job(j, 2, J_STATUS, ASKED, journal_string(j, "WaitingForQuota"),
		    journal_string(j, "4 more needed"));
	records_pod(j, 2, J_POD_FAILED, PLAIN, 0, journal_string(j, "0/2 nodes"), 0);
	records_job(j, 40, J_STATUS, ASKED, journal_string(j, "Other"), journal_string(j, "later"));
	records_job(j, 62, J_QUOTA_RESERVED, ASKED, 0, 1); /* checks are outstanding */
	records_job(j, 72, J_ADMITTED, ASKED, 0, 0);
	records_job(j, 75, J_STARTED, ASKED, 1, 0);
	records_job(j, 82, J_STARTED, PLAIN, 1, 0);
	return j;
}

START_TEST(it_waits_behind_those_before_it)
{
	struct recorded records[2];
	struct scenario *s = scenario(records);
	struct journal *j = journal(s);
	struct whatif w = whatif_find(j, ASKED);

	ck_assert(w.queued);
	ck_assert_int_eq(w.wait, 70 * CLOCK_SECOND);
	ck_assert_int_eq(w.start, 73 * CLOCK_SECOND);
	ck_assert_uint_eq(w.position, 3); /* after high and earlier */
	ck_assert_uint_eq(w.pending, 3);
	ck_assert_str_eq(name_text(j->strings, w.reason), "WaitingForQuota");
	ck_assert_str_eq(name_text(j->strings, w.message), "4 more needed");
	ck_assert_uint_eq(w.pods_message, NAME_NONE);
	journal_free(j);
	scenario_free(s);
}
END_TEST

START_TEST(without_a_queue_its_pods_wait)
{
	struct recorded records[2];
	struct scenario *s = scenario(records);
	struct journal *j = journal(s);
	struct whatif w = whatif_find(j, PLAIN);

	ck_assert(!w.queued);
	ck_assert_int_eq(w.wait, CLOCK_NEVER);
	ck_assert_int_eq(w.start, 80 * CLOCK_SECOND);
	ck_assert_uint_eq(w.position, 0);
	ck_assert_str_eq(name_text(j->strings, w.pods_message), "0/2 nodes");
	journal_free(j);
	scenario_free(s);
}
END_TEST

START_TEST(what_ran_and_does_not_is_counted)
{
	struct recorded records[2];
	struct scenario *s = scenario(records);
	struct journal *j = journal(s);
	uint32_t running, not_admitted;

	whatif_running(j, &running, &not_admitted);
	ck_assert_uint_eq(running, 2);
	ck_assert_uint_eq(not_admitted, 1); /* high */
	journal_free(j);
	scenario_free(s);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("sim/dump/whatif");
	TCase *t = tcase_create("all");
	SRunner *r = srunner_create(suite);
	int failed;

	tcase_add_test(t, it_waits_behind_those_before_it);
	tcase_add_test(t, without_a_queue_its_pods_wait);
	tcase_add_test(t, what_ran_and_does_not_is_counted);
	suite_add_tcase(suite, t);
	srunner_run_all(r, CK_NORMAL);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
