/* test_kueue_roll.c - Who is on a LocalQueue's roll when the queue changes. */
#include "sim/kueue/kueue_hold.h"
#include "sim/kueue/kueue_roll.h"

#include <check.h>

#include "tests/support/kueue_story.h"

#define JOBS 4

static uint32_t seen[JOBS], seen_count;

static void see(struct kueue *k, uint32_t job)
{
	(void)k;
	ck_assert_uint_lt(seen_count, JOBS);
	seen[seen_count++] = job;
}

static uint32_t visit(struct kueue_story *s)
{
	seen_count = 0;
	kueue_roll_visit(s->k, s->scenario->jobs[0].common->local_queue, see);
	return seen_count;
}

/* All wait in a; h holds quota. */
static struct kueue_story *story(void)
{
	struct kueue_story *s = kueue_story_new("a[4] in=-; a<h:4@1; a?p:1; a?q:1; a?u:1", false);

	for (uint32_t j = 0; j < JOBS; j++)
		ck_assert_uint_eq(s->scenario->jobs[j].common->local_queue,
				  s->scenario->jobs[0].common->local_queue);
	s->scenario->update_count = 1;
	return s;
}

static void end(struct kueue_story *s)
{
	s->scenario->update_count = 0;
	kueue_roll_close(s->k);
	kueue_story_free(s);
}

START_TEST(those_submitted_in_job_order)
{
	struct kueue_story *s = story();

	ck_assert_uint_eq(visit(s), 0);
	kueue_roll_add(s->k, 3);
	kueue_roll_add(s->k, 0);
	kueue_roll_add(s->k, 1);
	ck_assert_uint_eq(visit(s), 3);
	ck_assert(seen[0] == 0 && seen[1] == 1 && seen[2] == 3);
	kueue_roll_add(s->k, 2);
	ck_assert_uint_eq(visit(s), 4);
	ck_assert(seen[2] == 2 && seen[3] == 3);
	end(s);
}
END_TEST

/* One that is done and still has its quota is there. */
START_TEST(none_that_is_over)
{
	struct kueue_story *s = story();
	uint32_t h = kueue_story_job(s, "h"), p = kueue_story_job(s, "p");

	kueue_roll_add(s->k, h);
	kueue_roll_add(s->k, p);
	world_job(&s->world, h)->phase = JOB_DONE;
	world_job(&s->world, p)->phase = JOB_DONE;
	ck_assert_uint_eq(visit(s), 2);
	kueue_hold_drop(s->k, h);
	ck_assert_uint_eq(visit(s), 1);
	ck_assert_uint_eq(seen[0], p);
	end(s);
}
END_TEST

START_TEST(no_roll_where_no_object_changes)
{
	struct kueue_story *s = story();

	s->scenario->update_count = 0;
	kueue_roll_add(s->k, 0);
	ck_assert_ptr_null(s->k->rolls);
	ck_assert_uint_eq(visit(s), 0);
	end(s);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("sim/kueue/kueue_roll");
	TCase *t = tcase_create("all");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_add_test(t, those_submitted_in_job_order);
	tcase_add_test(t, none_that_is_over);
	tcase_add_test(t, no_roll_where_no_object_changes);
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
