/* test_objects_ray.c - RayCluster, RayJob, RayService. */
#include "sim/objects/objects_ray.h"

#include "tests/sim/roles_case.h"

#define API	"ray.io/v1"
#define HEAD(n) "headGroupSpec: {rayStartParams: {}, template: " ROLES_CPU(n) "}"
#define GROUP(name, more, n)                                                                       \
	"{groupName: " name ", rayStartParams: {}, " more "template: " ROLES_CPU(n) "}"
#define CLUSTER HEAD(100) ", workerGroupSpecs: [" GROUP("w", "replicas: 2, ", 200) "]"
#define SHUT	"shutdownAfterJobFinishes: true, "
#define LIMITED(cpu, memory)                                                                       \
	"headGroupSpec: {template: {spec: {initContainers: [{name: i}], containers: [{name: c, "   \
	"resources: {limits: {cpu: " cpu ", memory: " memory "}}}]}}}"

static const struct {
	const char *kind;
	struct roles_case row;
} rows[] = {
	{"RayCluster", {CLUSTER, "head 1x100m w 2x200m"}},
	{"RayCluster", {HEAD(100), "head 1x100m"}},
	{"RayCluster",
	 {HEAD(100) ", workerGroupSpecs: [" GROUP("Big", "replicas: 2, numOfHosts: 4, ",
						  200) ", " GROUP("small", "replicas: 1, ",
								  300) "]",
	  "head 1x100m big 8x200m small 1x300m"}},
	/* what the API server fills in */
	{"RayCluster",
	 {HEAD(100) ", workerGroupSpecs: [" GROUP("w", "", 200) "]", "head 1x100m",
	  "replicas is missing: 0, as the API server sets it"}},
	{"RayCluster",
	 {HEAD(100) ", workerGroupSpecs: [" GROUP("w", "replicas: 1, minReplicas: 2, ", 200) "]",
	  "head 1x100m w 1x200m", "1 replicas are not between minReplicas and maxReplicas"}},
	{"RayCluster", {"gcsFaultToleranceOptions: {}, " HEAD(100), "head 1x200m"}},
	{"RayCluster", {"gcsFaultToleranceOptions: {}, " HEAD(300), "head 1x300m"}},
	/* requests that are there stand for the limits no more */
	{"RayCluster", {"gcsFaultToleranceOptions: {}, " LIMITED("1", "1Gi"), "head 1x200m"}},
	{"RayCluster",
	 {HEAD(100) ", workerGroupSpecs: [" GROUP("head", "replicas: 1, ", 200) "]", NULL,
	  "\"head\" is reserved for the head group"}},
	{"RayCluster",
	 {"enableInTreeAutoscaling: true, " CLUSTER, NULL,
	  "a kueue managed job should only use autoscaling when workload slicing is enabled"}},
	{"RayCluster", {"workerGroupSpecs: []", NULL, "spec: headGroupSpec is missing"}},
	{"RayCluster",
	 {"headGroupSpec: {rayStartParams: {}}", NULL, "spec.headGroupSpec: template is missing"}},
	{"RayCluster",
	 {"headGroupSpec: {template: {}}", NULL, "spec.headGroupSpec.template: spec is missing"}},
	{"RayCluster",
	 {HEAD(100) ", workerGroupSpecs: [{template: " ROLES_CPU(1) "}]", NULL,
	  "spec.workerGroupSpecs[0]: groupName is missing"}},
	{"RayCluster",
	 {HEAD(100) ", workerGroupSpecs: [" GROUP("w", "replicas: -1, ", 1) "]", NULL,
	  "spec.workerGroupSpecs[0].replicas: -1"}},
	{"RayCluster",
	 {HEAD(100) ", workerGroupSpecs: [" GROUP("w", "replicas: 9999999, numOfHosts: 9999999, ",
						  1) "]",
	  NULL, "at most 10000000 are allowed"}},
	{"RayService", {"rayClusterConfig: {" CLUSTER "}", "head 1x100m w 2x200m"}},
	{"RayService",
	 {"serveConfigV2: x", NULL, "RayService \"j\": spec: rayClusterConfig is missing"}},
	{"RayJob", {SHUT "rayClusterSpec: {" CLUSTER "}", "head 1x100m w 2x200m submitter 1x500m"}},
	{"RayJob",
	 {SHUT "submitterPodTemplate: " ROLES_CPU(7) ", rayClusterSpec: {" CLUSTER "}",
	  "head 1x100m w 2x200m submitter 1x7m"}},
	{"RayJob",
	 {SHUT "submissionMode: HTTPMode, rayClusterSpec: {" CLUSTER "}", "head 1x100m w 2x200m"}},
	/* the submitter's container in the head, whatever the template says */
	{"RayJob",
	 {SHUT "submissionMode: SidecarMode, submitterPodTemplate: " ROLES_CPU(
		  7) ", rayClusterSpec: {" CLUSTER "}",
	  "head 1x600m w 2x200m"}},
	{"RayJob",
	 {SHUT "submissionMode: Fax, rayClusterSpec: {" CLUSTER "}", NULL, "spec.submissionMode"}},
	{"RayJob", {SHUT "suspend: true", NULL, "RayJob \"j\": spec: rayClusterSpec is missing"}},
	{"RayJob",
	 {"rayClusterSpec: {" CLUSTER "}", NULL,
	  "a kueue managed job should delete the cluster after finishing"}},
	{"RayJob",
	 {SHUT "clusterSelector: {a: b}, rayClusterSpec: {" CLUSTER "}", NULL,
	  "a kueue managed job should not use an existing cluster"}},
};

