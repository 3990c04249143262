#!/bin/sh
# layers.sh - the architecture, checked: includes may only point downwards, file by file,
# and from room to room in no circle.
# Also: which file may include which outside library, and what core/ may not touch.
# Usage: tests/lint/layers.sh (from the root). Exit 1 and one line per offence.
LC_ALL=C
export LC_ALL
awk '
function room(path) { sub(/\/[^\/]*$/, "", path); return path }
# Rooms that lead to no other one, or that none leads to, are taken away until none is left.
function cycle(	way, part, more, from, to, left) {
	for (way in leads) { split(way, part, SUBSEP); left[way] = 1 }
	do {
		more = 0
		delete from
		delete to
		for (way in left) { split(way, part, SUBSEP); from[part[1]] = to[part[2]] = 1 }
		for (way in left) {
			split(way, part, SUBSEP)
			if (!(part[2] in from) || !(part[1] in to)) { delete left[way]; more = 1 }
		}
	} while (more)
	for (way in left) {
		split(way, part, SUBSEP)
		print leads[way] ": " part[1] " and " part[2] " are on a circle of rooms"; bad = 1
	}
}
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
	a = room(me); b = room(to)
	if (a != b) leads[a, b] = file ":" FNR
	if (!(to in layer)) { print file ":" FNR ": includes unknown " part[2]; bad = 1 }
	else if (to != me && layer[to] >= layer[me]) {
		print file ":" FNR ": " me " may not include " to " (same or higher layer)"; bad = 1
	}
}
/^[ \t]*#[ \t]*include[ \t]*</ {
	split($0, part, /[<>]/); lib = part[2]
	if (lib ~ /^yaml/ && file !~ /^sim\/(objects|yaml)\/[a-z0-9_]*\.c$/ ||
	    lib ~ /cJSON/ && file !~ /^sim\/trace\/[a-z0-9_]*\.c$/ ||
	    lib ~ /^yajl\// && file != "sim/tool/jsonw.c" ||
	    lib ~ /^microhttpd/ && file != "sim/page/lab_server.c" ||
	    lib ~ /^(zlib|zstd|lzma)/ && file != "sim/tool/pack.c" ||
	    lib ~ /^xxhash/ && file != "sim/tool/source.c" ||
	    lib ~ /^gsl\// && file !~ /^core\/(distribution|fit|interval|modulation|rng|stats|survival)\.c$/ ||
	    file ~ /^core\// && lib ~ /^(time|sys\/time|pthread|locale|unistd|signal)\.h$/) {
		print file ":" FNR ": <" lib "> is not allowed here"; bad = 1
	}
}
END {
	cycle()
	for (me in lost) print me ": in no layer of tests/lint/layers.txt (fits below line " above[me] + 0 ")"
	exit bad
}
' tests/lint/layers.txt core/*.[ch] sim/*/*.[ch]
