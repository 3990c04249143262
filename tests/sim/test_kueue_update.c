/* test_kueue_update.c - Queues stopped, drained, restarted and resized while they are used. */
#include <check.h>
#include <string.h>

#include "core/mem.h"
#include "tests/support/kueue_story.h"

static const struct {
	const char *name, *yaml, *csv, *want;
} rows[] = {
	{"a drained queue evicts, and takes them back when it restarts",
	 STORY_PLAIN "---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: LocalQueue\n"
		     "metadata: {name: q, namespace: default, annotations: {gqsim/at: \"10\"}}\n"
		     "spec: {clusterQueue: q, stopPolicy: HoldAndDrain}\n"
		     "---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: LocalQueue\n"
		     "metadata: {name: q, namespace: default, annotations: {gqsim/at: \"30\"}}\n"
		     "spec: {clusterQueue: q}\n",
	 "name,namespace,queue,submit_s,duration_s,pods,requests\n"
	 "a,default,q,0,50,1,nvidia.com/gpu=2\n",
	 "0,QuotaReserved,default/a,q,count=1;flavors=nvidia.com/gpu:f;borrow=0\n"
	 "10,Evicted,default/a,q,reason=LocalQueueStopped\n15,Released,default/a,q,\n"
	 "30,QuotaReserved,default/a,q,count=1;flavors=nvidia.com/gpu:f;borrow=0\n"
	 "80,Finished,default/a,q,\n"},
	{"held: who runs runs on, who waits waits",
	 STORY_PLAIN "---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: LocalQueue\n"
		     "metadata: {name: q, namespace: default, annotations: {gqsim/at: \"10\"}}\n"
		     "spec: {clusterQueue: q, stopPolicy: Hold}\n"
		     "---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: LocalQueue\n"
		     "metadata: {name: q, namespace: default, annotations: {gqsim/at: \"70\"}}\n"
		     "spec: {clusterQueue: q}\n",
	 "name,namespace,queue,submit_s,duration_s,pods,requests\n"
	 "a,default,q,0,50,1,nvidia.com/gpu=2\nb,default,q,20,5,1,nvidia.com/gpu=2\n",
	 "0,QuotaReserved,default/a,q,count=1;flavors=nvidia.com/gpu:f;borrow=0\n"
	 "50,Finished,default/a,q,\n"
	 "70,QuotaReserved,default/b,q,count=1;flavors=nvidia.com/gpu:f;borrow=0\n"
	 "75,Finished,default/b,q,\n"},
};

START_TEST(whole_runs)
{
	char *got = kueue_story_events(rows[_i].yaml, rows[_i].csv);

	ck_assert_msg(strcmp(got, rows[_i].want) == 0, "%s: got\n%s", rows[_i].name, got);
	mem_free(got);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("sim/kueue_update");
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
