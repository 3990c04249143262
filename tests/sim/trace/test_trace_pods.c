/* test_trace_pods.c - So many GPUs as pods. */
#include "sim/trace/trace_pods.h"
#include "tests/sim/trace_case.h"

static const struct {
	uint32_t gpus, per_node;
	uint32_t sets;
	struct {
		uint32_t pods, gpus;
	} set[2];
} rows[] = {
	{1, 0, 1, {{1, 1}}},
	{8, 0, 1, {{1, 8}}},
	{8, 8, 1, {{1, 8}}},
	{12, 8, 1, {{2, 6}}},
	{16, 8, 1, {{2, 8}}},
	{128, 8, 1, {{16, 8}}},
	{9, 8, 2, {{1, 5}, {1, 4}}},
	{20, 8, 2, {{2, 7}, {1, 6}}},
	{8, 4, 1, {{2, 4}}},
	{16, 16, 1, {{1, 16}}},
	{3, 1, 1, {{3, 1}}},
	{300, 8, 2, {{34, 8}, {4, 7}}}, /* beyond what is remembered */
	{1000000, 8, 1, {{125000, 8}}},
};

static struct scenario *finish(struct builder *builder, struct trace_pods_sets sets)
{
	struct job_common common = {.ns = builder_string(builder, "n", 1),
				    .queue = NAME_NONE,
				    .priority_class = NAME_NONE,
				    .first_pod_set = sets.first,
				    .pod_set_count = sets.count};
	struct job job = {.name = NAME_NONE, .common = &common, .extra = JOB_NONE};
	struct scenario *scenario = NULL;
	struct err err = {0};

	builder_job(builder, &job, (struct place){0});
	ck_assert_msg(builder_finish(builder, &scenario, &err) == ERR_OK, "%s", err.msg);
	return scenario;
}

START_TEST(pods_of)
{
	struct builder *builder = builder_new();
	struct trace_pods *pods = trace_pods_new(builder, rows[_i].per_node);
	struct trace_pods_sets sets = trace_pods_of(pods, rows[_i].gpus);
	struct trace_pods_sets again = trace_pods_of(pods, rows[_i].gpus);
	struct scenario *scenario;
	const struct pod_set *set;

	ck_assert_uint_eq(sets.first, again.first);
	ck_assert_uint_eq(sets.count, rows[_i].sets);
	trace_pods_free(pods);
	scenario = finish(builder, sets);
	set = &scenario->pod_sets[scenario->jobs[0].common->first_pod_set];
	for (uint32_t i = 0; i < rows[_i].sets; i++) {
		const struct pod_shape *shape = &scenario->shapes[set[i].shape];

		ck_assert_uint_eq(set[i].count, rows[_i].set[i].pods);
		ck_assert_uint_eq(set[i].min_count, set[i].count);
		ck_assert_int_eq(shape->gpus, rows[_i].set[i].gpus);
		ck_assert_int_eq(shape->request[RES_GPU], shape->gpus);
		ck_assert_uint_eq(shape->requested, UINT64_C(1) << RES_GPU);
		ck_assert_int_eq(shape->nonzero_cpu, 100);
		ck_assert_int_eq(shape->nonzero_memory, 209715200);
	}
	ck_assert_str_eq(scenario_string(scenario, set[0].name), "main");
	ck_assert_uint_eq(scenario->jobs[0].common->gpus,
			  rows[_i].gpus); /* never more, never less */
	scenario_free(scenario);
}
END_TEST

int main(void)
{
	TCase *t = tcase_create("all");

	tcase_add_loop_test(t, pods_of, 0, ROWS(rows));
	return trace_case_run("sim/trace/trace_pods", t);
}
