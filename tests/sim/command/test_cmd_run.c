/* test_cmd_run.c - gqsim run: its files, formats and complaints. */
#include <check.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/support/command.h"

static struct command run(const char *line)
{
	command_file("objects.yaml", command_objects);
	command_file("reclaim.csv", command_reclaim);
	return command_run(line);
}

START_TEST(writes_every_file_and_the_table)
{
	static const char *const files[] = {"e.csv", "p.csv", "t.csv", "s.json"};
	static const char *const begins[] = {
		"time_s,seq,event,workload,cluster_queue,detail\n0,1,QuotaReserved,default/a1,a,",
		"workload,cluster_queue,reason,message\ndefault/big,a,ExceedsMaxQuota,",
		"time_s,gpus,bound,running,idle,free,pending_jobs,pending_gpus,queue:a:gpu:",
		"{\n"};
	struct command c = run("run -p kueue %/objects.yaml %/reclaim.csv --events %/e.csv "
			       "--pending %/p.csv --timeline %/t.csv --json %/s.json");

	ck_assert_int_eq(c.code, 0);
	ck_assert_str_eq(c.err, "");
	ck_assert_ptr_nonnull(strstr(c.out, "3 of 4"));
	for (size_t i = 0; i < 4; i++) {
		char *text = command_read(files[i]);

		ck_assert_msg(text != NULL && strncmp(text, begins[i], strlen(begins[i])) == 0,
			      "%s: %.200s", files[i], text);
		free(text);
	}
	command_free(&c);
}
END_TEST

START_TEST(a_log_on_standard_output_stands_alone)
{
	struct command c =
		run("run -p kueue %/objects.yaml %/reclaim.csv --placement none --events -");
	const char *last;

	ck_assert_int_eq(c.code, 0);
	ck_assert_int_eq(strncmp(c.out, "time_s,seq,", 11), 0);
	last = strstr(c.out, ",Finished,default/a2,a,\n");
	ck_assert_ptr_nonnull(last);
	ck_assert_str_eq(strchr(last, '\n'), "\n");
	command_free(&c);
}
END_TEST

/* Beside a log on standard output each line says what it is about. */
START_TEST(remarks_have_a_subject)
{
	struct command c =
		command_run("run -p kubernetes traces/dlrm_instances.csv --quiet --events -");

	ck_assert_int_eq(c.code, 0);
	ck_assert_str_eq(c.err, "gqsim: not modelled: traces/dlrm_instances.csv: RDMA, disks\n");
	command_free(&c);
}
END_TEST

START_TEST(the_same_input_gives_the_same_bytes)
{
	const char *line = "run -p kueue %/objects.yaml %/reclaim.csv -o json";
	struct command a = run(line), b = run(line);

	ck_assert_str_eq(a.out, b.out);
	command_free(&a);
	command_free(&b);
}
END_TEST

START_TEST(max_time_makes_it_partial)
{
	struct command c = run("run -p kueue %/objects.yaml %/reclaim.csv --max-time 50 -o json");

	ck_assert_int_eq(c.code, 0);
	ck_assert_ptr_nonnull(strstr(c.out, "\"end\": \"max-time\""));
	ck_assert_ptr_nonnull(strstr(c.out, "\"partial\": true"));
	command_free(&c);
	c = run("run -p kueue %/objects.yaml %/reclaim.csv --max-time 50");
	ck_assert_ptr_nonnull(strstr(c.out, "PARTIAL: stopped at"));
	command_free(&c);
}
END_TEST

static const struct {
	const char *line, *says;
} wrong[] = {
	{"run %/objects.yaml", "which policy? Give -p kubernetes or -p kueue"},
	{"run -p keue %/objects.yaml", "did you mean \"kueue\"?"},
	{"run -p kueue", "which input?"},
	{"run -p kueue %/objects.yaml -o xml", "table, wide, json and csv"},
	{"run -p kueue %/missing.yaml", "missing.yaml"},
	{"run -p kueue %/objects.yaml --grace soon", "--grace: \"soon\" is not a duration"},
	{"run -p kueue %/objects.yaml %/reclaim.csv --events %/no/e.csv", "cannot write"},
	{"run -p kueue %/objects.yaml", "the input has no jobs"},
	{"run -p kueue %/objects.yaml --events - --json -",
	 "--events and --json both write to -: name two files"},
	{"run -p kueue %/objects.yaml %/reclaim.csv --events %/reclaim.csv",
	 "/reclaim.csv: this is an input, which would be lost"},
	{"run -p kueue -f %/objects.yaml --trace %/reclaim.csv --json %/./objects.yaml",
	 "this is an input, which would be lost"},
	{"run -p kueue -f %/objects.yaml --trace %/reclaim.csv --pending %/reclaim.csv",
	 "this is an input, which would be lost"},
	{"run -p kueue %/broken.csv", "broken.csv:2"},
};

