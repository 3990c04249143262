/* test_replay.c - Levels after every instant of journals written by hand. */
#include <check.h>
#include <stdlib.h>

#include "sim/world/replay.h"
#include "tests/sim/run_case.h"
#include "tests/support/fixture.h"
#include "tests/support/records.h"

static const struct fixture_job two_gangs[] = {
	{"a", 0, 100, 2, 4, "q", 0, 0},
	{"b", 0, 100, 2, 4, "q", 0, 0},
};

static struct scenario *gangs(void)
{
	struct builder *b = fixture_cluster(2, 4);

	builder_simple_queue(b, "q", "default", "", "gpu", 8);
	fixture_add(b, two_gangs, 2);
	return fixture_finish(b);
}

#define LEVELS(r, g, bnd, run, ask, dead, pend)                                                    \
	do {                                                                                       \
		ck_assert_int_eq((r)->levels.gpus, g);                                             \
		ck_assert_int_eq((r)->levels.bound, bnd);                                          \
		ck_assert_int_eq((r)->levels.running, run);                                        \
		ck_assert_int_eq((r)->levels.asked, ask);                                          \
		ck_assert_int_eq((r)->levels.deadlocked, dead);                                    \
		ck_assert_uint_eq((r)->levels.pending_jobs, pend);                                 \
	} while (0)

/* Both hold one of two pods: deadlock; then a loses its pod, b runs, finishes. */
START_TEST(pods_and_deadlock)
{
	struct scenario *s = gangs();
	struct journal *j = journal_new(s, "kubernetes", JOURNAL_FULL);
	const uint32_t both[] = {0, 1};
	struct replay *r;

	records_job(j, 0, J_SUBMIT, 0, 0, 0);
	records_job(j, 0, J_SUBMIT, 1, 0, 0);
	records_pod(j, 0, J_POD_SCHEDULED, 0, 0, 0, 0);
	records_pod(j, 0, J_POD_SCHEDULED, 1, 0, 1, 0);
	records_job(j, 0, J_DEADLOCK, JOB_NONE, journal_set(j, both, 2), 0);
	records_pod(j, 50, J_POD_PREEMPTED, 0, 0, 0, j->first_pod[1] + 1);
	records_job(j, 50, J_DEADLOCK_OVER, JOB_NONE, 0, 0);
	records_pod(j, 50, J_POD_SCHEDULED, 1, 1, 0, 0);
	records_job(j, 50, J_STARTED, 1, 1, 0);
	records_job(j, 150, J_FINISHED, 1, 0, 0);
	r = replay_new(j);
	ck_assert(r->places_pods);
	LEVELS(r, 8, 0, 0, 0, 0, 0);
	ck_assert(replay_step(r, CLOCK_NEVER));
	LEVELS(r, 8, 8, 0, 8, 8, 2);
	ck_assert(!replay_step(r, 49 * CLOCK_SECOND));
	ck_assert(replay_step(r, 50 * CLOCK_SECOND));
	ck_assert_int_eq(r->now, 50 * CLOCK_SECOND);
	ck_assert_uint_eq(r->last - r->first, 4);
	LEVELS(r, 8, 8, 8, 8, 0, 1);
	ck_assert_int_eq(r->jobs[1].first_start, 50 * CLOCK_SECOND);
	ck_assert(replay_step(r, CLOCK_NEVER));
	LEVELS(r, 8, 0, 0, 8, 0, 1);
	ck_assert_int_eq(r->jobs[1].ran, 100 * CLOCK_SECOND);
	ck_assert_int_eq(r->jobs[1].work, 800 * CLOCK_SECOND);
	ck_assert(!replay_step(r, CLOCK_NEVER));
	replay_free(r);
	journal_free(j);
	scenario_free(s);
}
END_TEST

/* Admission alone: GPUs count as bound from the reservation to the release; an
 * evicted job works no more and still holds them. */
