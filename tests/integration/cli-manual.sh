#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# Every verb has a manual page, and every option of it stands there; mandoc
# finds nothing wrong with the pages.

. "$LTTNGMAP_SRC/tests/utils/tap.sh"

lttngmap=$LTTNGMAP_BUILD/lttngmap
for verb in record view; do
	page=$LTTNGMAP_SRC/doc/man/lttngmap-$verb.1
	ok "$verb has a manual page" test -s "$page"
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
done_testing
