/* test_kueue_spot.c - topology-aware scheduling as a whole: objects in, admissions with
 * their domains out.
 */
#include "sim/kueue/kueue_spot.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

#include "core/mem.h"
#include "sim/engine/engine.h"
#include "tests/sim/objects_case.h"
#include "tests/support/kueue_story.h"

#define HOST "kubernetes.io/hostname"

/* %s: more labels */
static const char node_text[] =
	"{apiVersion: v1, kind: Node, metadata: {name: %s, labels: {pool: gpu, rack: %s, "
	"kubernetes.io/hostname: %s}, annotations: {%s}}, spec: {%s}, status: {allocatable: "
	"{cpu: 64, nvidia.com/gpu: %d, pods: 110}, conditions: [{type: Ready, status: '%s'}]}}\n"
	"---\n";
static const char topology_text[] =
	"{apiVersion: kueue.x-k8s.io/v1beta2, kind: Topology, metadata: {name: topo}, spec: "
	"{levels: [{nodeLabel: rack}, {nodeLabel: kubernetes.io/hostname}]}}\n---\n";
static const char flavor_text[] =
	"{apiVersion: kueue.x-k8s.io/v1beta2, kind: ResourceFlavor, metadata: {name: %s}, spec: "
	"{nodeLabels: {pool: gpu}%s}}\n---\n";
static const char queue_text[] =
	"{apiVersion: kueue.x-k8s.io/v1beta2, kind: LocalQueue, metadata: {name: %s, namespace: "
	"default}, spec: {clusterQueue: %s}}\n---\n"
	"{apiVersion: kueue.x-k8s.io/v1beta2, kind: ClusterQueue, metadata: {name: %s}, spec: "
	"{namespaceSelector: {}, cohortName: all, preemption: {withinClusterQueue: LowerPriority}, "
	"resourceGroups: [%s]}}\n---\n";
static const char job_text[] =
	"{apiVersion: batch/v1, kind: Job, metadata: {name: %s, namespace: default, labels: {%s}, "
	"annotations: {gqsim/submit-at: \"%d\", gqsim/duration: \"%d\"}}, spec: {parallelism: %d, "
	"completions: %d, template: {metadata: {annotations: {%s}}, spec: {%s priorityClassName: "
	"%s, "
	"containers: [{name: c, resources: {requests: {%s}}}]}}}}\n---\n";
static const char classes_text[] =
	"{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: low}, value: 1}\n"
	"---\n"
	"{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: high}, value: "
	"9}\n"
	"---\n";

/* Two pod sets: the first one asks for a rack that is not there, the second one for more than
 * the quota that is left. */
static const char pair_text[] =
	"{apiVersion: jobset.x-k8s.io/v1alpha2, kind: JobSet, metadata: {name: pair, namespace: "
	"default, labels: {kueue.x-k8s.io/queue-name: a}, annotations: {gqsim/submit-at: \"1\"}}, "
	"spec: {replicatedJobs: ["
	"{name: near, template: {spec: {template: {spec: {nodeSelector: {rack: r9}, containers: "
	"[{name: c, resources: {requests: {nvidia.com/gpu: 2}}}]}}}}}, "
	"{name: large, template: {spec: {template: {spec: {containers: "
	"[{name: c, resources: {requests: {nvidia.com/gpu: 4}}}]}}}}}]}}\n---\n";

