#include "sim/world/resourcequota.h"

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

static bool create(struct setup *t, uint32_t ns)
{
	struct quota_pod pod = {.ns = ns, .priority_class = NAME_NONE, .shape = &t->shape};

	resourcequota_explain(t->under_test, &pod, t->why, sizeof(t->why));
	return resourcequota_charge(t->under_test, &pod);
}

static bool charge(struct setup *t, uint32_t ns, int64_t gpus)
{
	t->request[RES_GPU] = gpus;
	t->shape.requested = UINT64_C(1) << RES_GPU;
	return create(t, ns);
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
	ck_assert_uint_eq(resourcequota_refunds(t.under_test, 7), 0);
	resourcequota_refund(t.under_test, &(struct quota_pod){.ns = 7, .shape = &t.shape});
	ck_assert_uint_eq(resourcequota_refunds(t.under_test, 7), 1);
	ck_assert_uint_eq(resourcequota_refunds(t.under_test, 8), 0);
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
	ck_assert(create(&t, 8));
	ck_assert(!create(&t, 8));
	ck_assert_str_eq(t.why, "exceeded quota: cpu, requested: requests.cpu=1500m, used: "
				"requests.cpu=1500m, limited: requests.cpu=2");
	tear_down(&t);
}
END_TEST

/* Pods of each sort against a quota of one pod with these scopes: y is refused once a pod of
 * the sort is there, so it is counted. */
enum { SORT_PLAIN, SORT_GPU_ONLY, SORT_DEADLINE, SORT_HIGH, SORT_LOW, SORT_CROSS, POD_SORTS };

static const struct {
	const char *name;
	struct quota_scope scopes[2];
	uint32_t count;
	const char *counted; /* plain, GPUs alone, with a deadline, high, low, other namespaces */
} scoped[] = {
	{"none", {{0}}, 0, "yyyyyy"},
	{"Terminating", {{.name = SCOPE_TERMINATING}}, 1, "--y---"},
	{"NotTerminating", {{.name = SCOPE_NOT_TERMINATING}}, 1, "yy-yyy"},
	{"BestEffort", {{.name = SCOPE_BEST_EFFORT}}, 1, "-y----"},
	{"NotBestEffort", {{.name = SCOPE_NOT_BEST_EFFORT}}, 1, "y-yyyy"},
	{"class exists", {{.name = SCOPE_PRIORITY_CLASS, .op = MATCH_EXISTS}}, 1, "---yy-"},
	{"no class", {{.name = SCOPE_PRIORITY_CLASS, .op = MATCH_DOES_NOT_EXIST}}, 1, "yyy--y"},
	{"class in [0]",
	 {{.name = SCOPE_PRIORITY_CLASS,
	   .op = MATCH_IN,
	   .values = (const uint32_t[]){0},
	   .value_count = 1}},
	 1,
	 "---y--"},
	{"class not in [0]",
	 {{.name = SCOPE_PRIORITY_CLASS,
	   .op = MATCH_NOT_IN,
	   .values = (const uint32_t[]){0},
	   .value_count = 1}},
	 1,
	 "yyy-yy"},
	{"other namespaces", {{.name = SCOPE_CROSS_NAMESPACE}}, 1, "-----y"},
	{"both must hold",
	 {{.name = SCOPE_NOT_TERMINATING}, {.name = SCOPE_BEST_EFFORT}},
	 2,
	 "-y----"},
};

static struct quota_pod pod_of_sort(struct setup *t, int sort)
{
	static const struct pod_term term = {.namespace_selector = {.present = true}};
	static const struct pod_constraints terms = {.terms = &term, .term_count = 1};

	memset(t->request, 0, sizeof(t->request));
	t->request[sort == SORT_GPU_ONLY ? RES_GPU : RES_CPU] = 1;
	t->shape.deadline = sort == SORT_DEADLINE;
	t->shape.constraints = sort == SORT_CROSS ? &terms : NULL;
	return (struct quota_pod){.ns = 7,
				  .priority_class = sort == SORT_HIGH  ? 0
						    : sort == SORT_LOW ? 1
								       : NAME_NONE,
				  .shape = &t->shape};
}

START_TEST(scopes)
{
	char got[POD_SORTS + 1] = "";

	for (int sort = 0; sort < POD_SORTS; sort++) {
		struct setup t;
		struct quota_pod pod;

		set_up(&t);
		resourcequota_free(t.under_test);
		t.hard[0][RES_GPU] = -1;
		t.quotas[0].hard_pods = 1;
		t.quotas[0].scopes = scoped[_i].scopes;
		t.quotas[0].scope_count = scoped[_i].count;
		t.under_test = resourcequota_new(&t.scenario, false);
		pod = pod_of_sort(&t, sort);
		ck_assert(resourcequota_charge(t.under_test, &pod));
		got[sort] = resourcequota_charge(t.under_test, &pod) ? '-' : 'y';
		tear_down(&t);
	}
	ck_assert_msg(strcmp(got, scoped[_i].counted) == 0, "%s: %s", scoped[_i].name, got);
}
END_TEST

START_TEST(limits_are_told_apart_from_requests)
{
	int64_t limits[RES_FIXED] = {0}, hard[RES_FIXED];
	struct setup t;

	set_up(&t);
	for (int r = 0; r < RES_FIXED; r++)
		hard[r] = -1;
	hard[RES_CPU] = 3000;
	hard[RES_MEMORY] = INT64_C(4) << 30;
	resourcequota_free(t.under_test);
	t.quotas[1].hard_limits = hard;
	t.quotas[1].plain = UINT64_C(1) << RES_CPU;
	t.under_test = resourcequota_new(&t.scenario, false);
	t.request[RES_CPU] = 1000;
	ck_assert(!create(&t, 8));
	ck_assert_str_eq(t.why, "failed quota: cpu: must specify limits.cpu; limits.memory; cpu");
	t.shape.requested = UINT64_C(1) << RES_CPU;
	t.shape.limit = limits;
	limits[RES_CPU] = 2000;
	limits[RES_MEMORY] = INT64_C(1) << 30;
	ck_assert(create(&t, 8));
	ck_assert(!create(&t, 8));
	ck_assert_str_eq(t.why, "exceeded quota: cpu, requested: limits.cpu=2, used: "
				"limits.cpu=2, limited: limits.cpu=3");
	t.request[RES_CPU] = 1500;
	ck_assert(!create(&t, 8));
	ck_assert_str_eq(t.why, "exceeded quota: cpu, requested: cpu=1500m,limits.cpu=2, used: "
				"cpu=1,limits.cpu=2, limited: cpu=2,limits.cpu=3");
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
	tcase_add_loop_test(tc, scopes, 0, (int)(sizeof(scoped) / sizeof(scoped[0])));
	tcase_add_test(tc, limits_are_told_apart_from_requests);
	tcase_add_test(tc, derived_quotas_add_up_to_nominal);
	tcase_add_test(tc, without_quotas_there_is_nothing_to_ask);
	suite_add_tcase(suite, tc);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
