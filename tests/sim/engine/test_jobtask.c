/* test_jobtask.c - what a Job controller counts. */
#include "sim/engine/jobtask.h"

#include "tests/sim/objects_case.h"
START_TEST(backlog_in_turns)
{
	struct jobtask *t = jobtask_new(4, 2, NULL);

	ck_assert_uint_eq(jobtask_wanted(t, 2, 0), 2);
	ck_assert_uint_eq(jobtask_take(t, 0, 9), 0);
	ck_assert_uint_eq(jobtask_take(t, 0, 9), 1);
	jobtask_succeed(t, 0);
	ck_assert_uint_eq(jobtask_take(t, 0, 9), 2);
	jobtask_put_back(t, 1); /* the lowest goes first, lost or new */
	ck_assert_uint_eq(jobtask_take(t, 0, 9), 1);
	jobtask_succeed(t, 2);
	jobtask_succeed(t, 1);
	ck_assert_uint_eq(jobtask_wanted(t, 2, 0), 1);
	ck_assert_uint_eq(jobtask_take(t, 0, 9), 3);
	ck_assert_uint_eq(jobtask_take(t, 0, 9), JOB_NONE);
	ck_assert(!jobtask_complete(t, 1));
	jobtask_succeed(t, 3);
	ck_assert(jobtask_complete(t, 0));
	jobtask_free(t);
}
END_TEST

START_TEST(without_a_number_one_success_ends_it)
{
	struct jobtask *t = jobtask_new(JOB_NONE, 3, NULL);

	jobtask_take(t, 0, 9);
	jobtask_take(t, 0, 9);
	jobtask_take(t, 0, 9);
	ck_assert_uint_eq(jobtask_wanted(t, 3, 3), 3);
	jobtask_succeed(t, 1);
	ck_assert_uint_eq(jobtask_wanted(t, 3, 2), 2); /* who is gone has no successor */
	ck_assert(!jobtask_complete(t, 2));
	ck_assert(jobtask_complete(t, 0));
	jobtask_free(t);
}
END_TEST

START_TEST(back_off_limit)
{
	const struct job_control control = {
		.backoff_limit = 2, .index_limit = JOB_NONE, .max_failed_indexes = JOB_NONE};
	struct jobtask *t = jobtask_new(2, 2, &control);
	const struct jobtask_failure failure = {.completion = 0, .code = 1};

	ck_assert_ptr_null(jobtask_fail(t, &failure));
	ck_assert_ptr_null(jobtask_fail(t, &failure));
	ck_assert_str_eq(jobtask_fail(t, &failure), "BackoffLimitExceeded");
	jobtask_free(t);
}
END_TEST

START_TEST(each_index_by_itself)
{
	const struct job_control control = {
		.backoff_limit = JOB_NONE, .index_limit = 1, .max_failed_indexes = 1};
	struct jobtask *t = jobtask_new(3, 3, &control);
	struct jobtask_failure failure = {.now = 100 * CLOCK_SECOND, .completion = 0, .code = 1};

	for (uint32_t i = 0; i < 3; i++)
		ck_assert_uint_eq(jobtask_take(t, 0, 9), i);
	ck_assert_ptr_null(jobtask_fail(t, &failure));
	ck_assert_int_eq(jobtask_due(t, 9), 110 * CLOCK_SECOND);
	ck_assert_uint_eq(jobtask_take(t, 109 * CLOCK_SECOND, 9), JOB_NONE);
	ck_assert_uint_eq(jobtask_take(t, 110 * CLOCK_SECOND, 9), 0);
	ck_assert_ptr_null(jobtask_fail(t, &failure)); /* given up: one index may fail */
	ck_assert_uint_eq(jobtask_given_up(t), 1);
	ck_assert_uint_eq(jobtask_wanted(t, 3, 2), 2);
	failure.completion = 1;
	ck_assert_ptr_null(jobtask_fail(t, &failure));
	ck_assert_str_eq(jobtask_fail(t, &failure), "MaxFailedIndexesExceeded");
	jobtask_free(t);
}
END_TEST

