#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# A full sub-buffer is on disk within 20 ms, however slow or fast they fill; where they fill
# quickly, nobody is woken for each of them; and where none does, nobody is woken at all.
. "$LTTNGMAP_SRC/tests/utils/tap.sh"
. "$LTTNGMAP_SRC/tests/utils/sessiond.sh"

export LTTNGMAP_RUNTIME_DIR=$SESSIOND_DIR
# Nothing is synced while wake-ups are counted.
export LTTNGMAP_SYNC_SECONDS=0
sessiond_start

daemons() {
	pgrep -f "lttngmap-sessiond --runtime-dir=$SESSIOND_DIR"
	pgrep -f "lttngmap-consumerd --control=$SESSIOND_DIR/"
}

count_wakes() {
	local pid

	for pid in $(daemons); do
		cat /proc/"$pid"/task/*/status
	done | awk '/^voluntary/ { n += $2 } END { print n }'
}

# wakes SECONDS: of the daemons in that time.
wakes() {
	local before

	before=$(count_wakes)
	sleep "$1" # it is measured for so long
	echo $(($(count_wakes) - before))
}

# In two seconds a timer of the daemon's own may end. ThreadSanitizer has a thread that wakes ten times a second.
own_wakes=2
[[ ${LTTNGMAP_SANITIZED:-} != *=thread* ]] || own_wakes=30

# on_time NAME EVENTS-A-SECOND PACKETS WAKE-UPS-IN-100-PACKETS
on_time() {
	local trace=$TAP_DIR/$1 stream median most woken packets program

	do_all "create s -o $trace" 'channel c --mode discard --subbuf-size 4K --subbufs 256' \
		'enable paced:*' 'start'
	mkfifo "$TAP_DIR/in.$1"
	# One CPU: one ring, one stream.
	taskset -c 0 "$LTTNGMAP_BUILD/tests/utils/paced" "$2" "$TAP_DIR/log.$1" <"$TAP_DIR/in.$1" &
	program=$!
	exec 9>"$TAP_DIR/in.$1"
	wait_for eval "ls $trace/ust/c_paced-*_0"
	stream=$(find "$trace" -name 'c_paced-*_0' | head -n 1)
	# A machine that does something else for a moment says nothing about the daemons: again, then.
	for _ in 1 2 3; do
		# shellcheck disable=SC2046 # words
		read -r median most woken packets < <(python3 "$LTTNGMAP_SRC/tests/utils/bell_latency.py" \
			"$TAP_DIR/log.$1" "$stream" "$3" $(daemons))
		diag "$1: $median ms, $most ms at most, $woken wake-ups in 100 packets, of $packets"
		((${median:-999} > 20 || ${most:-999} > 200 || ${woken:-9999} > $4)) || break
	done
	ok "$1: all of them come" test "${packets:-0}" -ge "$3"
	ok "$1: within 20 ms" test "${median:-999}" -le 20
	ok "$1: none is forgotten" test "${most:-999}" -le 200
	ok "$1: wake-ups" test "${woken:-9999}" -le "$4"
	exec 9>&-
	wait "$program"
	do_all stop
	# The consumer has said that it is quiet.
	sleep 3
	woken=$(wakes 2)
	ok "$1: then nobody is woken for it ($woken)" test "$woken" -le "$own_wakes"
	do_all destroy
}

on_time slow 5000 60 1000
on_time fast 500000 4000 100
sessiond_stop
is "$sessiond_status" 0 'the daemon ends well'
done_testing
