/* test_kueue_checks.c - Quota is held while admission checks are asked. */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "core/mem.h"
#include "tests/support/kueue_story.h"

#define CHECK_D                                                                                    \
	"---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: AdmissionCheck\nmetadata: {name: d}\n"     \
	"spec: {controllerName: x}\n"
/* The queue q has other checks. */
#define CHECKS_AT(at, checks)                                                                      \
	"---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: ClusterQueue\n"                            \
	"metadata: {name: q, annotations: {gqsim/at: \"" at                                        \
	"\"}}\nspec:\n  namespaceSelector: {}\n"                                                   \
	"  admissionChecksStrategy: {admissionChecks: [" checks "]}\n"                             \
	"  resourceGroups:\n  - coveredResources: [nvidia.com/gpu]\n    flavors:\n"                \
	"    - name: f\n      resources: [{name: nvidia.com/gpu, nominalQuota: 2}]\n"
#define LQ_AT(at, more)                                                                            \
	"---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: LocalQueue\n"                              \
	"metadata: {name: q, namespace: default, annotations: {gqsim/at: \"" at                    \
	"\"}}\nspec: {clusterQueue: q" more "}\n"
#define CHECKS_CSV                                                                                 \
	"name,namespace,queue,submit_s,duration_s,pods,requests,check_s,check_result,"             \
	"check_retry_s,ready_s\n"

