/* test_kueue_class.c - which workloads are alike. */
#include "sim/kueue/kueue_class.h"

#include <check.h>

#include "tests/support/kueue_story.h"

/* Alike in what they ask for, in queue and priority: kin; in LocalQueue, too: a class. */
START_TEST(what_is_alike)
{
	static const struct {
		const char *items;
		size_t forms, kins, classes;
	} rows[] = {
		{"a[9]; a?p:1; a?q:1#5", 1, 1, 1}, {"a[9]; a?p:1; a?q:2", 2, 2, 2},
		{"a[9]; a?p:2; a?q:2/2", 2, 2, 2}, /* the same in one pod, or in two */
		{"a[9]; a?p:1; a?q:1@5", 1, 2, 2}, {"a[9]; b[9]; a?p:1; b?q:1", 1, 2, 2},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct kueue_story *s = kueue_story_new(rows[i].items, false);

		ck_assert_msg(s->k->form_count == rows[i].forms &&
				      s->k->kin_count == rows[i].kins &&
				      s->k->class_count == rows[i].classes,
			      "%s: %zu forms, %zu kins, %zu classes", rows[i].items,
			      s->k->form_count, s->k->kin_count, s->k->class_count);
		kueue_story_free(s);
	}
}
END_TEST

/* A class made meanwhile is found the next time, and so are its kin and its form. */
START_TEST(made_once)
{
	struct kueue_story *s = kueue_story_new("a[9]; a?p:2/2; a?q:1", false);
	struct kueue *k = s->k;
	uint32_t p = kueue_story_job(s, "p"), first = k->jobs[p].class, higher, flavored;

	higher = kueue_class_with_priority(k, first, 7);
	ck_assert_uint_ne(higher, first);
	ck_assert_int_eq(k->classes[higher].priority, 7);
	ck_assert_uint_eq(kueue_class_with_priority(k, first, 7), higher);
	ck_assert_uint_eq(kueue_class_with_priority(k, higher, 0), first);
	flavored = kueue_class_with_flavor(k, first, 0);
	ck_assert_uint_eq(k->classes[flavored].flavor, 0);
	ck_assert_uint_eq(kueue_class_with_flavor(k, first, 0), flavored);
	ck_assert_uint_eq(k->kin_count, 4);
	kueue_class_shrink(k, p, 0, 1);
	ck_assert_uint_eq(kueue_form_of(k, p)->counts[0], 1);
	ck_assert_ptr_eq(kueue_form_of(k, p)->slots, k->forms[k->classes[first].form].slots);
	kueue_class_shrink(k, p, 0, 2);
	ck_assert_uint_eq(k->jobs[p].class, first);
	kueue_story_free(s);
}
END_TEST

/* A workload of another priority may be a victim. */
START_TEST(another_priority_ranks_holds)
{
	struct kueue_story *s = kueue_story_new("a[9] in=- w=L; a<x:1@5; a?p:2@5", false);
	uint32_t class = s->k->jobs[kueue_story_job(s, "p")].class;

	kueue_class_with_priority(s->k, class, 5);
	ck_assert(!s->k->ranks_holds);
	kueue_class_with_priority(s->k, class, 6);
	ck_assert(s->k->ranks_holds);
	ck_assert_uint_eq(s->k->queues[0].rung_count, 1);
	kueue_story_free(s);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("sim/kueue/kueue_class");
	TCase *t = tcase_create("all");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_add_test(t, what_is_alike);
	tcase_add_test(t, made_once);
	tcase_add_test(t, another_priority_ranks_holds);
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
