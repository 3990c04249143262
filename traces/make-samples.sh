#!/bin/sh
# make-samples.sh - writes the samples of this folder: small, of our own making, the
# same bytes on every run. They show the formats; they say nothing about real clusters.
# Usage: traces/make-samples.sh [FOLDER]   (default: the folder of this script)
LC_ALL=C
export LC_ALL
out=${1:-$(dirname "$0")}

# A job a line: seconds after 2017-10-02 00:00:00, GPUs, seconds, virtual cluster.
# Numbers come from a linear congruential generator within 2^31, exact in any awk.
list() {
	awk '
	function draw(n) { seed = (seed * 1103515 + 12345) % 2147483648; return int(seed / 65536) % n }
	BEGIN {
		seed = 20171002
		split("1 1 1 1 1 1 2 2 4 8 12 16", gpus); split("vision speech search", vc)
		for (i = 0; i < 120; i++) {
			t += draw(4) ? draw(800) : 0
			print t, gpus[1 + draw(12)], 30 + draw(90) * draw(90), vc[1 + draw(3)]
		}
	}'
}

# The gqsim job list.
list | awk '
BEGIN { print "job_id,submit_s,gpus,duration_s,vc" }
{ print "job-" NR "," $1 "," $2 "," $3 "," $4 }' > "$out/jobs.csv"

clock='function clock(s, d) {
	d = int(s / 86400); s %= 86400
	return sprintf("2017-10-%02d %02d:%02d:%02d", 2 + d, int(s / 3600), int(s / 60) % 60, s % 60)
}'

# Philly as CSV: unsorted, floats that are whole, a blank line at the end.
list | awk "$clock"'
{ row[NR] = clock($1) "," $3 ".0," $2 "," $2 * $3 ".0," $4 }
END {
	print "timestamp,duration,num_gpus,gpu_time,cluster"
	for (i = 1; i <= NR; i++) print row[(i * 7) % NR + 1]
	print ""
}' > "$out/philly.csv"
printf 'vc,node num\nvision,4\nspeech,3\nsearch,1\n' > "$out/philly_vc.csv"

# cluster_job_log: waits, retries, and the defects that the real file has.
list | awk "$clock"'
function attempt(start, end, gpus, i, left, text) {
	text = "{\"start_time\": " start ", \"end_time\": " end ", \"detail\": ["
	for (i = 1; gpus > 0; i++) {
		left = gpus > 8 ? 8 : gpus; gpus -= left
		text = text (i > 1 ? ", " : "") "{\"ip\": \"m" NR % 40 + i "\", \"gpus\": ["
		while (left > 0) { text = text "\"gpu" left - 1 "\"" (left > 1 ? ", " : ""); left-- }
		text = text "]}"
	}
	return text "]}"
}
function quoted(s) { return "\"" s "\"" }
{
	start = NR % 20 == 3 ? $1 - 5 : $1 + NR % 5 * 60; end = start + $3
	attempts = attempt(quoted(clock(start)), quoted(clock(end)), $2)
	if (NR % 20 == 7) attempts = ""                                          # never ran
	if (NR % 20 == 9) attempts = attempt(quoted(clock(start)), "null", $2)   # still runs
	if (NR % 20 == 11) attempts = attempt("\"None\"", "\"None\"", $2)        # not logged
	if (NR % 20 == 13) attempts = attempt(quoted(clock(end)), quoted(clock(start)), $2)
	if (NR % 20 == 15) attempts = attempt(quoted(clock(start)), quoted(clock(end)), 0)
	if (NR % 20 == 17) attempts = attempt("\"\"", "\"\"", $2) ", " attempts  # a retry
	printf "%s{\"status\": \"%s\", \"vc\": \"%s\", \"jobid\": \"application_%d\",\n \"attempts\": [%s],\n \"submitted_time\": %s, \"user\": \"u%d\"}",
		NR == 1 ? "[\n" : ",\n", NR % 4 ? "Pass" : "Killed", $4, 1506800000 + NR, attempts,
		NR % 20 == 19 ? "null" : quoted(clock($1)), NR % 9
}
END { print "\n]" }' > "$out/cluster_job_log"

