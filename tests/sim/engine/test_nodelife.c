#include "sim/engine/nodelife.h"

#include <stdio.h>

#include "sim/engine/audit.h"
#include "sim/engine/engine.h"
#include "sim/world/replay.h"
#include "tests/sim/objects_case.h"
#include "tests/support/fixture.h"

#define STATUS(ready)                                                                              \
	"status: {allocatable: {nvidia.com/gpu: '4'}, conditions: [{type: Ready, status: '" ready  \
	"'}]}\n"
#define HEAD(name, annotations)                                                                    \
	"---\napiVersion: v1\nkind: Node\nmetadata: {name: " name ", annotations: {" annotations   \
	"}}\n"
#define NODE(name)	   HEAD(name, "") STATUS("True")
#define AT(seconds)	   "gqsim/at: '" seconds "'"
#define BACK(name, at)	   HEAD(name, AT(at)) STATUS("True")
#define FAILS(name, at)	   HEAD(name, AT(at)) STATUS("False")
#define SILENT(name, at)   HEAD(name, AT(at)) STATUS("Unknown")
#define CORDONED(name, at) HEAD(name, AT(at)) "spec: {unschedulable: true}\n" STATUS("True")
#define DRAINED(name, at)  HEAD(name, AT(at) ", gqsim/drain: 'true'") STATUS("True")
#define TAINTED(name, at, effect)                                                                  \
	HEAD(name, AT(at))                                                                         \
	"spec: {taints: [{key: xid, value: '79', effect: " effect "}]}\n" STATUS("True")

/* pods of two GPUs each. */
#define JOB(name, pods, duration, spec)                                                            \
	"---\napiVersion: batch/v1\nkind: Job\nmetadata: {name: " name                             \
	", annotations: {gqsim/duration: '" duration "'}}\nspec: {parallelism: " pods              \
	", template: {spec: {containers: [{name: c, resources: {limits: {nvidia.com/gpu: "         \
	"'2'}}}]" spec "}}}\n"
#define TOLERATES(key, seconds)                                                                    \
	", tolerations: [{key: " key                                                               \
	", operator: Exists, effect: NoExecute, tolerationSeconds: " seconds "}]"

