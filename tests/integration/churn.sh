#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# 16 and 64 channels at once, in sessions that come and go at random while
# programs do, too (tests/utils/churn.py): each trace holds what its rules ask
# for while it was started, with its own contexts, and nothing else; what is not
# there was counted. Also where programs have to ask for their memory.
#
# LTTNGMAP_SOAK_SECONDS says for how long each, LTTNGMAP_CHURN_SEED how.

. "$LTTNGMAP_SRC/tests/utils/tap.sh"
. "$LTTNGMAP_SRC/tests/utils/sessiond.sh"

seconds=${LTTNGMAP_SOAK_SECONDS:-5}
plan 8

# churn_once CHANNELS ROUNDS
churn_once() {
	rm -rf "$TAP_DIR/work"
	mkdir "$TAP_DIR/work"
	: >"$TAP_DIR/log"
	python3 "$LTTNGMAP_SRC/tests/utils/churn.py" "$SESSIOND_DIR" \
		"$LTTNGMAP_BUILD/tests/utils/churn" "$TAP_DIR/work" "$1" "$seconds" \
		"${LTTNGMAP_CHURN_SEED:-$RANDOM}" "$2" >"$TAP_DIR/said" 2>&1
}

# churns CHANNELS ROUNDS [OPTION]...: so many rounds of events a second.
churns() {
	local channels=$1 rounds=$2 status

	shift 2
	for _ in 1 2 3; do
		sessiond_start "$@"
		churn_once "$channels" "$rounds"
		status=$?
		# A program waits 100 ms for its registration, which a busy machine may exceed.
		[[ $status != 0 ]] && grep -qE 'did not (wait for an answer|answer them in time)' "$TAP_DIR/log" || break
		diag 'a process was not traced; once more'
		sessiond_stop
	done
	is "$status" 0 "$channels channels${*:+, $*}: each trace is its own" ||
		diag "$(cat "$TAP_DIR/log")"
	diag "$(cat "$TAP_DIR/said")"
	ok "$channels channels${*:+, $*}: that was something" \
		test "$(sed -n 's/^needed //p' "$TAP_DIR/said")" -ge 5000
	rm -r "$TAP_DIR/work"
	sessiond_stop
	: >"$TAP_DIR/log"
}

churns 16 100
churns 64 20
churns 16 50
is "$sessiond_status" 0 'the daemon ends well'
is "$(of_this_test "^$LTTNGMAP_BUILD/tests/utils/churn ")" '' 'nothing is left running'
done_testing
