/* test_trace_queues.c - ClusterQueues from virtual clusters. */
#include "sim/trace/trace_queues.h"
#include "tests/sim/trace_case.h"

struct want {
	const char *name;
	int64_t gpus;
};

/* Nominal quotas in the order of the ClusterQueues. */
static void check_quotas(const struct scenario *s, const struct want *want, uint32_t count)
{
	ck_assert_uint_eq(s->cluster_queue_count, count);
	for (uint32_t i = 0; i < count; i++) {
		const struct cluster_queue *q = &s->cluster_queues[i];

		ck_assert_str_eq(scenario_string(s, q->name), want[i].name);
		ck_assert_uint_eq(q->group_count, 1);
		ck_assert_uint_eq(q->groups[0].resource_count, 1);
		ck_assert_uint_eq(q->groups[0].resources[0], RES_GPU);
		ck_assert_int_eq(q->groups[0].cells[0].nominal, want[i].gpus);
		ck_assert_int_eq(q->groups[0].cells[0].borrowing_limit, QUOTA_ABSENT);
		ck_assert_int_eq(q->strategy, QUEUE_BEST_EFFORT_FIFO);
		ck_assert_int_eq(q->reclaim_within_cohort, PREEMPT_ANY);
		ck_assert_int_eq(q->within_cluster_queue, PREEMPT_LOWER_PRIORITY);
		ck_assert_uint_eq(q->cohort, s->cluster_queues[0].cohort);
	}
	for (uint32_t i = 0; i < s->job_count; i++)
		ck_assert_uint_ne(scenario_job_cluster_queue(s, i), SCENARIO_NONE);
}

static struct scenario *derive(const char *jobs, int64_t hardware, const char *vc_nodes)
{
	struct source nodes = {.name = "vc"};
	struct scenario *s = NULL;
	struct trace_case c;
	struct err err = {0};

	trace_case_load(&c, trace_jobs_load, jobs);
	ck_assert_msg(c.code == ERR_OK, "%s", c.message);
	if (vc_nodes != NULL) {
		nodes.data = vc_nodes;
		nodes.size = strlen(vc_nodes);
	}
	ck_assert_msg(trace_queues_derive(c.builder, hardware, vc_nodes != NULL ? &nodes : NULL,
					  &err) == ERR_OK,
		      "%s", err.msg);
	ck_assert_msg(builder_finish(c.builder, &s, &err) == ERR_OK, "%s", err.msg);
	return s;
}

#define HEADER "submit_s,duration_s,gpus,vc\n"

static const struct {
	const char *name, *jobs;
	int64_t hardware;
	uint32_t count;
	struct want want[4];
} rows[] = {
	{"by GPU-seconds", HEADER "0,10,1,b\n5,10,2,a\n6,5,2,b\n", 8, 2, {{"b", 4}, {"a", 4}}},
	{"largest remainder",
	 HEADER "0,1,1,a\n0,3,1,b\n0,3,1,c\n",
	 10,
	 3,
	 {{"a", 2}, {"b", 4}, {"c", 4}}}, /* 1.43, 4.29, 4.29: the rest goes to a */
	{"equal remainders: first appearance",
	 HEADER "0,1,1,z\n0,1,1,y\n0,1,1,x\n",
	 4,
	 3,
	 {{"z", 2}, {"y", 1}, {"x", 1}}},
	{"fewer GPUs than queues",
	 HEADER "0,1,1,z\n0,1,1,y\n0,1,1,x\n",
	 2,
	 3,
	 {{"z", 1}, {"y", 1}, {"x", 0}}},
	{"no hardware", HEADER "0,1,1,a\n", 0, 1, {{"a", 0}}},
	{"no work at all", HEADER "0,0,1,a\n0,0,1,b\n", 5, 2, {{"a", 3}, {"b", 2}}},
	{"below a second", HEADER "0,0.001,1,a\n0,0.003,1,b\n", 4, 2, {{"a", 1}, {"b", 3}}},
	{"an endless job counts to the last end",
	 HEADER "0,endless,1,a\n0,10,3,b\n",
	 4,
	 2,
	 {{"a", 1}, {"b", 3}}},
	{"beyond 64 bits: the product of hardware and weight",
	 HEADER "0,9000000000000,1000000,a\n0,9000000000000,1000000,a\n",
	 INT64_C(1) << 40,
	 1,
	 {{"a", INT64_C(1) << 40}}},
	{"no queue named", "submit_s,duration_s,gpus\n0,1,1\n", 8, 1, {{"default", 8}}},
};

START_TEST(shares)
{
	struct scenario *s = derive(rows[_i].jobs, rows[_i].hardware, NULL);

	check_quotas(s, rows[_i].want, rows[_i].count);
	scenario_free(s);
}
END_TEST

/* Whatever the weights, the quotas add up to the hardware exactly. */
START_TEST(shares_add_up)
{
	uint64_t x = (uint64_t)_i * UINT64_C(0x9E3779B97F4A7C15) + 1;
	char text[4096] = HEADER;
	size_t n = strlen(text);
	struct scenario *s;
	int64_t sum = 0, hardware;

	for (int i = 0; i < 30; i++) {
		x ^= x << 13, x ^= x >> 7, x ^= x << 17;
		n += (size_t)snprintf(text + n, sizeof(text) - n, "0,%u,%u,v%u\n",
				      (unsigned)(x >> 8) % 100000, 1 + (unsigned)(x % 16),
				      (unsigned)(x >> 40) % 12);
	}
	hardware = (int64_t)(x % 5000);
	s = derive(text, hardware, NULL);
	for (uint32_t i = 0; i < s->cluster_queue_count; i++)
		sum += s->cluster_queues[i].groups[0].cells[0].nominal;
	ck_assert_int_eq(sum, hardware);
	scenario_free(s);
}
END_TEST

