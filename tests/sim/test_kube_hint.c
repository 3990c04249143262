#include "sim/kube_hint.h"

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
	struct node before[3];
};

static void open_bench(struct bench *b)
{
	cluster_case_open(&b->c, nodes, 3, jobs, 4);
	b->match = kube_match_new(&b->c.world);
	for (uint32_t i = 0; i < 3; i++)
		b->before[i] = b->c.world.nodes[i];
}

static void close_bench(struct bench *b)
{
	kube_match_free(b->match);
	cluster_case_close(&b->c);
}

/* One letter a job: y is tried again. */
static void check(struct bench *b, uint32_t node, const char *wanted)
{
	char got[5] = "";

	for (uint32_t pod = 0; pod < 4; pod++)
		got[pod] = kube_hint_node(b->match, kube_match_group(b->match, pod), node,
					  &b->before[node])
				   ? 'y'
				   : '-';
	ck_assert_str_eq(got, wanted);
}

static void know(struct bench *b)
{
	for (uint32_t pod = 0; pod < 4; pod++)
		kube_match_group(b->match, pod);
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
	Suite *s = suite_create("sim/kube_hint");
	TCase *t = tcase_create("all");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_add_test(t, uncordoned);
	tcase_add_test(t, freed_of_a_taint);
	tcase_add_test(t, grown);
	tcase_add_test(t, gone);
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
