/* test_kueue_life.c - Workloads that come, end, are deleted. */
#include <check.h>
#include <string.h>

#include "core/mem.h"
#include "sim/kueue/kueue_life.h"
#include "tests/sim/shortcut_case.h"
#include "tests/support/kueue_story.h"

/* A queue that preempts, whose GPUs pods have that end 30 s after they are told to. */
#define PREEMPTS                                                                                   \
	STORY_QUEUE("  preemption: {withinClusterQueue: LowerPriority}\n")                         \
	"---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: WorkloadPriorityClass\n"                   \
	"metadata: {name: high}\nvalue: 9\n"
#define POD(group, total)                                                                          \
	"---\napiVersion: v1\nkind: Pod\nmetadata: {name: a, labels: {" group                      \
	"kueue.x-k8s.io/queue-name: q}, annotations: {" total "gqsim/duration: '100'}}\n"          \
	"spec: {containers: [{name: c, resources: {limits: {nvidia.com/gpu: 2}}}]}\n"
#define GROUP "kueue.x-k8s.io/pod-group-name: a, "
#define TOTAL "kueue.x-k8s.io/pod-group-total-count: '1', "
#define FAST                                                                                       \
	"---\napiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\n"                    \
	"featureGates: {FastQuotaReleaseInPodIntegration: true}\n"
#define HELD                                                                                       \
	"0,QuotaReserved,default/a,q,count=1;flavors=nvidia.com/gpu:f;borrow=0\n"                  \
	"10,Preempted,default/a,q,reason=InClusterQueue;preemptor=default/b;preemptor_cq=q\n"
#define PREEMPTOR                                                                                  \
	"name,namespace,queue,submit_s,duration_s,pods,requests,priority_class\n"                  \
	"b,default,q,10,50,1,nvidia.com/gpu=2,high\n"

