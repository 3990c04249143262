/* test_template.c - the effective request of a pod, as Kubernetes computes it. */
#include "sim/scenario/template.h"

#include "sim/scenario/shape.h"
#include "tests/sim/objects_case.h"

#define MI (INT64_C(1) << 20)

/* One container of a row: role, cpu request, cpu limit, memory request; -1 absent. */
struct container_row {
	enum template_role role;
	int64_t cpu, cpu_limit, memory;
};

#define MAIN	TEMPLATE_MAIN
#define INIT	TEMPLATE_INIT
#define SIDECAR TEMPLATE_SIDECAR

static const struct {
	const char *name;
	struct container_row containers[4]; /* init containers and sidecars first */
	uint32_t count;
	int64_t cpu, cpu_limit; /* of the pod; limit -1: none */
	int64_t nonzero_cpu, nonzero_memory;
	uint32_t started; /* container_count */
} rows[] = {
	{"one", {{MAIN, 500, -1, 64 * MI}}, 1, 500, -1, 500, 64 * MI, 1},
	{"sum", {{MAIN, 500, -1, -1}, {MAIN, 250, -1, -1}}, 2, 750, -1, 750, 400 * MI, 2},
	{"limit as request", {{MAIN, -1, 3000, -1}}, 1, 3000, 3000, 3000, 200 * MI, 1},
	{"request below limit", {{MAIN, 1000, 3000, -1}}, 1, 1000, 3000, 1000, 200 * MI, 1},
	{"bigger init",
	 {{INIT, 2000, -1, -1}, {MAIN, 500, -1, -1}},
	 2,
	 2000,
	 -1,
	 2000,
	 200 * MI,
	 1},
	{"smaller init", {{INIT, 200, -1, -1}, {MAIN, 500, -1, -1}}, 2, 500, -1, 500, 200 * MI, 1},
	{"two inits do not add",
	 {{INIT, 700, -1, -1}, {INIT, 600, -1, -1}, {MAIN, 500, -1, -1}},
	 3,
	 700,
	 -1,
	 700,
	 200 * MI,
	 1},
	{"sidecar adds",
	 {{SIDECAR, 100, -1, -1}, {MAIN, 500, -1, -1}},
	 2,
	 600,
	 -1,
	 600,
	 400 * MI,
	 2},
	{"init beside the sidecar before it",
	 {{SIDECAR, 100, -1, -1}, {INIT, 550, -1, -1}, {MAIN, 500, -1, -1}},
	 3,
	 650,
	 -1,
	 650,
	 400 * MI,
	 2},
	{"init before the sidecar",
	 {{INIT, 550, -1, -1}, {SIDECAR, 100, -1, -1}, {MAIN, 500, -1, -1}},
	 3,
	 600,
	 -1,
	 600,
	 400 * MI,
	 2},
	{"nothing named", {{MAIN, -1, -1, -1}}, 1, 0, -1, 100, 200 * MI, 1},
	{"zero is named", {{MAIN, 0, -1, 0}}, 1, 0, -1, 0, 0, 1},
};

struct made {
	struct template_container containers[4];
	int64_t vectors[8][RES_MAX];
	struct pod_template template;
};

static void put(struct made *m, int vector, struct template_amounts *amounts, uint32_t resource,
		int64_t value)
{
	if (value < 0)
		return;
	m->vectors[vector][resource] = value;
	amounts->amount = m->vectors[vector];
	amounts->given |= UINT64_C(1) << resource;
}

static void make(struct made *m, const struct container_row *containers, uint32_t count)
{
	memset(m, 0, sizeof(*m));
	for (uint32_t i = 0; i < count; i++) {
		m->containers[i].role = containers[i].role;
		put(m, (int)i, &m->containers[i].requests, RES_CPU, containers[i].cpu);
		put(m, (int)i, &m->containers[i].requests, RES_MEMORY, containers[i].memory);
		put(m, (int)i + 4, &m->containers[i].limits, RES_CPU, containers[i].cpu_limit);
	}
	m->template.containers = m->containers;
	m->template.container_count = count;
	m->template.runtime_class = NAME_NONE;
}

