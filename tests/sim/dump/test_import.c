/* test_import.c - a dump, its import, and both runs. */
#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tests/support/command.h"

#define DUMP "scenarios/own-cluster/cluster.yaml"

/* Times, kinds and jobs of a journal as CSV, without the messages. */
static char *events(const char *input, const char *file)
{
	char line[300];
	struct command c;

	snprintf(line, sizeof(line), "run -p kueue %s --events %%/%s -o csv --quiet", input, file);
	c = command_run(line);
	ck_assert_msg(c.code == 0, "%s", c.err);
	command_free(&c);
	return command_read(file);
}

START_TEST(it_runs_as_the_dump_does)
{
	struct command c = command_run("import " DUMP " -o %/plain");
	char *dump, *imported;

	ck_assert_msg(c.code == 0, "%s", c.err);
	ck_assert_ptr_nonnull(strstr(c.out, "/plain: 30 jobs\n"));
	ck_assert_str_eq(c.err, "");
	command_free(&c);
	dump = events(DUMP, "dump.csv");
	imported = events("%/plain", "imported.csv");
	ck_assert_str_eq(dump, imported);
	free(dump);
	free(imported);
}
END_TEST

START_TEST(without_status_and_bookkeeping)
{
	static const char *const gone[] = {"managedFields",    "resourceVersion",  "uid",
					   "finalizers",       "pendingWorkloads", "providerID",
					   "creationTimestamp"};
	struct command c = command_run("import " DUMP " -o %/plain");
	char *cluster;

	command_free(&c);
	cluster = command_read("plain/cluster.yaml");
	for (size_t i = 0; i < sizeof(gone) / sizeof(gone[0]); i++)
		ck_assert_msg(strstr(cluster, gone[i]) == NULL, "%s", gone[i]);
	ck_assert_ptr_nonnull(strstr(cluster, "\"nominalQuota\": \"10\""));
	ck_assert_ptr_nonnull(strstr(cluster, "\"kubernetes.io/metadata.name\": \"research\""));
	ck_assert_ptr_nonnull(strstr(cluster, "NVIDIA-A100-SXM4-80GB"));
	free(cluster);
}
END_TEST

/* ---- names ---- */

static const char *const secrets[] = {"research", "\"product\"", ",product,", "gpus",
				      "gpu-pool", "a100",	 "gpu-0",     "high\"",
				      "train",	  "serve",	 "registry"};

static void has_no_secret(const char *text)
{
	for (size_t i = 0; i < sizeof(secrets) / sizeof(secrets[0]); i++) {
		const char *at = strstr(text, secrets[i]);

		ck_assert_msg(at == NULL, "%s: %.60s", secrets[i], at);
	}
}

static unsigned lines_of(const char *text)
{
	unsigned lines = 0;

	for (; *text != '\0'; text++)
		lines += *text == '\n';
	return lines;
}

START_TEST(redacted_it_names_nobody)
{
	struct command c = command_run("import " DUMP " -o %/share --redact");
	char *cluster, *jobs, *dump, *shared;

	ck_assert_msg(c.code == 0, "%s", c.err);
	command_free(&c);
	cluster = command_read("share/cluster.yaml");
	jobs = command_read("share/jobs.yaml");
	has_no_secret(cluster);
	has_no_secret(jobs);
	ck_assert_ptr_nonnull(strstr(cluster, "NVIDIA-A100-SXM4-80GB"));
	ck_assert_ptr_nonnull(strstr(cluster, "\"clusterQueue\": \"namespace-1\""));
	ck_assert_ptr_nonnull(strstr(cluster, "\"policy\": \"Never\""));
	dump = events(DUMP, "dump.csv");
	shared = events("%/share", "shared.csv");
	ck_assert_uint_eq(lines_of(dump), lines_of(shared));
	free(cluster);
	free(jobs);
	free(dump);
	free(shared);
}
END_TEST

