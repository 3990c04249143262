/* test_kueue_wake.c - when parked workloads are tried again after a change of nodes,
 * flavors and topologies: whole runs. */
#include "sim/kueue/kueue_wake.h"

#include "tests/sim/objects_case.h"
#include "tests/sim/run_case.h"

#define KUEUE "apiVersion: kueue.x-k8s.io/v1beta2\n"
#define TOPOLOGY(annotations, levels)                                                              \
	"---\n" KUEUE "kind: Topology\nmetadata: {name: o, annotations: {" annotations             \
	"}}\nspec: {levels: [" levels "]}\n"
#define RACKS "{nodeLabel: rack}, {nodeLabel: kubernetes.io/hostname}"
#define FLAVOR_OF(name, annotations)                                                               \
	"---\n" KUEUE "kind: ResourceFlavor\nmetadata: {name: " name                               \
	", annotations: {" annotations "}}\nspec: {nodeLabels: {pool: other}, topologyName: o}\n"
#define FLAVOR(annotations, labels)                                                                \
	"---\n" KUEUE "kind: ResourceFlavor\nmetadata: {name: t, annotations: {" annotations       \
	"}}\nspec: {nodeLabels: {" labels "}, topologyName: o}\n"
#define QUEUE(name, flavor)                                                                        \
	"---\n" KUEUE "kind: ClusterQueue\nmetadata: {name: " name                                 \
	"}\nspec:\n  namespaceSelector: {}\n  resourceGroups:\n"                                   \
	"  - coveredResources: [nvidia.com/gpu]\n    flavors:\n    - name: " flavor                \
	"\n      resources: [{name: nvidia.com/gpu, nominalQuota: 8}]\n"                           \
	"---\n" KUEUE "kind: LocalQueue\nmetadata: {name: " name ", namespace: default}\n"         \
	"spec: {clusterQueue: " name "}\n"
#define NODE(name, at, rack)                                                                       \
	"---\napiVersion: v1\nkind: Node\nmetadata: {name: " name                                  \
	", labels: {pool: p, kubernetes.io/hostname: " name ", rack: " rack "}, annotations: {" at \
	"}}\nstatus: {allocatable: {nvidia.com/gpu: '4'}, "                                        \
	"conditions: [{type: Ready, status: 'True'}]}\n"
#define BARE(name, at)                                                                             \
	"---\napiVersion: v1\nkind: Node\nmetadata: {name: " name                                  \
	", labels: {pool: p, kubernetes.io/hostname: " name "}, annotations: {" at                 \
	"}}\nstatus: {allocatable: {nvidia.com/gpu: '4'}, "                                        \
	"conditions: [{type: Ready, status: 'True'}]}\n"
#define SHY(name, at, rack)                                                                        \
	"---\napiVersion: v1\nkind: Node\nmetadata: {name: " name                                  \
	", labels: {pool: p, kubernetes.io/hostname: " name ", rack: " rack "}, annotations: {" at \
	"}}\nspec: {taints: [{key: old, effect: PreferNoSchedule}]}\n"                             \
	"status: {allocatable: {nvidia.com/gpu: '4'}, "                                            \
	"conditions: [{type: Ready, status: 'True'}]}\n"
#define AT(seconds) "gqsim/at: '" seconds "'"
#define JOB(name, queue, at, gpus, seconds, wish)                                                  \
	"---\napiVersion: batch/v1\nkind: Job\nmetadata: {name: " name ", labels: {" queue         \
	"}, annotations: {gqsim/submit-at: '" at "', gqsim/duration: '" seconds                    \
	"'}}\nspec: {template: {metadata: {annotations: {" wish                                    \
	"}}, spec: {containers: [{name: c, resources: {limits: {nvidia.com/gpu: '" gpus            \
	"'}}}]}}}\n"
#define IN(queue) "kueue.x-k8s.io/queue-name: " queue
#define HOST	  "kueue.x-k8s.io/podset-required-topology: kubernetes.io/hostname"
#define ONE	  TOPOLOGY("", RACKS) FLAVOR("", "pool: p") QUEUE("q", "t")
#define BLOCKED                                                                                    \
	NODE("n0", "", "r0")                                                                       \
	JOB("v", IN("q"), "0", "4", "900", HOST) JOB("w", IN("q"), "1", "4", "10", HOST)

