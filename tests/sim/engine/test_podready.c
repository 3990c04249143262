/* test_podready.c - when Kueue takes a gang for ready: by kind, before all its pods run, and
 * after one is lost (pkg/controller/jobs, PodsReady).
 */
#include "sim/engine/podready.h"

#include "tests/sim/run_case.h"

#define CONFIG                                                                                     \
	"---\napiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\n"                    \
	"waitForPodsReady: {timeout: 60s, recoveryTimeout: 60s, blockAdmission: true}\n"           \
	"integrations: {frameworks: [batch/job, kubeflow.org/pytorchjob, kubeflow.org/tfjob, "     \
	"kubeflow.org/xgboostjob, kubeflow.org/paddlejob, kubeflow.org/jaxjob, "                   \
	"kubeflow.org/mpijob, ray.io/rayjob, ray.io/raycluster, ray.io/rayservice, "               \
	"jobset.x-k8s.io/jobset]}\n"
#define QUEUED		     "labels: {kueue.x-k8s.io/queue-name: q}, annotations: {gqsim/duration: 1000s}"
#define ROLE(name, replicas) "    " name ": {replicas: " replicas ", " RUN_CASE_TEMPLATE "}\n"
#define KUBEFLOW(kind, specs, roles)                                                               \
	"---\napiVersion: kubeflow.org/v1\nkind: " kind "\nmetadata: {name: a, " QUEUED            \
	"}\nspec:\n  " specs ":\n" roles
#define GROUP(replicas)                                                                            \
	"{groupName: w, replicas: " replicas ", minReplicas: 0, maxReplicas: 9, "                  \
	"rayStartParams: {}, " RUN_CASE_TEMPLATE "}"
#define CLUSTER(replicas)                                                                          \
	"{headGroupSpec: {rayStartParams: {}, template: {spec: {containers: [{name: "              \
	"c}]}}}, workerGroupSpecs: [" GROUP(replicas) "]}"

/* Three GPUs by quota, two on the node: not all of a's pods run. */
static const struct {
	const char *job;
	bool ready; /* all the same */
} rows[] = {
	{KUBEFLOW("PyTorchJob", "pytorchReplicaSpecs", ROLE("Master", "1") ROLE("Worker", "2")),
	 true},
	{KUBEFLOW("PyTorchJob", "pytorchReplicaSpecs", ROLE("Worker", "3")), true},
	{KUBEFLOW("TFJob", "tfReplicaSpecs", ROLE("PS", "1") ROLE("Worker", "2")), true},
	{KUBEFLOW("TFJob", "tfReplicaSpecs", ROLE("Chief", "1") ROLE("Worker", "2")), true},
	{KUBEFLOW("XGBoostJob", "xgbReplicaSpecs", ROLE("Master", "1") ROLE("Worker", "2")), true},
	{KUBEFLOW("PaddleJob", "paddleReplicaSpecs", ROLE("Worker", "3")), true},
	{KUBEFLOW("JAXJob", "jaxReplicaSpecs", ROLE("Worker", "3")), true},
	/* the worker that would tell has no node */
	{KUBEFLOW("TFJob", "tfReplicaSpecs", ROLE("PS", "2") ROLE("Worker", "1")), false},
	{KUBEFLOW("MPIJob", "mpiReplicaSpecs", ROLE("Launcher", "1") ROLE("Worker", "2")), false},
	{"---\napiVersion: ray.io/v1\nkind: RayCluster\nmetadata: {name: a, " QUEUED
	 "}\nspec: " CLUSTER("3") "\n",
	 false},
	{"---\napiVersion: ray.io/v1\nkind: RayService\nmetadata: {name: a, " QUEUED
	 "}\nspec: {rayClusterConfig: " CLUSTER("3") "}\n",
	 false},
	{"---\napiVersion: jobset.x-k8s.io/v1alpha2\nkind: JobSet\nmetadata: {name: a, " QUEUED
	 "}\nspec: {replicatedJobs: [{name: w, replicas: 3, template: {spec: {" RUN_CASE_TEMPLATE
	 "}}}]}\n",
	 false},
};

