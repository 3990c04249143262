/* test_kueue_victim.c - Candidate order, and who comes back. */
#include <check.h>
#include <string.h>

#include "sim/kueue/kueue_victim.h"
#include "tests/support/below.h"
#include "tests/support/kueue_story.h"

static struct kueue_candidate candidate(unsigned *seed)
{
	return (struct kueue_candidate){.job = below(seed, 3),
					.queue = 0,
					.local_queue = KUEUE_NONE,
					.evicted = below(seed, 2) == 0,
					.same = below(seed, 2) == 0,
					.priority = (int32_t)below(seed, 2),
					.since = below(seed, 2)};
}

START_TEST(order_is_strict)
{
	struct kueue_story *s = kueue_story_new("a[2] in=-", false);
	unsigned seed = 7;

	for (int i = 0; i < 5000; i++) {
		struct kueue_candidate a = candidate(&seed), b = candidate(&seed),
				       c = candidate(&seed);
		int ab = kueue_victim_compare(s->k, &a, &b),
		    bc = kueue_victim_compare(s->k, &b, &c);

		ck_assert_int_eq(kueue_victim_compare(s->k, &a, &a), 0);
		ck_assert_int_eq(ab, -kueue_victim_compare(s->k, &b, &a));
		if (ab < 0 && bc < 0)
			ck_assert_int_lt(kueue_victim_compare(s->k, &a, &c), 0);
	}
	kueue_story_free(s);
}
END_TEST

/* Sizes 1, 3 removed for 3: the 1 comes back (spec trap 31). */
START_TEST(fill_back)
{
	struct kueue_story *s = kueue_story_new("a[4] in=-; a<x:1; a<y:3; a?p:3@9", false);
	uint32_t column = kueue_column(s->k, 0, RES_CPU);
	struct quota_amount request = {column, 3000};
	struct kueue_search search = {.job = kueue_story_job(s, "p"),
				      .columns = &column,
				      .column_count = 1,
				      .request = &request,
				      .request_count = 1};
	size_t mark = quota_mark(&s->k->tree);

	s->k->target_count = 0;
	kueue_victim_remove(s->k, kueue_story_job(s, "x"), PREEMPTION_IN_QUEUE);
	ck_assert(!kueue_victim_fits(s->k, &search, true));
	kueue_victim_remove(s->k, kueue_story_job(s, "y"), PREEMPTION_IN_QUEUE);
	ck_assert(kueue_victim_fits(s->k, &search, true));
	kueue_victim_fill_back(s->k, &search, true);
	ck_assert_uint_eq(s->k->target_count, 1);
	ck_assert_uint_eq(s->k->targets[0].job, kueue_story_job(s, "y"));
	quota_rollback(&s->k->tree, mark);
	kueue_story_free(s);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("sim/kueue/kueue_victim");
	TCase *t = tcase_create("all");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_add_test(t, order_is_strict);
	tcase_add_test(t, fill_back);
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
