/* test_objects_config.c - Kueue's Configuration, both versions. */
#include "sim/objects_config.h"

#include <stdio.h>

#include "tests/sim/objects_case.h"

#define V2 "apiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\n"
#define V1 "apiVersion: config.kueue.x-k8s.io/v1beta1\nkind: Configuration\n"

/* Spec KUEUE.md 1.9 and 1.10. */
static const struct {
	const char *text;
	bool wait, block;
	simtime timeout, recovery;
	bool fair;
	uint8_t strategies[2];
} rows[] = {
	{V2, true, false, 30 * CLOCK_MINUTE, 30 * CLOCK_MINUTE, false, {0, 0}},
	{V2 "waitForPodsReady: {}", true, false, 30 * CLOCK_MINUTE, 30 * CLOCK_MINUTE, false, {0}},
	{V2 "waitForPodsReady: {timeout: 5m}",
	 true,
	 false,
	 5 * CLOCK_MINUTE,
	 5 * CLOCK_MINUTE,
	 false,
	 {0}},
	{V2 "waitForPodsReady: {timeout: 5m, recoveryTimeout: 90s, blockAdmission: true}",
	 true,
	 true,
	 5 * CLOCK_MINUTE,
	 90 * CLOCK_SECOND,
	 false,
	 {0}},
	{V2 "fairSharing: {}",
	 true,
	 false,
	 30 * CLOCK_MINUTE,
	 30 * CLOCK_MINUTE,
	 true,
	 {FAIR_FINAL_SHARE, FAIR_INITIAL_SHARE}},
	{V2 "fairSharing: {preemptionStrategies: [LessThanInitialShare]}",
	 true,
	 false,
	 30 * CLOCK_MINUTE,
	 30 * CLOCK_MINUTE,
	 true,
	 {FAIR_INITIAL_SHARE, 0}},
	{V1, false, false, 30 * CLOCK_MINUTE, 30 * CLOCK_MINUTE, false, {0}},
	{V1 "waitForPodsReady: {enable: true}",
	 true,
	 true,
	 5 * CLOCK_MINUTE,
	 5 * CLOCK_MINUTE,
	 false,
	 {0}},
	{V1 "waitForPodsReady: {enable: true, timeout: 9m, blockAdmission: false}",
	 true,
	 false,
	 9 * CLOCK_MINUTE,
	 9 * CLOCK_MINUTE,
	 false,
	 {0}},
	{V1 "waitForPodsReady: {timeout: 9m}",
	 false,
	 false,
	 9 * CLOCK_MINUTE,
	 9 * CLOCK_MINUTE,
	 false,
	 {0}},
	{V1 "fairSharing: {enable: false}",
	 false,
	 false,
	 30 * CLOCK_MINUTE,
	 30 * CLOCK_MINUTE,
	 false,
	 {0}},
	{V1 "fairSharing: {enable: true, preemptionStrategies: [LessThanOrEqualToFinalShare]}",
	 false,
	 false,
	 30 * CLOCK_MINUTE,
	 30 * CLOCK_MINUTE,
	 true,
	 {FAIR_FINAL_SHARE, 0}},
};

START_TEST(versions)
{
	struct scenario *s = objects_case_load(rows[_i].text);
	const struct kueue_config *c = &s->config;

	ck_assert(c->given);
	ck_assert_msg(c->wait_for_pods_ready == rows[_i].wait, "%s", rows[_i].text);
	ck_assert_msg(c->block_admission == rows[_i].block, "%s", rows[_i].text);
	ck_assert_int_eq(c->pods_ready_timeout, rows[_i].timeout);
	ck_assert_int_eq(c->recovery_timeout, rows[_i].recovery);
	ck_assert_int_eq(c->fair_sharing, rows[_i].fair);
	if (rows[_i].fair) {
		ck_assert_uint_eq(c->fair_strategies[0], rows[_i].strategies[0]);
		ck_assert_uint_eq(c->fair_strategies[1], rows[_i].strategies[1]);
	}
	scenario_free(s);
}
END_TEST

