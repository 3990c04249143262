/* test_dump.c - Workloads and their owners, ends that nobody recorded, and the cluster as
 * it is. */
#include <stdio.h>

#include "tests/sim/dump_case.h"

#define JOB(name, more)                                                                            \
	"apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: " name                                \
	"\n  namespace: m\n  labels: {kueue.x-k8s.io/queue-name: q}\n" more                        \
	"spec:\n  template: {spec: {containers: [{name: c, resources: {limits: {nvidia.com/gpu: "  \
	"1}}}]}}\n---\n"
#define POD(name, more)                                                                            \
	"apiVersion: v1\nkind: Pod\nmetadata:\n  name: " name                                      \
	"\n  namespace: m\n  labels: {kueue.x-k8s.io/queue-name: q}\n" more                        \
	"spec: {containers: [{name: c, resources: {limits: {nvidia.com/gpu: 1}}}]}\n---\n"
#define LET_IN(name, kind, owner)                                                                  \
	"apiVersion: v1\nkind: Pod\nmetadata:\n  name: " name                                      \
	"\n  namespace: m\n  labels: {kueue.x-k8s.io/podset: main}\n"                              \
	"  ownerReferences: [{kind: " kind ", name: " owner "}]\n"                                 \
	"spec: {containers: [{name: c, resources: {limits: {nvidia.com/gpu: 1}}}]}\n---\n"
#define SERVICE(kind, name)                                                                        \
	"apiVersion: apps/v1\nkind: " kind "\nmetadata: {name: " name                              \
	", namespace: m, labels: {kueue.x-k8s.io/queue-name: q}}\nspec:\n  replicas: 2\n"          \
	"  selector: {matchLabels: {a: b}}\n  template: {metadata: {labels: {a: b}}, spec: "       \
	"{containers: [{name: c, resources: {limits: {nvidia.com/gpu: 1}}}]}}\n---\n"

#define RAN(name, owner, from, until)                                                              \
	DUMP_CASE_WORKLOAD(name, "10:00:00", owner, "1", DUMP_CASE_RAN(from, until))

/* ---- owners ---- */

START_TEST(a_workload_and_its_job_are_one)
{
	struct scenario *s = dump_case_load(
		DUMP_CASE_QUEUE JOB("train",
				    "  annotations: {gqsim/checkpoint-interval: 10m, gqsim/gang: "
				    "\"false\", gqsim/duration: 9h}\n")
			RAN("job-train-1a2b3", DUMP_CASE_OWNER("Job", "train"), "10:00:01",
			    "11:00:01"),
		NULL);
	const struct job *job = &s->jobs[0];

	ck_assert_uint_eq(s->job_count, 1);
	ck_assert_str_eq(objects_case_text(s, job->name), "train");
	ck_assert_int_eq(job->duration, CLOCK_HOUR); /* what was recorded, not what was meant */
	ck_assert_int_eq(job->common->checkpoint, 10 * CLOCK_MINUTE);
	ck_assert(job->common->flags & JOB_NOT_GANG);
	ck_assert_uint_eq(s->recorded_count, 1);
	scenario_free(s);
}
END_TEST