/* Names in all places where there can be one. */
static const char hostile[] =
	"apiVersion: kueue.x-k8s.io/v1beta2\nkind: ResourceFlavor\nmetadata: {name: secret-a, "
	"labels: {secret.example/b: secret-c}, annotations: {note: secret-d}}\nspec:\n"
	"  nodeLabels: {secret.example/pool: secret-e, kubernetes.io/arch: amd64}\n"
	"  nodeTaints: [{key: secret-f, value: Secret, effect: NoSchedule}]\n"
	"  tolerations: [{key: secret-g, operator: Exists}]\n  topologyName: secret-h\n---\n"
	"apiVersion: kueue.x-k8s.io/v1beta2\nkind: Topology\nmetadata: {name: secret-h}\n"
	"spec: {levels: [{nodeLabel: secret.example/rack}]}\n---\n"
	"apiVersion: kueue.x-k8s.io/v1beta2\nkind: ClusterQueue\nmetadata: {name: secret-i}\n"
	"spec:\n  cohortName: secret-j\n  namespaceSelector: {matchExpressions: [{key: "
	"secret.example/team, operator: In, values: [secret-k, Secret]}]}\n"
	"  preemption: {withinClusterQueue: Never}\n"
	"  resourceGroups: [{coveredResources: [nvidia.com/gpu, secret.example/w], flavors: "
	"[{name: "
	"secret-a, resources: [{name: nvidia.com/gpu, nominalQuota: 8}, {name: secret.example/w, "
	"nominalQuota: 2}]}]}]\n---\n"
	"apiVersion: v1\nkind: ResourceQuota\nmetadata: {name: secret-x, namespace: secret-m}\n"
	"spec: {hard: {requests.secret.example/w: 2}}\n---\n"
	"apiVersion: kueue.x-k8s.io/v1beta2\nkind: LocalQueue\nmetadata: {name: secret-l, "
	"namespace: secret-m}\nspec: {clusterQueue: secret-i}\n---\n"
	"apiVersion: v1\nkind: Node\nmetadata: {name: secret-n, labels: {kubernetes.io/hostname: "
	"secret-host, secret.example/rack: secret-o, secret.example/pool: secret-e, "
	"kubernetes.io/arch: amd64}}\nspec: {providerID: secret-p, taints: [{key: secret-f, value: "
	"Secret, effect: NoSchedule}]}\nstatus: {allocatable: {nvidia.com/gpu: 8, pods: 110, cpu: "
	"9, secret.example/w: 3}"
	", nodeInfo: {machineID: secret-q}}\n---\n"
	"apiVersion: kueue.x-k8s.io/v1beta2\nkind: Workload\nmetadata: {name: secret-r, namespace: "
	"secret-m, creationTimestamp: \"2026-03-01T10:00:00Z\"}\nspec: {queueName: secret-l, "
	"priority: 7, priorityClassRef: {group: kueue.x-k8s.io, kind: WorkloadPriorityClass, name: "
	"secret-s}, podSets: [{name: secret-t, count: 1, topologyRequest: {required: "
	"secret.example/rack}, template: {spec: {nodeSelector: {secret.example/pool: secret-e}, "
	"tolerations: [{key: secret-f, operator: Equal, value: Secret}], containers: [{name: "
	"secret-u, image: secret-v, resources: {requests: {nvidia.com/gpu: 1, secret.example/w: "
	"2}}}]}}}]}\n";

START_TEST(no_place_is_forgotten)
{
	struct command c;
	char *cluster, *jobs, *events_text;

	command_file("hostile.yaml", hostile);
	c = command_run("import %/hostile.yaml -o %/hostile --redact");
	ck_assert_msg(c.code == 0, "%s", c.err);
	command_free(&c);
	cluster = command_read("hostile/cluster.yaml");
	jobs = command_read("hostile/jobs.yaml");
	ck_assert_msg(strstr(cluster, "secret") == NULL && strstr(cluster, "Secret") == NULL, "%s",
		      cluster);
	ck_assert_msg(strstr(jobs, "secret") == NULL && strstr(jobs, "Secret") == NULL, "%s", jobs);
	ck_assert_ptr_nonnull(strstr(cluster, "\"kubernetes.io/arch\": \"amd64\""));
	ck_assert_ptr_nonnull(strstr(cluster, "\"withinClusterQueue\": \"Never\""));
	ck_assert_ptr_nonnull(strstr(cluster, "\"effect\": \"NoSchedule\""));
	events_text = events("%/hostile", "hostile.csv");
	ck_assert_ptr_nonnull(strstr(events_text, "QuotaReserved"));
	free(cluster);
	free(jobs);
	free(events_text);
}
END_TEST

