/* test_kueue_cycle.c - whole scheduling cycles: the cases of spec KUEUE.md appendix A,
 * which were run on the real scheduler, and the traps of its section 11. Those that
 * need time are with the life cycle, others with the part that they are about.
 */
#include <check.h>
#include <string.h>

#include "core/mem.h"
#include "tests/support/kueue_story.h"

static const struct {
	const char *name, *items;
	bool fair;
	unsigned cycles;
	const char *want;
	const char *of, *status; /* part of what a workload is told; NULL */
} rows[] = {
	{"1 own queue before the cohort", "a[4] w=L r=A; a<h:4; b[4]; b<i:4; a?p:4@10", false, 1,
	 "preempt h p InClusterQueue; p heap", "p",
	 "4 more needed. Pending the preemption of 1 workload(s)"},
	{"2 more than nominal is not helped by preemption",
	 "a[4] w=L r=A; a<h:4; b[4]; b<i:4; a?p:5@10", false, 1, "p parked", "p",
	 "WaitingForQuota: couldn't assign flavors to pod set main: insufficient unused quota "
	 "for cpu in flavor f1, 5 more needed"},
	{"3 lent quota is reclaimed from who borrows",
	 "a[10] r=A; b[6,,2]; b<i:6; d[0]; d<j:2; "
	 "a?p:10@10",
	 false, 1, "preempt j p InCohortReclamation; p heap", NULL, NULL},
	{"4 preemption may stop the search", "a{f1[4] f2[4]} w=L in=-; a<h:4; a?p:4@10", false, 1,
	 "preempt h p InClusterQueue; p heap", NULL, NULL},
	{"5 borrowing stops the search", "a{f1[0] f2[4]}; b[4]; a?p:4", false, 1, "admit p f1",
	 NULL, NULL},
	{"5 unless it tries the next flavor", "a{f1[0] f2[4]} borrow=next; b[4]; a?p:4", false, 1,
	 "admit p f2", NULL, NULL},
	{"6 borrowing over preemption",
	 "a{f1[0] f2[4]} r=A borrow=next preempt=next; b{f1[4] f2[0]}; b<i:4!f2; a?p:4", false, 1,
	 "admit p f1", NULL, NULL},
	{"6 preemption over borrowing",
	 "a{f1[0] f2[4]} r=A borrow=next preempt=next prefer=P; b{f1[4] f2[0]}; b<i:4!f2; a?p:4",
	 false, 1, "preempt i p InCohortReclamation; p heap", NULL, NULL},
	{"7 a skipped head goes on with the next flavor", "a{f1[0] f2[4]}; b[4]; a?p:4@10; b?q:4#5",
	 false, 2, "admit q f1; admit p f2", NULL, NULL},
	{"8 count before peace", "a[4] w=L; a<h:1; a?p:4@10/2", false, 1,
	 "preempt h p InClusterQueue; p heap", NULL, NULL},
	{"9 fewer pods, still with preemption", "a[3] w=L in=-; a<h:1; a?p:4@10/2", false, 1,
	 "preempt h p InClusterQueue; p heap", NULL, NULL},
	{"10 who is not needed comes back", "a[4] w=L in=-; a<s1:1*20; a<s3:3*10; a?p:3@10", false,
	 1, "preempt s3 p InClusterQueue; p heap", NULL, NULL},
	{"11 the last victim never does", "a[7] w=L in=-; a<x:2*30; a<y:2*20; a<z:3*10; a?p:3@10",
	 false, 1, "preempt x p InClusterQueue; preempt y p InClusterQueue; p heap", NULL, NULL},
	{"12 over its nominal quota a queue takes its own",
	 "a[4] w=L r=L; a<x:2*20; a<y:2*10; b[0]; b<z:2; d[2]; a?p:2@10", false, 1,
	 "preempt x p InClusterQueue; p heap", NULL, NULL},
	{"13 and others' not at all if its own is enough",
	 "a[4] w=L r=L; a<x:2*20; a<y:1*10; b[0]; b<m:1; b<u:2; d[2]; a?p:2@10", false, 1,
	 "preempt x p InClusterQueue; p heap", NULL, NULL},
	{"14 another's victims are waited for", "a[2] r=A; b[2] r=A; d[0]; d<v:4; a?p:2; b?q:2#5",
	 false, 1, "preempt v p InCohortReclamation; p heap; q heap", "q",
	 "but will fit after these preemptions complete"},
	{"15 or others are found", "a[2] r=A; b[2] r=A; d[0]; d<v:2*10; d<w:2*20; a?p:2; b?q:2#5",
	 false, 1,
	 "preempt w p InCohortReclamation; preempt v q InCohortReclamation; p heap; q heap", NULL,
	 NULL},
	{"16 nominal quota before priority", "a[2]; b[0]; a?p:2#5; b?q:2@1000", false, 1,
	 "admit p f1; q heap", "q", "Workload no longer fits after processing another workload"},
	{"17 the nearer quota first",
	 "%c[2]; %k[2] in=c; k1[0] in=k; %m[0] in=c; m1[0] in=m; k1?p:2; m1?q:4@100", false, 1,
	 "admit p f1; q heap", NULL, NULL},
	{"18 equals park together", "a[2] in=-; a?x:3#1; a?y:3#2; a?z:3@1#3; a?w:1#4", false, 3,
	 "admit w f1; x parked; y parked; z parked", NULL, NULL},
	{"19 a blocked head keeps its quota from others",
	 "a[4] strict; a<h:3; b[0]; a?p:2; b?q:1#5", false, 1, "p heap; q heap", NULL, NULL},
	{"19 unless it can always reclaim", "a[4] strict r=A; a<h:3; b[0]; a?p:2; b?q:1#5", false,
	 1, "admit q f1; p heap", NULL, NULL},
	{"20 a blocked head keeps its quota, but only in that cycle",
	 "a[4] r=N; b[0]; b<i:2; a?p:4; b?q:1@100", false, 1, "p parked; q heap", "q",
	 "Workload no longer fits after processing another workload"},
	{"21 the threshold is inclusive", "a[1] r=L b=L:10; b[1]; b<h:4@10; d[2]; a?p:3@20", false,
	 1, "preempt h p InCohortReclaimWhileBorrowing; p heap", NULL, NULL},
	{"21 and no further", "a[1] r=L b=L:10; b[1]; b<h:4@11; d[2]; a?p:3@20", false, 1,
	 "p parked", NULL, NULL},
	{"22 a strict queue waits for its head", "a[4] strict in=-; a?p:5; a?q:1#5", false, 2,
	 "p heap; q heap", "p",
	 "ExceedsMaxQuota: couldn't assign flavors to pod set main: insufficient quota for cpu in "
	 "flavor f1, previously considered podsets requests (0) + current podset request (5) > "
	 "maximum capacity (4)"},
	{"23 newer equals may be preempted", "a[4] w=E in=-; a<h:4#30; a?p:4#20", false, 1,
	 "preempt h p InClusterQueue; p heap", NULL, NULL},
	{"23 older may not", "a[4] w=E in=-; a<h:4#10; a?p:4#20", false, 1, "p parked", NULL, NULL},
	{"28 nothing fits even into debt", "a[4] in=-; a<h:6; a?p:0", false, 1, "admit p f1", NULL,
	 NULL},
	{"30 the best of several victims",
	 "a{f1[4] f2[4] f3[1]} w=L in=- preempt=next; a<h:4@50; "
	 "a<i:4@0!f2; a?p:4@10",
	 false, 1, "preempt i p InClusterQueue; p heap", "p",
	 "insufficient quota for cpu in flavor f3, previously considered podsets requests (0) + "
	 "current podset request (4) > maximum capacity (1), insufficient unused quota for cpu in "
	 "flavor f1, 4 more needed, insufficient unused quota for cpu in flavor f2, 4 more needed"},
	{"31 fair: the second rule", "%c[12]; a[0] r=A; b[0]; b<h:12; a?p:8", true, 1,
	 "preempt h p InCohortFairSharing; p heap", NULL, NULL},
	{"32 fair: once a queue only", "%c[12]; a[0] r=A; b[0]; b<h:3; b<i:3; b<j:3; b<l:3; a?p:8",
	 true, 1, "p parked", NULL, NULL},
	{"33 fair: weight 0 has no claim", "%c[12]; a[0] r=A weight=0; b[0]; b<h:12; a?p:1", true,
	 1, "p parked", NULL, NULL},
	{"34 fair: nominal quota is no matter of shares",
	 "a[4] r=A weight=0.1; b[4] weight=100; b<h:8@100; a?p:4", true, 1,
	 "preempt h p InCohortReclamation; p heap", NULL, NULL},
	{"35 fair: cohorts are compared, not queues",
	 "%c[12]; %k[0] in=c; k1[0] in=k; k1<h:6; k2[0] in=k; z[0]; z<i:3; k2?p:3@100; z?q:3", true,
	 1, "admit q f1; p heap", NULL, NULL},
	{"35 classical: priority decides",
	 "%c[12]; %k[0] in=c; k1[0] in=k; k1<h:6; k2[0] in=k; z[0]; z<i:3; k2?p:3@100; z?q:3",
	 false, 1, "admit p f1; q heap", NULL, NULL},
	{"36 a cohort's quota is its queues' claim",
	 "%c[0]; %k[4] in=c; k1[0] in=k r=A; z[0]; z<h:4@50; k1?p:4", false, 1,
	 "preempt h p InCohortReclamation; p heap", NULL, NULL},
	{"39 one unit, two queues", "a[0]; b[0]; d[1]; a?p:1; b?q:1#5", false, 2,
	 "admit p f1; q parked", "q", "1 more needed"},
	{"trap 1: evicted is not released", "a[4] w=L in=-; a<h:4; a?p:4@9", false, 2,
	 "preempt h p InClusterQueue; p heap", "p",
	 "4 more needed. Pending the preemption of 1 workload(s)"},
	{"trap 3: what is not lent is out of others' reach", "a[10]; b[6,,2]; a?p:13; b?q:16#5",
	 false, 1, "admit q f1; p parked", "p", "maximum capacity (12)"},
	{"trap 4: lending 0 is not lending all", "a[0]; b[4,,0]; a?p:1", false, 1, "p parked", "p",
	 "maximum capacity (0)"},
	{"trap 4: no limit", "a[0]; b[4]; a?p:4", false, 1, "admit p f1", NULL, NULL},
	{"trap 5: borrowing counts from the queue's own part", "a[10,1]; a<h:8; b[3]; a?p:4", false,
	 1, "p parked", "p", "1 more needed"},
	{"trap 6: a cohort's quota is borrowed", "%c[4]; a[0]; b[1]; a?p:3@9; b?q:1#5", false, 1,
	 "admit q f1; admit p f1", NULL, NULL},
	{"trap 22: no candidates is worse than borrowing",
	 "%c{f1[0] f2[4]}; a{f1[4] f2[0]} w=L r=A b=L preempt=next; a<h:4@50; b{f1[0] f2[0]}; "
	 "b<j:4!f2; a?p:4@10",
	 false, 1, "preempt j p InCohortReclaimWhileBorrowing; p heap", NULL, NULL},
};

