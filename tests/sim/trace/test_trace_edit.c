/* test_trace_edit.c - parts, multiples and mixtures of traces. */
#include "tests/sim/trace_case.h"
#include "tests/support/command.h"

#define JOBS                                                                                       \
	"name,submit_s,duration_s,gpus,queue,namespace\n"                                          \
	"a,10,60,2,x,n\nb,20,60,4,y,n\nc,20,60,8,x,m\nd,40,60,1,z,m\n"
#define PHILLY                                                                                     \
	"timestamp,duration,num_gpus,gpu_time,cluster\n"                                           \
	"2017-10-02 00:00:00,60.0,1,60.0,a\n2017-10-03 00:00:00,5,8,40,b\n"
#define LATER "timestamp,duration,num_gpus,gpu_time,cluster\n2017-10-02 00:01:00,7.0,1,7.0,c\n"

/* What the line writes, jobs as "name submit duration gpus", or exit code and error. */
static const struct {
	const char *line;
	const char *out; /* NULL: it must fail, saying err */
	const char *err;
} rows[] = {
	{"trace slice %/j.csv --from 15s --to 40s", "b 0 60 4,c 0 60 8,", NULL},
	{"trace slice %/j.csv --from 15s --to 40s --keep-times", "b 20 60 4,c 20 60 8,", NULL},
	{"trace slice %/j.csv --queue x,z", "a 0 60 2,c 10 60 8,d 30 60 1,", NULL},
	{"trace slice %/j.csv --queue m", "c 0 60 8,d 20 60 1,", NULL}, /* a namespace */
	{"trace slice %/j.csv --first 2", "a 0 60 2,b 10 60 4,", NULL},
	{"trace slice %/p.csv --from 2017-10-03", "- 0 5 8,", NULL},
	{"trace slice %/j.csv --queue nobody", NULL, "no job is left"},
	{"trace slice %/j.csv --first x", NULL, "--first \"x\": a whole number"},
	{"trace slice %/j.csv --from noon", NULL, "\"noon\" is no time"},
	{"trace scale %/j.csv --load 2", "a 10 60 2,b 15 60 4,c 15 60 8,d 25 60 1,", NULL},
	{"trace scale %/j.csv --load 0.5 --durations 0.25",
	 "a 10 15 2,b 30 15 4,c 30 15 8,d 70 15 1,", NULL},
	{"trace scale %/j.csv --gpus 0.3", "a 10 60 1,b 20 60 1,c 20 60 2,d 40 60 1,", NULL},
	{"trace scale %/j.csv --gpus 1.5", "a 10 60 3,b 20 60 6,c 20 60 12,d 40 60 2,", NULL},
	{"trace scale %/j.csv --thin 1", "a 10 60 2,b 20 60 4,c 20 60 8,d 40 60 1,", NULL},
	{"trace scale %/j.csv --load 0", NULL, "--load \"0\": a factor is needed"},
	{"trace scale %/j.csv --load fast", NULL, "--load \"fast\": a factor is needed"},
	{"trace scale %/j.csv --thin 1.5", NULL, "at most 1"},
	{"trace scale %/j.csv --thin 0.5 --seed -1", NULL, "--seed \"-1\""},
	{"trace merge %/j.csv %/p.csv",
	 "p-job-0 0 60 1,j-a 10 60 2,j-b 20 60 4,j-c 20 60 8,j-d 40 60 1,p-job-1 86400 5 8,", NULL},
	{"trace merge %/p.csv %/later.csv --align --prefix one,two",
	 "one-job-0 0 60 1,two-job-0 60 7 1,one-job-1 86400 5 8,", NULL},
	{"trace merge %/p.csv %/j.csv --align", NULL, "a trace without a clock"},
	{"trace merge %/p.csv %/p.csv", NULL, "two traces with the prefix \"p\""},
	{"trace merge %/p.csv %/j.csv --prefix a,a", NULL, "two traces with the prefix \"a\""},
	{"trace convert %/p.csv %/j.csv", NULL, "2 traces: one at a time, or gqsim trace merge"},
	{"trace stats %/p.csv %/j.csv", NULL, "2 traces: one at a time"},
	{"trace stats %/nodes.csv", NULL, "but no jobs"},
	{"trace convert %/j.csv -o xml", NULL, "csv, jsonl or swf"},
	{"trace convert %/j.csv -w %/nowhere/x.csv", NULL, "cannot write"},
};

