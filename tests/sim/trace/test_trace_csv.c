/* test_trace_csv.c - the published formats in CSV: what a row becomes, and why a row is
 * left out. */
#include "sim/trace/trace_stats.h"
#include "tests/sim/trace_case.h"

#define S	CLOCK_SECOND
#define NO_WAIT (-1)

#define HELIOS                                                                                     \
	"job_id,user,vc,gpu_num,cpu_num,node_num,state,submit_time,start_time,end_time,duration,"  \
	"queue\n"
#define SEREN                                                                                      \
	"job_id,user,node_num,gpu_num,cpu_num,type,state,submit_time,start_time,end_time,"         \
	"duration,queue,gpu_time\n"
#define OPENB                                                                                      \
	"name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,"        \
	"deletion_time,scheduled_time\n"
#define DLRM                                                                                       \
	"instance_sn,role,app_name,cpu_request,gpu_request,memory_request,"                        \
	"max_instance_per_node,creation_time,scheduled_time,deletion_time\n"
#define SPOT                                                                                       \
	"job_name,organization,gpu_model,cpu_request,gpu_request,worker_num,submit_time,"          \
	"duration,job_type\n"
#define TIRESIAS "job_id,num_gpu,submit_time,iterations,model_name,duration,interval\n"
#define MURI                                                                                       \
	"job_id,num_gpu,submit_time,iterations,model_name,batch_size,duration,interval,"           \
	"iteration_time,resource_time_0,resource_time_1,resource_time_2,priority\n"
#define ELASTICFLOW                                                                                \
	"job_id,submit_time,real_iteration,model_name,ddl,batch_size,num_gpu,real_duration,"       \
	"duration,iteration\n"
#define SACCT	   "JobID|Account|User|State|Submit|Start|End|NNodes|ReqTRES\n"
#define SUPERCLOUD "id_job,id_user,state,time_submit,time_start,time_end,nodes_alloc,tres_req\n"

/* The second row of the file; the first, which gives the clock its zero, is the same in
 * all cases of a format. */
