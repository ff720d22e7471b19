#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# A disabled channel keeps its rules and records nothing, also while its session is started, after a restart of the daemon,
# and in a session that was saved and loaded; enabled, it records again.

. "$LTTNGMAP_SRC/tests/utils/tap.sh"
. "$LTTNGMAP_SRC/tests/utils/sessiond.sh"
export LTTNGMAP_RUNTIME_DIR=$SESSIOND_DIR
sessiond_sessions=()

lttngmap() {
	"$LTTNGMAP_BUILD/lttngmap" "$@" 2>>"$TAP_DIR/said"
}

# One that runs all the while; each line that it gets is one event more.
mkfifo "$TAP_DIR/lines" "$TAP_DIR/answers"
program_round() {
	echo >&7
	read -r <&8
}

kept() { # SESSION: events that its programs wrote until now
	lttngmap status "$1" --json | python3 -c 'import json, sys
print(json.load(sys.stdin)["written"])'
}

# rounds SESSION: two rounds of the program, and how many events the session has by them.
rounds() {
	local before

	before=$(kept "$1")
	program_round
	program_round
	echo $(($(kept "$1") - before))
}

sessiond_start
do_all "create s -o $TAP_DIR/s" 'channel c -s s' 'enable --all -s s -c c' 'start s'
"$LTTNGMAP_BUILD/tests/utils/rounds" <"$TAP_DIR/lines" >"$TAP_DIR/answers" &
program=$!
exec 7>"$TAP_DIR/lines" 8<"$TAP_DIR/answers"
program_round
each=$(rounds s)
ok "a program is recorded: $each events" [ "$each" -ge 2 ]
is "$(lttngmap channel c -s s --disable)" 'disabled channel c of session s' 'its channel is disabled'
is "$(rounds s)" 0 '  ... and it is recorded no more'
like "$(lttngmap list s)" 'channel c \(disabled\): .*rule 1: \*' '  ... which the list shows, with the rules'
"$LTTNGMAP_BUILD/lttngmap" channel c -s s --disable >"$TAP_DIR/out" 2>&1
is "$? $(head -n 1 "$TAP_DIR/out")" '1 lttngmap: channel: channel c is disabled already' '  ... once'
lttngmap enable 'none:such' -s s -c c >/dev/null
is "$(rounds s)" 0 'a new rule enables none'
lttngmap save s -o "$TAP_DIR/saved" >/dev/null
sessiond_stop
sessiond_start
is "$(rounds s)" 0 'nor does a restart of the daemon'
is "$(lttngmap channel c -s s --enable)" 'enabled channel c of session s' 'it is enabled'
is "$(rounds s)" "$each" '  ... and records again'
do_all 'stop s' 'start s'
is "$(rounds s)" "$each" '  ... also when its session is started anew'
do_all 'destroy s'
wait_for lttngmap load "$TAP_DIR/saved" -o "$TAP_DIR/loaded"
like "$(lttngmap list s)" 'channel c \(disabled\)' 'a session that was saved and loaded has it disabled'
is "$(rounds s)" 0 '  ... too'
"$LTTNGMAP_BUILD/lttngmap" channel c -s s --disable --mode discard >"$TAP_DIR/out" 2>&1
is $? 2 'one thing at a time'
exec 7>&- 8<&-
kill "$program"
wait "$program" 2>/dev/null
do_all 'destroy --all'
sessiond_sessions=(--forget)
sessiond_stop
is "$sessiond_status" 0 'the daemon ends well'
done_testing