/* The columns name, submit, duration and gpus of a CSV that was printed. */
static void brief(const char *csv, char *out, size_t size)
{
	struct trace_case c;
	char text[CLOCK_TEXT];
	size_t used = 0;

	trace_case_read(&c, "csv", csv, NULL);
	out[0] = '\0';
	for (uint32_t i = 0; i < builder_job_count(c.builder); i++) {
		const struct job *j = trace_case_job(&c, i);

		used += (size_t)snprintf(out + used, size - used, "%s %s ",
					 trace_case_text(&c, j->name),
					 clock_format_seconds(j->submit, text));
		used += (size_t)snprintf(out + used, size - used, "%s %u,",
					 clock_format_seconds(j->duration, text),
					 builder_job_gpus(c.builder, j));
	}
	trace_case_free(&c);
}

START_TEST(lines)
{
	struct command command;
	char out[1000];

	command_file("j.csv", JOBS);
	command_file("p.csv", PHILLY);
	command_file("later.csv", LATER);
	command_file("nodes.csv", "sn,cpu_milli,memory_mib,gpu,model\na,1,1,1,T4\n");
	command = command_run(rows[_i].line);
	if (rows[_i].out != NULL) {
		ck_assert_msg(command.code == CMD_OK, "%s: %s", rows[_i].line, command.err);
		brief(command.out, out, sizeof(out));
		ck_assert_str_eq(out, rows[_i].out);
	} else {
		ck_assert_msg(command.code == CMD_USAGE, "%s", rows[_i].line);
		ck_assert_msg(strstr(command.err, rows[_i].err) != NULL, "%s", command.err);
		ck_assert_str_eq(command.out, "");
	}
	command_free(&command);
}
END_TEST

/* Which jobs are kept hangs on the seed, and on nothing else. */
START_TEST(thinning)
{
	char text[20000];
	size_t used = (size_t)snprintf(text, sizeof(text), "submit_s,duration_s,gpus\n");
	struct command one, again, other;
	size_t kept = 0;

	for (int i = 0; i < 1000; i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%d,1,1\n", i);
	command_file("many.csv", text);
	one = command_run("trace scale %/many.csv --thin 0.3 --seed 5");
	again = command_run("trace scale %/many.csv --thin 0.3 --seed 5");
	other = command_run("trace scale %/many.csv --thin 0.3 --seed 6");
	ck_assert_str_eq(one.out, again.out);
	ck_assert_str_ne(one.out, other.out);
	for (const char *p = one.out; *p != '\0'; p++)
		kept += *p == '\n';
	ck_assert_uint_gt(kept, 240);
	ck_assert_uint_lt(kept, 360);
	command_free(&one);
	command_free(&again);
	command_free(&other);
}
END_TEST

/* A cancellation is a time: it moves with its job. A pod set's pods are scaled. */
START_TEST(times_and_pods_of_lists)
{
	struct command command;

	command_file("l.csv", "submit_s,duration_s,pods,requests,cancel_s,start_s\n"
			      "100,5,4,nvidia.com/gpu=2,150,120\n");
	command = command_run("trace slice %/l.csv");
	ck_assert_ptr_nonnull(
		strstr(command.out, "0,5,default,default,4,nvidia.com/gpu=2,20,50\n"));
	command_free(&command);
	command = command_run("trace scale %/l.csv --gpus 0.5 --load 2");
	ck_assert_ptr_nonnull(
		strstr(command.out, "100,5,default,default,2,nvidia.com/gpu=2,150\n"));
	command_free(&command);
}
END_TEST

int main(void)
{
	TCase *t = tcase_create("all");

	tcase_add_loop_test(t, lines, 0, ROWS(rows));
	tcase_add_test(t, thinning);
	tcase_add_test(t, times_and_pods_of_lists);
	return trace_case_run("sim/trace/trace_edit", t);
}