/* Two pod sets of 2 and 4 GPUs, the second one on r0 only. */
static const char two_text[] =
	"{apiVersion: jobset.x-k8s.io/v1alpha2, kind: JobSet, metadata: {name: two, namespace: "
	"default, labels: {kueue.x-k8s.io/queue-name: a}, annotations: {gqsim/submit-at: \"20\", "
	"gqsim/duration: \"60\"}}, spec: {replicatedJobs: ["
	"{name: any, template: {spec: {template: {metadata: {annotations: "
	"{kueue.x-k8s.io/podset-required-topology: kubernetes.io/hostname}}, spec: "
	"{priorityClassName: high, containers: [{name: c, resources: {requests: "
	"{nvidia.com/gpu: 2}}}]}}}}}, "
	"{name: near, template: {spec: {template: {metadata: {annotations: "
	"{kueue.x-k8s.io/podset-required-topology: kubernetes.io/hostname}}, spec: "
	"{priorityClassName: high, nodeSelector: {rack: r0}, containers: [{name: c, resources: "
	"{requests: {nvidia.com/gpu: 4}}}]}}}}}]}}\n---\n";

static const char gates_text[] =
	"{apiVersion: config.kueue.x-k8s.io/v1beta2, kind: Configuration, featureGates: "
	"{%s}}\n---\n";

static const char likes_text[] =
	"affinity: {nodeAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 5, "
	"preference: {matchExpressions: [{key: rack, operator: In, values: [%s]}]}}]}},";

struct spot_node {
	const char *name, *rack;
	int gpus;
	int at; /* it is so from this second on; 0: from the start */
	bool lost;
	const char *spec; /* NULL */
};

struct spot_job {
	const char *name, *queue; /* queue NULL: not Kueue's */
	int submit, duration, pods, gpus;
	const char *required; /* level; NULL: nothing asked */
	const char *requests; /* beside the GPUs; NULL */
	bool high;
	const char *tolerates; /* key of a taint; NULL */
	const char *likes;     /* rack that it prefers; NULL */
};

#define QUOTA(flavor, gpus)                                                                        \
	"{coveredResources: [nvidia.com/gpu], flavors: [{name: " flavor                            \
	", resources: [{name: nvidia.com/gpu, nominalQuota: " #gpus "}]}]}"
#define ASKS	      "SchedulerLibraryIntegration: true"
#define HEEDS	      "TASRespectNodeAffinityPreferred: true"
#define NODE(n, r, g) .name = n, .rack = r, .gpus = g
#define JOB(n, q, s, d, p, g)                                                                      \
	.name = n, .queue = q, .submit = s, .duration = d, .pods = p, .gpus = g
#define UNSCHEDULABLE "node.kubernetes.io/unschedulable"
#define NOT_READY     "node.kubernetes.io/not-ready"
#define TAINTED	      "taints: [{key: dedicated, effect: NoSchedule}]"
#define TOLERANT      ", tolerations: [{key: dedicated, operator: Exists}]"
#define CPU(flavor)                                                                                \
	"{coveredResources: [cpu], flavors: [{name: " flavor                                       \
	", resources: [{name: cpu, nominalQuota: 99}]}]}"

