#include "sim/kube/kube_message.h"

#include <check.h>

/* Texts as golden f4 and b1 have them. */
START_TEST(reasons_are_sorted_as_strings)
{
	struct name_table *resources = res_table_new();
	struct kube_message m = {0};
	struct kube_tally t = {.nodes = 14};

	t.verdicts[KUBE_MISMATCH] = 1;
	t.verdicts[KUBE_TAINTED] = 1;
	t.lacking[RES_GPU] = 2;
	kube_message_tally(&m, resources, &t);
	ck_assert_str_eq(m.text, "0/14 nodes are available: 1 node(s) didn't match Pod's node "
				 "affinity/selector, 1 node(s) had untolerated taint(s), 2 "
				 "Insufficient nvidia.com/gpu.");
	t = (struct kube_tally){.nodes = 12, .no_victims = 10, .not_helpful = 2};
	kube_message_clear(&m);
	kube_message_tally(&m, resources, &t);
	ck_assert_str_eq(m.text, "0/12 nodes are available: 10 No preemption victims found for "
				 "incoming pod, 2 Preemption is not helpful for scheduling.");
	kube_message_free(&m);
	name_free(resources);
}
END_TEST

START_TEST(every_lacking_resource_counts_once_a_node)
{
	struct name_table *resources = res_table_new();
	struct kube_message m = {0};
	struct kube_tally t = {.nodes = 3};

	t.verdicts[KUBE_CORDONED] = 1;
	kube_message_count(&t, UINT64_C(1) << RES_CPU | UINT64_C(1) << RES_PODS, 1);
	kube_message_count(&t, UINT64_C(1) << RES_CPU, 1);
	kube_message_text(&m, "so: ");
	kube_message_tally(&m, resources, &t);
	ck_assert_str_eq(m.text, "so: 0/3 nodes are available: 1 Too many pods, 1 node(s) were "
				 "unschedulable, 2 Insufficient cpu.");
	kube_message_free(&m);
	name_free(resources);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("sim/kube/kube_message");
	TCase *t = tcase_create("all");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_add_test(t, reasons_are_sorted_as_strings);
	tcase_add_test(t, every_lacking_resource_counts_once_a_node);
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
