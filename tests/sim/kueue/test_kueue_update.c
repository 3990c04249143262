/* test_kueue_update.c - Objects made, changed, stopped and deleted while they are used. */
#include <check.h>
#include <string.h>

#include "core/mem.h"
#include "sim/engine/engine.h"
#include "tests/sim/objects_case.h"
#include "tests/support/kueue_story.h"

#define DRAINED(at, stop)                                                                          \
	"---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: ClusterQueue\n"                            \
	"metadata: {name: q, annotations: {gqsim/at: \"" at                                        \
	"\"}}\nspec:\n  namespaceSelector: {}\n  stopPolicy: " stop                                \
	"\n  resourceGroups:\n  - coveredResources: [nvidia.com/gpu]\n    flavors:\n"              \
	"    - name: f\n      resources: [{name: nvidia.com/gpu, nominalQuota: 2}]\n"
#define CLASS(name, when, value)                                                                   \
	"---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: WorkloadPriorityClass\n"                   \
	"metadata: {name: " name when "}\nvalue: " value "\n"
/* The queue q, whose workloads make room for those of higher priority. */
#define RANKED(when, strategy, quota)                                                              \
	"---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: ClusterQueue\nmetadata: {name: q" when     \
	"}\nspec:\n  namespaceSelector: {}\n  queueingStrategy: " strategy                         \
	"\n  preemption: {withinClusterQueue: LowerPriority}\n  resourceGroups:\n"                 \
	"  - coveredResources: [nvidia.com/gpu]\n    flavors:\n"                                   \
	"    - name: f\n      resources: [{name: nvidia.com/gpu, nominalQuota: " quota "}]\n"
/* A queue without quota of its own, of the cohort c; its LocalQueue. */
#define SHARER(name, weight, reclaims)                                                             \
	"---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: ClusterQueue\nmetadata: {name: " name      \
	"}\nspec:\n  cohortName: c\n  namespaceSelector: {}\n"                                     \
	"  preemption: {reclaimWithinCohort: " reclaims "}\n  fairSharing: {weight: " weight       \
	"}\n  resourceGroups:\n  - coveredResources: [nvidia.com/gpu]\n    flavors:\n"             \
	"    - name: f\n      resources: [{name: nvidia.com/gpu, nominalQuota: 0}]\n---\n"         \
	"apiVersion: kueue.x-k8s.io/v1beta2\nkind: LocalQueue\nmetadata: {name: " name             \
	", namespace: default}\nspec: {clusterQueue: " name "}\n"

#define AT_10 ", annotations: {gqsim/at: \"10\"}"

