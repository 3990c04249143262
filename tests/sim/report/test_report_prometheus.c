/* test_report_prometheus.c - what a run's metrics say: well formed, consistent with
 * each other and with the report. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/rng.h"
#include "sim/report/prometheus_table.h"
#include "tests/support/command.h"

/* The value of the one series that begins so; not a number: there is none. */
static double value(const char *text, const char *series)
{
	size_t length = strlen(series);

	for (const char *line = text; line != NULL; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (strncmp(line, series, length) == 0 && line[length] == ' ')
			return strtod(line + length + 1, NULL);
	}
	return (double)NAN;
}

static void expect_value(const char *text, const char *series, double wanted)
{
	double is = value(text, series);

	ck_assert_msg(is == wanted, "%s is %g, not %g", series, is, wanted);
}

#define QUEUE(q, rest) "{cluster_queue=\"" q "\"," rest "replica_role=\"standalone\"}"
#define CLASS	       "priority_class=\"\","

/* Families that feature gates leave out. */
START_TEST(leaves_out_families)
{
	struct command c;

	command_file("objects.yaml", command_objects);
	command_file("reclaim.csv", command_reclaim);
	c = command_run("run -p kueue %/objects.yaml %/reclaim.csv -o prometheus");
	ck_assert(strstr(c.out, "kueue_local_queue_") != NULL);
	ck_assert(strstr(c.out, "kueue_cluster_queue_info") != NULL);
	command_free(&c);
	command_file("gates.yaml",
		     "apiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\n"
		     "featureGates: {LocalQueueMetrics: false, MetricsForCohorts: false}\n");
	c = command_run("run -p kueue %/gates.yaml %/objects.yaml %/reclaim.csv -o prometheus");
	ck_assert_int_eq(c.code, 0);
	ck_assert(strstr(c.out, "kueue_local_queue_") == NULL);
	ck_assert(strstr(c.out, "kueue_cluster_queue_info") == NULL);
	ck_assert(strstr(c.out, "kueue_cohort_info") == NULL);
	expect_value(c.out, "kueue_admitted_workloads_total" QUEUE("b", CLASS), 1);
	command_free(&c);
}
END_TEST

#define CONFIGURATION "apiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\nmetrics: "

/* What the Configuration shows of queues; their quotas, unless it says that it does not. */
static const struct {
	const char *metrics;
	bool of_a, of_b, quotas;
} shown[] = {
	{"{}", true, true, true},
	{"{enableClusterQueueResources: true}", true, true, true},
	{"{enableClusterQueueResources: false}", true, true, false},
	{"{localQueueMetrics: null}", true, true, true},
	{"{localQueueMetrics: {}}", false, false, true},
	{"{localQueueMetrics: {enable: true}}", true, true, true},
	{"{localQueueMetrics: {enable: true, localQueueSelector: {}}}", true, true, true},
	{"{localQueueMetrics: {enable: true, localQueueSelector: {matchLabels: {team: red}}}}",
	 true, false, true},
	{"{localQueueMetrics: {localQueueSelector: {matchLabels: {team: red}}}}", false, false,
	 true},
};

#define LOCAL_QUEUES                                                                               \
	"---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: LocalQueue\nmetadata: {name: la, "         \
	"namespace: default, labels: {team: blue}}\nspec: {clusterQueue: a}\n"                     \
	"---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: LocalQueue\nmetadata: {name: la, "         \
	"namespace: default, labels: {team: red}, annotations: {gqsim/at: \"1\"}}\n"               \
	"spec: {clusterQueue: a}\n"                                                                \
	"---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: LocalQueue\nmetadata: {name: lb, "         \
	"namespace: default, labels: {team: blue}}\nspec: {clusterQueue: b}\n"

START_TEST(shows_what_is_configured)
{
	char text[1000];
	struct command c;

	command_file("objects.yaml", command_objects);
	command_file("reclaim.csv", command_reclaim);
	snprintf(text, sizeof(text), CONFIGURATION "%s\n" LOCAL_QUEUES, shown[_i].metrics);
	command_file("shown.yaml", text);
	c = command_run("run -p kueue %/objects.yaml %/shown.yaml %/reclaim.csv -o prometheus");
	ck_assert_msg(c.code == 0, "%s", c.err);
	ck_assert(shown[_i].of_a ==
		  (strstr(c.out, "kueue_local_queue_reserving_active_workloads{name=\"la\"") !=
		   NULL));
	ck_assert(shown[_i].of_b ==
		  (strstr(c.out, "kueue_local_queue_resource_usage{flavor=\"gpu\",name=\"lb\"") !=
		   NULL));
	ck_assert(shown[_i].quotas ==
		  (strstr(c.out, "kueue_cluster_queue_nominal_quota{") != NULL));
	ck_assert(shown[_i].quotas ==
		  (strstr(c.out, "kueue_cluster_queue_resource_pending{") != NULL));
	ck_assert(strstr(c.out, "kueue_local_queue_unadmitted_workloads{") != NULL);
	expect_value(c.out, "kueue_admitted_workloads_total" QUEUE("b", CLASS), 1);
	command_free(&c);
}
END_TEST

