#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# A snapshot that is asked for before the consumer has connected waits for it. A consumer that takes
# the place of one that died in the middle of a snapshot is sent nothing of that.

. "$LTTNGMAP_SRC/tests/utils/tap.sh"
. "$LTTNGMAP_SRC/tests/utils/sessiond.sh"

export LTTNGMAP_RUNTIME_DIR=$SESSIOND_DIR
lttngmap=$LTTNGMAP_BUILD/lttngmap
counts=$TAP_DIR/counts
events=1000
program=("$LTTNGMAP_BUILD/tests/utils/emit" "$counts" 1 "$events")

script() { # NAME LINE...
	printf '%s\n' '#!/bin/sh' "${@:2}" >"$TAP_DIR/$1" && chmod +x "$TAP_DIR/$1"
}
events_of() { # TRACE
	"$lttngmap" view "$1" 2>/dev/null | grep -c 'numbered:event'
}
# Asks for two at once: the one that came second is refused. The other is $asked, into $taken.
ask_for() { # WHAT
	local pids=() refused n

	rm -rf "$TAP_DIR"/trace[01]
	for n in 0 1; do
		"$lttngmap" snapshot fr -o "$TAP_DIR/trace$n" >"$TAP_DIR/said$n" 2>&1 &
		pids+=($!)
	done
	wait -n -p refused "${pids[@]}"
	n=0
	[[ $refused != "${pids[0]}" ]] || n=1
	asked=${pids[n]} taken=$TAP_DIR/trace$n said=$TAP_DIR/said$n
	like "$(<"$TAP_DIR/said$((1 - n))")" 'being taken already' "$1: it is not refused, and waits"
}

# ---- record: the program has ended before the consumer comes
script consumer-last "until [ -s '$TAP_DIR/pid' ] && ! kill -0 \$(cat '$TAP_DIR/pid') 2>/dev/null; do" \
	'	sleep 0.02' 'done' 'sleep 1' "exec '$LTTNGMAP_BUILD/lttngmap-consumerd' \"\$@\""
script sessiond "exec '$LTTNGMAP_BUILD/lttngmap-sessiond' --consumer='$TAP_DIR/consumer-last' \"\$@\""
: >"$counts"
env -u LTTNGMAP_RUNTIME_DIR LTTNGMAP_SESSIOND="$TAP_DIR/sessiond" "$lttngmap" record \
	--flight-recorder -o "$TAP_DIR/recorded" -e 'numbered:*' -- \
	sh -c 'echo $$ >"$0"; exec "$@"' "$TAP_DIR/pid" "${program[@]}" >"$TAP_DIR/said" 2>&1
is $? 0 'record --flight-recorder with a consumer that comes last' || diag "$(<"$TAP_DIR/said")"
is "$(events_of "$TAP_DIR/recorded")" $events 'has all events'

# ---- snapshot: asked for first, then the consumer comes
script consumer-asked "echo \$\$ >'$TAP_DIR/consumer'" "until [ -e '$TAP_DIR/go' ]; do sleep 0.02; done" \
	"exec '$LTTNGMAP_BUILD/lttngmap-consumerd' \"\$@\""
sessiond_start --consumer="$TAP_DIR/consumer-asked"
do_all 'create fr --snapshot' 'enable numbered:* -s fr' 'start fr'
: >"$counts"
"${program[@]}"
ask_for 'a snapshot before its consumer'
sleep 4 # longer than it waits for a ring that is not read
: >"$TAP_DIR/go"
wait "$asked"
is $? 0 'and is taken' || diag "$(<"$said")"
is "$(events_of "$taken")" $events 'with all events'

# ---- the consumer dies in the middle
consumer=$(<"$TAP_DIR/consumer")
kill -STOP "$consumer"
ask_for 'a snapshot whose consumer stands still'
kill -KILL "$consumer"
wait "$asked"
is $? 1 'it fails when that dies'
like "$(<"$said")" 'the consumer died in the middle of the snapshot' 'as is said'
ok 'the next one is taken' "$lttngmap" snapshot fr -o "$TAP_DIR/next"
is "$(events_of "$TAP_DIR/next")" $events 'with all events'
is "$(grep 'never named' "$TAP_DIR/log")" '' 'no consumer was sent an end of what it never knew'
sessiond_stop
done_testing
