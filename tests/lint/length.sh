#!/bin/sh
# length.sh [LIMIT] - no function of core/ and sim/ is longer than LIMIT (70) lines, its
# braces not counted. A function's braces stand alone in the first column, as the
# formatter puts them.
LC_ALL=C
export LC_ALL
awk -v limit="${1:-70}" '
FNR == 1 { start = 0 }
/^\{/ { start = FNR; head = last }
/^[A-Za-z]/ { last = $0 }
/^\}/ && start {
	if (FNR - start - 1 > limit) {
		print FILENAME ":" start ": " FNR - start - 1 " lines (at most " limit "): " head; bad = 1
	}
	start = 0
}
END { exit bad }
' core/*.[ch] sim/*/*.[ch]
