#!/bin/sh
# run.sh [JOBS...] - CPU seconds, jobs a second, ns a record and peak memory, for
# Philly-like workloads (tests/bench/philly_like.c: log-normal durations, 2,490 GPUs)
# of 100,000 and 1,000,000 jobs under every policy: at 90 % load, where a backlog
# builds up over months, and at 50 %, where there is none, so that the two sizes can be
# compared. Then what is hard on plain Kubernetes (tests/bench/kube_load.c): 5,000 nodes,
# deep backlogs, preemption, many kinds of nodes, constraints; "-log" with each failed
# attempt. Then what is hard on Kueue (tests/bench/scenario.sh): 15 queues, at a load that
# fits and at six times that, where most jobs wait. One process a workload, so that the
# peak memory is that workload's.
set -eu
cd "$(dirname "$0")/../.."
O=${O:-build/release}
mkdir -p "$O/bench"
[ $# -gt 0 ] || set -- 100000 1000000
for load in 90 50; do
	for jobs in "$@"; do
		csv=$O/bench/load-$load-jobs-$jobs.csv
		[ -s "$csv" ] || "$O/tests/bench/philly_like" "$jobs" "$load" >"$csv"
		"$O/tests/bench/bench" h100=311x8,rest=1x2 "$csv"
	done
done

hard() { # hard SCENARIO POLICY NAME [OPTION]
	b=$O/bench/$1
	[ -s "$b.nodes.yaml" ] || "$O/tests/bench/kube_load" "$1" nodes >"$b.nodes.yaml"
	[ -s "$b.jobs" ] || "$O/tests/bench/kube_load" "$1" jobs >"$b.jobs"
	"$O/tests/bench/bench" ${4:-} -p "$2" -n "$3" "$b.nodes.yaml" "$b.jobs"
}
for name in steady backlog victims classes spread apart decades; do
	hard $name kubernetes $name
done
hard backlog kubernetes backlog-log -d
hard victims kubernetes victims-log -d
hard quota resourcequota quota
for name in storm fair flavors everything; do
	for load in 90 600; do
		b=$O/bench/$name-$load
		[ -s "$b/jobs.csv" ] || O=$O tests/bench/scenario.sh $name $load 5000 "$b"
		"$O/tests/bench/bench" -p kueue -n "$name-$load" "$b/objects.yaml" "$b/jobs.csv"
	done
done