START_TEST(appendix_a)
{
	struct kueue_story *s = kueue_story_new(rows[_i].items, rows[_i].fair);

	ck_assert_msg(strcmp(kueue_story_run(s, rows[_i].cycles), rows[_i].want) == 0,
		      "%s:\n got %s\nwant %s", rows[_i].name, s->text, rows[_i].want);
	if (rows[_i].of != NULL)
		ck_assert_msg(strstr(kueue_story_status(s, rows[_i].of), rows[_i].status) != NULL,
			      "%s: %s is told %s", rows[_i].name, rows[_i].of, s->text);
	kueue_story_free(s);
}
END_TEST

/* Flavors f and g, queue q with the resource groups, LocalQueue q. */
#define WORLD(f, groups)                                                                           \
	"apiVersion: kueue.x-k8s.io/v1beta2\nkind: ResourceFlavor\nmetadata: {name: f}\n" f        \
	"---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: ResourceFlavor\nmetadata: {name: g}\n"     \
	"spec: {nodeLabels: {zone: b}}\n"                                                          \
	"---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: ClusterQueue\nmetadata: {name: q}\n"       \
	"spec:\n  namespaceSelector: {}\n"                                                         \
	"  preemption: {withinClusterQueue: LowerPriority}\n  resourceGroups:\n" groups            \
	"---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: LocalQueue\n"                              \
	"metadata: {name: q, namespace: default}\nspec: {clusterQueue: q}\n"                       \
	"---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: WorkloadPriorityClass\n"                   \
	"metadata: {name: high}\nvalue: 9\n"
