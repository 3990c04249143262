#include "sim/kube/kube_match.h"

#include <check.h>

#include "core/rng.h"
#include "tests/support/cluster_case.h"

static const struct case_node nodes[] = {
	{.gpus = 4},
	{.gpus = 4, .cordoned = true},
	{.gpus = 4, .taint = "dedicated", .effect = TAINT_NO_SCHEDULE, .pool = "spot"},
	{.gpus = 4, .not_ready = true},
	{.gpus = 4, .taint = "dedicated", .effect = TAINT_PREFER_NO_SCHEDULE, .pool = "spot"},
};
static const struct case_job jobs[] = {
	{.pods = 2, .gpus = 1},
	{.pods = 1, .gpus = 1, .tolerates = "dedicated"},
	{.pods = 1, .gpus = 1, .pool = "spot"},
	{.pods = 1, .gpus = 1, .priority = 5},
};

static const struct {
	uint32_t pod;
	enum kube_verdict verdict[5];
	uint8_t avoid;
} rows[] = {
	{0, {KUBE_SUITS, KUBE_CORDONED, KUBE_TAINTED, KUBE_TAINTED, KUBE_SUITS}, 1},
	{2, {KUBE_SUITS, KUBE_CORDONED, KUBE_SUITS, KUBE_TAINTED, KUBE_SUITS}, 0},
	{3, {KUBE_MISMATCH, KUBE_CORDONED, KUBE_TAINTED, KUBE_TAINTED, KUBE_SUITS}, 1},
};

START_TEST(the_first_rejection_wins)
{
	struct cluster_case c;
	struct kube_match *m;
	const struct kube_group *g;

	cluster_case_open(&c, nodes, 5, jobs, 4);
	m = kube_match_new(&c.world);
	g = kube_match_at(m, kube_match_group(m, rows[_i].pod));
	for (uint32_t node = 0; node < 5; node++)
		ck_assert_msg(g->verdict[node] == (uint8_t)rows[_i].verdict[node], "node %u: %u",
			      node, g->verdict[node]);
	ck_assert_uint_eq(g->avoid[4], rows[_i].avoid);
	ck_assert(g->avoids == (rows[_i].avoid != 0));
	kube_match_free(m);
	cluster_case_close(&c);
}
END_TEST

START_TEST(pods_that_agree_share_a_group)
{
	struct cluster_case c;
	struct kube_match *m;

	cluster_case_open(&c, nodes, 5, jobs, 4);
	m = kube_match_new(&c.world);
	ck_assert_uint_eq(kube_match_group(m, 0), 0);
	ck_assert_uint_eq(kube_match_group(m, 2), 1);
	ck_assert_uint_eq(kube_match_group(m, 1), 0);
	ck_assert_uint_eq(kube_match_group(m, 4), 0); /* priority is no matter of nodes */
	ck_assert_uint_eq(kube_match_count(m), 2);
	kube_match_free(m);
	cluster_case_close(&c);
}
END_TEST

START_TEST(a_changed_node_is_judged_again)
{
	struct cluster_case c;
	struct kube_match *m;
	uint32_t group;

	cluster_case_open(&c, nodes, 5, jobs, 4);
	m = kube_match_new(&c.world);
	group = kube_match_group(m, 0);
	c.world.nodes[1].unschedulable = false;
	c.world.node_usable[1] = true;
	ck_assert_uint_eq(kube_match_at(m, group)->verdict[1], KUBE_CORDONED);
	kube_match_node(m, 1);
	ck_assert_uint_eq(kube_match_at(m, group)->verdict[1], KUBE_SUITS);
	kube_match_free(m);
	cluster_case_close(&c);
}
END_TEST

