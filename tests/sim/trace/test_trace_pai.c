/* test_trace_pai.c - Alibaba PAI 2020: a table of jobs and one of tasks. */
#include "sim/trace/trace_pods.h"
#include "tests/sim/trace_case.h"

#define S   CLOCK_SECOND
#define JOB "a,i,u,Terminated,1000.0,5000.5\n"

START_TEST(tasks_are_pod_sets)
{
	const struct pod_set *sets;
	struct trace_case c;
	const struct job *j;

	trace_case_read(&c, "pai", JOB,
			"a,ps,1.0,Terminated,1100.0,5000.0,600.0,29.5,,\n"
			"zzz,ps,1.0,Terminated,1100.0,5000.0,600.0,29.5,,\r\n"
			"a,worker,2.0,Terminated,1200.0,4900.0,400.0,1,50.0,T4\n"
			"a,worker,3.0,Terminated,,4900.0,400.0,1,200.0,\n");
	j = trace_case_job(&c, 0);
	ck_assert_int_eq(j->submit, 1000 * S);
	ck_assert_int_eq(j->duration, 3900 * S + S / 2);
	ck_assert_int_eq(builder_job_started(c.builder, 0), 1100 * S);
	ck_assert_int_eq(trace_pods_milli(c.builder, j), 2 * 500 + 3 * 2000);
	ck_assert_str_eq(trace_case_text(&c, j->name), "a");
	ck_assert_str_eq(trace_case_text(&c, j->common->queue), "u");
	ck_assert_uint_eq(j->common->pod_set_count, 3);
	sets = builder_sets_of(c.builder, j);
	ck_assert_str_eq(trace_case_text(&c, sets[0].name), "ps");
	ck_assert_str_eq(trace_case_text(&c, sets[2].name), "task-2"); /* the name was taken */
	ck_assert_uint_eq(sets[1].count, 2);
	ck_assert_int_eq(builder_shape_at(c.builder, sets[0].shape)->request[RES_CPU], 6000);
	ck_assert_int_eq(builder_shape_at(c.builder, sets[0].shape)->request[RES_MEMORY],
			 (int64_t)59 << 29);
	ck_assert_int_eq(builder_shape_at(c.builder, sets[2].shape)->gpus, 2);
	ck_assert_uint_eq(c.summary.model_wishes, 1);
	ck_assert_uint_eq(c.summary.models_dropped, 1);
	trace_case_free(&c);
}
END_TEST

static const struct {
	const char *job, *tasks, *reason;
} skip_rows[] = {
	{"a,i,u,Running,2000.0,\n", "a,w,1,Running,2100.0,,1,1,200,V100\n", "running_no_end"},
	{"a,i,u,Waiting,,\n", "a,w,1,Waiting,,,1,1,100,\n", "waiting_no_times"},
	{"a,i,u,Failed,,9\n", "a,w,1,Failed,1,9,1,1,100,\n", "no_submit_time"},
	{"a,i,u,Failed,x,9\n", "a,w,1,Failed,1,9,1,1,100,\n", "bad_time"},
	{JOB "b,i,u,Term\n", "a,w,1,Terminated,1100,5000,1,1,100,\n", "bad_field_count"},
	{JOB, "b,w,1,Terminated,1100,5000,1,1,100,\na,w,1,Terminated,1100", "bad_task"},
	{JOB, "b,w,1,Terminated,1100,5000,1,1,100,\n", "no_tasks"},
	{JOB, "a,w,1,Terminated,1100,5000,600,1,,\n", "cpu_only"},
	{JOB, "a,w,1,Terminated,,5000,1,1,100,\n", "never_started"},
	{JOB, "a,w,1,Terminated,6000,7000,1,1,100,\n", "negative_duration"},
	{JOB, "a,w,1,Terminated,5000.5,7000,1,1,100,\n", "zero_duration"},
	{JOB, "a,w,0,Terminated,1100,5000,1,1,100,\n", "bad_task"},
	{JOB, "a,w,1,Terminated,1100,5000,1,1,many,\n", "bad_task"},
	{JOB, "a,w,1000000,Terminated,1100,5000,1,1,100000,\n", "too_many_gpus"},
};

START_TEST(left_out)
{
	struct trace_case c;

	trace_case_read(&c, "pai", skip_rows[_i].job, skip_rows[_i].tasks);
	ck_assert_msg(c.code == ERR_OK, "%s", c.message);
	ck_assert_uint_eq(trace_case_skipped(&c, skip_rows[_i].reason), 1);
	trace_case_adds_up(&c);
	trace_case_free(&c);
}
END_TEST

/* The names of columns, put before the tables. */
START_TEST(headers)
{
	static const char tasks[] =
		"job_name,task_name,inst_num,status,start_time,end_time,plan_cpu,plan_mem,"
		"plan_gpu,gpu_type\na,w,1,Terminated,1100,5000,1,1,100,\n";
	struct trace_case c;

	ck_assert(trace_pai_tasks_probe(tasks, sizeof(tasks) - 1));
	trace_case_read(&c, "pai", "job_name,inst_id,user,status,start_time,end_time\n" JOB, tasks);
	ck_assert_msg(c.code == ERR_OK, "%s", c.message);
	ck_assert_uint_eq(c.summary.jobs, 1);
	ck_assert_uint_eq(c.summary.rows, 1);
	trace_case_free(&c);
}
END_TEST

START_TEST(a_job_twice)
{
	struct trace_case c;

	trace_case_read(&c, "pai", JOB "b,i,u,Waiting,,\n" JOB,
			"a,w,1,Terminated,1100,5000,1,1,100,\n");
	ck_assert_uint_eq(trace_case_skipped(&c, "repeated_job"), 1);
	ck_assert_uint_eq(trace_case_skipped(&c, "waiting_no_times"), 1);
	ck_assert_uint_eq(c.summary.jobs, 1);
	trace_case_adds_up(&c);
	trace_case_free(&c);
}
END_TEST

static const struct {
	const char *job, *tasks, *message;
} error_rows[] = {
	{JOB, NULL, "give pai_task_table.csv too"},
	{JOB, "submit_s,duration_s\n", "give pai_task_table.csv too"},
};

START_TEST(errors)
{
	struct trace_case c;

	trace_case_read(&c, "pai", error_rows[_i].job, error_rows[_i].tasks);
	ck_assert_int_ne(c.code, ERR_OK);
	ck_assert_msg(strstr(c.message, error_rows[_i].message) != NULL, "%s", c.message);
	trace_case_free(&c);
}
END_TEST

int main(void)
{
	TCase *t = tcase_create("all");

	tcase_add_test(t, tasks_are_pod_sets);
	tcase_add_loop_test(t, left_out, 0, ROWS(skip_rows));
	tcase_add_test(t, headers);
	tcase_add_test(t, a_job_twice);
	tcase_add_loop_test(t, errors, 0, ROWS(error_rows));
	return trace_case_run("sim/trace/trace_pai", t);
}
