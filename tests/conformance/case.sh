#!/bin/sh
# case.sh FAMILY FOLDER TIMING - one golden case; used by run.sh, which exports
# gqsim and work. Prints "family<TAB>case<TAB>ok|differs<TAB>first difference".
set -u
family=$1 dir=${2%/} timing=$3
name=$(basename "$(dirname "$dir")")/$(basename "$dir")
out=$(mktemp -d "$work/case.XXXXXX")

# first_difference WHAT EXPECTED GOT: one sentence, or nothing if they are equal
first_difference() {
	cmp -s "$2" "$3" && return
	[ -e "$3" ] || { echo "$1 was not written"; return; }
	awk -v what="$1" -v got="$3" '{
		if ((getline line < got) <= 0) { printf "%s line %d: expected \"%s\", got the end of the file", what, NR, $0; found = 1; exit }
		if (line != $0) { printf "%s line %d: expected \"%s\", got \"%s\"", what, NR, $0, line; found = 1; exit } }
	END { if (!found && (getline line < got) > 0) printf "%s line %d: expected the end of the file, got \"%s\"", what, NR + 1, line }' "$2"
}

report() {
	if [ -z "$1" ]; then
		printf '%s\t%s\tok\t\n' "$family" "$name $timing"
	else
		printf '%s\t%s\tdiffers\t%s\n' "$family" "$name $timing" "$1"
	fi
}

run_kueue() {
	case $timing in
	zero) suffix= times="--requeue-batch 0 --eviction-delay 0" ;;
	batch1) suffix=.batch1 times="--requeue-batch 1 --eviction-delay 0" ;;
	live) suffix=.live times="--requeue-batch 1 --eviction-delay 5" ;;
	esac
	updates=
	[ -e "$dir/updates.yaml" ] && updates=$dir/updates.yaml
	# shellcheck disable=SC2086
	"$gqsim" run -p kueue "$dir/objects.yaml" "$dir/jobs.csv" $updates --placement none $times \
		--events "$out/decisions.csv" --pending "$out/pending.csv" >"$out/stdout" 2>"$out/stderr"
	code=$?
	[ $code -eq 0 ] || { report "exit $code: $(tail -n 1 "$out/stderr")"; return; }
	d=$(first_difference "decisions$suffix.csv" "$dir/decisions$suffix.csv" "$out/decisions.csv")
	[ -n "$d" ] || d=$(first_difference "pending$suffix.csv" "$dir/pending$suffix.csv" "$out/pending.csv")
	report "$d"
}

# Real Kueue never settles here without an eviction delay, at one of the two requeue
# batches: a report and exit 1, not a hang.
run_livelock() {
	for batch in 0 1; do
		"$gqsim" run -p kueue "$dir/objects.yaml" "$dir/jobs.csv" --placement none \
			--requeue-batch $batch --eviction-delay 0 >"$out/stdout" 2>"$out/stderr"
		code=$?
		if [ $code -eq 1 ] && grep -q livelock "$out/stderr"; then
			report ""
			return
		fi
	done
	report "exit $code and no word of a livelock: $(tail -n 1 "$out/stderr")"
}

run_kube() {
	# shellcheck disable=SC2046
	"$gqsim" run -p kubernetes "$dir/nodes.yaml" "$dir/jobs.csv" $(cat "$dir/args") \
		--events "$out/events.csv" --json "$out/summary.json" >"$out/stdout" 2>"$out/stderr"
	code=$?
	[ $code -eq 0 ] || { report "exit $code: $(tail -n 1 "$out/stderr")"; return; }
	want=$dir/events.csv
	[ -e "$want" ] || { xz -dc "$want.xz" >"$out/want.csv" && want=$out/want.csv; }
	d=$(first_difference events.csv "$want" "$out/events.csv")
	[ -n "$d" ] || d=$("$here/../../${O:-build/release}/tests/conformance/summary_equal" "$dir/summary.json" "$out/summary.json") ||
		d=${d:-summary_equal failed}
	report "$d"
}

case $timing in
kube) name=$(basename "$dir") && run_kube ;;
stops) run_livelock ;;
*) run_kueue ;;
esac
rm -rf "$out"
