/* test_kueue_gates.c - each feature gate against the same story without it. */
#include "sim/scenario/kueue_gates.h"

#include <check.h>
#include <string.h>

#include "core/mem.h"
#include "sim/kueue/kueue_message.h"
#include "sim/kueue/kueue_tas.h"
#include "tests/sim/objects_case.h"
#include "tests/sim/topology_case.h"
#include "tests/support/kueue_story.h"

#define HOST "kubernetes.io/hostname"

/* --------------------------------------------------------- whole cycles */

static const struct {
	const char *gate, *items;
	bool fair;
	unsigned cycles;
	const char *as_usual, *as_set;
} stories[] = {
	{"PartialAdmission=false", "a[3] in=-; a?p:4/2", false, 1, "admit p f1 3", "p parked"},
	/* the first flavor that fits ends the search, borrowed or not ... */
	{"FlavorFungibility=false", "a{f1[0] f2[4]} borrow=next; b[4]; a?p:4", false, 1,
	 "admit p f2", "admit p f1"},
	/* ... and only that one does */
	{"FlavorFungibility=false", "a{f1[4] f2[4]} w=L in=-; a<h:4; a?p:4@10", false, 1,
	 "preempt h p InClusterQueue; p heap", "admit p f2"},
	/* p lost f1 to q, and looks at it again only without the gate */
	{"FlavorFungibilityPreserveScanProgress=false",
	 "a{f1[4] f2[4]} r=A; b[4]; d[0]; d<h:2; a?p:4#5; b?q:4#1", false, 2,
	 "admit q f1; admit p f2", "admit q f1; preempt h p InCohortReclamation; p heap"},
	{"PrioritySortingWithinCohort=false", "a[0]; b[0]; d[2]; a?p:2@9#5; b?q:2#1", false, 1,
	 "admit p f1; q heap", "admit q f1; p heap"},
	{"PrioritySortingWithinCohort=false", "a[0]; b[0]; d[2]; a?p:2@9#5; b?q:2#1", true, 1,
	 "admit p f1; q heap", "admit q f1; p heap"},
	{"FairSharingPreemptWithinNominal=false", "a[4] r=A; b[4]; b<h:8; a?p:4", true, 1,
	 "preempt h p InCohortReclamation; p heap", "preempt h p InCohortFairSharing; p heap"},
	/* a borrows much of f2 and nothing of f1, which is what it asks for */
	{"FairSharingPrioritizeNonBorrowing=false",
	 "a{f1[4] f2[0]}; a<h:6!f2; b{f1[0] f2[0]}; d{f1[0] f2[8]}; a?p:4; b?q:4#5", true, 1,
	 "admit p f1; q heap", "admit q f1; p heap"},
	{"RecomputeAssignmentUponPreemptionTargetsOverlap=false",
	 "a[2] r=A; b[2] r=A; d[0]; d<v:2*10; d<w:2*20; a?p:2; b?q:2#5", false, 1,
	 "preempt w p InCohortReclamation; preempt v q InCohortReclamation; p heap; q heap",
	 "preempt w p InCohortReclamation; p heap; q heap"},
	{"SchedulingEquivalenceHashing=false", "a[2] in=-; a?x:3#1; a?y:3#2; a?w:1#3", false, 2,
	 "admit w f1; x parked; y parked", "x parked; y parked; w heap"},
};

START_TEST(stories_differ)
{
	char items[512];
	struct kueue_story *s = kueue_story_new(stories[_i].items, stories[_i].fair);

	ck_assert_str_eq(kueue_story_run(s, stories[_i].cycles), stories[_i].as_usual);
	kueue_story_free(s);
	snprintf(items, sizeof(items), "%s; ^%s", stories[_i].items, stories[_i].gate);
	s = kueue_story_new(items, stories[_i].fair);
	ck_assert_str_eq(kueue_story_run(s, stories[_i].cycles), stories[_i].as_set);
	kueue_story_free(s);
}
END_TEST

/* The victim that borrowing took back stands behind who took it. */
START_TEST(victims_fall_behind)
{
	static const char items[] = "a[1] r=L b=L:10; b[1]; b<h:4@10; d[2]; a?p:3@20";
	char with[128];
	struct kueue_story *s = kueue_story_new(items, false);

	kueue_story_run(s, 1);
	ck_assert_int_eq(s->k->jobs[kueue_story_job(s, "h")].order, 0);
	kueue_story_free(s);
	snprintf(with, sizeof(with), "%s; ^PrioritySortingWithinCohort=false", items);
	s = kueue_story_new(with, false);
	kueue_story_run(s, 1);
	ck_assert_int_eq(s->k->jobs[kueue_story_job(s, "h")].order,
			 1000 * CLOCK_SECOND + CLOCK_SECOND / 1000);
	kueue_story_free(s);
}
END_TEST

