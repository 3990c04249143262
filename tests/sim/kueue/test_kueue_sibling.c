/* test_kueue_sibling.c - what variants of one job are to each other in a cycle (scheduler.go,
 * findAdmittedSibling). */
#include "sim/kueue/kueue_sibling.h"

#include <check.h>
#include <string.h>

#include "core/mem.h"
#include "tests/support/kueue_story.h"

/* h holds quota of f2, p waits; both are variants of one job, for these flavors. */
static struct kueue_story *family(const char *held, const char *waiting)
{
	struct kueue_story *story =
		kueue_story_new("a{f1[4] f2[4] f3[4]} in=-;a<h:2@0#0*0!f2;a?p:2@0#1", false);
	struct kueue *k = story->k;
	const char *flavors[2] = {held, waiting};

	k->variants = mem_calloc(2, sizeof(*k->variants));
	k->families = mem_calloc(1, sizeof(*k->families));
	k->families[0] = (struct kueue_family){.count = 2, .seat = KUEUE_NONE};
	k->first_variant = 0;
	for (uint32_t w = 0; w < 2; w++) {
		k->variants[w] = (struct kueue_variant){.job = w, .opened = -1, .made = true};
		for (uint32_t f = 0; f < k->flavor_count; f++) {
			if (strcmp(scenario_string(k->scenario, k->flavors[f].name), flavors[w]) ==
			    0)
				k->variants[w].flavor = f;
		}
	}
	kueue_life_own(k, kueue_story_job(story, "h"))->admitted = 0;
	return story;
}

static const struct {
	const char *held, *waiting;
	bool outdone, replaces;
} rows[] = {
	{"f2", "f1", false, true},
	{"f2", "f3", true, false},
	{"f2", "f2", false, false},
};

START_TEST(by_the_order_of_flavors)
{
	struct kueue_story *story = family(rows[_i].held, rows[_i].waiting);
	uint32_t p = kueue_story_job(story, "p"), h = kueue_story_job(story, "h");

	ck_assert_int_eq(kueue_sibling_outdone(story->k, p), rows[_i].outdone);
	ck_assert_uint_eq(kueue_sibling_replaced(story->k, p), rows[_i].replaces ? h : JOB_NONE);
	kueue_story_free(story);
}
END_TEST

/* One that only has a reservation is nobody to make room for. */
START_TEST(admitted_siblings_count)
{
	struct kueue_story *story = family("f2", "f1");

	kueue_life_own(story->k, kueue_story_job(story, "h"))->admitted = -1;
	ck_assert_uint_eq(kueue_sibling_replaced(story->k, kueue_story_job(story, "p")), JOB_NONE);
	kueue_story_free(story);
}
END_TEST

START_TEST(a_closed_gate_is_noted)
{
	struct kueue_story *story = family("f2", "f1");
	uint32_t p = kueue_story_job(story, "p");

	ck_assert(kueue_sibling_gated(story->k, p));
	ck_assert(story->k->variants[p].blocked);
	story->k->variants[p].opened = 0;
	ck_assert(!kueue_sibling_gated(story->k, p));
	kueue_story_free(story);
}
END_TEST

START_TEST(plain_jobs_have_none)
{
	struct kueue_story *story = kueue_story_new("a[4] in=-;a?p:2@0#1", false);
	uint32_t p = kueue_story_job(story, "p");

	ck_assert(!kueue_sibling_outdone(story->k, p));
	ck_assert(!kueue_sibling_gated(story->k, p));
	ck_assert_uint_eq(kueue_sibling_replaced(story->k, p), JOB_NONE);
	ck_assert_uint_eq(kueue_sibling_seat(story->k, p), p);
	kueue_story_free(story);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("sim/kueue_sibling");
	TCase *t = tcase_create("all");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_add_loop_test(t, by_the_order_of_flavors, 0, (int)(sizeof(rows) / sizeof(rows[0])));
	tcase_add_test(t, admitted_siblings_count);
	tcase_add_test(t, a_closed_gate_is_noted);
	tcase_add_test(t, plain_jobs_have_none);
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
