/* test_trace_write.c - job lists out of traces: what is written reads back the same, and
 * what a format cannot hold is told. */
#include "tests/sim/trace_case.h"
#include "tests/support/command.h"

/* Runs a command line that must work. */
static struct command works(const char *line)
{
	struct command command = command_run(line);

	ck_assert_msg(command.code == CMD_OK, "%s: %s", line, command.err);
	return command;
}

static void check_out(const char *line, const char *out)
{
	struct command command = works(line);

	ck_assert_str_eq(command.out, out);
	command_free(&command);
}

/* Everything that the list has a column for. */
#define FULL                                                                                       \
	"name,submit_s,duration_s,namespace,queue,priority_class,gpus,pods,min_pods,requests,"     \
	"podsets,topology_mode,topology_level,node_selector,tolerations,start_s,ready_s,fail_s,"   \
	"recover_s,max_exec_s,check_s,check_result,check_retry_s,cancel_s\n"                       \
	"a,0,60,ns,q,,12,,,,,,,gpu=h100,spot;k=v:NoSchedule,7,,,,,,,,\n"                           \
	"b,1.5,endless,ns,q,high,,4,2,cpu=1500m;memory=1073741824;nvidia.com/"                     \
	"gpu=1,,required,rack,"                                                                    \
	",,,1;never,5;never,3,99.5,2;3,Retry;Ready,4,1000\n"                                       \
	"\"c,d\",2,5,other,,,,,,,ps:1:cpu=1000m|worker:4/2:nvidia.com/gpu=2@preferred=rack,,,,,,," \
	",,,,,,\n"

START_TEST(csv_reads_back)
{
	command_file("full.csv", FULL);
	check_out("trace convert %/full.csv", FULL);
}
END_TEST

START_TEST(jsonl_reads_back)
{
	struct command command;

	command_file("full.csv", FULL);
	command = works("trace convert %/full.csv -w %/full.jsonl.gz");
	command_free(&command);
	check_out("trace convert %/full.jsonl.gz -o csv", FULL);
}
END_TEST

START_TEST(a_line_of_json)
{
	command_file("jobs.csv", "name,submit_s,duration_s,gpus,vc\na,0.5,60,2,x\n");
	check_out("trace convert %/jobs.csv -o jsonl",
		  "{\"name\":\"a\",\"submit_s\":0.5,\"duration_s\":60,\"namespace\":\"x\","
		  "\"queue\":\"x\",\"gpus\":2}\n");
}
END_TEST

#define PHILLY                                                                                     \
	"timestamp,duration,num_gpus,gpu_time,cluster\n"                                           \
	"2017-10-02 00:00:10,5.0,8,40.0,b\n"                                                       \
	"2017-10-02 00:00:00,60.0,1,60.0,a\n"                                                      \
	"2017-10-03 00:00:00,0.5,8,4,b\n"

START_TEST(swf_has_clock_and_queues)
{
	struct command command;

	command_file("philly.csv", PHILLY);
	command = works("trace convert %/philly.csv -o swf");
	ck_assert_str_eq(command.out,
			 "; Version: 2\n; Note: written by gqsim; a processor stands for a GPU\n"
			 "; UnixStartTime: 1506902400\n; MaxJobs: 3\n; Queue: 1 a\n; Queue: 2 b\n"
			 "1 0 -1 60 1 -1 -1 1 -1 -1 1 -1 -1 -1 1 -1 -1 -1\n"
			 "2 10 -1 5 8 -1 -1 8 -1 -1 1 -1 -1 -1 2 -1 -1 -1\n"
			 "3 86400 -1 1 8 -1 -1 8 -1 -1 1 -1 -1 -1 2 -1 -1 -1\n");
	ck_assert_ptr_nonnull(strstr(command.err, "not kept: 1 job rounded to whole seconds"));
	command_file("out.swf", command.out);
	command_free(&command);
	check_out("trace convert %/out.swf -o csv",
		  "name,submit_s,duration_s,namespace,queue,gpus,requests\n"
		  "1,0,60,a,a,1,\n2,10,5,b,b,8,\n3,86400,1,b,b,8,\n");
}
END_TEST

#define SWF_JOB(id, submit, after) id " " submit " 0 9 2 -1 -1 2 -1 -1 1 -1 -1 -1 1 -1 " after "\n"