static const struct {
	const char *format, *text;
	int64_t submit, duration, wait; /* seconds */
	int64_t milli;			/* of all pods */
	uint32_t pods;			/* in all pod sets */
	const char *name, *queue;	/* "-": none */
} rows[] = {
	{"helios",
	 HELIOS "1,u,v,1,1,1,COMPLETED,2020-06-09 18:00:00,2020-06-09 18:00:00,"
		"2020-06-09 18:01:00,60,0\n"
		"2,u,w,12,1,5,FAILED,2020-06-09 18:00:01,2020-06-09 18:00:03,"
		"2020-06-10 18:00:03,1,9\n",
	 1, 86400, 2, 12000, 4, "2", "w"},
	{"acme",
	 SEREN "1,u,1,8,1,Other,FAILED,2023-03-01 00:00:00+08:00,2023-03-01 00:00:00+08:00,"
	       "2023-03-01 00:01:00+08:00,1,0,1.0\n"
	       "2,v,8,64,1,Other,FAILED,2023-02-28 16:00:10+00:00,2023-02-28 16:00:20+00:00,"
	       "2023-02-28 16:00:28+00:00,18,10.0,1152.0\n",
	 10, 8, 10, 64000, 8, "2", "v"},
	{"openb",
	 OPENB "p,1000,1024,1,460,,LS,Running,0,9,0\n"
	       "q,2000,2048,1,320,V100M16|V100M32,BE,Failed,5,20,8.0\n",
	 5, 12, 3, 320, 1, "q", "BE"},
	{"openb", OPENB "p,1,1,1,460,,LS,Running,0,9,0\nq,1,1,8,1000,,BE,Pending,5,20,\n", 5, 15,
	 NO_WAIT, 8000, 1, "q", "BE"},
	{"openb", OPENB "p,1,1,1,460,,LS,Running,0,9,0\nq,1,1,0,0,,BE,Running,5,20,5\n", 5, 15, 0,
	 0, 1, "q", "BE"},
	{"openb", "name,cpu_milli,memory_mib,num_gpu,gpu_milli\np,1,1,1,1000\nq,1,1,2,1000\n", 0,
	 -1, NO_WAIT, 2000, 1, "q", "default"},
	{"dlrm", DLRM "a,CN,x,1,0,1,-1,1,1,2\nb,HN,y,2.5,1,3.5,1,,,7.25\n", 0, 7, 0, 1000, 1, "b",
	 "y"},
	{"dlrm", DLRM "a,CN,x,1,0,1,-1,1,1,2\nb,HN,y,2.5,1,3.5,1,4.0,6.0,\n", 4, -1, 2, 1000, 1,
	 "b", "y"},
	{"spot", SPOT "1,13,A10,20,1,1,0,9,HP\n2,57,A100,15,2,16,5,41060,Spot\n", 5, 41060, NO_WAIT,
	 32000, 16, "2", "57"},
	{"itp", "job_id,submission_time,duration,num_gpu\na,1999,13423,1\nb,2000,600,9\n", 2000,
	 600, NO_WAIT, 9000, 2, "b", "default"},
	{"tiresias", TIRESIAS "0,1,0,606,vgg19,164,30\r\n1,8,30,133,vgg11,147,23\r\n", 30, 147,
	 NO_WAIT, 8000, 1, "1", "default"},
	{"muri",
	 MURI "0,1,0,1,dqn,1,2000,0,1,1,1,1,1\r\n1,8,201694000,1,dqn,128,4472936500,1,1,1,1,0.5,0"
	      "\r\n",
	 201694, 4472936, NO_WAIT, 8000, 1, "1", "default"},
	{"elasticflow", ELASTICFLOW "0,0,1,m,1,1,1,10,99,1\n1,7,1,m,1,1,4,20,99,1\n", 7, 20,
	 NO_WAIT, 4000, 1, "1", "default"},
	{"sia", "name,time,application,num_replicas,batch_size\na,0,x,1,1\nb,1.5,bert,2,12\n", 1,
	 3600, NO_WAIT, 2000, 1, "b", "default"},
	{"sacct",
	 SACCT "1|phys|u|COMPLETED|2024-01-01T00:00:00|2024-01-01T00:00:00|2024-01-01T00:01:00|1|"
	       "gres/gpu=1\n"
	       "2_7|chem|u|CANCELLED by 7|2024-01-01T00:00:09|2024-01-01T00:01:00|"
	       "2024-01-01T01:01:00|2|billing=8,cpu=8,gres/gpu=4,gres/gpu:a100=4,mem=64G,node=2\n",
	 9, 3600, 51, 4000, 2, "2_7", "chem"},
	{"sacct",
	 SACCT "1|phys|u|COMPLETED|2024-01-01T00:00:00|2024-01-01T00:00:00|2024-01-01T00:01:00|1|"
	       "gres/gpu=1\n"
	       "3|a \"b\"|u|TIMEOUT|2024-01-01T00:00:09|2024-01-01T00:00:09|2024-01-01T00:00:10|1|"
	       "gres/gpu:a100=2,gres/gpu:v100=1\n",
	 9, 1, 0, 3000, 1, "3", "a \"b\""},
	{"supercloud",
	 SUPERCLOUD "16051200000000.0,1,3,1600000000,1600000000,1600000100,1,\"1=4,4=1,1002=1\"\n"
		    "16051200000000.0,2,11,1600000007,1600000010,1600000110,2,"
		    "\"1=20,2=170000,3=18446744073709551614,4=1,1001=1,1002=2\"\n",
	 7, 100, 3, 3000, 2, "-", "2"},
};

static uint32_t pods_of(const struct trace_case *c, const struct job *job)
{
	const struct pod_set *sets = builder_sets_of(c->builder, job);
	uint32_t pods = 0;

	for (uint32_t i = 0; i < job->common->pod_set_count; i++)
		pods += sets[i].count;
	return pods;
}

START_TEST(a_row_of_each)
{
	struct trace_stats_jobs jobs;
	struct trace_case c;
	const struct job *j;
	simtime start;

	trace_case_read(&c, rows[_i].format, rows[_i].text, NULL);
	j = trace_case_job(&c, 1);
	start = builder_job_started(c.builder, 1);
	trace_stats_jobs_init(&jobs, c.builder);
	ck_assert_int_eq(j->submit / S, rows[_i].submit);
	if (rows[_i].duration < 0)
		ck_assert_int_eq(j->duration, JOB_ENDLESS);
	else
		ck_assert_int_eq(j->duration / S, rows[_i].duration);
	ck_assert_int_eq(start == CLOCK_NEVER ? NO_WAIT : (start - j->submit) / S, rows[_i].wait);
	ck_assert_int_eq(trace_pods_milli(c.builder, j), rows[_i].milli);
	ck_assert_uint_eq(pods_of(&c, j), rows[_i].pods);
	ck_assert_str_eq(trace_case_text(&c, j->name), rows[_i].name);
	ck_assert_str_eq(trace_case_text(&c, j->common->queue), rows[_i].queue);
	trace_case_adds_up(&c);
	trace_stats_jobs_free(&jobs);
	trace_case_free(&c);
}
END_TEST

