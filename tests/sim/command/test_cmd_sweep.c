/* test_cmd_sweep.c - gqsim sweep: points, formats, failures and complaints. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/command.h"

static struct command run(const char *line)
{
	command_file("objects.yaml", command_objects);
	command_file("reclaim.csv", command_reclaim);
	command_file("empty.csv", "submit_s,duration_s,gpus\n");
	command_file("text.db", "no database\n");
	command_file("wrong.yaml", "apiVersion: gqsim/v1\nkind: Sweep\ndimension: []\n");
	command_file("sweep.yaml",
		     "apiVersion: gqsim/v1\nkind: Sweep\nfiles: [objects.yaml, reclaim.csv]\n"
		     "dimensions:\n- name: limit\n"
		     "  set: clusterqueue/a:nvidia.com/gpu.borrowingLimit\n  values: [0, 4]\n"
		     "outputs: [preemptions]\n");
	return command_run(line);
}

#define FILES "%/objects.yaml %/reclaim.csv "
#define LIMIT "--set clusterqueue/a:nvidia.com/gpu.borrowingLimit="

static const struct {
	const char *line, *out;
} prints[] = {
	{"sweep %/sweep.yaml", "point,status,message,limit,policy,preemptions\n"
			       "0,ok,,0,kueue,0\n1,ok,,4,kueue,1\n"},
	{"sweep %/sweep.yaml " LIMIT "4",
	 "point,status,message,limit,policy,preemptions\n0,ok,,4,kueue,1\n"},
	{"sweep %/sweep.yaml -p kueue,kubernetes -o json",
	 "{\n \"points\": [\n  {\n   \"point\": 0,"},
	{"sweep %/sweep.yaml --sample latin:2",
	 "point,status,message,limit,policy,preemptions\n0,ok,,"},
	{"sweep %/sweep.yaml -o %/new.db", ""},
};

START_TEST(prints_what_is_asked_for)
{
	struct command c = run(prints[_i].line);

	ck_assert_msg(c.code == 0, "%s", c.err);
	ck_assert_msg(strstr(c.out, prints[_i].out) == c.out, "%s", c.out);
	command_free(&c);
}
END_TEST

/* The last field of the n-th line is what compare prints for that column alone. */
START_TEST(a_point_has_the_figures_of_compare)
{
	struct command sweep = run("sweep " FILES LIMIT "0,4 --set jobs/all.load=2 -o csv");
	struct command compare =
		run("compare -p kueue --column x " FILES LIMIT "4 --set jobs/all.load=2 -o csv");
	char *row = strstr(sweep.out, "\n1,ok,,"), *head = sweep.out;

	ck_assert_msg(row != NULL && compare.code == 0, "%s%s", sweep.err, compare.err);
	row++;
	while (*head != '\n') {
		size_t name = strcspn(head, ",\n"), value = strcspn(row, ",\n");
		char line[200], unit[3][20] = {"jobs", "GPU-seconds", "seconds"};
		bool figure = strncmp(head, "start_wait", 10) == 0 ||
			      strncmp(head, "preemptions", 11) == 0 ||
			      strncmp(head, "capacity", 8) == 0;
		bool found = !figure;

		for (int u = 0; u < 3 && !found; u++) {
			snprintf(line, sizeof(line), "\n%.*s,%s,%.*s\n", (int)name, head, unit[u],
				 (int)value, row);
			found = strstr(compare.out, line) != NULL;
		}
		ck_assert_msg(found, "%.*s", (int)name, head);
		head += name + (head[name] == ',');
		row += value + (row[value] == ',');
	}
	command_free(&sweep);
	command_free(&compare);
}
END_TEST

/* Seeds make other jobs where jobs are made up, the same for all policies. */
START_TEST(seeds_of_what_is_made_up)
{
	static const char spec[] = "apiVersion: gqsim/v1\nkind: Generator\nlength: 9d\nteams:\n"
				   "- {name: a, jobsPerDay: 30, duration: 2h}\n";
	struct command sweep;

	command_file("made-up.yaml", spec);
	sweep = run("sweep -p kueue,kubernetes %/made-up.yaml --nodes g=1x4 --seeds 1..3 -o csv");
	ck_assert_msg(sweep.code == 0, "%s", sweep.err);
	for (int seed = 1; seed <= 3; seed++) {
		char line[200], jobs[40], *rows = sweep.out;
		const char *figure;
		struct command one;

		snprintf(line, sizeof(line), "compare -p kueue %s --nodes g=1x4 -o csv --seed %d",
			 "%/made-up.yaml", seed);
		one = run(line);
		figure = strstr(one.out, "\njobs,jobs,") + strlen("\njobs,jobs,");
		for (int policy = 0; policy < 2; policy++) {
			snprintf(jobs, sizeof(jobs), ",%s,%d,%.*s,",
				 policy == 0 ? "kueue" : "kubernetes", seed,
				 (int)strcspn(figure, "\n"), figure);
			ck_assert_msg(strstr(rows, jobs) != NULL, "%s not in %s", jobs, rows);
		}
		command_free(&one);
	}
	command_free(&sweep);
}
END_TEST