#define THREE                                                                                      \
	"template: {spec: {restartPolicy: Never, containers: [{name: c, resources: {limits: "      \
	"{nvidia.com/gpu: 3}}}]}}"
#define META(gang)                                                                                 \
	"metadata: {name: j, labels: {kueue.x-k8s.io/queue-name: b}, annotations: "                \
	"{gqsim/duration: '100', gqsim/gang: '" gang "'}}\n"

/* The second pod of each gets a node after 50 seconds. */
static const struct {
	const char *job;
	double wait; /* until Kueue takes it for ready */
} waiting[] = {
	{"apiVersion: batch/v1\nkind: Job\n" META(
		 "false") "spec: {parallelism: 2, completions: 2, " THREE "}\n",
	 50},
	{"apiVersion: kubeflow.org/v1\nkind: PyTorchJob\n" META(
		 "true") "spec: {pytorchReplicaSpecs: {Master: {replicas: 1, " THREE
			 "}, Worker: {replicas: 1, " THREE "}}}\n",
	 0},
};

START_TEST(counts_waits_for_pods)
{
	struct command c;

	command_file("objects.yaml", command_objects);
	command_file("ready.yaml",
		     "apiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\n"
		     "waitForPodsReady: {timeout: 5m}\nintegrations: {frameworks: [batch/job, "
		     "kubeflow.org/pytorchjob]}\n");
	command_file("first.csv", "name,namespace,queue,submit_s,duration_s,pods,requests\n"
				  "a1,default,a,0,50,1,nvidia.com/gpu=2\n");
	command_file("second.yaml", waiting[_i].job);
	c = command_run("run -p kueue %/objects.yaml %/ready.yaml %/first.csv %/second.yaml "
			"-o prometheus");
	ck_assert_msg(c.code == 0, "%s", c.err);
	expect_value(c.out, "kueue_ready_wait_time_seconds_count" QUEUE("a", CLASS), 1);
	expect_value(c.out, "kueue_ready_wait_time_seconds_sum" QUEUE("a", CLASS), 0);
	expect_value(c.out, "kueue_ready_wait_time_seconds_count" QUEUE("b", CLASS), 1);
	expect_value(c.out, "kueue_ready_wait_time_seconds_sum" QUEUE("b", CLASS),
		     waiting[_i].wait);
	command_free(&c);
}
END_TEST

/* A Job of one pod that grows to two. */
START_TEST(counts_slices)
{
	struct command c;

	command_file("objects.yaml", command_objects);
	command_file("elastic.yaml",
		     "apiVersion: batch/v1\nkind: Job\nmetadata: {name: e, labels: {"
		     "kueue.x-k8s.io/queue-name: a}, annotations: {gqsim/duration: '100', "
		     "kueue.x-k8s.io/elastic-job: 'true', gqsim/parallelism-at: '10=2'}}\n"
		     "spec: {parallelism: 1, completions: 4, template: {spec: {containers: "
		     "[{name: c, resources: {limits: {nvidia.com/gpu: 1}}}]}}}\n");
	c = command_run("run -p kueue %/objects.yaml %/elastic.yaml -o prometheus");
	ck_assert_msg(c.code == 0, "%s", c.err);
	expect_value(c.out, "kueue_replaced_workload_slices_total" QUEUE("a", ""), 1);
	/* each slice is a workload (pkg/scheduler: admit, replaceWorkloadSlice) */
	expect_value(c.out, "kueue_finished_workloads" QUEUE("a", ""), 2);
	expect_value(c.out, "kueue_finished_workloads_total" QUEUE("a", CLASS), 2);
	expect_value(c.out, "kueue_quota_reserved_workloads_total" QUEUE("a", CLASS), 2);
	expect_value(c.out, "kueue_admitted_workloads_total" QUEUE("a", CLASS), 2);
	expect_value(c.out, "kueue_admission_wait_time_seconds_sum" QUEUE("a", CLASS), 0);
	expect_value(c.out, "kueue_execution_time_seconds_count" QUEUE("a", CLASS), 2);
	command_free(&c);
}
END_TEST