static const struct {
	const char *name;
	struct spot_node nodes[5];
	const char *a, *b; /* resource groups of queues a and b; NULL: no b */
	struct spot_job jobs[4];
	bool placed;	    /* pods are bound to nodes */
	bool two;	    /* the JobSet two is there */
	bool pairs;	    /* the JobSet pair is there, too; first statuses are told */
	const char *flavor; /* more of the flavor tas; NULL */
	const char *gates;  /* feature gates; NULL */
	const char *want;
} rows[] = {
	{.name = "heads that chose the same host: the second one is placed anew",
	 .nodes = {{NODE("n0", "r0", 4)}, {NODE("n1", "r0", 4)}},
	 .a = QUOTA("tas", 8),
	 .b = QUOTA("tas", 8),
	 .jobs = {{JOB("x", "a", 0, 60, 2, 2), .required = HOST},
		  {JOB("u", "b", 0, 60, 2, 2), .required = HOST}},
	 .want = "0 x n0:2; 0 u n1:2; "},
	{.name = "as many victims as make room on one host, though quota needs but one",
	 .nodes = {{NODE("n0", "r0", 2)}, {NODE("n1", "r0", 2)}},
	 .a = QUOTA("tas", 4),
	 .jobs = {{JOB("v", "a", 0, 900, 1, 1), .required = HOST},
		  {JOB("w", "a", 1, 900, 1, 1), .required = HOST},
		  {JOB("x", "a", 2, 900, 1, 2), .required = HOST},
		  {JOB("u", "a", 3, 60, 2, 1), .required = HOST, .high = true}},
	 .want = "0 v n0:1; 1 w n0:1; 2 x n1:1; 3 preempt x; 3 u n1:2; 64 x n1:1; "},
	{.name = "a queue of topology flavors places what asks for nothing",
	 .nodes = {{NODE("n0", "r0", 4)}, {NODE("n1", "r0", 2)}},
	 .a = QUOTA("tas", 6),
	 .jobs = {{JOB("x", "a", 0, 60, 2, 1)}},
	 .want = "0 x n1:2; "},
	{.name = "too large for any rack",
	 .nodes = {{NODE("n0", "r0", 2)}, {NODE("n1", "r1", 2)}},
	 .a = QUOTA("tas", 8),
	 .jobs = {{JOB("x", "a", 0, 60, 3, 1), .required = "rack"}},
	 .want = "x TopologyPlacementFailed: couldn't assign flavors to pod set main: topology "
		 "\"topo\" allows to fit only 2 out of 3 pod(s); "},
	{.name = "no place for a set whose quota is enough, while that of another is not: no "
		 "reason is "
		 "told apart, and nothing of the topology",
	 .nodes = {{NODE("n0", "r0", 8)}},
	 .a = QUOTA("tas", 8),
	 .jobs = {{JOB("x", "a", 0, 900, 1, 4)}},
	 .pairs = true,
	 .want = "0 x n0:1; pair : couldn't assign flavors to pod set large: insufficient unused "
		 "quota for nvidia.com/gpu in flavor tas, 2 more needed; "},
	{.name = "one victim is enough for two pod sets, though with all candidates gone the first "
		 "would take the place of the second",
	 .nodes = {{NODE("n0", "r0", 9)}, {NODE("n1", "r1", 6)}},
	 .a = QUOTA("tas", 15),
	 .jobs = {{JOB("h", "a", 0, 900, 1, 5), .required = HOST, .high = true},
		  {JOB("f", "a", 1, 5, 1, 4), .required = HOST},
		  {JOB("v", "a", 2, 900, 1, 4), .required = HOST},
		  {JOB("w", "a", 10, 900, 1, 4), .required = HOST}},
	 .two = true,
	 .want = "0 h n0:1; 1 f n0:1; 2 v n1:1; 10 w n0:1; 20 preempt w; 20 two n1:1 n0:1; 81 w "
		 "n0:1; "},
	{.name = "a flavor without the level",
	 .nodes = {{NODE("n0", "r0", 2)}},
	 .a = QUOTA("tas", 8),
	 .jobs = {{JOB("x", "a", 0, 60, 1, 1), .required = "zone"}},
	 .want = "x NoMatchingFlavor: couldn't assign flavors to pod set main: Flavor \"tas\" does "
		 "not contain the requested level; "},
	{.name = "a flavor without a topology",
	 .nodes = {{NODE("n0", "r0", 2)}},
	 .a = QUOTA("flat", 8),
	 .jobs = {{JOB("x", "a", 0, 60, 1, 1), .required = "rack"}},
	 .want = "x NoMatchingFlavor: couldn't assign flavors to pod set main: Flavor \"flat\" "
		 "does "
		 "not support TopologyAwareScheduling; "},
	{.name = "two topology flavors",
	 .nodes = {{NODE("n0", "r0", 2)}},
	 .a = QUOTA("tas", 8) ", " CPU("tas2"),
	 .jobs = {{JOB("x", "a", 0, 60, 1, 1), .required = "rack", .requests = ", cpu: 1"}},
	 .want = "x PendingEvaluation: Bypassed scheduling evaluation because an equivalent "
		 "workload recently failed; "},
	{.name = "a node that comes lets a parked workload in",
	 .nodes = {{NODE("n0", "r0", 2)}, {NODE("n1", "r0", 4), .at = 50}},
	 .a = QUOTA("tas", 8),
	 .jobs = {{JOB("x", "a", 0, 60, 1, 4), .required = HOST}},
	 .want = "52 x n1:1; "},
	{.name = "a node that changes does",
	 .nodes = {{NODE("n0", "r0", 2)}, {NODE("n0", "r0", 8), .at = 50}},
	 .a = QUOTA("tas", 8),
	 .jobs = {{JOB("x", "a", 0, 100, 1, 2), .required = HOST},
		  {JOB("u", "a", 0, 60, 1, 4), .required = HOST}},
	 .want = "0 x n0:1; 52 u n0:1; "},
	{.name = "pods that Kueue does not manage are in the way until they end",
	 .nodes = {{NODE("n0", "r0", 4)}},
	 .a = QUOTA("tas", 8),
	 .jobs = {{JOB("x", NULL, 0, 60, 1, 2)}, {JOB("u", "a", 1, 60, 1, 4), .required = HOST}},
	 .placed = true,
	 .want = "71 u n0:1; "},
	{.name = "and still are when their node comes back",
	 .nodes = {{NODE("n0", "r0", 4)},
		   {NODE("n0", "r0", 4), .at = 20, .lost = true},
		   {NODE("n0", "r0", 4), .at = 30}},
	 .a = QUOTA("tas", 8),
	 .jobs = {{JOB("x", NULL, 0, 60, 1, 2)}, {JOB("u", "a", 1, 60, 1, 4), .required = HOST}},
	 .placed = true,
	 .want = "101 u n0:1; "},
	{.name = "a cordoned node, and one that is not ready, are not there",
	 .nodes = {{NODE("n0", "r0", 4), .spec = "unschedulable: true"},
		   {NODE("n1", "r0", 4), .lost = true}},
	 .a = QUOTA("tas", 8),
	 .jobs = {{JOB("x", "a", 0, 60, 1, 2), .required = HOST, .tolerates = UNSCHEDULABLE},
		  {JOB("w", "a", 0, 60, 1, 2), .required = HOST, .tolerates = NOT_READY}},
	 .want = "x TopologyPlacementFailed: couldn't assign flavors to pod set main: no topology "
		 "domains at level: kubernetes.io/hostname; w TopologyPlacementFailed: couldn't "
		 "assign flavors to pod set main: no topology domains at level: "
		 "kubernetes.io/hostname; "},
	{.name = "where kube-scheduler is asked they are, tainted",
	 .nodes = {{NODE("n0", "r0", 4), .spec = "unschedulable: true"},
		   {NODE("n1", "r0", 4), .lost = true}},
	 .a = QUOTA("tas", 8),
	 .jobs = {{JOB("x", "a", 0, 60, 1, 2), .required = HOST, .tolerates = UNSCHEDULABLE},
		  {JOB("w", "a", 0, 60, 1, 2), .required = HOST, .tolerates = NOT_READY},
		  {JOB("z", "a", 1, 60, 1, 2), .required = HOST}},
	 .gates = ASKS,
	 .want = "0 x n0:1; 0 w n1:1; z TopologyPlacementFailed: couldn't assign flavors to pod "
		 "set main: topology \"topo\" doesn't allow to fit any of 1 pod(s); "},
	{.name = "a node that is cordoned, then not",
	 .nodes = {{NODE("n0", "r0", 4)},
		   {NODE("n0", "r0", 4), .at = 5, .spec = "unschedulable: true"},
		   {NODE("n0", "r0", 4), .at = 50}},
	 .a = QUOTA("tas", 8),
	 .jobs = {{JOB("x", "a", 10, 60, 1, 2), .required = HOST},
		  {JOB("w", "a", 20, 60, 1, 2), .required = HOST, .tolerates = UNSCHEDULABLE}},
	 .gates = ASKS,
	 .want = "20 w n0:1; 52 x n0:1; "},
	{.name = "what pods prefer counts once a cycle: who is placed anew in it is indifferent",
	 .nodes = {{NODE("n0", "r0", 2)}, {NODE("n1", "r1", 2)}, {NODE("n2", "r1", 2)}},
	 .a = QUOTA("tas", 8),
	 .b = QUOTA("tas", 8),
	 .jobs = {{JOB("x", "a", 0, 60, 1, 2), .required = HOST, .likes = "r1"},
		  {JOB("u", "b", 0, 60, 1, 2), .required = HOST, .likes = "r1"},
		  {JOB("w", "b", 1, 60, 1, 2), .required = HOST, .likes = "r1"}},
	 .gates = HEEDS,
	 .want = "0 x n1:1; 0 u n0:1; 1 w n2:1; "},
	{.name = "and again and again without the gate that keeps which nodes match",
	 .nodes = {{NODE("n0", "r0", 2)}, {NODE("n1", "r1", 2)}, {NODE("n2", "r1", 2)}},
	 .a = QUOTA("tas", 8),
	 .b = QUOTA("tas", 8),
	 .jobs = {{JOB("x", "a", 0, 60, 1, 2), .required = HOST, .likes = "r1"},
		  {JOB("u", "b", 0, 60, 1, 2), .required = HOST, .likes = "r1"}},
	 .gates = HEEDS ", TASCacheNodeMatchResults: false",
	 .want = "0 x n1:1; 0 u n2:1; "},
	{.name = "a flavor tolerates a taint for its pods",
	 .nodes = {{NODE("n0", "r0", 4), .spec = TAINTED}},
	 .a = QUOTA("tas", 8),
	 .jobs = {{JOB("x", "a", 0, 60, 1, 2), .required = HOST}},
	 .flavor = TOLERANT,
	 .want = "0 x n0:1; "},
	{.name = "kube-scheduler is not told of it; what does not suit is told beside resources",
	 .nodes = {{NODE("n0", "r0", 4), .spec = TAINTED}, {NODE("n1", "r0", 1)}},
	 .a = QUOTA("tas", 8),
	 .jobs = {{JOB("x", "a", 0, 60, 1, 2), .required = HOST}},
	 .gates = ASKS,
	 .flavor = TOLERANT,
	 .want = "x TopologyPlacementFailed: couldn't assign flavors to pod set main: topology "
		 "\"topo\" doesn't allow to fit any of 1 pod(s). Total nodes: 2; excluded: "
		 "resource "
		 "\"nvidia.com/gpu\": 1, schedulerLibraryNoFit: 1; "},
};