/* Kueue adds a flavor's node labels and tolerations to an admitted job's pods. */
START_TEST(flavors_add_labels_and_tolerations)
{
	struct cluster_case c;
	struct kube_match *m;
	struct label spot;
	struct toleration all = {.key = NAME_NONE, .value = NAME_NONE, .op = TOLERATION_EXISTS};
	struct flavor flavor = {.node_labels = {&spot, 1}, .tolerations = {&all, 1}};
	struct admission_flavor assigned = {RES_GPU, 0};
	struct admission_pod_set set = {.count = 2, .flavor_count = 1, .flavors = &assigned};
	struct admission admission = {.pod_set_count = 1, .pod_sets = &set};
	uint32_t plain, flavored;

	cluster_case_open(&c, nodes, 5, jobs, 4);
	spot = (struct label){name_find(c.scenario->strings, "pool"),
			      name_find(c.scenario->strings, "spot")};
	c.scenario->flavors = &flavor;
	c.scenario->flavor_count = 1;
	m = kube_match_new(&c.world);
	plain = kube_match_group(m, 0);
	world_job(&c.world, 0)->admission = journal_admission(c.journal, &admission);
	flavored = kube_match_group(m, 0);
	ck_assert_uint_ne(plain, flavored);
	ck_assert_uint_eq(kube_match_group(m, 1), flavored);
	ck_assert_uint_eq(kube_match_at(m, flavored)->verdict[0], KUBE_MISMATCH);
	ck_assert_uint_eq(kube_match_at(m, flavored)->verdict[2], KUBE_SUITS);
	ck_assert_uint_eq(kube_match_at(m, flavored)->avoid[4], 0);
	kube_match_free(m);
	cluster_case_close(&c);
}
END_TEST

/* What is said of groups with a domain follows from others; here filter by filter. */
static void check_filters(const struct kube_match *m, uint32_t count)
{
	for (uint32_t group = 0; group < kube_match_count(m); group++) {
		for (uint32_t node = 0; node < count; node++)
			ck_assert_int_eq(kube_match_at(m, group)->verdict[node] == KUBE_SUITS,
					 kube_match_tolerates(m, group, node) &&
						 kube_match_enforced(m, group, node) &&
						 kube_match_labels(m, group, node));
	}
}

START_TEST(pods_keep_to_their_domains)
{
	static const struct case_node racks[] = {{.pool = "a"}, {.pool = "b"}, {.pool = "b"}};
	static const struct case_job gang[] = {{.pods = 3, .gpus = 1}};
	struct cluster_case c;
	struct kube_match *m;
	struct flavor flavor = {.topology_name = 0, .topology = 0};
	struct topology topology = {.level_count = 1};
	struct admission_flavor assigned = {RES_GPU, 0};
	struct admission_domain domains[2];
	struct admission_pod_set set = {.count = 3,
					.flavor_count = 1,
					.flavors = &assigned,
					.domain_count = 2,
					.domains = domains};
	struct admission admission = {.pod_set_count = 1, .pod_sets = &set};
	struct taint taint = {.effect = TAINT_NO_SCHEDULE};
	uint32_t pool;

	cluster_case_open(&c, racks, 3, gang, 1);
	taint.key = taint.value = name_find(c.scenario->strings, "pool");
	pool = name_find(c.scenario->strings, "pool");
	topology.levels = &pool;
	c.scenario->flavors = &flavor;
	c.scenario->topologies = &topology;
	domains[0] = (struct admission_domain){journal_string(c.journal, "a"), 1};
	domains[1] = (struct admission_domain){journal_string(c.journal, "b"), 2};
	world_job(&c.world, 0)->admission = journal_admission(c.journal, &admission);
	m = kube_match_new(&c.world);
	ck_assert_uint_ne(kube_match_group(m, 0), kube_match_group(m, 1));
	ck_assert_uint_eq(kube_match_group(m, 1), kube_match_group(m, 2));
	ck_assert_uint_eq(kube_match_at(m, kube_match_group(m, 0))->verdict[0], KUBE_SUITS);
	ck_assert_uint_eq(kube_match_at(m, kube_match_group(m, 0))->verdict[1], KUBE_MISMATCH);
	ck_assert_uint_eq(kube_match_at(m, kube_match_group(m, 2))->verdict[0], KUBE_MISMATCH);
	ck_assert_uint_eq(kube_match_at(m, kube_match_group(m, 2))->verdict[2], KUBE_SUITS);
	check_filters(m, 3);
	c.world.nodes[2].taints = (struct taint_set){&taint, 1};
	kube_match_node(m, 2);
	ck_assert_uint_eq(kube_match_at(m, kube_match_group(m, 0))->verdict[2], KUBE_TAINTED);
	ck_assert_uint_eq(kube_match_at(m, kube_match_group(m, 1))->verdict[2], KUBE_TAINTED);
	check_filters(m, 3);
	c.world.nodes[2].taints.count = 0;
	kube_match_node(m, 2);
	ck_assert_uint_eq(kube_match_at(m, kube_match_group(m, 2))->verdict[2], KUBE_SUITS);
	check_filters(m, 3);
	kube_match_free(m);
	cluster_case_close(&c);
}
END_TEST