START_TEST(pod_sets)
{
	roles_case_check(API, rows[_i].kind, &rows[_i].row);
}
END_TEST

/* KubeRay's sidecar, with its resources or the user's. */
static const struct {
	const char *options, *sets;
} autoscalers[] = {
	{"", "head 1x600m w 2x200m"},
	{"autoscalerOptions: {idleTimeoutSeconds: 60}, ", "head 1x600m w 2x200m"},
	{"autoscalerOptions: {resources: {requests: {cpu: 50m}}}, ", "head 1x150m w 2x200m"},
};

START_TEST(autoscaling)
{
	char spec[2000];
	struct scenario *s;

	snprintf(spec, sizeof(spec), "enableInTreeAutoscaling: true, %s" CLUSTER,
		 autoscalers[_i].options);
	s = roles_case_load(API, "RayCluster",
			    ", annotations: {kueue.x-k8s.io/elastic-job: \"true\"}", spec);
	ck_assert_str_eq(roles_case_sets(s, 0), autoscalers[_i].sets);
	ck_assert_ptr_nonnull(objects_case_finding(
		s, "autoscaling (worker groups stay at their replicas here) is not modelled"));
	scenario_free(s);
}
END_TEST

START_TEST(fault_tolerance_by_annotation)
{
	struct scenario *s =
		roles_case_load(API, "RayService", ", annotations: {ray.io/ft-enabled: \"true\"}",
				"rayClusterConfig: {" HEAD(100) "}");

	ck_assert_str_eq(roles_case_sets(s, 0), "head 1x200m");
	ck_assert_ptr_nonnull(scenario_job_control(s, 0)->ready);
	ck_assert_int_eq(s->shapes[s->pod_sets[0].shape].request[RES_MEMORY], INT64_C(256) << 20);
	scenario_free(s);
}
END_TEST

START_TEST(a_cluster_runs_without_end)
{
	struct scenario *s = roles_case_load(API, "RayCluster", "", CLUSTER);

	ck_assert_int_eq(s->jobs[0].duration, JOB_ENDLESS);
	ck_assert_uint_eq(s->finding_count, 0);
	scenario_free(s);
	s = objects_case_load("apiVersion: ray.io/v1\nkind: RayCluster\nmetadata: {name: "
			      "j}\nspec: {" CLUSTER "}\n");
	ck_assert_uint_eq(s->job_count, 0);
	ck_assert_ptr_nonnull(objects_case_finding(s, "RayCluster without GPUs or a queue"));
	scenario_free(s);
}
END_TEST

START_TEST(a_job_ends)
{
	struct scenario *s = roles_case_load(
		API, "RayJob", ", annotations: {gqsim/duration: 2h}",
		SHUT "backoffLimit: 2, activeDeadlineSeconds: 60, rayClusterSpec: {" CLUSTER "}");
	const struct job_control *control = scenario_job_control(s, 0);

	ck_assert_int_eq(s->jobs[0].duration, 2 * CLOCK_HOUR);
	ck_assert_uint_eq(control->backoff_limit, 2);
	ck_assert_int_eq(control->deadline, CLOCK_MINUTE);
	scenario_free(s);
}
END_TEST

START_TEST(a_job_on_a_cluster_that_is_there)
{
	struct scenario *s = roles_case_load(API, "RayJob", "", "clusterSelector: {a: b}");

	ck_assert_uint_eq(s->job_count, 0);
	ck_assert_ptr_nonnull(objects_case_finding(s, "it has no pods of its own"));
	scenario_free(s);
}
END_TEST

int main(void)
{
	TCase *tests = tcase_create("ray");

	tcase_add_loop_test(tests, pod_sets, 0, ROWS(rows));
	tcase_add_loop_test(tests, autoscaling, 0, ROWS(autoscalers));
	tcase_add_test(tests, fault_tolerance_by_annotation);
	tcase_add_test(tests, a_cluster_runs_without_end);
	tcase_add_test(tests, a_job_ends);
	tcase_add_test(tests, a_job_on_a_cluster_that_is_there);
	return objects_case_run("objects_ray", tests);
}
