/* test_podlife.c - When pods are ready, fail, are back, and when jobs are cancelled. */
#include <check.h>
#include <string.h>

#include "core/mem.h"
#include "tests/support/kueue_story.h"

#define RESERVED(t) t ",QuotaReserved,default/a,q,count=1;flavors=nvidia.com/gpu:f;borrow=0\n"

static const struct {
	const char *name, *csv, *want;
} rows[] = {
	{"work counts from ready on",
	 "name,namespace,queue,submit_s,duration_s,pods,requests,ready_s\n"
	 "a,default,q,0,50,1,nvidia.com/gpu=2,7\n",
	 RESERVED("0") "7,PodsReady,default/a,q,\n57,Finished,default/a,q,\n"},
	{"ready at once has no row",
	 "name,namespace,queue,submit_s,duration_s,pods,requests,ready_s\n"
	 "a,default,q,0,50,1,nvidia.com/gpu=2,0\n",
	 RESERVED("0") "50,Finished,default/a,q,\n"},
	{"a failure pauses the work",
	 "name,namespace,queue,submit_s,duration_s,pods,requests,ready_s,fail_s,recover_s\n"
	 "a,default,q,0,50,1,nvidia.com/gpu=2,5,20,9\n",
	 RESERVED("0") "5,PodsReady,default/a,q,\n25,PodsNotReady,default/a,q,\n"
		       "34,PodsReady,default/a,q,\n64,Finished,default/a,q,\n"},
	{"each of those told the same has attempts of its own",
	 "name,namespace,queue,submit_s,duration_s,pods,requests,ready_s,fail_s,recover_s\n"
	 "a,default,q,0,50,1,nvidia.com/gpu=1,5,20,9\n"
	 "b,default,q,10,50,1,nvidia.com/gpu=1,5,20,9\n"
	 "c,default,q,70,50,1,nvidia.com/gpu=1,5,20,9\n",
	 RESERVED("0") "5,PodsReady,default/a,q,\n"
		       "10,QuotaReserved,default/b,q,count=1;flavors=nvidia.com/gpu:f;borrow=0\n"
		       "15,PodsReady,default/b,q,\n25,PodsNotReady,default/a,q,\n"
		       "34,PodsReady,default/a,q,\n35,PodsNotReady,default/b,q,\n"
		       "44,PodsReady,default/b,q,\n64,Finished,default/a,q,\n"
		       "70,QuotaReserved,default/c,q,count=1;flavors=nvidia.com/gpu:f;borrow=0\n"
		       "74,Finished,default/b,q,\n75,PodsReady,default/c,q,\n"
		       "95,PodsNotReady,default/c,q,\n104,PodsReady,default/c,q,\n"
		       "134,Finished,default/c,q,\n"},
	{"one that comes after the end does not happen",
	 "name,namespace,queue,submit_s,duration_s,pods,requests,fail_s,recover_s\n"
	 "a,default,q,0,50,1,nvidia.com/gpu=2,50,9\n",
	 RESERVED("0") "50,Finished,default/a,q,\n"},
	{"cancelled while a pod is lost",
	 "name,namespace,queue,submit_s,duration_s,pods,requests,fail_s,recover_s,cancel_s\n"
	 "a,default,q,0,50,1,nvidia.com/gpu=2,10,never,30\n",
	 RESERVED("0") "10,PodsNotReady,default/a,q,\n30,Deleted,default/a,q,\n"},
	{"cancelled after the end: nothing",
	 "name,namespace,queue,submit_s,duration_s,pods,requests,cancel_s\n"
	 "a,default,q,0,50,1,nvidia.com/gpu=2,80\n",
	 RESERVED("0") "50,Finished,default/a,q,\n"},
};

START_TEST(whole_runs)
{
	char *got = kueue_story_events(STORY_PLAIN, rows[_i].csv);

	ck_assert_msg(strcmp(got, rows[_i].want) == 0, "%s: got\n%s", rows[_i].name, got);
	mem_free(got);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("sim/engine/podlife");
	TCase *t = tcase_create("all");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_add_loop_test(t, whole_runs, 0, (int)(sizeof(rows) / sizeof(rows[0])));
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
