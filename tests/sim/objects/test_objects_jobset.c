/* test_objects_jobset.c - JobSets. */
#include "sim/objects/objects_jobset.h"

#include "tests/sim/roles_case.h"

#define API  "jobset.x-k8s.io/v1alpha2"
#define KIND "JobSet"
#define JOB(name, more, spec)                                                                      \
	"{name: " name more ", template: {spec: {" spec "template: " ROLES_CPU(500) "}}}"

static const struct roles_case rows[] = {
	{"replicatedJobs: [" JOB("w", "", "") "]", "w 1x500m"},
	{"replicatedJobs: [" JOB("W", ", replicas: 3", "parallelism: 4, ") "]", "w 12x500m"},
	/* the smaller of parallelism and completions */
	{"replicatedJobs: [" JOB("w", ", replicas: 2", "parallelism: 4, completions: 3, ") "]",
	 "w 6x500m"},
	{"replicatedJobs: [" JOB("w", "", "parallelism: 2, completions: 8, ") "]", "w 2x500m",
	 "completions beyond parallelism"},
	/* completions alone: one at a time */
	{"replicatedJobs: [" JOB("w", "", "completions: 8, ") "]", "w 1x500m",
	 "completions beyond parallelism"},
	{"replicatedJobs: [" JOB("b", "", "parallelism: 2, ") ", " JOB("a", "", "") "]",
	 "b 2x500m a 1x500m"},
	{"replicatedJobs: [" JOB("b", ", replicas: 0", "") ", " JOB("a", "", "") "]", "a 1x500m"},
	{"replicatedJobs: [" JOB("a", ", dependsOn: [{name: x, status: Complete}]", "") "]", NULL,
	 "dependsOn \"x\": no replicated job before this one has that name"},
	{"replicatedJobs: [" JOB("a", ", dependsOn: [{name: a, status: Ready}]", "") "]", NULL,
	 "dependsOn \"a\": no replicated job before this one has that name"},
	{"startupPolicy: {startupPolicyOrder: Reverse}, replicatedJobs: [" JOB("a", "", "") "]",
	 NULL, "Reverse"},
	{"successPolicy: {operator: Any}, replicatedJobs: [" JOB("a", "", "") "]", "a 1x500m",
	 "successPolicy Any"},
	{"suspend: true", NULL, "JobSet \"j\": spec: replicatedJobs is missing"},
	{"replicatedJobs: {}", NULL, "spec.replicatedJobs"},
	{"replicatedJobs: [{name: a}]", NULL, "spec.replicatedJobs[0]: template is missing"},
	{"replicatedJobs: [{template: {spec: {template: " ROLES_CPU(1) "}}}]", NULL,
	 "spec.replicatedJobs[0]: name is missing"},
	{"replicatedJobs: [{name: a, template: {spec: {}}}]", NULL,
	 "spec.replicatedJobs[0].template.spec: template is missing"},
	{"replicatedJobs: [{name: a, template: {spec: {template: {spec: {containers: []}}}}}]",
	 NULL,
	 "spec.replicatedJobs[0].template.spec.template.spec.containers: must have at least one"},
	{"replicatedJobs: [" JOB("w", ", replicas: -1", "") "]", NULL,
	 "spec.replicatedJobs[0].replicas: -1"},
	{"replicatedJobs: [" JOB("w", ", replicas: 10000", "parallelism: 10000, ") "]", NULL,
	 "100000000 pods; at most 10000000 are allowed"},
};

START_TEST(pod_sets)
{
	roles_case_check(API, KIND, &rows[_i]);
}
END_TEST

START_TEST(no_pods_at_all)
{
	struct scenario *s = roles_case_load(API, KIND, "", "replicatedJobs: []");

	ck_assert_uint_eq(s->job_count, 0);
	ck_assert_ptr_nonnull(objects_case_finding(s, "has no pods: left out"));
	scenario_free(s);
}
END_TEST

/* It fails with its Job's limit, as often as it may restart. */
static const struct {
	const char *policy, *limit;
	uint32_t failures;
} limits[] = {
	{"", "", 6},
	{"", "backoffLimit: 0, ", 0},
	{"failurePolicy: {maxRestarts: 3}, ", "backoffLimit: 0, ", 3},
	{"failurePolicy: {maxRestarts: 3}, ", "", 27},
	{"failurePolicy: {maxRestarts: 2000000000}, ", "backoffLimit: 2000000000, ", JOB_NONE},
};

START_TEST(failures)
{
	char spec[1000];
	struct scenario *s;

	snprintf(spec, sizeof(spec),
		 "%sreplicatedJobs: [" JOB("a", "", "") ", {name: b, template: {spec: {%stemplate: "
							"" ROLES_CPU(1) "}}}]",
		 limits[_i].policy, limits[_i].limit);
	s = roles_case_load(API, KIND, "", spec);
	ck_assert_uint_eq(scenario_job_control(s, 0)->backoff_limit, limits[_i].failures);
	scenario_free(s);
}
END_TEST