/* Kueue's cache forgets a workload that is deactivated before its pods end: no latency. */
START_TEST(counts_a_deactivation)
{
	struct command c;

	command_file("objects.yaml", command_objects);
	command_file("off.csv",
		     "name,namespace,queue,submit_s,duration_s,pods,requests,deactivate_s\n"
		     "x,default,a,0,50,1,nvidia.com/gpu=2,20\n");
	c = command_run("run -p kueue %/objects.yaml %/off.csv -o prometheus");
	ck_assert_msg(c.code == 0, "%s", c.err);
	expect_value(c.out,
		     "kueue_evicted_workloads_total{cluster_queue=\"a\",priority_class=\"\",reason="
		     "\"Deactivated\",replica_role=\"standalone\",underlying_cause=\"\"}",
		     1);
	ck_assert(strstr(c.out, "kueue_workload_eviction_latency_seconds_sum{") == NULL);
	command_free(&c);
}
END_TEST

/* A victim that is deactivated on its way out frees its quota: no latency of it either. */
START_TEST(counts_a_late_deactivation)
{
	struct command c;

	command_file("objects.yaml", command_objects);
	command_file("late.csv", "name,namespace,queue,submit_s,duration_s,pods,requests,"
				 "deactivate_s\n"
				 "a1,default,a,0,90,1,nvidia.com/gpu=4,\n"
				 "a2,default,a,10,90,1,nvidia.com/gpu=4,21\n"
				 "b1,default,b,20,30,1,nvidia.com/gpu=4,\n");
	c = command_run("run -p kueue %/objects.yaml %/late.csv -o prometheus");
	ck_assert_msg(c.code == 0, "%s", c.err);
	ck_assert(strstr(c.out, "reason=\"Preempted\"") != NULL);
	ck_assert(strstr(c.out, "kueue_workload_eviction_latency_seconds_sum{") == NULL);
	command_free(&c);
}
END_TEST

/* a1 and a2 run, b1 takes back what a2 borrowed; big can never run. */
START_TEST(counts_a_reclaim)
{
	struct command c;

	command_file("objects.yaml", command_objects);
	command_file("reclaim.csv", command_reclaim);
	c = command_run("run -p kueue %/objects.yaml %/reclaim.csv -o prometheus");
	ck_assert_int_eq(c.code, 0);
	expect_value(c.out, "kueue_admitted_workloads_total" QUEUE("a", CLASS), 3);
	expect_value(c.out, "kueue_admitted_workloads_total" QUEUE("b", CLASS), 1);
	expect_value(c.out,
		     "kueue_preempted_workloads_total{preempting_cluster_queue=\"b\",reason="
		     "\"InCohortReclamation\",replica_role=\"standalone\"}",
		     1);
	expect_value(c.out,
		     "kueue_evicted_workloads_total{cluster_queue=\"a\",priority_class=\"\",reason="
		     "\"Preempted\",replica_role=\"standalone\",underlying_cause=\"\"}",
		     1);
	expect_value(c.out,
		     "kueue_workload_eviction_latency_seconds_sum{cluster_queue=\"a\",reason="
		     "\"Preempted\",replica_role=\"standalone\"}",
		     5);
	expect_value(c.out, "kueue_finished_workloads" QUEUE("a", ""), 2);
	expect_value(c.out,
		     "kueue_pending_workloads{cluster_queue=\"a\",replica_role=\"standalone\","
		     "status=\"inadmissible\"}",
		     1);
	expect_value(c.out,
		     "kueue_unadmitted_workloads{cluster_queue=\"a\",reason=\"NoReservation\","
		     "replica_role=\"standalone\",underlying_cause=\"ExceedsMaxQuota\"}",
		     1);
	expect_value(c.out,
		     "kueue_cluster_queue_resource_pending{cluster_queue=\"a\",replica_role="
		     "\"standalone\",resource=\"nvidia.com/gpu\"}",
		     12);
	command_free(&c);
}
END_TEST

START_TEST(is_of_kueue_alone)
{
	struct command c;

	command_file("objects.yaml", command_objects);
	command_file("reclaim.csv", command_reclaim);
	c = command_run("run -p kubernetes %/objects.yaml %/reclaim.csv -o prometheus");
	ck_assert_int_eq(c.code, 2);
	ck_assert_str_eq(c.err, "gqsim: -o prometheus writes Kueue's metrics: it needs -p kueue\n");
	command_free(&c);
}
END_TEST

