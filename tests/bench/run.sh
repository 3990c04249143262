#!/bin/sh
# run.sh [JOBS...] - CPU seconds, jobs a second, ns a record and peak memory, for
# Philly-like workloads (tests/bench/philly_like.c: log-normal durations, 90 % load of
# 2,490 GPUs) of 100,000 and 1,000,000 jobs under every policy. One process a size,
# so that the peak memory is that size's.
set -eu
cd "$(dirname "$0")/../.."
O=${O:-build/release}
mkdir -p "$O/bench"
[ $# -gt 0 ] || set -- 100000 1000000
for jobs in "$@"; do
	csv=$O/bench/philly-like-$jobs.csv
	[ -s "$csv" ] || "$O/tests/bench/philly_like" "$jobs" >"$csv" 2>/dev/null
	"$O/tests/bench/bench" h100=311x8,rest=1x2 "$csv"
done