/* One that is made now has judged every node as it is. */
static void check_anew(const struct cluster_case *c, struct kube_match *m)
{
	struct kube_match *fresh = kube_match_new(&c->world);

	for (uint32_t pod = 0; pod < 5; pod++) {
		const struct kube_group *new = kube_match_at(fresh, kube_match_group(fresh, pod));
		const struct kube_group *old = kube_match_at(m, kube_match_group(m, pod));

		ck_assert_mem_eq(old->verdict, new->verdict, 5);
		ck_assert_mem_eq(old->avoid, new->avoid, 5);
		ck_assert_mem_eq(old->nodes, new->nodes, sizeof(new->nodes));
	}
	kube_match_free(fresh);
}

/* Groups whose pods wait are judged at once, others when somebody looks, after any number of
 * changes. */
START_TEST(judged_when_looked_at)
{
	struct cluster_case c;
	struct kube_match *m;
	struct rng *rng = rng_new((uint64_t)_i, "match");
	struct taint taint = {.effect = TAINT_NO_SCHEDULE};
	uint32_t count;

	cluster_case_open(&c, nodes, 5, jobs, 4);
	taint.key = taint.value = name_find(c.scenario->strings, "pool");
	m = kube_match_new(&c.world);
	for (uint32_t pod = 0; pod < 5; pod++)
		kube_match_group(m, pod);
	kube_match_waits(m, 1, 1);
	for (uint32_t i = 0; i < 200; i++) {
		uint32_t node = (uint32_t)rng_below(rng, 5);

		c.world.nodes[node].taints =
			(struct taint_set){&taint, (uint32_t)rng_below(rng, 2)};
		c.world.nodes[node].unschedulable = rng_below(rng, 3) == 0;
		kube_match_node(m, node);
		if (rng_below(rng, 6) == 0)
			check_anew(&c, m);
	}
	check_anew(&c, m);
	ck_assert_uint_eq(kube_match_waiting(m, &count)[0], 1);
	ck_assert_uint_eq(count, 1);
	kube_match_waits(m, 1, -1);
	kube_match_waiting(m, &count);
	ck_assert_uint_eq(count, 0);
	kube_match_free(m);
	cluster_case_close(&c);
	rng_free(rng);
}
END_TEST

/* What a waiting pod was refused for is told as of before the change. */
START_TEST(those_that_wait_know_what_was)
{
	struct cluster_case c;
	struct kube_match *m;

	cluster_case_open(&c, nodes, 5, jobs, 4);
	m = kube_match_new(&c.world);
	kube_match_waits(m, kube_match_group(m, 0), 1);
	c.world.nodes[0].unschedulable = true;
	kube_match_node(m, 0);
	c.world.nodes[0].unschedulable = false;
	ck_assert_uint_eq(kube_match_at(m, 0)->verdict[0], KUBE_CORDONED);
	kube_match_free(m);
	cluster_case_close(&c);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("sim/kube/kube_match");
	TCase *t = tcase_create("all");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_add_loop_test(t, the_first_rejection_wins, 0, 3);
	tcase_add_test(t, pods_that_agree_share_a_group);
	tcase_add_test(t, a_changed_node_is_judged_again);
	tcase_add_test(t, flavors_add_labels_and_tolerations);
	tcase_add_test(t, pods_keep_to_their_domains);
	tcase_add_loop_test(t, judged_when_looked_at, 0, 20);
	tcase_add_test(t, those_that_wait_know_what_was);
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
