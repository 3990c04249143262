/* test_plot.c - the numbers behind figures add up to the metrics; a figure is drawn where
 * gnuplot is, and asked for where it is not. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/page/plot_files.h"
#include "tests/support/command.h"

static struct command plot(const char *line)
{
	command_file("objects.yaml", command_objects);
	command_file("reclaim.csv", command_reclaim);
	command_file("gangs.csv", command_gangs);
	return command_run(line);
}

/* A figure of compare -o csv, of column 1 or 2. */
static double exact(const char *key, int column)
{
	struct command c = command_run("compare %/objects.yaml %/reclaim.csv -o csv");
	char wanted[80];
	const char *at;
	double value;

	snprintf(wanted, sizeof(wanted), "\n%s,", key);
	at = strstr(c.out, wanted);
	ck_assert_ptr_nonnull(at);
	at += 1 + strlen(wanted) - 1;
	for (int i = 0; i < column; i++)
		at = strchr(at, ',') + 1;
	value = strtod(at, NULL);
	command_free(&c);
	return value;
}

/* The n-th number of a line, from 0. */
static double number(const char *line, int n)
{
	for (; n > 0; n--)
		line = strchr(line, ',') + 1;
	return strtod(line, NULL);
}

static void same(double got, double wanted)
{
	ck_assert_msg(fabs(got - wanted) <= 1e-6 * (1 + fabs(wanted)), "%f, not %f", got, wanted);
}

START_TEST(levels_add_up)
{
	struct command c = plot("plot timeline %/objects.yaml %/reclaim.csv --data %/data");
	char *text, *line, *rest, *before = NULL;
	double idle = 0, bound = 0;

	ck_assert_msg(c.code == 0, "%s", c.err);
	text = command_read(_i == 1 ? "data/levels-1.csv" : "data/levels-2.csv");
	rest = strchr(text, '\n') + 1;
	ck_assert_int_eq(strncmp(text, "time_s,gpus,bound,running,idle,free,", 36), 0);
	while ((line = strtok_r(rest, "\n", &rest)) != NULL) {
		if (before != NULL) {
			double dt = number(line, 0) - number(before, 0);

			bound += dt * number(before, 2);
			idle += dt * number(before, 4);
		}
		before = line;
	}
	same(bound, exact("allocated", _i));
	same(idle, exact("idle_while_held", _i));
	free(text);
	command_free(&c);
}
END_TEST

START_TEST(shares_are_the_capacity)
{
	struct command c = plot("plot shares %/objects.yaml %/reclaim.csv --data %/data");
	char *text = command_read("data/shares.csv"), *line = strchr(text, '\n') + 1;
	double sum = 0;

	ck_assert_int_eq(c.code, 0);
	if (_i == 2)
		line = strchr(line, '\n') + 1;
	same(number(line, 0), exact("useful", _i));
	same(number(line, 2), exact("lost", _i));
	for (int k = 0; k < 5; k++)
		sum += number(line, k);
	same(sum, exact("capacity", _i));
	free(text);
	command_free(&c);
}
END_TEST

/* Three of four jobs start: each column's line of all jobs ends at 75 %. */
START_TEST(waits_end_where_jobs_never_start)
{
	struct command c = plot("plot waits %/objects.yaml %/reclaim.csv --data %/data");
	char *text = command_read("data/waits.csv"), *line, *rest = strchr(text, '\n') + 1;
	double last[3] = {0, 0, 0};

	ck_assert_int_eq(c.code, 0);
	while ((line = strtok_r(rest, "\n", &rest)) != NULL) {
		int column = (int)number(line, 0);

		ck_assert(column == 1 || column == 2);
		if (number(line, 1) > 0)
			continue;
		ck_assert(number(line, 3) >= last[column]);
		last[column] = number(line, 3);
	}
	same(last[1], 0.75);
	same(last[2], 0.75);
	free(text);
	command_free(&c);
}
END_TEST

static bool has_gnuplot(void)
{
	return system("command -v gnuplot >/dev/null 2>&1") == 0;
}

static const struct {
	const char *kind, *ending, *begins;
} figures[] = {
	{"timeline", "svg", "<?xml"}, {"timeline", "png", "\x89PNG"}, {"quotas", "svg", "<?xml"},
	{"waits", "svg", "<?xml"},    {"nodes", "svg", "<?xml"},      {"shares", "svg", "<?xml"},
	{"shares", "pdf", "%PDF"},
};

START_TEST(figures_are_drawn)
{
	char line[200], name[40], *text;
	struct command c;

	snprintf(name, sizeof(name), "f.%s", figures[_i].ending);
	snprintf(line, sizeof(line), "plot %s %%/objects.yaml %%/gangs.csv -o %%/%s",
		 figures[_i].kind, name);
	c = plot(line);
	if (has_gnuplot()) {
		ck_assert_msg(c.code == 0, "%s", c.err);
		text = command_read(name);
		ck_assert_ptr_nonnull(text);
		ck_assert_int_eq(strncmp(text, figures[_i].begins, strlen(figures[_i].begins)), 0);
		free(text);
	} else {
		ck_assert_int_eq(c.code, 2);
		ck_assert_ptr_nonnull(strstr(c.err, "gnuplot is missing"));
	}
	command_free(&c);
}
END_TEST