static const struct {
	const char *text, *jobs; /* names by blanks, in order */
} owners[] = {
	/* a Pod and a Job of one name are two things */
	{JOB("x", "") RAN("pod-x-1", DUMP_CASE_OWNER("Pod", "x"), "10:00:00", "10:01:00"),
	 "x pod-x-1"},
	{POD("x", "") RAN("pod-x-1", DUMP_CASE_OWNER("Pod", "x"), "10:00:00", "10:01:00"), "x"},
	/* pods of a controller, of which the dump has more than the Workload tells */
	{POD("r-0", "  ownerReferences: [{kind: RayCluster, name: r}]\n")
		 RAN("raycluster-r-1", DUMP_CASE_OWNER("RayCluster", "r"), "10:00:00", "10:01:00"),
	 "r"},
	/* of which the dump has nothing: they hold their nodes */
	{POD("web-1-x", "  ownerReferences: [{kind: ReplicaSet, name: web-1}]\n")
		 RAN("w", DUMP_CASE_OWNER("Job", "a"), "10:00:00", "10:01:00"),
	 "web-1-x a"},
	{POD("web-1-x", "  ownerReferences: [{kind: ReplicaSet, name: web-1}]\n"), "web-1-x"},
	/* of a controller that is there, and of one that made it */
	{JOB("train", "") POD("train-x", "  ownerReferences: [{kind: Job, name: train}]\n"),
	 "train"},
	{SERVICE("Deployment", "web")
		 POD("web-1-x", "  ownerReferences: [{kind: ReplicaSet, name: web-1}]\n")
			 POD("wed-1-x", "  ownerReferences: [{kind: ReplicaSet, name: wed-1}]\n"),
	 "web-0 web-1 wed-1-x"},
	/* Kueue let it in with a Workload, whichever it is */
	{LET_IN("r-head", "RayCluster", "r-x2x4z")
		 RAN("w", DUMP_CASE_OWNER("RayJob", "job"), "10:00:00", "10:01:00"),
	 "job"},
	{LET_IN("r-head", "RayCluster", "r-x2x4z"), "r-head"},
	/* a group: all of its pods own the Workload */
	{POD("a", "") POD("b", "") POD("c", "") DUMP_CASE_WORKLOAD(
		 "group", "10:00:00",
		 "  ownerReferences: [{kind: Pod, name: a}, {kind: Pod, name: b}]\n", "2", "{}"),
	 "c group"},
	/* Jobs of a JobSet are in its Workload, those of a CronJob have their own */
	{JOB("set-0", "  ownerReferences: [{kind: JobSet, name: set}]\n")
		 JOB("cron-1", "  ownerReferences: [{kind: CronJob, name: set}]\n") RAN(
			 "jobset-set-1", DUMP_CASE_OWNER("JobSet", "set"), "10:00:00", "10:01:00"),
	 "cron-1 set"},
	/* replicas of a Deployment and of a StatefulSet have Workloads of their pods */
	{SERVICE("Deployment", "web") SERVICE("StatefulSet", "db") SERVICE("Deployment", "api")
		 DUMP_CASE_WORKLOAD("pod-web-1", "10:00:00",
				    DUMP_CASE_OWNER("Pod", "web-7c9d-x2x4z"), "1", "{}")
			 DUMP_CASE_WORKLOAD("db", "10:00:00",
					    "  ownerReferences: [{kind: StatefulSet, name: db}, "
					    "{kind: Pod, name: db-0}, {kind: Pod, name: db-1}]\n",
					    "2", "{}"),
	 "api-0 api-1 web-7c9d-x2x4z db"},
	{SERVICE("StatefulSet", "db") DUMP_CASE_WORKLOAD(
		 "db-1", "10:00:00",
		 "  ownerReferences: [{kind: Pod, name: db-0}, {kind: Pod, name: db-1}]\n", "2",
		 "{}"),
	 "db-1"},
	/* a second Workload of the same owner keeps its own name */
	{RAN("job-a-1", DUMP_CASE_OWNER("Job", "a"), "10:00:00", "10:01:00")
		 RAN("job-a-2", DUMP_CASE_OWNER("Job", "a"), "10:02:00", "10:03:00"),
	 "a job-a-2"},
	/* owners that no API server would write */
	{DUMP_CASE_WORKLOAD("w", "10:00:00", "  ownerReferences: 5\n", "1", "{}"), "w"},
	{DUMP_CASE_WORKLOAD("w", "10:00:00",
			    "  ownerReferences: [7, {kind: [], name: x}, {kind: Pod}]\n", "1",
			    "{}"),
	 "w"},
	{DUMP_CASE_WORKLOAD("w", "10:00:00", DUMP_CASE_OWNER("Pod", "-"), "1", "{}"), "-"},
};

START_TEST(nothing_is_counted_twice)
{
	char text[8000], names[400] = "";
	struct scenario *s;

	snprintf(text, sizeof(text), "%s%s", DUMP_CASE_QUEUE, owners[_i].text);
	s = dump_case_load(text, NULL);
	for (uint32_t i = 0; i < s->job_count; i++) {
		strcat(names, i == 0 ? "" : " ");
		strcat(names, objects_case_text(s, s->jobs[i].name));
	}
	ck_assert_str_eq(names, owners[_i].jobs);
	scenario_free(s);
}
END_TEST

