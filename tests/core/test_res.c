#include "core/res.h"

#include <check.h>
#include <string.h>

#define COUNT(rows) ((int)(sizeof(rows) / sizeof((rows)[0])))
#define U	    RES_UNLIMITED

START_TEST(fixed_resources_come_first)
{
	struct name_table *t = res_table_new();

	ck_assert_uint_eq(name_count(t), RES_FIXED);
	ck_assert_uint_eq(name_find(t, "cpu"), RES_CPU);
	ck_assert_uint_eq(name_find(t, "memory"), RES_MEMORY);
	ck_assert_uint_eq(name_find(t, "ephemeral-storage"), RES_EPHEMERAL);
	ck_assert_uint_eq(name_find(t, "pods"), RES_PODS);
	ck_assert_uint_eq(name_find(t, "nvidia.com/gpu"), RES_GPU);
	name_free(t);
}
END_TEST

/* Spec KUEUE.md section 0. */
static const struct {
	int64_t a, b, sum, difference;
} sums[] = {
	{2, 3, 5, -1},
	{U, 5, U, U},
	{5, U, U, INT64_MIN},
	{U, U, U, 0},
	{INT64_MAX - 1, 5, INT64_MAX, INT64_MAX - 6},
	{INT64_MIN + 1, 5, INT64_MIN + 6, INT64_MIN},
	{INT64_MIN + 1, -5, INT64_MIN, INT64_MIN + 6},
	{INT64_MAX - 1, -5, INT64_MAX - 6, INT64_MAX},
};

START_TEST(sums_saturate)
{
	ck_assert_int_eq(res_add(sums[_i].a, sums[_i].b), sums[_i].sum);
	ck_assert_int_eq(res_sub(sums[_i].a, sums[_i].b), sums[_i].difference);
}
END_TEST

START_TEST(products_saturate)
{
	ck_assert_int_eq(res_mul(7, 6), 42);
	ck_assert_int_eq(res_mul(0, U), 0);
	ck_assert_int_eq(res_mul(U, 0), 0);
	ck_assert_int_eq(res_mul(U, 2), INT64_MAX);
	ck_assert_int_eq(res_mul(INT64_C(1) << 40, INT64_C(1) << 23), INT64_MAX);
	ck_assert_int_eq(res_mul(INT64_C(1) << 40, INT64_C(1) << 22), INT64_C(1) << 62);
}
END_TEST

static const struct {
	const char *name;
	bool gpu;
	enum num_style style;
} names[] = {
	{"cpu", false, NUM_MILLI},
	{"memory", false, NUM_BINARY},
	{"ephemeral-storage", false, NUM_BINARY},
	{"hugepages-2Mi", false, NUM_BINARY},
	{"pods", false, NUM_DECIMAL},
	{"nvidia.com/gpu", true, NUM_DECIMAL},
	{"amd.com/gpu", true, NUM_DECIMAL},
	{"gpu.intel.com/i915", true, NUM_DECIMAL},
	{"gpu.intel.com/xe", true, NUM_DECIMAL},
	{"gpu.intel.com/monitoring", false, NUM_DECIMAL},
	{"nvidia.com/gpu.shared", false, NUM_DECIMAL},
	{"gpu", false, NUM_DECIMAL},
	{"example.com/license", false, NUM_DECIMAL},
};

START_TEST(names_tell_the_kind)
{
	ck_assert_msg(res_is_gpu(names[_i].name) == names[_i].gpu, "%s", names[_i].name);
	ck_assert_msg(res_style(names[_i].name) == names[_i].style, "%s", names[_i].name);
}
END_TEST

START_TEST(only_cpu_is_counted_in_thousandths)
{
	ck_assert(res_is_milli(RES_CPU));
	ck_assert(!res_is_milli(RES_MEMORY));
	ck_assert(!res_is_milli(RES_GPU));
}
END_TEST

/* The order given in spec KUEUE.md section 0. */
START_TEST(order_is_that_of_the_hash)
{
	static const char *const order[] = {"ephemeral-storage", "example.com/license",
					    "amd.com/gpu",	 "memory",
					    "nvidia.com/gpu",	 "pods",
					    "example.com/gpu",	 "hugepages-2Mi",
					    "google.com/tpu",	 "cpu"};

	for (int i = 0; i + 1 < COUNT(order); i++)
		ck_assert_msg(res_order_key(order[i]) < res_order_key(order[i + 1]), "%s",
			      order[i]);
	ck_assert_uint_eq(res_order_key("cpu") >> 48, 0xf5a8);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("core/res");
	TCase *t = tcase_create("all");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_add_test(t, fixed_resources_come_first);
	tcase_add_loop_test(t, sums_saturate, 0, COUNT(sums));
	tcase_add_test(t, products_saturate);
	tcase_add_loop_test(t, names_tell_the_kind, 0, COUNT(names));
	tcase_add_test(t, only_cpu_is_counted_in_thousandths);
	tcase_add_test(t, order_is_that_of_the_hash);
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
