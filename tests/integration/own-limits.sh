#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# Programs that limit their own memory after their start do what they do untraced: rings count in no
# limit of theirs. A program whose limit leaves no room for rings is left as it was, and named.
# What a program does to all shared maps that it finds is not done to those of ours.

. "$LTTNGMAP_SRC/tests/utils/tap.sh"

lttngmap=$LTTNGMAP_BUILD/lttngmap
limits=$LTTNGMAP_PLAIN/tests/utils/own-limits
plan 20

record() { # NAME COMMAND...
	local name=$1

	shift
	"$lttngmap" record -o "$TAP_DIR/$name" --mode blocking --preload libc -e 'lttng_ust_libc:*' "${rings[@]}" \
		-- "$@" >"$TAP_DIR/out" 2>"$TAP_DIR/err"
}
said() {
	tr '\n' ' ' <"$TAP_DIR/out"
}
kept() { # at least so many events
	local events

	events=$(sed -nE 's/.* traced, ([0-9,]+) events kept, 0 lost.*/\1/p' "$TAP_DIR/err")
	ok "${events:-no} events are kept, none lost" test "0${events//,/}" -ge "$1"
}

# By itself: what is to be the same.
is "$("$limits" space | tr '\n' ' ')" 'space 1 0 ' 'a limit of the address space, untraced'
is "$("$limits" lock | tr '\n' ' ')" 'lock 0 1 0 ' 'a limit of locked memory, untraced'

# Rings of 268 MB, on two CPUs: more than the limit.
rings=(--subbuf-size 1M --subbufs 64)
record space "$limits" space
is "$(said)" 'space 1 0 ' 'traced: what fits fits, what does not does not, and the limit is what it was set to'
kept 4000
record executed "$limits" space "$limits" space
is "$(said)" 'space 1 0 space 1 0 ' 'and in a program that it executes' || diag "$(cat "$TAP_DIR/err")"
kept 8000
record shell bash -c "ulimit -v 204800; '$limits' space"
is "$(said)" 'space 1 0 ' 'and of a shell'
kept 4000
record lock "$limits" lock
is "$(said)" 'lock 0 1 0 ' 'traced: all is locked but the rings'
kept 4000

is "$("$limits" maps)" 'fork 0 0 protect 0 0 unmap 0 0 0 1' 'shared maps that are changed, untraced'
record maps "$limits" maps
is "$(said)" 'fork 0 0 protect 0 0 unmap 0 0 0 1 ' 'traced: all is changed but our maps' ||
	diag "$(cat "$TAP_DIR/err")"
kept 14000

# With no right to raise a limit, and no room.
if [[ $(id -u) == 0 ]] && setpriv --reuid=65534 --clear-groups test -x "$LTTNGMAP_PLAIN/.libs/liblttngmap.so"; then
	stranger=(setpriv --reuid=65534 --clear-groups)
else
	stranger=()
fi
record stranger "${stranger[@]}" "$limits" lock
is "$(said)" 'lock 0 1 0 ' 'as an ordinary user, too' || diag "$(cat "$TAP_DIR/err")"
kept 4000
record small "${stranger[@]}" sh -c "'$limits' space" <&-
is "$(said)" 'space 1 0 ' 'what an ordinary user limits'
# limited_to BYTES NAME: a program that is not traced sets the limit, which nobody lifts.
limited_to() {
	record "$2" env -u LD_PRELOAD prlimit --as="$1:$1" env "LD_PRELOAD=$LTTNGMAP_PLAIN/.libs/liblttngmap-libc.so" \
		"LD_LIBRARY_PATH=$LTTNGMAP_PLAIN/.libs" "${stranger[@]}" "$limits" space
}
# There is no room for rings beyond what the program may have.
rings=(--subbuf-size 64K --subbufs 8)
limited_to $((201 << 20)) narrow
is "$(said)" 'space 1 0 ' 'a limit is lifted as far as it can be' || diag "$(cat "$TAP_DIR/err")"
kept 1000
rings=(--subbuf-size 1M --subbufs 64)
limited_to 209715200 refused
is "$(said)" 'space 1 0 ' 'a limit that cannot be raised leaves the program as it was'
like "$(cat "$TAP_DIR/err")" 'not traced' 'and it is named' || diag "$(cat "$TAP_DIR/err")"
done_testing
