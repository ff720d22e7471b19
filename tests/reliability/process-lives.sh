#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# Row 19: fork, clone, vfork, exec, daemon(3), dlopen and dlclose, one after another
# (tests/utils/processes-life.c), and threads that the C library does not know:
# each ends in time, each event is in the trace once, in a packet of the process
# that emitted it.
#
#   LTTNGMAP_SOAK_SECONDS   10000 of each, rather than some
. "$LTTNGMAP_SRC/tests/utils/tap.sh"
. "$LTTNGMAP_SRC/tests/utils/numbered.sh"

processes=$LTTNGMAP_BUILD/tests/utils/processes
export NUMBERED_PLUGIN=$LTTNGMAP_BUILD/tests/utils/.libs/numbered-plugin.so
rounds=1
each=100
[[ -z ${LTTNGMAP_SOAK_SECONDS:-} ]] || rounds=10 each=1000
numbered_timeout=300
events=0
foreign=0
wrong=0
told=

# lived SCENARIO: as often as is asked for, some at a time: a trace's files are all open at once.
lived() {
	local name=$1 round

	for ((round = 0; round < rounds; round++)); do
		numbered_record_traced --mode blocking --subbuf-size 64K --subbufs 4 -- \
			"$processes" "$name" "$each"
		if [[ $numbered_status == 77 ]]; then
			skip 3 "$name: $(cat "$TAP_DIR/err" "$TAP_DIR/out" | head -n 1)"
			continue
		fi
		is "$numbered_status" 0 "$name: it ends" || diag "$(cat "$TAP_DIR/err")"
		numbered_is_whole "$name: all events are there, once" || wrong=$((wrong + 1))
		is "$numbered_foreign" 0 "$name: all under the right process"
		events=$((events + numbered_events))
		foreign=$((foreign + ${numbered_foreign:-0}))
	done
	told+="${told:+, }$name"
}

for name in fork clone vfork exec-self daemon dlopen raw-clone clone-vfork; do
	lived "$name"
done
figure 19 "$((rounds * each)) each of $told: $events events, $wrong rounds with one lost or twice, \
$foreign events under the wrong process"
done_testing