#define GROUP(resources, flavors) "  - coveredResources: [" resources "]\n    flavors:\n" flavors
#define FLAVOR(name, quotas)	  "    - {name: " name ", resources: [" quotas "]}\n"
#define CPU(n)			  "{name: cpu, nominalQuota: " n "}"
#define MEMORY(n)		  "{name: memory, nominalQuota: " n "}"
#define TAINTED                                                                                    \
	"spec: {nodeLabels: {zone: b}, nodeTaints: [{key: spot, value: \"true\", "                 \
	"effect: NoSchedule}]}\n"
#define COLUMNS "name,namespace,queue,submit_s,duration_s,priority_class,pods,requests"

static const struct {
	const char *name, *yaml, *csv, *want; /* --pending */
} refusals[] = {
	{"25 all resources of a group are looked at",
	 WORLD("", GROUP("cpu, memory", FLAVOR("f", CPU("2") ", " MEMORY("1Gi")))),
	 COLUMNS "\np,default,q,0,9,,1,cpu=3;memory=2Gi\n",
	 "default/p,q,ExceedsMaxQuota,\"couldn't assign flavors to pod set main: insufficient "
	 "quota for cpu in flavor f, previously considered podsets requests (0) + current podset "
	 "request (3) > maximum capacity (2), insufficient quota for memory in flavor f, "
	 "previously considered podsets requests (0) + current podset request (2Gi) > maximum "
	 "capacity (1Gi)\"\n"},
	{"26 the first group that fails ends the look",
	 WORLD("", GROUP("cpu", FLAVOR("f", CPU("4"))) GROUP("memory", FLAVOR("g", MEMORY("1Gi")))),
	 COLUMNS "\np,default,q,0,9,,1,cpu=9;memory=2Gi\n",
	 "default/p,q,ExceedsMaxQuota,\"couldn't assign flavors to pod set main: insufficient "
	 "quota for memory in flavor g, previously considered podsets requests (0) + current "
	 "podset request (2Gi) > maximum capacity (1Gi)\"\n"},
	{"27 what no group covers", WORLD("", GROUP("cpu", FLAVOR("f", CPU("4")))),
	 COLUMNS
	 "\np,default,q,0,9,,1,nvidia.com/gpu=1\nz,default,q,1,9,,1,cpu=1;nvidia.com/gpu=0\n",
	 "default/p,q,NoMatchingFlavor,couldn't assign flavors to pod set main: resource "
	 "nvidia.com/gpu unavailable in ClusterQueue\n"},
	{"29 pod sets share what is there", WORLD("", GROUP("cpu", FLAVOR("f", CPU("10")))),
	 "name,namespace,queue,submit_s,duration_s,podsets\nh,default,q,0,endless,a:1:cpu=5\n"
	 "p,default,q,1,9,a:1:cpu=3|b:1:cpu=3\n",
	 "default/p,q,WaitingForQuota,\"couldn't assign flavors to pod set b: insufficient unused "
	 "quota for cpu in flavor f, 1 more needed\"\n"},
	{"37 selectors and taints",
	 WORLD(TAINTED, GROUP("cpu", FLAVOR("f", CPU("4")) FLAVOR("g", CPU("4")))),
	 COLUMNS ",node_selector\np,default,q,0,9,,1,cpu=1,zone=a\n",
	 "default/p,q,NoMatchingFlavor,\"couldn't assign flavors to pod set main: flavor g "
	 "doesn't match node affinity, untolerated taint {spot true NoSchedule <nil>} in flavor "
	 "f\"\n"},
	{"38 a flavor that does not know the key matches",
	 WORLD("", GROUP("cpu", FLAVOR("g", CPU("4")) FLAVOR("f", CPU("4")))),
	 COLUMNS ",node_selector\np,default,q,0,9,,1,cpu=1,zone=a\n"
		 "r,default,q,1,9,,1,cpu=4,disk=ssd\n",
	 ""},
	{"40 a missing flavor", WORLD("", GROUP("cpu", FLAVOR("h", CPU("4")))),
	 COLUMNS "\np,default,q,0,9,,1,cpu=1\n",
	 "default/p,q,Suspended,ClusterQueue q is inactive\n"},
	{"a request that is too large for a quantity is a number",
	 WORLD("", GROUP("cpu", FLAVOR("f", CPU("10")))),
	 COLUMNS "\np,default,q,0,9,,1,cpu=9223372036854776\n",
	 "default/p,q,ExceedsMaxQuota,\"couldn't assign flavors to pod set main: insufficient "
	 "quota for cpu in flavor f, previously considered podsets requests (0) + current podset "
	 "request (9223372036854775807m) > maximum capacity (10)\"\n"},
	{"nothing asked of a queue without groups, which Kueue takes for one of topologies",
	 WORLD("", GROUP("cpu",
			 FLAVOR("f", CPU("1")))) "---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: "
						 "ClusterQueue\nmetadata: {name: u}\n"
						 "spec: {namespaceSelector: {}}\n"
						 "---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: "
						 "LocalQueue\n"
						 "metadata: {name: u, namespace: default}\nspec: "
						 "{clusterQueue: u}\n",
	 COLUMNS "\np,default,u,0,9,,1,\n",
	 "default/p,u,NoMatchingFlavor,\"failed to assign flavors to pod set main: workload "
	 "requires Topology, but there is no TAS cache information\"\n"},
	{"trap 37: pods are not looked at again once victims are chosen",
	 WORLD("", GROUP("cpu, pods", FLAVOR("f", CPU("9") ", {name: pods, nominalQuota: 3}"))),
	 COLUMNS "\nx,default,q,0,endless,,1,cpu=1\ny,default,q,0,endless,,1,cpu=1\n"
		 "z,default,q,0,endless,,1,cpu=1\np,default,q,1,9,high,2,cpu=1\n",
	 "default/p,q,WaitingForQuota,Workload no longer fits after processing another workload\n"},
};