/* Without the column they would be jobs of a queue "default". */
START_TEST(jobs_without_a_queue_stay_so)
{
	struct command c;
	char *jobs;

	command_file("plain-job.yaml",
		     "apiVersion: batch/v1\nkind: Job\nmetadata: {name: j, namespace: m}\nspec: "
		     "{template: {spec: {containers: [{name: c, resources: {requests: {cpu: "
		     "1}}}]}}}\n");
	c = command_run("import %/plain-job.yaml -o %/plain-job");
	ck_assert_msg(c.code == 0, "%s", c.err);
	command_free(&c);
	jobs = command_read("plain-job/jobs.csv");
	ck_assert_ptr_nonnull(strstr(jobs, ",queue,"));
	free(jobs);
}
END_TEST

#define CLASS(api, kind, value)                                                                    \
	"apiVersion: " api "\nkind: " kind "\nmetadata: {name: same}\nvalue: " value "\n---\n"
#define OF_CLASS(name, label, spec)                                                                \
	"apiVersion: batch/v1\nkind: Job\nmetadata: {name: " name ", namespace: m, labels: {"      \
	"kueue.x-k8s.io/queue-name: l" label "}}\nspec: {template: {spec: {" spec                  \
	"restartPolicy: Never, containers: [{name: c, resources: {requests: {cpu: 1}}}]}}}\n---\n"

/* A row's class means both of one name; so each gets a name of its own. */
START_TEST(two_classes_of_one_name)
{
	struct command c;
	char *jobs;

	command_file("same.yaml",
		     CLASS("scheduling.k8s.io/v1", "PriorityClass", "5")
			     CLASS("kueue.x-k8s.io/v1beta2", "WorkloadPriorityClass", "7")
				     OF_CLASS("a", ", kueue.x-k8s.io/priority-class: same", "")
					     OF_CLASS("b", "", "priorityClassName: same, "));
	c = command_run("import %/same.yaml -o %/same");
	ck_assert_msg(c.code == 0, "%s", c.err);
	command_free(&c);
	jobs = command_read("same/jobs.csv");
	ck_assert_ptr_nonnull(strstr(jobs, ",priority-7,"));
	ck_assert_ptr_nonnull(strstr(jobs, ",pod-priority-5,"));
	ck_assert_ptr_null(strstr(jobs, ",same,"));
	free(jobs);
	c = command_run("run -p kueue %/same");
	ck_assert_ptr_null(strstr(c.err, "priority class"));
	command_free(&c);
}
END_TEST

/* ---- what no row can say ---- */

#define RACK "secret.example/rack"
#define HOST "kubernetes.io/hostname"
#define NODE(name, rack, more)                                                                     \
	"apiVersion: v1\nkind: Node\nmetadata: {name: " name ", labels: {" HOST ": " name          \
	", " RACK ": " rack ", secret.example/pool: secret-pool}}\n" more                          \
	"status: {allocatable: {cpu: 32, memory: "                                                 \
	"64Gi, nvidia.com/gpu: 8, pods: 110}}\n---\n"
#define WORK(name, at, more, sets)                                                                 \
	"apiVersion: kueue.x-k8s.io/v1beta2\nkind: Workload\nmetadata: {name: " name               \
	", namespace: secret-ns, creationTimestamp: \"2026-03-01T10:0" at "Z\"" more               \
	"}\nspec:\n  queueName: secret-lq\n" sets
#define SET(name, count, more, labels, spec)                                                       \
	"  - {name: " name ", count: " count more ", template: {metadata: {labels: {" labels       \
	"}}, spec: {" spec "}}}\n"
#define MAIN(requests)                                                                             \
	"containers: [{name: secret-c, image: secret-image, resources: {" requests "}}]"

