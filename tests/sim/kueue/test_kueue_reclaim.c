/* test_kueue_reclaim.c - Pods that are done give their quota back. */
#include <check.h>

#include "core/mem.h"
#include "sim/kueue/kueue_life.h"
#include "sim/kueue/kueue_queue.h"
#include "sim/kueue/kueue_reclaim.h"
#include "tests/support/kueue_story.h"

static void reclaim(struct kueue_story *s, const char *job, uint32_t pods)
{
	s->k->plan = &s->plan;
	kueue_reclaim(s->k, kueue_story_job(s, job), pods);
}

static int64_t used(const struct kueue_story *s)
{
	return quota_at(&s->k->tree, 0, 0)->usage;
}

/* The last decision of that kind. */
static const struct decision *decided(const struct kueue_story *s, enum decision_kind kind)
{
	const struct decision *found = NULL;

	for (size_t i = 0; i < s->plan.count; i++) {
		if (s->plan.items[i].kind == kind)
			found = &s->plan.items[i];
	}
	return found;
}

START_TEST(others_are_let_in)
{
	struct kueue_story *s = kueue_story_new("a[4] in=-; a?p:4@5/1; a?q:2", false);
	const struct decision *d;

	ck_assert_str_eq(kueue_story_run(s, 2), "admit p f1; q parked");
	ck_assert_int_eq(used(s), 4000);
	reclaim(s, "p", 1);
	ck_assert_int_eq(used(s), 3000);
	reclaim(s, "p", 3);
	ck_assert_int_eq(used(s), 1000);
	d = decided(s, DECIDE_RECLAIM);
	ck_assert_ptr_nonnull(d);
	ck_assert_uint_eq(d->admission->pod_sets[0].count, 1);
	ck_assert_uint_eq(s->k->flush_now_count, 1);
	kueue_queue_flush(s->k, s->k->tree.nodes[0].root);
	plan_clear(&s->plan);
	ck_assert_str_eq(kueue_story_run(s, 1), "admit q f1");
	ck_assert_int_eq(used(s), 3000);
	kueue_story_free(s);
}
END_TEST

/* What is left of a workload that comes back is all that it asks for. */
START_TEST(comes_back_smaller)
{
	struct kueue_story *s = kueue_story_new("a[4] in=-; a?p:4@5/1; a?q:2", false);
	uint32_t job = kueue_story_job(s, "p");

	ck_assert_str_eq(kueue_story_run(s, 2), "admit p f1; q parked");
	reclaim(s, "p", 2);
	kueue_life_evict(s->k, job, CAUSE_PREEMPTED, "reason=Preempted", "");
	world_job(&s->world, job)->phase = JOB_PENDING;
	kueue_life_released(s->k, job);
	plan_clear(&s->plan);
	kueue_queue_flush(s->k, s->k->tree.nodes[0].root);
	ck_assert_str_eq(kueue_story_run(s, 2), "admit p f1 2; admit q f1");
	ck_assert_int_eq(used(s), 4000);
	kueue_story_free(s);
}
END_TEST

/* Partial admission: only what is less than was admitted is given back. */
START_TEST(fewer_than_admitted)
{
	struct kueue_story *s = kueue_story_new("a[2] in=-; a?p:4/1", false);

	ck_assert_str_eq(kueue_story_run(s, 1), "admit p f1 2");
	reclaim(s, "p", 1);
	ck_assert_int_eq(used(s), 2000);
	reclaim(s, "p", 3);
	ck_assert_int_eq(used(s), 1000);
	kueue_story_free(s);
}
END_TEST

/* One that is told to stop gives everything back once it has, and nothing before. */
START_TEST(nothing_on_the_way_out)
{
	struct kueue_story *s = kueue_story_new("a[4] in=-; a?p:4@5/1; a?q:2", false);

	ck_assert_str_eq(kueue_story_run(s, 2), "admit p f1; q parked");
	s->k->plan = &s->plan;
	kueue_life_evict(s->k, kueue_story_job(s, "p"), CAUSE_PREEMPTED, "reason=Preempted", "");
	reclaim(s, "p", 3);
	ck_assert_int_eq(used(s), 4000);
	ck_assert_ptr_null(decided(s, DECIDE_RECLAIM));
	kueue_story_free(s);
}
END_TEST