static const struct {
	const char *name, *text;
	int64_t grace_s;
	const char *journal; /* without submissions and creations */
	const char *why;     /* of the first eviction; NULL: none */
} rows[] = {
	{"a cordon lets run what runs",
	 NODE("n0") NODE("n1") CORDONED("n0", "10") JOB("a", "1", "50", ""), 0,
	 "0 bind a-0 n0\n0 start a\n10 update\n10 node\n50 finish a\n", NULL},
	{"a drain evicts; the pod comes back after the Job controller's back-off",
	 NODE("n0") NODE("n1") DRAINED("n0", "20") JOB("a", "1", "50", ""), 0,
	 "0 bind a-0 n0\n0 start a\n20 update\n20 node\n20 evict-pod a-0\n20 interrupt a\n"
	 "20 lost a 20\n30 bind a-0-r1 n1\n30 start a\n80 finish a\n",
	 "node drained"},
	{"with the grace period that victims of preemption have",
	 NODE("n0") NODE("n1") DRAINED("n0", "20") JOB("a", "1", "50", ""), 5,
	 "0 bind a-0 n0\n0 start a\n20 update\n20 node\n20 interrupt a\n20 lost a 20\n"
	 "25 evict-pod a-0\n35 bind a-0-r1 n1\n35 start a\n85 finish a\n",
	 "node drained"},
	{"one lost pod stops the gang; the other keeps its place",
	 NODE("n0") NODE("n1") NODE("n2") DRAINED("n1", "20") JOB("a", "3", "50", ""), 0,
	 "0 bind a-0 n0\n0 bind a-1 n0\n0 bind a-2 n1\n0 start a\n20 update\n20 node\n"
	 "20 evict-pod a-2\n20 interrupt a\n20 lost a 20\n30 bind a-2-r1 n2\n30 start a\n"
	 "80 finish a\n",
	 "node drained"},
	{"NoExecute evicts at once who does not tolerate it",
	 NODE("n0") NODE("n1") TAINTED("n0", "20", "NoExecute") JOB("a", "1", "50", ""), 0,
	 "0 bind a-0 n0\n0 start a\n20 update\n20 node\n20 evict-pod a-0\n20 interrupt a\n"
	 "20 lost a 20\n30 bind a-0-r1 n1\n30 start a\n80 finish a\n",
	 "taint xid=79:NoExecute"},
	{"NoSchedule evicts nobody",
	 NODE("n0") NODE("n1") TAINTED("n0", "20", "NoSchedule") JOB("a", "1", "50", ""), 0,
	 "0 bind a-0 n0\n0 start a\n20 update\n20 node\n50 finish a\n", NULL},
	{"who tolerates it for ever stays",
	 NODE("n0") NODE("n1") TAINTED("n0", "20", "NoExecute")
		 JOB("a", "1", "50", ", tolerations: [{key: xid, operator: Exists}]"),
	 0, "0 bind a-0 n0\n0 start a\n20 update\n20 node\n50 finish a\n", NULL},
	{"who tolerates it for 25 s stays so long, and works",
	 NODE("n0") TAINTED("n0", "20", "NoExecute") BACK("n0", "90")
		 JOB("a", "1", "50", TOLERATES("xid", "25")),
	 0,
	 "0 bind a-0 n0\n0 start a\n20 update\n20 node\n45 evict-pod a-0\n45 interrupt a\n"
	 "45 lost a 45\n55 bind a-0-r1 n0\n55 start a\n80 evict-pod a-0-r1\n80 interrupt a\n"
	 "80 lost a 25\n90 update\n90 node\n100 bind a-0-r2 n0\n100 start a\n150 finish a\n",
	 "taint xid=79:NoExecute"},
	{"or until the taint is gone",
	 NODE("n0") NODE("n1") TAINTED("n0", "20", "NoExecute") BACK("n0", "40")
		 JOB("a", "1", "50", TOLERATES("xid", "25")),
	 0, "0 bind a-0 n0\n0 start a\n20 update\n20 node\n40 update\n40 node\n50 finish a\n",
	 NULL},
	{"a node that fails stops its pods' job at once and loses them after 300 s",
	 NODE("n0") NODE("n1") FAILS("n0", "20") JOB("a", "1", "50", ""), 0,
	 "0 bind a-0 n0\n0 start a\n20 update\n20 node\n20 interrupt a\n20 lost a 20\n"
	 "320 evict-pod a-0\n330 bind a-0-r1 n1\n330 start a\n380 finish a\n",
	 "taint node.kubernetes.io/not-ready:NoExecute"},
	{"or after what they tolerate",
	 NODE("n0") NODE("n1") FAILS("n0", "20")
		 JOB("a", "1", "50", TOLERATES("node.kubernetes.io/not-ready", "30")),
	 0,
	 "0 bind a-0 n0\n0 start a\n20 update\n20 node\n20 interrupt a\n20 lost a 20\n"
	 "50 evict-pod a-0\n60 bind a-0-r1 n1\n60 start a\n110 finish a\n",
	 "taint node.kubernetes.io/not-ready:NoExecute"},
	{"a node that is not heard of has another taint",
	 NODE("n0") NODE("n1") SILENT("n0", "20")
		 JOB("a", "1", "50", TOLERATES("node.kubernetes.io/unreachable", "30")),
	 0,
	 "0 bind a-0 n0\n0 start a\n20 update\n20 node\n20 interrupt a\n20 lost a 20\n"
	 "50 evict-pod a-0\n60 bind a-0-r1 n1\n60 start a\n110 finish a\n",
	 "taint node.kubernetes.io/unreachable:NoExecute"},
	{"a node that is back in time starts its pods again",
	 NODE("n0") NODE("n1") FAILS("n0", "20") BACK("n0", "100") JOB("a", "3", "50", ""), 0,
	 "0 bind a-0 n0\n0 bind a-1 n0\n0 bind a-2 n1\n0 start a\n20 update\n20 node\n"
	 "20 interrupt a\n20 lost a 20\n100 update\n100 node\n100 start a\n150 finish a\n",
	 NULL},
};