START_TEST(admission_without_nodes)
{
	struct scenario *s = gangs();
	struct journal *j = journal_new(s, "kueue", JOURNAL_FULL);
	uint32_t admission = records_admission(j, 0, 0, 0);
	struct replay *r;

	records_job(j, 0, J_SUBMIT, 0, 0, 0);
	records_job(j, 0, J_QUOTA_RESERVED, 0, admission, 0);
	records_job(j, 0, J_STARTED, 0, 1, 0);
	records_job(j, 30, J_EVICTED, 0, journal_string(j, "reason=ClusterQueueStopped"), 0);
	records_lost(j, 30, 0, 30);
	records_job(j, 35, J_RELEASED, 0, 1, 0);
	r = replay_new(j);
	ck_assert(!r->places_pods);
	replay_step(r, CLOCK_NEVER);
	LEVELS(r, 8, 8, 8, 0, 0, 0);
	ck_assert_int_eq(r->usage->cells[0].used, 8);
	replay_step(r, CLOCK_NEVER);
	LEVELS(r, 8, 8, 0, 0, 0, 1);
	ck_assert_int_eq(r->more[0].lost, 240 * CLOCK_SECOND);
	replay_step(r, CLOCK_NEVER);
	LEVELS(r, 8, 0, 0, 8, 0, 1);
	ck_assert_int_eq(r->usage->cells[0].used, 0);
	ck_assert_int_eq(replay_queued(r, 0), 35 * CLOCK_SECOND);
	replay_free(r);
	journal_free(j);
	scenario_free(s);
}
END_TEST

static const struct {
	bool at_once; /* as the policy says */
	const char *reason;
	int64_t used;
} freeing[] = {
	{true, "reason=Deactivated", 0},
	{true, "reason=DeactivatedDueToRequeuingLimitExceeded;requeue_count=3", 0},
	{true, "reason=OnHold", 0},
	{true, "reason=ClusterQueueStopped", 8},
	{true, "reason=AdmissionCheck", 8},
	{true, "reason=PodsReadyTimeout", 8},
	{true, "reason=NodeFailures", 8},
	{false, "reason=Deactivated", 8},
};

/* Quota of a workload that is not active, or on hold, is free before its pods are gone; what
 * it wanted is lost whole. */
START_TEST(quota_goes_before_pods)
{
	struct scenario *s = gangs();
	struct journal *j = journal_new(s, "test", JOURNAL_FULL);
	struct replay *r;

	j->frees_at_once = freeing[_i].at_once;
	records_job(j, 0, J_SUBMIT, 0, 0, 0);
	records_job(j, 0, J_QUOTA_RESERVED, 0, records_admission(j, 0, 0, 0), 0);
	records_job(j, 0, J_STARTED, 0, 1, 0);
	records_job(j, 30, J_EVICTED, 0, journal_string(j, freeing[_i].reason), 0);
	records_lost(j, 30, 0, 30);
	records_job(j, 35, J_RELEASED, 0, 1, 0);
	r = replay_new(j);
	replay_step(r, CLOCK_NEVER);
	replay_step(r, CLOCK_NEVER);
	LEVELS(r, 8, 8, 0, 0, 0, 1);
	ck_assert_int_eq(r->usage->cells[0].used, freeing[_i].used);
	ck_assert_int_eq(r->more[0].lost, 240 * CLOCK_SECOND);
	replay_step(r, CLOCK_NEVER);
	LEVELS(r, 8, 0, 0, 8, 0, 1);
	ck_assert_int_eq(r->usage->cells[0].used, 0);
	replay_free(r);
	journal_free(j);
	scenario_free(s);
}
END_TEST

