#!/bin/sh
# mirror.sh - every core/X.c and sim/X.c has its test, tests/core/test_X.c or
# tests/sim/test_X.c, or one for its family (test_trace.c for trace_csv.c; tables and
# main excepted); every such test has its source or family.
bad=0
for f in core/*.c sim/*.c; do
	case $f in sim/main.c | *_table.c) continue ;; esac
	stem=${f##*/}
	stem=${stem%.c}
	t=tests/${f%/*}/test_
	[ -e "$t$stem.c" ] || [ -e "$t${stem%%_*}.c" ] || { echo "$f: no $t$stem.c"; bad=1; }
done
for t in tests/core/test_*.c tests/sim/test_*.c; do
	[ -e "$t" ] || continue
	f=${t#tests/}
	f=${f%/*}/${f##*/test_}
	[ -e "$f" ] || ls "${f%.c}"_*.c >/dev/null 2>&1 || { echo "$t: no $f"; bad=1; }
done
exit $bad
