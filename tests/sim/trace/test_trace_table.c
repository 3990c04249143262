/* test_trace_table.c - the traps of each published format, one a row: what CATALOG.md
 * (section 2) warns of, a file of a few lines that has it, recognised by its content, and
 * what must come of it. */
#include "sim/scenario/scenario.h"
#include "tests/sim/trace_case.h"

#define S	CLOCK_SECOND
#define NO_WAIT (-1)
#define ENDLESS (-1)

#define PHILLY_TRY(start, end, gpus)                                                               \
	"{\"start_time\":" start ",\"end_time\":" end                                              \
	",\"detail\":[{\"ip\":\"m1\",\"gpus\":[" gpus "]}]}"
#define PHILLY_JOB(submit, attempts)                                                               \
	"{\"status\":\"Pass\",\"vc\":\"v\",\"jobid\":\"j\",\"attempts\":[" attempts                \
	"],\"submitted_time\":" submit ",\"user\":\"u\"}"
#define D(time) "\"2017-10-08 " time "\""
/* Gives the clock its zero. */
#define PHILLY_FIRST                                                                               \
	"{\"jobid\":\"first\",\"attempts\":[" PHILLY_TRY(                                          \
		D("00:00:00"), D("00:00:01"), "1") "],\"submitted_time\":" D("00:00:00") "},"
#define PHILLY_CSV "timestamp,duration,num_gpus,gpu_time,cluster\n"
#define HELIOS                                                                                     \
	"job_id,user,vc,gpu_num,cpu_num,node_num,state,submit_time,start_time,end_time,duration,"  \
	"queue\n"
#define HELIOS_FIRST                                                                               \
	"1,u,v,1,1,1,COMPLETED,2020-06-09 18:00:00,2020-06-09 18:00:00,2020-06-09 18:01:00,60,0\n"
#define SEREN                                                                                      \
	"job_id,user,node_num,gpu_num,cpu_num,type,state,submit_time,start_time,end_time,"         \
	"duration,queue,gpu_time\n"
#define KALOS                                                                                      \
	"job_id,user,node_num,gpu_num,cpu_num,mem_per_pod_GB,shared_mem_per_pod,type,state,"       \
	"submit_time,start_time,end_time,fail_time,stop_time,duration,queue,gpu_time\n"
#define KALOS_FIRST                                                                                \
	"a,u,1,8,1,1,1,Other,COMPLETED,2023-05-17 11:00:00+00:00,2023-05-17 11:00:00+00:00,"       \
	"2023-05-17 11:01:00+00:00,,,60,0.0,480\n"
#define OPENB                                                                                      \
	"name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,"        \
	"deletion_time,scheduled_time\n"
#define DLRM                                                                                       \
	"instance_sn,role,app_name,cpu_request,cpu_limit,gpu_request,gpu_limit,rdma_request,"      \
	"rdma_limit,memory_request,memory_limit,disk_request,disk_limit,max_instance_per_node,"    \
	"creation_time,scheduled_time,deletion_time\n"
#define TIRESIAS "job_id,num_gpu,submit_time,iterations,model_name,duration,interval\n"
#define CHRONUS                                                                                    \
	"job_id,user,num_gpu,submit_time,iterations,model_name,duration,interval,"                 \
	"expect_time_list,expect_value_list,best_effort,job_type\n"
#define SLURM                                                                                      \
	"id_job,id_array_task,id_user,state,time_submit,time_start,time_end,timelimit,mem_req,"    \
	"constraints,nodes_alloc,nodelist,tres_req,tres_alloc\n"
#define SLURM_ROW(id, times, req, alloc)                                                           \
	id ",4294967294,7,3," times ",4294967295,9.22337e18,\\N,1,\"['a','b']\",\"" req            \
	   "\",\"" alloc "\"\n"
#define SWF(id, submit, wait, run, procs, asked, status)                                           \
	"  " id " " submit " " wait " " run " " procs " -1 -1 " asked " -1 -1 " status             \
	" 3 1 -1 1 -1 -1 -1\n"
#define PAI_TASK(job, pods, start, end, gpu)                                                       \
	job ",worker," pods ",Terminated," start "," end ",600.0,29.3," gpu ",V100\n"