static const struct {
	const char *format, *header, *row, *reason;
} skip_rows[] = {
	{"helios", HELIOS,
	 "1,u,v,0,4,1,COMPLETED,2020-06-09 18:42:00,2020-06-09 18:42:00,"
	 "2020-06-09 18:43:00,60,0",
	 "cpu_only"},
	{"helios", HELIOS,
	 "1,u,v,8,4,1,CANCELLED,2020-06-09 18:42:00,2020-06-09 18:42:00,"
	 "2020-06-09 18:42:00,0,0",
	 "zero_duration"},
	{"helios", HELIOS,
	 "1,u,v,8,4,1,CANCELLED,2020-06-09 18:42:00,2020-06-09 18:42:00,"
	 "2020-06-09 18:41:00,0,0",
	 "negative_duration"},
	{"helios", HELIOS, "1,u,v,8,4,1,CANCELLED,2020-06-09 18:42:00,,2020-06-09 18:41:00,0,0",
	 "never_started"},
	{"helios", HELIOS, "1,u,v,8,4,1,RUNNING,2020-06-09 18:42:00,2020-06-09 18:42:00,None,0,0",
	 "no_end_time"},
	{"helios", HELIOS, "1,u,v,8,4,1,X,,2020-06-09 18:42:00,2020-06-09 18:43:00,0,0",
	 "no_submit_time"},
	{"helios", HELIOS, "1,u,v,8,4,1,X,yesterday,2020-06-09 18:42:00,2020-06-09 18:43:00,0,0",
	 "bad_submit_time"},
	{"helios", HELIOS,
	 "1,u,v,8,4,1,X,2020-06-09 18:42:00,2020-06-09 25:42:00,"
	 "2020-06-09 18:43:00,0,0",
	 "bad_start_time"},
	{"helios", HELIOS, "1,u,v,8,4,1,X,2020-06-09 18:42:00,2020-06-09 18:42:00,1,0,0",
	 "bad_end_time"},
	{"helios", HELIOS,
	 "1,u,v,-8,4,1,X,2020-06-09 18:42:00,2020-06-09 18:42:00,"
	 "2020-06-09 18:43:00,0,0",
	 "bad_gpus"},
	{"helios", HELIOS,
	 "1,u,v,8,4,many,X,2020-06-09 18:42:00,2020-06-09 18:42:00,"
	 "2020-06-09 18:43:00,0,0",
	 "bad_nodes"},
	{"helios", HELIOS, "1,u,v,8,4,1,X,2020-06-09 18:42:00", "bad_field_count"},
	{"acme", SEREN,
	 "1,u,1,0,8,Other,FAILED,2023-03-01 00:00:00+08:00,"
	 "2023-03-01 00:00:00+08:00,2023-03-01 00:01:00+08:00,1,0,0",
	 "cpu_only"},
	{"acme", SEREN,
	 "1,u,1,1,8,Other,FAILED,2023-03-01 00:00:00+8,"
	 "2023-03-01 00:00:00+08:00,2023-03-01 00:01:00+08:00,1,0,0",
	 "bad_submit_time"},
	{"openb", OPENB, "p,1,1,1,1001,,LS,Running,0,9,0", "bad_gpus"},
	{"openb", OPENB, "p,1,1,1,0,,LS,Running,0,9,0", "bad_gpus"},
	{"openb", OPENB, "p,1,1,2,500,,LS,Running,0,9,0", "bad_gpus"},
	{"openb", OPENB, "p,x,1,1,500,,LS,Running,0,9,0", "bad_cpu"},
	{"openb", OPENB, "p,1,x,1,500,,LS,Running,0,9,0", "bad_memory"},
	{"openb", OPENB, "p,1,1,1,500,,LS,Running,9,0,", "negative_duration"},
	{"openb", OPENB, "p,1,1,1,500,,LS,Running,0,,0", "no_end_time"},
	{"dlrm", DLRM, "a,CN,x,1,1,1,-1,1,9,2", "negative_duration"},
	{"dlrm", DLRM, "a,CN,x,1,1,1,-1,,9,12", "no_submit_time"},
	{"spot", SPOT, "1,13,A10,20,0,1,0,9,HP", "cpu_only"},
	{"spot", SPOT, "1,13,A10,20,1,0,0,9,HP", "no_workers"},
	{"spot", SPOT, "1,13,A10,20,1,1,0,9,Other", "unknown_job_type"},
	{"spot", SPOT, "1,13,A10,20,4000000000,2,0,9,HP", "too_many_gpus"},
	{"spot", SPOT, "1,13,A10,20,1,1,0,,HP", "no_duration"},
	{"itp", "job_id,submission_time,duration,num_gpu\n", "a,1,0,1", "zero_duration"},
	{"itp", "job_id,submission_time,duration,num_gpu\n", "a,-1,5,1", "bad_submit_time"},
	{"itp", "job_id,submission_time,duration,num_gpu\n", "a,9223372036855,5,1",
	 "bad_submit_time"},
	{"tiresias", TIRESIAS, "0,0,0,606,vgg19,164,30", "zero_gpus"},
	{"muri", MURI, "0,1,0,1,dqn,1,x,0,1,1,1,1,1", "bad_duration"},
	{"elasticflow", ELASTICFLOW, "0,0,1,m,1,1,0,10,99,1", "zero_gpus"},
	{"sia", "name,time,application,num_replicas,batch_size\n", "a,0,x,0,1", "zero_gpus"},
	{"sacct", SACCT,
	 "1.batch|a|u|COMPLETED|2024-01-01T00:00:00|2024-01-01T00:00:00|"
	 "2024-01-01T00:01:00|1|gres/gpu=1",
	 "job_step"},
	{"sacct", SACCT, "1|a|u|PENDING|2024-01-01T00:00:00|Unknown|Unknown|1|gres/gpu=1",
	 "never_started"},
	{"sacct", SACCT,
	 "1|a|u|RUNNING|2024-01-01T00:00:00|2024-01-01T00:00:00|Unknown|1|"
	 "gres/gpu=1",
	 "no_end_time"},
	{"sacct", SACCT,
	 "1|a|u|COMPLETED|2024-01-01T00:00:00|2024-01-01T00:00:00|"
	 "2024-01-01T00:01:00|1|cpu=4,mem=1G",
	 "cpu_only"},
	{"sacct", SACCT,
	 "1|a|u|COMPLETED|2024-01-01T00:00:00|2024-01-01T00:00:00|"
	 "2024-01-01T00:01:00|1|gres/gpu=many",
	 "bad_gpus"},
	{"supercloud", SUPERCLOUD, "1,2,3,1600000000,0,0,1,\"1=4,1002=1\"", "never_started"},
	{"supercloud", SUPERCLOUD, "1,2,3,1600000000,1600000000,1600000100,1,\"1=4\"", "cpu_only"},
	{"supercloud", SUPERCLOUD, "1,2,3,1600000000,1600000000,1600000100,1,\"1002=x\"",
	 "bad_gpus"},
};

