#include "sim/kueue/kueue_topology.h"

#include <check.h>
#include <stdlib.h>

#include "tests/sim/topology_case.h"

#define HOST "kubernetes.io/hostname"

/* "b0(r0(n0)r1)b1(...)" */
static void print_domain(const struct topology_case *c, const struct topology_tree *tree,
			 uint32_t domain, char *out)
{
	const struct topology_domain *d = &tree->domains[domain];

	strcat(out, name_text(c->s.strings, d->value));
	if (d->child_count == 0)
		return;
	strcat(out, "(");
	for (uint32_t i = 0; i < d->child_count; i++) {
		ck_assert_uint_eq(tree->domains[d->first_child + i].parent, domain);
		strcat(out, i > 0 ? " " : "");
		print_domain(c, tree, d->first_child + i, out);
	}
	strcat(out, ")");
}

static const struct {
	const char *name, *levels, *want;
	struct case_row rows[6];
} shapes[] = {
	{"values in order",
	 "block rack " HOST,
	 "b0(r0(n1 n2) r1(n0)) b1(r0(n9))",
	 {{.values = "b1/r0/n9"},
	  {.values = "b0/r1/n0"},
	  {.values = "b0/r0/n2"},
	  {.values = "b0/r0/n1"}}},
	{"one level", HOST, "n0 n1", {{.values = "n1"}, {.values = "n0"}}},
	{"nodes share a leaf",
	 "block rack",
	 "b0(r0 r1)",
	 {{.values = "b0/r0"}, {.values = "b0/r1"}, {.values = "b0/r0"}}},
	{"a label is missing", "block rack", "b0(r1)", {{.values = "b0/-"}, {.values = "b0/r1"}}},
	{"an unusable node",
	 "block " HOST,
	 "b1(n1)",
	 {{.values = "b0/n0", .unusable = true}, {.values = "b1/n1"}}},
	{"one host name, two racks: the first node says where",
	 "rack " HOST,
	 "r1(n0)",
	 {{.values = "r1/n0"}, {.values = "r0/n0"}}},
	{"no nodes", "rack", "", {{.values = NULL}}},
};

START_TEST(tree_has_shape)
{
	struct topology_case c;
	const struct topology_tree *tree;
	char got[256] = "";

	case_open(&c, shapes[_i].levels, shapes[_i].rows);
	tree = &c.t->trees[0];
	for (uint32_t d = 0; d < tree->first[1]; d++) {
		strcat(got, d > 0 ? " " : "");
		print_domain(&c, tree, d, got);
	}
	ck_assert_msg(strcmp(got, shapes[_i].want) == 0, "%s: %s", shapes[_i].name, got);
	case_close(&c);
}
END_TEST

static const struct case_row racks[] = {
	{.values = "b0/r0", .gpus = 4, .pool = "a"},
	{.values = "b0/r0", .gpus = 2, .pool = "b"},
	{.values = "b0/r1", .gpus = 3, .pool = "a"},
	{.values = NULL},
};
static const struct case_row hosts[] = {
	{.values = "r0/n0", .gpus = 4}, {.values = "r0/n1", .gpus = 2}, {.values = NULL}};

static int64_t left(const struct topology_case *c, uint32_t tree, const char *place, bool empty)
{
	uint32_t leaf = kueue_topology_leaf(&c->t->trees[tree], case_place(c, place));

	ck_assert_uint_ne(leaf, TOPOLOGY_NOWHERE);
	return kueue_topology_left(c->t, tree, leaf, RES_GPU, empty);
}

START_TEST(leaf_sums_its_nodes)
{
	struct topology_case c;

	case_open(&c, "block rack", racks);
	ck_assert_int_eq(left(&c, 0, "b0/r0", false), 6);
	ck_assert_int_eq(left(&c, 0, "b0/r1", false), 3);
	ck_assert_int_eq(kueue_topology_left(c.t, 0, 0, RES_MEMORY, false), RES_UNLIMITED);
	ck_assert_int_eq(kueue_topology_left(c.t, 0, 0, RES_PODS, false), 220);
	case_close(&c);
}
END_TEST

START_TEST(flavor_takes_its_nodes_only)
{
	struct topology_case c;
	struct label label;

	case_open(&c, "block rack", racks);
	label = (struct label){case_string(&c, "pool"), case_string(&c, "a")};
	c.flavors[0].node_labels = (struct label_set){&label, 1};
	case_build(&c);
	ck_assert_int_eq(left(&c, 0, "b0/r0", false), 4);
	ck_assert_int_eq(left(&c, 1, "b0/r0", false), 6);
	case_close(&c);
}
END_TEST

START_TEST(hosts_are_shared_between_flavors)
{
	struct topology_case c;
	uint32_t place;

	case_open(&c, "rack " HOST, hosts);
	place = case_place(&c, "n0");
	kueue_topology_use(c.t, 0, place, &c.gpu, 3);
	ck_assert_int_eq(left(&c, 0, "n0", false), 1);
	ck_assert_int_eq(left(&c, 1, "n0", false), 1);
	ck_assert_int_eq(left(&c, 1, "n0", true), 4);
	kueue_topology_use(c.t, 0, place, &c.gpu, -3);
	ck_assert_int_eq(left(&c, 1, "n0", false), 4);
	kueue_topology_assume(c.t, 1, place, &c.gpu, 2);
	ck_assert_int_eq(left(&c, 0, "n0", true), 2);
	kueue_topology_forget(c.t);
	ck_assert_int_eq(left(&c, 0, "n0", true), 4);
	case_close(&c);
}
END_TEST