static const struct {
	const char *name, *text, *has;
} rows[] = {
	{"a node that comes: a second for its flavor, a second for the flush",
	 ONE BLOCKED NODE("n1", AT("50"), "r0"), "\n52 reserve w\n"},
	{"another one that comes meanwhile changes nothing in that",
	 ONE BLOCKED NODE("n1", AT("50"), "r0") NODE("n2", AT("50.5"), "r0"), "\n52 reserve w\n"},
	{"a node that lacks a level's label wakes nobody",
	 ONE QUEUE("p", "t") NODE("n0", "", "r0") JOB("v", IN("p"), "0", "4", "33", HOST)
		 JOB("w", IN("q"), "1", "4", "10", HOST) BARE("n1", AT("40"))
			 NODE("n2", AT("60"), "r0"),
	 "\n62 reserve w\n"},
	{"others' pods leave a node: at the next tenth second, then a second for the flush",
	 ONE NODE("n0", "", "r0") JOB("v", "a: b", "0", "4", "33", "")
		 JOB("w", IN("q"), "1", "4", "10", HOST),
	 "\n41 reserve w\n"},
	{"a flavor that other nodes suit now: the flush alone",
	 TOPOLOGY("", RACKS) FLAVOR("", "rack: r0") QUEUE("q", "t") BLOCKED NODE("n1", "", "r1")
		 FLAVOR(AT("50"), "pool: p"),
	 "\n51 reserve w\n"},
	{"a topology of other levels: likewise",
	 ONE BLOCKED NODE("n1", AT("50"), "r0")
		 TOPOLOGY(AT("50"), "{nodeLabel: kubernetes.io/hostname}"),
	 "\n51 reserve w\n"},
	{"of the same levels: none",
	 ONE BLOCKED NODE("n1", AT("50"), "r0") TOPOLOGY(AT("50"), RACKS), "\n52 reserve w\n"},
	{"a flavor that comes with a topology wakes the queues of others",
	 ONE BLOCKED NODE("n1", AT("50"), "r0") FLAVOR_OF("u", AT("50.2")), "\n51.2 reserve w\n"},
};

START_TEST(parked_workloads_are_tried_again)
{
	struct run_case c = run_case(rows[_i].text, "kueue");

	run_case_has(&c, rows[_i].has);
	run_case_free(&c);
}
END_TEST

#define ALIKE(name)                                                                                \
	"---\n" KUEUE "kind: ResourceFlavor\nmetadata: {name: " name                               \
	"}\nspec: {nodeLabels: {pool: p}, topologyName: o}\n"
#define OFFER(name) "    - {name: " name ", resources: [{name: nvidia.com/gpu, nominalQuota: 8}]}\n"

/* More flavors than jobs, and a head that goes on to the next of them in each cycle. */
static const char *const choosy = TOPOLOGY("", RACKS) ALIKE("a") ALIKE("b") ALIKE(
	"c") "---\n" KUEUE
	     "kind: ClusterQueue\nmetadata: {name: q}\nspec:\n  namespaceSelector: {}\n"
	     "  queueingStrategy: StrictFIFO\n"
	     "  flavorFungibility: {whenCanPreempt: TryNextFlavor}\n"
	     "  preemption: {withinClusterQueue: LowerOrNewerEqualPriority}\n"
	     "  resourceGroups:\n  - coveredResources: [nvidia.com/gpu]\n    flavors:\n" OFFER("a")
		     OFFER("b") OFFER(
			     "c") "---\n" KUEUE
				  "kind: LocalQueue\nmetadata: {name: q, namespace: default}\n"
				  "spec: {clusterQueue: q}\n" BLOCKED SHY("n0", AT("40"), "r0")
					  NODE("n1", AT("60"), "r0");

/* At 40 and 42 only, not at 41 when the flavors hear of the node. */
START_TEST(what_is_gathered_runs_no_cycle)
{
	struct run_case c = run_case(choosy, "kueue");
	const struct admission *got = NULL;
	const struct journal_record *r;
	struct journal_reader in;

	journal_open(&in, c.journal);
	while ((r = journal_next(&in)) != NULL) {
		if (r->kind == J_QUOTA_RESERVED && r->time > 0)
			got = &c.journal->admissions[r->arg];
	}
	ck_assert_ptr_nonnull(got);
	ck_assert_str_eq(
		scenario_string(c.s, c.s->flavors[got->pod_sets[0].flavors[0].flavor].name), "b");
	run_case_free(&c);
}
END_TEST

int main(void)
{
	TCase *t = tcase_create("all");

	tcase_add_test(t, what_is_gathered_runs_no_cycle);
	tcase_add_loop_test(t, parked_workloads_are_tried_again, 0, ROWS(rows));
	return objects_case_run("kueue_wake", t);
}
