#!/bin/sh
# corpus.sh DIR - manifests as people write them: all must load, or fail as they should.
#
# DIR has kueue-examples/ (as Kueue ships them), odd/ (one oddity a file) and realistic/.
#  - gqsim check ends with 0 or 1 for each; with what, and in what words, says
#    corpus-odd.txt, and what is understood of them (manifest_facts.c);
#  - each job of kueue-examples has the pod sets of corpus-podsets.csv, which was worked
#    out from Kueue's integrations by hand, not printed by gqsim.
# Prints a line a part, "part matched/total", and below it what differs; exit 1 if any.
set -u
dir=${1:?usage: corpus.sh DIR}
here=$(dirname "$0")
gqsim=${GQSIM:-build/release/gqsim}
pod_sets=${O:-build/release}/tests/conformance/pod_sets
facts=${O:-build/release}/tests/conformance/manifest_facts
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0

[ -d "$dir/odd" ] || { echo "corpus.sh: no $dir/odd" >&2; exit 2; }
for program in "$pod_sets" "$facts"; do
	[ -x "$program" ] || { echo "corpus.sh: no $program: make $program" >&2; exit 2; }
done
(cd "$dir" && find kueue-examples odd realistic -type f \( -name '*.yaml' -o -name '*.json' \)) |
	LC_ALL=C sort >"$work/files"

finish() { # finish PART MATCHED TOTAL: and what differs is in $work/why
	printf '%-28s %d/%d\n' "$1" "$2" "$3"
	sed 's/^/    /' "$work/why"
	[ "$2" -eq "$3" ] || bad=1
}

# What check says of each; a file that may be refused is named in corpus-odd.txt.
total=0 matched=0
: >"$work/why"
while read -r file; do
	total=$((total + 1))
	want=$(awk -F '|' -v file="$file" '$1 == file { print $2; exit }' "$here/corpus-odd.txt")
	"$gqsim" check "$dir/$file" >"$work/out" 2>&1
	code=$?
	if [ -n "$want" ] && [ "$code" -ne "$want" ]; then
		echo "$file: exit $code instead of $want"
	elif [ -z "$want" ] && [ "$code" -gt 1 ]; then
		echo "$file: exit $code: $(head -n 1 "$work/out")"
	else
		awk -F '|' -v file="$file" '$1 == file && $3 != "" { print $3 }' \
			"$here/corpus-odd.txt" >"$work/texts"
		missing=
		[ ! -s "$work/texts" ] || "$facts" "$dir/$file" >>"$work/out" 2>&1
		while IFS= read -r text; do
			grep -qF -e "$text" "$work/out" || missing="$missing \"$text\""
		done <"$work/texts"
		if [ -z "$missing" ]; then
			matched=$((matched + 1))
			continue
		fi
		echo "$file: does not say$missing"
	fi >>"$work/why"
done <"$work/files"
finish "manifests read as they should" "$matched" "$total"

# The pod sets of each job, a file at a time.
total=0 matched=0
: >"$work/why"
grep -v '^#' "$here/corpus-podsets.csv" | sed 1d >"$work/podsets"
grep '^kueue-examples/' "$work/files" | while read -r file; do
	awk -v file="$file," 'index($0, file) == 1 { print substr($0, length(file) + 1) }' \
		"$work/podsets" >"$work/want"
	"$pod_sets" "$dir/$file" >"$work/got" 2>&1
	if [ "$(tail -n 1 "$work/want")" = ... ]; then # and so on, as a CronJob does
		rows=$(($(wc -l <"$work/want") - 1))
		head -n "$rows" "$work/want" >"$work/first" && mv "$work/first" "$work/want"
		head -n "$rows" "$work/got" >"$work/first" && mv "$work/first" "$work/got"
	fi
	[ -s "$work/want" ] || [ -s "$work/got" ] || continue
	if cmp -s "$work/want" "$work/got"; then
		echo ok
	else
		echo "$file:"
		diff "$work/want" "$work/got" | sed -n 's/^\([<>]\)/    \1/p' | head -n 10
	fi
done >"$work/results"
total=$(grep -c '^ok$\|^kueue-examples' "$work/results")
matched=$(grep -c '^ok$' "$work/results")
grep -v '^ok$' "$work/results" >"$work/why"
finish "pod sets of Kueue's examples" "$matched" "$total"
exit $bad
