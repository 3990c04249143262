/* test_kueue_nodes.c - nodes that fail under workloads with a topology: whole runs. */
#include "sim/kueue/kueue_nodes.h"

#include <stdio.h>

#include "sim/engine/audit.h"
#include "sim/engine/engine.h"
#include "sim/report/report.h"
#include "tests/sim/objects_case.h"

/* Four nodes of 4 GPUs in two racks. */
#define KUEUE "apiVersion: kueue.x-k8s.io/v1beta2\n"
#define CLUSTER_OF(strategy, more)                                                                 \
	"---\n" KUEUE "kind: Topology\nmetadata: {name: o}\n"                                      \
	"spec: {levels: [{nodeLabel: rack}, {nodeLabel: kubernetes.io/hostname}]}\n"               \
	"---\n" KUEUE "kind: ResourceFlavor\nmetadata: {name: t}\n"                                \
	"spec: {nodeLabels: {pool: p}, topologyName: o}\n"                                         \
	"---\n" KUEUE "kind: ClusterQueue\nmetadata: {name: q}\nspec:\n"                           \
	"  queueingStrategy: " strategy "\n  namespaceSelector: {}\n"                              \
	"  resourceGroups:\n  - coveredResources: [nvidia.com/gpu]\n    flavors:\n"                \
	"    - name: t\n      resources: [{name: nvidia.com/gpu, nominalQuota: 100}]\n" more       \
	"---\n" KUEUE "kind: LocalQueue\nmetadata: {name: q, namespace: default}\n"                \
	"spec: {clusterQueue: q}\n" NODE("n0", "r0") NODE("n1", "r0") NODE("n2", "r1")             \
		NODE("n3", "r1")
#define CLUSTER CLUSTER_OF("BestEffortFIFO", "")
#define NODE_AT(name, rack, annotations, spec, ready)                                              \
	"---\napiVersion: v1\nkind: Node\nmetadata: {name: " name                                  \
	", labels: {pool: p, kubernetes.io/hostname: " name ", rack: " rack                        \
	"}, annotations: {" annotations "}}\n" spec                                                \
	"status: {allocatable: {nvidia.com/gpu: '4'}, conditions: [{type: Ready, status: '" ready  \
	"'}]}\n"
#define NODE(name, rack)      NODE_AT(name, rack, "", "", "True")
#define AT(seconds)	      "gqsim/at: '" seconds "'"
#define BACK(name, rack, at)  NODE_AT(name, rack, AT(at), "", "True")
#define FAILS(name, rack, at) NODE_AT(name, rack, AT(at), "", "False")
#define DRAINED(name, rack, at)                                                                    \
	NODE_AT(name, rack, AT(at) ", gqsim/drain: 'true'", "spec: {unschedulable: true}\n", "True")
#define TAINTED(name, rack, at, effect)                                                            \
	NODE_AT(name, rack, AT(at), "spec: {taints: [{key: xid, effect: " effect "}]}\n", "True")
#define LEAVES(name, rack, at)                                                                     \
	NODE_AT(name, rack, AT("50") ", gqsim/delete-at: '" at "'", "", "True")
#define JOB(name, pods, wish, spec) JOB_WITH(name, "", pods, wish, spec)
#define JOB_WITH(name, annotations, pods, wish, spec)                                              \
	"---\napiVersion: batch/v1\nkind: Job\nmetadata: {name: " name                             \
	", labels: {kueue.x-k8s.io/queue-name: q}, annotations: {gqsim/duration: '1000', "         \
	"gqsim/checkpoint-interval: '60'" annotations "}}\nspec: {parallelism: " pods              \
	", template: {metadata: {annotations: {" wish                                              \
	"}}, spec: {containers: [{name: c, resources: {limits: {nvidia.com/gpu: '4'}}}]" spec      \
	"}}}\n"
#define PREFERS	 "kueue.x-k8s.io/podset-preferred-topology: rack"
#define REQUIRES "kueue.x-k8s.io/podset-required-topology: rack"
#define GATE(name)                                                                                 \
	"---\napiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\n"                    \
	"featureGates: {" name ": false}\n"
#define FIXED_TIME                                                                                 \
	"---\napiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\n"                    \
	"featureGates: {TASReplaceNodeDueToNotReadyOverFixedTime: true}\n"
