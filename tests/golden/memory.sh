#!/bin/sh
# memory.sh - input much larger than the memory there may be: Lists of kubectl in JSON and
# YAML and a trace, plain and compressed, through pipes. Only what is kept takes memory: here
# a few hundred jobs, or none. And runs of many jobs: what is kept of each, with the figures
# of all, takes less than half a KiB. A line a case, as tests/golden/run.sh has them.
set -u
gqsim=${GQSIM:-build/release/gqsim}
limit=65536 # KiB of address space

# Sanitizers take terabytes of addresses, and some systems know no such limit.
(ulimit -v $limit && "$gqsim" version) >/dev/null 2>&1 || {
	echo "memory: not measured in this build" >&2
	exit 0
}

# workloads FORMAT MIB: finished Workloads, each with 256 KiB of managedFields.
workloads() {
	awk -v format="$1" -v mib="$2" 'BEGIN {
		json = format == "json"
		for (field = "f:status"; length(field) < 1000;)
			field = field "-x"
		for (i = 0; i < 256; i++)
			fields = fields (i ? ",\n" : "") "     \"" field "-" i "\": {}"
		before = "{\"apiVersion\": \"kueue.x-k8s.io/v1beta2\", \"kind\": \"Workload\"," \
			" \"metadata\": {\"namespace\": \"n\", \"creationTimestamp\": \"2026-01-01T00:00:00Z\"," \
			" \"managedFields\": [{\"fieldsV1\": {" fields "}}], \"name\": \"w-"
		after = "\"}, \"spec\": {\"queueName\": \"q\", \"podSets\": [{\"name\": \"main\", \"count\": 1," \
			" \"template\": {\"spec\": {\"containers\": [{\"name\": \"c\", \"resources\":" \
			" {\"requests\": {\"cpu\": \"1\"}}}]}}}]}, \"status\": {\"conditions\": [{\"type\":" \
			" \"Finished\", \"status\": \"True\", \"reason\": \"Succeeded\"," \
			" \"lastTransitionTime\": \"2026-01-01T01:00:00Z\"}]}}"
		print json ? "{\"apiVersion\": \"v1\", \"items\": [" : "apiVersion: v1\nitems:"
		for (i = 0; i < 4 * mib; i++)
			print (json ? (i ? "," : "") : "- ") before i after
		print json ? "], \"kind\": \"List\"}" : "kind: List"
	}'
}

# Helios, of jobs without GPUs, which are left out.
trace() {
	awk -v mib="$1" 'BEGIN {
		print "job_id,user,vc,gpu_num,cpu_num,node_num,state,submit_time,start_time,end_time,duration,queue"
		for (i = 0; i < 10000 * mib; i++)
			print i ",user-of-a-cluster,vc-of-a-cluster,0,1,1,COMPLETED,2020-04-01 00:00:00," \
				"2020-04-01 00:00:00,2020-04-01 00:01:00,60,0"
	}'
}

# bounded NAME WANTED COMMAND...: reads standard input within the limit, and prints WANTED.
bounded() {
	name=$1 wanted=$2
	shift 2
	got=$( (ulimit -v $limit && "$@") 2>&1)
	case $got in
	*"$wanted"*) echo "ok memory/$name" ;;
	*) echo "not ok memory/$name: $(echo "$got" | head -n 1)" ;;
	esac
}

workloads json 100 | bounded json-list "400 jobs" "$gqsim" check -
workloads json 100 | gzip -1 | bounded json-list-gzip "400 jobs" "$gqsim" check -
workloads yaml 100 | bounded yaml-list "400 jobs" "$gqsim" check -

# Jobs of a GPU each, a few of which are there at once.
jobs() {
	awk -v jobs="$1" 'BEGIN {
		print "job_id,submit_s,gpus,duration_s"
		for (i = 0; i < jobs; i++)
			print i "," 5 * i ",1,600"
	}'
}

trace 100 | gzip -1 | bounded trace-gzip "skipped 1000000: cpu_only" "$gqsim" trace stats -
limit=120832 # 100 MiB more than one job takes, for 200,000
for policy in kubernetes kueue; do
	jobs 200000 | bounded "run-$policy" "200,000 of 200,000" "$gqsim" run -q -p $policy --nodes h100=40x8 -
done
