#!/bin/sh
# reproduce_openb.sh TRACES - the published share of allocated GPUs, ours beside it.
#
# ATC'23 (Weng et al., "Beware of Fragmentation: Scheduling GPU-Sharing Workloads with
# Fragmentation Gradient Descent"): openb's pods in random order, then more drawn from
# them until they ask for 130 % of the 6,212 GPUs; none ever ends; who finds no room
# when he comes gets none. What is allocated at 100 % is the mean over all arrivals at
# which what had come rounds to 100 %, as they have it. Ten seeds; exit 1 if a mean is
# more than 3 standard errors of the difference away.
[ $# -eq 1 ] && [ -d "$1" ] || { echo "usage: make reproduce TRACES=dir" >&2; exit 2; }
openb=$1/alibaba-openb-2023
GQSIM=${GQSIM:-build/release/gqsim}
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
seeds="1 2 3 4 5 6 7 8 9 10"
gpus=6212

# list, policy, mean and standard deviation at 100 % and at 130 %: the authors'
# analysis_allo_discrete.csv, seeds 42 to 51
cat >"$tmp/published" <<'END'
default random 86.30 .332 87.47 .319
default dotprod 90.62 .186 90.85 .202
default bestfit 92.86 .144 93.08 .134
default fgd 95.23 .106 95.39 .082
gpuspec33 random 83.87 .262 86.46 .135
gpuspec33 dotprod 79.82 .254 89.14 .382
gpuspec33 bestfit 80.40 .274 93.09 .148
gpuspec33 fgd 87.84 .184 94.55 .145
END

# allocated LIST POLICY SEED: "LIST POLICY PERCENT-AT-100 PERCENT-AT-130"
allocated() {
	"$GQSIM" run -q -p "$2" --trace "$tmp/pods.csv" "$openb/openb_node_list_gpu_node.csv" \
		--tie random --seed "$3" --events "$tmp/events.csv" >/dev/null 2>"$tmp/said" ||
		{ cat "$tmp/said" >&2; exit 2; }
	awk -F, -v run="$1 $2" -v gpus=$gpus '
	NR == FNR { if ($2 == "PodScheduled") placed[$4]; next }
	FNR > 1 { arrived += $4 * $5; if ($1 in placed) used += $4 * $5
		at = int(arrived / gpus / 10 + 0.5); n[at]++; sum[at] += used / gpus / 10 }
	END { printf "%s %.6f %.6f\n", run, sum[100] / n[100], sum[130] / n[130] }' \
		"$tmp/events.csv" "$tmp/pods.csv"
}

for list in default gpuspec33; do
	for seed in $seeds; do
		"${O:-build/release}/tests/conformance/openb_arrivals" \
			"$openb/openb_pod_list_$list.csv" $((gpus * 1300)) "$seed" >"$tmp/pods.csv" ||
			exit 2
		for policy in random dotprod bestfit fgd; do
			allocated $list $policy "$seed" || exit 2
		done
	done
done >"$tmp/ours" || exit 2

printf '%-10s %-8s %7s   %-16s %-16s %s\n' list policy arrived "ours, mean (sd)" "published (sd)" \
	"standard errors apart"
awk '
function row(arrived, runs, sum, squares, mean, sd,    ours, spread, apart, far) {
	ours = sum / runs
	spread = sqrt((squares - runs * ours * ours) / (runs - 1))
	apart = (ours - mean) / sqrt((spread * spread + sd * sd) / runs)
	far = apart > 3 || apart < -3
	printf "%-10s %-8s %5d %%   %5.2f (%.3f)    %5.2f (%.3f)    %+.1f%s\n", $1, $2, arrived,
		ours, spread, mean, sd, apart, (far ? "  too far" : "")
	rows++; near += !far; bad = bad || far
}
NR == FNR {
	k = $1 " " $2; n[k]++
	a[k] += $3; aa[k] += $3 * $3; b[k] += $4; bb[k] += $4 * $4; next
}
{	k = $1 " " $2
	if (n[k] != seeds) { print k ": " n[k] + 0 " runs of " seeds; bad = 1; next }
	row(100, n[k], a[k], aa[k], $3, $4); row(130, n[k], b[k], bb[k], $5, $6)
}
END {	printf "%d of %d within 3 standard errors\n", near, rows; exit bad }' seeds="$(echo $seeds | wc -w)" "$tmp/ours" "$tmp/published"
