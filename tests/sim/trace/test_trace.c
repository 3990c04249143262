/* test_trace.c - Clock times, counts, skip reasons, and recognising formats. */
#include "tests/sim/trace_case.h"

static const struct {
	const char *text;
	int64_t seconds; /* -1: no time */
} clock_rows[] = {
	{"1970-01-01 00:00:00", 0},
	{"1970-01-01 00:00:01", 1},
	{"2000-02-29 12:00:00", 951825600},
	{"2000-03-01 00:00:00", 951868800},
	{"2017-10-09 07:01:55", 1507532515},
	{"2017-11-05 01:30:00", 1509845400}, /* the hour that the clock repeats */
	{"2017-12-31 23:59:59", 1514764799},
	{"2100-03-01 00:00:00", 4107542400}, /* 2100 is no leap year */
	{"9999-12-31 23:59:59", 253402300799},
	{"1969-12-31 23:59:59", -1},
	{"2017-02-29 00:00:00", -1},
	{"2100-02-29 00:00:00", -1},
	{"2017-04-31 00:00:00", -1},
	{"2017-13-01 00:00:00", -1},
	{"2017-00-01 00:00:00", -1},
	{"2017-01-00 00:00:00", -1},
	{"2017-01-01 24:00:00", -1},
	{"2017-01-01 00:60:00", -1},
	{"2017-01-01 00:00:60", -1},
	{"2017-01-01T00:00:00", -1},
	{"2017-01-01 00:00:00 ", -1},
	{"2017-01-01 00:00", -1},
	{"2017-1-01 00:00:000", -1},
	{"+017-01-01 00:00:00", -1},
	{"", -1},
	{"None", -1},
};

START_TEST(clock_times)
{
	char text[TRACE_CLOCK];
	simtime t;
	bool read = trace_read_clock(clock_rows[_i].text, strlen(clock_rows[_i].text), &t);

	ck_assert_msg(read == (clock_rows[_i].seconds >= 0), "%s", clock_rows[_i].text);
	if (!read)
		return;
	ck_assert_int_eq(t, clock_rows[_i].seconds * CLOCK_SECOND);
	ck_assert_str_eq(trace_format_clock(t, text), clock_rows[_i].text);
}
END_TEST

/* Every day of 400 years comes after the day before, and reads back. */
START_TEST(days_follow_each_other)
{
	char text[TRACE_CLOCK];

	for (int64_t day = 0; day < 146097; day++) {
		simtime t = day * CLOCK_DAY, back;

		trace_format_clock(t, text);
		ck_assert_msg(trace_read_clock(text, strlen(text), &back) && back == t, "%s", text);
	}
}
END_TEST

static const struct {
	const char *text;
	int64_t count; /* -1: none */
} count_rows[] = {
	{"8", 8},   {"8.0", 8},	   {"8.000", 8}, {"0", 0},    {"4294967295", 4294967295},
	{"", -1},   {"8.", -1},	   {".0", -1},	 {"8.5", -1}, {"4294967296", -1},
	{"-1", -1}, {"8.0.0", -1}, {"0x8", -1},	 {" 8", -1},
};

START_TEST(counts)
{
	uint32_t out = 0;
	bool read = trace_read_count(count_rows[_i].text, strlen(count_rows[_i].text), &out);

	ck_assert_msg(read == (count_rows[_i].count >= 0), "%s", count_rows[_i].text);
	if (read)
		ck_assert_int_eq(out, count_rows[_i].count);
}
END_TEST

START_TEST(reasons_are_counted_apart)
{
	struct trace_summary summary = {0};

	trace_skip(&summary, "a", 3);
	trace_skip(&summary, "b", 4);
	trace_skip(&summary, "a", 5);
	ck_assert_uint_eq(summary.reason_count, 2);
	ck_assert_str_eq(summary.skipped[0].reason, "a");
	ck_assert_uint_eq(summary.skipped[0].count, 2);
	ck_assert_int_eq(summary.skipped[0].line, 3); /* of the first */
	ck_assert_uint_eq(summary.skipped[1].count, 1);
	ck_assert_int_eq(summary.skipped[1].line, 4);
}
END_TEST

