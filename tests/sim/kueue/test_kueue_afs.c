/* test_kueue_afs.c - Admission fair sharing: the LocalQueue that used least first. */
#include <check.h>
#include <string.h>

#include "core/mem.h"
#include "tests/support/kueue_story.h"

#define CONFIG                                                                                     \
	"apiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\n"                         \
	"admissionFairSharing: {usageHalfLifeTime: 600s, usageSamplingInterval: 60s}\n---\n"       \
	"apiVersion: kueue.x-k8s.io/v1beta2\nkind: WorkloadPriorityClass\n"                        \
	"metadata: {name: high}\nvalue: 9\n---\n"
#define QUEUE_R                                                                                    \
	"---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: LocalQueue\n"                              \
	"metadata: {name: r, namespace: default}\nspec: {clusterQueue: q}\n"

#define QUEUE_LOST                                                                                 \
	"---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: LocalQueue\n"                              \
	"metadata: {name: lost, namespace: default}\nspec: {clusterQueue: nowhere}\n"

#define ORDERED                                                                                    \
	"apiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\n"                         \
	"admissionFairSharing: {usageHalfLifeTime: 10s, usageSamplingInterval: 60s}\n---\n"        \
	"apiVersion: kueue.x-k8s.io/v1beta2\nkind: WorkloadPriorityClass\n"                        \
	"metadata: {name: low}\nvalue: 1\n---\n"                                                   \
	"apiVersion: kueue.x-k8s.io/v1beta2\nkind: WorkloadPriorityClass\n"                        \
	"metadata: {name: mid}\nvalue: 5\n---\n"                                                   \
	"apiVersion: kueue.x-k8s.io/v1beta2\nkind: WorkloadPriorityClass\n"                        \
	"metadata: {name: high}\nvalue: 9\n---\n"                                                  \
	"apiVersion: kueue.x-k8s.io/v1beta2\nkind: ResourceFlavor\nmetadata: {name: f}\n---\n"     \
	"apiVersion: kueue.x-k8s.io/v1beta2\nkind: ClusterQueue\nmetadata: {name: q}\n"            \
	"spec:\n  namespaceSelector: {}\n  queueingStrategy: StrictFIFO\n"                         \
	"  preemption: {withinClusterQueue: LowerPriority}\n"                                      \
	"  admissionScope: {admissionMode: UsageBasedAdmissionFairSharing}\n"                      \
	"  resourceGroups:\n  - coveredResources: [cpu]\n    flavors:\n"                           \
	"    - name: f\n      resources: [{name: cpu, nominalQuota: 8}]\n---\n"                    \
	"apiVersion: kueue.x-k8s.io/v1beta2\nkind: LocalQueue\n"                                   \
	"metadata: {name: q, namespace: default}\nspec: {clusterQueue: q}\n" QUEUE_R