START_TEST(left_out)
{
	char text[1000];
	struct trace_case c;

	snprintf(text, sizeof(text), "%s%s", skip_rows[_i].header, skip_rows[_i].row);
	trace_case_read(&c, skip_rows[_i].format, text, NULL);
	ck_assert_msg(c.code == ERR_OK, "%s", c.message);
	ck_assert_msg(trace_case_skipped(&c, skip_rows[_i].reason) == 1, "row %d: %s", _i,
		      c.summary.reason_count > 0 ? c.summary.skipped[0].reason : "not left out");
	ck_assert_int_eq(c.summary.skipped[0].line, 2);
	trace_case_adds_up(&c);
	trace_case_free(&c);
}
END_TEST

/* A byte order mark, CRLF, blank lines, columns in another order and unknown ones. */
START_TEST(odd_files)
{
	struct trace_case c;

	trace_case_read(&c, "itp",
			"\xEF\xBB\xBFnum_gpu,x,duration,submission_time,job_id\r\n\r\n2,?,5.0,1.5,a"
			"\r\n\r\n",
			NULL);
	ck_assert_int_eq(trace_case_job(&c, 0)->submit, 1500000);
	ck_assert_int_eq(trace_case_job(&c, 0)->duration, 5 * S);
	ck_assert_uint_eq(c.summary.rows, 1);
	trace_case_free(&c);
}
END_TEST

static const struct {
	const char *format, *text, *message;
} error_rows[] = {
	{"itp", "job_id,submission_time,num_gpu\n", "no column \"duration\""},
	{"itp", "job_id,submission_time,num_gpu,duration,duration\n", "a second column"},
	{"helios", "", "no column \"job_id\""},
	{"sacct", "JobID|State|Submit|Start|End\n", "no column \"ReqTRES\" or \"AllocTRES\""},
	{"supercloud", SUPERCLOUD "1,2,3,1600000000,1,2,1,\"1=4\n", "never closed"},
};