/* Beyond so many states the rest is one. */
START_TEST(states_are_counted_apart)
{
	struct trace_summary summary = {0};
	char text[40];

	for (int i = 0; i < 100; i++) {
		snprintf(text, sizeof(text), "state %d", i);
		trace_state(&summary, text, strlen(text));
		trace_state(&summary, "state 1", 7);
	}
	ck_assert_uint_eq(summary.state_count, TRACE_STATES);
	ck_assert_str_eq(summary.states[0].name, "state 0");
	ck_assert_uint_eq(summary.states[1].count, 101);
	ck_assert_str_eq(summary.states[TRACE_STATES - 1].name, "other");
	ck_assert_uint_eq(summary.states[TRACE_STATES - 1].count, 100 - (TRACE_STATES - 1));
	memset(text, 'x', sizeof(text));
	trace_state(&summary, text, sizeof(text));
	ck_assert_uint_eq(summary.states[TRACE_STATES - 1].count, 100 - (TRACE_STATES - 2));
}
END_TEST

START_TEST(a_missing_state_is_not_counted)
{
	struct trace_summary summary = {0};

	ck_assert_uint_eq(trace_state(&summary, NULL, 0), 0);
	ck_assert_uint_eq(summary.state_count, 0);
}
END_TEST

static const struct {
	const char *text;
	int64_t micros; /* -1: no time */
} instant_rows[] = {
	{"1970-01-02 00:00:01", 86401000000},
	{"1970-01-02T00:00:01", 86401000000},
	{"1970-01-02 00:00:01Z", 86401000000},
	{"1970-01-02 00:00:01.25", 86401250000},
	{"1970-01-02 00:00:01.1234567", 86401123456},
	{"1970-01-02 08:00:01+08:00", 86401000000},
	{"1970-01-02T08:00:01.5+0800", 86401500000},
	{"1970-01-01 16:00:01-08:00", 86401000000},
	{"1970-01-01 00:00:00+00:01", -1}, /* before 1970 */
	{"1970-01-02 00:00:01.", -1},
	{"1970-01-02 00:00:01 ", -1},
	{"1970-01-02 00:00:01+8:00", -1},
	{"1970-01-02 00:00:01+24:00", -1},
	{"1970-01-02 00:00", -1},
	{"1970-02-30 00:00:00", -1},
	{"", -1},
};

START_TEST(instants)
{
	simtime out = 0;
	bool read = trace_read_instant(instant_rows[_i].text, strlen(instant_rows[_i].text), &out);

	ck_assert_msg(read == (instant_rows[_i].micros >= 0), "%s", instant_rows[_i].text);
	if (read)
		ck_assert_int_eq(out, instant_rows[_i].micros);
}
END_TEST

