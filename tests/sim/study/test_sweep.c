/* test_sweep.c - Points on threads, killed and taken up again, in shards. */
#include <check.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "sim/study/sweep.h"
#include "tests/support/command.h"

#define POINTS "sweep -p kueue,kubernetes %/objects.yaml %/reclaim.csv --seeds 1..120 "

static void files(void)
{
	command_file("objects.yaml", command_objects);
	command_file("reclaim.csv", command_reclaim);
}

static uint64_t points_in(const char *name)
{
	char path[200];
	struct sweep_store *store;
	struct sweep_counts counts = {0};
	struct err err;

	snprintf(path, sizeof(path), "%s/%s", command_folder(), name);
	if (sweep_store_read(path, &store, &err) != ERR_OK)
		return 0;
	ck_assert_int_eq(sweep_store_count(store, &counts, &err), ERR_OK);
	sweep_store_close(store);
	return counts.run;
}

START_TEST(threads_change_nothing)
{
	struct command one, four;

	files();
	one = command_run(POINTS "-j 1 -o csv");
	four = command_run(POINTS "-j 4 -o csv");
	ck_assert_msg(one.code == 0, "%s", one.err);
	ck_assert_str_eq(one.err, four.err);
	ck_assert_str_eq(one.out, four.out);
	command_free(&one);
	command_free(&four);
}
END_TEST

/* Whenever it is killed, what is there stays, and the rest follows. */
START_TEST(a_killed_sweep_goes_on)
{
	const struct timespec moment = {0, 2000000};
	struct command whole, rest;
	int status;
	pid_t child;

	files();
	child = fork();
	if (child == 0) {
		rest = command_run(POINTS "-j 2 -o %/killed.db");
		_exit(rest.code);
	}
	while (points_in("killed.db") < 3 && waitpid(child, &status, WNOHANG) == 0)
		nanosleep(&moment, NULL);
	kill(child, SIGKILL);
	waitpid(child, &status, 0);
	ck_assert_uint_ge(points_in("killed.db"), 3);
	rest = command_run(POINTS "-o %/killed.db -o csv");
	whole = command_run(POINTS "-o csv");
	ck_assert_msg(rest.code == 0, "%s", rest.err);
	ck_assert_str_eq(rest.out, whole.out);
	ck_assert_uint_eq(points_in("killed.db"), 240);
	command_free(&rest);
	command_free(&whole);
}
END_TEST

START_TEST(a_stop_keeps_what_is_done)
{
	static const volatile sig_atomic_t stop = 1;
	struct cmd_context context = {.out = stdout, .err = stderr, .stop = &stop};
	struct sweep_plan *plan = sweep_plan_new();
	struct sweep_dimension *d;
	struct sweep_header header = {.plan = "x",
				      .points = 1,
				      .names = &(const char *){"policy"},
				      .sets = &(const char *){"policy"},
				      .dimension_count = 1};
	struct sweep_request request = {
		.plan = plan, .shard = {1, 1}, .context = &context, .threads = 2};
	struct sweep_result result;
	char path[2][200];
	struct err err;

	files();
	snprintf(path[0], sizeof(path[0]), "%s/objects.yaml", command_folder());
	snprintf(path[1], sizeof(path[1]), "%s/reclaim.csv", command_folder());
	sweep_texts_add(&plan->files, path[0]);
	sweep_texts_add(&plan->files, path[1]);
	ck_assert_int_eq(sweep_plan_dimension(plan, "policy", "policy", &d, &err), ERR_OK);
	sweep_texts_add(&d->values, "kueue");
	ck_assert_int_eq(sweep_plan_check(plan, &err), ERR_OK);
	ck_assert_int_eq(sweep_store_open(NULL, &header, &request.store, &err), ERR_OK);
	ck_assert_msg(sweep_run(&request, &result, &err) == ERR_OK, "%s", err.msg);
	ck_assert(result.interrupted);
	ck_assert_uint_eq(result.run, 0);
	sweep_store_close(request.store);
	sweep_plan_free(plan);
}
END_TEST

