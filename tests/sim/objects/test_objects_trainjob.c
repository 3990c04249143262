/* test_objects_trainjob.c - TrainJobs and their runtimes. */
#include "sim/objects/objects_trainjob.h"

#include "tests/sim/roles_case.h"

#define API "trainer.kubeflow.org/v1alpha1"
#define JOB(name, ancestor, spec, container)                                                       \
	"{name: " name ", template: {metadata: {labels: {" ancestor "}}, spec: {" spec             \
	"template: {spec: {containers: [{name: " container                                         \
	", resources: {requests: {cpu: 100m}}}]}}}}}"
#define TRAINER "trainer.kubeflow.org/trainjob-ancestor-step: trainer"
#define DATASET "trainer.kubeflow.org/trainjob-ancestor-step: dataset-initializer"
#define PLAIN	"template: {spec: {replicatedJobs: [" JOB("node", TRAINER, "", "node") "]}}"
#define TORCH	"mlPolicy: {numNodes: 2, torch: {}}, " PLAIN
#define MPI(more)                                                                                  \
	"mlPolicy: {numNodes: 1, mpi: {" more "}}, template: {spec: {replicatedJobs: [" JOB(       \
		"launcher", TRAINER, "", "node") ", " JOB("node", "", "", "node") "]}}"
#define REF "runtimeRef: {name: r}"

/* A TrainJob "j" and what it names, before or after it. */
static struct objects_case read_pair(const char *runtime, const char *train, bool before)
{
	static char text[8100], r[4000], j[3000];

	snprintf(r, sizeof(r),
		 "apiVersion: " API "\nkind: ClusterTrainingRuntime\nmetadata: {name: r}\nspec: "
		 "{%s}\n",
		 runtime);
	snprintf(j, sizeof(j),
		 "apiVersion: " API "\nkind: TrainJob\nmetadata: {name: j, labels: "
		 "{kueue.x-k8s.io/queue-name: q}, annotations: {gqsim/duration: 2h}}\nspec: {%s}\n",
		 train);
	snprintf(text, sizeof(text), "%s---\n%s", before ? r : j, before ? j : r);
	return objects_case(text);
}