static const struct {
	const char *name, *yaml, *csv, *want;
} rows[] = {
	{"a pod's quota is free as soon as it is told to end", PREEMPTS POD("", ""), PREEMPTOR,
	 HELD "10,QuotaReserved,default/b,q,count=1;flavors=nvidia.com/gpu:f;borrow=0\n"
	      "15,Released,default/a,q,\n"
	      "15,Failed,default/a,q,\"WorkloadEvicted: its pods are gone, nothing makes them "
	      "again\"\n60,Finished,default/b,q,\n"},
	{"that of a group once it has ended", PREEMPTS POD(GROUP, TOTAL), PREEMPTOR,
	 HELD "15,Released,default/a,q,\n"
	      "15,QuotaReserved,default/b,q,count=1;flavors=nvidia.com/gpu:f;borrow=0\n"
	      "65,Finished,default/b,q,\n"
	      "66,QuotaReserved,default/a,q,count=1;flavors=nvidia.com/gpu:f;borrow=0\n"
	      "166,Finished,default/a,q,\n"},
	{"unless a feature gate says otherwise", PREEMPTS POD("", GROUP TOTAL) FAST, PREEMPTOR,
	 HELD "10,QuotaReserved,default/b,q,count=1;flavors=nvidia.com/gpu:f;borrow=0\n"
	      "15,Released,default/a,q,\n60,Finished,default/b,q,\n"
	      "61,QuotaReserved,default/a,q,count=1;flavors=nvidia.com/gpu:f;borrow=0\n"
	      "161,Finished,default/a,q,\n"},
	{"deleted while it runs: quota is free in the same instant, flushed a second later",
	 STORY_PLAIN,
	 "name,namespace,queue,submit_s,duration_s,pods,requests,cancel_s\n"
	 "a,default,q,0,50,1,nvidia.com/gpu=2,20\nb,default,q,1,50,1,nvidia.com/gpu=2,\n",
	 "0,QuotaReserved,default/a,q,count=1;flavors=nvidia.com/gpu:f;borrow=0\n"
	 "20,Deleted,default/a,q,\n"
	 "21,QuotaReserved,default/b,q,count=1;flavors=nvidia.com/gpu:f;borrow=0\n"
	 "71,Finished,default/b,q,\n"},
	{"deactivated by hand, and back with its old place in the queue", STORY_PLAIN,
	 "name,namespace,queue,submit_s,duration_s,pods,requests,deactivate_s,reactivate_s\n"
	 "a,default,q,0,50,1,nvidia.com/gpu=2,20,30\nb,default,q,1,50,1,nvidia.com/gpu=2,,\n"
	 "c,default,q,2,50,1,nvidia.com/gpu=2,,\n",
	 "0,QuotaReserved,default/a,q,count=1;flavors=nvidia.com/gpu:f;borrow=0\n"
	 "20,Evicted,default/a,q,reason=Deactivated\n"
	 "21,QuotaReserved,default/b,q,count=1;flavors=nvidia.com/gpu:f;borrow=0\n"
	 "25,Released,default/a,q,\n71,Finished,default/b,q,\n"
	 "72,QuotaReserved,default/a,q,count=1;flavors=nvidia.com/gpu:f;borrow=0\n"
	 "122,Finished,default/a,q,\n"
	 "123,QuotaReserved,default/c,q,count=1;flavors=nvidia.com/gpu:f;borrow=0\n"
	 "173,Finished,default/c,q,\n"},
	{"a run that its CronJob held back stands where its workload was made",
	 STORY_QUEUE(
		 "  queueingStrategy: StrictFIFO\n") "---\napiVersion: batch/v1\nkind: "
						     "CronJob\nmetadata: {name: c, annotations: "
						     "{gqsim/until: '100', gqsim/duration: "
						     "'80'}}\nspec:\n"
						     "  schedule: '* * * * *'\n  "
						     "concurrencyPolicy: Forbid\n"
						     "  jobTemplate: {metadata: {labels: "
						     "{kueue.x-k8s.io/queue-name: q}}, spec: "
						     "{template: {spec: {containers: [{name: c, "
						     "resources: "
						     "{limits: {nvidia.com/gpu: 2}}}]}}}}\n",
	 "name,namespace,queue,submit_s,duration_s,pods,requests\n"
	 "x,default,q,70,50,1,nvidia.com/gpu=2\n",
	 "0,QuotaReserved,default/c-28401120,q,count=1;flavors=nvidia.com/gpu:f;borrow=0\n"
	 "80,Finished,default/c-28401120,q,\n"
	 "80,QuotaReserved,default/x,q,count=1;flavors=nvidia.com/gpu:f;borrow=0\n"
	 "130,Finished,default/x,q,\n"
	 "130,QuotaReserved,default/c-28401121,q,count=1;flavors=nvidia.com/gpu:f;borrow=0\n"
	 "210,Finished,default/c-28401121,q,\n"},
	{"deactivated while it waits, and reactivated", STORY_PLAIN,
	 "name,namespace,queue,submit_s,duration_s,pods,requests,deactivate_s,reactivate_s\n"
	 "a,default,q,0,50,1,nvidia.com/gpu=2,,\nb,default,q,1,50,1,nvidia.com/gpu=2,10,80\n",
	 "0,QuotaReserved,default/a,q,count=1;flavors=nvidia.com/gpu:f;borrow=0\n"
	 "50,Finished,default/a,q,\n"
	 "80,QuotaReserved,default/b,q,count=1;flavors=nvidia.com/gpu:f;borrow=0\n"
	 "130,Finished,default/b,q,\n"},
	{"who ran too long is out of time when it is reactivated", STORY_PLAIN,
	 "name,namespace,queue,submit_s,duration_s,pods,requests,max_exec_s,reactivate_s\n"
	 "a,default,q,0,50,1,nvidia.com/gpu=2,40,60\n",
	 "0,QuotaReserved,default/a,q,count=1;flavors=nvidia.com/gpu:f;borrow=0\n"
	 "40,Evicted,default/a,q,reason=DeactivatedDueToMaximumExecutionTimeExceeded\n"
	 "45,Released,default/a,q,\n"
	 "60,QuotaReserved,default/a,q,count=1;flavors=nvidia.com/gpu:f;borrow=0\n"
	 "60,Evicted,default/a,q,reason=DeactivatedDueToMaximumExecutionTimeExceeded\n"
	 "65,Released,default/a,q,\n"},
	{"deleted on arrival: after the cycles of that instant", STORY_PLAIN,
	 "name,namespace,queue,submit_s,duration_s,pods,requests,cancel_s\n"
	 "a,default,q,9,50,1,nvidia.com/gpu=2,3\n",
	 "9,QuotaReserved,default/a,q,count=1;flavors=nvidia.com/gpu:f;borrow=0\n"
	 "9,Deleted,default/a,q,\n"},
};

