#include "sim/kueue/kueue_bound.h"

#include <check.h>

#include "sim/kueue/kueue_hold.h"
#include "sim/kueue/kueue_preempt.h"
#include "tests/support/kueue_story.h"

#define COUNT(rows) ((int)(sizeof(rows) / sizeof((rows)[0])))

/* p of queue a asks for 4; a has 4 and its cohort 8. excluded: the sums say that there is
 * nobody; what they do not say a search has to find out. */
static const struct {
	const char *name, *items;
	bool fair, excluded;
} rows[] = {
	{"nobody may be evicted", "a[4]; b[4]; a<h:4@1; b<i:4@1; a?p:4@5", false, true},
	{"own of lower priority", "a[4] w=L; b[4]; a<h:4@1; b<i:4@1; a?p:4@5", false, false},
	{"not enough of them", "a[4] w=L; b[4]; a<h:3@1; a<j:1@5; b<i:4@1; a?p:4@5", false, true},
	{"equal, where newer ones go", "a[4] w=E; b[4]; a<h:4@5; b<i:4@1; a?p:4@5", false, false},
	{"nobody borrows", "a[4] r=A; b[4]; a<h:4@1; b<i:4@1; a?p:4@5", false, true},
	{"somebody borrows", "a[4] r=A; b[4]; b<h:4@1; b<i:4@1; a?p:4@5", false, false},
	{"but there is no quota left to reclaim for",
	 "a[4] r=A; b[4]; a<j:1@5; b<h:4@1; b<i:3@1; a?p:4@5", false, true},
	{"unless it may borrow then", "a[4] r=A b=L; b[4]; a<j:1@5; b<h:4@1; b<i:3@1; a?p:4@5",
	 false, false},
	{"in another cohort", "a[4] r=A in=d; b[4]; a<j:4@5; b<h:4@1; b<i:4@1; a?p:4@5", false,
	 true},
	{"who borrows has no lower priority", "a[4] r=L b=L; b[4]; b<h:4@5; b<i:4@5; a?p:4@5",
	 false, true},
	{"those of lower priority hold less than it takes",
	 "a[4] r=L b=L; b[4]; b<h:5@9; b<i:3@1; a?p:4@5", false, true},
	{"enough", "a[4] r=L b=L; b[4]; b<h:4@9; b<i:4@1; a?p:4@5", false, false},
	{"one of its own counts once", "a[4] w=L r=L b=L; b[4]; a<j:2@1; b<h:5@9; b<i:1@1; a?p:4@5",
	 false, true},
	{"quota is there, and nobody may be evicted", "a[4]; b[4]; b<i:4@1; a?p:4@5", false, true},
	{"somebody may", "a[8] w=L; a<h:4@1; a?p:4@5", false, false},
	{"only by priority, which nobody of its own has", "a[8] w=L; a<h:4@5; a?p:4@5", false,
	 true},
	{"somebody who uses nothing of it", "a[8] w=L; a<h:4@5; a<z:0@1; a?p:4@5", false, false},
	{"quota of others is there, and they borrow", "a[4] r=A; b[4]; c[4]; b<h:8@1; a?p:4@5",
	 false, false},
	{"a larger share", "a[4] r=A; b[4]; b<h:4@1; b<i:4@1; a?p:4@5", true, false},
	{"a smaller one", "a[4] r=A; b[2]; c[2]; a<j:5@5; b<h:3@1; a?p:4@5", true, true},
	{"a cousin's, whose cohort borrows more",
	 "%c[0] in=d; %e[0] in=d; a[4] r=A; b[2] in=e; g[2] in=e;"
	 "a<j:1@5; b<h:4@1; g<i:3@1; a?p:4@5",
	 true, false},
	{"whose cohort borrows less",
	 "%c[0] in=d; %e[0] in=d; a[4] r=A; b[2] in=e; g[2] in=e;"
	 "a<j:5@5; b<h:3@1; a?p:4@5",
	 true, true},
	{"a sibling's, beside such a cousin",
	 "%c[0] in=d; %e[0] in=d; a[4] r=A; f[0]; b[2] in=e; g[2] in=e;"
	 "a<j:1@5; f<k:4@1; b<h:3@1; a?p:4@5",
	 true, false},
};

