#!/bin/sh
# reproduce.sh TRACES - published results of others, ours beside them.
#
# SC'21 (Hu et al., "Characterization and Prediction of Deep Learning Workloads in
# Large-Scale GPU Datacenters"): Philly's jobs of 2017-10-01 until 2017-12-01, each
# virtual cluster on its own 8-GPU nodes, whole jobs in line. Every start under fifo
# and sjf must be the recorded one; exit 1 if one is not. srtf is shown, not checked:
# theirs charges each preemption a checkpoint of 7 to 60 s.
[ $# -eq 1 ] && [ -d "$1" ] || { echo "usage: make reproduce TRACES=dir" >&2; exit 2; }
traces=$1
GQSIM=${GQSIM:-build/release/gqsim}
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
bad=0

starts=$traces/facts/philly_sc21_starts.csv.xz
published=$traces/facts/philly_sc21_published.json
clusters=$(xz -dc "$starts" | awk -F, 'NR > 1 && !seen[$1]++ { print $1 }')

# cluster VC: its jobs and its nodes
cluster() {
	for f in "$traces"/philly/philly_allstatus_*.csv; do
		tr -d '\r' <"$f"
	done | awk -F, -v vc="$1" '$1 == "timestamp" && !n++ ||
		$5 == vc && $1 >= "2017-10-01" && $1 < "2017-12-01"' >"$tmp/jobs.csv"
	tr -d '\r' <"$traces/philly/philly_vc.csv" |
		awk -F, -v vc="$1" '$1 == vc { print "v100=" $2 "x8" }' >"$tmp/nodes"
}

# run VC POLICY: mean queueing seconds in $mean, starts that differ in $wrong
run() {
	"$GQSIM" run -p "$2" --trace "$tmp/jobs.csv" --nodes "$(cat "$tmp/nodes")" -o csv \
		--eviction-delay 0 --checkpointing resume --events "$tmp/events.csv" \
		>"$tmp/run.csv" || { bad=1; return; }
	mean=$(awk -F, '$1 == "queueing_mean" { print $3 }' "$tmp/run.csv")
	xz -dc "$starts" | tr -d '\r' | awk -F, -v vc="$1" -v policy="$2" -v events="$tmp/events.csv" '
	$1 == vc && $2 == policy { n++; if (n == 1 || $4 < first) first = $4; start[$3] = $7 }
	END { while ((getline line < events) > 0) {
			split(line, f, ",")
			if (f[2] == "JobStarted") { sub("job-", "", f[4]); at[f[4]] = f[1] + first } }
		for (row in start) wrong += at[row] != start[row]
		print wrong + 0, n + 0 }' >"$tmp/wrong"
	read -r wrong rows <"$tmp/wrong"
}

# theirs VC KEY: the published mean queueing seconds
theirs() {
	"${O:-build/release}/tests/conformance/json_number" "$published" "vcs.$1.$2"
}

printf '%-10s %-6s %14s %14s   %s\n' cluster policy "ours, mean s" "published" "starts that differ"
for vc in $clusters; do
	cluster "$vc"
	for policy in fifo sjf; do
		run "$vc" "$policy"
		printf '%-10s %-6s %14.1f %14.1f   %d of %d\n' "$vc" "$policy" "$mean" \
			"$(theirs "$vc" "$policy.published_queue_s")" "$wrong" "$rows"
		[ "$wrong" -eq 0 ] && [ "$rows" -gt 0 ] || bad=1
	done
	run "$vc" srtf
	printf '%-10s %-6s %14.1f %14.1f   %s\n' "$vc" srtf "$mean" \
		"$(theirs "$vc" published_srtf_jct_queue.1)" "not recorded"
done
exit $bad
