#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# A million events, or ten where it is full, from four threads: emitted = in the trace + counted lost,
# exactly, whatever the mode and the buffers; in each stream time does not go
# back, every payload is intact, nothing is there twice.
#
#   LTTNGMAP_TEST_EVENTS   events of each of the large rounds (a million; 10 where it is full)
#   LTTNGMAP_TEST_ROUNDS   do all of it so many times (once)
. "$LTTNGMAP_SRC/tests/utils/tap.sh"
. "$LTTNGMAP_SRC/tests/utils/numbered.sh"
. "$LTTNGMAP_SRC/tests/utils/short.sh"

# With sanitizers a tenth, for it takes ten times as long.
many=${LTTNGMAP_TEST_EVENTS:-${LTTNGMAP_SANITIZED:+1000000}}
many=${many:-$(short_or 1000000 10000000)}
few=$((many / 10))
emit=$LTTNGMAP_BUILD/tests/utils/emit
# A program waits for the daemon, however loaded the machine is, also where no channel blocks.
export LTTNGMAP_ALLOW_BLOCKING=1
small=(--subbuf-size 4K --subbufs 2)
large=(--subbuf-size 1M --subbufs 8)

# emitted NAME EVENTS OPTIONS...
emitted() {
	local name=$1 events=$2

	shift 2
	numbered_record "$@" -- "$emit" "$NUMBERED_COUNTS" 4 "$events"
	is "$numbered_status" 0 "$name: status" || diag "$(cat "$TAP_DIR/err")"
	if [[ $* == *blocking* ]]; then
		numbered_is_whole "$name: all of $events events are there"
	else
		numbered_is_counted "$name: of $events events, what is not there is counted"
	fi
	is "$numbered_done" "$events" "$name: all were emitted"
}

# by WAY: in all modes.
by() {
	local mode

	emitted "$1, discard, $many" "$many" --mode discard
	emitted "$1, blocking, $many" "$many" --mode blocking
	for mode in discard overwrite blocking; do
		emitted "$1, $mode, small sub-buffers" "$few" --mode "$mode" "${small[@]}"
		# With sanitizers a writer may be slower than its reader.
		[[ $mode == blocking ]] || ok '  ... and some were lost' \
			test -n "${LTTNGMAP_SANITIZED:-}" -o "$numbered_lost" -gt 0
	done
	emitted "$1, overwrite, large sub-buffers" "$few" --mode overwrite "${large[@]}"
	emitted "$1, clock monotonic" "$few" --mode discard --clock monotonic "${small[@]}"
}

for ((round = 0; round < ${LTTNGMAP_TEST_ROUNDS:-1}; round++)); do
	[[ ${LTTNGMAP_TEST_RSEQ:-} == off ]] || by 'by rseq'
	export GLIBC_TUNABLES=glibc.pthread.rseq=0
	by 'by trylock'
	unset GLIBC_TUNABLES
done
done_testing