START_TEST(a_point_that_fails_is_told_and_the_rest_kept)
{
	struct command c = run("sweep " FILES LIMIT "0,x,4 -o %/f.db");

	ck_assert_int_eq(c.code, CMD_FINDINGS);
	ck_assert_ptr_nonnull(strstr(c.out, "3 of 3 points; 3 run now, 0 there before, 1 failed"));
	ck_assert_ptr_nonnull(strstr(c.err, "1 of 3 points failed:\n  point 1: failed: --set "));
	command_free(&c);
	c = run("sweep " FILES LIMIT "0,x,4 -o %/f.db");
	ck_assert_ptr_nonnull(strstr(c.out, "1 run now, 2 there before, 1 failed"));
	command_free(&c);
	c = run("sweep %/f.db -o csv");
	ck_assert_int_eq(c.code, CMD_FINDINGS);
	ck_assert_ptr_nonnull(strstr(c.out, "\n1,failed,"));
	ck_assert_ptr_nonnull(strstr(c.out, "\n2,ok,"));
	command_free(&c);
}
END_TEST

START_TEST(changed_files_are_noticed)
{
	struct command c = run("sweep " FILES "--shard 1/2 --seeds 1..4 -o %/c.db");

	ck_assert_msg(c.code == 0, "%s", c.err);
	command_free(&c);
	command_file("reclaim.csv", "submit_s,duration_s,gpus,queue\n0,10,1,a\n");
	c = command_run("sweep " FILES "--seeds 1..4 -o %/c.db");
	ck_assert_int_eq(c.code, CMD_USAGE);
	ck_assert_ptr_nonnull(strstr(c.err, "reclaim.csv is not as it was"));
	command_free(&c);
}
END_TEST

static const struct {
	const char *line, *says;
} complaints[] = {
	{"sweep", "what is to be swept?"},
	{"sweep %/none.yaml", "none.yaml"},
	{"sweep %/none.yaml -o %/never.db", "none.yaml"},
	{"sweep %/empty.csv -o %/never.db", "no jobs"},
	{"sweep %/wrong.yaml", "wrong.yaml:3:1: Sweep: unknown field \"dimension\""},
	{"sweep %/empty.csv", "no jobs"},
	{"sweep " FILES "--set polcy=kueue", "policy"},
	{"sweep " FILES "-p kueu", "no policy \"kueu\""},
	{"sweep " FILES "--set seed", "PATH=VALUE"},
	{"sweep " FILES "--seeds 5..1", "goes upwards"},
	{"sweep " FILES "--sample latin", "latin:COUNT"},
	{"sweep " FILES "--sample latin:x", "latin:COUNT"},
	{"sweep " FILES "--sample latin:4:", "latin:COUNT"},
	{"sweep " FILES "--shard 3/2", "--shard 3/2"},
	{"sweep " FILES "-j 0", "-j 0"},
	{"sweep " FILES "-o a.db -o b.db", "one database"},
	{"sweep " FILES "-o -", "needs a file"},
	{"sweep " FILES "--output=", "a database needs a name"},
	{"sweep " FILES "-o %/text.db", "is no database of a sweep"},
	{"sweep " FILES "-o %/no/such.db", "such.db"},
	{"sweep " FILES "--format swff --trace %/reclaim.csv", "swff"},
	{"sweep %/objects.yaml -", "standard input"},
};

START_TEST(complains)
{
	struct command c = run(complaints[_i].line);

	ck_assert_msg(c.code == CMD_USAGE, "%d %s", c.code, c.err);
	ck_assert_msg(strstr(c.err, complaints[_i].says) != NULL, "%s", c.err);
	ck_assert_ptr_null(command_read("never.db"));
	command_free(&c);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("sim/command/cmd_sweep");
	TCase *t = tcase_create("all");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_set_timeout(t, 120);
	tcase_add_loop_test(t, prints_what_is_asked_for, 0,
			    (int)(sizeof(prints) / sizeof(prints[0])));
	tcase_add_test(t, a_point_has_the_figures_of_compare);
	tcase_add_test(t, seeds_of_what_is_made_up);
	tcase_add_test(t, a_point_that_fails_is_told_and_the_rest_kept);
	tcase_add_test(t, changed_files_are_noticed);
	tcase_add_loop_test(t, complains, 0, (int)(sizeof(complaints) / sizeof(complaints[0])));
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