static simtime submit_of(const struct scenario *s, const char *name)
{
	uint32_t i = 0;

	while (i < s->job_count && strcmp(objects_case_text(s, s->jobs[i].name), name) != 0)
		i++;
	ck_assert_uint_lt(i, s->job_count);
	return s->jobs[i].submit;
}

START_TEST(services_of_long_ago_are_there_from_the_start)
{
	static const char text[] =
		DUMP_CASE_QUEUE POD("web-1-x",
				    "  creationTimestamp: 2025-01-01T00:00:00Z\n"
				    "  ownerReferences: [{kind: ReplicaSet, name: web-1}]\n")
			RAN("job-a-1", DUMP_CASE_OWNER("Job", "a"), "10:00:00", "10:01:00");
	struct scenario *s = dump_case_load(text, NULL);

	ck_assert_int_eq(submit_of(s, "web-1-x"), 0);
	ck_assert_int_eq(submit_of(s, "a"), 0);
	scenario_free(s);
}
END_TEST

START_TEST(jobs_without_a_workload_are_said)
{
	struct scenario *s = dump_case_load(
		DUMP_CASE_QUEUE JOB("lone", "") JOB("done", "")
			RAN("job-a-1", DUMP_CASE_OWNER("Job", "a"), "10:00:00", "10:01:00"),
		NULL);

	ck_assert_uint_eq(s->job_count, 3);
	ck_assert_ptr_nonnull(objects_case_finding(
		s, "2 jobs of a queue have no Workload while others do: they are taken as new"));
	scenario_free(s);
}
END_TEST

/* ---- ends that nobody recorded ---- */

#define WAITS(name, created) DUMP_CASE_WORKLOAD(name, created, "", "1", "{}")
#define RUNS(name, from)     DUMP_CASE_WORKLOAD(name, "10:00:00", "", "1", DUMP_CASE_RUNS(from))

static const char *const history[] = {
	DUMP_CASE_QUEUE,
	RAN("a", "", "10:00:00", "10:10:00"),
	RAN("b", "", "10:00:00", "10:20:00"),
	RAN("c", "", "10:00:00", "10:30:00"),
	RAN("d", "", "10:00:00", "10:40:00"),
	RAN("e", "", "10:00:00", "10:50:00"),
	WAITS("waits", "10:40:00"),
	RUNS("runs", "10:25:00"),
};

static struct scenario *load_history(const char *asked)
{
	char text[8000] = "";

	for (int i = 0; i < ROWS(history); i++)
		strcat(text, history[i]);
	return dump_case_load(text, asked);
}

START_TEST(what_has_not_ended_takes_the_median)
{
	struct scenario *s = load_history(NULL);

	ck_assert_int_eq(s->jobs[5].duration, 30 * CLOCK_MINUTE);
	/* at 10:50 it has run 25 minutes: the median of 30, 40, 50 */
	ck_assert_int_eq(s->jobs[6].duration, 40 * CLOCK_MINUTE);
	ck_assert_int_eq(s->recorded[5].early, 14 * CLOCK_MINUTE);
	ck_assert_int_eq(s->recorded[5].late, 46 * CLOCK_MINUTE);
	ck_assert_int_eq(s->recorded[0].early, 0);
	ck_assert_ptr_nonnull(objects_case_finding(s, "2 Workloads had not ended"));
	scenario_free(s);
}
END_TEST

START_TEST(without_history_an_hour)
{
	struct scenario *s = dump_case_load(
		DUMP_CASE_QUEUE RUNS("runs", "10:25:00") WAITS("waits", "10:40:00"), NULL);

	ck_assert_int_eq(s->jobs[0].duration, CLOCK_HOUR + 15 * CLOCK_MINUTE);
	ck_assert_int_eq(s->jobs[1].duration, CLOCK_HOUR);
	scenario_free(s);
}
END_TEST

/* ---- namespaces ---- */

