#!/bin/sh
# traces.sh TRACES - are the figures of `gqsim trace stats` those computed independently?
# TRACES: the folder with philly/, facts/ and fixtures/ (traces/README.md says where the
# data are published). make check-traces TRACES=dir builds what it needs. Exit 1 if
# anything differs.
[ $# -eq 1 ] && [ -d "$1" ] || { echo "usage: make check-traces TRACES=dir" >&2; exit 2; }
traces=$1
O=${O:-build/release}
GQSIM=${GQSIM:-$O/gqsim}
helpers=$O/tests/conformance
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
bad=0

# check TITLE FACTS-OPTIONS -- STATS-ARGUMENTS
check() {
	echo "== $1"
	shift
	options=
	while [ "$1" != -- ]; do
		options="$options $1"
		shift
	done
	shift
	"$GQSIM" trace stats "$@" -o json > "$tmp/is.json" || { bad=1; return; }
	# shellcheck disable=SC2086
	"$helpers/json_equal" $options "$facts" "$tmp/is.json" || bad=1
}

facts=$traces/facts/philly.json
philly=$traces/philly/philly.csv
# Left out: where the file lay, its SHA-256, and what other files of the set say.
check "philly.csv, all of it" -i file -i sha256 -i slice_2017-10-03_2017-12-15 \
	-i slice_week_2017-10-09 -i recorded_active_nodes -i machines_revised -- \
	"$philly" --vc-nodes "$traces/philly/philly_vc.csv"
check "philly.csv, 2017-10-03 until 2017-12-15" -k slice_2017-10-03_2017-12-15 -- \
	"$philly" --from 2017-10-03 --to 2017-12-15 --pool 1024,2048
check "philly.csv, the week of 2017-10-09" -k slice_week_2017-10-09 -- \
	"$philly" --from 2017-10-09 --to 2017-10-16 --pool 256,512,1024

echo "== cluster_job_log, job by job"
"$helpers/philly_jobs" "$traces/fixtures/philly/cluster_job_log" > "$tmp/jobs.json" || bad=1
"$helpers/json_equal" -k philly/cluster_job_log -a jobs "$traces/fixtures/expected.json" \
	"$tmp/jobs.json" || bad=1
exit $bad
