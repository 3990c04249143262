#include "sim/resourcequota.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

struct setup {
	struct scenario scenario;
	struct resource_quota quotas[2];
	int64_t hard[2][RES_FIXED];
	int64_t request[RES_FIXED];
	struct pod_shape shape;
	struct resourcequota *under_test;
	char why[512];
};

/* Namespace 7: 4 GPUs, 3 pods; namespace 8: 2 cpu. */
static void set_up(struct setup *t)
{
	memset(t, 0, sizeof(*t));
	t->scenario.strings = name_new();
	t->scenario.resources = res_table_new();
	t->scenario.resource_count = RES_FIXED;
	for (int i = 0; i < 2; i++) {
		for (int r = 0; r < RES_FIXED; r++)
			t->hard[i][r] = -1;
	}
	t->hard[0][RES_GPU] = 4;
	t->hard[1][RES_CPU] = 2000;
	t->quotas[0] = (struct resource_quota){.name = name_add(t->scenario.strings, "gpu"),
					       .ns = 7,
					       .hard = t->hard[0],
					       .hard_pods = 3};
	t->quotas[1] = (struct resource_quota){.name = name_add(t->scenario.strings, "cpu"),
					       .ns = 8,
					       .hard = t->hard[1],
					       .hard_pods = -1};
	t->scenario.resource_quotas = t->quotas;
	t->scenario.resource_quota_count = 2;
	t->shape.request = t->request;
	t->under_test = resourcequota_new(&t->scenario, false);
}

static void tear_down(struct setup *t)
{
	resourcequota_free(t->under_test);
	name_free(t->scenario.strings);
	name_free(t->scenario.resources);
}

static bool charge(struct setup *t, uint32_t ns, int64_t gpus)
{
	t->request[RES_GPU] = gpus;
	t->shape.requested = UINT64_C(1) << RES_GPU;
	return resourcequota_charge(t->under_test, ns, &t->shape, t->why, sizeof(t->why));
}

START_TEST(refuses_beyond_a_limit_in_the_servers_words)
{
	struct setup t;

	set_up(&t);
	ck_assert(charge(&t, 7, 3));
	ck_assert(!charge(&t, 7, 2));
	ck_assert_str_eq(t.why, "exceeded quota: gpu, requested: requests.nvidia.com/gpu=2, used: "
				"requests.nvidia.com/gpu=3, limited: requests.nvidia.com/gpu=4");
	ck_assert(charge(&t, 7, 1));   /* the refusal charged nothing */
	ck_assert(charge(&t, 9, 100)); /* a namespace without quota */
	tear_down(&t);
}
END_TEST

START_TEST(pods_count_too_and_what_is_given_back_is_free)
{
	struct setup t;

	set_up(&t);
	for (int i = 0; i < 3; i++)
		ck_assert(charge(&t, 7, 1));
	ck_assert(!charge(&t, 7, 1));
	ck_assert_str_eq(t.why,
			 "exceeded quota: gpu, requested: pods=1, used: pods=3, limited: pods=3");
	ck_assert(!charge(&t, 7, 2)); /* both limits */
	ck_assert_str_eq(t.why, "exceeded quota: gpu, requested: pods=1,requests.nvidia.com/gpu=2, "
				"used: pods=3,requests.nvidia.com/gpu=3, limited: "
				"pods=3,requests.nvidia.com/gpu=4");
	t.request[RES_GPU] = 1;
	resourcequota_refund(t.under_test, 7, &t.shape);
	ck_assert(charge(&t, 7, 2));
	tear_down(&t);
}
END_TEST

START_TEST(limited_cpu_must_be_asked_for)
{
	struct setup t;

	set_up(&t);
	ck_assert(!charge(&t, 8, 1));
	ck_assert_str_eq(t.why, "failed quota: cpu: must specify requests.cpu");
	t.request[RES_CPU] = 1500;
	t.shape.requested = UINT64_C(1) << RES_CPU;
	ck_assert(resourcequota_charge(t.under_test, 8, &t.shape, t.why, sizeof(t.why)));
	ck_assert(!resourcequota_charge(t.under_test, 8, &t.shape, t.why, sizeof(t.why)));
	ck_assert_str_eq(t.why, "exceeded quota: cpu, requested: requests.cpu=1500m, used: "
				"requests.cpu=1500m, limited: requests.cpu=2");
	tear_down(&t);
}
END_TEST

START_TEST(without_quotas_there_is_nothing_to_ask)
{
	struct scenario none = {0};

	ck_assert_ptr_null(resourcequota_new(&none, true));
	resourcequota_free(NULL);
}
END_TEST

/* Queue 0 (8 and 3 GPUs in two flavors) serves namespaces 7 and 8, queue 1 (no GPUs)
 * namespace 9. */
START_TEST(derived_quotas_add_up_to_nominal)
{
	static const uint32_t gpu = RES_GPU, cpu = RES_CPU, flavors[] = {0, 1};
	static const struct quota_cell cells[] = {{.nominal = 8}, {.nominal = 3}};
	static const struct resource_group groups[] = {
		{.resources = &gpu,
		 .resource_count = 1,
		 .flavors = flavors,
		 .flavor_count = 2,
		 .cells = cells},
		{.resources = &cpu,
		 .resource_count = 1,
		 .flavors = flavors,
		 .flavor_count = 1,
		 .cells = cells},
	};
	struct cluster_queue queues[] = {{.groups = &groups[0], .group_count = 1},
					 {.groups = &groups[1], .group_count = 1}};
	struct local_queue locals[] = {{.ns = 7, .cluster_queue = 0},
				       {.ns = 7, .cluster_queue = 0},
				       {.ns = 9, .cluster_queue = 1},
				       {.ns = 8, .cluster_queue = 0}};
	struct scenario s = {.cluster_queues = queues,
			     .cluster_queue_count = 2,
			     .local_queues = locals,
			     .local_queue_count = 4,
			     .resource_count = RES_FIXED};
	struct resourcequota *q = resourcequota_new(&s, true);
	const struct resource_quota *list;
	uint32_t count = 0;

	ck_assert_ptr_null(resourcequota_new(&s, false));
	list = resourcequota_list(q, &count);
	ck_assert_uint_eq(count, 3);
	ck_assert_uint_eq(list[0].ns, 7);
	ck_assert_int_eq(list[0].hard[RES_GPU], 6);
	ck_assert_uint_eq(list[1].ns, 8);
	ck_assert_int_eq(list[1].hard[RES_GPU], 5);
	ck_assert_uint_eq(list[2].ns, 9);
	ck_assert_int_eq(list[2].hard[RES_GPU], -1); /* not covered: no wall */
	ck_assert_int_eq(list[2].hard[RES_CPU], 8);
	resourcequota_free(q);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("resourcequota");
	TCase *tc = tcase_create("resourcequota");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_test(tc, refuses_beyond_a_limit_in_the_servers_words);
	tcase_add_test(tc, pods_count_too_and_what_is_given_back_is_free);
	tcase_add_test(tc, limited_cpu_must_be_asked_for);
	tcase_add_test(tc, derived_quotas_add_up_to_nominal);
	tcase_add_test(tc, without_quotas_there_is_nothing_to_ask);
	suite_add_tcase(suite, tc);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