START_TEST(appendix_a_refusals)
{
	char *got = kueue_story_pending(refusals[_i].yaml, refusals[_i].csv);

	ck_assert_msg(strcmp(got, refusals[_i].want) == 0, "%s:\n got %s\nwant %s",
		      refusals[_i].name, got, refusals[_i].want);
	mem_free(got);
}
END_TEST

static const struct {
	const char *name, *yaml, *csv, *want; /* events */
} runs[] = {
	{"trap 14: who waits for its victims stays first",
	 WORLD("", GROUP("cpu",
			 FLAVOR("f", CPU("2")))) "---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: "
						 "WorkloadPriorityClass\n"
						 "metadata: {name: mid}\nvalue: 5\n",
	 COLUMNS "\nv,default,q,0,50,,1,cpu=2\np,default,q,10,8,mid,1,cpu=2\n"
		 "r,default,q,12,4,high,1,cpu=2\n",
	 "0,QuotaReserved,default/v,q,count=1;flavors=cpu:f;borrow=0\n"
	 "10,Preempted,default/v,q,reason=InClusterQueue;preemptor=default/p;preemptor_cq=q\n"
	 "15,Released,default/v,q,\n"
	 "15,QuotaReserved,default/p,q,count=1;flavors=cpu:f;borrow=0\n"
	 "15,Preempted,default/p,q,reason=InClusterQueue;preemptor=default/r;preemptor_cq=q\n"
	 "20,Released,default/p,q,\n"
	 "20,QuotaReserved,default/r,q,count=1;flavors=cpu:f;borrow=0\n"
	 "24,Finished,default/r,q,\n"
	 "25,QuotaReserved,default/p,q,count=1;flavors=cpu:f;borrow=0\n"
	 "33,Finished,default/p,q,\n"
	 "34,QuotaReserved,default/v,q,count=1;flavors=cpu:f;borrow=0\n"
	 "84,Finished,default/v,q,\n"},
	{"trap 36: who holds nothing of what is missing is no candidate",
	 WORLD("", GROUP("cpu, nvidia.com/gpu",
			 FLAVOR("f", CPU("9") ", {name: nvidia.com/gpu, nominalQuota: 1}"))),
	 COLUMNS "\nx,default,q,0,9,,1,nvidia.com/gpu=1\ny,default,q,1,9,,1,cpu=1\n"
		 "p,default,q,2,9,high,1,nvidia.com/gpu=1\n",
	 "0,QuotaReserved,default/x,q,count=1;flavors=nvidia.com/gpu:f;borrow=0\n"
	 "1,QuotaReserved,default/y,q,count=1;flavors=cpu:f;borrow=0\n"
	 "2,Preempted,default/x,q,reason=InClusterQueue;preemptor=default/p;preemptor_cq=q\n"
	 "7,Released,default/x,q,\n"
	 "7,QuotaReserved,default/p,q,count=1;flavors=nvidia.com/gpu:f;borrow=0\n"
	 "10,Finished,default/y,q,\n"
	 "16,Finished,default/p,q,\n"
	 "17,QuotaReserved,default/x,q,count=1;flavors=nvidia.com/gpu:f;borrow=0\n"
	 "26,Finished,default/x,q,\n"},
	/* Its first set stops at f, its second fits nowhere: so it comes again at once, to go on
	 * with g, but what it was told makes it begin anew. That it is told nothing new then ends
	 * the instant, and lets it go on in the next. */
	{"without the gate news of a workload makes its scan of the flavors begin anew",
	 "apiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\n"
	 "featureGates: {FlavorFungibilityPreserveScanProgress: false}\n---\n" WORLD(
		 "", GROUP("cpu", FLAVOR("f", CPU("2")) FLAVOR("g", CPU("0")))),
	 "name,namespace,queue,submit_s,duration_s,priority_class,pods,requests,podsets\n"
	 "a,default,q,0,9,high,,,a:1:cpu=1|b:1:cpu=2\nb,default,q,0,2,,1,cpu=1,\n"
	 "c,default,q,5,9,,1,cpu=9,\n",
	 "5,QuotaReserved,default/b,q,count=1;flavors=cpu:f;borrow=0\n7,Finished,default/b,q,\n"},
};

