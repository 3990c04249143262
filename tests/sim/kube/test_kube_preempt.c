#include "sim/kube/kube_preempt.h"

#include <check.h>

#include "tests/support/cluster_case.h"

#define COUNT(rows) ((int)(sizeof(rows) / sizeof((rows)[0])))

/* Pod i is that of job i; the last one preempts. Spec KUBE_SCHEDULER.md 5. */
static const struct {
	const char *name;
	uint32_t node_count;
	int64_t gpus; /* of a node */
	struct {
		uint32_t node;
		int64_t gpus, start_s;
		int32_t priority;
	} bound[6];
	uint32_t bound_count;
	int64_t wants;
	int32_t priority;
	uint32_t node, victims[4], victim_count; /* node 9: none */
} rows[] = {
	{"nobody of lower priority", 1, 4, {{0, 4, 0, 5}}, 1, 1, 5, 9, {0}, 0},
	{"as few as it takes, the least important",
	 1,
	 4,
	 {{0, 2, 0, 1}, {0, 2, 0, 0}},
	 2,
	 2,
	 5,
	 0,
	 {1},
	 1},
	{"among equals the later start goes",
	 1,
	 4,
	 {{0, 1, 0, 0}, {0, 1, 7, 0}, {0, 1, 3, 0}, {0, 1, 5, 0}},
	 4,
	 2,
	 5,
	 0,
	 {3, 1},
	 2},
	{"start times have whole seconds: the list's order decides",
	 1,
	 4,
	 {{0, 2, 1, 0}, {0, 2, 1, 0}},
	 2,
	 2,
	 5,
	 0,
	 {1},
	 1},
	{"the lowest highest victim", 2, 4, {{0, 4, 0, 2}, {1, 4, 0, 1}}, 2, 4, 5, 1, {1}, 1},
	{"then the smallest sum",
	 2,
	 4,
	 {{0, 2, 0, 1}, {0, 2, 0, 1}, {1, 2, 0, 1}, {1, 2, 0, 0}},
	 4,
	 4,
	 5,
	 1,
	 {2, 3},
	 2},
	{"fewer victims have the smaller sum",
	 2,
	 4,
	 {{0, 2, 0, 0}, {0, 2, 0, 0}, {1, 4, 0, 0}},
	 3,
	 4,
	 5,
	 1,
	 {2},
	 1},
	{"then the latest start", 2, 4, {{0, 4, 3, 0}, {1, 4, 8, 0}}, 2, 4, 5, 1, {1}, 1},
	{"then the first node", 2, 4, {{1, 4, 3, 0}, {0, 4, 3, 0}}, 2, 4, 5, 0, {1}, 1},
	{"not if those who stay leave no room",
	 1,
	 4,
	 {{0, 2, 0, 9}, {0, 2, 0, 0}},
	 2,
	 3,
	 5,
	 9,
	 {0},
	 0},
};

static void open_row(struct cluster_case *c, int row)
{
	struct case_node nodes[2] = {{.gpus = rows[row].gpus}, {.gpus = rows[row].gpus}};
	struct case_job jobs[7] = {{0}};
	uint32_t n = rows[row].bound_count;

	for (uint32_t i = 0; i < n; i++)
		jobs[i] = (struct case_job){.pods = 1,
					    .gpus = rows[row].bound[i].gpus,
					    .priority = rows[row].bound[i].priority};
	jobs[n] = (struct case_job){
		.pods = 1, .gpus = rows[row].wants, .priority = rows[row].priority};
	cluster_case_open(c, nodes, rows[row].node_count, jobs, n + 1);
}

START_TEST(choice)
{
	static const uint32_t both[] = {0, 1};
	struct cluster_case c;
	struct kube_filter f;
	struct kube_preempt *p;
	struct kube_tally tally = {0};
	const uint32_t *victims;
	uint32_t count, node, n = rows[_i].bound_count;

	open_row(&c, _i);
	kube_filter_init(&f, &c.world);
	p = kube_preempt_new(&c.world);
	for (uint32_t i = 0; i < n; i++) {
		c.world.now = rows[_i].bound[i].start_s * CLOCK_SECOND + 1;
		cluster_case_bind(&c, i, rows[_i].bound[i].node);
		kube_preempt_bound(p, i, rows[_i].bound[i].node);
	}
	node = kube_preempt_choose(p,
				   &(struct kube_preempt_request){.pod = n,
								  .priority = rows[_i].priority,
								  .nodes = both,
								  .node_count = rows[_i].node_count,
								  .filter = &f,
								  .tally = &tally},
				   &victims, &count);
	ck_assert_msg(node == (rows[_i].node == 9 ? NODE_NONE : rows[_i].node), "%s: node %u",
		      rows[_i].name, node);
	ck_assert_msg(count == rows[_i].victim_count, "%s: %u victims", rows[_i].name, count);
	for (uint32_t i = 0; i < count; i++)
		ck_assert_msg(victims[i] == rows[_i].victims[i], "%s: victim %u", rows[_i].name,
			      victims[i]);
	kube_preempt_free(p);
	kube_filter_free(&f);
	cluster_case_close(&c);
}
END_TEST