static char *moves(const struct journal *j)
{
	char *all = fixture_print(j), *to = all;

	for (const char *line = all; *line != '\0';) {
		const char *kind = strchr(line, ' ') + 1, *next = strchr(line, '\n') + 1;

		if (strncmp(kind, "submit", 6) != 0 && strncmp(kind, "create", 6) != 0 &&
		    strncmp(kind, "fail", 4) != 0) {
			memmove(to, line, (size_t)(next - line));
			to += next - line;
		}
		line = next;
	}
	*to = '\0';
	return all;
}

static const char *first_why(const struct journal *j)
{
	struct journal_reader in;
	const struct journal_record *r;

	journal_open(&in, j);
	while ((r = journal_next(&in)) != NULL) {
		if (r->kind == J_POD_EVICTED)
			return journal_text(j, r->arg2);
	}
	return NULL;
}

START_TEST(story)
{
	static struct audit audit;
	struct scenario *s = objects_case_load(rows[_i].text);
	struct run_options options;
	struct journal *j = NULL;
	struct err err = {0};
	char text[AUDIT_TEXT];
	char *got;

	options_default(&options);
	options.grace = rows[_i].grace_s * CLOCK_SECOND;
	options.max_time = 300 * CLOCK_SECOND;
	if (strstr(rows[_i].journal, "320 ") != NULL)
		options.max_time = 1000 * CLOCK_SECOND;
	ck_assert_int_eq(engine_run(s, policy_find("kubernetes"), &options, JOURNAL_FULL, &j, &err),
			 ERR_OK);
	got = moves(j);
	ck_assert_msg(strcmp(got, rows[_i].journal) == 0, "%s:\n%s", rows[_i].name, got);
	if (rows[_i].why == NULL)
		ck_assert_ptr_null(first_why(j));
	else
		ck_assert_str_eq(first_why(j), rows[_i].why);
	ck_assert_msg(audit_check(j, &audit), "%s: %s", rows[_i].name,
		      audit_text(j, &audit.listed[0], text));
	free(got);
	journal_free(j);
	scenario_free(s);
}
END_TEST

/* A StatefulSet's pod on a node that is not heard of is made again once it is gone. */
#define SET(annotations)                                                                           \
	"---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: ResourceFlavor\nmetadata: {name: f}\n"     \
	"---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: ClusterQueue\nmetadata: {name: q}\n"       \
	"spec: {namespaceSelector: {}, resourceGroups: [{coveredResources: [nvidia.com/gpu], "     \
	"flavors: [{name: f, resources: [{name: nvidia.com/gpu, nominalQuota: 4}]}]}]}\n"          \
	"---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: LocalQueue\n"                              \
	"metadata: {name: q, namespace: default}\nspec: {clusterQueue: q}\n"                       \
	"---\napiVersion: apps/v1\nkind: StatefulSet\n"                                            \
	"metadata: {name: s, labels: {kueue.x-k8s.io/queue-name: q}}\nspec: {replicas: 1, "        \
	"template: {metadata: {annotations: {" annotations "}}, spec: {containers: [{name: c, "    \
	"resources: {limits: {nvidia.com/gpu: '2'}}}]}}}\n"
#define FORCED "kueue.x-k8s.io/safe-to-forcefully-delete: 'true'"
#define RECOVERY                                                                                   \
	"apiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\n"                         \
	"featureGates: {FailureRecoveryPolicy: true}\n"

static const struct {
	const char *name, *text, *policy;
	int64_t gone_s; /* -1: never */
} stranded[] = {
	{"for ever", NODE("n0") NODE("n1") SILENT("n0", "20") SET(""), "kueue", -1},
	{"until the node is back",
	 NODE("n0") NODE("n1") SILENT("n0", "20") BACK("n0", "500") SET(""), "kueue", 500},
	{"or drained", NODE("n0") NODE("n1") SILENT("n0", "20") DRAINED("n0", "600") SET(""),
	 "kueue", 600},
	{"the policy is off", NODE("n0") NODE("n1") SILENT("n0", "20") SET(FORCED), "kueue", -1},
	{"the pod does not have it", RECOVERY NODE("n0") NODE("n1") SILENT("n0", "20") SET(""),
	 "kueue", -1},
	{"by force, a minute after its grace period",
	 RECOVERY NODE("n0") NODE("n1") SILENT("n0", "20") SET(FORCED), "kueue", 410},
	{"by Kueue alone", RECOVERY NODE("n0") NODE("n1") SILENT("n0", "20") SET(FORCED),
	 "kubernetes", -1},
	{"its kubelet ends it", NODE("n0") NODE("n1") FAILS("n0", "20") SET(""), "kueue", 320},
};