/* p waits for its preemptions already. */
static const struct {
	const char *items;
	bool fair;
	const char *as_usual, *as_set;
} preemptors[] = {
	{"a[0]; b[0]; d[2]; a?p:2#5; b?q:2#1", false, "admit q f1; p heap", "admit p f1; q heap"},
	{"a[0]; b[0]; d[2]; a?p:2#5; b?q:2#1", true, "admit q f1; p heap", "admit p f1; q heap"},
	{"a[4] strict r=A; a<h:3; b[0]; a?p:2; b?q:1#5", false, "admit q f1; p heap",
	 "p heap; q heap"},
};

START_TEST(preemptors_come_first)
{
	for (int set = 0; set < 2; set++) {
		char items[256];
		struct kueue_story *s;

		snprintf(items, sizeof(items), "%s%s", preemptors[_i].items,
			 set ? "; ^PrioritizePreemptorWorkloads=true" : "");
		s = kueue_story_new(items, preemptors[_i].fair);
		s->k->queues[kueue_story_queue(s, "a")].preemptor = kueue_story_job(s, "p");
		ck_assert_str_eq(kueue_story_run(s, 1),
				 set ? preemptors[_i].as_set : preemptors[_i].as_usual);
		kueue_story_free(s);
	}
}
END_TEST

static const struct {
	const char *items, *as_usual, *as_set;
} reasons[] = {
	{"a[2] in=-; a<h:2; a?p:1", "WaitingForQuota: couldn't assign", "Pending: couldn't assign"},
	{"a[2] in=-; a?p:3", "ExceedsMaxQuota: couldn't assign", "Pending: couldn't assign"},
	{"a[2] w=L in=-; a<h:2; a?p:1@1", "WaitingForPreemptedWorkloads: ", "Pending: "},
};

START_TEST(reasons_are_plain)
{
	for (int set = 0; set < 2; set++) {
		const char *want = set ? reasons[_i].as_set : reasons[_i].as_usual, *got;
		char items[256];
		struct kueue_story *s;

		snprintf(items, sizeof(items), "%s%s", reasons[_i].items,
			 set ? "; ^UnadmittedWorkloadsObservability=false" : "");
		s = kueue_story_new(items, false);
		kueue_story_run(s, 1);
		got = kueue_story_status(s, "p");
		ck_assert_msg(strncmp(got, want, strlen(want)) == 0, "%s", got);
		ck_assert_str_eq(kueue_why_told(s->k, WHY_PODS_READY),
				 set ? "Waiting" : "WaitingForPodsReady");
		ck_assert_str_eq(kueue_why_told(s->k, WHY_SUSPENDED),
				 set ? "Inadmissible" : "Suspended");
		ck_assert_str_eq(kueue_why_told(s->k, WHY_MISCONFIGURED),
				 set ? "Inadmissible" : "Misconfigured");
		ck_assert_str_eq(kueue_why_told(s->k, WHY_REFUSED),
				 set ? "Pending" : "Misconfigured");
		ck_assert_str_eq(kueue_why_told(s->k, WHY_PENDING_EVALUATION),
				 set ? "Pending" : "PendingEvaluation");
		kueue_story_free(s);
	}
}
END_TEST

/* ----------------------------------------------------------- whole runs */

#define GATE(text)                                                                                 \
	"apiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\n"                         \
	"featureGates: {" text "}\n---\n"
#define SECOND_NODE                                                                                \
	"---\napiVersion: v1\nkind: Node\nmetadata: {name: o, labels: {pool: p, " HOST ": o}}\n"   \
	"status: {capacity: {nvidia.com/gpu: 1}}\n---\n"                                           \
	"apiVersion: kueue.x-k8s.io/v1beta2\nkind: ClusterQueue\nmetadata: {name: r}\nspec:\n"     \
	"  namespaceSelector: {}\n"                                                                \
	"  resourceGroups:\n  - coveredResources: [nvidia.com/gpu]\n    flavors:\n"                \
	"    - name: t\n      resources: [{name: nvidia.com/gpu, nominalQuota: 2}]\n---\n"         \
	"apiVersion: kueue.x-k8s.io/v1beta2\nkind: LocalQueue\n"                                   \
	"metadata: {name: r, namespace: default}\nspec: {clusterQueue: r}\n"