static const struct {
	const char *name, *yaml, *csv, *want;
} rows[] = {
	{"drained while a cycle waits for pods: who runs is evicted at once",
	 STORY_PLAIN "---\napiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\n"
		     "waitForPodsReady: {timeout: 100s, blockAdmission: true, "
		     "requeuingStrategy: {backoffLimitCount: 0}}\n" DRAINED("10", "HoldAndDrain"),
	 "name,namespace,queue,submit_s,duration_s,pods,requests,ready_s\n"
	 "a,default,q,0,50,1,nvidia.com/gpu=1,never\nb,default,q,1,50,1,nvidia.com/gpu=1,\n",
	 "0,QuotaReserved,default/a,q,count=1;flavors=nvidia.com/gpu:f;borrow=0\n"
	 "10,Evicted,default/a,q,reason=ClusterQueueStopped\n15,Released,default/a,q,\n"
	 "15,QuotaReserved,default/b,q,count=1;flavors=nvidia.com/gpu:f;borrow=0\n"
	 "15,Evicted,default/b,q,reason=ClusterQueueStopped\n20,Released,default/b,q,\n"},
	{"a drained queue evicts, and takes them back when it restarts",
	 STORY_PLAIN "---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: LocalQueue\n"
		     "metadata: {name: q, namespace: default, annotations: {gqsim/at: \"10\"}}\n"
		     "spec: {clusterQueue: q, stopPolicy: HoldAndDrain}\n"
		     "---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: LocalQueue\n"
		     "metadata: {name: q, namespace: default, annotations: {gqsim/at: \"30\"}}\n"
		     "spec: {clusterQueue: q}\n",
	 "name,namespace,queue,submit_s,duration_s,pods,requests\n"
	 "a,default,q,0,50,1,nvidia.com/gpu=2\n",
	 "0,QuotaReserved,default/a,q,count=1;flavors=nvidia.com/gpu:f;borrow=0\n"
	 "10,Evicted,default/a,q,reason=LocalQueueStopped\n15,Released,default/a,q,\n"
	 "30,QuotaReserved,default/a,q,count=1;flavors=nvidia.com/gpu:f;borrow=0\n"
	 "80,Finished,default/a,q,\n"},
	{"held: who runs runs on, who waits waits",
	 STORY_PLAIN "---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: LocalQueue\n"
		     "metadata: {name: q, namespace: default, annotations: {gqsim/at: \"10\"}}\n"
		     "spec: {clusterQueue: q, stopPolicy: Hold}\n"
		     "---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: LocalQueue\n"
		     "metadata: {name: q, namespace: default, annotations: {gqsim/at: \"70\"}}\n"
		     "spec: {clusterQueue: q}\n",
	 "name,namespace,queue,submit_s,duration_s,pods,requests\n"
	 "a,default,q,0,50,1,nvidia.com/gpu=2\nb,default,q,20,5,1,nvidia.com/gpu=2\n",
	 "0,QuotaReserved,default/a,q,count=1;flavors=nvidia.com/gpu:f;borrow=0\n"
	 "50,Finished,default/a,q,\n"
	 "70,QuotaReserved,default/b,q,count=1;flavors=nvidia.com/gpu:f;borrow=0\n"
	 "75,Finished,default/b,q,\n"},
	/* p had made room when the quota shrank: it heads the queue that is strict by now. */
	{"whether a preemptor stays first is settled when it preempts",
	 "---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: ResourceFlavor\nmetadata: {name: f}\n"
	 "---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: LocalQueue\n"
	 "metadata: {name: q, namespace: default}\nspec: {clusterQueue: q}\n" RANKED(
		 "", "BestEffortFIFO", "2")
		 RANKED(", annotations: {gqsim/at: \"12\"}", "StrictFIFO", "1")
			 RANKED(", annotations: {gqsim/at: \"30\"}", "StrictFIFO", "2")
				 CLASS("mid", "", "3") CLASS("high", "", "5"),
	 "name,namespace,queue,submit_s,duration_s,priority_class,pods,requests\n"
	 "v,default,q,0,50,,1,nvidia.com/gpu=2\np,default,q,10,5,mid,1,nvidia.com/gpu=2\n"
	 "h,default,q,18,5,high,1,nvidia.com/gpu=1\n",
	 "0,QuotaReserved,default/v,q,count=1;flavors=nvidia.com/gpu:f;borrow=0\n"
	 "10,Preempted,default/v,q,reason=InClusterQueue;preemptor=default/p;preemptor_cq=q\n"
	 "15,Released,default/v,q,\n"
	 "30,QuotaReserved,default/p,q,count=1;flavors=nvidia.com/gpu:f;borrow=0\n"
	 "30,Preempted,default/p,q,reason=InClusterQueue;preemptor=default/h;preemptor_cq=q\n"
	 "35,Released,default/p,q,\n"
	 "35,QuotaReserved,default/h,q,count=1;flavors=nvidia.com/gpu:f;borrow=0\n"
	 "40,Finished,default/h,q,\n"
	 "40,QuotaReserved,default/p,q,count=1;flavors=nvidia.com/gpu:f;borrow=0\n"
	 "45,Finished,default/p,q,\n"
	 "45,QuotaReserved,default/v,q,count=1;flavors=nvidia.com/gpu:f;borrow=0\n"
	 "95,Finished,default/v,q,\n"},
	{"who preempts stays first, though its class is worth less meanwhile",
	 "---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: ResourceFlavor\nmetadata: {name: f}\n"
	 "---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: ClusterQueue\nmetadata: {name: q}\n"
	 "spec:\n  namespaceSelector: {}\n  preemption: {withinClusterQueue: LowerPriority}\n"
	 "  resourceGroups:\n  - coveredResources: [nvidia.com/gpu]\n    flavors:\n"
	 "    - name: f\n      resources: [{name: nvidia.com/gpu, nominalQuota: 2}]\n"
	 "---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: LocalQueue\n"
	 "metadata: {name: q, namespace: default}\nspec: {clusterQueue: q}\n"
	 "---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: WorkloadPriorityClass\n"
	 "metadata: {name: mid}\nvalue: 3\n"
	 "---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: WorkloadPriorityClass\n"
	 "metadata: {name: high}\nvalue: 5\n"
	 "---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: WorkloadPriorityClass\n"
	 "metadata: {name: high, annotations: {gqsim/at: \"12\"}}\nvalue: 2\n",
	 "name,namespace,queue,submit_s,duration_s,priority_class,pods,requests\n"
	 "v,default,q,0,5,,1,nvidia.com/gpu=2\nw,default,q,6,50,,1,nvidia.com/gpu=2\n"
	 "h,default,q,10,5,high,1,nvidia.com/gpu=2\nm,default,q,13,5,mid,1,nvidia.com/gpu=2\n",
	 "0,QuotaReserved,default/v,q,count=1;flavors=nvidia.com/gpu:f;borrow=0\n"
	 "5,Finished,default/v,q,\n"
	 "6,QuotaReserved,default/w,q,count=1;flavors=nvidia.com/gpu:f;borrow=0\n"
	 "10,Preempted,default/w,q,reason=InClusterQueue;preemptor=default/h;preemptor_cq=q\n"
	 "15,Released,default/w,q,\n"
	 "15,QuotaReserved,default/h,q,count=1;flavors=nvidia.com/gpu:f;borrow=0\n"
	 "15,Preempted,default/h,q,reason=InClusterQueue;preemptor=default/m;preemptor_cq=q\n"
	 "20,Released,default/h,q,\n"
	 "20,QuotaReserved,default/m,q,count=1;flavors=nvidia.com/gpu:f;borrow=0\n"
	 "25,Finished,default/m,q,\n"
	 "26,QuotaReserved,default/h,q,count=1;flavors=nvidia.com/gpu:f;borrow=0\n"
	 "31,Finished,default/h,q,\n"
	 "32,QuotaReserved,default/w,q,count=1;flavors=nvidia.com/gpu:f;borrow=0\n"
	 "82,Finished,default/w,q,\n"},
	{"a drained ClusterQueue does not reach who is in a LocalQueue that is held",
	 STORY_PLAIN
	 "---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: LocalQueue\n"
	 "metadata: {name: q, namespace: default, annotations: {gqsim/at: \"5\"}}\n"
	 "spec: {clusterQueue: q, stopPolicy: Hold}\n" DRAINED(
		 "10", "HoldAndDrain") "---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: LocalQueue\n"
				       "metadata: {name: q, namespace: default, annotations: "
				       "{gqsim/at: \"20\"}}\n"
				       "spec: {clusterQueue: q}\n" DRAINED("30", "None"),
	 "name,namespace,queue,submit_s,duration_s,pods,requests\n"
	 "a,default,q,0,50,1,nvidia.com/gpu=2\n",
	 "0,QuotaReserved,default/a,q,count=1;flavors=nvidia.com/gpu:f;borrow=0\n"
	 "20,Evicted,default/a,q,reason=ClusterQueueStopped\n25,Released,default/a,q,\n"
	 "30,QuotaReserved,default/a,q,count=1;flavors=nvidia.com/gpu:f;borrow=0\n"
	 "80,Finished,default/a,q,\n"},
	/* h would come first as the one that waits for its victim; but it is another than the one
	 * that preempted (IsPreemptor is strict about the generation), so the smaller share goes
	 * first. */
	{"who preempts under fair sharing is no preemptor any more once its class is worth less",
	 "apiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\nfairSharing: {}\n"
	 "featureGates: {PrioritizePreemptorWorkloads: true}\n"
	 "---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: ResourceFlavor\nmetadata: {name: f}\n"
	 "---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: Cohort\nmetadata: {name: c}\n"
	 "spec:\n  resourceGroups:\n  - coveredResources: [nvidia.com/gpu]\n    flavors:\n"
	 "    - name: f\n      resources: [{name: nvidia.com/gpu, nominalQuota: 4}]\n" SHARER(
		 "v", "1", "Never") SHARER("h", "2", "Any") SHARER("s", "4", "Never")
		 CLASS("high", "", "5") CLASS("high", ", annotations: {gqsim/at: \"12\"}", "4"),
	 "name,namespace,queue,submit_s,duration_s,priority_class,pods,requests\n"
	 "w,default,v,6,50,,1,nvidia.com/gpu=2\nu,default,v,6,6,,1,nvidia.com/gpu=2\n"
	 "h,default,h,10,5,high,1,nvidia.com/gpu=2\nn,default,s,12,5,,1,nvidia.com/gpu=2\n",
	 "6,QuotaReserved,default/w,v,count=1;flavors=nvidia.com/gpu:f;borrow=1\n"
	 "6,QuotaReserved,default/u,v,count=1;flavors=nvidia.com/gpu:f;borrow=1\n"
	 "10,Preempted,default/w,v,reason=InCohortFairSharing;preemptor=default/h;preemptor_cq=h\n"
	 "12,Finished,default/u,v,\n"
	 "12,QuotaReserved,default/n,s,count=1;flavors=nvidia.com/gpu:f;borrow=1\n"
	 "15,Released,default/w,v,\n"
	 "15,QuotaReserved,default/h,h,count=1;flavors=nvidia.com/gpu:f;borrow=1\n"
	 "17,Finished,default/n,s,\n"
	 "18,QuotaReserved,default/w,v,count=1;flavors=nvidia.com/gpu:f;borrow=1\n"
	 "20,Finished,default/h,h,\n68,Finished,default/w,v,\n"},
	/* x did not fit, so that its equals are parked as they come; y is there already. */
	{"who is in the heap stays there, though its class becomes one whose workloads are parked",
	 "---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: ResourceFlavor\nmetadata: {name: f}\n"
	 "---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: ClusterQueue\nmetadata: {name: q}\n"
	 "spec:\n  namespaceSelector: {}\n  preemption: {withinClusterQueue: LowerPriority}\n"
	 "  resourceGroups:\n  - coveredResources: [nvidia.com/gpu]\n    flavors:\n"
	 "    - name: f\n      resources: [{name: nvidia.com/gpu, nominalQuota: 4}]\n"
	 "---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: LocalQueue\n"
	 "metadata: {name: q, namespace: default}\nspec: {clusterQueue: q}\n" CLASS("high", "", "5")
		 CLASS("mid", "", "4") CLASS("low", "", "3") CLASS("none", "", "1")
			 CLASS("none", ", annotations: {gqsim/at: \"12\"}", "3"),
	 "name,namespace,queue,submit_s,duration_s,priority_class,pods,requests\n"
	 "w,default,q,6,50,mid,1,nvidia.com/gpu=4\nx,default,q,8,50,low,1,nvidia.com/gpu=2\n"
	 "h,default,q,10,5,high,1,nvidia.com/gpu=2\ny,default,q,11,3,none,1,nvidia.com/gpu=2\n",
	 "6,QuotaReserved,default/w,q,count=1;flavors=nvidia.com/gpu:f;borrow=0\n"
	 "10,Preempted,default/w,q,reason=InClusterQueue;preemptor=default/h;preemptor_cq=q\n"
	 "15,Released,default/w,q,\n"
	 "15,QuotaReserved,default/h,q,count=1;flavors=nvidia.com/gpu:f;borrow=0\n"
	 "15,QuotaReserved,default/y,q,count=1;flavors=nvidia.com/gpu:f;borrow=0\n"
	 "18,Finished,default/y,q,\n"
	 "19,QuotaReserved,default/x,q,count=1;flavors=nvidia.com/gpu:f;borrow=0\n"
	 "20,Finished,default/h,q,\n"
	 "21,Preempted,default/x,q,reason=InClusterQueue;preemptor=default/w;preemptor_cq=q\n"
	 "26,Released,default/x,q,\n"
	 "26,QuotaReserved,default/w,q,count=1;flavors=nvidia.com/gpu:f;borrow=0\n"
	 "76,Finished,default/w,q,\n"
	 "77,QuotaReserved,default/x,q,count=1;flavors=nvidia.com/gpu:f;borrow=0\n"
	 "127,Finished,default/x,q,\n"},
};