static void write_jobs(char *out, const struct spot_job *jobs)
{
	for (uint32_t i = 0; i < 4 && jobs[i].name != NULL; i++) {
		const struct spot_job *j = &jobs[i];
		char label[64] = "", asked[128] = "", requests[64], spec[256] = "";

		if (j->queue != NULL)
			snprintf(label, sizeof(label), "kueue.x-k8s.io/queue-name: %s", j->queue);
		if (j->required != NULL)
			snprintf(asked, sizeof(asked),
				 "kueue.x-k8s.io/podset-required-topology: %s", j->required);
		if (j->tolerates != NULL)
			snprintf(spec, sizeof(spec), "tolerations: [{key: %s, operator: Exists}],",
				 j->tolerates);
		if (j->likes != NULL)
			snprintf(spec, sizeof(spec), likes_text, j->likes);
		snprintf(requests, sizeof(requests), "nvidia.com/gpu: %d%s", j->gpus,
			 j->requests != NULL ? j->requests : "");
		sprintf(out + strlen(out), job_text, j->name, label, j->submit, j->duration,
			j->pods, j->pods, asked, spec, j->high ? "high" : "low", requests);
	}
}

static void write_objects(char *out, int row)
{
	char more[200];

	out[0] = '\0';
	if (rows[row].gates != NULL)
		sprintf(out, gates_text, rows[row].gates);
	for (uint32_t i = 0; i < 5 && rows[row].nodes[i].name != NULL; i++) {
		const struct spot_node *n = &rows[row].nodes[i];
		char at[32] = "";

		if (n->at > 0)
			snprintf(at, sizeof(at), "gqsim/at: \"%d\"", n->at);
		sprintf(out + strlen(out), node_text, n->name, n->rack, n->name, at,
			n->spec != NULL ? n->spec : "", n->gpus, n->lost ? "False" : "True");
	}
	strcat(out, topology_text);
	snprintf(more, sizeof(more), ", topologyName: topo%s",
		 rows[row].flavor != NULL ? rows[row].flavor : "");
	sprintf(out + strlen(out), flavor_text, "tas", more);
	sprintf(out + strlen(out), flavor_text, "tas2", ", topologyName: topo");
	sprintf(out + strlen(out), flavor_text, "flat", "");
	strcat(out, classes_text);
	sprintf(out + strlen(out), queue_text, "a", "a", "a", rows[row].a);
	if (rows[row].b != NULL)
		sprintf(out + strlen(out), queue_text, "b", "b", "b", rows[row].b);
	write_jobs(out, rows[row].jobs);
	strcat(out, rows[row].pairs ? pair_text : "");
	strcat(out, rows[row].two ? two_text : "");
}