START_TEST(whole_runs)
{
	char *got = kueue_story_events(runs[_i].yaml, runs[_i].csv);

	ck_assert_msg(strcmp(got, runs[_i].want) == 0, "%s: got\n%s", runs[_i].name, got);
	mem_free(got);
}
END_TEST

/* What a cycle supposes is gone after it. */
START_TEST(usage_is_what_is_held)
{
	struct kueue_story *s = kueue_story_new("a[4] r=N; b[0]; b<i:2; a?p:4; b?q:1@100", false);
	uint32_t column = kueue_column(s->k, 0, RES_CPU);

	kueue_story_run(s, 3);
	ck_assert_int_eq(quota_at(&s->k->tree, kueue_story_queue(s, "a"), column)->usage, 0);
	ck_assert_int_eq(quota_at(&s->k->tree, kueue_story_queue(s, "b"), column)->usage, 3000);
	kueue_story_free(s);
}
END_TEST

/* The loop of one instant ends when the same heads come again (golden README). */
START_TEST(repetition_ends_the_loop)
{
	struct kueue_story *s = kueue_story_new("a[4] strict in=-; a?p:5", false);

	ck_assert(policy_kueue.cycle(s->k, &s->plan));
	ck_assert(policy_kueue.cycle(s->k, &s->plan)); /* now with a memory of the first */
	ck_assert(!policy_kueue.cycle(s->k, &s->plan));
	ck_assert_uint_eq(s->k->cycle, 3);
	kueue_story_free(s);
}
END_TEST

