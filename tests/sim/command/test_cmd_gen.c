/* test_cmd_gen.c - gqsim gen: jobs from a document, from options, and documents from traces. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/command.h"

static const char two_teams[] =
	"apiVersion: gqsim/v1\nkind: Generator\nlength: 30d\nteams:\n"
	"- name: a\n  jobsPerDay: 20\n  duration: {distribution: lognormal, median: 1h, sigma: 1}\n"
	"- name: b\n  jobsPerDay: 10\n  gpus: 4\n  duration: 2h\n"
	"  failures: {share: 0.2}\n  gpuUtilisation: 50\n";

static struct command good(const char *line)
{
	struct command c = command_run(line);

	ck_assert_msg(c.code == 0, "%s: %d %s", line, c.code, c.err);
	return c;
}

static size_t lines(const char *text)
{
	size_t n = 0;

	for (; *text != '\0'; text++)
		n += *text == '\n';
	return n;
}

START_TEST(jobs_of_a_document)
{
	struct command c, again, other;

	command_file("g.yaml", two_teams);
	c = good("gen %/g.yaml");
	ck_assert_ptr_nonnull(strstr(c.out, "name,submit_s,duration_s,namespace,queue,gpus"));
	ck_assert_ptr_nonnull(strstr(c.out, "crash_s,gpu_utilisation"));
	ck_assert_ptr_nonnull(strstr(c.err, "GPUs busy: a 1.3"));
	again = good("gen %/g.yaml -q");
	ck_assert_str_eq(c.out, again.out);
	ck_assert_str_eq(again.err, "");
	other = good("gen %/g.yaml --seed 2 -q");
	ck_assert_str_ne(c.out, other.out);
	command_free(&c);
	command_free(&again);
	command_free(&other);
}
END_TEST

START_TEST(changed_on_the_way)
{
	struct command plain, c;

	command_file("g.yaml", two_teams);
	plain = good("gen %/g.yaml -q");
	c = good("gen %/g.yaml -q --grow a=0");
	ck_assert_ptr_null(strstr(c.out, "a-0,"));
	ck_assert_ptr_nonnull(strstr(c.out, "b-0,"));
	command_free(&c);
	c = good("gen %/g.yaml -q --load 2");
	ck_assert(lines(c.out) > lines(plain.out) * 3 / 2);
	command_free(&c);
	c = good("gen %/g.yaml -q --length 3d --jobs 5");
	ck_assert_uint_eq(lines(c.out), 6);
	command_free(&c);
	c = good("gen %/g.yaml -q --jobs 2 -o jsonl");
	ck_assert(c.out[0] == '{' && lines(c.out) == 2);
	command_free(&c);
	command_free(&plain);
}
END_TEST

/* What is written is what a command would make of the document itself. */
START_TEST(the_same_by_either_way)
{
	struct command direct, written, seeded;

	command_file("g.yaml", two_teams);
	written = good("gen %/g.yaml -q -w %/jobs.csv.gz");
	command_free(&written);
	direct = good("compare %/g.yaml --nodes h100=2x4 -o csv");
	written = good("compare %/jobs.csv.gz --nodes h100=2x4 -o csv");
	ck_assert_str_eq(direct.out, written.out);
	seeded = good("compare %/g.yaml --nodes h100=2x4 -o csv --seed 5");
	ck_assert_str_ne(direct.out, seeded.out);
	ck_assert_ptr_nonnull(strstr(direct.out, "\njobs,jobs,9"));
	command_free(&direct);
	command_free(&written);
	command_free(&seeded);
}
END_TEST

START_TEST(without_a_document)
{
	struct command c =
		good("gen --jobs-per-day 100 --length 10d --team x --gpus empirical:1=1,8=1 "
		     "--duration lognormal:median=40m,sigma=1.5,max=1d -q");

	ck_assert(lines(c.out) > 900 && lines(c.out) < 1100);
	ck_assert_ptr_nonnull(strstr(c.out, ",x,x,8,"));
	command_free(&c);
	c = good("gen --jobs-per-day 100 --jobs 7 --duration 1h -q");
	ck_assert_uint_eq(lines(c.out), 8);
	command_free(&c);
}
END_TEST

START_TEST(fitted)
{
	struct command c;
	char *qq;

	command_file("g.yaml", two_teams);
	c = good("gen %/g.yaml -q -w %/jobs.csv");
	command_free(&c);
	c = good("gen --fit %/jobs.csv --qq %/qq.csv -w %/fit.yaml");
	command_free(&c);
	qq = command_read("qq.csv");
	ck_assert_ptr_nonnull(strstr(qq, "team,what,up_to_gpus,family,p,observed,fitted\na,"));
	free(qq);
	c = good("gen %/fit.yaml --seed 3");
	ck_assert_ptr_nonnull(strstr(c.out, "a-0,"));
	command_free(&c);
	c = good("gen --fit %/jobs.csv --family weibull --copula --follow 10d --least 50");
	ck_assert_ptr_nonnull(strstr(c.out, "weibull, KS 0."));
	ck_assert_ptr_nonnull(strstr(c.out, "every: 864000"));
	command_free(&c);
}
END_TEST

