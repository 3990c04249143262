/* test_policy_srtf.c - Stories of the shortest remaining time first. */
#include <check.h>

#include "tests/support/policy_story.h"

#define COUNT(rows) ((int)(sizeof(rows) / sizeof((rows)[0])))

static const struct policy_story stories[] = {
	{"less work left stops more; what is stopped starts over",
	 {{.gpus = 4}},
	 1,
	 {{.pods = 1, .gpus = 4, .duration_s = 60},
	  {.pods = 1, .gpus = 2, .duration_s = 10, .submit_s = 5},
	  {.pods = 1, .gpus = 2, .duration_s = 90, .submit_s = 6}},
	 3,
	 "0 bind j0-0 n0\n0 start j0\n5 preempt j0\n5 lost j0 5\n5 release j0\n"
	 "5 bind j1-0 n0\n5 start j1\n6 bind j2-0 n0\n6 start j2\n15 finish j1\n"
	 "15 preempt j2\n15 lost j2 9\n15 release j2\n15 bind j0-0-r1 n0\n15 start j0\n"
	 "75 finish j0\n75 bind j2-0-r1 n0\n75 start j2\n165 finish j2\n"},
	{"but the longer one runs on where both fit, or there would be no room in one piece",
	 {{.gpus = 4}, {.gpus = 4}},
	 2,
	 {{.pods = 1, .gpus = 1, .duration_s = 60},
	  {.pods = 1, .gpus = 1, .duration_s = 10, .submit_s = 5}},
	 2,
	 "0 bind j0-0 n0\n0 start j0\n5 bind j1-0 n0\n5 start j1\n15 finish j1\n60 finish j0\n"},
};

START_TEST(story)
{
	policy_story_check(&stories[_i], "srtf");
}
END_TEST

/* Whatever happens, nodes that change included. */
START_TEST(any_system)
{
	policy_story_random((uint64_t)_i, "srtf");
}
END_TEST

int main(void)
{
	Suite *s = suite_create("sim/policy/policy_srtf");
	TCase *t = tcase_create("all");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_add_loop_test(t, story, 0, COUNT(stories));
	tcase_add_loop_test(t, any_system, 0, 300);
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
