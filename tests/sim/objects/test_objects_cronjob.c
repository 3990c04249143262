/* test_objects_cronjob.c - CronJobs as they are written. */
#include "sim/objects/objects_cronjob.h"

#include "tests/sim/objects_case.h"

#define CRONJOB(metadata, spec, template)                                                          \
	"apiVersion: batch/v1\nkind: CronJob\nmetadata: {name: c, namespace: m" metadata           \
	"}\nspec: {" spec                                                                          \
	", jobTemplate: {" template "spec: {template: {spec: {containers: [{name: c, resources: "  \
				    "{limits: {nvidia.com/gpu: "                                   \
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

	ck_assert_str_eq(objects_case_text(s, s->jobs[0].queue), "q");
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

/* ---- pod groups ---- */

#define POD(name, total, gpus, extra)                                                              \
	"---\napiVersion: v1\nkind: Pod\nmetadata: {name: " name                                   \
	", labels: {kueue.x-k8s.io/pod-group-name: g, kueue.x-k8s.io/queue-name: q}, "             \
	"annotations: "                                                                            \
	"{kueue.x-k8s.io/pod-group-total-count: \"" total "\"" extra                               \
	"}}\nspec: {containers: [{name: c, resources: {limits: {nvidia.com/gpu: " gpus "}}}]}\n"

START_TEST(pods_of_a_group_are_one_job)
{
	struct scenario *s = objects_case_load(
		POD("a", "3", "1", ", gqsim/duration: 5m")
			POD("b", "3", "4", ", gqsim/duration: 9m")
				POD("c", "3", "1", ", gqsim/submit-at: 60s, gqsim/duration: 1m"));
	const struct job *j = &s->jobs[0];

	ck_assert_uint_eq(s->job_count, 1);
	ck_assert_str_eq(objects_case_text(s, j->name), "g");
	ck_assert_uint_eq(j->pod_set_count, 2);
	ck_assert_uint_eq(s->pod_sets[j->first_pod_set].count, 2);
	ck_assert_uint_eq(j->gpus, 6);
	ck_assert_int_eq(j->submit, CLOCK_MINUTE);
	ck_assert_int_eq(j->duration, 9 * CLOCK_MINUTE);
	ck_assert_uint_eq(j->flags & JOB_NOT_GANG, 0);
	scenario_free(s);
}
END_TEST

#define NAMED_POD(name, annotated, labelled)                                                       \
	"---\napiVersion: v1\nkind: Pod\nmetadata: {name: " name                                   \
	", labels: {kueue.x-k8s.io/queue-name: q" labelled                                         \
	"}, annotations: {kueue.x-k8s.io/pod-group-total-count: '2'" annotated                     \
	"}}\nspec: {containers: [{name: c, resources: {limits: {nvidia.com/gpu: 1}}}]}\n"
#define GROUPED(group) ", kueue.x-k8s.io/pod-group-name: " group
#define BY_LABEL                                                                                   \
	"---\napiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\n"                    \
	"featureGates: {WorkloadIdentifierAnnotations: false}\n"

/* The annotation names a group, the label where it has none; without the gate, which may be set
 * behind the pods, the label alone. */
static const struct {
	const char *yaml, *first, *second, *finding;
} named[] = {
	{NAMED_POD("a", GROUPED("x"), "") NAMED_POD("b", GROUPED("x"), GROUPED("z")), "x", NULL,
	 NULL},
	{NAMED_POD("a", GROUPED("x"), GROUPED("l")) NAMED_POD("b", GROUPED("x"), GROUPED("l"))
		 NAMED_POD("c", GROUPED("z"), GROUPED("l")) NAMED_POD("d", GROUPED("z"), ""),
	 "x", "z", NULL},
	{NAMED_POD("a", GROUPED("x"), GROUPED("l")) NAMED_POD("b", GROUPED("z"), GROUPED("l"))
		 BY_LABEL,
	 "l", NULL, NULL},
	{BY_LABEL NAMED_POD("a", "", GROUPED("l")) NAMED_POD("b", GROUPED("z"), GROUPED("l")), "l",
	 NULL, NULL},
	{NAMED_POD("a", GROUPED("x"), "") NAMED_POD("b", GROUPED("x"), "") BY_LABEL, NULL, NULL,
	 "pod group \"x\": without the feature gate WorkloadIdentifierAnnotations its name must be "
	 "in the label kueue.x-k8s.io/pod-group-name; Kueue refuses its pods, they are left out"},
};

START_TEST(the_gate_says_what_names_a_group)
{
	struct scenario *s = objects_case_load(named[_i].yaml);
	const char *want[] = {named[_i].first, named[_i].second};
	uint32_t jobs = 0;

	for (uint32_t i = 0; i < 2 && want[i] != NULL; i++, jobs++) {
		ck_assert_uint_gt(s->job_count, i);
		ck_assert_str_eq(objects_case_text(s, s->jobs[i].name), want[i]);
		ck_assert_uint_eq(s->jobs[i].pods, 2);
	}
	ck_assert_uint_eq(s->job_count, jobs);
	if (named[_i].finding != NULL)
		ck_assert_ptr_nonnull(objects_case_finding(s, named[_i].finding));
	scenario_free(s);
}
END_TEST

START_TEST(an_incomplete_group_is_told)
{
	struct scenario *s = objects_case_load(POD("a", "2", "1", ""));

	ck_assert_uint_eq(s->job_count, 0);
	ck_assert_ptr_nonnull(objects_case_finding(
		s, "pod group \"g\" has 1 of 2 pods: Kueue waits for the others; left out"));
	scenario_free(s);
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
	tcase_add_test(tests, pods_of_a_group_are_one_job);
	tcase_add_loop_test(tests, the_gate_says_what_names_a_group, 0,
			    sizeof(named) / sizeof(named[0]));
	tcase_add_test(tests, an_incomplete_group_is_told);
	return objects_case_run("objects_cronjob", tests);
}