static const uint32_t column = 0;

/* Job p of queue a asks. */
static struct kueue_search search_of(const struct kueue_story *s, struct quota_amount *request)
{
	return (struct kueue_search){.job = kueue_story_job(s, "p"),
				     .queue = kueue_story_queue(s, "a"),
				     .columns = &column,
				     .column_count = 1,
				     .request = request,
				     .request_count = 1};
}

START_TEST(sums_tell_who_can_be_found)
{
	struct kueue_story *s = kueue_story_new(rows[_i].items, rows[_i].fair);
	struct quota_amount request = {0, 4000};
	struct kueue_search search = search_of(s, &request);

	ck_assert_msg(kueue_bound_excludes(s->k, &search) == rows[_i].excluded, "%s",
		      rows[_i].name);
	kueue_bound_close(s->k);
	ck_assert(!kueue_bound_excludes(s->k, &search));
	ck_assert_msg(!(rows[_i].excluded && kueue_preempt_search(s->k, &search)), "%s: found",
		      rows[_i].name);
	kueue_story_free(s);
}
END_TEST

/* What is kept of the others ends with a change of who holds what. */
START_TEST(others_are_counted_anew_after_a_change)
{
	struct kueue_story *s =
		kueue_story_new("a[4] r=A b=L; b[4]; b<h:4@1; b<i:4@1; a?p:4@5", false);
	struct quota_amount request = {0, 4000};
	struct kueue_search search = search_of(s, &request);

	ck_assert(!kueue_bound_excludes(s->k, &search));
	kueue_hold_drop(s->k, kueue_story_job(s, "i"));
	request.amount = 5000; /* fits neither, but nobody borrows */
	ck_assert(kueue_bound_excludes(s->k, &search));
	s->k->open = true; /* something may be on trial */
	ck_assert(!kueue_bound_excludes(s->k, &search));
	s->k->open = false;
	kueue_story_free(s);
}
END_TEST

/* What is kept of a queue counts while others come and go, and until it changes itself. */
static const struct {
	const char *ends; /* before it is asked; NULL */
	int64_t asked;
	bool vain;
	const char *why;
} steps[] = {
	{NULL, 4, true, "one of its own is not enough"},
	{NULL, 1, false, "one of its own is"},
	{"i", 4, true, "there is one more in the cohort"},
	{"i", 2, false, "which is enough, with one of its own"},
	{"k", 4, false, "there are three more"},
	{"h", 2, true, "one of its own is gone, and what it left is not enough"},
	{"j", 4, false, "it may ask others within its quota"},
};

START_TEST(what_is_kept_of_a_queue_follows_its_cohort)
{
	struct kueue_story *s = kueue_story_new(
		"a[4] w=L r=A; b[4]; a<h:1@1; a<j:3@5; b<i:1@1; b<k:3@1; a?p:4@5", false);
	struct quota_amount request = {0, 4000};
	struct kueue_search search = search_of(s, &request);

	ck_assert(kueue_bound_is_vain(s->k, &search));
	if (steps[_i].ends != NULL)
		kueue_hold_drop(s->k, kueue_story_job(s, steps[_i].ends));
	request.amount = steps[_i].asked * 1000;
	ck_assert_msg(kueue_bound_is_vain(s->k, &search) == steps[_i].vain, "%s", steps[_i].why);
	if (steps[_i].vain) {
		ck_assert(request.amount > quota_available(&s->k->tree, search.queue, column));
		kueue_bound_close(s->k);
		ck_assert(!kueue_preempt_search(s->k, &search));
	}
	kueue_story_free(s);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("sim/kueue/kueue_bound");
	TCase *t = tcase_create("all");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_add_loop_test(t, sums_tell_who_can_be_found, 0, COUNT(rows));
	tcase_add_loop_test(t, what_is_kept_of_a_queue_follows_its_cohort, 0, COUNT(steps));
	tcase_add_test(t, others_are_counted_anew_after_a_change);
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
