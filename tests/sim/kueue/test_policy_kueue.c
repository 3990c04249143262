/* test_policy_kueue.c - Kueue under the engine: one story through all of it. */
#include <check.h>
#include <string.h>

#include "core/mem.h"
#include "tests/sim/objects_case.h"
#include "tests/sim/run_case.h"
#include "tests/support/kueue_story.h"

static const struct {
	const char *name, *yaml, *csv, *want;
} rows[] = {
	{"borrowed quota goes back to whom it belongs to",
	 "apiVersion: kueue.x-k8s.io/v1beta2\nkind: ResourceFlavor\nmetadata: {name: "
	 "f}\n" STORY_MEMBER("a") STORY_MEMBER("b"),
	 "name,namespace,queue,submit_s,duration_s,pods,requests\n"
	 "x,default,a,0,100,1,nvidia.com/gpu=2\ny,default,a,0,100,1,nvidia.com/gpu=2\n"
	 "z,default,b,10,100,1,nvidia.com/gpu=2\n",
	 "0,QuotaReserved,default/x,a,count=1;flavors=nvidia.com/gpu:f;borrow=0\n"
	 "0,QuotaReserved,default/y,a,count=1;flavors=nvidia.com/gpu:f;borrow=1\n"
	 "10,Preempted,default/x,a,reason=InCohortReclamation;preemptor=default/z;preemptor_cq=b\n"
	 "15,Released,default/x,a,\n"
	 "15,QuotaReserved,default/z,b,count=1;flavors=nvidia.com/gpu:f;borrow=0\n"
	 "100,Finished,default/y,a,\n"
	 "101,QuotaReserved,default/x,a,count=1;flavors=nvidia.com/gpu:f;borrow=0\n"
	 "115,Finished,default/z,b,\n201,Finished,default/x,a,\n"},
};

START_TEST(whole_runs)
{
	char *got = kueue_story_events(rows[_i].yaml, rows[_i].csv);

	ck_assert_msg(strcmp(got, rows[_i].want) == 0, "%s: got\n%s", rows[_i].name, got);
	mem_free(got);
}
END_TEST

#define BOOSTED(name, boost)                                                                       \
	"---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: Workload\nmetadata: {name: " name          \
	", annotations: {kueue.x-k8s.io/priority-boost: '" boost "', gqsim/duration: '10'}}\n"     \
	"spec: {queueName: q, priority: 1, podSets: [{name: main, count: 1, template: {spec: "     \
	"{containers: [{name: c, resources: {requests: {nvidia.com/gpu: 1}}}]}}}]}\n"
#define BOOST_GATE                                                                                 \
	"---\napiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\n"                    \
	"featureGates: {PriorityBoost: true}\n"

static const struct {
	const char *yaml, *last;
} boosts[] = {
	{BOOSTED("a", "-1") BOOSTED("b", "2147483647") BOOSTED("c", "1"), "\n32 finish c\n"},
	{BOOST_GATE BOOSTED("a", "-1") BOOSTED("b", "2147483647") BOOSTED("c", "1"),
	 "\n32 finish a\n"},
	{BOOST_GATE BOOSTED("a", "1e3") BOOSTED("b", "-7") BOOSTED("c", ""), "\n32 finish b\n"},
};

/* Three workloads for one GPU: the one that comes last. */
START_TEST(boosted_priorities_count_behind_their_gate)
{
	char yaml[4096];
	struct run_case c;

	snprintf(yaml, sizeof(yaml), "%s%s", RUN_CASE_QUEUE("1"), boosts[_i].yaml);
	c = run_case(yaml, "kueue");
	run_case_has(&c, boosts[_i].last);
	run_case_free(&c);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("sim/kueue/policy_kueue");
	TCase *t = tcase_create("all");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_add_loop_test(t, whole_runs, 0, (int)(sizeof(rows) / sizeof(rows[0])));
	tcase_add_loop_test(t, boosted_priorities_count_behind_their_gate, 0, ROWS(boosts));
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
