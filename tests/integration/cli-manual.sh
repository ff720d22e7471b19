#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# Every verb has a manual page, and every option of it stands there; mandoc
# finds nothing wrong with the pages.

. "$LTTNGMAP_SRC/tests/utils/tap.sh"

lttngmap=$LTTNGMAP_BUILD/lttngmap
verbs=$("$lttngmap" help | sed -nE 's/^  ([a-z]+) .*/\1/p' | grep -vx help)
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
	options=$("$lttngmap" help "$verb" | grep -oE '^  (-[a-z],| {3}) --[a-z-]+' |
		grep -oE -e '--[a-z-]+')
	ok "$verb has options" test -n "$options"
	for option in $options; do
		# As mdoc writes it: .Fl -NAME
		ok "$option of $verb is described" grep -qE "^\.It .*Fl -${option#--}( |=|$)" "$page"
	done
	if command -v mandoc >/dev/null; then
		is "$(mandoc -Tlint -W warning "$page" 2>&1)" '' "mandoc likes the page of $verb"
	else
		skip 1 'no mandoc here'
	fi
done
if command -v mandoc >/dev/null; then
	is "$(mandoc -Tlint -W warning "$LTTNGMAP_SRC/doc/man/lttngmap.1" 2>&1)" '' \
		'mandoc likes lttngmap(1)'
	for page in preload sdt; do
		is "$(mandoc -Tlint -W warning "$LTTNGMAP_SRC/doc/man/lttngmap-$page.7" 2>&1)" '' \
			"mandoc likes lttngmap-$page(7)"
	done
fi
families=$("$lttngmap" record --preload nosuch true 2>&1 | sed -nE "s/.*families: ([a-z, -]+); .*/\1/p")
like "$families" '^libc, ' 'the families are told'
for family in ${families//,/}; do
	ok "family $family is described" grep -qE "^\.Ss (.* , )?$family( ,|$)" \
		"$LTTNGMAP_SRC/doc/man/lttngmap-preload.7"
	ok '  ... and listed by lttngmap-record(1)' grep -qE "^\.It Cm $family$" \
		"$LTTNGMAP_SRC/doc/man/lttngmap-record.1"
	ok '  ... and by --help' grep -qE "[ :]$family," <<<"$("$lttngmap" help record | tr '\n' ' ')"
done
done_testing
