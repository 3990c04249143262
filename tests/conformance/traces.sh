#!/bin/sh
# traces.sh TRACES - are the figures of `gqsim trace stats` those computed independently?
# TRACES: the folder with philly/, facts/ and fixtures/ (traces/README.md says where the
# data are published). Run it in the root after `make`. Exit 1 if anything differs.
[ $# -eq 1 ] || { echo "usage: tests/conformance/traces.sh TRACES" >&2; exit 2; }
traces=$1
O=${O:-build/release}
dir=$O/tests/conformance
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
bad=0

build() { # NAME [LIBRARIES]
	name=$1
	shift
	# shellcheck disable=SC2046
	${CC:-cc} -std=c11 -O2 -I. $(pkg-config --cflags libcjson) -o "$dir/$name" \
		"tests/conformance/$name.c" "$@" $(pkg-config --libs libcjson gsl) -lm || exit 2
}

# check TITLE STATS-ARGUMENTS -- COMPARE-ARGUMENTS
check() {
	title=$1
	shift
	echo "== $title"
	gqsim_args=
	while [ "$1" != -- ]; do
		gqsim_args="$gqsim_args $1"
		shift
	done
	shift
	# shellcheck disable=SC2086
	"$O/gqsim" trace stats $gqsim_args -o json > "$tmp/is.json" || { bad=1; return; }
	"$dir/json_equal" "$@" "$tmp/is.json" || bad=1
}

mkdir -p "$dir"
build json_equal
build philly_jobs "$O/libsim.a" "$O/libcore.a"
facts=$traces/facts/philly.json
philly=$traces/philly/philly.csv

check "philly.csv, all of it" "$philly" --vc-nodes "$traces/philly/philly_vc.csv" -- \
	-i file -i sha256 -i slice_2017-10-03_2017-12-15 -i slice_week_2017-10-09 \
	-i recorded_active_nodes -i machines_revised "$facts"
check "philly.csv, 2017-10-03 until 2017-12-15" "$philly" --from 2017-10-03 --to 2017-12-15 \
	--pool 1024,2048 -- -k slice_2017-10-03_2017-12-15 "$facts"
check "philly.csv, the week of 2017-10-09" "$philly" --from 2017-10-09 --to 2017-10-16 \
	--pool 256,512,1024 -- -k slice_week_2017-10-09 "$facts"

echo "== cluster_job_log, job by job"
"$dir/philly_jobs" "$traces/fixtures/philly/cluster_job_log" | sed '1s/.*//; $s/.*//; s/"jobs": \[/[/' \
	> "$tmp/jobs.json"
"$dir/json_equal" -k philly/cluster_job_log "$traces/fixtures/expected.json" "$tmp/jobs.json" || bad=1
exit $bad
