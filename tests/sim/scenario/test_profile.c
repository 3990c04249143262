/* test_profile.c - pods of other schedulers: which node they get, and what they are told.
 * The expected values are worked out by hand from the plugins' arithmetic. */
#include "sim/scenario/profile.h"

#include <stdio.h>

#include "sim/engine/engine.h"
#include "tests/sim/constraint_case.h"

#define CONFIG(profile)                                                                            \
	"---\napiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"      \
	"profiles:\n- schedulerName: other\n" profile
#define PLUGINS(points)	 CONFIG("  plugins: {" points "}\n")
#define ARGS(name, args) CONFIG("  pluginConfig:\n  - {name: " name ", args: {" args "}}\n")
/* One pod of one CPU, by the other profile. */
#define POD(name, at, scheduler, gpus, labels, spec)                                               \
	"---\napiVersion: batch/v1\nkind: Job\nmetadata: {name: " name                             \
	", annotations: {gqsim/submit-at: '" at "', gqsim/duration: '1000'}}\nspec: {template: "   \
	"{metadata: {labels: {" labels                                                             \
	"}}, spec: {restartPolicy: Never, schedulerName: " scheduler                               \
	", containers: [{name: c, resources: {requests: {cpu: '1', memory: 4Gi}, limits: "         \
	"{nvidia.com/gpu: '" gpus "'}}}]" spec "}}}\n"
#define OTHER(spec) POD("p", "9", "other", "1", "app: p", spec)
#define FIRST	    POD("first", "0", "default-scheduler", "1", "app: x", "")
#define PRIORITY                                                                                   \
	"---\napiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {name: high}\n"     \
	"value: 10\n"
#define TWO_ZONES NODE("n0", ZONE ": a") NODE("n1", ZONE ": b")
#define ENFORCE                                                                                    \
	"addedAffinity: {" REQUIRED "{nodeSelectorTerms: [{matchExpressions: [{key: " ZONE         \
	", operator: In, values: [b]}]}]}}"

/* The first pod is on n0 of two equal nodes; where is the second? */
static const struct {
	const char *name, *text;
	const char *node; /* of p; NULL: none */
	const char *message;
} rows[] = {
	{"the default spreads", TWO_ZONES FIRST POD("p", "9", "default-scheduler", "1", "", ""),
	 "n1", NULL},
	{"its strategy packs",
	 TWO_ZONES FIRST OTHER("")
		 ARGS("NodeResourcesFit", "scoringStrategy: {type: MostAllocated, "
					  "resources: [{name: nvidia.com/gpu}]}"),
	 "n0", NULL},
	{"no scores: the first of equals",
	 TWO_ZONES FIRST OTHER("") PLUGINS("score: {disabled: [{name: '*'}]}"), "n0", NULL},
	/* Fit: n0 (14/16 + 56/64)*50 = 87 of 100 against 93 and balance 100 each; 5 times 6 is
	 * less than 100 of the preferred zone, twice 6 less than 100 * 1. */
	{"weights decide between room and preference",
	 TWO_ZONES FIRST OTHER(", affinity: {nodeAffinity: {" PREFERRED
			       "[{weight: 1, preference: {matchExpressions: [{key: " ZONE
			       ", operator: In, values: [a]}]}}]}}")
		 PLUGINS("score: {enabled: [{name: NodeResourcesFit, weight: 50}]}"),
	 "n1", NULL},
	{"without that weight the preference wins",
	 TWO_ZONES FIRST OTHER(", affinity: {nodeAffinity: {" PREFERRED
			       "[{weight: 1, preference: {matchExpressions: [{key: " ZONE
			       ", operator: In, values: [a]}]}}]}}") PLUGINS(""),
	 "n0", NULL},
	{"an added preference",
	 TWO_ZONES FIRST OTHER("")
		 ARGS("NodeAffinity", "addedAffinity: {" PREFERRED
				      "[{weight: 1, preference: {matchExpressions: [{key: " ZONE
				      ", operator: In, values: [a]}]}}]}"),
	 "n0", NULL},
	{"an added requirement",
	 TWO_ZONES POD("first", "0", "default-scheduler", "8", "", ", nodeSelector: {" ZONE ": b}")
		 OTHER("") ARGS("NodeAffinity", ENFORCE),
	 NULL,
	 "0/2 nodes are available: 1 Insufficient nvidia.com/gpu, 1 node(s) didn't match "
	 "scheduler-enforced node affinity. no new claims to deallocate, preemption: 0/2 nodes are "
	 "available: 1 No preemption victims found for incoming pod, 1 Preemption is not helpful "
	 "for scheduling."},
	{"who does not preempt",
	 PRIORITY NODE("n0", "a: b") POD("first", "0", "default-scheduler", "8", "", "") OTHER(
		 ", priorityClassName: high") PLUGINS("postFilter: {disabled: [{name: '*'}]}"),
	 NULL,
	 "0/1 nodes are available: 1 Insufficient nvidia.com/gpu. no new claims to deallocate"},
	{"no filter for taints",
	 "---\napiVersion: v1\nkind: Node\nmetadata: {name: n0}\nspec: {taints: [{key: a, effect: "
	 "NoSchedule}]}\n" NODE_STATUS OTHER("")
		 PLUGINS("filter: {disabled: [{name: TaintToleration}]}"),
	 "n0", NULL},
	{"no filter for pod affinity",
	 TWO_ZONES OTHER(NEAR(SELECTS("app: none") ", topologyKey: " ZONE))
		 PLUGINS("multiPoint: {disabled: [{name: InterPodAffinity}]}"),
	 "n0", NULL},
	{"no filter for spread",
	 NODE("n0", "a: b") OTHER(SPREAD("maxSkew: 1, topologyKey: " ZONE
					 ", whenUnsatisfiable: DoNotSchedule, " SELECTS("app: p")))
		 PLUGINS("filter: {disabled: [{name: PodTopologySpread}]}"),
	 "n0", NULL},
	/* first wants to be beside p: hardPodAffinityWeight 1 gives n0 2 * 100, which is more than
	 * the 6 of room; 0 gives nothing. */
	{"drawn by those that need it",
	 TWO_ZONES POD("first", "0", "default-scheduler", "1", "app: p",
		       NEAR(SELECTS("app: p") ", topologyKey: " ZONE)) OTHER("") PLUGINS(""),
	 "n0", NULL},
	{"not drawn",
	 TWO_ZONES POD("first", "0", "default-scheduler", "1", "app: p",
		       NEAR(SELECTS("app: p") ", topologyKey: " ZONE)) OTHER("")
		 ARGS("InterPodAffinity", "hardPodAffinityWeight: 0"),
	 "n1", NULL},
	{"nor with ignorePreferredTermsOfExistingPods",
	 TWO_ZONES POD("first", "0", "default-scheduler", "1", "app: p",
		       NEAR(SELECTS("app: p") ", topologyKey: " ZONE)) OTHER("")
		 ARGS("InterPodAffinity", "ignorePreferredTermsOfExistingPods: true"),
	 "n1", NULL},
};

