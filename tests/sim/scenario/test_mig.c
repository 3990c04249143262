/* test_mig.c - Profiles of MIG, and which models have which. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "sim/scenario/mig.h"

/* NVIDIA's user guide: instances of each profile on one GPU. */
static const struct {
	const char *profile;
	uint32_t slices;
} profiles[] = {
	{"1g.5gb", 7},	{"1g.10gb", 7}, {"2g.10gb", 3}, {"3g.40gb", 2},	   {"4g.20gb", 1},
	{"7g.80gb", 1}, {"5g.40gb", 0}, {"8g.80gb", 0}, {"1g.gb", 0},	   {"1g10gb", 0},
	{"", 0},	{"1g", 0},	{"1g.10", 0},	{"1g.10gb+me", 0}, {"g.10gb", 0},
};

START_TEST(slices_of_a_gpu)
{
	char resource[100] = MIG_PREFIX;

	ck_assert_uint_eq(mig_slices(profiles[_i].profile), profiles[_i].slices);
	strcat(resource, profiles[_i].profile);
	ck_assert_int_eq(mig_is_resource(resource), profiles[_i].slices > 0);
}
END_TEST

static const struct {
	const char *pool, *product, *profile;
} models[] = {
	{"h100", NULL, "1g.10gb"},
	{"p4d.24xlarge", NULL, "1g.5gb"},
	{"gpus", "NVIDIA-A100-SXM4-80GB", "1g.10gb"},
	{"gpus", "NVIDIA-A100-SXM4-40GB", "1g.5gb"},
	{"gpus", "NVIDIA-H200", "1g.18gb"},
	{"gpus", "Tesla-V100-SXM2-16GB", NULL},
	{"ha100s", NULL, NULL},
};

START_TEST(profile_of_a_model)
{
	struct name_table *strings = name_new();
	struct label label = {name_add(strings, "nvidia.com/gpu.product"), 0};
	struct node node = {.pool = name_add(strings, models[_i].pool)};
	const char *profile;

	if (models[_i].product != NULL) {
		label.value = name_add(strings, models[_i].product);
		node.labels = (struct label_set){.items = &label, .count = 1};
	}
	profile = mig_profile(strings, &node);
	if (models[_i].profile == NULL)
		ck_assert_ptr_null(profile);
	else
		ck_assert_str_eq(profile, models[_i].profile);
	name_free(strings);
}
END_TEST

START_TEST(a_slice_is_enough_up_to_its_part_of_a_gpu)
{
	ck_assert(mig_is_enough(142, 7));
	ck_assert(!mig_is_enough(143, 7));
	ck_assert(mig_is_enough(500, 2));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("sim/scenario/mig");
	TCase *t = tcase_create("all");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_test(t, a_slice_is_enough_up_to_its_part_of_a_gpu);
	suite_add_tcase(suite, t);
	tcase_add_loop_test(t, slices_of_a_gpu, 0, (int)(sizeof(profiles) / sizeof(profiles[0])));
	tcase_add_loop_test(t, profile_of_a_model, 0, (int)(sizeof(models) / sizeof(models[0])));
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
