/* test_kueue_account.c - what Kueue has in hand as a run ends. */
#include <check.h>

#include "sim/kueue/kueue_account.h"
#include "sim/kueue/kueue_queue.h"
#include "tests/support/kueue_story.h"

START_TEST(tells_who_waits_and_what_is_used)
{
	/* a is full and b borrows; of a's three one waits in the heap and two, equal ones,
	 * are parked. */
	struct kueue_story *story = kueue_story_new(
		"%top[0]; %c[1] in=top; a[4]; b[4]; a<h:4; b<i:5; a?p:9; a?q:9; a?r:1@5#9", false);
	const struct journal_account *account;
	const struct journal_queue *a, *b;
	const struct journal_cohort *c;

	kueue_story_run(story, 1);
	kueue_account(story->k, story->journal);
	account = story->journal->account;
	a = &account->queues[kueue_story_queue(story, "a")];
	b = &account->queues[kueue_story_queue(story, "b")];
	ck_assert_uint_eq(a->pending + a->inadmissible, 3);
	ck_assert_uint_le(a->pending_hashes + a->inadmissible_hashes, 3);
	ck_assert_uint_ge(a->pending_hashes + a->inadmissible_hashes, 2);
	ck_assert_int_eq(a->asked[RES_CPU], 19000);
	ck_assert_uint_eq(b->pending + b->inadmissible, 0);
	ck_assert(a->active && b->active);
	ck_assert(a->share == 0 && b->share > 0);
	ck_assert_uint_eq(account->admitting_cycles, 0);
	ck_assert_uint_eq(account->other_cycles, 1);
	c = &account->cohorts[a->cohort];
	ck_assert_uint_eq(c->quota_count, 1);
	ck_assert_int_eq(c->quotas[0].subtree, 9000);
	ck_assert_int_eq(c->quotas[0].used, 9000);
	ck_assert_uint_ne(c->parent, SCENARIO_NONE);
	kueue_story_free(story);
}
END_TEST

static void expect_pending(struct kueue_story *story, uint32_t pending, uint32_t inadmissible)
{
	const struct journal_queue *a;

	kueue_account(story->k, story->journal);
	a = &story->journal->account->queues[kueue_story_queue(story, "a")];
	ck_assert_uint_eq(a->pending, pending);
	ck_assert_uint_eq(a->inadmissible, inadmissible);
}

/* Whole classes change sides: q parks because p, its like, did; a flush brings all back. */
START_TEST(counts_who_moved_with_its_class)
{
	struct kueue_story *story =
		kueue_story_new("a[4]; a<h:4; a?p:4; a?q:4@0#7; a?r:1@5#9", false);
	uint32_t root;

	expect_pending(story, 3, 0);
	kueue_story_run(story, 1);
	expect_pending(story, 2, 1);
	kueue_story_run(story, 1);
	expect_pending(story, 0, 3);
	root = story->k->tree.nodes[kueue_story_queue(story, "a")].root;
	ck_assert(kueue_queue_flush(story->k, root));
	expect_pending(story, 3, 0);
	kueue_story_free(story);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("sim/kueue/kueue_account");
	TCase *t = tcase_create("all");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_add_test(t, tells_who_waits_and_what_is_used);
	tcase_add_test(t, counts_who_moved_with_its_class);
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
