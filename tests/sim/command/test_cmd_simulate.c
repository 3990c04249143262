/* test_cmd_simulate.c - gqsim simulate: a job in the cluster that a dump describes. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/command.h"

#define DUMP "scenarios/own-cluster/cluster.yaml "

#define JOB(metadata, gpus)                                                                        \
	"apiVersion: batch/v1\nkind: Job\nmetadata: {name: mine" metadata "}\nspec:\n  template: " \
	"{spec: {restartPolicy: Never, containers: [{name: c, resources: {limits: "                \
	"{nvidia.com/gpu: " gpus "}}}]}}\n"
#define QUEUED(name) ", namespace: research, labels: {kueue.x-k8s.io/queue-name: " name "}"

static const struct {
	const char *job, *options;
	int code;
	const char *says; /* on standard output */
} cases[] = {
	{JOB(QUEUED("gpus"), "4"), "", 0,
	 "research/mine (4 GPUs, ClusterQueue research), submitted "
	 "now: waits, 4 of 4 in its queue\n  because: "
	 "WaitingForPreemptedWorkloads: "},
	{JOB(QUEUED("gpus"), "4"), "", 0, "  expected wait: "},
	/* of high priority it is first, and takes what is borrowed */
	{JOB(", namespace: product, labels: {kueue.x-k8s.io/queue-name: gpus, "
	     "kueue.x-k8s.io/priority-class: high}",
	     "1"),
	 "", 0, "product/mine (1 GPU, ClusterQueue product), submitted now: "},
	{JOB(QUEUED("none"), "1"), "", 1,
	 "waits\n  because: Misconfigured: LocalQueue none doesn't "
	 "exist\n  it is never admitted, whatever ends when\n"},
	{JOB(QUEUED("gpus"), "17"), "", 1, "because: ExceedsMaxQuota: "},
	{JOB(", labels: {kueue.x-k8s.io/queue-name: gpus}", "4"), "", 1, "default/mine (4 GPUs), "},
	{JOB(", labels: {kueue.x-k8s.io/queue-name: gpus}", "4"), "-n research", 0,
	 "research/mine (4 GPUs, ClusterQueue research)"},
	/* what Kueue leaves alone waits for a node */
	{JOB("", "8"), "", 0,
	 "default/mine (8 GPUs), submitted now: not Kueue's, it has no "
	 "queue-name; its pods run after "},
	{JOB("", "9"), "", 1, "its pods never run\n  because: 0/2 nodes are available: "},
	{JOB("", "0"), "", 0, "its pods run at once\n"},
	/* several jobs in one file */
	{JOB(QUEUED("gpus"), "4") "---\n{apiVersion: v1, kind: Pod, metadata: {name: second, "
				  "namespace: product, labels: {kueue.x-k8s.io/queue-name: gpus}}, "
				  "spec: {containers: [{name: c, resources: {limits: "
				  "{nvidia.com/gpu: 1}}}]}}\n",
	 "", 0, "product/second (1 GPU, ClusterQueue product)"},
	/* pods of a group come together, and are one job */
	{"{apiVersion: v1, kind: Pod, metadata: {name: p0, namespace: research, labels: "
	 "{kueue.x-k8s.io/queue-name: gpus, kueue.x-k8s.io/pod-group-name: g}, annotations: "
	 "{kueue.x-k8s.io/pod-group-total-count: \"2\", gqsim/duration: 1h}}, spec: {containers: "
	 "[{name: c, resources: {limits: {nvidia.com/gpu: 1}}}]}}\n---\n"
	 "{apiVersion: v1, kind: Pod, metadata: {name: p1, namespace: research, labels: "
	 "{kueue.x-k8s.io/queue-name: gpus, kueue.x-k8s.io/pod-group-name: g}, annotations: "
	 "{kueue.x-k8s.io/pod-group-total-count: \"2\", gqsim/duration: 1h}}, spec: {containers: "
	 "[{name: c, resources: {limits: {nvidia.com/gpu: 1}}}]}}\n",
	 "", 0, "research/g (2 GPUs, ClusterQueue research), submitted now: "},
};

START_TEST(answers)
{
	struct command c;
	char line[300] = "simulate -f %/job.yaml " DUMP;

	command_file("job.yaml", cases[_i].job);
	strcat(line, cases[_i].options);
	c = command_run(line);
	ck_assert_msg(c.code == cases[_i].code, "exit %d: %s%s", c.code, c.out, c.err);
	ck_assert_msg(strstr(c.out, cases[_i].says) != NULL, "%s", c.out);
	command_free(&c);
}
END_TEST

