/* test_watch.c - frames of a run: they fit the terminal, keep to its characters, and show as
 * many GPUs as there are. */
#include <check.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "sim/page/watch_play.h"
#include "sim/study/study.h"
#include "sim/tool/output.h"
#include "sim/tool/table.h"
#include "sim/world/replay.h"
#include "tests/support/command.h"

static struct study *study_of(const char *files, const char *policy)
{
	static const struct cmd_context context = {.out = NULL};
	struct study *study = study_new();
	struct scenario *s;
	struct run_options options;
	struct err err;

	command_file("objects.yaml", command_objects);
	command_file("gangs.csv", command_gangs);
	command_file("reclaim.csv", command_reclaim);
	s = command_load(files);
	study_own(study, s);
	options_default(&options);
	options.create = CREATE_INTERLEAVED;
	study_add(study, policy, policy_find(policy), s, &options, JOURNAL_FACTS);
	ck_assert_int_eq(study_run(study, &context, 1, true, &err), ERR_OK);
	return study;
}

static const struct report_column *column_of(const struct study *study)
{
	size_t count;

	return study_columns(study, &count);
}

static char *frame(const struct watch *watch, simtime now, bool utf8, bool colour)
{
	const struct watch_look look = {.utf8 = utf8, .colour = colour};
	struct output_text text;

	output_text_open(&text);
	watch_frame(watch, now, &look, text.file);
	output_text_close(&text);
	return text.data;
}

static void fits(char *text, bool utf8)
{
	int lines = 0;
	char *line, *rest = text;

	for (const char *c = text; *c != '\0'; c++) {
		ck_assert_msg(utf8 || (unsigned char)*c < 127, "%s", text);
		ck_assert_msg(*c == '\n' || (unsigned char)*c >= ' ', "%s", text);
		lines += *c == '\n';
	}
	ck_assert_int_lt(lines, WATCH_LINES);
	while ((line = strtok_r(rest, "\n", &rest)) != NULL)
		ck_assert_msg(table_width(line) <= WATCH_COLUMNS, "%s", line);
}

static const char many[] = "apiVersion: gqsim/v1\nkind: Simulation\nnodePools:\n"
			   "- {name: a-pool-with-quite-a-long-name, count: 300, gpus: 8}\n"
			   "- {name: \"p\", count: 7, gpus: 16}\njobs:\n"
			   "- {name: a, count: 500, every: 7s, duration: 1h, pods: 2, gpus: 4, "
			   "namespace: a-namespace-with-quite-a-long-name}\n"
			   "- {name: b, count: 90, every: 70s, duration: 1h, pods: 3, gpus: 8, "
			   "namespace: b}\n- {name: c, duration: 1h, gpus: 1, namespace: c}\n"
			   "- {name: d, duration: 1h, gpus: 1, namespace: d}\n"
			   "- {name: e, duration: 1h, gpus: 1, namespace: e}\n"
			   "- {name: f, duration: 1h, gpus: 1, namespace: f}\n"
			   "- {name: g, duration: 1h, gpus: 1, namespace: g}\n"
			   "- {name: h, duration: 1h, gpus: 1, namespace: h}\n";

static const struct {
	const char *files, *policy;
} runs[] = {
	{"objects.yaml gangs.csv", "kubernetes"},
	{"objects.yaml gangs.csv", "kueue"},
	{"objects.yaml reclaim.csv", "kueue"},
	{"many.yaml", "kubernetes"},
};
#define RUNS 4

START_TEST(a_frame_fits_the_terminal)
{
	struct study *study;
	struct watch *watch;
	const struct metrics *m;

	command_file("many.yaml", many);
	study = study_of(runs[_i].files, runs[_i].policy);
	m = column_of(study)->metrics;
	watch = watch_new(column_of(study));
	for (int i = 0; i <= 20; i++) {
		char *plain = frame(watch, m->begin + (m->end - m->begin) / 20 * i, false, false);
		char *rich = frame(watch, m->begin + (m->end - m->begin) / 20 * i, true, false);

		fits(plain, false);
		fits(rich, true);
		free(plain);
		free(rich);
	}
	watch_free(watch);
	study_free(study);
}
END_TEST