static const char rich_cluster[] =
	"apiVersion: kueue.x-k8s.io/v1beta2\nkind: Topology\nmetadata: {name: secret-topology}\n"
	"spec: {levels: [{nodeLabel: " RACK "}, {nodeLabel: " HOST "}]}\n---\n"
	"apiVersion: kueue.x-k8s.io/v1beta2\nkind: ResourceFlavor\nmetadata: {name: "
	"secret-flavor}\n"
	"spec: {nodeLabels: {secret.example/pool: secret-pool}, topologyName: secret-topology}\n"
	"---\n"
	"apiVersion: kueue.x-k8s.io/v1beta2\nkind: ClusterQueue\nmetadata: {name: "
	"secret-cq}\nspec:\n"
	"  namespaceSelector: {}\n  preemption: {withinClusterQueue: LowerPriority}\n"
	"  resourceGroups: [{coveredResources: [cpu, memory, nvidia.com/gpu], flavors: [{name: "
	"secret-flavor, resources: [{name: cpu, nominalQuota: 100}, {name: memory, nominalQuota: "
	"200Gi}, {name: nvidia.com/gpu, nominalQuota: 24}]}]}]\n---\n"
	"apiVersion: kueue.x-k8s.io/v1beta2\nkind: LocalQueue\nmetadata: {name: secret-lq, "
	"namespace: secret-ns}\nspec: {clusterQueue: secret-cq}\n---\n"
	"apiVersion: node.k8s.io/v1\nkind: RuntimeClass\nmetadata: {name: secret-rc}\nhandler: "
	"secret-handler\noverhead: {podFixed: {cpu: 250m, memory: 64Mi}}\n---\n" NODE(
		"secret-n0", "secret-r0", "") NODE("secret-n1", "secret-r0", "")
		NODE("secret-n2", "secret-r1",
		     "spec: {taints: [{key: secret.example/t, value: secret-v, effect: "
		     "NoSchedule}]}\n");
static const char
	rich_jobs
		[] =
			WORK("secret-w0", "0:00",
			     ", annotations: {gqsim/duration: 30m, gqsim/checkpoint-interval: 5m, "
			     "gqsim/restart-cost: 7s, gqsim/gpu-utilisation: \"62.5\"}",
			     "  priority: 5\n  podSets:\n" SET("secret-head", "1", "",
							       "secret.example/app: secret-a0",
							       MAIN("requests: {cpu: 500m, memory: "
								    "1.5Gi}") ", initContainers: "
									      "[{name: secret-i, "
									      "resources: "
									      "{requests: {cpu: "
									      "3}}}, {name: "
									      "secret-s, "
									      "restartPolicy: "
									      "Always, resources: "
									      "{requests: {cpu: "
									      "100m}}}]")
				     SET("secret-workers", "3", ", minCount: 2",
					 "secret.example/app: secret-a1",
					 MAIN(
						 "limits: {nvidia.com/gpu: 2, cpu: 2}") ", "
											"runtimeCla"
											"ssName: "
											"secret-"
											"rc")) "---"
											       "\n" WORK("secret-w1", "0:10", ", annotations: {gqsim/duration: 20m, gqsim/gang: \"false\"}", "  maximumExecutionTimeSeconds: 600\n  podSets:\n" SET("main", "4", ", topologyRequest: {required: " RACK ", podSetSliceRequiredTopology: " HOST ", podSetSliceSize: 2}", "", MAIN("requests: {nvidia.com/gpu: 1}"))) "---\n" WORK("secret-w2",
																																																				"0:20",
																																																				", annotations: {gqsim/duration: 10m}",
																																																				"  priority: 9\n  priorityClassRef: {group: kueue.x-k8s.io, kind: "
																																																				"WorkloadPriorityClass, name: secret-class}\n  podSets:\n" SET("main",
																																																											       "2",
																																																											       "",
																																																											       "secret.example/app: secret-a2",
																																																											       MAIN("requests: {nvidia.com/gpu: 4}") ", tolerations: [{key: secret.example/t, operator: Equal, value: secret-v, effect: "
																																																																     "NoSchedule}], affinity: {nodeAffinity: "
																																																																     "{requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: "
																																																																     "[{matchExpressions: [{key: " RACK
																																																																     ", operator: In, values: [secret-r1]}, "
																																																																     "{key: secret.example/gone, operator: DoesNotExist}]}, {matchFields: [{key: "
																																																																     "metadata.name, operator: In, values: [secret-n1]}]}]}, "
																																																																     "preferredDuringSchedulingIgnoredDuringExecution: [{weight: 7, preference: "
																																																																     "{matchExpressions: [{key: " RACK
																																																																     ", operator: In, values: [secret-r1]}]}}]}, "
																																																																     "podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: " HOST
																																																																     ", labelSelector: {matchLabels: {secret.example/app: secret-a2}}}], "
																																																																     "preferredDuringSchedulingIgnoredDuringExecution: [{weight: 3, podAffinityTerm: "
																																																																     "{topologyKey: " RACK
																																																																     ", namespaces: [secret-ns], labelSelector: {matchExpressions: "
																																																																     "[{key: secret.example/app, operator: In, values: [secret-a1]}]}}}]}}, "
																																																																     "topologySpreadConstraints: [{maxSkew: 1, topologyKey: " HOST
																																																																     ", whenUnsatisfiable: "
																																																																     "DoNotSchedule, minDomains: 2, nodeTaintsPolicy: Honor, labelSelector: "
																																																																     "{matchLabels: {secret.example/app: secret-a2}}}]")) "---\n" WORK("secret-w3",
																																																																								       "0:30",
																																																																								       ", annotations: {gqsim/duration: 15m, gqsim/cancel-at: 10m}",
																																																																								       "  podSets:\n" SET("main", "2",
																																																																											  ", topologyRequest: {preferred: " HOST ", podSetGroupName: secret-group}", "",
																																																																											  MAIN(
																																																																												  "requests: {nvidia.com/gpu: 3}")) SET("secret-lead",
																																																																																	"1",
																																																																																	", topologyRequest: {preferred: " HOST ", podSetGroupName: secret-group}", "", MAIN("requests: {nvidia.com/gpu: 3}")));

