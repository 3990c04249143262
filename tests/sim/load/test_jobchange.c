/* test_jobchange.c - objects that change a controller. */
#include "sim/load/jobchange.h"

#include "tests/sim/objects_case.h"
START_TEST(in_the_order_of_their_times)
{
	struct mem_arena *arena = mem_arena_new();
	const struct job_change *changes = NULL;
	uint32_t count = 0;
	static const simtime times[] = {5, 3, 5, 9, 1};

	for (uint32_t i = 0; i < 5; i++)
		jobchange_add(arena, &changes, &count,
			      (struct job_change){.at = times[i], .replicas = i, .suspend = -1});
	ck_assert_uint_eq(count, 5);
	ck_assert_uint_eq(changes[0].replicas, 4);
	ck_assert_uint_eq(changes[1].replicas, 1);
	ck_assert_uint_eq(changes[2].replicas, 0);
	ck_assert_uint_eq(changes[3].replicas, 2); /* of equal times as they came */
	ck_assert_uint_eq(changes[4].replicas, 3);
	mem_arena_free(arena);
}
END_TEST

START_TEST(a_service_gets_room_for_what_it_grows_to)
{
	struct scenario *s = objects_case_load(
		"apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: d}\nspec: {replicas: 1, "
		"template: {spec: {containers: [{name: c, resources: {limits: {nvidia.com/gpu: "
		"1}}}]}}}\n---\napiVersion: apps/v1\nkind: Deployment\nmetadata: {name: d, "
		"annotations: {gqsim/at: \"60\"}}\nspec: {replicas: 4, template: {spec: "
		"{containers: "
		"[{name: c}]}}}\n");

	ck_assert_uint_eq(s->job_count, 1);
	ck_assert_uint_eq(s->jobs[0].common->pods, 4);
	ck_assert_uint_eq(scenario_job_control(s, 0)->replicas, 1);
	ck_assert_uint_eq(scenario_job_control(s, 0)->changes[0].replicas, 4);
	scenario_free(s);
}
END_TEST

START_TEST(who_changes_nothing_is_told)
{
	struct scenario *s = objects_case_load(
		"apiVersion: batch/v1\nkind: Job\nmetadata: {name: d, annotations: {gqsim/at: "
		"\"60\"}}\nspec: {suspend: false, template: {spec: {containers: [{name: c}]}}}\n");

	ck_assert_ptr_nonnull(objects_case_finding(s, "there is no \"d\" in namespace"));
	scenario_free(s);
}
END_TEST

int main(void)
{
	TCase *tests = tcase_create("all");

	tcase_add_test(tests, in_the_order_of_their_times);
	tcase_add_test(tests, a_service_gets_room_for_what_it_grows_to);
	tcase_add_test(tests, who_changes_nothing_is_told);
	return objects_case_run("jobchange", tests);
}
