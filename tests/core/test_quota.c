/* test_quota.c - The quota tree: worked numbers of spec KUEUE.md 2.5, and random trees
 * against the definitions.
 */
#include <check.h>
#include <math.h>
#include <stdlib.h>

#include "core/quota.h"
#include "core/res.h"
#include "tests/support/below.h"

#define COUNT(rows) ((int)(sizeof(rows) / sizeof((rows)[0])))

static const uint32_t one_resource[] = {0}, one_rank[] = {0};

/* Flat cohort: leaf 0 (A) nominal 10, leaf 1 (B) nominal 6, lends 2; node 2 over both. */
static void flat(struct quota_tree *t, int64_t borrowing_a)
{
	quota_init(t, 2, 1, 1, 1, one_resource, one_rank);
	quota_limit(t, 0, 0, (struct quota_limits){10, borrowing_a, QUOTA_UNSET});
	quota_limit(t, 1, 0, (struct quota_limits){6, QUOTA_UNSET, 2});
	quota_attach(t, 0, 2, 0, 1);
	quota_attach(t, 1, 2, 1, 1);
	quota_rebuild(t);
}

static const struct {
	const char *name;
	int64_t borrowing_a, use_a, use_b;
	int64_t left_a, left_b; /* available */
} flat_rows[] = {
	{"empty", QUOTA_UNSET, 0, 0, 12, 16},
	{"A uses 8", QUOTA_UNSET, 8, 0, 4, 8},
	{"then B 5, of which 1 reaches the cohort", QUOTA_UNSET, 8, 5, 3, 3},
	{"A may borrow 1", 1, 8, 5, 3, 3},
	{"A full", 1, 10, 0, 1, 6},
	{"debt is nothing left", QUOTA_UNSET, 20, 0, 0, 0},
};

START_TEST(flat_cohort)
{
	struct quota_tree t;

	flat(&t, flat_rows[_i].borrowing_a);
	quota_add(&t, 0, 0, flat_rows[_i].use_a);
	quota_add(&t, 1, 0, flat_rows[_i].use_b);
	ck_assert_msg(quota_available(&t, 0, 0) == flat_rows[_i].left_a, "%s: A",
		      flat_rows[_i].name);
	ck_assert_msg(quota_available(&t, 1, 0) == flat_rows[_i].left_b, "%s: B",
		      flat_rows[_i].name);
	quota_free(&t);
}
END_TEST

/* R(4) over X(0, borrows 1) over x(5), and r(3) beside X: leaves 0 x, 1 r; 2 X, 3 R. */
START_TEST(hierarchy)
{
	struct quota_tree t;
	bool may_reclaim;

	quota_init(&t, 2, 2, 1, 1, one_resource, one_rank);
	quota_limit(&t, 0, 0, (struct quota_limits){5, QUOTA_UNSET, QUOTA_UNSET});
	quota_limit(&t, 1, 0, (struct quota_limits){3, QUOTA_UNSET, QUOTA_UNSET});
	quota_limit(&t, 2, 0, (struct quota_limits){0, 1, QUOTA_UNSET});
	quota_limit(&t, 3, 0, (struct quota_limits){4, QUOTA_UNSET, QUOTA_UNSET});
	quota_attach(&t, 0, 2, 0, 1);
	quota_attach(&t, 1, 3, 1, 1);
	quota_attach(&t, 2, 3, 2, 1);
	quota_rebuild(&t);
	ck_assert_int_eq(quota_potential(&t, 0, 0), 6);
	quota_add(&t, 1, 0, 9);
	ck_assert_int_eq(quota_available(&t, 0, 0), 3);
	ck_assert_uint_eq(quota_level(&t, 0, 0, 6, &may_reclaim), 2);
	ck_assert(!may_reclaim);
	ck_assert_uint_eq(quota_level(&t, 0, 0, 5, &may_reclaim), 0);
	ck_assert(may_reclaim);
	quota_free(&t);
}
END_TEST

