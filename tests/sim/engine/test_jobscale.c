/* test_jobscale.c - suspension, and services that change their size. */
#include "sim/engine/jobscale.h"

#include "sim/report/metrics.h"
#include "tests/sim/run_case.h"

/* A service of namespace default, of pods of one GPU. */
#define SERVICE(kind, annotations, spec)                                                           \
	"---\napiVersion: apps/v1\nkind: " kind "\nmetadata: {name: s, annotations: {" annotations \
	"}}\nspec: {" spec ", " RUN_CASE_TEMPLATE "}\n"
START_TEST(a_job_waits_to_be_resumed)
{
	struct run_case c = run_case(
		RUN_CASE_NODE("2") RUN_CASE_JOB("a", "gqsim/duration: 100s, gqsim/resume-at: 30s",
						"suspend: true"),
		"kubernetes");

	run_case_has(&c, "\n0 suspend a\n");
	run_case_has(&c, "\n30 resume a\n30 create a-0\n");
	run_case_has(&c, "\n130 finish a\n");
	run_case_free(&c);
}
END_TEST

START_TEST(and_for_ever_if_nobody_does)
{
	struct run_case c = run_case(
		RUN_CASE_NODE("2") RUN_CASE_JOB("a", "gqsim/duration: 100s", "suspend: true"),
		"kubernetes");

	run_case_lacks(&c, "create");
	run_case_has(&c, "suspend a");
	run_case_free(&c);
}
END_TEST

START_TEST(suspension_takes_pods_and_deadline_back)
{
	struct run_case c = run_case(
		RUN_CASE_NODE("2") RUN_CASE_JOB(
			"a", "gqsim/duration: 100s, gqsim/suspend-at: 50s, gqsim/resume-at: 80s",
			"activeDeadlineSeconds: 101"),
		"kubernetes");

	run_case_has(&c, "\n50 interrupt a\n50 lost a 50\n50 drop a-0\n50 suspend a\n");
	run_case_has(&c, "\n180 finish a\n");
	run_case_free(&c);
}
END_TEST

START_TEST(a_later_version_of_the_object_resumes_it)
{
	struct run_case c = run_case(
		RUN_CASE_NODE("2") RUN_CASE_JOB("a", "gqsim/duration: 100s", "suspend: true")
			RUN_CASE_JOB("a", "gqsim/at: \"30\"", "suspend: false"),
		"kubernetes");

	run_case_has(&c, "\n130 finish a\n");
	run_case_free(&c);
}
END_TEST

START_TEST(pods_without_a_node_go_first)
{
	struct run_case c =
		run_case(RUN_CASE_NODE("2") SERVICE("Deployment", "gqsim/replicas-at: \"50s=2\"",
						    "replicas: 3"),
			 "kubernetes");

	run_case_has(&c, "\n50 want s 2\n");
	run_case_lacks(&c, "drop");
	run_case_free(&c);
}
END_TEST

START_TEST(the_youngest_goes_first)
{
	struct run_case c = run_case(
		RUN_CASE_NODE("4") SERVICE("Deployment", "gqsim/replicas-at: \"100s=3,190s=2\"",
					   "replicas: 2"),
		"kubernetes");

	run_case_has(&c, "\n100 bind s-2 n0\n");
	run_case_has(&c, "\n190 drop s-2\n");
	run_case_lacks(&c, "drop s-0");
	run_case_lacks(&c, "lost");
	run_case_free(&c);
}
END_TEST

START_TEST(the_highest_ordinal_goes_first)
{
	struct run_case c = run_case(
		RUN_CASE_NODE("4")
			SERVICE("StatefulSet", "gqsim/replicas-at: \"60s=1,80s=0\"", "replicas: 3"),
		"kubernetes");

	run_case_has(&c, "\n60 drop s-2\n60 drop s-1\n");
	run_case_has(&c, "\n80 drop s-0\n80 interrupt s\n");
	run_case_free(&c);
}
END_TEST

START_TEST(ordinals_come_one_after_the_other)
{
	struct run_case c = run_case(RUN_CASE_NODE("1") SERVICE("StatefulSet", "", "replicas: 3"),
				     "kubernetes");

	run_case_has(&c, "create s-1\n");
	run_case_lacks(&c, "create s-2\n");
	run_case_free(&c);
}
END_TEST

START_TEST(or_all_at_once)
{
	struct run_case c =
		run_case(RUN_CASE_NODE("1") SERVICE("StatefulSet", "",
						    "replicas: 3, podManagementPolicy: Parallel"),
			 "kubernetes");

	run_case_has(&c, "create s-2\n");
	run_case_free(&c);
}
END_TEST

#define IN_QUEUE(kind, annotations, spec)                                                          \
	"---\napiVersion: apps/v1\nkind: " kind                                                    \
	"\nmetadata: {name: s, labels: {kueue.x-k8s.io/queue-name: q}, annotations: "              \
	"{" annotations "}}\nspec: {" spec ", " RUN_CASE_TEMPLATE "}\n"