static const struct {
	const char *runtime;
	struct roles_case row; /* of the TrainJob */
} rows[] = {
	{TORCH, {REF, "node 2x100m"}},
	{TORCH, {REF ", trainer: {numNodes: 5}", "node 5x100m"}},
	/* without a policy the runtime's parallelism counts, and numNodes still */
	{"template: {spec: {replicatedJobs: [" JOB("node", TRAINER, "parallelism: 3, ",
						   "node") "]}}",
	 {REF, "node 3x100m"}},
	{PLAIN, {REF ", trainer: {numNodes: 5}", "node 5x100m"}},
	{"mlPolicy: {torch: {}}, " PLAIN, {REF, "node 1x100m"}},
	/* one replica of what Trainer knows, completions as parallelism */
	{"mlPolicy: {numNodes: 4, torch: {}}, template: {spec: {replicatedJobs: [{replicas: 7, "
	 "name: "
	 "d, template: {metadata: {labels: {" DATASET "}}, spec: {completions: 9, parallelism: 2, "
	 "template: " ROLES_CPU(3) "}}}, {replicas: 3, name: x, template: {spec: {parallelism: 2, "
				   "completions: 1, template: " ROLES_CPU(4) "}}}, " JOB(
					   "node", TRAINER, "", "node") "]}}",
	 {REF, "d 2x3m x 6x4m node 4x100m"}},
	/* resources of the container "node" of the trainer */
	{TORCH,
	 {REF ", trainer: {resourcesPerNode: {limits: {nvidia.com/gpu: 8}}}", "node 2x100m+8g"}},
	{TORCH, {REF ", trainer: {resourcesPerNode: {requests: {cpu: 2}}}", "node 2x2000m"}},
	{PLAIN, {REF ", trainer: {resourcesPerNode: {requests: {cpu: 2}}}", "node 1x100m"}},
	/* MPI: numNodes are the workers, of which the launcher may be one */
	{MPI(""), {REF ", trainer: {numNodes: 4}", "launcher 1x100m node 4x100m"}},
	{MPI(""),
	 {REF ", trainer: {resourcesPerNode: {requests: {cpu: 2}}}",
	  "launcher 1x2000m node 1x100m"}},
	{MPI("runLauncherAsNode: true"),
	 {REF ", trainer: {numNodes: 4, resourcesPerNode: {requests: {cpu: 2}}}",
	  "launcher 1x2000m node 3x2000m"}},
	{MPI("runLauncherAsNode: true"),
	 {REF ", trainer: {numNodes: 1}", "launcher 1x100m node 1x100m"}},
	/* patches by the name of the replicated job, but for Kueue's own */
	{TORCH,
	 {REF
	  ", runtimePatches: [{manager: kueue.x-k8s.io/manager, trainingRuntimeSpec: {template: "
	  "{spec: {replicatedJobs: [{name: node, template: {spec: {template: {spec: "
	  "{containers: [{name: node, resources: {requests: {cpu: 7m}}}]}}}}}]}}}}, {manager: "
	  "me, trainingRuntimeSpec: {template: {spec: {replicatedJobs: [{name: node, template: "
	  "{spec: {template: {spec: {containers: [{name: node, resources: {limits: {cpu: "
	  "300m}}}, {name: more, resources: {requests: {cpu: 1m}}}]}}}}}]}}}}]",
	  "node 2x101m"}},
	{TORCH, {"trainer: {}", NULL, "TrainJob \"j\": spec: runtimeRef is missing"}},
	{TORCH, {"runtimeRef: {kind: X}", NULL, "spec.runtimeRef: name is missing"}},
	{TORCH, {REF ", trainer: {numNodes: -1}", NULL, "spec.trainer.numNodes: -1"}},
	{TORCH, {REF ", trainer: {numNodes: 99999999}", NULL, "spec.trainer.numNodes: 99999999"}},
	{"mlPolicy: {}",
	 {REF, NULL, "t:4:7: ClusterTrainingRuntime \"r\": spec: template is missing"}},
	{"template: {spec: {replicatedJobs: [{name: a, template: {spec: {template: {}}}}]}}",
	 {REF, NULL,
	  "ClusterTrainingRuntime \"r\": spec.template.spec.replicatedJobs[0].template.spec."
	  "template: spec is missing"}},
	{"template: {spec: {replicatedJobs: [3, {name: a, template: 4}]}}",
	 {REF, NULL, "spec.template.spec.replicatedJobs[0]"}},
};

START_TEST(pod_sets)
{
	for (int before = 0; before < 2; before++) {
		struct objects_case c = read_pair(rows[_i].runtime, rows[_i].row.spec, before == 1);

		if (rows[_i].row.sets == NULL) {
			ck_assert_int_ne(c.code, ERR_OK);
			if (before == 1)
				ck_assert_msg(strstr(c.message, rows[_i].row.says) != NULL, "%s",
					      c.message);
			continue;
		}
		ck_assert_msg(c.code == ERR_OK, "%s", c.message);
		ck_assert_uint_eq(c.s->job_count, 1);
		ck_assert_str_eq(roles_case_sets(c.s, 0), rows[_i].row.sets);
		ck_assert_str_eq(objects_case_text(c.s, c.s->jobs[0].name), "j");
		ck_assert_str_eq(objects_case_text(c.s, c.s->jobs[0].common->queue), "q");
		ck_assert_int_eq(c.s->jobs[0].duration, 2 * CLOCK_HOUR);
		scenario_free(c.s);
	}
}
END_TEST

