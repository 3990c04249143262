/* test_story.c - The sentences about small runs, and what was assumed. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "sim/report/story.h"
#include "sim/study/study.h"
#include "tests/support/command.h"

/* All sentences, one a line: "+ " what happened, "- " what was assumed. */
static char *tell(const char *files, bool interleaved, bool nodes)
{
	struct study *study = study_new();
	struct scenario *s = command_load(files);
	struct run_options options;
	struct report report = {0};
	struct story *story;
	char *text = NULL;
	size_t size = 0;
	FILE *memory = open_memstream(&text, &size);
	struct cmd_context context = {.out = stdout, .err = stderr};
	struct err err;

	study_own(study, s);
	options_default(&options);
	options.create = interleaved ? CREATE_INTERLEAVED : CREATE_SEQUENTIAL;
	options.placement = nodes ? PLACEMENT_SCHEDULER : PLACEMENT_NONE;
	study_add(study, "plain", policy_find("kubernetes"), s, &options, JOURNAL_FULL);
	study_add(study, "Kueue", policy_find("kueue"), s, &options, JOURNAL_FULL);
	ck_assert_int_eq(study_run(study, &context, 1, true, &err), ERR_OK);
	report.columns = study_columns(study, &report.count);
	story = story_new(&report);
	for (size_t i = 0; i < story->line_count; i++)
		fprintf(memory, "+ %s\n", story->lines[i]);
	for (size_t i = 0; i < story->assumption_count; i++)
		fprintf(memory, "- %s\n", story->assumptions[i]);
	story_free(story);
	study_free(study);
	fclose(memory);
	return text;
}

static void expect(const char *text, const char *part)
{
	ck_assert_msg(strstr(text, part) != NULL, "no \"%s\" in:\n%.2000s", part, text);
}

START_TEST(a_deadlock_names_its_holders)
{
	char *text;

	command_file("objects.yaml", command_objects);
	command_file("gangs.csv", command_gangs);
	text = tell("objects.yaml gangs.csv", true, true);
	expect(text, "+ plain: at 0s a deadlock: g1 holds 4 GPUs with 1 of 2 pods, g2 holds 4 GPUs "
		     "with 1 of 2 pods. It stood to the end (1h) and held 28,800 GPU-seconds.\n");
	expect(text, "+ plain: g1 of a (8 GPUs) waited longest, 1h, and never started: 0/2 nodes "
		     "are available");
	expect(text, "+ Kueue: g2 of b (8 GPUs) waited longest, 10m 1s: couldn't assign flavors");
	expect(text, "Pods of jobs submitted at once are created in turn");
	free(text);
}
END_TEST

START_TEST(a_reclaim_names_both_sides)
{
	char *text;

	command_file("objects.yaml", command_objects);
	command_file("reclaim.csv", command_reclaim);
	text = tell("objects.yaml reclaim.csv", false, true);
	expect(text, "+ Kueue: at 1m 40s b1 of b took back from a: 1 job with 4 GPUs stopped, a2 "
		     "first (InCohortReclamation).\n");
	expect(text, "+ plain: big of a (12 GPUs) waited longest");
	expect(text, "- All columns are measured over the same window, the longest: 1h.\n");
	expect(text, "evicted jobs keep their quota 5s");
	free(text);
}
END_TEST

START_TEST(no_nodes_are_said)
{
	char *text;
	const char *queues = strstr(command_objects, "apiVersion: kueue");

	command_file("queues.yaml", queues);
	command_file("gangs.csv", command_gangs);
	text = tell("queues.yaml gangs.csv", false, true);
	expect(text, "- The input has no nodes, so nothing holds plain Kubernetes back");
	ck_assert_ptr_null(strstr(text, "equally good nodes"));
	free(text);
}
END_TEST

/* The third never fits, so the fourth never comes; without a LocalQueue none starts. */
START_TEST(who_waits_for_whom_is_said)
{
#define SWF(id, gpus, after) id " 0 0 9 " gpus " -1 -1 " gpus " -1 -1 1 -1 -1 -1 1 -1 " after " 0\n"
	char *text;

	command_file("objects.yaml", command_objects);
	command_file("f.swf", SWF("1", "1", "-1") SWF("2", "1", "1") SWF("3", "999", "-1")
				      SWF("4", "1", "3"));
	text = tell("objects.yaml f.swf", false, true);
	expect(text, "- 2 jobs are submitted when another has ended, under each policy at times "
		     "of their own (--dependencies ignore: when the list says); under plain 1 "
		     "never came, as that did not end; under Kueue 2 never came, as that did not "
		     "end.\n");
	free(text);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("sim/report/story");
	TCase *t = tcase_create("all");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_add_test(t, a_deadlock_names_its_holders);
	tcase_add_test(t, a_reclaim_names_both_sides);
	tcase_add_test(t, no_nodes_are_said);
	tcase_add_test(t, who_waits_for_whom_is_said);
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
