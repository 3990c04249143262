#!/bin/sh
# run.sh [SECTION...] - the table of make bench: CPU seconds, jobs a second, ns a record, peak
# memory, and CPU seconds as a multiple of the bare loop's on the same jobs (bare_loop.c; of
# loading: of its one scan of the file). Sections:
#   load    each format, plain and compressed
#   run     Philly-like jobs (philly_like.c, 2,490 GPUs) under plain Kubernetes and flat Kueue
#   compare  gqsim compare of both policies, from the file to the table
#   kueue   what is hard on Kueue (scenario.sh), 15 queues
#   hard    what is hard on plain Kubernetes (kube_load.c); "-log" with each failed attempt
#   growth  exponents of CPU time in jobs, backlog, nodes, queues and depth of cohorts
#   ranks   how well two ranks of mpirun share a sweep (with build/*-mpi)
# SIZES (jobs) and LOADS (per cent) pick the rows, REPEATS the runs of which the fastest
# counts, LIMIT the CPU seconds that one may take. One process a run, so that the peak memory is
# that run's; the bare loop runs between them. A row that is done is kept in $O/bench/rows
# and comes from there until the program is built anew.
set -eu
cd "$(dirname "$0")/../.."
O=${O:-build/release}
SIZES=${SIZES:-10000 100000 1000000}
LOADS=${LOADS:-50 90 150}
REPEATS=${REPEATS:-3}
LIMIT=${LIMIT:-300}
bench=$O/tests/bench/bench
b=$O/bench
nodes=h100=311x8,rest=1x2
mkdir -p "$b/rows"
[ $# -gt 0 ] || set -- load run compare kueue hard growth ranks

# make_file FILE COMMAND...: unless it is there, and never half of it
make_file() {
	file=$1
	shift
	[ -s "$file" ] && return
	"$@" >"$file.part"
	mv "$file.part" "$file"
}
philly() { # philly LOAD JOBS: sets csv
	csv=$b/load-$1-jobs-$2.csv
	make_file "$csv" "$O/tests/bench/philly_like" "$2" "$1"
}

# repeat BARE_CSV ARGUMENT...: "jobs records load run MiB bare_scan bare_loop", each the least
repeat() {
	trace=$1
	shift
	i=0
	while [ $i -lt "$REPEATS" ]; do
		i=$((i + 1))
		bare="0 0 0 0 0"
		[ "$trace" = - ] || bare=$("$O/tests/bench/bare_loop" "$trace")
		measured=$(ulimit -t "$LIMIT" && exec "$bench" "$@") || measured="- - - - -"
		echo "$measured $bare"
		[ "$measured" != "- - - - -" ] || break
	done | awk '
		$1 == "-" { over = 1; next }
		NR == 1 || $3 < load { load = $3 }
		NR == 1 || $4 < run { run = $4 }
		NR == 1 || $8 < scan { scan = $8 }
		NR == 1 || $9 < loop { loop = $9 }
		{ jobs = $1; records = $2; mib = $5 }
		END { if (over) print "over"; else print jobs, records, load, run, mib, scan, loop }'
}

# row NAME WHAT BARE_CSV ARGUMENT...: prints the row, measured or kept
row() {
	label=$1 what=$2
	shift 2
	kept=$b/rows/$label.$what
	if [ ! -s "$kept" ] || [ "$kept" -ot "$bench" ]; then
		repeat "$@" >"$kept.part"
		mv "$kept.part" "$kept"
	fi
	awk -v name="$label" -v what="$what" -v limit="$LIMIT" '
		$1 == "over" { printf "%-22s %-13s over %s CPU s\n", name, what, limit; next }
		{
			seconds = what ~ /^load/ ? $3 : $4
			bare = what ~ /^load/ ? $6 : $7
			ratio = bare > 0 ? sprintf("%.1f", seconds / bare) : "-"
			each = $2 > 0 ? sprintf("%.1f", 1e9 * seconds / $2) : "-"
			records = $2 > 0 ? $2 : "-"
			printf "%-22s %-13s %8d %9s %8.3f %9.0f %8s %6.0f %7s\n", name, what, $1,
				records, seconds, $1 / seconds, each, $5, ratio
		}' "$kept"
}

head_line() {
	printf '%-22s %-13s %8s %9s %8s %9s %8s %6s %7s\n' \
		workload what jobs records "CPU s" jobs/s ns/rec MiB "x bare"
}

# ---- sections ----

# The same jobs as other programs write them.
as_philly_json() {
	awk -F, 'BEGIN { print "[" } NR > 1 {
		s = $2 + 1506816000; at = strftime("%Y-%m-%d %H:%M:%S", s, 1)
		end = strftime("%Y-%m-%d %H:%M:%S", s + $4, 1)
		printf("%s{\"status\":\"Pass\",\"vc\":\"v%d\",\"jobid\":\"application_%d\",\"attempts\":[{\"start_time\":\"%s\",\"end_time\":\"%s\",\"detail\":[", (NR > 2 ? ",\n" : ""), $1 % 15, $1, at, end)
		for (left = $3; left > 0; left -= 8) {
			printf("%s{\"ip\":\"m%d\",\"gpus\":[", (left < $3 ? "," : ""), left)
			for (g = 0; g < 8 && g < left; g++) printf("%s\"gpu%d\"", (g ? "," : ""), g)
			printf("]}")
		}
		printf("]}],\"submitted_time\":\"%s\",\"user\":\"u%d\"}", at, $1 % 100)
	} END { print "]" }' "$csv"
}
as_sacct() {
	awk -F, 'BEGIN { print "JobID|JobName|User|Account|Partition|State|Submit|Start|End|NNodes|ReqTRES" } NR > 1 {
		f = "%Y-%m-%dT%H:%M:%S"; s = $2 + 1506816000
		n = $3 > 8 ? $3 / 8 : 1
		print $1 "|train|u" $1 % 100 "|v" $1 % 15 "|gpu|COMPLETED|" strftime(f, s, 1) "|" strftime(f, s, 1) "|" strftime(f, s + $4, 1) "|" n "|billing=1,cpu=" 8 * $3 ",gres/gpu=" $3 ",mem=64G,node=" n
	}' "$csv"
}

