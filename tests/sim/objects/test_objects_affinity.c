#include "sim/objects/objects_affinity.h"

#include <stdio.h>

#include "tests/sim/constraint_case.h"

#define POD_TEXT(spec) NODES JOB("a", "2", "app: x, run: r1", spec)

static const struct pod_constraints *constraints(const struct scenario *s, uint32_t job)
{
	return s->shapes[s->pod_sets[s->jobs[job].common->first_pod_set].shape].constraints;
}

static const struct label_set *labels(const struct scenario *s, uint32_t job)
{
	return &s->pod_labels[s->job_labels[job] - 1];
}

static bool labelled(const struct scenario *s, uint32_t job, const char *key, const char *value)
{
	return label_value(labels(s, job), objects_case_string(s, key)) ==
	       objects_case_string(s, value);
}

START_TEST(node_preferences)
{
	struct scenario *s = objects_case_load(
		POD_TEXT(", affinity: {nodeAffinity: {" PREFERRED
			 "[{weight: 80, preference: {matchExpressions: [{key: disk, operator: In, "
			 "values: [fast]}]}}, {weight: 1, preference: {matchFields: [{key: "
			 "metadata.name, operator: In, values: [n1]}]}}]}}"));
	const struct pod_constraints *c = constraints(s, 0);

	ck_assert_uint_eq(c->preferred_count, 2);
	ck_assert_int_eq(c->weights[0], 80);
	ck_assert_int_eq(c->weights[1], 1);
	ck_assert_uint_eq(c->preferred[0].expression_count, 1);
	ck_assert_uint_eq(c->preferred[1].field_count, 1);
	ck_assert_uint_eq(c->term_count, 0);
	scenario_free(s);
}
END_TEST

START_TEST(pod_terms)
{
	struct scenario *s =
		objects_case_load(POD_TEXT(", affinity: {podAffinity: {" REQUIRED "[{" SELECTS(
			"app: x") ", topologyKey: " ZONE "}]}, podAntiAffinity: {" REQUIRED
				  "[{" SELECTS(
					  "app: m") ", topologyKey: " HOST
						    ", namespaces: [ml]}], " PREFERRED
						    "[{weight: 7, podAffinityTerm: "
						    "{namespaceSelector: {}, topologyKey: " ZONE
						    "}}]}}"));
	const struct pod_constraints *c = constraints(s, 0);

	ck_assert_uint_eq(c->term_count, 3);
	ck_assert(!c->terms[0].anti && c->terms[1].anti && c->terms[2].anti);
	ck_assert_int_eq(c->terms[0].weight, 0);
	ck_assert_int_eq(c->terms[2].weight, 7);
	ck_assert_str_eq(scenario_string(s, c->terms[1].topology_key), HOST);
	ck_assert_uint_eq(c->terms[1].namespace_count, 1);
	ck_assert(!c->terms[1].namespace_selector.present);
	ck_assert(c->terms[2].namespace_selector.present && !c->terms[2].selector.present);
	scenario_free(s);
}
END_TEST

START_TEST(spread_constraints)
{
	struct scenario *s = objects_case_load(POD_TEXT(SPREAD(
		"maxSkew: 2, topologyKey: " ZONE
		", whenUnsatisfiable: DoNotSchedule, minDomains: 3, "
		"nodeAffinityPolicy: Ignore, nodeTaintsPolicy: Honor}, {maxSkew: 1, "
		"topologyKey: " ZONE ", whenUnsatisfiable: ScheduleAnyway, " SELECTS("app: x"))));
	const struct pod_constraints *c = constraints(s, 0);

	ck_assert_uint_eq(c->spread_count, 2);
	ck_assert(c->spreads[0].hard && !c->spreads[1].hard);
	ck_assert_int_eq(c->spreads[0].max_skew, 2);
	ck_assert_int_eq(c->spreads[0].min_domains, 3);
	ck_assert(c->spreads[0].ignores_affinity && c->spreads[0].honors_taints);
	ck_assert_int_eq(c->spreads[1].min_domains, 1);
	ck_assert(!c->spreads[1].ignores_affinity && !c->spreads[1].honors_taints);
	ck_assert(!c->spreads[1].system);
	scenario_free(s);
}
END_TEST