START_TEST(shards_together_are_the_whole)
{
	struct command whole, all;

	files();
	whole = command_run(POINTS "-o csv");
	for (int i = 0; i < 3; i++) {
		static const char *const lines[] = {POINTS "--shard 1/3 -o %/part-1.db",
						    POINTS "--shard 2/3 -o %/part-2.db",
						    POINTS "--shard 3/3 -o %/part-3.db"};
		struct command part = command_run(lines[i]);

		ck_assert_msg(part.code == 0, "%s", part.err);
		ck_assert_ptr_nonnull(strstr(part.out, "80 of 240 points, 80 of this shard"));
		command_free(&part);
	}
	all = command_run("merge %/part-3.db %/part-1.db %/part-2.db -o %/all.db");
	ck_assert_msg(all.code == 0, "%s", all.err);
	command_free(&all);
	all = command_run("sweep %/all.db -o csv");
	ck_assert_str_eq(all.out, whole.out);
	command_free(&all);
	command_free(&whole);
}
END_TEST

static const struct {
	const char *text;
	uint32_t number, of; /* 0: an error */
} shards[] = {
	{"1/1", 1, 1}, {"3/8", 3, 8}, {"8/8", 8, 8}, {"0/8", 0, 0},  {"9/8", 0, 0}, {"1", 0, 0},
	{"1/", 0, 0},  {"/2", 0, 0},  {"a/b", 0, 0}, {"-1/2", 0, 0}, {"", 0, 0},    {"1/2/3", 0, 0},
};

START_TEST(shards_of_the_command_line)
{
	struct sweep_shard shard = {0, 0};
	struct err err;
	enum err_code code = sweep_shard_read(shards[_i].text, &shard, &err);

	ck_assert_int_eq(code, shards[_i].of == 0 ? ERR_USAGE : ERR_OK);
	if (shards[_i].of == 0)
		return;
	ck_assert_uint_eq(shard.number, shards[_i].number);
	ck_assert_uint_eq(shard.of, shards[_i].of);
}
END_TEST

static char *nothing(const char *name)
{
	(void)name;
	return NULL;
}

static char *indexed(const char *name)
{
	static char index[] = "0", of[] = "4";

	return strcmp(name, "JOB_COMPLETION_INDEX") == 0 ? index
	       : strcmp(name, "JOB_COMPLETIONS") == 0	 ? of
							 : NULL;
}

/* --array=2-10:4 */
static char *slurm(const char *name)
{
	static char id[] = "6", count[] = "3", least[] = "2", by[] = "4";

	return strcmp(name, "SLURM_ARRAY_TASK_ID") == 0	     ? id
	       : strcmp(name, "SLURM_ARRAY_TASK_COUNT") == 0 ? count
	       : strcmp(name, "SLURM_ARRAY_TASK_MIN") == 0   ? least
	       : strcmp(name, "SLURM_ARRAY_TASK_STEP") == 0  ? by
							     : NULL;
}

static char *wrong(const char *name)
{
	static char number[] = "4";

	return strncmp(name, "JOB_", 4) == 0 ? number : NULL;
}

static const struct {
	char *(*get)(const char *name);
	uint32_t number, of; /* 0: an error */
} environments[] = {{nothing, 1, 1}, {indexed, 1, 4}, {slurm, 2, 3}, {wrong, 0, 0}};

START_TEST(shards_of_the_environment)
{
	struct sweep_shard shard;
	struct err err;

	ck_assert_int_eq(sweep_shard_of(environments[_i].get, &shard, &err),
			 environments[_i].of == 0 ? ERR_USAGE : ERR_OK);
	if (environments[_i].of == 0)
		return;
	ck_assert_uint_eq(shard.number, environments[_i].number);
	ck_assert_uint_eq(shard.of, environments[_i].of);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("sim/study/sweep");
	TCase *t = tcase_create("all");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_set_timeout(t, 120);
	tcase_add_test(t, threads_change_nothing);
	tcase_add_test(t, a_killed_sweep_goes_on);
	tcase_add_test(t, a_stop_keeps_what_is_done);
	tcase_add_test(t, shards_together_are_the_whole);
	tcase_add_loop_test(t, shards_of_the_command_line, 0,
			    (int)(sizeof(shards) / sizeof(shards[0])));
	tcase_add_loop_test(t, shards_of_the_environment, 0,
			    (int)(sizeof(environments) / sizeof(environments[0])));
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
