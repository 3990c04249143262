/* test_kueue_second.c - Topology domains that a second pass gives, once the nodes that
 * were asked for are there. */
#include <check.h>
#include <string.h>

#include "core/mem.h"
#include "tests/support/kueue_story.h"

#define CSV "name,namespace,queue,submit_s,duration_s,pods,requests,topology_mode,topology_level\n"
#define PRIORITY_CSV                                                                               \
	"name,namespace,queue,submit_s,duration_s,pods,requests,topology_mode,topology_level,"     \
	"priority_class\n"
#define PRIORITIES                                                                                 \
	"---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: WorkloadPriorityClass\n"                   \
	"metadata: {name: high}\nvalue: 100\n"
#define JOB(name, pods)                                                                            \
	name ",default,q,0,50," pods ",nvidia.com/gpu=1,required,kubernetes.io/hostname\n"
#define RESERVED "0,QuotaReserved,default/a,q,count=1;flavors=nvidia.com/gpu:t;borrow=0\n"
#define FAILED(at)                                                                                 \
	at ",SecondPassFailed,default/a,q,message=couldn't assign flavors to pod set main: "       \
	   "no topology domains at level: kubernetes.io/hostname\n"

/* The node is there, and taken. */
#define FULL(at, job, more)                                                                        \
	at ",SecondPassFailed,default/" job ",q,\"message=couldn't assign flavors to pod set "     \
	   "main: topology \"\"o\"\" doesn't allow "                                               \
	   "to fit any of 1 pod(s). Total nodes: 1; excluded: resource \"\"nvidia.com/gpu\"\": "   \
	   "1" more "\"\n"
#define PREEMPTED_FOR_B(job)                                                                       \
	"11,Preempted,default/" job ",q,reason=InClusterQueue;preemptor=default/"                  \
	"b;preemptor_cq=q\n"
#define TOO_FEW(at)                                                                                \
	at ",SecondPassFailed,default/b,q,\"message=couldn't assign flavors to pod set main: "     \
	   "topology \"\"o\"\" allows to fit only 1 out of 2 pod(s). Pending the preemption of 2 " \
	   "workload(s)\"\n"
/* A second pass that takes fewer pods says nothing of the places that it found. */
#define IN_VAIN(at, job) at ",SecondPassFailed,default/" job ",q,message=\n"
#define FEWER_CSV                                                                                  \
	"name,namespace,queue,submit_s,duration_s,pods,min_pods,requests,topology_mode,"           \
	"topology_level,priority_class\n"
#define FEWER_B "b,default,q,10,50,3,1,nvidia.com/gpu=1,required,kubernetes.io/hostname,high\n"
#define RESERVED_OF(at, job, pods)                                                                 \
	at ",QuotaReserved,default/" job ",q,count=" pods                                          \
	   ";flavors=nvidia.com/gpu:t;borrow=0\n" at ",Check,default/" job ",q,result=Ready\n"
#define ADMITTED_OF(at, job, pods, node)                                                           \
	at ",Admitted,default/" job ",q,count=" pods                                               \
	   ";flavors=nvidia.com/gpu:t;borrow=0;topology=" node ":" pods "\n"
#define TWO_TOO_MANY(at, job, more)                                                                \
	at ",SecondPassFailed,default/" job ",q,\"message=couldn't assign flavors to pod set "     \
	   "main: topology \"\"o\"\" doesn't allow to fit any of 2 pod(s). Total nodes: 1; "       \
	   "excluded: resource \"\"nvidia.com/gpu\"\": 1" more "\"\n"
#define ONE_TOO_MANY(at)                                                                           \
	at ",SecondPassFailed,default/b,q,\"message=couldn't assign flavors to pod set gpus: "     \
	   "topology \"\"o\"\" doesn't allow to fit any of 1 pod(s). Total nodes: 1; excluded: "   \
	   "resource \"\"nvidia.com/gpu\"\": 1\"\n"
#define PREEMPTING ". Pending the preemption of 1 workload(s)"

/* A node that comes later, below a check that asks for nodes. */
#define LATE_NODE(name, at) LATE_NODE_OF(name, at, "1")
#define LATE_NODE_OF(name, at, gpus)                                                               \
	"---\napiVersion: v1\nkind: Node\nmetadata: {name: " name ", annotations: {gqsim/at: '" at \
	"'}, labels: {pool: p, kubernetes.io/hostname: " name                                      \
	"}}\nstatus: {capacity: {nvidia.com/gpu: " gpus "}}\n"
