#!/bin/sh
# unique.sh OBJECTS - no two object files define the same global function: a test
# support file that shadowed one of the program's would be linked instead of it.
nm -g --defined-only "$@" 2>/dev/null | awk '
/:$/ { file = $1; next }
$3 != "" && $2 ~ /[TDRB]/ {
	if (($3 in where) && where[$3] != file) { print file " " $3 " is also in " where[$3]; bad = 1 }
	where[$3] = file
}
END { exit bad }'