# SenseTime Helios: GPUs of the whole job over its nodes, CPU jobs, jobs that never ran.
list | awk "$clock"'
BEGIN { print "job_id,user,vc,gpu_num,cpu_num,node_num,state,submit_time,start_time,end_time,duration,queue"
	split("COMPLETED CANCELLED FAILED TIMEOUT NODE_FAIL", state) }
{
	gpus = NR % 10 == 4 ? 0 : $2; wait = NR % 7 * 30; run = NR % 25 == 8 ? 0 : $3
	printf "%d,u%d,%s,%d,%d,%d,%s,%s,%s,%s,%d,%d%s\n", 1400000 + NR, NR % 9, $4, gpus, gpus * 6 + 2,
		(gpus > 8 ? 2 : 1), state[1 + NR % 5], clock($1), clock($1 + wait), clock($1 + wait + run),
		run, wait, NR == 120 ? "\r" : ""
}' > "$out/helios_cluster_log.csv"

# How big the virtual clusters were, a day a line.
cat > "$out/helios_cluster_gpu_number.csv" <<'END'
date,vision,speech,search,total
2017-10-01,32,16,0,48
2017-10-02,32,16,8,56
2017-10-03,32,24,8,64
END

# Acme: Seren at UTC+8, Kalos at UTC and with a duration that begins at the submit.
acme='BEGIN { split("COMPLETED CANCELLED FAILED", state); split("Pretrain Evaluation Other", type) }'
list | awk "$clock$acme"'
NR == 1 { print "job_id,user,node_num,gpu_num,cpu_num,type,state,submit_time,start_time,end_time,duration,queue,gpu_time" }
NR <= 60 {
	gpus = NR % 6 == 2 ? 0 : $2; wait = NR % 5 * 16
	printf "57%05d,u%d,%d,%d,%d,%s,%s,%s+08:00,%s,%s+08:00,%d,%d,%.1f\n", NR, NR % 4, (gpus > 8 ? 2 : 1),
		gpus, gpus * 16 + 8, type[1 + NR % 3], NR % 20 == 9 ? "CANCELLED" : state[1 + NR % 3], clock($1),
		NR % 20 == 9 ? "" : clock($1 + wait) "+08:00", clock($1 + wait + $3), $3, wait, $3 * gpus
}' > "$out/acme_trace_seren.csv"
list | awk "$clock$acme"'
NR == 1 { print "job_id,user,node_num,gpu_num,cpu_num,mem_per_pod_GB,shared_mem_per_pod,type,state,submit_time,start_time,end_time,fail_time,stop_time,duration,queue,gpu_time" }
NR <= 60 {
	nodes = 1 + NR % 8; wait = NR % 5 * 10; end = $1 + wait + $3; failed = NR % 3 == 2
	printf "dlc%06x,u%d,%d,%d,%d,1000,100.0,%s,%s,%s+00:00,%s+00:00,%s+00:00,%s,,%d,%.1f,%.1f\n", NR * 977,
		NR % 4, nodes, nodes * 8, nodes * 120, type[1 + NR % 3], failed ? "FAILED" : "COMPLETED",
		clock($1), clock($1 + wait), clock(end), failed ? clock(end) "+00:00" : "", $3 + wait, wait,
		($3 + wait) * nodes * 8
}' > "$out/acme_trace_kalos.csv"