#define QUEUE(quota)                                                                               \
	"apiVersion: kueue.x-k8s.io/v1beta2\nkind: Topology\nmetadata: {name: o}\n"                \
	"spec: {levels: [{nodeLabel: kubernetes.io/hostname}]}\n---\n"                             \
	"apiVersion: kueue.x-k8s.io/v1beta2\nkind: ResourceFlavor\nmetadata: {name: t}\n"          \
	"spec: {nodeLabels: {pool: p}, topologyName: o}\n---\n"                                    \
	"apiVersion: kueue.x-k8s.io/v1beta2\nkind: ClusterQueue\nmetadata: {name: q}\nspec:\n"     \
	"  namespaceSelector: {}\n  preemption: {withinClusterQueue: LowerPriority}\n"             \
	"  admissionChecksStrategy: {admissionChecks: [{name: c}]}\n"                              \
	"  resourceGroups:\n  - coveredResources: [nvidia.com/gpu]\n    flavors:\n"                \
	"    - name: t\n      resources: [{name: nvidia.com/gpu, nominalQuota: " quota "}]\n---\n" \
	"apiVersion: kueue.x-k8s.io/v1beta2\nkind: LocalQueue\n"                                   \
	"metadata: {name: q, namespace: default}\nspec: {clusterQueue: q}\n---\n"                  \
	"apiVersion: kueue.x-k8s.io/v1beta2\nkind: AdmissionCheck\nmetadata: {name: c}\n"
#define OBJECTS OBJECTS_OF("2")
#define OBJECTS_OF(quota)                                                                          \
	QUEUE(quota)                                                                               \
	"spec: {controllerName: kueue.x-k8s.io/provisioning-request}\n"                            \
	"status: {conditions: [{type: Active, status: 'True'}]}\n"

#define OBJECTS_PROVISIONED                                                                        \
	QUEUE("2")                                                                                 \
	"spec:\n  controllerName: kueue.x-k8s.io/provisioning-request\n"                           \
	"  parameters: {apiGroup: kueue.x-k8s.io, kind: ProvisioningRequestConfig, name: p}\n"     \
	"---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: ProvisioningRequestConfig\n"               \
	"metadata: {name: p}\n"                                                                    \
	"spec: {provisioningClassName: best-effort-atomic-scale-up.autoscaling.x-k8s.io}\n"

