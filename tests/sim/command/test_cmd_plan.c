/* test_cmd_plan.c - gqsim plan: verdicts, formats, exit codes, complaints. */
#include <check.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/command.h"

/* Two nodes of four GPUs for two teams, apart from each other. */
static const char apart[] =
	"apiVersion: gqsim/v1\nkind: Simulation\n"
	"nodePools: [{name: p5.48xlarge, count: 2, gpus: 4, usdPerHour: 10}]\n"
	"jobs:\n"
	"- {name: big, count: 12, every: 10m, namespace: m, queue: a, duration: 40m, gpus: 2}\n"
	"- {name: one, namespace: m, queue: b, duration: 5h, gpus: 1}\n";
#define QUEUE(name)                                                                                \
	"---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: ClusterQueue\nmetadata: {name: " name      \
	"}\nspec: {namespaceSelector: {}, resourceGroups: [{coveredResources: [nvidia.com/gpu], "  \
	"flavors: [{name: f, resources: [{name: nvidia.com/gpu, nominalQuota: 4}]}]}]}\n"          \
	"---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: LocalQueue\n"                              \
	"metadata: {name: " name ", namespace: m}\nspec: {clusterQueue: " name "}\n"
static const char queues[] =
	"apiVersion: kueue.x-k8s.io/v1beta2\nkind: ResourceFlavor\nmetadata: {name: f}\n" QUEUE("a")
		QUEUE("b");

/* Each kind of node lacks one: more of one kind are never enough. */
#define KIND(name)                                                                                 \
	"---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: ResourceFlavor\nmetadata: {name: " name    \
	"}\nspec: {nodeLabels: {kind: " name "}}\n"                                                \
	"---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: ClusterQueue\nmetadata: {name: " name      \
	"}\nspec: {namespaceSelector: {}, resourceGroups: [{coveredResources: [nvidia.com/gpu], "  \
	"flavors: [{name: " name ", resources: [{name: nvidia.com/gpu, nominalQuota: 8}]}]}]}\n"   \
	"---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: LocalQueue\n"                              \
	"metadata: {name: " name ", namespace: x}\nspec: {clusterQueue: " name "}\n"
static const char kinds[] =
	"apiVersion: gqsim/v1\nkind: Simulation\nnodePools:\n"
	"- {name: h100, count: 1, gpus: 8, usdPerHour: 55, labels: {kind: h}}\n"
	"- {name: a100, count: 1, gpus: 8, usdPerHour: 20, labels: {kind: a}}\njobs:\n"
	"- {name: big, count: 20, every: 20m, namespace: x, queue: h, gpus: 8, duration: 1h}\n"
	"- {name: old, count: 20, every: 30m, namespace: x, queue: a, gpus: 8, duration: "
	"1h}\n" KIND("h") KIND("a");

/* Notebooks hold all GPUs, and use little of them: a slice would do. */
static const char small[] =
	"apiVersion: gqsim/v1\nkind: Simulation\n"
	"nodePools: [{name: p5.48xlarge, count: 2, gpus: 4, usdPerHour: 10}]\njobs:\n"
	"- {name: nb, count: 20, every: 1m, namespace: m, queue: a, duration: 5h, gpus: 1, "
	"gpuUtilisation: 9}\n"
	"- {name: big, submitAt: 1h, namespace: m, queue: a, duration: 1h, gpus: 2}\n"
	"---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: ResourceFlavor\nmetadata: {name: f}\n"
	"---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: ClusterQueue\nmetadata: {name: a}\nspec: "
	"{namespaceSelector: {}, resourceGroups: [{coveredResources: [nvidia.com/gpu], flavors: "
	"[{name: f, resources: [{name: nvidia.com/gpu, nominalQuota: 8}]}]}]}\n"
	"---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: LocalQueue\n"
	"metadata: {name: a, namespace: m}\nspec: {clusterQueue: a}\n";

