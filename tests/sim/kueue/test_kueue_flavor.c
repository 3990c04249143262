/* test_kueue_flavor.c - Which flavor, in which mode, and what is said of those that were not. */
#include <check.h>
#include <string.h>

#include "tests/support/kueue_story.h"

static const struct {
	const char *name, *items, *want, *status; /* of p; NULL */
} rows[] = {
	{"the first that fits", "a{f1[4] f2[4]} in=-; a?p:3", "admit p f1", NULL},
	{"the next if the first can never fit", "a{f1[2] f2[4]} in=-; a?p:3", "admit p f2", NULL},
	{"the next if the first is full", "a{f1[4] f2[4]} in=-; a<h:2; a?p:3", "admit p f2", NULL},
	{"all reasons, sorted as texts", "a{f1[4] f2[4] f3[1]} in=-; a<h:4; a<i:3!f2; a?p:4",
	 "p parked",
	 "WaitingForQuota: couldn't assign flavors to pod set main: insufficient quota for cpu in "
	 "flavor f3, previously considered podsets requests (0) + current podset request (4) > "
	 "maximum capacity (1), insufficient unused quota for cpu in flavor f1, 4 more needed, "
	 "insufficient unused quota for cpu in flavor f2, 3 more needed"},
	{"no candidates ranks below victims elsewhere",
	 "a{f1[4] f2[4]} w=L in=-; a<h:4@50; a<i:4!f2; a?p:4@10",
	 "preempt i p InClusterQueue; p heap", NULL},
};

START_TEST(outcomes)
{
	struct kueue_story *s = kueue_story_new(rows[_i].items, false);

	ck_assert_msg(strcmp(kueue_story_run(s, 1), rows[_i].want) == 0, "%s: got %s",
		      rows[_i].name, s->text);
	if (rows[_i].status != NULL)
		ck_assert_msg(strcmp(kueue_story_status(s, "p"), rows[_i].status) == 0,
			      "%s: told %s", rows[_i].name, s->text);
	kueue_story_free(s);
}
END_TEST

/* A flavor that was tried is not tried again while the memory holds. */
START_TEST(memory_resumes)
{
	struct kueue_story *s = kueue_story_new("a{f1[4] f2[4]} in=-; a?p:3", false);
	uint32_t job = kueue_story_job(s, "p");
	int16_t tried[8] = {0};
	const uint32_t counts[] = {1};
	struct kueue_assignment a;

	kueue_assignment_init(s->k, &a);
	kueue_memory_set(s->k, job, tried); /* index 0 everywhere */
	kueue_flavor_assign(s->k, job, counts, NULL, &a);
	ck_assert_int_eq(a.mode, MODE_FIT);
	for (uint32_t i = 0; i < kueue_form_of(s->k, job)->slot_count; i++) {
		if (kueue_form_of(s->k, job)->slots[i].implied)
			continue;
		ck_assert_uint_eq(a.choices[i].flavor, s->k->queues[0].groups[0].flavors[1]);
		ck_assert_int_eq(a.choices[i].tried, -1); /* the last flavor */
	}
	kueue_assignment_free(&a);
	kueue_story_free(s);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("sim/kueue/kueue_flavor");
	TCase *t = tcase_create("all");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_add_loop_test(t, outcomes, 0, (int)(sizeof(rows) / sizeof(rows[0])));
	tcase_add_test(t, memory_resumes);
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
