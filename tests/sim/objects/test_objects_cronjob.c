/* test_objects_cronjob.c - CronJobs as they are written. */
#include "sim/objects/objects_cronjob.h"

#include "tests/sim/objects_case.h"

#define CRONJOB(metadata, spec, template)                                                          \
	"apiVersion: batch/v1\nkind: CronJob\nmetadata: {name: c, namespace: m" metadata           \
	"}\nspec: {" spec ", jobTemplate: {" template "spec: {template: {spec: {restartPolicy: "   \
						      "Never, containers: [{name: c, resources: "  \
						      "{limits: {nvidia.com/gpu: "                 \
						      "1}}}]}}}}}\n"
#define DAILY "schedule: \"0 2 * * *\""

START_TEST(seven_days_unless_it_says_otherwise)
{
	struct scenario *s = objects_case_load(CRONJOB("", DAILY, ""));

	ck_assert_uint_eq(s->job_count, 7);
	ck_assert_int_eq(s->jobs[0].submit, 2 * CLOCK_HOUR);
	ck_assert_int_eq(s->jobs[6].submit, 6 * CLOCK_DAY + 2 * CLOCK_HOUR);
	ck_assert_str_eq(objects_case_finding(s, "CronJob"),
			 "t:3:18: CronJob \"c\": 7 Jobs until 7d (gqsim/until says otherwise), if "
			 "time 0 is Monday 2024-01-01 0:00 UTC (startTime of a Simulation says "
			 "otherwise)");
	scenario_free(s);
}
END_TEST

START_TEST(time_0_and_the_end_are_given)
{
	struct scenario *s = objects_case_load(
		CRONJOB(", annotations: {gqsim/until: 1d, gqsim/duration: 5m}", DAILY,
			"") "---\napiVersion: gqsim/v1\nkind: Simulation\nstartTime: "
			    "\"2026-01-05T01:30:00Z\"\n");

	ck_assert_uint_eq(s->job_count, 1);
	ck_assert_int_eq(s->jobs[0].submit, 30 * CLOCK_MINUTE);
	ck_assert_int_eq(s->jobs[0].duration, 5 * CLOCK_MINUTE);
	ck_assert_str_eq(objects_case_text(s, s->jobs[0].name), "c-29459640");
	ck_assert_uint_eq(s->finding_count, 0);
	scenario_free(s);
}
END_TEST

START_TEST(labels_and_annotations_of_the_template_come_first)
{
	struct scenario *s = objects_case_load(
		CRONJOB(", annotations: {gqsim/until: 1d, gqsim/duration: 5m}", DAILY,
			"metadata: {labels: {kueue.x-k8s.io/queue-name: q}, annotations: "
			"{gqsim/duration: 7m}}, "));

	ck_assert_str_eq(objects_case_text(s, s->jobs[0].common->queue), "q");
	ck_assert_int_eq(s->jobs[0].duration, 7 * CLOCK_MINUTE);
	scenario_free(s);
}
END_TEST

START_TEST(pods_carry_the_name_of_their_job)
{
	struct scenario *s = objects_case_load(
		CRONJOB(", annotations: {gqsim/until: 2d, gqsim/duration: 5m}", DAILY, ""));
	uint32_t key = objects_case_string(s, "job-name");

	for (uint32_t i = 0; i < 2; i++)
		ck_assert_uint_eq(label_value(&s->pod_labels[s->job_labels[i] - 1], key),
				  s->jobs[i].name);
	scenario_free(s);
}
END_TEST

START_TEST(suspended_ones_make_none)
{
	struct scenario *s = objects_case_load(CRONJOB("", "suspend: true, " DAILY, ""));

	ck_assert_uint_eq(s->job_count, 0);
	ck_assert_ptr_nonnull(objects_case_finding(s, "the CronJob is suspended"));
	scenario_free(s);
}
END_TEST

START_TEST(zones_with_rules_are_not_known)
{
	struct scenario *s = objects_case_load(CRONJOB("", "timeZone: Europe/Paris, " DAILY, ""));

	ck_assert_ptr_nonnull(objects_case_finding(s, "is taken as UTC"));
	scenario_free(s);
}
END_TEST

START_TEST(a_wrong_schedule)
{
	objects_case_fails(CRONJOB("", "schedule: \"61 * * * *\"", ""),
			   "t:4:18: CronJob \"c\": schedule: \"61\" is no minute (0 to 59)");
}
END_TEST

int main(void)
{
	TCase *tests = tcase_create("all");

	tcase_add_test(tests, seven_days_unless_it_says_otherwise);
	tcase_add_test(tests, time_0_and_the_end_are_given);
	tcase_add_test(tests, labels_and_annotations_of_the_template_come_first);
	tcase_add_test(tests, pods_carry_the_name_of_their_job);
	tcase_add_test(tests, suspended_ones_make_none);
	tcase_add_test(tests, zones_with_rules_are_not_known);
	tcase_add_test(tests, a_wrong_schedule);
	return objects_case_run("objects_cronjob", tests);
}