static struct command run(const char *line)
{
	command_file("small.yaml", small);
	command_file("kinds.yaml", kinds);
	command_file("apart.yaml", apart);
	command_file("queues.yaml", queues);
	command_file("huge.csv", "submit_s,duration_s,gpus\n0,60,64\n0,60,64\n");
	command_file("none.yaml", "apiVersion: gqsim/v1\nkind: Simulation\njobs:\n"
				  "- {name: j, namespace: m, queue: a, duration: 1h, gpus: 1}\n");
	command_file("empty.csv", "submit_s,duration_s,gpus\n");
	return command_run(line);
}

#define FILES "plan %/apart.yaml %/queues.yaml "

static const struct {
	const char *line;
	int code;
	const char *verdict;
} verdicts[] = {
	/* team a waits for its quota while b's is idle: a cohort is enough */
	{FILES "--target p95-wait=45m", 0,
	 "Tune: jobs wait for quota while GPUs are free (22.9 % of all GPU-hours); with all queues "
	 "in "
	 "cohort all the hardware"},
	{FILES "--target p95-wait=100h", 0, "Neither: the target is met today: p95-wait is"},
	{FILES "--target p95-wait=0 --low-utilisation 0", 0,
	 "Buy 1 more node of p5.48xlarge (4 GPUs, 7,280 USD a month):"},
	{FILES "--target p95-wait=0 --low-utilisation 100", 0,
	 "Neither, yet: the GPUs are taken when jobs wait (52.5 % on average); p95-wait is"},
	{FILES "--target p95-wait=0 --low-utilisation 0 --budget 7000", 1, "Over budget: p95-wait"},
	{FILES "--target p95-wait=0 --low-utilisation 0 --budget 7280", 0, "Buy 1 more node"},
	{FILES "--target p95-wait=0 --max-nodes 2", 1,
	 "Out of reach: the GPUs are taken when jobs wait (52.5 % on average); p95-wait is"},
	{"plan %/huge.csv --nodes h100=4x8 --target p95-wait=10 --low-utilisation 0", 0, "Buy "},
	{FILES "--target p95-wait=0 -p kubernetes", 0, "N"},
	{"plan %/kinds.yaml --target p95-wait=5m", 0,
	 "Buy 2 more nodes of h100 and 1 of a100 (24 GPUs, 94,640 USD a month):"},
	{FILES "--target p95-wait=0 --low-utilisation 0 --spot-lost-every 20h", 0,
	 "As spot nodes, each taken away every 20h on average: "},
	{FILES "--target p95-wait=0 --low-utilisation 0 --spot-lost-every 2h", 0,
	 "Not tried as spot nodes: 23.8 % of the GPU-hours"},
	{FILES "--target p95-wait=0 --low-utilisation 0 --spot-lost-every 0", 0,
	 "M/G/c) would have 6 nodes.  USD a month for"},
	/* a pool without nodes has no room; no nodes at all place nothing */
	{"plan %/huge.csv --nodes h100=0x8 --target p95-wait=10 --max-nodes 1", 1,
	 "2 jobs on 0 nodes with 0 GPUs, 1h, Kueue  Out of reach: there is no node; p95-wait is "
	 "never"},
	{"plan %/none.yaml %/queues.yaml --target p95-wait=0", 0,
	 "- The input has no nodes, so no pod is placed: quota alone decides,"},
	{"plan %/small.yaml --target p95-wait=1m", 0,
	 "with 3 GPUs of p5.48xlarge in slices of 1g.10gb the hardware that is there is enough: "
	 "p95-wait is 0s (target 1m)"},
	{"plan %/small.yaml --target p95-wait=1m -p kubernetes", 0,
	 "with 3 GPUs of p5.48xlarge in slices of 1g.10gb the hardware that is there is enough"},
	/* who looks at the beginning alone is told so */
	{"plan %/huge.csv --nodes h100=4x8 --target p95-wait=10 --max-time 1ms", 0,
	 "- PARTIAL: each run stops after 0.001s (--max-time): 0 of 2 jobs come later"},
	/* nodes without a price are an answer, too */
	{"plan scenarios/burst-pool.yaml --prices scenarios/prices/aws.yaml --target p95-wait=15m",
	 0, "Buy 6 more nodes of own (48 GPUs, of a price that is not known): the GPUs"},
	{"plan scenarios/first-run-flavor-labels.yaml --target p95-wait=15m --max-nodes 2", 1,
	 "Out of reach: 1 job is admitted and finds no node that takes it (labels, taints or"},
	/* one run leaves it open, two alike do not */
	{FILES "--target p95-wait=45m --replications 1 --max-replications 3", 0,
	 "30m 3s ± 0s  2/2"},
	{FILES "--target a:p50-wait=45m --target b:p50-wait=9h --target p95-wait=1h "
	       "--target p50-wait=2h --target p99-wait=2h --target mean-wait=2h "
	       "--target a:p95-wait=2h --target a:p99-wait=2h --target a:mean-wait=2h "
	       "--target b:p95-wait=2h --target b:p99-wait=2h --target b:mean-wait=2h "
	       "--target p95-wait=2h --target p99-wait=3h --target p50-wait=4h "
	       "--target a:p95-wait=7h",
	 0, "a:p95-wait  random ties  met  utilised  never ran"},
};