START_TEST(effective_requests)
{
	struct mem_arena *arena = mem_arena_new();
	struct made m;
	struct pod_shape shape;

	make(&m, rows[_i].containers, rows[_i].count);
	template_shape(&m.template, NULL, 0, NULL, arena, &shape);
	ck_assert_msg(shape.request[RES_CPU] == rows[_i].cpu, "%s: cpu %lld", rows[_i].name,
		      (long long)shape.request[RES_CPU]);
	if (rows[_i].cpu_limit < 0)
		ck_assert_ptr_null(shape.limit);
	else
		ck_assert_int_eq(shape.limit[RES_CPU], rows[_i].cpu_limit);
	ck_assert_int_eq(shape.nonzero_cpu, rows[_i].nonzero_cpu);
	ck_assert_int_eq(shape.nonzero_memory, rows[_i].nonzero_memory);
	ck_assert_uint_eq(shape.container_count, rows[_i].started);
	mem_arena_free(arena);
}
END_TEST

START_TEST(overhead)
{
	static const struct container_row one[] = {{MAIN, 500, 600, -1}};
	struct mem_arena *arena = mem_arena_new();
	int64_t class[RES_MAX] = {[RES_CPU] = 30, [RES_MEMORY] = MI};
	int64_t own[RES_MAX] = {[RES_CPU] = 7};
	struct made m;
	struct pod_shape shape;

	make(&m, one, 1);
	template_shape(&m.template, NULL, 0, class, arena, &shape);
	ck_assert_int_eq(shape.request[RES_CPU], 530);
	ck_assert_int_eq(shape.request[RES_MEMORY], MI); /* named nowhere else */
	ck_assert(shape.requested >> RES_MEMORY & 1);
	ck_assert_int_eq(shape.limit[RES_CPU], 630);
	ck_assert_int_eq(shape.limit[RES_MEMORY], 0); /* no limit: none to add to */
	m.template.overhead = (struct template_amounts){own, UINT64_C(1) << RES_CPU};
	template_shape(&m.template, NULL, 0, class, arena, &shape);
	ck_assert_int_eq(shape.request[RES_CPU], 507); /* the template's own wins */
	ck_assert_int_eq(shape.nonzero_cpu, 507);
	mem_arena_free(arena);
}
END_TEST

START_TEST(pod_level_resources)
{
	static const struct container_row two[] = {{MAIN, 500, -1, -1}, {MAIN, 700, -1, -1}};
	struct mem_arena *arena = mem_arena_new();
	int64_t pod[RES_MAX] = {[RES_CPU] = 900};
	struct made m;
	struct pod_shape shape;

	make(&m, two, 2);
	m.template.requests = (struct template_amounts){pod, UINT64_C(1) << RES_CPU};
	template_shape(&m.template, NULL, 0, NULL, arena, &shape);
	ck_assert_int_eq(shape.request[RES_CPU], 900);
	ck_assert_int_eq(shape.nonzero_cpu, 900);
	mem_arena_free(arena);
}
END_TEST

/* Limits stand for requests before a LimitRange may (kubernetes-sigs/kueue#15020);
 * of two LimitRanges the first that knows the resource counts. */