struct expected {
	int64_t submit, duration, wait; /* seconds of the job; wait NO_WAIT: none recorded */
	int64_t milli;			/* thousandths of a GPU of all its pods */
	uint32_t pods;
};

/* job: which of the jobs is looked at. left_out: the reason of how many rows; NULL: of none. */
static const struct {
	const char *trap, *format, *text, *companion;
	struct trace_options options;
	uint32_t jobs, job;
	struct expected is;
	const char *left_out;
	uint64_t left;
} traps[] = {
	/* 2, all of them */
	{"a byte order mark, CRLF, no newline at the end, blank lines", "itp",
	 "\xEF\xBB\xBFjob_id,submission_time,duration,num_gpu\r\n\r\na,5,600,1\r\n\r\nb,7,601,2",
	 .jobs = 2, .job = 1, .is = {7, 601, NO_WAIT, 2000, 1}},
	{"columns by name, unknown ones ignored", "itp",
	 "num_gpu,deadline,duration,job_id,submission_time,model\n2,99,600,a,5,bert\n", .jobs = 1,
	 .is = {5, 600, NO_WAIT, 2000, 1}},
	{"an empty field is missing, not 0", "itp",
	 "job_id,submission_time,duration,num_gpu\na,5,600,1\nb,,600,1\n", .jobs = 1,
	 .is = {5, 600, NO_WAIT, 1000, 1}, .left_out = "no_submit_time", .left = 1},
	{"numbers with a .0", "itp",
	 "job_id,submission_time,duration,num_gpu\na,4550879.0,600.0,8.0\n", .jobs = 1,
	 .is = {4550879, 600, NO_WAIT, 8000, 1}},
	{"the blank line at the end of philly.csv", "philly-csv",
	 PHILLY_CSV "2017-10-08 00:00:00,5.0,1,5.0,v\n\n", .jobs = 1,
	 .is = {0, 5, NO_WAIT, 1000, 1}},
	/* 2.1 Philly */
	{"keys in any order; GPUs over all servers", "philly",
	 "[" PHILLY_FIRST "{\"submitted_time\":" D(
		 "00:00:10") ",\"attempts\":[{\"detail\":[{\"gpus\":["
			     "\"gpu0\",\"gpu1\"],\"ip\":\"m1\"},{\"ip\":\"m2\",\"gpus\":[\"gpu3\"]}"
			     "],\"end_time\":" D("00:01:00") ",\"start_time\":" D(
				     "00:00:30") "}],\"jobid\":\"j\"}]",
	 .jobs = 2, .job = 1, .is = {10, 30, 20, 3000, 1}},
	{"no daylight saving: the night when the clock falls back", "philly",
	 "[" PHILLY_JOB("\"2017-11-05 00:58:00\"",
			PHILLY_TRY("\"2017-11-05 00:59:00\"", "\"2017-11-05 01:30:00\"", "1")) "]",
	 .jobs = 1, .is = {0, 1860, 60, 1000, 1}},
	{"a missing time is null, \"\" or None", "philly",
	 "[" PHILLY_JOB(D("00:00:00"), PHILLY_TRY("null", "null", "1")) "," PHILLY_JOB(
		 D("00:00:00"),
		 PHILLY_TRY("\"\"", "\"\"", "1")) "," PHILLY_JOB(D("00:00:00"),
								 PHILLY_TRY("\"None\"", "\"None\"",
									    "1")) "]",
	 .jobs = 0, .left_out = "no_usable_attempt", .left = 3},
	{"no attempts: never ran", "philly", "[" PHILLY_JOB(D("00:00:00"), "") "]", .jobs = 0,
	 .left_out = "no_attempts", .left = 1},
	{"no submitted time", "philly",
	 "[" PHILLY_JOB("null", PHILLY_TRY(D("00:00:00"), D("00:00:01"), "1")) "]", .jobs = 0,
	 .left_out = "no_submit_time", .left = 1},
	{"only an unusable attempt is dropped", "philly",
	 "[" PHILLY_JOB(D("00:00:00"), PHILLY_TRY(D("00:09:00"), D("00:01:00"), "1") "," PHILLY_TRY(
					       D("00:10:00"), D("00:11:00"), "1")) "]",
	 .jobs = 1, .is = {0, 60, 600, 1000, 1}},
	{"still running at the snapshot", "philly",
	 "[" PHILLY_JOB(D("00:00:00"), PHILLY_TRY(D("00:01:00"), "null", "1")) "]", .jobs = 0,
	 .left_out = "still_running_at_snapshot", .left = 1},
	{"still running, kept until the last moment of the file", "philly",
	 "[" PHILLY_JOB(D("00:00:00"), PHILLY_TRY(D("00:01:00"), "null", "1,2")) "," PHILLY_JOB(
		 "null", PHILLY_TRY("null", D("01:00:00"), "1")) "]",
	 .options = {.keep_unfinished = true}, .jobs = 1, .is = {0, 3540, 60, 2000, 1},
	 .left_out = "no_submit_time", .left = 1},
	{"still running after an attempt, kept: both", "philly",
	 "[" PHILLY_JOB(
		 D("00:00:00"),
		 PHILLY_TRY(D("00:01:00"), D("00:02:00"), "1") "," PHILLY_TRY(
			 D("00:10:00"), "\"None\"",
			 "1,2")) "," PHILLY_JOB(D("00:20:00"),
						PHILLY_TRY(D("00:20:00"), D("00:20:05"), "1")) "]",
	 .options = {.keep_unfinished = true}, .jobs = 2, .is = {0, 665, 60, 2000, 1}},
	{"zero GPUs", "philly",
	 "[" PHILLY_JOB(D("00:00:00"), PHILLY_TRY(D("00:01:00"), D("00:02:00"), "")) "]", .jobs = 0,
	 .left_out = "zero_gpus", .left = 1},
	{"service is the sum of attempts, demand the most, a wait below 0 is none", "philly",
	 "[" PHILLY_FIRST PHILLY_JOB(D("00:00:10"),
				     PHILLY_TRY(D("00:00:05"), D("00:01:05"), "1") "," PHILLY_TRY(
					     D("00:02:00"), D("00:03:00"), "1,2")) "]",
	 .jobs = 2, .job = 1, .is = {10, 120, 0, 2000, 1}},
	{"attempts=separate: a retry comes as the attempt before it ends", "philly",
	 "[" PHILLY_FIRST PHILLY_JOB(D("00:00:10"),
				     PHILLY_TRY(D("00:00:15"), D("00:01:05"), "1") "," PHILLY_TRY(
					     D("00:02:00"), D("00:03:00"), "1,2")) "]",
	 .options = {.separate_attempts = true}, .jobs = 3, .job = 2, .is = {65, 60, 55, 2000, 1}},
	/* 2.2 philly.csv */
	{"not sorted: the earliest submit is 0, wherever it stands", "philly-csv",
	 PHILLY_CSV "2017-10-08 00:00:09,5.0,1,5.0,v\n2017-10-08 00:00:00,1.0,2,2.0,v\n", .jobs = 2,
	 .is = {9, 5, NO_WAIT, 1000, 1}},
	{"equal rows are different jobs", "philly-csv",
	 PHILLY_CSV "2017-10-08 00:00:09,5.0,1,5.0,v\n2017-10-08 00:00:09,5.0,1,5.0,v\n", .jobs = 2,
	 .job = 1, .is = {0, 5, NO_WAIT, 1000, 1}},
	/* 2.3 Helios */
	{"gpu_num is of the whole job: 12 on 5 nodes are 4 of 3 GPUs", "helios",
	 HELIOS HELIOS_FIRST "2,u,v,12,1,5,COMPLETED,2020-06-09 18:00:05,2020-06-09 18:00:08,"
			     "2020-06-09 18:00:18,10,3\n",
	 .jobs = 2, .job = 1, .is = {5, 10, 3, 12000, 4}},
	{"the last node has fewer", "helios",
	 HELIOS HELIOS_FIRST "2,u,v,11,1,2,FAILED,2020-06-09 18:00:05,2020-06-09 18:00:08,"
			     "2020-06-09 18:00:18,10,3\n",
	 .jobs = 2, .job = 1, .is = {5, 10, 3, 11000, 2}},
	{"the simulator's copy has jobname", "helios",
	 "jobname,job_id,user,vc,gpu_num,cpu_num,node_num,state,submit_time,start_time,end_time,"
	 "duration,queue\nx,1,u,v,1,1,1,COMPLETED,2020-06-09 18:00:00,2020-06-09 18:00:00,"
	 "2020-06-09 18:01:00,60,0\r\n",
	 .jobs = 1, .is = {0, 60, 0, 1000, 1}},
	{"CPU jobs", "helios",
	 HELIOS HELIOS_FIRST "2,u,v,0,4,1,COMPLETED,2020-06-09 18:00:05,2020-06-09 18:00:08,"
			     "2020-06-09 18:00:18,10,3\n",
	 .jobs = 1, .is = {0, 60, 0, 1000, 1}, .left_out = "cpu_only", .left = 1},
	{"the suspended row", "helios",
	 HELIOS HELIOS_FIRST "2,u,v,4,4,1,SUSPENDED,2020-06-09 18:00:05,2020-06-09 18:00:08,"
			     "2020-06-09 18:00:18,10,3\n",
	 .jobs = 1, .is = {0, 60, 0, 1000, 1}, .left_out = "suspended", .left = 1},
	/* 2.4 Acme */
	{"times carry an offset: +08:00 and +00:00 on one clock", "acme",
	 SEREN "1,u,1,8,1,Other,FAILED,2023-03-01 00:00:00+08:00,2023-03-01 00:00:00+08:00,"
	       "2023-03-01 00:01:00+08:00,60,0,480.0\n"
	       "2,u,1,8,1,Other,FAILED,2023-02-28 16:00:10+00:00,2023-02-28 16:00:42+00:00,"
	       "2023-02-28 16:01:42+00:00,60,32,480.0\n",
	 .jobs = 2, .job = 1, .is = {10, 60, 32, 8000, 1}},
	{"Kalos' duration begins at the submit: end - start counts; queue is 10.0", "acme",
	 KALOS KALOS_FIRST "dlc1,u,2,16,1,1000,100.0,Other,FAILED,2023-05-17 11:00:58+00:00,"
			   "2023-05-17 11:01:08+00:00,2023-05-17 11:01:16+00:00,"
			   "2023-05-17 11:01:16+00:00,,18,10.0,288\n",
	 .jobs = 2, .job = 1, .is = {58, 8, 10, 16000, 2}},
	{"cancelled in the queue: no start", "acme",
	 SEREN
	 "1,u,1,8,1,Other,CANCELLED,2023-03-01 00:00:00+08:00,,2023-03-01 00:01:00+08:00,60,60,"
	 "0\n",
	 .jobs = 0, .left_out = "never_started", .left = 1},
	/* 2.5 PAI */
	{"no headers; submitted at the job's start, works from its earliest task", "pai",
	 "j,i,u,Terminated,5.0,100.0\n",
	 PAI_TASK("j", "2.0", "20.0", "100.0", "50.0")
		 PAI_TASK("j", "1.0", "15.5", "100.0", "100.0"),
	 .jobs = 1, .is = {5, 84, 10, 2000, 3}},
	{"plan_gpu 25 is a share, never rounded up", "pai", "j,i,u,Terminated,5,100\n",
	 PAI_TASK("j", "1.0", "5.0", "100.0", "25.0"), .jobs = 1, .is = {5, 95, 0, 250, 1}},
	{"plan_gpu may be empty: none", "pai", "j,i,u,Terminated,5,100\n",
	 PAI_TASK("j", "1.0", "5.0", "100.0", ""), .jobs = 0, .left_out = "cpu_only", .left = 1},
	{"800 is eight GPUs", "pai", "j,i,u,Failed,5,100\n",
	 PAI_TASK("j", "2.0", "5.0", "100.0", "800.0"), .jobs = 1, .is = {5, 95, 0, 16000, 2}},
	{"Waiting: no times", "pai", "j,i,u,Waiting,,\n", PAI_TASK("j", "1", "", "", "100"),
	 .jobs = 0, .left_out = "waiting_no_times", .left = 1},
	{"Running: no end", "pai", "j,i,u,Running,5,\n", PAI_TASK("j", "1", "6", "", "100"),
	 .jobs = 0, .left_out = "running_no_end", .left = 1},
	{"Running, kept until the trace's end", "pai",
	 "j,i,u,Running,5,\nother,i,u,Terminated,5,99\n",
	 PAI_TASK("j", "1", "6", "", "100") PAI_TASK("other", "1", "6", "99", "100"),
	 .options = {.keep_unfinished = true}, .jobs = 2, .is = {5, 93, 1, 1000, 1}},
	{"Running since the trace's end: nothing is known of it", "pai", "j,i,u,Running,5,\n",
	 PAI_TASK("j", "1", "6", "", "100"), .options = {.keep_unfinished = true}, .jobs = 0,
	 .left_out = "started_at_the_end", .left = 1},
	{"end not after start", "pai", "j,i,u,Terminated,5,9\n",
	 PAI_TASK("j", "1", "9", "9", "100"), .jobs = 0, .left_out = "zero_duration", .left = 1},
	/* 2.6 openb */
	{"scheduled_time comes last", "openb", OPENB "p,1,1,2,1000,,LS,Running,3,20,8.0\n",
	 .jobs = 1, .is = {3, 12, 5, 2000, 1}},
	{"lists of five columns: no times, they all stay", "openb",
	 "name,cpu_milli,memory_mib,num_gpu,gpu_milli\np,1,1,8,1000\n", .jobs = 1,
	 .is = {0, ENDLESS, NO_WAIT, 8000, 1}},
	{"one GPU: gpu_milli is the share", "openb", OPENB "p,1,1,1,460,,LS,Running,0,9,0\n",
	 .jobs = 1, .is = {0, 9, 0, 460, 1}},
	{"several: gpu_milli is of each", "openb", OPENB "p,1,1,4,1000,,LS,Running,0,9,0\n",
	 .jobs = 1, .is = {0, 9, 0, 4000, 1}},
	{"CPU pods are pods", "openb", OPENB "p,1,1,0,0,,LS,Running,0,9,0\n", .jobs = 1,
	 .is = {0, 9, 0, 0, 1}},
	{"never scheduled: works as long as it lived", "openb",
	 OPENB "p,1,1,1,1000,V100M16|V100M32,BE,Pending,1,95,\n", .jobs = 1,
	 .is = {1, 94, NO_WAIT, 1000, 1}},
	/* 2.7 DLRM, spot */
	{"no creation: there from the start", "dlrm",
	 DLRM "b,HN,y,2,2,1,1,1,1,3.5,4,1,2,-1,,,7.25\n", .jobs = 1, .is = {0, 7, 0, 1000, 1}},
	{"no deletion: alive at the end", "dlrm", DLRM "b,HN,y,2,2,1,1,1,1,3.5,4,1,2,3,4.0,6.0,\n",
	 .jobs = 1, .is = {4, ENDLESS, 2, 1000, 1}},
	{"neither", "dlrm", DLRM "b,HN,y,2,2,1,1,1,1,3.5,4,1,2,-1,,,\n", .jobs = 1,
	 .is = {0, ENDLESS, 0, 1000, 1}},
	{"no run time: kept, without service", "dlrm",
	 DLRM "b,CN,y,2,2,0,0,1,1,3.5,4,1,2,-1,4.0,6.0,6.0\n", .jobs = 1, .is = {4, 0, 2, 0, 1}},
	{"columns of the README's order; gpu_request is of a worker", "spot",
	 "job_name,organization,gpu_model,cpu_request,gpu_request,worker_num,submit_time,duration,"
	 "job_type\n2,57,A100,15,2,16,5,41060,Spot\n",
	 .jobs = 1, .is = {5, 41060, NO_WAIT, 32000, 16}},
	{"another order", "spot",
	 "job_type,worker_num,gpu_request,cpu_request,submit_time,duration,organization,gpu_model,"
	 "job_name\nHP,1,8,15,5,60,57,A100,2\n",
	 .jobs = 1, .is = {5, 60, NO_WAIT, 8000, 1}},
	/* 2.9 Gavel */
	{"7 fields; a command with blanks and %s", "gavel",
	 "ResNet-18 (batch size 32)\tcd a && python3 main.py --data_dir=%s/x "
	 "\"q\t--steps\t1\t3600\t"
	 "12.5\t2\n",
	 .jobs = 1, .is = {12, 3600, NO_WAIT, 2000, 1}},
	{"10 fields: the arrival is the last", "gavel",
	 "LM (batch size 5)\tpython3 main.py\tdir\t--steps\t1\t900\t4\t1\t-1.000000\t77\n",
	 .jobs = 1, .is = {77, 3600, NO_WAIT, 4000, 1}},
	{"duration is steps / throughput, the batch size part of the name", "gavel",
	 "LM (batch size 5)\tc\t-s\t1\t900\t0\t1\n",
	 "{\"v100\": {\"('LM (batch size 5)', 1)\": {\"null\": 9.0}, \"('LM (batch size 50)', "
	 "1)\": "
	 "{\"null\": 1.0}}}",
	 .jobs = 1, .is = {0, 100, NO_WAIT, 1000, 1}},
	/* 2.10 the simulators */
	{"no duration; seconds may be fractions", "sia",
	 "name,time,application,num_replicas,batch_size\na,1.5,bert,2,12\n", .jobs = 1,
	 .is = {1, 3600, NO_WAIT, 2000, 1}},
	{"seconds, CRLF", "tiresias", TIRESIAS "0,8,30,133,vgg11,147,23\r\n", .jobs = 1,
	 .is = {30, 147, NO_WAIT, 8000, 1}},
	{"milliseconds", "muri",
	 "job_id,num_gpu,submit_time,iterations,model_name,batch_size,duration,interval,"
	 "iteration_time,resource_time_0,resource_time_1,resource_time_2,priority\r\n"
	 "0,8,201694000,1,dqn,128,4472936500,1,1,1,1,0.5,0\r\n",
	 .jobs = 1, .is = {201694, 4472936, NO_WAIT, 8000, 1}},
	{"real_duration counts", "elasticflow",
	 "job_id,submit_time,real_iteration,model_name,ddl,batch_size,num_gpu,real_duration,"
	 "duration,"
	 "iteration\n0,7,1,m,1,1,4,20,99,1\n",
	 .jobs = 1, .is = {7, 20, NO_WAIT, 4000, 1}},
	{"Chronus: unsorted, rows of no GPU", "tiresias",
	 CHRONUS "0,u,0,9,1,m,5,1,a,b,0,x\n1,u,2,8,1,m,5,1,a,b,0,x\n2,v,1,3,1,m,4,1,a,b,1,y\n",
	 .jobs = 2, .is = {8, 5, NO_WAIT, 2000, 1}, .left_out = "zero_gpus", .left = 1},
	/* 2.11 SWF */
	{"comments, blanks before numbers, decimals", "swf",
	 "; UnixStartTime: 1000000000\n;\n; MaxProcs: 8\n" SWF("1", "5", "2", "18.00", "4", "4",
							       "1"),
	 .jobs = 1, .is = {0, 18, 2, 4000, 1}},
	{"no processors allocated: as many as requested", "swf",
	 SWF("1", "5", "2", "18", "-1", "6", "1"), .jobs = 1, .is = {5, 18, 2, 6000, 1}},
	{"neither", "swf", SWF("1", "5", "2", "18", "-1", "-1", "1"), .jobs = 0,
	 .left_out = "no_procs", .left = 1},
	{"no run", "swf",
	 SWF("1", "5", "2", "0", "4", "4", "5") SWF("2", "5", "2", "-1", "4", "4", "0"), .jobs = 0,
	 .left_out = "zero_run", .left = 2},
	{"partial records of a checkpointed job", "swf",
	 SWF("1", "5", "2", "18", "4", "4", "2") SWF("1", "5", "2", "18", "4", "4", "3")
		 SWF("1", "5", "2", "18", "4", "4", "4") SWF("1", "5", "2", "54", "4", "4", "1"),
	 .jobs = 1, .is = {5, 54, 2, 4000, 1}, .left_out = "partial_record", .left = 3},
	{"wait -1: no queueing is recorded", "swf", SWF("1", "5", "-1", "18", "4", "4", "1"),
	 .jobs = 1, .is = {5, 18, NO_WAIT, 4000, 1}},
	/* 2.12 Slurm accounting */
	{"commas inside of quotes, sentinels; GPUs as requested, not as allocated", "supercloud",
	 SLURM SLURM_ROW("16051200000000.0", "1600000000,1600000003,1600000103",
			 "1=20,2=170000,3=18446744073709551614,4=1,5=20,1002=1", "1=40,4=1,1002=2"),
	 .jobs = 1, .is = {0, 100, 3, 1000, 1}},
	{"ids collide: they are no names", "supercloud",
	 SLURM SLURM_ROW("16051200000000.0", "1600000000,1600000003,1600000103", "1002=1", "")
		 SLURM_ROW("16051200000000.0", "1600000001,1600000003,1600000103", "1001=2", ""),
	 .jobs = 2, .job = 1, .is = {1, 100, 2, 2000, 1}},
};