#define HEADER	 "name,namespace,queue,submit_s,duration_s,pods,requests\n"
#define TWO_PODS HEADER "a,default,q,0,50,2,nvidia.com/gpu=1\n"
/* One GPU each, on two nodes: at first everybody would take the same one. */
#define TWO_QUEUES                                                                                 \
	HEADER "a,default,q,0,50,1,nvidia.com/gpu=1\nb,default,q,0,50,1,nvidia.com/gpu=1\n"        \
	       "c,default,r,0,50,1,nvidia.com/gpu=1\n"
#define RESERVED(job, node)                                                                        \
	"0,QuotaReserved,default/" job ",count=1;flavors=nvidia.com/gpu:t;borrow=0;topology=" node \
	":1\n"

static const struct {
	const char *name, *yaml, *csv, *begins;
} runs[] = {
	{"the node is too small for the topology", STORY_TOPOLOGY, TWO_PODS, ""},
	{"without topologies quota is enough",
	 GATE("TopologyAwareScheduling: false") STORY_TOPOLOGY, TWO_PODS,
	 "0,QuotaReserved,default/a,q,count=2;flavors=nvidia.com/gpu:t;borrow=0\n"},
	{"who finds its node taken gets another one", STORY_TOPOLOGY SECOND_NODE, TWO_QUEUES,
	 RESERVED("a,q", "m") RESERVED("c,r", "o")},
	{"or waits, and the next comes before",
	 GATE("TASRecomputeAssignmentWithinSchedulingCycle: false") STORY_TOPOLOGY SECOND_NODE,
	 TWO_QUEUES, RESERVED("a,q", "m") RESERVED("b,q", "o")},
};

START_TEST(runs_begin)
{
	char *got = kueue_story_events(runs[_i].yaml, runs[_i].csv);

	ck_assert_msg(strncmp(got, runs[_i].begins, strlen(runs[_i].begins)) == 0 &&
			      (*got == '\0') == (*runs[_i].begins == '\0'),
		      "%s: got\n%s", runs[_i].name, got);
	mem_free(got);
}
END_TEST

/* ------------------------------------------------------------ placement */

static void set_gate(struct topology_case *c, const char *name, bool value)
{
	uint32_t *gate = mem_arena_alloc(c->s.arena, sizeof(*gate));
	bool *on = mem_arena_alloc(c->s.arena, sizeof(*on));

	*gate = case_string(c, name);
	*on = value;
	c->s.config.gates = gate;
	c->s.config.gate_values = on;
	c->s.config.gate_count = 1;
}

/* Pods that like the pool "good" most, in a topology of racks and hosts. */
static void place(struct topology_case *c, enum topology_mode mode, const char *level,
		  uint32_t count, char *out)
{
	uint32_t good = case_string(c, "good");
	struct match_expression in = {
		.key = case_string(c, "pool"), .op = MATCH_IN, .values = &good, .value_count = 1};
	struct node_term term = {.expressions = &in, .expression_count = 1};
	int32_t weight = 10;
	struct pod_constraints likes = {
		.preferred = &term, .weights = &weight, .preferred_count = 1};
	struct pod_shape shape = c->gpu;
	struct kueue_tas *tas = kueue_tas_new(c->t);
	struct kueue_tas_set set;

	shape.constraints = &likes;
	shape.topology_mode = mode;
	shape.topology_level = level == NULL ? NAME_NONE : case_string(c, level);
	set = kueue_tas_request(&shape);
	set.count = count;
	*out = '\0';
	if (!kueue_tas_place(tas, &set, 1, false))
		strcpy(out, "none");
	for (uint32_t i = 0; i < set.spot_count; i++)
		sprintf(out + strlen(out), "%s%s:%u", i > 0 ? " " : "",
			kueue_topology_place(c->t, tas->spots[i].place), tas->spots[i].pods);
	kueue_tas_free(tas);
}

