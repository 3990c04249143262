/* test_objects_metrics.c - labels that a Configuration adds to metrics, and those that Kueue
 * would not start with. */
#include "sim/objects/objects_metrics.h"

#include "tests/sim/objects_case.h"

#define HEAD                                                                                       \
	"apiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\n"                         \
	"featureGates: {CustomMetricLabels: true}\nmetrics:\n  customLabels: "

START_TEST(read)
{
	struct scenario *s = objects_case_load(
		HEAD "[{name: team}, {name: owner, sourceKind: LocalQueue, sourceAnnotationKey: "
		     "a.io/owner}, {name: tier, sourceKind: Cohort, sourceLabelKey: t, "
		     "trackedValues: [gold, silver]}]\n");
	const struct metric_label *labels = s->config.metric_labels;

	ck_assert_uint_eq(s->config.metric_label_count, 3);
	ck_assert_str_eq(scenario_string(s, labels[0].name), "custom_team");
	ck_assert_str_eq(scenario_string(s, labels[0].key), "team");
	ck_assert_int_eq(labels[0].source, METRIC_CLUSTER_QUEUE);
	ck_assert(labels[1].annotation && !labels[2].annotation);
	ck_assert_str_eq(scenario_string(s, labels[1].key), "a.io/owner");
	ck_assert_int_eq(labels[1].source, METRIC_LOCAL_QUEUE);
	ck_assert_uint_eq(labels[2].tracked_count, 2);
	scenario_free(s);
}
END_TEST

static const struct {
	const char *labels, *says;
} rows[] = {
	{"[{name: 1a}]", "must match ^[a-zA-Z][a-zA-Z0-9_]*$"},
	{"[{name: a-b}]", "must match"},
	{"[{sourceKind: Cohort}]", "name is missing"},
	{"[{name: a}, {name: a}]", "there is a label of this name already"},
	{"[{name: a, sourceLabelKey: x, sourceAnnotationKey: z}]", "mutually exclusive"},
	{"[{name: a, sourceKind: Node}]", "is not one of"},
	{"[{name: a, trackedValues: [x, x]}]", "must not contain duplicates"},
	{"[{name: a, sourceKind: Workload}]", "must not be empty when sourceKind is 'Workload'"},
	{"[{name: a}, {name: b}, {name: c}, {name: d}, {name: e}, {name: f}, {name: g}]",
	 "too many custom labels for source kind ClusterQueue"},
};

START_TEST(refused)
{
	char text[1000];
	struct objects_case c;

	snprintf(text, sizeof(text), HEAD "%s\n", rows[_i].labels);
	c = objects_case(text);
	ck_assert_int_ne(c.code, ERR_OK);
	ck_assert_msg(strstr(c.message, rows[_i].says) != NULL, "%s", c.message);
}
END_TEST

/* What has no effect is told. */
START_TEST(told)
{
	struct scenario *s = objects_case_load(
		HEAD "[{name: a, sourceKind: Workload, trackedValues: [x]}, {name: b}]\n");

	ck_assert_uint_eq(s->config.metric_label_count, 1);
	ck_assert_ptr_nonnull(objects_case_finding(s, "a label of metrics that comes of "
						      "workloads is not modelled"));
	scenario_free(s);
	s = objects_case_load("apiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\n"
			      "metrics: {customLabels: [{name: a}]}\n");
	ck_assert_ptr_nonnull(objects_case_finding(s, "while the feature gate CustomMetricLabels "
						      "is off"));
	scenario_free(s);
}
END_TEST

int main(void)
{
	TCase *t = tcase_create("all");

	tcase_add_test(t, read);
	tcase_add_loop_test(t, refused, 0, ROWS(rows));
	tcase_add_test(t, told);
	return objects_case_run("sim/objects/objects_metrics", t);
}
