#!/bin/sh
# prometheus.sh - Prometheus' own tool (promtool check metrics) reads what -o prometheus
# writes. A line a scenario: "ok NAME" or "not ok NAME: why". Without promtool it says so
# and tests nothing, unless PROMTOOL=required.
set -u
cd "$(dirname "$0")/../.." || exit 2
gqsim=${GQSIM:-build/release/gqsim}

if ! command -v promtool >/dev/null; then
	if [ "${PROMTOOL-}" = required ]; then
		echo "not ok prometheus: promtool is missing (.ci/deps all installs it)"
	else
		echo "promtool is missing: what -o prometheus writes was not checked with it" >&2
	fi
	exit 0
fi
text=$(mktemp)
trap 'rm -f "$text"' EXIT
for input in scenarios/*.yaml tests/golden/cases/*/objects.yaml tests/golden/kueue/*/*/objects.yaml; do
	folder=$(dirname "$input")
	jobs=
	[ -e "$folder/jobs.csv" ] && jobs=$folder/jobs.csv
	# shellcheck disable=SC2086
	if ! why=$("$gqsim" run -p kueue "$input" $jobs -o prometheus 2>&1 >"$text"); then
		echo "not ok prometheus/$input: $(echo "$why" | tail -n 1)"
	elif ! why=$(promtool check metrics <"$text" 2>&1); then
		echo "not ok prometheus/$input: $(echo "$why" | head -n 1)"
	else
		echo "ok prometheus/$input"
	fi
done
