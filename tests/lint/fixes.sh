#!/bin/sh
# fixes.sh [FILE...] - every error, warning and advice says what to do about it: they go through
# *_fault(), which takes a fix, and never NULL; *_finding() is for notes and for what is not
# modelled.
LC_ALL=C
export LC_ALL
[ $# -gt 0 ] || set -- sim/*/*.c
awk '
FNR == 1 { call = "" }
# A call is joined up to its semicolon; what is declared has its types.
call == "" && /(draft|builder|fields)_(finding|fault)\(|[^_a-z]fault\(r,/ { call = " "; at = FNR }
call != "" { call = call $0 " " }
call != "" && /;[ \t]*$/ {
	plain = call
	gsub(/"([^"\\]|\\.)*"/, "TEXT", plain)
	if (plain ~ /_finding\(/ && plain ~ /FINDING_(WARNING|ERROR|ADVICE)/) {
		print FILENAME ":" at ": a warning, error or advice without a fix"; bad = 1
	}
	if (plain ~ /fault\(/ && plain ~ /,[ \t]*NULL[ \t]*,/) {
		print FILENAME ":" at ": the fix is NULL"; bad = 1
	}
	call = ""
}
END { exit bad }
' "$@"
