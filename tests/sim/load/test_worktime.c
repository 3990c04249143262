/* test_worktime.c - when the work of a dump's Workloads began. */
#include "sim/load/worktime.h"

#include <stdio.h>

#include "tests/sim/dump_case.h"

#define STATUS(conditions) "{conditions: [" conditions "]}"
#define LET_IN(at)	   DUMP_CASE_AT("QuotaReserved", at) ", " DUMP_CASE_AT("Admitted", at)
#define READY(at)	   ", " DUMP_CASE_AT("PodsReady", at)
#define ENDED(at)	   ", " DUMP_CASE_AT("Finished", at)
#define NOT_READY(reason)                                                                          \
	", {type: PodsReady, status: \"False\", reason: " reason                                   \
	", lastTransitionTime: \"2026-03-01T10:00:05Z\"}"
#define WORKLOAD(name, count, conditions)                                                          \
	DUMP_CASE_WORKLOAD(name, "10:00:00", DUMP_CASE_OWNER("Job", name), count,                  \
			   STATUS(conditions))
#define POD(name, owner, status, scheduled)                                                        \
	"{apiVersion: v1, kind: Pod, metadata: {name: " name                                       \
	", namespace: m, labels: {kueue.x-k8s.io/podset: main}, ownerReferences: [" owner          \
	"]}, spec: {containers: [{name: c, resources: {limits: {nvidia.com/gpu: 1}}}]}, status: "  \
	"{phase: " status ", conditions: [" DUMP_CASE_AT("PodScheduled", scheduled) "]}}\n---\n"
#define OF_JOB(name) "{kind: Job, name: " name "}"

static const struct {
	const char *text;
	int minutes; /* of job a */
} rows[] = {
	/* without nodes nothing waits for them */
	{DUMP_CASE_QUEUE WORKLOAD("a", "1", LET_IN("10:00:00") READY("10:20:00") ENDED("11:00:00"))
		 POD("a-x", OF_JOB("a"), "Succeeded", "10:20:00"),
	 60},
	/* the pods tell: the last of as many as there are, whatever became of them */
	{DUMP_CASE_QUEUE DUMP_CASE_NODE WORKLOAD("a", "2", LET_IN("10:00:00") ENDED("11:00:00"))
		 POD("a-x", OF_JOB("a"), "Succeeded", "10:10:00")
			 POD("a-y", OF_JOB("a"), "Running", "10:20:00"),
	 40},
	/* one that replaced another came later */
	{DUMP_CASE_QUEUE DUMP_CASE_NODE WORKLOAD("a", "2", LET_IN("10:00:00") ENDED("11:00:00"))
		 POD("a-x", OF_JOB("a"), "Failed", "10:10:00")
			 POD("a-y", OF_JOB("a"), "Succeeded", "10:20:00")
				 POD("a-z", OF_JOB("a"), "Succeeded", "10:50:00"),
	 40},
	/* not all are left: nothing is known, unless Kueue says */
	{DUMP_CASE_QUEUE DUMP_CASE_NODE WORKLOAD("a", "2", LET_IN("10:00:00") ENDED("11:00:00"))
		 POD("a-x", OF_JOB("a"), "Succeeded", "10:10:00"),
	 60},
	/* it ended before its pods were ready */
	{DUMP_CASE_QUEUE DUMP_CASE_NODE WORKLOAD(
		 "a", "1", LET_IN("10:00:00") NOT_READY("WaitForStart") ENDED("11:00:00")),
	 60},
	/* of another try, or of another job of the name */
	{DUMP_CASE_QUEUE DUMP_CASE_NODE WORKLOAD("a", "1", LET_IN("10:00:00") ENDED("11:00:00"))
		 POD("a-x", OF_JOB("a"), "Failed", "09:50:00")
			 POD("a-y", OF_JOB("a"), "Failed", "11:00:01"),
	 60},
	/* the pod itself, and Jobs of a JobSet */
	{DUMP_CASE_QUEUE DUMP_CASE_NODE DUMP_CASE_WORKLOAD(
		 "pod-a", "10:00:00", DUMP_CASE_OWNER("Pod", "a"), "1",
		 STATUS(LET_IN("10:00:00") ENDED("11:00:00")))
		 POD("a", "", "Succeeded", "10:30:00"),
	 30},
	{DUMP_CASE_QUEUE DUMP_CASE_NODE DUMP_CASE_WORKLOAD(
		 "jobset-a", "10:00:00", DUMP_CASE_OWNER("JobSet", "a"), "1",
		 STATUS(LET_IN("10:00:00") ENDED("11:00:00")))
		 POD("a-w-0-0-x", OF_JOB("a-w-0"), "Succeeded", "10:45:00"),
	 15},
	/* PodsReady: the queue's shortest is what starting takes */
	{DUMP_CASE_QUEUE DUMP_CASE_NODE WORKLOAD(
		 "a", "1", LET_IN("10:00:00") READY("10:32:00") ENDED("11:00:00"))
		 WORKLOAD("b", "1", LET_IN("10:00:00") READY("10:02:00") ENDED("11:00:00")),
	 30},
	{DUMP_CASE_QUEUE DUMP_CASE_NODE WORKLOAD(
		 "a", "1", LET_IN("10:00:00") READY("10:02:00") ENDED("11:00:00"))
		 WORKLOAD("b", "1", LET_IN("10:00:00") READY("10:32:00") ENDED("11:00:00")),
	 60},
	/* pods know better */
	{DUMP_CASE_QUEUE DUMP_CASE_NODE WORKLOAD(
		 "a", "1", LET_IN("10:00:00") READY("10:32:00") ENDED("11:00:00"))
		 WORKLOAD("b", "1", LET_IN("10:00:00") READY("10:02:00") ENDED("11:00:00"))
			 POD("a-x", OF_JOB("a"), "Succeeded", "10:25:00"),
	 35},
	/* recovered pods do not tell when it began */
	{DUMP_CASE_QUEUE DUMP_CASE_NODE WORKLOAD(
		 "a", "1",
		 LET_IN("10:00:00") ", {type: PodsReady, status: \"True\", reason: Recovered, "
				    "lastTransitionTime: \"2026-03-01T10:40:00Z\"}" ENDED(
					    "11:00:00"))
		 WORKLOAD("b", "1", LET_IN("10:00:00") READY("10:02:00") ENDED("11:00:00")),
	 60},
	/* times that no cluster has */
	{DUMP_CASE_QUEUE DUMP_CASE_NODE WORKLOAD(
		 "a", "1", LET_IN("10:00:00") READY("11:30:00") ENDED("11:00:00"))
		 WORKLOAD("b", "1", LET_IN("10:00:00") READY("09:00:00") ENDED("11:00:00")),
	 60},
};

