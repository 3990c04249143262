/* test_objects_profile.c - plugins and their arguments, as kube-scheduler merges them with
 * its own (apis/config/v1/default_plugins.go, mergePlugins). */
#include "sim/objects/objects_profile.h"

#include "sim/scenario/profile.h"
#include "tests/sim/objects_case.h"

#define DOC(profile)                                                                               \
	"apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"           \
	"profiles:\n- schedulerName: other\n" profile
#define PLUGINS(points) DOC("  plugins: {" points "}\n")

/* Filters: unschedulable, taints, node affinity, fit, spread, pod affinity, preemption. The
 * weights: taints, node affinity, fit, spread, pod affinity, balanced. */
static const struct {
	const char *text, *filters, *weights, *finding;
} rows[] = {
	{DOC(""), "yyyyyyy", "3 2 1 2 2 1", NULL},
	{PLUGINS("score: {disabled: [{name: PodTopologySpread}, {name: ImageLocality}]}"),
	 "yyyyyyy", "3 2 1 0 2 1", NULL},
	{PLUGINS("score: {enabled: [{name: NodeResourcesFit, weight: 10}]}"), "yyyyyyy",
	 "3 2 10 2 2 1", NULL},
	{PLUGINS("score: {enabled: [{name: TaintToleration}], disabled: [{name: '*'}]}"), "yyyyyyy",
	 "1 0 0 0 0 0", NULL},
	{PLUGINS("filter: {disabled: [{name: TaintToleration}, {name: NodePorts}]}"), "y-yyyyy",
	 "3 2 1 2 2 1", NULL},
	{PLUGINS("multiPoint: {disabled: [{name: InterPodAffinity}]}"), "yyyyy-y", "3 2 1 2 0 1",
	 NULL},
	{PLUGINS("postFilter: {disabled: [{name: '*'}]}"), "yyyyyy-", "3 2 1 2 2 1", NULL},
	{PLUGINS("multiPoint: {enabled: [{name: PodTopologySpread, weight: 7}]}"), "yyyyyyy",
	 "3 2 1 7 2 1", NULL},
	{PLUGINS("score: {enabled: [{name: PodTopologySpread, weight: 4}]}, multiPoint: {enabled: "
		 "[{name: PodTopologySpread, weight: 7}]}"),
	 "yyyyyyy", "3 2 1 4 2 1", NULL},
	{PLUGINS("filter: {disabled: [{name: '*'}], enabled: [{name: NodeResourcesFit}]}"),
	 "---y--y", "3 2 1 2 2 1", "neither NodeUnschedulable nor TaintToleration filters"},
	{PLUGINS("filter: {disabled: [{name: NodeResourcesFit}]}"), "yyyyyyy", "3 2 1 2 2 1",
	 "NodeResourcesFit does not filter: not modelled"},
	{PLUGINS("permit: {enabled: [{name: Coscheduling}]}"), "yyyyyyy", "3 2 1 2 2 1",
	 "plugin Coscheduling, here: not modelled"},
	{PLUGINS("preScore: {disabled: [{name: PodTopologySpread}]}"), "yyyyyyy", "3 2 1 2 2 1",
	 "plugin PodTopologySpread, here: not modelled"},
	{PLUGINS("queueSort: {disabled: [{name: '*'}], enabled: [{name: PrioritySort}]}"),
	 "yyyyyyy", "3 2 1 2 2 1", NULL},
};

static const struct scheduler_profile *other(const struct scenario *s)
{
	ck_assert_uint_eq(s->profile_count, 2);
	ck_assert_str_eq(scenario_string(s, s->profiles[0].name), "default-scheduler");
	ck_assert_str_eq(scenario_string(s, s->profiles[1].name), "other");
	return &s->profiles[1];
}

START_TEST(plugins)
{
	static const enum profile_plugin filters[] = {
		PLUGIN_UNSCHEDULABLE, PLUGIN_TAINTS,	   PLUGIN_NODE_AFFINITY, PLUGIN_FIT,
		PLUGIN_SPREAD,	      PLUGIN_POD_AFFINITY, PLUGIN_PREEMPTION};
	struct scenario *s = objects_case_load(rows[_i].text);
	const struct scheduler_profile *p = other(s);
	char got[8] = "", weights[60];

	for (int i = 0; i < 7; i++)
		got[i] = p->filters[filters[i]] ? 'y' : '-';
	snprintf(weights, sizeof(weights), "%d %d %d %d %d %d", p->weights[PLUGIN_TAINTS],
		 p->weights[PLUGIN_NODE_AFFINITY], p->weights[PLUGIN_FIT],
		 p->weights[PLUGIN_SPREAD], p->weights[PLUGIN_POD_AFFINITY],
		 p->weights[PLUGIN_BALANCED]);
	ck_assert_msg(strcmp(got, rows[_i].filters) == 0, "%s: %s", rows[_i].text, got);
	ck_assert_msg(strcmp(weights, rows[_i].weights) == 0, "%s: %s", rows[_i].text, weights);
	if (rows[_i].finding == NULL)
		ck_assert_uint_eq(objects_case_findings(s), 0);
	else
		ck_assert_ptr_nonnull(objects_case_finding(s, rows[_i].finding));
	scenario_free(s);
}
END_TEST