# Alibaba PAI 2020: no headers; shared GPUs, parameter servers, jobs without an end.
list | awk -v jobs="$out/pai_job_table.csv" -v tasks="$out/pai_task_table.csv" '
BEGIN { split("50 25 100 200 10", gpu); split("T4 MISC V100 P100", model); split("Terminated Failed Terminated", state) }
NR <= 60 {
	name = sprintf("job%04x", NR * 257); status = state[1 + NR % 3]; start = $1 + 20; end = start + $3
	if (NR % 15 == 6) status = "Running"
	if (NR % 15 == 11) status = "Waiting"
	printf "%s,inst%d,u%d,%s,%s,%s\n", name, NR, NR % 5, status, status == "Waiting" ? "" : $1 ".0",
		status == "Running" || status == "Waiting" ? "" : end ".0" > jobs
	if (NR % 4 == 1)
		printf "%s,ps,1.0,%s,%s,%s,600.0,29.296875,,\n", name, status, start ".0", end ".0" > tasks
	printf "%s,%s,%d.0,%s,%s,%s,%d.0,29.296875,%s,%s\n", name, NR % 2 ? "worker" : "tensorflow", 1 + NR % 3,
		status, status == "Waiting" ? "" : start ".0", status == "Running" || status == "Waiting" ? "" : end ".0",
		400 + NR % 2 * 200, NR % 12 == 5 ? "" : gpu[1 + NR % 5] ".0", model[1 + NR % 4] > tasks
}'
awk 'BEGIN { split("T4 MISC V100 P100", model)
	for (i = 1; i <= 8; i++) printf "machine%d,%s,96,512,%d\n", i, model[1 + i % 4], i % 4 == 2 ? 8 : 2
	print "machine9,CPU,96,512,0" }' > "$out/pai_machine_spec.csv"

# Alibaba openb 2023: shares, models, pods that never ran; scheduled_time comes last.
list | awk '
BEGIN { print "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,deletion_time,scheduled_time"
	split("1000 460 320 810", part); split("LS BE Burstable LS", qos) }
{
	gpus = NR % 8 == 3 ? 0 : NR % 20 == 7 ? 2 : 1; pending = NR % 12 == 5
	printf "openb-pod-%04d,%d,%d,%d,%d,%s,%s,%s,%d,%d,%s\n", NR - 1, 1000 + NR % 6 * 1000, 4096 + NR % 4 * 4096,
		gpus, gpus == 1 ? part[1 + NR % 4] : gpus * 500, NR % 10 == 1 ? "V100M16|V100M32" : "",
		qos[1 + NR % 4], pending ? "Pending" : NR % 3 ? "Succeeded" : "Failed", $1, $1 + 9 + $3,
		pending ? "" : $1 + NR % 9 ".0"
}' | awk -F, -v OFS=, '{ if ($4 == 2) $5 = 1000; print }' > "$out/openb_pod_list.csv"
awk 'BEGIN { print "sn,cpu_milli,memory_mib,gpu,model"; split("P100 T4 V100M16 V100M32 G2", model)
	for (i = 0; i < 10; i++) printf "openb-node-%04d,%d,%d,%d,%s\n", i, 64000, 262144, i == 9 ? 0 : 2, i == 9 ? "" : model[1 + i % 5]
}' > "$out/openb_node_list.csv"

# Alibaba DLRM 2025: services, some there before the trace began, some that stay.
list | awk '
BEGIN { print "instance_sn,role,app_name,cpu_request,cpu_limit,gpu_request,gpu_limit,rdma_request,rdma_limit,memory_request,memory_limit,disk_request,disk_limit,max_instance_per_node,creation_time,scheduled_time,deletion_time" }
NR <= 60 {
	hn = NR % 3 == 0; cpu = hn ? 64 : 16; memory = cpu * 4
	printf "instance_%d,%s,app_%d,%d,%d,%d,%d,%d,%d,%d.0,%d.0,60.0,100.0,%d,%s,%s,%s\n", NR, hn ? "HN" : "CN", NR % 5,
		cpu, cpu, hn, hn, 25, 25, memory, memory, NR % 7 ? -1 : 2, NR % 6 == 1 ? "" : $1 ".0",
		NR % 6 == 1 ? "" : $1 + NR % 4 ".0", NR % 5 == 2 ? "" : $1 + 9 + $3 ".0"
}' > "$out/dlrm_instances.csv"

# Alibaba spot 2026: gangs, high-priority and spot.
list | awk '
BEGIN { print "job_name,organization,gpu_model,cpu_request,gpu_request,worker_num,submit_time,duration,job_type" }
{ printf "%d,%d,%s,%d,%d,%d,%d,%d,%s\n", 200000 + NR, NR % 4, NR % 3 ? "A10" : "A100-SXM4-80GB", 8 + NR % 2 * 12,
	1 + NR % 2, 1 + NR % 5, $1, $3, NR % 4 == 1 ? "Spot" : "HP" }' > "$out/spot_job_info.csv"