START_TEST(node_counts)
{
	static const struct want want[] = {{"b", 0}, {"a", 16}, {"c", 24}};
	struct scenario *s = derive(HEADER "0,10,1,b\n5,10,2,a\n", 1000, "vc,node num\nc,3\na,2\n");

	check_quotas(s, want, 3);
	scenario_free(s);
}
END_TEST

/* One queue name in two namespaces: one ClusterQueue, two LocalQueues. */
START_TEST(queue_in_two_namespaces)
{
	static const struct want want[] = {{"q", 8}};
	struct scenario *s = derive("submit_s,duration_s,gpus,queue,namespace\n"
				    "0,1,1,q,n\n0,1,1,q,m\n0,1,1,q,n\n",
				    8, NULL);

	check_quotas(s, want, 1);
	ck_assert_uint_eq(s->local_queue_count, 2);
	scenario_free(s);
}
END_TEST

START_TEST(jobs_without_queue_get_none)
{
	struct scenario *s = derive("submit_s,duration_s,gpus,queue\n0,1,1,\n", 8, NULL);

	ck_assert_uint_eq(s->cluster_queue_count, 0);
	scenario_free(s);
}
END_TEST

static const struct {
	const char *in, *message; /* NULL: fine */
	uint32_t nodes;
	long line, column;
} vc_rows[] = {
	{"vc,node num\na,64\nb,8\n", NULL, 72, 0, 0},
	{"nodes,vc\r\n1,a\r\n\r\n", NULL, 1, 0, 0},
	{"vc,node_num\n", NULL, 0, 0, 0},
	{"vc,node num\n\"a\"\"b\",1\n", NULL, 1, 0, 0},
	{"vc,gpus\na,1\n", "no column \"node num\"", 0, 1, 1},
	{"vc,node num\na,1\na,2\n", "virtual cluster \"a\" is there twice", 0, 3, 1},
	{"vc,node num\na,1.5\n", "\"1.5\" is not a whole number of nodes", 0, 2, 3},
	{"vc,node num\na,-1\n", "\"-1\" is not a whole number of nodes", 0, 2, 3},
	{"vc,node num\n,1\n", "without a name", 0, 2, 1},
	{"vc,node num\na,999999\nb,2\n", "at most 1000000 are possible", 0, 0, 0},
};

START_TEST(vc_files)
{
	struct source source = {
		.name = "vc", .data = vc_rows[_i].in, .size = strlen(vc_rows[_i].in)};
	struct builder *builder = builder_new();
	struct err err = {0};
	uint32_t nodes = 1000;
	int64_t biggest, total;
	enum err_code code = trace_queues_vc_pools(&source, builder, &nodes, &err);

	if (vc_rows[_i].message == NULL) {
		ck_assert_msg(code == ERR_OK, "%s", err.msg);
		builder_gpus(builder, &biggest, &total);
		ck_assert_uint_eq(nodes, vc_rows[_i].nodes);
		ck_assert_int_eq(total, INT64_C(8) * nodes);
		builder_free(builder);
		return;
	}
	builder_free(builder);
	ck_assert_int_ne(code, ERR_OK);
	ck_assert_msg(strstr(err.msg, vc_rows[_i].message) != NULL, "%s", err.msg);
	ck_assert_int_eq(err.line, vc_rows[_i].line);
	ck_assert_int_eq(err.column, vc_rows[_i].column);
}
END_TEST

/* Under policies of virtual clusters each has its own nodes. */
START_TEST(nodes_are_of_their_virtual_cluster)
{
	static const char text[] = "vc,node num\na,2\nnone,0\nb,1\n";
	struct source source = {.name = "vc", .data = text, .size = sizeof(text) - 1};
	struct builder *builder = builder_new();
	struct scenario *s = NULL;
	struct err err = {0};
	uint32_t nodes;

	ck_assert(trace_queues_vc_probe(text, sizeof(text) - 1));
	ck_assert_int_eq(trace_queues_vc_pools(&source, builder, &nodes, &err), ERR_OK);
	ck_assert_int_eq(builder_finish(builder, &s, &err), ERR_OK);
	ck_assert_uint_eq(s->node_count, 3);
	for (uint32_t i = 0; i < s->node_count; i++) {
		uint32_t of = label_value(&s->nodes[i].labels,
					  name_find(s->strings, "gqsim/virtual-cluster"));

		ck_assert_str_eq(scenario_string(s, of), i < 2 ? "a" : "b");
	}
	scenario_free(s);
}
END_TEST

START_TEST(a_bad_vc_file_adds_nothing)
{
	struct source source = {.name = "vc", .data = "vc\n", .size = 3};
	struct trace_case c;
	struct err err = {0};

	trace_case_load(&c, trace_jobs_load, HEADER "0,1,1,a\n");
	ck_assert_int_eq(trace_queues_derive(c.builder, 8, &source, &err), ERR_SYNTAX);
	ck_assert(!builder_has_queues(c.builder));
	trace_case_free(&c);
}
END_TEST

int main(void)
{
	TCase *t = tcase_create("all");

	tcase_add_loop_test(t, shares, 0, ROWS(rows));
	tcase_add_loop_test(t, shares_add_up, 0, 200);
	tcase_add_test(t, node_counts);
	tcase_add_test(t, nodes_are_of_their_virtual_cluster);
	tcase_add_test(t, queue_in_two_namespaces);
	tcase_add_test(t, jobs_without_queue_get_none);
	tcase_add_loop_test(t, vc_files, 0, ROWS(vc_rows));
	tcase_add_test(t, a_bad_vc_file_adds_nothing);
	return trace_case_run("sim/trace/trace_queues", t);
}
