/* test_kueue_status.c - What is news to a waiting workload: by texts and by marks of them. */
#include <check.h>
#include <string.h>

#include "core/mem.h"
#include "sim/kueue/kueue_status.h"
#include "tests/support/kueue_story.h"

/* A status is decided once, until it changes. */
START_TEST(news_only)
{
	struct kueue_story *s = kueue_story_new("a[2] in=-; a?p:2", false);

	s->k->plan = &s->plan;
	kueue_status(s->k, 0, WHY_WAITING_FOR_QUOTA, "x");
	kueue_status(s->k, 0, WHY_WAITING_FOR_QUOTA, "x");
	ck_assert_uint_eq(s->plan.count, 1);
	kueue_status(s->k, 0, WHY_WAITING_FOR_QUOTA, "y");
	ck_assert_uint_eq(s->plan.count, 2);
	ck_assert_str_eq(journal_text(s->journal, s->plan.items[1].reason), "WaitingForQuota");
	ck_assert_str_eq(journal_text(s->journal, s->plan.items[1].message), "y");
	kueue_story_free(s);
}
END_TEST

/* The same story without texts. */
static struct kueue_story *marked(void)
{
	struct kueue_story *s = kueue_story_new("a[2] in=-; a?p:2", false);

	s->k->plan = &s->plan;
	s->k->full = false;
	s->k->told = mem_calloc(s->k->job_count, sizeof(*s->k->told));
	return s;
}

static void unmark(struct kueue_story *s)
{
	s->k->full = true;
	kueue_story_free(s);
}

START_TEST(marks_stand_for_texts)
{
	struct kueue_story *s = marked();

	ck_assert(!kueue_status_is_told(s->k, 0));
	ck_assert(kueue_status(s->k, 0, WHY_MISCONFIGURED, "x"));
	ck_assert(!kueue_status(s->k, 0, WHY_MISCONFIGURED, "x"));
	ck_assert(!kueue_status(s->k, 0, WHY_REFUSED, "x")); /* reads the same */
	ck_assert_int_eq(kueue_status_why(s->k, 0), WHY_MISCONFIGURED);
	ck_assert(kueue_status(s->k, 0, WHY_REFUSED, "y"));
	ck_assert_int_eq(kueue_status_why(s->k, 0), WHY_REFUSED);
	ck_assert(kueue_status(s->k, 0, WHY_SUSPENDED, "y"));
	ck_assert(kueue_status_is_told(s->k, 0));
	kueue_status_reserved(s->k, 0);
	ck_assert(!kueue_status_is_told(s->k, 0));
	ck_assert_int_eq(kueue_status_why(s->k, 0), WHY_NONE);
	ck_assert_uint_eq(s->plan.count, 0);
	unmark(s);
}
END_TEST

/* Assignments that differ in one thing of what their texts show, or in none. */
static struct {
	struct kueue_reason reasons[2];
	uint32_t count, preempted;
} told[] = {
	{{{0}}, 0, 0},
	{{{.kind = REASON_UNUSED, .a = 3}}, 1, 0},
	{{{.kind = REASON_UNUSED, .a = 3, .b = 7}}, 1, 0}, /* b is not shown */
	{{{.kind = REASON_UNUSED, .a = 4}}, 1, 0},
	{{{.kind = REASON_UNUSED, .a = 3}}, 1, 1},
	{{{.kind = REASON_UNUSED, .a = 3}}, 1, 2},
	{{{.kind = REASON_EXCEEDS, .a = 3}}, 1, 0},
	{{{.kind = REASON_EXCEEDS, .a = 3, .b = 1}}, 1, 0},
	{{{.kind = REASON_EXCEEDS, .a = 3, .b = 1, .c = 2}}, 1, 0},
	{{{.kind = REASON_EXCEEDS, .a = 3, .b = 2, .c = 1}}, 1, 0},
	{{{.kind = REASON_UNUSED, .a = 3}, {.kind = REASON_UNUSED, .a = 4}}, 2, 0},
	{{{.kind = REASON_UNUSED, .a = 4}, {.kind = REASON_UNUSED, .a = 3}}, 2, 0}, /* sorted */
	{{{.kind = REASON_UNUSED, .a = 3}, {.kind = REASON_UNUSED, .a = 3}}, 2, 0},
	{{{.kind = REASON_UNUSED, .a = 4}, {.kind = REASON_UNUSED, .a = 4}}, 2, 0},
	{{{.kind = REASON_AFFINITY}}, 1, 0},
	{{{.kind = REASON_AFFINITY, .a = 1}}, 1, 0}, /* nor is a, here */
	{{{.kind = REASON_TEXT, .text = "x"}}, 1, 0},
	{{{.kind = REASON_TEXT, .text = "y"}}, 1, 0},
};
enum { TOLD = sizeof(told) / sizeof(told[0]) };

static struct kueue_assignment assignment_of(int index, struct kueue_set *set)
{
	*set = (struct kueue_set){.count = 2, .reason_count = told[index].count};
	return (struct kueue_assignment){
		.set_count = 1, .sets = set, .reasons = told[index].reasons};
}

/* Row by row, each against all: the mark differs where the text does, and only there. */
START_TEST(mark_of_an_assignment)
{
	struct kueue_story *s = marked();
	struct kueue_set set;
	struct kueue_assignment a = assignment_of(_i, &set);
	char *text = mem_strdup(kueue_message_assignment(s->k, 0, &a, told[_i].preempted));
	uint64_t mark = kueue_message_mark(s->k, 0, &a, told[_i].preempted);

	for (int i = 0; i < TOLD; i++) {
		struct kueue_assignment other = assignment_of(i, &set);
		uint32_t preempted = told[i].preempted;
		bool same = strcmp(text, kueue_message_assignment(s->k, 0, &other, preempted)) == 0;

		ck_assert_msg((kueue_message_mark(s->k, 0, &other, preempted) == mark) == same,
			      "%s | %s", text, s->k->text);
	}
	mem_free(text);
	unmark(s);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("sim/kueue/kueue_status");
	TCase *t = tcase_create("all");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_add_test(t, news_only);
	tcase_add_test(t, marks_stand_for_texts);
	tcase_add_loop_test(t, mark_of_an_assignment, 0, TOLD);
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
