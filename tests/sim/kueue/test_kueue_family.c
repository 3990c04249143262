/* test_kueue_family.c - which jobs have variants. */
#include "sim/kueue/kueue_family.h"

#include <check.h>

#include "tests/support/kueue_story.h"

#define ON "^ConcurrentAdmission=true; "

/* Jobs of a queue that pursues flavors have one variant for each, in the queue's order, and
 * those that are alike have variants that are alike. */
START_TEST(a_variant_a_flavor)
{
	struct kueue_story *s = kueue_story_new(
		ON "a{f2[4] f1[4]} in=- pursues; b[4] in=-; a?p:3; b?q:3; a?r:3", false);
	const struct kueue *k = s->k;
	uint32_t p = kueue_story_job(s, "p"), q = kueue_story_job(s, "q"),
		 r = kueue_story_job(s, "r");
	const struct kueue_family *of_p = &k->families[k->family_of[p]],
				  *of_r = &k->families[k->family_of[r]];

	ck_assert_uint_eq(k->family_count, 2);
	ck_assert_uint_eq(k->first_variant, 3);
	ck_assert_uint_eq(k->job_count, 3 + 4);
	ck_assert_uint_eq(k->family_of[q], KUEUE_NONE);
	ck_assert(kueue_is_parent(k, p) && !kueue_is_parent(k, q) && kueue_is_parent(k, r));
	ck_assert_uint_eq(of_p->count, 2);
	for (uint32_t i = 0; i < 2; i++) {
		uint32_t v = of_p->first + i;

		ck_assert_uint_eq(kueue_job_of(k, v), p);
		ck_assert_uint_eq(kueue_variant(k, v)->flavor, k->queues[0].pursued[i]);
		ck_assert_uint_eq(kueue_class_of(k, v)->flavor, k->queues[0].pursued[i]);
		ck_assert_ptr_eq(kueue_form_of(k, v), kueue_form_of(k, p));
		ck_assert_uint_eq(k->jobs[v].class, k->jobs[of_r->first + i].class);
	}
	ck_assert_str_eq(name_text(s->scenario->strings, k->flavors[k->queues[0].pursued[0]].name),
			 "f2");
	kueue_story_free(s);
}
END_TEST

START_TEST(nobody_pursues)
{
	static const char *const worlds[] = {
		"a{f1[4] f2[4]} pursues; a?p:3",	  /* the gate is off */
		ON "a{f1[4] f2[4]}; a?p:3",		  /* no policy */
		ON "a{f1[4] f2[4]} pursues; b[4]; b?p:3", /* nobody there */
	};

	for (size_t i = 0; i < sizeof(worlds) / sizeof(worlds[0]); i++) {
		struct kueue_story *s = kueue_story_new(worlds[i], false);

		ck_assert_msg(s->k->family_count == 0, "%s", worlds[i]);
		ck_assert_msg(s->k->first_variant == s->k->job_count, "%s", worlds[i]);
		kueue_story_free(s);
	}
}
END_TEST

int main(void)
{
	Suite *s = suite_create("sim/kueue/kueue_family");
	TCase *t = tcase_create("all");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_add_test(t, a_variant_a_flavor);
	tcase_add_test(t, nobody_pursues);
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
