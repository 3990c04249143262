/* test_redact.c - which texts are replaced, and by what. */
#include "sim/dump/redact.h"

#include <check.h>
#include <stdlib.h>

static const struct {
	enum redact_role role;
	const char *text, *becomes;
} texts[] = {
	/* in their order, numbered from 0 in each role */
	{REDACT_NODE, "b.example", "node-1"},
	{REDACT_NODE, "a.example", "node-0"},
	{REDACT_QUEUE, "vision", "queue-0"},
	/* the lowest role names it, everywhere */
	{REDACT_VALUE, "vision", "queue-0"},
	{REDACT_RESOURCE, "corp.example/fpga", "example.com/resource-0"},
	{REDACT_LABEL, "node-role.kubernetes.io/vision", "label-1"},
	{REDACT_LABEL, "acme-k8s.io/rack", "label-0"},
	/* no names */
	{REDACT_LABEL, "node-role.kubernetes.io/control-plane",
	 "node-role.kubernetes.io/control-plane"},
	{REDACT_RESOURCE, "amd.com/gpu", "amd.com/gpu"},
	{REDACT_VALUE, "BestEffortFIFO", "BestEffortFIFO"},
	{REDACT_VALUE, "100Gi", "100Gi"},
	{REDACT_VALUE, "0.5", "0.5"},
	{REDACT_VALUE, "-3", "-3"},
	{REDACT_VALUE, "10m30s", "10m30s"},
	{REDACT_VALUE, "", ""},
	{REDACT_VALUE, "nvidia.com/gpu", "nvidia.com/gpu"},
	{REDACT_VALUE, "kueue.x-k8s.io/queue-name", "kueue.x-k8s.io/queue-name"},
	{REDACT_VALUE, "default", "default"},
	/* names that look like those */
	{REDACT_VALUE, "notnvidia.com/gpu", "value-1"},
	{REDACT_VALUE, "nvidia.com", "value-2"},
	{REDACT_VALUE, "8x-team", "value-0"},
};

#define COUNT ((int)(sizeof(texts) / sizeof(texts[0])))

START_TEST(texts_become)
{
	struct redact *redact = redact_new();

	for (int i = 0; i < COUNT; i++)
		redact_show(redact, texts[i].role, texts[i].text);
	redact_settle(redact);
	for (int i = 0; i < COUNT; i++)
		ck_assert_str_eq(redact_text(redact, texts[i].text), texts[i].becomes);
	ck_assert_str_eq(redact_text(redact, "never-shown"), "never-shown");
	redact_free(redact);
}
END_TEST

START_TEST(labels_become)
{
	struct redact *redact = redact_new();

	redact_show_label(redact, "nvidia.com/gpu.product", "NVIDIA-H100");
	redact_show_label(redact, "nvidia.com/gpu.family", "hopper");
	redact_show_label(redact, "kubernetes.io/hostname", "gpu-0");
	redact_show_label(redact, "team", "Any");
	redact_show_label(redact, "example.com/team", "7");
	redact_hide(redact, REDACT_FLAVOR, "hopper"); /* a name elsewhere */
	redact_settle(redact);
	ck_assert_str_eq(redact_value(redact, "NVIDIA-H100"), "NVIDIA-H100");
	ck_assert_str_eq(redact_value(redact, "hopper"), "flavor-0");
	ck_assert_str_eq(redact_value(redact, "gpu-0"), "value-1");
	ck_assert_str_eq(redact_value(redact, "Any"), "value-0");
	ck_assert_str_eq(redact_text(redact, "Any"), "Any"); /* a word of the API */
	ck_assert_str_eq(redact_value(redact, "7"), "7");
	ck_assert_str_eq(redact_value(redact, "team"), "label-1");
	ck_assert_str_eq(redact_value(redact, "example.com/team"), "label-0");
	redact_free(redact);
}
END_TEST

START_TEST(numbers_are_as_wide_as_the_last)
{
	struct redact *redact = redact_new();
	char name[3] = "aa";

	for (int i = 0; i < 11; i++) {
		name[1] = (char)('a' + i);
		redact_hide(redact, REDACT_JOB, name);
	}
	redact_settle(redact);
	ck_assert_str_eq(redact_text(redact, "ac"), "job-02");
	ck_assert_str_eq(redact_text(redact, "ak"), "job-10");
	redact_free(redact);
	redact_free(NULL);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("sim/dump/redact");
	TCase *t = tcase_create("all");
	SRunner *r = srunner_create(suite);
	int failed;

	tcase_add_test(t, texts_become);
	tcase_add_test(t, labels_become);
	tcase_add_test(t, numbers_are_as_wide_as_the_last);
	suite_add_tcase(suite, t);
	srunner_run_all(r, CK_NORMAL);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
