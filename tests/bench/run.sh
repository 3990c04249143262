#!/bin/sh
# run.sh [JOBS...] - CPU seconds, jobs a second, ns a record and peak memory, for
# Philly-like workloads (tests/bench/philly_like.c: log-normal durations, 2,490 GPUs)
# of 100,000 and 1,000,000 jobs under every policy: at 90 % load, where a backlog
# builds up over months, and at 50 %, where there is none, so that the two sizes can be
# compared. One process a workload, so that the peak memory is that workload's.
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