/* Fields 17 and 18, as long as the job that they name is there; a list cannot say it. */
START_TEST(swf_keeps_who_waits_for_whom)
{
	struct command command;

	command_file("f.swf", SWF_JOB("1", "0", "-1 -1") SWF_JOB("2", "10", "1 5")
				      SWF_JOB("3", "20", "2 -1"));
	check_out("trace convert %/f.swf -o swf",
		  "; Version: 2\n; Note: written by gqsim; a processor stands for a GPU\n"
		  "; MaxJobs: 3\n; Queue: 1 queue-1\n" SWF_JOB("1", "0", "-1 -1")
			  SWF_JOB("2", "10", "1 5") SWF_JOB("3", "20", "2 -1"));
	command = works("trace slice %/f.swf --from 10 -o swf");
	ck_assert_ptr_nonnull(strstr(command.out, "\n1 0 0 9 2"));
	ck_assert_ptr_nonnull(strstr(command.out, " -1 -1\n2 10 0 9 2"));
	ck_assert_ptr_nonnull(strstr(command.out, " 1 -1\n"));
	ck_assert_ptr_nonnull(strstr(command.err, "not kept: 1 job submitted at a time of"));
	command_free(&command);
	command = works("trace convert %/f.swf");
	ck_assert_ptr_nonnull(strstr(command.err, "not kept: 2 jobs submitted at a time of"));
	command_free(&command);
}
END_TEST

/* The recorded wait comes along. */
START_TEST(starts_are_kept)
{
	command_file("h.csv",
		     "job_id,user,vc,gpu_num,cpu_num,node_num,state,submit_time,start_time,"
		     "end_time,duration,queue\n"
		     "1,u,v,4,1,2,COMPLETED,2020-06-09 18:00:00,2020-06-09 18:00:09,"
		     "2020-06-09 18:01:00,51,9\n");
	check_out("trace convert %/h.csv",
		  "name,submit_s,duration_s,namespace,queue,pods,requests,start_s\n"
		  "1,0,51,v,v,2,nvidia.com/gpu=2,9\n");
}
END_TEST

static const struct {
	const char *file, *text, *line, *told;
} lost_rows[] = {
	{"n.csv",
	 "name,submit_s,duration_s,podsets\na,0,5,worker:2:nvidia.com/gpu=1\n"
	 "b,1,5,main:2:nvidia.com/gpu=1\nc,2,5,l:1:cpu=1|w:2:cpu=2\n",
	 "trace convert %/n.csv", "not kept: 1 job without the name of the pod set"},
	{"o.csv",
	 "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec\na,1,1,1,500,V100M16|V100M32\n",
	 "trace convert %/o.csv", "not kept: 1 job without what the format has no column for"},
	{"s.csv",
	 "job_name,organization,gpu_model,cpu_request,gpu_request,worker_num,submit_time,duration,"
	 "job_type\n1,13,A10,20,1,1,0,9,HP\n",
	 "trace convert %/s.csv", "not kept: 1 job with a priority class"},
	{"p.csv", PHILLY, "trace convert %/p.csv", "not kept: the wall clock"},
	{"f.csv", FULL, "trace convert %/f.csv -o swf", "not kept: 1 job left out: without GPUs"},
	{"f.csv", FULL, "trace convert %/f.csv -o swf", "only with the GPUs"},
};

START_TEST(what_is_lost_is_told)
{
	struct command command;

	command_file(lost_rows[_i].file, lost_rows[_i].text);
	command = works(lost_rows[_i].line);
	ck_assert_msg(strstr(command.err, lost_rows[_i].told) != NULL, "%s", command.err);
	command_free(&command);
}
END_TEST

/* One model is a node selector. */
START_TEST(one_model_is_kept)
{
	command_file("o.csv", "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec\n"
			      "a,1000,1024,1,500,T4\n");
	check_out("trace convert %/o.csv",
		  "name,submit_s,duration_s,namespace,queue,pods,requests,node_selector\n"
		  "a,0,endless,default,default,1,cpu=1000m;memory=1073741824;"
		  "alibabacloud.com/gpu-milli=500,nvidia.com/gpu.product=T4\n");
}
END_TEST

int main(void)
{
	TCase *t = tcase_create("all");

	tcase_add_test(t, csv_reads_back);
	tcase_add_test(t, jsonl_reads_back);
	tcase_add_test(t, a_line_of_json);
	tcase_add_test(t, swf_has_clock_and_queues);
	tcase_add_test(t, swf_keeps_who_waits_for_whom);
	tcase_add_test(t, starts_are_kept);
	tcase_add_loop_test(t, what_is_lost_is_told, 0, ROWS(lost_rows));
	tcase_add_test(t, one_model_is_kept);
	return trace_case_run("sim/trace/trace_write", t);
}
