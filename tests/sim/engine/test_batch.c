/* test_batch.c - All work is done once, whatever the number of threads; runs come out equal. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "sim/engine/batch.h"
#include "tests/support/fixture.h"

enum { WORK = 500 };

static void count(void *context, size_t i)
{
	((unsigned char *)context)[i]++;
}

static const unsigned threads[] = {0, 1, 2, 8, 1000};

START_TEST(everything_is_done_once)
{
	unsigned char done[WORK] = {0};

	batch_each(WORK, threads[_i], count, done);
	for (size_t i = 0; i < WORK; i++)
		ck_assert_uint_eq(done[i], 1);
	batch_each(0, threads[_i], count, done);
}
END_TEST

static void set_up(struct batch_run *runs, size_t count_of, const struct scenario *s)
{
	for (size_t i = 0; i < count_of; i++) {
		runs[i] = (struct batch_run){
			.scenario = s,
			.policy = policy_find(i % 2 == 0 ? "kubernetes" : "kueue"),
			.detail = JOURNAL_FULL};
		options_default(&runs[i].options);
	}
}

START_TEST(runs_do_not_disturb_each_other)
{
	static const struct fixture_job jobs[] = {
		{"a", 0, 100, 2, 3, NULL, 0, 0},
		{"b", 0, 100, 2, 3, NULL, 0, 0},
		{"c", 10, 50, 1, 2, NULL, 0, 0},
	};
	struct builder *builder = fixture_cluster(3, 4);
	struct scenario *s;
	struct batch_run runs[8];
	struct err err;
	char *first[2];

	fixture_add(builder, jobs, 3);
	s = fixture_finish(builder);
	set_up(runs, 8, s);
	ck_assert_int_eq(batch_execute(runs, 8, 4, &err), ERR_OK);
	for (size_t i = 0; i < 8; i++) {
		char *text = fixture_print(runs[i].journal);

		if (i < 2) {
			first[i] = text;
		} else {
			ck_assert_str_eq(text, first[i % 2]);
			free(text);
		}
		journal_free(runs[i].journal);
	}
	ck_assert_ptr_nonnull(strstr(first[0], "finish c"));
	free(first[0]);
	free(first[1]);
	scenario_free(s);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("sim/engine/batch");
	TCase *t = tcase_create("all");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_add_loop_test(t, everything_is_done_once, 0,
			    (int)(sizeof(threads) / sizeof(threads[0])));
	tcase_add_test(t, runs_do_not_disturb_each_other);
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
