/* test_podcrash.c - containers that fail and start again in their pod. */
#include "sim/engine/podcrash.h"

#include "sim/report/metrics.h"
#include "tests/sim/run_case.h"

#define TEMPLATE(policy)                                                                           \
	"template: {spec: {restartPolicy: " policy                                                 \
	", containers: [{name: c, resources: {limits: {nvidia.com/gpu: 1}}}]}}"
#define JOB(annotations, spec)                                                                     \
	"---\napiVersion: batch/v1\nkind: Job\nmetadata: {name: a, annotations: {" annotations     \
	"}}\nspec: {" spec ", " TEMPLATE("OnFailure") "}\n"
#define POD(policy, annotations)                                                                   \
	"---\napiVersion: v1\nkind: Pod\nmetadata: {name: p, annotations: {" annotations           \
	"}}\nspec: {" policy                                                                       \
	" containers: [{name: c, resources: {limits: {nvidia.com/gpu: 1}}}]}\n"

START_TEST(at_once_then_after_a_back_off_that_doubles)
{
	struct run_case c =
		run_case(RUN_CASE_NODE("2") JOB("gqsim/duration: 100s, gqsim/pod-failures: "
						"\"5s,5s,5s,5s,5s,5s,5s\"",
						"backoffLimit: 9"),
			 "kubernetes");

	run_case_has(&c, "\n5 restart a-0\n5 interrupt a\n5 lost a 5\n");
	run_case_has(&c, "\n5 start a\n10 restart a-0\n");
	run_case_has(&c, "\n20 start a\n25 restart a-0\n");   /* 10 s */
	run_case_has(&c, "\n45 start a\n50 restart a-0\n");   /* 20 s */
	run_case_has(&c, "\n90 start a\n95 restart a-0\n");   /* 40 s */
	run_case_has(&c, "\n175 start a\n180 restart a-0\n"); /* 80 s */
	run_case_has(&c, "\n340 start a\n345 restart a-0\n"); /* 160 s */
	run_case_has(&c, "\n645 start a\n745 finish a\n");    /* 5 min at most */
	run_case_lacks(&c, "drop");
	run_case_free(&c);
}
END_TEST

START_TEST(who_ran_for_ten_minutes_begins_anew)
{
	struct run_case c = run_case(RUN_CASE_NODE("2") JOB("gqsim/pod-failures: \"5s,5s,601s\", "
							    "gqsim/duration: 700s",
							    "backoffLimit: 9"),
				     "kubernetes");

	run_case_has(&c, "\n20 start a\n621 restart a-0\n");
	run_case_has(&c, "\n621 start a\n1321 finish a\n");
	run_case_free(&c);
}
END_TEST

/* The sum of the restarts of the pods there are reaches the limit. */
START_TEST(restarts_count_towards_the_limit)
{
	struct run_case c =
		run_case(RUN_CASE_NODE("2") JOB("gqsim/duration: 100s, gqsim/gang: \"false\", "
						"gqsim/pod-failures: \"50s,60s,50s\"",
						"parallelism: 2, completions: 2, backoffLimit: 3"),
			 "kubernetes");

	run_case_has(&c, "\n50 work a-0 0\n");
	run_case_has(&c, "\n60 work a-1 1\n");
	run_case_has(&c, "\n110 fail-job a BackoffLimitExceeded\n");
	run_case_free(&c);
}
END_TEST

START_TEST(a_limit_of_none_takes_one)
{
	struct run_case c =
		run_case(RUN_CASE_NODE("2") JOB("gqsim/duration: 100s, gqsim/pod-failures: \"50s\"",
						"backoffLimit: 0"),
			 "kubernetes");

	run_case_has(&c, "\n50 fail-job a BackoffLimitExceeded\n");
	run_case_free(&c);
}
END_TEST

START_TEST(a_pod_that_is_done_takes_its_restarts_along)
{
	struct run_case c = run_case(
		RUN_CASE_NODE("2") JOB("gqsim/duration: 50s, gqsim/pod-failures: \"10s,-,-,10s\"",
				       "completions: 3, backoffLimit: 2"),
		"kubernetes");

	run_case_lacks(&c, "fail-job");
	run_case_has(&c, "finish a\n");
	run_case_free(&c);
}
END_TEST

START_TEST(the_pod_keeps_its_node_and_the_job_its_quota)
{
	struct run_case c =
		run_case(RUN_CASE_NODE("1") RUN_CASE_QUEUE("1")
				 JOB("gqsim/duration: 100s, gqsim/pod-failures: \"10s,10s\"",
				     "parallelism: 1")
					 RUN_CASE_JOB("b", "gqsim/duration: 10s", "parallelism: 1"),
			 "kubernetes");
	struct metrics *m = metrics_new(c.journal, false, metrics_window(c.journal));

	run_case_has(&c, "\n130 finish a\n");
	run_case_has(&c, "\n130 bind b-0 n0\n");
	ck_assert_double_eq(metrics_gpu_seconds(m->lost), 20);
	metrics_free(m);
	run_case_free(&c);
}
END_TEST

START_TEST(a_service_restarts_without_limit)
{
	struct run_case c = run_case(
		RUN_CASE_NODE("2") "---\napiVersion: apps/v1\nkind: Deployment\nmetadata: {name: "
				   "s, annotations: {gqsim/pod-failures: \"5s,5s\", "
				   "gqsim/cancel-at: 100s}}\nspec: {replicas: 1, " TEMPLATE(
					   "Always") "}\n",
		"kubernetes");

	run_case_has(&c, "\n5 start s\n");
	run_case_has(&c, "\n20 start s\n");
	run_case_lacks(&c, "crash");
	run_case_free(&c);
}
END_TEST

START_TEST(a_bare_pod_restarts_but_for_never)
{
	struct run_case c = run_case(
		RUN_CASE_NODE("2") POD("", "gqsim/duration: 50s, gqsim/pod-failures: \"5s,5s\""),
		"kubernetes");

	run_case_has(&c, "\n20 start p\n70 finish p\n");
	run_case_free(&c);
	c = run_case(RUN_CASE_NODE("2") POD("restartPolicy: Never,",
					    "gqsim/duration: 50s, gqsim/pod-failures: \"5s\""),
		     "kubernetes");
	run_case_has(&c, "\n5 fail-job p PodFailed: nothing makes it again\n");
	run_case_free(&c);
}
END_TEST

int main(void)
{
	TCase *tests = tcase_create("all");

	tcase_add_test(tests, at_once_then_after_a_back_off_that_doubles);
	tcase_add_test(tests, who_ran_for_ten_minutes_begins_anew);
	tcase_add_test(tests, restarts_count_towards_the_limit);
	tcase_add_test(tests, a_limit_of_none_takes_one);
	tcase_add_test(tests, a_pod_that_is_done_takes_its_restarts_along);
	tcase_add_test(tests, the_pod_keeps_its_node_and_the_job_its_quota);
	tcase_add_test(tests, a_service_restarts_without_limit);
	tcase_add_test(tests, a_bare_pod_restarts_but_for_never);
	return objects_case_run("podcrash", tests);
}
