/* test_objects_config.c - Kueue's Configuration, both versions. */
#include "sim/objects/objects_config.h"

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
		"manageJobsWithoutQueueName: true\nintegrations: {frameworks: [pod, batch/job]}\n"
		"waitForPodsReady: {requeuingStrategy: {timestamp: Creation, backoffLimitCount: 3, "
		"backoffBaseSeconds: 10, backoffMaxSeconds: 20}}\n"
		"admissionFairSharing: {usageHalfLifeTime: 168h, usageSamplingInterval: 1m, "
		"resourceWeights: {cpu: 0.01, nvidia.com/gpu: 2}}\n"
		"resources:\n  quotaCheckStrategy: IgnoreUndeclared\n"
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

/* Every field at the modelled commit (apis/config/v1beta2, v1beta1). */
static const struct objects_case_field fields[] = {
	{"namespace", MODELLED, V2 "%: kueue\n"},
	{"manageJobsWithoutQueueName", MODELLED, V2 "%: true\n"},
	{"managedJobsNamespaceSelector", MODELLED, V2 "%: {matchLabels: {a: b}}\n"},
	{"waitForPodsReady", MODELLED, V2 "%: {timeout: 5m}\n"},
	{"timeout", MODELLED, V2 "waitForPodsReady: {%: 5m}\n"},
	{"blockAdmission", MODELLED, V2 "waitForPodsReady: {%: true}\n"},
	{"recoveryTimeout", MODELLED, V2 "waitForPodsReady: {%: 5m}\n"},
	{"requeuingStrategy", MODELLED, V2 "waitForPodsReady: {%: {}}\n"},
	{"timestamp", MODELLED, V2 "waitForPodsReady: {requeuingStrategy: {%: Creation}}\n"},
	{"backoffLimitCount", MODELLED, V2 "waitForPodsReady: {requeuingStrategy: {%: 1}}\n"},
	{"backoffBaseSeconds", MODELLED, V2 "waitForPodsReady: {requeuingStrategy: {%: 1}}\n"},
	{"backoffMaxSeconds", MODELLED, V2 "waitForPodsReady: {requeuingStrategy: {%: 1}}\n"},
	{"fairSharing", MODELLED, V2 "%: {preemptionStrategies: [LessThanInitialShare]}\n"},
	{"preemptionStrategies", MODELLED, V2 "fairSharing: {%: [LessThanInitialShare]}\n"},
	{"admissionFairSharing", MODELLED, V2 "%: {usageHalfLifeTime: 1h}\n"},
	{"usageHalfLifeTime", MODELLED, V2 "admissionFairSharing: {%: 1h}\n"},
	{"usageSamplingInterval", MODELLED,
	 V2 "admissionFairSharing: {usageHalfLifeTime: 1h, %: 1m}\n"},
	{"resourceWeights", MODELLED,
	 V2 "admissionFairSharing: {usageHalfLifeTime: 1h, %: {cpu: 0.5}}\n"},
	{"resources", MODELLED, V2 "%: {}\n"},
	{"excludeResourcePrefixes", MODELLED, V2 "resources: {%: [a.io]}\n"},
	{"transformations", MODELLED, V2 "resources: {%: [{input: cpu}]}\n"},
	{"input", MODELLED, V2 "resources: {transformations: [{%: cpu}]}\n"},
	{"strategy", MODELLED, V2 "resources: {transformations: [{input: cpu, %: Replace}]}\n"},
	{"multiplyBy", MODELLED, V2 "resources: {transformations: [{input: cpu, %: memory}]}\n"},
	{"outputs", MODELLED, V2 "resources: {transformations: [{input: cpu, %: {a.io/b: 2}}]}\n"},
	{"quotaCheckStrategy", MODELLED, V2 "resources: {%: IgnoreUndeclared}\n"},
	{"deviceClassMappings", NOT_MODELLED,
	 V2 "resources: {%: [{name: a.io/b, deviceClassNames: [c]}]}\n"},
	{"featureGates", MODELLED, V2 "%: {PartialAdmission: false}\n"},
	{"integrations", HARMLESS, V2 "%: {frameworks: [batch/job]}\n"},
	{"frameworks", NOT_MODELLED, V2 "integrations: {%: [pod]}\n"},
	{"externalFrameworks", HARMLESS, V2 "integrations: {%: [a]}\n"},
	{"labelKeysToCopy", HARMLESS, V2 "integrations: {%: [a]}\n"},
	{"webhook", HARMLESS, V2 "%: {}\n"},
	{"port", HARMLESS, V2 "webhook: {%: x}\n"},
	{"host", HARMLESS, V2 "webhook: {%: x}\n"},
	{"certDir", HARMLESS, V2 "webhook: {%: x}\n"},
	{"metrics", MODELLED, V2 "%: {}\n"},
	{"bindAddress", HARMLESS, V2 "metrics: {%: x}\n"},
	{"enableClusterQueueResources", MODELLED, V2 "metrics: {%: true}\n"},
	{"customLabels", MODELLED, V2 "metrics: {%: [{name: x}]}\n"},
	{"health", HARMLESS, V2 "%: {}\n"},
	{"healthProbeBindAddress", HARMLESS, V2 "health: {%: x}\n"},
	{"readinessEndpointName", HARMLESS, V2 "health: {%: x}\n"},
	{"livenessEndpointName", HARMLESS, V2 "health: {%: x}\n"},
	{"controller", HARMLESS, V2 "%: {}\n"},
	{"groupKindConcurrency", HARMLESS, V2 "controller: {%: x}\n"},
	{"cacheSyncTimeout", HARMLESS, V2 "controller: {%: x}\n"},
	{"internalCertManagement", HARMLESS, V2 "%: {}\n"},
	{"enable", HARMLESS, V2 "internalCertManagement: {%: x}\n"},
	{"webhookServiceName", HARMLESS, V2 "internalCertManagement: {%: x}\n"},
	{"webhookSecretName", HARMLESS, V2 "internalCertManagement: {%: x}\n"},
	{"clientConnection", HARMLESS, V2 "%: {}\n"},
	{"qps", HARMLESS, V2 "clientConnection: {%: x}\n"},
	{"burst", HARMLESS, V2 "clientConnection: {%: x}\n"},
	{"tls", HARMLESS, V2 "%: {}\n"},
	{"minVersion", HARMLESS, V2 "tls: {%: x}\n"},
	{"cipherSuites", HARMLESS, V2 "tls: {%: x}\n"},
	{"curvePreferences", HARMLESS, V2 "tls: {%: x}\n"},
	{"multiKueue", HARMLESS, V2 "%: {}\n"},
	{"gcInterval", HARMLESS, V2 "multiKueue: {%: x}\n"},
	{"origin", HARMLESS, V2 "multiKueue: {%: x}\n"},
	{"workerLostTimeout", HARMLESS, V2 "multiKueue: {%: x}\n"},
	{"dispatcherName", HARMLESS, V2 "multiKueue: {%: x}\n"},
	{"externalFrameworks", HARMLESS, V2 "multiKueue: {%: x}\n"},
	{"clusterProfile", HARMLESS, V2 "multiKueue: {%: {}}\n"},
	{"incrementalDispatcherConfig", HARMLESS, V2 "multiKueue: {%: {}}\n"},
	{"stepSize", HARMLESS, V2 "multiKueue: {incrementalDispatcherConfig: {%: 3}}\n"},
	{"visibilityServer", HARMLESS, V2 "%: {}\n"},
	{"bindAddress", HARMLESS, V2 "visibilityServer: {%: x}\n"},
	{"bindPort", HARMLESS, V2 "visibilityServer: {%: 1}\n"},
	{"localQueueMetrics", MODELLED, V2 "metrics: {%: {enable: true}}\n"},
	{"enable", MODELLED, V2 "metrics: {localQueueMetrics: {%: true}}\n"},
	{"localQueueSelector", MODELLED, V2 "metrics: {localQueueMetrics: {%: {}}}\n"},
	{"objectRetentionPolicies", HARMLESS, V2 "%: {workloads: {}}\n"},
	{"workloads", HARMLESS, V2 "objectRetentionPolicies: {%: {}}\n"},
	{"afterFinished", HARMLESS, V2 "objectRetentionPolicies: {workloads: {%: 1h}}\n"},
	{"afterDeactivatedByKueue", HARMLESS, V2 "objectRetentionPolicies: {workloads: {%: 1h}}\n"},
	{"leaderElection", HARMLESS, V2 "%: {leaderElect: true}\n"},
	{"pprofBindAddress", HARMLESS, V2 "%: x\n"},
	{"namespace", MODELLED, V1 "%: kueue\n"},
	{"manageJobsWithoutQueueName", MODELLED, V1 "%: true\n"},
	{"managedJobsNamespaceSelector", MODELLED, V1 "%: {matchLabels: {a: b}}\n"},
	{"waitForPodsReady", MODELLED, V1 "%: {enable: true, timeout: 5m}\n"},
	{"enable", MODELLED, V1 "waitForPodsReady: {%: true}\n"},
	{"enable", MODELLED, V1 "fairSharing: {%: true}\n"},
	{"timeout", MODELLED, V1 "waitForPodsReady: {enable: true, %: 5m}\n"},
	{"blockAdmission", MODELLED, V1 "waitForPodsReady: {enable: true, %: true}\n"},
	{"recoveryTimeout", MODELLED, V1 "waitForPodsReady: {enable: true, %: 5m}\n"},
	{"requeuingStrategy", MODELLED, V1 "waitForPodsReady: {enable: true, %: {}}\n"},
	{"timestamp", MODELLED,
	 V1 "waitForPodsReady: {enable: true, requeuingStrategy: {%: Creation}}\n"},
	{"backoffLimitCount", MODELLED,
	 V1 "waitForPodsReady: {enable: true, requeuingStrategy: {%: 1}}\n"},
	{"backoffBaseSeconds", MODELLED,
	 V1 "waitForPodsReady: {enable: true, requeuingStrategy: {%: 1}}\n"},
	{"backoffMaxSeconds", MODELLED,
	 V1 "waitForPodsReady: {enable: true, requeuingStrategy: {%: 1}}\n"},
	{"fairSharing", MODELLED,
	 V1 "%: {enable: true, preemptionStrategies: [LessThanInitialShare]}\n"},
	{"preemptionStrategies", MODELLED,
	 V1 "fairSharing: {enable: true, %: [LessThanInitialShare]}\n"},
	{"admissionFairSharing", MODELLED, V1 "%: {usageHalfLifeTime: 1h}\n"},
	{"usageHalfLifeTime", MODELLED, V1 "admissionFairSharing: {%: 1h}\n"},
	{"usageSamplingInterval", MODELLED,
	 V1 "admissionFairSharing: {usageHalfLifeTime: 1h, %: 1m}\n"},
	{"resourceWeights", MODELLED,
	 V1 "admissionFairSharing: {usageHalfLifeTime: 1h, %: {cpu: 0.5}}\n"},
	{"resources", MODELLED, V1 "%: {}\n"},
	{"excludeResourcePrefixes", MODELLED, V1 "resources: {%: [a.io]}\n"},
	{"transformations", MODELLED, V1 "resources: {%: [{input: cpu}]}\n"},
	{"input", MODELLED, V1 "resources: {transformations: [{%: cpu}]}\n"},
	{"strategy", MODELLED, V1 "resources: {transformations: [{input: cpu, %: Replace}]}\n"},
	{"multiplyBy", MODELLED, V1 "resources: {transformations: [{input: cpu, %: memory}]}\n"},
	{"outputs", MODELLED, V1 "resources: {transformations: [{input: cpu, %: {a.io/b: 2}}]}\n"},
	{"deviceClassMappings", NOT_MODELLED,
	 V1 "resources: {%: [{name: a.io/b, deviceClassNames: [c]}]}\n"},
	{"featureGates", MODELLED, V1 "%: {PartialAdmission: false}\n"},
	{"integrations", HARMLESS, V1 "%: {frameworks: [batch/job]}\n"},
	{"frameworks", NOT_MODELLED, V1 "integrations: {%: [pod]}\n"},
	{"externalFrameworks", HARMLESS, V1 "integrations: {%: [a]}\n"},
	{"labelKeysToCopy", HARMLESS, V1 "integrations: {%: [a]}\n"},
	{"podOptions", HARMLESS, V1 "integrations: {%: {podSelector: {}}}\n"},
	{"podSelector", HARMLESS, V1 "integrations: {podOptions: {%: {}}}\n"},
	{"namespaceSelector", HARMLESS, V1 "integrations: {podOptions: {%: {}}}\n"},
	{"queueVisibility", HARMLESS, V1 "%: {updateIntervalSeconds: 5}\n"},
	{"updateIntervalSeconds", HARMLESS, V1 "queueVisibility: {%: 5}\n"},
	{"clusterQueues", HARMLESS, V1 "queueVisibility: {%: {maxCount: 1}}\n"},
	{"maxCount", HARMLESS, V1 "queueVisibility: {clusterQueues: {%: 1}}\n"},
	{"webhook", HARMLESS, V1 "%: {}\n"},
	{"port", HARMLESS, V1 "webhook: {%: x}\n"},
	{"host", HARMLESS, V1 "webhook: {%: x}\n"},
	{"certDir", HARMLESS, V1 "webhook: {%: x}\n"},
	{"metrics", MODELLED, V1 "%: {}\n"},
	{"bindAddress", HARMLESS, V1 "metrics: {%: x}\n"},
	{"enableClusterQueueResources", MODELLED, V1 "metrics: {%: true}\n"},
	{"customLabels", MODELLED, V1 "metrics: {%: [{name: x}]}\n"},
	{"health", HARMLESS, V1 "%: {}\n"},
	{"healthProbeBindAddress", HARMLESS, V1 "health: {%: x}\n"},
	{"readinessEndpointName", HARMLESS, V1 "health: {%: x}\n"},
	{"livenessEndpointName", HARMLESS, V1 "health: {%: x}\n"},
	{"controller", HARMLESS, V1 "%: {}\n"},
	{"groupKindConcurrency", HARMLESS, V1 "controller: {%: x}\n"},
	{"cacheSyncTimeout", HARMLESS, V1 "controller: {%: x}\n"},
	{"internalCertManagement", HARMLESS, V1 "%: {}\n"},
	{"enable", HARMLESS, V1 "internalCertManagement: {%: x}\n"},
	{"webhookServiceName", HARMLESS, V1 "internalCertManagement: {%: x}\n"},
	{"webhookSecretName", HARMLESS, V1 "internalCertManagement: {%: x}\n"},
	{"clientConnection", HARMLESS, V1 "%: {}\n"},
	{"qps", HARMLESS, V1 "clientConnection: {%: x}\n"},
	{"burst", HARMLESS, V1 "clientConnection: {%: x}\n"},
	{"tls", HARMLESS, V1 "%: {}\n"},
	{"minVersion", HARMLESS, V1 "tls: {%: x}\n"},
	{"cipherSuites", HARMLESS, V1 "tls: {%: x}\n"},
	{"curvePreferences", HARMLESS, V1 "tls: {%: x}\n"},
	{"multiKueue", HARMLESS, V1 "%: {}\n"},
	{"gcInterval", HARMLESS, V1 "multiKueue: {%: x}\n"},
	{"origin", HARMLESS, V1 "multiKueue: {%: x}\n"},
	{"workerLostTimeout", HARMLESS, V1 "multiKueue: {%: x}\n"},
	{"dispatcherName", HARMLESS, V1 "multiKueue: {%: x}\n"},
	{"externalFrameworks", HARMLESS, V1 "multiKueue: {%: x}\n"},
	{"localQueueMetrics", MODELLED, V1 "metrics: {%: {enable: true}}\n"},
	{"enable", MODELLED, V1 "metrics: {localQueueMetrics: {%: true}}\n"},
	{"localQueueSelector", MODELLED, V1 "metrics: {localQueueMetrics: {%: {}}}\n"},
	{"objectRetentionPolicies", HARMLESS, V1 "%: {workloads: {}}\n"},
	{"workloads", HARMLESS, V1 "objectRetentionPolicies: {%: {}}\n"},
	{"afterFinished", HARMLESS, V1 "objectRetentionPolicies: {workloads: {%: 1h}}\n"},
	{"afterDeactivatedByKueue", HARMLESS, V1 "objectRetentionPolicies: {workloads: {%: 1h}}\n"},
	{"leaderElection", HARMLESS, V1 "%: {leaderElect: true}\n"},
	{"pprofBindAddress", HARMLESS, V1 "%: x\n"},
};

START_TEST(every_field)
{
	objects_case_field(&fields[_i]);
}
END_TEST

int main(void)
{
	TCase *t = tcase_create("all");

	tcase_add_loop_test(t, versions, 0, ROWS(rows));
	tcase_add_test(t, everything_else);
	tcase_add_test(t, two_configurations);
	tcase_add_loop_test(t, every_field, 0, ROWS(fields));
	return objects_case_run("sim/objects/objects_config", t);
}
