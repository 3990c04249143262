/* test_podgone.c - removal of pods. */
#include "sim/engine/podgone.h"

#include "sim/report/metrics.h"
#include "tests/sim/run_case.h"
START_TEST(an_evicted_job_leaves_nothing_behind)
{
	static const char yaml[] = RUN_CASE_NODE("4") RUN_CASE_QUEUE("4")
		RUN_CASE_QUEUED("a", "gqsim/duration: 100s, gqsim/cancel-at: 50s",
				"parallelism: 2, completions: 4");
	struct run_case c = run_case(yaml, "kueue");

	run_case_has(&c, "\n50 lost a-0 50\n50 lost a-1 50\n50 delete a\n");
	ck_assert_uint_eq(journal_last(c.journal)->kind, J_DELETED);
	run_case_free(&c);
}
END_TEST

int main(void)
{
	TCase *tests = tcase_create("all");

	tcase_add_test(tests, an_evicted_job_leaves_nothing_behind);
	return objects_case_run("podgone", tests);
}