START_TEST(namespaces_carry_what_their_queues_select)
{
	struct scenario *s = load_history(NULL);

	ck_assert_uint_eq(s->namespace_count, 1);
	ck_assert_str_eq(objects_case_text(s, s->namespaces[0].name), "m");
	ck_assert(label_has(&s->namespaces[0].labels, objects_case_string(s, "team")));
	ck_assert_ptr_nonnull(objects_case_finding(s, "1 namespace has LocalQueues and is not in "
						      "the input"));
	scenario_free(s);
	s = dump_case_load(
		"{apiVersion: v1, kind: Namespace, metadata: {name: m}}\n---\n" DUMP_CASE_QUEUE
			WAITS("w", "10:00:00"),
		NULL);
	ck_assert(!label_has(&s->namespaces[0].labels, objects_case_string(s, "team")));
	scenario_free(s);
}
END_TEST

/* ---- the cluster as it is ---- */

static const char asked[] = JOB("mine", "");

START_TEST(now_what_runs_goes_on_and_the_rest_waits)
{
	struct scenario *s = load_history(asked);
	const struct job *waits = &s->jobs[dump_case_job(s, "waits")];
	const struct job *runs = &s->jobs[dump_case_job(s, "runs")];
	const struct job *mine = &s->jobs[dump_case_job(s, "mine")];

	ck_assert_uint_eq(s->job_count, 3);
	ck_assert_int_lt(runs->submit, CLOCK_SECOND);
	ck_assert_int_eq(runs->duration, 15 * CLOCK_MINUTE); /* 40 less 25 */
	ck_assert_int_ge(waits->submit, CLOCK_SECOND);
	ck_assert_int_eq(waits->duration, 30 * CLOCK_MINUTE);
	ck_assert_int_eq(mine->submit, DUMP_NOW);
	ck_assert_int_eq(mine->common->flags & JOB_ASKED, JOB_ASKED);
	ck_assert_int_eq(runs->common->flags & JOB_ASKED, 0);
	ck_assert_uint_eq(s->recorded_count, 2);
	ck_assert(s->recorded[1].running && !s->recorded[0].running);
	scenario_free(s);
}
END_TEST

START_TEST(now_turns_are_kept)
{
	struct scenario *s = dump_case_load(
		DUMP_CASE_QUEUE WAITS("third", "10:40:00") WAITS("second", "10:20:00")
			RUNS("late", "10:25:00") RUNS("early", "10:05:00"),
		asked);

	ck_assert_str_eq(objects_case_text(s, s->jobs[scenario_by_submit(s, 0)].name), "early");
	ck_assert_str_eq(objects_case_text(s, s->jobs[scenario_by_submit(s, 1)].name), "late");
	ck_assert_str_eq(objects_case_text(s, s->jobs[scenario_by_submit(s, 2)].name), "second");
	ck_assert_str_eq(objects_case_text(s, s->jobs[scenario_by_submit(s, 3)].name), "third");
	ck_assert_str_eq(objects_case_text(s, s->jobs[scenario_by_submit(s, 4)].name), "mine");
	scenario_free(s);
}
END_TEST

START_TEST(now_backoffs_are_waited_out)
{
	struct scenario *s = dump_case_load(
		DUMP_CASE_QUEUE RUNS("runs", "10:05:00") DUMP_CASE_WORKLOAD(
			"held", "10:00:00", "", "1",
			"{requeueState: {count: 1, requeueAt: \"2026-03-01T10:06:00Z\"}}"),
		asked);
	const struct job *off = &s->jobs[dump_case_job(s, "held")];

	ck_assert_int_ge(off->submit, 61 * CLOCK_SECOND);
	ck_assert_int_lt(off->submit, 62 * CLOCK_SECOND);
	ck_assert_int_eq(s->jobs[dump_case_job(s, "mine")].submit, DUMP_NOW);
	scenario_free(s);
}
END_TEST