START_TEST(work_begins_when_pods_have_nodes)
{
	struct scenario *s = dump_case_load(rows[_i].text, NULL);

	ck_assert_int_eq(s->jobs[dump_case_job(s, "a")].duration, rows[_i].minutes * CLOCK_MINUTE);
	scenario_free(s);
}
END_TEST

/* At 11:00 one has worked for 10 minutes, the other has not begun: so much is left. */
START_TEST(what_runs_has_worked_since_then)
{
	struct scenario *s = dump_case_load(
		DUMP_CASE_QUEUE DUMP_CASE_NODE WORKLOAD("h", "1",
							LET_IN("10:00:00") ENDED("11:00:00"))
			WORKLOAD("late", "1", LET_IN("10:00:00")) POD("late-x", OF_JOB("late"),
								      "Running", "10:50:00")
				WORKLOAD("waits", "1", LET_IN("10:00:00") NOT_READY("WaitForStart"))
					WORKLOAD("broke", "1",
						 LET_IN("10:00:00") NOT_READY("WaitForRecovery")),
		"{apiVersion: batch/v1, kind: Job, metadata: {name: mine, namespace: m, labels: "
		"{kueue.x-k8s.io/queue-name: q}, annotations: {gqsim/duration: 1h}}, spec: "
		"{template: {spec: {containers: [{name: c}]}}}}");

	ck_assert_int_eq(s->jobs[dump_case_job(s, "late")].duration, 50 * CLOCK_MINUTE);
	ck_assert_int_eq(s->jobs[dump_case_job(s, "waits")].duration, CLOCK_HOUR);
	/* It ran for all the hour that jobs take: the hour more that is assumed. */
	ck_assert_int_eq(s->jobs[dump_case_job(s, "broke")].duration, CLOCK_HOUR);
	ck_assert(s->recorded[1].running);
	scenario_free(s);
}
END_TEST

START_TEST(it_is_said)
{
	struct scenario *s = dump_case_load(rows[1].text, NULL);

	ck_assert_ptr_nonnull(
		objects_case_finding(s, "1 Workload was admitted before its pods had nodes"));
	scenario_free(s);
}
END_TEST

int main(void)
{
	TCase *t = tcase_create("all");

	tcase_add_loop_test(t, work_begins_when_pods_have_nodes, 0, ROWS(rows));
	tcase_add_test(t, what_runs_has_worked_since_then);
	tcase_add_test(t, it_is_said);
	return objects_case_run("sim/load/worktime", t);
}
