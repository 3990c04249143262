/* test_prometheus_custom.c - what an object's labels and annotations add to series about it. */
#include "sim/report/prometheus_custom.h"

#include "tests/sim/objects_case.h"

#define KUEUE "apiVersion: kueue.x-k8s.io/v1beta2\nkind: "

static const char text[] =
	"apiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\n"
	"featureGates: {CustomMetricLabels: true}\nmetrics:\n  customLabels:\n"
	"  - {name: team, trackedValues: [red, \"\"]}\n"
	"  - {name: owner, sourceAnnotationKey: a.io/owner}\n"
	"  - {name: tier, sourceKind: Cohort}\n"
	"  - {name: site, sourceKind: LocalQueue}\n---\n" KUEUE
	"Cohort\nmetadata: {name: all, labels: {tier: gold}}\n---\n" KUEUE
	"ClusterQueue\nmetadata: {name: red, labels: {team: red}, annotations: {a.io/owner: "
	"'Ann \"A\"'}}\nspec: {cohortName: all}\n---\n" KUEUE
	"ClusterQueue\nmetadata: {name: blue, labels: {team: blue}}\n---\n" KUEUE
	"ClusterQueue\nmetadata: {name: none}\n---\n" KUEUE
	"LocalQueue\nmetadata: {name: l, labels: {site: a}}\nspec: {clusterQueue: red}\n---\n" KUEUE
	"LocalQueue\nmetadata: {name: l, labels: {site: b}, annotations: {gqsim/at: '10'}}\n"
	"spec: {clusterQueue: red}\n";

static const struct {
	const char *label;
	struct prometheus_subject of; /* ClusterQueue, LocalQueue, Cohort */
	int64_t end;		      /* seconds */
	const char *value;
} rows[] = {
	{"custom_team", {{0, SCENARIO_NONE, SCENARIO_NONE}}, 0, "red"},
	{"custom_team", {{1, SCENARIO_NONE, SCENARIO_NONE}}, 0, "kueue.x-k8s.io/_UNTRACKED_VALUE_"},
	{"custom_owner", {{0, SCENARIO_NONE, SCENARIO_NONE}}, 0, "Ann \"A\""},
	{"custom_owner", {{2, SCENARIO_NONE, SCENARIO_NONE}}, 0, ""},
	{"custom_owner", {{SCENARIO_NONE, 0, SCENARIO_NONE}}, 0, ""},
	{"custom_tier", {{0, 0, 0}}, 0, "gold"},
	{"custom_site", {{0, 0, 0}}, 0, "a"},
	{"custom_site", {{0, 0, 0}}, 10, "b"},
};

START_TEST(values)
{
	struct scenario *s = objects_case_load(text);
	struct prometheus_custom *custom = prometheus_custom_new(s, rows[_i].end * CLOCK_SECOND);
	uint32_t label = prometheus_custom_find(custom, rows[_i].label);

	ck_assert_str_eq(prometheus_custom_value(custom, label, &rows[_i].of), rows[_i].value);
	prometheus_custom_free(custom);
	scenario_free(s);
}
END_TEST

static const struct {
	const char *family;
	const char *labels[PROMETHEUS_LABELS];
} families[] = {
	{"kueue_pending_workloads", {"cluster_queue", "custom_owner", "custom_team", "status"}},
	{"kueue_cohort_info", {"cluster_queue", "custom_tier", "status"}},
	{"kueue_local_queue_status", {"cluster_queue", "custom_site", "status"}},
	{"kueue_admission_attempts_total", {"cluster_queue", "status"}},
};

START_TEST(of_families)
{
	struct scenario *s = objects_case_load(text);
	struct prometheus_custom *custom = prometheus_custom_new(s, 0);
	struct prometheus_family family = {.name = families[_i].family,
					   .labels = {"cluster_queue", "status"}};

	prometheus_custom_extend(custom, &family);
	for (uint32_t i = 0; i < PROMETHEUS_LABELS; i++)
		ck_assert_pstr_eq(family.labels[i], families[_i].labels[i]);
	prometheus_custom_free(custom);
	scenario_free(s);
}
END_TEST

int main(void)
{
	TCase *t = tcase_create("all");

	tcase_add_loop_test(t, values, 0, ROWS(rows));
	tcase_add_loop_test(t, of_families, 0, ROWS(families));
	return objects_case_run("sim/report/prometheus_custom", t);
}