/* ---- many jobs ---- */

static const struct prometheus_family *family_of(const char *name, size_t length)
{
	for (uint32_t f = 0; f < KUEUE_FAMILIES; f++) {
		if (strlen(prometheus_families[f].name) == length &&
		    strncmp(prometheus_families[f].name, name, length) == 0)
			return &prometheus_families[f];
	}
	return NULL;
}

/* One bucket line after another of a series: never fewer, all bounds, the last is the
 * count. */
struct buckets {
	uint32_t seen;
	double count;
};

static void check_bucket(struct buckets *b, const struct prometheus_family *row, const char *line)
{
	const char *le = strstr(line, ",le=\"") + 5;
	double count = strtod(strrchr(line, ' '), NULL);
	double bound = b->seen < row->buckets ? (double)prometheus_bound(b->seen) / 1e6 : HUGE_VAL;

	ck_assert_msg(strtod(le, NULL) == bound, "%s", line);
	ck_assert_msg(count >= b->count, "%s", line);
	b->count = count;
	b->seen++;
}

static void check_line(const char *line, const struct prometheus_family **row, struct buckets *b)
{
	size_t length = strcspn(line, "{ "), name;

	if (strncmp(line, "# HELP ", 7) == 0) {
		*row = family_of(line + 7, strcspn(line + 7, " "));
		ck_assert_msg(*row != NULL, "%s", line);
		return;
	}
	ck_assert_ptr_nonnull(*row);
	name = strlen((*row)->name);
	if (line[0] == '#')
		return;
	ck_assert_msg(strncmp(line, (*row)->name, name) == 0, "%s", line);
	if ((*row)->type != PROMETHEUS_HISTOGRAM) {
		ck_assert_msg(length == name, "%s", line);
	} else if (strncmp(line + name, "_bucket", 7) == 0) {
		check_bucket(b, *row, line);
	} else if (strncmp(line + name, "_count", 6) == 0) {
		ck_assert_uint_eq(b->seen, (*row)->buckets + 1);
		ck_assert_msg(strtod(strrchr(line, ' '), NULL) == b->count, "%s", line);
		*b = (struct buckets){0};
	}
}

static void check_format(char *text)
{
	const struct prometheus_family *row = NULL;
	struct buckets b = {0};

	for (char *line = strtok(text, "\n"); line != NULL; line = strtok(NULL, "\n"))
		check_line(line, &row, &b);
	ck_assert_uint_eq(b.seen, 0);
}

/* sum by (le) of the family's buckets. */
static void sum_buckets(const char *text, const char *family, double *counts, uint32_t buckets)
{
	char prefix[128];
	uint32_t at = 0;

	snprintf(prefix, sizeof(prefix), "\n%s_bucket{", family);
	for (uint32_t i = 0; i <= buckets; i++)
		counts[i] = 0;
	for (const char *line = strstr(text, prefix); line != NULL; line = strstr(line, prefix)) {
		line++;
		counts[at] += strtod(strchr(strstr(line, "} "), ' '), NULL);
		at = (at + 1) % (buckets + 1);
	}
	ck_assert_uint_eq(at, 0);
}

/* PromQL's histogram_quantile: the bucket that the rank falls in. */
static uint32_t bucket_of_quantile(const double *counts, uint32_t buckets, double q)
{
	uint32_t b = 0;

	while (b < buckets && counts[b] < q * counts[buckets])
		b++;
	return b;
}

static uint32_t bucket_of(double seconds, uint32_t buckets)
{
	uint32_t b = 0;

	while (b < buckets && seconds > (double)prometheus_bound(b) / 1e6)
		b++;
	return b;
}

static double number(const char *json, const char *object, const char *key)
{
	const char *at = strstr(strstr(json, object), key);

	return strtod(strchr(at, ':') + 1, NULL);
}

static void write_jobs(uint64_t seed)
{
	static char text[16384];
	struct rng *rng = rng_new(seed, "waits");
	size_t length = 0;
	uint32_t at = 0, jobs = 60 + (uint32_t)rng_below(rng, 60);

	length += (size_t)snprintf(text, sizeof(text),
				   "name,namespace,queue,submit_s,duration_s,priority_class,pods,"
				   "requests\n");
	for (uint32_t i = 0; i < jobs; i++) {
		at += (uint32_t)rng_below(rng, 40);
		length += (size_t)snprintf(text + length, sizeof(text) - length,
					   "j%u,default,%s,%u,%u,,1,nvidia.com/gpu=%u\n", i,
					   rng_below(rng, 2) == 0 ? "a" : "b", at,
					   1 + (uint32_t)rng_below(rng, 200),
					   1 + (uint32_t)rng_below(rng, 4));
	}
	rng_free(rng);
	command_file("jobs.csv", text);
}