/* Two flavors with a topology, one of them below the check, and a job with a set on each. */
#define TWO_SETS                                                                                   \
	"apiVersion: kueue.x-k8s.io/v1beta2\n"                                                     \
	"kind: Topology\n"                                                                         \
	"metadata: {name: o}\n"                                                                    \
	"spec: {levels: [{nodeLabel: kubernetes.io/hostname}]}\n"                                  \
	"---\n"                                                                                    \
	"apiVersion: kueue.x-k8s.io/v1beta2\n"                                                     \
	"kind: ResourceFlavor\n"                                                                   \
	"metadata: {name: t}\n"                                                                    \
	"spec: {nodeLabels: {pool: p}, topologyName: o}\n"                                         \
	"---\n"                                                                                    \
	"apiVersion: kueue.x-k8s.io/v1beta2\n"                                                     \
	"kind: ClusterQueue\n"                                                                     \
	"metadata: {name: q}\n"                                                                    \
	"spec:\n"                                                                                  \
	"  namespaceSelector: {}\n"                                                                \
	"  preemption: {withinClusterQueue: LowerPriority}\n"                                      \
	"  admissionChecksStrategy: {admissionChecks: [{name: c, onFlavors: [t]}]}\n"              \
	"  resourceGroups:\n"                                                                      \
	"  - coveredResources: [nvidia.com/gpu]\n"                                                 \
	"    flavors:\n"                                                                           \
	"    - name: t\n"                                                                          \
	"      resources: [{name: nvidia.com/gpu, nominalQuota: 3}]\n"                             \
	"  - coveredResources: [cpu]\n"                                                            \
	"    flavors:\n"                                                                           \
	"    - name: u\n"                                                                          \
	"      resources: [{name: cpu, nominalQuota: 4}]\n"                                        \
	"---\n"                                                                                    \
	"apiVersion: kueue.x-k8s.io/v1beta2\n"                                                     \
	"kind: LocalQueue\n"                                                                       \
	"metadata: {name: q, namespace: default}\n"                                                \
	"spec: {clusterQueue: q}\n"                                                                \
	"---\n"                                                                                    \
	"apiVersion: kueue.x-k8s.io/v1beta2\n"                                                     \
	"kind: AdmissionCheck\n"                                                                   \
	"metadata: {name: c}\n"                                                                    \
	"spec: {controllerName: kueue.x-k8s.io/provisioning-request}\n"                            \
	"status: {conditions: [{type: Active, status: 'True'}]}\n"                                 \
	"---\n"                                                                                    \
	"apiVersion: kueue.x-k8s.io/v1beta2\n"                                                     \
	"kind: WorkloadPriorityClass\n"                                                            \
	"metadata: {name: high}\n"                                                                 \
	"value: 100\n"                                                                             \
	"---\n"                                                                                    \
	"apiVersion: kueue.x-k8s.io/v1beta2\n"                                                     \
	"kind: ResourceFlavor\n"                                                                   \
	"metadata: {name: u}\n"                                                                    \
	"spec: {nodeLabels: {pool: u}, topologyName: o}\n"                                         \
	"---\n"                                                                                    \
	"apiVersion: v1\n"                                                                         \
	"kind: Node\n"                                                                             \
	"metadata: {name: k, labels: {pool: p, kubernetes.io/hostname: k}}\n"                      \
	"status: {capacity: {nvidia.com/gpu: 1}}\n"                                                \
	"---\n"                                                                                    \
	"apiVersion: v1\n"                                                                         \
	"kind: Node\n"                                                                             \
	"metadata: {name: nn, labels: {pool: u, kubernetes.io/hostname: nn}}\n"                    \
	"status: {capacity: {cpu: 4}}\n"                                                           \
	"---\n"                                                                                    \
	"apiVersion: v1\n"                                                                         \
	"kind: Node\n"                                                                             \
	"metadata: {name: m, annotations: {gqsim/at: '30'}, labels: {pool: p, "                    \
	"kubernetes.io/hostname: m}}\n"                                                            \
	"status: {capacity: {nvidia.com/gpu: 1}}\n"                                                \
	"---\n"                                                                                    \
	"apiVersion: kueue.x-k8s.io/v1beta2\n"                                                     \
	"kind: Workload\n"                                                                         \
	"metadata: {name: b, namespace: default, annotations: {gqsim/submit-at: '10', "            \
	"gqsim/duration: '50'}}\n"                                                                 \
	"spec:\n"                                                                                  \
	"  queueName: q\n"                                                                         \
	"  priorityClassRef: {group: kueue.x-k8s.io, kind: WorkloadPriorityClass, name: high}\n"   \
	"  priority: 100\n"                                                                        \
	"  podSets:\n"                                                                             \
	"  - name: gpus\n"                                                                         \
	"    count: 1\n"                                                                           \
	"    topologyRequest: {required: kubernetes.io/hostname}\n"                                \
	"    template: {spec: {restartPolicy: Never, containers: [{name: c, resources: "           \
	"{requests: {nvidia.com/gpu: 1}}}]}}\n"                                                    \
	"  - name: cpus\n"                                                                         \
	"    count: 3\n"                                                                           \
	"    minCount: 1\n"                                                                        \
	"    topologyRequest: {required: kubernetes.io/hostname}\n"                                \
	"    template: {spec: {restartPolicy: Never, containers: [{name: c, resources: "           \
	"{requests: {cpu: 1}}}]}}\n"