START_TEST(limit_ranges)
{
	static const struct container_row two[] = {{MAIN, -1, 3000, -1}, {MAIN, -1, -1, -1}};
	struct mem_arena *arena = mem_arena_new();
	int64_t first[RES_MAX], second[RES_MAX], limit[RES_MAX];
	struct limit_range_item items[2] = {{.default_request = first, .default_limit = limit},
					    {.default_request = second}};
	const struct limit_range range[2] = {{.items = items, .item_count = 1},
					     {.items = items + 1, .item_count = 1}};
	const struct limit_range *const ranges[] = {&range[0], &range[1]};
	struct made m;
	struct pod_shape shape;

	for (int r = 0; r < RES_MAX; r++)
		first[r] = second[r] = limit[r] = -1;
	first[RES_CPU] = 1000;
	limit[RES_CPU] = 1500;
	second[RES_CPU] = 9000;
	second[RES_MEMORY] = 5 * MI;
	make(&m, two, 2);
	template_shape(&m.template, ranges, 2, NULL, arena, &shape);
	ck_assert_int_eq(shape.request[RES_CPU], 4000);
	ck_assert_int_eq(shape.request[RES_MEMORY], 10 * MI);
	ck_assert_int_eq(shape.limit[RES_CPU], 4500);
	ck_assert_int_eq(shape.nonzero_memory, 10 * MI);
	items[0].pod = items[1].pod = true; /* of type Pod: no defaults */
	template_shape(&m.template, ranges, 2, NULL, arena, &shape);
	ck_assert_int_eq(shape.request[RES_CPU], 3000);
	mem_arena_free(arena);
}
END_TEST

/* Kueue takes a pod-level limit for a missing request, beside what containers ask for; but not of
 * pods that it takes one by one, which the API server has filled in. */
START_TEST(pod_level_limits)
{
	static const struct container_row two[] = {{MAIN, 500, -1, -1}, {MAIN, 700, -1, -1}};
	struct mem_arena *arena = mem_arena_new();
	int64_t pod[RES_MAX] = {[RES_CPU] = 4000, [RES_MEMORY] = MI};
	struct made m;
	struct pod_shape shape;

	make(&m, two, 2);
	m.template.limits =
		(struct template_amounts){pod, UINT64_C(1) << RES_CPU | UINT64_C(1) << RES_MEMORY};
	template_shape(&m.template, NULL, 0, NULL, arena, &shape);
	ck_assert_int_eq(shape.request[RES_CPU], 1200);
	ck_assert_int_eq(shape.request[RES_MEMORY], MI); /* no container names it */
	ck_assert_int_eq(pod_shape_counted(&shape)[RES_CPU], 4000);
	ck_assert_int_eq(pod_shape_counted(&shape)[RES_MEMORY], MI);
	m.template.of_pods = true;
	template_shape(&m.template, NULL, 0, NULL, arena, &shape);
	ck_assert_int_eq(pod_shape_counted(&shape)[RES_CPU], 1200);
	m.template.of_pods = false;
	m.template.requests = m.template.limits;
	template_shape(&m.template, NULL, 0, NULL, arena, &shape);
	ck_assert_ptr_null(shape.counted); /* both are the same */
	mem_arena_free(arena);
}
END_TEST

START_TEST(copies)
{
	static const struct container_row two[] = {{INIT, 5, 6, 7}, {MAIN, 1, -1, 3}};
	struct mem_arena *arena = mem_arena_new();
	const struct pod_template *copy;
	struct made m;

	make(&m, two, 2);
	copy = template_copy(arena, &m.template);
	ck_assert(template_equal(copy, &m.template));
	m.vectors[1][RES_MEMORY] = 4;
	ck_assert(!template_equal(copy, &m.template));
	m.vectors[1][RES_MEMORY] = 3;
	m.containers[0].role = SIDECAR;
	ck_assert(!template_equal(copy, &m.template));
	m.containers[0].role = INIT;
	m.template.runtime_class = 1;
	ck_assert(!template_equal(copy, &m.template));
	m.template.runtime_class = NAME_NONE;
	m.template.container_count = 1;
	ck_assert(!template_equal(copy, &m.template));
	mem_arena_free(arena);
}
END_TEST

int main(void)
{
	TCase *t = tcase_create("all");

	tcase_add_loop_test(t, effective_requests, 0, ROWS(rows));
	tcase_add_test(t, overhead);
	tcase_add_test(t, pod_level_resources);
	tcase_add_test(t, limit_ranges);
	tcase_add_test(t, pod_level_limits);
	tcase_add_test(t, copies);
	return objects_case_run("sim/scenario/template", t);
}