/* A pod that leaves is replaced by the last one; an updated one moves to the end. */
START_TEST(order_of_the_list)
{
	struct case_node node = {.gpus = 4};
	struct case_job jobs[2] = {{.pods = 5, .gpus = 1}, {.pods = 1, .gpus = 1, .priority = 5}};
	static const uint32_t nodes[] = {0};
	struct cluster_case c;
	struct kube_filter f;
	struct kube_preempt *p;
	const uint32_t *victims;
	uint32_t count;
	struct kube_preempt_request request = {
		.pod = 5, .priority = 5, .nodes = nodes, .node_count = 1, .filter = &f};

	cluster_case_open(&c, &node, 1, jobs, 2);
	kube_filter_init(&f, &c.world);
	p = kube_preempt_new(&c.world);
	for (uint32_t i = 0; i < 4; i++) {
		cluster_case_bind(&c, i, 0);
		kube_preempt_bound(p, i, 0);
	}
	ck_assert_uint_eq(kube_preempt_choose(p, &request, &victims, &count), 0);
	ck_assert_uint_eq(victims[0], 3);
	kube_preempt_updated(p, 1); /* 0 3 2 1 */
	ck_assert_uint_eq(kube_preempt_choose(p, &request, &victims, &count), 0);
	ck_assert_uint_eq(victims[0], 1);
	kube_preempt_gone(p, 0, 0); /* 1 3 2 */
	cluster_case_remove(&c, 0);
	cluster_case_bind(&c, 4, 0);
	kube_preempt_bound(p, 4, 0); /* 1 3 2 4 */
	kube_preempt_gone(p, 4, 0);
	cluster_case_remove(&c, 4);
	c.world.usage.used[RES_GPU] = 4;
	ck_assert_uint_eq(kube_preempt_choose(p, &request, &victims, &count), 0);
	ck_assert_uint_eq(victims[0], 2);
	kube_preempt_free(p);
	kube_filter_free(&f);
	cluster_case_close(&c);
}
END_TEST

START_TEST(room_without_those_below)
{
	struct case_node node = {.gpus = 4};
	struct case_job jobs[3] = {{.pods = 1, .gpus = 2},
				   {.pods = 1, .gpus = 2, .priority = 3},
				   {.pods = 1, .gpus = 3, .priority = 5}};
	struct cluster_case c;
	struct kube_preempt *p;
	const struct pod_shape *shape;

	cluster_case_open(&c, &node, 1, jobs, 3);
	shape = &c.scenario->shapes[c.world.pods[2].shape];
	p = kube_preempt_new(&c.world);
	for (uint32_t i = 0; i < 2; i++) {
		cluster_case_bind(&c, i, 0);
		kube_preempt_bound(p, i, 0);
	}
	ck_assert(!kube_preempt_any_below(p, 0));
	ck_assert(kube_preempt_any_below(p, 1));
	ck_assert(!kube_preempt_room(p, 0, shape, 3));
	ck_assert(kube_preempt_room(p, 0, shape, 4));
	ck_assert(!kube_preempt_leaving_below(p, 0, 5));
	c.world.pods[1].phase = POD_TERMINATING;
	ck_assert(!kube_preempt_leaving_below(p, 0, 5)); /* for another reason */
	kube_preempt_evicted(p, 1);
	ck_assert(kube_preempt_leaving_below(p, 0, 5));
	ck_assert(!kube_preempt_leaving_below(p, 0, 3));
	kube_preempt_free(p);
	cluster_case_close(&c);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("sim/kube/kube_preempt");
	TCase *t = tcase_create("all");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_add_loop_test(t, choice, 0, COUNT(rows));
	tcase_add_test(t, order_of_the_list);
	tcase_add_test(t, room_without_those_below);
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
