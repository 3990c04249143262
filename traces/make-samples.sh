#!/bin/sh
# make-samples.sh - writes the samples of this folder: small, of our own making, the
# same bytes on every run. They show the formats; they say nothing about real clusters.
# Usage: traces/make-samples.sh [FOLDER]   (default: the folder of this script)
LC_ALL=C
export LC_ALL
out=${1:-$(dirname "$0")}

# A job a line: seconds after 2017-10-02 00:00:00, GPUs, seconds, virtual cluster.
# Numbers come from a linear congruential generator within 2^31, exact in any awk.
list() {
	awk '
	function draw(n) { seed = (seed * 1103515 + 12345) % 2147483648; return int(seed / 65536) % n }
	BEGIN {
		seed = 20171002
		split("1 1 1 1 1 1 2 2 4 8 12 16", gpus); split("vision speech search", vc)
		for (i = 0; i < 120; i++) {
			t += draw(4) ? draw(800) : 0
			print t, gpus[1 + draw(12)], 30 + draw(90) * draw(90), vc[1 + draw(3)]
		}
	}'
}

# The gqsim job list.
list | awk '
BEGIN { print "job_id,submit_s,gpus,duration_s,vc" }
{ print "job-" NR "," $1 "," $2 "," $3 "," $4 }' > "$out/jobs.csv"

clock='function clock(s, d) {
	d = int(s / 86400); s %= 86400
	return sprintf("2017-10-%02d %02d:%02d:%02d", 2 + d, int(s / 3600), int(s / 60) % 60, s % 60)
}'

# Philly as CSV: unsorted, floats that are whole, a blank line at the end.
list | awk "$clock"'
{ row[NR] = clock($1) "," $3 ".0," $2 "," $2 * $3 ".0," $4 }
END {
	print "timestamp,duration,num_gpus,gpu_time,cluster"
	for (i = 1; i <= NR; i++) print row[(i * 7) % NR + 1]
	print ""
}' > "$out/philly.csv"
printf 'vc,node num\nvision,4\nspeech,3\nsearch,1\n' > "$out/philly_vc.csv"

# cluster_job_log: waits, retries, and the defects that the real file has.
list | awk "$clock"'
function attempt(start, end, gpus, i, left, text) {
	text = "{\"start_time\": " start ", \"end_time\": " end ", \"detail\": ["
	for (i = 1; gpus > 0; i++) {
		left = gpus > 8 ? 8 : gpus; gpus -= left
		text = text (i > 1 ? ", " : "") "{\"ip\": \"m" NR % 40 + i "\", \"gpus\": ["
		while (left > 0) { text = text "\"gpu" left - 1 "\"" (left > 1 ? ", " : ""); left-- }
		text = text "]}"
	}
	return text "]}"
}
function quoted(s) { return "\"" s "\"" }
{
	start = NR % 20 == 3 ? $1 - 5 : $1 + NR % 5 * 60; end = start + $3
	attempts = attempt(quoted(clock(start)), quoted(clock(end)), $2)
	if (NR % 20 == 7) attempts = ""                                          # never ran
	if (NR % 20 == 9) attempts = attempt(quoted(clock(start)), "null", $2)   # still runs
	if (NR % 20 == 11) attempts = attempt("\"None\"", "\"None\"", $2)        # not logged
	if (NR % 20 == 13) attempts = attempt(quoted(clock(end)), quoted(clock(start)), $2)
	if (NR % 20 == 15) attempts = attempt(quoted(clock(start)), quoted(clock(end)), 0)
	if (NR % 20 == 17) attempts = attempt("\"\"", "\"\"", $2) ", " attempts  # a retry
	printf "%s{\"status\": \"%s\", \"vc\": \"%s\", \"jobid\": \"application_%d\",\n \"attempts\": [%s],\n \"submitted_time\": %s, \"user\": \"u%d\"}",
		NR == 1 ? "[\n" : ",\n", NR % 4 ? "Pass" : "Killed", $4, 1506800000 + NR, attempts,
		NR % 20 == 19 ? "null" : quoted(clock($1)), NR % 9
}
END { print "\n]" }' > "$out/cluster_job_log"