START_TEST(before_all_pods_run)
{
	char yaml[4000];
	struct run_case c;

	snprintf(yaml, sizeof(yaml), "%s%s%s%s%s", RUN_CASE_NODE("2"), RUN_CASE_QUEUE("4"), CONFIG,
		 rows[_i].job,
		 RUN_CASE_QUEUED("b", "gqsim/duration: 10s, gqsim/submit-at: 20s",
				 "parallelism: 1"));
	c = run_case(yaml, "kueue");

	if (rows[_i].ready) { /* nothing evicts it, nobody waits for it */
		run_case_lacks(&c, "evict a");
		run_case_has(&c, "\n20 reserve b");
	} else {
		run_case_has(&c, "\n60 evict a");
		run_case_lacks(&c, "\n20 reserve b");
	}
	run_case_free(&c);
}
END_TEST

/* A pod that is lost is no news: neither of a master, nor of a worker. */
START_TEST(nor_when_one_is_lost)
{
#define TWO_NODES                                                                                  \
	"apiVersion: v1\nkind: Node\nmetadata: {name: n1}\n"                                       \
	"status: {allocatable: {cpu: 64, memory: 640Gi, nvidia.com/gpu: 1, pods: 110}}\n"          \
	"---\napiVersion: v1\nkind: Node\nmetadata: {name: n2}\n"                                  \
	"status: {allocatable: {cpu: 64, memory: 640Gi, nvidia.com/gpu: 1, pods: 110}}\n"          \
	"---\napiVersion: v1\nkind: Node\nmetadata: {name: n2, annotations: {gqsim/at: \"100\", "  \
	"gqsim/drain: \"true\"}}\nspec: {unschedulable: true}\n"                                   \
	"status: {allocatable: {cpu: 64, memory: 640Gi, nvidia.com/gpu: 1, pods: 110}}\n"
	struct run_case c =
		run_case(TWO_NODES RUN_CASE_QUEUE("2")
				 CONFIG KUBEFLOW("PyTorchJob", "pytorchReplicaSpecs",
						 ROLE("Master", "1") ROLE("Worker", "1")),
			 "kueue");

	run_case_has(&c, "\n0 start a\n");
	run_case_has(&c, "\n100 ");
	run_case_lacks(&c, "evict a");
	run_case_free(&c);
	c = run_case(TWO_NODES RUN_CASE_QUEUE("2") CONFIG
		     "---\napiVersion: ray.io/v1\nkind: RayService\nmetadata: {name: a, " QUEUED
		     "}\nspec: {rayClusterConfig: " CLUSTER("2") "}\n",
		     "kueue");
	run_case_has(&c, "\n0 start a\n");
	run_case_has(&c, "\n100 ");
	run_case_lacks(&c, "evict a");
	run_case_free(&c);
	c = run_case(TWO_NODES RUN_CASE_QUEUE("2")
			     CONFIG KUBEFLOW("MPIJob", "mpiReplicaSpecs",
					     ROLE("Launcher", "1") ROLE("Worker", "1")),
		     "kueue");
	run_case_has(&c, "\n160 evict a");
	run_case_free(&c);
}
END_TEST

/* A RayCluster is ready before the submitter of its RayJob has come. */
START_TEST(without_the_submitter)
{
	struct run_case c = run_case(
		RUN_CASE_NODE("1") RUN_CASE_QUEUE("1") CONFIG
		"---\napiVersion: ray.io/v1\nkind: RayJob\nmetadata: {name: a, " QUEUED
		"}\nspec: {entrypoint: x, shutdownAfterJobFinishes: true, rayClusterSpec: " CLUSTER(
			"1") ", submitterPodTemplate: {spec: {nodeSelector: {disk: none}, "
			     "containers: "
			     "[{name: c}]}}}\n",
		"kueue");

	run_case_lacks(&c, "start a");
	run_case_lacks(&c, "evict a");
	run_case_free(&c);
}
END_TEST

int main(void)
{
	TCase *t = tcase_create("all");

	tcase_add_loop_test(t, before_all_pods_run, 0, ROWS(rows));
	tcase_add_test(t, nor_when_one_is_lost);
	tcase_add_test(t, without_the_submitter);
	return objects_case_run("sim/engine/podready", t);
}
