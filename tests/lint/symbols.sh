#!/bin/sh
# symbols.sh OBJECTS - every global symbol of X.o starts with X's first word (evq_push in
# evq.o; policy_fifo in policy_fifo.o and policy_table.o), no variable is writable, and
# nothing is called that varies from run to run (nor qsort: unstable; use sort_stable).
# core/ calls neither clocks nor the environment.
LC_ALL=C
export LC_ALL
bad=0
darwin=false
[ "$(uname -s)" != Darwin ] || darwin=true
[ $# -gt 0 ] || { echo "symbols.sh: no objects"; exit 1; }

# "type name" of each symbol, without the underscore that macOS puts in front
symbols() {
	nm "$1" | awk -v darwin=$darwin '{ name = $NF; if (darwin == "true") sub(/^_/, "", name); print $(NF - 1), name }'
}

for o in "$@"; do
	stem=$(basename "$o" .o)
	symbols "$o" | awk -v o="$o" -v prefix="${stem%%_*}_" '
		$1 ~ /^[A-TV-Z]$/ && $2 != "main" && index($2, prefix) != 1 && $2 !~ /^__/ {
			print o ": global " $2 " lacks the prefix " prefix; bad = 1
		}
		$1 == "U" && $2 ~ /^(rand|srand|random|srandom|drand48|lrand48|setlocale|qsort|qsort_r|strtok|gets)$/ ||
		$1 == "U" && o ~ /core\// && $2 ~ /^(time|clock|clock_gettime|gettimeofday|getenv|printf|puts)$/ {
			print o ": may not call " $2; bad = 1
		}
		END { exit bad }' || bad=1
	if $darwin; then
		symbols "$o"
	else # constants with relocations live in .data.rel.ro: fine
		objdump -t "$o" | awk '/ O (\.data|\.bss|\.tdata|\.tbss|\*COM\*)[ \t]/ { print "d", $NF }'
	fi | awk -v o="$o" '
		$1 ~ /^[bdBDC]$/ && $2 !~ /^__/ { print o ": writable static variable " $2; bad = 1 }
		END { exit bad }' || bad=1
done
exit $bad