#define RICH "%/rich.yaml %/rich-jobs.yaml"

static void write_rich(void)
{
	command_file("rich.yaml", rich_cluster);
	command_file("rich-jobs.yaml", rich_jobs);
}

/* All decisions and messages under both schedulers. */
static char *all_events(const char *input, const char *file)
{
	static const char *const policies[] = {"kueue", "kubernetes"};
	char *texts[2], *both;

	for (int i = 0; i < 2; i++) {
		char line[300];
		struct command c;

		snprintf(line, sizeof(line), "run -p %s %s --events %%/%s -o csv --quiet",
			 policies[i], input, file);
		c = command_run(line);
		ck_assert_msg(c.code == 0, "%s", c.err);
		command_free(&c);
		texts[i] = command_read(file);
	}
	both = malloc(strlen(texts[0]) + strlen(texts[1]) + 1);
	strcpy(both, texts[0]);
	strcat(both, texts[1]);
	free(texts[0]);
	free(texts[1]);
	return both;
}

/* What rows have no column for is in objects, and decides the same. */
START_TEST(nothing_is_lost)
{
	char *dump, *imported;
	struct command c;

	write_rich();
	c = command_run("import " RICH " -o %/rich");
	ck_assert_msg(c.code == 0, "%s", c.err);
	ck_assert_str_eq(c.err, "");
	command_free(&c);
	ck_assert_ptr_null(command_read("rich/jobs.csv"));
	dump = all_events(RICH, "dump.csv");
	imported = all_events("%/rich", "imported.csv");
	ck_assert_ptr_nonnull(strstr(dump, "secret-w2"));
	ck_assert(strcmp(dump, imported) == 0); /* too long to be shown */
	free(dump);
	free(imported);
}
END_TEST