/* Names that gnuplot would take for the end of a text, or for markup. */
START_TEST(names_are_quoted)
{
	struct command c;
	char *text;

	command_file("odd.csv", "name,vc,submit_s,duration_s,gpus\n"
				"x,it's_{a}\\n',0,10,4\n");
	command_file("nodes.yaml", "apiVersion: gqsim/v1\nkind: Simulation\n"
				   "nodePools: [{name: p, count: 1, gpus: 8}]\n");
	c = command_run("plot quotas %/nodes.yaml %/odd.csv -p kubernetes --data %/odd");
	ck_assert_msg(c.code == 0, "%s", c.err);
	text = command_read("odd/columns.gp");
	ck_assert_msg(strstr(text, "array team[1] = ['it''s_{a}\\n''']") != NULL, "%s", text);
	free(text);
	command_free(&c);
	if (has_gnuplot()) {
		c = command_run("plot quotas %/nodes.yaml %/odd.csv -p kubernetes -o %/odd.svg");
		ck_assert_msg(c.code == 0, "%s", c.err);
		command_free(&c);
	}
}
END_TEST

static const struct {
	const char *line, *says;
} wrong[] = {
	{"plot", "which figure?"},
	{"plot timelin %/objects.yaml -o %/f.svg", "did you mean \"timeline\"?"},
	{"plot timeline %/objects.yaml %/gangs.csv", "must end in .svg"},
	{"plot timeline %/objects.yaml %/gangs.csv -o %/f.jpg", "must end in .svg"},
	{"plot timeline -o %/f.svg", "what is to be compared?"},
	{"plot timeline %/objects.yaml -o %/objects.yaml", "this is an input, which would be lost"},
	{"plot timeline %/objects.yaml %/gangs.csv --data %/no/such/folder",
	 "cannot make the folder"},
};

START_TEST(a_limit_makes_it_partial)
{
	struct command c =
		plot("plot timeline %/objects.yaml %/reclaim.csv --data %/limited --max-time 150");
	char *text = command_read("limited/columns.gp");

	ck_assert_msg(c.code == 0, "%s", c.err);
	ck_assert_ptr_nonnull(strstr(text, "heading = 'PARTIAL, --max-time: "));
	free(text);
	command_free(&c);
}
END_TEST

START_TEST(an_interrupted_one_is_partial)
{
	static const volatile sig_atomic_t stop = 1;
	char objects[256], jobs[256], data[256];
	const char *argv[] = {"timeline", objects, jobs, "--data", data, "-q"};
	struct cmd_context context = {.out = stdout, .err = stderr, .stop = &stop};
	const struct cmd_row *row = cmd_table_find("plot");
	struct cmd_args args;
	struct err err;
	char *text;

	command_file("objects.yaml", command_objects);
	command_file("reclaim.csv", command_reclaim);
	snprintf(objects, sizeof(objects), "%s/objects.yaml", command_folder());
	snprintf(jobs, sizeof(jobs), "%s/reclaim.csv", command_folder());
	snprintf(data, sizeof(data), "%s/stopped", command_folder());
	ck_assert_int_eq(cmd_parse(row, 6, argv, &args, &err), ERR_OK);
	ck_assert_int_eq(row->run(&context, &args), CMD_INTERRUPTED);
	cmd_args_free(&args);
	text = command_read("stopped/columns.gp");
	ck_assert_ptr_nonnull(strstr(text, "heading = 'PARTIAL, interrupted: "));
	free(text);
}
END_TEST

START_TEST(complaints_say_what_to_do)
{
	struct command c = plot(wrong[_i].line);

	ck_assert_int_eq(c.code, 2);
	ck_assert_msg(strstr(c.err, wrong[_i].says) != NULL, "%s", c.err);
	command_free(&c);
}
END_TEST

START_TEST(scripts_name_their_units)
{
	static const char *const scripts[] = {plot_timeline, plot_quotas, plot_waits, plot_nodes,
					      plot_shares};

	for (size_t i = 0; i < 5; i++)
		ck_assert(strstr(scripts[i], "(hours)") != NULL ||
			  strstr(scripts[i], "(seconds") != NULL ||
			  strstr(scripts[i], "GPU-hours") != NULL);
}
END_TEST

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

int main(void)
{
	Suite *s = suite_create("sim/plot");
	TCase *t = tcase_create("all");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_add_loop_test(t, levels_add_up, 1, 3);
	tcase_add_loop_test(t, shares_are_the_capacity, 1, 3);
	tcase_add_test(t, waits_end_where_jobs_never_start);
	tcase_add_loop_test(t, figures_are_drawn, 0, COUNT(figures));
	tcase_add_test(t, names_are_quoted);
	tcase_add_test(t, a_limit_makes_it_partial);
	tcase_add_test(t, an_interrupted_one_is_partial);
	tcase_add_loop_test(t, complaints_say_what_to_do, 0, COUNT(wrong));
	tcase_add_test(t, scripts_name_their_units);
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
