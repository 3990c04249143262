/* test_policy_line.c - Stories of whole jobs in line; the starts that SC'21 published are
 * replayed by make reproduce. */
#include <check.h>

#include "sim/engine/engine.h"
#include "sim/report/metrics.h"
#include "tests/support/fixture.h"
#include "tests/support/policy_story.h"

#define COUNT(rows) ((int)(sizeof(rows) / sizeof((rows)[0])))

static const struct policy_story fifo[] = {
	{"two gangs one after the other, never half of each",
	 {{.gpus = 4}, {.gpus = 4}},
	 2,
	 {{.pods = 2, .gpus = 4, .duration_s = 60}, {.pods = 2, .gpus = 4, .duration_s = 60}},
	 2,
	 "0 bind j0-0 n0\n0 bind j0-1 n1\n0 start j0\n60 finish j0\n"
	 "60 bind j1-0 n0\n60 bind j1-1 n1\n60 start j1\n120 finish j1\n"},
	{"the first blocks a small one that would fit",
	 {{.gpus = 4}, {.gpus = 4}},
	 2,
	 {{.pods = 1, .gpus = 2, .duration_s = 60},
	  {.pods = 2, .gpus = 4, .duration_s = 30, .submit_s = 1},
	  {.pods = 1, .gpus = 1, .duration_s = 10, .submit_s = 2}},
	 3,
	 "0 bind j0-0 n0\n0 start j0\n60 finish j0\n60 bind j1-0 n0\n60 bind j1-1 n1\n"
	 "60 start j1\n90 finish j1\n90 bind j2-0 n0\n90 start j2\n100 finish j2\n"},
	{"but not one of another queue",
	 {{.gpus = 4}, {.gpus = 4}},
	 2,
	 {{.pods = 1, .gpus = 2, .duration_s = 60, .queue = "a"},
	  {.pods = 2, .gpus = 4, .duration_s = 30, .submit_s = 1, .queue = "a"},
	  {.pods = 1, .gpus = 1, .duration_s = 10, .submit_s = 2, .queue = "b"}},
	 3,
	 "0 bind j0-0 n0\n0 start j0\n2 bind j2-0 n0\n2 start j2\n12 finish j2\n60 finish j0\n"
	 "60 bind j1-0 n0\n60 bind j1-1 n1\n60 start j1\n90 finish j1\n"},
	{"one node: that with the fewest free GPUs; all pods of a job that fits go there",
	 {{.gpus = 4}, {.gpus = 2}, {.gpus = 8}},
	 3,
	 {{.pods = 2, .gpus = 1, .duration_s = 9},
	  {.pods = 1, .gpus = 3, .duration_s = 9, .submit_s = 1},
	  {.pods = 3, .gpus = 2, .duration_s = 9, .submit_s = 2}},
	 3,
	 "0 bind j0-0 n1\n0 bind j0-1 n1\n0 start j0\n1 bind j1-0 n0\n1 start j1\n"
	 "2 bind j2-0 n2\n2 bind j2-1 n2\n2 bind j2-2 n2\n2 start j2\n"
	 "9 finish j0\n10 finish j1\n11 finish j2\n"},
	{"several nodes: only those without a GPU in use",
	 {{.gpus = 4}, {.gpus = 4}, {.gpus = 4}},
	 3,
	 {{.pods = 1, .gpus = 1, .duration_s = 9},
	  {.pods = 3, .gpus = 2, .duration_s = 9, .submit_s = 1}},
	 2,
	 "0 bind j0-0 n0\n0 start j0\n1 bind j1-0 n1\n1 bind j1-1 n1\n1 bind j1-2 n2\n1 start j1\n"
	 "9 finish j0\n10 finish j1\n"},
	{"selectors and taints hold as anywhere",
	 {{.gpus = 4}, {.gpus = 4, .pool = "b"}, {.gpus = 4, .cordoned = true}},
	 3,
	 {{.pods = 1, .gpus = 2, .duration_s = 9, .pool = "b"},
	  {.pods = 2, .gpus = 4, .duration_s = 9, .submit_s = 1}},
	 2,
	 "0 bind j0-0 n1\n0 start j0\n9 finish j0\n9 bind j1-0 n0\n9 bind j1-1 n1\n9 start j1\n"
	 "18 finish j1\n"},
};

static const struct policy_story sjf[] = {
	{"shortest first; equally long ones as they came",
	 {{.gpus = 4}},
	 1,
	 {{.pods = 1, .gpus = 4, .duration_s = 10},
	  {.pods = 1, .gpus = 4, .duration_s = 7, .submit_s = 3},
	  {.pods = 1, .gpus = 4, .duration_s = 7, .submit_s = 2},
	  {.pods = 1, .gpus = 4, .duration_s = 5, .submit_s = 4}},
	 4,
	 "0 bind j0-0 n0\n0 start j0\n10 finish j0\n10 bind j3-0 n0\n10 start j3\n15 finish j3\n"
	 "15 bind j2-0 n0\n15 start j2\n22 finish j2\n22 bind j1-0 n0\n22 start j1\n"
	 "29 finish j1\n"},
};

START_TEST(fifo_story)
{
	policy_story_check(&fifo[_i], "fifo");
}
END_TEST

START_TEST(sjf_story)
{
	policy_story_check(&sjf[_i], "sjf");
}
END_TEST

/* Whatever happens, nodes that change included. */
START_TEST(any_system)
{
	policy_story_random((uint64_t)_i, "fifo");
	policy_story_random((uint64_t)_i, "sjf");
}
END_TEST

/* It has no room, though nothing was placed that would show that nodes matter. */
START_TEST(what_never_fits_is_told_without_any_placement)
{
	static const struct fixture_job big = {
		.name = "big", .duration_s = 9, .pods = 1, .gpus = 16};
	struct builder *b = fixture_cluster(1, 8);
	struct scenario *s;
	struct journal *journal = NULL;
	struct metrics *m;
	struct run_options options;
	struct err err = {0};

	fixture_add(b, &big, 1);
	s = fixture_finish(b);
	options_default(&options);
	ck_assert(engine_run(s, policy_find("fifo"), &options, JOURNAL_FULL, &journal, &err) ==
		  ERR_OK);
	m = metrics_new(journal, false, metrics_window(journal));
	ck_assert(m->places_pods);
	ck_assert_uint_eq(m->never_fit, 1);
	metrics_free(m);
	journal_free(journal);
	scenario_free(s);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("sim/policy/policy_line");
	TCase *t = tcase_create("all");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_add_loop_test(t, fifo_story, 0, COUNT(fifo));
	tcase_add_loop_test(t, sjf_story, 0, COUNT(sjf));
	tcase_add_loop_test(t, any_system, 0, 300);
	tcase_add_test(t, what_never_fits_is_told_without_any_placement);
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
