/* test_kueue_ready.c - Pods that are not ready in time, execution that takes too long. */
#include <check.h>
#include <string.h>

#include "core/mem.h"
#include "sim/kueue/kueue_ready.h"
#include "tests/support/kueue_story.h"

static const struct {
	const char *name, *yaml, *csv, *want;
} rows[] = {
	{"not ready in time: evicted, back after 10 s, then 20 s",
	 "apiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\n"
	 "waitForPodsReady: {timeout: 30s, requeuingStrategy: {backoffBaseSeconds: "
	 "10}}\n---\n" STORY_PLAIN,
	 "name,namespace,queue,submit_s,duration_s,pods,requests,ready_s\n"
	 "a,default,q,0,50,1,nvidia.com/gpu=2,never;never;5\n",
	 "0,QuotaReserved,default/a,q,count=1;flavors=nvidia.com/gpu:f;borrow=0\n"
	 "30,Evicted,default/a,q,reason=PodsReadyTimeout;requeue_count=1;requeue_at=40\n"
	 "35,Released,default/a,q,\n"
	 "40,QuotaReserved,default/a,q,count=1;flavors=nvidia.com/gpu:f;borrow=0\n"
	 "70,Evicted,default/a,q,reason=PodsReadyTimeout;requeue_count=2;requeue_at=90\n"
	 "75,Released,default/a,q,\n"
	 "90,QuotaReserved,default/a,q,count=1;flavors=nvidia.com/gpu:f;borrow=0\n"
	 "95,PodsReady,default/a,q,\n145,Finished,default/a,q,\n"},
	{"past the limit: deactivated, quota free at once",
	 "apiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\n"
	 "waitForPodsReady: {timeout: 30s, requeuingStrategy: {backoffLimitCount: "
	 "0}}\n---\n" STORY_PLAIN,
	 "name,namespace,queue,submit_s,duration_s,pods,requests,ready_s\n"
	 "a,default,q,0,50,1,nvidia.com/gpu=2,never\nb,default,q,1,50,1,nvidia.com/gpu=2,\n",
	 "0,QuotaReserved,default/a,q,count=1;flavors=nvidia.com/gpu:f;borrow=0\n"
	 "30,Evicted,default/a,q,reason=DeactivatedDueToRequeuingLimitExceeded\n"
	 "31,QuotaReserved,default/b,q,count=1;flavors=nvidia.com/gpu:f;borrow=0\n"
	 "35,Released,default/a,q,\n81,Finished,default/b,q,\n"},
	{"a failed pod that is back in time extends the run",
	 "apiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\n"
	 "waitForPodsReady: {timeout: 30s, recoveryTimeout: 20s}\n---\n" STORY_PLAIN,
	 "name,namespace,queue,submit_s,duration_s,pods,requests,fail_s,recover_s\n"
	 "a,default,q,0,50,1,nvidia.com/gpu=2,10,15\n",
	 "0,QuotaReserved,default/a,q,count=1;flavors=nvidia.com/gpu:f;borrow=0\n"
	 "10,PodsNotReady,default/a,q,\n25,PodsReady,default/a,q,\n65,Finished,default/a,q,\n"},
	{"execution time over the limit", STORY_PLAIN,
	 "name,namespace,queue,submit_s,duration_s,pods,requests,max_exec_s\n"
	 "a,default,q,0,50,1,nvidia.com/gpu=2,40\n",
	 "0,QuotaReserved,default/a,q,count=1;flavors=nvidia.com/gpu:f;borrow=0\n"
	 "40,Evicted,default/a,q,reason=DeactivatedDueToMaximumExecutionTimeExceeded\n"
	 "45,Released,default/a,q,\n"},
	/* 8 s are over before the eviction is, but Kueue looks again after the back-off. */
	{"execution time over the limit during a back-off: told at the next admission",
	 "apiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\n"
	 "waitForPodsReady: {timeout: 5s, requeuingStrategy: {backoffBaseSeconds: "
	 "60}}\n---\n" STORY_PLAIN,
	 "name,namespace,queue,submit_s,duration_s,pods,requests,ready_s,max_exec_s\n"
	 "a,default,q,0,50,1,nvidia.com/gpu=2,20,8\n",
	 "0,QuotaReserved,default/a,q,count=1;flavors=nvidia.com/gpu:f;borrow=0\n"
	 "5,Evicted,default/a,q,reason=PodsReadyTimeout;requeue_count=1;requeue_at=65\n"
	 "10,Released,default/a,q,\n"
	 "65,QuotaReserved,default/a,q,count=1;flavors=nvidia.com/gpu:f;borrow=0\n"
	 "65,Evicted,default/a,q,reason=DeactivatedDueToMaximumExecutionTimeExceeded\n"
	 "70,Released,default/a,q,\n"},
	{"no execution time left: over before the next cycle, which has its quota",
	 "apiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\n"
	 "waitForPodsReady: {timeout: 5s, requeuingStrategy: {backoffBaseSeconds: "
	 "60}}\n---\n" STORY_PLAIN,
	 "name,namespace,queue,submit_s,duration_s,pods,requests,ready_s,max_exec_s\n"
	 "a,default,q,0,50,1,nvidia.com/gpu=2,20,8\nb,default,q,65,50,1,nvidia.com/gpu=2,,\n",
	 "0,QuotaReserved,default/a,q,count=1;flavors=nvidia.com/gpu:f;borrow=0\n"
	 "5,Evicted,default/a,q,reason=PodsReadyTimeout;requeue_count=1;requeue_at=65\n"
	 "10,Released,default/a,q,\n"
	 "65,QuotaReserved,default/a,q,count=1;flavors=nvidia.com/gpu:f;borrow=0\n"
	 "65,Evicted,default/a,q,reason=DeactivatedDueToMaximumExecutionTimeExceeded\n"
	 "65,QuotaReserved,default/b,q,count=1;flavors=nvidia.com/gpu:f;borrow=0\n"
	 "70,Released,default/a,q,\n115,Finished,default/b,q,\n"},
	{"blockAdmission: one after the other",
	 "apiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\n"
	 "waitForPodsReady: {timeout: 30s, blockAdmission: true}\n---\n" STORY_PLAIN,
	 "name,namespace,queue,submit_s,duration_s,pods,requests,ready_s\n"
	 "a,default,q,0,50,1,nvidia.com/gpu=1,7\nb,default,q,0,50,1,nvidia.com/gpu=1,7\n",
	 "0,QuotaReserved,default/a,q,count=1;flavors=nvidia.com/gpu:f;borrow=0\n"
	 "7,PodsReady,default/a,q,\n"
	 "7,QuotaReserved,default/b,q,count=1;flavors=nvidia.com/gpu:f;borrow=0\n"
	 "14,PodsReady,default/b,q,\n57,Finished,default/a,q,\n64,Finished,default/b,q,\n"},
	{"blockAdmission: a cycle that waited ends as it began, in cohorts that form one since",
	 "apiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\n"
	 "waitForPodsReady: {timeout: 30s, blockAdmission: true}\n---\n" STORY_QUEUE(
		 "  cohortName: c\n") "---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: Cohort\n"
				      "metadata: {name: c}\n---\n"
				      "apiVersion: kueue.x-k8s.io/v1beta2\nkind: Cohort\n"
				      "metadata: {name: c, annotations: {gqsim/at: \"3\"}}\n"
				      "spec: {parentName: c}\n",
	 "name,namespace,queue,submit_s,duration_s,pods,requests,ready_s\n"
	 "a,default,q,0,20,1,nvidia.com/gpu=1,8\nb,default,q,1,20,1,nvidia.com/gpu=1,0\n",
	 "0,QuotaReserved,default/a,q,count=1;flavors=nvidia.com/gpu:f;borrow=0\n"
	 "8,PodsReady,default/a,q,\n"
	 "8,QuotaReserved,default/b,q,count=1;flavors=nvidia.com/gpu:f;borrow=0\n"
	 "28,Finished,default/a,q,\n28,Finished,default/b,q,\n"},
	{"blockAdmission: a head that is deleted meanwhile preempts all the same",
	 "apiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\n"
	 "waitForPodsReady: {timeout: 30s, blockAdmission: true}\n---\n"
	 "apiVersion: kueue.x-k8s.io/v1beta2\nkind: ResourceFlavor\nmetadata: {name: "
	 "f}\n" STORY_MEMBER("a") STORY_MEMBER("b") STORY_MEMBER("c") STORY_MEMBER("d"),
	 "name,namespace,queue,submit_s,duration_s,pods,requests,ready_s,cancel_s\n"
	 "v,default,d,0,40,1,nvidia.com/gpu=6,,\n"
	 "y,default,a,5,40,1,nvidia.com/gpu=1,10,\n"
	 "x,default,b,10,40,1,nvidia.com/gpu=1,,\n"
	 "p,default,c,10,40,1,nvidia.com/gpu=2,,13\n",
	 "0,QuotaReserved,default/v,d,count=1;flavors=nvidia.com/gpu:f;borrow=1\n"
	 "5,QuotaReserved,default/y,a,count=1;flavors=nvidia.com/gpu:f;borrow=0\n"
	 "13,Deleted,default/p,c,\n"
	 "15,PodsReady,default/y,a,\n"
	 "15,QuotaReserved,default/x,b,count=1;flavors=nvidia.com/gpu:f;borrow=0\n"
	 "15,Preempted,default/v,d,reason=InCohortReclamation;preemptor=default/p;preemptor_cq=c\n"
	 "20,Released,default/v,d,\n"
	 "20,QuotaReserved,default/v,d,count=1;flavors=nvidia.com/gpu:f;borrow=1\n"
	 "55,Finished,default/x,b,\n"
	 "55,Finished,default/y,a,\n"
	 "60,Finished,default/v,d,\n"},
};