awk 'BEGIN { print "gpu_model,gpu_capacity_num,cpu_num,node_name"
	for (i = 0; i < 12; i++) printf "%s,%d,128,node-%d\n", i % 3 ? "A10" : "A100-SXM4-80GB", i % 3 ? 4 : 8, i
}' > "$out/spot_node_info.csv"

# Microsoft ITP 2021: sorted, nothing under ten minutes.
list | awk 'BEGIN { print "job_id,submission_time,duration,num_gpu" }
{ printf "%08x-0000-4000-8000-%012x,%d,%d,%d\n", NR * 7919, NR * 104729, $1 + 1999, $3 + 600, $2 }' > "$out/itp_cluster.csv"

# Simulators: Gavel in both layouts and its throughputs, Sia, Tiresias, Muri, ElasticFlow.
list | awk -v msr="$out/gavel_msr.trace" -v physical="$out/gavel_physical.trace" '
BEGIN { split("ResNet-18 (batch size 32);Transformer (batch size 64);A3C", type, ";") }
{ printf "%s\tcd %%s/gpusched && python3 main.py --data %%s\t-n\t1\t%d\t%d.000000\t%d\n", type[1 + NR % 3], $3 * 10, $1, $2 > msr
  printf "%s\tpython3 main.py --data_dir=%%s\tdir\t--num_steps\t1\t%d\t%d\t1\t-1.000000\t%d\n", type[1 + NR % 3], $3 * 10, $2, $1 > physical }'
awk 'BEGIN {
	split("ResNet-18 (batch size 32);Transformer (batch size 64);A3C", type, ";"); n = split("1 2 4 8 12 16", gpus)
	printf "{"
	for (m = 1; m <= 2; m++) {
		printf "%s\"%s\": {", (m > 1 ? ", " : ""), (m > 1 ? "v100" : "k80")
		for (t = 1; t <= 3; t++) for (g = 1; g <= n; g++)
			printf "%s\"(\047%s\047, %d)\": {\"null\": %.2f}", (t + g > 2 ? ", " : ""), type[t], gpus[g], m * (2 + t) * gpus[g] / 4
		printf "}"
	}
	print "}"
}' > "$out/simulation_throughputs.json"
list | awk 'BEGIN { print "name,time,application,num_replicas,batch_size"; split("cifar10 bert ncf", app) }
{ printf "%s-%d,%d,%s,%d,%d\n", app[1 + NR % 3], NR, $1, app[1 + NR % 3], $2, 32 * $2 }' > "$out/sia_workload.csv"
list | awk -v tiresias="$out/tiresias.csv" -v muri="$out/muri.csv" -v elasticflow="$out/elasticflow.csv" '
BEGIN { split("vgg19 vgg11 inception4 dqn", model)
	printf "job_id,num_gpu,submit_time,iterations,model_name,duration,interval\r\n" > tiresias
	printf "job_id,num_gpu,submit_time,iterations,model_name,batch_size,duration,interval,iteration_time,resource_time_0,resource_time_1,resource_time_2,priority\r\n" > muri
	print "job_id,submit_time,real_iteration,model_name,ddl,batch_size,num_gpu,real_duration,duration,iteration" > elasticflow }
{ printf "%d,%d,%d,%d,%s,%d,%d\r\n", NR - 1, $2, $1, $3 * 4, model[1 + NR % 4], $3, $1 - last > tiresias
  printf "%d,%d,%d000,%d,%s,128,%d000,%d000,250,200,8,0.5,%d\r\n", NR - 1, $2, $1, $3 * 4, model[1 + NR % 4], $3, $1 - last, NR % 2 > muri
  printf "%d,%d,%d,%s,%d,64,%d,%d,%d,%d\n", NR - 1, $1, $3 * 4, model[1 + NR % 4], $3 * 2, $2, $3, $3 * 2, $3 * 8 > elasticflow
  last = $1 }'

