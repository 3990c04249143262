#!/bin/sh
# run.sh - sweeps under a real mpirun against the same ones on threads and in shards: a line
# a case, "ok CASE" or "not ok CASE: why". GQSIM is the program, GQSIM_MPI the one built
# with MPI=1.
set -u
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
lab=scenarios/sweeps/lab.yaml
said=$folder/said

# As root, and with more ranks than processors: this is a test.
mpirun="mpirun --allow-run-as-root --oversubscribe"
ranks() { # ranks N ARGUMENT...
	n=$1
	shift
	$mpirun -n "$n" "$GQSIM_MPI" "$@"
}
# What a database, or a sweep, holds.
export_csv() { "$GQSIM" sweep "$@" -o csv 2>>"$said"; }

same() { # same CASE WANT GOT: two tables
	if [ -s "$2" ] && cmp -s "$2" "$3"; then
		echo "ok $1"
	else
		echo "not ok $1: other results than on one thread"
		diff "$2" "$3" | head -5 >&2
	fi
}
holds() { # holds CASE COMMAND...
	name=$1
	shift
	if "$@"; then
		echo "ok $name"
	else
		echo "not ok $name"
		tail -5 "$said" >&2
	fi
}

export_csv $lab -j 1 >"$folder/want.csv"
for n in 1 2 4; do
	ranks $n sweep $lab -o csv >"$folder/got.csv"
	same "ranks-$n" "$folder/want.csv" "$folder/got.csv"
done
ranks 3 sweep $lab -j 2 -o csv >"$folder/got.csv"
same ranks-3-threads-2 "$folder/want.csv" "$folder/got.csv"
export_csv $lab -j 4 >"$folder/got.csv"
same threads-4 "$folder/want.csv" "$folder/got.csv"

# Shards: by option, of an Indexed Job, of a Slurm array.
for i in 1 2 3; do
	ranks 2 sweep $lab --shard $i/3 -q -o "$folder/part-$i.db"
done
"$GQSIM" merge "$folder"/part-?.db -o "$folder/all.db" >"$said"
export_csv "$folder/all.db" >"$folder/got.csv"
same shards-of-ranks "$folder/want.csv" "$folder/got.csv"
(
	JOB_COMPLETION_INDEX=0 JOB_COMPLETIONS=2
	export JOB_COMPLETION_INDEX JOB_COMPLETIONS
	ranks 2 sweep $lab -q -o "$folder/job.db"
)
(
	SLURM_ARRAY_TASK_ID=7 SLURM_ARRAY_TASK_MIN=3 SLURM_ARRAY_TASK_STEP=4 SLURM_ARRAY_TASK_COUNT=2
	export SLURM_ARRAY_TASK_ID SLURM_ARRAY_TASK_MIN SLURM_ARRAY_TASK_STEP SLURM_ARRAY_TASK_COUNT
	ranks 2 sweep $lab -q -o "$folder/array.db"
)
"$GQSIM" merge "$folder/job.db" "$folder/array.db" -o "$folder/both.db" >"$said"
export_csv "$folder/both.db" >"$folder/got.csv"
same shards-of-the-environment "$folder/want.csv" "$folder/got.csv"

# A killed sweep keeps its points, and goes on with whatever comes.
export_csv $lab --seeds 1..150 >"$folder/want-seeds.csv"
$mpirun -n 2 "$GQSIM_MPI" sweep $lab --seeds 1..150 -q -o "$folder/killed.db" 2>"$said" &
victim=$!
tries=0
while kill -0 $victim 2>/dev/null && [ $((tries = tries + 1)) -lt 2000 ] &&
	[ "$(export_csv "$folder/killed.db" | wc -l)" -lt 9 ]; do :; done
kill $victim 2>/dev/null
wait $victim 2>/dev/null
holds killed-keeps-its-points [ "$(export_csv "$folder/killed.db" | wc -l)" -ge 9 ]
ranks 2 sweep $lab --seeds 1..150 -q -o "$folder/killed.db"
export_csv "$folder/killed.db" >"$folder/got.csv"
same killed-goes-on "$folder/want-seeds.csv" "$folder/got.csv"

# Errors are told once, and hold nobody up.
quota=clusterqueue/research:nvidia.com/gpu.nominalQuota
ranks 2 sweep scenarios/gpu-queue-lab.yaml --set $quota=8,x,12 -o "$folder/failed.db" >"$said" 2>&1
holds failed-point-is-told grep -q '1 of 3 points failed' "$said"
holds the-rest-is-kept [ "$(export_csv "$folder/failed.db" | grep -c ',ok,')" -eq 2 ]
ranks 3 sweep "$folder/none.yaml" -o csv >"$said" 2>&1
holds no-such-file [ "$(grep -c '^gqsim: .*none.yaml' "$said")" -eq 1 ]
ranks 3 sweep $lab -j 0 >"$said" 2>&1
holds wrong-option [ "$(grep -c '^gqsim: -j 0' "$said")" -eq 1 ]
ranks 2 sweep - <$lab >"$said" 2>&1
holds no-standard-input grep -q 'comes from a file' "$said"
ranks 2 sweep "$folder/all.db" -o csv >"$folder/got.csv"
same results-are-printed-once "$folder/want.csv" "$folder/got.csv"
$mpirun -n 2 "$GQSIM" sweep $lab -o csv >"$said" 2>&1
holds without-mpi-is-told grep -q 'make MPI=1' "$said"
