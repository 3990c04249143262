/* test_objects_roles.c - what kinds of several pod sets have in common. */
#include "sim/objects/objects_roles.h"

#include "tests/sim/roles_case.h"

#define API "jobset.x-k8s.io/v1alpha2"
#define CLASSES                                                                                    \
	"apiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {name: high}\nvalue: "   \
	"10\n---\napiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {name: "        \
	"low}\nvalue: 5\n---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: "                          \
	"WorkloadPriorityClass\nmetadata: {name: prod}\nvalue: 99\n---\n"
#define ROLE(name, class)                                                                          \
	"{name: " name ", template: {spec: {template: {spec: {" class "containers: [{name: "       \
								      "c}]}}}}}"

/* The first role that names a class gives it; the label comes before. */
static const struct {
	const char *labels, *roles;
	int32_t priority, pod_priority;
} classes[] = {
	{"", ROLE("a", "") ", " ROLE("b", ""), 0, 0},
	{"", ROLE("a", "") ", " ROLE("b", "priorityClassName: high, "), 10, 10},
	{"", ROLE("a", "priorityClassName: low, ") ", " ROLE("b", "priorityClassName: high, "), 5,
	 5},
	{", labels: {kueue.x-k8s.io/priority-class: prod}",
	 ROLE("a", "") ", " ROLE("b", "priorityClassName: high, "), 99, 10},
};

START_TEST(priority)
{
	char text[3000];
	struct scenario *s;

	snprintf(text, sizeof(text),
		 CLASSES "apiVersion: " API
			 "\nkind: JobSet\nmetadata: {name: j%s}\nspec: {replicatedJobs: [%s]}\n",
		 classes[_i].labels, classes[_i].roles);
	s = objects_case_load(text);
	ck_assert_int_eq(s->jobs[0].common->priority, classes[_i].priority);
	ck_assert_int_eq(s->jobs[0].common->pod_priority, classes[_i].pod_priority);
	scenario_free(s);
}
END_TEST

#define GROUPED(name, replicas, level)                                                             \
	"{name: " name ", replicas: " replicas                                                     \
	", template: {spec: {template: {metadata: {annotations: {"                                 \
	"kueue.x-k8s.io/podset-required-topology: " level                                          \
	", kueue.x-k8s.io/podset-group-name: g}}, spec: {containers: [{name: c}]}}}}}"

/* What the webhook of JobSets refuses. */
static const struct {
	const char *roles, *message; /* NULL: nothing */
} groups[] = {
	{GROUPED("a", "1", "rack") ", " GROUPED("b", "4", "rack"), NULL},
	{GROUPED("a", "2", "rack") ", " GROUPED("b", "4", "rack"),
	 "at least one of its two pod sets must have 1 replica"},
	{GROUPED("a", "1", "rack") ", " GROUPED("b", "4", "host"),
	 "its two pod sets must ask for the same topology"},
	{GROUPED("a", "1", "rack"), "a group must have exactly 2 pod sets"},
	{GROUPED("a", "1", "rack") ", " GROUPED("b", "1", "rack") ", " GROUPED("c", "1", "rack"),
	 "a group must have exactly 2 pod sets"},
};

START_TEST(topology_groups)
{
	char spec[3000];
	struct objects_case c;

	snprintf(spec, sizeof(spec), "replicatedJobs: [%s]", groups[_i].roles);
	c = roles_case_read(API, "JobSet", "", spec);
	ck_assert_int_eq(c.code == ERR_OK, groups[_i].message == NULL);
	if (groups[_i].message != NULL)
		ck_assert_msg(strstr(c.message, groups[_i].message) != NULL, "%s", c.message);
	else
		scenario_free(c.s);
}
END_TEST

START_TEST(at_most_18_pod_sets)
{
	char spec[6000] = "replicatedJobs: [";
	struct scenario *s;

	for (int i = 0; i < OBJECTS_ROLES_MAX; i++)
		strcat(spec, ROLE("r", "") ", ");
	strcat(spec, "]");
	s = roles_case_load(API, "JobSet", "", spec);
	ck_assert_uint_eq(s->jobs[0].common->pod_set_count, OBJECTS_ROLES_MAX);
	scenario_free(s);
	strcpy(spec + strlen(spec) - 1, ROLE("r", "") "]");
	ck_assert_ptr_nonnull(strstr(roles_case_read(API, "JobSet", "", spec).message,
				     "spec.replicatedJobs[18]: more than 18 pod "
				     "sets: a Workload of Kueue has no more"));
}
END_TEST

/* Pods of a whole together are as bounded as those of a set. */
START_TEST(at_most_so_many_pods)
{
	struct objects_case c = roles_case_read(
		API, "JobSet", "",
		"replicatedJobs: [{name: a, replicas: 6000000, template: {spec: "
		"{template: " ROLES_CPU(1) "}}}, {name: b, replicas: 6000000, template: {spec: "
					   "{template: " ROLES_CPU(1) "}}}]");

	ck_assert_ptr_nonnull(strstr(c.message, "12000000 pods; at most 10000000 are allowed"));
}
END_TEST

START_TEST(nobody_scales_them)
{
	struct scenario *s = roles_case_load(API, "JobSet",
					     ", annotations: {gqsim/replicas-at: 1h=3, "
					     "gqsim/suspend-at: 2h, gqsim/duration: 3h}",
					     "replicatedJobs: [" ROLE("a", "") "]");
	const struct job_control *control = scenario_job_control(s, 0);

	ck_assert_ptr_nonnull(objects_case_finding(s, "JobSet: gqsim/replicas-at is not modelled"));
	ck_assert_uint_eq(control->change_count, 1);
	ck_assert_int_eq(control->changes[0].suspend, 1);
	ck_assert_int_eq(s->jobs[0].duration, 3 * CLOCK_HOUR);
	scenario_free(s);
}
END_TEST