START_TEST(quantiles_agree_with_the_report)
{
	static const char family[] = "kueue_admission_wait_time_seconds";
	uint32_t buckets = prometheus_families[KUEUE_ADMISSION_WAIT_TIME_SECONDS].buckets;
	double counts[20], sum = 0;
	uint32_t ours, reported;
	struct command metrics, report;

	command_file("objects.yaml", command_objects);
	write_jobs((uint64_t)_i + 1);
	metrics = command_run("run -p kueue %/objects.yaml %/jobs.csv -o prometheus");
	report = command_run("run -p kueue %/objects.yaml %/jobs.csv -o json");
	sum_buckets(metrics.out, family, counts, buckets);
	ck_assert_double_eq(counts[buckets], number(report.out, "admitted_wait_s", "\"n\""));
	ours = bucket_of_quantile(counts, buckets, 0.95);
	reported = bucket_of(number(report.out, "admitted_wait_s", "\"p95\""), buckets);
	ck_assert_msg(ours <= reported + 1 && reported <= ours + 1, "buckets %u and %u", ours,
		      reported);
	sum += value(metrics.out, "kueue_admission_wait_time_seconds_sum" QUEUE("a", CLASS));
	sum += value(metrics.out, "kueue_admission_wait_time_seconds_sum" QUEUE("b", CLASS));
	ck_assert_double_eq_tol(sum / counts[buckets],
				number(report.out, "admitted_wait_s", "\"mean\""), 1e-6);
	check_format(metrics.out);
	command_free(&metrics);
	command_free(&report);
}
END_TEST

/* b is admitted after 90 s, c never, d is deleted after 30 s: of 4 waits one had not ended, so
 * that their p95 is without a number; Kueue's histogram has the two that were admitted. */
START_TEST(waits_that_did_not_end_are_no_admissions)
{
	struct command metrics, report;

	command_file("objects.yaml", command_objects);
	command_file("waits.csv",
		     "name,namespace,queue,submit_s,duration_s,pods,requests,cancel_s\n"
		     "a,default,a,0,90,2,nvidia.com/gpu=4,\n"
		     "b,default,a,0,endless,2,nvidia.com/gpu=4,\n"
		     "c,default,a,10,9,2,nvidia.com/gpu=4,\n"
		     "d,default,a,20,9,2,nvidia.com/gpu=4,50\n");
	metrics = command_run("run -p kueue %/objects.yaml %/waits.csv -o prometheus");
	report = command_run("run -p kueue %/objects.yaml %/waits.csv -o json");
	ck_assert_msg(report.code == 0, "%s", report.err);
	ck_assert_double_eq(number(report.out, "admission_wait_s", "\"n\""), 4);
	ck_assert_double_eq(number(report.out, "admission_wait_s", "\"never\""), 1);
	ck_assert_double_eq(number(report.out, "admitted_wait_s", "\"n\""), 2);
	ck_assert_double_eq(number(report.out, "admitted_wait_s", "\"never\""), 0);
	ck_assert_double_eq(
		value(metrics.out, "kueue_admission_wait_time_seconds_count" QUEUE("a", CLASS)), 2);
	command_free(&metrics);
	command_free(&report);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("sim/report/report_prometheus");
	TCase *t = tcase_create("all");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_add_loop_test(t, counts_waits_for_pods, 0,
			    (int)(sizeof(waiting) / sizeof(waiting[0])));
	tcase_add_test(t, counts_slices);
	tcase_add_test(t, counts_a_deactivation);
	tcase_add_test(t, counts_a_late_deactivation);
	tcase_add_test(t, leaves_out_families);
	tcase_add_loop_test(t, shows_what_is_configured, 0, sizeof(shown) / sizeof(shown[0]));
	tcase_add_test(t, counts_a_reclaim);
	tcase_add_test(t, is_of_kueue_alone);
	tcase_add_test(t, waits_that_did_not_end_are_no_admissions);
	tcase_add_loop_test(t, quantiles_agree_with_the_report, 0, 20);
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
