/* test_jobend.c - how jobs end. */
#include "sim/engine/jobend.h"

#include "sim/report/metrics.h"
#include "tests/sim/run_case.h"
#include "tests/support/fakes.h"

START_TEST(too_many_failures)
{
	struct run_case c = run_case(
		RUN_CASE_NODE("2")
			RUN_CASE_JOB("a", "gqsim/duration: 100s, gqsim/pod-failures: \"50s,50s\"",
				     "parallelism: 2, completions: 2, backoffLimit: 1"),
		"kubernetes");

	run_case_has(&c, "\n50 crash a-0\n50 interrupt a\n50 lost a 50\n");
	run_case_has(&c, "\n60 start a\n");
	run_case_has(&c, "\n110 fail-job a BackoffLimitExceeded\n");
	run_case_lacks(&c, "finish");
	run_case_free(&c);
}
END_TEST

START_TEST(a_failed_index_outweighs_a_success_policy)
{
	struct run_case c = run_case(
		RUN_CASE_NODE("2") RUN_CASE_JOB(
			"a", "gqsim/duration: 100s, gqsim/pod-failures: \"0:50s\"",
			"parallelism: 2, completions: 2, completionMode: Indexed, "
			"backoffLimitPerIndex: 0, successPolicy: {rules: [{succeededIndexes: "
			"\"1\"}]}"),
		"kubernetes");

	run_case_has(&c, "\n100 fail-job a FailedIndexes\n");
	run_case_free(&c);
}
END_TEST

START_TEST(a_pod_of_its_own_is_gone_when_it_is_preempted)
{
	static const char yaml[] = RUN_CASE_NODE(
		"1") "---\napiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {name: "
		     "high}\nvalue: 9\n"
		     "---\napiVersion: v1\nkind: Pod\nmetadata: {name: p, annotations: "
		     "{gqsim/duration: 50s}}\nspec: {containers: [{name: c, resources: {limits: "
		     "{nvidia.com/gpu: 1}}}]}\n"
		     "---\napiVersion: v1\nkind: Pod\nmetadata: {name: h, annotations: "
		     "{gqsim/duration: 50s, gqsim/submit-at: 10s}}\nspec: {priorityClassName: "
		     "high, "
		     "containers: [{name: c, resources: {limits: {nvidia.com/gpu: 1}}}]}\n";
	struct run_case c = run_case(yaml, "kubernetes");
	struct metrics *m = metrics_new(c.journal, false, metrics_window(c.journal));

	run_case_has(&c, "\n10 fail-job p PreemptionByScheduler: the pod is gone, nothing makes "
			 "it again\n");
	run_case_has(&c, "\n60 finish h\n");
	ck_assert_uint_eq(m->failed, 1);
	ck_assert_double_eq(metrics_gpu_seconds(m->lost), 10);
	metrics_free(m);
	run_case_free(&c);
}
END_TEST

#define GROUP_POD(name, annotations)                                                               \
	"---\napiVersion: v1\nkind: Pod\nmetadata: {name: " name                                   \
	", labels: {kueue.x-k8s.io/queue-name: q, kueue.x-k8s.io/pod-group-name: g}, "             \
	"annotations: {kueue.x-k8s.io/pod-group-total-count: \"2\", gqsim/duration: "              \
	"50s" annotations "}}\nspec: {containers: [{name: c, resources: {limits: "                 \
	"{nvidia.com/gpu: 1}}}]}\n"
#define PREEMPTING                                                                                 \
	"---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: ResourceFlavor\nmetadata: {name: f}\n"     \
	"---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: ClusterQueue\nmetadata: {name: q}\n"       \
	"spec: {namespaceSelector: {}, preemption: {withinClusterQueue: LowerPriority}, "          \
	"resourceGroups: [{coveredResources: [nvidia.com/gpu], "                                   \
	"flavors: [{name: f, resources: [{name: nvidia.com/gpu, nominalQuota: 2}]}]}]}\n"          \
	"---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: LocalQueue\n"                              \
	"metadata: {name: q, namespace: default}\nspec: {clusterQueue: q}\n"                       \
	"---\napiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {name: "            \
	"high}\nvalue: 9\n"                                                                        \
	"---\napiVersion: batch/v1\nkind: Job\nmetadata: {name: h, labels: "                       \
	"{kueue.x-k8s.io/queue-name: q}, annotations: {gqsim/duration: 50s, gqsim/submit-at: "     \
	"10s}}\nspec: {template: {spec: {priorityClassName: high, containers: [{name: c, "         \
	"resources: {limits: {nvidia.com/gpu: 1}}}]}}}\n"

START_TEST(a_group_is_made_up_for_unless_it_says_otherwise)
{
	struct run_case c = run_case(
		RUN_CASE_NODE("2") PREEMPTING GROUP_POD("a", "") GROUP_POD("b", ""), "kueue");

	run_case_has(&c, "finish g\n");
	run_case_free(&c);
	c = run_case(RUN_CASE_NODE("2") PREEMPTING GROUP_POD(
			     "a", ", kueue.x-k8s.io/retriable-in-group: \"false\"")
			     GROUP_POD("b", ""),
		     "kueue");
	run_case_has(&c, "fail-job g WorkloadEvicted: its pods are gone, nothing makes them "
			 "again\n");
	run_case_has(&c, "finish h\n");
	run_case_free(&c);
}
END_TEST

START_TEST(a_deadline_counts_from_the_start)
{
	struct run_case c = run_case(
		RUN_CASE_NODE("2") RUN_CASE_JOB("a", "gqsim/duration: 100s, gqsim/submit-at: 5s",
						"activeDeadlineSeconds: 60"),
		"kubernetes");

	run_case_has(&c, "\n65 lost a 60\n65 fail-job a DeadlineExceeded\n");
	run_case_free(&c);
}
END_TEST