#define HEAD		   "name,namespace,queue,submit_s,duration_s,pods,requests\n"
#define API		   "---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: "
#define AT(s)		   ", annotations: {gqsim/at: \"" s "\"}"
#define UNTIL(s)	   ", annotations: {gqsim/delete-at: \"" s "\"}"
#define FLAVOR(name, when) API "ResourceFlavor\nmetadata: {name: " name when "}\n"
#define QUEUE(name, when, more)                                                                    \
	API "ClusterQueue\nmetadata: {name: " name when "}\nspec:\n  namespaceSelector: {}\n" more \
	    "  resourceGroups:\n  - coveredResources: [nvidia.com/gpu]\n    flavors:\n"            \
	    "    - name: f\n      resources: [{name: nvidia.com/gpu, nominalQuota: 2}]\n"
#define LOCAL(name, when)                                                                          \
	API "LocalQueue\nmetadata: {name: " name ", namespace: default" when "}\n"                 \
	    "spec: {clusterQueue: " name "}\n"
/* LocalQueue h of queue q, held from 10 on: the end of its workloads wakes nobody. */
#define HELD_LOCAL                                                                                 \
	API "LocalQueue\nmetadata: {name: h, namespace: default}\nspec: {clusterQueue: q}\n" API   \
	    "LocalQueue\nmetadata: {name: h, namespace: default" AT(                               \
		    "10") "}\n"                                                                    \
			  "spec: {clusterQueue: q, stopPolicy: Hold}\n"
#define NAMESPACE(at, team)                                                                        \
	"---\napiVersion: v1\nkind: Namespace\nmetadata: {name: default, labels: {team: " team     \
	"}" AT(at) "}\n"
#define RESERVED(time, job, queue)                                                                 \
	time ",QuotaReserved,default/" job "," queue ",count=1;flavors=nvidia.com/"                \
	     "gpu:f;borrow=0\n"
#define NOW_EVALUATED(time, job)                                                                   \
	time "," job ",PendingEvaluation: Workload is pending evaluation in the scheduling "       \
	     "queue\n"

#define BLOCKING                                                                                   \
	"apiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\n"                         \
	"waitForPodsReady: {timeout: 300s, blockAdmission: true}\n"
#define AWAITING_PODS                                                                              \
	"1,b,WaitingForPodsReady: waiting for all admitted workloads to be in PodsReady "          \
	"condition\n"