#define ARGS(name, args) "  - {name: " name ", args: {" args "}}\n"

START_TEST(arguments)
{
	struct scenario *s = objects_case_load(DOC(
		"  percentageOfNodesToScore: 30\n  pluginConfig:\n" ARGS(
			"NodeResourcesFit",
			"scoringStrategy: {type: RequestedToCapacityRatio, resources: [{name: cpu, "
			"weight: 3}], requestedToCapacityRatio: {shape: [{utilization: 0, score: "
			"1}, "
			"{utilization: 50, score: 10}]}}") ARGS("NodeResourcesBalancedAllocation",
								"resources: [{name: cpu, weight: "
								"1}, {name: nvidia.com/gpu}]")
			ARGS("InterPodAffinity", "hardPodAffinityWeight: 7, "
						 "ignorePreferredTermsOfExistingPods: true")
				ARGS("PodTopologySpread",
				     "defaultingType: List, defaultConstraints: [{maxSkew: 2, "
				     "topologyKey: rack, whenUnsatisfiable: DoNotSchedule}]")
					ARGS("DefaultPreemption", "minCandidateNodesPercentage: 5, "
								  "minCandidateNodesAbsolute: 2")
						ARGS("NodeAffinity",
						     "addedAffinity: "
						     "{requiredDuringSchedulingIgnoredDuringExecuti"
						     "on: "
						     "{nodeSelectorTerms: [{matchExpressions: "
						     "[{key: a, operator: Exists}]}]}}")));
	const struct scheduler_profile *p = other(s);

	ck_assert_uint_eq(p->percentage_of_nodes, 30);
	ck_assert_int_eq(p->strategy.type, STRATEGY_RATIO);
	ck_assert_int_eq(p->strategy.weights[0].weight, 3);
	ck_assert_int_eq(p->strategy.shape[1].utilization, 50);
	ck_assert_uint_eq(p->balanced_count, 2);
	ck_assert_str_eq(p->balanced[1].resource, "nvidia.com/gpu");
	ck_assert_int_eq(p->hard_affinity, 7);
	ck_assert(p->ignores_others && p->lists_spreads);
	ck_assert_uint_eq(p->spread_count, 1);
	ck_assert_int_eq(p->spreads[0].max_skew, 2);
	ck_assert(p->spreads[0].hard);
	ck_assert_uint_eq(p->candidates_percent, 5);
	ck_assert_uint_eq(p->candidates_least, 2);
	ck_assert_uint_eq(p->enforced_count, 1);
	ck_assert_uint_eq(objects_case_findings(s), 0);
	ck_assert_uint_eq(s->option_count, 0);
	scenario_free(s);
}
END_TEST

static const struct {
	const char *text, *message;
} mistakes[] = {
	{PLUGINS("score: {enabled: [{name: NodeAffinity, weight: -1}]}"),
	 "profiles[0].plugins.score.enabled[0]: -1 is not between"},
	{PLUGINS("score: [1]"), "profiles[0].plugins.score"},
	{PLUGINS("score: {enabled: [5]}"), "profiles[0].plugins.score.enabled[0]: must be a map"},
	{PLUGINS("score: {enabled: [{weight: 3}]}"), "enabled[0]: must have the name of a plugin"},
	{PLUGINS("score: {disabled: [~]}"), "profiles[0].plugins.score.disabled[0]: must be a map"},
	{DOC("  pluginConfig:\n" ARGS("NodeAffinity",
				      "addedAffinity: "
				      "{requiredDuringSchedulingIgnoredDuringExecution: "
				      "{nodeSelectorTerms: []}}")),
	 "at least one node selector term"},
	{DOC("  pluginConfig:\n" ARGS("InterPodAffinity", "hardPodAffinityWeight: 101")),
	 "hardPodAffinityWeight"},
	{DOC("  pluginConfig:\n" ARGS("PodTopologySpread",
				      "defaultConstraints: [{maxSkew: 1, topologyKey: a, "
				      "whenUnsatisfiable: ScheduleAnyway, labelSelector: {}}]")),
	 "labelSelector: must not be given"},
	{DOC("  percentageOfNodesToScore: 101\n"), "percentageOfNodesToScore"},
	{DOC("  pluginConfig:\n" ARGS("NodeResourcesFit",
				      "scoringStrategy: {type: RequestedToCapacityRatio}")),
	 "requestedToCapacityRatio.shape"},
};

START_TEST(errors_stand_where_the_mistake_is)
{
	struct objects_case c = objects_case(mistakes[_i].text);

	ck_assert_int_ne(c.code, ERR_OK);
	ck_assert_msg(strstr(c.message, mistakes[_i].message) != NULL, "%s", c.message);
}
END_TEST

int main(void)
{
	TCase *t = tcase_create("all");

	tcase_add_loop_test(t, plugins, 0, ROWS(rows));
	tcase_add_test(t, arguments);
	tcase_add_loop_test(t, errors_stand_where_the_mistake_is, 0, ROWS(mistakes));
	return objects_case_run("objects_profile", t);
}
