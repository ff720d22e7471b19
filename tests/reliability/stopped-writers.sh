#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# Row 2: a writer is stopped at an instruction of an event, within a sub-buffer and
# over its end, beside two others (tests/utils/stop-anywhere.c), and killed there:
# the others write on, the session stops within 2 s, what they all came back from is
# in the trace. By rseq, by trylock on a CPU's ring, and by trylock in a thread
# without rseq of a process that has it.
#
#   LTTNGMAP_SOAK_SECONDS   at each instruction, rather than at some
. "$LTTNGMAP_SRC/tests/utils/tap.sh"
. "$LTTNGMAP_SRC/tests/utils/sessiond.sh"
. "$LTTNGMAP_SRC/tests/utils/numbered.sh"

export LTTNGMAP_RUNTIME_DIR=$SESSIOND_DIR LTTNGMAP_ALLOW_BLOCKING=1
numbered_trace=$TAP_DIR/trace
stride=${LTTNGMAP_TEST_STRIDE:-29}
# An event is ten times as long then, a hundred times with the thread sanitizer.
[[ -z ${LTTNGMAP_SANITIZED:-} ]] || stride=211
[[ ${LTTNGMAP_SANITIZED:-} != *=thread* ]] || stride=2003
[[ -z ${LTTNGMAP_SOAK_SECONDS:-} ]] || stride=1
all_kills=0
slowest=0
shortest=

number() { # KEY: of the session's status
	control '{"verb": "status", "session": "s"}' | sed -nE "s/.*\"$1\": ?([0-9]+).*/\1/p"
}

# stop_anywhere WRITER EVENT
stop_anywhere() {
	timeout 550 "$LTTNGMAP_BUILD/tests/utils/stop-anywhere" "$SESSIOND_DIR" s "$1" "$2" \
		$((RANDOM % stride)) "$stride" >"$TAP_DIR/said" 2>"$TAP_DIR/err"
}

# stopped NAME WRITER EVENT
stopped() {
	local name="$1, $3" kills steps ms

	: >"$NUMBERED_COUNTS"
	control '{"verb": "create", "session": "s", "output": "'"$numbered_trace"'"}' \
		'{"verb": "channel", "session": "s", "channel": "c", "subbuf_size": 4096, "subbufs": 8,
		  "mode": "blocking", "buffers": "'"${LTTNGMAP_TEST_BUFFERS:-process}"'"}' \
		'{"verb": "enable", "session": "s", "channel": "c", "rule": "numbered:*"}' \
		'{"verb": "start", "session": "s"}' >/dev/null
	ok "$name: wherever it is stopped, the session stops" stop_anywhere "$2" "$3" ||
		diag "$(cat "$TAP_DIR/said" "$TAP_DIR/err" "$TAP_DIR/log")"
	read -r _ kills _ steps _ ms <"$TAP_DIR/said"
	control '{"verb": "stop", "session": "s"}' >/dev/null
	numbered_kept=$(number kept)
	numbered_lost=$(($(number discarded) + $(number overwritten)))
	control '{"verb": "destroy", "session": "s"}' >/dev/null
	diag "$name: ${kills:-0} kills, the event is $steps instructions long, the slowest stop took $ms ms"
	ok "$name: it was stopped on the way" test "${steps:-0}" -gt 60 -a "${kills:-0}" -gt 2
	ok "$name: each stop took less than 2 s" test "${ms:-2000}" -lt 2000
	numbered_is_whole "$name: what they came back from is there"
	rm -rf "$numbered_trace"
	all_kills=$((all_kills + ${kills:-0}))
	((${ms:-0} <= slowest)) || slowest=$ms
	[[ -n $shortest && $shortest -le ${steps:-0} ]] || shortest=$steps
}

sessiond_start
for event in write switch; do
	if [[ ${LTTNGMAP_TEST_RSEQ:-} != off ]]; then
		stopped 'by rseq' 0 "$event"
		stopped 'without rseq beside it' 2 "$event"
	fi
	GLIBC_TUNABLES=glibc.pthread.rseq=0 stopped 'by trylock' 0 "$event"
done
[[ ${LTTNGMAP_TEST_BUFFERS:-} == user ]] ||
	figure 02 "$all_kills programs of three writers, one stopped in its event and killed there,\
 every $stride instructions of $shortest or more: the slowest stop took $slowest ms"
sessiond_stop
is "$sessiond_status" 0 'the daemon ends well'
done_testing