static void load(struct trace_case *c, int row)
{
	struct source other = {.name = "c", .data = traps[row].companion};
	struct trace_options options = traps[row].options;
	const struct trace_format *format;

	if (other.data != NULL)
		other.size = strlen(other.data);
	options.companions = &other;
	options.companion_count = other.data != NULL;
	*c = (struct trace_case){
		.source = {.name = "t", .data = traps[row].text, .size = strlen(traps[row].text)}};
	format = trace_detect(&c->source);
	ck_assert_msg(format != NULL, "%s: not recognised", traps[row].trap);
	ck_assert_str_eq(format->name, traps[row].format);
	c->builder = builder_new();
	c->code = trace_read(format, &c->source, &options, c->builder, &c->summary, &c->err);
	if (c->code != ERR_OK)
		err_format(&c->err, c->message, sizeof(c->message));
	ck_assert_msg(c->code == ERR_OK, "%s: %s", traps[row].trap, c->message);
}

static uint32_t pods_of(const struct trace_case *c, const struct job *job)
{
	const struct pod_set *sets = builder_sets_of(c->builder, job);
	uint32_t pods = 0;

	for (uint32_t i = 0; i < job->common->pod_set_count; i++)
		pods += sets[i].count;
	return pods;
}

static struct expected what_became_of(const struct trace_case *c, uint32_t index)
{
	const struct job *job = trace_case_job(c, index);
	simtime start = builder_job_started(c->builder, index);

