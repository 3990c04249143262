#!/bin/sh
# never.sh GOLDEN - what gqsim check calls impossible, the real Kueue never did: no job of which
# it says that it is never admitted has its quota reserved in a recorded run.
# Prints "jobs that check rules out M/N", then what is contradicted; exit 1 if any is.
set -u
golden=${1:?usage: never.sh GOLDEN}
gqsim=${GQSIM:-build/release/gqsim}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

for d in "$golden"/kueue/*/*/; do
	[ -e "$d/objects.yaml" ] && [ -e "$d/jobs.csv" ] || continue
	"$gqsim" check "$d/objects.yaml" "$d/jobs.csv" |
		sed -n 's/^warning: .* job "\([^"]*\)" \(is never admitted\|is not admitted\|never runs\).*/\1/p' \
			>"$work/never"
	[ -s "$work/never" ] || continue
	awk -F , '$3 == "QuotaReserved" || $3 == "Admitted" { sub(/.*\//, "", $4); print $4 }' \
		"$d"/decisions*.csv >"$work/admitted"
	while read -r job; do
		if grep -qxF -e "$job" "$work/admitted"; then
			echo "$d: $job was admitted"
		else
			echo ok
		fi
	done <"$work/never"
done >"$work/results"
total=$(wc -l <"$work/results")
right=$(grep -c '^ok$' "$work/results")
printf '%-28s %d/%d\n' "jobs that check rules out" "$right" "$total"
grep -v '^ok$' "$work/results" | sed 's/^/    /'
[ "$right" -eq "$total" ] && [ "$total" -gt 0 ]