START_TEST(a_stateful_set_of_a_queue_goes_to_zero_and_back)
{
	static const char yaml[] = RUN_CASE_NODE("2") RUN_CASE_QUEUE("2") IN_QUEUE(
		"StatefulSet",
		"gqsim/replicas-at: \"60s=1, 80s=0, 120s=2\", "
		"gqsim/cancel-at: 200s",
		"replicas: 2")
		RUN_CASE_QUEUED("b", "gqsim/duration: 20s, gqsim/submit-at: 10s", "parallelism: 1");
	struct run_case c = run_case(yaml, "kueue");

	run_case_has(&c, "\n80 evict s");
	run_case_has(&c, "finish b\n");
	run_case_has(&c, "\n120 reserve s");
	run_case_has(&c, "\n200 delete s\n");
	run_case_lacks(&c, "lost"); /* it did what it was there for */
	run_case_free(&c);
	c = run_case(yaml, "kubernetes");
	run_case_has(&c, "\n80 drop s-1\n80 drop s-0\n80 interrupt s\n");
	run_case_has(&c, "\n120 bind s-1-r1 n0\n");
	run_case_free(&c);
}
END_TEST

START_TEST(of_replicas_in_a_queue_those_that_wait_go_first)
{
	struct run_case c = run_case(
		RUN_CASE_NODE("4") RUN_CASE_QUEUE("2")
			IN_QUEUE("Deployment", "gqsim/replicas-at: \"50s=2, 100s=4, 150s=1\"",
				 "replicas: 3"),
		"kueue");

	/* s-0 and s-1 run, s-2 waits; then two more wait; of those that run the last goes */
	run_case_has(&c, "\n50 delete s-2\n");
	run_case_has(&c, "\n100 submit s-3\n100 submit s-4\n");
	run_case_has(&c, "\n150 delete s-4\n");
	run_case_has(&c, "150 delete s-3\n");
	run_case_has(&c, "150 delete s-1\n");
	run_case_lacks(&c, "delete s-0");
	run_case_free(&c);
}
END_TEST

START_TEST(replicas_beside_others_go_before_those_alone)
{
	struct run_case c = run_case(
		"apiVersion: v1\nkind: Node\nmetadata: {name: a}\n"
		"status: {allocatable: {cpu: 64, memory: 640Gi, nvidia.com/gpu: 2, pods: 110}}\n"
		"---\napiVersion: v1\nkind: Node\nmetadata: {name: b}\n"
		"status: {allocatable: {cpu: 64, memory: 640Gi, nvidia.com/gpu: 1, pods: "
		"110}}\n" RUN_CASE_QUEUE("3")
			IN_QUEUE("Deployment", "gqsim/replicas-at: \"100s=2\"", "replicas: 3"),
		"kueue");
	const char *drop = strstr(c.text, "\n100 delete s-");
	char bound[40];

	ck_assert_ptr_nonnull(drop);
	snprintf(bound, sizeof(bound), "\n0 bind s-%c-0 n0\n", drop[strlen("\n100 delete s-")]);
	run_case_has(&c, bound); /* node a has two of the three */
	run_case_free(&c);
}
END_TEST

/* A job of one pod, and no other works pod by pod. */
START_TEST(an_elastic_job_of_one_pod_goes_to_none_and_back)
{
	struct run_case c = run_case(
		RUN_CASE_NODE("2")
			RUN_CASE_JOB("a",
				     "gqsim/duration: 100s, kueue.x-k8s.io/elastic-job: \"true\", "
				     "gqsim/parallelism-at: \"40s=0, 70s=1\"",
				     "parallelism: 1"),
		"kubernetes");

	run_case_has(&c, "\n40 drop a-0\n");
	run_case_has(&c, "\n70 create a-0-r1\n");
	run_case_has(&c, "\n170 finish a\n");
	run_case_free(&c);
}
END_TEST

int main(void)
{
	TCase *tests = tcase_create("all");

	tcase_add_test(tests, a_job_waits_to_be_resumed);
	tcase_add_test(tests, and_for_ever_if_nobody_does);
	tcase_add_test(tests, suspension_takes_pods_and_deadline_back);
	tcase_add_test(tests, a_later_version_of_the_object_resumes_it);
	tcase_add_test(tests, pods_without_a_node_go_first);
	tcase_add_test(tests, the_youngest_goes_first);
	tcase_add_test(tests, the_highest_ordinal_goes_first);
	tcase_add_test(tests, ordinals_come_one_after_the_other);
	tcase_add_test(tests, or_all_at_once);
	tcase_add_test(tests, a_stateful_set_of_a_queue_goes_to_zero_and_back);
	tcase_add_test(tests, of_replicas_in_a_queue_those_that_wait_go_first);
	tcase_add_test(tests, replicas_beside_others_go_before_those_alone);
	tcase_add_test(tests, an_elastic_job_of_one_pod_goes_to_none_and_back);
	return objects_case_run("jobscale", tests);
}