/* More quota for its queue, and it is in. */
START_TEST(what_if_the_quota_were_more)
{
	struct command c;

	command_file("job.yaml", JOB(QUEUED("gpus"), "4"));
	c = command_run("simulate -f %/job.yaml " DUMP
			"--set clusterqueue/research:nvidia.com/gpu.nominalQuota=100");
	ck_assert_int_eq(c.code, 0);
	ck_assert_ptr_nonnull(strstr(c.out, "submitted now: admitted at once"));
	command_free(&c);
}
END_TEST

/* Less of it, and the cluster cannot be as the dump says. */
START_TEST(doubts_are_said)
{
	struct command c;

	command_file("job.yaml", JOB(QUEUED("gpus"), "4"));
	c = command_run("simulate -f %/job.yaml " DUMP
			"--set clusterqueue/research:nvidia.com/gpu.nominalQuota=0 "
			"--set clusterqueue/product:nvidia.com/gpu.nominalQuota=1");
	ck_assert_ptr_nonnull(strstr(c.out,
				     "workloads that run in the cluster could not be admitted "
				     "together\nhere: quotas"));
	command_free(&c);
}
END_TEST

START_TEST(as_json)
{
	struct command c;

	command_file("job.yaml", JOB(QUEUED("none"), "1"));
	c = command_run("simulate -f %/job.yaml " DUMP "-o json");
	ck_assert_int_eq(c.code, 1);
	ck_assert_ptr_nonnull(strstr(c.out, "\"job\": \"mine\""));
	ck_assert_ptr_nonnull(strstr(c.out, "\"reason\": \"Misconfigured\""));
	ck_assert_ptr_nonnull(strstr(c.out, "\"wait_s\": null"));
	command_free(&c);
}
END_TEST

/* A CronJob's later runs would meet another cluster. */
START_TEST(of_a_cronjob_the_first_run)
{
	struct command c;

	command_file(
		"cron.yaml",
		"{apiVersion: batch/v1, kind: CronJob, metadata: {name: often, namespace: "
		"research}, spec: {schedule: \"* * * * *\", jobTemplate: {metadata: {labels: "
		"{kueue.x-k8s.io/queue-name: gpus}}, spec: {template: {spec: {restartPolicy: "
		"Never, containers: [{name: c, resources: {limits: {nvidia.com/gpu: 4}}}]}}}}}}\n");
	c = command_run("simulate -f %/cron.yaml " DUMP);
	ck_assert_int_eq(c.code, 0);
	ck_assert_ptr_nonnull(strstr(c.out, "research/often-"));
	ck_assert_ptr_null(strstr(strstr(c.out, "research/often-") + 1, "research/often-"));
	ck_assert_msg(strstr(c.err, "only its first run is asked about") != NULL, "%s", c.err);
	command_free(&c);
}
END_TEST

static const struct {
	const char *line, *says;
} wrong[] = {
	{"simulate", "a job and a cluster are needed: gqsim simulate -f JOB DUMP..."},
	{"simulate -f %/job.yaml", "a job and a cluster are needed"},
	{"simulate " DUMP, "a job and a cluster are needed"},
	{"simulate -f %/none.yaml " DUMP, "none.yaml"},
	{"simulate -f %/empty.yaml " DUMP, "what -f names has no job that could be submitted"},
	{"simulate -f %/job.yaml " DUMP "-o yaml", "the formats are text and json"},
	{"simulate -f %/job.yaml " DUMP "-n other",
	 "its namespace is \"research\", and -n says \"other\""},
};

START_TEST(complains)
{
	struct command c;

	command_file("job.yaml", JOB(QUEUED("gpus"), "4"));
	command_file("empty.yaml", "{apiVersion: v1, kind: Namespace, metadata: {name: m}}\n");
	c = command_run(wrong[_i].line);
	ck_assert_int_eq(c.code, CMD_USAGE);
	ck_assert_str_eq(c.out, "");
	ck_assert_msg(strstr(c.err, wrong[_i].says) != NULL, "%s", c.err);
	command_free(&c);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("sim/command/cmd_simulate");
	TCase *t = tcase_create("all");
	SRunner *r = srunner_create(suite);
	int failed;

	tcase_add_loop_test(t, answers, 0, (int)(sizeof(cases) / sizeof(cases[0])));
	tcase_add_test(t, what_if_the_quota_were_more);
	tcase_add_test(t, doubts_are_said);
	tcase_add_test(t, of_a_cronjob_the_first_run);
	tcase_add_test(t, as_json);
	tcase_add_loop_test(t, complains, 0, (int)(sizeof(wrong) / sizeof(wrong[0])));
	suite_add_tcase(suite, t);
	srunner_run_all(r, CK_NORMAL);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
