#include "sim/kube/kube_search.h"

#include <check.h>

#include "sim/scenario/profile.h"
#include "tests/support/cluster_case.h"

#define MANY 204

struct bench {
	struct cluster_case c;
	struct kube_match *match;
	struct kube_filter filter;
	struct kube_search *search;
	struct rng *rng;
};

static void open_bench(struct bench *b, const struct case_node *nodes, uint32_t count,
		       const struct case_job *jobs, uint32_t job_count, bool random)
{
	cluster_case_open(&b->c, nodes, count, jobs, job_count);
	b->match = kube_match_new(&b->c.world);
	kube_filter_init(&b->filter, &b->c.world);
	b->rng = random ? rng_new(1, "tie") : NULL;
	b->search = kube_search_new(&b->c.world, b->match, &b->filter, b->rng);
}

static void close_bench(struct bench *b)
{
	kube_search_free(b->search);
	kube_filter_free(&b->filter);
	kube_match_free(b->match);
	rng_free(b->rng);
	cluster_case_close(&b->c);
}

static uint32_t find(struct bench *b, uint32_t pod)
{
	int32_t priority = b->c.scenario->jobs[b->c.world.pods[pod].job].common->pod_priority;

	return kube_search_find(b->search, kube_match_group(b->match, pod), pod, priority);
}

static void bind(struct bench *b, uint32_t pod, uint32_t node)
{
	cluster_case_bind(&b->c, pod, node);
	kube_filter_touch(&b->filter, node);
}

/* LeastAllocated spreads; the GPU only filters (golden f3). */
START_TEST(spreads_by_cpu_and_memory_only)
{
	struct case_node nodes[] = {{.gpus = 4, .cpu = 8000, .memory = 80},
				    {.gpus = 4, .cpu = 8000, .memory = 80}};
	struct case_job jobs[] = {{.pods = 4, .gpus = 1, .cpu = 1000, .memory = 10},
				  {.pods = 1, .gpus = 2},
				  {.pods = 1, .gpus = 4}};
	struct bench b;

	open_bench(&b, nodes, 2, jobs, 3, false);
	ck_assert_uint_eq(find(&b, 0), 0);
	bind(&b, 0, 0);
	ck_assert_uint_eq(find(&b, 1), 1);
	bind(&b, 1, 1);
	ck_assert_uint_eq(find(&b, 2), 0);
	bind(&b, 4, 0); /* GPUs alone */
	ck_assert_uint_eq(find(&b, 5), NODE_NONE);
	cluster_case_remove(&b.c, 1);
	kube_filter_touch(&b.filter, 1);
	ck_assert_uint_eq(find(&b, 5), 1);
	close_bench(&b);
}
END_TEST

START_TEST(preferred_taints_weigh_three)
{
	struct case_node nodes[] = {{.gpus = 4,
				     .cpu = 8000,
				     .memory = 80,
				     .taint = "spot",
				     .effect = TAINT_PREFER_NO_SCHEDULE},
				    {.gpus = 4, .cpu = 8000, .memory = 80}};
	struct case_job jobs[] = {
		{.pods = 3, .gpus = 1, .cpu = 6000, .memory = 60},
		{.pods = 1, .gpus = 1, .cpu = 100, .memory = 1, .tolerates = "spot"}};
	struct bench b;

	open_bench(&b, nodes, 2, jobs, 2, false);
	ck_assert_uint_eq(find(&b, 0), 1);
	bind(&b, 0, 1);
	ck_assert_uint_eq(find(&b, 1), 0); /* the only one with room */
	ck_assert_uint_eq(find(&b, 3), 0); /* tolerated: the emptier one */
	close_bench(&b);
}
END_TEST

START_TEST(nominated_pods_hold_their_node)
{
	struct case_node nodes[] = {{.gpus = 4}};
	struct case_job jobs[] = {{.pods = 1, .gpus = 1}, {.pods = 1, .gpus = 4, .priority = 5}};
	struct bench b;

	open_bench(&b, nodes, 1, jobs, 2, false);
	kube_filter_nominate(&b.filter, 1, 0);
	ck_assert_uint_eq(find(&b, 0), NODE_NONE);
	ck_assert_uint_eq(find(&b, 1), 0);
	kube_filter_forget(&b.filter, 1);
	ck_assert_uint_eq(find(&b, 0), 0);
	close_bench(&b);
}
END_TEST