/* r(0) in R beside X, which has x(4) alone: hidden, x lends on, but X is no height. */
START_TEST(hidden_leaves_count_only_in_sums)
{
	struct quota_tree t;
	bool may_reclaim;

	quota_init(&t, 2, 2, 1, 1, one_resource, one_rank);
	quota_limit(&t, 0, 0, (struct quota_limits){4, QUOTA_UNSET, QUOTA_UNSET});
	quota_attach(&t, 0, 2, 0, 1);
	quota_attach(&t, 1, 3, 1, 1);
	quota_attach(&t, 2, 3, 2, 1);
	quota_rebuild(&t);
	ck_assert_uint_eq(quota_level(&t, 1, 0, 3, &may_reclaim), 2);
	quota_hide(&t, 0, true);
	quota_rebuild(&t);
	quota_add(&t, 0, 0, 1);
	ck_assert_uint_eq(quota_level(&t, 1, 0, 3, &may_reclaim), 1);
	ck_assert_int_eq(quota_available(&t, 1, 0), 3);
	ck_assert_uint_eq(t.nodes[2].leaf_count, 0);
	quota_free(&t);
}
END_TEST

START_TEST(unlimited_quota_stays_so)
{
	struct quota_tree t;

	quota_init(&t, 1, 0, 1, 1, one_resource, one_rank);
	quota_limit(&t, 0, 0, (struct quota_limits){RES_UNLIMITED, QUOTA_UNSET, QUOTA_UNSET});
	quota_rebuild(&t);
	quota_add(&t, 0, 0, INT64_MAX / 2);
	ck_assert_int_eq(quota_available(&t, 0, 0), RES_UNLIMITED);
	quota_free(&t);
}
END_TEST

/* Spec 4.6: potential 20, nominal 5, uses 9: 4 x 1000 / 20 = 200; weight 2: 100. */
START_TEST(shares)
{
	struct quota_tree t;
	struct quota_share a, b;

	quota_init(&t, 2, 1, 1, 1, one_resource, one_rank);
	quota_limit(&t, 0, 0, (struct quota_limits){5, QUOTA_UNSET, QUOTA_UNSET});
	quota_limit(&t, 1, 0, (struct quota_limits){15, QUOTA_UNSET, QUOTA_UNSET});
	quota_attach(&t, 0, 2, 0, 2);
	quota_attach(&t, 1, 2, 1, 0);
	quota_rebuild(&t);
	quota_add(&t, 0, 0, 9);
	a = *quota_share(&t, 0);
	ck_assert(a.borrowing && a.ratio == 200 && a.value == 100);
	b = *quota_share(&t, 1);
	ck_assert(!b.borrowing && b.value == 0);
	ck_assert_int_gt(quota_share_compare(&a, &b), 0);
	quota_add(&t, 1, 0, 16);
	b = *quota_share(&t, 1); /* weight 0, borrowing: above everything */
	ck_assert(isinf(b.value));
	ck_assert_int_gt(quota_share_compare(&b, &a), 0);
	ck_assert_int_lt(quota_share_compare(&a, &b), 0);
	quota_add(&t, 1, 0, 1);
	a = *quota_share(&t, 1); /* of two such ones the ratio decides */
	ck_assert_int_gt(quota_share_compare(&a, &b), 0);
	ck_assert_int_lt(quota_share_compare(&b, &a), 0);
	ck_assert_int_eq(quota_share_compare(&a, &a), 0);
	ck_assert(quota_share_touches(&t, 0, &(struct quota_amount){0, 1}, 1));
	ck_assert(!quota_share_touches(&t, 0, &(struct quota_amount){0, 0}, 1));
	quota_free(&t);
}
END_TEST

#define LEAVES	6
#define COHORTS 4
#define COLUMNS 3

static int64_t limit(unsigned *seed)
{
	return below(seed, 2) == 0 ? QUOTA_UNSET : (int64_t)below(seed, 12);
}