START_TEST(placed_by_the_profile)
{
	struct scenario *s = objects_case_load(rows[_i].text);
	const char *node = NULL, *message = NULL;
	struct run_options options;
	struct journal *j = NULL;
	struct journal_reader in;
	const struct journal_record *r;
	struct err err = {0};

	options_default(&options);
	options.max_time = 10 * CLOCK_SECOND;
	ck_assert_int_eq(engine_run(s, policy_find("kubernetes"), &options, JOURNAL_FULL, &j, &err),
			 ERR_OK);
	journal_open(&in, j);
	while ((r = journal_next(&in)) != NULL) {
		if (r->time != 9 * CLOCK_SECOND)
			continue;
		if (r->kind == J_POD_SCHEDULED)
			node = scenario_string(s, s->nodes[r->arg].name);
		if (r->kind == J_POD_FAILED)
			message = journal_text(j, r->arg);
	}
	if (objects_case_findings(s) != 0)
		ck_abort_msg("%s: %s", rows[_i].name, scenario_string(s, s->findings[0].text));
	if (rows[_i].node == NULL) {
		ck_assert_msg(node == NULL, "%s: %s", rows[_i].name, node);
		ck_assert_str_eq(message, rows[_i].message);
	} else {
		ck_assert_msg(node != NULL, "%s: %s", rows[_i].name, message);
		ck_assert_msg(strcmp(node, rows[_i].node) == 0, "%s: %s", rows[_i].name, node);
	}
	journal_free(j);
	scenario_free(s);
}
END_TEST

#define WEB                                                                                        \
	"---\napiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec: {replicas: 1, "  \
	"selector: {matchLabels: {app: x}}, template: {metadata: {labels: {app: x}}, spec: "       \
	"{schedulerName: other, containers: [{name: c, resources: {limits: {nvidia.com/gpu: "      \
	"'1'}}}]}}}\n"

/* PodTopologySpread: the system's defaults, a list, or none. */
START_TEST(spread_defaults)
{
	struct scenario *s = objects_case_load(NODES WEB CONFIG(""));
	const struct pod_constraints *c = s->shapes[0].constraints;

	ck_assert_uint_eq(c->spread_count, 2);
	ck_assert(c->spreads[0].system);
	scenario_free(s);
	s = objects_case_load(NODES WEB ARGS(
		"PodTopologySpread",
		"defaultingType: List, defaultConstraints: [{maxSkew: 2, topologyKey: "
		"rack, whenUnsatisfiable: DoNotSchedule}]"));
	c = s->shapes[0].constraints;
	ck_assert_uint_eq(c->spread_count, 1);
	ck_assert(!c->spreads[0].system && c->spreads[0].hard);
	ck_assert_uint_eq(c->spreads[0].selector.match_labels.count, 2);
	scenario_free(s);
	s = objects_case_load(NODES WEB ARGS("PodTopologySpread", "defaultingType: List"));
	ck_assert_ptr_null(s->shapes[0].constraints);
	scenario_free(s);
}
END_TEST

START_TEST(unknown_schedulers_are_told_once)
{
	struct scenario *s =
		objects_case_load(NODES OTHER("") POD("q", "1", "other", "2", "app: p", ""));

	ck_assert_uint_eq(objects_case_findings(s), 1);
	ck_assert_ptr_nonnull(objects_case_finding(s, "schedulerName other: no"));
	ck_assert_ptr_eq(profile_of(s, &s->shapes[0]), &s->profiles[0]);
	scenario_free(s);
}
END_TEST

int main(void)
{
	TCase *t = tcase_create("all");

	tcase_add_loop_test(t, placed_by_the_profile, 0, ROWS(rows));
	tcase_add_test(t, spread_defaults);
	tcase_add_test(t, unknown_schedulers_are_told_once);
	return objects_case_run("profile", t);
}