static const struct {
	const char *name, *yaml, *csv, *want;
} rows[] = {
	{"ready after 4 s", STORY_CHECKED,
	 "name,namespace,queue,submit_s,duration_s,pods,requests,check_s\n"
	 "a,default,q,0,50,1,nvidia.com/gpu=2,4\n",
	 "0,QuotaReserved,default/a,q,count=1;flavors=nvidia.com/gpu:f;borrow=0\n"
	 "4,Check,default/a,q,result=Ready\n4,Admitted,default/a,q,\n54,Finished,default/a,q,\n"},
	{"retry with a back-off keeps the quota until it ends", STORY_CHECKED,
	 "name,namespace,queue,submit_s,duration_s,pods,requests,check_s,check_result,"
	 "check_retry_s\na,default,q,0,50,1,nvidia.com/gpu=2,4,Retry;Ready,6\n",
	 "0,QuotaReserved,default/a,q,count=1;flavors=nvidia.com/gpu:f;borrow=0\n"
	 "4,Check,default/a,q,result=Retry\n"
	 "10,Evicted,default/a,q,reason=AdmissionCheck;requeue_count=0;requeue_at=10\n"
	 "15,Released,default/a,q,\n"
	 "15,QuotaReserved,default/a,q,count=1;flavors=nvidia.com/gpu:f;borrow=0\n"
	 "19,Check,default/a,q,result=Ready\n19,Admitted,default/a,q,\n69,Finished,default/a,q,\n"},
	{"rejected: deactivated", STORY_CHECKED,
	 "name,namespace,queue,submit_s,duration_s,pods,requests,check_s,check_result\n"
	 "a,default,q,0,50,1,nvidia.com/gpu=2,4,Rejected\n",
	 "0,QuotaReserved,default/a,q,count=1;flavors=nvidia.com/gpu:f;borrow=0\n"
	 "4,Check,default/a,q,result=Rejected\n"
	 "4,Evicted,default/a,q,reason=DeactivatedDueToAdmissionCheck\n9,Released,default/a,q,\n"},
	/* Of Kueue's own controllers, in virtual time. */
	{"the check is taken away: nothing to wait for", STORY_CHECKED CHECK_D CHECKS_AT("10", ""),
	 CHECKS_CSV "a,default,q,0,50,1,nvidia.com/gpu=2,never,,,\n",
	 "0,QuotaReserved,default/a,q,count=1;flavors=nvidia.com/gpu:f;borrow=0\n"
	 "10,Admitted,default/a,q,\n"
	 "60,Finished,default/a,q,\n"},
	{"another check comes meanwhile",
	 STORY_CHECKED CHECK_D CHECKS_AT("3", "{name: c}, {name: d}"),
	 CHECKS_CSV "a,default,q,0,50,1,nvidia.com/gpu=2,4,,,\n",
	 "0,QuotaReserved,default/a,q,count=1;flavors=nvidia.com/gpu:f;borrow=0\n"
	 "4,Check,default/a,q,result=Ready\n"
	 "7,Check,default/a,q,result=Ready\n"
	 "7,Admitted,default/a,q,\n"
	 "57,Finished,default/a,q,\n"},
	{"another comes that there is not: nobody answers it",
	 STORY_CHECKED CHECKS_AT("3", "{name: c}, {name: nowhere}"),
	 CHECKS_CSV "a,default,q,0,50,1,nvidia.com/gpu=2,4,,,\n",
	 "0,QuotaReserved,default/a,q,count=1;flavors=nvidia.com/gpu:f;borrow=0\n"
	 "4,Check,default/a,q,result=Ready\n"},
	{"the one goes, the other comes, and the one is back",
	 STORY_CHECKED CHECK_D CHECKS_AT("2", "{name: d}") CHECKS_AT("4", "{name: d}, {name: c}"),
	 CHECKS_CSV "a,default,q,0,50,1,nvidia.com/gpu=2,7,,,\n",
	 "0,QuotaReserved,default/a,q,count=1;flavors=nvidia.com/gpu:f;borrow=0\n"
	 "9,Check,default/a,q,result=Ready\n"
	 "11,Check,default/a,q,result=Ready\n"
	 "11,Admitted,default/a,q,\n"
	 "61,Finished,default/a,q,\n"},
	{"a check for who runs says Retry", STORY_PLAIN CHECK_D CHECKS_AT("3", "{name: d}"),
	 CHECKS_CSV "a,default,q,0,50,1,nvidia.com/gpu=2,4,Retry;Ready,,\n",
	 "0,QuotaReserved,default/a,q,count=1;flavors=nvidia.com/gpu:f;borrow=0\n"
	 "7,Check,default/a,q,result=Retry\n"
	 "7,Evicted,default/a,q,reason=AdmissionCheck\n"
	 "12,Released,default/a,q,\n"
	 "12,QuotaReserved,default/a,q,count=1;flavors=nvidia.com/gpu:f;borrow=0\n"
	 "16,Check,default/a,q,result=Ready\n"
	 "16,Admitted,default/a,q,\n"
	 "66,Finished,default/a,q,\n"},
	{"a check for who runs says Rejected", STORY_PLAIN CHECK_D CHECKS_AT("3", "{name: d}"),
	 CHECKS_CSV "a,default,q,0,50,1,nvidia.com/gpu=2,4,Rejected,,\n",
	 "0,QuotaReserved,default/a,q,count=1;flavors=nvidia.com/gpu:f;borrow=0\n"
	 "7,Check,default/a,q,result=Rejected\n"
	 "7,Evicted,default/a,q,reason=DeactivatedDueToAdmissionCheck\n"
	 "12,Released,default/a,q,\n"},
	{"in the back-off of a check that goes another comes",
	 STORY_CHECKED CHECK_D CHECKS_AT("6", "{name: d}"),
	 CHECKS_CSV "a,default,q,0,50,1,nvidia.com/gpu=2,4,Retry;Ready,6,\n",
	 "0,QuotaReserved,default/a,q,count=1;flavors=nvidia.com/gpu:f;borrow=0\n"
	 "4,Check,default/a,q,result=Retry\n"
	 "14,Check,default/a,q,result=Retry\n"
	 "20,Evicted,default/a,q,reason=AdmissionCheck;requeue_count=0;requeue_at=20\n"
	 "25,Released,default/a,q,\n"
	 "25,QuotaReserved,default/a,q,count=1;flavors=nvidia.com/gpu:f;borrow=0\n"
	 "29,Check,default/a,q,result=Ready\n"
	 "29,Admitted,default/a,q,\n"
	 "79,Finished,default/a,q,\n"},
	{"in a back-off another comes: the first evicts",
	 STORY_CHECKED CHECK_D CHECKS_AT("6", "{name: c}, {name: d}"),
	 CHECKS_CSV "a,default,q,0,50,1,nvidia.com/gpu=2,4,Retry;Ready,6,\n",
	 "0,QuotaReserved,default/a,q,count=1;flavors=nvidia.com/gpu:f;borrow=0\n"
	 "4,Check,default/a,q,result=Retry\n"
	 "10,Evicted,default/a,q,reason=AdmissionCheck;requeue_count=0;requeue_at=10\n"
	 "15,Released,default/a,q,\n"
	 "15,QuotaReserved,default/a,q,count=1;flavors=nvidia.com/gpu:f;borrow=0\n"
	 "19,Check,default/a,q,result=Ready\n"
	 "19,Admitted,default/a,q,\n"
	 "69,Finished,default/a,q,\n"},
	{"checks change while its LocalQueue is stopped: asked for once that is back",
	 STORY_CHECKED CHECK_D LQ_AT("6", ", stopPolicy: Hold") CHECKS_AT("8", "{name: d}")
		 LQ_AT("20", ""),
	 CHECKS_CSV "a,default,q,0,50,1,nvidia.com/gpu=2,4,,,\n",
	 "0,QuotaReserved,default/a,q,count=1;flavors=nvidia.com/gpu:f;borrow=0\n"
	 "4,Check,default/a,q,result=Ready\n"
	 "4,Admitted,default/a,q,\n"
	 "24,Check,default/a,q,result=Ready\n"
	 "54,Finished,default/a,q,\n"},
	{"its last check goes between eviction and release, which counts as execution time",
	 STORY_CHECKED CHECK_D CHECKS_AT("12", ""),
	 "name,namespace,queue,submit_s,duration_s,pods,requests,check_s,check_result,"
	 "check_retry_s,max_exec_s\na,default,q,0,50,1,nvidia.com/gpu=2,4,Retry;Ready,6,10\n",
	 "0,QuotaReserved,default/a,q,count=1;flavors=nvidia.com/gpu:f;borrow=0\n"
	 "4,Check,default/a,q,result=Retry\n"
	 "10,Evicted,default/a,q,reason=AdmissionCheck;requeue_count=0;requeue_at=10\n"
	 "15,Released,default/a,q,\n"
	 "15,QuotaReserved,default/a,q,count=1;flavors=nvidia.com/gpu:f;borrow=0\n"
	 "22,Evicted,default/a,q,reason=DeactivatedDueToMaximumExecutionTimeExceeded\n"
	 "27,Released,default/a,q,\n"},
	{"in a back-off its check goes", STORY_CHECKED CHECK_D CHECKS_AT("6", ""),
	 CHECKS_CSV "a,default,q,0,50,1,nvidia.com/gpu=2,4,Retry;Ready,6,\n",
	 "0,QuotaReserved,default/a,q,count=1;flavors=nvidia.com/gpu:f;borrow=0\n"
	 "4,Check,default/a,q,result=Retry\n"
	 "10,Admitted,default/a,q,\n"
	 "60,Finished,default/a,q,\n"},
};

