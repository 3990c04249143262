#!/bin/sh
# tables.sh DIR [FOLDER...] - decides the cases of Kueue's own test tables.
#
# Prints a line a folder, "folder matched/total", and below it the first difference
# of each failing case in words. Cases that tables-skipped.txt lists are not run and
# not counted, but named with their reason; so are those that differ and ask for what
# is not modelled. Exit 1 if a case fails.
set -u
dir=${1:?usage: tables.sh DIR [FOLDER...]}
shift
here=$(dirname "$0")
program=${O:-build/release}/tests/conformance/kueue_tables
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

[ -x "$program" ] || { echo "tables.sh: no $program: run make tests first" >&2; exit 2; }
[ -d "$dir" ] || { echo "tables.sh: no $dir" >&2; exit 2; }
sed -e '/^#/d' -e '/^$/d' "$here/tables-skipped.txt" >"$work/skipped"

# A process a case, so that one which aborts is a failing case like any other.
find "$dir" -mindepth 2 -name 'case-*.json' | sort |
while read -r file; do
	folder=$(basename "$(dirname "$file")")
	case=$(basename "$file" .json)
	[ $# -eq 0 ] || printf '%s\n' "$@" | grep -qx "$folder" || continue
	reason=$(sed -n "s|^$folder/$case ||p" "$work/skipped")
	if [ -n "$reason" ]; then
		printf '%s\t%s\tskip\t%s\n' "$folder" "$case" "$reason"
		continue
	fi
	result=$("$program" "$file" 2>"$work/stderr") || result="	ends with status $?: $(tail -1 "$work/stderr")"
	result=${result#*	}
	case $result in
	"not modelled: "*) result="skip	$result" ;;
	esac
	printf '%s\t%s\t%s\n' "$folder" "$case" "$result"
done >"$work/results"

awk -F '\t' '
!($1 in seen) { seen[$1]; order[++n] = $1 }
$3 == "skip"  { skipped[$1]++; left[$1] = left[$1] "\n    " $2 ": not run: " $4; next }
{ total[$1]++ }
$3 == "ok"    { matched[$1]++; next }
{ wrong[$1] = wrong[$1] "\n    " $2 ": " $3; bad = 1 }
END { for (i = 1; i <= n; i++) { f = order[i]
	printf "%-28s %d/%d%s%s%s\n", f, matched[f], total[f],
		skipped[f] ? sprintf("  (%d not run)", skipped[f]) : "", wrong[f], left[f]
	sum += total[f]; good += matched[f]; out += skipped[f] }
  printf "%-28s %d/%d, %d not run\n", "all tables", good, sum, out
  exit bad }' "$work/results"