static const struct {
	const char *gate;
	bool on;
	enum topology_mode mode;
	const char *level;
	uint32_t count;
	struct case_row rows[5];
	const char *as_usual, *as_set;
} placements[] = {
	/* least free first, or as few as can be */
	{"TASProfileMixed",
	 false,
	 TOPOLOGY_UNCONSTRAINED,
	 NULL,
	 5,
	 {{.values = "r/a", .gpus = 4}, {.values = "r/b", .gpus = 2}, {.values = "r/c", .gpus = 1}},
	 "a:2 b:2 c:1",
	 "a:4 c:1"},
	{"TASRespectNodeAffinityPreferred",
	 true,
	 TOPOLOGY_PREFERRED,
	 "rack",
	 2,
	 {{.values = "r/a", .gpus = 2}, {.values = "s/b", .gpus = 4, .pool = "good"}},
	 "a:2",
	 "b:2"},
	/* the rack that is liked is too small */
	{"TASRespectNodeAffinityPreferred",
	 true,
	 TOPOLOGY_REQUIRED,
	 "rack",
	 3,
	 {{.values = "r/a", .gpus = 4}, {.values = "s/b", .gpus = 2, .pool = "good"}},
	 "a:3",
	 "a:3"},
	/* the host that is liked, though another one is the better fit */
	{"TASRespectNodeAffinityPreferred",
	 true,
	 TOPOLOGY_UNCONSTRAINED,
	 NULL,
	 1,
	 {{.values = "r/a", .gpus = 1}, {.values = "r/b", .gpus = 3, .pool = "good"}},
	 "a:1",
	 "b:1"},
};

START_TEST(pods_go_elsewhere)
{
	struct topology_case c;
	char got[128];

	case_open(&c, "rack " HOST, placements[_i].rows);
	place(&c, placements[_i].mode, placements[_i].level, placements[_i].count, got);
	ck_assert_str_eq(got, placements[_i].as_usual);
	set_gate(&c, placements[_i].gate, placements[_i].on);
	place(&c, placements[_i].mode, placements[_i].level, placements[_i].count, got);
	ck_assert_str_eq(got, placements[_i].as_set);
	case_close(&c);
}
END_TEST

/* Both flavors have the one host; the second pod set goes to the second flavor. */
START_TEST(flavors_share_hosts)
{
	static const struct case_row rows[] = {{.values = "a", .gpus = 3}, {.values = NULL}};
	struct topology_case c;
	struct kueue_tas *tas;

	for (int shared = 1; shared >= 0; shared--) {
		struct kueue_tas_set sets[2];

		case_open(&c, HOST, rows);
		set_gate(&c, "TASHandleOverlappingFlavors", shared);
		kueue_topology_free(c.t);
		c.t = kueue_topology_new(&c.s, CASE_TREES);
		case_build(&c);
		tas = kueue_tas_new(c.t);
		sets[0] = sets[1] = kueue_tas_request(&c.gpu);
		sets[0].count = sets[1].count = 2;
		sets[0].tree = 0;
		sets[1].tree = 1;
		ck_assert(kueue_tas_place(tas, sets, 2, false) == !shared);
		kueue_topology_use(c.t, 0, case_place(&c, "a"), &c.gpu, 2);
		ck_assert_int_eq(kueue_topology_left(c.t, 1, 0, RES_GPU, false), shared ? 1 : 3);
		kueue_tas_free(tas);
		case_close(&c);
	}
}
END_TEST

/* -------------------------------------------------------- configuration */

#define CONFIG "apiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\n"

static bool shares(const struct kueue_config *c)
{
	return c->admission_fair_sharing;
}

static bool waits(const struct kueue_config *c)
{
	return c->wait_for_pods_ready;
}

static bool ignores(const struct kueue_config *c)
{
	return c->ignore_undeclared;
}

static const struct {
	bool (*of)(const struct kueue_config *c);
	const char *yaml, *gate;
} limits[] = {
	{shares, "admissionFairSharing: {usageHalfLifeTime: 1m, usageSamplingInterval: 1m}\n",
	 "AdmissionFairSharing: false"},
	{waits, "waitForPodsReady: {timeout: 5m}\n", "DisableWaitForPodsReady: true"},
	{ignores, "resources: {quotaCheckStrategy: IgnoreUndeclared}\n",
	 "QuotaCheckStrategy: false"},
};

START_TEST(configurations_are_limited)
{
	char yaml[512];
	struct scenario *s;

	snprintf(yaml, sizeof(yaml), CONFIG "%s", limits[_i].yaml);
	s = objects_case_load(yaml);
	ck_assert(limits[_i].of(&s->config));
	scenario_free(s);
	snprintf(yaml, sizeof(yaml), CONFIG "%sfeatureGates: {%s}\n", limits[_i].yaml,
		 limits[_i].gate);
	s = objects_case_load(yaml);
	ck_assert(!limits[_i].of(&s->config));
	ck_assert_uint_eq(s->finding_count, 0);
	scenario_free(s);
}
END_TEST