START_TEST(whole_runs)
{
	char *got = kueue_story_events(rows[_i].yaml, rows[_i].csv);

	ck_assert_msg(strcmp(got, rows[_i].want) == 0, "%s: got\n%s", rows[_i].name, got);
	mem_free(got);
}
END_TEST

/* p was admitted at this instant, at 1000 s. */
static struct kueue_story *admitted(void)
{
	struct kueue_story *s = kueue_story_new("a[4]; a?p:2", false);

	s->scenario->config.wait_for_pods_ready = true;
	s->scenario->config.pods_ready_timeout = 60 * CLOCK_SECOND;
	kueue_story_run(s, 2);
	ck_assert(kueue_holds(s->k, 0));
	ck_assert_uint_eq(s->plan.count, 0);
	return s;
}

START_TEST(who_is_ready_by_the_end_of_the_instant_needs_no_timer)
{
	struct kueue_story *s = admitted();

	kueue_ready_settle(s->k); /* its pods are not ready */
	ck_assert_uint_eq(s->plan.count, 1);
	ck_assert_int_eq(s->plan.items[0].at, 1060 * CLOCK_SECOND);
	kueue_story_free(s);
	s = admitted();
	kueue_ready_pods(s->k, 0);
	kueue_ready_settle(s->k);
	ck_assert_uint_eq(s->plan.count, 0);
	kueue_ready_expect(s->k);
	ck_assert_uint_eq(s->plan.count, 1);
	ck_assert_int_eq(s->plan.items[0].at, 1060 * CLOCK_SECOND);
	kueue_ready_expect(s->k);
	ck_assert_uint_eq(s->plan.count, 1);
	kueue_story_free(s);
}
END_TEST

