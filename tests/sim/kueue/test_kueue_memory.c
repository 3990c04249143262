/* test_kueue_memory.c - what is remembered of flavor scans. */
#include "sim/kueue/kueue_memory.h"

#include <check.h>

#include "tests/support/kueue_story.h"

/* Never nominated, no index, all tried, some left: four states (golden README). */
START_TEST(memory)
{
	struct kueue_story *s = kueue_story_new("a{f1[4] f2[4]} in=-; a?p:3", false);
	uint32_t job = kueue_story_job(s, "p"), slots = kueue_form_of(s->k, job)->slot_count;
	int16_t tried[8];

	ck_assert_uint_eq(s->k->jobs[job].memory, MEMORY_NONE);
	for (uint32_t i = 0; i < slots; i++)
		tried[i] = MEMORY_UNSET;
	kueue_memory_set(s->k, job, tried);
	ck_assert_uint_eq(s->k->jobs[job].memory, MEMORY_EMPTY);
	for (uint32_t i = 0; i < slots; i++)
		tried[i] = -1;
	kueue_memory_set(s->k, job, tried);
	ck_assert_uint_eq(s->k->jobs[job].memory, MEMORY_EXHAUSTED);
	ck_assert(!kueue_memory_pending(s->k, job));
	tried[0] = 0;
	kueue_memory_set(s->k, job, tried);
	ck_assert(kueue_memory_pending(s->k, job));
	ck_assert_int_eq(kueue_memory_get(s->k, job)[0], 0);
	s->k->queues[0].generation++;
	ck_assert(!kueue_memory_outdated(s->k, job, 0)); /* a cycle old at most */
	s->k->cycle += 2;
	ck_assert(kueue_memory_outdated(s->k, job, 0));
	kueue_memory_clear(s->k, job);
	ck_assert_uint_eq(s->k->jobs[job].memory, MEMORY_NONE);
	kueue_story_free(s);
}
END_TEST

/* A record that nobody needs any more is the next one's. */
START_TEST(records_are_used_again)
{
	struct kueue_story *s = kueue_story_new("a{f1[4] f2[4]} in=-; a?p:3; a?q:3; a?r:3", false);
	const uint32_t jobs[] = {kueue_story_job(s, "p"), kueue_story_job(s, "q"),
				 kueue_story_job(s, "r")};

	for (int16_t round = 0; round < 3; round++) {
		for (int16_t j = 0; j < 3; j++) {
			const int16_t tried[8] = {(int16_t)(round + j), MEMORY_UNSET};

			kueue_memory_set(s->k, jobs[j], tried);
		}
		for (int16_t j = 0; j < 3; j++)
			ck_assert_int_eq(kueue_memory_get(s->k, jobs[j])[0], round + j);
		ck_assert_uint_eq(s->k->memory_count, 3);
		for (int16_t j = 0; j < 3; j++)
			kueue_memory_clear(s->k, jobs[j]);
	}
	kueue_story_free(s);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("sim/kueue/kueue_memory");
	TCase *t = tcase_create("all");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_add_test(t, memory);
	tcase_add_test(t, records_are_used_again);
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
