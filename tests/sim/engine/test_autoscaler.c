/* test_autoscaler.c - Pools that grow for pods and requests, and shrink again. */
#include "sim/engine/autoscaler.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

#include "core/mem.h"
#include "sim/engine/audit.h"
#include "sim/engine/engine.h"
#include "tests/sim/objects_case.h"

#define SIMULATION "apiVersion: gqsim/v1\nkind: Simulation\n"
#define QUEUE(class)                                                                               \
	"---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: ResourceFlavor\nmetadata: {name: f}\n"     \
	"---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: ClusterQueue\nmetadata: {name: q}\n"       \
	"spec:\n  namespaceSelector: {}\n"                                                         \
	"  admissionChecksStrategy: {admissionChecks: [{name: nodes}]}\n"                          \
	"  resourceGroups:\n  - coveredResources: [nvidia.com/gpu]\n    flavors:\n"                \
	"    - {name: f, resources: [{name: nvidia.com/gpu, nominalQuota: 99}]}\n"                 \
	"---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: LocalQueue\n"                              \
	"metadata: {name: q, namespace: default}\nspec: {clusterQueue: q}\n"                       \
	"---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: AdmissionCheck\nmetadata: {name: nodes}\n" \
	"spec: {controllerName: kueue.x-k8s.io/provisioning-request, parameters: {name: p}}\n"     \
	"---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: ProvisioningRequestConfig\n"               \
	"metadata: {name: p}\nspec: {provisioningClassName: " class "}\n"
#define JOB                                                                                        \
	"---\napiVersion: batch/v1\nkind: Job\n"                                                   \
	"metadata: {name: a, labels: {kueue.x-k8s.io/queue-name: q},\n"                            \
	"  annotations: {gqsim/duration: '60'}}\n"                                                 \
	"spec:\n  backoffLimit: 0\n  template:\n    spec:\n      restartPolicy: Never\n"           \
	"      containers: [{name: c, resources: {requests: {nvidia.com/gpu: 8}}}]\n"
#define SCALE_UP       "best-effort-atomic-scale-up.autoscaling.x-k8s.io"
#define CHECK_CAPACITY "check-capacity.autoscaling.x-k8s.io"

/* "10 ask k-0; 70 join k-0; 70 start a; 700 leave k-0" */
static void describe(const struct journal *j, char *buf, size_t size)
{
	static const char *const words[] = {"ask", "join", "leave"};
	struct journal_reader in;
	const struct journal_record *r;
	size_t used = 0;

	buf[0] = '\0';
	journal_open(&in, j);
	while ((r = journal_next(&in)) != NULL) {
		char name[SCENARIO_NAME_TEXT], at[CLOCK_TEXT];
		const char *what, *whom;

		if (r->kind == J_SCALE) {
			what = words[r->arg2];
			whom = scenario_string(j->scenario, j->scenario->nodes[r->arg].name);
		} else if (r->kind == J_STARTED) {
			what = "start";
			whom = scenario_job_name(j->scenario, r->job, name);
		} else if (r->kind == J_FAILED) {
			what = "fail";
			whom = scenario_job_name(j->scenario, r->job, name);
		} else if (r->kind == J_DEADLOCK) {
			what = "deadlock";
			whom = "";
		} else {
			continue;
		}
		used += (size_t)snprintf(buf + used, size - used, "%s%s %s %s",
					 used == 0 ? "" : "; ", clock_format_seconds(r->time, at),
					 what, whom);
		ck_assert_uint_lt(used, size);
	}
}

