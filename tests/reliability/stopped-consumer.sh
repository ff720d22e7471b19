#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# Row 16: the consumer is stopped (SIGSTOP) while programs emit into a channel that
# discards: no event waits for anything, 999 of 1000 take a microsecond at most, and
# what was lost is counted exactly. The consumer goes on as the same process.
#
#   LTTNGMAP_SOAK_SECONDS   for 30 s, rather than 3
. "$LTTNGMAP_SRC/tests/utils/tap.sh"
. "$LTTNGMAP_SRC/tests/utils/numbered.sh"

seconds=3
[[ -z ${LTTNGMAP_SOAK_SECONDS:-} ]] || seconds=30
# For its registration a program may wait, not for its events.
export LTTNGMAP_ALLOW_BLOCKING=1
export XDG_RUNTIME_DIR=$TAP_DIR/runtime
mkdir -m 0700 "$XDG_RUNTIME_DIR"

consumer_of() {
	pgrep -f "lttngmap-consumerd --control=$XDG_RUNTIME_DIR" | head -n 1
}

stop_consumer() {
	local consumer

	until grep -q . "$NUMBERED_COUNTS" 2>/dev/null; do sleep 0.05; done
	until compgen -G "$numbered_trace/ust/index/*.idx" >/dev/null; do sleep 0.05; done
	consumer=$(consumer_of)
	kill -STOP "$consumer"
	sleep "$seconds" # it stands still for so long
	[[ $(consumer_of) != "$consumer" ]] || echo "$consumer" >"$TAP_DIR/same"
	kill -CONT "$consumer"
	sleep 0.5 # in which another one would be started
	[[ $(consumer_of) != "$consumer" ]] || echo "$consumer" >>"$TAP_DIR/same"
	touch "$TAP_DIR/stop"
}

value() { sed -nE "s/.*$1 ([0-9]+).*/\1/p" "$TAP_DIR/out"; }

record() {
	rm -f "$TAP_DIR/stop" "$TAP_DIR/same"
	: >"$NUMBERED_COUNTS"
	stop_consumer &
	stopper=$!
	numbered_record --mode discard --subbuf-size 64K --subbufs 4 -- \
		"$LTTNGMAP_BUILD/tests/utils/survivors" "$TAP_DIR/stop" long
	wait "$stopper"
	bare=$(value 'bare')
	most=$(($(value 'undisturbed') - ${bare:-0}))
	share=$(value 'which are')
	waits=$(value 'other waits')
}

# With instructions of a sanitizer in between it is not the event's time, and more
# comes in between.
bound=1000 least=700
[[ -z ${LTTNGMAP_SANITIZED:-} ]] || bound=100000 least=300
# Nor is what others do on a busy machine: events that no other thread came in
# between count, less what as much of nothing takes beside them (interrupts, a
# hypervisor), and what these left of the caches thrice at most.
for _ in 1 2 3; do
	record
	[[ ${most:-9999} -gt $bound || ${share:-0} -le $least || ${numbered_kept:-0} -eq 0 ]] || break
	diag "$(cat "$TAP_DIR/out"): once more"
done
is "$numbered_status" 0 'the program and record end well' || diag "$(cat "$TAP_DIR/err")"
numbered_is_counted 'each event is in the trace, once, or counted'
diag "$(cat "$TAP_DIR/out"): $numbered_kept events kept, $numbered_lost lost"
ok "while it was stopped, events were lost: $numbered_lost" test "$numbered_lost" -gt 10000
ok "999 of 1000 events took a microsecond at most: ${most:-?} ns" test "${most:-99999}" -le "$bound"
ok "these are most of all: ${share:-?} of 1000" test "${share:-0}" -gt "$least"
is "${waits:-?}" 0 'no event waited for anything'
is "$(uniq -c "$TAP_DIR/same" | awk '{ print $1 }')" 2 'the consumer is the same all along'
figure 16 "consumer stopped for $seconds s: $((numbered_kept + numbered_lost)) events emitted, \
$numbered_kept kept, $numbered_lost counted as lost; p99.9 of the event $most ns beyond the $bare ns of nothing, $waits waits"
done_testing
