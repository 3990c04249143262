/* test_jobpods.c - pods that work each for itself. */
#include "sim/engine/jobpods.h"

#include "sim/report/metrics.h"
#include "tests/sim/run_case.h"
START_TEST(completions_in_turns)
{
	struct run_case c =
		run_case(RUN_CASE_NODE("2") RUN_CASE_JOB("a", "gqsim/duration: 100s",
							 "parallelism: 2, completions: 5"),
			 "kubernetes");

	run_case_has(&c, "\n0 work a-0 0\n");
	run_case_has(&c, "\n100 work a-0-r1 2\n");
	run_case_has(&c, "\n200 done a-1-r1\n200 want a 1\n");
	run_case_has(&c, "\n300 finish a\n");
	run_case_lacks(&c, "lost");
	run_case_free(&c);
}
END_TEST

START_TEST(pods_start_without_the_others)
{
	struct run_case c = run_case(
		RUN_CASE_NODE("2") RUN_CASE_JOB("a", "gqsim/duration: 100s, gqsim/gang: \"false\"",
						"parallelism: 3, completions: 3"),
		"kubernetes");

	run_case_has(&c, "\n0 start a\n");
	run_case_has(&c, "\n100 bind a-2 n0\n100 work a-2 2\n");
	run_case_has(&c, "\n200 finish a\n");
	run_case_lacks(&c, "deadlock");
	run_case_free(&c);
}
END_TEST

START_TEST(a_gang_waits_for_all)
{
	struct run_case c =
		run_case(RUN_CASE_NODE("2") RUN_CASE_JOB("a", "gqsim/duration: 100s",
							 "parallelism: 3, completions: 3"),
			 "kubernetes");

	run_case_lacks(&c, "start a");
	run_case_lacks(&c, "work");
	run_case_free(&c);
}
END_TEST

START_TEST(every_completion_has_its_duration)
{
	struct run_case c =
		run_case(RUN_CASE_NODE("1") RUN_CASE_JOB("a", "gqsim/pod-durations: \"10s, 20s\"",
							 "parallelism: 1, completions: 3"),
			 "kubernetes");

	run_case_has(&c, "\n10 done a-0\n");
	run_case_has(&c, "\n30 done a-0-r1\n");
	run_case_has(&c, "\n50 finish a\n");
	run_case_free(&c);
}
END_TEST

START_TEST(a_failed_pod_loses_its_own_work_only)
{
	struct run_case c = run_case(
		RUN_CASE_NODE("2") RUN_CASE_JOB("a",
						"gqsim/duration: 100s, gqsim/gang: \"false\", "
						"gqsim/pod-failures: \"-,40s/3\"",
						"parallelism: 2, completions: 2"),
		"kubernetes");

	run_case_has(&c, "\n40 crash a-1\n40 lost a-1 40\n");
	run_case_has(&c, "\n50 work a-1-r1 1\n");
	run_case_has(&c, "\n100 done a-0\n");
	run_case_has(&c, "\n150 finish a\n");
	run_case_free(&c);
}
END_TEST

START_TEST(checkpoints_are_kept_by_completion)
{
	struct run_case c = run_case(
		RUN_CASE_NODE("2") RUN_CASE_JOB(
			"a",
			"gqsim/duration: 100s, gqsim/gang: \"false\", gqsim/checkpoint-interval: "
			"30s, gqsim/restart-cost: 5s, gqsim/pod-failures: \"-,40s\"",
			"parallelism: 2, completions: 2"),
		"kubernetes");

	run_case_has(&c, "\n40 crash a-1\n40 lost a-1 10\n");
	run_case_has(&c, "\n125 lost a-1-r1 5\n125 done a-1-r1\n125 want a 0\n125 finish a\n");
	run_case_free(&c);
}
END_TEST

START_TEST(they_work_where_nothing_is_placed)
{
	struct run_case c =
		run_case(RUN_CASE_QUEUE("2") RUN_CASE_QUEUED("a", "gqsim/duration: 100s",
							     "parallelism: 2, completions: 3"),
			 "kueue");

	run_case_has(&c, "\n0 reserve a\n0 start a\n0 work a-0 0\n0 work a-1 1\n");
	run_case_has(&c, "\n200 finish a\n");
	run_case_free(&c);
}
END_TEST

START_TEST(figures_count_each_pod)
{
	struct run_case c =
		run_case(RUN_CASE_NODE("3") RUN_CASE_JOB("a", "gqsim/duration: 100s",
							 "parallelism: 3, completions: 4"),
			 "kubernetes");

	struct metrics *m = metrics_new(c.journal, false, metrics_window(c.journal));

	ck_assert_double_eq(metrics_gpu_seconds(m->running), 400);
	ck_assert_double_eq(metrics_gpu_seconds(m->useful), 400);
	ck_assert_double_eq(metrics_gpu_seconds(m->idle), 0);
	ck_assert_double_eq(metrics_gpu_seconds(m->stranded), 0); /* one pod is all it wants */
	ck_assert_uint_eq(m->never_started, 0);
	metrics_free(m);
	run_case_free(&c);
}
END_TEST

START_TEST(kueue_is_told_what_is_done)
{
	struct run_case c = run_case(RUN_CASE_NODE("4") RUN_CASE_QUEUE("4")
					     RUN_CASE_QUEUED("a", "gqsim/duration: 100s",
							     "parallelism: 4, completions: 5")
						     RUN_CASE_QUEUED("b",
								     "gqsim/duration: 10s, "
								     "gqsim/submit-at: 1s",
								     "parallelism: 3"),
				     "kueue");

	run_case_has(&c, "\n100 want a 1\n");
	run_case_has(&c, "\n100 reclaim a\n");
	run_case_has(&c, "\n101 reserve b\n"); /* three of four pods are done with */
	run_case_has(&c, "\n200 finish a\n");
	run_case_free(&c);
}
END_TEST

int main(void)
{
	TCase *tests = tcase_create("all");

	tcase_add_test(tests, completions_in_turns);
	tcase_add_test(tests, pods_start_without_the_others);
	tcase_add_test(tests, a_gang_waits_for_all);
	tcase_add_test(tests, every_completion_has_its_duration);
	tcase_add_test(tests, a_failed_pod_loses_its_own_work_only);
	tcase_add_test(tests, checkpoints_are_kept_by_completion);
	tcase_add_test(tests, they_work_where_nothing_is_placed);
	tcase_add_test(tests, figures_count_each_pod);
	tcase_add_test(tests, kueue_is_told_what_is_done);
	return objects_case_run("jobpods", tests);
}