START_TEST(errors)
{
	struct trace_case c;

	trace_case_read(&c, error_rows[_i].format, error_rows[_i].text, NULL);
	ck_assert_int_ne(c.code, ERR_OK);
	ck_assert_msg(strstr(c.message, error_rows[_i].message) != NULL, "%s", c.message);
	trace_case_free(&c);
}
END_TEST

/* Gangs of spot jobs: classes, models, CPUs. */
START_TEST(spot_classes_and_models)
{
	struct scenario *s = NULL;
	const struct pod_shape *shape;
	struct trace_case c;

	trace_case_read(&c, "spot", SPOT "1,13,A10,20,1,1,0,9,HP\n2,57,A100,15,2,16,5,410,Spot\n",
			NULL);
	ck_assert_uint_eq(c.summary.model_wishes, 2);
	ck_assert_uint_eq(c.summary.models_dropped, 2); /* no nodes, none of such a model */
	shape = builder_shape_at(c.builder,
				 builder_sets_of(c.builder, trace_case_job(&c, 1))->shape);
	ck_assert_int_eq(shape->request[RES_CPU], 15000);
	ck_assert_int_eq(shape->gpus, 2);
	ck_assert_int_eq(builder_finish(c.builder, &s, &c.err), ERR_OK);
	ck_assert_uint_eq(s->priority_class_count, 2);
	ck_assert_int_eq(s->jobs[0].common->pod_priority, 1000);
	ck_assert_int_eq(s->jobs[1].common->pod_priority, 0);
	scenario_free(s);
}
END_TEST

static const struct pod_constraints *constraints_of(const struct trace_case *c, uint32_t job)
{
	return builder_shape_at(c->builder,
				builder_sets_of(c->builder, trace_case_job(c, job))->shape)
		->constraints;
}

/* A limit of instances on a node is a spread constraint. */
START_TEST(instances_on_a_node)
{
	const struct spread_constraint *spread;
	struct trace_case c;

	trace_case_read(
		&c, "dlrm",
		DLRM "a,HN,x,1,1,64.0,-1,,,\nb,HN,x,1,1,64.0,2,,,\nc,HN,x,1,1,64.0,2.5,,,\n", NULL);
	ck_assert_uint_eq(c.summary.jobs, 2);
	ck_assert_uint_eq(trace_case_skipped(&c, "bad_max_instance_per_node"), 1);
	ck_assert_ptr_null(constraints_of(&c, 0));
	ck_assert_ptr_nonnull(constraints_of(&c, 1));
	ck_assert_uint_eq(constraints_of(&c, 1)->spread_count, 1);
	spread = constraints_of(&c, 1)->spreads;
	ck_assert_int_eq(spread->max_skew, 2);
	ck_assert_int_eq(spread->min_domains, INT32_MAX);
	ck_assert(spread->hard);
	trace_case_free(&c);
}
END_TEST

/* Half a GPU is no GPU, but 500 thousandths; a whole one is both. */
START_TEST(shares)
{
	const struct pod_shape *half, *whole;
	struct trace_case c;
	uint32_t share;

	trace_case_read(&c, "openb",
			OPENB
			"p,1500,1024,1,500,,LS,Running,0,9,0\nq,1,1,2,1000,,LS,Running,0,9,0\n",
			NULL);
	ck_assert(builder_find_resource(c.builder, RES_GPU_MILLI, &share));
	half = builder_shape_at(c.builder,
				builder_sets_of(c.builder, trace_case_job(&c, 0))->shape);
	ck_assert_int_eq(half->gpus, 0);
	ck_assert_int_eq(half->request[share], 500);
	ck_assert_int_eq(half->request[RES_CPU], 1500);
	ck_assert_int_eq(half->request[RES_MEMORY], (int64_t)1 << 30);
	whole = builder_shape_at(c.builder,
				 builder_sets_of(c.builder, trace_case_job(&c, 1))->shape);
	ck_assert_int_eq(whole->gpus, 2);
	ck_assert_int_eq(whole->request[share], 2000);
	trace_case_free(&c);
}
END_TEST

int main(void)
{
	TCase *t = tcase_create("all");

	tcase_add_loop_test(t, a_row_of_each, 0, ROWS(rows));
	tcase_add_loop_test(t, left_out, 0, ROWS(skip_rows));
	tcase_add_test(t, odd_files);
	tcase_add_loop_test(t, errors, 0, ROWS(error_rows));
	tcase_add_test(t, spot_classes_and_models);
	tcase_add_test(t, instances_on_a_node);
	tcase_add_test(t, shares);
	return trace_case_run("sim/trace/trace_csv", t);
}
