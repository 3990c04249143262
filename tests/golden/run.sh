#!/bin/sh
# run.sh [--update] - whole runs against recorded outcomes. A line a case on stdout:
# "ok NAME" or "not ok NAME: why".
#
#   kueue/           decisions of the real Kueue, three timings each
#   kube-scheduler/  decisions of the real kube-scheduler
#   cases/           situations that users reported
#   cli/             commands and what they print; --update rewrites those
set -u
cd "$(dirname "$0")/../.." || exit 2
gqsim=${GQSIM:-build/release/gqsim}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
here=tests/conformance
export gqsim work here GQSIM="$gqsim"

helper=${O:-build/release}/tests/conformance/summary_equal
for program in "$gqsim" "$helper"; do
	[ -x "$program" ] || { echo "not ok golden: no $program: make $program"; exit 1; }
done

recorded() {
	for d in tests/golden/kueue/*/*/; do
		[ -e "$d/decisions.csv" ] && echo "kueue $d zero"
		[ -e "$d/decisions.batch1.csv" ] && echo "kueue $d batch1"
		[ -e "$d/decisions.live.csv" ] && echo "kueue $d live"
	done
	for d in tests/golden/kube-scheduler/*/; do
		echo "kube-scheduler $d kube"
	done
}

if [ "${1:-}" != --update ]; then
	recorded | xargs -P 2 -n 3 $here/case.sh | sort |
		awk -F '\t' '{ if ($3 == "ok") print "ok " $1 "/" $2; else print "not ok " $1 "/" $2 ": " $4 }'
	for d in tests/golden/cases/*/; do
		why=$($here/users_case.sh "$d")
		if [ -z "$why" ]; then
			echo "ok cases/$(basename "$d")"
		else
			echo "not ok cases/$(basename "$d"): $why"
		fi
	done
fi

# cli/NAME/cmd is a shell command line with $gqsim in it; expected.out has its
# standard output, then standard error, then "exit N".
for d in tests/golden/cli/*/; do
	name=cli/$(basename "$d")
	{
		sh -c "$(cat "$d/cmd")" 2>"$work/stderr"
		code=$?
		cat "$work/stderr"
		echo "exit $code"
	} >"$work/out"
	if [ "${1:-}" = --update ]; then
		cp "$work/out" "$d/expected.out"
	elif cmp -s "$work/out" "$d/expected.out"; then
		echo "ok $name"
	else
		echo "not ok $name: $(diff "$d/expected.out" "$work/out" | sed -n 2,3p | tr '\n' ' ')"
	fi
done
[ "${1:-}" = --update ] || { tests/golden/prometheus.sh && tests/golden/readme.sh && tests/golden/memory.sh; }