START_TEST(nothing_of_it_leaks)
{
	struct command c;
	char *jobs, *dump, *shared;

	write_rich();
	c = command_run("import " RICH " -o %/rich --redact");
	ck_assert_msg(c.code == 0, "%s", c.err);
	command_free(&c);
	jobs = command_read("rich/jobs.yaml");
	ck_assert_msg(strstr(jobs, "secret") == NULL, "%.80s", strstr(jobs, "secret"));
	free(jobs);
	jobs = command_read("rich/cluster.yaml");
	ck_assert_msg(strstr(jobs, "secret") == NULL, "%.80s", strstr(jobs, "secret"));
	free(jobs);
	dump = all_events(RICH, "dump.csv");
	shared = all_events("%/rich", "shared.csv");
	ck_assert_uint_eq(lines_of(dump), lines_of(shared));
	free(dump);
	free(shared);
}
END_TEST

/* Another import into the same folder leaves nothing of the first. */
START_TEST(imports_replace_each_other)
{
	struct command c;
	char *rows;

	write_rich();
	c = command_run("import " RICH " -o %/twice");
	command_free(&c);
	c = command_run("import %/rich.yaml -o %/twice");
	command_free(&c);
	ck_assert_ptr_null(command_read("twice/jobs.yaml"));
	rows = command_read("twice/jobs.csv");
	ck_assert_ptr_nonnull(rows);
	free(rows);
}
END_TEST

/* Its names are ours, not the user's: what is there of another's stays. */
START_TEST(spares_what_no_import_made)
{
	struct command c;
	char *rows, folder[300];

	snprintf(folder, sizeof(folder), "%s/own", command_folder());
	ck_assert(mkdir(folder, 0777) == 0 || errno == EEXIST);
	command_file("own/jobs.csv", "mine\n");
	c = command_run("import " DUMP " -o %/own");
	ck_assert_int_eq(c.code, CMD_USAGE);
	ck_assert_ptr_nonnull(strstr(c.err, "jobs.csv is there, which no import made"));
	command_free(&c);
	rows = command_read("own/jobs.csv");
	ck_assert_str_eq(rows, "mine\n");
	free(rows);
	ck_assert_ptr_null(command_read("own/cluster.yaml"));
}
END_TEST

static const struct {
	const char *line, *says;
} wrong[] = {
	{"import", "a dump and a folder are needed: gqsim import DUMP... -o DIR"},
	{"import " DUMP, "a dump and a folder are needed"},
	{"import -o %/x", "a dump and a folder are needed"},
	{"import %/none.yaml -o %/x", "none.yaml"},
	{"import " DUMP " -o %/file/x", "cannot be made"},
	{"import %/cluster.yaml -o %", "cluster.yaml: this is an input, which would be lost"},
	{"import % -o %", "cluster.yaml: this is an input, which would be lost"},
	{"import " DUMP " %/jobs.csv -o %/.", "jobs.csv: this is an input, which would be lost"},
};

START_TEST(complains)
{
	struct command c;

	command_file("file", "");
	command_file("cluster.yaml", "");
	command_file("jobs.csv", "");
	c = command_run(wrong[_i].line);
	ck_assert_int_eq(c.code, CMD_USAGE);
	ck_assert_str_eq(c.out, "");
	ck_assert_msg(strstr(c.err, wrong[_i].says) != NULL, "%s", c.err);
	command_free(&c);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("sim/dump/import");
	TCase *t = tcase_create("all");
	SRunner *r = srunner_create(suite);
	int failed;

	tcase_add_test(t, it_runs_as_the_dump_does);
	tcase_add_test(t, without_status_and_bookkeeping);
	tcase_add_test(t, redacted_it_names_nobody);
	tcase_add_test(t, no_place_is_forgotten);
	tcase_add_test(t, jobs_without_a_queue_stay_so);
	tcase_add_test(t, two_classes_of_one_name);
	tcase_add_test(t, nothing_is_lost);
	tcase_add_test(t, nothing_of_it_leaks);
	tcase_add_test(t, imports_replace_each_other);
	tcase_add_test(t, spares_what_no_import_made);
	tcase_add_loop_test(t, complains, 0, (int)(sizeof(wrong) / sizeof(wrong[0])));
	suite_add_tcase(suite, t);
	srunner_run_all(r, CK_NORMAL);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