START_TEST(whole_runs)
{
	char *got = kueue_story_events(rows[_i].yaml, rows[_i].csv);

	ck_assert_msg(strcmp(got, rows[_i].want) == 0, "%s: got\n%s", rows[_i].name, got);
	mem_free(got);
}
END_TEST

/* Its back-off ends in a queue that has been stopped meanwhile: who runs it takes its quota back
 * at once, as recorded from Kueue's own controllers, or else the stop does. */
#define BACK_OFF_STOPPED STORY_CHECKED CHECKS_AT("6", "{name: c}") "  stopPolicy: HoldAndDrain\n"
#define BACK_OFF_CSV	 CHECKS_CSV "a,default,q,0,50,1,nvidia.com/gpu=2,4,Retry;Ready,6,\n"
#define BACK_OFF_ROWS                                                                              \
	"0,QuotaReserved,default/a,q,count=1;flavors=nvidia.com/gpu:f;borrow=0\n"                  \
	"4,Check,default/a,q,result=Retry\n"                                                       \
	"10,Evicted,default/a,q,reason=AdmissionCheck;requeue_count=0;requeue_at=10\n"

START_TEST(evicted_in_a_stopped_queue)
{
	char *prompt = kueue_story_prompt_events(BACK_OFF_STOPPED, BACK_OFF_CSV);
	char *late = kueue_story_events(BACK_OFF_STOPPED, BACK_OFF_CSV);

	ck_assert_str_eq(prompt, BACK_OFF_ROWS);
	ck_assert_str_eq(late, BACK_OFF_ROWS "10,Released,default/a,q,\n");
	mem_free(prompt);
	mem_free(late);
}
END_TEST