static void print_admission(char *out, const struct journal *j, const struct journal_record *r)
{
	const struct admission *a = &j->admissions[r->arg];
	char name[SCENARIO_NAME_TEXT];

	sprintf(out + strlen(out), "%d %s", (int)(r->time / CLOCK_SECOND),
		scenario_job_name(j->scenario, r->job, name));
	for (uint32_t s = 0; s < a->pod_set_count; s++) {
		for (uint32_t d = 0; d < a->pod_sets[s].domain_count; d++)
			sprintf(out + strlen(out), " %s:%u",
				journal_text(j, a->pod_sets[s].domains[d].values),
				a->pod_sets[s].domains[d].pods);
	}
	strcat(out, "; ");
}

/* What the last status, or the first, of jobs that were never admitted says. */
static void print_waiting(char *out, const struct journal *j, bool first)
{
	struct journal_reader in;
	const struct journal_record *r;
	char name[SCENARIO_NAME_TEXT];

	for (uint32_t job = 0; job < j->scenario->job_count; job++) {
		struct journal_record last = {.kind = J_SUBMIT};
		bool admitted = false;

		journal_open(&in, j);
		while ((r = journal_next(&in)) != NULL) {
			if (r->job != job)
				continue;
			admitted = admitted || r->kind == J_QUOTA_RESERVED;
			if (r->kind == J_STATUS && !(first && last.kind == J_STATUS))
				last = *r;
		}
		if (!admitted && last.kind == J_STATUS)
			sprintf(out + strlen(out), "%s %s: %s; ",
				scenario_job_name(j->scenario, job, name),
				journal_text(j, last.arg), journal_text(j, last.arg2));
	}
}