START_TEST(under_kueue_from_admission)
{
	struct run_case c = run_case(
		RUN_CASE_NODE("1") RUN_CASE_QUEUE("1") RUN_CASE_QUEUED("a", "gqsim/duration: 50s",
								       "activeDeadlineSeconds: 60")
			RUN_CASE_QUEUED("b", "gqsim/duration: 50s", "activeDeadlineSeconds: 60"),
		"kueue");

	run_case_has(&c, "\n101 finish b\n");
	run_case_lacks(&c, "fail-job");
	run_case_free(&c);
}
END_TEST

START_TEST(failing_frees_the_quota)
{
	struct run_case c = run_case(
		RUN_CASE_NODE("1") RUN_CASE_QUEUE("1")
			RUN_CASE_QUEUED("a", "gqsim/duration: 500s", "activeDeadlineSeconds: 60")
				RUN_CASE_QUEUED("b", "gqsim/duration: 50s", "parallelism: 1"),
		"kueue");

	run_case_has(&c, "\n60 fail-job a DeadlineExceeded\n");
	run_case_has(&c, "\n61 reserve b\n");
	run_case_has(&c, "\n111 finish b\n");
	run_case_free(&c);
}
END_TEST

START_TEST(all_work_of_a_failed_job_is_lost)
{
	struct run_case c = run_case(
		RUN_CASE_NODE("2")
			RUN_CASE_JOB("a", "gqsim/duration: 100s, gqsim/checkpoint-interval: 10s",
				     "activeDeadlineSeconds: 60"),
		"kubernetes");

	struct metrics *m = metrics_new(c.journal, false, metrics_window(c.journal));

	ck_assert_uint_eq(m->failed, 1);
	ck_assert_double_eq(metrics_gpu_seconds(m->lost), 60);
	ck_assert_double_eq(metrics_gpu_seconds(m->unfinished), 0);
	metrics_free(m);
	run_case_free(&c);
}
END_TEST

START_TEST(indexes_fail_by_themselves)
{
	struct run_case c = run_case(
		RUN_CASE_NODE("3")
			RUN_CASE_JOB("a", "gqsim/duration: 100s, gqsim/pod-failures: \"1:10s\"",
				     "parallelism: 3, completions: 3, completionMode: Indexed, "
				     "backoffLimitPerIndex: 1"),
		"kubernetes");

	run_case_has(&c, "\n20 work a-1-r1 1\n");
	run_case_has(&c, "\n30 crash a-1-r1\n");
	run_case_has(&c, "\n100 fail-job a FailedIndexes\n");
	run_case_free(&c);
}
END_TEST

START_TEST(a_success_policy_ends_it_early)
{
	struct run_case c = run_case(
		RUN_CASE_NODE("3")
			RUN_CASE_JOB("a", "gqsim/pod-durations: \"10s,50s,50s\"",
				     "parallelism: 3, completions: 3, completionMode: Indexed, "
				     "successPolicy: {rules: [{succeededIndexes: \"0\"}]}"),
		"kubernetes");

	run_case_has(&c, "\n10 finish a\n");
	run_case_has(&c, "\n10 lost a-1 10\n");
	run_case_free(&c);
}
END_TEST

static uint32_t losses;

static void count_losses(void *self, const struct happening *happening, struct plan *plan)
{
	losses += happening->kind == HAP_PODS_LOST;
	fakes_eight_gpus.observe(self, happening, plan);
}

/* A policy that waits for pods to recover must not wait for those of a job that is over. */
START_TEST(the_end_of_a_job_is_no_loss_of_pods)
{
	struct policy admission = fakes_eight_gpus;
	struct policy_row row = fakes_queued;
	struct run_options options;
	struct run_case c = {0};
	struct err err = {0};

	admission.observe = count_losses;
	row.admission = &admission;
	losses = 0;
	options_default(&options);
	c.s = objects_case_load(
		RUN_CASE_NODE("8") RUN_CASE_QUEUE("8") RUN_CASE_QUEUED(
			"a", "gqsim/duration: 90s, gqsim/cancel-at: 50s", "parallelism: 1")
			RUN_CASE_QUEUED("b", "gqsim/duration: 90s", "activeDeadlineSeconds: 60")
				RUN_CASE_QUEUED("endless", "gqsim/cancel-at: 70s",
						"parallelism: 1"));
	ck_assert_int_eq(engine_run(c.s, &row, &options, JOURNAL_FULL, &c.journal, &err), ERR_OK);
	c.text = fixture_print(c.journal);
	run_case_has(&c, "\n50 delete a\n");
	run_case_has(&c, "\n60 fail-job b DeadlineExceeded\n");
	run_case_has(&c, "\n70 delete endless\n");
	ck_assert_uint_eq(losses, 0);
	run_case_free(&c);
}
END_TEST

int main(void)
{
	TCase *tests = tcase_create("all");

	tcase_add_test(tests, too_many_failures);
	tcase_add_test(tests, a_failed_index_outweighs_a_success_policy);
	tcase_add_test(tests, a_pod_of_its_own_is_gone_when_it_is_preempted);
	tcase_add_test(tests, a_group_is_made_up_for_unless_it_says_otherwise);
	tcase_add_test(tests, a_deadline_counts_from_the_start);
	tcase_add_test(tests, under_kueue_from_admission);
	tcase_add_test(tests, failing_frees_the_quota);
	tcase_add_test(tests, the_end_of_a_job_is_no_loss_of_pods);
	tcase_add_test(tests, all_work_of_a_failed_job_is_lost);
	tcase_add_test(tests, indexes_fail_by_themselves);
	tcase_add_test(tests, a_success_policy_ends_it_early);
	return objects_case_run("jobend", tests);
}