/* One host of 4 GPUs, 2 of them taken; queues of its flavor. */
#define TAS_QUEUE(name)                                                                            \
	"---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: ClusterQueue\nmetadata: {name: " name      \
	"}\nspec: {namespaceSelector: {}, cohortName: c, preemption: {withinClusterQueue: "        \
	"LowerPriority}, resourceGroups: [{coveredResources: [nvidia.com/gpu], flavors: [{name: "  \
	"t, resources: [{name: nvidia.com/gpu, nominalQuota: 8}]}]}]}\n---\napiVersion: "          \
	"kueue.x-k8s.io/v1beta2\nkind: LocalQueue\nmetadata: {name: " name                         \
	", namespace: default}\nspec: {clusterQueue: " name "}\n"
#define ONE_HOST                                                                                   \
	"apiVersion: v1\nkind: Node\nmetadata: {name: m, labels: {pool: p, "                       \
	"kubernetes.io/hostname: m}}\nstatus: {capacity: {nvidia.com/gpu: 4}}\n---\n"              \
	"apiVersion: kueue.x-k8s.io/v1beta2\nkind: Topology\nmetadata: {name: o}\n"                \
	"spec: {levels: [{nodeLabel: kubernetes.io/hostname}]}\n---\n"                             \
	"apiVersion: kueue.x-k8s.io/v1beta2\nkind: ResourceFlavor\nmetadata: {name: t}\n"          \
	"spec: {nodeLabels: {pool: p}, topologyName: o}\n" TAS_QUEUE("a") TAS_QUEUE("b")
