/* test_shape.c - shapes as values. */
#include "sim/scenario/shape.h"

#include "core/res.h"
#include "tests/sim/objects_case.h"

#define WIDTH RES_FIXED

static int64_t request[WIDTH];
static struct label selector[1];
static struct toleration toleration[1];
static uint32_t values[1];
static struct match_expression expression[1];
static struct node_term term[1];

/* A shape that points at the arrays above. */
static struct pod_shape full(void)
{
	memset(request, 0, sizeof(request));
	request[RES_GPU] = 4;
	selector[0] = (struct label){1, 2};
	toleration[0] = (struct toleration){.key = 3, .value = 4};
	values[0] = 5;
	expression[0] = (struct match_expression){.key = 6, .values = values, .value_count = 1};
	term[0] = (struct node_term){.expressions = expression, .expression_count = 1};
	return (struct pod_shape){.request = request,
				  .requested = UINT64_C(1) << RES_GPU,
				  .node_selector = {selector, 1},
				  .affinity = term,
				  .affinity_count = 1,
				  .tolerations = {toleration, 1},
				  .topology_level = NAME_NONE,
				  .slice_level = NAME_NONE,
				  .topology_group = NAME_NONE,
				  .container_count = 1};
}

START_TEST(a_copy_is_equal_and_apart)
{
	struct mem_arena *arena = mem_arena_new();
	struct pod_shape shape = full();
	struct pod_shape copy = shape_copy(arena, arena, &shape, WIDTH);

	ck_assert(shape_equal(&shape, WIDTH, &copy, WIDTH));
	ck_assert_uint_eq(shape_hash(&shape, WIDTH), shape_hash(&copy, WIDTH));
	request[RES_GPU] = selector[0].value = toleration[0].key = values[0] = 99;
	ck_assert_int_eq(copy.request[RES_GPU], 4);
	ck_assert_uint_eq(copy.node_selector.items[0].value, 2);
	ck_assert_uint_eq(copy.tolerations.items[0].key, 3);
	ck_assert_uint_eq(copy.affinity[0].expressions[0].values[0], 5);
	mem_arena_free(arena);
}
END_TEST

/* Each field that counts, changed alone, makes another shape. */
static void change(struct pod_shape *shape, int field)
{
	switch (field) {
	case 0:
		request[RES_CPU] = 1;
		break;
	case 1:
		shape->requested = 0;
		break;
	case 2:
		shape->limit = request;
		break;
	case 3:
		selector[0].value = 9;
		break;
	case 4:
		shape->node_selector.count = 0;
		break;
	case 5:
		toleration[0].op = TOLERATION_EXISTS;
		break;
	case 6:
		values[0] = 9;
		break;
	case 7:
		expression[0].op = MATCH_EXISTS;
		break;
	case 8:
		term[0].field_count = 1;
		term[0].fields = expression;
		break;
	case 9:
		shape->topology_mode = TOPOLOGY_PREFERRED;
		break;
	case 10:
		shape->topology_level = 1;
		break;
	case 11:
		shape->slice_size = 2;
		break;
	case 12:
		shape->topology_group = 1;
		break;
	case 13:
		shape->container_count = 2;
		break;
	case 14:
		shape->nonzero_cpu = 7;
		break;
	case 15:
		shape->inner_slice_count = 1;
		break;
	default:
		shape->slice_level = 3;
		break;
	}
}

START_TEST(every_field_counts)
{
	struct mem_arena *arena = mem_arena_new();
	struct pod_shape shape = full(), copy = shape_copy(arena, arena, &shape, WIDTH);

	change(&shape, _i);
	ck_assert(!shape_equal(&shape, WIDTH, &copy, WIDTH));
	ck_assert(!shape_equal(&copy, WIDTH, &shape, WIDTH));
	mem_arena_free(arena);
}
END_TEST

/* A resource that came later counts as 0 in an older vector. */
START_TEST(widths)
{
	struct mem_arena *arena = mem_arena_new();
	struct pod_shape shape = full(), wide = shape;
	int64_t *vector = shape_widen(arena, request, WIDTH, WIDTH + 2, 0);

	wide.request = vector;
	ck_assert(shape_equal(&shape, WIDTH, &wide, WIDTH + 2));
	ck_assert_uint_eq(shape_hash(&shape, WIDTH), shape_hash(&wide, WIDTH + 2));
	vector[WIDTH + 1] = 1;
	ck_assert(!shape_equal(&shape, WIDTH, &wide, WIDTH + 2));
	ck_assert_ptr_null(shape_widen(arena, NULL, WIDTH, WIDTH + 2, 0));
	ck_assert_int_eq(shape_widen(arena, request, WIDTH, WIDTH + 2, -1)[WIDTH], -1);
	mem_arena_free(arena);
}
END_TEST

START_TEST(completed)
{
	struct name_table *resources = res_table_new();
	struct pod_shape shape = full();
	uint32_t amd = name_add(resources, "amd.com/gpu");
	int64_t wide[WIDTH + 1] = {0};

	wide[RES_GPU] = 4;
	wide[amd] = 2;
	shape.request = wide;
	shape.requested = 0;
	shape.container_count = 0;
	shape_complete(&shape, resources, amd + 1);
	ck_assert_int_eq(shape.gpus, 6);
	ck_assert_uint_eq(shape.container_count, 1);
	ck_assert_uint_eq(shape.requested, UINT64_C(1) << RES_GPU | UINT64_C(1) << amd);
	ck_assert_int_eq(shape.nonzero_cpu, 100);
	ck_assert_int_eq(shape.nonzero_memory, INT64_C(200) << 20);
	wide[RES_CPU] = 2500;
	shape.nonzero_cpu = shape.nonzero_memory = 0;
	shape.container_count = 3;
	shape_complete(&shape, resources, amd + 1);
	ck_assert_int_eq(shape.nonzero_cpu, 2500);
	ck_assert_int_eq(shape.nonzero_memory, INT64_C(600) << 20);
	name_free(resources);
}
END_TEST

int main(void)
{
	TCase *t = tcase_create("all");

	tcase_add_test(t, a_copy_is_equal_and_apart);
	tcase_add_loop_test(t, every_field_counts, 0, 17);
	tcase_add_test(t, widths);
	tcase_add_test(t, completed);
	return objects_case_run("sim/scenario/shape", t);
}
