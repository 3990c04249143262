/* test_pool.c - equal nodes by the dozen. */
#include "sim/load/pool.h"

#include "tests/sim/objects_case.h"

static struct scenario *from_text(const char *text)
{
	struct builder *builder = builder_new();
	struct scenario *s = NULL;
	struct err err;

	ck_assert_int_eq(pool_add_text(builder, text, &err), ERR_OK);
	ck_assert_int_eq(builder_finish(builder, &s, &err), ERR_OK);
	return s;
}

static const char *label(const struct scenario *s, uint32_t node, const char *key)
{
	return objects_case_text(s,
				 label_value(&s->nodes[node].labels, objects_case_string(s, key)));
}

START_TEST(two_pools)
{
	struct scenario *s = from_text("h100=2x8,l40s=1x4");

	ck_assert_uint_eq(s->node_count, 3);
	ck_assert_str_eq(scenario_string(s, s->nodes[0].name), "h100-0");
	ck_assert_str_eq(scenario_string(s, s->nodes[1].name), "h100-1");
	ck_assert_str_eq(scenario_string(s, s->nodes[2].name), "l40s-0");
	ck_assert_int_eq(s->nodes[1].gpus, 8);
	ck_assert_int_eq(s->nodes[2].gpus, 4);
	ck_assert_int_eq(s->nodes[0].allocatable[RES_CPU], RES_UNLIMITED);
	ck_assert_int_eq(s->nodes[0].allocatable[RES_MEMORY], RES_UNLIMITED);
	ck_assert_int_eq(s->nodes[0].allocatable[RES_PODS], RES_UNLIMITED);
	ck_assert_str_eq(scenario_string(s, s->nodes[2].pool), "l40s");
	ck_assert_str_eq(label(s, 1, "kubernetes.io/hostname"), "h100-1");
	ck_assert_str_eq(label(s, 1, "nvidia.com/gpu.product"), "h100");
	ck_assert_str_eq(label(s, 1, "gqsim/pool"), "h100");
	ck_assert(s->nodes[0].ready);
	scenario_free(s);
}
END_TEST

START_TEST(no_gpus_no_model)
{
	struct scenario *s = from_text("cpu=1x0");

	ck_assert_uint_eq(
		label_value(&s->nodes[0].labels, name_find(s->strings, "nvidia.com/gpu.product")),
		NAME_NONE);
	scenario_free(s);
}
END_TEST

static const char *const bad[] = {"",	     "h100",	  "h100=8",    "=1x8",	     "h100=x8",
				  "h100=1x", "h100=-1x8", "h100=1x8,", "h100=1x8x2", "a=1x8,b"};

START_TEST(malformed)
{
	struct builder *builder = builder_new();
	struct err err;

	ck_assert_int_eq(pool_add_text(builder, bad[_i], &err), ERR_USAGE);
	ck_assert_ptr_nonnull(strstr(err.msg, "is not NAME=NODESxGPUS, such as h100=311x8"));
	builder_free(builder);
}
END_TEST

/* The second would replace nodes of the first. */
START_TEST(twice)
{
	struct builder *builder = builder_new();
	struct err err;

	ck_assert_int_eq(pool_add_text(builder, "a=1x8,ab=1x8,a=2x8", &err), ERR_USAGE);
	ck_assert_ptr_nonnull(strstr(err.msg, "pool \"a\" is named twice"));
	builder_free(builder);
	builder = builder_new();
	ck_assert_int_eq(pool_add_text(builder, "ab=1x8,a=1x8,abc=2x8", &err), ERR_OK);
	builder_free(builder);
}
END_TEST

/* Nor may one of the files' nodes be replaced. */
START_TEST(beside_a_pool_of_its_name)
{
	struct builder *builder = builder_new();
	struct err err;

	ck_assert_int_eq(pool_add_text(builder, "a=2x8,b-1=1x8", &err), ERR_OK);
	ck_assert_int_eq(pool_add_text(builder, "b=2x8", &err), ERR_OK);
	ck_assert_int_eq(pool_add_text(builder, "a=1x4", &err), ERR_USAGE);
	ck_assert_ptr_nonnull(strstr(err.msg, "the files have a node a-0 already"));
	builder_free(builder);
}
END_TEST

/* A pool of 0 nodes is there and has no room: a node that never comes stands for it. */
START_TEST(none)
{
	struct builder *builder = builder_new();
	struct scenario *s;
	struct err err;

	ck_assert_int_eq(pool_add_text(builder, "h100=0x8", &err), ERR_OK);
	ck_assert_int_eq(builder_finish(builder, &s, &err), ERR_OK);
	ck_assert_uint_eq(s->node_count, 1);
	ck_assert(cluster_node_never(&s->nodes[0]));
	ck_assert_uint_eq(scenario_nodes(s), 0);
	ck_assert_int_eq(scenario_gpus(s), 0);
	scenario_free(s);
}
END_TEST

START_TEST(too_many)
{
	struct builder *builder = builder_new();
	struct err err;

	ck_assert_int_eq(pool_add_text(builder, "h100=1000001x8", &err), ERR_LIMIT);
	builder_free(builder);
}
END_TEST

int main(void)
{
	TCase *t = tcase_create("all");

	tcase_add_test(t, two_pools);
	tcase_add_test(t, no_gpus_no_model);
	tcase_add_loop_test(t, malformed, 0, ROWS(bad));
	tcase_add_test(t, twice);
	tcase_add_test(t, beside_a_pool_of_its_name);
	tcase_add_test(t, none);
	tcase_add_test(t, too_many);
	return objects_case_run("sim/load/pool", t);
}
