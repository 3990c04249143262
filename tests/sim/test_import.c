/* test_import.c - a dump, its import, and both runs. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
	ck_assert_str_eq(c.err, "gqsim: 2 jobs lost what a row cannot say of their work: "
				"checkpoints, utilisation, no gang, or the rules of their "
				"controller\n");
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
	jobs = command_read("share/jobs.csv");
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
	"  resourceGroups: [{coveredResources: [nvidia.com/gpu], flavors: [{name: secret-a, "
	"resources: [{name: nvidia.com/gpu, nominalQuota: 8}]}]}]\n---\n"
	"apiVersion: kueue.x-k8s.io/v1beta2\nkind: LocalQueue\nmetadata: {name: secret-l, "
	"namespace: secret-m}\nspec: {clusterQueue: secret-i}\n---\n"
	"apiVersion: v1\nkind: Node\nmetadata: {name: secret-n, labels: {kubernetes.io/hostname: "
	"secret-host, secret.example/rack: secret-o, secret.example/pool: secret-e, "
	"kubernetes.io/arch: amd64}}\nspec: {providerID: secret-p, taints: [{key: secret-f, value: "
	"Secret, effect: NoSchedule}]}\nstatus: {allocatable: {nvidia.com/gpu: 8, pods: 110, cpu: "
	"9}"
	", nodeInfo: {machineID: secret-q}}\n---\n"
	"apiVersion: kueue.x-k8s.io/v1beta2\nkind: Workload\nmetadata: {name: secret-r, namespace: "
	"secret-m, creationTimestamp: \"2026-03-01T10:00:00Z\"}\nspec: {queueName: secret-l, "
	"priority: 7, priorityClassRef: {group: kueue.x-k8s.io, kind: WorkloadPriorityClass, name: "
	"secret-s}, podSets: [{name: secret-t, count: 1, topologyRequest: {required: "
	"secret.example/rack}, template: {spec: {nodeSelector: {secret.example/pool: secret-e}, "
	"tolerations: [{key: secret-f, operator: Equal, value: Secret}], containers: [{name: "
	"secret-u, image: secret-v, resources: {requests: {nvidia.com/gpu: 1}}}]}}}]}\n";

START_TEST(no_place_is_forgotten)
{
	struct command c;
	char *cluster, *jobs, *events_text;

	command_file("hostile.yaml", hostile);
	c = command_run("import %/hostile.yaml -o %/hostile --redact");
	ck_assert_msg(c.code == 0, "%s", c.err);
	command_free(&c);
	cluster = command_read("hostile/cluster.yaml");
	jobs = command_read("hostile/jobs.csv");
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

static const struct {
	const char *line, *says;
} wrong[] = {
	{"import", "a dump and a folder are needed: gqsim import DUMP... -o DIR"},
	{"import " DUMP, "a dump and a folder are needed"},
	{"import -o %/x", "a dump and a folder are needed"},
	{"import %/none.yaml -o %/x", "none.yaml"},
	{"import " DUMP " -o %/file/x", "cannot be made"},
};

START_TEST(complains)
{
	struct command c;

	command_file("file", "");
	c = command_run(wrong[_i].line);
	ck_assert_int_eq(c.code, CMD_USAGE);
	ck_assert_str_eq(c.out, "");
	ck_assert_msg(strstr(c.err, wrong[_i].says) != NULL, "%s", c.err);
	command_free(&c);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("sim/import");
	TCase *t = tcase_create("all");
	SRunner *r = srunner_create(suite);
	int failed;

	tcase_add_test(t, it_runs_as_the_dump_does);
	tcase_add_test(t, without_status_and_bookkeeping);
	tcase_add_test(t, redacted_it_names_nobody);
	tcase_add_test(t, no_place_is_forgotten);
	tcase_add_loop_test(t, complains, 0, (int)(sizeof(wrong) / sizeof(wrong[0])));
	suite_add_tcase(suite, t);
	srunner_run_all(r, CK_NORMAL);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