/* Spec 4.3: round robin over zones in order of appearance. */
START_TEST(zones_take_turns)
{
	static const uint32_t order[] = {0, 2, 4, 1, 3};
	struct case_node nodes[] = {
		{.zone = "a"}, {.zone = "a"}, {.zone = "b"}, {.zone = "b"}, {.zone = "c"}};
	struct case_job jobs[] = {{.pods = 1}};
	struct bench b;
	const uint32_t *nodes_in_order;
	uint32_t count;

	open_bench(&b, nodes, 5, jobs, 1, false);
	nodes_in_order = kube_search_nodes(b.search, &count);
	ck_assert_uint_eq(count, 5);
	for (uint32_t i = 0; i < 5; i++)
		ck_assert_uint_eq(nodes_in_order[i], order[i]);
	close_bench(&b);
}
END_TEST

/* 204 nodes: 100 feasible ones are enough, and the next search goes on there. */
START_TEST(large_clusters_are_searched_in_part)
{
	static struct case_node nodes[MANY];
	struct case_job jobs[] = {{.pods = 4, .gpus = 1, .cpu = 10, .memory = 10}};
	struct bench b;

	for (uint32_t i = 0; i < MANY; i++)
		nodes[i] = (struct case_node){.gpus = 4, .cpu = 1000, .memory = 1000};
	open_bench(&b, nodes, MANY, jobs, 1, false);
	ck_assert_uint_eq(find(&b, 0), 0); /* of 0 .. 99 */
	bind(&b, 0, 0);
	ck_assert_uint_eq(find(&b, 1), 100); /* of 100 .. 199 */
	bind(&b, 1, 100);
	ck_assert_uint_eq(find(&b, 2), 1); /* of 200 .. 203, 0 .. 95 */
	close_bench(&b);
}
END_TEST

/* Uniform: 300 draws among three equal nodes. */
START_TEST(random_ties_reach_every_node)
{
	struct case_node nodes[] = {{.gpus = 4}, {.gpus = 4}, {.gpus = 4}};
	struct case_job jobs[] = {{.pods = 1, .gpus = 1}};
	uint32_t seen[3] = {0};
	struct bench b;

	open_bench(&b, nodes, 3, jobs, 1, true);
	for (int i = 0; i < 300; i++)
		seen[find(&b, 0)]++;
	for (int i = 0; i < 3; i++)
		ck_assert_msg(seen[i] > 70 && seen[i] < 130, "%u", seen[i]);
	close_bench(&b);
}
END_TEST

/* A random node: with GPUs alone, which are all worth the same and searched in
 * the order of the input, or with what scores. */
static struct case_node some_node(struct rng *rng, bool gpus_alone)
{
	struct case_node node = {.gpus = 1 + (int64_t)rng_below(rng, 4)};

	if (gpus_alone)
		return node;
	node.cpu = 100;
	node.memory = 50 + (int64_t)rng_below(rng, 100);
	node.zone = rng_below(rng, 2) == 0 ? "a" : "b";
	return node;
}

/* A nomination on a node of no room switches to the general search, and changes
 * nothing else: both find the same nodes. */
START_TEST(one_pass_equals_two)
{
	static struct case_node nodes[MANY];
	struct case_job jobs[] = {{.pods = 150, .gpus = 1, .cpu = 10, .memory = 30},
				  {.pods = 150, .gpus = 2, .cpu = 40, .memory = 10},
				  {.pods = 1, .gpus = 1, .priority = 9}};
	struct rng *rng = rng_new((uint64_t)_i, "nodes");
	struct bench quick, general;

	for (uint32_t i = 0; i < MANY; i++)
		nodes[i] = some_node(rng, _i % 2 == 1);
	nodes[7].gpus = 0;
	open_bench(&quick, nodes, MANY, jobs, 3, false);
	open_bench(&general, nodes, MANY, jobs, 3, false);
	kube_filter_nominate(&general.filter, 300, 7);
	for (int step = 0; step < 300; step++) {
		uint32_t pod = (uint32_t)rng_below(rng, 300), node;

		if (quick.c.world.pods[pod].phase == POD_BOUND) {
			node = quick.c.world.pods[pod].node;
			cluster_case_remove(&quick.c, pod);
			cluster_case_remove(&general.c, pod);
			kube_filter_touch(&quick.filter, node);
			kube_filter_touch(&general.filter, node);
			continue;
		}
		node = find(&quick, pod);
		ck_assert_uint_eq(find(&general, pod), node);
		if (node == NODE_NONE)
			continue;
		bind(&quick, pod, node);
		bind(&general, pod, node);
	}
	close_bench(&quick);
	close_bench(&general);
	rng_free(rng);
}
END_TEST

