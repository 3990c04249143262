/* test_trace_nodes.c - lists of machines become nodes. */
#include "tests/sim/trace_case.h"

static const struct {
	const char *format, *text;
	const char *name, *model;  /* "-": none */
	int64_t gpus, cpu, memory; /* -1: without a limit */
} rows[] = {
	{"nodes", "sn,cpu_milli,memory_mib,gpu,model\nn0,64000,1024,2,P100\n", "n0", "P100", 2,
	 64000, (int64_t)1 << 30},
	{"nodes", "sn,cpu_milli,memory_mib,gpu,model\r\nn0,64000,1024,0,\r\n", "n0", "-", 0, 64000,
	 (int64_t)1 << 30},
	{"nodes", "gpu_model,gpu_capacity_num,cpu_num,node_name\nA10,1,128,x\n", "x", "A10", 1,
	 128000, -1},
	{"nodes", ",machineId,number of GPUs,single GPU mem\n0,m0,8,24GB\n", "m0", "gpu", 8, -1,
	 -1},
	{"pai-nodes", "m1,V100,96,512,8\n", "m1", "V100", 8, 96000, (int64_t)512 << 30},
	{"cluster-spec",
	 "num_switch,num_node_p_switch,num_gpu_p_node,num_cpu_p_node,mem_p_node\r\n1,1,4,128,254",
	 "gpu-0", "gpu", 4, 128000, (int64_t)254 << 30},
	{"cluster-spec", "num_gpu_p_node,num_switch,num_node_p_switch\n4,0,7\n8,1,1\n", "gpu-0",
	 "gpu", 8, -1, -1},
	{"pai-nodes", "machine,gpu_type,cap_cpu,cap_mem,cap_gpu\nm1,T4,96,512,2\n", "m1", "T4", 2,
	 96000, (int64_t)512 << 30},
	{"pai-nodes", "m1,CPU,96,512,0\n", "m1", "CPU", 0, 96000, (int64_t)512 << 30},
};

START_TEST(a_node_of_each)
{
	struct scenario *s = NULL;
	struct trace_case c;
	uint32_t model;

	trace_case_read(&c, rows[_i].format, rows[_i].text, NULL);
	ck_assert_msg(c.code == ERR_OK, "%s", c.message);
	ck_assert_int_eq(builder_finish(c.builder, &s, &c.err), ERR_OK);
	ck_assert_uint_eq(s->node_count, 1);
	ck_assert_str_eq(scenario_string(s, s->nodes[0].name), rows[_i].name);
	ck_assert_int_eq(s->nodes[0].gpus, rows[_i].gpus);
	ck_assert_int_eq(s->nodes[0].allocatable[RES_CPU],
			 rows[_i].cpu < 0 ? RES_UNLIMITED : rows[_i].cpu);
	ck_assert_int_eq(s->nodes[0].allocatable[RES_MEMORY],
			 rows[_i].memory < 0 ? RES_UNLIMITED : rows[_i].memory);
	model = label_value(&s->nodes[0].labels, name_find(s->strings, "nvidia.com/gpu.product"));
	if (rows[_i].gpus > 0)
		ck_assert_str_eq(scenario_string(s, model), rows[_i].model);
	else
		ck_assert_uint_eq(model, NAME_NONE);
	scenario_free(s);
}
END_TEST

static const struct {
	const char *format, *text, *message;
} error_rows[] = {
	{"nodes", "sn,gpu,model\na,1,x\n", "no column \"cpu_milli\""},
	{"nodes", "sn,cpu_milli,memory_mib,gpu,model\n,1,1,1,x\n", "t:2:1: \"\" is no name"},
	{"nodes", "sn,cpu_milli,memory_mib,gpu,model\na,1,1,-1,x\n", "is not a number of GPUs"},
	{"nodes", "sn,cpu_milli,memory_mib,gpu,model\na,1,1,1000001,x\n",
	 "is not a number of GPUs"},
	{"nodes", "sn,cpu_milli,memory_mib,gpu,model\na,-1,1,1,x\n", "is not a number of CPUs"},
	{"nodes", "sn,cpu_milli,memory_mib,gpu,model\na,1,lots,1,x\n",
	 "is not an amount of memory"},
	{"nodes", "sn,cpu_milli,memory_mib,gpu,model\na,1\n", "this row has 2 fields"},
	{"cluster-spec", "num_switch,num_node_p_switch,num_gpu_p_node\n1000000,1000000,8\n",
	 "t:2:1: too many nodes"},
	{"cluster-spec", "num_switch,num_node_p_switch,num_gpu_p_node\n1,-2,8\n",
	 "t:2:3: \"-2\" is not a whole number (num_node_p_switch)"},
};

