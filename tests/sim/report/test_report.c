/* test_report.c - Both event logs, the pending list, JSON and tables of small runs. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "sim/report/report.h"
#include "tests/support/command.h"
#include "tests/support/fixture.h"
#include "tests/support/records.h"

/* ---- logs of journals written by hand ---- */

static const struct fixture_job jobs[] = {
	{"a", 0, 100, 2, 4, "x", 0, 0},
	{"b,c", 0, 100, 1, 4, "y", 0, 0}, /* a name that needs quotes */
};

static struct scenario *cluster(void)
{
	struct builder *b = fixture_cluster(2, 4);

	builder_simple_queue(b, "x", "default", "all", "gpu", 4);
	builder_simple_queue(b, "y", "default", "all", "gpu", 4);
	fixture_add(b, jobs, 2);
	return fixture_finish(b);
}

typedef void write_log(FILE *out, const struct journal *journal, bool admission);

static void expect_log(write_log *write, const struct journal *j, bool admission, const char *log)
{
	char *text = NULL;
	size_t size = 0;
	FILE *memory = open_memstream(&text, &size);

	write(memory, j, admission);
	fclose(memory);
	ck_assert_str_eq(text, log);
	free(text);
}

START_TEST(pods_in_the_plain_log)
{
	struct scenario *s = cluster();
	struct journal *j = journal_new(s, "kubernetes", JOURNAL_FULL);
	const uint32_t set[] = {1, 0};

	records_job(j, 0, J_SUBMIT, 0, 0, 0);
	records_pod(j, 0, J_POD_CREATED, 0, 0, 0, 0);
	records_pod(j, 0, J_POD_SCHEDULED, 0, 0, 1, 0);
	records_pod(j, 0, J_POD_FAILED, 0, 1, journal_string(j, "0/2 nodes, \"none\""), 0);
	records_pod(j, 1, J_POD_FORBIDDEN, 0, 1, journal_string(j, "quota"), 0);
	records_job(j, 1, J_DEADLOCK, JOB_NONE, journal_set(j, set, 2), 0);
	records_job(j, 2, J_STARTED, 0, 1, 0);
	records_pod(j, 3, J_POD_PREEMPTED, 0, 0, 1, j->first_pod[1]);
	journal_last(j)->by_incarnation = 2;
	records_job(j, 3, J_INTERRUPTED, 0, 1, 0);
	records_lost(j, 3, 0, 1);
	records_job(j, 3, J_DEADLOCK_OVER, JOB_NONE, 0, 0);
	records_pod(j, 4, J_POD_CREATED, 0, 0, 0, 0);
	records_pod(j, 4, J_POD_SCHEDULED, 0, 0, 0, 0);
	journal_last(j)->incarnation = 1;
	records_job(j, 5, J_PLACEMENT_TIMEOUT, 0, journal_string(j, "PodsReadyTimeout"), 0);
	records_job(j, 6, J_FINISHED, 0, 0, 0);
	expect_log(report_events_write, j, false,
		   "time_s,event,pod,job,node,message\n"
		   "0,PodScheduled,a-0,a,n1,\n"
		   "0,PodUnschedulable,a-1,a,,\"0/2 nodes, \"\"none\"\"\"\n"
		   "1,PodForbidden,a-1,a,,quota\n"
		   "1,Deadlock,,\"a b,c\",,\n"
		   "2,JobStarted,,a,,\n"
		   "3,PodPreempted,a-0,a,n1,\"by b,c-0-r2\"\n"
		   "3,JobInterrupted,,a,,\n"
		   "3,DeadlockOver,,\"a b,c\",,\n"
		   "4,PodScheduled,a-0-r1,a,n0,\n"
		   "5,JobEvicted,,a,,PodsReadyTimeout\n"
		   "6,JobFinished,,a,,\n");
	journal_free(j);
	scenario_free(s);
}
END_TEST

static struct journal *queued(const struct scenario *s)
{
	struct journal *j = journal_new(s, "kueue", JOURNAL_FULL);

	records_job(j, 0, J_SUBMIT, 0, 0, 0);
	records_job(j, 0, J_QUOTA_RESERVED, 0, records_admission(j, 0, 0, 1), 0);
	records_job(j, 0, J_STARTED, 0, 1, 0);
	records_job(j, 1, J_SUBMIT, 1, 0, 0);
	records_job(j, 1, J_STATUS, 1, journal_string(j, "WaitingForQuota"),
		    journal_string(j, "not enough, yet"));
	records_job(j, 2, J_PREEMPTED, 0, 1, journal_string(j, "InCohortReclamation"));
	records_job(j, 7, J_RELEASED, 0, 1, 0);
	records_job(j, 8, J_EVICTED, 1, journal_string(j, "reason=ClusterQueueStopped"), 0);
	records_job(j, 8, J_RELEASED, 1, 0, 0); /* at once: no row */
	records_job(j, 9, J_CHECK, 1, journal_string(j, "Retry"), 0);
	records_job(j, 9, J_ADMITTED, 1, 0, 1);
	return j;
}

