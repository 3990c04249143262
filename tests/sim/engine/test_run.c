#include "sim/engine/run.h"

#include <check.h>
#include <stdlib.h>

#include "tests/support/fakes.h"
#include "tests/support/fixture.h"

START_TEST(flushes_are_no_work)
{
	struct run run = {.events = evq_new()};
	struct evq_handle work = run_schedule(&run, 5, CLASS_FINISH, EV_FINISH, 1, 1);
	struct evq_handle flush = run_schedule(&run, 5, CLASS_FLUSH, EV_TIMER_PLACEMENT, 0, 0);

	ck_assert_uint_eq(run.work_events, 1);
	ck_assert(run_cancel(&run, flush, CLASS_FLUSH));
	ck_assert_uint_eq(run.work_events, 1);
	ck_assert(run_cancel(&run, work, CLASS_FINISH));
	ck_assert_uint_eq(run.work_events, 0);
	ck_assert(!run_cancel(&run, work, CLASS_FINISH)); /* a second time: nothing there */
	ck_assert_uint_eq(run.work_events, 0);
	evq_free(run.events);
}
END_TEST

START_TEST(an_admission_policy_manages_jobs_that_name_a_queue)
{
	static const struct fixture_job jobs[] = {
		{.name = "with", .duration_s = 10, .pods = 1, .gpus = 1, .queue = "q"},
		{.name = "without", .duration_s = 10, .pods = 1, .gpus = 1},
	};
	struct builder *b = fixture_cluster(1, 8);
	struct scenario *s;
	struct run run = {0};

	builder_simple_queue(b, "q", "default", "", "f", 8);
	fixture_add(b, jobs, 2);
	s = fixture_finish(b);
	run.scenario = s;
	ck_assert(!run_manages(&run, 0)); /* no admission policy at all */
	run.admission = &fakes_eight_gpus;
	ck_assert(run_manages(&run, 0));
	ck_assert(!run_manages(&run, 1));
	scenario_free(s);
}
END_TEST

static void note_kind(void *self, const struct happening *happening, struct plan *plan)
{
	uint64_t *kinds = self;

	(void)plan;
	*kinds |= UINT64_C(1) << happening->kind;
}

/* Pods are created for those who place them; what comes of them is told to who heeds it. */
START_TEST(pods_are_told_of_to_who_heeds_them)
{
	static const struct policy counts = {.observe = note_kind};
	static const enum happening_kind kinds[] = {HAP_POD_CREATED, HAP_POD_BOUND,
						    HAP_POD_TERMINATING, HAP_POD_DELETED};
	uint64_t told[2] = {0, 0}, all = 0;
	struct pod pod = {0};
	struct run run = {.admission = &counts,
			  .placement = &counts,
			  .admission_self = &told[0],
			  .placement_self = &told[1],
			  .world = {.pods = &pod}};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		run_tell_pod(&run, kinds[i], 0, 0);
		all |= UINT64_C(1) << kinds[i];
	}
	ck_assert_uint_eq(told[0], all & ~(UINT64_C(1) << HAP_POD_CREATED));
	ck_assert_uint_eq(told[1], all);
	told[0] = told[1] = 0;
	run.ignores_pods = true;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		run_tell_pod(&run, kinds[i], 0, 0);
	ck_assert_uint_eq(told[0], 0);
	ck_assert_uint_eq(told[1], all);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("run");
	TCase *tc = tcase_create("run");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_test(tc, flushes_are_no_work);
	tcase_add_test(tc, an_admission_policy_manages_jobs_that_name_a_queue);
	tcase_add_test(tc, pods_are_told_of_to_who_heeds_them);
	suite_add_tcase(suite, tc);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
