#!/bin/sh
# ties.sh GOLDEN [SEEDS] - what the real kube-scheduler leaves to chance.
#
# For each case of kube-scheduler/: --tie random over SEEDS seeds (20): the mean of
# every figure must lie within the range recorded over the real scheduler's seeds,
# and over all cases at most 15 % of single values outside; --drain each: the recorded
# makespan, and the same events or not, as recorded. Prints "matched/total" of both.
set -u
golden=${1:?usage: ties.sh GOLDEN [SEEDS]}/kube-scheduler
seeds=${2:-20}
gqsim=${GQSIM:-build/release/gqsim}
ranges=${O:-build/release}/tests/conformance/tie_ranges
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

run() { # run DIR OPTIONS...
	dir=$1
	shift
	# shellcheck disable=SC2046
	"$gqsim" run -p kubernetes "$dir/nodes.yaml" "$dir/jobs.csv" $(cat "$dir/args") "$@" >/dev/null
}

drained() { # does --drain each do to this case what it did to the real scheduler?
	run "$1" --drain each --events "$work/each.csv" --json "$work/each.json" || return 1
	if [ -e "$1/events.csv" ]; then cat "$1/events.csv"; else xz -dc "$1/events.csv.xz"; fi >"$work/want.csv"
	same=false
	cmp -s "$work/want.csv" "$work/each.csv" && same=true
	want=$(sed -n 's/^ "same_with_drain_each": \([a-z]*\),*$/\1/p; s/^ "makespan_drain_each": \([^,]*\),*$/\1/p' "$1/meta.json")
	got=$(sed -n 's/^ *"makespan_s": \([^,]*\),*$/\1/p' "$work/each.json")
	[ "$(echo $want)" = "$same $got" ]
}

total=0 means=0 each=0 outside=0 values=0
for dir in "$golden"/*/; do
	name=$(basename "$dir")
	total=$((total + 1))
	rm -f "$work"/seed-*
	for seed in $(seq "$seeds"); do
		run "$dir" --tie random --seed "$seed" --json "$work/seed-$seed.json"
	done
	if counts=$("$ranges" "$dir/meta.json" "$work"/seed-*.json 2>"$work/why"); then
		means=$((means + 1))
	else
		echo "  $name: $(head -n 1 "$work/why")"
	fi
	outside=$((outside + ${counts% *}))
	values=$((values + ${counts#* }))
	if drained "$dir"; then
		each=$((each + 1))
	else
		echo "  $name: --drain each differs"
	fi
done
echo "kube-scheduler/ties    $means/$total  ($outside of $values single values outside the recorded ranges)"
echo "kube-scheduler/each    $each/$total"
[ "$means" -eq "$total" ] && [ "$each" -eq "$total" ] && [ $((outside * 100)) -le $((values * 15)) ]
