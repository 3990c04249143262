/* test_objects_provisioning.c - AdmissionCheck and ProvisioningRequestConfig. */
#include <stdio.h>

#include "tests/sim/objects_case.h"

#define K "apiVersion: kueue.x-k8s.io/v1beta2\n"
#define CHECK(parameters)                                                                          \
	K "kind: AdmissionCheck\nmetadata: {name: c}\nspec:\n"                                     \
	  "  controllerName: kueue.x-k8s.io/provisioning-request\n" parameters

START_TEST(everything)
{
	struct scenario *s = objects_case_load(CHECK(
		"  parameters: {apiGroup: kueue.x-k8s.io, "
		"kind: ProvisioningRequestConfig, name: p}\n") "---\n" K "kind: "
							       "ProvisioningRequestConfig\nmetadata"
							       ": {name: p}\nspec:\n"
							       "  provisioningClassName: "
							       "check-capacity.autoscaling.x-k8s."
							       "io\n"
							       "  managedResources: "
							       "[nvidia.com/gpu]\n"
							       "  parameters: {noRetry: \"true\"}\n"
							       "  podSetMergePolicy: "
							       "IdenticalPodTemplates\n"
							       "  podSetUpdates: {nodeSelector: "
							       "[{key: a, "
							       "valueFromProvisioningClassDetail: "
							       "b}]}\n"
							       "  retryStrategy: "
							       "{backoffLimitCount: 2, "
							       "backoffBaseSeconds: 0}\n");
	const struct provisioning_config *config = &s->provisioning_configs[0];

	ck_assert_uint_eq(s->check_count, 1);
	ck_assert(s->checks[0].provisions && s->checks[0].active);
	ck_assert_uint_eq(s->checks[0].config, 0);
	ck_assert_str_eq(scenario_string(s, config->class_name),
			 "check-capacity.autoscaling.x-k8s.io");
	ck_assert_uint_eq(config->managed, UINT64_C(1) << RES_GPU);
	ck_assert_uint_eq(config->parameters.count, 1);
	ck_assert_uint_eq(config->backoff_limit, 2);
	ck_assert_int_eq(config->backoff_base, 0);
	ck_assert_int_eq(config->backoff_max, 1800 * CLOCK_SECOND);
	scenario_free(s);
}
END_TEST

START_TEST(without_its_config)
{
	struct scenario *s = objects_case_load(CHECK(""));

	ck_assert(!s->checks[0].active);
	ck_assert_uint_eq(s->finding_count, 1);
	scenario_free(s);
	s = objects_case_load(CHECK("  parameters: {name: nowhere}\n"));
	ck_assert(!s->checks[0].active);
	ck_assert_uint_eq(s->finding_count, 1);
	scenario_free(s);
	s = objects_case_load(
		CHECK("") "status: {conditions: [{type: Active, status: \"True\"}]}\n");
	ck_assert(s->checks[0].active);
	ck_assert_uint_eq(s->finding_count, 0);
	scenario_free(s);
}
END_TEST

static const struct {
	const char *spec, *message;
} bad[] = {
	{"{}", "spec: provisioningClassName is missing"},
	{"{provisioningClassName: ''}", "must have 1 to 253 characters"},
	{"{provisioningClassName: x, managedResources: cpu}", "managedResources"},
	{"{provisioningClassName: x, podSetMergePolicy: Any}",
	 "is not one of IdenticalPodTemplates"},
	{"{provisioningClassName: x, retryStrategy: {backoffBaseSeconds: -1}}",
	 "backoffBaseSeconds"},
};

START_TEST(mistakes)
{
	char text[400];
	struct objects_case c;

	snprintf(text, sizeof(text),
		 K "kind: ProvisioningRequestConfig\nmetadata: {name: p}\nspec: %s\n",
		 bad[_i].spec);
	c = objects_case(text);
	ck_assert_int_ne(c.code, ERR_OK);
	ck_assert_msg(strstr(c.message, bad[_i].message) != NULL, "%s", c.message);
}
END_TEST

#define OTHER_CLASS                                                                                \
	K "kind: ProvisioningRequestConfig\nmetadata: {name: p}\n"                                 \
	  "spec: {provisioningClassName: queued-provisioning.gke.io}\n"

START_TEST(a_class_that_is_not_modelled)
{
	struct scenario *s = objects_case_load(OTHER_CLASS);
	struct objects_case strict = objects_case_bytes(OTHER_CLASS, strlen(OTHER_CLASS), true);

	ck_assert_uint_eq(s->finding_count, 1);
	ck_assert_int_eq(s->findings[0].kind, FINDING_NOT_MODELLED);
	ck_assert_int_ne(strict.code, ERR_OK);
	scenario_free(s);
}
END_TEST

#define OTHER_CLUSTERS                                                                             \
	K "kind: AdmissionCheck\nmetadata: {name: c}\n"                                            \
	  "spec: {controllerName: kueue.x-k8s.io/multikueue}\n"

START_TEST(other_clusters)
{
	struct scenario *s = objects_case_load(OTHER_CLUSTERS);
	struct objects_case strict =
		objects_case_bytes(OTHER_CLUSTERS, strlen(OTHER_CLUSTERS), true);

	ck_assert_int_eq(s->findings[0].kind, FINDING_NOT_MODELLED);
	ck_assert(s->checks[0].multikueue && !s->checks[0].provisions);
	ck_assert_int_ne(strict.code, ERR_OK);
	scenario_free(s);
}
END_TEST

int main(void)
{
	TCase *t = tcase_create("all");

	tcase_add_test(t, everything);
	tcase_add_test(t, without_its_config);
	tcase_add_loop_test(t, mistakes, 0, ROWS(bad));
	tcase_add_test(t, a_class_that_is_not_modelled);
	tcase_add_test(t, other_clusters);
	return objects_case_run("sim/objects/objects_provisioning", t);
}
