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
	"$GQSIM" trace stats "$@" -o json > "$tmp/is.json" 2> "$tmp/err" ||
		{ cat "$tmp/err"; bad=1; return; }
	# shellcheck disable=SC2086
	"$helpers/json_equal" $options "$facts" "$tmp/is.json" || bad=1
}

# figures TITLE FACTS-FILE FACTS-OPTIONS -- KIND FILE...: as check, of what trace_figures prints
figures() {
	echo "== $1"
	facts=$traces/$2
	shift 2
	options=
	while [ "$1" != -- ]; do
		options="$options $1"
		shift
	done
	shift
	"$helpers/trace_figures" "$@" > "$tmp/is.json" || { bad=1; return; }
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
figures "Philly's machines" facts/philly.json -k machines_revised -- nodes \
	"$traces/philly/revised_machine_list.csv"

facts=$traces/facts/microsoft_itp_2021.json
for pools in 01:64,128 02:64,128,256 05:16,32 07:256,384,512 08:64,128 09:16,32,64 10:16,32; do
	check "ITP cluster ${pools%:*}" -k clusters -k "cluster${pools%:*}" -- \
		"$traces/microsoft-itp-2021/cluster${pools%:*}.csv.xz" --pool "${pools#*:}"
done

facts=$traces/facts/tiresias_muri.json
for file in tiresias/60_job.csv muri/trace1.csv muri/trace4.csv; do
	facts=$traces/facts/tiresias_muri.json
	check "$file" -k "$file" -i sha256 -i columns -i unit -i file_sorted_by_submit \
		-i duplicate_job_id -- "$traces/$file"
	figures "$file, the rest" facts/tiresias_muri.json -k "$file" --only columns --only unit \
		--only file_sorted_by_submit --only duplicate_job_id -- simulator "$traces/$file"
done

for file in 7f04ca b436b2; do
	figures "Gavel, $file" facts/gavel.json -k msr_seed0 -k $file -- gavel \
		"$traces/gavel/$file.trace"
done
figures "Gavel, max_min_fairness" facts/gavel.json -k physical -k max_min_fairness -- gavel \
	"$traces/gavel/max_min_fairness.trace"
figures "SWF" facts/swf.json -k accasim_hpc2n_excerpt -- swf \
	"$traces/swf/accasim_hpc2n_excerpt.swf"

openb=$traces/alibaba-openb-2023
for list in default gpuspec33; do
	figures "openb, $list" facts/alibaba_openb_2023.json -k variants -k $list -i sha256 -- \
		openb "$openb/openb_pod_list_$list.csv"
done
figures "openb, default, as recorded" facts/alibaba_openb_2023.json -k default -i file \
	-i all_node -i gpu_node -- openb "$openb/openb_pod_list_default.csv"
for list in all_node gpu_node; do
	figures "openb, $list" facts/alibaba_openb_2023.json -k default -k $list -- nodes \
		"$openb/openb_node_list_$list.csv"
done

fixtures=$traces/fixtures
figures "Helios fixture" fixtures/expected.json -k helios/cluster_log.csv -- helios \
	"$fixtures/helios/cluster_log.csv"
for cluster in seren kalos; do
	figures "Acme fixture, $cluster" fixtures/expected.json -k acme/trace_$cluster.csv -i NOTE \
		-- acme "$fixtures/acme/trace_$cluster.csv"
done
figures "PAI fixture" fixtures/expected.json -k pai2020 -- pai \
	"$fixtures/pai2020/pai_job_table.csv" "$fixtures/pai2020/pai_task_table.csv"
figures "spot fixture" fixtures/expected.json -k spot2026/job_info_df.csv -i NOTE -- spot \
	"$fixtures/spot2026/job_info_df.csv"
exit $bad