static void print_run(char *out, const struct journal *j, bool first)
{
	struct journal_reader in;
	const struct journal_record *r;
	char name[SCENARIO_NAME_TEXT];

	out[0] = '\0';
	journal_open(&in, j);
	while ((r = journal_next(&in)) != NULL) {
		if (r->kind == J_QUOTA_RESERVED)
			print_admission(out, j, r);
		if (r->kind == J_PREEMPTED)
			sprintf(out + strlen(out), "%d preempt %s; ", (int)(r->time / CLOCK_SECOND),
				scenario_job_name(j->scenario, r->job, name));
	}
	print_waiting(out, j, first);
}

START_TEST(workloads_get_domains)
{
	char text[16384], got[4096];
	struct scenario *s;
	struct run_options options;
	struct journal *j = NULL;
	struct err err = {0};

	write_objects(text, _i);
	s = objects_case_load(text);
	options_default(&options);
	options.eviction_delay = 0;
	options.placement = rows[_i].placed ? PLACEMENT_SCHEDULER : PLACEMENT_NONE;
	ck_assert_msg(engine_run(s, policy_find("kueue"), &options, JOURNAL_FULL, &j, &err) ==
			      ERR_OK,
		      "%s: %s", rows[_i].name, err.msg);
	print_run(got, j, rows[_i].pairs);
	ck_assert_msg(strcmp(got, rows[_i].want) == 0, "%s: \"%s\"", rows[_i].name, got);
	journal_free(j);
	scenario_free(s);
}
END_TEST