/* matchLabelKeys and mismatchLabelKeys: as if the values stood in the selector. */
START_TEST(own_labels_go_into_the_selector)
{
	struct scenario *s = objects_case_load(POD_TEXT(
		FAR(SELECTS("app: x") ", topologyKey: " HOST ", matchLabelKeys: [run, absent], "
				      "mismatchLabelKeys: [app]")));
	const struct label_selector *selector = &constraints(s, 0)->terms[0].selector;

	ck_assert_uint_eq(selector->expression_count, 2);
	ck_assert_int_eq(selector->expressions[0].op, MATCH_IN);
	ck_assert_str_eq(scenario_string(s, selector->expressions[0].key), "run");
	ck_assert_str_eq(scenario_string(s, selector->expressions[0].values[0]), "r1");
	ck_assert_int_eq(selector->expressions[1].op, MATCH_NOT_IN);
	ck_assert_str_eq(scenario_string(s, selector->expressions[1].values[0]), "x");
	scenario_free(s);
}
END_TEST

START_TEST(controllers_label_their_pods)
{
	struct scenario *s = objects_case_load(NODES JOB(
		"a", "1", "app: x",
		"") "---\napiVersion: apps/v1\nkind: Deployment\nmetadata: {name: d}\nspec: "
		    "{selector: "
		    "{matchLabels: {app: d}}, template: {metadata: {labels: {app: d}}, spec: "
		    "{containers: [{name: c, resources: {limits: {nvidia.com/gpu: 1}}}]}}}\n"
		    "---\napiVersion: v1\nkind: Pod\nmetadata: {name: p, labels: {app: p}}\nspec: "
		    "{containers: [{name: c, resources: {limits: {nvidia.com/gpu: 1}}}]}\n");
	const struct pod_constraints *c = constraints(s, 1);

	ck_assert(labelled(s, 0, "app", "x"));
	ck_assert(labelled(s, 0, "job-name", "a"));
	ck_assert(labelled(s, 0, "batch.kubernetes.io/job-name", "a"));
	ck_assert(labelled(s, 1, "pod-template-hash", "d"));
	ck_assert(labelled(s, 2, "app", "p"));
	ck_assert_ptr_null(constraints(s, 0));
	ck_assert_ptr_null(constraints(s, 2));
	/* What kube-scheduler adds for pods of a ReplicaSet. */
	ck_assert_uint_eq(c->spread_count, 2);
	ck_assert_int_eq(c->spreads[0].max_skew, 3);
	ck_assert_str_eq(scenario_string(s, c->spreads[0].topology_key), HOST);
	ck_assert_int_eq(c->spreads[1].max_skew, 5);
	ck_assert_str_eq(scenario_string(s, c->spreads[1].topology_key), ZONE);
	ck_assert(c->spreads[0].system && !c->spreads[0].hard);
	ck_assert_uint_eq(c->spreads[0].selector.match_labels.count, 2);
	scenario_free(s);
}
END_TEST

/* Equal templates still are one shape. */
START_TEST(labels_do_not_split_shapes)
{
	struct scenario *s =
		objects_case_load(NODES JOB("a", "1", "app: x", "") JOB("b", "1", "app: m", ""));

	ck_assert_uint_eq(s->shape_count, 1);
	scenario_free(s);
	s = objects_case_load(
		NODES JOB("a", "1", "", FAR(SELECTS("app: x") ", topologyKey: k"))
			JOB("b", "1", "", FAR(SELECTS("app: m") ", topologyKey: k"))
				JOB("c", "1", "", FAR(SELECTS("app: x") ", topologyKey: k")));
	ck_assert_uint_eq(s->shape_count, 2);
	scenario_free(s);
}
END_TEST