START_TEST(gate_off)
{
	struct kueue_story *s =
		kueue_story_new("a[4] in=-; a?p:4@5/1; a?q:2; ^ReclaimablePods=false", false);

	ck_assert_str_eq(kueue_story_run(s, 2), "admit p f1; q parked");
	reclaim(s, "p", 3);
	ck_assert_int_eq(used(s), 4000);
	kueue_story_free(s);
}
END_TEST

#define ELASTIC                                                                                    \
	"---\napiVersion: batch/v1\nkind: Job\nmetadata: {name: e, labels: "                       \
	"{kueue.x-k8s.io/queue-name: q}, annotations: {kueue.x-k8s.io/elastic-job: \"true\", "     \
	"gqsim/duration: 10s, gqsim/parallelism-at: '5=3, 21=5'}}\n"                               \
	"spec: {parallelism: 1, completions: 5, template: {spec: {restartPolicy: Never, "          \
	"containers: [{name: c, resources: {limits: {nvidia.com/gpu: 1}}}]}}}\n"
#define QUOTA(at, kind, pods)                                                                      \
	at "," kind ",default/e,q,count=" pods ";flavors=nvidia.com/gpu:f;borrow=0\n"
#define DONE(at, pod) at ",PodSucceeded,default/e,q,pod=" pod ";node=\n"

/* A cycle waits for the pods of u when one more of e is done, and when e wants five: told of both
 * at its end, Kueue has quota for the one that still runs. */
START_TEST(done_before_more_are_wanted)
{
	char *got = kueue_story_events(
		"apiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\n"
		"waitForPodsReady: {timeout: 100s, blockAdmission: true}\n---\n"
		"apiVersion: kueue.x-k8s.io/v1beta2\nkind: ResourceFlavor\nmetadata: {name: f}\n"
		"---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: ClusterQueue\nmetadata: {name: q}\n"
		"spec:\n  namespaceSelector: {}\n  resourceGroups:\n"
		"  - coveredResources: [nvidia.com/gpu]\n    flavors:\n"
		"    - name: f\n      resources: [{name: nvidia.com/gpu, nominalQuota: 9}]\n"
		"---\n" STORY_QUEUE_TAIL ELASTIC,
		"name,namespace,queue,submit_s,duration_s,pods,requests,ready_s\n"
		"u,default,q,16,50,1,nvidia.com/gpu=1,6\nb,default,q,17,50,1,nvidia.com/gpu=1,0\n");

	ck_assert_str_eq(
		got,
		QUOTA("0", "QuotaReserved", "1") QUOTA("5", "Resized", "3") DONE("10", "e-0") DONE(
			"15", "e-1") DONE("15", "e-2")
			QUOTA("15", "Reclaimed",
			      "2") "16,QuotaReserved,default/u,q,count=1;flavors=nvidia.com/"
				   "gpu:f;borrow=0\n" DONE(
					   "20", "e-0-r1") "22,PodsReady,default/u,q,\n"
							   "22,QuotaReserved,default/"
							   "b,q,count=1;flavors=nvidia."
							   "com/gpu:f;borrow=0\n" QUOTA(
								   "22", "Reclaimed",
								   "1") QUOTA("22", "Resized", "5")
								   QUOTA("22", "Reclaimed", "1")
									   DONE("25",
										"e-1-r1") "25,"
											  "Finish"
											  "ed,"
											  "defaul"
											  "t/"
											  "e,q,"
											  "\n72,"
											  "Finish"
											  "ed,"
											  "defaul"
											  "t/"
											  "b,q,"
											  "\n72,"
											  "Finish"
											  "ed,"
											  "defaul"
											  "t/"
											  "u,q,"
											  "\n");
	mem_free(got);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("sim/kueue/kueue_reclaim");
	TCase *t = tcase_create("all");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_add_test(t, others_are_let_in);
	tcase_add_test(t, comes_back_smaller);
	tcase_add_test(t, done_before_more_are_wanted);
	tcase_add_test(t, fewer_than_admitted);
	tcase_add_test(t, nothing_on_the_way_out);
	tcase_add_test(t, gate_off);
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
