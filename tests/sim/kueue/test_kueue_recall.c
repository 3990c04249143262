#include "sim/kueue/kueue_hold.h"
#include "sim/kueue/kueue_recall.h"

#include <check.h>

#include "sim/kueue/kueue_preempt.h"
#include "tests/support/kueue_story.h"

/* p of priority 5 may evict h or i of its queue. */
static struct kueue_story *story(void)
{
	return kueue_story_new("a[4] w=L; a<h:2@1#1*10; a<i:2@1#1*20; a?p:2@5#30", false);
}

static const uint32_t column = 0;
static const struct quota_amount request = {0, 2000};

static struct kueue_search search_of(const struct kueue_story *s)
{
	return (struct kueue_search){.job = kueue_story_job(s, "p"),
				     .queue = kueue_story_queue(s, "a"),
				     .columns = &column,
				     .column_count = 1,
				     .request = &request,
				     .request_count = 1};
}

START_TEST(an_answer_holds_until_a_hold_changes)
{
	struct kueue_story *s = story();
	struct kueue_search search = search_of(s);
	bool found = false;

	ck_assert(!kueue_recall_get(s->k, &search, &found));
	ck_assert(kueue_preempt_search(s->k, &search));
	s->k->target_count = 0;
	ck_assert(kueue_recall_get(s->k, &search, &found));
	ck_assert(found);
	ck_assert_uint_eq(s->k->target_count, 1);
	ck_assert_uint_eq(s->k->targets[0].job, kueue_story_job(s, "i"));
	kueue_hold_evict(s->k, kueue_story_job(s, "h"));
	ck_assert(!kueue_recall_get(s->k, &search, &found));
	kueue_story_free(s);
}
END_TEST

START_TEST(trials_and_open_cycles_ask_anew)
{
	struct kueue_story *s = story();
	struct kueue_search search = search_of(s);
	struct kueue_mark mark;
	bool found;

	ck_assert(kueue_preempt_search(s->k, &search));
	mark = kueue_mark(s->k);
	kueue_usage_return(s->k, kueue_story_job(s, "h"));
	ck_assert(!kueue_recall_get(s->k, &search, &found));
	kueue_rollback(s->k, mark);
	ck_assert(kueue_recall_get(s->k, &search, &found));
	s->k->open = true;
	ck_assert(!kueue_recall_get(s->k, &search, &found));
	s->k->open = false;
	kueue_story_free(s);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("sim/kueue/kueue_recall");
	TCase *t = tcase_create("all");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_add_test(t, an_answer_holds_until_a_hold_changes);
	tcase_add_test(t, trials_and_open_cycles_ask_anew);
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
