/* test_objects_kubeflow.c - the jobs of kubeflow.org. */
#include "sim/objects/objects_kubeflow.h"

#include "tests/sim/roles_case.h"

#define API  "kubeflow.org/v1"
#define T(n) "template: " ROLES_CPU(n)
#define ONE  "{" T(1) "}"

static const struct {
	const char *kind;
	struct roles_case row;
} rows[] = {
	{"PyTorchJob",
	 {"pytorchReplicaSpecs: {Worker: {replicas: 3, " T(2) "}, Master: " ONE "}",
	  "master 1x1m worker 3x2m"}},
	{"PyTorchJob", {"pytorchReplicaSpecs: {Worker: " ONE "}", "worker 1x1m"}},
	{"PyTorchJob", {"pytorchReplicaSpecs: {worker: " ONE "}", "worker 1x1m"}},
	{"PyTorchJob",
	 {"elasticPolicy: {maxReplicas: 4}, pytorchReplicaSpecs: {Worker: " ONE "}", "worker 1x1m",
	  "elasticPolicy (its replicas stay as they are here) is not modelled"}},
	{"TFJob",
	 {"tfReplicaSpecs: {Evaluator: " ONE ", Worker: {replicas: 2, " T(
		  4) "}, PS: {replicas: 2, " T(3) "}, Master: {" T(2) "}, Chief: {" T(1) "}}",
	  "chief 1x1m master 1x2m ps 2x3m worker 2x4m evaluator 1x1m"}},
	{"XGBoostJob",
	 {"xgbReplicaSpecs: {Worker: {replicas: 2, " T(5) "}, Master: " ONE "}",
	  "master 1x1m worker 2x5m"}},
	{"PaddleJob",
	 {"paddleReplicaSpecs: {Worker: {replicas: 2, " T(5) "}, Master: " ONE "}",
	  "master 1x1m worker 2x5m"}},
	{"JAXJob", {"jaxReplicaSpecs: {Worker: {replicas: 2, " T(5) "}}", "worker 2x5m"}},
	{"MPIJob",
	 {"slotsPerWorker: 8, mpiReplicaSpecs: {Worker: {replicas: 2, template: " ROLES_GPUS(
		  8) "}, Launcher: " ONE "}",
	  "launcher 1x1m worker 2x0m+8g"}},
	/* the launcher is a pod of its own, whatever it also does */
	{"MPIJob",
	 {"runLauncherAsWorker: true, mpiReplicaSpecs: {Worker: {replicas: 2, " T(
		  5) "}, Launcher: " ONE "}",
	  "launcher 1x1m worker 2x5m"}},
	{"PyTorchJob", {"runPolicy: {}", NULL, "spec: pytorchReplicaSpecs is missing"}},
	{"TFJob", {"pytorchReplicaSpecs: {Worker: " ONE "}", NULL, "tfReplicaSpecs is missing"}},
	{"PyTorchJob",
	 {"pytorchReplicaSpecs: {Chief: " ONE "}", NULL, "\"Chief\" is no role of a PyTorchJob"}},
	{"JAXJob", {"jaxReplicaSpecs: {}", NULL, "spec.jaxReplicaSpecs: has no role"}},
	{"JAXJob", {"jaxReplicaSpecs: []", NULL, "spec.jaxReplicaSpecs"}},
	{"JAXJob",
	 {"jaxReplicaSpecs: {Worker: {replicas: 2}}", NULL,
	  "spec.jaxReplicaSpecs.Worker: template is missing"}},
	{"JAXJob",
	 {"jaxReplicaSpecs: {Worker: {replicas: -2, " T(1) "}}", NULL,
	  "spec.jaxReplicaSpecs.Worker.replicas: -2"}},
	{"JAXJob",
	 {"jaxReplicaSpecs: {Worker: {restartPolicy: Sometimes, " T(1) "}}", NULL,
	  "spec.jaxReplicaSpecs.Worker.restartPolicy"}},
};

START_TEST(pod_sets)
{
	roles_case_check(API, rows[_i].kind, &rows[_i].row);
}
END_TEST

/* What a failed pod means: the policy of its role, unless runPolicy counts failures. */
static const struct {
	const char *kind, *spec;
	uint32_t failures, rules;
} restarts[] = {
	{"PyTorchJob", "pytorchReplicaSpecs: {Worker: " ONE "}", JOB_NONE, 0},
	{"PyTorchJob", "pytorchReplicaSpecs: {Worker: {restartPolicy: Never, " T(1) "}}", 0, 0},
	{"PyTorchJob",
	 "runPolicy: {backoffLimit: 3}, pytorchReplicaSpecs: {Worker: {restartPolicy: Never, " T(
		 1) "}}",
	 3, 0},
	{"XGBoostJob", "xgbReplicaSpecs: {Worker: " ONE "}", 0, 0},
	{"XGBoostJob", "xgbReplicaSpecs: {Worker: {restartPolicy: ExitCode, " T(1) "}}", JOB_NONE,
	 1},
	{"MPIJob", "mpiReplicaSpecs: {Launcher: " ONE "}", 6, 0},
	{"MPIJob", "runPolicy: {backoffLimit: 1}, mpiReplicaSpecs: {Launcher: " ONE "}", 1, 0},
};

START_TEST(failures)
{
	struct scenario *s = roles_case_load(API, restarts[_i].kind, "", restarts[_i].spec);
	const struct job_control *control = scenario_job_control(s, 0);

	ck_assert_uint_eq(control->backoff_limit, restarts[_i].failures);
	ck_assert_uint_eq(control->failure_rule_count, restarts[_i].rules);
	if (restarts[_i].rules != 0) {
		const struct failure_rule *rule = control->failure_rules;

		ck_assert_int_eq(rule->action, FAILURE_FAIL_JOB);
		ck_assert_uint_eq(rule->code_count, 127);
		ck_assert_int_eq(rule->codes[0], 1);
		ck_assert_int_eq(rule->codes[126], 127);
	}
	scenario_free(s);
}
END_TEST

/* schedulingPolicy.priorityClass comes before the templates' classes. */
START_TEST(run_policy)
{
	struct scenario *s = objects_case_load(
		"apiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {name: "
		"high}\nvalue: 10\n---\napiVersion: scheduling.k8s.io/v1\nkind: "
		"PriorityClass\nmetadata: {name: low}\nvalue: 5\n---\napiVersion: " API
		"\nkind: PyTorchJob\nmetadata: {name: j}\nspec: {runPolicy: "
		"{activeDeadlineSeconds: "
		"60, cleanPodPolicy: None, schedulingPolicy: {priorityClass: high, minAvailable: "
		"2}}, pytorchReplicaSpecs: {Worker: {template: {spec: {priorityClassName: low, "
		"containers: [{name: c}]}}}}}\n");

	ck_assert_int_eq(s->jobs[0].common->priority, 10);
	ck_assert_int_eq(s->jobs[0].common->pod_priority, 5);
	ck_assert_int_eq(scenario_job_control(s, 0)->deadline, CLOCK_MINUTE);
	scenario_free(s);
}
END_TEST

int main(void)
{
	TCase *tests = tcase_create("kubeflow");

	tcase_add_loop_test(tests, pod_sets, 0, ROWS(rows));
	tcase_add_loop_test(tests, failures, 0, ROWS(restarts));
	tcase_add_test(tests, run_policy);
	return objects_case_run("objects_kubeflow", tests);
}