static const struct {
	const char *name, *yaml, *csv, *want;
} rows[] = {
	{"passes after 1, 2 and 4 s, until the node is there", OBJECTS LATE_NODE("k", "5"),
	 CSV JOB("a", "1"),
	 RESERVED "0,Check,default/a,q,result=Ready\n" FAILED("1")
		 FAILED("3") "7,Admitted,default/a,q,count=1;flavors=nvidia.com/"
			     "gpu:t;borrow=0;topology=k:1\n"
			     "57,Finished,default/a,q,\n"},
	{"at most 30 s apart", OBJECTS LATE_NODE("k", "65"), CSV JOB("a", "1"),
	 RESERVED "0,Check,default/a,q,result=Ready\n" FAILED("1") FAILED("3") FAILED("7")
		 FAILED("15") FAILED("31")
			 FAILED("61") "91,Admitted,default/a,q,count=1;flavors=nvidia.com/"
				      "gpu:t;borrow=0;topology=k:1\n"
				      "141,Finished,default/a,q,\n"},
	{"two at once: the second sees what the first took",
	 OBJECTS LATE_NODE("k", "0") LATE_NODE("m", "2"), CSV JOB("a", "1") JOB("b", "1"),
	 RESERVED
	 "0,QuotaReserved,default/b,q,count=1;flavors=nvidia.com/gpu:t;borrow=0\n"
	 "0,Check,default/a,q,result=Ready\n0,Check,default/b,q,result=Ready\n"
	 "1,Admitted,default/a,q,count=1;flavors=nvidia.com/gpu:t;borrow=0;topology=k:1\n"
	 "1,SecondPassFailed,default/b,q,\"message=couldn't assign flavors to pod set main: "
	 "topology \"\"o\"\" doesn't allow to fit any of 1 pod(s). Total nodes: 1; excluded: "
	 "resource \"\"nvidia.com/gpu\"\": 1\"\n"
	 "3,Admitted,default/b,q,count=1;flavors=nvidia.com/gpu:t;borrow=0;topology=m:1\n"
	 "51,Finished,default/a,q,\n53,Finished,default/b,q,\n"},
	{"the autoscaler's nodes boot meanwhile",
	 OBJECTS_PROVISIONED "---\napiVersion: gqsim/v1\nkind: Simulation\n"
			     "nodePools: [{name: k, count: 0, maxSize: 1, gpus: 1, bootDelay: 12, "
			     "labels: {pool: p}}]\n",
	 CSV JOB("a", "1"),
	 RESERVED
	 "0,ProvisioningRequestCreated,default/a,q,name=a-c-1;"
	 "class=best-effort-atomic-scale-up.autoscaling.x-k8s.io\n"
	 "10,AdmissionCheckUpdated,default/a,q,message=Admission check c updated state from "
	 "Pending to Ready with message: Capacity is found in the cluster\n" FAILED("11")
		 FAILED("13") FAILED(
			 "17") "25,Admitted,default/a,q,count=1;flavors=nvidia.com/gpu:t;borrow=0;"
			       "topology=k-0:1\n75,Finished,default/a,q,\n"},
	{"it may preempt for its place, and goes before those that came later",
	 OBJECTS LATE_NODE("k", "0") PRIORITIES,
	 PRIORITY_CSV "a,default,q,0,500,1,nvidia.com/gpu=1,required,kubernetes.io/hostname,\n"
		      "b,default,q,10,50,1,nvidia.com/gpu=1,required,kubernetes.io/hostname,high\n",
	 RESERVED
	 "0,Check,default/a,q,result=Ready\n"
	 "1,Admitted,default/a,q,count=1;flavors=nvidia.com/gpu:t;borrow=0;topology=k:1\n"
	 "10,QuotaReserved,default/b,q,count=1;flavors=nvidia.com/gpu:t;borrow=0\n"
	 "10,Check,default/b,q,result=Ready\n"
	 "11,Preempted,default/a,q,reason=InClusterQueue;preemptor=default/b;"
	 "preemptor_cq=q\n" FULL("11", "b", PREEMPTING) FULL(
		 "13", "b",
		 PREEMPTING) "16,Released,default/a,q,\n"
			     "16,QuotaReserved,default/a,q,count=1;flavors=nvidia.com/"
			     "gpu:t;borrow=0\n"
			     "16,Check,default/a,q,result=Ready\n"
			     "17,Admitted,default/b,q,count=1;flavors=nvidia.com/gpu:t;borrow=0;"
			     "topology=k:1\n" FULL("17", "a", "") FULL("19", "a", "") FULL(
				     "23", "a", "") FULL("31", "a", "")
				     FULL("47", "a",
					  "") "67,Finished,default/b,q,\n"
					      "77,Admitted,default/a,q,count=1;flavors=nvidia.com/"
					      "gpu:t;"
					      "borrow=0;topology=k:1\n577,Finished,default/a,q,\n"},
	{"under fair sharing a queue's head takes its turn: the pass failed, of a victim, too",
	 "apiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\nfairSharing: "
	 "{}\n---\n" OBJECTS LATE_NODE_OF("k", "0", "2") PRIORITIES,
	 PRIORITY_CSV "a,default,q,0,500,1,nvidia.com/gpu=1,required,kubernetes.io/hostname,\n"
		      "b,default,q,1,50,2,nvidia.com/gpu=1,required,kubernetes.io/hostname,high\n",
	 RESERVED
	 "0,Check,default/a,q,result=Ready\n"
	 "1,Preempted,default/a,q,reason=InClusterQueue;preemptor=default/b;preemptor_cq=q\n"
	 "1,SecondPassFailed,default/a,q,message=\n"
	 "6,Released,default/a,q,\n"
	 "6,QuotaReserved,default/b,q,count=2;flavors=nvidia.com/gpu:t;borrow=0\n"
	 "6,Check,default/b,q,result=Ready\n"
	 "7,SecondPassFailed,default/b,q,message=\n"
	 "9,Admitted,default/b,q,count=2;flavors=nvidia.com/gpu:t;borrow=0;topology=k:2\n"
	 "59,Finished,default/b,q,\n"
	 "60,QuotaReserved,default/a,q,count=1;flavors=nvidia.com/gpu:t;borrow=0\n"
	 "60,Check,default/a,q,result=Ready\n"
	 "61,Admitted,default/a,q,count=1;flavors=nvidia.com/gpu:t;borrow=0;topology=k:1\n"
	 "561,Finished,default/a,q,\n"},
	{"not one that is preempted in its cycle before its turn",
	 OBJECTS_OF("4") LATE_NODE_OF("k", "0", "2") LATE_NODE("m", "5") PRIORITIES,
	 PRIORITY_CSV "x,default,q,0,500,1,nvidia.com/gpu=1,required,kubernetes.io/hostname,\n"
		      "a,default,q,10,500,1,nvidia.com/gpu=1,required,kubernetes.io/hostname,\n"
		      "b,default,q,10,1,2,nvidia.com/gpu=1,required,kubernetes.io/hostname,"
		      "high\n",
	 "0,QuotaReserved,default/x,q,count=1;flavors=nvidia.com/gpu:t;borrow=0\n"
	 "0,Check,default/x,q,result=Ready\n"
	 "1,Admitted,default/x,q,count=1;flavors=nvidia.com/gpu:t;borrow=0;topology=k:1\n"
	 "10,QuotaReserved,default/b,q,count=2;flavors=nvidia.com/gpu:t;borrow=0\n"
	 "10,QuotaReserved,default/a,q,count=1;flavors=nvidia.com/gpu:t;borrow=0\n"
	 "10,Check,default/a,q,result=Ready\n10,Check,default/b,q,result=Ready\n" PREEMPTED_FOR_B(
		 "a") PREEMPTED_FOR_B("x") TOO_FEW("11")
		 TOO_FEW("13") "16,Released,default/a,q,\n16,Released,default/x,q,\n"
			       "16,QuotaReserved,default/x,q,count=1;flavors=nvidia.com/"
			       "gpu:t;borrow=0\n"
			       "16,QuotaReserved,default/a,q,count=1;flavors=nvidia.com/"
			       "gpu:t;borrow=0\n"
			       "16,Check,default/a,q,result=Ready\n16,Check,default/"
			       "x,q,result=Ready\n"
			       "17,Admitted,default/b,q,count=2;flavors=nvidia.com/"
			       "gpu:t;borrow=0;topology=k:2\n"
			       "17,Admitted,default/x,q,count=1;flavors=nvidia.com/"
			       "gpu:t;borrow=0;topology=m:1\n"
			       "17,SecondPassFailed,default/a,q,\"message=couldn't assign flavors "
			       "to pod set main: "
			       "topology \"\"o\"\" doesn't allow to fit any of 1 pod(s). Total "
			       "nodes: 2; excluded: "
			       "resource \"\"nvidia.com/gpu\"\": 2\"\n18,Finished,default/b,q,\n"
			       "19,Admitted,default/a,q,count=1;flavors=nvidia.com/"
			       "gpu:t;borrow=0;topology=k:1\n"
			       "517,Finished,default/x,q,\n519,Finished,default/a,q,\n"},
	{"places for fewer pods: the API server refuses to write them",
	 OBJECTS_OF("3") LATE_NODE_OF("k", "0", "2") LATE_NODE_OF("m", "9", "3") PRIORITIES,
	 FEWER_CSV "a,default,q,0,50,3,1,nvidia.com/gpu=1,required,kubernetes.io/hostname,\n",
	 RESERVED_OF("0", "a", "3") IN_VAIN("1", "a") IN_VAIN("3", "a") IN_VAIN("7", "a")
		 ADMITTED_OF("15", "a", "3", "m") "65,Finished,default/a,q,\n"},
	{"who makes room for fewer pods is preempted in vain, and again once he is back",
	 OBJECTS_OF("5") LATE_NODE_OF("k", "0", "2") LATE_NODE_OF("m", "30", "3") PRIORITIES,
	 FEWER_CSV
	 "a,default,q,0,500,2,,nvidia.com/gpu=1,required,kubernetes.io/hostname,\n" FEWER_B,
	 RESERVED_OF("0", "a", "2") ADMITTED_OF("1", "a", "2", "k") RESERVED_OF(
		 "10", "b",
		 "3") "11,Preempted,default/a,q,reason=InClusterQueue;preemptor=default/b;"
		      "preemptor_cq=q\n" TWO_TOO_MANY("11", "b", PREEMPTING) TWO_TOO_MANY(
			      "13", "b",
			      PREEMPTING) "16,Released,default/a,q,\n" RESERVED_OF("16", "a", "2")
			      IN_VAIN("17", "b") TWO_TOO_MANY("17", "a", "") ADMITTED_OF(
				      "19", "a", "2",
				      "k") "25,Preempted,default/"
					   "a,q,reason=InClusterQueue;preemptor=default/b;"
					   "preemptor_cq=q\n" TWO_TOO_MANY(
						   "25", "b",
						   PREEMPTING) "30,Released,default/"
							       "a,q,\n" RESERVED_OF("30", "a", "2")
								       ADMITTED_OF("31", "a", "2",
										   "k")
									       ADMITTED_OF(
										       "41", "b",
										       "3",
										       "m") "91,"
											    "Finish"
											    "ed,"
											    "defaul"
											    "t/"
											    "b,q,"
											    "\n531,"
											    "Finish"
											    "ed,"
											    "defaul"
											    "t/"
											    "a,q,"
											    "\n"},
	{"a set that has its places keeps its pods, whatever the other would need", TWO_SETS,
	 CSV "x,default,q,0,500,1,nvidia.com/gpu=1,required,kubernetes.io/hostname\n",
	 RESERVED_OF("0", "x", "1") ADMITTED_OF(
		 "1", "x", "1",
		 "k") "10,QuotaReserved,default/b,q,count=1;flavors=nvidia.com/"
		      "gpu:t;borrow=0|count=3;"
		      "flavors=cpu:u;borrow=0;topology=nn:3\n10,Check,default/"
		      "b,q,result=Ready\n" ONE_TOO_MANY("11") ONE_TOO_MANY("13") ONE_TOO_MANY("17")
			      ONE_TOO_MANY(
				      "25") "41,Admitted,default/b,q,count=1;flavors=nvidia.com/"
					    "gpu:t;borrow=0;topology=m:1|count=3;"
					    "flavors=cpu:u;borrow=0;topology=nn:3\n"
					    "91,Finished,default/b,q,\n501,Finished,default/"
					    "x,q,\n"},
	{"deleted while it waits for its pass", OBJECTS LATE_NODE("k", "5"),
	 "name,namespace,queue,submit_s,duration_s,pods,requests,topology_mode,topology_level,"
	 "cancel_s\na,default,q,0,50,1,nvidia.com/gpu=1,required,kubernetes.io/hostname,2\n",
	 RESERVED "0,Check,default/a,q,result=Ready\n" FAILED("1") "2,Deleted,default/a,q,\n"},
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
	Suite *s = suite_create("sim/kueue/kueue_second");
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
