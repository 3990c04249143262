#!/bin/sh
# mirror.sh - every core/X.c and sim/ROOM/X.c has its test, tests/core/test_X.c or
# tests/sim/ROOM/test_X.c, or one for its family, in whichever room (test_trace.c for
# trace_csv.c; tables and main excepted); every such test has its source or family.
bad=0
there() { # there PATTERN...: is one of them a file?
	for file; do
		[ ! -e "$file" ] || return 0
	done
	return 1
}
for f in core/*.c sim/*/*.c; do
	case $f in */main.c | *_table.c) continue ;; esac
	stem=${f##*/}
	stem=${stem%.c}
	t=tests/${f%/*}/test_$stem.c
	family=test_${stem%%_*}.c
	there "$t" tests/core/$family tests/sim/*/$family || { echo "$f: no $t"; bad=1; }
done
for t in tests/core/test_*.c tests/sim/*/test_*.c; do
	f=${t#tests/}
	f=${f%/*}/${f##*/test_}
	there "$f" "${f%.c}"_*.c || { echo "$t: no $f"; bad=1; }
done
exit $bad