/* The class "default" is that of workloads whose jobs name none. */
static const struct {
	const char *class;
	int32_t as_usual, as_set, pods;
} priorities[] = {
	{"", 50, 0, 0},
	{", priorityClass: gold", 500, 500, 0},
	{", priorityClass: pods", 50, 7, 7},
};

START_TEST(classes_by_default)
{
	for (int set = 0; set < 2; set++) {
		char yaml[1024];
		struct scenario *s;

		snprintf(yaml, sizeof(yaml),
			 "%sapiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\n"
			 "metadata: {name: pods}\nvalue: 7\n---\n"
			 "apiVersion: kueue.x-k8s.io/v1beta2\nkind: WorkloadPriorityClass\n"
			 "metadata: {name: default}\nvalue: 50\n---\n"
			 "apiVersion: kueue.x-k8s.io/v1beta2\nkind: WorkloadPriorityClass\n"
			 "metadata: {name: gold}\nvalue: 500\n---\n"
			 "apiVersion: gqsim/v1\nkind: Simulation\n"
			 "jobs: [{name: a, duration: 1%s}]\n",
			 set ? GATE("WorkloadPriorityClassDefaulting: false") : "",
			 priorities[_i].class);
		s = objects_case_load(yaml);
		ck_assert_int_eq(s->jobs[0].common->priority,
				 set ? priorities[_i].as_set : priorities[_i].as_usual);
		ck_assert_int_eq(s->jobs[0].common->pod_priority, priorities[_i].pods);
		scenario_free(s);
	}
}
END_TEST

static const struct {
	const char *gate;
	const char *words; /* of the finding; NULL: none */
	enum finding_kind kind;
} findings[] = {
	{"PartialAdmision: false",
	 "featureGates.PartialAdmision: is no feature gate of Kueue, which would not start with "
	 "it; "
	 "it is ignored; did you mean PartialAdmission?",
	 FINDING_WARNING},
	{"Xyzzy: true", "which would not start with it; it is ignored", FINDING_WARNING},
	{"ConcurrentAdmission: true", NULL, FINDING_NOTE},
	{"VectorizedResourceRequests: false", NULL, FINDING_NOTE},
	{"TASFailedNodeReplacement: false",
	 "featureGates: Kueue would not start: TASFailedNodeReplacement, which is off, is needed "
	 "by TASFailedNodeReplacementFailFast, TASReplaceNodeOnPodTermination: switch off these, "
	 "too",
	 FINDING_WARNING},
	{"TASFailedNodeReplacement: false, TASFailedNodeReplacementFailFast: false, "
	 "TASReplaceNodeOnPodTermination: false",
	 NULL, FINDING_NOTE},
	{"TopologyAwareScheduling: false",
	 "TopologyAwareScheduling, which is off, is needed by TASFailedNodeReplacement, "
	 "TASFailedNodeReplacementFailFast, TASHandleOverlappingFlavors, TASMultiLayerTopology, "
	 "TASProfileMixed, TASRecomputeAssignmentWithinSchedulingCycle, "
	 "TASReplaceNodeOnNodeTaints, TASReplaceNodeOnPodTermination: switch off these, too",
	 FINDING_WARNING},
	{"UnadmittedWorkloadsExplicitStatus: true, UnadmittedWorkloadsObservability: false, "
	 "FlavorFungibility: false",
	 "FlavorFungibility, which is off, is needed by FlavorFungibilityPreserveScanProgress; "
	 "UnadmittedWorkloadsObservability, which is off, is needed by "
	 "UnadmittedWorkloadsExplicitStatus",
	 FINDING_WARNING},
	{"AllBeta: true", NULL, FINDING_NOTE},
	{"AllAlpha: false", NULL, FINDING_NOTE},
	{"TASProfileMixed: false", NULL, FINDING_NOTE},
	{"LocalQueueMetrics: false", NULL, FINDING_NOTE},
};

