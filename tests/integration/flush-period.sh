#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# A channel with a flush period: events of programs that are idle then are on disk within that time, without a stop;
# also after a restart of the daemon, and in a session that was saved and loaded.

. "$LTTNGMAP_SRC/tests/utils/tap.sh"
. "$LTTNGMAP_SRC/tests/utils/sessiond.sh"
export LTTNGMAP_RUNTIME_DIR=$SESSIOND_DIR
sessiond_sessions=()

lttngmap() {
	"$LTTNGMAP_BUILD/lttngmap" "$@" 2>>"$TAP_DIR/said"
}

# Some time after its first event, each line that the program gets is one more.
program_begin() {
	mkfifo "$TAP_DIR/lines" "$TAP_DIR/answers"
	"$LTTNGMAP_BUILD/tests/utils/rounds" <"$TAP_DIR/lines" >"$TAP_DIR/answers" &
	program=$!
	exec 7>"$TAP_DIR/lines" 8<"$TAP_DIR/answers"
}

program_round() {
	echo >&7
	read -r <&8
}

program_end() {
	# The second daemon has the pipe, too: its end does not come.
	exec 7>&- 8<&-
	kill "$program"
	wait "$program" 2>/dev/null
	rm "$TAP_DIR/lines" "$TAP_DIR/answers"
}

on_disk() { # SESSION EVENTS
	[[ $(babeltrace2 "$TAP_DIR/$1" 2>/dev/null | wc -l) -ge $2 ]]
}

sessiond_start
do_all "create f -o $TAP_DIR/f" 'channel c -s f --flush-period 200ms' 'enable --all -s f' 'start f' \
	"create n -o $TAP_DIR/n" 'channel c -s n' 'enable --all -s n' 'start n'
like "$(lttngmap list f)" 'on disk within 200 ms' 'the list shows the period'
program_begin
program_round
ok 'events of a program that is idle come to the disk' wait_for on_disk f 1
is "$(babeltrace2 "$TAP_DIR/n" 2>/dev/null | wc -l)" 0 '  ... only where the channel has the period'
before=$(babeltrace2 "$TAP_DIR/f" | wc -l)
program_round
ok '  ... and later ones' wait_for on_disk f $((before + 1))
lttngmap save f -o "$TAP_DIR/saved" >/dev/null
sessiond_stop
sessiond_start
before=$(babeltrace2 "$TAP_DIR/f" | wc -l)
program_round
ok '  ... also by the next daemon' wait_for on_disk f $((before + 1))
do_all 'stop f'
like "$(lttngmap channel --change c -s f --flush-period 0 && lttngmap list f)" 'channel c: discard' 'it is changed'
is "$(lttngmap list f | grep -c 'on disk within')" 0 '  ... to none'
do_all 'destroy f'
wait_for lttngmap load "$TAP_DIR/saved" -o "$TAP_DIR/loaded"
like "$(lttngmap list f)" 'on disk within 200 ms' 'a session that was saved and loaded has it again'
program_end

do_all "create r --snapshot -o $TAP_DIR/r"
like "$("$LTTNGMAP_BUILD/lttngmap" channel c -s r --flush-period 1s 2>&1)" 'flight recorder, whose channels are not flushed' \
	'not for a flight recorder'
like "$("$LTTNGMAP_BUILD/lttngmap" channel d -s n --flush-period 5ms 2>&1)" '10ms or more' 'a period that is too short'
like "$(control '{"verb": "channel", "session": "n", "channel": "c", "change": true, "flush_ms": 5}' 2>&1)" \
	'cannot be flushed every 5 ms|is started' '  ... nor for the daemon'
do_all 'destroy --all'
sessiond_sessions=(--forget)
sessiond_stop
is "$sessiond_status" 0 'the daemon ends well'
done_testing
