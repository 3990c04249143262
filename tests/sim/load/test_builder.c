/* test_builder.c - records into a scenario: equal ones shared, nothing lost. */
#include "sim/load/builder.h"

#include <stdio.h>

#include "tests/sim/objects_case.h"

static uint32_t add_shape(struct builder *builder, int64_t gpus, uint32_t selector_value)
{
	int64_t *request = builder_vector(builder);
	const struct label label = {builder_string(builder, "gpu", 3), selector_value};
	const struct pod_shape shape = {.request = request,
					.node_selector = {&label, selector_value != NAME_NONE},
					.topology_level = NAME_NONE,
					.slice_level = NAME_NONE,
					.topology_group = NAME_NONE};

	request[RES_GPU] = gpus;
	return builder_shape(builder, &shape);
}

START_TEST(equal_shapes_are_one)
{
	struct builder *builder = builder_new();
	uint32_t h100 = builder_string(builder, "h100", 4);
	uint32_t first[500];

	for (uint32_t i = 0; i < 500; i++)
		first[i] = add_shape(builder, i, i % 2 != 0 ? h100 : NAME_NONE);
	for (uint32_t i = 0; i < 500; i++) {
		ck_assert_uint_eq(first[i], i);
		ck_assert_uint_eq(add_shape(builder, i, i % 2 != 0 ? h100 : NAME_NONE), i);
	}
	ck_assert_uint_eq(add_shape(builder, 1, NAME_NONE), 500);
	builder_free(builder);
}
END_TEST

START_TEST(equal_runs_of_pod_sets_are_one)
{
	struct builder *builder = builder_new();
	const struct pod_set sets[] = {{.name = 1, .count = 2, .min_count = 2},
				       {.name = 2, .count = 3, .min_count = 1, .has_min = true},
				       {.name = 1, .count = 2, .min_count = 2},
				       {.name = 2, .count = 3, .min_count = 3},
				       {.name = 2, .count = 3, .min_count = 3, .has_min = true}};

	ck_assert_uint_eq(builder_pod_sets(builder, sets, 2), 0);
	ck_assert_uint_eq(builder_pod_sets(builder, sets, 2), 0);
	ck_assert_uint_eq(builder_pod_sets(builder, sets, 1), 2);
	ck_assert_uint_eq(builder_pod_sets(builder, sets + 2, 1), 2);
	ck_assert_uint_eq(builder_pod_sets(builder, sets + 2, 2), 3); /* min_count differs */
	ck_assert_uint_eq(builder_pod_sets(builder, sets + 3, 1), 5);
	ck_assert_uint_eq(builder_pod_sets(builder, sets + 4, 1),
			  6); /* so does that it was given */
	builder_free(builder);
}
END_TEST

START_TEST(resources_have_an_end)
{
	struct builder *builder = builder_new();
	struct err err;
	uint32_t out;

	ck_assert_int_eq(builder_resource(builder, "nvidia.com/gpu", 14, &out, &err), ERR_OK);
	ck_assert_uint_eq(out, RES_GPU);
	for (uint32_t i = RES_FIXED; i < RES_MAX; i++) {
		char name[20];
		int len = snprintf(name, sizeof(name), "r.io/%u", i);

		ck_assert_int_eq(builder_resource(builder, name, (size_t)len, &out, &err), ERR_OK);
		ck_assert_uint_eq(out, i);
		ck_assert_str_eq(builder_resource_name(builder, i), name);
	}
	ck_assert_int_eq(builder_resource(builder, "one.more", 8, &out, &err), ERR_LIMIT);
	ck_assert_int_eq(builder_resource(builder, "r.io/7", 6, &out, &err), ERR_OK);
	builder_free(builder);
}
END_TEST

/* A shape from before a resource was known has 0 of it in the scenario. */
START_TEST(scenario_has_full_vectors)
{
	struct builder *builder = builder_new();
	struct scenario *s = NULL;
	struct err err;
	uint32_t late;

	add_shape(builder, 3, NAME_NONE);
	ck_assert_int_eq(builder_resource(builder, "late.io/x", 9, &late, &err), ERR_OK);
	ck_assert_int_eq(builder_finish(builder, &s, &err), ERR_OK);
	ck_assert_uint_eq(s->resource_count, RES_FIXED + 1);
	ck_assert_int_eq(s->shapes[0].request[late], 0);
	ck_assert_int_eq(s->shapes[0].request[RES_GPU], 3);
	ck_assert_int_eq(s->shapes[0].gpus, 3);
	scenario_free(s);
}
END_TEST

static struct node node_with(struct builder *builder, const char *name, int64_t gpus, int64_t amd)
{
	int64_t *amounts = builder_vector(builder);
	struct err err;
	uint32_t resource;

	builder_resource(builder, "amd.com/gpu", 11, &resource, &err);
	amounts[RES_GPU] = gpus;
	amounts[resource] = amd;
	return (struct node){.name = builder_string(builder, name, strlen(name)),
			     .zone = NAME_NONE,
			     .allocatable = amounts,
			     .ready = true,
			     .pool = NAME_NONE};
}