# Standard Workload Format: comments, a clock, names of queues, records of no use.
list | awk '
BEGIN { print "; Version: 2.2\n; Computer: made up\n; UnixStartTime: 1506902400\n; MaxProcs: 64\n; Queue: 1 vision\n; Queue: 2 speech\n; Queue: 3 search"
	q["vision"] = 1; q["speech"] = 2; q["search"] = 3 }
{ printf "%5d %8d %6d %6d %4d %s -1 %4d %6d -1 %2d %3d %3d -1 %2d 1 -1 -1\n", NR, $1, NR % 6 ? NR % 5 * 20 : -1,
	NR % 30 == 4 ? 0 : $3, NR % 9 == 2 ? -1 : $2, NR % 40 == 7 ? $3 ".00" : $3, $2, $3 * 2, NR % 30 == 12 ? 2 : NR % 5 ? 1 : 0,
	1 + NR % 9, 1 + NR % 3, q[$4] }' > "$out/sample.swf"

# Slurm: sacct --parsable2 with steps, and accounting as MIT SuperCloud publishes it.
list | awk "$clock"'
function iso(s, t) { t = clock(s); sub(" ", "T", t); return t }
BEGIN { print "JobID|JobName|User|Account|Partition|State|Submit|Start|End|NNodes|ReqTRES" }
NR <= 60 {
	state = NR % 20 == 6 ? "RUNNING" : NR % 20 == 13 ? "PENDING" : NR % 4 ? "COMPLETED" : "CANCELLED by 1000"
	wait = NR % 5 * 30; gpus = NR % 10 == 9 ? "" : ",gres/gpu=" $2 (NR % 3 ? "" : ",gres/gpu:a100=" $2)
	start = state == "PENDING" ? "Unknown" : iso($1 + wait)
	end = state == "RUNNING" || state == "PENDING" ? "Unknown" : iso($1 + wait + $3)
	printf "%d|train|u%d|%s|gpu|%s|%s|%s|%s|%d|billing=%d,cpu=%d%s,mem=%dG,node=%d\n", 9000 + NR, NR % 7, $4, state,
		iso($1), start, end, ($2 > 8 ? 2 : 1), $2 * 8, $2 * 8, gpus, $2 * 64, ($2 > 8 ? 2 : 1)
	if (state == "COMPLETED")
		printf "%d.batch|batch||%s||%s|%s|%s|%s|1|\n", 9000 + NR, $4, state, start, start, end
}' > "$out/sacct.txt"
list | awk '
BEGIN { print "id_job,id_array_job,id_array_task,id_user,nodes_alloc,nodelist,cpus_req,constraints,mem_req,partition,state,timelimit,time_submit,time_eligible,time_start,time_end,tres_alloc,tres_req" }
NR <= 60 {
	gpus = NR % 8 == 5 ? 0 : $2 > 2 ? 2 : $2; wait = NR % 5 * 12; nodes = $2 > 4 ? 2 : 1; at = 1606900000 + $1
	tres = sprintf("1=%d,2=170000,3=18446744073709551614,4=%d,5=%d%s", 20 * nodes, nodes, 20 * nodes, (gpus ? ",1002=" gpus * nodes : ""))
	printf "%d0000000.0,0,4294967294,%d,%d,\"[\047node%d\047,\047node%d\047]\",%d,\\N,9.22337e18,normal,%d,4294967295,%d,%d,%d,%d,\"%s\",\"%s\"\n",
		1605120 + NR % 50, 60000 + NR % 6, nodes, NR, NR + 1, 20 * nodes, NR % 4 ? 3 : 5, at, at, NR % 25 == 3 ? 0 : at + wait,
		NR % 25 == 3 ? 0 : at + wait + $3, tres, tres
}' > "$out/supercloud_slurm.csv"

# The job list as JSON lines.
list | awk '{ printf "{\"name\": \"job-%d\", \"submit_s\": %d, \"duration_s\": %d, \"queue\": \"%s\", \"namespace\": \"%s\", ", NR, $1, $3, $4, $4
	if (NR % 5 == 2) printf "\"pods\": %d, \"requests\": {\"nvidia.com/gpu\": 1, \"cpu\": \"4\"}}\n", $2
	else printf "\"gpus\": %d}\n", $2 }' > "$out/jobs.jsonl"