static void random_tree(struct quota_tree *t, unsigned *seed, const uint32_t *resources,
			const uint32_t *ranks)
{
	quota_init(t, LEAVES, COHORTS, COLUMNS, COLUMNS, resources, ranks);
	for (uint32_t n = 0; n < LEAVES + COHORTS; n++) {
		/* a cohort's parent has a smaller index, so there are no cycles */
		uint32_t above = n < LEAVES ? COHORTS : n - LEAVES;
		uint32_t parent = above == 0 || below(seed, 6) == 0 ? QUOTA_NONE
								    : LEAVES + below(seed, above);

		quota_attach(t, n, parent, n, 1);
		for (uint32_t c = 0; c < COLUMNS; c++)
			quota_limit(
				t, n, c,
				(struct quota_limits){below(seed, 20), limit(seed), limit(seed)});
	}
	quota_rebuild(t);
}

/* Path updates against working everything out anew; trial changes leave no trace. */
START_TEST(random_against_rebuild)
{
	static const uint32_t resources[] = {0, 1, 2}, ranks[] = {0, 1, 2};
	unsigned seed = (unsigned)_i + 1;
	struct quota_tree t;
	int64_t before[(LEAVES + COHORTS) * COLUMNS], held[LEAVES][COLUMNS] = {{0}};
	size_t mark;

	random_tree(&t, &seed, resources, ranks);
	for (int step = 0; step < 200; step++) {
		uint32_t leaf = below(&seed, LEAVES), column = below(&seed, COLUMNS);
		int64_t amount = below(&seed, 9);

		if (below(&seed, 2) == 0) {
			quota_add(&t, leaf, column, amount);
			held[leaf][column] += amount;
		} else if (held[leaf][column] >= amount) {
			quota_remove(&t, leaf, column, amount);
			held[leaf][column] -= amount;
		}
	}
	mark = quota_mark(&t);
	for (uint32_t i = 0; i < (LEAVES + COHORTS) * COLUMNS; i++)
		before[i] = t.cells[i].usage;
	for (int step = 0; step < 50; step++)
		quota_add(&t, below(&seed, LEAVES), below(&seed, COLUMNS),
			  (int64_t)below(&seed, 9) - 4);
	quota_rollback(&t, mark);
	for (uint32_t i = 0; i < (LEAVES + COHORTS) * COLUMNS; i++)
		ck_assert_msg(t.cells[i].usage == before[i], "seed %d: cell %u after rollback", _i,
			      i);
	quota_rebuild(&t);
	for (uint32_t i = 0; i < (LEAVES + COHORTS) * COLUMNS; i++)
		ck_assert_msg(t.cells[i].usage == before[i], "seed %d: cell %u after rebuild", _i,
			      i);
	quota_free(&t);
}
END_TEST

/* What each node above would use if the leaf used so much less, or more, against writing it. */
START_TEST(passed_on_is_as_if_written)
{
	static const uint32_t resources[] = {0, 1, 2}, ranks[] = {0, 1, 2};
	unsigned seed = (unsigned)_i + 1;
	struct quota_tree t;

	random_tree(&t, &seed, resources, ranks);
	for (int step = 0; step < 200; step++) {
		uint32_t leaf = below(&seed, LEAVES), column = below(&seed, COLUMNS), node = leaf;
		int64_t less = (int64_t)below(&seed, 17) - 8, told[LEAVES + COHORTS];

		quota_add(&t, leaf, column, below(&seed, 9));
		if (less > quota_at(&t, leaf, column)->usage)
			continue;
		for (int64_t part = less; node != QUOTA_NONE; node = t.nodes[node].parent) {
			told[node] = quota_at(&t, node, column)->usage - part;
			part = quota_passed_on(&t, node, column, part);
		}
		if (less > 0)
			quota_remove(&t, leaf, column, less);
		else
			quota_add(&t, leaf, column, -less);
		for (node = leaf; node != QUOTA_NONE; node = t.nodes[node].parent)
			ck_assert_int_eq(quota_at(&t, node, column)->usage, told[node]);
	}
	quota_free(&t);
}
END_TEST

