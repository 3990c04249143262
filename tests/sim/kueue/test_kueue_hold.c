/* test_kueue_hold.c - reservations: what they take, and who stands in rungs. */
#include "sim/kueue/kueue_hold.h"

#include <check.h>

#include "sim/kueue/kueue_objects.h"
#include "tests/support/kueue_story.h"

#define HOLDERS "a<x:1*10; a<y:1*30; a<z:1*30; a<u:1@5*40; a<v:2*50"

/* One rung for what is alike; newest first, then by job. */
static void check_rungs(const struct kueue_story *s)
{
	const struct kueue_queue *q = &s->k->queues[0];
	uint32_t h;

	ck_assert_uint_eq(q->rung_count, 3);
	h = s->k->rungs[q->rungs[0]].first;
	ck_assert_uint_eq(s->k->holds[h].job, kueue_story_job(s, "y"));
	h = s->k->holds[h].next;
	ck_assert_uint_eq(s->k->holds[h].job, kueue_story_job(s, "z"));
	h = s->k->holds[h].next;
	ck_assert_uint_eq(s->k->holds[h].job, kueue_story_job(s, "x"));
}

START_TEST(rungs)
{
	struct kueue_story *s = kueue_story_new("a[9] in=- w=L; " HOLDERS, false);
	const struct kueue_queue *q = &s->k->queues[0];

	check_rungs(s);
	kueue_hold_evict(s->k, kueue_story_job(s, "z"));
	ck_assert_uint_eq(s->k->rungs[q->rungs[0]].count, 2);
	kueue_story_free(s);
}
END_TEST

START_TEST(holds_are_ranked_once_there_may_be_victims)
{
	struct kueue_story *s = kueue_story_new("a[9] in=-; " HOLDERS "; a<w:1*20", false);
	struct cluster_queue spec = *s->k->queues[0].spec;

	kueue_hold_drop(s->k, kueue_story_job(s, "w"));
	ck_assert_uint_eq(s->k->queues[0].rung_count, 0);
	ck_assert_uint_eq(s->k->queues[0].hold_count, 5);
	spec.within_cluster_queue = PREEMPT_LOWER_PRIORITY;
	s->k->queues[0].spec = &spec;
	kueue_objects_apply(s->k);
	check_rungs(s);
	spec.within_cluster_queue = PREEMPT_NEVER;
	kueue_objects_apply(s->k);
	check_rungs(s); /* for good */
	kueue_story_free(s);
}
END_TEST

START_TEST(who_may_find_victims)
{
	static const struct {
		const char *items;
		bool ranked;
	} worlds[] = {
		{"a[9] in=-; a<x:1@5; a?p:1", false},
		{"a[9] in=- w=L; a<x:1@5; a?p:2@5", false}, /* nobody is of lower priority */
		{"a[9] in=- w=L; a<x:1@5; a?p:2", true},
		{"a[9] in=- w=E; a<x:1@5; a?p:2@5", true}, /* but newer */
		{"a[9] r=A; a<x:1; a?p:2", false},	   /* nobody to take back from */
		{"a[9] r=A; b[2] in=-; a<x:1; a?p:2", false},
		{"a[9] r=A; b[2] held; a<x:1; a?p:2", false},
		{"a[9] r=L; b[2]; a<x:1; a?p:2", true},
		{"a[9] r=A in=d; %d[1] in=c; b[2]; a<x:1; a?p:2", true}, /* of its tree */
		{"a[9]; b[2] r=A; a<x:1; a?p:2", true},			 /* b may */
	};

	for (size_t i = 0; i < sizeof(worlds) / sizeof(worlds[0]); i++) {
		struct kueue_story *s = kueue_story_new(worlds[i].items, false);

		ck_assert_msg(s->k->ranks_holds == worlds[i].ranked, "%s", worlds[i].items);
		kueue_story_free(s);
	}
}
END_TEST

START_TEST(holds_take_and_give_back)
{
	struct kueue_story *s = kueue_story_new("a[4]; b[2]; a<x:3; b<y:3", false);
	uint32_t column = kueue_column(s->k, 0, RES_CPU), root = s->k->tree.nodes[0].root;
	uint32_t generation = s->k->queues[0].generation;

	ck_assert_int_eq(quota_at(&s->k->tree, root, column)->usage, 6000);
	kueue_hold_drop(s->k, kueue_story_job(s, "x"));
	kueue_hold_drop(s->k, kueue_story_job(s, "x")); /* nothing more */
	ck_assert_int_eq(quota_at(&s->k->tree, root, column)->usage, 3000);
	ck_assert_uint_eq(s->k->queues[0].generation, generation + 1);
	ck_assert_uint_eq(s->k->usage_count, 1); /* equal amounts are one record */
	kueue_story_free(s);
}
END_TEST

/* However many there are: equal amounts, equal number. */
START_TEST(amounts_are_numbered_once)
{
	struct kueue_story *s = kueue_story_new("a[4]; a?p:3", false);
	uint32_t job = kueue_story_job(s, "p"), numbers[500];

	for (int twice = 0; twice < 2; twice++) {
		for (uint32_t i = 0; i < 500; i++) {
			const struct quota_amount amount = {.column = 0, .amount = 1 + i};
			uint32_t number = kueue_usage_number(s->k, job, &amount, 1);

			ck_assert(twice == 0 || number == numbers[i]);
			numbers[i] = number;
		}
		ck_assert_uint_eq(s->k->usage_count, 500);
	}
	kueue_story_free(s);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("sim/kueue/kueue_hold");
	TCase *t = tcase_create("all");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_add_test(t, rungs);
	tcase_add_test(t, holds_are_ranked_once_there_may_be_victims);
	tcase_add_test(t, who_may_find_victims);
	tcase_add_test(t, holds_take_and_give_back);
	tcase_add_test(t, amounts_are_numbered_once);
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
