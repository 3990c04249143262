#!/bin/sh
# readme.sh - what the README says gqsim prints is what it prints. Every block that
# begins "$ gqsim ... scenarios/..." is run and compared. One line a block: "ok NAME"
# or "not ok NAME: why".
set -u
cd "$(dirname "$0")/../.." || exit 2
gqsim=${GQSIM:-build/release/gqsim}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

awk -v dir="$work" '
/^```/ { if (inside) { close(file) } inside = !inside; file = ""; next }
inside && /^\$ gqsim .*scenarios\// && file == "" { file = dir "/" ++n; print substr($0, 9) > (file ".cmd"); next }
inside && file != "" { print > (file ".want") }
END { print n + 0 > (dir "/count") }' README.md
count=$(cat "$work/count")
[ "$count" -gt 0 ] || echo "not ok readme: no block to check"
i=1
while [ "$i" -le "$count" ]; do
	# shellcheck disable=SC2046
	"$gqsim" $(cat "$work/$i.cmd") >"$work/got" 2>&1
	[ -e "$work/$i.want" ] || echo "(the README has no output here)" >"$work/$i.want"
	why=$(diff "$work/$i.want" "$work/got" | sed -n 2,3p | tr '\n' ' ')
	if [ -z "$why" ]; then
		echo "ok readme/$i"
	else
		echo "not ok readme/$i: $why"
	fi
	i=$((i + 1))
done