START_TEST(workloads_in_the_log_of_kueue)
{
	struct scenario *s = cluster();
	struct journal *j = queued(s);

	expect_log(report_events_write, j, true,
		   "time_s,seq,event,workload,cluster_queue,detail\n"
		   "0,1,QuotaReserved,default/a,x,count=2;flavors=nvidia.com/gpu:gpu;borrow=1\n"
		   "2,2,Preempted,default/a,x,\"reason=InCohortReclamation;"
		   "preemptor=default/b,c;preemptor_cq=y\"\n"
		   "7,3,Released,default/a,x,\n"
		   "8,4,Evicted,\"default/b,c\",y,reason=ClusterQueueStopped\n"
		   "9,5,Check,\"default/b,c\",y,result=Retry\n"
		   "9,6,Admitted,\"default/b,c\",y,\n");
	journal_free(j);
	scenario_free(s);
}
END_TEST

/* Where pods are placed too, starts are not admissions and have their own rows. */
START_TEST(pods_in_the_log_of_kueue)
{
	struct scenario *s = cluster();
	struct journal *j = journal_new(s, "kueue", JOURNAL_FULL);

	records_job(j, 0, J_QUOTA_RESERVED, 0, records_admission(j, 0, 0, 0), 0);
	records_pod(j, 0, J_POD_SCHEDULED, 0, 0, 0, 0);
	records_pod(j, 0, J_POD_FAILED, 0, 1, journal_string(j, "no room"), 0);
	records_pod(j, 5, J_POD_SCHEDULED, 0, 1, 1, 0);
	records_job(j, 5, J_STARTED, 0, 1, 0);
	expect_log(report_events_write, j, true,
		   "time_s,seq,event,workload,cluster_queue,detail\n"
		   "0,1,QuotaReserved,default/a,x,count=2;flavors=nvidia.com/gpu:gpu;borrow=0\n"
		   "0,2,PodScheduled,default/a,x,pod=a-0;node=n0\n"
		   "0,3,PodUnschedulable,default/a,x,pod=a-1;message=no room\n"
		   "5,4,PodScheduled,default/a,x,pod=a-1;node=n1\n"
		   "5,5,Started,default/a,x,\n");
	journal_free(j);
	scenario_free(s);
}
END_TEST

START_TEST(pending_has_the_last_word)
{
	struct scenario *s = cluster();
	struct journal *j = queued(s);

	expect_log(report_pending_write, j, true,
		   "workload,cluster_queue,reason,message\n"
		   "default/a,x,,\n"
		   "\"default/b,c\",y,WaitingForQuota,\"not enough, yet\"\n");
	records_job(j, 10, J_STARTED, 1, 1, 0);
	records_job(j, 11, J_DELETED, 0, 0, 0);
	expect_log(report_pending_write, j, true, "workload,cluster_queue,reason,message\n");
	journal_free(j);
	scenario_free(s);
}
END_TEST

START_TEST(pending_pods_tell_the_first_ones_message)
{
	struct scenario *s = cluster();
	struct journal *j = journal_new(s, "kubernetes", JOURNAL_FULL);

	records_pod(j, 0, J_POD_FAILED, 0, 1, journal_string(j, "second"), 0);
	records_pod(j, 0, J_POD_FAILED, 0, 0, journal_string(j, "first"), 0);
	records_pod(j, 0, J_POD_FAILED, 0, 1, journal_string(j, "again"), 0);
	records_pod(j, 0, J_POD_FORBIDDEN, 1, 0, journal_string(j, "quota"), 0);
	expect_log(report_pending_write, j, false,
		   "workload,cluster_queue,reason,message\n"
		   "default/a,x,Unschedulable,first\n"
		   "\"default/b,c\",y,Forbidden,quota\n");
	records_job(j, 1, J_STARTED, 0, 1, 0);
	records_job(j, 1, J_FINISHED, 1, 0, 0);
	expect_log(report_pending_write, j, false, "workload,cluster_queue,reason,message\n");
	journal_free(j);
	scenario_free(s);
}
END_TEST

/* ---- whole runs ---- */

static void expect(const char *text, const char *part)
{
	ck_assert_msg(strstr(text, part) != NULL, "no \"%s\" in:\n%.2000s", part, text);
}

static struct command run(const char *line)
{
	command_file("objects.yaml", command_objects);
	command_file("gangs.csv", command_gangs);
	command_file("reclaim.csv", command_reclaim);
	return command_run(line);
}