START_TEST(pods_that_work_each_for_itself)
{
	struct scenario *s =
		roles_case_load(API, "JobSet", ", annotations: {gqsim/gang: \"false\"}",
				"replicatedJobs: [" ROLE("a", "") ", " ROLE("b", "") "]");

	ck_assert_uint_eq(s->jobs[0].common->flags, JOB_MANIFEST | JOB_NOT_GANG | JOB_SOLO);
	ck_assert_uint_eq(scenario_job_completions(s, 0), 2);
	scenario_free(s);
}
END_TEST

START_TEST(no_index_that_fails)
{
	struct objects_case c =
		roles_case_read(API, "JobSet", ", annotations: {gqsim/pod-failures: \"1:5m\"}",
				"replicatedJobs: [" ROLE("a", "") "]");

	ck_assert_ptr_nonnull(strstr(c.message, "an index is possible for a Job only"));
}
END_TEST

START_TEST(suspended_without_a_queue)
{
	struct scenario *s = objects_case_load(
		"apiVersion: " API "\nkind: JobSet\nmetadata: {name: j}\nspec: {suspend: true, "
		"replicatedJobs: [" ROLE("a", "") "]}\n");

	ck_assert(scenario_job_control(s, 0)->suspended);
	ck_assert_ptr_nonnull(objects_case_finding(s, "job \"j\" never starts: it is suspended"));
	scenario_free(s);
}
END_TEST

/* Who comes after whom, by the kind's controller. */
static const struct {
	const char *api, *kind, *spec, *sets, *order;
} orders[] = {
	{"leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet",
	 "startupPolicy: LeaderReady, leaderWorkerTemplate: {size: 3, leaderTemplate: " ROLES_CPU(
		 1) ", workerTemplate: " ROLES_CPU(2) "}",
	 "leader 1x1m worker 2x2m", "1>0"},
	{"leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet",
	 "startupPolicy: LeaderCreated, leaderWorkerTemplate: {size: 3, leaderTemplate: " ROLES_CPU(
		 1) ", workerTemplate: " ROLES_CPU(2) "}",
	 "leader 1x1m worker 2x2m", ""},
	{"leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet",
	 "startupPolicy: LeaderReady, leaderWorkerTemplate: {size: 3, workerTemplate: " ROLES_CPU(
		 2) "}",
	 "main 3x2m", ""},
	{"kubeflow.org/v2beta1", "MPIJob",
	 "launcherCreationPolicy: WaitForWorkersReady, mpiReplicaSpecs: {Launcher: "
	 "{template: " ROLES_CPU(1) "}, Worker: {replicas: 2, template: " ROLES_CPU(2) "}}",
	 "launcher 1x1m worker 2x2m", "0>1"},
	{"kubeflow.org/v2beta1", "MPIJob",
	 "launcherCreationPolicy: AtStartup, mpiReplicaSpecs: {Launcher: {template: " ROLES_CPU(
		 1) "}, Worker: {replicas: 2, template: " ROLES_CPU(2) "}}",
	 "launcher 1x1m worker 2x2m", ""},
	{"ray.io/v1", "RayJob",
	 "shutdownAfterJobFinishes: true, rayClusterSpec: {headGroupSpec: {template: " ROLES_CPU(
		 1) "}, workerGroupSpecs: [{groupName: w, replicas: 2, template: " ROLES_CPU(2) "}]"
												"}",
	 "head 1x1m w 2x2m submitter 1x500m", "2>0 2>1"},
	{"ray.io/v1", "RayCluster",
	 "headGroupSpec: {template: " ROLES_CPU(1) "}, workerGroupSpecs: [{groupName: w, replicas: "
						   "2, template: " ROLES_CPU(2) "}]",
	 "head 1x1m w 2x2m", ""},
	{"sparkoperator.k8s.io/v1beta2", "SparkApplication",
	 "driver: {coreRequest: 1m}, executor: {instances: 2, coreRequest: 2m}",
	 "driver 1x1m executor 2x2m", "1>0"},
};

START_TEST(start_up_orders)
{
	struct scenario *s = roles_case_load(orders[_i].api, orders[_i].kind, "", orders[_i].spec);

	ck_assert_str_eq(roles_case_sets(s, 0), orders[_i].sets);
	ck_assert_str_eq(roles_case_order(s, 0), orders[_i].order);
	scenario_free(s);
}
END_TEST

int main(void)
{
	TCase *tests = tcase_create("roles");

	tcase_add_loop_test(tests, priority, 0, ROWS(classes));
	tcase_add_loop_test(tests, topology_groups, 0, sizeof(groups) / sizeof(groups[0]));
	tcase_add_test(tests, at_most_18_pod_sets);
	tcase_add_test(tests, at_most_so_many_pods);
	tcase_add_test(tests, nobody_scales_them);
	tcase_add_test(tests, pods_that_work_each_for_itself);
	tcase_add_test(tests, no_index_that_fails);
	tcase_add_test(tests, suspended_without_a_queue);
	tcase_add_loop_test(tests, start_up_orders, 0, ROWS(orders));
	return objects_case_run("objects_roles", tests);
}