static const struct {
	const char *name, *yaml, *csv, *want;
} rows[] = {
	{"the other LocalQueue's turn, whatever the priority", CONFIG STORY_SHARED QUEUE_R,
	 "name,namespace,queue,submit_s,duration_s,pods,requests,priority_class\n"
	 "a,default,q,0,50,1,nvidia.com/gpu=2,\nb,default,q,1,50,1,nvidia.com/gpu=2,high\n"
	 "c,default,r,2,50,1,nvidia.com/gpu=2,\n",
	 "0,QuotaReserved,default/a,q,count=1;flavors=nvidia.com/gpu:f;borrow=0\n"
	 "50,Finished,default/a,q,\n"
	 "51,QuotaReserved,default/c,q,count=1;flavors=nvidia.com/gpu:f;borrow=0\n"
	 "101,Finished,default/c,q,\n"
	 "102,QuotaReserved,default/b,q,count=1;flavors=nvidia.com/gpu:f;borrow=0\n"
	 "152,Finished,default/b,q,\n"},
	{"a LocalQueue without a ClusterQueue", CONFIG STORY_SHARED QUEUE_LOST,
	 "name,namespace,queue,submit_s,duration_s,pods,requests,priority_class\n"
	 "a,default,q,0,50,1,nvidia.com/gpu=2,\nb,default,lost,1,50,1,nvidia.com/gpu=2,\n",
	 "0,QuotaReserved,default/a,q,count=1;flavors=nvidia.com/gpu:f;borrow=0\n"
	 "50,Finished,default/a,q,\n"},
	/* 3 x 0.0669670084... cut off at nine places, by weight 3, is more than the third */
	{"usage is a decimal of nine places",
	 CONFIG "apiVersion: kueue.x-k8s.io/v1beta2\nkind: ResourceFlavor\n"
		"metadata: {name: f}\n---\n"
		"apiVersion: kueue.x-k8s.io/v1beta2\nkind: ClusterQueue\nmetadata: {name: q}\n"
		"spec:\n  namespaceSelector: {}\n"
		"  admissionScope: {admissionMode: UsageBasedAdmissionFairSharing}\n"
		"  resourceGroups:\n  - coveredResources: [nvidia.com/gpu]\n    flavors:\n"
		"    - name: f\n      resources: [{name: nvidia.com/gpu, nominalQuota: 4}]\n---\n"
		"apiVersion: kueue.x-k8s.io/v1beta2\nkind: LocalQueue\n"
		"metadata: {name: q, namespace: default}\n"
		"spec: {clusterQueue: q, fairSharing: {weight: 3}}\n" QUEUE_R,
	 "name,namespace,queue,submit_s,duration_s,pods,requests,priority_class\n"
	 "a,default,q,0,20,1,nvidia.com/gpu=3,\nb,default,r,0,20,1,nvidia.com/gpu=1,\n"
	 "c,default,q,5,9,1,nvidia.com/gpu=4,high\nd,default,r,5,9,1,nvidia.com/gpu=4,\n",
	 "0,QuotaReserved,default/a,q,count=1;flavors=nvidia.com/gpu:f;borrow=0\n"
	 "0,QuotaReserved,default/b,q,count=1;flavors=nvidia.com/gpu:f;borrow=0\n"
	 "20,Finished,default/a,q,\n20,Finished,default/b,q,\n"
	 "21,QuotaReserved,default/d,q,count=1;flavors=nvidia.com/gpu:f;borrow=0\n"
	 "30,Finished,default/d,q,\n"
	 "31,QuotaReserved,default/c,q,count=1;flavors=nvidia.com/gpu:f;borrow=0\n"
	 "40,Finished,default/c,q,\n"},
	/* 3.5 by 0.7000000000000001 against 5 */
	{"a weight is thousandths",
	 "apiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\n"
	 "admissionFairSharing: {usageHalfLifeTime: 600s, usageSamplingInterval: 600s}\n---\n"
	 "apiVersion: kueue.x-k8s.io/v1beta2\nkind: WorkloadPriorityClass\n"
	 "metadata: {name: high}\nvalue: 9\n---\n"
	 "apiVersion: kueue.x-k8s.io/v1beta2\nkind: ResourceFlavor\nmetadata: {name: f}\n---\n"
	 "apiVersion: kueue.x-k8s.io/v1beta2\nkind: ClusterQueue\nmetadata: {name: q}\n"
	 "spec:\n  namespaceSelector: {}\n"
	 "  admissionScope: {admissionMode: UsageBasedAdmissionFairSharing}\n"
	 "  resourceGroups:\n  - coveredResources: [nvidia.com/gpu]\n    flavors:\n"
	 "    - name: f\n      resources: [{name: nvidia.com/gpu, nominalQuota: 17}]\n---\n"
	 "apiVersion: kueue.x-k8s.io/v1beta2\nkind: LocalQueue\n"
	 "metadata: {name: q, namespace: default}\n"
	 "spec: {clusterQueue: q, fairSharing: {weight: 700m}}\n" QUEUE_R,
	 "name,namespace,queue,submit_s,duration_s,pods,requests,priority_class\n"
	 "a,default,q,0,20,1,nvidia.com/gpu=7,\nb,default,r,0,20,1,nvidia.com/gpu=10,\n"
	 "c,default,q,5,9,1,nvidia.com/gpu=17,\nd,default,r,5,9,1,nvidia.com/gpu=17,high\n",
	 "0,QuotaReserved,default/a,q,count=1;flavors=nvidia.com/gpu:f;borrow=0\n"
	 "0,QuotaReserved,default/b,q,count=1;flavors=nvidia.com/gpu:f;borrow=0\n"
	 "20,Finished,default/a,q,\n20,Finished,default/b,q,\n"
	 "21,QuotaReserved,default/c,q,count=1;flavors=nvidia.com/gpu:f;borrow=0\n"
	 "30,Finished,default/c,q,\n"
	 "31,QuotaReserved,default/d,q,count=1;flavors=nvidia.com/gpu:f;borrow=0\n"
	 "40,Finished,default/d,q,\n"},
	{"evicted before it was admitted, it stays charged",
	 CONFIG STORY_QUEUE("  admissionScope: {admissionMode: UsageBasedAdmissionFairSharing}\n"
			    "  admissionChecksStrategy: {admissionChecks: [{name: c}]}\n") QUEUE_R
	 "---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: AdmissionCheck\nmetadata: {name: c}\n"
	 "spec: {controllerName: x}\n",
	 "name,namespace,queue,submit_s,duration_s,pods,requests,check_s,check_result\n"
	 "a,default,q,0,50,1,nvidia.com/gpu=2,10,Retry;Ready\n"
	 "b,default,r,15,50,1,nvidia.com/gpu=2,never,\n",
	 "0,QuotaReserved,default/a,q,count=1;flavors=nvidia.com/gpu:f;borrow=0\n"
	 "10,Check,default/a,q,result=Retry\n10,Evicted,default/a,q,reason=AdmissionCheck\n"
	 "15,Released,default/a,q,\n"
	 "15,QuotaReserved,default/b,q,count=1;flavors=nvidia.com/gpu:f;borrow=0\n"},
	/* Admissions leave the heap out of order until the next sample, so its layout decides,
	 * which hangs on when it was put in order; recorded from Kueue */
	{"samples put the heap in order one by one", ORDERED,
	 "name,namespace,queue,submit_s,duration_s,priority_class,pods,min_pods,requests\n"
	 "j00,default,r,30,34,,1,,cpu=4\n"
	 "j01,default,r,30,35,low,1,,cpu=6\n"
	 "j02,default,r,30,71,,1,,cpu=7\n"
	 "j03,default,q,30,103,high,1,,cpu=3\n"
	 "j04,default,r,49,63,low,1,,cpu=5\n"
	 "j05,default,q,49,27,low,1,,cpu=6\n"
	 "j06,default,q,49,30,mid,1,,cpu=2\n"
	 "j07,default,r,49,39,mid,1,,cpu=5\n"
	 "j08,default,r,49,70,low,1,,cpu=7\n"
	 "j09,default,q,49,112,mid,1,,cpu=7\n"
	 "j10,default,q,79,85,,1,,cpu=4\n"
	 "j11,default,r,79,84,,1,,cpu=2\n",
	 "30,QuotaReserved,default/j03,q,count=1;flavors=cpu:f;borrow=0\n"
	 "49,QuotaReserved,default/j07,q,count=1;flavors=cpu:f;borrow=0\n"
	 "88,Finished,default/j07,q,\n"
	 "133,Finished,default/j03,q,\n"
	 "133,QuotaReserved,default/j01,q,count=1;flavors=cpu:f;borrow=0\n"
	 "168,Finished,default/j01,q,\n"
	 "168,QuotaReserved,default/j06,q,count=1;flavors=cpu:f;borrow=0\n"
	 "198,Finished,default/j06,q,\n"
	 "198,QuotaReserved,default/j04,q,count=1;flavors=cpu:f;borrow=0\n"
	 "261,Finished,default/j04,q,\n"
	 "261,QuotaReserved,default/j09,q,count=1;flavors=cpu:f;borrow=0\n"
	 "373,Finished,default/j09,q,\n"
	 "373,QuotaReserved,default/j08,q,count=1;flavors=cpu:f;borrow=0\n"
	 "443,Finished,default/j08,q,\n"
	 "443,QuotaReserved,default/j05,q,count=1;flavors=cpu:f;borrow=0\n"
	 "470,Finished,default/j05,q,\n"
	 "470,QuotaReserved,default/j10,q,count=1;flavors=cpu:f;borrow=0\n"
	 "470,QuotaReserved,default/j00,q,count=1;flavors=cpu:f;borrow=0\n"
	 "504,Finished,default/j00,q,\n"
	 "555,Finished,default/j10,q,\n"
	 "555,QuotaReserved,default/j02,q,count=1;flavors=cpu:f;borrow=0\n"
	 "626,Finished,default/j02,q,\n"
	 "626,QuotaReserved,default/j11,q,count=1;flavors=cpu:f;borrow=0\n"
	 "710,Finished,default/j11,q,\n"},
	/* What a preemptor is told sifts it again, among jobs that its LocalQueue's new usage has
	 * put out of order; as recorded from Kueue */
	{"whose status changes is sifted again", ORDERED,
	 "name,namespace,queue,submit_s,duration_s,priority_class,pods,min_pods,requests\n"
	 "j00,default,q,0,29,low,1,,cpu=6\n"
	 "j01,default,r,0,52,mid,1,,cpu=5\n"
	 "j02,default,r,0,76,mid,1,,cpu=8\n"
	 "j03,default,q,0,79,,1,,cpu=7\n"
	 "j04,default,r,0,25,mid,1,,cpu=3\n"
	 "j05,default,q,0,68,,1,,cpu=7\n"
	 "j06,default,q,5,49,low,1,,cpu=8\n",
	 "0,QuotaReserved,default/j01,q,count=1;flavors=cpu:f;borrow=0\n"
	 "52,Finished,default/j01,q,\n"
	 "52,QuotaReserved,default/j00,q,count=1;flavors=cpu:f;borrow=0\n"
	 "52,Preempted,default/j00,q,reason=InClusterQueue;preemptor=default/j02;preemptor_cq=q\n"
	 "57,Released,default/j00,q,\n"
	 "57,QuotaReserved,default/j02,q,count=1;flavors=cpu:f;borrow=0\n"
	 "133,Finished,default/j02,q,\n"
	 "133,QuotaReserved,default/j00,q,count=1;flavors=cpu:f;borrow=0\n"
	 "133,Preempted,default/j00,q,reason=InClusterQueue;preemptor=default/j04;preemptor_cq=q\n"
	 "138,Released,default/j00,q,\n"
	 "138,QuotaReserved,default/j04,q,count=1;flavors=cpu:f;borrow=0\n"
	 "163,Finished,default/j04,q,\n"
	 "163,QuotaReserved,default/j00,q,count=1;flavors=cpu:f;borrow=0\n"
	 "192,Finished,default/j00,q,\n"
	 "192,QuotaReserved,default/j06,q,count=1;flavors=cpu:f;borrow=0\n"
	 "241,Finished,default/j06,q,\n"
	 "241,QuotaReserved,default/j03,q,count=1;flavors=cpu:f;borrow=0\n"
	 "320,Finished,default/j03,q,\n"
	 "320,QuotaReserved,default/j05,q,count=1;flavors=cpu:f;borrow=0\n"
	 "388,Finished,default/j05,q,\n"},
};

START_TEST(whole_runs)
{
	char *got = kueue_story_events(rows[_i].yaml, rows[_i].csv);

	ck_assert_msg(strcmp(got, rows[_i].want) == 0, "%s: got\n%s", rows[_i].name, got);
	mem_free(got);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("sim/kueue/kueue_afs");
	TCase *t = tcase_create("all");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_add_loop_test(t, whole_runs, 0, (int)(sizeof(rows) / sizeof(rows[0])));
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
