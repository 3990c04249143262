/* test_progress.c - Short runs stay silent; long ones show a line and take it away. */
#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "sim/tool/progress.h"

static void wait_for(long milliseconds)
{
	const struct timespec time = {milliseconds / 1000, milliseconds % 1000 * 1000000};

	nanosleep(&time, NULL);
}

START_TEST(short_runs_are_silent)
{
	char *text = NULL;
	size_t size = 0;
	FILE *memory = open_memstream(&text, &size);
	struct progress *progress = progress_new(memory, 1, 100, "jobs");

	progress_report(progress_run(progress, 0), 0, 50);
	progress_free(progress);
	fclose(memory);
	ck_assert_str_eq(text, "");
	free(text);
}
END_TEST

START_TEST(long_ones_show_their_share_of_all_runs)
{
	char *text = NULL;
	size_t size = 0;
	FILE *memory = open_memstream(&text, &size);
	struct progress *progress = progress_new(memory, 2, 1000, "jobs");

	wait_for(600);
	progress_report(progress_run(progress, 0), 0, 1000);
	progress_report(progress_run(progress, 1), 0, 10); /* too soon for another line */
	fflush(memory);
	ck_assert_ptr_nonnull(strstr(text, "50 %  1000 of 2000 jobs"));
	ck_assert_ptr_null(strstr(text, "1010"));
	progress_free(progress);
	fclose(memory);
	ck_assert_str_eq(text + strlen(text) - 4, "\r\033[K");
	free(text);
}
END_TEST

START_TEST(none_is_fine)
{
	progress_free(NULL);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("sim/tool/progress");
	TCase *t = tcase_create("all");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_add_test(t, short_runs_are_silent);
	tcase_add_test(t, long_ones_show_their_share_of_all_runs);
	tcase_add_test(t, none_is_fine);
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