/* p is admitted, by a reconcile or not, and its pods are there at once. */
static size_t timers_of_ready(bool reconciled, simtime limit)
{
	struct kueue_story *s = admitted();
	struct job_extra extra = {.max_execution = limit};
	size_t count;

	s->scenario->extras = &extra;
	s->scenario->jobs[0].extra = 0;
	s->k->fresh_count = s->k->fresh_watched = 0;
	s->k->fresh = mem_grow(s->k->fresh, 1, &s->k->fresh_capacity, sizeof(uint32_t));
	s->k->fresh[s->k->fresh_count++] = 0;
	if (reconciled)
		kueue_ready_reconciled(s->k, 0);
	kueue_ready_pods(s->k, 0);
	kueue_ready_watch(s->k);
	kueue_ready_settle(s->k);
	kueue_ready_expect(s->k);
	count = s->plan.count;
	s->scenario->extras = NULL;
	s->scenario->jobs[0].extra = JOB_NONE;
	kueue_story_free(s);
	return count;
}

START_TEST(a_reconcile_that_admits_looks_again)
{
	ck_assert_uint_eq(timers_of_ready(false, 0), 0);
	ck_assert_uint_eq(timers_of_ready(true, 0), 1);
	ck_assert_uint_eq(timers_of_ready(true, 60 * CLOCK_SECOND), 1);
	/* and not of pods, if the execution ends first */
	ck_assert_uint_eq(timers_of_ready(true, 59 * CLOCK_SECOND), 0);
}
END_TEST