/* What would be available without some usage, against taking it away. */
START_TEST(without_is_as_if_removed)
{
	static const uint32_t resources[] = {0, 1, 2}, ranks[] = {0, 1, 2};
	unsigned seed = (unsigned)_i + 1;
	struct quota_share share;
	struct quota_tree t;

	random_tree(&t, &seed, resources, ranks);
	for (int step = 0; step < 200; step++) {
		uint32_t leaf = below(&seed, LEAVES), column = below(&seed, COLUMNS);
		int64_t less = below(&seed, 9), told;
		size_t mark;

		quota_add(&t, leaf, column, below(&seed, 9));
		if (less > quota_at(&t, leaf, column)->usage)
			continue;
		told = quota_available_without(&t, leaf, column, less);
		share = quota_share_without(&t, leaf, &(struct quota_amount){column, less}, 1);
		mark = quota_mark(&t);
		quota_remove(&t, leaf, column, less);
		ck_assert_int_eq(quota_available(&t, leaf, column), told);
		ck_assert_int_eq(quota_share_compare(quota_share(&t, leaf), &share), 0);
		ck_assert_uint_eq(quota_share(&t, leaf)->resource, share.resource);
		quota_rollback(&t, mark);
	}
	quota_free(&t);
}
END_TEST

/* All that is to be known before so much is taken, against asking for each. Amounts are up to
 * what no node has, usages down to debts, and above what there is. */
START_TEST(room_is_what_the_others_say)
{
	static const uint32_t resources[] = {0, 1, 2}, ranks[] = {0, 1, 2};
	unsigned seed = (unsigned)_i + 1, seen = 0;
	struct quota_tree t;

	random_tree(&t, &seed, resources, ranks);
	for (uint32_t n = 0; _i % 2 == 0 && n < LEAVES; n++) { /* trees of two levels */
		quota_attach(&t, n, LEAVES, n, 1);
		quota_attach(&t, LEAVES, QUOTA_NONE, LEAVES, 1);
	}
	quota_rebuild(&t);
	for (int step = 0; step < 400; step++) {
		uint32_t leaf = below(&seed, LEAVES), column = below(&seed, COLUMNS), level, want;
		int64_t amount = (int64_t)below(&seed, 60) - 2;
		bool may_reclaim;
		enum quota_room room = quota_room_for(&t, leaf, column, amount, &level);

		seen |= 1U << room;
		want = quota_level(&t, leaf, column, amount, &may_reclaim);
		if (amount > quota_potential(&t, leaf, column)) {
			ck_assert_int_eq(room, QUOTA_NEVER);
		} else {
			ck_assert_uint_eq(level, want);
			ck_assert_int_eq(room, amount > quota_available(&t, leaf, column)
						       ? QUOTA_FULL
						       : QUOTA_ROOM);
		}
		quota_add(&t, leaf, column, below(&seed, 9));
		quota_remove(&t, leaf, column, below(&seed, 9));
	}
	ck_assert_uint_eq(seen, 7);
	quota_free(&t);
}
END_TEST

START_TEST(flat_means_one_cohort)
{
	struct quota_tree t;

	flat(&t, QUOTA_UNSET);
	ck_assert(quota_is_flat(&t, 0) && quota_is_flat(&t, 1));
	quota_free(&t);
	/* leaf 0 below cohort 2 below root 3, leaf 1 beside it */
	quota_init(&t, 2, 2, 1, 1, one_resource, one_rank);
	quota_attach(&t, 0, 2, 0, 1);
	quota_attach(&t, 1, 3, 1, 1);
	quota_attach(&t, 2, 3, 2, 1);
	quota_rebuild(&t);
	ck_assert(!quota_is_flat(&t, 0) && !quota_is_flat(&t, 1));
	quota_free(&t);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("core/quota");
	TCase *t = tcase_create("all");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_add_loop_test(t, flat_cohort, 0, COUNT(flat_rows));
	tcase_add_test(t, hierarchy);
	tcase_add_test(t, hidden_leaves_count_only_in_sums);
	tcase_add_test(t, unlimited_quota_stays_so);
	tcase_add_test(t, shares);
	tcase_add_loop_test(t, random_against_rebuild, 0, 50);
	tcase_add_loop_test(t, without_is_as_if_removed, 0, 50);
	tcase_add_loop_test(t, passed_on_is_as_if_written, 0, 50);
	tcase_add_loop_test(t, room_is_what_the_others_say, 0, 60);
	tcase_add_test(t, flat_means_one_cohort);
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