	return (struct expected){.submit = job->submit / S,
				 .duration =
					 job->duration == JOB_ENDLESS ? ENDLESS : job->duration / S,
				 .wait = start == CLOCK_NEVER ? NO_WAIT : (start - job->submit) / S,
				 .milli = trace_pods_milli(c->builder, job),
				 .pods = pods_of(c, job)};
}

START_TEST(each_trap)
{
	const struct expected *is = &traps[_i].is;
	struct expected found;
	struct trace_case c;

	load(&c, _i);
	trace_case_adds_up(&c);
	ck_assert_msg(c.summary.jobs == traps[_i].jobs, "%s: %d jobs", traps[_i].trap,
		      (int)c.summary.jobs);
	if (traps[_i].left_out != NULL)
		ck_assert_msg(trace_case_skipped(&c, traps[_i].left_out) == traps[_i].left, "%s",
			      traps[_i].trap);
	else
		ck_assert_uint_eq(c.summary.reason_count, 0);
	if (traps[_i].jobs != 0) {
		found = what_became_of(&c, traps[_i].job);
		ck_assert_msg(
			found.submit == is->submit && found.duration == is->duration &&
				found.wait == is->wait && found.milli == is->milli &&
				found.pods == is->pods,
			"%s: submit %lld, duration %lld, wait %lld, %lld thousandths, %u pods",
			traps[_i].trap, (long long)found.submit, (long long)found.duration,
			(long long)found.wait, (long long)found.milli, found.pods);
	}
	trace_case_free(&c);
}
END_TEST