#define STAYS ", tolerations: [{key: node.kubernetes.io/not-ready, operator: Exists}]"
#define SMALL(name, pods, spec)                                                                    \
	"---\napiVersion: batch/v1\nkind: Job\nmetadata: {name: " name                             \
	", labels: {kueue.x-k8s.io/queue-name: q}, annotations: {gqsim/duration: '1000', "         \
	"gqsim/checkpoint-interval: '60'}}\nspec: {parallelism: " pods                             \
	", template: {metadata: {annotations: {" PREFERS                                           \
	"}}, spec: {containers: [{name: c, resources: {limits: {nvidia.com/gpu: '2'}}}]" spec      \
	"}}}\n"

/* As pods they are of a flavor without a topology, which puts up with the taint. */
#define TWO_FLAVORS                                                                                \
	CLUSTER_OF("BestEffortFIFO",                                                               \
		   "  - coveredResources: [pods]\n    flavors:\n"                                  \
		   "    - name: c\n      resources: [{name: pods, nominalQuota: 100}]\n"           \
		   "---\n" KUEUE "kind: ResourceFlavor\nmetadata: {name: c}\n"                     \
		   "spec: {tolerations: [{key: xid, operator: Exists}]}\n")

/* a, of two pods, is evicted as its rack has no place for the pod of n0, and gets another rack. */
#define MOVED_BY_EVICTION                                                                          \
	"0,QuotaReserved,a,count=2;topology=n0:1+n1:1\n"                                           \
	"0,Started,a,\n"                                                                           \
	"100,PodEvicted,a,pod=a-0;node=n0;message=node drained\n"                                  \
	"100,Interrupted,a,\n"                                                                     \
	"100.1,NodeUnhealthy,a,node=n0;healthy=false\n"                                            \
	"101.1,Evicted,a,reason=NodeFailures\n"                                                    \
	"106.1,Released,a,\n"                                                                      \
	"106.1,QuotaReserved,a,count=2;topology=n2:1+n3:1\n"                                       \
	"106.1,Started,a,\n"                                                                       \
	"1046.1,Finished,a,\n"

