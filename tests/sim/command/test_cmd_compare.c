/* test_cmd_compare.c - gqsim compare: its columns, files, formats and complaints. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/command.h"

static struct command run(const char *line)
{
	command_file("objects.yaml", command_objects);
	command_file("reclaim.csv", command_reclaim);
	command_file("gangs.csv", command_gangs);
	return command_run(line);
}

#define FILES "%/objects.yaml %/reclaim.csv "
#define MORE  "--set clusterqueue/a:nvidia.com/gpu.borrowingLimit=0"

static const struct {
	const char *line, *head; /* of the CSV */
} columns[] = {
	{"compare " FILES "-o csv", "metric,unit,plain Kubernetes,Kueue\n"},
	{"compare -p kueue " FILES "-o csv", "metric,unit,Kueue\n"},
	{"compare -p kueue,kubernetes " FILES "-o csv", "metric,unit,Kueue,plain Kubernetes\n"},
	{"compare -p kueue " FILES MORE " -o csv", "metric,unit,as given,borrowingLimit=0\n"},
	{"compare -p kueue " FILES MORE ",2 -o csv",
	 "metric,unit,borrowingLimit=0,borrowingLimit=2\n"},
	{"compare " FILES MORE ",2 -o csv",
	 "metric,unit,\"plain Kubernetes, borrowingLimit=0\",\"Kueue, borrowingLimit=0\","
	 "\"plain Kubernetes, borrowingLimit=2\",\"Kueue, borrowingLimit=2\"\n"},
	{"compare -p kueue " FILES "--column now --column more " MORE " -o csv",
	 "metric,unit,now,more\n"},
};

START_TEST(columns_are_what_is_asked_for)
{
	struct command c = run(columns[_i].line);

	ck_assert_msg(c.code == 0, "%s", c.err);
	ck_assert_msg(strncmp(c.out, columns[_i].head, strlen(columns[_i].head)) == 0, "%.200s",
		      c.out);
	command_free(&c);
}
END_TEST

/* What still waits when the window ends has waited at least so long. */
START_TEST(waits_that_are_cut_off)
{
	struct command c;

	command_file("cut.csv", "name,submit_s,duration_s,gpus,queue\na,0,100,4,a\nb,0,100,4,a\n"
				"c,10,500,8,a\nd,20,100,8,a\ne,30,100,8,a\n");
	c = run("compare -p fifo %/objects.yaml %/cut.csv --max-time 1m");
	ck_assert_msg(strstr(c.out, "--max-time cuts off the waits of 2 jobs. Counted as") != NULL,
		      "%s", c.out);
	ck_assert_ptr_nonnull(strstr(c.out, "the median wait is 1m 30s, p95 at"));
	command_free(&c);
	c = run("compare -p fifo %/objects.yaml %/cut.csv");
	ck_assert_ptr_null(strstr(c.out, "cuts off"));
	command_free(&c);
}
END_TEST

/* Without borrowing nobody has to be preempted. */
START_TEST(a_setting_changes_its_column)
{
	struct command c = run("compare -p kueue " FILES MORE " -o csv");

	ck_assert_int_eq(c.code, 0);
	ck_assert_ptr_nonnull(strstr(c.out, "\npreemptions,jobs,1,0\n"));
	ck_assert_ptr_nonnull(strstr(c.out, "\nteam:a:peak_borrowed,GPUs,4,0\n"));
	command_free(&c);
}
END_TEST

START_TEST(threads_change_nothing)
{
	struct command one = run("compare %/objects.yaml %/gangs.csv -o json -j 1");
	struct command two = run("compare %/objects.yaml %/gangs.csv -o json -j 2");

	ck_assert_int_eq(one.code, 0);
	ck_assert_str_eq(one.out, two.out);
	ck_assert_ptr_nonnull(strstr(one.out, "\"title\": \"plain Kubernetes\""));
	ck_assert_ptr_nonnull(strstr(one.out, "\"story\""));
	command_free(&one);
	command_free(&two);
}
END_TEST

