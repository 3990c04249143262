#!/bin/sh
# cases.sh DIR - situations that users reported, each a folder with objects.yaml,
# jobs.csv and kueue-observed.json, what the real Kueue did with them.
#
# Prints "all users' cases matched/total" and the first difference of each case that
# differs; exit 1 if one does. The recording knows no nodes: where the outcome hangs on
# them (a file "placed" in tests/golden/cases/NAME) that folder's expected.csv holds.
set -u
dir=${1:?usage: cases.sh DIR}
here=$(dirname "$0")
observed=${O:-build/release}/tests/conformance/observed
ours=$here/../golden/cases
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

[ -d "$dir" ] || { echo "cases.sh: no $dir" >&2; exit 2; }
total=0
matched=0
for case in "$dir"/*/; do
	name=$(basename "$case")
	mkdir "$work/$name"
	cp "$case/objects.yaml" "$case/jobs.csv" "$work/$name"
	if [ -e "$ours/$name/placed" ]; then
		cp "$ours/$name/placed" "$ours/$name/expected.csv" "$work/$name"
	elif ! "$observed" "$case/kueue-observed.json" >"$work/$name/expected.csv"; then
		echo "    $name: no outcome in kueue-observed.json"
	fi
	total=$((total + 1))
	why=$("$here/users_case.sh" "$work/$name")
	if [ -z "$why" ]; then
		matched=$((matched + 1))
	else
		echo "    $name: $why"
	fi
done
printf '%-22s %d/%d\n' "all users' cases" "$matched" "$total"
[ "$matched" -eq "$total" ]