/* A victim loses its quota before it has stopped, once. */
START_TEST(quota_goes_on_the_way_out)
{
	struct scenario *s = gangs();
	struct journal *j = journal_new(s, "kueue", JOURNAL_FULL);
	struct replay *r;

	records_job(j, 0, J_SUBMIT, 0, 0, 0);
	records_job(j, 0, J_QUOTA_RESERVED, 0, records_admission(j, 0, 0, 0), 0);
	records_job(j, 0, J_STARTED, 0, 1, 0);
	records_job(j, 30, J_PREEMPTED, 0, 1, journal_string(j, "InClusterQueue"));
	records_job(j, 32, J_FREED, 0, 0, 0);
	records_job(j, 35, J_RELEASED, 0, 1, 0);
	r = replay_new(j);
	replay_step(r, CLOCK_NEVER);
	replay_step(r, CLOCK_NEVER);
	ck_assert_int_eq(r->usage->cells[0].used, 8);
	replay_step(r, CLOCK_NEVER);
	LEVELS(r, 8, 8, 0, 0, 0, 1);
	ck_assert_int_eq(r->usage->cells[0].used, 0);
	replay_step(r, CLOCK_NEVER);
	LEVELS(r, 8, 0, 0, 8, 0, 1);
	ck_assert_int_eq(r->usage->cells[0].used, 0);
	replay_free(r);
	journal_free(j);
	scenario_free(s);
}
END_TEST

/* A reservation whose checks are outstanding has no pods yet. */
START_TEST(checks_delay_the_pods)
{
	struct scenario *s = gangs();
	struct journal *j = journal_new(s, "kueue", JOURNAL_FULL);
	uint32_t admission = records_admission(j, 0, 0, 0);
	struct replay *r;

	records_job(j, 0, J_SUBMIT, 0, 0, 0);
	records_job(j, 0, J_QUOTA_RESERVED, 0, admission, 1);
	records_job(j, 20, J_ADMITTED, 0, 0, 1);
	r = replay_new(j);
	replay_step(r, CLOCK_NEVER);
	LEVELS(r, 8, 0, 0, 8, 0, 1);
	ck_assert_int_eq(r->usage->cells[0].used, 8);
	replay_step(r, CLOCK_NEVER);
	LEVELS(r, 8, 8, 0, 0, 0, 1);
	replay_free(r);
	journal_free(j);
	scenario_free(s);
}
END_TEST

START_TEST(quota_is_the_capacity_without_nodes)
{
	struct builder *b = fixture_cluster(0, 0);
	struct scenario *s;
	struct journal *j;
	struct replay *r;

	builder_simple_queue(b, "q", "default", "", "gpu", 8);
	builder_simple_queue(b, "p", "default", "", "gpu", 5);
	fixture_add(b, two_gangs, 2);
	s = fixture_finish(b);
	j = journal_new(s, "kueue", JOURNAL_FACTS);
	r = replay_new(j);
	ck_assert_int_eq(r->levels.gpus, 13);
	replay_free(r);
	replay_free(NULL);
	journal_free(j);
	scenario_free(s);
}
END_TEST

/* Pods fail and recover: in between nothing works. */
START_TEST(readiness_comes_and_goes)
{
	struct scenario *s = gangs();
	struct journal *j = journal_new(s, "kueue", JOURNAL_FULL);
	uint32_t admission = records_admission(j, 0, 0, 0);
	struct replay *r;

	records_job(j, 0, J_SUBMIT, 0, 0, 0);
	records_job(j, 0, J_QUOTA_RESERVED, 0, admission, 0);
	records_job(j, 0, J_STARTED, 0, 1, 0);
	records_job(j, 10, J_PODS_NOT_READY, 0, 0, 0);
	records_job(j, 15, J_PODS_READY, 0, 0, 0);
	r = replay_new(j);
	replay_step(r, CLOCK_NEVER);
	replay_step(r, CLOCK_NEVER);
	LEVELS(r, 8, 8, 0, 0, 0, 1);
	replay_step(r, CLOCK_NEVER);
	LEVELS(r, 8, 8, 8, 0, 0, 0);
	ck_assert_int_eq(r->jobs[0].ran, 10 * CLOCK_SECOND);
	ck_assert_int_eq(r->jobs[0].first_start, 0);
	replay_free(r);
	journal_free(j);
	scenario_free(s);
}
END_TEST

