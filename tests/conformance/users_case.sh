#!/bin/sh
# users_case.sh FOLDER - a situation that users reported: objects.yaml, jobs.csv and
# expected.csv (when each job is first and last admitted, when it finishes, how often
# it is evicted). Prints nothing if gqsim gives this outcome, else the first difference.
# A file "placed" in the folder says that nodes matter: pods are then placed on them.
set -u
dir=${1%/}
gqsim=${GQSIM:-build/release/gqsim}
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
placement="--placement none"
[ -e "$dir/placed" ] && placement=

# shellcheck disable=SC2086
"$gqsim" run -p kueue "$dir/objects.yaml" "$dir/jobs.csv" --requeue-batch 0 --eviction-delay 0 \
	$placement --events "$out/events.csv" >"$out/stdout" 2>"$out/stderr"
code=$?
[ $code -eq 0 ] || { echo "exit $code: $(tail -n 1 "$out/stderr")"; exit 1; }
awk -F, '
NR == FNR { if (FNR > 1) { job[++n] = $1; want[$1] = $2 "," $3 "," $4 "," $5 } next }
$3 == "QuotaReserved" { if (!($4 in first)) first[$4] = $1; last[$4] = $1 }
$3 == "Finished" { finish[$4] = $1 }
$3 == "Preempted" || $3 == "Evicted" { evictions[$4]++ }
END {
	for (i = 1; i <= n; i++) {
		j = job[i]
		got = first[j] "," last[j] "," finish[j] "," evictions[j] + 0
		if (got != want[j]) {
			printf "%s: first and last admission, finish, evictions: expected %s, got %s\n", j, want[j], got
			exit 1
		}
	}
}' "$dir/expected.csv" "$out/events.csv"
