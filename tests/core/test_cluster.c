#include "core/cluster.h"

#include <check.h>

#define COUNT(rows) ((int)(sizeof(rows) / sizeof((rows)[0])))

/* allocatable: cpu 4000, memory 100, no limit on ephemeral storage, 2 pods, 4 GPUs */
static const int64_t allocatable[RES_FIXED] = {4000, 100, RES_UNLIMITED, 2, 4};

struct fixture {
	struct node node;
	struct cluster_usage usage;
};

static void setup(struct fixture *f)
{
	f->node = (struct node){.allocatable = allocatable, .ready = true};
	cluster_usage_init(&f->usage, &f->node, 1, RES_FIXED);
}

static struct pod_shape shape_of(const int64_t request[RES_FIXED])
{
	struct pod_shape shape = {.request = request, .nonzero_cpu = 100, .nonzero_memory = 200};

	for (uint32_t r = 0; r < RES_FIXED; r++)
		shape.requested |= (uint64_t)(request[r] != 0) << r;
	return shape;
}

static const struct {
	const char *name;
	int64_t request[RES_FIXED];
	bool empty, after; /* fits the empty node; fits beside a pod of 3000, 50, 0, 3 GPUs */
} rows[] = {
	{"nothing asked for: only pods are counted", {0}, true, true},
	{"all that is left", {1000, 50, 0, 0, 1}, true, true},
	{"one GPU too many", {0, 0, 0, 0, 2}, true, false},
	{"one milli too much", {1001, 0, 0, 0, 0}, true, false},
	{"more than the node has", {0, 101, 0, 0, 0}, false, false},
	{"what the node does not limit", {0, 0, RES_UNLIMITED, 0, 0}, true, true},
};

START_TEST(fits)
{
	static const int64_t first[RES_FIXED] = {3000, 50, 0, 0, 3};
	struct pod_shape shape = shape_of(rows[_i].request), other = shape_of(first);
	struct fixture f;

	setup(&f);
	ck_assert_msg(cluster_fits(&f.usage, 0, &shape) == rows[_i].empty, "%s", rows[_i].name);
	cluster_add(&f.usage, 0, &other);
	ck_assert_msg(cluster_fits(&f.usage, 0, &shape) == rows[_i].after, "%s", rows[_i].name);
	cluster_usage_free(&f.usage);
}
END_TEST

START_TEST(pods_are_counted)
{
	static const int64_t none[RES_FIXED] = {0};
	struct pod_shape shape = shape_of(none);
	struct fixture f;

	setup(&f);
	cluster_add(&f.usage, 0, &shape);
	ck_assert(cluster_fits(&f.usage, 0, &shape));
	cluster_add(&f.usage, 0, &shape);
	ck_assert(!cluster_fits(&f.usage, 0, &shape));
	ck_assert_int_eq(f.usage.nonzero[0], 200);
	ck_assert_int_eq(f.usage.nonzero[1], 400);
	cluster_usage_free(&f.usage);
}
END_TEST

/* Also where an absurd request is beyond all sums. */
START_TEST(removing_undoes_adding)
{
	static const int64_t huge[RES_FIXED] = {0, 0, RES_UNLIMITED, 0, 0},
			     small[RES_FIXED] = {1, 2, 3, 0, 1};
	struct pod_shape a = shape_of(huge), b = shape_of(small);
	struct fixture f;

	setup(&f);
	cluster_add(&f.usage, 0, &b);
	cluster_add(&f.usage, 0, &a);
	cluster_add(&f.usage, 0, &a);
	cluster_remove(&f.usage, 0, &a);
	cluster_remove(&f.usage, 0, &a);
	ck_assert_int_eq(f.usage.used[RES_CPU], 1);
	ck_assert_int_eq(f.usage.used[RES_MEMORY], 2);
	ck_assert_int_eq(f.usage.used[RES_EPHEMERAL], 3);
	ck_assert_int_eq(f.usage.used[RES_PODS], 1);
	ck_assert_int_eq(f.usage.used[RES_GPU], 1);
	cluster_usage_free(&f.usage);
}
END_TEST

static const struct {
	const char *name;
	bool ready, cordoned, tainted, preferred; /* the node */
	bool tolerates_all, selects;		  /* the pod */
	bool suits;
} suit_rows[] = {
	{"plain", true, false, false, false, false, false, true},
	{"not ready", false, false, false, false, true, false, false},
	{"cordoned", true, true, false, false, false, false, false},
	{"cordoned and tolerated", true, true, false, false, true, false, true},
	{"tainted", true, false, true, false, false, false, false},
	{"tainted and tolerated", true, false, true, false, true, false, true},
	{"a preference does not repel", true, false, true, true, false, false, true},
	{"selector without the label", true, false, false, false, false, true, false},
};

START_TEST(suits)
{
	static const int64_t none[RES_FIXED] = {0};
	struct name_table *t = name_new();
	struct taint taint = {name_add(t, "gpu"), NAME_NONE,
			      suit_rows[_i].preferred ? TAINT_PREFER_NO_SCHEDULE
						      : TAINT_NO_SCHEDULE};
	struct toleration all = {.key = NAME_NONE, .value = NAME_NONE, .op = TOLERATION_EXISTS};
	struct label label = {name_add(t, "pool"), name_add(t, "a")};
	struct node node = {.allocatable = allocatable,
			    .ready = suit_rows[_i].ready,
			    .unschedulable = suit_rows[_i].cordoned,
			    .taints = {&taint, suit_rows[_i].tainted}};
	struct pod_shape shape = shape_of(none);

	shape.tolerations = (struct toleration_set){&all, suit_rows[_i].tolerates_all};
	shape.node_selector = (struct label_set){&label, suit_rows[_i].selects};
	ck_assert_msg((cluster_node_tolerated(t, &node, &shape) &&
		       cluster_node_selected(t, &node, &shape)) == suit_rows[_i].suits,
		      "%s", suit_rows[_i].name);
	name_free(t);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("core/cluster");
	TCase *t = tcase_create("all");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_add_loop_test(t, fits, 0, COUNT(rows));
	tcase_add_test(t, pods_are_counted);
	tcase_add_test(t, removing_undoes_adding);
	tcase_add_loop_test(t, suits, 0, COUNT(suit_rows));
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
