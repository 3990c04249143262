#include "sim/kueue/kueue_express.h"

#include <check.h>

#include "sim/kueue/kueue_bound.h"
#include "sim/kueue/kueue_hold.h"
#include "sim/kueue/kueue_objects.h"
#include "sim/kueue/kueue_queue.h"
#include "tests/support/kueue_story.h"

/* Lets the first of the heads be admitted by a whole cycle. */
static struct kueue_story *after_one(const char *items)
{
	struct kueue_story *s = kueue_story_new(items, false);

	kueue_story_run(s, 1);
	return s;
}

static const struct admission *admitted(const struct kueue_story *s, const char *job)
{
	for (size_t i = 0; i < s->plan.count; i++) {
		const struct decision *d = &s->plan.items[i];

		if (d->kind == DECIDE_RESERVE && d->job == kueue_story_job(s, job))
			return d->admission;
	}
	return NULL;
}

static uint32_t borrowed(const struct kueue_story *s, const char *job)
{
	const struct admission *a = admitted(s, job);

	return a == NULL ? UINT32_MAX : a->borrow;
}

START_TEST(the_next_of_a_class_goes_straight)
{
	struct kueue_story *s = after_one("a[4]; a?p:2@0#1; a?q:2@0#2");
	uint32_t p = kueue_story_job(s, "p"), q = kueue_story_job(s, "q");

	ck_assert(kueue_express(s->k));
	ck_assert_uint_eq(journal_admission(s->journal, admitted(s, "q")),
			  world_job(&s->world, p)->admission);
	ck_assert(kueue_holds(s->k, q));
	ck_assert_uint_eq(s->k->holds[s->k->jobs[q].hold].usage,
			  s->k->holds[s->k->jobs[p].hold].usage);
	ck_assert_int_eq(quota_available(&s->k->tree, 0, 0), 0);
	ck_assert_uint_eq(s->k->cycle, 2);
	kueue_story_free(s);
}
END_TEST

START_TEST(others_go_the_whole_way)
{
	static const char *const worlds[] = {
		"a[4]; a?p:2@0#1; a?q:1@0#2",				  /* another class */
		"a[3]; a?p:2@0#1; a?q:2@0#2",				  /* no quota left */
		"a[4]; b[4]; a?p:2@0#1; a?q:2@0#2; b?r:1@0#1; b?s:1@0#2", /* not alone */
	};

	for (size_t i = 0; i < sizeof(worlds) / sizeof(worlds[0]); i++) {
		struct kueue_story *s = after_one(worlds[i]);

		ck_assert_msg(!kueue_express(s->k), "%s", worlds[i]);
		ck_assert_uint_eq(s->plan.count, 0);
		ck_assert(!kueue_holds(s->k, kueue_story_job(s, "q")));
		kueue_story_free(s);
	}
}
END_TEST

START_TEST(a_change_of_objects_ends_a_route)
{
	struct kueue_story *s = after_one("a[4]; a?p:2@0#1; a?q:2@0#2");

	kueue_objects_apply(s->k);
	ck_assert(!kueue_express(s->k));
	ck_assert_str_eq(kueue_story_run(s, 1), "admit q f1");
	kueue_story_free(s);
}
END_TEST

/* b borrows: level 1 is another admission than level 0, and may send it on to f2. */
START_TEST(levels_of_borrowing_are_told_apart)
{
	struct kueue_story *s = after_one("a[4]; b[2]; b?p:2@0#1; b?q:2@0#2; b?r:2@0#3");

	ck_assert(!kueue_express(s->k)); /* no admission of that level is known */
	ck_assert_str_eq(kueue_story_run(s, 1), "admit q f1; r heap");
	ck_assert(kueue_express(s->k));
	ck_assert_uint_eq(borrowed(s, "r"), 1);
	kueue_story_free(s);
	s = after_one("a{f1[4] f2[4]}; b{f1[2] f2[2]} borrow=next; b?p:2@0#1; b?q:2@0#2");
	ck_assert(!kueue_express(s->k));
	ck_assert_str_eq(kueue_story_run(s, 1), "admit q f2");
	kueue_story_free(s);
}
END_TEST

