/* test_jobcron.c - when CronJobs make Jobs. */
#include "sim/engine/jobcron.h"

#include "tests/sim/run_case.h"

/* Time 0 is minute 28401120 since 1970. */
#define CRON(annotations, spec)                                                                    \
	"---\napiVersion: batch/v1\nkind: CronJob\nmetadata: {name: c, annotations: "              \
	"{gqsim/until: "                                                                           \
	"30m, " annotations "}}\nspec: {" spec ", jobTemplate: {spec: {" RUN_CASE_TEMPLATE "}}}\n"

START_TEST(a_job_each_time)
{
	struct run_case c = run_case(
		RUN_CASE_NODE("4") CRON("gqsim/duration: 60s", "schedule: \"*/10 * * * *\""),
		"kubernetes");

	run_case_has(&c, "0 submit c-28401120\n");
	run_case_has(&c, "\n600 submit c-28401130\n");
	run_case_has(&c, "\n1860 finish c-28401150\n");
	run_case_free(&c);
}
END_TEST

START_TEST(allow_lets_runs_overlap)
{
	struct run_case c = run_case(
		RUN_CASE_NODE("4") CRON("gqsim/duration: 15m", "schedule: \"*/10 * * * *\""),
		"kubernetes");

	run_case_has(&c, "\n600 start c-28401130\n");
	run_case_lacks(&c, "delete");
	run_case_free(&c);
}
END_TEST

START_TEST(forbid_makes_up_for_the_last_one)
{
	struct run_case c = run_case(
		RUN_CASE_NODE("4") CRON("gqsim/duration: 25m",
					"schedule: \"*/10 * * * *\", concurrencyPolicy: Forbid"),
		"kubernetes");

	run_case_has(&c, "\n1500 finish c-28401120\n1500 submit c-28401140\n");
	run_case_lacks(&c, "submit c-28401130");
	run_case_has(&c, "\n3000 submit c-28401150\n");
	run_case_free(&c);
}
END_TEST

START_TEST(but_not_after_the_starting_deadline)
{
	struct run_case c =
		run_case(RUN_CASE_NODE("4") CRON("gqsim/duration: 25m",
						 "schedule: \"*/10 * * * *\", concurrencyPolicy: "
						 "Forbid, startingDeadlineSeconds: 60"),
			 "kubernetes");

	run_case_lacks(&c, "submit c-28401140");
	run_case_has(&c, "\n1800 submit c-28401150\n");
	run_case_free(&c);
}
END_TEST

START_TEST(nor_exactly_at_it)
{
	struct run_case c =
		run_case(RUN_CASE_NODE("4") CRON("gqsim/duration: 25m",
						 "schedule: \"*/10 * * * *\", concurrencyPolicy: "
						 "Forbid, startingDeadlineSeconds: 300"),
			 "kubernetes");

	run_case_lacks(&c, "submit c-28401140");
	run_case_free(&c);
}
END_TEST

START_TEST(replace_deletes_who_goes_on)
{
	struct run_case c = run_case(
		RUN_CASE_NODE("4") CRON("gqsim/duration: 15m",
					"schedule: \"*/10 * * * *\", concurrencyPolicy: Replace"),
		"kubernetes");

	run_case_has(&c, "\n600 delete c-28401120\n600 submit c-28401130\n");
	run_case_has(&c, "\n2700 finish c-28401150\n");
	run_case_free(&c);
}
END_TEST

START_TEST(under_kueue_too)
{
	struct run_case c = run_case(
		RUN_CASE_NODE("1") RUN_CASE_QUEUE(
			"1") "---\napiVersion: batch/v1\nkind: CronJob\nmetadata: {name: c, "
			     "annotations: {gqsim/until: 20m, gqsim/duration: 15m}}\nspec: "
			     "{schedule: \"*/10 * * * *\", jobTemplate: {metadata: {labels: "
			     "{kueue.x-k8s.io/queue-name: q}}, spec: {" RUN_CASE_TEMPLATE "}}}\n",
		"kueue");

	run_case_has(&c, "\n600 status c-28401130\n");
	run_case_has(&c, "\n901 reserve c-28401130\n");
	run_case_free(&c);
}
END_TEST

int main(void)
{
	TCase *tests = tcase_create("all");

	tcase_add_test(tests, a_job_each_time);
	tcase_add_test(tests, allow_lets_runs_overlap);
	tcase_add_test(tests, forbid_makes_up_for_the_last_one);
	tcase_add_test(tests, but_not_after_the_starting_deadline);
	tcase_add_test(tests, nor_exactly_at_it);
	tcase_add_test(tests, replace_deletes_who_goes_on);
	tcase_add_test(tests, under_kueue_too);
	return objects_case_run("jobcron", tests);
}
