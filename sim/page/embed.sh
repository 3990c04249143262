#!/bin/sh
# embed.sh HEADER NAME=FILE... - C source that has each FILE as the text NAME of HEADER.
# The files are ASCII, so that a char holds each byte whatever its sign.
set -eu
LC_ALL=C
export LC_ALL
printf '/* made by sim/page/embed.sh */\n#include "%s"\n' "$1"
shift
for pair in "$@"; do
	file=${pair#*=}
	if [ -n "$(tr -d '\000-\177' <"$file" | head -c 1)" ]; then
		echo "embed.sh: $file is not ASCII" >&2
		exit 1
	fi
	printf 'const char %s[] = {\n' "${pair%%=*}"
	od -An -v -tu1 "$file" | sed 's/[0-9][0-9]*/&,/g'
	printf '0};\n'
done