/* What somebody is told for good. */
/* A Workload that asks for 3 GPUs. */
#define STORY_WORKLOAD(name, at, least)                                                            \
	"apiVersion: kueue.x-k8s.io/v1beta2\nkind: Workload\nmetadata: {name: " name               \
	", namespace: default, annotations: {gqsim/submit-at: \"" at                               \
	"\", gqsim/duration: \"50\"}}\nspec:\n  queueName: q\n  podSets: [{name: main, count: "    \
	"1, " least "template: {spec: {containers: [{name: c, resources: {requests: "              \
	"{nvidia.com/gpu: 3}}}]}}}]\n"

static const struct {
	const char *name, *yaml, *csv, *want;
} told[] = {
	{"a LimitRange holds for rows of a list of jobs too",
	 STORY_PLAIN "---\napiVersion: v1\nkind: LimitRange\n"
		     "metadata: {name: l, namespace: default}\nspec:\n  limits:\n"
		     "  - {type: Container, defaultRequest: {nvidia.com/gpu: 3}}\n"
		     "  - {type: Pod, max: {nvidia.com/gpu: 3}}\n",
	 "name,namespace,queue,submit_s,duration_s,pods,requests\n"
	 "a,default,q,0,50,1,example.com/x=0\nb,default,q,1,50,1,nvidia.com/gpu=4\n",
	 "0,a,ExceedsMaxQuota: couldn't assign flavors to pod set main: insufficient quota for "
	 "nvidia.com/gpu in flavor f, previously considered podsets requests (0) + current podset "
	 "request (3) > maximum capacity (2)\n"
	 "1,b,Misconfigured: resources didn't satisfy LimitRange constraints: "
	 "spec.podSets[0].template.spec: Invalid value: [\"nvidia.com/gpu\"]: requests must not be "
	 "above the limitRange max\n"},
	{"who waits behind another is told of his LimitRange as well",
	 STORY_QUEUE(
		 "  queueingStrategy: StrictFIFO\n") "---\napiVersion: v1\nkind: LimitRange\n"
						     "metadata: {name: l, namespace: "
						     "default}\nspec:\n  limits:\n"
						     "  - {type: Pod, max: {nvidia.com/gpu: 3}}\n",
	 "name,namespace,queue,submit_s,duration_s,pods,requests\n"
	 "a,default,q,0,50,1,nvidia.com/gpu=3\nb,default,q,1,50,1,nvidia.com/gpu=4\n",
	 "0,a,ExceedsMaxQuota: couldn't assign flavors to pod set main: insufficient quota for "
	 "nvidia.com/gpu in flavor f, previously considered podsets requests (0) + current podset "
	 "request (3) > maximum capacity (2)\n"
	 "1,b,Misconfigured: resources didn't satisfy LimitRange constraints: "
	 "spec.podSets[0].template.spec: Invalid value: [\"nvidia.com/gpu\"]: requests must not be "
	 "above the limitRange max\n"},
	{"a namespace that Kueue does not manage",
	 "apiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\n"
	 "managedJobsNamespaceSelector: {matchLabels: {kueue: yes-please}}\n---\n" STORY_PLAIN,
	 "name,namespace,queue,submit_s,duration_s,pods,requests\n"
	 "a,default,q,0,50,1,nvidia.com/gpu=1\n",
	 "0,a,Misconfigured: Namespace not opted in for Kueue management "
	 "(managedJobsNamespaceSelector)\n"},
	{"UnadmittedWorkloadsExplicitStatus tells whose like failed before",
	 "apiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\n"
	 "featureGates: {UnadmittedWorkloadsExplicitStatus: true}\n---\n" STORY_PLAIN,
	 "name,namespace,queue,submit_s,duration_s,pods,requests\n"
	 "a,default,q,0,50,1,nvidia.com/gpu=3\nb,default,q,1,50,1,nvidia.com/gpu=3\n",
	 "0,a,PendingEvaluation: Workload is pending evaluation in the scheduling queue\n"
	 "0,a,ExceedsMaxQuota: couldn't assign flavors to pod set main: insufficient quota for "
	 "nvidia.com/gpu in flavor f, previously considered podsets requests (0) + current podset "
	 "request (3) > maximum capacity (2)\n"
	 "1,b,ExceedsMaxQuota: Bypassed scheduling evaluation because an equivalent workload "
	 "recently failed\n"},
	{"a Workload that names all its pods as the least is not like one that names none",
	 "apiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\n"
	 "featureGates: {UnadmittedWorkloadsExplicitStatus: true}\n---\n" STORY_PLAIN
	 "---\n" STORY_WORKLOAD("a", "0", "") "---\n" STORY_WORKLOAD("b", "1", "minCount: 1, "),
	 "submit_s,duration_s,gpus\n",
	 "0,a,PendingEvaluation: Workload is pending evaluation in the scheduling queue\n"
	 "0,a,ExceedsMaxQuota: couldn't assign flavors to pod set main: insufficient quota for "
	 "nvidia.com/gpu in flavor f, previously considered podsets requests (0) + current podset "
	 "request (3) > maximum capacity (2)\n"
	 "1,b,PendingEvaluation: Workload is pending evaluation in the scheduling queue\n"
	 "1,b,ExceedsMaxQuota: couldn't assign flavors to pod set main: insufficient quota for "
	 "nvidia.com/gpu in flavor f, previously considered podsets requests (0) + current podset "
	 "request (3) > maximum capacity (2)\n"},
	{"UnadmittedWorkloadsExplicitStatus tells newcomers something at once",
	 "apiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\n"
	 "featureGates: {UnadmittedWorkloadsExplicitStatus: true}\n---\n" STORY_PLAIN,
	 "name,namespace,queue,submit_s,duration_s,pods,requests\n"
	 "a,default,q,0,50,1,nvidia.com/gpu=1\n",
	 "0,a,PendingEvaluation: Workload is pending evaluation in the scheduling queue\n"},
};

