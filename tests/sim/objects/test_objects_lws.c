/* test_objects_lws.c - LeaderWorkerSets. */
#include "sim/objects/objects_lws.h"

#include "tests/sim/roles_case.h"

#define API    "leaderworkerset.x-k8s.io/v1"
#define KIND   "LeaderWorkerSet"
#define LEADER "leaderTemplate: " ROLES_CPU(100) ", "
#define WORKER "workerTemplate: " ROLES_CPU(200)

static const struct roles_case rows[] = {
	{"leaderWorkerTemplate: {" WORKER "}", "main 1x200m"},
	{"leaderWorkerTemplate: {size: 3, " WORKER "}", "main 3x200m"},
	{"leaderWorkerTemplate: {size: 3, " LEADER WORKER "}", "leader 1x100m worker 2x200m"},
	{"leaderWorkerTemplate: {size: 1, " LEADER WORKER "}", "leader 1x100m"},
	{"replicas: 1", NULL, "LeaderWorkerSet \"j\": spec: leaderWorkerTemplate is missing"},
	{"leaderWorkerTemplate: {size: 2}", NULL,
	 "spec.leaderWorkerTemplate: workerTemplate is missing"},
	{"leaderWorkerTemplate: {size: 0, " WORKER "}", NULL, "size: must be 1 or more"},
	{"leaderWorkerTemplate: {size: -3, " WORKER "}", NULL,
	 "spec.leaderWorkerTemplate.size: -3"},
	{"leaderWorkerTemplate: {size: many, " WORKER "}", NULL, "spec.leaderWorkerTemplate.size"},
	{"replicas: 100000, leaderWorkerTemplate: {size: 1000, " WORKER "}", NULL,
	 "100000 groups of 1000 pods; at most 10000000 pods are allowed"},
	{"leaderWorkerTemplate: {leaderTemplate: {spec: {}}, " WORKER "}", NULL,
	 "spec.leaderWorkerTemplate.leaderTemplate.spec: containers is missing"},
};

START_TEST(pod_sets)
{
	roles_case_check(API, KIND, &rows[_i]);
}
END_TEST

START_TEST(a_job_a_group)
{
	struct scenario *s = roles_case_load(
		API, KIND, "", "replicas: 3, leaderWorkerTemplate: {size: 2, " LEADER WORKER "}");

	ck_assert_uint_eq(s->job_count, 3);
	for (uint32_t i = 0; i < 3; i++) {
		char name[8];

		snprintf(name, sizeof(name), "j-%u", i);
		ck_assert_str_eq(objects_case_text(s, s->jobs[i].name), name);
		ck_assert_str_eq(roles_case_sets(s, i), "leader 1x100m worker 1x200m");
		ck_assert_int_eq(s->jobs[i].duration, JOB_ENDLESS);
		ck_assert_uint_eq(s->jobs[i].common->flags, JOB_MANIFEST | JOB_POD_GROUP);
	}
	scenario_free(s);
}
END_TEST

START_TEST(no_groups)
{
	struct scenario *s =
		roles_case_load(API, KIND, "", "replicas: 0, leaderWorkerTemplate: {" WORKER "}");

	ck_assert_uint_eq(s->job_count, 0);
	scenario_free(s);
}
END_TEST

/* The youngest group goes first. */
START_TEST(scaling)
{
	struct scenario *s =
		roles_case_load(API, KIND, ", annotations: {gqsim/replicas-at: \"1h=3,2h=1\"}",
				"replicas: 2, leaderWorkerTemplate: {size: 2, " LEADER WORKER "}");
	static const simtime submit[] = {0, 0, CLOCK_HOUR};
	static const simtime cancel[] = {CLOCK_NEVER, 2 * CLOCK_HOUR, 2 * CLOCK_HOUR};

	ck_assert_uint_eq(s->job_count, 3);
	for (uint32_t i = 0; i < 3; i++) {
		ck_assert_int_eq(s->jobs[i].submit, submit[i]);
		ck_assert_int_eq(s->extras[s->jobs[i].extra].cancel_at, cancel[i]);
	}
	scenario_free(s);
}
END_TEST

START_TEST(one_domain_for_leader_and_workers)
{
	struct scenario *s = roles_case_load(
		API, KIND, "",
		"leaderWorkerTemplate: {size: 2, leaderTemplate: {metadata: {annotations: "
		"{kueue.x-k8s.io/podset-required-topology: rack, kueue.x-k8s.io/podset-group-name: "
		"g}}, spec: {containers: [{name: c}]}}, workerTemplate: {metadata: {annotations: "
		"{kueue.x-k8s.io/podset-required-topology: rack, kueue.x-k8s.io/podset-group-name: "
		"g}}, spec: {containers: [{name: c}]}}}");

	for (uint32_t k = 0; k < 2; k++) {
		const struct pod_shape *shape = &s->shapes[s->pod_sets[k].shape];

		ck_assert_int_eq(shape->topology_mode, TOPOLOGY_REQUIRED);
		ck_assert_str_eq(objects_case_text(s, shape->topology_group), "g");
	}
	scenario_free(s);
}
END_TEST

/* Its webhook does not look at the label: Kueue leaves out what it cannot read. */
START_TEST(time_limit)
{
	struct objects_case c = objects_case(
		"apiVersion: " API "\nkind: " KIND "\nmetadata: {name: j, labels: "
		"{kueue.x-k8s.io/queue-name: q, kueue.x-k8s.io/max-exec-time-seconds: \"0\"}}\n"
		"spec: {leaderWorkerTemplate: {" WORKER "}}\n");

	ck_assert_msg(c.code == ERR_OK, "%s", c.message);
	ck_assert_ptr_nonnull(
		objects_case_finding(c.s, "max-exec-time-seconds: \"0\" counts for nothing"));
	scenario_free(c.s);
}
END_TEST

START_TEST(exclusive_topology)
{
	struct scenario *s = roles_case_load(
		API, KIND, ", annotations: {leaderworkerset.sigs.k8s.io/exclusive-topology: rack}",
		"leaderWorkerTemplate: {" WORKER "}");

	ck_assert_ptr_nonnull(objects_case_finding(s, "exclusive-topology is not modelled"));
	scenario_free(s);
}
END_TEST

int main(void)
{
	TCase *tests = tcase_create("lws");

	tcase_add_loop_test(tests, pod_sets, 0, ROWS(rows));
	tcase_add_test(tests, a_job_a_group);
	tcase_add_test(tests, no_groups);
	tcase_add_test(tests, scaling);
	tcase_add_test(tests, one_domain_for_leader_and_workers);
	tcase_add_test(tests, time_limit);
	tcase_add_test(tests, exclusive_topology);
	return objects_case_run("objects_lws", tests);
}