/* More than the ring holds at first, some of them past. */
START_TEST(spared_timers_are_set_in_order)
{
	struct kueue_story *s = admitted();

	for (int i = 0; i < 100; i++) {
		s->world.now = (1000 + i) * CLOCK_SECOND;
		s->k->fresh = mem_grow(s->k->fresh, 1, &s->k->fresh_capacity, sizeof(uint32_t));
		s->k->fresh[s->k->fresh_count++] = 0;
		kueue_life_own(s->k, 0)->ready = false;
		kueue_ready_watch(s->k);
		kueue_life_own(s->k, 0)->ready = true;
		kueue_ready_settle(s->k);
	}
	ck_assert_uint_eq(s->plan.count, 0);
	kueue_ready_expect(s->k);
	ck_assert_uint_eq(s->plan.count, 60);
	for (size_t i = 0; i < s->plan.count; i++)
		ck_assert_int_eq(s->plan.items[i].at, (1100 + (int64_t)i) * CLOCK_SECOND);
	kueue_story_free(s);
}
END_TEST

#define FLAVOR(name)                                                                               \
	"---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: ResourceFlavor\nmetadata: {name: " name    \
	"}\n"
#define QUEUE(name, flavors)                                                                       \
	"---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: ClusterQueue\nmetadata: {name: " name      \
	"}\nspec:\n  namespaceSelector: {}\n  resourceGroups:\n"                                   \
	"  - coveredResources: [cpu]\n    flavors:\n" flavors                                      \
	"---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: LocalQueue\nmetadata: {name: " name        \
	", namespace: default}\nspec: {clusterQueue: " name "}\n"

/* late is admitted at 0 and at 9, too long at 15, and looked at once more at 24. The cycles of
 * that instant move on the scan of wide. */
START_TEST(execution_counted_anew_is_looked_at_again)
{
	char *got = kueue_story_pending(
		"apiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\n"
		"waitForPodsReady: {timeout: 4s, requeuingStrategy: {backoffBaseSeconds: "
		"1}}\n" FLAVOR("f0") FLAVOR("f1") FLAVOR("f2") QUEUE(
			"q1", "    - {name: f0, resources: [{name: cpu, nominalQuota: 9}]}\n"
			      "    - {name: f1, resources: [{name: cpu, nominalQuota: 6}]}\n"
			      "    - {name: f2, resources: [{name: cpu, nominalQuota: 10}]}\n")
			QUEUE("q2", "    - {name: f0, resources: [{name: cpu, "
				    "nominalQuota: 1}]}\n"),
		"name,namespace,queue,submit_s,duration_s,podsets,ready_s,max_exec_s\n"
		"wide,default,q1,0,126,p0:3:cpu=2|p1:3:cpu=1|p2:3:cpu=5,,\n"
		"late,default,q2,0,90,p:1:cpu=1,never;1,15\n");

	ck_assert_msg(strstr(got, "flavor f0, previously considered podsets requests (0)") != NULL,
		      "%s", got);
	mem_free(got);
}
END_TEST

/* a runs too long at 20 s; b, which never fits, heads a strict
 * queue and is tried in every cycle. */
static uint64_t cycles_of_pods(const char *ready)
{
	static const char yaml[] =
		"apiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\n"
		"waitForPodsReady: {timeout: 30s}\n---\n" STORY_QUEUE(
			"  queueingStrategy: StrictFIFO\n");
	char csv[500];

	snprintf(csv, sizeof(csv),
		 "name,namespace,queue,submit_s,duration_s,pods,requests,ready_s,max_exec_s\n"
		 "a,default,q,0,90,1,nvidia.com/gpu=1,%s,20\n"
		 "b,default,q,1,90,1,nvidia.com/gpu=4,,\n",
		 ready);
	return kueue_story_cycles(yaml, csv);
}

START_TEST(its_pods_are_looked_at_after_its_execution_too)
{
	ck_assert_uint_eq(cycles_of_pods("never"), cycles_of_pods("0") + 1);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("sim/kueue/kueue_ready");
	TCase *t = tcase_create("all");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_add_loop_test(t, whole_runs, 0, (int)(sizeof(rows) / sizeof(rows[0])));
	tcase_add_test(t, who_is_ready_by_the_end_of_the_instant_needs_no_timer);
	tcase_add_test(t, a_reconcile_that_admits_looks_again);
	tcase_add_test(t, spared_timers_are_set_in_order);
	tcase_add_test(t, its_pods_are_looked_at_after_its_execution_too);
	tcase_add_test(t, execution_counted_anew_is_looked_at_again);
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
