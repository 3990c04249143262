/* test_scenario.c - what is asked of a scenario. */
#include "sim/scenario/scenario.h"

#include "tests/sim/objects_case.h"

START_TEST(questions)
{
	struct scenario *s = objects_case_load(
		"apiVersion: kueue.x-k8s.io/v1beta2\nkind: ClusterQueue\nmetadata: {name: q}\n"
		"spec: {namespaceSelector: {}}\n---\n"
		"apiVersion: kueue.x-k8s.io/v1beta2\nkind: LocalQueue\n"
		"metadata: {name: l, namespace: m}\nspec: {clusterQueue: q}\n---\n"
		"apiVersion: gqsim/v1\nkind: Simulation\n"
		"nodePools: [{name: p, count: 3, gpus: 8}]\n"
		"jobs:\n- {name: a, namespace: m, queue: l, duration: 1}\n"
		"- {name: b, namespace: m, queue: other, duration: 1}\n");
	char buf[SCENARIO_NAME_TEXT];

	ck_assert_int_eq(scenario_gpus(s), 24);
	ck_assert_str_eq(scenario_job_name(s, 0, buf), "a");
	ck_assert_uint_eq(scenario_job_cluster_queue(s, 0), 0);
	ck_assert_uint_eq(scenario_job_cluster_queue(s, 1), SCENARIO_NONE);
	s->jobs[1].name = NAME_NONE;
	s->jobs[1].row = 41;
	ck_assert_str_eq(scenario_job_name(s, 1, buf), "job-41");
	scenario_free(s);
	scenario_free(NULL);
}
END_TEST

int main(void)
{
	TCase *t = tcase_create("all");

	tcase_add_test(t, questions);
	return objects_case_run("sim/scenario/scenario", t);
}
