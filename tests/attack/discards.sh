#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# Traced processes write any counts of lost events into their rings. Of a session in which
# others lose events, too, the sum has all of these.
. "$LTTNGMAP_SRC/tests/utils/tap.sh"
. "$LTTNGMAP_SRC/tests/utils/attack.sh"

attack_rules+=('forge:*')
lossy_sum() { # FIELD: of the session's status
	sed -n 's/^[^[]*"'"$1"'": \([0-9]*\).*/\1/p' "$TAP_DIR/answer" | tail -n 1
}
attack_look() {
	local i lost shown consumers forgers=()

	rm -rf "$TAP_DIR/lossy"
	rm -f "$TAP_DIR/stop"
	: >"$NUMBERED_COUNTS"
	attack_session lossy '' discard 4096 2 || bail_out "no session: $(<"$TAP_DIR/answer")"
	for i in 1 2 3; do
		setpriv --reuid=65001 --regid=65001 --clear-groups \
			env LTTNGMAP_RUNTIME_DIR="$SESSIOND_DIR" LTTNGMAP_ALLOW_BLOCKING=1 \
			"$LTTNGMAP_BUILD/tests/utils/forge" lost "$TAP_DIR/stop" >"$TAP_DIR/forged-$i" &
		forgers+=($!)
	done
	# Nobody reads meanwhile.
	mapfile -t consumers < <(sessiond_consumer)
	kill -STOP "${consumers[@]}"
	setpriv --reuid=65010 --regid=65010 --clear-groups \
		env LTTNGMAP_RUNTIME_DIR="$SESSIOND_DIR" LTTNGMAP_ALLOW_BLOCKING=1 \
		"$LTTNGMAP_BUILD/tests/utils/emit" "$NUMBERED_COUNTS" 2 100000
	kill -CONT "${consumers[@]}"
	attack_control 10 '{"verb": "stop", "session": "lossy"}' '{"verb": "status", "session": "lossy"}'
	touch "$TAP_DIR/stop"
	wait "${forgers[@]}"
	mkdir -p "$TAP_DIR/lossy/emit/index"
	ln "$TAP_DIR"/lossy/ust/{metadata,c_emit-*} "$TAP_DIR/lossy/emit"
	numbered_chunks=("$TAP_DIR/lossy/emit")
	numbered_check
	lost=$((numbered_done - numbered_events))
	shown=$(lossy_sum discarded)
	ok "$1: a program lost $lost events, $shown are shown" test "$numbered_sound" = 0 \
		-a "$lost" -gt 0 -a "${shown:-0}" -ge "$lost" -a "${shown:-0}" -le $((lost + 30)) ||
		diag "$(<"$TAP_DIR/answer")"
	attack_control 10 '{"verb": "destroy", "session": "lossy"}'
}
attack discards 4
done_testing
