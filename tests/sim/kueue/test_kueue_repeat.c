#include "core/mem.h"
#include "sim/kueue/kueue_hold.h"
#include "sim/kueue/kueue_objects.h"
#include "sim/kueue/kueue_repeat.h"
#include "sim/kueue/kueue_status.h"

#include <check.h>

#include "tests/support/kueue_story.h"

/* At JOURNAL_FACTS, where nobody is told anything. p evicts h and waits for it to leave. */
static struct kueue_story *waiting(void)
{
	struct kueue_story *s = kueue_story_new(
		"a[4] w=L r=A; b[4] w=L r=A; c[1]; a<h:4@1; b<i:4@1; c<j:1@1; a?p:4@5; b?q:4@1",
		false);

	s->k->full = false;
	kueue_repeat_open(s->k);
	ck_assert_str_eq(kueue_story_run(s, 3), "preempt h p InClusterQueue; p heap; q parked");
	return s;
}

/* Runs one cycle. Were its heads popped? */
static bool pops(struct kueue_story *s)
{
	uint64_t stamp = s->k->stamp;
	uint32_t cycle = s->k->cycle;

	s->k->plan = &s->plan;
	kueue_cycle_run(s->k);
	ck_assert_uint_eq(s->k->cycle, cycle + 1);
	return s->k->stamp != stamp;
}

START_TEST(heads_that_wait_stay_where_they_are)
{
	struct kueue_story *s = waiting();

	ck_assert(!pops(s));
	ck_assert(!pops(s));
	ck_assert_uint_eq(s->k->jobs[kueue_story_job(s, "p")].place, PLACE_ACTIVE);
	ck_assert_uint_eq(s->k->queues[kueue_story_queue(s, "a")].preemptor,
			  kueue_story_job(s, "p"));
	kueue_story_free(s);
}
END_TEST

START_TEST(a_change_ends_it)
{
	struct kueue_story *s = waiting();

	kueue_hold_drop(s->k, kueue_story_job(s, "j"));
	ck_assert(pops(s));
	ck_assert(!pops(s));
	kueue_objects_apply(s->k);
	ck_assert(pops(s));
	ck_assert(!pops(s));
	s->k->lq_changes++; /* admission fair sharing: its searches order victims by usage */
	ck_assert(pops(s));
	ck_assert(!pops(s));
	s->k->told = mem_calloc(s->k->job_count, sizeof(*s->k->told));
	kueue_objects_apply(s->k);
	ck_assert(pops(s)); /* it is told that it waits */
	ck_assert(!pops(s));
	kueue_status(s->k, kueue_story_job(s, "p"), WHY_SUSPENDED, "something else");
	ck_assert(pops(s));
	ck_assert(!pops(s));
	s->k->jobs[kueue_story_job(s, "p")].order++;
	ck_assert(pops(s));
	s->k->queues[kueue_story_queue(s, "a")].preemptor_changed = true;
	ck_assert(pops(s));
	kueue_story_free(s);
}
END_TEST

START_TEST(a_cycle_that_decides_is_no_pattern)
{
	struct kueue_story *s =
		kueue_story_new("a[4] w=L; a<h:2@1; a<i:2@1; a?p:2@5; a?q:2@5", false);

	s->k->full = false;
	kueue_repeat_open(s->k);
	ck_assert(pops(s)); /* evicts */
	ck_assert(pops(s)); /* and finds them on their way */
	ck_assert(!pops(s));
	kueue_story_free(s);
}
END_TEST

START_TEST(with_messages_each_cycle_runs)
{
	struct kueue_story *s = kueue_story_new("a[4]; a<h:4@1; a?p:4@5", false);

	kueue_repeat_open(s->k);
	ck_assert_ptr_null(s->k->repeat);
	ck_assert(!kueue_repeat_holds(s->k));
	kueue_story_free(s);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("sim/kueue/kueue_repeat");
	TCase *t = tcase_create("all");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_add_test(t, heads_that_wait_stay_where_they_are);
	tcase_add_test(t, a_change_ends_it);
	tcase_add_test(t, a_cycle_that_decides_is_no_pattern);
	tcase_add_test(t, with_messages_each_cycle_runs);
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