/* One of the job's namespace, or one of the cluster, as the reference says. */
#define RUNTIME(kind, ns, n)                                                                       \
	"apiVersion: " API "\nkind: " kind "\nmetadata: {name: r" ns "}\nspec: {mlPolicy: "        \
	"{numNodes: " n ", torch: {}}, " PLAIN "}\n---\n"

static const struct {
	const char *ref, *sets;
} references[] = {
	{"{name: r}", "node 2x100m"},
	{"{name: r, kind: ClusterTrainingRuntime}", "node 2x100m"},
	{"{name: r, kind: TrainingRuntime, apiGroup: trainer.kubeflow.org}", "node 3x100m"},
	{"{name: other}", NULL},
	{"{name: r, kind: Other}", NULL},
};

START_TEST(which_runtime)
{
	char text[6000];
	struct scenario *s;

	snprintf(text, sizeof(text),
		 RUNTIME("ClusterTrainingRuntime", "", "2") RUNTIME("TrainingRuntime",
								    ", namespace: mine", "3")
			 RUNTIME("TrainingRuntime", ", namespace: other",
				 "4") "apiVersion: " API "\nkind: TrainJob\nmetadata: "
				      "{name: j, namespace: mine}\nspec: {runtimeRef: %s}\n",
		 references[_i].ref);
	s = objects_case_load(text);
	if (references[_i].sets != NULL) {
		ck_assert_str_eq(roles_case_sets(s, 0), references[_i].sets);
	} else {
		ck_assert_uint_eq(s->job_count, 0);
		ck_assert_ptr_nonnull(objects_case_finding(
			s, "is not in the input: left out, its pods are not known"));
	}
	scenario_free(s);
}
END_TEST

START_TEST(what_else_it_says)
{
	struct objects_case c = read_pair(
		TORCH, REF ", activeDeadlineSeconds: 60, podTemplateOverrides: [], initializer: {}",
		true);

	ck_assert_msg(c.code == ERR_OK, "%s", c.message);
	ck_assert_int_eq(scenario_job_control(c.s, 0)->deadline, CLOCK_MINUTE);
	ck_assert_ptr_nonnull(objects_case_finding(c.s, "TrainJob: podTemplateOverrides"));
	scenario_free(c.s);
}
END_TEST

/* Trainer's own runtimes: the trainer waits for both initializers, one after the other. */
START_TEST(initializers_come_first)
{
	struct objects_case c = read_pair(
		"mlPolicy: {numNodes: 2, torch: {}}, template: {spec: {replicatedJobs: ["
		"{name: dataset-initializer, template: {metadata: {annotations: {gqsim/duration: "
		"5m}, labels: {" DATASET "}}, spec: {template: " ROLES_CPU(
			1) "}}}, {name: model-initializer, dependsOn: [{name: dataset-initializer, "
			   "status: Complete}], template: {metadata: {annotations: "
			   "{gqsim/duration: 1m}}, spec: {template: " ROLES_CPU(
				   1) "}}}, {name: node, dependsOn: [{name: model-initializer, "
				      "status: Complete}], template: {metadata: {labels: {" TRAINER
				      "}}, spec: {template: " ROLES_CPU(5) "}}}]}}",
		REF, true);

	ck_assert_msg(c.code == ERR_OK, "%s", c.message);
	ck_assert_str_eq(roles_case_sets(c.s, 0),
			 "dataset-initializer 1x1m model-initializer 1x1m node 2x5m");
	ck_assert_str_eq(roles_case_order(c.s, 0), "1>0! 2>1! (300) (60)");
	scenario_free(c.s);
}
END_TEST

int main(void)
{
	TCase *tests = tcase_create("trainjob");

	tcase_add_loop_test(tests, pod_sets, 0, ROWS(rows));
	tcase_add_loop_test(tests, which_runtime, 0, ROWS(references));
	tcase_add_test(tests, what_else_it_says);
	tcase_add_test(tests, initializers_come_first);
	return objects_case_run("objects_trainjob", tests);
}
