/* test_podstage.c - start-up orders: what is made when, what is done before the rest, and what
 * becomes of it when it is lost or evicted on the way. */
#include "sim/engine/podstage.h"

#include "tests/sim/run_case.h"

#define QUEUED	"kueue.x-k8s.io/queue-name: q"
#define CPUS(n) "template: {spec: {containers: [{name: c, resources: {requests: {cpu: " n "}}}]}}"
/* data is done after 10 min, then comes a driver, then, when that is ready, two workers. */
#define JOBSET(name, labels)                                                                       \
	"---\napiVersion: jobset.x-k8s.io/v1alpha2\nkind: JobSet\nmetadata: {name: " name          \
	", labels: {" labels "}, annotations: {gqsim/duration: 1h}}\n"                             \
	"spec:\n  replicatedJobs:\n"                                                               \
	"  - {name: data, template: {metadata: {annotations: {gqsim/duration: 10m}}, spec: "       \
	"{" CPUS("4") "}}}\n"                                                                      \
		      "  - {name: driver, dependsOn: [{name: data, status: Complete}], template: " \
		      "{spec: "                                                                    \
		      "{" CPUS("1") "}}}\n"                                                        \
				    "  - {name: workers, dependsOn: [{name: driver, status: "      \
				    "Ready}], template: {spec: "                                   \
				    "{parallelism: 2, completions: 2, " RUN_CASE_TEMPLATE "}}}\n"
#define JOB(name, labels, annotations, spec)                                                       \
	"---\napiVersion: batch/v1\nkind: Job\nmetadata: {name: " name ", labels: {" labels        \
	"}, annotations: {" annotations "}}\nspec: {" spec "}\n"
#define HIGH                                                                                       \
	"---\napiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {name: high}\n"     \
	"value: 9\n"
#define OF_HIGH(cpus)                                                                              \
	"template: {spec: {priorityClassName: high, containers: [{name: c, resources: "            \
	"{requests: {cpu: " cpus "}}}]}}"
#define QUEUE                                                                                      \
	"---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: ResourceFlavor\nmetadata: {name: f}\n"     \
	"---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: ClusterQueue\nmetadata: {name: q}\n"       \
	"spec: {namespaceSelector: {}, preemption: {withinClusterQueue: LowerPriority}, "          \
	"resourceGroups: [{coveredResources: [cpu, nvidia.com/gpu], flavors: [{name: f, "          \
	"resources: [{name: cpu, nominalQuota: 6}, {name: nvidia.com/gpu, nominalQuota: "          \
	"8}]}]}]}\n"                                                                               \
	"---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: LocalQueue\n"                              \
	"metadata: {name: q, namespace: default}\nspec: {clusterQueue: q}\n"

START_TEST(one_after_the_other)
{
	struct run_case c = run_case(RUN_CASE_NODE("8") JOBSET("a", ""), "kubernetes");

	run_case_has(&c,
		     "0 create a-0\n0 bind a-0 n0\n600 done a-0\n600 create a-1\n600 bind a-1 n0\n"
		     "600 create a-2\n600 create a-3\n600 bind a-2 n0\n600 bind a-3 n0\n"
		     "600 start a\n4200 finish a\n");
	run_case_free(&c);
}
END_TEST

/* Kueue counts no longer what is done. */
START_TEST(quota_of_what_is_done_is_free)
{
	struct run_case c = run_case(
		RUN_CASE_NODE("8") QUEUE JOBSET("a", QUEUED)
			JOB("b", QUEUED, "gqsim/duration: 50s, gqsim/submit-at: 10s", CPUS("3")),
		"kueue");

	run_case_has(&c, "600 done a-0\n600 create a-1\n600 reclaim a\n");
	run_case_has(&c, "601 reserve b\n601 create b-0\n");
	run_case_free(&c);
}
END_TEST

/* What is done stays so, and is not asked for again. */
START_TEST(evicted_and_back)
{
	struct run_case c = run_case(
		RUN_CASE_NODE("8") QUEUE HIGH JOBSET("a", QUEUED) JOB(
			"b", QUEUED, "gqsim/duration: 100s, gqsim/submit-at: 700s",
			OF_HIGH("5500m"))
			JOB("c", QUEUED, "gqsim/duration: 5000s, gqsim/submit-at: 750s", CPUS("4")),
		"kueue");

	run_case_has(&c, "700 preempt a\n700 lost a 100\n");
	run_case_has(&c, "806 reserve a\n806 reserve c\n806 create a-1-r1\n");
	run_case_has(&c, "806 start a\n4406 finish a\n5806 finish c\n");
	run_case_free(&c);
}
END_TEST

