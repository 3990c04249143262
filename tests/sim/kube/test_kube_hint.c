#include "sim/kube/kube_hint.h"

#include <check.h>

#include "tests/support/cluster_case.h"

/* n0 has room, n1 is cordoned, n2 tainted. */
static const struct case_node nodes[] = {
	{.gpus = 4},
	{.gpus = 4, .cordoned = true},
	{.gpus = 4, .taint = "spot", .effect = TAINT_NO_SCHEDULE},
};
static const struct case_job jobs[] = {
	{.pods = 1, .gpus = 4},
	{.pods = 1, .gpus = 9},
	{.pods = 1, .gpus = 4, .pool = "h100"},
	{.pods = 1, .gpus = 4, .tolerates = "spot"},
};

struct bench {
	struct cluster_case c;
	struct kube_match *match;
	struct kube_hints *hints;
	struct node before[3];
};

static void open_bench(struct bench *b)
{
	cluster_case_open(&b->c, nodes, 3, jobs, 4);
	b->match = kube_match_new(&b->c.world);
	b->hints = kube_hints_new(b->match);
	for (uint32_t i = 0; i < 3; i++)
		b->before[i] = b->c.world.nodes[i];
}

static void close_bench(struct bench *b)
{
	kube_hints_free(b->hints);
	kube_match_free(b->match);
	cluster_case_close(&b->c);
}

/* One letter a job, which failed when the clock showed stamp: y is tried again. */
static void check_failed(struct bench *b, uint64_t stamp, bool by_fit, uint32_t node,
			 const char *wanted)
{
	char got[5] = "";

	for (uint32_t pod = 0; pod < 4; pod++) {
		struct kube_rejected rejected = {.group = kube_match_group(b->match, pod),
						 .stamp = stamp,
						 .by_fit = by_fit && pod != 2};

		got[pod] = kube_hint_node(b->hints, &rejected, node, &b->before[node]) ? 'y' : '-';
	}
	ck_assert_str_eq(got, wanted);
}

static void check(struct bench *b, uint32_t node, const char *wanted)
{
	check_failed(b, 0, true, node, wanted);
}

static void tell(struct bench *b, uint32_t node, uint64_t clock)
{
	kube_hints_note(b->hints, clock);
	kube_match_node(b->match, node);
	b->before[node] = b->c.world.nodes[node];
}

static void know(struct bench *b)
{
	for (uint32_t pod = 0; pod < 4; pod++)
		kube_match_waits(b->match, kube_match_group(b->match, pod), 1);
}

/* NodeUnschedulable does not look at sizes or labels. */
START_TEST(uncordoned)
{
	struct bench b;

	open_bench(&b);
	know(&b);
	b.c.world.nodes[1].unschedulable = false;
	b.c.world.node_usable[1] = true;
	check(&b, 1, "yyyy");
	close_bench(&b);
}
END_TEST

/* TaintToleration asks those that it rejected, of any size. */
START_TEST(freed_of_a_taint)
{
	struct bench b;

	open_bench(&b);
	know(&b);
	b.c.world.nodes[2].taints.count = 0;
	check(&b, 2, "yyy-");
	close_bench(&b);
}
END_TEST

/* NodeResourcesFit: more of what is asked for, and enough when empty. */
START_TEST(grown)
{
	struct bench b;
	int64_t more[RES_MAX];

	open_bench(&b);
	know(&b);
	for (uint32_t r = 0; r < b.c.world.usage.resource_count; r++)
		more[r] = b.before[0].allocatable[r];
	b.c.world.nodes[0].allocatable = more;
	check(&b, 0, "----"); /* nothing changed */
	more[RES_GPU] = 8;
	check(&b, 0, "y--y"); /* h100 was rejected for its selector everywhere */
	more[RES_GPU] = 9;
	check(&b, 0, "yy-y");
	close_bench(&b);
}
END_TEST

/* Who failed while n1 was cordoned was rejected by that, though it is not any more;
 * who failed later was not. */
START_TEST(those_that_rejected_it_then_are_asked)
{
	struct bench b;

	open_bench(&b);
	know(&b);
	b.c.world.nodes[2].taints.count = 0;
	tell(&b, 2, 5);
	b.c.world.nodes[1].unschedulable = false;
	b.c.world.node_usable[1] = true;
	tell(&b, 1, 10);
	b.c.world.node_usable[0] = false;
	tell(&b, 0, 20);
	b.c.world.node_usable[0] = true; /* it comes back */
	check_failed(&b, 9, false, 0, "yyyy");
	check_failed(&b, 10, false, 0, "----");
	check_failed(&b, 10, true, 0, "y--y");
	check_failed(&b, 25, true, 0, "y--y");
	close_bench(&b);
}
END_TEST

/* NodeAffinity: only from unmatched to matched, whatever else rejected it. */
START_TEST(a_label_that_matched_before_helps_nobody)
{
	static struct label pools[2];
	struct node *n;
	struct bench b;

	open_bench(&b);
	n = &b.c.world.nodes[1];
	pools[0] = (struct label){.key = name_find(b.c.scenario->strings, "pool"),
				  .value = name_find(b.c.scenario->strings, "h100")};
	ck_assert_uint_ne(pools[0].key, NAME_NONE);
	pools[1] = (struct label){.key = pools[0].value, .value = pools[0].value};
	n->labels = (struct label_set){.items = pools, .count = 1};
	know(&b);
	b.before[1] = *n;
	n->labels.count = 2; /* cordoned all the time */
	check(&b, 1, "----");
	b.before[1].labels.count = 0;
	check(&b, 1, "--y-");
	close_bench(&b);
}
END_TEST

START_TEST(gone)
{
	struct bench b;

	open_bench(&b);
	know(&b);
	b.c.world.nodes[0].ready = false;
	b.c.world.node_usable[0] = false;
	check(&b, 0, "----");
	ck_assert(kube_hint_taints_changed(&b.before[0], &b.c.world.nodes[0]));
	ck_assert(!kube_hint_taints_changed(&b.before[2], &b.c.world.nodes[2]));
	ck_assert(kube_hint_taints_changed(&b.before[2], &b.before[0]));
	close_bench(&b);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("sim/kube/kube_hint");
	TCase *t = tcase_create("all");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_add_test(t, uncordoned);
	tcase_add_test(t, freed_of_a_taint);
	tcase_add_test(t, grown);
	tcase_add_test(t, those_that_rejected_it_then_are_asked);
	tcase_add_test(t, a_label_that_matched_before_helps_nobody);
	tcase_add_test(t, gone);
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