START_TEST(gates_are_told_of)
{
	char yaml[256];
	struct scenario *s;

	snprintf(yaml, sizeof(yaml), CONFIG "featureGates: {%s}\n", findings[_i].gate);
	s = objects_case_load(yaml);
	ck_assert_uint_eq(s->finding_count, findings[_i].words != NULL);
	if (findings[_i].words != NULL) {
		ck_assert_msg(objects_case_finding(s, findings[_i].words) != NULL, "%s",
			      objects_case_text(s, s->findings[0].text));
		ck_assert_int_eq(s->findings[0].kind, findings[_i].kind);
	}
	scenario_free(s);
}
END_TEST

/* A group sets what is not set by name, wherever it stands. */
static const struct {
	const char *gates;
	bool boosts, keeps, explicit_status, over_time;
} groups[] = {
	{"", false, true, false, false},
	{"AllAlpha: true", true, true, false, false},
	{"AllAlpha: true, PriorityBoost: false", false, true, false, false},
	{"PriorityBoost: false, AllAlpha: true", false, true, false, false},
	{"AllBeta: true", false, true, true, false},
	{"AllBeta: false, AllAlpha: true", true, false, false, false},
	{"PartialAdmission: true, AllBeta: false", false, true, false, false},
	{"TASReplaceNodeDueToNotReadyOverFixedTime: true", false, true, false, true},
};

START_TEST(groups_set_the_rest)
{
	char yaml[256];
	struct scenario *s;
	struct kueue_gates got;

	snprintf(yaml, sizeof(yaml), CONFIG "featureGates: {%s}\n", groups[_i].gates);
	s = objects_case_load(yaml);
	got = kueue_gates_read(&s->config, s->strings);
	ck_assert(got.boosts_priority == groups[_i].boosts);
	ck_assert(got.partial_admission == groups[_i].keeps);
	ck_assert(got.explicit_status == groups[_i].explicit_status);
	ck_assert(got.fails_over_time == groups[_i].over_time);
	scenario_free(s);
}
END_TEST

/* The API server refuses what asks for a feature that is off. */
START_TEST(layers_are_refused)
{
	static const char job[] =
		"apiVersion: batch/v1\nkind: Job\nmetadata: {name: a}\nspec:\n  parallelism: 4\n"
		"  template:\n    metadata:\n      annotations:\n"
		"        kueue.x-k8s.io/podset-slice-required-topology-constraints: "
		"'[{topology: rack, size: 2}]'\n"
		"    spec: {containers: [{name: c, resources: {limits: {nvidia.com/gpu: 1}}}]}\n"
		"---\n" CONFIG;
	char yaml[1024];
	struct objects_case c = objects_case(job);

	ck_assert_int_eq(c.code, ERR_OK);
	scenario_free(c.s);
	snprintf(yaml, sizeof(yaml), "%sfeatureGates: {TASMultiLayerTopology: false}\n", job);
	c = objects_case(yaml);
	ck_assert_int_eq(c.code, ERR_VALUE);
	ck_assert_msg(strstr(c.message, "t:9:") != NULL && strstr(c.message, "must be on") != NULL,
		      "%s", c.message);
}
END_TEST

START_TEST(kinds_and_defaults)
{
	bool on = false;

	ck_assert_int_eq(kueue_gates_kind("PartialAdmission", &on), GATE_FOLLOWED);
	ck_assert(on);
	ck_assert_int_eq(kueue_gates_kind("ConcurrentAdmission", &on), GATE_FOLLOWED);
	ck_assert(!on);
	ck_assert_int_eq(kueue_gates_kind("VisibilityOnDemand", &on), GATE_OUTSIDE);
	ck_assert(on);
	ck_assert_int_eq(kueue_gates_kind("partialadmission", &on), GATE_UNKNOWN);
}
END_TEST

#define LOOP(test, rows) tcase_add_loop_test(t, test, 0, ROWS(rows))

int main(void)
{
	TCase *t = tcase_create("all");

	LOOP(stories_differ, stories);
	tcase_add_test(t, victims_fall_behind);
	LOOP(preemptors_come_first, preemptors);
	LOOP(reasons_are_plain, reasons);
	LOOP(runs_begin, runs);
	LOOP(pods_go_elsewhere, placements);
	tcase_add_test(t, flavors_share_hosts);
	LOOP(configurations_are_limited, limits);
	LOOP(classes_by_default, priorities);
	LOOP(gates_are_told_of, findings);
	LOOP(groups_set_the_rest, groups);
	tcase_add_test(t, layers_are_refused);
	tcase_add_test(t, kinds_and_defaults);
	return objects_case_run("sim/scenario/kueue_gates", t);
}
