#!/bin/sh
# layers.sh - the architecture, checked: includes may only point downwards.
# Also: which file may include which outside library, and what core/ may not touch.
# Usage: tests/lint/layers.sh (from the root). Exit 1 and one line per offence.
LC_ALL=C
export LC_ALL
awk '
FNR == 1 { file = FILENAME; me = file; sub(/\.[ch]$/, "", me) }
FILENAME ~ /layers\.txt$/ {
	if ($0 !~ /^#/) for (i = 1; i <= NF; i++) {
		if ($i in layer) { print FILENAME ":" FNR ": " $i " is there twice"; bad = 1 }
		layer[$i] = FNR
		if (system("test -e " $i ".c || test -e " $i ".h")) {
			print FILENAME ":" FNR ": there is no " $i; bad = 1
		}
	}
	next
}
FNR == 1 && !(me in layer) { lost[me] = above[me] + 0; bad = 1 }
/^[ \t]*#[ \t]*include[ \t]*"/ {
	split($0, part, "\""); to = part[2]; sub(/\.h$/, "", to)
	if (me in lost) { if (to in layer && layer[to] > above[me]) above[me] = layer[to]; next }
	if (!(to in layer)) { print file ":" FNR ": includes unknown " part[2]; bad = 1 }
	else if (to != me && layer[to] >= layer[me]) {
		print file ":" FNR ": " me " may not include " to " (same or higher layer)"; bad = 1
	}
}
/^[ \t]*#[ \t]*include[ \t]*</ {
	split($0, part, /[<>]/); lib = part[2]
	if (lib ~ /^yaml/ && file !~ /^sim\/(objects|yaml)[a-z0-9_]*\.c$/ ||
	    lib ~ /cJSON/ && file !~ /^sim\/trace_[a-z0-9_]*\.c$/ ||
	    lib ~ /^yajl\// && file != "sim/jsonw.c" ||
	    lib ~ /^microhttpd/ && file != "sim/lab_server.c" ||
	    lib ~ /^(zlib|zstd|lzma)/ && file != "sim/pack.c" ||
	    lib ~ /^xxhash/ && file != "sim/source.c" ||
	    lib ~ /^gsl\// && file !~ /^core\/(distribution|fit|interval|modulation|rng|stats|survival)\.c$/ ||
	    file ~ /^core\// && lib ~ /^(time|sys\/time|pthread|locale|unistd|signal)\.h$/) {
		print file ":" FNR ": <" lib "> is not allowed here"; bad = 1
	}
}
END {
	for (me in lost) print me ": in no layer of tests/lint/layers.txt (fits below line " above[me] + 0 ")"
	exit bad
}
' tests/lint/layers.txt core/*.[ch] sim/*.[ch]
