/* test_kueue_state.c - what the parts of the policy look up. */
#include "sim/kueue/kueue_state.h"

#include <check.h>

#include "tests/support/kueue_story.h"

START_TEST(flavors_by_name)
{
	struct kueue_story *s = kueue_story_new("a{f1[4] f2[4]} in=-; a?p:3", false);
	const struct kueue *k = s->k;

	ck_assert_uint_eq(k->flavor_count, 2);
	for (uint32_t f = 0; f < k->flavor_count; f++) {
		ck_assert_uint_eq(kueue_flavor_named(k, k->flavors[f].name), f);
		ck_assert_ptr_eq(kueue_state_flavor(k, k->flavors[f].name), k->flavors[f].now);
	}
	ck_assert_uint_eq(kueue_flavor_named(k, NAME_NONE), KUEUE_NONE);
	ck_assert_ptr_null(kueue_state_flavor(k, NAME_NONE));
	kueue_story_free(s);
}
END_TEST

/* A timer tells what it was set for, and for whom. */
START_TEST(timers)
{
	static const struct {
		enum kueue_timer timer;
		enum event_class class;
	} rows[] = {
		{TIMER_FLUSH, CLASS_RETRY},	 {TIMER_NODE, CLASS_NODE},
		{TIMER_WAKE_FLAVOR, CLASS_NEWS}, {TIMER_WAKE_FREED, CLASS_NEWS},
		{TIMER_CHECK, CLASS_TIMEOUT},	 {TIMER_VARIANT, CLASS_TIMEOUT},
	};
	struct kueue_story *s = kueue_story_new("a[4] in=-; a?p:3; a?q:3", false);

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		size_t at = s->plan.count;
		uint32_t subject = 9;

		s->k->plan = &s->plan;
		kueue_timer(s->k, 77, rows[i].timer, 1);
		ck_assert_uint_eq(s->plan.count, at + 1);
		ck_assert_int_eq(s->plan.items[at].at, 77);
		ck_assert_int_eq(s->plan.items[at].class, rows[i].class);
		ck_assert_int_eq(kueue_timer_of(s->k, s->plan.items[at].cookie, &subject),
				 rows[i].timer);
		ck_assert_uint_eq(subject, 1);
	}
	kueue_story_free(s);
}
END_TEST

/* What ended is blank for the next one. */
START_TEST(lives)
{
	struct kueue_story *s = kueue_story_new("a[4] in=-; a?p:3#7; a?q:3#9", false);
	uint32_t p = kueue_story_job(s, "p"), q = kueue_story_job(s, "q"), at;

	ck_assert_ptr_eq(kueue_life_of(s->k, p), kueue_life_blank());
	kueue_life_own(s->k, p)->requeues = 4;
	at = s->k->jobs[p].life;
	ck_assert_uint_eq(kueue_life_of(s->k, p)->requeues, 4);
	kueue_life_end(s->k, p);
	kueue_life_end(s->k, p); /* nothing more */
	ck_assert_ptr_eq(kueue_life_of(s->k, p), kueue_life_blank());
	ck_assert_uint_eq(kueue_life_own(s->k, q)->requeues, 0);
	ck_assert_uint_eq(s->k->jobs[q].life, at);
	ck_assert_int_eq(kueue_life_of(s->k, q)->created, kueue_job(s->k, q)->submit);
	ck_assert_int_eq(kueue_life_of(s->k, q)->admitted, -1);
	kueue_story_free(s);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("sim/kueue/kueue_state");
	TCase *t = tcase_create("all");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_add_test(t, flavors_by_name);
	tcase_add_test(t, timers);
	tcase_add_test(t, lives);
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