/* Large letters are GPUs that work, small ones such as are held idle: on lines of nodes. */
START_TEST(letters_are_gpus)
{
	struct study *study = study_of(runs[_i].files, runs[_i].policy);
	const struct report_column *column = column_of(study);
	struct replay *replay = replay_new(column->journal);
	struct watch *watch = watch_new(column);

	while (replay_step(replay, column->metrics->end)) {
		char *text = frame(watch, replay->now, false, false);
		int64_t work = 0, idle = 0;

		for (const char *line = strstr(text, "\nn"); line != NULL;
		     line = strstr(line + 1, "\nn")) {
			for (const char *c = line + 1 + strcspn(line + 1, " "); *c != '\n'; c++) {
				work += isupper((unsigned char)*c) != 0;
				idle += islower((unsigned char)*c) != 0;
			}
		}
		ck_assert_msg(work == replay->levels.running, "%s", text);
		ck_assert_msg(idle == replay->levels.bound - replay->levels.running, "%s", text);
		free(text);
	}
	watch_free(watch);
	replay_free(replay);
	study_free(study);
}
END_TEST

START_TEST(colour_only_where_it_is_wanted)
{
	struct study *study = study_of(runs[0].files, runs[0].policy);
	struct watch *watch = watch_new(column_of(study));
	char *plain = frame(watch, 0, true, false), *colour = frame(watch, 0, true, true);

	ck_assert_ptr_null(strchr(plain, '\033'));
	ck_assert_ptr_nonnull(strstr(colour, "\033[33m"));
	free(plain);
	free(colour);
	watch_free(watch);
	study_free(study);
}
END_TEST

/* Not a terminal: frames below each other, the last at the end. */
START_TEST(frames_go_to_a_file_too)
{
	struct command c;
	int frames = 0;

	command_file("objects.yaml", command_objects);
	command_file("reclaim.csv", command_reclaim);
	c = command_run("run -p kueue %/objects.yaml %/reclaim.csv --watch");
	ck_assert_int_eq(c.code, 0);
	for (const char *at = c.out; (at = strstr(at, "held idle: ")) != NULL; at++)
		frames++;
	ck_assert_int_eq(frames, 13);
	ck_assert_ptr_null(strchr(c.out, '\033'));
	command_free(&c);
	c = command_run("run -p kueue %/objects.yaml %/reclaim.csv --watch --seconds 0");
	ck_assert_int_eq(c.code, 2);
	command_free(&c);
}
END_TEST

/* On a screen each frame takes the place of the last. */
START_TEST(a_screen_is_wiped_once)
{
	static const volatile sig_atomic_t stop = 1;
	struct study *study = study_of(runs[0].files, runs[0].policy);
	struct output_text text;
	struct cmd_context context = {.out_screen = true, .stop = &stop};

	output_text_open(&text);
	context.out = text.file;
	watch_play(&context, column_of(study), 3600);
	output_text_close(&text);
	ck_assert_ptr_eq(strstr(text.data, "\033[2J"), text.data);
	ck_assert_ptr_nonnull(strstr(text.data, "\033[H"));
	/* it was asked to stop: it shows how it ends, at once */
	ck_assert_ptr_nonnull(strstr(text.data, "1h of 1h"));
	output_text_free(&text);
	study_free(study);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("sim/page/watch");
	TCase *t = tcase_create("all");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_add_loop_test(t, a_frame_fits_the_terminal, 0, RUNS);
	tcase_add_loop_test(t, letters_are_gpus, 0, 3);
	tcase_add_test(t, colour_only_where_it_is_wanted);
	tcase_add_test(t, frames_go_to_a_file_too);
	tcase_add_test(t, a_screen_is_wiped_once);
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
