/* test_kueue_life.c - Workloads that come, end, are deleted. */
#include <check.h>
#include <string.h>

#include "core/mem.h"
#include "sim/kueue/kueue_life.h"
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

int main(void)
{
	Suite *s = suite_create("sim/kueue/kueue_life");
	TCase *t = tcase_create("all");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_add_loop_test(t, whole_runs, 0, (int)(sizeof(rows) / sizeof(rows[0])));
	tcase_add_loop_test(t, words, 0, (int)(sizeof(told) / sizeof(told[0])));
	tcase_add_test(t, blockers);
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