/* The scan goes on from f1, which is full, whomever q could evict there, and from where it
 * would borrow; but not where a victim on f1 would end it. */
START_TEST(a_route_has_all_flavors_of_a_group)
{
	static const struct {
		const char *items;
		bool straight;
	} worlds[] = {
		{"a{f1[2] f2[4]} w=L preempt=next; a<h:2@0; a?p:2@5#1; a?q:2@5#2", true},
		{"a{f1[2] f2[4]} preempt=next borrow=next; b{f1[2] f2[0]}; a<h:2@0; a?p:2@5#1;"
		 "a?q:2@5#2",
		 true},
		{"a{f1[2] f2[4]} w=L; a<h:2@9; a?p:2@5#1; a?q:2@5#2", false},
		{"a{f1[2] f2[4]} w=L preempt=next borrow=next prefer=P; a<h:2@9; a?p:2@5#1; "
		 "a?q:2@5#2",
		 false},
	};

	for (size_t i = 0; i < sizeof(worlds) / sizeof(worlds[0]); i++) {
		struct kueue_story *s = after_one(worlds[i].items);

		ck_assert_str_eq(kueue_story_run(s, 0), "q heap");
		ck_assert_msg(kueue_express(s->k) == worlds[i].straight, "%s", worlds[i].items);
		if (worlds[i].straight)
			ck_assert_uint_eq(world_job(&s->world, kueue_story_job(s, "p"))->admission,
					  journal_admission(s->journal, admitted(s, "q")));
		kueue_story_free(s);
	}
}
END_TEST

/* p got 2 of its 4 pods; q can have more. */
START_TEST(a_reduced_admission_is_no_example)
{
	struct kueue_story *s = after_one("a[8]; a<h:6@0#1*1; a?p:4@0#1/2; a?q:4@0#2/2");

	kueue_hold_drop(s->k, kueue_story_job(s, "h"));
	ck_assert(!kueue_express(s->k));
	ck_assert_str_eq(kueue_story_run(s, 1), "admit q f1");
	kueue_story_free(s);
}
END_TEST

/* Where no texts are wanted: the same as by whole cycles, which searches_anew asks for. */
START_TEST(who_is_refused_needs_no_cycle)
{
	static const char world[] = "a[4] r=A; a?p:3@0#1; a?q:3@0#2; a?r:3@0#3; a?s:1@0#4";
	struct kueue_story *straight = after_one(world), *direct = after_one(world);
	uint32_t q = kueue_story_job(straight, "q");

	straight->k->full = direct->k->full = false;
	direct->scenario->config.searches_anew = true;
	kueue_bound_close(direct->k);
	ck_assert(kueue_express(straight->k));
	ck_assert(!kueue_express(direct->k));
	ck_assert_str_eq(kueue_story_run(straight, 1), "admit s f1; q parked; r parked");
	ck_assert_str_eq(kueue_story_run(direct, 2), "admit s f1; q parked; r parked");
	ck_assert_uint_eq(straight->k->cycle, direct->k->cycle);
	ck_assert_uint_eq(straight->k->admitting_cycles, direct->k->admitting_cycles);
	ck_assert_uint_eq(straight->k->jobs[q].memory, direct->k->jobs[q].memory);
	ck_assert_uint_eq(straight->k->jobs[q].place, direct->k->jobs[q].place);
	kueue_story_free(direct);
	kueue_story_free(straight);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("sim/kueue/kueue_express");
	TCase *t = tcase_create("all");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_add_test(t, the_next_of_a_class_goes_straight);
	tcase_add_test(t, others_go_the_whole_way);
	tcase_add_test(t, a_change_of_objects_ends_a_route);
	tcase_add_test(t, levels_of_borrowing_are_told_apart);
	tcase_add_test(t, a_route_has_all_flavors_of_a_group);
	tcase_add_test(t, a_reduced_admission_is_no_example);
	tcase_add_test(t, who_is_refused_needs_no_cycle);
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