/* firstPendingIndexes: what waits for its back-off keeps its place. */
START_TEST(no_later_index_goes_in_place_of_one_that_waits)
{
	const struct job_control control = {
		.backoff_limit = JOB_NONE, .index_limit = 3, .max_failed_indexes = JOB_NONE};
	struct jobtask *t = jobtask_new(4, 2, &control);
	const struct jobtask_failure failure = {.now = 0, .completion = 0, .code = 1};

	jobtask_take(t, 0, 2);
	jobtask_take(t, 0, 1);
	ck_assert_ptr_null(jobtask_fail(t, &failure));
	ck_assert_uint_eq(jobtask_take(t, 0, 1), JOB_NONE);
	ck_assert_int_eq(jobtask_due(t, 1), 10 * CLOCK_SECOND);
	jobtask_succeed(t, 1);
	ck_assert_uint_eq(jobtask_take(t, 0, 2), 2);
	ck_assert_uint_eq(jobtask_take(t, 10 * CLOCK_SECOND, 1), 0);
	jobtask_free(t);
}
END_TEST

START_TEST(what_is_ignored_lengthens_the_back_off)
{
	static const struct failure_rule ignore[] = {
		{.action = FAILURE_IGNORE, .disruption = true}};
	const struct job_control control = {.backoff_limit = JOB_NONE,
					    .index_limit = 0,
					    .max_failed_indexes = JOB_NONE,
					    .failure_rules = ignore,
					    .failure_rule_count = 1};
	struct jobtask *t = jobtask_new(1, 1, &control);
	const struct jobtask_failure failure = {.completion = 0, .disruption = true};

	jobtask_take(t, 0, 1);
	ck_assert_ptr_null(jobtask_fail(t, &failure));
	ck_assert_int_eq(jobtask_due(t, 1), 10 * CLOCK_SECOND);
	ck_assert_ptr_null(jobtask_fail(t, &failure));
	ck_assert_int_eq(jobtask_due(t, 1), 20 * CLOCK_SECOND);
	jobtask_free(t);
}
END_TEST

START_TEST(the_limit_of_the_job_comes_before_those_of_indexes)
{
	const struct job_control control = {
		.backoff_limit = 0, .index_limit = 0, .max_failed_indexes = 0};
	struct jobtask *t = jobtask_new(2, 2, &control);

	jobtask_take(t, 0, 2);
	ck_assert_str_eq(jobtask_fail(t, &(struct jobtask_failure){.completion = 0}),
			 "BackoffLimitExceeded");
	jobtask_free(t);
}
END_TEST

START_TEST(failed_indexes_when_the_others_are_done)
{
	const struct job_control control = {
		.backoff_limit = JOB_NONE, .index_limit = 0, .max_failed_indexes = JOB_NONE};
	struct jobtask *t = jobtask_new(2, 2, &control);

	jobtask_take(t, 0, 9);
	jobtask_take(t, 0, 9);
	ck_assert_ptr_null(jobtask_fail(t, &(struct jobtask_failure){.completion = 0}));
	ck_assert_ptr_null(jobtask_failed_in_the_end(t));
	jobtask_succeed(t, 1);
	ck_assert_str_eq(jobtask_failed_in_the_end(t), "FailedIndexes");
	ck_assert(!jobtask_complete(t, 0));
	jobtask_free(t);
}
END_TEST

START_TEST(the_first_matching_rule_holds)
{
	static const int32_t fatal[] = {42};
	static const struct failure_rule rules[] = {
		{.action = FAILURE_IGNORE, .disruption = true},
		{.action = FAILURE_FAIL_JOB, .codes = fatal, .code_count = 1},
		{.action = FAILURE_IGNORE, .not_in = true, .codes = fatal, .code_count = 1},
	};
	const struct job_control control = {.backoff_limit = 0,
					    .index_limit = JOB_NONE,
					    .max_failed_indexes = JOB_NONE,
					    .failure_rules = rules,
					    .failure_rule_count = 3};
	struct jobtask *t = jobtask_new(1, 1, &control);
	struct jobtask_failure failure = {.completion = 0, .disruption = true};

	ck_assert_ptr_null(jobtask_fail(t, &failure));
	failure.disruption = false;
	failure.code = 1;
	ck_assert_ptr_null(jobtask_fail(t, &failure));
	failure.code = 42;
	ck_assert_str_eq(jobtask_fail(t, &failure), "PodFailurePolicy");
	jobtask_free(t);
}
END_TEST