static const struct {
	const char *name, *text;
	const char *rows; /* without placements on nodes */
} rows[] = {
	{"a drained node is replaced once its pods are gone; the others stay",
	 CLUSTER DRAINED("n0", "r0", "100") JOB("a", "2", PREFERS, ""),
	 "0,QuotaReserved,a,count=2;topology=n0:1+n1:1\n"
	 "0,Started,a,\n"
	 "100,PodEvicted,a,pod=a-0;node=n0;message=node drained\n"
	 "100,Interrupted,a,\n"
	 "100.1,NodeUnhealthy,a,node=n0;healthy=false\n"
	 "101.1,TopologyAssigned,a,count=2;topology=n1:1+n2:1;replaces=n0\n"
	 "110,Started,a,\n"
	 "1050,Finished,a,\n"},
	{"pods of a node that is not ready are waited for",
	 CLUSTER FAILS("n0", "r0", "100") JOB("a", "2", PREFERS, ""),
	 "0,QuotaReserved,a,count=2;topology=n0:1+n1:1\n"
	 "0,Started,a,\n"
	 "100,Interrupted,a,\n"
	 "400,PodEvicted,a,pod=a-0;node=n0;message=taint node.kubernetes.io/not-ready:NoExecute\n"
	 "400.1,NodeUnhealthy,a,node=n0;healthy=false\n"
	 "401.1,TopologyAssigned,a,count=2;topology=n1:1+n2:1;replaces=n0\n"
	 "410,Started,a,\n"
	 "1350,Finished,a,\n"},
	{"nobody has to leave a node that is back in time",
	 CLUSTER FAILS("n0", "r0", "100") BACK("n0", "r0", "200") JOB("a", "2", PREFERS, ""),
	 "0,QuotaReserved,a,count=2;topology=n0:1+n1:1\n"
	 "0,Started,a,\n"
	 "100,Interrupted,a,\n"
	 "200,Started,a,\n"
	 "1140,Finished,a,\n"},
	{"without place in the rack that is required: evicted",
	 CLUSTER DRAINED("n0", "r0", "100") JOB("a", "2", REQUIRES, ""), MOVED_BY_EVICTION},
	{"nor is its pod left out, though the job may run with one (PodSetResources.ScaledTo)",
	 CLUSTER DRAINED("n0", "r0", "100")
		 JOB_WITH("a", ", kueue.x-k8s.io/job-min-parallelism: '1'", "2", REQUIRES, ""),
	 MOVED_BY_EVICTION},
	{"or tried again and again, though the node is back, until there is place",
	 GATE("TASFailedNodeReplacementFailFast") CLUSTER DRAINED("n0", "r0", "100")
		 BACK("n0", "r0", "120") BACK("n4", "r0", "125") JOB("a", "2", REQUIRES, ""),
	 "0,QuotaReserved,a,count=2;topology=n0:1+n1:1\n"
	 "0,Started,a,\n"
	 "100,PodEvicted,a,pod=a-0;node=n0;message=node drained\n"
	 "100,Interrupted,a,\n"
	 "100.1,NodeUnhealthy,a,node=n0;healthy=false\n"
	 "101.1,SecondPassFailed,a,\n"
	 "103.1,SecondPassFailed,a,\n"
	 "107.1,SecondPassFailed,a,\n"
	 "115.1,SecondPassFailed,a,\n"
	 "120,NodeUnhealthy,a,node=n0;healthy=true\n"
	 "120,Started,a,\n"
	 "131.1,TopologyAssigned,a,count=2;topology=n1:1+n4:1;replaces=n0\n"
	 "1060,Finished,a,\n"},
	{"a second node evicts",
	 GATE("TASFailedNodeReplacementFailFast") CLUSTER DRAINED("n0", "r0", "100")
		 DRAINED("n1", "r0", "102") JOB("a", "2", REQUIRES, ""),
	 "0,QuotaReserved,a,count=2;topology=n0:1+n1:1\n"
	 "0,Started,a,\n"
	 "100,PodEvicted,a,pod=a-0;node=n0;message=node drained\n"
	 "100,Interrupted,a,\n"
	 "100.1,NodeUnhealthy,a,node=n0;healthy=false\n"
	 "101.1,SecondPassFailed,a,\n"
	 "102,PodEvicted,a,pod=a-1;node=n1;message=node drained\n"
	 "102.1,Evicted,a,reason=NodeFailures\n"
	 "107.1,Released,a,\n"
	 "107.1,QuotaReserved,a,count=2;topology=n2:1+n3:1\n"
	 "107.1,Started,a,\n"
	 "1047.1,Finished,a,\n"},
	{"without waiting for pods: 30 s after the node stopped being ready",
	 GATE("TASReplaceNodeOnPodTermination") CLUSTER FAILS("n0", "r0", "100")
		 JOB("a", "2", PREFERS, ""),
	 "0,QuotaReserved,a,count=2;topology=n0:1+n1:1\n"
	 "0,Started,a,\n"
	 "100,Interrupted,a,\n"
	 "130,NodeUnhealthy,a,node=n0;healthy=false\n"
	 "131,TopologyAssigned,a,count=2;topology=n1:1+n2:1;replaces=n0\n"
	 "400,PodEvicted,a,pod=a-0;node=n0;message=taint node.kubernetes.io/not-ready:NoExecute\n"
	 "410,Started,a,\n"
	 "1350,Finished,a,\n"},
	{"a node that is deleted is lost at once",
	 CLUSTER LEAVES("n0", "r0", "100") JOB("a", "2", PREFERS, ""),
	 "0,QuotaReserved,a,count=2;topology=n0:1+n1:1\n"
	 "0,Started,a,\n"
	 "100,Interrupted,a,\n"
	 "100,PodEvicted,a,pod=a-0;node=n0;message=node deleted\n"
	 "100,NodeUnhealthy,a,node=n0;healthy=false\n"
	 "101,TopologyAssigned,a,count=2;topology=n1:1+n2:1;replaces=n0\n"
	 "110,Started,a,\n"
	 "1050,Finished,a,\n"},
	{"without waiting for pods, too",
	 GATE("TASReplaceNodeOnPodTermination") CLUSTER LEAVES("n0", "r0", "100")
		 JOB("a", "2", PREFERS, ""),
	 "0,QuotaReserved,a,count=2;topology=n0:1+n1:1\n"
	 "0,Started,a,\n"
	 "100,Interrupted,a,\n"
	 "100,PodEvicted,a,pod=a-0;node=n0;message=node deleted\n"
	 "100,NodeUnhealthy,a,node=n0;healthy=false\n"
	 "101,TopologyAssigned,a,count=2;topology=n1:1+n2:1;replaces=n0\n"
	 "110,Started,a,\n"
	 "1050,Finished,a,\n"},
	{"the pass stays when the node is back: its pods move all the same",
	 GATE("TASReplaceNodeOnPodTermination") CLUSTER TAINTED("n0", "r0", "100", "NoSchedule")
		 BACK("n0", "r0", "100.5") JOB("a", "2", PREFERS, ""),
	 "0,QuotaReserved,a,count=2;topology=n0:1+n1:1\n"
	 "0,Started,a,\n"
	 "100,NodeUnhealthy,a,node=n0;healthy=false\n"
	 "100.5,NodeUnhealthy,a,node=n0;healthy=true\n"
	 "101,TopologyAssigned,a,count=2;topology=n1:1+n2:1;replaces=n0\n"
	 "1000,Finished,a,\n"},
	{"and a second node that fails before it is forgotten",
	 GATE("TASReplaceNodeOnPodTermination") CLUSTER TAINTED("n0", "r0", "100", "NoSchedule")
		 BACK("n0", "r0", "100.5") TAINTED("n1", "r0", "100.7", "NoSchedule")
			 JOB("a", "2", PREFERS, ""),
	 "0,QuotaReserved,a,count=2;topology=n0:1+n1:1\n"
	 "0,Started,a,\n"
	 "100,NodeUnhealthy,a,node=n0;healthy=false\n"
	 "100.5,NodeUnhealthy,a,node=n0;healthy=true\n"
	 "100.7,NodeUnhealthy,a,node=n1;healthy=false\n"
	 "101,TopologyAssigned,a,count=2;topology=n1:1+n2:1;replaces=n0\n"
	 "1000,Finished,a,\n"},
	{"whose pods put up with the node is not touched",
	 CLUSTER FAILS("n0", "r0", "100") BACK("n0", "r0", "500") SMALL("a", "1", "")
		 SMALL("b", "1", STAYS),
	 "0,QuotaReserved,a,count=1;topology=n0:1\n"
	 "0,QuotaReserved,b,count=1;topology=n0:1\n"
	 "0,Started,a,\n"
	 "0,Started,b,\n"
	 "100,Interrupted,a,\n"
	 "100,Interrupted,b,\n"
	 "400,PodEvicted,a,pod=a-0;node=n0;message=taint node.kubernetes.io/not-ready:NoExecute\n"
	 "400.1,NodeUnhealthy,a,node=n0;healthy=false\n"
	 "401.1,TopologyAssigned,a,count=1;topology=n1:1;replaces=n0\n"
	 "410,Started,a,\n"
	 "500,Started,b,\n"
	 "1350,Finished,a,\n"
	 "1440,Finished,b,\n"},
	{"unless the fixed time is over, when another's pods leave it",
	 FIXED_TIME CLUSTER FAILS("n0", "r0", "100") BACK("n0", "r0", "500") SMALL("a", "1", "")
		 SMALL("b", "1", STAYS),
	 "0,QuotaReserved,a,count=1;topology=n0:1\n"
	 "0,QuotaReserved,b,count=1;topology=n0:1\n"
	 "0,Started,a,\n"
	 "0,Started,b,\n"
	 "100,Interrupted,a,\n"
	 "100,Interrupted,b,\n"
	 "400,PodEvicted,a,pod=a-0;node=n0;message=taint node.kubernetes.io/not-ready:NoExecute\n"
	 "400.1,NodeUnhealthy,a,node=n0;healthy=false\n"
	 "400.1,NodeUnhealthy,b,node=n0;healthy=false\n"
	 "401.1,TopologyAssigned,a,count=1;topology=n1:1;replaces=n0\n"
	 "401.1,TopologyAssigned,b,count=1;topology=n1:1;replaces=n0\n"
	 "410,Started,a,\n"
	 "500,Started,b,\n"
	 "1350,Finished,a,\n"
	 "1440,Finished,b,\n"},
	{"of a node that stays as it is nobody looks whether the fixed time is over",
	 FIXED_TIME CLUSTER FAILS("n0", "r0", "100") FAILS("n0", "r0", "200")
		 BACK("n0", "r0", "300") JOB("a", "2", PREFERS, ""),
	 "0,QuotaReserved,a,count=2;topology=n0:1+n1:1\n"
	 "0,Started,a,\n"
	 "100,Interrupted,a,\n"
	 "300,Started,a,\n"
	 "1240,Finished,a,\n"},
	{"NoSchedule: as long as the pods run there",
	 CLUSTER TAINTED("n0", "r0", "100", "NoSchedule") JOB("a", "2", PREFERS, ""),
	 "0,QuotaReserved,a,count=2;topology=n0:1+n1:1\n"
	 "0,Started,a,\n"
	 "1000,Finished,a,\n"},
	{"NoSchedule, without waiting for pods",
	 GATE("TASReplaceNodeOnPodTermination") CLUSTER TAINTED("n0", "r0", "100", "NoSchedule")
		 JOB("a", "2", PREFERS, ""),
	 "0,QuotaReserved,a,count=2;topology=n0:1+n1:1\n"
	 "0,Started,a,\n"
	 "100,NodeUnhealthy,a,node=n0;healthy=false\n"
	 "101,TopologyAssigned,a,count=2;topology=n1:1+n2:1;replaces=n0\n"
	 "1000,Finished,a,\n"},
	{"tolerations of all flavors of a pod set count, though one has the topology",
	 GATE("TASReplaceNodeOnPodTermination") TWO_FLAVORS TAINTED("n0", "r0", "100", "NoSchedule")
		 JOB("a", "2", PREFERS, ""),
	 "0,QuotaReserved,a,\"count=2;flavors=nvidia.com/gpu:t,pods:c;borrow=0;"
	 "topology=n0:1+n1:1\"\n"
	 "0,Started,a,\n"
	 "1000,Finished,a,\n"},
	{"a toleration by Gt counts for nothing here, though the taint's value is greater",
	 GATE("TASReplaceNodeOnPodTermination") CLUSTER NODE_AT(
		 "n0", "r0", AT("100"),
		 "spec: {taints: [{key: xid, value: '3', effect: NoSchedule}]}\n", "True")
		 JOB("a", "2", PREFERS, ", tolerations: [{key: xid, operator: Gt, value: '2'}]"),
	 "0,QuotaReserved,a,count=2;topology=n0:1+n1:1\n"
	 "0,Started,a,\n"
	 "100,NodeUnhealthy,a,node=n0;healthy=false\n"
	 "101,TopologyAssigned,a,count=2;topology=n1:1+n2:1;replaces=n0\n"
	 "1000,Finished,a,\n"},
	{"NoExecute", CLUSTER TAINTED("n0", "r0", "100", "NoExecute") JOB("a", "2", PREFERS, ""),
	 "0,QuotaReserved,a,count=2;topology=n0:1+n1:1\n"
	 "0,Started,a,\n"
	 "100,PodEvicted,a,pod=a-0;node=n0;message=taint xid:NoExecute\n"
	 "100,Interrupted,a,\n"
	 "100.1,NodeUnhealthy,a,node=n0;healthy=false\n"
	 "101.1,TopologyAssigned,a,count=2;topology=n1:1+n2:1;replaces=n0\n"
	 "110,Started,a,\n"
	 "1050,Finished,a,\n"},
	{"NoExecute that the pods tolerate for a while",
	 CLUSTER TAINTED("n0", "r0", "100", "NoExecute")
		 JOB("a", "2", PREFERS,
		     ", tolerations: [{key: xid, operator: Exists, effect: NoExecute, "
		     "tolerationSeconds: 50}]"),
	 "0,QuotaReserved,a,count=2;topology=n0:1+n1:1\n"
	 "0,Started,a,\n"
	 "150,PodEvicted,a,pod=a-0;node=n0;message=taint xid:NoExecute\n"
	 "150,Interrupted,a,\n"
	 "150.1,NodeUnhealthy,a,node=n0;healthy=false\n"
	 "151.1,TopologyAssigned,a,count=2;topology=n1:1+n2:1;replaces=n0\n"
	 "160,Started,a,\n"
	 "1040,Finished,a,\n"},
	{"taints are no matter without their gate, and the pod waits for its node",
	 GATE("TASReplaceNodeOnNodeTaints") CLUSTER TAINTED("n0", "r0", "100", "NoExecute")
		 BACK("n0", "r0", "200") JOB("a", "2", PREFERS, ""),
	 "0,QuotaReserved,a,count=2;topology=n0:1+n1:1\n"
	 "0,Started,a,\n"
	 "100,PodEvicted,a,pod=a-0;node=n0;message=taint xid:NoExecute\n"
	 "100,Interrupted,a,\n"
	 "200,Started,a,\n"
	 "1140,Finished,a,\n"},
	{"nothing is replaced without the gate",
	 GATE("TASFailedNodeReplacement") CLUSTER DRAINED("n0", "r0", "100") BACK("n0", "r0", "200")
		 JOB("a", "2", PREFERS, ""),
	 "0,QuotaReserved,a,count=2;topology=n0:1+n1:1\n"
	 "0,Started,a,\n"
	 "100,PodEvicted,a,pod=a-0;node=n0;message=node drained\n"
	 "100,Interrupted,a,\n"
	 "200,Started,a,\n"
	 "1140,Finished,a,\n"},
	{"all of a workload on one node goes anywhere",
	 CLUSTER DRAINED("n0", "r0", "100") JOB("a", "1", REQUIRES, ""),
	 "0,QuotaReserved,a,count=1;topology=n0:1\n"
	 "0,Started,a,\n"
	 "100,PodEvicted,a,pod=a-0;node=n0;message=node drained\n"
	 "100,Interrupted,a,\n"
	 "100.1,NodeUnhealthy,a,node=n0;healthy=false\n"
	 "101.1,TopologyAssigned,a,count=1;topology=n1:1;replaces=n0\n"
	 "110,Started,a,\n"
	 "1050,Finished,a,\n"},
};

