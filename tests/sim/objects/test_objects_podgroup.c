/* test_objects_podgroup.c - Pods of one group. */
#include <stdio.h>

#include "tests/sim/objects_case.h"

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
	ck_assert_uint_eq(j->common->pod_set_count, 2);
	ck_assert_uint_eq(s->pod_sets[j->common->first_pod_set].count, 2);
	ck_assert_uint_eq(j->common->gpus, 6);
	ck_assert_int_eq(j->submit, CLOCK_MINUTE);
	ck_assert_int_eq(j->duration, 9 * CLOCK_MINUTE);
	ck_assert_uint_eq(j->common->flags & JOB_NOT_GANG, 0);
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
		ck_assert_uint_eq(s->jobs[i].common->pods, 2);
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

#define FAST ", kueue.x-k8s.io/pod-group-fast-admission: \"true\""

START_TEST(a_fast_group_does_not_wait_for_its_pods)
{
	struct scenario *s = objects_case_load(POD("a", "3", "2", FAST ", gqsim/submit-at: 60s")
						       POD("b", "3", "1", FAST));
	const struct job *j = &s->jobs[0];

	ck_assert_uint_eq(s->job_count, 1);
	ck_assert_uint_eq(j->common->pod_set_count, 1);
	ck_assert_uint_eq(s->pod_sets[j->common->first_pod_set].count, 3);
	ck_assert_uint_eq(j->common->gpus, 3); /* all as the pod that came first */
	ck_assert_int_eq(j->submit, 0);
	scenario_free(s);
}
END_TEST

#define ROLE(hash) ", kueue.x-k8s.io/role-hash: " hash

START_TEST(roles_are_what_their_hashes_say)
{
	struct scenario *s = objects_case_load(POD("a", "3", "1", ROLE("beef")) POD(
		"b", "3", "1", ROLE("\"0123\"")) POD("c", "3", "1", ROLE("beef")));
	const struct job *j = &s->jobs[0];
	const struct pod_set *sets = &s->pod_sets[j->common->first_pod_set];

	ck_assert_uint_eq(s->job_count, 1);
	ck_assert_uint_eq(j->common->pod_set_count, 2);
	ck_assert_str_eq(objects_case_text(s, sets[0].name), "0123");
	ck_assert_uint_eq(sets[0].count, 1);
	ck_assert_str_eq(objects_case_text(s, sets[1].name), "beef");
	ck_assert_uint_eq(sets[1].count, 2);
	scenario_free(s);
}
END_TEST

START_TEST(roles_are_no_more_than_eighteen)
{
	char text[8000] = "";
	struct scenario *s;
	size_t len = 0;

	for (int i = 0; i < 19; i++)
		len += (size_t)snprintf(text + len, sizeof(text) - len,
					POD("p%d", "19", "%d", ROLE("r%d")), i, i + 1, i);
	s = objects_case_load(text);
	ck_assert_uint_eq(s->job_count, 0);
	ck_assert_ptr_nonnull(objects_case_finding(
		s,
		"pod group \"g\" is left out, Kueue makes no workload of it: it has more than 18 "
		"different kinds of pods"));
	scenario_free(s);
}
END_TEST

/* pod_controller.go: ConstructComposableWorkload deletes the pods that were created last. */
START_TEST(excess_pods_are_those_that_came_last)
{
	struct scenario *s = objects_case_load(
		POD("a", "2", "1", ", gqsim/submit-at: 90s, gqsim/duration: 9m")
			POD("b", "2", "4", ", gqsim/submit-at: 60s, gqsim/duration: 5m")
				POD("c", "2", "2", ", gqsim/submit-at: 10s, gqsim/duration: 4m"));
	const struct job *j = &s->jobs[0];

	ck_assert_uint_eq(s->job_count, 1);
	ck_assert_uint_eq(j->common->pods, 2);
	ck_assert_uint_eq(j->common->gpus, 6);
	ck_assert_int_eq(j->submit, CLOCK_MINUTE);
	ck_assert_int_eq(j->duration, 5 * CLOCK_MINUTE);
	ck_assert_ptr_nonnull(objects_case_finding(
		s,
		"pod group \"g\" has 3 pods, not 2: Kueue deletes those that came last, they are "
		"left out"));
	scenario_free(s);
}
END_TEST

#define OTHER_QUEUE                                                                                \
	"---\napiVersion: v1\nkind: Pod\nmetadata: {name: z, "                                     \
	"labels: {kueue.x-k8s.io/pod-group-name: g, kueue.x-k8s.io/queue-name: other}, "           \
	"annotations: {kueue.x-k8s.io/pod-group-total-count: \"2\"}}\n"                            \
	"spec: {containers: [{name: c, resources: {limits: {nvidia.com/gpu: 1}}}]}\n"

/* pod_controller.go: validatePodGroupMetadata. */
static const struct {
	const char *yaml, *why;
} broken[] = {
	{POD("a", "2", "1", "") POD("b", "3", "1", ""),
	 "its pods say different pod-group-total-counts"},
	{POD("a", "2", "1", "") OTHER_QUEUE, "its pods have different queue names"},
};

START_TEST(pods_of_a_group_must_agree)
{
	struct scenario *s = objects_case_load(broken[_i].yaml);
	char want[200];

	snprintf(want, sizeof(want),
		 "pod group \"g\" is left out, Kueue makes no workload of it: %s", broken[_i].why);
	ck_assert_uint_eq(s->job_count, 0);
	ck_assert_ptr_nonnull(objects_case_finding(s, want));
	scenario_free(s);
}
END_TEST

#define FINAL ", kueue.x-k8s.io/retriable-in-group: \"false\""

/* pod_controller.go: isUnretriableGroup; any of the pods says it. */
START_TEST(one_pod_makes_its_group_unretriable)
{
	static const char *const yaml[] = {POD("a", "2", "1", "") POD("b", "2", "1", ""),
					   POD("a", "2", "1", "") POD("b", "2", "1", FINAL),
					   POD("a", "2", "1", FINAL) POD("b", "2", "1", "")};

	for (int i = 0; i < 3; i++) {
		struct scenario *s = objects_case_load(yaml[i]);

		ck_assert_uint_eq(s->job_count, 1);
		ck_assert_int_eq(s->extras[s->jobs[0].extra].control->controller,
				 i == 0 ? CONTROLLER_POD_GROUP : CONTROLLER_NONE);
		scenario_free(s);
	}
}
END_TEST

int main(void)
{
	TCase *tests = tcase_create("all");

	tcase_add_test(tests, pods_of_a_group_are_one_job);
	tcase_add_loop_test(tests, the_gate_says_what_names_a_group, 0,
			    sizeof(named) / sizeof(named[0]));
	tcase_add_test(tests, an_incomplete_group_is_told);
	tcase_add_test(tests, a_fast_group_does_not_wait_for_its_pods);
	tcase_add_test(tests, roles_are_what_their_hashes_say);
	tcase_add_test(tests, roles_are_no_more_than_eighteen);
	tcase_add_test(tests, excess_pods_are_those_that_came_last);
	tcase_add_loop_test(tests, pods_of_a_group_must_agree, 0,
			    sizeof(broken) / sizeof(broken[0]));
	tcase_add_test(tests, one_pod_makes_its_group_unretriable);
	return objects_case_run("objects_podgroup", tests);
}
