#include "sim/world/world.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/fixture.h"

struct setup {
	struct scenario *scenario;
	struct run_options options;
	struct journal *journal;
	struct world world;
};

static void set_up(struct setup *t)
{
	static const struct fixture_job jobs[] = {
		{.name = "a", .duration_s = 10, .pods = 3, .gpus = 2},
		{.name = "b", .duration_s = 10, .pods = 2, .gpus = 1},
	};
	struct builder *b = fixture_cluster(2, 8);

	fixture_add(b, jobs, 2);
	t->scenario = fixture_finish(b);
	options_default(&t->options);
	t->journal = journal_new(t->scenario, "test", JOURNAL_FACTS);
	world_init(&t->world, t->scenario, &t->options, t->journal);
}

static void tear_down(struct setup *t)
{
	world_free(&t->world);
	journal_free(t->journal);
	scenario_free(t->scenario);
}

START_TEST(begins_with_nothing_placed)
{
	struct setup t;

	set_up(&t);
	ck_assert_uint_eq(t.world.node_count, 2);
	ck_assert(t.world.node_usable[0] && t.world.node_usable[1]);
	for (uint32_t pod = 0; pod < 5; pod++)
		ck_assert_int_eq(t.world.pods[pod].phase, POD_ABSENT);
	for (uint32_t job = 0; job < 2; job++) {
		ck_assert_int_eq(world_job(&t.world, job)->phase, JOB_FUTURE);
		ck_assert_ptr_null(world_admission(&t.world, job));
		world_begin(&t.world, job);
	}
	for (uint32_t pod = 0; pod < 5; pod++) {
		ck_assert_int_eq(t.world.pods[pod].phase, POD_ABSENT);
		ck_assert_uint_eq(t.world.pods[pod].node, NODE_NONE);
		ck_assert_uint_eq(t.world.pods[pod].job, pod < 3 ? 0 : 1);
	}
	tear_down(&t);
}
END_TEST

/* Those that are gone keep their phase only; the next one takes the record over. */
START_TEST(live_jobs_have_records)
{
	struct setup t;

	set_up(&t);
	world_begin(&t.world, 0);
	world_job(&t.world, 0)->failures = 7;
	world_job(&t.world, 0)->phase = JOB_DONE;
	ck_assert_int_eq(world_job(&t.world, 1)->phase, JOB_FUTURE);
	world_end(&t.world, 0);
	world_begin(&t.world, 1);
	ck_assert_uint_eq(t.world.run_of[1], t.world.run_count - 1);
	ck_assert_int_eq(world_job(&t.world, 0)->phase, JOB_DONE);
	ck_assert_int_eq(world_job(&t.world, 1)->phase, JOB_FUTURE);
	ck_assert_uint_eq(world_job(&t.world, 1)->failures, 0);
	ck_assert_int_eq(world_job(&t.world, 1)->running_since, CLOCK_NEVER);
	tear_down(&t);
}
END_TEST

START_TEST(pod_slots_know_their_index)
{
	struct setup t;

	set_up(&t);
	world_begin(&t.world, 0);
	world_begin(&t.world, 1);
	ck_assert_uint_eq(world_pod_index(&t.world, 2), 2);
	ck_assert_uint_eq(world_pod_index(&t.world, 4), 1);
	ck_assert_uint_eq(world_pod_set(&t.world, 4), 0);
	tear_down(&t);
}
END_TEST

START_TEST(partial_admission_wants_fewer_pods)
{
	struct setup t;
	struct admission_pod_set set = {.count = 2};
	struct admission a = {.pod_set_count = 1, .pod_sets = &set};

	set_up(&t);
	ck_assert_uint_eq(world_pod_set_count(&t.world, 0, 0), 3);
	world_begin(&t.world, 0);
	world_job(&t.world, 0)->admission = journal_admission(t.journal, &a);
	ck_assert_uint_eq(world_pod_set_count(&t.world, 0, 0), 2);
	ck_assert_uint_eq(world_pod_set_count(&t.world, 1, 0), 2);
	tear_down(&t);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("world");
	TCase *tc = tcase_create("world");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_test(tc, begins_with_nothing_placed);
	tcase_add_test(tc, live_jobs_have_records);
	tcase_add_test(tc, pod_slots_know_their_index);
	tcase_add_test(tc, partial_admission_wants_fewer_pods);
	suite_add_tcase(suite, tc);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