static bool begins(const char *text, const char *part)
{
	return strncmp(text, part, strlen(part)) == 0;
}

/* The event and its detail, without what all have in common. */
static char *copy_event(char *to, const char *event, const char *next)
{
	static const char *const left_out[] = {"default/", "q,",
					       "flavors=nvidia.com/gpu:t;borrow=0;"};

	if (begins(event, ",SecondPassFailed"))
		next = strchr(event, '"'); /* test_kueue_tas.c has its texts */
	while (event < next) {
		size_t i = 0;

		while (i < 3 && !begins(event, left_out[i]))
			i++;
		if (i < 3)
			event += strlen(left_out[i]);
		else
			*to++ = *event++;
	}
	if (to[-1] != '\n')
		*to++ = '\n';
	return to;
}

/* Leaves out the header, the numbers and what happens to pods that are placed. */
static char *shorten(char *text)
{
	char *to = text;

	for (char *line = strchr(text, '\n') + 1; *line != '\0';) {
		char *next = strchr(line, '\n') + 1, *seq = strchr(line, ',');
		char *event = strchr(seq + 1, ',');

		if (!begins(event, ",PodScheduled") && !begins(event, ",PodUnschedulable")) {
			memmove(to, line, (size_t)(seq - line));
			to = copy_event(to + (seq - line), event, next);
		}
		line = next;
	}
	*to = '\0';
	return text;
}