START_TEST(cordoned_nodes_are_left_out_after_a_change)
{
	struct case_node nodes[] = {{.gpus = 4}, {.gpus = 4}};
	struct case_job jobs[] = {{.pods = 1, .gpus = 1}};
	struct bench b;

	open_bench(&b, nodes, 2, jobs, 1, false);
	ck_assert_uint_eq(find(&b, 0), 0);
	b.c.world.nodes[0].unschedulable = true;
	b.c.world.node_usable[0] = false;
	kube_match_node(b.match, 0);
	kube_search_nodes_changed(b.search);
	ck_assert_uint_eq(find(&b, 0), 1);
	close_bench(&b);
}
END_TEST

/* The rules of spec 4.3 and 4.4, said once more without any memory but where to begin. */
static uint32_t direct(const struct bench *b, uint32_t pod, uint32_t *start)
{
	const struct world *w = &b->c.world;
	const struct pod_shape *shape = &w->scenario->shapes[w->pods[pod].shape];
	uint32_t count, seen = 0, found = 0, best = NODE_NONE, at = *start;
	const uint32_t *order = kube_search_nodes(b->search, &count);
	struct kube_score score;
	int best_score = -1;

	kube_score_init(&score, w, 0);
	for (; seen < count && found < 100; seen++, at = (at + 1) % count) {
		uint32_t node = order[at];
		int now;

		if (!profile_node_suits(w->scenario, &w->nodes[node], shape) ||
		    !cluster_fits(&w->usage, node, shape))
			continue;
		found++;
		now = kube_score_node(&score, &w->usage, node, shape);
		if (now > best_score || (now == best_score && node < best)) {
			best_score = now;
			best = node;
		}
	}
	*start = at;
	return best;
}

/* A node leaves the cluster, before its pods do, or comes back. */
static void come_or_go(struct bench *b, uint32_t node, uint32_t *start)
{
	uint32_t count;

	b->c.world.node_usable[node] = !b->c.world.node_usable[node];
	kube_match_node(b->match, node);
	kube_search_nodes_changed(b->search);
	kube_search_nodes(b->search, &count);
	*start %= count;
}

/* Groups that suit all nodes, many, few or none, of equal and of other amounts. */
START_TEST(groups_share_what_nodes_are_worth)
{
	static const char *const pools[] = {"a", "b", "c"};
	static struct case_node nodes[MANY];
	struct case_job jobs[] = {
		{.pods = 100, .gpus = 1, .cpu = 10, .memory = 30},
		{.pods = 100, .gpus = 1, .cpu = 10, .memory = 30, .pool = "a"},
		{.pods = 100, .gpus = 1, .cpu = 10, .memory = 30, .tolerates = "spot"},
		{.pods = 100, .gpus = 2, .cpu = 20, .memory = 10, .pool = "b", .tolerates = "spot"},
		{.pods = 100, .gpus = 2, .cpu = 20, .memory = 10, .pool = "nowhere"}};
	struct rng *rng = rng_new((uint64_t)_i, "groups");
	uint32_t start = 0;
	struct bench b;

	for (uint32_t i = 0; i < MANY; i++) {
		nodes[i] = some_node(rng, _i % 2 == 1);
		nodes[i].pool = pools[rng_below(rng, 3)];
		if (rng_below(rng, 1 + (uint32_t)_i / 2 % 4) != 0)
			nodes[i].taint = "spot";
		nodes[i].effect = TAINT_NO_SCHEDULE;
	}
	open_bench(&b, nodes, MANY, jobs, 5, false);
	for (int step = 0; step < 600; step++) {
		uint32_t pod = (uint32_t)rng_below(rng, 500), node;

		if (rng_below(rng, 20) == 0)
			come_or_go(&b, (uint32_t)rng_below(rng, MANY), &start);
		if (b.c.world.pods[pod].phase == POD_BOUND) {
			node = b.c.world.pods[pod].node;
			cluster_case_remove(&b.c, pod);
			kube_filter_touch(&b.filter, node);
			continue;
		}
		node = direct(&b, pod, &start);
		ck_assert_uint_eq(find(&b, pod), node);
		if (node != NODE_NONE)
			bind(&b, pod, node);
	}
	close_bench(&b);
	rng_free(rng);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("sim/kube/kube_search");
	TCase *t = tcase_create("all");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_add_test(t, spreads_by_cpu_and_memory_only);
	tcase_add_test(t, preferred_taints_weigh_three);
	tcase_add_test(t, nominated_pods_hold_their_node);
	tcase_add_test(t, zones_take_turns);
	tcase_add_test(t, large_clusters_are_searched_in_part);
	tcase_add_test(t, random_ties_reach_every_node);
	tcase_add_loop_test(t, groups_share_what_nodes_are_worth, 0, 20);
	tcase_add_loop_test(t, one_pass_equals_two, 0, 20);
	tcase_add_test(t, cordoned_nodes_are_left_out_after_a_change);
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
