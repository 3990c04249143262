/* test_trace_capacity.c - sizes of virtual clusters, day by day. */
#include "sim/trace/trace_capacity.h"

#include "sim/trace/trace_set.h"
#include "tests/sim/trace_case.h"

#define HELIOS "job_id,user,vc,gpu_num,cpu_num,node_num,state,submit_time,start_time,end_time\n"
#define FIRST                                                                                      \
	"1,u,a,1,1,1,COMPLETED,2020-06-02 12:00:00,2020-06-02 12:00:00,2020-06-02 12:01:00\n"      \
	"2,u,other,1,1,1,COMPLETED,2020-06-02 12:00:00,2020-06-02 12:00:00,2020-06-02 12:01:00\n"

/* Helios' jobs, from noon of June 2, and these sizes. */
static struct scenario *load(const char *sizes, struct err *err)
{
	struct trace_set set = {0};
	struct trace_options options = {0};
	const struct source jobs = {
		.name = "j", .data = HELIOS FIRST, .size = sizeof(HELIOS FIRST) - 1};
	const struct source days = {.name = "d", .data = sizes, .size = strlen(sizes)};
	struct builder *builder = builder_new();
	struct scenario *s = NULL;
	struct trace_summary summary;

	trace_set_add(&set, &jobs, trace_detect(&jobs));
	trace_set_add(&set, &days, trace_find("helios-gpus"));
	ck_assert_int_eq(trace_set_jobs(&set, &options, builder, &summary, err), ERR_OK);
	if (trace_set_capacity(&set, builder, err) != ERR_OK)
		builder_free(builder);
	else
		ck_assert_msg(builder_finish(builder, &s, err) == ERR_OK, "%s", err->msg);
	mem_free(set.files);
	mem_free(set.companions);
	return s;
}

#define DAYS                                                                                       \
	"date,a,b,total\r\n"                                                                       \
	"2020-06-01,8,8,16\r\n"                                                                    \
	"2020-06-02 00:00:00,16,0,16.0\r\n"                                                        \
	"2020-06-03,16,12,28\r\n"                                                                  \
	"2020-06-04,8,8,16\r\n"                                                                    \
	"2020-06-05,8,24,32"

static int64_t quota(const struct scenario *s, uint32_t version)
{
	return s->cluster_queues[version].groups[0].cells[0].nominal;
}

/* The day of the first submit holds from time 0; each next one from its midnight. */
START_TEST(queues_follow)
{
	static const struct {
		int64_t hours;
		uint32_t object;
		int64_t gpus;
	} steps[] = {{12, 1, 12}, {36, 0, 8}, {36, 1, 8}, {60, 1, 24}};
	struct err err = {0};
	struct scenario *s = load(DAYS, &err);
	uint32_t found = 0;

	ck_assert_msg(s != NULL, "%s", err.msg);
	ck_assert_uint_eq(s->cluster_queue_count, 3); /* a, other, b */
	ck_assert_str_eq(name_text(s->strings, s->cluster_queues[0].name), "a");
	ck_assert_int_eq(quota(s, 0), 16);
	ck_assert_int_eq(quota(s, 1), 0);
	ck_assert_int_eq(quota(s, 2), 0);
	for (uint32_t i = 0; i < s->update_count; i++) {
		const struct update *u = &s->updates[i];

		if (u->kind != UPDATE_CLUSTER_QUEUE)
			continue;
		ck_assert_uint_lt(found, (uint32_t)ROWS(steps));
		ck_assert_int_eq(u->at, steps[found].hours * CLOCK_HOUR);
		ck_assert_uint_eq(u->object, steps[found].object == 0 ? 0 : 2);
		ck_assert_int_eq(quota(s, u->version), steps[found].gpus);
		found++;
	}
	ck_assert_uint_eq(found, (uint32_t)ROWS(steps));
	scenario_free(s);
}
END_TEST

/* 2 nodes, 4 from the 3rd on; two are cordoned on the 4th and back on the 5th. */
START_TEST(nodes_follow)
{
	static const struct {
		int64_t hours;
		bool new, cordoned;
	} steps[] = {{12, true, false}, {12, true, false},  {36, false, true},
		     {36, false, true}, {60, false, false}, {60, false, false}};
	struct err err = {0};
	struct scenario *s = load(DAYS, &err);
	uint32_t found = 0;

	ck_assert_msg(s != NULL, "%s", err.msg);
	ck_assert_uint_eq(s->node_count, 2);
	ck_assert_uint_eq(scenario_added_nodes(s), 2);
	for (uint32_t i = 0; i < s->update_count; i++) {
		const struct update *u = &s->updates[i];

		if (u->kind != UPDATE_NODE)
			continue;
		ck_assert_uint_lt(found, (uint32_t)ROWS(steps));
		ck_assert_int_eq(u->at, steps[found].hours * CLOCK_HOUR);
		ck_assert_int_eq(u->object == SCENARIO_NONE, steps[found].new);
		ck_assert_int_eq(s->nodes[u->version].unschedulable, steps[found].cordoned);
		ck_assert_int_eq(s->nodes[u->version].gpus, 8);
		found++;
	}
	ck_assert_uint_eq(found, (uint32_t)ROWS(steps));
	scenario_free(s);
}
END_TEST

static const struct {
	const char *text, *message;
} wrong[] = {
	{"", "a header date,...,total was expected"},
	{"date,total\n", "a header date,...,total was expected"},
	{"date,a,total\n", "no sizes of any day"},
	{"date,,total\n2020-06-01,1,1\n", "a virtual cluster without a name"},
	{"date,a,total\n2020-06-31,1,1\n", "is not a date like 2020-06-09"},
	{"date,a,total\n1,1,1\n", "is not a date like 2020-06-09"},
	{"date,a,total\n2020-06-02,1,1\n2020-06-02,1,1\n", "the dates do not ascend"},
	{"date,a,total\n2020-06-02,-1,1\n", "is not a number of GPUs"},
	{"date,a,total\n2020-06-02,1,99999999999999\n", "is not a number of GPUs"},
	{"date,a,total\n2020-06-02,,1\n", "is not a number of GPUs"},
	{"date,a,total\n2020-06-02,1\n", "2 fields; the header has 3"},
};

START_TEST(errors)
{
	struct err err = {0};

	ck_assert_ptr_null(load(wrong[_i].text, &err));
	ck_assert_msg(strstr(err.msg, wrong[_i].message) != NULL, "%s", err.msg);
}
END_TEST

/* Jobs that count seconds from a zero of their own have no dates. */
START_TEST(no_clock)
{
	const struct source days = {.name = "d", .data = DAYS, .size = sizeof(DAYS) - 1};
	struct builder *builder = builder_new();
	struct err err = {0};

	ck_assert_str_eq(trace_detect(&days)->name, "helios-gpus");
	ck_assert_int_eq(trace_capacity_apply(&days, builder, &err), ERR_USAGE);
	builder_free(builder);
}
END_TEST

int main(void)
{
	TCase *t = tcase_create("all");

	tcase_add_test(t, queues_follow);
	tcase_add_test(t, nodes_follow);
	tcase_add_loop_test(t, errors, 0, ROWS(wrong));
	tcase_add_test(t, no_clock);
	return trace_case_run("sim/trace/trace_capacity", t);
}
