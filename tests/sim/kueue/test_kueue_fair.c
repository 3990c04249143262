/* test_kueue_fair.c - Fair sharing: whose victims, whose turn. */
#include <check.h>
#include <string.h>

#include "tests/support/kueue_story.h"

static const struct {
	const char *name, *items, *want, *status; /* of p; NULL */
} rows[] = {
	{"the largest share gives first", "%c[12]; a[0] r=A; b[0]; b<h:3; d[0]; d<i:9; a?p:3",
	 "preempt i p InCohortFairSharing; p heap", NULL},
	{"weights divide shares",
	 "%c[12]; a[0] r=A; b[0] weight=0.1; b<g:3*5; b<h:3*9; "
	 "d[0]; d<i:3; d<j:3; a?p:3",
	 "preempt h p InCohortFairSharing; p heap", NULL},
	{"without a cohort only the own queue", "a[4] w=L r=A in=-; a<h:4; a?p:2@5",
	 "preempt h p InClusterQueue; p heap", NULL},
	{"within nominal quota shares do not matter", "a[4] r=A; b[0] weight=100; b<h:4@9; a?p:4",
	 "preempt h p InCohortReclamation; p heap", NULL},
	{"a queue that is held gives nothing", "a[4] r=A; b[0] held; b<h:4; a?p:4", "p parked",
	 NULL},
	{"the smaller share's turn", "%c[4]; a[0]; a<h:2; b[0]; a?p:2@100; b?q:2#9",
	 "admit q f1; p heap", NULL},
	{"equal shares: priority", "%c[2]; a[0]; b[0]; a?p:2; b?q:2@5#9", "admit q f1; p heap",
	 NULL},
	{"then age", "%c[2]; a[0]; b[0]; a?p:2#9; b?q:2", "admit q f1; p heap", NULL},
	{"then the name", "%c[2]; b[0]; a[0]; b?q:2; a?p:2", "admit p f1; q heap", NULL},
};

START_TEST(outcomes)
{
	struct kueue_story *s = kueue_story_new(rows[_i].items, true);

	ck_assert_msg(strcmp(kueue_story_run(s, 1), rows[_i].want) == 0, "%s: got %s",
		      rows[_i].name, s->text);
	if (rows[_i].status != NULL)
		ck_assert_msg(strcmp(kueue_story_status(s, "p"), rows[_i].status) == 0,
			      "%s: told %s", rows[_i].name, s->text);
	kueue_story_free(s);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("sim/kueue/kueue_fair");
	TCase *t = tcase_create("all");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_add_loop_test(t, outcomes, 0, (int)(sizeof(rows) / sizeof(rows[0])));
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
