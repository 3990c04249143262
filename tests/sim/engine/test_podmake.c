/* test_podmake.c - creation of pods. */
#include "sim/engine/podmake.h"

#include "sim/report/metrics.h"
#include "tests/sim/run_case.h"
START_TEST(refused_pods_of_a_wave_come_later)
{
	struct run_case c =
		run_case(RUN_CASE_NODE("4") "---\napiVersion: v1\nkind: ResourceQuota\nmetadata: "
					    "{name: r}\nspec: {hard: {pods: 1}}\n" RUN_CASE_JOB(
						    "a", "gqsim/duration: 10s",
						    "parallelism: 2, completions: 3"),
			 "kubernetes");

	run_case_has(&c, "forbid a-1\n");
	run_case_has(&c, "\n10 done a-0\n");
	run_case_has(&c, "\n30 finish a\n");
	run_case_free(&c);
}
END_TEST

START_TEST(batches_double)
{
	/* 1, then 2: the fourth is in the third batch, of which the first is refused */
	struct run_case c = run_case(
		RUN_CASE_NODE("8") "---\napiVersion: v1\nkind: ResourceQuota\nmetadata: {name: "
				   "r}\nspec: {hard: {pods: 3}}\n" RUN_CASE_JOB(
					   "a", "gqsim/duration: 10s, gqsim/gang: \"false\"",
					   "parallelism: 8, completions: 8"),
		"kubernetes");

	run_case_has(&c, "\n0 forbid a-3\n0 forbid a-4\n0 forbid a-5\n0 forbid a-6\n");
	run_case_lacks(&c, "\n0 forbid a-7");
	run_case_free(&c);
}
END_TEST

int main(void)
{
	TCase *tests = tcase_create("all");

	tcase_add_test(tests, refused_pods_of_a_wave_come_later);
	tcase_add_test(tests, batches_double);
	return objects_case_run("podmake", tests);
}