START_TEST(racks_are_not_shared_between_flavors)
{
	struct topology_case c;

	case_open(&c, "block rack", racks);
	kueue_topology_use(c.t, 0, case_place(&c, "b0/r1"), &c.gpu, 3);
	kueue_topology_assume(c.t, 0, case_place(&c, "b0/r0"), &c.gpu, 1);
	ck_assert_int_eq(left(&c, 0, "b0/r1", false), 0);
	ck_assert_int_eq(left(&c, 1, "b0/r1", false), 3);
	ck_assert_int_eq(left(&c, 1, "b0/r0", false), 6);
	kueue_topology_forget(c.t);
	case_close(&c);
}
END_TEST

START_TEST(rollback_undoes_what_was_supposed)
{
	struct topology_case c;
	size_t outer, inner;
	uint32_t place;

	case_open(&c, "rack " HOST, hosts);
	place = case_place(&c, "n0");
	kueue_topology_use(c.t, 0, place, &c.gpu, 2);
	outer = kueue_topology_mark(c.t);
	kueue_topology_suppose(c.t, 0, place, &c.gpu, -2);
	ck_assert_int_eq(left(&c, 0, "n0", false), 4);
	ck_assert_int_eq(left(&c, 1, "n0", false), 2);
	inner = kueue_topology_mark(c.t);
	kueue_topology_suppose(c.t, 0, place, &c.gpu, 3);
	ck_assert_int_eq(left(&c, 0, "n0", false), 1);
	kueue_topology_rollback(c.t, inner);
	ck_assert_int_eq(left(&c, 0, "n0", false), 4);
	kueue_topology_rollback(c.t, outer);
	ck_assert_int_eq(left(&c, 0, "n0", false), 2);
	case_close(&c);
}
END_TEST

START_TEST(other_pods_count_in_an_empty_cluster_too)
{
	struct topology_case c;

	case_open(&c, "rack " HOST, hosts);
	kueue_topology_occupy(c.t, 1, &c.gpu, 1);
	ck_assert_int_eq(left(&c, 0, "n1", true), 1);
	ck_assert_int_eq(left(&c, 1, "n1", true), 1);
	ck_assert_int_eq(kueue_topology_left(c.t, 0, 1, RES_PODS, true), 109);
	kueue_topology_occupy(c.t, 1, &c.gpu, -1);
	ck_assert_int_eq(left(&c, 0, "n1", true), 2);
	case_close(&c);
}
END_TEST

START_TEST(places_outlive_their_nodes)
{
	struct topology_case c;
	uint32_t place;

	case_open(&c, "rack " HOST, hosts);
	place = case_place(&c, "n1");
	c.usable[1] = false;
	case_build(&c);
	ck_assert_uint_eq(kueue_topology_leaf(&c.t->trees[0], place), TOPOLOGY_NOWHERE);
	kueue_topology_use(c.t, 0, place, &c.gpu, 1);
	c.usable[1] = true;
	case_build(&c);
	ck_assert_int_eq(left(&c, 0, "n1", false), 2);
	kueue_topology_use(c.t, 0, place, &c.gpu, 1);
	ck_assert_int_eq(left(&c, 0, "n1", false), 1);
	ck_assert_str_eq(kueue_topology_place(c.t, place), "n1");
	case_close(&c);
}
END_TEST

START_TEST(holds_counts_requests)
{
	struct topology_case c;
	struct pod_shape nothing;

	case_open(&c, "rack " HOST, hosts);
	ck_assert(kueue_topology_holds(c.t, 0, case_place(&c, "n0"), &c.gpu, 4));
	ck_assert(!kueue_topology_holds(c.t, 0, case_place(&c, "n0"), &c.gpu, 5));
	nothing = c.gpu;
	nothing.requested = 0;
	ck_assert(!kueue_topology_holds(c.t, 0, case_place(&c, "n0"), &nothing, 1));
	ck_assert(!kueue_topology_holds(c.t, 0, name_count(c.t->places), &c.gpu, 1));
	case_close(&c);
}
END_TEST

START_TEST(levels_have_numbers)
{
	struct topology_case c;

	case_open(&c, "rack " HOST, hosts);
	ck_assert_uint_eq(kueue_topology_level(&c.t->trees[0], case_string(&c, "rack")), 0);
	ck_assert_uint_eq(kueue_topology_level(&c.t->trees[0], case_string(&c, HOST)), 1);
	ck_assert_uint_eq(kueue_topology_level(&c.t->trees[0], case_string(&c, "block")),
			  TOPOLOGY_NOWHERE);
	kueue_topology_build(c.t, 0, &c.flavors[0], NULL, c.nodes, c.usable, c.node_count);
	ck_assert_ptr_null(c.t->trees[0].topology);
	case_close(&c);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("kueue_topology");
	TCase *tc = tcase_create("kueue_topology");
	SRunner *runner;
	int failed;

	tcase_add_loop_test(tc, tree_has_shape, 0, (int)(sizeof(shapes) / sizeof(shapes[0])));
	tcase_add_test(tc, leaf_sums_its_nodes);
	tcase_add_test(tc, flavor_takes_its_nodes_only);
	tcase_add_test(tc, hosts_are_shared_between_flavors);
	tcase_add_test(tc, racks_are_not_shared_between_flavors);
	tcase_add_test(tc, rollback_undoes_what_was_supposed);
	tcase_add_test(tc, other_pods_count_in_an_empty_cluster_too);
	tcase_add_test(tc, places_outlive_their_nodes);
	tcase_add_test(tc, holds_counts_requests);
	tcase_add_test(tc, levels_have_numbers);
	suite_add_tcase(suite, tc);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