START_TEST(a_success_policy_needs_less)
{
	static const uint32_t leader[] = {0, 0, 2, 3};
	static const struct success_rule rules[] = {
		{.bounds = leader, .interval_count = 2, .count = 2}};
	const struct job_control control = {.backoff_limit = 6,
					    .index_limit = JOB_NONE,
					    .max_failed_indexes = JOB_NONE,
					    .success_rules = rules,
					    .success_rule_count = 1};
	struct jobtask *t = jobtask_new(4, 4, &control);

	for (int i = 0; i < 4; i++)
		jobtask_take(t, 0, 9);
	jobtask_succeed(t, 0);
	jobtask_succeed(t, 1);
	ck_assert(!jobtask_complete(t, 2));
	jobtask_succeed(t, 3);
	ck_assert(jobtask_complete(t, 1));
	jobtask_free(t);
}
END_TEST

START_TEST(fates_by_order_and_by_index)
{
	static const struct pod_fate fates[] = {
		{JOB_NONE, -1, 1}, {JOB_NONE, 5, 137}, {3, 7, 2}, {4, -1, 1}};
	const struct job_control control = {.fates = fates, .fate_count = 4};

	ck_assert_ptr_null(jobtask_fate(&control, 1, 0));
	ck_assert_int_eq(jobtask_fate(&control, 2, 0)->code, 137);
	ck_assert_ptr_null(jobtask_fate(&control, 3, 0));
	ck_assert_int_eq(jobtask_fate(&control, 9, 3)->after, 7);
	ck_assert_ptr_null(jobtask_fate(&control, 2, 4));
	ck_assert_int_eq(jobtask_fate(&control, 9, JOB_NONE)->after, 7);
	ck_assert_ptr_null(jobtask_fate(NULL, 1, 0));
}
END_TEST

START_TEST(back_off_doubles_up_to_its_most)
{
	ck_assert_int_eq(jobtask_doubling(JOBTASK_BACKOFF_BASE, 1, JOBTASK_BACKOFF_MAX),
			 10 * CLOCK_SECOND);
	ck_assert_int_eq(jobtask_doubling(JOBTASK_BACKOFF_BASE, 6, JOBTASK_BACKOFF_MAX),
			 320 * CLOCK_SECOND);
	ck_assert_int_eq(jobtask_doubling(JOBTASK_BACKOFF_BASE, 7, JOBTASK_BACKOFF_MAX),
			 600 * CLOCK_SECOND);
}
END_TEST

int main(void)
{
	TCase *tests = tcase_create("all");

	tcase_add_test(tests, backlog_in_turns);
	tcase_add_test(tests, without_a_number_one_success_ends_it);
	tcase_add_test(tests, back_off_limit);
	tcase_add_test(tests, each_index_by_itself);
	tcase_add_test(tests, no_later_index_goes_in_place_of_one_that_waits);
	tcase_add_test(tests, what_is_ignored_lengthens_the_back_off);
	tcase_add_test(tests, the_limit_of_the_job_comes_before_those_of_indexes);
	tcase_add_test(tests, failed_indexes_when_the_others_are_done);
	tcase_add_test(tests, the_first_matching_rule_holds);
	tcase_add_test(tests, a_success_policy_needs_less);
	tcase_add_test(tests, fates_by_order_and_by_index);
	tcase_add_test(tests, back_off_doubles_up_to_its_most);
	return objects_case_run("jobtask", tests);
}
