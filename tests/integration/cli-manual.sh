#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# Every verb has a manual page, and every option of it stands there; mandoc
# finds nothing wrong with the pages.

. "$LTTNGMAP_SRC/tests/utils/tap.sh"

lttngmap=$LTTNGMAP_BUILD/lttngmap
declare -A helps
verbs=$("$lttngmap" help | sed -nE 's/^  ([a-z-]+) .*/\1/p' | grep -vx help)
ok 'there are verbs' test "$(wc -l <<<"$verbs")" -ge 21
for verb in $verbs; do
	page=$LTTNGMAP_SRC/doc/man/lttngmap-$verb.1
	# Those that share a page are links to it where they are installed.
	shared=$(sed -nE "s/^shared_pages = (.* )?$verb:([a-z]+)( .*)?$/\2/p" \
		"$LTTNGMAP_SRC/doc/automake.mk")
	[[ -z $shared ]] || page=${page%/*}/lttngmap-$shared.1
	ok "$verb has a manual page" test -s "$page"
	ok "which names $verb" grep -qE "^\.Nm lttngmap-$verb( ,)?$" "$page"
	ok "lttngmap(1) lists $verb" grep -qE "^\.It (.* )?Cm $verb( ,|$)" \
		"$LTTNGMAP_SRC/doc/man/lttngmap.1"
	options=$("$lttngmap" help "$verb" | grep -oE '^  (-[a-z],| {3}) --[a-z0-9-]+' |
		grep -oE -e '--[a-z0-9-]+')
	ok "$verb has options" test -n "$options"
	# Two screens of a terminal of the usual size, an example first.
	"$lttngmap" help "$verb" >"$TAP_DIR/help"
	is "$(awk 'length($0) > 80 || NR > 48' "$TAP_DIR/help")" '' 'the help fits'
	ok '  ... and begins with an example' test "$(sed -n '3,6s/^Example.*/&/p' "$TAP_DIR/help")"
	helps[$page]+=" $(sed -nE 's/^  (-[a-zA-Z0-9],| {3}) (--[a-z0-9-]+).*/\1 \2/p' \
		<<<"$("$lttngmap" help "$verb")" | tr -d ,)"
	for option in $options; do
		# As mdoc writes it: .Fl -NAME
		ok "$option of $verb is described" grep -qE "^\.It .*Fl -${option#--}( |=|$)" "$page"
	done
done
# The other way round: what a page describes is there, in a verb whose page it is.
for page in "${!helps[@]}"; do
	described=$(sed -nE 's/^\.It (Fl .*)/\1/p' "$page" | grep -oE 'Fl -?[a-zA-Z0-9][a-z0-9-]*')
	unknown=
	while read -r _ option; do
		grep -qE -e "(^| )-$option( |$)" <<<"$(tr '\n' ' ' <<<"${helps[$page]}")" || unknown+=" -$option"
	done <<<"$described"
	is "$unknown" '' "${page##*/} describes no option that is not there"
done
for page in "$LTTNGMAP_SRC"/doc/man/*.[1-9]; do
	if command -v mandoc >/dev/null; then
		is "$(mandoc -Tlint -W warning "$page" 2>&1)" '' "mandoc likes ${page##*/}"
	else
		skip 1 'no mandoc here'
	fi
done
# The tables of lttngmap-abi(5): a program with an assertion for each row, which the compiler checks.
tables=$(awk '
	/^\.Ss|^\.Vt/ && match($0, /struct lttngmap_[a-z]+/) { type = substr($0, RSTART, RLENGTH) }
	/^\.Vt struct lttngmap_ring$/ { type = "struct lttngmap_ring" }
	/^\.It [0-9]+ Ta [0-9]+ Ta [a-z]/ {
		name = $6
		sub(/\[.*/, "", name)
		if ($2 != at[type] + 0)
			print "#error " type ": " name " does not follow the row before"
		at[type] = $2 + $4
		if (name != "reserved") {
			print "_Static_assert(offsetof(" type ", " name ") == " $2 ", \"" type " " name "\");"
			print "_Static_assert(sizeof(((" type " *)0)->" name ") == " $4 ", \"" type " " name "\");"
		}
	}
	END { for (type in at) print "_Static_assert(sizeof(" type ") == " at[type] ", \"" type "\");" }
' "$LTTNGMAP_SRC/doc/man/lttngmap-abi.5")
is "$(grep -c '^_Static_assert(sizeof(struct' <<<"$tables")" 5 'lttngmap-abi(5) has the tables of five structs'
{ printf '#include <stddef.h>\n#include <lttngmap/abi.h>\n'; printf '%s\n' "$tables"; } >"$TAP_DIR/tables.c"
ok '  ... whose rows are as in the header' "${LTTNGMAP_CC:-cc}" -fsyntax-only -I "$LTTNGMAP_SRC/include" "$TAP_DIR/tables.c"
families=$("$lttngmap" record --preload nosuch true 2>&1 | sed -nE "s/.*families: ([a-z, -]+); .*/\1/p")
like "$families" '^libc, dl, io, ' 'the families are told'
for family in ${families//,/}; do
	ok "family $family is described" grep -qE "^\.Ss (.* , )?$family( ,|$)" \
		"$LTTNGMAP_SRC/doc/man/lttngmap-preload.7"
	ok '  ... and listed by lttngmap-record(1)' grep -qE "^\.It Cm $family$" \
		"$LTTNGMAP_SRC/doc/man/lttngmap-record.1"
	ok '  ... and by --help' grep -qE "[ :]$family," <<<"$("$lttngmap" help record | tr '\n' ' ')"
done
done_testing