#define READY "name,namespace,queue,submit_s,duration_s,pods,requests,ready_s,"
/* A check that says Retry at 3 and asks for 20 s. */
#define BACKED_OFF                                                                                 \
	"name,namespace,queue,submit_s,duration_s,pods,requests,check_s,check_result,check_"       \
	"retry_s\na,default,q,0,50,1,nvidia.com/gpu=2,3,Retry;Ready,20\n"
#define ENDED(time)                                                                                \
	time ",Evicted,default/a,q,reason=AdmissionCheck;requeue_count=0;requeue_at=" time "\n"
#define CHECKED(time) time ",Check,default/a,q,result=Ready\n" time ",Admitted,default/a,q,\n"

/* What becomes of the workloads, and what they are told meanwhile. */
static const struct {
	const char *name, *yaml, *csv, *want, *told;
} objects[] = {
	/* While a cycle waits for the pods of a, to admit b, Kueue's controllers go on. */
	{"what needs no check any more is admitted though a cycle waits for it",
	 BLOCKING FLAVOR("f", "")
		 QUEUE("q", "", "  admissionChecksStrategy: {admissionChecks: [{name: c}]}\n")
			 LOCAL("q", "") API "AdmissionCheck\nmetadata: {name: c}\n"
					    "spec: {controllerName: x}\n" QUEUE("q", AT("10"), ""),
	 READY "check_s\na,default,q,0,50,1,nvidia.com/gpu=1,5,100\n"
	       "b,default,q,1,50,1,nvidia.com/gpu=1,0,100\n",
	 RESERVED("0", "a", "q") "10,Admitted,default/a,q,\n15,PodsReady,default/a,q,\n" RESERVED(
		 "15", "b", "q") "15,Admitted,default/b,q,\n"
				 "65,Finished,default/a,q,\n65,Finished,default/b,q,\n",
	 AWAITING_PODS},
	{"a check that comes while a cycle waits is asked for at once, and once",
	 BLOCKING FLAVOR("f", "")
		 QUEUE("q", "", "  admissionChecksStrategy: {admissionChecks: [{name: c}]}\n")
			 LOCAL("q", "") API
	 "AdmissionCheck\nmetadata: {name: c}\n"
	 "spec: {controllerName: x}\n" API "AdmissionCheck\nmetadata: {name: d}\n"
	 "spec: {controllerName: x}\n" QUEUE(
		 "q", AT("10"),
		 "  admissionChecksStrategy: {admissionChecks: [{name: c}, {name: d}]}\n"),
	 READY "check_s\na,default,q,0,50,1,nvidia.com/gpu=1,5,15\n"
	       "b,default,q,1,50,1,nvidia.com/gpu=1,0,15\n",
	 RESERVED("0", "a",
		  "q") "15,Check,default/a,q,result=Ready\n"
		       "25,Check,default/a,q,result=Ready\n25,Admitted,default/a,q,\n"
		       "30,PodsReady,default/a,q,\n" RESERVED(
			       "30", "b",
			       "q") "45,Check,default/b,q,result=Ready\n45,Admitted,default/b,q,\n"
				    "80,Finished,default/a,q,\n95,Finished,default/b,q,\n",
	 AWAITING_PODS},
	{"who is admitted by a cycle that waited has the checks that came meanwhile",
	 BLOCKING FLAVOR("f", "") QUEUE("q", "", "") LOCAL("q", "") API
	 "AdmissionCheck\nmetadata: {name: c}\n"
	 "spec: {controllerName: x}\n" QUEUE(
		 "q", AT("10"), "  admissionChecksStrategy: {admissionChecks: [{name: c}]}\n"),
	 READY "check_s\na,default,q,0,50,1,nvidia.com/gpu=1,20,3\n"
	       "b,default,q,1,50,1,nvidia.com/gpu=1,0,3\n",
	 RESERVED("0", "a", "q") "13,Check,default/a,q,result=Ready\n"
				 "20,PodsReady,default/a,q,\n" RESERVED(
					 "20", "b", "q") "23,Check,default/b,q,result=Ready\n"
							 "23,Admitted,default/b,q,\n"
							 "70,Finished,default/a,q,\n"
							 "73,Finished,default/b,q,\n",
	 AWAITING_PODS},
	/* Without b, for which the cycle waits, d would fit: b is in the cycle's view of the quota. */
	{"who is deleted while a cycle waits for it keeps others of the cycle from the quota",
	 BLOCKING FLAVOR("f", "") QUEUE("q", "", "  cohortName: c\n") LOCAL("q", "")
		 QUEUE("r", "", "  cohortName: c\n") LOCAL("r", ""),
	 READY "cancel_s\na,default,q,0,50,1,nvidia.com/gpu=1,20,\n"
	       "b,default,q,1,50,1,nvidia.com/gpu=1,0,4\nd,default,r,1,50,1,nvidia.com/gpu=3,0,\n"
	       "e,default,q,10,10,1,nvidia.com/gpu=1,0,\n",
	 RESERVED("0", "a", "q") "4,Deleted,default/b,q,\n"
				 "20,PodsReady,default/a,q,\n" RESERVED(
					 "20", "e", "q") "30,Finished,default/e,q,\n"
							 "31,QuotaReserved,default/d,r,count=1;"
							 "flavors=nvidia.com/gpu:f;borrow=1\n"
							 "70,Finished,default/a,q,\n"
							 "81,Finished,default/d,r,\n",
	 AWAITING_PODS "20,d,WaitingForQuota: Workload no longer fits after processing another "
		       "workload\n20,d,WaitingForQuota: couldn't assign flavors to pod set main: "
		       "insufficient unused quota for nvidia.com/gpu in flavor f, 1 more needed\n"},
	{"who waits is told that the queue is held, and a LocalQueue, while a cycle waits",
	 BLOCKING FLAVOR("f", "") QUEUE("q", "", "") LOCAL("q", "")
		 HELD_LOCAL QUEUE("q", AT("12"), "  stopPolicy: Hold\n") QUEUE("q", AT("14"), ""),
	 READY "check_s\na,default,q,0,50,1,nvidia.com/gpu=1,20,\n"
	       "b,default,q,1,50,1,nvidia.com/gpu=1,0,\nc,default,q,2,50,1,nvidia.com/gpu=2,0,\n"
	       "d,default,h,3,50,1,nvidia.com/gpu=1,0,\n",
	 RESERVED("0", "a", "q") "20,PodsReady,default/a,q,\n" RESERVED(
		 "20", "b", "q") "70,Finished,default/"
				 "a,q,\n70,Finished,default/"
				 "b,q,\n" RESERVED("71", "c", "q") "121,"
								   "Finished"
								   ",default"
								   "/c,q,\n",
	 AWAITING_PODS
	 "10,d,Suspended: LocalQueue h is inactive\n"
	 "12,b,Suspended: ClusterQueue q is inactive\n"
	 "12,c,Suspended: ClusterQueue q is inactive\n" NOW_EVALUATED("14", "b") NOW_EVALUATED(
		 "14",
		 "c") "20,c,WaitingForQuota: couldn't assign flavors to pod set main: "
		      "insufficient unused quota for nvidia.com/gpu in flavor f, 2 more needed\n"},
	{"a flush does not wait for a cycle that does",
	 BLOCKING FLAVOR("f", "") QUEUE("q", "", "") LOCAL("q", "") API
	 "ClusterQueue\nmetadata: {name: q" AT(
		 "10") "}\nspec:\n"
		       "  namespaceSelector: {}\n  resourceGroups:\n"
		       "  - coveredResources: [nvidia.com/gpu]\n    flavors:\n"
		       "    - name: f\n      resources: [{name: nvidia.com/gpu, nominalQuota: "
		       "5}]\n---\n",
	 READY "check_s\na,default,q,0,50,1,nvidia.com/gpu=1,20,\n"
	       "c,default,q,1,50,1,nvidia.com/gpu=3,0,\nb,default,q,2,50,1,nvidia.com/gpu=1,0,\n",
	 RESERVED("0", "a", "q") "20,PodsReady,default/a,q,\n" RESERVED("20", "b", "q")
		 RESERVED("20", "c", "q") "70,Finished,default/a,q,\n70,Finished,default/b,q,\n"
					  "70,Finished,default/c,q,\n",
	 "1,c,ExceedsMaxQuota: couldn't assign flavors to pod set main: insufficient quota for "
	 "nvidia.com/gpu in flavor f, previously considered podsets requests (0) + current podset "
	 "request (3) > maximum capacity (2)\n"
	 "2,b,WaitingForPodsReady: waiting for all admitted workloads to be in PodsReady "
	 "condition\n"},
	{"queues that come later take who waited for them",
	 FLAVOR("f", "") LOCAL("q", AT("10")) QUEUE("q", AT("20"), ""),
	 HEAD "a,default,q,0,50,1,nvidia.com/gpu=2\n",
	 RESERVED("20", "a", "q") "70,Finished,default/a,q,\n",
	 "0,a,Misconfigured: LocalQueue q doesn't exist\n"
	 "10,a,Misconfigured: ClusterQueue q doesn't exist\n" NOW_EVALUATED("20", "a")},
	{"labels of a namespace wake nobody whose queue took it before",
	 FLAVOR("f", "") QUEUE("q", "", "") LOCAL("q", "") HELD_LOCAL NAMESPACE("1", "blue")
		 NAMESPACE("30", "green"),
	 HEAD "a,default,h,0,20,1,nvidia.com/gpu=2\nb,default,q,5,50,1,nvidia.com/gpu=2\n",
	 RESERVED("0", "a", "q") "20,Finished,default/a,q,\n",
	 "5,b,WaitingForQuota: couldn't assign flavors to pod set main: insufficient unused quota "
	 "for nvidia.com/gpu in flavor f, 2 more needed\n"},
	{"who is parked is told nothing when its namespace is taken no more",
	 FLAVOR("f", "") QUEUE("q", "", "") LOCAL("q", "") API
	 "ClusterQueue\nmetadata: {name: q" AT(
		 "10") "}\nspec:\n"
		       "  namespaceSelector: {matchLabels: {team: red}}\n"
		       "  resourceGroups:\n  - coveredResources: [nvidia.com/gpu]\n    flavors:\n"
		       "    - name: f\n      resources: [{name: nvidia.com/gpu, nominalQuota: "
		       "2}]\n---\n",
	 HEAD "a,default,q,0,50,1,nvidia.com/gpu=2\nb,default,q,1,50,1,nvidia.com/gpu=2\n",
	 RESERVED("0", "a", "q") "50,Finished,default/a,q,\n",
	 "1,b,WaitingForQuota: couldn't assign flavors to pod set main: insufficient unused quota "
	 "for nvidia.com/gpu in flavor f, 2 more needed\n"},
	{"a flavor that comes later makes its queues active",
	 QUEUE("q", "", "") LOCAL("q", "") FLAVOR("f", AT("15")),
	 HEAD "a,default,q,0,50,1,nvidia.com/gpu=2\n",
	 RESERVED("15", "a", "q") "65,Finished,default/a,q,\n",
	 "0,a,Suspended: ClusterQueue q is inactive\n"},
	{"so does a check, and its answer is waited for",
	 FLAVOR("f", "")
		 QUEUE("q", "", "  admissionChecksStrategy: {admissionChecks: [{name: c}]}\n")
			 LOCAL("q", "") API
	 "AdmissionCheck\nmetadata: {name: c" AT("15") "}\nspec: {controllerName: x}\n",
	 HEAD "a,default,q,0,50,1,nvidia.com/gpu=2\n",
	 RESERVED("15", "a", "q") "15,Check,default/a,q,result=Ready\n15,Admitted,default/a,q,\n"
				  "65,Finished,default/a,q,\n",
	 "0,a,Suspended: ClusterQueue q is inactive\n"},
	{"a deleted ClusterQueue lets its workloads end, and takes no more",
	 FLAVOR("f", "") QUEUE("q", UNTIL("10"), "") LOCAL("q", ""),
	 HEAD "a,default,q,0,50,1,nvidia.com/gpu=2\nb,default,q,20,5,1,nvidia.com/gpu=2\n",
	 RESERVED("0", "a", "q") "50,Finished,default/a,q,\n",
	 "20,b,Suspended: ClusterQueue q is inactive\n"
	 "50,b,Misconfigured: ClusterQueue q doesn't exist\n"},
	{"its quota is its cohort's until then",
	 FLAVOR("f", "") QUEUE("q", UNTIL("10"), "  cohortName: c\n") LOCAL("q", "")
		 QUEUE("r", "", "  cohortName: c\n") LOCAL("r", ""),
	 HEAD "a,default,q,0,30,1,nvidia.com/gpu=1\nb,default,r,20,50,1,nvidia.com/gpu=3\n"
	      "c,default,r,80,5,1,nvidia.com/gpu=3\n",
	 RESERVED("0", "a", "q") "20,QuotaReserved,default/b,r,count=1;flavors=nvidia.com/gpu:f;"
				 "borrow=1\n30,Finished,default/a,q,\n70,Finished,default/b,r,\n",
	 "80,c,ExceedsMaxQuota: couldn't assign flavors to pod set main: insufficient quota for "
	 "nvidia.com/gpu in flavor f, previously considered podsets requests (0) + current podset "
	 "request (3) > maximum capacity (2)\n"},
	{"made again it takes who waits",
	 FLAVOR("f", "") QUEUE("q", UNTIL("10"), "") LOCAL("q", "") QUEUE("q", AT("60"), ""),
	 HEAD "a,default,q,0,50,1,nvidia.com/gpu=2\nb,default,q,20,5,1,nvidia.com/gpu=2\n",
	 RESERVED("0", "a", "q") "50,Finished,default/a,q,\n" RESERVED(
		 "60", "b", "q") "65,Finished,default/b,q,\n",
	 "20,b,Suspended: ClusterQueue q is inactive\n"
	 "50,b,Misconfigured: ClusterQueue q doesn't exist\n" NOW_EVALUATED("60", "b")},
	{"what is applied while it ends is lost",
	 FLAVOR("f", "") QUEUE("q", UNTIL("10"), "") LOCAL("q", "") QUEUE("q", AT("40"), ""),
	 HEAD "a,default,q,0,50,1,nvidia.com/gpu=2\nb,default,q,20,5,1,nvidia.com/gpu=2\n",
	 RESERVED("0", "a", "q") "50,Finished,default/a,q,\n",
	 "20,b,Suspended: ClusterQueue q is inactive\n"
	 "50,b,Misconfigured: ClusterQueue q doesn't exist\n"},
	{"a reservation without admission ends with its ClusterQueue",
	 FLAVOR("f", "") QUEUE("q", UNTIL("10"),
			       "  admissionChecksStrategy: {admissionChecks: [{name: c}]}\n")
		 LOCAL("q", "") API
	 "AdmissionCheck\nmetadata: {name: c}\nspec: {controllerName: x}\n",
	 "name,namespace,queue,submit_s,duration_s,pods,requests,check_s\n"
	 "a,default,q,0,50,1,nvidia.com/gpu=2,20\n",
	 RESERVED("0", "a", "q") "10,Unreserved,default/a,q,reason=Misconfigured\n",
	 "10,a,Misconfigured: ClusterQueue q is terminating or missing\n"
	 "10,a,Suspended: ClusterQueue q is inactive\n"
	 "10,a,Misconfigured: ClusterQueue q doesn't exist\n"},
	{"a held ClusterQueue takes back reservations that are not admitted",
	 STORY_CHECKED QUEUE("q", AT("10"),
			     "  stopPolicy: Hold\n"
			     "  admissionChecksStrategy: {admissionChecks: [{name: "
			     "c}]}\n")
		 QUEUE("q", AT("40"),
		       "  admissionChecksStrategy: {admissionChecks: [{name: c}]}\n"),
	 "name,namespace,queue,submit_s,duration_s,pods,requests,check_s\n"
	 "a,default,q,0,50,1,nvidia.com/gpu=1,0\nb,default,q,1,50,1,nvidia.com/gpu=1,20\n",
	 RESERVED("0", "a", "q") "0,Check,default/a,q,result=Ready\n0,Admitted,default/"
				 "a,q,\n" RESERVED("1", "b", "q") "10,Unreserved,default/"
								  "b,q,reason=Suspended\n" RESERVED(
									  "40", "b",
									  "q") "50,Finished,"
									       "default/"
									       "a,q,\n60,Check,"
									       "default/"
									       "b,q,result=Ready\n"
									       "60,Admitted,"
									       "default/"
									       "b,q,\n110,Finished,"
									       "default/b,q,\n",
	 "10,b,Suspended: ClusterQueue q is stopped\n"
	 "10,b,Suspended: ClusterQueue q is inactive\n" NOW_EVALUATED("40", "b")},
	{"a drained LocalQueue too, and evicts the others",
	 STORY_CHECKED API "LocalQueue\nmetadata: {name: q, namespace: default" AT(
		 "10") "}\nspec: {clusterQueue: q, stopPolicy: HoldAndDrain}\n",
	 "name,namespace,queue,submit_s,duration_s,pods,requests,check_s\n"
	 "a,default,q,0,50,1,nvidia.com/gpu=1,0\nb,default,q,1,50,1,nvidia.com/gpu=1,20\n",
	 RESERVED("0", "a",
		  "q") "0,Check,default/a,q,result=Ready\n0,Admitted,default/"
		       "a,q,\n" RESERVED("1", "b",
					 "q") "10,Evicted,default/a,q,reason=LocalQueueStopped\n"
					      "10,Unreserved,default/"
					      "b,q,reason=Suspended\n15,Released,default/a,q,\n",
	 "10,b,Suspended: LocalQueue q is stopped\n10,b,Suspended: LocalQueue q is inactive\n"
	 "15,a,PendingEvaluation: The LocalQueue is stopped\n"
	 "15,a,Suspended: LocalQueue q is inactive\n"},
	{"the back-off of a check holds out in a held LocalQueue, and not a moment longer",
	 STORY_CHECKED API "LocalQueue\nmetadata: {name: q, namespace: default" AT(
		 "10") "}\nspec: {clusterQueue: q, stopPolicy: Hold}\n" LOCAL("q", AT("50")),
	 BACKED_OFF,
	 RESERVED("0", "a", "q") "3,Check,default/a,q,result=Retry\n" ENDED(
		 "23") "23,Released,default/a,q,\n" RESERVED("50", "a", "q")
		 CHECKED("53") "103,Finished,default/a,q,\n",
	 "23,a,Suspended: LocalQueue q is stopped\n"
	 "23,a,Suspended: LocalQueue q is inactive\n" NOW_EVALUATED("50", "a")},
	{"so it does in a ClusterQueue that is drained",
	 STORY_CHECKED QUEUE("q", AT("10"),
			     "  stopPolicy: HoldAndDrain\n  admissionChecksStrategy: "
			     "{admissionChecks: [{name: c}]}\n"),
	 BACKED_OFF,
	 RESERVED("0", "a", "q") "3,Check,default/a,q,result=Retry\n" ENDED(
		 "23") "23,Released,default/a,q,\n",
	 "23,a,Suspended: ClusterQueue q is stopped\n"
	 "23,a,Suspended: ClusterQueue q is inactive\n"},
	{"so it does in one on its way out, which then goes",
	 FLAVOR("f", "") QUEUE("q", UNTIL("10"),
			       "  admissionChecksStrategy: {admissionChecks: [{name: c}]}\n")
		 LOCAL("q", "") API
	 "AdmissionCheck\nmetadata: {name: c}\nspec: {controllerName: x}\n",
	 BACKED_OFF,
	 RESERVED("0", "a", "q") "3,Check,default/a,q,result=Retry\n" ENDED(
		 "23") "23,Released,default/a,q,\n",
	 "23,a,Misconfigured: ClusterQueue q is terminating or missing\n"
	 "23,a,Suspended: ClusterQueue q is inactive\n"
	 "23,a,Misconfigured: ClusterQueue q doesn't exist\n"},
	{"a held queue ends what was deactivated before it was admitted",
	 STORY_CHECKED API "LocalQueue\nmetadata: {name: q, namespace: default" AT(
		 "2") "}\nspec: {clusterQueue: q, stopPolicy: Hold}\n",
	 "name,namespace,queue,submit_s,duration_s,pods,requests,check_s,check_result\n"
	 "a,default,q,0,50,1,nvidia.com/gpu=1,0,Rejected\n",
	 RESERVED("0", "a", "q") "0,Check,default/a,q,result=Rejected\n"
				 "0,Evicted,default/a,q,reason=DeactivatedDueToAdmissionCheck\n"
				 "2,Released,default/a,q,\n",
	 "2,a,Suspended: LocalQueue q is stopped\n2,a,Deactivated: The workload is deactivated\n"},
	{"a held queue cuts an eviction short from what was not admitted, not the next one",
	 STORY_CHECKED API "LocalQueue\nmetadata: {name: q, namespace: default" AT(
		 "24") "}\nspec: {clusterQueue: q, stopPolicy: Hold}\n" LOCAL("q", AT("25")),
	 "name,namespace,queue,submit_s,duration_s,priority_class,pods,requests,check_s,check_"
	 "result,check_retry_s\na,default,q,0,50,,1,nvidia.com/gpu=2,3;1,Retry;Retry;Ready,20;0\n",
	 RESERVED("0", "a", "q") "3,Check,default/a,q,result=Retry\n" ENDED(
		 "23") "24,Released,default/a,q,\n" RESERVED("25", "a",
							     "q") "26,Check,"
								  "default/"
								  "a,q,result="
								  "Retry\n26,"
								  "Evicted,"
								  "default/"
								  "a,q,reason="
								  "AdmissionCheck"
								  "\n"
								  "31,Released,"
								  "default/"
								  "a,q,"
								  "\n" RESERVED("31", "a", "q")
									  CHECKED("32") "82,"
											"Finished,"
											"default/"
											"a,q,\n",
	 "24,a,Suspended: LocalQueue q is stopped\n"
	 "24,a,Suspended: LocalQueue q is inactive\n" NOW_EVALUATED(
		 "25", "a") "31,a,PendingEvaluation: Evicted due to AdmissionCheck in Retry state: "
			    "\"c\"\n"},
	{"a deleted LocalQueue lets run who runs, and loses who waits until it is there again",
	 FLAVOR("f", "") QUEUE("q", "", "") LOCAL("q", UNTIL("10")) LOCAL("q", AT("70")),
	 HEAD "a,default,q,0,50,1,nvidia.com/gpu=2\nb,default,q,1,5,1,nvidia.com/gpu=2\n",
	 RESERVED("0", "a", "q") "50,Finished,default/a,q,\n" RESERVED(
		 "70", "b", "q") "75,Finished,default/b,q,\n",
	 "1,b,WaitingForQuota: couldn't assign flavors to pod set main: insufficient unused quota "
	 "for nvidia.com/gpu in flavor f, 2 more needed\n"
	 "10,b,Misconfigured: LocalQueue q doesn't exist\n" NOW_EVALUATED("70", "b")},
	{"a flavor in use is not deleted, and goes when no queue names it",
	 FLAVOR("f", UNTIL("5")) QUEUE("q", UNTIL("60"), "") LOCAL("q", "")
		 QUEUE("q", AT("80"), ""),
	 HEAD "a,default,q,10,50,1,nvidia.com/gpu=2\nb,default,q,70,5,1,nvidia.com/gpu=2\n",
	 RESERVED("10", "a", "q") "60,Finished,default/a,q,\n",
	 "70,b,Misconfigured: ClusterQueue q doesn't exist\n"
	 "80,b,Suspended: ClusterQueue q is inactive\n"},
	{"a deleted cohort has no quota any more",
	 FLAVOR("f", "") QUEUE("q", "", "  cohortName: c\n") LOCAL("q", "") API
	 "Cohort\nmetadata: {name: c" UNTIL(
		 "10") "}\nspec:\n  resourceGroups:\n"
		       "  - coveredResources: [nvidia.com/gpu]\n    flavors:\n"
		       "    - name: f\n      resources: [{name: nvidia.com/gpu, nominalQuota: "
		       "2}]\n",
	 HEAD "a,default,q,0,50,1,nvidia.com/gpu=4\nb,default,q,60,5,1,nvidia.com/gpu=4\n",
	 "0,QuotaReserved,default/a,q,count=1;flavors=nvidia.com/gpu:f;borrow=1\n"
	 "50,Finished,default/a,q,\n",
	 "60,b,ExceedsMaxQuota: couldn't assign flavors to pod set main: insufficient quota for "
	 "nvidia.com/gpu in flavor f, previously considered podsets requests (0) + current podset "
	 "request (4) > maximum capacity (2)\n"},
	{"a cohort that comes later brings quota",
	 FLAVOR("f", "") QUEUE("q", "", "  cohortName: c\n") LOCAL("q", "") API
	 "Cohort\nmetadata: {name: c" AT(
		 "10") "}\nspec:\n  resourceGroups:\n"
		       "  - coveredResources: [nvidia.com/gpu]\n    flavors:\n"
		       "    - name: f\n      resources: [{name: nvidia.com/gpu, nominalQuota: "
		       "2}]\n",
	 HEAD "a,default,q,0,50,1,nvidia.com/gpu=4\n",
	 "11,QuotaReserved,default/a,q,count=1;flavors=nvidia.com/gpu:f;borrow=1\n"
	 "61,Finished,default/a,q,\n",
	 "0,a,ExceedsMaxQuota: couldn't assign flavors to pod set main: insufficient quota for "
	 "nvidia.com/gpu in flavor f, previously considered podsets requests (0) + current podset "
	 "request (4) > maximum capacity (2)\n"},
	{"updates that close a cycle of cohorts stop what is below it",
	 FLAVOR("f", "") QUEUE("q", "", "  cohortName: c\n") LOCAL("q", "") API
	 "Cohort\nmetadata: {name: c}\nspec: {parentName: d}\n" API "Cohort\nmetadata: {name: d" AT(
		 "10") "}\nspec: {parentName: c}\n" API "Cohort\nmetadata: {name: d" AT("40") "}\n",
	 HEAD "a,default,q,20,50,1,nvidia.com/gpu=2\n",
	 RESERVED("40", "a", "q") "90,Finished,default/a,q,\n",
	 "20,a,Suspended: ClusterQueue q is inactive\n"},
	{"a job whose WorkloadPriorityClass comes later is no workload before",
	 STORY_PLAIN API "WorkloadPriorityClass\nmetadata: {name: high" AT("10") "}\nvalue: 7\n",
	 "name,namespace,queue,submit_s,duration_s,priority_class,pods,requests\n"
	 "a,default,q,0,50,high,1,nvidia.com/gpu=2\n",
	 RESERVED("10.235", "a", "q") "60.235,Finished,default/a,q,\n",
	 "0,a,Misconfigured: WorkloadPriorityClass \"high\" not found\n" NOW_EVALUATED("10.235",
										       "a")},
};