#define PLACED                                                                                     \
	"name,namespace,queue,submit_s,duration_s,pods,requests,topology_mode,topology_level\n"
#define ON_HOST(row) row ",required,kubernetes.io/hostname\n"

/* x, of the other queue, is admitted before u in this cycle: u is assigned anew, and told of the
 * one GPU that is left then, not of the two at its nomination. */
START_TEST(assigned_anew_after_an_admission)
{
	char *got = kueue_story_told(
		ONE_HOST, PLACED ON_HOST("v,default,a,0,900,1,nvidia.com/gpu=2")
				  ON_HOST("x,default,a,1,900,1,nvidia.com/gpu=1")
					  ON_HOST("u,default,b,1,900,2,nvidia.com/gpu=2"));
	const char *first = strstr(got, "1,u,");

	ck_assert_msg(first != NULL &&
			      strstr(first, "doesn't allow to fit any of 2 pod(s)") != NULL,
		      "%s", got);
	ck_assert_msg(strstr(got, "allows to fit only 1 out of 2") == NULL, "%s", got);
	mem_free(got);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("sim/kueue/kueue_cycle");
	TCase *t = tcase_create("all");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_add_loop_test(t, appendix_a, 0, (int)(sizeof(rows) / sizeof(rows[0])));
	tcase_add_loop_test(t, appendix_a_refusals, 0,
			    (int)(sizeof(refusals) / sizeof(refusals[0])));
	tcase_add_loop_test(t, whole_runs, 0, (int)(sizeof(runs) / sizeof(runs[0])));
	tcase_add_test(t, assigned_anew_after_an_admission);
	tcase_add_test(t, usage_is_what_is_held);
	tcase_add_test(t, repetition_ends_the_loop);
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