static void evict(struct journal *j, int64_t at_s, uint32_t admission, const char *detail)
{
	records_job(j, at_s, J_QUOTA_RESERVED, 0, admission, 0);
	if (detail == NULL)
		records_job(j, at_s + 1, J_PREEMPTED, 0, 1, journal_string(j, "InClusterQueue"));
	else
		records_job(j, at_s + 1, J_EVICTED, 0, journal_string(j, detail), 0);
	records_job(j, at_s + 5, J_RELEASED, 0, 0, 0);
}

/* Kueue's condition Requeued, by whose last change admission waits are counted. */
START_TEST(waits_count_from_requeued)
{
	struct scenario *s = gangs();
	struct journal *j = journal_new(s, "kueue", JOURNAL_FULL);
	uint32_t admission = records_admission(j, 0, 0, 0);
	static const struct {
		int64_t queued, order;
	} after[] = {
		{15, 0},   /* preempted */
		{15, 0},   /* again: it stays True */
		{60, 31},  /* not ready in time: until the back-off is over */
		{60, 0},   /* preempted */
		{105, 101} /* sent back by a check, no back-off */
	};
	struct replay *r;

	records_job(j, 0, J_SUBMIT, 0, 0, 0);
	evict(j, 10, admission, NULL);
	evict(j, 20, admission, NULL);
	evict(j, 30, admission, "reason=PodsReadyTimeout;requeue_count=1;requeue_at=60");
	evict(j, 70, admission, NULL);
	evict(j, 100, admission, "reason=AdmissionCheck");
	r = replay_new(j);
	replay_step(r, CLOCK_NEVER);
	ck_assert_int_eq(replay_queued(r, 0), 0);
	for (size_t i = 0; i < 5; i++) {
		for (int k = 0; k < 3; k++)
			replay_step(r, CLOCK_NEVER);
		ck_assert_int_eq(replay_queued(r, 0), after[i].queued * CLOCK_SECOND);
		ck_assert_int_eq(replay_order(r, 0), after[i].order * CLOCK_SECOND);
	}
	replay_free(r);
	journal_free(j);
	scenario_free(s);
}
END_TEST

/* A CronJob may hold a run back: it waits, and has its place, from when it came. */
START_TEST(late_comers_wait_since_they_came)
{
	struct scenario *s = gangs();
	struct journal *j = journal_new(s, "kueue", JOURNAL_FACTS);
	struct replay *r;

	records_job(j, 0, J_SUBMIT, 0, 0, 0);
	records_job(j, 40, J_SUBMIT, 1, 0, 0);
	r = replay_new(j);
	while (replay_step(r, CLOCK_NEVER))
		continue;
	ck_assert_int_eq(replay_queued(r, 0), 0);
	ck_assert_int_eq(replay_queued(r, 1), 40 * CLOCK_SECOND);
	ck_assert_int_eq(replay_order(r, 1), 40 * CLOCK_SECOND);
	replay_free(r);
	journal_free(j);
	scenario_free(s);
}
END_TEST

/* A single pod gives its quota back when it is told to end, so that it and who preempts it
 * never have it at once. */