START_TEST(comings_and_goings)
{
	char *got = kueue_story_events(objects[_i].yaml, objects[_i].csv);
	char *told = kueue_story_told(objects[_i].yaml, objects[_i].csv);

	ck_assert_msg(strcmp(got, objects[_i].want) == 0, "%s: got\n%s", objects[_i].name, got);
	ck_assert_msg(strcmp(told, objects[_i].told) == 0, "%s: told\n%s", objects[_i].name, told);
	mem_free(got);
	mem_free(told);
}
END_TEST

START_TEST(whole_runs)
{
	char *got = kueue_story_events(rows[_i].yaml, rows[_i].csv);

	ck_assert_msg(strcmp(got, rows[_i].want) == 0, "%s: got\n%s", rows[_i].name, got);
	mem_free(got);
}
END_TEST

/* b waits parked for a's quota; the queue is applied at 10 s. */
static uint64_t cycles_of(const char *again)
{
	static const char rest[] =
		"---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: ResourceFlavor\n"
		"metadata: {name: f}\n---\napiVersion: kueue.x-k8s.io/v1beta2\n"
		"kind: LocalQueue\nmetadata: {name: q, namespace: default}\n"
		"spec: {clusterQueue: q}\n---\napiVersion: gqsim/v1\nkind: Simulation\njobs:\n"
		"- {name: a, queue: q, gpus: 2, submitAt: 0s, duration: 90s}\n"
		"- {name: b, queue: q, gpus: 2, submitAt: 1s, duration: 90s}\n"
		"---\napiVersion: v1\nkind: Node\nmetadata: {name: node}\n"
		"status: {allocatable: {nvidia.com/gpu: 4, pods: 9}}\n";
	char text[4000];
	struct scenario *s;
	struct journal *j = NULL;
	struct run_options options;
	struct err err = {0};
	uint64_t cycles;

	snprintf(text, sizeof(text), "%s%s%s", RANKED("", "BestEffortFIFO", "2"), again, rest);
	s = objects_case_load(text);
	options_default(&options);
	ck_assert_int_eq(engine_run(s, policy_find("kueue"), &options, JOURNAL_FULL, &j, &err),
			 ERR_OK);
	cycles = j->cycles;
	journal_free(j);
	scenario_free(s);
	return cycles;
}