START_TEST(words)
{
	char *got = kueue_story_told(told[_i].yaml, told[_i].csv);

	ck_assert_msg(strcmp(got, told[_i].want) == 0, "%s: got\n%s", told[_i].name, got);
	mem_free(got);
}
END_TEST

START_TEST(whole_runs)
{
	char *got = kueue_story_events(rows[_i].yaml, rows[_i].csv);

	ck_assert_msg(strcmp(got, rows[_i].want) == 0, "%s: got\n%s", rows[_i].name, got);
	mem_free(got);
}
END_TEST

/* What somebody is told who waits for no lack of quota. */
START_TEST(blockers)
{
	struct kueue_story *s = kueue_story_new("a[4] in=-; a?p:1", false);
	uint32_t job = kueue_story_job(s, "p");

	s->k->queues[0].active = false;
	s->k->plan = &s->plan;
	kueue_life_refresh(s->k, job);
	ck_assert_str_eq(kueue_story_status(s, "p"), "Suspended: ClusterQueue a is inactive");
	s->k->queues[0].active = true;
	kueue_life_refresh(s->k, job);
	ck_assert_str_eq(kueue_story_status(s, "p"),
			 "PendingEvaluation: Workload is pending evaluation "
			 "in the scheduling queue");
	kueue_story_free(s);
}
END_TEST

/* ------------------------------------------------------ the short ways of a simple run */

/* Of three queues one is not in the cohort; of the LocalQueues one is stopped and one in a
 * namespace that Kueue leaves alone. There are fewer GPUs than quota. */
static void write_queues(FILE *out, unsigned *seed)
{
	static const char *const waits[] = {
		"", "waitForPodsReady: {timeout: 7s, requeuingStrategy: {backoffBaseSeconds: 2}}\n",
		"waitForPodsReady: {timeout: 7s, blockAdmission: true}\n"};

	fprintf(out,
		"apiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\n%s"
		"managedJobsNamespaceSelector: {matchLabels: {kueue: \"yes\"}}\n"
		"---\napiVersion: v1\nkind: Namespace\n"
		"metadata: {name: default, labels: {kueue: \"yes\"}}\n"
		"---\napiVersion: v1\nkind: Namespace\nmetadata: {name: own}\n"
		"---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: ResourceFlavor\n"
		"metadata: {name: f}\n"
		"---\napiVersion: v1\nkind: Node\nmetadata: {name: node}\n"
		"status: {allocatable: {nvidia.com/gpu: 12, pods: 99}}\n",
		waits[below(seed, 3)]);
	kueue_story_write_classes(out, 2);
	for (unsigned q = 0; q < 3; q++)
		fprintf(out,
			"---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: ClusterQueue\n"
			"metadata: {name: q%u}\nspec:\n  namespaceSelector: {}\n%s"
			"  preemption: {withinClusterQueue: %s, reclaimWithinCohort: Any}\n"
			"  resourceGroups:\n  - coveredResources: [nvidia.com/gpu]\n    flavors:\n"
			"    - {name: f, resources: [{name: nvidia.com/gpu, nominalQuota: 5}]}\n",
			q, q == 2 ? "" : "  cohortName: all\n",
			below(seed, 2) == 0 ? "Never" : "LowerPriority");
	for (unsigned l = 0; l < 5; l++)
		fprintf(out,
			"---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: LocalQueue\n"
			"metadata: {name: l%u, namespace: %s}\nspec: {clusterQueue: q%u%s}\n",
			l, l == 4 ? "own" : "default", l % 3, l == 3 ? ", stopPolicy: Hold" : "");
}

