#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# Row 15: one process after another has the same process id, half of them killed
# while they register, and the daemon is stopped for some 30 ms now and then, so that
# it comes to a registration when the id is another process's. No event is in
# another process's packets. In a process id namespace of its own, with the daemon.
#
#   LTTNGMAP_SOAK_SECONDS   10^5 events, rather than 5000
. "$LTTNGMAP_SRC/tests/utils/tap.sh"

[[ $EUID == 0 ]] || skip_all 'who may choose the next process id is root'
if [[ -z ${PID_REUSE_INSIDE:-} ]]; then
	rm -rf "$TAP_DIR"
	unshare --pid --mount true 2>/dev/null || skip_all 'there can be no namespace of process ids here'
	export PID_REUSE_INSIDE=yes
	# A daemon takes away what dead ones have left in tracefs: seen from there, all others are dead.
	exec unshare --pid --fork --mount-proc --kill-child "$BASH" -c '
		for place in tracing debug; do
			[[ ! -d /sys/kernel/$place ]] || mount -t tmpfs none "/sys/kernel/$place" || exit 1
		done
		exec "$BASH" "$0"' "$0"
fi
. "$LTTNGMAP_SRC/tests/utils/numbered.sh"

lives=200
rounds=1
[[ -z ${LTTNGMAP_SOAK_SECONDS:-} ]] || rounds=20
each=50
events=0
named=0
foreign=0
export XDG_RUNTIME_DIR=$TAP_DIR/runtime
mkdir -m 0700 "$XDG_RUNTIME_DIR"

daemon_of() {
	local pid

	for pid in $(pgrep -f "lttngmap-sessiond --private --runtime-dir $XDG_RUNTIME_DIR"); do
		pgrep -P "$pid" -f "lttngmap-sessiond --private --runtime-dir $XDG_RUNTIME_DIR"
	done | head -n 1
}

stop_now_and_then() {
	local pid

	while [[ ! -e $TAP_DIR/over ]]; do
		pid=$(daemon_of)
		if [[ -n $pid ]]; then
			kill -STOP "$pid" 2>/dev/null
			sleep 0.03 # it stands still for so long
			kill -CONT "$pid" 2>/dev/null
		fi
		sleep 0.1 # and runs for so long
	done
}

for ((round = 0; round < rounds; round++)); do
	rm -f "$TAP_DIR/over"
	stop_now_and_then &
	stopper=$!
	numbered_record_traced --mode blocking --subbuf-size 4K --subbufs 4 -- \
		"$LTTNGMAP_BUILD/tests/utils/pid-reuse" "$lives" "$each"
	touch "$TAP_DIR/over"
	wait "$stopper"
	is "$numbered_status" 0 "$lives processes of one id lived" || diag "$(cat "$TAP_DIR/err")"
	numbered_is_whole 'all that they emitted is there'
	is "$numbered_foreign" 0 'nothing is under another process'
	is "$numbered_named" "$numbered_events" 'all of it under a process of the right name'
	events=$((events + numbered_events))
	named=$((named + numbered_named))
	foreign=$((foreign + numbered_foreign))
done
ok 'enough were emitted' test "$events" -ge $((rounds * lives / 2 * each))
figure 15 "$events events of $((rounds * lives)) processes with one id, half of them killed while they \
registered: $foreign under the wrong process"
done_testing
