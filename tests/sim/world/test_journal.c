#include "sim/world/journal.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/fixture.h"
#include "tests/support/records.h"

static struct scenario *two_jobs(void)
{
	static const struct fixture_job jobs[] = {
		{.name = "a", .duration_s = 10, .pods = 3, .gpus = 2},
		{.name = "b", .duration_s = 10, .pods = 2, .gpus = 1},
	};
	struct builder *b = fixture_cluster(1, 8);

	fixture_add(b, jobs, 2);
	return fixture_finish(b);
}

START_TEST(pods_have_slots_job_by_job)
{
	struct scenario *s = two_jobs();
	struct journal *j = journal_new(s, "test", JOURNAL_FACTS);
	static const uint32_t want[] = {0, 0, 0, 1, 1};

	ck_assert_uint_eq(j->first_pod[0], 0);
	ck_assert_uint_eq(j->first_pod[1], 3);
	ck_assert_uint_eq(j->first_pod[2], 5);
	for (uint32_t pod = 0; pod < 5; pod++)
		ck_assert_uint_eq(journal_pod_job(j, pod), want[pod]);
	journal_free(j);
	scenario_free(s);
}
END_TEST

START_TEST(pods_are_named_like_the_job_controllers)
{
	struct scenario *s = two_jobs();
	struct journal *j = journal_new(s, "test", JOURNAL_FACTS);
	struct journal_record r = {.job = 1, .pod = 4};
	char buf[JOURNAL_POD_TEXT];

	ck_assert_str_eq(journal_pod_name(j, &r, buf), "b-1");
	r.incarnation = 2;
	ck_assert_str_eq(journal_pod_name(j, &r, buf), "b-1-r2");
	journal_free(j);
	scenario_free(s);
}
END_TEST

/* n different admissions of one pod set each, told apart by their count. */
static uint32_t add_admission(struct journal *j, uint32_t count)
{
	struct admission_flavor flavors[] = {{RES_GPU, 0}, {RES_CPU, 1}};
	struct admission_pod_set set = {.count = count, .flavor_count = 2, .flavors = flavors};
	struct admission a = {
		.cluster_queue = 3, .borrow = 1, .pod_set_count = 1, .pod_sets = &set};

	return journal_admission(j, &a);
}

START_TEST(equal_admissions_share_an_index)
{
	struct scenario *s = two_jobs();
	struct journal *j = journal_new(s, "test", JOURNAL_FACTS);

	for (uint32_t i = 0; i < 500; i++) /* well beyond the first size of the index */
		ck_assert_uint_eq(add_admission(j, i), i);
	for (uint32_t i = 0; i < 500; i++)
		ck_assert_uint_eq(add_admission(j, i), i);
	ck_assert_uint_eq(j->admission_count, 500);
	ck_assert_uint_eq(j->admissions[499].pod_sets[0].flavors[1].resource, RES_CPU);
	journal_free(j);
	scenario_free(s);
}
END_TEST

START_TEST(sets_are_sorted_copies)
{
	struct scenario *s = two_jobs();
	struct journal *j = journal_new(s, "test", JOURNAL_FACTS);
	uint32_t jobs[] = {9, 2, 5};
	uint32_t set = journal_set(j, jobs, 3);

	jobs[0] = 77;
	ck_assert_uint_eq(j->sets[set].count, 3);
	ck_assert_uint_eq(j->sets[set].jobs[0], 2);
	ck_assert_uint_eq(j->sets[set].jobs[1], 5);
	ck_assert_uint_eq(j->sets[set].jobs[2], 9);
	journal_free(j);
	scenario_free(s);
}
END_TEST

static void sum_up(void *context, uint32_t flavor, uint32_t resource, int64_t amount)
{
	if (flavor == 7 && resource == RES_GPU)
		*(int64_t *)context += amount;
}

START_TEST(usage_of_an_admission_is_request_times_admitted_count)
{
	struct scenario *s = two_jobs();
	struct admission_flavor flavor = {RES_GPU, 7};
	struct admission_pod_set set = {.count = 2, .flavor_count = 1, .flavors = &flavor};
	struct admission a = {.pod_set_count = 1, .pod_sets = &set};
	int64_t gpus = 0;

	journal_admission_usage(s, 0, &a, sum_up, &gpus); /* 2 of 3 pods of 2 GPUs */
	ck_assert_int_eq(gpus, 4);
	scenario_free(s);
}
END_TEST

static void add(struct journal *j, uint32_t number)
{
	records_add(j, &(struct journal_record){.time = number,
						.job = number % 2,
						.pod = NAME_NONE,
						.arg = number,
						.kind = J_WANTED});
}

/* Whole blocks, and what has not filled one yet. */
START_TEST(records_are_read_one_after_the_other_and_by_number)
{
	static const uint32_t counts[] = {0, 1, JOURNAL_BLOCK, JOURNAL_BLOCK + 1, 1000};
	uint32_t count = counts[_i], seen = 0;
	struct scenario *s = two_jobs();
	struct journal *j = journal_new(s, "test", JOURNAL_FACTS);
	struct journal_reader in;
	const struct journal_record *r;

	for (uint32_t i = 0; i < count; i++)
		add(j, i);
	journal_open(&in, j);
	while ((r = journal_next(&in)) != NULL)
		ck_assert_uint_eq(r->arg, seen++);
	ck_assert_uint_eq(seen, count);
	for (uint32_t i = count; i-- > 0;)
		ck_assert_uint_eq(journal_read(&in, i)->arg, i);
	journal_open(&in, j);
	for (seen = 0; journal_until(&in, 99) != NULL;)
		seen++;
	ck_assert_uint_eq(seen, count < 100 ? count : 100);
	ck_assert(journal_has(j, J_WANTED) == (count > 0));
	ck_assert(!journal_has(j, J_SUBMIT));
	journal_free(j);
	scenario_free(s);
}
END_TEST

/* Also the last of a block. */
START_TEST(the_last_record_may_change)
{
	struct scenario *s = two_jobs();
	struct journal *j = journal_new(s, "test", JOURNAL_FACTS);
	struct journal_reader in;

	for (uint32_t i = 0; i < 3 * JOURNAL_BLOCK; i++) {
		add(j, i);
		journal_last(j)->arg2 = i + 1;
	}
	journal_open(&in, j);
	for (uint32_t i = 0; i < 3 * JOURNAL_BLOCK; i++)
		ck_assert_uint_eq(journal_read(&in, i)->arg2, i + 1);
	journal_free(j);
	scenario_free(s);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("journal");
	TCase *tc = tcase_create("journal");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_test(tc, pods_have_slots_job_by_job);
	tcase_add_test(tc, pods_are_named_like_the_job_controllers);
	tcase_add_test(tc, equal_admissions_share_an_index);
	tcase_add_test(tc, sets_are_sorted_copies);
	tcase_add_test(tc, usage_of_an_admission_is_request_times_admitted_count);
	tcase_add_loop_test(tc, records_are_read_one_after_the_other_and_by_number, 0, 5);
	tcase_add_test(tc, the_last_record_may_change);
	suite_add_tcase(suite, tc);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
