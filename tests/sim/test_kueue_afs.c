/* test_kueue_afs.c - Admission fair sharing: the LocalQueue that used least first. */
#include <check.h>
#include <string.h>

#include "core/mem.h"
#include "tests/support/kueue_story.h"

static const struct {
	const char *name, *yaml, *csv, *want;
} rows[] = {
	{"the other LocalQueue's turn, whatever the priority",
	 "apiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\n"
	 "admissionFairSharing: {usageHalfLifeTime: 600s, usageSamplingInterval: 60s}\n---\n"
	 "apiVersion: kueue.x-k8s.io/v1beta2\nkind: WorkloadPriorityClass\n"
	 "metadata: {name: high}\nvalue: 9\n---\n" STORY_SHARED
	 "---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: LocalQueue\n"
	 "metadata: {name: r, namespace: default}\nspec: {clusterQueue: q}\n",
	 "name,namespace,queue,submit_s,duration_s,pods,requests,priority_class\n"
	 "a,default,q,0,50,1,nvidia.com/gpu=2,\nb,default,q,1,50,1,nvidia.com/gpu=2,high\n"
	 "c,default,r,2,50,1,nvidia.com/gpu=2,\n",
	 "0,QuotaReserved,default/a,q,count=1;flavors=nvidia.com/gpu:f;borrow=0\n"
	 "50,Finished,default/a,q,\n"
	 "51,QuotaReserved,default/c,q,count=1;flavors=nvidia.com/gpu:f;borrow=0\n"
	 "101,Finished,default/c,q,\n"
	 "102,QuotaReserved,default/b,q,count=1;flavors=nvidia.com/gpu:f;borrow=0\n"
	 "152,Finished,default/b,q,\n"},
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
	Suite *s = suite_create("sim/kueue_afs");
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