/* Switches of equal nodes, each node with the name of its own. */
START_TEST(cluster_of_switches)
{
	static const char *const switches[] = {"s0", "s0", "s1", "s1", "s2"};
	struct scenario *s = NULL;
	struct trace_case c;

	trace_case_read(&c, "cluster-spec",
			"num_switch,num_node_p_switch,num_gpu_p_node\n2,2,4\n1,1,8\n", NULL);
	ck_assert_int_eq(builder_finish(c.builder, &s, &c.err), ERR_OK);
	ck_assert_uint_eq(s->node_count, (uint32_t)ROWS(switches));
	for (uint32_t i = 0; i < s->node_count; i++) {
		uint32_t on =
			label_value(&s->nodes[i].labels, name_find(s->strings, "gqsim/switch"));

		ck_assert_str_eq(scenario_string(s, on), switches[i]);
		ck_assert_int_eq(s->nodes[i].gpus, i < 4 ? 4 : 8);
	}
	scenario_free(s);
}
END_TEST

START_TEST(errors)
{
	struct trace_case c;

	trace_case_read(&c, error_rows[_i].format, error_rows[_i].text, NULL);
	ck_assert_int_ne(c.code, ERR_OK);
	ck_assert_msg(strstr(c.message, error_rows[_i].message) != NULL, "%s", c.message);
	trace_case_free(&c);
}
END_TEST

/* Where a node is of a model that jobs ask for, they ask for it. */
START_TEST(models_that_nodes_are_of)
{
	const char *nodes = "sn,cpu_milli,memory_mib,gpu,model\nn0,64000,262144,2,P100\n";
	const char *pods = "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec\n"
			   "a,1,1,1,1000,V100|P100\nb,1,1,1,1000,V100\nc,1,1,1,1000,\n";
	const struct source source = {.name = "p", .data = pods, .size = strlen(pods)};
	const struct trace_options options = {.gpus_per_node = 2};
	const struct node_term *term;
	struct trace_summary summary;
	struct trace_case c;

	trace_case_read(&c, "nodes", nodes, NULL);
	ck_assert_int_eq(
		trace_read(trace_find("openb"), &source, &options, c.builder, &summary, &c.err),
		ERR_OK);
	ck_assert_uint_eq(summary.model_wishes, 2);
	ck_assert_uint_eq(summary.models_dropped, 1);
	term = builder_shape_at(c.builder, builder_sets_of(c.builder, trace_case_job(&c, 0))->shape)
		       ->affinity;
	ck_assert_ptr_nonnull(term);
	ck_assert_uint_eq(term->expressions[0].value_count, 2);
	for (uint32_t i = 1; i < 3; i++)
		ck_assert_uint_eq(
			builder_shape_at(c.builder,
					 builder_sets_of(c.builder, trace_case_job(&c, i))->shape)
				->affinity_count,
			0);
	trace_case_free(&c);
}
END_TEST

int main(void)
{
	TCase *t = tcase_create("all");

	tcase_add_loop_test(t, a_node_of_each, 0, ROWS(rows));
	tcase_add_test(t, cluster_of_switches);
	tcase_add_loop_test(t, errors, 0, ROWS(error_rows));
	tcase_add_test(t, models_that_nodes_are_of);
	return trace_case_run("sim/trace/trace_nodes", t);
}
