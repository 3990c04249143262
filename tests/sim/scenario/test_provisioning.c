/* test_provisioning.c - What a ProvisioningRequestConfig means. */
#include "sim/scenario/provisioning.h"

#include <stdio.h>

#include "tests/sim/objects_case.h"

#define CONFIG(spec)                                                                               \
	"apiVersion: kueue.x-k8s.io/v1beta2\nkind: ProvisioningRequestConfig\n"                    \
	"metadata: {name: p}\nspec: {provisioningClassName: "                                      \
	"check-capacity.autoscaling.x-k8s.io" spec "}\n"

START_TEST(classes)
{
	ck_assert_int_eq(provisioning_class_of("check-capacity.autoscaling.x-k8s.io"),
			 PROVISIONING_CHECK_CAPACITY);
	ck_assert_int_eq(provisioning_class_of("best-effort-atomic-scale-up.autoscaling.x-k8s.io"),
			 PROVISIONING_SCALE_UP);
	ck_assert_int_eq(provisioning_class_of("queued-provisioning.gke.io"), PROVISIONING_OTHER);
}
END_TEST

static const struct {
	const char *spec;
	bool no_retry;
} retries[] = {
	{"", false},
	{", parameters: {noRetry: \"true\"}", true},
	{", parameters: {noRetry: \"false\"}", false},
	{", parameters: {noRetry: \"yes\"}", false}, /* the autoscaler ignores it */
};

START_TEST(retrying)
{
	char text[400];
	struct scenario *s;

	snprintf(text, sizeof(text), CONFIG("%s"), retries[_i].spec);
	s = objects_case_load(text);
	ck_assert(provisioning_no_retry(s, &s->provisioning_configs[0]) == retries[_i].no_retry);
	scenario_free(s);
}
END_TEST

START_TEST(managed_resources)
{
	struct scenario *s = objects_case_load(CONFIG(", managedResources: [nvidia.com/gpu]"));
	const struct provisioning_config all = {.managed = 0};
	int64_t limit[RES_MAX] = {[RES_GPU] = 1};
	const struct pod_shape gpu = {.requested = UINT64_C(1) << RES_GPU},
			       limited = {.limit = limit};
	const struct pod_shape cpu = {.requested = UINT64_C(1) << RES_CPU};

	ck_assert(provisioning_covers(&s->provisioning_configs[0], &gpu));
	ck_assert(provisioning_covers(&s->provisioning_configs[0], &limited));
	ck_assert(!provisioning_covers(&s->provisioning_configs[0], &cpu));
	ck_assert(provisioning_covers(&all, &cpu));
	scenario_free(s);
}
END_TEST

int main(void)
{
	TCase *t = tcase_create("all");

	tcase_add_test(t, classes);
	tcase_add_loop_test(t, retrying, 0, ROWS(retries));
	tcase_add_test(t, managed_resources);
	return objects_case_run("sim/scenario/provisioning", t);
}