/* LocalQueues of one name in two namespaces are two teams. */
START_TEST(namesakes)
{
	struct command c;

	command_file("n.csv", "submit_s,duration_s,gpus,namespace,queue\n0,60,1,a,q\n1,1,2,b,q\n"
			      "2,1,1,a,q\n3,1,1,a,q\n4,1,1,a,q\n5,1,1,a,q\n6,1,1,a,q\n"
			      "7,1,1,a,q\n8,1,1,a,q\n9,1,1,a,q\n10,1,1,a,q\n11,1,1,a,r\n"
			      "12,1,1,a,q\n13,1,1,a,q\n14,1,1,a,q\n15,1,1,a,q\n16,1,1,a,q\n"
			      "17,1,1,a,q\n18,1,1,a,q\n3600,1,1,a,q\n7200,1,1,a,q\n");
	c = good("gen --fit %/n.csv --least 1");
	ck_assert_msg(strstr(c.out, "- name: a.q\n  namespace: a\n  queue: q\n") != NULL, "%s",
		      c.out);
	ck_assert_ptr_nonnull(strstr(c.out, "- name: b.q\n  namespace: b\n  queue: q\n"));
	ck_assert_ptr_nonnull(strstr(c.out, "- name: r\n  namespace: a\n"));
	command_free(&c);
}
END_TEST

/* Each day of the jobs is a day of the trace. */
START_TEST(resampled)
{
	struct command c;

	command_file("t.csv", "submit_s,duration_s,gpus,queue\n0,60,1,a\n0,70,2,b\n3600,80,4,a\n"
			      "86400,60,8,a\n90000,90,16,b\n172800,60,1,a\n180000,1,1,a\n"
			      "0,1,1,a\n1,1,1,a\n2,1,1,a\n3,1,1,a\n4,1,1,a\n5,1,1,a\n6,1,1,a\n"
			      "7,1,1,a\n8,1,1,a\n9,1,1,a\n10,1,1,a\n11,1,1,a\n12,1,1,a\n");
	c = good("gen --fit %/t.csv --resample 1d -w %/blocks.yaml");
	ck_assert_str_eq(c.out, "");
	command_free(&c);
	c = good("gen %/blocks.yaml --length 1d --seed 2 -q");
	ck_assert_msg(
		strstr(c.out, "a-0,0,60,default,a,8,") != NULL
			? strstr(c.out, "b-0,3600,90,default,b,16,") != NULL && lines(c.out) == 3
			: strstr(c.out, "b-0,0,70,default,b,2,") != NULL && lines(c.out) == 18,
		"%s", c.out);
	command_free(&c);
}
END_TEST

static const struct {
	const char *line, *message;
} wrong[] = {
	{"gen", "give a Generator document"},
	{"gen %/g.yaml -w %/x.parquet", "x.parquet: jobs are written as .csv, .jsonl or .swf"},
	{"gen %/g.yaml -w %/x.csv.bz2", "x.csv.bz2: jobs are written as .csv, .jsonl or .swf"},
	{"gen %/g.yaml -w %/g.yaml", "this is an input, which would be lost"},
	{"gen --fit %/few.csv --qq %/few.csv", "this is an input, which would be lost"},
	{"gen --duration 1h --length 1d", "give a Generator document"},
	{"gen %/none.yaml", "none.yaml"},
	{"gen %/g.yaml %/g.yaml", "not several"},
	{"gen %/g.yaml --fit %/g.yaml", "not both"},
	{"gen %/g.yaml --grow c=2", "there is no such team"},
	{"gen %/g.yaml --grow a", "TEAM=FACTOR"},
	{"gen %/g.yaml --grow a=-1", "TEAM=FACTOR"},
	{"gen %/g.yaml --load 0", "a factor"},
	{"gen %/g.yaml --length x", "a duration"},
	{"gen %/g.yaml --length 0", "no job comes"},
	{"gen %/g.yaml --seed x", "a whole number from 0"},
	{"gen %/g.yaml --jobs 0", "a whole number from 1"},
	{"gen %/g.yaml -o parquet", "csv, jsonl or swf"},
	{"gen --fit %/none.csv", "none.csv"},
	{"gen --fit %/text", "no list of jobs in a known format"},
	{"gen --fit %/g.yaml --family gamma", "lognormal"},
	{"gen --fit %/g.yaml --follow 1s", "an hour or more"},
	{"gen --fit %/g.yaml --resample 1s", "an hour or more"},
	{"gen --fit %/g.yaml --resample 1d --qq %/qq.csv", "--qq has no effect with --resample"},
	{"gen --fit %/g.yaml --resample 900d", "blocks must be half as long or less"},
	{"gen --fit %/few.csv", "1 job over 1 s is too little to fit"},
	{"gen --jobs-per-day x --duration 1h --length 1d", "command line:6"},
	{"gen --jobs-per-day 1 --duration gamma:shape=1 --length 1d", "command line:8"},
};

START_TEST(errors)
{
	struct command c;

	command_file("g.yaml", two_teams);
	command_file("text", "hello\n");
	command_file("few.csv", "submit_s,duration_s,gpus\n1,1,1\n");
	c = command_run(wrong[_i].line);
	ck_assert_int_eq(c.code, 2);
	ck_assert_msg(strstr(c.err, wrong[_i].message) != NULL, "%s", c.err);
	command_free(&c);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("sim/command/cmd_gen");
	TCase *t = tcase_create("all");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_set_timeout(t, 60);
	tcase_add_test(t, jobs_of_a_document);
	tcase_add_test(t, changed_on_the_way);
	tcase_add_test(t, the_same_by_either_way);
	tcase_add_test(t, without_a_document);
	tcase_add_test(t, fitted);
	tcase_add_test(t, namesakes);
	tcase_add_test(t, resampled);
	tcase_add_loop_test(t, errors, 0, (int)(sizeof(wrong) / sizeof(wrong[0])));
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