#define TAS_QUEUE(name, at, flavor)                                                                \
	"---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: ClusterQueue\n"                            \
	"metadata: {name: " name ", annotations: {gqsim/at: '" at                                  \
	"'}}\nspec:\n  namespaceSelector: {}\n  resourceGroups:\n"                                 \
	"  - coveredResources: [nvidia.com/gpu]\n    flavors:\n"                                   \
	"    - name: " flavor "\n      resources: [{name: nvidia.com/gpu, nominalQuota: 9}]\n"
#define TAS_LOCAL(name)                                                                            \
	"---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: LocalQueue\n"                              \
	"metadata: {name: " name ", namespace: default}\nspec: {clusterQueue: " name "}\n"
#define TAS_JOB(at, until, job, queue)                                                             \
	at ",QuotaReserved,default/" job "," queue                                                 \
	   ",count=1;flavors=nvidia.com/gpu:t;borrow=0;topology=r:1\n" at                          \
	   ",PodScheduled,default/" job "," queue ",pod=" job "-0;node=k\n" at                     \
	   ",Started,default/" job "," queue ",\n" until ",Finished,default/" job "," queue ",\n"

/* The queue of a turns to a flavor without a topology while a runs: its pod counts as before, so
 * what it leaves is there once. */
START_TEST(counted_as_they_were_started)
{
	char *got = kueue_story_placed_events(
		"apiVersion: kueue.x-k8s.io/v1beta2\nkind: Topology\nmetadata: {name: o}\n"
		"spec: {levels: [{nodeLabel: rack}]}\n---\n"
		"apiVersion: kueue.x-k8s.io/v1beta2\nkind: ResourceFlavor\nmetadata: {name: t}\n"
		"spec: {nodeLabels: {pool: p}, topologyName: o}\n---\n"
		"apiVersion: kueue.x-k8s.io/v1beta2\nkind: ResourceFlavor\nmetadata: {name: f}\n"
		"---\napiVersion: v1\nkind: Node\n"
		"metadata: {name: k, labels: {pool: p, rack: r, kubernetes.io/hostname: k}}\n"
		"status: {capacity: {nvidia.com/gpu: 2, pods: 9}}\n" TAS_QUEUE("q", "0", "t")
			TAS_LOCAL("q") TAS_QUEUE("r", "0", "t") TAS_LOCAL("r")
				TAS_QUEUE("q", "5", "f"),
		"name,namespace,queue,submit_s,duration_s,pods,requests\n"
		"a,default,q,0,20,1,nvidia.com/gpu=2\nb,default,r,21,50,1,nvidia.com/gpu=2\n"
		"c,default,r,22,50,1,nvidia.com/gpu=2\n");

	ck_assert_str_eq(got, TAS_JOB("0", "20", "a", "q") TAS_JOB("21", "71", "b", "r")
				      TAS_JOB("72", "122", "c", "r"));
	mem_free(got);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("kueue_spot");
	TCase *tc = tcase_create("kueue_spot");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_loop_test(tc, workloads_get_domains, 0, ROWS(rows));
	tcase_add_test(tc, counted_as_they_were_started);
	suite_add_tcase(suite, tc);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
