#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# The machine sleeps for some seconds (for the daemons, to which CLOCK_MONOTONIC stands still), while
# the TSC goes on: no event is lost, and all times are right.
. "$LTTNGMAP_SRC/tests/utils/tap.sh"
. "$LTTNGMAP_SRC/tests/utils/attack.sh"

need_plain
grep -qx tsc /sys/devices/system/clocksource/clocksource0/current_clocksource ||
	skip_all 'the kernel does not trust the TSC of this machine'
attack_options=(--clock=tsc)
attack_rules+=('steady:*')
slept=$TAP_DIR/slept
# The daemon has it before a sanitizer's runtime.
[[ -z ${LTTNGMAP_SANITIZED:-} ]] || export ASAN_OPTIONS="${ASAN_OPTIONS:-}:verify_asan_link_order=0"
sessiond_before=(env LD_PRELOAD="$LTTNGMAP_PLAIN/tests/utils/.libs/libslept-clock.so" SLEPT_FILE="$slept"
	SLEPT_TSC=1 "${sessiond_before[@]}")
echo 0 >"$slept"

attack_prepare() {
	: >"$TAP_DIR/times"
}
# Another daemon begins with the clocks as they are.
attack_mend() {
	[[ -n $sessiond_pid ]] || echo 0 >"$slept"
}
# When a program's only events were, by the clock of everybody else.
be_asleep() { # FILE PROGRAM TIMES
	echo 2 >"$1"
	sleep 1 # Its events come later than the clocks jumped.
	for _ in 1 2 3; do
		echo "$EPOCHREALTIME $("$2" 0 >&2) $EPOCHREALTIME" >>"$3"
	done
	exec sleep 100
}
export -f be_asleep
attack_look() {
	local some=$TAP_DIR/some times from to right=0 i

	rm -rf "$some"
	mkdir "$some"
	ln "$TAP_DIR"/first/ust/metadata "$TAP_DIR"/first/ust/c_steady-* "$some"
	mapfile -t times < <(babeltrace2 --clock-seconds "$some" | sed 's/^\[\([0-9.]*\)\].*/\1/')
	for i in "${!times[@]}"; do
		read -r from to < <(sed -n $((i + 1))p "$TAP_DIR/times")
		right=$((right + $(awk "BEGIN { print (${times[i]} > $from - 0.002 && ${times[i]} < $to + 0.002) }")))
	done
	is "$right:${#times[@]}" 3:3 "$1: times of events are right" ||
		diag "events at ${times[*]}; programs from, to: $(<"$TAP_DIR/times")"
}
attack_with clock env LTTNGMAP_RUNTIME_DIR=@DIR@ LTTNGMAP_ALLOW_BLOCKING=1 bash -c 'be_asleep "$@"' bash \
	"$slept" "$LTTNGMAP_BUILD/tests/utils/steady" "$TAP_DIR/times"
done_testing
