#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# The core of the ring's reader needs nothing of its host but sessiond/ring/ring-host.h: so it can be compiled into
# something else than the daemon.

. "$LTTNGMAP_SRC/tests/utils/tap.sh"

[[ $LTTNGMAP_PLAIN == "$LTTNGMAP_BUILD" ]] || skip_all 'a sanitizer calls functions of its own'
plan 3
core=(ring-reader ring-take ring-undo ring-back)

# symbols TYPES: of the core's objects, with these letters of nm.
symbols() {
	local file

	for file in "${core[@]}"; do
		nm "$LTTNGMAP_PLAIN/sessiond/ring/.libs/libsessiond_la-$file.o"
	done | awk -v types="$1" 'NF >= 2 && index(types, $(NF - 1)) { print $NF }' | sort -u
}

ok 'the core defines functions' test "$(symbols T | wc -l)" -gt 20
# What a compiler may call by itself, also in a freestanding program.
is "$(comm -23 <(symbols U) <(symbols T) | grep -vxE 'ring_host_[a-z_]+|mem(cpy|set|move|cmp)|__stack_chk_fail' | tr '\n' ' ')" '' \
	'and calls nothing but its host'
is "$(symbols DdBb | tr '\n' ' ')" '' 'and keeps nothing that can be written'