load() {
	for jobs in $SIZES; do
		philly 90 "$jobs"
		t=$b/formats-$jobs
		make_file "$t.jsonl" "$O/gqsim" trace convert "$csv" -o jsonl
		make_file "$t.swf" "$O/gqsim" trace convert "$csv" -o swf
		make_file "$t.json" as_philly_json
		make_file "$t.sacct" as_sacct
		make_file "$t.csv.gz" gzip -c "$csv"
		make_file "$t.csv.zst" zstd -qc "$csv"
		make_file "$t.csv.xz" xz -1c "$csv"
		row "csv-$jobs" load "$csv" $nodes "$csv"
		for format in csv.gz csv.zst csv.xz jsonl swf json sacct; do
			[ ! -s "$t.$format" ] || row "$format-$jobs" load "$csv" $nodes "$t.$format"
		done
	done
}

run() {
	for load in $LOADS; do
		for jobs in $SIZES; do
			philly "$load" "$jobs"
			row "load-$load-$jobs" kubernetes "$csv" -p kubernetes $nodes "$csv"
			row "load-$load-$jobs" kueue "$csv" -p kueue $nodes "$csv"
		done
	done
}

# User and system seconds of a command, as the shell's times tells them of its children.
cpu_of() {
	(
		"$@" >"$b/out"
		times
	) | awk 'NR == 2 { gsub(/[ms]/, " "); print 60 * $1 + $2 + 60 * $3 + $4 }'
}
compare() {
	for jobs in $SIZES; do
		philly 90 "$jobs"
		i=0
		while [ $i -lt "$REPEATS" ]; do
			i=$((i + 1))
			cpu_of "$O/gqsim" compare --trace "$csv" --nodes $nodes
		done | sort -n | awk -v jobs="$jobs" 'NR == 1 {
			printf "%-22s %-13s %8d %9s %8.3f %9.0f %8s %6s %7s\n", "load-90-" jobs, "compare",
				jobs, "-", $1, jobs / $1, "-", "-", "-" }'
	done
}

kueue() {
	for name in $(sed -n 's/^#   \([a-z]*\)  .*/\1/p' tests/bench/scenario.sh); do
		for load in $LOADS; do
			for jobs in $SIZES; do
				philly "$load" "$jobs"
				d=$b/$name-$load-$jobs
				[ -s "$d/jobs.csv" ] || O=$O tests/bench/scenario.sh "$name" "$load" "$jobs" "$d"
				row "$name-$load-$jobs" kueue "$csv" -p kueue "$d/objects.yaml" "$d/jobs.csv"
			done
		done
	done
}

