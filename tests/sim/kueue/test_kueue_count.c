/* test_kueue_count.c - Counts that are kept are those that would be made anew. */
#include "sim/kueue/kueue_count.h"

#include <stdlib.h>

#include "tests/sim/topology_random.h"

static struct kueue_count_request random_request(struct topology_random *r)
{
	const struct pod_shape *shape = &r->shapes[random_below(r, RANDOM_SHAPES)];
	struct kueue_count_request q = {.tree = random_below(r, CASE_TREES),
					.workers = shape,
					.empty = random_below(r, 4) == 0,
					.within = TOPOLOGY_NOWHERE,
					.slice_level = r->c.topology.level_count - 1,
					.size = 1,
					.whole = true};

	if (random_below(r, 4) == 0)
		q.leader = &r->shapes[random_below(r, RANDOM_SHAPES)];
	if (shape->slice_level != NAME_NONE) {
		q.slice_level = kueue_topology_level(&r->c.t->trees[q.tree], shape->slice_level);
		q.size = shape->slice_size;
		for (uint32_t l = q.slice_level + 1; l < r->c.topology.level_count; l++)
			q.inner[l] = q.size == 2 ? 2 : 0;
	}
	return q;
}

/* The leaf that is looked up is the one that a look at all finds. */
static void compare_smallest(struct kueue_counter *kept, const struct topology_tree *tree,
			     const struct kueue_room *rooms)
{
	for (int64_t pods = 1; pods < 70; pods += pods < 4 ? 1 : 29) {
		uint32_t best = TOPOLOGY_NOWHERE, leaf;
		int64_t largest = 0, most;

		if (!kueue_count_smallest(kept, pods, &leaf, &most))
			continue;
		for (uint32_t i = 0; i < tree->leaf_count; i++) {
			int64_t has = rooms[tree->first_leaf + i].pods;

			largest = has > largest ? has : largest;
			if (has >= pods &&
			    (best == TOPOLOGY_NOWHERE || has < rooms[tree->first_leaf + best].pods))
				best = i;
		}
		ck_assert_uint_eq(leaf, best);
		if (leaf == TOPOLOGY_NOWHERE)
			ck_assert_int_eq(most, largest);
	}
}

static void compare(struct topology_random *r, struct kueue_counter *kept,
		    struct kueue_counter *anew, const struct kueue_count_request *q)
{
	const struct topology_tree *tree = &r->c.t->trees[q->tree];
	const struct kueue_room *a = kueue_count(kept, q), *b = kueue_count(anew, q);
	struct kueue_exclusions x = kueue_count_excluded(kept), y = kueue_count_excluded(anew);

	for (uint32_t d = 0; d < tree->first_leaf + tree->leaf_count; d++) {
		ck_assert_int_eq(a[d].pods, b[d].pods);
		ck_assert_int_eq(a[d].pods_beside, b[d].pods_beside);
		ck_assert_int_eq(a[d].slices, b[d].slices);
		ck_assert_int_eq(a[d].slices_beside, b[d].slices_beside);
		ck_assert_int_eq(a[d].leaders, b[d].leaders);
	}
	compare_smallest(kept, tree, a);
	ck_assert_uint_eq(x.selector, y.selector);
	ck_assert_uint_eq(x.affinity, y.affinity);
	ck_assert_uint_eq(x.taint_count, y.taint_count);
	for (size_t i = 0; i < x.taint_count; i++) {
		ck_assert_uint_eq(x.taints[i].taint.key, y.taints[i].taint.key);
		ck_assert_uint_eq(x.taints[i].leaves, y.taints[i].leaves);
	}
	for (uint32_t i = 0; i < r->c.s.resource_count; i++)
		ck_assert_uint_eq(x.resources[i], y.resources[i]);
}

static const struct kueue_gates no_gates;

/* Whoever gets the rooms may change them. */
static void spoil(struct topology_random *r, struct kueue_counter *kept,
		  const struct kueue_count_request *q)
{
	const struct topology_tree *tree = &r->c.t->trees[q->tree];
	uint32_t domain;

	if (tree->leaf_count == 0)
		return;
	domain = random_below(r, tree->first_leaf + tree->leaf_count);
	struct kueue_room *rooms = kueue_count(kept, q);

	kueue_count_change(kept, domain);
	rooms[domain] = (struct kueue_room){.pods = 77};
}

START_TEST(kept_counts_are_those_made_anew)
{
	struct topology_random r;
	struct kueue_counter *kept, *anew;

	random_open(&r, (uint64_t)_i);
	kept = kueue_count_new(r.c.t, &no_gates);
	anew = kueue_count_new(r.c.t, &no_gates);
	kueue_count_keep_nothing(anew);
	for (int step = 0; step < 400; step++) {
		size_t mark = kueue_topology_mark(r.c.t);
		uint32_t trials = random_below(&r, 3);

		for (uint32_t n = random_below(&r, 4); n > 0; n--)
			random_change(&r);
		for (uint32_t n = 0; n < trials; n++)
			random_trial(&r);
		for (uint32_t n = 0; n < 3; n++) {
			const struct kueue_count_request q = random_request(&r);

			compare(&r, kept, anew, &q);
			spoil(&r, kept, &q);
		}
		kueue_topology_rollback(r.c.t, mark);
	}
	kueue_count_free(kept);
	kueue_count_free(anew);
	random_close(&r);
}
END_TEST

START_TEST(changes_are_taken_back)
{
	static const struct case_row rows[] = {
		{.values = "r1/a", .gpus = 4}, {.values = "r1/b", .gpus = 2}, {.values = NULL}};
	struct topology_case c;
	struct kueue_counter *counter;
	struct kueue_room *rooms;
	struct kueue_count_request q = {
		.within = TOPOLOGY_NOWHERE, .slice_level = 1, .size = 1, .whole = true};

	case_open(&c, "rack kubernetes.io/hostname", rows);
	counter = kueue_count_new(c.t, &no_gates);
	q.workers = &c.gpu;
	rooms = kueue_count(counter, &q);
	ck_assert_int_eq(rooms[0].pods, 6);
	kueue_count_change(counter, 0);
	rooms[0].pods = 1;
	kueue_count_change(counter, 0);
	rooms[0].pods = 2;
	ck_assert_int_eq(kueue_count(counter, &q)[0].pods, 6);
	kueue_topology_use(c.t, 0, case_place(&c, "b"), &c.gpu, 1);
	ck_assert_int_eq(kueue_count(counter, &q)[0].pods, 5);
	ck_assert_int_eq(rooms[2].slices, 1);
	kueue_count_free(counter);
	case_close(&c);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("kueue_count");
	TCase *tc = tcase_create("kueue_count");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_loop_test(tc, kept_counts_are_those_made_anew, 0, 40);
	tcase_add_test(tc, changes_are_taken_back);
	suite_add_tcase(suite, tc);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