/* One of two is done: its place is not taken for the other's. */
START_TEST(evicted_between)
{
	struct run_case c =
		run_case(RUN_CASE_NODE("8") QUEUE HIGH JOB(
				 "x", "", "gqsim/duration: 100s",
				 CPUS("63")) "---\napiVersion: jobset.x-k8s.io/v1alpha2\nkind: "
					     "JobSet\nmetadata: {name: a, "
					     "labels: {" QUEUED
					     "}, annotations: {gqsim/duration: 1h}}\nspec:\n"
					     "  replicatedJobs:\n"
					     "  - {name: data, template: {metadata: {annotations: "
					     "{gqsim/duration: 10m}}, "
					     "spec: {parallelism: 2, completions: 2, " CPUS(
						     "1") "}}}\n"
							  "  - {name: driver, dependsOn: [{name: "
							  "data, status: Complete}], template: "
							  "{spec: {" CPUS("1") "}}}\n" JOB(
								  "b", QUEUED,
								  "gqsim/duration: 50s, "
								  "gqsim/submit-at: 650s",
								  OF_HIGH("5500m")),
			 "kueue");

	run_case_has(&c, "600 done a-0\n");
	run_case_has(&c, "650 preempt a\n");
	run_case_has(&c, "706 reserve a\n706 create a-1-r1\n706 bind a-1-r1 n0\n"
			 "1306 done a-1-r1\n1306 create a-2\n");
	run_case_has(&c, "1306 start a\n4906 finish a\n");
	run_case_free(&c);
}
END_TEST

START_TEST(evicted_before)
{
	struct run_case c =
		run_case(RUN_CASE_NODE("8") QUEUE HIGH JOBSET("a", QUEUED)
				 JOB("b", QUEUED, "gqsim/duration: 100s, gqsim/submit-at: 300s",
				     OF_HIGH("5500m")),
			 "kueue");

	run_case_has(&c, "300 preempt a\n");
	run_case_has(&c,
		     "406 reserve a\n406 create a-0-r1\n406 bind a-0-r1 n0\n1006 done a-0-r1\n");
	run_case_has(&c, "1006 start a\n4606 finish a\n");
	run_case_free(&c);
}
END_TEST

/* Its pod is preempted at work: another does all of it. */
START_TEST(lost_on_the_way)
{
	struct run_case c = run_case(
		RUN_CASE_NODE("8") HIGH JOBSET("a", "")
			JOB("b", "", "gqsim/duration: 100s, gqsim/submit-at: 300s", OF_HIGH("62")),
		"kubernetes");

	run_case_has(&c, "300 lose a-0\n");
	run_case_has(&c, "310 create a-0-r1\n");
	run_case_has(&c, "400 bind a-0-r1 n0\n1000 done a-0-r1\n");
	run_case_has(&c, "1000 start a\n4600 finish a\n");
	run_case_free(&c);
}
END_TEST

#define LWS(name)                                                                                  \
	"---\napiVersion: leaderworkerset.x-k8s.io/v1\nkind: LeaderWorkerSet\nmetadata: "          \
	"{name: " name ", annotations: {gqsim/duration: 50s}}\nspec: {replicas: 1, "               \
	"startupPolicy: LeaderReady, leaderWorkerTemplate: {size: 3, leaderTemplate: {spec: "      \
	"{containers: [{name: c, resources: {requests: {cpu: 40}}}]}}, workerTemplate: {spec: "    \
	"{containers: [{name: c, resources: {limits: {nvidia.com/gpu: 1}}}]}}}}\n"

/* No worker is made before the leader has a node. */
START_TEST(workers_wait_for_their_leader)
{
	struct run_case c = run_case(
		RUN_CASE_NODE("8") JOB("b", "", "gqsim/duration: 100s", CPUS("40")) LWS("s"),
		"kubernetes");

	run_case_has(&c, "0 fail s-0-0\n100 finish b\n100 bind s-0-0 n0\n100 create s-0-1\n100 "
			 "create s-0-2\n");
	run_case_has(&c, "100 start s-0\n150 finish s-0\n");
	run_case_free(&c);
}
END_TEST

/* Quota alone: the work that comes first takes its time. */
START_TEST(nothing_is_placed)
{
	struct run_options options;
	struct run_case c;

	options_default(&options);
	options.placement = PLACEMENT_NONE;
	c = run_case_with(RUN_CASE_NODE("8") QUEUE JOBSET("a", QUEUED), "kueue", &options);
	run_case_has(&c, "0 reserve a\n600 start a\n4200 finish a\n");
	run_case_free(&c);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("sim/engine/podstage");
	TCase *t = tcase_create("all");
	SRunner *runner;
	int failed;

	tcase_add_test(t, one_after_the_other);
	tcase_add_test(t, quota_of_what_is_done_is_free);
	tcase_add_test(t, evicted_and_back);
	tcase_add_test(t, evicted_between);
	tcase_add_test(t, evicted_before);
	tcase_add_test(t, lost_on_the_way);
	tcase_add_test(t, workers_wait_for_their_leader);
	tcase_add_test(t, nothing_is_placed);
	suite_add_tcase(suite, t);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
