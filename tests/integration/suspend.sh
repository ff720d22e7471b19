#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# The machine sleeps for eight hours while a session records, and the clock of events stands
# still meanwhile, or so it seems to the daemon: the trace goes on in a new chunk, and all
# times are right to the millisecond, before and after, in `view` and babeltrace2.

. "$LTTNGMAP_SRC/tests/utils/tap.sh"
. "$LTTNGMAP_SRC/tests/utils/sessiond.sh"

need_plain
lttngmap=$LTTNGMAP_BUILD/lttngmap
steady=$LTTNGMAP_BUILD/tests/utils/steady
sleep_s=$((8 * 3600))
export LTTNGMAP_RUNTIME_DIR=$SESSIOND_DIR SLEPT_FILE=$TAP_DIR/slept
preload=$LTTNGMAP_PLAIN/tests/utils/.libs/libslept-clock.so
# The daemon has it before a sanitizer's runtime.
[[ -z ${LTTNGMAP_SANITIZED:-} ]] || export ASAN_OPTIONS="${ASAN_OPTIONS:-}:verify_asan_link_order=0"

now() {
	date +%s.%N
}
# The chunk's folder is made before the trace is moved into it, and the next one's before it is used.
is_rotated() {
	[[ -d $(echo "$trace"/archives/*/ust) && -d $trace/ust ]]
}
is_traced() { # EVENTS
	"$lttngmap" status --json s | grep -qE "\"kept\": ?$1\b"
}

# Seconds since 1970 of all events in there, by each reader.
times_babeltrace() {
	babeltrace2 --clock-seconds "$1" 2>"$TAP_DIR/errors" | sed 's/^\[\([0-9.]*\)\].*/\1/'
}
times_view() {
	"$lttngmap" view --date "$1" 2>"$TAP_DIR/errors" | cut -d' ' -f1,2 | while read -r time; do
		date -d "$time" +%s.%N
	done
}

# between FROM TO ADDED < TIMES: how many are, all of them moved by ADDED, to the millisecond?
between() {
	awk -v from="$1" -v to="$2" -v added="$3" '
		{ t = $1 - added; n += t >= from - 0.001 && t <= to + 0.001 }
		END { print n + 0 " of " NR }'
}

try_clock() { # CLOCK
	local from to again_from again_to chunk reader

	trace=$TAP_DIR/trace-$1
	echo 0 >"$SLEPT_FILE"
	LD_PRELOAD=$preload sessiond_start --clock="$1"
	do_all "create s -o $trace" 'enable steady:*' start
	from=$(now)
	"$steady" 9 >/dev/null
	to=$(now)
	wait_for is_traced 10

	echo "$sleep_s" >"$SLEPT_FILE"
	wait_for "$lttngmap" status s
	ok "$1: the trace is rotated" wait_for is_rotated
	again_from=$(now)
	"$steady" 19 >/dev/null
	again_to=$(now)
	do_all stop
	chunk=$(find "$trace/archives" -mindepth 1 -maxdepth 1)
	for reader in babeltrace view; do
		is "$(times_$reader "$chunk" | between "$from" "$to" 0)" '10 of 10' \
			"$1, $reader: times before the sleep are right"
		is "$(times_$reader "$trace/ust" | between "$again_from" "$again_to" "$sleep_s")" '20 of 20' \
			"$1, $reader: times after it, too"
	done
	is "$(babeltrace2 "$trace" 2>&1 | grep -c steady:event)" 30 'all chunks together are one trace'
	like "$("$lttngmap" status s)$(<"$TAP_DIR/log")" 'stood still while the machine slept' \
		'status says what happened'
	do_all 'destroy s'
	sessiond_stop
	is "$sessiond_status" 0 'the daemon ends well'
}

try_clock monotonic
if grep -qx tsc /sys/devices/system/clocksource/clocksource0/current_clocksource; then
	try_clock tsc
else
	skip 1 'the kernel does not trust the TSC of this machine'
fi
done_testing