START_TEST(a_queue_applied_again_as_it_was_wakes_nobody)
{
	uint64_t same = cycles_of(RANKED(AT_10, "BestEffortFIFO", "2"));

	ck_assert_uint_gt(cycles_of(RANKED(AT_10, "BestEffortFIFO", "3")), same);
	ck_assert_uint_gt(cycles_of(RANKED(AT_10, "StrictFIFO", "2")), same);
}
END_TEST

/* The class that changes at 20 s is that of a; b waits parked. */
static uint64_t cycles_of_class(const char *class, const char *fate)
{
	char csv[500];

	snprintf(csv, sizeof(csv),
		 "name,namespace,queue,submit_s,duration_s,pods,requests,priority_class,"
		 "deactivate_s,cancel_s\n"
		 "a,default,q,0,10,1,nvidia.com/gpu=2,%s,%s\n"
		 "b,default,q,5,10,1,nvidia.com/gpu=4,,,\n",
		 class, fate);
	return kueue_story_cycles(STORY_PLAIN CLASS("low", "", "1") CLASS("same", "", "2")
					  CLASS("low", ", annotations: {gqsim/at: \"20\"}", "2"),
				  csv);
}

/* Its workload is updated whatever became of it, as long as it is there and had another
 * priority. */
START_TEST(a_class_that_changes_updates_who_is_over)
{
	ck_assert_uint_eq(cycles_of_class("low", ","), cycles_of_class("same", ",") + 1);
	ck_assert_uint_eq(cycles_of_class("low", "8,"), cycles_of_class("same", "8,") + 1);
	ck_assert_uint_eq(cycles_of_class("low", ",8"), cycles_of_class("same", ",8"));
}
END_TEST

int main(void)
{
	Suite *s = suite_create("sim/kueue/kueue_update");
	TCase *t = tcase_create("all");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_add_loop_test(t, whole_runs, 0, (int)(sizeof(rows) / sizeof(rows[0])));
	tcase_add_test(t, a_queue_applied_again_as_it_was_wakes_nobody);
	tcase_add_test(t, a_class_that_changes_updates_who_is_over);
	tcase_add_loop_test(t, comings_and_goings, 0, (int)(sizeof(objects) / sizeof(objects[0])));
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
