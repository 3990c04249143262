#include "sim/kube/kube_filter.h"

#include <check.h>

#include "tests/support/cluster_case.h"

#define BIT(r) (UINT64_C(1) << (r))

static const struct case_node nodes[] = {{.gpus = 4, .cpu = 4000, .memory = 100, .pods = 3},
					 {.gpus = 8}};
static const struct case_job jobs[] = {
	{.pods = 1, .gpus = 2, .cpu = 3000, .priority = 0},
	{.pods = 1, .gpus = 3, .priority = 10},
	{.pods = 1, .gpus = 5, .memory = 101, .priority = 10},
	{.pods = 1, .priority = 20},
};

START_TEST(everything_lacking_is_told)
{
	struct cluster_case c;
	struct kube_filter f;

	cluster_case_open(&c, nodes, 2, jobs, 4);
	kube_filter_init(&f, &c.world);
	ck_assert_uint_eq(kube_filter_node(&f, 0, 0, 0), 0);
	ck_assert_uint_eq(kube_filter_node(&f, 0, 2, 10), BIT(RES_GPU) | BIT(RES_MEMORY));
	ck_assert_uint_eq(kube_filter_node(&f, 1, 2, 10), 0);
	cluster_case_bind(&c, 0, 0);
	ck_assert_uint_eq(kube_filter_node(&f, 0, 1, 10), BIT(RES_GPU));
	kube_filter_free(&f);
	cluster_case_close(&c);
}
END_TEST

START_TEST(pods_are_a_resource)
{
	struct cluster_case c;
	struct kube_filter f;

	cluster_case_open(&c, nodes, 2, jobs, 4);
	kube_filter_init(&f, &c.world);
	c.world.usage.used[RES_PODS] = 3;
	ck_assert_uint_eq(kube_filter_node(&f, 0, 3, 20), BIT(RES_PODS));
	ck_assert(!kube_filter_unresolvable(&c.world.nodes[0], &c.scenario->shapes[0],
					    BIT(RES_PODS)));
	kube_filter_free(&f);
	cluster_case_close(&c);
}
END_TEST

START_TEST(unresolvable_is_what_the_empty_node_lacks)
{
	struct cluster_case c;
	const struct pod_shape *shape;

	cluster_case_open(&c, nodes, 2, jobs, 4);
	shape = &c.scenario->shapes[c.world.pods[2].shape];
	ck_assert(kube_filter_unresolvable(&c.world.nodes[0], shape, BIT(RES_GPU)));
	ck_assert(!kube_filter_unresolvable(&c.world.nodes[1], shape, BIT(RES_GPU)));
	ck_assert(!kube_filter_unresolvable(
		&c.world.nodes[0], &c.scenario->shapes[c.world.pods[1].shape], BIT(RES_GPU)));
	cluster_case_close(&c);
}
END_TEST

/* Spec 4.1: pods of at least this priority, nominated, other than itself. */
START_TEST(nominated_pods_count_for_those_below)
{
	struct cluster_case c;
	struct kube_filter f;

	cluster_case_open(&c, nodes, 2, jobs, 4);
	kube_filter_init(&f, &c.world);
	kube_filter_nominate(&f, 1, 0);
	ck_assert_uint_eq(kube_filter_nominated(&f, 1), 0);
	ck_assert_uint_eq(kube_filter_node(&f, 0, 0, 0), BIT(RES_GPU));
	ck_assert_uint_eq(kube_filter_node(&f, 0, 0, 10), BIT(RES_GPU));
	ck_assert_uint_eq(kube_filter_node(&f, 0, 0, 11), 0);
	ck_assert_uint_eq(kube_filter_node(&f, 0, 1, 10), 0);
	ck_assert_uint_eq(kube_filter_node(&f, 1, 0, 0), 0);
	ck_assert_uint_eq(kube_filter_forget(&f, 1), 0);
	ck_assert_uint_eq(kube_filter_forget(&f, 1), NODE_NONE);
	ck_assert_uint_eq(kube_filter_nominated(&f, 1), NODE_NONE);
	ck_assert_uint_eq(kube_filter_node(&f, 0, 0, 0), 0);
	kube_filter_free(&f);
	cluster_case_close(&c);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("sim/kube/kube_filter");
	TCase *t = tcase_create("all");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_add_test(t, everything_lacking_is_told);
	tcase_add_test(t, pods_are_a_resource);
	tcase_add_test(t, unresolvable_is_what_the_empty_node_lacks);
	tcase_add_test(t, nominated_pods_count_for_those_below);
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
