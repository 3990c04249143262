/* test_kueue_life.c - Workloads that come, end, are deleted. */
#include <check.h>
#include <string.h>

#include "core/mem.h"
#include "sim/kueue_life.h"
#include "tests/support/kueue_story.h"

static const struct {
	const char *name, *yaml, *csv, *want;
} rows[] = {
	{"deleted while it runs: quota is free in the same instant, flushed a second later",
	 STORY_PLAIN,
	 "name,namespace,queue,submit_s,duration_s,pods,requests,cancel_s\n"
	 "a,default,q,0,50,1,nvidia.com/gpu=2,20\nb,default,q,1,50,1,nvidia.com/gpu=2,\n",
	 "0,QuotaReserved,default/a,q,count=1;flavors=nvidia.com/gpu:f;borrow=0\n"
	 "20,Deleted,default/a,q,\n"
	 "21,QuotaReserved,default/b,q,count=1;flavors=nvidia.com/gpu:f;borrow=0\n"
	 "71,Finished,default/b,q,\n"},
	{"deleted on arrival: after the cycles of that instant", STORY_PLAIN,
	 "name,namespace,queue,submit_s,duration_s,pods,requests,cancel_s\n"
	 "a,default,q,9,50,1,nvidia.com/gpu=2,3\n",
	 "9,QuotaReserved,default/a,q,count=1;flavors=nvidia.com/gpu:f;borrow=0\n"
	 "9,Deleted,default/a,q,\n"},
};

START_TEST(whole_runs)
{
	char *got = kueue_story_events(rows[_i].yaml, rows[_i].csv);

	ck_assert_msg(strcmp(got, rows[_i].want) == 0, "%s: got\n%s", rows[_i].name, got);
	mem_free(got);
}
END_TEST

/* What somebody is told who waits for no lack of quota. */
START_TEST(blockers)
{
	struct kueue_story *s = kueue_story_new("a[4] in=-; a?p:1", false);
	uint32_t job = kueue_story_job(s, "p");

	s->k->queues[0].active = false;
	s->k->plan = &s->plan;
	kueue_life_refresh(s->k, job);
	ck_assert_str_eq(kueue_story_status(s, "p"), "Suspended: ClusterQueue a is inactive");
	s->k->queues[0].active = true;
	kueue_life_refresh(s->k, job);
	ck_assert_str_eq(kueue_story_status(s, "p"),
			 "PendingEvaluation: Workload is pending evaluation "
			 "in the scheduling queue");
	kueue_story_free(s);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("sim/kueue_life");
	TCase *t = tcase_create("all");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_add_loop_test(t, whole_runs, 0, (int)(sizeof(rows) / sizeof(rows[0])));
	tcase_add_test(t, blockers);
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
