#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# Hundreds of processes that come and go: each event is in the trace or was
# counted, and the daemons need no more memory and descriptors in the end than
# when all had come for the first time.
#
#   LTTNGMAP_SOAK_SECONDS   how long, and with 500 processes; else 12 with 100
. "$LTTNGMAP_SRC/tests/utils/tap.sh"
. "$LTTNGMAP_SRC/tests/utils/numbered.sh"

seconds=${LTTNGMAP_SOAK_SECONDS:-12}
members=$((${LTTNGMAP_SOAK_SECONDS:+5} + 0 ? 500 : 100))
# How long a process lives: at least three generations.
life=$((seconds / 4 < 30 ? seconds / 4 : 30))
# A heap that has found its size still gives and takes pages.
growth_max=512
crowd=$LTTNGMAP_BUILD/tests/utils/crowd
numbered_timeout=$((seconds + 120))
export XDG_RUNTIME_DIR=$TAP_DIR/runtime
mkdir -m 0700 "$XDG_RUNTIME_DIR"
plan 5

# Of supervisor, daemon and consumer: KiB of their own, and descriptors. Supervisor and daemon
# have one table of these.
daemons() {
	pgrep -f "lttngmap-(sessiond --private --runtime-dir|consumerd --control=).*$XDG_RUNTIME_DIR"
}
sample() {
	local pid private=0 fds=0

	for pid in $(daemons); do
		private=$((private + $(awk '/^Private_|^Swap:/ {n += $2} END {print n + 0}' \
			"/proc/$pid/smaps_rollup")))
		fds=$((fds + $(find "/proc/$pid/fd" -type l | wc -l)))
	done
	echo "$private $fds"
}

# Until so many have come, however long that takes; or nobody comes any more.
until_came() {
	local came=

	until ((${came:-0} > $1)) || [[ -e $TAP_DIR/stop ]]; do
		sleep 0.05
		came=$(od -An -tu4 -N4 "$NUMBERED_COUNTS" 2>/dev/null)
	done
}

watch() {
	until_came 0
	sleep $((seconds / 2)) # half of the time that was asked for
	until_came $((members * 3 / 2))
	sample >"$TAP_DIR/middle"
	sleep $((seconds - seconds / 2)) # the other half
	until_came $((members * 5 / 2))
	sample >"$TAP_DIR/end"
	touch "$TAP_DIR/stop"
}

watch &
watcher=$!
# Where events may block, a program waits for its registration, however busy the machine is.
numbered_record --mode blocking --subbuf-size 4K --subbufs 4 -- \
	"$crowd" "$TAP_DIR/stop" "$members" "$life"
touch "$TAP_DIR/stop"
wait "$watcher"
is "$numbered_status" 0 'the crowd and record end well' || diag "$(cat "$TAP_DIR/out" "$TAP_DIR/err")"
numbered_is_counted 'each event is in the trace, or counted'
came=$(sed -n 's/ processes$//p' "$TAP_DIR/out")
ok "that was a crowd: ${came:-none}" test "${came:-0}" -gt $((members * 2))

read -r memory fds <"$TAP_DIR/middle"
read -r memory_end fds_end <"$TAP_DIR/end"
figure 25 "$members processes at once, $came in all, for $seconds s:" \
	"$numbered_kept events kept, $numbered_lost lost;" \
	"memory $memory KiB in the middle, $memory_end at the end; $fds and $fds_end descriptors"
if [[ -n ${LTTNGMAP_SANITIZED:-} ]]; then
	skip 1 "a sanitizer's runtime remembers what was freed, and what every thread did"
else
	ok "the daemons' memory stays: $((memory_end - memory)) KiB more" \
		test $((memory_end - memory)) -le "$growth_max"
fi
# Some programs are about to come or to go.
ok "and so do their descriptors: $((fds_end - fds)) more" test $((fds_end - fds)) -le $((fds / 10))
done_testing