static char *unbroken(char *text)
{
	for (char *c = text; *c != '\0'; c++)
		*c = *c == '\n' ? ' ' : *c;
	return text;
}

START_TEST(says_what_to_do)
{
	struct command c = run(verdicts[_i].line);

	ck_assert_msg(c.code == verdicts[_i].code, "%d\n%s%s", c.code, c.out, c.err);
	ck_assert_msg(strstr(unbroken(c.out), verdicts[_i].verdict) != NULL, "%s", c.out);
	command_free(&c);
}
END_TEST

static const struct {
	const char *line, *message;
} wrong[] = {
	{"plan --target p95-wait=1m", "gqsim: what is to be planned? Give files"},
	{FILES, "gqsim: what is to be reached? Give --target p95-wait=15m"},
	{FILES "--target wait=15m", "gqsim: --target wait=15m: write [TEAM:]FIGURE=TIME"},
	{FILES "--target c:p95-wait=15m", "gqsim: --target c:p95-wait=15m: there is no team \"c\""},
	{FILES "--target p95-wait=1m --budget much",
	 "gqsim: --budget much: write an amount a month"},
	{"plan %/huge.csv --target p95-wait=1m --budget 9",
	 "gqsim: --budget needs to know what nodes cost"},
	{"plan scenarios/burst-pool.yaml --prices scenarios/prices/aws.yaml --target p95-wait=1m "
	 "--budget 9",
	 "gqsim: --budget needs to know what a node of own costs: give usdPerHour to the pool"},
	{FILES "--target p95-wait=1m --replications 0 --max-replications 3",
	 "gqsim: --max-replications: --replications 0 asks for none"},
	{FILES "--target p95-wait=1m --replications 5 --max-replications 3",
	 "gqsim: --max-replications 3: fewer than --replications 5"},
	{FILES "--target p95-wait=1m --max-replications 0",
	 "gqsim: --max-replications 0: a whole number from 1 to 1000"},
	{FILES "--target p95-wait=1m --low-utilisation 120", "gqsim: --low-utilisation 120: per"},
	{FILES "--target p95-wait=1m --max-nodes 0", "gqsim: --max-nodes 0: a whole number"},
	{FILES "--target p95-wait=1m --replications -1", "gqsim: --replications -1: a whole"},
	{FILES "--target p95-wait=1m -o xml", "gqsim: -o xml: the formats are table, json and csv"},
	{FILES "--target p95-wait=1m -p nobody", "gqsim: no policy \"nobody\""},
	{FILES "--target p95-wait=1m --spot-lost-every 5s", "gqsim: --spot-lost-every 5s: a time"},
	{"plan - --target p95-wait=1m", "gqsim: standard input can be read once only"},
	{"plan %/empty.csv --target p95-wait=1m", "gqsim: the input has no jobs"},
	{"plan %/nowhere.yaml --target p95-wait=1m", "gqsim: "},
};

