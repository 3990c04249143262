#!/bin/sh
# run.sh GOLDEN [FAMILY...] - replays the recorded decisions of the real schedulers.
#
# Prints a line a family, "matched/total", and in words the first difference of
# each case that differs. Families named in required.txt must match whole: exit 1
# if one does not. A case of kueue/ counts once a timing, those of livelock/ once more:
# without delays they must stop with a livelock report. A case of kube-scheduler/
# counts once.
set -u
golden=${1:?usage: run.sh GOLDEN [FAMILY...]}
shift
here=$(dirname "$0")
gqsim=${GQSIM:-build/release/gqsim}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export golden here gqsim work

[ -x "$gqsim" ] || { echo "run.sh: no $gqsim: run make first" >&2; exit 2; }
[ -d "$golden/kueue" ] || { echo "run.sh: no $golden/kueue" >&2; exit 2; }

list() {
	for d in "$golden"/kueue/*/*/; do
		family=kueue/$(basename "$(dirname "$d")")
		[ "$family" = kueue/livelock ] && echo "$family $d stops"
		for timing in zero batch1 live; do
			suffix=.$timing
			[ $timing = zero ] && suffix=
			[ -e "$d/decisions$suffix.csv" ] && echo "$family $d $timing"
		done
	done
	for d in "$golden"/kube-scheduler/*/; do
		family=kube-scheduler/$(basename "$d" | cut -c1-1)
		echo "$family $d kube"
	done
}

list | awk -v want="$*" 'BEGIN { n = split(want, w, " ") }
	{ ok = n == 0; for (i = 1; i <= n; i++) if ($1 == w[i]) ok = 1; if (ok) print }' >"$work/list"
xargs -P "${JOBS:-2}" -n 3 "$here/case.sh" <"$work/list" >"$work/results"

sort -V "$work/results" | awk -v required="$here/required.txt" '
BEGIN { while ((getline line < required) > 0) if (line !~ /^#/) must[line] = 1 }
{ split($0, part, "\t"); family = part[1]
  if (!(family in total)) order[++n] = family
  total[family]++
  if (part[3] == "ok") matched[family]++
  else { wrong[family] = wrong[family] "\n    " part[2] ": " part[4]; if (family in must) bad = 1 } }
END { for (i = 1; i <= n; i++) { f = order[i]
	printf "%-22s %d/%d%s%s\n", f, matched[f], total[f], (f in must) ? "" : "  (not required yet)", wrong[f]
	sum += total[f]; good += matched[f] }
  printf "%-22s %d/%d\n", "all", good, sum
  exit bad }'