START_TEST(gpus_of_nodes)
{
	struct builder *builder = builder_new();
	struct node a = node_with(builder, "a", 8, 0), b = node_with(builder, "b", 4, 6);
	struct scenario *s = NULL;
	int64_t biggest, total;
	struct err err;

	ck_assert(!builder_has_nodes(builder));
	builder_node(builder, &a, (struct place){0});
	builder_node(builder, &b, (struct place){0});
	builder_add(builder, KIND_NODE, &a, (struct place){0}, 10 * CLOCK_SECOND);
	ck_assert(builder_has_nodes(builder));
	builder_gpus(builder, &biggest, &total);
	ck_assert_int_eq(biggest, 10);
	ck_assert_int_eq(total, 18);
	ck_assert_int_eq(builder_finish(builder, &s, &err), ERR_OK);
	ck_assert_uint_eq(s->node_count, 2);
	ck_assert_int_eq(s->nodes[1].gpus, 10);
	ck_assert_int_eq(scenario_gpus(s), 18);
	scenario_free(s);
}
END_TEST

START_TEST(simple_queues)
{
	struct builder *builder = builder_new();
	const struct cluster_queue *queue;
	struct scenario *s = NULL;
	struct err err;

	ck_assert(!builder_has_queues(builder));
	builder_simple_queue(builder, "vision", "a", "pool", "gpu", 24);
	builder_simple_queue(builder, "speech", "b", "pool", "gpu", 8);
	builder_simple_queue(builder, "vision", "c", "pool", "gpu", 99); /* only a LocalQueue */
	ck_assert(builder_has_queues(builder));
	ck_assert_int_eq(builder_finish(builder, &s, &err), ERR_OK);
	ck_assert_uint_eq(s->flavor_count, 1);
	ck_assert_uint_eq(s->cluster_queue_count, 2);
	ck_assert_uint_eq(s->local_queue_count, 3);
	ck_assert_uint_eq(s->cohort_count, 1);
	ck_assert(s->derived_queues);
	ck_assert_uint_eq(s->local_queues[2].cluster_queue, 0);
	queue = &s->cluster_queues[0];
	ck_assert_int_eq(queue->groups[0].cells[0].nominal, 24);
	ck_assert_int_eq(queue->groups[0].cells[0].borrowing_limit, QUOTA_ABSENT);
	ck_assert_uint_eq(queue->groups[0].flavors[0], 0);
	ck_assert_int_eq(queue->strategy, QUEUE_BEST_EFFORT_FIFO);
	ck_assert_int_eq(queue->reclaim_within_cohort, PREEMPT_ANY);
	ck_assert_int_eq(queue->within_cluster_queue, PREEMPT_LOWER_PRIORITY);
	ck_assert(queue->namespace_selector.present);
	ck_assert_int_eq(queue->fair_weight, NANO);
	scenario_free(s);
}
END_TEST

START_TEST(odds_and_ends)
{
	struct builder *builder = builder_new();
	struct scenario *s = NULL;
	struct err err;
	uint32_t count;
	const struct builder_trace *traces;

	builder_input(builder, "a.yaml", 17);
	builder_option(builder, "seed=3");
	builder_title(builder, "A title");
	builder_origin(builder, 5 * CLOCK_SECOND);
	builder_trace(builder, "jobs.csv", NULL, (struct place){"dir/sub/doc.yaml", 3, 1});
	builder_trace(builder, "/abs/jobs.csv", "csv", (struct place){"dir/doc.yaml", 3, 1});
	traces = builder_traces(builder, &count);
	ck_assert_uint_eq(count, 2);
	ck_assert_str_eq(traces[0].file, "dir/sub/jobs.csv");
	ck_assert_ptr_null(traces[0].format);
	ck_assert_str_eq(traces[1].file, "/abs/jobs.csv");
	ck_assert_int_eq(builder_finish(builder, &s, &err), ERR_OK);
	ck_assert_uint_eq(s->input_count, 1);
	ck_assert_str_eq(scenario_string(s, s->input_names[0]), "a.yaml");
	ck_assert_uint_eq(s->input_hashes[0], 17);
	ck_assert_str_eq(scenario_string(s, s->options[0]), "seed=3");
	ck_assert_str_eq(scenario_string(s, s->title), "A title");
	ck_assert(s->has_origin);
	ck_assert_int_eq(s->origin, 5 * CLOCK_SECOND);
	ck_assert(s->config.wait_for_pods_ready); /* Kueue's defaults */
	ck_assert_int_eq(s->config.pods_ready_timeout, 30 * CLOCK_MINUTE);
	ck_assert_int_eq(s->config.requeue_limit, -1);
	ck_assert(!s->config.given);
	scenario_free(s);
}
END_TEST

int main(void)
{
	TCase *t = tcase_create("all");

	tcase_add_test(t, equal_shapes_are_one);
	tcase_add_test(t, equal_runs_of_pod_sets_are_one);
	tcase_add_test(t, resources_have_an_end);
	tcase_add_test(t, scenario_has_full_vectors);
	tcase_add_test(t, gpus_of_nodes);
	tcase_add_test(t, simple_queues);
	tcase_add_test(t, odds_and_ends);
	return objects_case_run("sim/load/builder", t);
}