static const struct {
	const char *text, *format; /* NULL: none of them */
} detect_rows[] = {
	{"submit_s,duration_s,gpus\n", "csv"},
	{"name,namespace,queue,submit_s,duration_s,priority_class,pods,min_pods,requests\n", "csv"},
	{"job_id,submit_s,gpus,duration_s\n0,1,1,2\n", "csv"},
	{"arrival_s,duration,podsets", "csv"},
	{"submit_s,duration_s\n", NULL}, /* asks for nothing */
	{"timestamp,duration,num_gpus,gpu_time,cluster\n", "philly-csv"},
	{"num_gpus,duration,timestamp\r\n", "philly-csv"},
	{"\xEF\xBB\xBF timestamp\n", NULL},
	{"job_id,user,vc,jobname,gpu_num,cpu_num,node_num,state,submit_time,start_time,end_time,"
	 "duration,queue\n",
	 "helios"},
	{"job_id,user,node_num,gpu_num,cpu_num,type,state,submit_time,start_time,end_time,"
	 "duration,queue,gpu_time\n",
	 "acme"},
	{"job_id,submission_time,duration,num_gpu\n", "itp"},
	{"job_id,num_gpu,submit_time,iterations,model_name,duration,interval\r\n", "tiresias"},
	{"job_id,user,num_gpu,submit_time,iterations,model_name,duration,interval,"
	 "expect_time_list,expect_value_list,best_effort,job_type\n",
	 "tiresias"},
	{"job_id,num_gpu,submit_time,iterations,model_name,batch_size,duration,interval,"
	 "iteration_time,resource_time_0,resource_time_1,resource_time_2,priority\n",
	 "muri"},
	{"job_id,submit_time,real_iteration,model_name,ddl,batch_size,num_gpu,real_duration,"
	 "duration,iteration\n",
	 "elasticflow"},
	{"name,time,application,num_replicas,batch_size\n", "sia"},
	{"job_name,organization,gpu_model,cpu_request,gpu_request,worker_num,submit_time,duration,"
	 "job_type\n",
	 "spot"},
	{"name,cpu_milli,memory_mib,num_gpu,gpu_milli\n", "openb"},
	{"sn,cpu_milli,memory_mib,gpu,model\n", "nodes"},
	{"gpu_model,gpu_capacity_num,cpu_num,node_name\n", "nodes"},
	{",machineId,number of GPUs,single GPU mem\n", "nodes"},
	{"m1,V100,96,512,8\n", "pai-nodes"},
	{"j,i,u,Terminated,1.0,2.0\n", "pai"},
	{"j,t,1.0,Waiting,,,600.0,29.3,,\n", "pai-tasks"},
	{"JobID|Account|State|Submit|Start|End|NNodes|ReqTRES\n", "sacct"},
	{"id_job,id_user,state,time_submit,time_start,time_end,nodes_alloc,tres_req\n",
	 "supercloud"},
	{"; Version: 2\n 1 0 0 1 1 -1 -1 1 -1 -1 1 1 1 1 1 1 -1 -1\n", "swf"},
	{"1 0 0 1 1\n", NULL},
	{"A (batch size 1)\tcmd\t-n\t1\t100\t0.0\t1\n", "gavel"},
	{"A\tcmd\tdir\t-n\t1\t100\t1\t1\t-1.0\t0\n", "gavel"},
	{"a\tb\tc\td\te\tf\tg\n", NULL},
	{"{\"v100\": {\"('A', 1)\": {\"null\": 2.5}}}", "gavel-throughputs"},
	{"{\"kind\": \"ConfigMap\", \"data\": {\"a\": \"('x', 1)\"}}", NULL},
	{"{\"submit_s\": 0, \"duration_s\": 1, \"gpus\": 1}\n", "jsonl"},
	{"{\"apiVersion\": \"v1\", \"kind\": \"Node\"}\n", NULL},
	{"[{\"status\": \"Pass\", \"attempts\": []}]", "philly"},
	{"\n [ {\"submitted_time\": null", "philly"},
	{"[{\"kind\": \"Node\"}]", NULL},
	{"{\"attempts\": []}", NULL},
	{"apiVersion: v1\nkind: Node\n", NULL},
	{"", NULL},
	{"\"", NULL},
};

START_TEST(detection)
{
	struct source source = {
		.name = "t", .data = detect_rows[_i].text, .size = strlen(detect_rows[_i].text)};
	const struct trace_format *format = trace_detect(&source);

	if (detect_rows[_i].format == NULL)
		ck_assert_msg(format == NULL, "row %d", _i);
	else
		ck_assert_msg(format != NULL && strcmp(format->name, detect_rows[_i].format) == 0,
			      "row %d", _i);
}
END_TEST

START_TEST(formats_have_names)
{
	int count = 0;

	for (const struct trace_format *f = trace_rows(); f->name != NULL; f++) {
		ck_assert_ptr_eq(trace_find(f->name), f);
		ck_assert_ptr_nonnull(f->help);
		count++;
	}
	ck_assert_int_eq(count, 28);
	ck_assert_ptr_null(trace_find("nonsense"));
}
END_TEST

int main(void)
{
	TCase *t = tcase_create("all");

	tcase_add_loop_test(t, clock_times, 0, ROWS(clock_rows));
	tcase_add_test(t, days_follow_each_other);
	tcase_add_loop_test(t, counts, 0, ROWS(count_rows));
	tcase_add_test(t, reasons_are_counted_apart);
	tcase_add_test(t, states_are_counted_apart);
	tcase_add_test(t, a_missing_state_is_not_counted);
	tcase_add_loop_test(t, instants, 0, ROWS(instant_rows));
	tcase_add_loop_test(t, detection, 0, ROWS(detect_rows));
	tcase_add_test(t, formats_have_names);
	return trace_case_run("sim/trace/trace", t);
}