static volatile sig_atomic_t stopped;

static void on_broken_pipe(int number)
{
	(void)number;
	stopped = 1;
}

/* The first picture goes to a pipe that nobody reads: the signal of it is the user's. */
START_TEST(a_play_that_is_stopped_is_interrupted)
{
	char objects[256], jobs[256];
	const char *argv[] = {"-p", "kueue", objects, jobs, "--watch", "-q"};
	const struct sigaction action = {.sa_handler = on_broken_pipe};
	struct cmd_context context = {.err = stderr, .stop = &stopped};
	const struct cmd_row *row = cmd_table_find("run");
	struct cmd_args args;
	struct err err;
	int ends[2];

	command_file("objects.yaml", command_objects);
	command_file("reclaim.csv", command_reclaim);
	snprintf(objects, sizeof(objects), "%s/objects.yaml", command_folder());
	snprintf(jobs, sizeof(jobs), "%s/reclaim.csv", command_folder());
	ck_assert_int_eq(pipe(ends), 0);
	close(ends[0]);
	context.out = fdopen(ends[1], "w");
	ck_assert_ptr_nonnull(context.out);
	sigaction(SIGPIPE, &action, NULL);
	ck_assert_int_eq(cmd_parse(row, 6, argv, &args, &err), ERR_OK);
	ck_assert_int_eq(row->run(&context, &args), CMD_INTERRUPTED);
	cmd_args_free(&args);
	fclose(context.out);
}
END_TEST

START_TEST(complains)
{
	struct command c;

	command_file("broken.csv", "name,submit_s,duration_s,requests\na,0,ten,nvidia.com/gpu=1\n");
	c = run(wrong[_i].line);
	ck_assert_int_eq(c.code, CMD_USAGE);
	ck_assert_str_eq(c.out, "");
	ck_assert_msg(strstr(c.err, wrong[_i].says) != NULL, "%s", c.err);
	command_free(&c);
}
END_TEST

#define NODE_AT(name, at, gpus)                                                                    \
	"---\napiVersion: v1\nkind: Node\nmetadata: {name: " name ", annotations: {gqsim/at: '" at \
	"'}}\nstatus: {allocatable: {nvidia.com/gpu: '" gpus                                       \
	"', cpu: '8', memory: 8Gi, pods: '9'}, conditions: [{type: Ready, status: 'True'}]}\n"

/* Found on random systems: the audit, or the run itself, failed. */
static const struct {
	const char *nodes, *jobs, *line;
} broke[] = {
	/* nodes that come later and change then */
	{NODE_AT("late", "5", "1") NODE_AT("later", "6", "1") NODE_AT("late", "7", "4"),
	 "submit_s,duration_s,gpus\n0,10,3\n", "run -p kubernetes %/nodes.yaml %/jobs.csv -q"},
	/* evicted after a pod had failed and come back: the time without it was no work */
	{"",
	 "namespace,queue,submit_s,duration_s,gpus,fail_s,recover_s,priority_class\n"
	 "default,a,0,20,8,5,30,\ndefault,b,40,5,4,,,\n",
	 "run -p kueue %/objects.yaml %/jobs.csv --placement none --checkpointing resume -q"},
	{"",
	 "namespace,queue,submit_s,duration_s,gpus,fail_s,recover_s,priority_class\n"
	 "default,a,0,20,8,5,30,\ndefault,b,40,5,4,,,\n",
	 "run -p kueue %/objects.yaml %/jobs.csv --placement none -q"},
	/* cancelled with a pod that waits, the scheduler running after each pod */
	{NODE_AT("m", "0", "1"), "submit_s,duration_s,pods,gpus,cancel_s\n1,9,2,2,1\n",
	 "run -p kubernetes %/nodes.yaml %/jobs.csv --drain each -q"},
};

START_TEST(what_once_broke)
{
	struct command c;

	command_file("objects.yaml", command_objects);
	command_file("nodes.yaml", broke[_i].nodes);
	command_file("jobs.csv", broke[_i].jobs);
	c = command_run(broke[_i].line);
	ck_assert_msg(c.code == 0, "%s", c.err);
	ck_assert_str_eq(c.err, "");
	command_free(&c);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("sim/command/cmd_run");
	TCase *t = tcase_create("all");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_add_test(t, writes_every_file_and_the_table);
	tcase_add_test(t, a_log_on_standard_output_stands_alone);
	tcase_add_test(t, remarks_have_a_subject);
	tcase_add_test(t, the_same_input_gives_the_same_bytes);
	tcase_add_test(t, max_time_makes_it_partial);
	tcase_add_test(t, a_play_that_is_stopped_is_interrupted);
	tcase_add_loop_test(t, complains, 0, (int)(sizeof(wrong) / sizeof(wrong[0])));
	tcase_add_loop_test(t, what_once_broke, 0, sizeof(broke) / sizeof(broke[0]));
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