/* The condition QuotaReserved is true, whatever it said before. */
START_TEST(waits_with_quota)
{
	char *got = kueue_story_pending(
		STORY_CHECKED, "name,namespace,queue,submit_s,duration_s,pods,requests,check_s\n"
			       "a,default,q,0,20,1,nvidia.com/gpu=2,0\n"
			       "b,default,q,10,50,1,nvidia.com/gpu=2,never\n"
			       "c,default,q,30,50,1,nvidia.com/gpu=1,0\n");

	ck_assert_str_eq(
		got, "default/b,q,QuotaReserved,Quota reserved in ClusterQueue q\n"
		     "default/c,q,WaitingForQuota,\"couldn't assign flavors to pod set main: "
		     "insufficient unused quota for nvidia.com/gpu in flavor f, 1 more needed\"\n");
	mem_free(got);
}
END_TEST

/* Queue q is strict: its head b, for which there is no quota, is tried in every cycle. */
#define STRICT "  queueingStrategy: StrictFIFO\n"
#define STRICT_CHECKED                                                                             \
	STORY_QUEUE(STRICT "  admissionChecksStrategy: {admissionChecks: [{name: c}]}\n")          \
	"---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: AdmissionCheck\nmetadata: {name: c}\n"     \
	"spec: {controllerName: x}\n"
#define STRICT_AT_3                                                                                \
	"---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: ClusterQueue\n"                            \
	"metadata: {name: q, annotations: {gqsim/at: '3'}}\nspec:\n  namespaceSelector: "          \
	"{}\n" STRICT "  resourceGroups:\n  - coveredResources: [nvidia.com/gpu]\n    flavors:\n"  \
	"    - name: f\n      resources: [{name: nvidia.com/gpu, nominalQuota: 2}]\n"
#define WAITS(seconds)                                                                             \
	"apiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\n"                         \
	"waitForPodsReady: {timeout: " seconds "s}\n---\n"

/* a is answered then, or never; its check is taken away at 3 s. */
static uint64_t cycles_of_answer(const char *answer)
{
	char csv[500];

	snprintf(csv, sizeof(csv),
		 "name,namespace,queue,submit_s,duration_s,pods,requests,check_s\n"
		 "a,default,q,0,50,1,nvidia.com/gpu=2,%s\n"
		 "b,default,q,1,50,1,nvidia.com/gpu=2,0\n",
		 answer);
	return kueue_story_cycles(STRICT_CHECKED STRICT_AT_3, csv);
}

START_TEST(an_answer_that_nobody_waits_for_lets_no_cycle_run)
{
	ck_assert_uint_eq(cycles_of_answer("7"), cycles_of_answer("never"));
	ck_assert_uint_eq(cycles_of_answer("2"), cycles_of_answer("never") + 1);
}
END_TEST

/* a, with a check or none, is admitted at 4 s, and its pods are ready at once. */
static uint64_t cycles_of_timeout(const char *yaml, const char *limit)
{
	char csv[500];

	snprintf(csv, sizeof(csv),
		 "name,namespace,queue,submit_s,duration_s,pods,requests,check_s,max_exec_s\n"
		 "a,default,q,4,50,1,nvidia.com/gpu=2,0,%s\n"
		 "b,default,q,5,50,1,nvidia.com/gpu=2,0,\n",
		 limit);
	return kueue_story_cycles(yaml, csv);
}

/* Kueue's workload controller admits who has checks, the scheduler who has none. */
START_TEST(who_is_admitted_after_checks_is_looked_at_again)
{
	uint64_t never = cycles_of_timeout(WAITS("1000") STRICT_CHECKED, "");

	ck_assert_uint_eq(cycles_of_timeout(WAITS("30") STRICT_CHECKED, ""), never + 1);
	ck_assert_uint_eq(cycles_of_timeout(WAITS("30") STORY_QUEUE(STRICT), ""), never);
	/* and not once its execution time is over */
	never = cycles_of_timeout(WAITS("1000") STRICT_CHECKED, "20");
	ck_assert_uint_eq(cycles_of_timeout(WAITS("30") STRICT_CHECKED, "20"), never);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("sim/kueue/kueue_checks");
	TCase *t = tcase_create("all");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_add_loop_test(t, whole_runs, 0, (int)(sizeof(rows) / sizeof(rows[0])));
	tcase_add_test(t, evicted_in_a_stopped_queue);
	tcase_add_test(t, waits_with_quota);
	tcase_add_test(t, an_answer_that_nobody_waits_for_lets_no_cycle_run);
	tcase_add_test(t, who_is_admitted_after_checks_is_looked_at_again);
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