static struct journal *run(const struct scenario *s)
{
	struct run_options options;
	struct journal *j = NULL;
	struct err err = {0};

	options_default(&options);
	ck_assert_int_eq(engine_run(s, policy_find("kueue"), &options, JOURNAL_FULL, &j, &err),
			 ERR_OK);
	return j;
}

START_TEST(story)
{
	static struct audit audit;
	struct scenario *s = objects_case_load(rows[_i].text);
	struct journal *j = run(s);
	char text[AUDIT_TEXT], *got = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&got, &size);

	report_events_write(out, j, true);
	fclose(out);
	ck_assert_msg(strcmp(shorten(got), rows[_i].rows) == 0, "%s:\n%s", rows[_i].name, got);
	ck_assert_msg(audit_check(j, &audit), "%s: %s", rows[_i].name,
		      audit_text(j, &audit.listed[0], text));
	free(got);
	journal_free(j);
	scenario_free(s);
}
END_TEST

/* The head of a strict queue waits where any cycle would look at it again. */
static uint64_t cycles_of(const char *text)
{
	struct scenario *s = objects_case_load(text);
	struct journal *j = run(s);
	uint64_t cycles = j->cycles;

	journal_free(j);
	scenario_free(s);
	return cycles;
}

#define HEAD_WAITS                                                                                 \
	CLUSTER_OF("StrictFIFO", "")                                                               \
	FAILS("n3", "r1", "100") JOB("a", "1", PREFERS, "") JOB("b", "9", PREFERS, "")

/* Without waiting for pods the node is looked at again 30 s after it failed. */
START_TEST(no_cycle_runs_for_a_look_that_changes_nothing)
{
	uint64_t cycles = cycles_of(HEAD_WAITS);

	ck_assert_uint_gt(cycles, 1);
	ck_assert_uint_eq(cycles_of(GATE("TASReplaceNodeOnPodTermination") HEAD_WAITS), cycles);
}
END_TEST

int main(void)
{
	TCase *t = tcase_create("all");

	tcase_add_loop_test(t, story, 0, ROWS(rows));
	tcase_add_test(t, no_cycle_runs_for_a_look_that_changes_nothing);
	return objects_case_run("kueue_nodes", t);
}