/* Who comes after whom; a set without pods is waited for by nobody. */
static const struct {
	const char *spec, *order, *says;
} orders[] = {
	{"replicatedJobs: [" JOB("a", "", "") "," JOB("b", "", "") "]", "", NULL},
	{"startupPolicy: {startupPolicyOrder: AnyOrder}, replicatedJobs: [" JOB(
		 "a", "", "") "," JOB("b", "", "") "]",
	 "", NULL},
	{"startupPolicy: {startupPolicyOrder: InOrder}, replicatedJobs: [" JOB("a", "", "") "," JOB(
		 "z", ", replicas: 0", "") "," JOB("c", "", "") "]",
	 "1>0", NULL},
	{"replicatedJobs: [" JOB("a", "", "") "," JOB(
		 "b", ", dependsOn: [{name: a, status: Complete}]", "") "]",
	 "1>0! (0)", "others wait until a is done, and nothing says how long"},
	{"replicatedJobs: [{name: a, template: {metadata: {annotations: {gqsim/duration: 10m}}, "
	 "spec: {template: " ROLES_CPU(1) "}}}," JOB(
		 "b", ", dependsOn: [{name: a, status: Complete}]",
		 "") "," JOB("c",
			     ", dependsOn: [{name: a, status: Ready}, {name: b, status: Ready}]",
			     "") "]",
	 "1>0! 2>0 2>1 (600)", NULL},
	/* nobody is there who waits for a to be done: it works with the others */
	{"replicatedJobs: [" JOB("a", "", "") "," JOB(
		 "b", ", dependsOn: [{name: a, status: Ready}]",
		 "") "," JOB("c", ", replicas: 0, dependsOn: [{name: a, status: Complete}]",
			     "") "]",
	 "1>0", NULL},
};

START_TEST(start_up_orders)
{
	struct scenario *s = roles_case_load(API, KIND, "", orders[_i].spec);

	ck_assert_str_eq(roles_case_order(s, 0), orders[_i].order);
	ck_assert(orders[_i].says == NULL || objects_case_finding(s, orders[_i].says) != NULL);
	scenario_free(s);
}
END_TEST

/* Pods that work each for itself are done one by one: no order of sets is. */
START_TEST(no_order_without_a_gang)
{
	struct scenario *s = roles_case_load(
		API, KIND, ", annotations: {gqsim/gang: \"false\"}",
		"startupPolicy: {startupPolicyOrder: InOrder}, replicatedJobs: [" JOB(
			"a", "", "") "," JOB("b", "", "") "]");

	ck_assert_uint_eq(scenario_job_control(s, 0)->startup_count, 0);
	ck_assert_ptr_nonnull(objects_case_finding(s, "the start-up order of pods that work each"));
	scenario_free(s);
}
END_TEST

START_TEST(a_gang_that_trains)
{
	struct scenario *s = roles_case_load(
		API, KIND, "",
		"suspend: true, replicatedJobs: [" JOB("a", "", "parallelism: 2, ") "]");

	ck_assert_int_eq(s->jobs[0].duration, CLOCK_HOUR);
	ck_assert_uint_eq(s->jobs[0].common->flags, JOB_MANIFEST);
	ck_assert(!scenario_job_control(s, 0)->suspended); /* Kueue lifts it */
	ck_assert_uint_eq(scenario_job_completions(s, 0), 2);
	ck_assert_ptr_nonnull(objects_case_finding(s, "1 h is assumed"));
	scenario_free(s);
}
END_TEST

/* Annotations of the pods' template, with slices that belong to the pod set. */
START_TEST(topology)
{
	struct scenario *s = roles_case_load(
		API, KIND, "",
		"replicatedJobs: [{name: w, replicas: 2, template: {spec: {parallelism: 4, "
		"template: "
		"{metadata: {annotations: {kueue.x-k8s.io/podset-required-topology: block, "
		"kueue.x-k8s.io/podset-slice-required-topology: rack, "
		"kueue.x-k8s.io/podset-slice-size: \"8\"}}, spec: {containers: [{name: c}]}}}}}]");
	const struct pod_shape *shape = &s->shapes[s->pod_sets[0].shape];

	ck_assert_int_eq(shape->topology_mode, TOPOLOGY_REQUIRED);
	ck_assert_str_eq(objects_case_text(s, shape->slice_level), "rack");
	ck_assert_uint_eq(shape->slice_size, 8);
	scenario_free(s);
}
END_TEST

int main(void)
{
	TCase *tests = tcase_create("jobset");

	tcase_add_loop_test(tests, pod_sets, 0, ROWS(rows));
	tcase_add_test(tests, no_pods_at_all);
	tcase_add_loop_test(tests, failures, 0, ROWS(limits));
	tcase_add_loop_test(tests, start_up_orders, 0, ROWS(orders));
	tcase_add_test(tests, no_order_without_a_gang);
	tcase_add_test(tests, a_gang_that_trains);
	tcase_add_test(tests, topology);
	return objects_case_run("objects_jobset", tests);
}
