#!/bin/sh
# same_bytes.sh A B ARGUMENT... - programs A and B (of two compilers) print the same.
a=$1
b=$2
shift 2
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
"$a" "$@" >"$dir/a" || [ $? -eq 1 ] || exit 1
"$b" "$@" >"$dir/b" || [ $? -eq 1 ] || exit 1
[ -s "$dir/a" ] || { echo "$a $*: no output"; exit 1; }
cmp "$dir/a" "$dir/b" || { echo "$a and $b differ: $*"; exit 1; }