/* Jobs that no Workload stands for say themselves how far they are. */
START_TEST(now_jobs_tell_by_their_status)
{
#define PLAIN(name, status)                                                                        \
	"{apiVersion: batch/v1, kind: Job, metadata: {name: " name                                 \
	", namespace: m, creationTimestamp: \"2026-03-01T10:00:00Z\", annotations: "               \
	"{gqsim/duration: 1h}}, spec: {template: {spec: {containers: [{name: c}]}}}, status: "     \
	"{" status "}}\n---\n"
	struct scenario *s = dump_case_load(
		DUMP_CASE_QUEUE PLAIN("done", "startTime: \"2026-03-01T10:00:00Z\", "
					      "completionTime: \"2026-03-01T10:20:00Z\"")
			PLAIN("failed", "startTime: \"2026-03-01T10:00:00Z\", conditions: [{type: "
					"Failed, status: \"True\", lastTransitionTime: "
					"\"2026-03-01T10:40:00Z\"}]")
				PLAIN("runs", "startTime: \"2026-03-01T10:10:00+00:00\"")
					PLAIN("new", ""),
		asked);

	ck_assert_uint_eq(s->job_count, 3);
	ck_assert_int_eq(s->jobs[dump_case_job(s, "runs")].duration, 30 * CLOCK_MINUTE);
	ck_assert_int_lt(s->jobs[dump_case_job(s, "runs")].submit, CLOCK_SECOND);
	ck_assert_int_eq(s->jobs[dump_case_job(s, "new")].duration, CLOCK_HOUR);
	ck_assert_int_ge(s->jobs[dump_case_job(s, "new")].submit, CLOCK_SECOND);
	scenario_free(s);
}
END_TEST

/* The one asked about is not the one that is there. */
START_TEST(now_pods_that_run_are_there)
{
	struct scenario *s = dump_case_load(
		DUMP_CASE_QUEUE POD("waits", "") "{apiVersion: v1, kind: Pod, metadata: {name: "
						 "runs, namespace: m, ownerReferences: [{kind: "
						 "ReplicaSet, name: r}]}, status: {startTime: "
						 "\"2026-03-01T10:00:00Z\"}, spec: {containers: "
						 "[{name: c, resources: {limits: "
						 "{nvidia.com/gpu: 1}}}]}}\n",
		JOB("asked", ""));

	ck_assert_int_eq(submit_of(s, "runs"), 0);
	ck_assert_int_eq(submit_of(s, "asked"), DUMP_NOW);
	scenario_free(s);
}
END_TEST

START_TEST(now_a_job_of_the_same_name_is_another)
{
	struct scenario *s =
		dump_case_load(DUMP_CASE_QUEUE DUMP_CASE_WORKLOAD("job-mine-1", "10:00:00",
								  DUMP_CASE_OWNER("Job", "mine"),
								  "1", DUMP_CASE_RUNS("10:01:00")),
			       asked);

	ck_assert_uint_eq(s->job_count, 2);
	ck_assert_int_eq(s->jobs[dump_case_job(s, "mine")].common->flags & JOB_ASKED, JOB_ASKED);
	ck_assert_int_eq(s->jobs[dump_case_job(s, "job-mine-1")].common->flags & JOB_ASKED, 0);
	scenario_free(s);
}
END_TEST

int main(void)
{
	TCase *t = tcase_create("all");

	tcase_add_test(t, a_workload_and_its_job_are_one);
	tcase_add_loop_test(t, nothing_is_counted_twice, 0, ROWS(owners));
	tcase_add_test(t, services_of_long_ago_are_there_from_the_start);
	tcase_add_test(t, jobs_without_a_workload_are_said);
	tcase_add_test(t, what_has_not_ended_takes_the_median);
	tcase_add_test(t, without_history_an_hour);
	tcase_add_test(t, namespaces_carry_what_their_queues_select);
	tcase_add_test(t, now_what_runs_goes_on_and_the_rest_waits);
	tcase_add_test(t, now_turns_are_kept);
	tcase_add_test(t, now_backoffs_are_waited_out);
	tcase_add_test(t, now_jobs_tell_by_their_status);
	tcase_add_test(t, now_pods_that_run_are_there);
	tcase_add_test(t, now_a_job_of_the_same_name_is_another);
	return objects_case_run("sim/load/dump", t);
}