START_TEST(complains)
{
	struct command c = run(wrong[_i].line);

	ck_assert_msg(c.code == 2, "%d\n%s%s", c.code, c.out, c.err);
	ck_assert_msg(strstr(c.err, wrong[_i].message) == c.err, "%s", c.err);
	ck_assert_str_eq(c.out, "");
	command_free(&c);
}
END_TEST

START_TEST(csv_has_a_row_for_each_trial)
{
	struct command c = run(FILES "--target p95-wait=45m --target a:p50-wait=1h -o csv");
	size_t commas = 0, width = 0;
	bool quoted = false;

	ck_assert_msg(strstr(c.out, "part,name,nodes,state,met,gpus,p95-wait,a:p50-wait,"
				    "utilisation,never_started,preemptions,usd_month,"
				    "random_ties_runs,random_ties_met,p95-wait random_ties_mean,"
				    "p95-wait random_ties_low,p95-wait random_ties_high,"
				    "a:p50-wait random_ties_mean,a:p50-wait random_ties_low,"
				    "a:p50-wait random_ties_high,allocation,") == c.out,
		      "%s", c.out);
	ck_assert_ptr_nonnull(strstr(c.out, "\nverdict,\"Tune: "));
	ck_assert_ptr_nonnull(strstr(c.out, "\nassumption,"));
	ck_assert_ptr_nonnull(strstr(c.out, "\nsetting,today,,ok,false,8,"));
	ck_assert_ptr_nonnull(strstr(c.out, "\nteam,a,,,"));
	ck_assert_ptr_nonnull(strstr(c.out, "\nall teams,all,,,"));
	ck_assert_ptr_nonnull(strstr(c.out, "\nlever kept,all queues in cohort all,,ok,true,8,"));
	ck_assert_ptr_nonnull(strstr(c.out, "\nnodes,p5.48xlarge,2,ok,true,8,"));
	for (const char *p = c.out; *p != '\0'; p++) { /* all rows are as wide as the head */
		quoted ^= *p == '"';
		commas += *p == ',' && !quoted;
		if (*p != '\n')
			continue;
		width = width == 0 ? commas : width;
		ck_assert_uint_eq(commas, width);
		commas = 0;
	}
	command_free(&c);
}
END_TEST

/* What is known when the user stops it is told, and it says that it is part. */
static volatile sig_atomic_t stopped = 1;

START_TEST(stopped_before_it_began)
{
	static const char *const words[] = {"--target", "p95-wait=1m", "-o", "json"};
	struct cmd_context context = {.stop = &stopped};
	const struct cmd_row *row = cmd_table_find("plan");
	const char *argv[5];
	char path[300], *out = NULL;
	size_t size = 0;
	struct cmd_args args;
	struct err err;

	command_file("apart.yaml", apart);
	snprintf(path, sizeof(path), "%s/apart.yaml", command_folder());
	argv[0] = path;
	memcpy(&argv[1], words, sizeof(words));
	context.out = context.err = open_memstream(&out, &size);
	ck_assert_int_eq(cmd_parse(row, 5, argv, &args, &err), ERR_OK);
	ck_assert_int_eq(row->run(&context, &args), 130);
	fclose(context.out);
	ck_assert_ptr_nonnull(strstr(out, "\"partial\": true"));
	ck_assert_ptr_nonnull(strstr(out, "\"verdict\": \"unknown\""));
	ck_assert_ptr_nonnull(strstr(out, "\"state\": \"interrupted\""));
	ck_assert_int_eq(out[size - 2], '}');
	cmd_args_free(&args);
	free(out);
}
END_TEST

#define ROWS(table) ((int)(sizeof(table) / sizeof((table)[0])))

int main(void)
{
	Suite *s = suite_create("sim/command/cmd_plan");
	TCase *t = tcase_create("all");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_set_timeout(t, 120);
	tcase_add_loop_test(t, says_what_to_do, 0, ROWS(verdicts));
	tcase_add_loop_test(t, complains, 0, ROWS(wrong));
	tcase_add_test(t, csv_has_a_row_for_each_trial);
	tcase_add_test(t, stopped_before_it_began);
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
