/* test_kueue_reclaim.c - Pods that are done give their quota back. */
#include <check.h>

#include "sim/kueue/kueue_life.h"
#include "sim/kueue/kueue_queue.h"
#include "sim/kueue/kueue_reclaim.h"
#include "tests/support/kueue_story.h"

static void reclaim(struct kueue_story *s, const char *job, uint32_t pods)
{
	s->k->plan = &s->plan;
	kueue_reclaim(s->k, kueue_story_job(s, job), pods);
}

static int64_t used(const struct kueue_story *s)
{
	return quota_at(&s->k->tree, 0, 0)->usage;
}

/* The last decision of that kind. */
static const struct decision *decided(const struct kueue_story *s, enum decision_kind kind)
{
	const struct decision *found = NULL;

	for (size_t i = 0; i < s->plan.count; i++) {
		if (s->plan.items[i].kind == kind)
			found = &s->plan.items[i];
	}
	return found;
}

START_TEST(others_are_let_in)
{
	struct kueue_story *s = kueue_story_new("a[4] in=-; a?p:4@5/1; a?q:2", false);
	const struct decision *d;

	ck_assert_str_eq(kueue_story_run(s, 2), "admit p f1; q parked");
	ck_assert_int_eq(used(s), 4000);
	reclaim(s, "p", 1);
	ck_assert_int_eq(used(s), 3000);
	reclaim(s, "p", 3);
	ck_assert_int_eq(used(s), 1000);
	d = decided(s, DECIDE_RECLAIM);
	ck_assert_ptr_nonnull(d);
	ck_assert_uint_eq(d->admission->pod_sets[0].count, 1);
	ck_assert_uint_eq(s->k->flush_now_count, 1);
	kueue_queue_flush(s->k, s->k->tree.nodes[0].root);
	plan_clear(&s->plan);
	ck_assert_str_eq(kueue_story_run(s, 1), "admit q f1");
	ck_assert_int_eq(used(s), 3000);
	kueue_story_free(s);
}
END_TEST

/* What is left of a workload that comes back is all that it asks for. */
START_TEST(comes_back_smaller)
{
	struct kueue_story *s = kueue_story_new("a[4] in=-; a?p:4@5/1; a?q:2", false);
	uint32_t job = kueue_story_job(s, "p");

	ck_assert_str_eq(kueue_story_run(s, 2), "admit p f1; q parked");
	reclaim(s, "p", 2);
	kueue_life_evict(s->k, job, CAUSE_PREEMPTED, "reason=Preempted", "");
	world_job(&s->world, job)->phase = JOB_PENDING;
	kueue_life_released(s->k, job);
	plan_clear(&s->plan);
	kueue_queue_flush(s->k, s->k->tree.nodes[0].root);
	ck_assert_str_eq(kueue_story_run(s, 2), "admit p f1 2; admit q f1");
	ck_assert_int_eq(used(s), 4000);
	kueue_story_free(s);
}
END_TEST

/* Partial admission: only what is less than was admitted is given back. */
START_TEST(fewer_than_admitted)
{
	struct kueue_story *s = kueue_story_new("a[2] in=-; a?p:4/1", false);

	ck_assert_str_eq(kueue_story_run(s, 1), "admit p f1 2");
	reclaim(s, "p", 1);
	ck_assert_int_eq(used(s), 2000);
	reclaim(s, "p", 3);
	ck_assert_int_eq(used(s), 1000);
	kueue_story_free(s);
}
END_TEST

/* One that is told to stop gives everything back once it has, and nothing before. */
START_TEST(nothing_on_the_way_out)
{
	struct kueue_story *s = kueue_story_new("a[4] in=-; a?p:4@5/1; a?q:2", false);

	ck_assert_str_eq(kueue_story_run(s, 2), "admit p f1; q parked");
	s->k->plan = &s->plan;
	kueue_life_evict(s->k, kueue_story_job(s, "p"), CAUSE_PREEMPTED, "reason=Preempted", "");
	reclaim(s, "p", 3);
	ck_assert_int_eq(used(s), 4000);
	ck_assert_ptr_null(decided(s, DECIDE_RECLAIM));
	kueue_story_free(s);
}
END_TEST

START_TEST(gate_off)
{
	struct kueue_story *s =
		kueue_story_new("a[4] in=-; a?p:4@5/1; a?q:2; ^ReclaimablePods=false", false);

	ck_assert_str_eq(kueue_story_run(s, 2), "admit p f1; q parked");
	reclaim(s, "p", 3);
	ck_assert_int_eq(used(s), 4000);
	kueue_story_free(s);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("sim/kueue/kueue_reclaim");
	TCase *t = tcase_create("all");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_add_test(t, others_are_let_in);
	tcase_add_test(t, comes_back_smaller);
	tcase_add_test(t, fewer_than_admitted);
	tcase_add_test(t, nothing_on_the_way_out);
	tcase_add_test(t, gate_off);
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
