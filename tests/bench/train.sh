#!/bin/sh
# train.sh - runs what a profile-guided build is to be fast at: both policies over
# Philly-like jobs at 90 % load, Kueue with everything on, tables and exports. O is the
# build that counts.
set -eu
cd "$(dirname "$0")/../.."
b=$O/bench
mkdir -p "$b"
"$O/tests/bench/philly_like" 100000 90 >"$b/train.csv"
"$O/gqsim" compare --trace "$b/train.csv" --nodes h100=311x8,rest=1x2 >"$b/train.out"
for name in storm fair flavors everything; do
	O=$O tests/bench/scenario.sh $name 90 10000 "$b/train-$name"
	"$O/gqsim" compare "$b/train-$name/objects.yaml" "$b/train-$name/jobs.csv" >"$b/train.out"
done
"$O/gqsim" run -p kueue "$b/train-fair/objects.yaml" "$b/train-fair/jobs.csv" --json "$b/train.json" \
	--events "$b/train.events" >"$b/train.out"
