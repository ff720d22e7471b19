#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# Row 1: programs of two threads at full speed are killed (SIGKILL) at random moments
# of their lives, also while they register. Each event that a thread had come
# back from is in the trace, or counted where channels may lose; nothing is
# there twice or torn, and babeltrace2 has nothing to say.
#
#   LTTNGMAP_SOAK_SECONDS   1400 kills, rather than 70
. "$LTTNGMAP_SRC/tests/utils/tap.sh"
. "$LTTNGMAP_SRC/tests/utils/numbered.sh"

processes=$LTTNGMAP_BUILD/tests/utils/processes
rounds=1
each=40
[[ -z ${LTTNGMAP_SOAK_SECONDS:-} ]] || rounds=8 each=100
kills=0
done_events=0
missing=0
# A round writes gigabytes where the disk is fast.
numbered_timeout=300
# Each waits for its registration, also where it may lose events.
export LTTNGMAP_ALLOW_BLOCKING=1

# killed SCENARIO TIMES OPTIONS...
killed() {
	local scenario=$1 times=$2

	shift 2
	numbered_record_traced "$@" -- "$processes" "$scenario" "$times"
	is "$numbered_status" 0 "$scenario, $*: all were killed" || diag "$(cat "$TAP_DIR/err")"
	if [[ $scenario == killed-early ]]; then
		# It may be that none of them came back from an event.
		numbered_is_counted "$scenario, $*: what they came back from is there"
		is "$numbered_lost:$numbered_missing:$numbered_gaps" 0:0:0 \
			"$scenario, $*: and nothing is lost"
	elif [[ $* == *blocking* ]]; then
		numbered_is_whole "$scenario, $*: what they came back from is there"
		is "$(babeltrace2 "$numbered_trace" 2>&1 >/dev/null || echo "status $?")" '' \
			"$scenario, $*: babeltrace2 has nothing to say"
	else
		numbered_is_counted "$scenario, $*: what they came back from is there, or counted"
	fi
	kills=$((kills + times))
	done_events=$((done_events + numbered_done))
	[[ $* != *blocking* ]] || missing=$((missing + numbered_missing))
}

for ((round = 0; round < rounds; round++)); do
	killed killed "$each" --mode blocking --subbuf-size 64K --subbufs 4
	killed killed-early "$((each / 2))" --mode blocking --subbuf-size 64K --subbufs 4
	killed killed "$((each / 4))" --mode discard --subbuf-size 4K --subbufs 2
done
figure 01 "$kills programs killed, which had come back from $done_events events: $missing are missing"
done_testing