START_TEST(stranded_pods)
{
	static struct audit audit;
	struct scenario *s = objects_case_load(stranded[_i].text);
	struct run_options options;
	struct journal *j = NULL;
	struct journal_reader in;
	const struct journal_record *r;
	struct err err = {0};
	int64_t gone = -1;

	options_default(&options);
	options.grace = 30 * CLOCK_SECOND;
	options.max_time = 1500 * CLOCK_SECOND; /* before Kueue evicts it */
	ck_assert_int_eq(
		engine_run(s, policy_find(stranded[_i].policy), &options, JOURNAL_FULL, &j, &err),
		ERR_OK);
	journal_open(&in, j);
	while ((r = journal_next(&in)) != NULL) {
		if (r->kind == J_POD_EVICTED)
			gone = r->time / CLOCK_SECOND;
		ck_assert(r->kind != J_POD_SCHEDULED || r->time == 0 ||
			  (gone >= 0 && r->time >= gone * CLOCK_SECOND));
	}
	ck_assert_msg(gone == stranded[_i].gone_s, "%s: gone at %lld", stranded[_i].name,
		      (long long)gone);
	ck_assert(audit_check(j, &audit));
	journal_free(j);
	scenario_free(s);
}
END_TEST

/* The GPUs of a failed node are no capacity and bound to nobody, though a pod still
 * holds its place there. */
START_TEST(a_failed_node_holds_nothing)
{
	static const struct {
		int64_t at_s, gpus, bound, running;
	} steps[] = {{0, 8, 6, 6}, {20, 4, 2, 0}, {100, 8, 4, 4}, {150, 8, 0, 0}};
	struct scenario *s = objects_case_load(NODE("n0") NODE("n1") FAILS("n0", "20") BACK(
		"n0", "100") JOB("pad", "1", "20", "") JOB("a", "2", "50", ""));
	struct run_options options;
	struct journal *j = NULL;
	struct err err = {0};
	struct replay *r;

	options_default(&options);
	ck_assert_int_eq(
		engine_run(s, policy_find("kubernetes"), &options, JOURNAL_FACTS, &j, &err),
		ERR_OK);
	r = replay_new(j);
	for (int i = 0; i < ROWS(steps); i++) {
		ck_assert(replay_step(r, CLOCK_NEVER));
		ck_assert_int_eq(r->now, steps[i].at_s * CLOCK_SECOND);
		ck_assert_int_eq(r->levels.gpus, steps[i].gpus);
		ck_assert_int_eq(r->levels.bound, steps[i].bound);
		ck_assert_int_eq(r->levels.running, steps[i].running);
	}
	ck_assert(!replay_step(r, CLOCK_NEVER));
	replay_free(r);
	journal_free(j);
	scenario_free(s);
}
END_TEST

START_TEST(a_drain_is_true_or_false)
{
	objects_case_fails(HEAD("n0", "gqsim/drain: 'yes'") STATUS("True"),
			   "t:4:49: Node \"n0\": annotation gqsim/drain: \"yes\" is neither "
			   "\"true\" nor \"false\"");
}
END_TEST

int main(void)
{
	TCase *t = tcase_create("all");

	tcase_add_loop_test(t, stranded_pods, 0, ROWS(stranded));
	tcase_add_loop_test(t, story, 0, ROWS(rows));
	tcase_add_test(t, a_failed_node_holds_nothing);
	tcase_add_test(t, a_drain_is_true_or_false);
	return objects_case_run("nodelife", t);
}