hard_row() { # hard_row SCENARIO POLICY NAME [OPTION]
	k=$b/$1
	make_file "$k.nodes.yaml" "$O/tests/bench/kube_load" "$1" nodes
	make_file "$k.jobs" "$O/tests/bench/kube_load" "$1" jobs
	row "$3" "$2" - ${4:-} -p "$2" "$k.nodes.yaml" "$k.jobs"
}
hard() {
	for name in steady backlog victims classes spread apart decades; do
		hard_row $name kubernetes $name
	done
	hard_row backlog kubernetes backlog-log -d
	hard_row victims kubernetes victims-log -d
	hard_row quota resourcequota quota
}

# growth_row QUANTITY POLICY: rows of "x seconds" on stdin; the slope of their logarithms
growth_row() {
	awk -v what="$1" -v policy="$2" '
		$2 > 0 { x = log($1); y = log($2); n++; sx += x; sy += y; sxx += x * x; sxy += x * y
			points = points sprintf(" %s:%.3fs", $1, $2) }
		END { if (n > 1) printf "growth in %-12s %-11s exponent %5.2f  %s\n", what, policy,
			(n * sxy - sx * sy) / (n * sxx - sx * sx), points }'
}
seconds() { # seconds NAME WHAT ARGUMENT...: CPU of the run, measured or kept
	row "$1" "$2" - $3 $4 "$5" "$6" >/dev/null
	awk '{ print $1 == "over" ? 0 : $4 }' "$b/rows/$1.$2"
}
growth() {
	for policy in kubernetes kueue; do
		for jobs in $SIZES; do
			philly 50 "$jobs"
			echo "$jobs $(seconds "jobs-$jobs" $policy -p $policy $nodes "$csv")"
		done | growth_row jobs $policy
		for jobs in 3000 10000 30000 100000; do # nearly all of them wait at once
			philly 100000 $jobs
			echo "$jobs $(seconds "backlog-$jobs" $policy -p $policy $nodes "$csv")"
		done | growth_row backlog $policy
		for n in 78 312 1248 4992; do
			csv=$b/nodes-$n.csv
			make_file "$csv" "$O/tests/bench/philly_like" 100000 50 42 $((n * 8))
			echo "$n $(seconds "nodes-$n" $policy -p $policy h100=${n}x8 "$csv")"
		done | growth_row nodes $policy
	done
	for n in 4 16 64 256; do
		d=$b/queues-$n
		[ -s "$d/jobs.csv" ] || O=$O tests/bench/tree.sh $n 1 50000 "$d"
		echo "$n $(seconds "queues-$n" kueue -p kueue "$d/objects.yaml" "$d/jobs.csv")"
	done | growth_row queues kueue
	for n in 1 4 16 64; do
		d=$b/depth-$n
		[ -s "$d/jobs.csv" ] || O=$O tests/bench/tree.sh 16 $n 50000 "$d"
		echo "$n $(seconds "depth-$n" kueue -p kueue "$d/objects.yaml" "$d/jobs.csv")"
	done | growth_row "cohort depth" kueue
}

# Elapsed seconds of a sweep of eight equal points on so many ranks of one thread.
elapsed() {
	start=$(date +%s.%N)
	mpirun --allow-run-as-root --oversubscribe -n "$1" "$O-mpi/gqsim" sweep -p kueue --trace "$csv" \
		--nodes $nodes --seeds 1..40 -j 1 -o csv >"$b/ranks.csv"
	echo "$start $(date +%s.%N)" | awk '{ print $2 - $1 }'
}
ranks() {
	if [ ! -x "$O-mpi/gqsim" ] || ! command -v mpirun >/dev/null; then
		echo "ranks: not measured; make MPI=1 builds $O-mpi/gqsim"
		return
	fi
	philly 90 100000
	for i in 1 2; do echo "$(elapsed 1) $(elapsed 2)"; done | awk '
		NR == 1 || $1 < one { one = $1 } NR == 1 || $2 < two { two = $2 }
		END { printf "sweep of 40 runs of 100,000 jobs: 1 rank %.2f s, 2 ranks %.2f s, efficiency %.2f\n", one, two, one / two / 2 }'
}

head_line
for section in "$@"; do
	case $section in
	load | run | compare | kueue | hard | growth | ranks) $section ;;
	*) echo "run.sh: no section $section" >&2; exit 2 ;;
	esac
done