/* Files of the same folders that are no list of jobs. */
static const char *const no_lists[] = {
	"duration\n12\n13\n", /* yarn-gput */
	"10,12,30\n",	      /* tf_job */
	"",
	"\n\n",
	"\xEF\xBB\xBF",
};

START_TEST(no_list_of_jobs)
{
	struct source source = {.name = "t", .data = no_lists[_i], .size = strlen(no_lists[_i])};

	ck_assert_ptr_null(trace_detect(&source));
}
END_TEST

/* Equal submits keep the order of the file, whatever else is sorted. */
START_TEST(equal_submits_keep_their_order)
{
	struct scenario *s = NULL;
	struct trace_case c;

	trace_case_read(&c, "itp",
			"job_id,submission_time,duration,num_gpu\nc,5,9,1\na,2,9,1\nb,5,9,1\n"
			"d,2,9,1\n",
			NULL);
	ck_assert_int_eq(builder_finish(c.builder, &s, &c.err), ERR_OK);
	ck_assert_uint_eq(scenario_by_submit(s, 0), 1);
	ck_assert_uint_eq(scenario_by_submit(s, 1), 3);
	ck_assert_uint_eq(scenario_by_submit(s, 2), 0);
	ck_assert_uint_eq(scenario_by_submit(s, 3), 2);
	scenario_free(s);
}
END_TEST

