#include "sim/engine/jobctl.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "sim/engine/engine.h"
#include "tests/support/fakes.h"
#include "tests/support/fixture.h"

/* Runs jobs on one node and gives the journal as text. */
static char *journal_of(const struct fixture_job *jobs, uint32_t count, int64_t gpus,
			enum checkpoint_mode checkpointing)
{
	struct builder *b = fixture_cluster(1, gpus);
	struct run_options options;
	struct scenario *s;
	struct journal *j = NULL;
	struct err err = {0};
	char *text;

	fixture_add(b, jobs, count);
	s = fixture_finish(b);
	options_default(&options);
	options.checkpointing = checkpointing;
	ck_assert_int_eq(engine_run(s, &fakes_plain, &options, JOURNAL_FULL, &j, &err), ERR_OK);
	text = fixture_print(j);
	journal_free(j);
	scenario_free(s);
	return text;
}

static void assert_has(const char *text, const char *line)
{
	ck_assert_msg(strstr(text, line) != NULL, "no \"%s\" in:\n%s", line, text);
}

/* spec KUBE_SCHEDULER.md section 6: min(10 s * 2^(failures-1), 600 s) */
START_TEST(lost_pods_come_back_after_a_doubling_back_off)
{
	static const struct fixture_job jobs[] = {
		{.name = "a", .duration_s = 1000, .pods = 1, .gpus = 4},
		{.name = "vip-1", .submit_s = 100, .duration_s = 1, .pods = 1, .gpus = 4},
		{.name = "vip-2", .submit_s = 200, .duration_s = 1, .pods = 1, .gpus = 4},
		{.name = "vip-3", .submit_s = 300, .duration_s = 1, .pods = 1, .gpus = 4},
	};
	char *text = journal_of(jobs, 4, 4, CHECKPOINT_RESTART);

	assert_has(text, "\n110 create a-0-r1\n");
	assert_has(text, "\n220 create a-0-r2\n");
	assert_has(text, "\n340 create a-0-r3\n");
	assert_has(text, "\n1340 finish a\n");
	free(text);
}
END_TEST

START_TEST(resume_loses_nothing)
{
	static const struct fixture_job jobs[] = {
		{.name = "a", .duration_s = 100, .pods = 1, .gpus = 4},
		{.name = "vip", .submit_s = 30, .duration_s = 5, .pods = 1, .gpus = 4},
	};
	char *text = journal_of(jobs, 2, 4, CHECKPOINT_RESUME);

	ck_assert_ptr_null(strstr(text, "lost"));
	assert_has(text, "\n40 start a\n110 finish a\n"); /* 70 s left at 30 s */
	free(text);
}
END_TEST

/* A checkpoint never loses what an earlier one had kept, also when a job is
 * stopped while it still pays the cost of its restart. */
START_TEST(work_in_a_checkpoint_is_never_lost_again)
{
	static const struct fixture_job jobs[] = {
		{.name = "a",
		 .duration_s = 100,
		 .pods = 1,
		 .gpus = 4,
		 .checkpoint_s = 40,
		 .restart_s = 20},
		{.name = "vip-1", .submit_s = 50, .duration_s = 10, .pods = 1, .gpus = 4},
		{.name = "vip-2", .submit_s = 70, .duration_s = 30, .pods = 1, .gpus = 4},
	};
	char *text = journal_of(jobs, 3, 4, CHECKPOINT_RESTART);

	assert_has(text, "\n50 lost a 10\n"); /* 40 of 50 s are kept */
	assert_has(text, "\n60 start a\n");
	assert_has(text, "\n70 lost a 10\n"); /* half of the restart cost, no work */
	assert_has(text, "\n100 start a\n");
	assert_has(text, "\n180 lost a 20\n180 finish a\n"); /* 60 s left + 20 s */
	free(text);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("jobctl");
	TCase *tc = tcase_create("jobctl");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_test(tc, lost_pods_come_back_after_a_doubling_back_off);
	tcase_add_test(tc, resume_loses_nothing);
	tcase_add_test(tc, work_in_a_checkpoint_is_never_lost_again);
	suite_add_tcase(suite, tc);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
