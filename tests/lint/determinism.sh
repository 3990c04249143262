#!/bin/bash
# determinism.sh COMMAND... - the same bytes whatever the environment: poisoned malloc,
# another allocator layout, locale, time zone, a large environment, no address
# randomisation. Variants the machine cannot offer are named and left out.
set -u
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
bad=0
"$@" >"$dir/want" 2>"$dir/err"
status=$?
if [ $status -gt 1 ] || [ ! -s "$dir/want" ]; then
	echo "$*: exit status $status, $(wc -c <"$dir/want") bytes"
	cat "$dir/err"
	exit 1
fi

same() { # same LABEL WRAPPER... -- COMMAND...
	local label=$1
	shift
	local wrap=()
	while [ "$1" != -- ]; do wrap+=("$1"); shift; done
	shift
	"${wrap[@]}" "$@" >"$dir/got" 2>/dev/null
	[ $? -eq $status ] || { echo "$label: another exit status: $*"; bad=1; }
	cmp "$dir/want" "$dir/got" || { echo "$label: differs: $*"; bad=1; }
}

locale=de_DE.UTF-8
if command -v localedef >/dev/null && [ -e /usr/share/i18n/locales/de_DE ]; then
	mkdir "$dir/locales"
	localedef -i de_DE -f UTF-8 "$dir/locales/$locale" 2>/dev/null
	export LOCPATH=$dir/locales
fi
same again env -- "$@"
same "poisoned malloc" env MALLOC_PERTURB_=165 -- "$@"
same "other malloc" env MALLOC_ARENA_MAX=1 MALLOC_TOP_PAD_=1 MALLOC_MMAP_THRESHOLD_=64 -- "$@"
same locale env LC_ALL=$locale LANG=$locale -- "$@"
same "time zone" env TZ=Asia/Kolkata -- "$@"
same "large environment" env PAD="$(printf '%09000d' 0)" -- "$@"
same "no environment" env -i -- "$@"
if setarch -R true 2>/dev/null; then
	same "no address randomisation" setarch -R -- "$@"
else
	echo "left out: setarch -R is not possible here"
fi
exit $bad