/* What cannot be read whole says so; nothing aborts. Every format, broken in every way. */
static const char *const breaks[] = {"nothing",	 "cut",	 "nul",	 "huge",
				     "negative", "bits", "crlf", "header"};

static size_t damage(char *text, size_t len, int how)
{
	static const char *const digits = "99999999999999999999";
	char *digit = text + strcspn(text, "0123456789");
	char *line = strchr(text, '\n');

	switch (how) {
	case 1:
		return len / 2;
	case 2:
		text[len / 2] = '\0';
		return len;
	case 3:
		if (*digit == '\0')
			return len;
		memmove(digit + 20, digit, len - (size_t)(digit - text));
		memcpy(digit, digits, 20);
		return len + 20;
	case 4:
		if (*digit != '\0')
			*digit = '-';
		return len;
	case 5:
		for (size_t i = 0; i < len; i += 3)
			text[i] = (char)(text[i] ^ (char)0x80);
		return len;
	case 6:
		if (line != NULL)
			*line = '\r';
		return len;
	case 7:
		return line != NULL ? (size_t)(line - text) + 1 : len;
	default:
		return len;
	}
}

START_TEST(broken_files)
{
	const char *original = traps[_i].text;
	char text[2200];

	for (int how = 0; how < ROWS(breaks); how++) {
		struct trace_options options = traps[_i].options;
		struct source source = {.name = "t", .data = text};
		struct source other = {.name = "c", .data = traps[_i].companion};
		struct trace_summary summary;
		struct builder *builder = builder_new();
		struct err err = {0};
		enum err_code code;

		ck_assert_uint_lt(strlen(original), sizeof(text) - 32);
		memset(text, 0, sizeof(text));
		memcpy(text, original, strlen(original));
		source.size = damage(text, strlen(original), how);
		if (other.data != NULL)
			other.size = strlen(other.data);
		options.companions = &other;
		options.companion_count = other.data != NULL;
		trace_detect(&source);
		code = trace_read(trace_find(traps[_i].format), &source, &options, builder,
				  &summary, &err);
		ck_assert_msg(code == ERR_OK || err.msg[0] != '\0', "%s, %s", traps[_i].trap,
			      breaks[how]);
		if (how == 2)
			ck_assert_msg(code != ERR_OK, "%s: a NUL byte is taken", traps[_i].trap);
		builder_free(builder);
	}
}
END_TEST

int main(void)
{
	TCase *t = tcase_create("traps");

	tcase_add_loop_test(t, each_trap, 0, ROWS(traps));
	tcase_add_loop_test(t, no_list_of_jobs, 0, ROWS(no_lists));
	tcase_add_test(t, equal_submits_keep_their_order);
	tcase_add_loop_test(t, broken_files, 0, ROWS(traps));
	return trace_case_run("sim/trace/trace_table", t);
}