/* Some are more than simple: they are cancelled, or run too long. Some come in the middle of a
 * second. */
static void write_simple(FILE *out, unsigned *seed)
{
	write_queues(out, seed);
	fprintf(out, "---\napiVersion: gqsim/v1\nkind: Simulation\njobs:\n");
	for (unsigned j = 0; j < 80; j++) {
		unsigned l = below(seed, 8), kind = below(seed, 12);

		l = l > 4 ? l - 5 : l;
		fprintf(out,
			"- {name: j%u, namespace: %s, queue: l%u, submitAt: %u.%us, duration: %us, "
			"gpus: %u, priorityClass: p%u%s}\n",
			j, l == 4 ? "own" : "default", l, j * 2 + below(seed, 9),
			below(seed, 2) * 5, 5 + below(seed, 30), 1 + below(seed, 6),
			1 + below(seed, 2), kind == 0 ? ", cancelAt: 60s" : "");
	}
}

START_TEST(a_simple_run_is_as_any)
{
	shortcut_case_check(write_simple, (unsigned)_i, J_QUOTA_RESERVED);
}
END_TEST

/* As two updates do that a waiting cycle put off. */
START_TEST(who_is_on_his_way_out_loses_his_reservation_once)
{
	struct kueue_story *s = kueue_story_new("a[4]; a?p:2", false);
	unsigned times = 0;

	kueue_story_run(s, 1);
	kueue_life_own(s->k, 0)->admitted = -1;
	world_job(&s->world, 0)->phase = JOB_RESERVED;
	s->k->plan = &s->plan;
	kueue_life_evict(s->k, 0, CAUSE_CHECK, "reason=AdmissionCheck", "");
	for (int i = 0; i < 2; i++)
		kueue_life_unreserve(s->k, 0, WHY_SUSPENDED, "");
	for (size_t i = 0; i < s->plan.count; i++)
		times += s->plan.items[i].kind == DECIDE_UNRESERVE;
	ck_assert_uint_eq(times, 1);
	kueue_life_released(s->k, 0);
	ck_assert(!s->k->jobs[0].withdrawn);
	kueue_story_free(s);
}
END_TEST

START_TEST(an_end_before_its_pods_are_ready_is_counted)
{
	for (int simple = 0; simple < 2; simple++) {
		struct kueue_story *s = kueue_story_new("a[4]; a?p:2", false);

		s->k->simple = simple;
		kueue_story_run(s, 1);
		ck_assert_uint_eq(s->k->unready, 1);
		kueue_life_finished(s->k, 0);
		ck_assert_uint_eq(s->k->unready, 0);
		ck_assert(!kueue_holds(s->k, 0));
		kueue_story_free(s);
	}
}
END_TEST

int main(void)
{
	Suite *s = suite_create("sim/kueue/kueue_life");
	TCase *t = tcase_create("all");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_add_loop_test(t, whole_runs, 0, (int)(sizeof(rows) / sizeof(rows[0])));
	tcase_add_loop_test(t, words, 0, (int)(sizeof(told) / sizeof(told[0])));
	tcase_add_test(t, blockers);
	tcase_add_loop_test(t, a_simple_run_is_as_any, 0, 60);
	tcase_add_test(t, who_is_on_his_way_out_loses_his_reservation_once);
	tcase_add_test(t, an_end_before_its_pods_are_ready_is_counted);
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