START_TEST(the_table_shows_worst_news_first)
{
	struct command c = run("compare %/objects.yaml %/gangs.csv --create interleaved");
	const char *finished, *deadlock, *idle, *wait, *teams, *story, *assumed;

	ck_assert_int_eq(c.code, 0);
	finished = strstr(c.out, "Jobs finished");
	deadlock = strstr(c.out, "1 (2 jobs, 8 GPUs)");
	idle = strstr(c.out, "Idle GPU-seconds");
	wait = strstr(c.out, "Wait to start, median");
	teams = strstr(c.out, "ClusterQueue");
	story = strstr(c.out, "What happened:");
	assumed = strstr(c.out, "Assumed:");
	ck_assert_ptr_nonnull(finished);
	ck_assert(finished < deadlock && deadlock < idle && idle < wait && wait < teams &&
		  teams < story && story < assumed);
	expect(c.out, "0 of 2");
	expect(c.out, "2 of 2");
	expect(c.out, "28,800 (100.0 %)");
	expect(c.out, "g1 holds 4 GPUs with 1 of 2 pods");
	ck_assert_ptr_null(strchr(c.out, '\033'));
	command_free(&c);
}
END_TEST

START_TEST(lines_have_at_most_80_columns)
{
	struct command c = run("compare %/objects.yaml %/gangs.csv --create interleaved");

	for (const char *line = c.out; *line != '\0'; line = strchr(line, '\n') + 1)
		ck_assert_msg(strcspn(line, "\n") <= 80, "%.100s", line);
	command_free(&c);
}
END_TEST

START_TEST(json_has_the_figures_of_the_golden_summary)
{
	static const char *const parts[] = {
		"\"schemaVersion\": 1",
		"\"tool\": \"gqsim\"",
		"\"xxh3\"",
		"\"seed\": 1",
		"\"gpu_s_allocated\": 28800",
		"\"gpu_s_idle_while_held\": 28800",
		"\"gpu_s_free\": 0",
		"\"makespan_s\": null",
		"\"end_s\": 3600",
		"\"jobs\": 2",
		"\"jobs_finished\": 0",
		"\"pods\": 4",
		"\"pods_placed\": 2",
		"\"failed_attempts\": 6",
		"\"preempted_pods\": 0",
		"\"wait_p50_s\": null",
		"\"detected_s\": 0",
		"\"gpu_s_lost_to_preemption\": 0",
		"\"start_s\": null",
		"\"placed_pods\": 1",
	};
	struct command c =
		run("run -p kubernetes %/objects.yaml %/gangs.csv --create interleaved -o json");

	ck_assert_int_eq(c.code, 0);
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		expect(c.out, parts[i]);
	command_free(&c);
}
END_TEST

START_TEST(csv_is_exact)
{
	struct command c = run("compare %/objects.yaml %/reclaim.csv -o csv --eviction-delay 5");

	ck_assert_int_eq(c.code, 0);
	expect(c.out, "metric,unit,plain Kubernetes,Kueue\n");
	expect(c.out, "jobs_finished,jobs,3,3\n");
	/* a2 is preempted at 100 s after 90 s on 4 GPUs */
	expect(c.out, "\nlost,GPU-seconds,0,360\n");
	expect(c.out, "\npreemptions,jobs,0,1\n");
	expect(c.out, "\nmakespan,seconds,never,never\n");
	expect(c.out, "\nteam:a:peak_borrowed,GPUs,0,4\n");
	expect(c.out, "\nteam:b:peak_lent,GPUs,0,4\n");
	command_free(&c);
}
END_TEST

START_TEST(wide_adds_the_exact_figures)
{
	struct command c = run("compare %/objects.yaml %/reclaim.csv -o wide");

	ck_assert_int_eq(c.code, 0);
	expect(c.out, "Exact figures:");
	expect(c.out, "idle_while_held");
	expect(c.out, "preemptions:InCohortReclamation  jobs                    0             1\n");
	expect(c.out, "preempted");
	command_free(&c);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("sim/report/report");
	TCase *t = tcase_create("all");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_add_test(t, pods_in_the_plain_log);
	tcase_add_test(t, workloads_in_the_log_of_kueue);
	tcase_add_test(t, pods_in_the_log_of_kueue);
	tcase_add_test(t, pending_has_the_last_word);
	tcase_add_test(t, pending_pods_tell_the_first_ones_message);
	tcase_add_test(t, the_table_shows_worst_news_first);
	tcase_add_test(t, lines_have_at_most_80_columns);
	tcase_add_test(t, json_has_the_figures_of_the_golden_summary);
	tcase_add_test(t, csv_is_exact);
	tcase_add_test(t, wide_adds_the_exact_figures);
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