/* Everything of the job is in its fifth line. */
static const struct {
	const char *spec, *message; /* after "t:LINE:COLUMN: Job "a": spec.template.spec." */
} wrong[] = {
	{NEAR(SELECTS("app: x")),
	 "affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0]: topologyKey is "
	 "missing"},
	{FAR(SELECTS("app: x") ", topologyKey: ''"),
	 "affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].topologyKey: "
	 "must name a node label, such as kubernetes.io/hostname"},
	{", affinity: {podAffinity: {" PREFERRED
	 "[{weight: 0, podAffinityTerm: {topologyKey: k}}]}}",
	 "affinity.podAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].weight: "},
	{", affinity: {nodeAffinity: {" PREFERRED "[{weight: 101, preference: {}}]}}",
	 "affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].weight: "},
	{", affinity: {nodeAffinity: {" PREFERRED "[{weight: 10}]}}",
	 "affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[0]: preference is "
	 "missing"},
	{NEAR("topologyKey: k, matchLabelKeys: [app]"),
	 "affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0]: matchLabelKeys "
	 "and mismatchLabelKeys need a labelSelector"},
	{SPREAD("maxSkew: 0, topologyKey: k, whenUnsatisfiable: DoNotSchedule"),
	 "topologySpreadConstraints[0].maxSkew: "},
	{SPREAD("maxSkew: 1, topologyKey: k"),
	 "topologySpreadConstraints[0]: whenUnsatisfiable is missing"},
	{SPREAD("maxSkew: 1, topologyKey: k, whenUnsatisfiable: Never"),
	 "topologySpreadConstraints[0].whenUnsatisfiable: "},
	{SPREAD("maxSkew: 1, topologyKey: k, whenUnsatisfiable: ScheduleAnyway, minDomains: 2"),
	 "topologySpreadConstraints[0]: minDomains is possible with whenUnsatisfiable "
	 "DoNotSchedule only"},
	{SPREAD("maxSkew: 1, topologyKey: k, whenUnsatisfiable: DoNotSchedule}, {maxSkew: 2, "
		"topologyKey: k, whenUnsatisfiable: DoNotSchedule"),
	 "topologySpreadConstraints: topologyKey and whenUnsatisfiable are those of another "
	 "constraint; each pair may stand once"},
	{", tolerations: [{key: k, effect: NoSchedule, tolerationSeconds: 5}]",
	 "tolerations[0]: effect must be NoExecute when tolerationSeconds is given"},
};

START_TEST(wrong_ones_are_refused)
{
	struct objects_case c;
	char text[6000];

	snprintf(
		text, sizeof(text), "%s%s%s",
		"---\napiVersion: batch/v1\nkind: Job\nmetadata: {name: a}\nspec: {parallelism: 1, "
		"template: {spec: {containers: [{name: c}]",
		wrong[_i].spec, "}}}\n");
	c = objects_case(text);
	ck_assert_msg(c.code != ERR_OK, "read: %s", wrong[_i].spec);
	ck_assert_msg(strncmp(c.message, "t:5:", 4) == 0, "%s", c.message);
	ck_assert_msg(strstr(c.message, ": Job \"a\": spec.template.spec.") != NULL, "%s",
		      c.message);
	ck_assert_msg(strncmp(strstr(c.message, "template.spec.") + strlen("template.spec."),
			      wrong[_i].message, strlen(wrong[_i].message)) == 0,
		      "%s", c.message);
}
END_TEST

int main(void)
{
	TCase *t = tcase_create("all");

	tcase_add_test(t, node_preferences);
	tcase_add_test(t, pod_terms);
	tcase_add_test(t, spread_constraints);
	tcase_add_test(t, own_labels_go_into_the_selector);
	tcase_add_test(t, controllers_label_their_pods);
	tcase_add_test(t, labels_do_not_split_shapes);
	tcase_add_loop_test(t, wrong_ones_are_refused, 0, ROWS(wrong));
	return objects_case_run("objects_affinity", t);
}