START_TEST(quota_of_a_pod)
{
	static const char yaml[] =
		RUN_CASE_NODE("4") "---\napiVersion: kueue.x-k8s.io/v1beta2\n"
				   "kind: ResourceFlavor\nmetadata: {name: f}\n"
				   "---\napiVersion: kueue.x-k8s.io/v1beta2\n"
				   "kind: ClusterQueue\nmetadata: {name: q}\n"
				   "spec: {namespaceSelector: {}, preemption: "
				   "{withinClusterQueue: LowerPriority}, resourceGroups: "
				   "[{coveredResources: [nvidia.com/gpu], flavors: [{name: f, "
				   "resources: [{name: nvidia.com/gpu, nominalQuota: 2}]}]}]}\n"
				   "---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: LocalQueue\n"
				   "metadata: {name: q, namespace: default}\n"
				   "spec: {clusterQueue: q}\n"
				   "---\napiVersion: kueue.x-k8s.io/v1beta2\n"
				   "kind: WorkloadPriorityClass\nmetadata: {name: high}\n"
				   "value: 9\n"
				   "---\napiVersion: v1\nkind: Pod\nmetadata: {name: a, labels: "
				   "{kueue.x-k8s.io/queue-name: q}, annotations: "
				   "{gqsim/duration: '100'}}\nspec: {containers: [{name: c, "
				   "resources: {limits: {nvidia.com/gpu: 2}}}]}\n"
				   "---\napiVersion: gqsim/v1\nkind: Simulation\n"
				   "jobs: [{name: b, queue: q, priorityClass: high, submitAt: 10, "
				   "duration: 50, gpus: 2}]\n";
	struct run_case c = run_case(yaml, "kueue");
	struct replay *r = replay_new(c.journal);
	int64_t most = 0;

	while (replay_step(r, CLOCK_NEVER))
		most = r->usage->cells[0].used > most ? r->usage->cells[0].used : most;
	ck_assert_int_eq(most, 2);
	run_case_has(&c, "\n10 reserve b\n");
	replay_free(r);
	run_case_free(&c);
}
END_TEST

/* Of 1 + 4 GPUs one works 10 min before the four are made, and is gone then: no GPU is idle,
 * and the four ask for none before. */
START_TEST(a_start_up_order_leaves_nothing_idle)
{
	struct run_case c = run_case(
		RUN_CASE_NODE("8") "---\napiVersion: jobset.x-k8s.io/v1alpha2\nkind: JobSet\n"
				   "metadata: {name: a, annotations: {gqsim/duration: 1h}}\n"
				   "spec:\n  replicatedJobs:\n"
				   "  - {name: data, template: {metadata: {annotations: "
				   "{gqsim/duration: 10m}}, "
				   "spec: {" RUN_CASE_TEMPLATE "}}}\n"
				   "  - {name: workers, dependsOn: [{name: data, status: "
				   "Complete}], template: "
				   "{spec: {parallelism: 4, completions: 4, " RUN_CASE_TEMPLATE
				   "}}}\n",
		"kubernetes");
	struct replay *r = replay_new(c.journal);

	ck_assert(replay_step(r, CLOCK_NEVER));
	LEVELS(r, 8, 1, 1, 0, 0, 1);
	ck_assert_int_eq(replay_work(r, 0, 100 * CLOCK_SECOND), 100 * CLOCK_SECOND);
	ck_assert(replay_step(r, CLOCK_NEVER));
	ck_assert_int_eq(r->now, 600 * CLOCK_SECOND);
	LEVELS(r, 8, 4, 4, 0, 0, 0);
	while (replay_step(r, CLOCK_NEVER))
		;
	LEVELS(r, 8, 0, 0, 0, 0, 0);
	ck_assert_int_eq(replay_work(r, 0, r->now), (600 + 4 * 3600) * CLOCK_SECOND);
	replay_free(r);
	run_case_free(&c);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("sim/world/replay");
	TCase *t = tcase_create("all");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_add_test(t, a_start_up_order_leaves_nothing_idle);
	tcase_add_test(t, pods_and_deadlock);
	tcase_add_test(t, quota_of_a_pod);
	tcase_add_test(t, admission_without_nodes);
	tcase_add_test(t, checks_delay_the_pods);
	tcase_add_test(t, quota_goes_on_the_way_out);
	tcase_add_loop_test(t, quota_goes_before_pods, 0, sizeof(freeing) / sizeof(freeing[0]));
	tcase_add_test(t, quota_is_the_capacity_without_nodes);
	tcase_add_test(t, readiness_comes_and_goes);
	tcase_add_test(t, waits_count_from_requeued);
	tcase_add_test(t, late_comers_wait_since_they_came);
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