static const struct {
	const char *name, *policy, *yaml, *want;
} rows[] = {
	{"nodes for pods, away when empty for 10 minutes", "kubernetes",
	 SIMULATION "nodePools: [{name: k, count: 0, maxSize: 2, gpus: 8, bootDelay: 60}]\n"
		    "jobs: [{name: a, gpus: 8, pods: 2, duration: 100}]\n",
	 "10 ask k-0; 10 ask k-1; 70 join k-0; 70 join k-1; 70 start a; 780 leave k-1; "
	 "780 leave k-0"},
	{"never more than maxSize, never less than minSize", "kubernetes",
	 SIMULATION
	 "nodePools: [{name: k, count: 1, minSize: 1, maxSize: 2, gpus: 8, bootDelay: 60}]\n"
	 "jobs: [{name: a, count: 3, gpus: 8, duration: 100}]\n",
	 "0 start a-0; 10 ask k-1; 70 join k-1; 70 start a-1; 100 start a-2; 780 leave k-1"},
	{"the first pool that suits", "kubernetes",
	 SIMULATION
	 "nodePools: [{name: small, count: 0, maxSize: 2, gpus: 4, bootDelay: 60},\n"
	 "  {name: big, count: 0, maxSize: 2, gpus: 8, bootDelay: 90},\n"
	 "  {name: other, count: 0, maxSize: 2, gpus: 8, bootDelay: 30}]\n"
	 "autoscaler: {scanInterval: 5, scaleDownUnneededTime: 1h}\n"
	 "jobs: [{name: a, gpus: 8, duration: 100}, {name: b, gpus: 4, duration: 100}]\n",
	 "5 ask big-0; 5 ask small-0; 65 join small-0; 65 start b; 95 join big-0; 95 start a; "
	 "3770 leave small-0; 3800 leave big-0"},
	{"pods of one size share a node, booting ones included", "kubernetes",
	 SIMULATION "nodePools: [{name: k, count: 0, maxSize: 9, gpus: 8, bootDelay: 60}]\n"
		    "autoscaler: {scaleDownUnneededTime: 0, scaleDownDelayAfterAdd: 0}\n"
		    "jobs: [{name: a, gpus: 4, pods: 3, duration: 100},\n"
		    "  {name: b, gpus: 4, submitAt: 20, duration: 100}]\n",
	 "10 ask k-0; 10 ask k-1; 70 join k-0; 70 join k-1; 70 start a; 70 start b; "
	 "180 leave k-1; 180 leave k-0"},
	{"two half-placed jobs are no deadlock while nodes boot", "kubernetes",
	 SIMULATION "nodePools: [{name: k, count: 2, maxSize: 3, gpus: 4, bootDelay: 60}]\n"
		    "options: {create: interleaved}\n"
		    "jobs: [{name: a, gpus: 4, pods: 2, duration: 100},\n"
		    "  {name: b, gpus: 4, pods: 2, duration: 100}]\n",
	 "10 ask k-2; 70 join k-2; 70 start a; 170 start b; 780 leave k-2"},
	{"all from one pool, or nothing", "kueue",
	 SIMULATION "nodePools: [{name: k, count: 0, maxSize: 1, gpus: 8, bootDelay: 60},\n"
		    "  {name: m, count: 0, maxSize: 2, gpus: 8, bootDelay: 60}]\n"
		    "jobs: [{name: a, gpus: 8, pods: 2, queue: q, duration: 100},\n"
		    "  {name: b, gpus: 8, pods: 2, queue: q, duration: 100}]\n" QUEUE(SCALE_UP),
	 "10 ask m-0; 10 ask m-1; 70 join m-0; 70 join m-1; 70 start a; 180 start b; "
	 "890 leave m-1; 890 leave m-0"},
	{"a booking keeps its room from others", "kueue",
	 SIMULATION
	 "nodePools: [{name: k, count: 0, maxSize: 1, gpus: 8, bootDelay: 60}]\n"
	 "jobs: [{name: a, gpus: 8, queue: q, duration: 100},\n"
	 "  {name: b, gpus: 8, queue: q, submitAt: 15, duration: 100}]\n" QUEUE(SCALE_UP),
	 "10 ask k-0; 70 join k-0; 70 start a; 180 start b; 890 leave k-0"},
	{"asking whether there is room makes none", "kueue",
	 SIMULATION "nodePools: [{name: k, count: 0, maxSize: 1, gpus: 8, bootDelay: 60}]\n"
		    "jobs: [{name: a, gpus: 8, queue: q, duration: 100}]\n" QUEUE(CHECK_CAPACITY),
	 ""},
	{"a node's time is over", "kubernetes",
	 SIMULATION "nodePools: [{name: k, count: 0, maxSize: 1, gpus: 8, bootDelay: 60, "
		    "maxRunDuration: 45}]\n"
		    "jobs: [{name: a, gpus: 8, checkpoint: 20, duration: 60}]\n",
	 "10 ask k-0; 70 join k-0; 70 start a; 120 leave k-0; 130 ask k-0; 190 join k-0; "
	 "190 start a; 240 leave k-0"},
	{"a job that fails with its node is not evicted for the capacity too", "kueue",
	 SIMULATION "nodePools: [{name: k, count: 0, maxSize: 1, gpus: 8, bootDelay: 60, "
		    "maxRunDuration: 45}]\n" QUEUE(SCALE_UP) JOB,
	 "10 ask k-0; 70 join k-0; 70 start a; 115 fail a; 120 leave k-0"},
};

START_TEST(whole_runs)
{
	struct scenario *s = objects_case_load(rows[_i].yaml);
	struct run_options options;
	struct journal *journal = NULL;
	struct audit audit;
	struct err err = {0};
	char got[1000], why[AUDIT_TEXT];

	options_default(&options);
	for (uint32_t i = 0; i < s->option_count; i++) {
		char text[100], *equals;

		snprintf(text, sizeof(text), "%s", scenario_string(s, s->options[i]));
		equals = strchr(text, '=');
		*equals = '\0';
		ck_assert_int_eq(options_set(&options, text, equals + 1, &err), ERR_OK);
	}
	ck_assert_int_eq(
		engine_run(s, policy_find(rows[_i].policy), &options, JOURNAL_FULL, &journal, &err),
		ERR_OK);
	describe(journal, got, sizeof(got));
	ck_assert_msg(strcmp(got, rows[_i].want) == 0, "%s: got\n%s", rows[_i].name, got);
	ck_assert_msg(audit_check(journal, &audit), "%s: %s", rows[_i].name,
		      audit_text(journal, &audit.listed[0], why));
	journal_free(journal);
	scenario_free(s);
}
END_TEST

int main(void)
{
	TCase *t = tcase_create("all");

	tcase_add_loop_test(t, whole_runs, 0, ROWS(rows));
	return objects_case_run("sim/engine/autoscaler", t);
}