static const struct {
	const char *file, *begins;
} files[] = {
	{"logs/kubernetes.events.csv", "time_s,event,pod,"},
	{"logs/kueue.events.csv", "time_s,seq,event,"},
	{"logs/kubernetes.pending.csv", "workload,cluster_queue,"},
	{"logs/kueue.pending.csv", "workload,cluster_queue,"},
	{"t-kubernetes.csv", "time_s,gpus,"},
	{"t-kueue.csv", "time_s,gpus,"},
	{"c.json", "{\n"},
};

START_TEST(one_file_a_column)
{
	struct command c = run("compare " FILES "--events %/logs --pending %/logs --timeline "
			       "%/t.csv --json %/c.json");
	char *text = command_read(files[_i].file);

	ck_assert_int_eq(c.code, 0);
	ck_assert_ptr_nonnull(strstr(c.out, "plain Kubernetes"));
	ck_assert_msg(text != NULL &&
			      strncmp(text, files[_i].begins, strlen(files[_i].begins)) == 0,
		      "%s", files[_i].file);
	free(text);
	command_free(&c);
}
END_TEST

static const struct {
	const char *line, *says;
} wrong[] = {
	{"compare", "what is to be compared?"},
	{"compare -p kueue,kubernets " FILES, "did you mean \"kubernetes\"?"},
	{"compare " FILES "-o yaml", "table, wide, json and csv"},
	{"compare " FILES "-j 0", "-j 0"},
	{"compare " FILES "--json %/objects.yaml", "this is an input, which would be lost"},
	{"compare " FILES "-j x", "-j x"},
	{"compare -p kueue,kubernetes " FILES "--set a/b:c.d=1,2,3,4,5,6,7",
	 "more than 12 columns"},
	{"compare " FILES "--events %/objects.yaml", "cannot make the folder"},
	{"compare " FILES "--set clusterqueue/zzz:nvidia.com/gpu.nominalQuota=8", "zzz"},
};

START_TEST(one_job_of_two_rows)
{
	struct command c;

	command_file("two.csv", "timestamp,duration,num_gpus,gpu_time,cluster\n"
				"2017-10-02 00:00:10,5.0,8,40.0,b\n"
				"2017-10-02 00:00:11,60.0,0,0,a\n");
	c = command_run("compare --trace %/two.csv --nodes h100=1x8");
	ck_assert_msg(strstr(c.out, ": 1 job of 2 rows; left out: ") != NULL, "%s%s", c.out, c.err);
	command_free(&c);
}
END_TEST

START_TEST(complains)
{
	struct command c = run(wrong[_i].line);

	ck_assert_int_eq(c.code, CMD_USAGE);
	ck_assert_msg(strstr(c.err, wrong[_i].says) != NULL, "%s", c.err);
	command_free(&c);
}
END_TEST

/* Fifteen teams are too many for a table. */
START_TEST(many_teams_are_cut)
{
	char *text = NULL;
	size_t size = 0;
	FILE *memory = open_memstream(&text, &size);
	struct command c;

	fputs("name,queue,submit_s,duration_s,pods,requests\n", memory);
	for (int i = 0; i < 15; i++)
		fprintf(memory, "j%d,team-%d,0,60,1,nvidia.com/gpu=1\n", i, i);
	fclose(memory);
	command_file("teams.csv", text);
	free(text);
	c = command_run("compare %/teams.csv --nodes a=2x8");
	ck_assert_msg(c.code == 0, "%s", c.err);
	ck_assert_ptr_nonnull(strstr(c.out, "... 3 more (-o wide)"));
	command_free(&c);
	c = command_run("compare %/teams.csv --nodes a=2x8 -o wide");
	ck_assert_ptr_null(strstr(c.out, "more (-o wide)"));
	command_free(&c);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("sim/command/cmd_compare");
	TCase *t = tcase_create("all");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_add_loop_test(t, columns_are_what_is_asked_for, 0,
			    (int)(sizeof(columns) / sizeof(columns[0])));
	tcase_add_test(t, a_setting_changes_its_column);
	tcase_add_test(t, waits_that_are_cut_off);
	tcase_add_test(t, threads_change_nothing);
	tcase_add_loop_test(t, one_file_a_column, 0, (int)(sizeof(files) / sizeof(files[0])));
	tcase_add_test(t, one_job_of_two_rows);
	tcase_add_loop_test(t, complains, 0, (int)(sizeof(wrong) / sizeof(wrong[0])));
	tcase_add_test(t, many_teams_are_cut);
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
