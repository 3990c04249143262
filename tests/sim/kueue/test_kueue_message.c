/* test_kueue_message.c - Texts word for word (spec KUEUE.md section 6). */
#include <check.h>
#include <string.h>

#include "sim/kueue/kueue_message.h"
#include "tests/support/kueue_story.h"

START_TEST(preempted)
{
	struct kueue_story *s =
		kueue_story_new("%c[2]; %k[0] in=c; a[2] in=k; b[0]; b<h:2; a?p:2", false);

	ck_assert_str_eq(
		kueue_message_preempted(s->k, kueue_story_job(s, "p"), PREEMPTION_RECLAIM,
					kueue_story_queue(s, "b")),
		"Preempted to accommodate a workload (UID: 00000001-0000-4000-8000-000000000000, "
		"JobUID: UNKNOWN) due to reclamation within the cohort; preemptor path: /c/k/a; "
		"preemptee path: /c/b");
	kueue_story_free(s);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("sim/kueue/kueue_message");
	TCase *t = tcase_create("all");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_add_test(t, preempted);
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