START_TEST(everything_else)
{
	struct scenario *s = objects_case_load(
		V2
		"manageJobsWithoutQueueName: true\nintegrations: {frameworks: [pod]}\n"
		"waitForPodsReady: {requeuingStrategy: {timestamp: Creation, backoffLimitCount: 3, "
		"backoffBaseSeconds: 10, backoffMaxSeconds: 20}}\n"
		"admissionFairSharing: {usageHalfLifeTime: 168h, usageSamplingInterval: 1m, "
		"resourceWeights: {cpu: 0.01, nvidia.com/gpu: 2}}\n"
		"resources:\n  quotaCheckStrategy: IgnoreUndeclared\n"
		"  excludeResourcePrefixes: [a.io, b.io]\n"
		"  transformations:\n  - {input: x.io/mig, strategy: Replace, multiplyBy: cpu, "
		"outputs: {x.io/memory: 10Gi, x.io/half: 0.5, cpu: 250m}}\n"
		"  - {input: cpu, outputs: {x.io/half: 3}}\n"
		"featureGates: {MetricsForCohorts: true, PartialAdmission: false}\n");
	const struct kueue_config *c = &s->config;

	ck_assert(c->manage_jobs_without_queue_name);
	ck_assert(c->requeue_by_creation);
	ck_assert_int_eq(c->requeue_limit, 3);
	ck_assert_int_eq(c->requeue_base, 10 * CLOCK_SECOND);
	ck_assert_int_eq(c->requeue_max, 20 * CLOCK_SECOND);
	ck_assert(c->admission_fair_sharing);
	ck_assert_int_eq(c->usage_half_life, 168 * CLOCK_HOUR);
	ck_assert_int_eq(c->usage_sampling, CLOCK_MINUTE);
	ck_assert_int_eq(c->usage_weights[RES_CPU], NANO / 100);
	ck_assert_int_eq(c->usage_weights[RES_GPU], 2 * NANO);
	ck_assert_int_eq(c->usage_weights[RES_MEMORY], NANO);
	ck_assert(c->ignore_undeclared);
	ck_assert_uint_eq(c->excluded_prefix_count, 2);
	ck_assert_uint_eq(c->transformation_count, 2);
	ck_assert(c->transformations[0].replace);
	ck_assert_uint_eq(c->transformations[0].multiply_by, RES_CPU);
	ck_assert_uint_eq(c->transformations[0].output_count, 3);
	ck_assert_int_eq(c->transformations[0].factors[0], INT64_MAX); /* too big for nano */
	ck_assert_int_eq(c->transformations[0].whole_factors[0], INT64_C(10) << 30);
	ck_assert_int_eq(c->transformations[0].factors[1], NANO / 2);
	ck_assert_int_eq(c->transformations[0].factors[2], NANO / 4);
	ck_assert_int_eq(c->transformations[1].factors[0], NANO * 3);
	ck_assert_uint_eq(c->transformations[1].multiply_by, SCENARIO_NONE);
	ck_assert(!c->transformations[1].replace);
	ck_assert_uint_eq(c->gate_count, 2);
	ck_assert_str_eq(objects_case_text(s, c->gates[1]), "PartialAdmission");
	ck_assert(c->gate_values[0] && !c->gate_values[1]);
	ck_assert_uint_eq(s->finding_count, 0);
	scenario_free(s);
}
END_TEST

START_TEST(two_configurations)
{
	struct scenario *s = objects_case_load(V2 "manageJobsWithoutQueueName: true\n---\n" V2);

	ck_assert(!s->config.manage_jobs_without_queue_name);
	ck_assert_ptr_nonnull(objects_case_finding(s, "a second Configuration"));
	scenario_free(s);
}
END_TEST

int main(void)
{
	TCase *t = tcase_create("all");

	tcase_add_loop_test(t, versions, 0, ROWS(rows));
	tcase_add_test(t, everything_else);
	tcase_add_test(t, two_configurations);
	return objects_case_run("sim/objects_config", t);
}
